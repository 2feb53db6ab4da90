# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions: one for each status of include/spmvcast.h."""
from __future__ import annotations

from typing import Dict, Type


class SpmvcastError(Exception):
    """Any failure of this package. The message says what is wrong and what to do; `status` is the status of the library."""

    status: int = 0


class InvalidArgumentError(SpmvcastError, ValueError):
    """An unknown option, configuration or model, or a number out of range."""

    status = 1


class InvalidMatrixError(SpmvcastError, ValueError):
    """The arrays of the matrix do not describe a sparse matrix."""

    status = 2


class OutOfMemoryError(SpmvcastError, MemoryError):
    """The memory of the process or `memory_limit` does not suffice."""

    status = 3


class NoProfileError(SpmvcastError, LookupError):
    """There is no such profile. The message lists those found, and where they were looked for."""

    status = 4


class DamagedFileError(SpmvcastError):
    """A profile or an archive is cut short or was changed."""

    status = 5


class NoForecastError(SpmvcastError):
    """The profile has no forecasts for this precision, cache state, launch or model."""

    status = 6


class NoEntryError(SpmvcastError, IndexError):
    """An index past the end."""

    status = 7


class InternalError(SpmvcastError):
    """A bug in spmvcast: please report the message."""

    status = 8


class NoDeviceError(SpmvcastError, RuntimeError):
    """There is no such device, or the library was built without CUDA."""

    status = 9


class DeviceError(SpmvcastError, RuntimeError):
    """The device failed. After some failures all later calls that use it fail, too."""

    status = 10


class LibraryNotFoundError(SpmvcastError, ImportError):
    """libspmvcast was not found, or its version does not fit this package."""


class SpmvcastWarning(UserWarning):
    """What a call would have the user know, such as a profile that was measured with another driver."""


BY_STATUS: Dict[int, Type[SpmvcastError]] = {
    kind.status: kind
    for kind in (
        InvalidArgumentError,
        InvalidMatrixError,
        OutOfMemoryError,
        NoProfileError,
        DamagedFileError,
        NoForecastError,
        NoEntryError,
        InternalError,
        NoDeviceError,
        DeviceError,
    )
}
