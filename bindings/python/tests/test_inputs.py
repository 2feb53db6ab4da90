# SPDX-License-Identifier: BSD-3-Clause
"""Which matrices are taken, what is converted, and what is refused."""
import numpy as np
import pytest
import scipy.sparse as sp
import spmvcast
from spmvcast import _matrix


def same_rows(a, b):
    assert [(r.config, r.place, r.reason) for r in a] == [(r.config, r.place, r.reason) for r in b]
    assert np.array_equal([r.time_us for r in a], [r.time_us for r in b], equal_nan=True)
    assert a.matrix.pattern_id == b.matrix.pattern_id


def same_but_packed(a, b):
    """Compares the rows that store values in full, without their places."""
    rows = [{r.config: (r.reason, r.time_us if r.place else None) for r in x if "value=" not in r.config or "value=full" in r.config} for x in (a, b)]
    assert rows[0] == rows[1] and len(rows[0]) > 80


def packed(ranking):
    """The kinds of packed values that are applicable."""
    return {dict(r.parameters).get("value", "full") for r in ranking if r.place} - {"full"}


@pytest.fixture
def expected(A):
    return spmvcast.rank(A)


def with_arrays(A, indptr, indices):
    """Returns A with arrays of any type, which the constructor of scipy would convert."""
    B = A.copy()
    B.indptr, B.indices = indptr, indices
    return B


def test_csr_is_read_in_place(A, expected):
    assert A.indices.dtype == np.int32 and expected.notes == ()
    arrays = _matrix.arrays_of(A)
    assert np.shares_memory(arrays.indices, A.indices) and np.shares_memory(arrays.indptr, A.indptr)
    assert (expected.matrix.rows, expected.matrix.cols, expected.matrix.nnz) == (200, 200, A.nnz)
    lengths = np.diff(A.indptr)
    assert (expected.matrix.row_min, expected.matrix.row_max) == (lengths.min(), lengths.max())
    assert expected.matrix.row_mean == pytest.approx(lengths.mean()) and expected.matrix.row_sd == pytest.approx(lengths.std())


def test_a_matrix_is_not_changed(A):
    B = with_arrays(A, A.indptr, A.indices[::-1].copy())
    before = [a.copy() for a in (B.indptr, B.indices, B.data)]
    spmvcast.rank(B)
    for array, copy in zip((B.indptr, B.indices, B.data), before):
        assert np.array_equal(array, copy)


def test_int64_indices(A, expected):
    B = with_arrays(A, A.indptr.astype(np.int64), A.indices.astype(np.int64))
    ranking = spmvcast.rank(B)
    assert ranking.notes == ("column indices converted from int64 to int32",)
    assert np.shares_memory(_matrix.arrays_of(B).indptr, B.indptr)
    same_rows(ranking, expected)
    same_rows(spmvcast.rank(with_arrays(A, A.indptr.astype(np.int64), A.indices)), expected)
    same_rows(spmvcast.rank(with_arrays(A, A.indptr, A.indices.astype(">i4"))), expected)


def test_int64_indices_that_int32_cannot_hold_are_refused(A):
    indices = A.indices.astype(np.int64)
    indices[7] += 2**32  # would be valid if its upper bits were cut off
    with pytest.raises(spmvcast.InvalidMatrixError, match="expected 0 to 199 for 200 columns"):
        spmvcast.rank(with_arrays(A, A.indptr.astype(np.int64), indices))


def test_arrays_with_strides(A, expected):
    twice = np.repeat(A.indices, 2)
    same_rows(spmvcast.rank(with_arrays(A, A.indptr, twice[::2])), expected)


@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "lil", "dok", "dia"])
def test_other_formats_are_converted(A, expected, form):
    ranking = spmvcast.rank(A.asformat(form))
    assert ranking.notes == (f"converted from {form} to csr",)
    same_rows(ranking, expected)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_arrays(A, expected, form):
    same_rows(spmvcast.rank(getattr(sp, form + "_array")(A)), expected)


def test_unsorted_rows_are_sorted(A, expected):
    indices = A.indices.copy()
    for i in range(200):
        indices[A.indptr[i] : A.indptr[i + 1]] = indices[A.indptr[i] : A.indptr[i + 1]][::-1]
    B = with_arrays(A, A.indptr, indices)
    B.has_sorted_indices = True  # what scipy remembers may be out of date
    ranking = spmvcast.rank(B)
    assert ranking.notes == ("columns sorted in each row",)
    same_rows(ranking, expected)


def test_duplicates_are_summed(A, expected):
    B = sp.csr_matrix((np.repeat(A.data, 2), np.repeat(A.indices, 2), A.indptr * 2), shape=A.shape)
    ranking = spmvcast.rank(B)
    assert ranking.notes == (f"{A.nnz} duplicate entries summed",)
    same_rows(ranking, expected)
    C = A.tocoo()
    ranking = spmvcast.rank(sp.coo_matrix((np.tile(C.data, 2), (np.tile(C.row, 2), np.tile(C.col, 2))), shape=A.shape))
    same_rows(ranking, expected)


