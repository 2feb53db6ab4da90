# SPDX-License-Identifier: BSD-3-Clause
"""Products on the CPU: results, what is taken and refused, new values, lifetimes."""
import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
import spmvcast
from spmvcast import _library


@pytest.fixture
def M(A):
    return spmvcast.Matrix(A, device="cpu")


def vector(n, dtype="float64", seed=2):
    return np.random.RandomState(seed).rand(n).astype(dtype)


def close(got, expected):
    """Equal but for the order of sums."""
    assert got.shape == expected.shape and got.dtype == expected.dtype
    scale = np.abs(expected).max() if expected.size else 1
    assert np.abs(got - expected).max(initial=0) <= 20 * np.finfo(expected.dtype).eps * scale


# ---- results ----
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_equal_those_of_scipy(A, dtype):
    B = A.astype(dtype)
    M, x = spmvcast.Matrix(B, device="cpu"), vector(200, dtype)
    assert M.shape == B.shape and M.nnz == B.nnz and M.dtype == dtype and M.info.precision == "f" + dtype[-2:]
    close(M @ x, B @ x)
    close(M.matvec(x), B @ x)
    out = vector(200, dtype, 3)
    expected = np.asarray(2.5 * (B @ x) - 0.5 * out, dtype)
    assert M.product(x, out, alpha=2.5, beta=-0.5) is out
    close(out, expected)
    filled = np.full(200, np.nan, dtype)  # beta 0: not read
    close(M.product(x, out=filled), B @ x)


def test_precision_is_that_of_the_matrix_or_asked_for(A):
    x = vector(200)
    M = spmvcast.Matrix(A, device="cpu", precision="f32")
    assert M.dtype == np.float32 and M.info.notes == ("values converted from float64 to float32",)
    close(M @ x.astype("float32"), A.astype("float32") @ x.astype("float32"))


def test_columns_of_any_layout(A, M):
    X = np.random.RandomState(4).rand(200, 3)
    for x in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1], X[:, :1], X[:, :0]):
        y = M @ x
        assert y.shape == (200, x.shape[1])
        for j in range(x.shape[1]):
            close(np.ascontiguousarray(y[:, j]), A @ x[:, j])
    out = np.zeros((200, 3), order="F")
    assert M.product(X, out) is out
    close(out[:, 2], A @ X[:, 2])
    close(M @ np.repeat(X[:, 0], 2)[::2], A @ X[:, 0])
    close(M @ X[::-1, 0], A @ X[::-1, 0])
    close(M @ np.broadcast_to(1.0, (200,)), A @ np.ones(200))


@pytest.mark.parametrize("form", ["csc", "coo", "csr_array", "int64", "unsorted", "duplicates"])
def test_other_matrices_are_converted(A, form):
    x, expected, note = vector(200), A, "converted from csc to csr"
    if form in ("csc", "coo"):
        B, note = A.asformat(form), f"converted from {form} to csr"
    elif form == "csr_array":
        B, note = sp.csr_array(A), None
    elif form == "int64":
        B, note = A.copy(), "column indices converted from int64 to int32"
        B.indices, B.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    elif form == "unsorted":
        B, note = A.copy(), "columns sorted in each row"
        for i in range(200):
            row = slice(A.indptr[i], A.indptr[i + 1])
            B.indices[row], B.data[row] = A.indices[row][::-1].copy(), A.data[row][::-1].copy()
    else:
        B = sp.csr_matrix((np.repeat(A.data, 2), np.repeat(A.indices, 2), A.indptr * 2), shape=A.shape)
        expected, note = 2 * A, f"{A.nnz} duplicate entries summed"
    before = [a.copy() for a in (B.indptr, B.indices, B.data)] if B.format != "coo" else []
    M = spmvcast.Matrix(B, device="cpu")
    assert M.info.notes == (() if note is None else (note,)) and M.nnz == A.nnz
    close(M @ x, expected @ x)
    assert all(np.array_equal(a, getattr(B, name)) for a, name in zip(before, ("indptr", "indices", "data")))


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (5, 5), (3, 400), (400, 3)])
def test_shapes(shape):
    B = sp.random(*shape, 0.3 if min(shape) and max(shape) > 5 else 0, format="csr", random_state=np.random.RandomState(1))
    M = spmvcast.Matrix(B, device="cpu")
    close(M @ vector(shape[1]), B @ vector(shape[1]))
    out = np.ones(shape[0])
    close(M.product(vector(shape[1]), out, beta=2), B @ vector(shape[1]) + 2)


