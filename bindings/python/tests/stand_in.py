# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for a GPU and CuPy on machines without: arrays of host memory with __cuda_array_interface__, multiplied by the CPU. The
library and the machine are the only parts that tests with it do not reach."""
from __future__ import annotations

import ctypes
import sys
from types import ModuleType, SimpleNamespace
from typing import Any, List

import numpy as np
import pytest
from spmvcast import _cuda, _device, _library, _structs as c


class Array:
    """A cupy.ndarray."""

    device = SimpleNamespace(id=0)

    def __init__(self, host: Any) -> None:
        self.host = host

    @property
    def __cuda_array_interface__(self) -> Any:
        about = self.host.__array_interface__
        strides = None if self.host.flags.c_contiguous else self.host.strides
        return dict(shape=self.host.shape, typestr=self.host.dtype.str, data=about["data"], strides=strides, version=3, stream=7)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.host, name)

    def __getitem__(self, at: Any) -> Any:
        return Array(self.host[at])

    def __len__(self) -> int:
        return len(self.host)

    def __eq__(self, other: Any) -> Any:
        return self.host == other.host

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        return self if not copy and self.host.dtype == dtype else Array(self.host.astype(dtype))

    def get(self) -> Any:
        return self.host.copy()


class Sparse:
    """A matrix of cupyx.scipy.sparse."""

    def __init__(self, A: Any) -> None:
        self.host, self.shape, self.format, self.dtype, self.nnz = A, A.shape, A.format, A.dtype, A.nnz
        if A.format == "csr":
            self.data, self.indices, self.indptr = Array(A.data), Array(A.indices), Array(A.indptr)
        else:
            self.data = Array(A.data)

    def tocsr(self) -> Sparse:
        return Sparse(self.host.tocsr())

    def copy(self) -> Sparse:
        return Sparse(self.host.copy())

    def sum_duplicates(self) -> None:
        self.host.has_sorted_indices = self.host.has_canonical_format = False
        self.host.sum_duplicates()
        self.__init__(self.host)  # type: ignore[misc]


class Buffer:
    """A _cuda.Buffer."""

    def __init__(self, index: int, size: int) -> None:
        self._bytes, self.size = ctypes.create_string_buffer(max(size, 1)), size
        self.pointer = ctypes.addressof(self._bytes) if size else 0

    def put(self, host: int) -> None:
        ctypes.memmove(self.pointer, host, self.size)

    def get(self, host: int) -> None:
        ctypes.memmove(host, self.pointer, self.size)

    def free(self) -> None:
        self.pointer = 0


def module() -> ModuleType:
    """Returns a module that stands for cupy."""
    cupy: Any = ModuleType("cupy")
    cupy.ndarray, cupy.stream = Array, SimpleNamespace(ptr=41)
    cupy.cuda = SimpleNamespace(get_current_stream=lambda: cupy.stream)
    cupy.asarray = lambda x: x if isinstance(x, Array) else Array(np.array(x.host if hasattr(x, "host") else x))
    cupy.asfortranarray = lambda x: Array(np.asfortranarray(x.host))
    cupy.empty = lambda shape, dtype, order: Array(np.full(shape, np.nan, dtype, order=order))
    return cupy


def install(monkeypatch: pytest.MonkeyPatch) -> List[int]:
    """Makes Device("gpu") the stand-in; returns the list to which the stream of each product is appended."""
    call, streams = _library.load().call, []
    opening, multiply = call.device_open, call.multiply

    def device_open(context: Any, options: Any, out: Any) -> int:
        options._obj.kind = c.DEVICE_KINDS.index("cpu")
        return int(opening(context, options, out))

    def product(matrix: Any, alpha: float, x: int, beta: float, y: int, stream: int) -> int:
        streams.append(stream)
        return int(multiply(matrix, alpha, x, beta, y, None))

    monkeypatch.setattr(call, "device_open", device_open)
    monkeypatch.setattr(call, "multiply", product)
    monkeypatch.setattr(_cuda, "Buffer", Buffer)
    monkeypatch.setattr(_cuda, "wait", lambda index: None)
    monkeypatch.setattr(_device, "_opened", {})
    monkeypatch.setattr(_device, "_default", None)
    monkeypatch.setitem(sys.modules, "cupy", module())
    return streams