def test_duplicates_that_cancel_and_explicit_zeros_remain_entries(A, expected):
    B = A.copy()
    B.data[:] = 0
    same_but_packed(spmvcast.rank(B), expected)
    B = sp.csr_matrix((np.tile([1.0, -1.0], A.nnz), np.repeat(A.indices, 2), A.indptr * 2), shape=A.shape)
    same_but_packed(spmvcast.rank(B), expected)


@pytest.mark.parametrize("kind", ["bool", "int8", "float32", "complex128", np.dtype("longdouble").name])
def test_the_type_of_values_is_noted(A, expected, kind):
    ranking = spmvcast.rank(A.astype(kind))
    assert ranking.notes == (f"A has values of type {kind}; the forecast is for products in float64",)
    same_but_packed(ranking, expected)
    assert spmvcast.rank(A.astype("float32"), precision="f32").notes == ()


def test_distinct_values_decide_on_packed_configurations(A, expected):
    def applicable(values, precision="f64"):
        B = A.copy()
        B.data = values
        return packed(spmvcast.rank(B, precision=precision))

    n = np.arange(A.nnz)
    assert A.nnz > 256 and packed(expected) == {"dict16"}
    assert applicable(A.data.astype("f4")) == {"dict16", "narrow"}
    assert applicable(A.data.astype("f4"), "f32") == {"dict16"}
    assert applicable(n % 2 * 0.1) == {"dict1", "dict8", "dict16"}
    assert applicable(n % 250) == {"dict8", "dict16", "narrow"}  # integers
    assert applicable(1 + n * 1e-12, "f32") == {"const", "dict1", "dict8", "dict16"}  # alike when rounded
    assert applicable(np.full(A.nnz, np.nan)) == {"const", "dict1", "dict8", "dict16", "narrow"}
    assert applicable(A.data.astype(complex)) == set()


def test_not_square():
    wide = sp.random(30, 500, 0.1, format="csr", random_state=np.random.RandomState(2))
    for B in (wide, wide.T):
        matrix = spmvcast.rank(B).matrix
        assert (matrix.rows, matrix.cols, matrix.nnz) == (*B.shape, B.nnz)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (5, 5)])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_nothing_to_multiply(shape, form):
    ranking = spmvcast.rank(sp.csr_matrix(shape).asformat(form))
    assert (ranking.matrix.rows, ranking.matrix.cols, ranking.matrix.nnz) == (*shape, 0)
    advice = ranking.advice
    assert "no recommendation" in advice.text and advice.config is None and advice.row is None and advice.parameters == {}
    assert np.isnan(advice.time_us) and advice.status == "" and len(ranking) > 50
    assert all(r.place is None and np.isnan(r.time_us) and r.reason for r in ranking)
    assert "no recommendation" in ranking._repr_html_()


@pytest.mark.parametrize(
    "dense, text",
    [
        (np.eye(3), r"dense numpy.ndarray of shape \(3, 3\); pass scipy.sparse.csr_matrix\(A\)"),
        ([[1, 0], [0, 1]], "A is a builtins.list; expected a matrix or an array of scipy.sparse"),
        (None, "expected a matrix or an array of scipy.sparse"),
        ("cant.mtx", "A is a builtins.str"),
    ],
)
def test_what_is_not_sparse_is_refused(dense, text):
    with pytest.raises(TypeError, match=text):
        spmvcast.rank(dense)


def test_broken_arrays_are_refused(A):
    decreasing = A.indptr.copy()
    decreasing[5] = decreasing[6] + 1
    late = A.indptr.copy()
    late[0] = 1
    for indptr, indices, text in [
        (decreasing, A.indices, "row 5 .*: row pointers decrease"),
        (late, A.indices, "row pointers start at 1"),
        (A.indptr[:-1], A.indices, "indptr has 200 elements, expected 201 for 200 rows"),
        (A.indptr, A.indices[:-1], "but there are"),
        (A.indptr, np.where(A.indices == 3, 200, A.indices).astype(np.int32), "column index 200, expected 0 to 199"),
        (A.indptr, np.where(A.indices == 3, -1, A.indices).astype(np.int32), "column index -1, expected 0 to 199"),
        (A.indptr, A.indices.astype(float), "indices are of type float64, expected integers"),
    ]:
        with pytest.raises(spmvcast.InvalidMatrixError, match=text):
            spmvcast.rank(with_arrays(A, indptr, indices))


def test_more_columns_than_int32_counts_are_refused():
    with pytest.raises(spmvcast.InvalidMatrixError, match=r"2\^31 - 1"):
        spmvcast.rank(sp.csr_matrix((3, 2**31)))
