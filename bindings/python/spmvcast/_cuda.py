# SPDX-License-Identifier: BSD-3-Clause
"""Copies between host and GPU memory by the CUDA driver, for vectors of numpy: no other package is needed."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

from ._errors import DeviceError, OutOfMemoryError, SpmvcastError

_OUT_OF_MEMORY = 2
_driver: Optional[Any] = None


def _load() -> Any:
    """Returns the driver, which the library has initialized."""
    global _driver
    if _driver is None:
        try:
            _driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise DeviceError(f"cannot load the CUDA driver: {error}") from None
    return _driver


def _check(status: int, doing: str) -> None:
    if status == 0:
        return
    text = ctypes.c_char_p()
    _load().cuGetErrorString(ctypes.c_int(status), ctypes.byref(text))
    kind = OutOfMemoryError if status == _OUT_OF_MEMORY else DeviceError
    raise kind(f"{doing}: {(text.value or b'unknown error').decode()}")


class Current:
    """Makes the context that the CUDA runtime uses on a GPU the current one, within a `with` statement."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __enter__(self) -> Any:
        self._device, context, driver = ctypes.c_int(), ctypes.c_void_p(), _load()
        _check(driver.cuDeviceGet(ctypes.byref(self._device), ctypes.c_int(self._index)), "finding the GPU")
        _check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), self._device), "using the GPU")
        try:
            _check(driver.cuCtxPushCurrent_v2(context), "using the GPU")
        except SpmvcastError:
            driver.cuDevicePrimaryCtxRelease_v2(self._device)
            raise
        return driver

    def __exit__(self, *of: Any) -> None:
        _load().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
        _load().cuDevicePrimaryCtxRelease_v2(self._device)


def wait(index: int) -> None:
    """Waits for all work on a GPU."""
    with Current(index) as driver:
        _check(driver.cuCtxSynchronize(), "waiting for the GPU")


class Buffer:
    """Memory of a GPU. `pointer` is 0 if it has no bytes."""

    def __init__(self, index: int, size: int) -> None:
        self.index, self.size, self.pointer = index, size, 0
        if size > 0:
            made = ctypes.c_uint64()
            with Current(index) as driver:
                _check(driver.cuMemAlloc_v2(ctypes.byref(made), ctypes.c_size_t(size)), f"allocating {size} bytes on the GPU")
            self.pointer = made.value

    def put(self, host: int) -> None:
        """Copies from host memory, after the work enqueued to the default stream."""
        if self.size > 0:
            with Current(self.index) as driver:
                _check(
                    driver.cuMemcpyHtoD_v2(ctypes.c_uint64(self.pointer), ctypes.c_void_p(host), ctypes.c_size_t(self.size)),
                    "copying to the GPU",
                )

    def get(self, host: int) -> None:
        """Copies to host memory, after the work enqueued to the default stream."""
        if self.size > 0:
            with Current(self.index) as driver:
                _check(
                    driver.cuMemcpyDtoH_v2(ctypes.c_void_p(host), ctypes.c_uint64(self.pointer), ctypes.c_size_t(self.size)),
                    "copying from the GPU",
                )

    def free(self) -> None:
        if self.pointer:
            with Current(self.index) as driver:
                driver.cuMemFree_v2(ctypes.c_uint64(self.pointer))
        self.pointer = 0
