# SPDX-License-Identifier: BSD-3-Clause
"""Vectors wider than the values of the matrix; and values that are changed in place."""
import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
import spmvcast
import stand_in


def vector(n=200, seed=2):
    return np.random.RandomState(seed).rand(n)


def exact(got, expected):
    """Equal in float64 but for the order of sums."""
    assert got.dtype == expected.dtype and got.dtype in (np.float64, np.complex128) and got.shape == expected.shape
    assert np.abs(got - expected).max() <= 1e-14 * np.abs(expected).max()


@pytest.fixture
def N(A):
    return A.astype("float32")


@pytest.mark.parametrize("options", [dict(), dict(config="ell"), dict(config="sell", transpose=False), dict(config="ell", transpose=False, copy=True), dict(copy=True), dict(updates=True, transpose=False),
                                     dict(plan=spmvcast.Plan([(120, "sell"), (80, "csr-merge")]))])
def test_products_of_wider_vectors_are_those_of_scipy(A, N, options):
    M, x = spmvcast.Matrix(N, device="cpu", **options), vector()
    assert M.info.widened_bytes == 0
    exact(M @ x, N @ x)
    exact(M @ np.stack([x, -x], 1), N @ np.stack([x, -x], 1))
    exact(M @ (x + 1j * x[::-1]), N @ (x + 1j * x[::-1]))
    assert (M @ x.astype("float32")).dtype == np.float32 and M.dtype == np.float32
    assert M.info.widened_bytes >= (8 * M.nnz if options.get("transpose", True) else 1)
    if options.get("transpose", True):
        before = M.info.widened_bytes
        exact(M.T @ x, N.T @ x)
        exact(x @ M, x @ N)
        assert M.info.widened_bytes > before + 8 * M.nnz


@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
def test_a_precision_that_was_asked_for_is_that_of_all_products(A, kind):
    B, x = (10 * A).astype(kind), vector()
    n = B.astype("float32")
    M = spmvcast.Matrix(B, device="cpu", precision="f32")
    for y in (x, x.astype("float32"), np.arange(200), np.stack([x, -x], 1)):
        for product, expected in ((M @ y, n @ y), (M.T @ y, n.T @ y), (y.T @ M, y.T @ n)):
            assert product.dtype == np.float32 and np.allclose(product, expected, rtol=1e-5)
    assert (M @ (x + 1j * x)).dtype == np.complex64 and M.info.widened_bytes == 0
    M = spmvcast.Matrix(B, device="cpu", precision="f64")
    assert (M @ x.astype("float32")).dtype == np.float64


def test_integers_and_solvers_have_all_digits():
    B = sp.identity(3, "float32", "csr")
    M = spmvcast.Matrix(B, device="cpu")
    assert (M @ np.array([2**24 + 1, 2**31 - 1, 3])).tolist() == [2**24 + 1, 2**31 - 1, 3] and M.info.widened_bytes > 0
    T = sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], (400, 400), "csr", "float32")
    x, fails = scipy.sparse.linalg.cg(spmvcast.Matrix(T, device="cpu"), vector(400), tol=1e-12, maxiter=200)
    assert fails == 0 and np.linalg.norm(T @ x - vector(400)) < 1e-11 * np.linalg.norm(vector(400))


def test_small_integers_and_halves_take_no_second_matrix(N):
    M = spmvcast.Matrix(N, device="cpu")
    for kind in ("bool", "int8", "uint16", "float16", "float32", "complex64"):
        x = np.arange(200).astype(kind)
        assert (M @ x).dtype == (N @ x).dtype
    assert M.info.widened_bytes == 0
    for kind in ("int8", "uint8", "bool"):
        B, x = (300 * N).astype(kind), np.full(200, 6e4, "float16")  # sums exceed what a half can have
        M = spmvcast.Matrix(B, device="cpu")
        for y, expected in ((M @ x, B @ x), (M.T @ x, B.T @ x), (M.H @ x, B.T @ x), (x @ M, x @ B)):
            assert y.dtype == expected.dtype == np.float32 and np.allclose(y, expected)


def test_wider_vectors_follow_new_values_and_closing(N):
    M, x = spmvcast.Matrix(N, device="cpu", updates=True), vector()
    exact(M @ x, N @ x)
    wide, bytes_before = weakref.ref(M._wide), M.info.widened_bytes
    for values, factor in ((3 * N.data, 3), ((5 * N).tocsc(), 5)):
        M.update(values)
        exact(M @ x, factor * N @ x)
        assert M._wide is wide() and M.info.widened_bytes == bytes_before
    exact(M.T @ x, 5 * N.T @ x)
    M.update(3 * N.data)
    exact(M.T @ x, 3 * N.T @ x)
    assert M._wide is wide()
    M.close()
    assert wide() is None
    for product in (lambda: M @ x, lambda: M.T @ x):
        with pytest.raises(ValueError, match="the Matrix is closed"):
            product()


