# SPDX-License-Identifier: BSD-3-Clause
"""Products under the names of scipy.sparse.linalg.LinearOperator, which is a base class of what multiplies if scipy is loaded."""
from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, NoReturn, Optional, Tuple

import numpy as np

from . import _tensors, _vectors
from ._errors import InvalidArgumentError


@lru_cache(maxsize=None)
def _with_operator(cls: type, base: type) -> type:
    """Returns a class that also is a LinearOperator, whose sums, multiples and products with other operators it has."""

    def dot(self: Any, x: Any) -> Any:
        return base.dot(self, x) if isinstance(x, base) or np.isscalar(x) else self._times(x)  # type: ignore[attr-defined]

    members = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    members.update(dot=dot, __mul__=dot, _matvec=cls._times, _matmat=cls._times)  # type: ignore[attr-defined]
    return type(cls.__name__, (cls, base), members)


def _array_of(x: Any) -> np.ndarray[Any, Any]:
    dlpack_alone = hasattr(x, "__dlpack__") and not hasattr(x, "__array__")
    return np.from_dlpack(x) if dlpack_alone else np.asarray(x)


class Operator:
    """What a Matrix and its transpose share."""

    dtype: np.dtype[Any]  # of the products
    _kind: np.dtype[Any]  # of the values of A, from which scipy derives the type of a result
    _fixed: bool  # all products are of `dtype`, whatever the type of x
    shape: Tuple[int, int]
    ndim = 2
    __array_ufunc__ = None  # numpy_array @ matrix is left to __rmatmul__

    def __new__(cls, A: Any = None, *arguments: Any, **options: Any) -> Any:
        if ("scipy.sparse" in sys.modules or _tensors.is_sparse(A)) and cls.__bases__ == (Operator,):
            import scipy.sparse.linalg

            derived: Any = _with_operator
            cls = derived(cls, scipy.sparse.linalg.LinearOperator)
        return object.__new__(cls)

    def _apply(self, x: Any, out: Any, alpha: float, beta: float, transposed: bool) -> Any:
        raise NotImplementedError

    def _widened(self) -> Any:
        """Returns this matrix with products in float64, for vectors wider than its values."""
        raise NotImplementedError

    def _quick(self, x: np.ndarray[Any, Any]) -> Any:
        """Returns A x in little time, or None: it is to be multiplied as all others are."""
        return None

    def _types(self, x: np.dtype[Any]) -> Tuple[np.dtype[Any], Any]:
        """Returns the type of the result for a real x, which is scipy's, and the matrix to multiply by."""
        kind = self.dtype if self._fixed else np.result_type(self._kind, x)
        kind = np.dtype(np.float32) if kind == np.float16 else kind  # scipy has no halves
        return kind, self._widened() if kind.kind == "f" and kind.itemsize > self.dtype.itemsize else self

    def _times(self, x: Any, transposed: bool = False) -> Any:
        """Returns A x or A^T x, of the type that scipy gives it."""
        if type(x) is np.ndarray and not transposed:
            y = self._quick(x)
            if y is not None:
                return y
        if _vectors.is_a("torch", "Tensor", x):
            return _tensors.times(self, x, transposed)
        if _vectors.is_foreign(x):
            return self._apply(x, None, 1, 0, transposed)
        if hasattr(x, "tocsr") or isinstance(x, np.ma.MaskedArray):
            raise TypeError("x is sparse; expected dense vectors" if hasattr(x, "tocsr") else "masked arrays cannot be multiplied")
        array = _array_of(x)
        if array.dtype.kind in "fc" and array.real.itemsize > 8:
            way_out = "complex128" if array.dtype.kind == "c" else "float64"
            raise TypeError(f"x is of type {array.dtype}, products are in float64 at most; pass x.astype('{way_out}')")
        if array.dtype.kind == "c":
            y = self._times(array.real, transposed) + 1j * self._times(array.imag, transposed)
        elif array.dtype.kind in "biuf":
            kind, of = self._types(array.dtype)
            y = of._apply(array.astype(of.dtype, copy=False), None, 1, 0, transposed)
            y = (y.astype(np.int64) if kind.kind in "iu" else y).astype(kind, copy=False)
        else:
            raise TypeError(f"x is of type {array.dtype}, expected numbers")
        return np.asmatrix(y) if isinstance(x, np.matrix) else y

    def __matmul__(self, x: Any) -> Any:
        if type(x) is np.ndarray:
            return self._times(x)
        if np.isscalar(x):
            raise ValueError("A @ x, but x is a number; expected a vector or a matrix")
        return self.dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        if np.isscalar(x):
            raise ValueError("x @ A, but x is a number; expected a vector or a matrix")
        x = x if hasattr(x, "shape") or _vectors.is_foreign(x) else _array_of(x)
        shape, rows = tuple(x.shape if hasattr(x, "shape") else x.__cuda_array_interface__["shape"]), self.shape[0]
        if len(shape) not in (1, 2) or shape[-1] != rows:
            raise InvalidArgumentError(f"x has shape {shape}, expected ({rows},) or (k, {rows}): the matrix has {rows} rows")
        return self._times(x, True) if len(shape) == 1 else self._times(x.T, True).T

    def dot(self, x: Any) -> Any:
        """A @ x."""
        return self._times(x)

    def matvec(self, x: Any) -> Any:
        """A @ x for a vector, of one dimension or with one column."""
        return self._times(x)

    def matmat(self, X: Any) -> Any:
        """A @ X for the columns of X."""
        return self._times(X)

    def rmatvec(self, x: Any) -> Any:
        """A.T @ x for a vector. The first one makes the transposed matrix (`info.transpose_s`)."""
        return self._times(x, True)

    def rmatmat(self, X: Any) -> Any:
        """A.T @ X for the columns of X."""
        return self._times(X, True)

    def transpose(self) -> Any:
        """The transposed matrix, which multiplies by this one."""
        return Transposed(self)

    adjoint = transpose

    @property
    def T(self) -> Any:
        """The transposed matrix, which multiplies by this one."""
        return self.transpose()

    @property
    def H(self) -> Any:
        """T, since values are real."""
        return self.transpose()


    def __reduce__(self) -> NoReturn:
        raise TypeError("a Matrix cannot be pickled or copied; create it from A, with config=info.config to choose the same")


class Transposed(Operator):
    """The transpose of a Matrix, `of`, by which it multiplies."""

    def __init__(self, of: Operator) -> None:
        self.of, self.dtype, self._kind, self._fixed, self.shape = of, of.dtype, of._kind, of._fixed, (of.shape[1], of.shape[0])

    def _apply(self, x: Any, out: Any, alpha: float, beta: float, transposed: bool) -> Any:
        return self.of._apply(x, out, alpha, beta, not transposed)

    def _widened(self) -> Any:
        return Transposed(self.of._widened())

    def transpose(self) -> Any:
        return self.of

    adjoint = transpose

    def __repr__(self) -> str:
        return f"Transposed {self.of!r}"