# ---- the choice ----
def test_info_says_what_was_chosen_and_what_it_cost(A, M):
    info = M.info
    assert info.config.startswith(info.kernel) and info.choice == "rule" or info.profile is not None
    assert (info.rows, info.cols, info.nnz) == (200, 200, A.nnz) and info.device == M.device.name
    assert 0 < info.setup_s < 10 and info.convert_s >= 0 and np.isnan(info.update_s)
    assert info.refers == info.kernel.startswith("csr")
    for text in (repr(M), M._repr_html_()):
        assert info.config in text and info.device in text and "chosen by" in text and "setup" in text


def test_a_named_configuration(A):
    M = spmvcast.Matrix(A, device="cpu", config="sell:c=32,sigma=1,index=narrow,lanes=1,block=128")
    assert M.info.kernel == "sell" and M.info.choice == "name" and M.info.extra_bytes > 0 and "by the caller" in repr(M)
    close(M @ vector(200), A @ vector(200))
    again = spmvcast.Matrix(A, device="cpu", config=M.info.config)
    assert again.info.config == M.info.config


@pytest.mark.parametrize("when", ["creation", "products"])
def test_trials(when):
    B = sp.diags([1.0, 2.0, 3.0], [-1, 0, 1], (2000, 2000), format="csr")
    M = spmvcast.Matrix(B, device="cpu", products=0, trial_products=40, trial_when=when)
    assert spmvcast.Matrix(B, device="cpu").trials == ()
    if M.device.profile is None:
        assert len(M.trials) == 3 and M.info.trying == (when == "products") == (not M.info.deterministic)
    x = vector(2000)
    for _ in range(80):
        close(M @ x, B @ x)
    if M.trials:
        assert not M.info.trying and M.info.choice == "trial" and M.info.deterministic and "by timing" in repr(M)
        best = min(M.trials, key=lambda t: t.time_s)
        assert (best.config, best.time_s, best.extra_bytes) == (M.info.config, M.info.trial_s, M.info.extra_bytes)
        assert all(t.products > 1 and t.reason is None and t.setup_s > 0 for t in M.trials)


def test_forecasts_in_words():
    from spmvcast._product_info import ProductInfo, info_text

    times = dict(time_s=2e-6, low_s=1e-6, high_s=3e-6, trial_s=2.5e-6, upload_s=0, examine_s=1e-3, choose_s=1e-4, try_s=0, convert_s=2.0,
                 prepare_s=float("nan"), update_s=float("nan"))
    info = ProductInfo(config="ell", kernel="ell", choice="trial", rows=1, cols=2, nnz=3, precision="f64", extra_bytes=2500000, refers=False,
                       deterministic=True, trying=False, transposed_config=None, transpose_s=1.0, transpose_bytes=9, device="GPU", profile="h200", reason="", notes=(), **times)
    assert info_text(info) == (
        "1 x 2, 3 entries, f64, on GPU: ell, chosen by timing; forecast 2 us a product (90 %: 1 us to 3 us), measured 2.5 us\n"
        "setup 2 s: check 1 ms, choice 100 us, conversion 2 s, preparation -; 2.5 MB besides the CSR arrays"
    )


