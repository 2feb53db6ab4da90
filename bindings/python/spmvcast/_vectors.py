# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of numpy, CuPy, PyTorch and anything with __cuda_array_interface__, as pointers. CuPy and PyTorch are not imported for vectors
of other packages."""
from __future__ import annotations

import ctypes
import importlib
import sys
from functools import lru_cache
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from ._errors import InvalidArgumentError


class View(NamedTuple):
    """Where an array is. Strides in bytes."""

    package: str  # "numpy", "cupy", "torch", or "": another with __cuda_array_interface__
    array: Any
    pointer: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    dtype: str  # "float64"; with another byte order ">f8"
    item: int  # bytes of an element
    writable: bool
    on_gpu: bool
    gpu: Optional[int] = None  # which GPU; None: unknown

    @property
    def aligned(self) -> bool:
        """Whether elements are at multiples of their size."""
        return self.pointer % self.item == 0 and (len(self.shape) < 2 or self.strides[1] % self.item == 0)

    @property
    def compact(self) -> bool:
        """Whether the elements of a column (or of the vector) follow each other, at their places in memory."""
        return self.aligned and (len(self.shape) == 0 or self.shape[0] <= 1 or self.strides[0] == self.item)

    def column(self, j: int) -> int:
        """Returns the pointer to a column; a vector has column 0."""
        return self.pointer + j * self.strides[1] if len(self.shape) == 2 else self.pointer

    def overlaps(self, other: View) -> bool:
        """Whether two arrays with compact columns share an element."""
        (first, last), (low, high) = self.span(), other.span()
        if not (first < high and low < last):
            return False
        starts, others = self._starts(), other._starts()  # of others, those that begin before a column ends, and end after it begins
        below = np.searchsorted(others, starts + self.shape[0] * self.item, "left")
        return bool((below > np.searchsorted(others, starts - other.shape[0] * other.item, "right")).any())

    def _starts(self) -> np.ndarray[Any, Any]:
        columns = self.shape[1] if len(self.shape) == 2 else 1
        return np.sort([self.column(j) for j in range(columns)])

    def span(self) -> Tuple[int, int]:
        """Returns the first byte and the one past the last; equal if there is no element."""
        if 0 in self.shape:
            return self.pointer, self.pointer
        steps = [(n - 1) * stride for n, stride in zip(self.shape, self.strides)]
        low, high = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
        return self.pointer + low, self.pointer + high + self.item


def is_a(package: str, kind: str, x: Any) -> bool:
    """Whether x is of a type of a package; if so, the package is loaded already."""
    found = getattr(sys.modules.get(package), kind, None)
    return isinstance(found, type) and isinstance(x, found)


@lru_cache(maxsize=64)
def _name(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.isnative else dtype.str


def is_foreign(x: Any) -> bool:
    """Whether x is an array of another package than numpy, whose type is taken as it is."""
    return is_a("torch", "Tensor", x) or isinstance(getattr(x, "__cuda_array_interface__", None), dict)


_Byte = ctypes.c_char


def needs_gradient(x: Any) -> bool:
    """Whether x is a tensor whose product is part of what PyTorch differentiates, backward or forward."""
    if not is_a("torch", "Tensor", x):
        return False
    torch = sys.modules["torch"]
    return (x.requires_grad and torch.is_grad_enabled()) or torch.autograd.forward_ad.unpack_dual(x).tangent is not None


def address(x: np.ndarray[Any, Any]) -> int:
    """Returns x.ctypes.data, in a third of the time if x is writable."""
    memory: Any = x
    try:
        return ctypes.addressof(_Byte.from_buffer(memory))
    except (TypeError, ValueError):  # read-only, or without elements or not contiguous
        return int(x.ctypes.data)


def view_of(name: str, x: Any) -> View:
    """Returns where an array is; TypeError if it is none that can be multiplied."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("masked arrays cannot be multiplied")
    if isinstance(x, np.ndarray):
        return View("numpy", x, address(x), x.shape, x.strides, _name(x.dtype), x.itemsize, x.flags.writeable, False)
    if is_a("torch", "Tensor", x):
        return _of_torch(name, x)
    interface = getattr(x, "__cuda_array_interface__", None)
    if isinstance(interface, dict):
        is_cupy = is_a("cupy", "ndarray", x)
        return of_interface("cupy" if is_cupy else "", x, interface, int(x.device.id) if is_cupy else None)
    raise TypeError(
        f"{name} is a {type(x).__module__}.{type(x).__qualname__}; expected an array of numpy, CuPy or PyTorch, or one with "
        "__cuda_array_interface__"
    )


