# SPDX-License-Identifier: BSD-3-Clause
"""Devices that multiply matrices: GPUs and this machine's CPU."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _structs as c
from ._errors import InvalidArgumentError, NoDeviceError
from ._library import Context, Library, decode, encode, error_of, integer, one_of, safe_after_fork
from ._profile import Name, Profile, _key, hdf5_lock, path_of
from ._words import DeviceKind

_lock = threading.Lock()
_opened: Dict[Tuple[Any, ...], Device] = {}
_of_parent: List[Dict[Tuple[Any, ...], Device]] = []  # a forked process does not touch the devices of its parent
_default: Optional[DeviceKind] = None


def _after_fork() -> None:
    global _lock, _opened
    _lock = threading.Lock()
    _of_parent.append(_opened)
    _opened = {}


os.register_at_fork(after_in_child=_after_fork)


def free_in(pid: int, free: Any, pointer: ctypes.c_void_p, *kept: Any) -> None:
    """Frees an object of the library in the process that made it. What is in `kept` lives until then."""
    if os.getpid() == pid:
        free(pointer)


class Device:
    """A GPU, or this machine's CPU, with the profile whose forecasts choose.

    kind: "gpu" (or "cuda"), or "cpu".
    index: of the GPU, as for cudaSetDevice; the CPU is 0.
    profile: a Profile, or the name or file of one, that was measured on this kind of device; None: the one that was, if there is one;
        "": none, and a rule by row lengths chooses.

    A device is opened once in a process, which takes a part of a second, and kept: Device("gpu") is Device("gpu"). Any number of threads
    may use one. Raises NoDeviceError if there is none or the library was built without CUDA, and NoProfileError."""

    kind: str
    index: int
    name: str  # "NVIDIA H200"
    key: str  # what a profile must have been measured on
    profile: Optional[str]  # None: no profile, see `reason`
    reason: str  # why there is no profile; ""
    _asked: Optional[str]
    _pointer: ctypes.c_void_p

    def __new__(cls, kind: DeviceKind, index: int = 0, profile: Union[Name, Profile, None] = None) -> Device:
        return _open(cls, kind, index, profile, 3)

    def __repr__(self) -> str:
        index = f", index={self.index}" if self.kind == "gpu" else ""
        chooses = f"profile {self.profile}" if self.profile is not None else f"no profile: {self.reason}"
        return f"Device({self.kind!r}{index}): {self.name}, {chooses}"

    def __reduce__(self) -> Tuple[Any, ...]:
        return Device, (self.kind, self.index, self._asked)


def _open(cls: Any, kind: DeviceKind, index: int, profile: Union[Name, Profile, None], stacklevel: int) -> Device:
    """Returns the device, which is opened if it is not yet."""
    try:
        number = one_of("device", kind, c.DEVICE_KINDS)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{error}; a profile is chosen by Device('gpu', profile=...)") from None
    index = integer("index", index, 0, 2**31 - 1)
    named = profile.path if isinstance(profile, Profile) else profile
    asked = None if named is None else path_of("profile", named, "a Profile, or the name or file of one, or None")
    with _lock:
        key = (number, index, asked == "", *_key(asked))
        if key not in _opened:
            _opened[key] = safe_after_fork(lambda: _opening(cls, number, index, asked, stacklevel + 2))
        return _opened[key]


def _opening(cls: Any, kind: int, index: int, asked: Optional[str], stacklevel: int) -> Device:
    device: Device = object.__new__(cls)
    options = c.DeviceOptions(kind=kind, index=index, profile=None if asked is None else encode("profile", asked))
    pointer = ctypes.c_void_p()
    with Context() as context:
        with hdf5_lock():
            status = context.call.device_open(context.pointer, ctypes.byref(options), ctypes.byref(pointer))
        if status == c.NO_DEVICE:
            raise _missing(context.library, decode(context.call.message(context.pointer)))
        context.check(status)
        context.warn(stacklevel)
        weakref.finalize(device, free_in, os.getpid(), context.call.device_free, pointer)
        info = c.DeviceInfo()
        context.check(context.call.device_get_info(pointer, ctypes.byref(info)))
    device.kind, device.index, device._asked, device._pointer = c.DEVICE_KINDS[kind], index, asked, pointer
    device.name, device.key = decode(info.name), decode(info.key)
    device.profile = None if info.profile is None else decode(info.profile)
    device.reason = decode(info.reason)
    return device


def _missing(library: Library, message: str) -> Exception:
    """Returns the exception for a device that does not exist, with the reason why the library with GPUs was not used."""
    passed = f"; {library.passed_over}" if library.passed_over else ""
    return error_of(library, c.NO_DEVICE, message + passed)


def device_of(device: Union[DeviceKind, Device, None], stacklevel: int) -> Device:
    """Returns a device that a caller names; None: the first GPU if the library and the machine have one, else the CPU."""
    global _default
    if isinstance(device, Device):
        return device
    if device is None and _default is None:
        try:
            _open(Device, "gpu", 0, None, stacklevel + 1)
            _default = "gpu"
        except NoDeviceError:
            _default = "cpu"
    return _open(Device, device or _default or "cpu", 0, None, stacklevel + 1)