def test_wider_vectors_and_a_copy(N):
    B, x = N.copy(), vector()
    M = spmvcast.Matrix(B, device="cpu", copy=True)
    B.data *= 2
    B.indices[:] = 0
    exact(M @ x, N @ x)
    M, values = spmvcast.Matrix(N, device="cpu", copy=True, updates=True), 3 * N.data
    M.update(values)
    values[:] = 0
    exact(M @ x, 3 * N @ x)


def test_arrays_for_wider_vectors_are_kept_unless_a_precision_is_asked_for(N):
    for precision in (None, "f32"):
        B = N.copy()
        M, array = spmvcast.Matrix(B, device="cpu", transpose=False, config="sell", precision=precision), weakref.ref(B.indices)
        del B
        gc.collect()
        assert (array() is None) == (precision == "f32") and (M @ vector()).dtype == (precision and np.float32 or np.float64)
        with pytest.raises(TypeError, match="x is of type float64, expected float32 as the matrix"):
            M.product(vector())
        M.close()
        assert array() is None


@pytest.mark.parametrize("matrix", ["float32", "float64", "int64"])
@pytest.mark.parametrize("kind", ["longdouble", "clongdouble"])
def test_long_doubles_are_refused(A, matrix, kind):
    if np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("a long double is a double")
    M = spmvcast.Matrix(A.astype(matrix), device="cpu")
    for product in (lambda x: M @ x, lambda x: M.T @ x, lambda x: x @ M):
        with pytest.raises(TypeError, match=rf"x is of type {np.dtype(kind)}, .*astype\('{'complex128' if kind[0] == 'c' else 'float64'}'\)"):
            product(np.ones(200, kind))


def test_wider_vectors_on_a_stand_in_for_a_gpu(N, monkeypatch):
    stand_in.install(monkeypatch)
    x = vector()
    for B, values in ((N, 3 * N.data), (stand_in.Sparse(N), stand_in.Array(3 * N.data)), (N, stand_in.Array(3 * N.data)),
                      (stand_in.Sparse(N), 3 * N.data)):
        M = spmvcast.Matrix(B, device="gpu", updates=True)
        exact(M @ x, N @ x)
        assert M.info.widened_bytes >= 8 * M.nnz
        M.update(values)
        exact(M @ x, 3 * N @ x)


# ---- values changed in place ----
def old_or_new(y, old, new):
    return "old" if np.allclose(y, old) else "new" if np.allclose(y, new) else "neither"


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("config", ["csr-merge", "ell"])
def test_values_changed_in_place_are_seen_where_the_help_says_so(A, N, config, asked):
    for B in (A, N):
        B, old, x = B.copy(), B.astype("float64"), vector()
        M = spmvcast.Matrix(B, device="cpu", config=config, updates=True)
        transposed, wide, same = (lambda: M.T @ x.astype(B.dtype)), (lambda: M @ x), (lambda: M @ x.astype(B.dtype))
        if asked:
            transposed(), wide()
        B.data *= 3
        assert old_or_new(same(), old @ x, 3 * old @ x) == ("new" if M.info.refers else "old")
        assert old_or_new(transposed(), old.T @ x, 3 * old.T @ x) == ("old" if asked else "new")
        if B.dtype == np.float32:
            assert old_or_new(wide(), old @ x, 3 * old @ x) == ("old" if asked else "new")
        M.update(B.data)
        for y, T in ((transposed(), old.T), (same(), old), (wide(), old)):
            assert old_or_new(y, T @ x, 3 * T @ x) == "new"
    assert "After changing\n        values in place, call `update`" in spmvcast.Matrix.__doc__


def test_advice_for_a_float32_matrix_is_of_a_ranking_in_f32():
    B = sp.diags([1.0, 2.0, 3.0], [-1, 0, 1], shape=(50000, 50000), format="csr").astype("float32")
    config = spmvcast.rank(B, device="h200", products=100000, precision="f32").advice.config
    x = np.ones(50000, "float32")
    assert (spmvcast.Matrix(B, device="cpu", config=config) @ x == B @ x).all()
    with pytest.raises(spmvcast.InvalidArgumentError, match="value=narrow stores f64 as f32"):
        spmvcast.Matrix(B, device="cpu", config="dia:value=narrow")