def of_interface(package: str, x: Any, interface: Any, index: Optional[int]) -> View:
    """Returns where an array is that has __cuda_array_interface__."""
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if interface.get("mask") is not None:
        raise TypeError("masked arrays cannot be multiplied")
    strides = interface.get("strides")
    if strides is None:  # row by row
        strides = tuple(dtype.itemsize * int(np.prod(shape[i + 1 :], dtype=np.int64)) for i in range(len(shape)))
    pointer, read_only = interface["data"]
    return View(package, x, pointer or 0, shape, tuple(strides), _name(dtype), dtype.itemsize, not read_only, True, index)


def _of_torch(name: str, x: Any) -> View:
    torch = sys.modules["torch"]
    kind = x.device.type
    if x.layout != torch.strided or kind not in ("cpu", "cuda"):
        raise TypeError(f"{name} is a tensor of layout {x.layout} on device {x.device}; expected a dense one on a GPU or the CPU")
    try:
        x.data_ptr()
    except RuntimeError:
        raise TypeError(f"{name} is a tensor without memory of its own, as in torch.vmap; expected a dense one on a GPU or the CPU") from None
    if needs_gradient(x):
        raise TypeError(f"{name} requires a gradient, which `product` does not pass on; write A @ x, or pass {name}.detach()")
    negated, x = x.is_neg(), x.resolve_neg()
    strides = tuple(s * x.element_size() for s in x.stride())
    word = str(x.dtype).split(".")[-1]
    return View("torch", x, x.data_ptr(), tuple(x.shape), strides, word, x.element_size(), not negated, kind == "cuda", x.device.index)


def check(name: str, view: View, dtype: np.dtype[Any], rows: int, of: str, columns: bool = True) -> None:
    """Refuses an array of another type or length than the products have; columns: it may have several."""
    if view.dtype != _name(dtype):
        raise TypeError(f"{name} is of type {view.dtype}, expected {dtype.name} as the matrix; convert {name} or the matrix")
    if len(view.shape) not in (1, 1 + columns) or view.shape[0] != rows:
        expected = f"({rows},) or ({rows}, k)" if columns else f"({rows},)"
        raise InvalidArgumentError(f"{name} has shape {view.shape}, expected {expected}: the matrix has {rows} {of}")


def _cupy(why: str) -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError:
        raise TypeError(f"{why}, for which CuPy is required, and it cannot be imported") from None


def compact(name: str, view: View) -> View:
    """Returns the array, or a copy of it in which the elements of each column follow each other."""
    if view.compact:
        return view
    if view.package == "numpy":
        return view_of(name, np.require(view.array, requirements=["F", "A"]))
    if view.package == "torch":
        x = view.array
        return view_of(name, x.contiguous() if x.dim() == 1 else x.t().contiguous().t())
    cupy = _cupy(f"{name} has strides")
    return view_of(name, cupy.asfortranarray(cupy.asarray(view.array)))


def empty(like: View, rows: int, dtype: np.dtype[Any]) -> View:
    """Returns a new array for the result: of the package and on the device of x, with as many columns."""
    shape = (rows, *like.shape[1:])
    if like.package == "numpy":
        return view_of("out", np.empty(shape, dtype, order="F"))
    if like.package == "torch":
        torch = sys.modules["torch"]
        made = torch.empty(shape[::-1], dtype=like.array.dtype, device=like.array.device)
        return view_of("out", made if len(shape) == 1 else made.t())
    cupy = _cupy("without `out` the result is an array of CuPy")
    return view_of("out", cupy.empty(shape, dtype, order="F"))


def stream_of(view: View) -> int:
    """Returns the stream of CUDA on which work for an array is enqueued: the current one of its package, or the one it names."""
    if view.package == "torch":
        return int(sys.modules["torch"].cuda.current_stream(view.array.device).cuda_stream)
    if view.package == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return int(view.array.__cuda_array_interface__.get("stream") or 0)