# ---- what is refused ----
@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        (dict(device="h200"), spmvcast.InvalidArgumentError, "device is 'h200', expected 'gpu' or 'cpu'"),
        (dict(precision="f16"), spmvcast.InvalidArgumentError, "precision is 'f16', expected 'f64' or 'f32'"),
        (dict(products=-1), spmvcast.InvalidArgumentError, "products is -1"),
        (dict(trial_products=0.5), TypeError, "trial_products is 0.5, expected an integer"),
        (dict(trial_when="later"), spmvcast.InvalidArgumentError, "trial_when is 'later', expected 'creation' or 'products'"),
        (dict(memory_limit=-1), spmvcast.InvalidArgumentError, "memory_limit is -1"),
        (dict(memory_limit=10, config="ell"), spmvcast.OutOfMemoryError, "more than memory_limit, 10"),
        (dict(config="tin"), spmvcast.InvalidArgumentError, "unknown kernel 'tin'"),
        (dict(config=7), TypeError, "config is of type int, expected a string"),
        (dict(launch="x"), spmvcast.InvalidArgumentError, "launch is 'x'"),
    ],
)
def test_arguments(A, arguments, kind, text):
    with pytest.raises(kind, match=text):
        spmvcast.Matrix(A, **{"device": "cpu", **arguments})


@pytest.mark.parametrize("kind", ["complex128", "longdouble"])
def test_values_of_another_type_are_refused(A, kind):
    with pytest.raises(TypeError, match=r"A has values of type \w+; expected float32 or float64, for example A.astype"):
        spmvcast.Matrix(A.astype(kind), device="cpu")


def test_what_is_not_a_valid_matrix_is_refused(A):
    with pytest.raises(TypeError, match="dense numpy.ndarray"):
        spmvcast.Matrix(np.eye(3), device="cpu")
    B = A.copy()
    B.indices = np.where(A.indices == 3, 200, A.indices).astype(np.int32)
    with pytest.raises(spmvcast.InvalidMatrixError, match="column index 200, expected 0 to 199"):
        spmvcast.Matrix(B, device="cpu")
    B = A.copy()
    B.data = A.data[:-1]
    with pytest.raises(spmvcast.InvalidMatrixError, match="values"):
        spmvcast.Matrix(B, device="cpu")


def test_vectors_that_do_not_fit_are_refused(M):
    x, read_only = vector(200), vector(200)
    read_only.flags.writeable = False
    for wrong, kind, text in [
        (x[:-1], ValueError, r"x has shape \(199,\), expected \(200,\) or \(200, k\): the matrix has 200 columns"),
        (np.zeros((200, 2, 2)), ValueError, "x has shape"),
        (["1"] * 200, TypeError, "x is of type <U1, expected numbers"),
        (sp.eye(200), TypeError, "x is sparse; expected dense vectors"),
        (2, ValueError, "x is a number"),
    ]:
        with pytest.raises(kind, match=text):
            M @ wrong
    for out, kind, text in [
        (x, ValueError, "x and out overlap"),
        (np.zeros(201), ValueError, "out has shape"),
        (np.zeros((200, 1)), ValueError, r"out has shape \(200, 1\), expected \(200,\)"),
        (np.zeros(200, "f4"), TypeError, "out is of type float32"),
        (np.zeros(400)[::2], ValueError, "columns of out are not contiguous"),
        (read_only, ValueError, "read-only"),
    ]:
        with pytest.raises(kind, match=text):
            M.product(x, out)
    both = np.array(np.stack([x] * 4, 1), order="F")
    M.product(both[:, ::2], both[:, 1::2])  # they lie between each other
    assert (both[:, 1] == M @ x).all() and (both[:, 3] == M @ x).all() and (both[:, 2] == x).all()
    for out in (both[:, 2:0:-1], np.ndarray((200, 2), "f8", both, 8, (8, 1600))):
        with pytest.raises(ValueError, match="x and out overlap"):
            M.product(both[:, :2] if out.base is both else both[:, ::2], out)
    with pytest.raises(ValueError, match="beta is 1, but there is no `out`"):
        M.product(x, beta=1)
    with pytest.raises(TypeError, match="alpha is 1j, expected a real number"):
        M.product(x, alpha=1j)
    with pytest.raises(TypeError, match="x is of type float32, expected float64 as the matrix"):
        M.product(x.astype("float32"))


