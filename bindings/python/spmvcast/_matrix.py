# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices of scipy as CSR arrays for the library."""
from __future__ import annotations

import ctypes
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _structs as c
from ._errors import InvalidMatrixError
from ._library import encode


class CsrArrays:
    """The arrays of a CSR matrix in types that the library reads; `values` in f64 or f32, for products in their type; None: not given.
    Shares memory with the matrix where the types fit; `notes` says what was converted. Elements after the last entry are left out;
    `given`: number of values with them. The object keeps the arrays alive."""

    def __init__(
        self,
        rows: int,
        cols: int,
        indptr: np.ndarray[Any, Any],
        indices: np.ndarray[Any, Any],
        notes: List[str],
        values: Optional[np.ndarray[Any, Any]] = None,
    ) -> None:
        self.rows, self.cols, self.notes = rows, cols, notes
        if len(indptr) != rows + 1:
            raise InvalidMatrixError(f"indptr has {len(indptr)} elements, expected {rows + 1} for {rows} rows")
        wide = indptr.dtype.itemsize > 4 or indptr.dtype.kind != "i"
        self.indptr = np.require(indptr, np.int64 if wide else np.int32, ["C", "A"])
        # The library cannot know how long `indices` is; that indptr does not decrease before its end, it checks.
        last = int(self.indptr[-1])
        if last < 0:
            raise InvalidMatrixError(f"indptr ends at {last}")
        if last > len(indices):
            raise InvalidMatrixError(f"indptr ends at {last}, but there are {len(indices)} indices")
        if values is not None and last > len(values):
            raise InvalidMatrixError(f"indptr ends at {last}, but there are {len(values)} values")
        self.given = last if values is None else len(values)
        self.indices = self._narrow(indices if len(indices) == last else indices[:last])
        self.values = values if values is None or len(values) == last else values[:last]

    def _narrow(self, indices: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Returns the indices as int32."""
        if indices.dtype.kind not in "iu":
            raise InvalidMatrixError(f"indices are of type {indices.dtype}, expected integers")
        if indices.dtype.itemsize > 4 or indices.dtype.kind == "u":
            self.notes.append(f"column indices converted from {indices.dtype} to int32")
            if indices.size and (indices.min() < 0 or indices.max() >= self.cols):
                raise InvalidMatrixError(
                    f"column indices are {indices.min()} to {indices.max()}, expected 0 to {self.cols - 1} for {self.cols} columns"
                )
        return np.require(indices, np.int32, ["C", "A"])

    def struct(self, name: Optional[str], group: Optional[str]) -> c.Csr:
        """Returns spmvcast_csr. Its pointers are valid as long as this object and the structure."""
        return c.Csr(
            rows=self.rows,
            cols=self.cols,
            row_ptr=self.indptr.ctypes.data,
            col=ctypes.cast(self.indices.ctypes.data, ctypes.POINTER(ctypes.c_int32)),
            row_ptr_bits=8 * self.indptr.dtype.itemsize,
            base=0,
            name=None if name is None else encode("name", name),
            group=None if group is None else encode("group", group),
            val=None if self.values is None else self.values.ctypes.data,
            nnz=int(self.indptr[-1]),
            val_bits=0 if self.values is None else 8 * self.values.dtype.itemsize,
        )


def _refuse(A: Any) -> TypeError:
    kind = f"{type(A).__module__}.{type(A).__qualname__}"
    if isinstance(A, np.ndarray):
        return TypeError(f"A is a dense {kind} of shape {A.shape}; pass scipy.sparse.csr_matrix(A)")
    return TypeError(f"A is a {kind}; expected a matrix or an array of scipy.sparse")


def check_sparse(A: Any) -> None:
    """Refuses what is no sparse matrix of scipy."""
    try:
        import scipy.sparse
    except ImportError:
        raise _refuse(A) from None
    if not scipy.sparse.issparse(A):
        raise _refuse(A)
    if len(A.shape) != 2:
        raise InvalidMatrixError(f"A has {len(A.shape)} dimension, expected 2")


def csr_of(A: Any) -> Any:
    """Returns A itself if it is in CSR, else A converted by scipy."""
    check_sparse(A)
    return A if A.format == "csr" else A.tocsr()


def arrays_of(A: Any, values: Optional[str] = None) -> CsrArrays:
    """Returns the arrays of a sparse matrix of scipy, with values of type `values`; None: as they are, and none if no double holds them."""
    csr = csr_of(A)
    notes = [] if csr is A else [f"converted from {A.format} to csr"]
    if values is not None:
        return with_values(CsrArrays(csr.shape[0], csr.shape[1], csr.indptr, csr.indices, notes), csr.data, values)
    kind = "f4" if csr.data.dtype == np.float32 else "f8"
    data = np.require(csr.data, kind, ["C", "A"]) if csr.data.dtype.kind in "biuf" else None
    return CsrArrays(csr.shape[0], csr.shape[1], csr.indptr, csr.indices, notes, data)


def with_values(arrays: CsrArrays, data: np.ndarray[Any, Any], kind: str) -> CsrArrays:
    """Returns the arrays with values of a type."""
    notes = arrays.notes + ([] if data.dtype == kind else [f"values converted from {data.dtype} to {kind}"])
    values = np.require(data, kind, ["C", "A"])
    return CsrArrays(arrays.rows, arrays.cols, arrays.indptr, arrays.indices, notes, values)


def ordered(arrays: CsrArrays) -> Optional[CsrArrays]:
    """Returns a copy with the columns of each row sorted and without duplicates; None: the arrays are no CSR matrix at all. The matrix
    of the caller stays as it is."""
    import scipy.sparse

    last = int(arrays.indptr[-1])
    values = np.ones(last, np.int8) if arrays.values is None else arrays.values[:last].copy()
    try:
        csr = scipy.sparse.csr_matrix((values, arrays.indices[:last].copy(), arrays.indptr.copy()), shape=(arrays.rows, arrays.cols))
        csr.check_format(full_check=True)
    except ValueError:
        return None
    csr.has_sorted_indices = csr.has_canonical_format = False
    csr.sum_duplicates()
    notes = list(arrays.notes)
    summed = last - int(csr.indptr[-1])
    if summed:
        notes.append(f"{summed} duplicate {'entry' if summed == 1 else 'entries'} summed")
    else:
        notes.append("columns sorted in each row")
    return CsrArrays(arrays.rows, arrays.cols, csr.indptr, csr.indices, notes, None if arrays.values is None else csr.data)


def values_note(A: Any, precision: str) -> Tuple[str, ...]:
    """Returns a note if the values have another type than the products of the forecast."""
    asked = {"f32": "float32", "f64": "float64"}[precision]
    return () if A.dtype == asked else (f"A has values of type {A.dtype}; the forecast is for products in {asked}",)
