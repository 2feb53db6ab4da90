# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of a product: CSR arrays with values, in host memory (scipy) or in the memory of a GPU (CuPy)."""
from __future__ import annotations

import ctypes
import hashlib
from copy import copy as shallow
from dataclasses import dataclass
from typing import Any, Callable, Optional, Tuple, Union

import numpy as np

from . import _structs as c
from ._errors import InvalidMatrixError
from ._matrix import CsrArrays, arrays_of, check_sparse, ordered
from ._vectors import _cupy, of_interface

_TYPES = {"float32": "f32", "float64": "f64"}


@dataclass
class GpuArrays:
    """The arrays of a CSR matrix in the memory of a GPU, whose types are those that the library reads. The object keeps them alive."""

    rows: int
    cols: int
    indptr: Any
    indices: Any
    values: Any
    notes: Tuple[str, ...]

    def struct(self, name: Optional[str], group: Optional[str]) -> c.Csr:
        """As CsrArrays.struct."""
        indptr, indices, values = (of_interface("", a, a.__cuda_array_interface__, None) for a in (self.indptr, self.indices, self.values))
        return c.Csr(
            rows=self.rows,
            cols=self.cols,
            row_ptr=indptr.pointer,
            col=ctypes.cast(indices.pointer, ctypes.POINTER(ctypes.c_int32)),
            row_ptr_bits=8 * indptr.item,
            base=0,
            val=values.pointer,
            nnz=values.shape[0],
        )


Arrays = Union[CsrArrays, GpuArrays]


@dataclass
class Operand:
    """A matrix as the library takes it. `in_order` is called if that is refused: it returns arrays with the columns of each row sorted
    and without duplicates, or None."""

    arrays: Arrays
    in_order: Callable[[], Optional[Arrays]]
    dtype: np.dtype[Any]
    gpu: Optional[int]  # the GPU whose memory the arrays are in; None: host memory
    reordered: bool  # values are not in the order of A.data


def on_gpu(A: Any) -> bool:
    """Whether A is a sparse matrix of CuPy (or one that looks like it), which is not imported for it."""
    return hasattr(A, "tocsr") and hasattr(getattr(A, "data", None), "__cuda_array_interface__")


def _type_of(A: Any, precision: Optional[str]) -> np.dtype[Any]:
    """Returns the type of the products."""
    name = "float64" if np.dtype(A.dtype).kind in "biu" else str(np.dtype(A.dtype).name)
    if name not in _TYPES:
        raise TypeError(f"A has values of type {name}; expected float32 or float64, for example A.astype('float64'), integers or bool")
    asked = name if precision is None else {short: long for long, short in _TYPES.items()}[precision]
    return np.dtype(np.float32 if asked == "float32" else np.float64)


def operand_of(A: Any, precision: Optional[str]) -> Operand:
    """Returns what the library multiplies for a sparse matrix of scipy or CuPy; precision None: that of A."""
    if on_gpu(A):
        return _of_cupy(A, _type_of(A, precision))
    check_sparse(A)
    dtype = _type_of(A, precision)
    arrays = arrays_of(A, dtype.name)
    arrays.indptr = arrays.indptr.copy()  # the library trusts it after its check; methods of A such as eliminate_zeros change it in place
    return Operand(arrays, lambda: ordered(arrays), dtype, None, A.format != "csr")


def _of_cupy(A: Any, dtype: np.dtype[Any]) -> Operand:
    csr = A if A.format == "csr" else A.tocsr()
    notes = [] if csr is A else [f"converted from {A.format} to csr"]
    wide = csr.indptr.dtype.itemsize > 4
    indices = csr.indices
    if indices.dtype != np.int32:
        notes.append(f"column indices converted from {indices.dtype} to int32")
        if csr.shape[1] > 2**31 - 1:
            raise InvalidMatrixError("A has more than 2^31 - 1 columns")
        indices = indices.astype(np.int32)
    if csr.data.dtype != dtype:
        notes.append(f"values converted from {csr.data.dtype} to {dtype.name}")
    arrays = GpuArrays(
        int(csr.shape[0]),
        int(csr.shape[1]),
        csr.indptr.astype(np.int64 if wide else np.int32, copy=False),
        indices,
        csr.data.astype(dtype, copy=False),
        tuple(notes),
    )
    return Operand(arrays, lambda: _sorted(csr, arrays, dtype), dtype, int(csr.data.device.id), csr is not A)


def copied(arrays: Any) -> Any:
    """Returns the arrays with copies of what a caller may change."""
    own = shallow(arrays)
    own.indptr, own.indices, own.values = own.indptr.copy(), own.indices.copy(), own.values.copy()
    return own


def copied_values(values: Any) -> Any:
    return values.clone() if hasattr(values, "clone") else values.copy()  # a tensor of PyTorch, an array of numpy or CuPy


def in_float64(arrays: Arrays, values: Any = None) -> Arrays:
    """Returns the arrays with values in float64: those of an update, which may be in another memory, or their own."""
    wide = shallow(arrays)
    values = arrays.values if values is None else values
    if isinstance(wide, GpuArrays) or hasattr(values, "__cuda_array_interface__"):
        values = _cupy("values are in the memory of a GPU").asarray(values)
        values = values if isinstance(wide, GpuArrays) else values.get()
    wide.values = (values if isinstance(wide, GpuArrays) else np.asarray(values)).astype(np.float64)
    return wide


class Pattern:
    """Where a matrix had its entries, whatever becomes of its arrays: a digest, or on a GPU copies."""

    def __init__(self, a: Arrays) -> None:
        self._size = (a.rows, a.cols, len(a.indices))
        self._copies = (a.indptr.copy(), a.indices.copy()) if isinstance(a, GpuArrays) else None
        self._digest = None if isinstance(a, GpuArrays) else _digest(a)

    def is_of(self, b: Arrays) -> bool:
        """Whether a matrix has its entries in the same places."""
        if self._size != (b.rows, b.cols, len(b.indices)) or isinstance(b, GpuArrays) != (self._copies is not None):
            return False
        if self._copies is None:
            return self._digest == _digest(b)
        return bool((self._copies[0] == b.indptr).all()) and bool((self._copies[1] == b.indices).all())


def _digest(a: Any) -> bytes:
    digest = hashlib.blake2b(a.indptr.astype(np.int64, copy=False).tobytes(), digest_size=16)
    digest.update(np.ascontiguousarray(a.indices).data)
    return digest.digest()


def _sorted(csr: Any, arrays: GpuArrays, dtype: np.dtype[Any]) -> Optional[GpuArrays]:
    """Returns a copy with the columns of each row sorted and without duplicates."""
    if csr.nnz == 0 or int(csr.indices.min()) < 0 or int(csr.indices.max()) >= arrays.cols:
        return None
    copy = csr.copy()
    copy.has_sorted_indices = copy.has_canonical_format = False
    copy.sum_duplicates()
    summed = csr.nnz - copy.nnz
    note = f"{summed} duplicate {'entry' if summed == 1 else 'entries'} summed" if summed else "columns sorted in each row"
    values = copy.data.astype(dtype, copy=False)
    return GpuArrays(arrays.rows, arrays.cols, copy.indptr, copy.indices.astype(np.int32, copy=False), values, (*arrays.notes, note))
