# SPDX-License-Identifier: BSD-3-Clause
"""Reads archives (docs/archive.md) into pandas."""
from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Optional, Tuple, Union

from ._errors import DamagedFileError, InvalidArgumentError, SpmvcastError

if TYPE_CHECKING:
    import pandas

    _Tables = Dict[str, pandas.DataFrame]
else:
    _Tables = dict

_SCHEMA = 2
_TAIL = 103  # bytes of the last line, which holds the checksum
_UNKNOWN = -(2**63)


class Archive(_Tables):
    """The tables of an archive: a dict of DataFrames by name."""

    path: str
    kind: str  # "run", "profile", "plan", "forecasts", "recipes", "matrix"
    schema: int
    attrs: Mapping[str, Any]  # the other attributes of the file

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({len(frame)} rows)" for name, frame in self.items())
        return f"{self.path}: {self.kind} archive, schema {self.schema}: {tables}"


def _checksum_is_there(path: str) -> bool:
    """Returns whether the file ends with a checksum. DamagedFileError: it is not that of the file."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        file.seek(max(size - _TAIL, 0))
        tail = re.fullmatch(rb"\nspmvcast-sha256 ([0-9a-f]{64}) ([0-9]{20})\n", file.read())
        if tail is None:
            return False
        file.seek(0)
        digest, left = hashlib.sha256(), size - _TAIL
        while left > 0:
            piece = file.read(min(left, 1 << 20))
            if not piece:
                break
            digest.update(piece)
            left -= len(piece)
    if int(tail[2]) != size - _TAIL or digest.hexdigest().encode() != tail[1]:
        raise DamagedFileError(f"{path}: the checksum does not match: the file is damaged; get it again")
    return True


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _column(data: Any) -> Any:
    """Returns the values of a column for a DataFrame: text as str, unknown integers as NA, array columns as one array per row."""
    import numpy as np
    import pandas

    if data.dtype.kind == "S" or data.dtype.kind == "O":
        return [_text(v) for v in data[:]]
    values = data[:]
    if values.ndim > 1:
        return list(values)
    if values.dtype.kind == "i" and values.dtype.itemsize == 8:
        unknown = values == np.int64(_UNKNOWN)
        if unknown.any():
            return pandas.arrays.IntegerArray(np.where(unknown, 0, values), unknown)
    return values


def _frame(group: Any) -> pandas.DataFrame:
    import pandas

    names = [n for n in _text(group.attrs["columns"]).split(",") if n]
    frame = pandas.DataFrame({n: _column(group[n]) for n in names}, index=range(int(group.attrs["rows"])), columns=names)
    frame.attrs["units"] = {n: _text(group[n].attrs.get("unit", b"")) for n in names}
    frame.attrs["about"] = {n: _text(group[n].attrs.get("about", b"")) for n in names}
    return frame


def _chosen(path: str, tables: Union[str, Iterable[str], None], there: Tuple[str, ...]) -> Tuple[str, ...]:
    if tables is None:
        return there
    asked = (tables,) if isinstance(tables, str) else tuple(tables)
    for name in asked:
        if name not in there:
            raise InvalidArgumentError(f"{path}: there is no table {name!r}; the archive has {', '.join(there)}")
    return asked


def read(path: Union[str, os.PathLike[str]], tables: Union[str, Iterable[str], None] = None) -> Archive:
    """Returns the tables of an archive as pandas DataFrames by name; with `tables`, only these. Needs h5py and pandas, not libspmvcast.

    Unknown numbers are NaN; a column of integers with unknown values has pandas' type Int64, with NA; unknown text is "". A column of
    arrays has an array in each row. df.attrs["units"] and df.attrs["about"] have the unit and the meaning of each column. All tables and
    columns: docs/archive.md.

    The checksum of the file is checked first. Raises DamagedFileError, SpmvcastError (not an archive, or of a newer schema), OSError."""
    try:
        import h5py
        import pandas  # noqa: F401
    except ImportError as error:
        raise ImportError(f"spmvcast.read needs h5py and pandas: {error}; install python3-h5py and python3-pandas") from error
    name = os.fspath(path)
    checked = _checksum_is_there(name)
    if not h5py.is_hdf5(name):
        raise SpmvcastError(f"{name}: not an HDF5 file; expected an archive of spmvcast (.h5)")
    try:
        file = h5py.File(name, "r")
    except OSError as error:
        raise DamagedFileError(f"{name} is cut short or damaged: {error}; get it again") from error
    with file:
        kind = _text(file.attrs.get("spmvcast_kind", b""))
        if not kind:
            raise SpmvcastError(f"{name}: not an archive of spmvcast (no attribute spmvcast_kind)")
        schema = int(file.attrs["schema"])
        if schema > _SCHEMA:
            raise SpmvcastError(f"{name}: schema {schema}, but this package reads up to {_SCHEMA}; install a newer one")
        if schema >= 2 and not checked:
            raise DamagedFileError(f"{name}: the checksum at its end is missing: the file was cut short or changed; get it again")
        there = tuple(n for n in file if isinstance(file[n], h5py.Group) and "columns" in file[n].attrs)
        archive = Archive((n, _frame(file[n])) for n in _chosen(name, tables, there))
        archive.path, archive.kind, archive.schema = name, kind, schema
        archive.attrs = {k: _text(v) for k, v in file.attrs.items() if k not in ("spmvcast_kind", "schema")}
    return archive
