# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of the wrong kind: the message names the argument, what was expected and what was given. Products x @ M."""
import numpy as np
import pytest
import scipy.sparse as sp
import spmvcast


@pytest.fixture
def B():
    return sp.random(60, 48, 0.1, "csr", random_state=np.random.RandomState(1))


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda A: spmvcast.Matrix(A, device="cpu", plan="x"), TypeError, r"plan is of type str, expected a Plan, such as Plan.make\(A"),
        (lambda A: spmvcast.Matrix(A, device="h200"), ValueError, r"device is 'h200', expected 'gpu' or 'cpu'; .*Device\('gpu', profile=\.\.\.\)"),
        (lambda A: spmvcast.Device("cpu", profile=5), TypeError, "profile is of type int, expected a Profile, or the name or file of one"),
        (lambda A: spmvcast.rank(A, device=spmvcast.Device("cpu")), TypeError, "device is of type Device, expected a Profile, or the name"),
        (lambda A: spmvcast.Plan.make(A, 5), TypeError, "device is of type int, expected a Profile, or the name or file of one"),
        (lambda A: spmvcast.Profile(5), TypeError, "name is of type int, expected the name or file of a profile, or None"),
        (lambda A: spmvcast.rank(A, name=5), TypeError, "name is of type int, expected a string"),
        (lambda A: spmvcast.Plan.make(A, "h200", name=5), TypeError, "name is of type int, expected a string"),
        (lambda A: spmvcast.Plan.open(5), TypeError, "path is of type int, expected a file of spmv-plan"),
        (lambda A: spmvcast.Plan(5), TypeError, "blocks is 5, expected pairs of a number of rows and a configuration"),
        (lambda A: spmvcast.Plan([(1, 2, 3)]), TypeError, r"blocks\[0\] is \(1, 2, 3\), expected a pair of a number of rows and a config"),
        (lambda A: spmvcast.Plan([(1, "ell"), 7]), TypeError, r"blocks\[1\] is 7, expected a pair"),
        (lambda A: spmvcast.Plan([(1, "ell"), ("a", "b")]), TypeError, r"the number of rows of blocks\[1\] is 'a', expected an integer"),
        (lambda A: spmvcast.Plan([(0, "ell")]), ValueError, r"the number of rows of blocks\[0\] is 0, expected 1 to"),
        (lambda A: spmvcast.Plan([(1, 2)]), TypeError, r"the configuration of blocks\[0\] is of type int, expected a string"),
    ],
)
def test_arguments_are_named(B, call, kind, text):
    with pytest.raises(kind, match=text):
        call(B)


def test_columns_of_an_output_row_by_row(B):
    M = spmvcast.Matrix(B, device="cpu")
    with pytest.raises(ValueError, match=r"columns of out are not contiguous; create it with numpy.empty\(\(60, 3\), order='F'\)"):
        M.product(np.ones((48, 3)), out=np.empty((60, 3)))
    assert M.product(np.ones((48, 3)), out=np.empty((60, 3), order="F")).shape == (60, 3)


class Exported:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **asked):
        return self.x.__dlpack__(**asked)


def test_lists_and_others_from_the_left(B):
    M, ones = spmvcast.Matrix(B, device="cpu"), np.ones(60)
    assert np.allclose(list(ones) @ M, ones @ B) and np.allclose(tuple(range(48)) @ M.T, np.arange(48) @ B.T)
    assert np.allclose([[1.0] * 60, [2.0] * 60] @ M, np.stack([ones, 2 * ones]) @ B)
    assert np.allclose(Exported(ones) @ M, ones @ B) and type(np.asmatrix(ones) @ M) is np.matrix
    assert isinstance(M.T @ M, type(M @ M.T)) and np.allclose((M @ M.T) @ ones, B @ (B.T @ ones))


@pytest.mark.parametrize("x, shape", [(np.ones((60, 3)), r"\(60, 3\)"), (np.ones(48), r"\(48,\)"), (np.ones((2, 60, 60)), r"\(2, 60, 60\)"),
                                      ([[1.0] * 48], r"\(1, 48\)")])
def test_wrong_shapes_from_the_left(B, x, shape):
    M = spmvcast.Matrix(B, device="cpu")
    with pytest.raises(ValueError, match=rf"x has shape {shape}, expected \(60,\) or \(k, 60\): the matrix has 60 rows"):
        x @ M
    with pytest.raises(ValueError, match="x is a number"):
        2.0 @ M