# ---- as scipy multiplies ----
class Exported:
    """An array of a package that knows DLPack alone."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **asked):
        return self.x.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


@pytest.mark.parametrize("matrix", ["float32", "float64", "bool", "int8", "uint32", "int64"])
@pytest.mark.parametrize("kind", ["bool", "int8", "int64", "float32", "float64", ">f8", "complex128", list, pd.Series, np.matrix])
def test_types_are_those_of_scipy(matrix, kind):
    B = (100 * sp.random(30, 20, 0.3, "csr", "float64", np.random.RandomState(1))).astype(matrix)
    M = spmvcast.Matrix(B, device="cpu")
    for got, from_scipy, n in ((M, B, 20), (M.T, B.T, 30), (M.H, B.T, 30)):
        x = np.arange(n) % 5 - 1
        x = np.asmatrix(x).T if kind is np.matrix else kind(x) if callable(kind) else x.astype(kind)
        expected = from_scipy @ x
        for y in (got @ x, got.dot(x), got.matvec(x), got.T.rmatvec(x)):
            assert type(y) is type(np.asarray(expected) if kind is pd.Series else expected) and y.dtype == expected.dtype
            assert np.allclose(y, expected, rtol=1e-5)
        assert np.allclose(np.asarray(x).T @ got.T, np.asarray(expected).T, rtol=1e-5)
    X = np.arange(60.0).reshape(20, 3)
    assert np.array_equal(M @ Exported(X), M @ X) and type(M @ Exported(X[:, 0])) is np.ndarray
    assert np.allclose(M.matmat(X), B @ X) and np.allclose(M.T.rmatmat(X), B @ X) and M.T.T is M and M.T.shape == (20, 30)
    assert np.allclose((M.H * M - 2 * M.T @ M) @ X, -(B.T @ (B @ X)), rtol=1e-4) and isinstance(M, spmvcast.Matrix)


def test_transposed_products_follow_new_values_and_plans(A):
    x = vector(200)
    plan = spmvcast.Plan([(120, "sell"), (80, "csr-merge")])
    M = spmvcast.Matrix(A, device="cpu", plan=plan, updates=True)
    estimate = M.info
    assert estimate.transposed_config is None and estimate.transpose_s > 0 and estimate.transpose_bytes > 12 * A.nnz
    close(M.T @ x, A.T @ x)
    assert M.info.transposed_config is not None
    M.update(3 * A)
    close(M.rmatvec(x), 3 * A.T @ x)
    with pytest.raises(spmvcast.InvalidArgumentError, match="created without transpose"):
        spmvcast.Matrix(A, device="cpu", transpose=False).T @ x


SOLVERS = ["cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "qmr", "tfqmr", "lsqr", "lsmr"]


@pytest.mark.parametrize("name", [*SOLVERS, "svds", "eigsh", "eigs", "lobpcg", "expm_multiply", "onenormest"])
def test_solvers_of_scipy(name):
    n, linalg = 20, scipy.sparse.linalg
    T = sp.diags([-1.0, 2.5, -1.1], [-1, 0, 1], (n, n))
    B = (sp.kron(T, sp.eye(n)) + sp.kron(sp.eye(n), T)).tocsr()
    B = (B + B.T).tocsr() if name in ("cg", "minres", "eigsh", "lobpcg") else B
    M, b, solve = spmvcast.Matrix(B, device="cpu"), vector(n * n), getattr(linalg, name)
    if name in SOLVERS:
        assert np.linalg.norm(B @ solve(M, b)[0] - b) < 1e-3 * np.linalg.norm(b)
    elif name == "svds":
        assert np.allclose(np.sort(solve(M, 3)[1]), np.sort(solve(B, 3)[1]))
    elif name in ("eigsh", "eigs"):
        assert np.allclose(np.sort(solve(M, 3, v0=b)[0].real), np.sort(solve(B, 3, v0=b)[0].real))
    elif name == "lobpcg":
        assert np.allclose(solve(M, vector(3 * n * n).reshape(-1, 3), maxiter=200, tol=1e-8)[0], linalg.eigsh(B, 3)[0][::-1], rtol=1e-4)
    elif name == "expm_multiply":
        assert np.allclose(solve(0.1 * M, b, traceA=0.1 * B.diagonal().sum()), solve(0.1 * B, b))
    else:
        assert np.isclose(solve(M), solve(B))


def misaligned(v):
    """Returns a copy whose elements are not at multiples of their size."""
    copy = np.ndarray(v.shape, v.dtype, np.zeros(v.nbytes + 1, np.uint8).data, 1)
    copy[...] = v
    assert not copy.flags.aligned
    return copy


def test_vectors_that_are_not_aligned(A, monkeypatch):
    M, x, X = spmvcast.Matrix(A, device="cpu", updates=True), vector(200), np.arange(600.0).reshape(200, 3)
    call, seen = _library.load().call, []
    for name in ("multiply", "multiply_transposed", "update_values"):
        real = getattr(call, name)
        monkeypatch.setattr(call, name, lambda *given, real=real: (seen.extend(p for p in given if isinstance(p, int)), real(*given))[1])
    close(M @ misaligned(x), A @ x)
    close(M @ misaligned(X), A @ X)
    close(misaligned(x) @ M, x @ A)
    M.update(misaligned(2 * A.data))
    close(M @ x, 2 * (A @ x))
    assert len(seen) > 10 and all(p % 8 == 0 for p in seen)
    with pytest.raises(ValueError, match="out is not aligned"):
        M.product(x, out=misaligned(x))


# ---- new values ----
def test_new_values(A):
    M, x = spmvcast.Matrix(A, device="cpu", updates=True, config="ell"), vector(200)
    A.data = vector(A.nnz, seed=5)
    M.update(A.data)
    close(M @ x, A @ x)
    assert M.info.update_s > 0
    B = A.copy()
    B.data = vector(A.nnz, seed=6)
    M.update(B.tocsc())
    close(M @ x, B @ x)


def test_new_values_of_a_converted_matrix(A):
    M, x = spmvcast.Matrix(A.tocsc(), device="cpu", updates=True), vector(200)
    with pytest.raises(ValueError, match="pass a matrix with its pattern"):
        M.update(A.data)
    B = (3 * A).tocsc()
    M.update(B)
    close(M @ x, B @ x)
    for other in (sp.eye(200, format="csr"), sp.eye(3, format="csr")):
        with pytest.raises(ValueError, match="the pattern is not that of A"):
            M.update(other)
    close(M @ x, B @ x)


def test_a_matrix_that_is_not_pruned(A):
    B = A.copy()
    B.data, B.indices = np.append(B.data, [9.0, 9]), np.append(B.indices, [-7, 10**6]).astype(np.int64)
    M, x = spmvcast.Matrix(B, device="cpu", updates=True), vector(200)
    close(M @ x, A @ x)
    B.data *= 2
    M.update(B.data)
    close(M @ x, 2 * (A @ x))
    for C in (A, B):
        M.update(C)
        close(M @ x, C.data[0] / A.data[0] * (A @ x))


def test_new_values_of_a_matrix_whose_rows_were_sorted(A):
    B = A.copy()
    B.indices, B.data = A.indices.copy(), A.data.copy()
    row = slice(A.indptr[0], A.indptr[np.flatnonzero(A.indptr)[0]])
    B.indices[row], B.data[row] = A.indices[row][::-1], A.data[row][::-1]
    M = spmvcast.Matrix(B, device="cpu", updates=True)
    assert M.info.notes == ("columns sorted in each row",)
    with pytest.raises(ValueError, match="pass a matrix with its pattern"):
        M.update(B.data)
    B.data *= 2
    M.update(B)
    close(M @ vector(200), 2 * (A @ vector(200)))


def test_new_values_that_do_not_fit_are_refused(A, M):
    with pytest.raises(ValueError, match="without updates=True"):
        M.update(A.data)
    M = spmvcast.Matrix(A, device="cpu", updates=True)
    for values, kind, text in [
        (A.data[:-1], ValueError, rf"values has shape \({A.nnz - 1},\), expected \({A.nnz},\): the matrix has {A.nnz} entries"),
        (A.data.astype("float32"), TypeError, "values is of type float32"),
        (A.data.reshape(-1, 1), ValueError, rf"values has shape \({A.nnz}, 1\), expected \({A.nnz},\): the"),
    ]:
        with pytest.raises(kind, match=text):
            M.update(values)
    close(M @ vector(200), A @ vector(200))


# ---- devices and lifetimes ----
def test_a_device_is_opened_once(A):
    cpu = spmvcast.Device("cpu")
    assert cpu is spmvcast.Device("cpu") is spmvcast.Matrix(A, device="cpu").device is pickle.loads(pickle.dumps(cpu))
    without = spmvcast.Device("cpu", profile="")
    assert without is not cpu and without.profile is None and without.reason and cpu.name in repr(cpu)
    assert spmvcast.Matrix(A, device=without).info.choice == "rule"
    with pytest.raises(spmvcast.NoProfileError, match="is of another device"):
        spmvcast.Device("cpu", profile="h200")
    with pytest.raises(spmvcast.InvalidArgumentError):
        spmvcast.Device("tpu")


def count(monkeypatch):
    """Counts the matrices that are created and freed."""
    call, counts = _library.load().call, {"matrix": 0, "context": 0}
    for kind in counts:
        def make(*arguments, _function=getattr(call, kind + "_create"), _kind=kind):
            status = _function(*arguments)
            counts[_kind] += status == 0
            return status

        def free(pointer, _function=getattr(call, kind + "_free"), _kind=kind):
            counts[_kind] -= 1
            return _function(pointer)

        monkeypatch.setattr(call, kind + "_create", make)
        monkeypatch.setattr(call, kind + "_free", free)
    return counts


def test_everything_is_freed(A, monkeypatch):
    counts = count(monkeypatch)
    M = spmvcast.Matrix(A, device="cpu")
    assert counts == {"matrix": 1, "context": 0}
    del M
    gc.collect()
    assert counts["matrix"] == 0
    with spmvcast.Matrix(A, device="cpu") as M:
        assert counts["matrix"] == 1
    assert counts["matrix"] == 0 and "closed" in repr(M) and "closed" in M._repr_html_()
    M.close()
    for use in (lambda: M @ vector(200), lambda: M.update(A.data), lambda: M.info):
        with pytest.raises(ValueError, match="the Matrix is closed"):
            use()
    with pytest.raises(spmvcast.SpmvcastError):
        spmvcast.Matrix(A, device="cpu", config="tin")
    B = A.copy()
    B.indices = B.indices - 1
    with pytest.raises(spmvcast.InvalidMatrixError):
        spmvcast.Matrix(B, device="cpu")
    assert counts == {"matrix": 0, "context": 0}


def test_arrays_live_as_long_as_the_library_uses_them(A):
    expected = A @ vector(200)
    for updates in (False, True):
        B = A.copy()
        M, dead = spmvcast.Matrix(B, device="cpu", updates=updates, transpose=False), weakref.ref(B.indices)
        del B
        gc.collect()
        assert (dead() is None) == (not updates and not M.info.refers)
        close(M @ vector(200), expected)
        M.close()
        assert dead() is None


@pytest.mark.parametrize("config", ["csr-merge", "sell"])
def test_arrays_are_referred_to_or_copied(A, config):
    B, x = A.copy(), vector(200)
    M, copied = (spmvcast.Matrix(B, device="cpu", config=config, copy=copy) for copy in (False, True))
    assert M.info.refers == (config != "sell") and not copied.info.refers
    B.data *= 2
    close(M @ x, (B if M.info.refers else A) @ x)
    close(copied @ x, A @ x)
    B.data[::3] = 0
    B.eliminate_zeros()  # moves entries in place; what M holds is no matrix, but no access is out of bounds
    assert (M @ x).shape == (200,)


def test_an_update_that_fails_closes_the_matrix(A, monkeypatch):
    M = spmvcast.Matrix(A, device="cpu", updates=True)
    monkeypatch.setattr(_library.load().call, "update_values", lambda *arguments: spmvcast.DeviceError.status)
    with pytest.raises(spmvcast.DeviceError):
        M.update(A.data)
    with pytest.raises(ValueError, match="closed"):
        M @ vector(200)


def test_a_product_that_fails(A, M, monkeypatch):
    monkeypatch.setattr(_library.load().call, "multiply", lambda *arguments: spmvcast.DeviceError.status)
    monkeypatch.setattr(_library.load().call, "matrix_message", lambda matrix: b"the cable is out")
    with pytest.raises(spmvcast.DeviceError, match="the cable is out"):
        M @ vector(200)


def test_a_matrix_is_not_pickled_or_copied(M):
    for use in (pickle.dumps, copy.copy, copy.deepcopy):
        for matrix in (M, M.T):
            with pytest.raises(TypeError, match="create it from A"):
                use(matrix)


def test_threads_wait_for_each_other(A, M, monkeypatch):
    wrong, running, multiply = [], [], _library.load().call.multiply

    def alone(*arguments):
        running.append(1)
        time.sleep(1e-3)
        wrong.extend([len(running)] if len(running) > 1 else [])
        status = multiply(*arguments)
        running.pop()
        return status

    def work(seed):
        x = vector(200, seed=seed)
        for _ in range(5):
            if not np.allclose(M @ x, A @ x):
                wrong.append(seed)

    monkeypatch.setattr(_library.load().call, "multiply", alone)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


FORK = """
import os, signal, sys
import numpy as np, scipy.sparse as sp, spmvcast
A = sp.diags([np.ones(200000)] * 5, [0, 1, 2, -1, -2], shape=(200000, 200000)).tocsr()
x, M = np.ones(200000), spmvcast.Matrix(A, device="cpu")
expected = M @ x                                # has started the threads of OpenMP
child = os.fork()
if child == 0:
    signal.alarm(20)
    right = np.array_equal(M @ x, expected) and np.allclose(spmvcast.Matrix(A, device="cpu") @ x, expected)
    sys.exit(0 if right else 1)                 # frees what it made
