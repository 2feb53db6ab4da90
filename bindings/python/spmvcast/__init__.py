# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts which sparse format and kernel multiplies y = A x fastest on a GPU, without that GPU.

>>> import spmvcast
>>> r = spmvcast.rank(A, device="h200", products=200)    # A: a scipy.sparse matrix
>>> r                                                    # the advice
>>> r.advice.config, r.advice.time_us
>>> r.to_pandas()                                        # all configurations
>>> M = spmvcast.Matrix(A)                               # in the format chosen for this machine's GPU, or its CPU
>>> y = M @ x                                            # x: an array of numpy, CuPy or PyTorch
>>> spmvcast.read("results/h200/matrices.h5")["rows"]    # an archive as DataFrames

The package needs libspmvcast, which it finds in the source tree, in the prefix that it is installed in, or by the environment
variable SPMVCAST_LIBRARY."""
from ._archive import Archive, read
from ._device import Device
from ._errors import (
    DamagedFileError,
    DeviceError,
    InternalError,
    InvalidArgumentError,
    InvalidMatrixError,
    LibraryNotFoundError,
    NoDeviceError,
    NoEntryError,
    NoForecastError,
    NoProfileError,
    OutOfMemoryError,
    SpmvcastError,
    SpmvcastWarning,
)
from ._library import find_library, library_path, library_version
from ._multiply import Matrix
from ._plan import Block, Plan
from ._product_info import ProductInfo, Trial
from ._profile import Profile, rank
from ._ranking import Advice, MatrixInfo, Ranking, Row

__version__ = "1.0.0"
__all__ = [
    "Advice",
    "Archive",
    "Block",
    "DamagedFileError",
    "Device",
    "DeviceError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidMatrixError",
    "LibraryNotFoundError",
    "Matrix",
    "MatrixInfo",
    "NoDeviceError",
    "NoEntryError",
    "NoForecastError",
    "NoProfileError",
    "OutOfMemoryError",
    "Plan",
    "ProductInfo",
    "Profile",
    "Ranking",
    "Row",
    "SpmvcastError",
    "SpmvcastWarning",
    "Trial",
    "find_library",
    "library_path",
    "library_version",
    "rank",
    "read",
]