status = os.waitpid(child, 0)[1]
assert np.array_equal(M @ x, expected)
sys.exit(status != 0)
"""


def test_a_forked_process():
    subprocess.run([sys.executable, "-c", FORK], check=True, env={**os.environ, "OMP_NUM_THREADS": "2"})


def test_a_forked_process_frees_nothing_of_its_parent(A, monkeypatch):
    counts = count(monkeypatch)
    M = spmvcast.Matrix(A, device="cpu")
    monkeypatch.setattr(os, "getpid", lambda pid=os.getpid(): pid + 1)
    M.close()
    assert counts["matrix"] == 1


def test_update_knows_the_pattern_at_creation():
    A = sp.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]]))
    B = A.copy()
    M = spmvcast.Matrix(A, device="cpu", updates=True, copy=True)
    A.indices[0] = 2
    A.sort_indices()
    with pytest.raises(spmvcast.InvalidArgumentError, match="the pattern is not that of A"):
        M.update(A)
    M.update(2 * B)
    assert (M @ np.array([1.0, 2.0, 3.0]) == 2 * B @ np.array([1.0, 2.0, 3.0])).all()


def test_masked_arrays_and_negative_ends_are_refused():
    A = sp.identity(3, format="csr")
    M = spmvcast.Matrix(A, device="cpu")
    with pytest.raises(TypeError, match="masked"):
        M @ np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    A.indptr = np.array([0, 2, 3, -1], np.int32)
    with pytest.raises(spmvcast.InvalidMatrixError, match="indptr ends at -1"):
        spmvcast.Matrix(A, device="cpu")
