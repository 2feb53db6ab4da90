# SPDX-License-Identifier: BSD-3-Clause
"""Profiles, and the ranking of a matrix by one."""
from __future__ import annotations

import ctypes
import math
import numbers
import os
import sys
import threading
import weakref
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Callable, ContextManager, Dict, Iterable, List, Optional, Tuple, Union

from . import _structs as c
from ._columns import FIELDS
from ._errors import InvalidArgumentError
from ._library import Context, decode, encode, error_of, integer, one_of, safe_after_fork
from ._matrix import arrays_of, ordered, values_note
from ._tensors import sparse_of
from ._ranking import Advice, MatrixInfo, Ranking, Row
from ._words import Cache, Launch, Place, Precision

Name = Union[str, "os.PathLike[str]"]


def hdf5_lock() -> ContextManager[Any]:
    """Returns the lock under which h5py calls HDF5, which is not thread-safe; none if h5py is not loaded."""
    objects = sys.modules.get("h5py._objects")
    return getattr(objects, "phil", None) or nullcontext()


class Profile:
    """What was measured on a GPU, opened once. `name`: a name or a file, as for spmv-predict --profile; None: a profile of this machine's
    GPU, else of its CPU, else of another GPU. `memory_limit`: the most memory in bytes that a call may hold; 0: no limit.

    Any number of threads may rank by one profile at once. Raises NoProfileError, DamagedFileError."""

    name: str
    device: str  # the GPU, or the CPU
    date: str  # of the measurements, "2026-01-31"
    path: str
    this_machine: bool  # its device is in this machine
    default_model: str

    def __init__(self, name: Optional[Name] = None, *, memory_limit: int = 0) -> None:
        self._open(name, memory_limit, 3)

    def _open(self, name: Optional[Name], memory_limit: int, stacklevel: int) -> None:
        asked = None if name is None else encode("name", path_of("name", name, "the name or file of a profile, or None"))
        self._memory_limit = memory_limit
        pointer = ctypes.c_void_p()
        with Context(memory_limit) as context:
            with hdf5_lock():
                status = context.call.profile_open(context.pointer, asked, ctypes.byref(pointer))
            context.check(status)
            self._pointer = pointer
            weakref.finalize(self, context.call.profile_free, pointer)
            info = c.ProfileInfo()
            context.check(context.call.profile_get_info(pointer, ctypes.byref(info)))
            self.name, self.device, self.date = decode(info.name), decode(info.device), decode(info.date)
            self.path = os.fsdecode(info.path)
            self.this_machine, self.default_model = bool(info.this_machine), decode(info.default_model)
            context.warn(stacklevel)

    def __repr__(self) -> str:
        return f"Profile({self.name!r}): {self.device}, {self.date}"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _reopen, (self.path, self._memory_limit)

    def rank(
        self,
        A: Any,
        products: int = 200,
        precision: Precision = "f64",
        cache: Cache = "warm",
        launch: Launch = "graph",
        place: Place = "gpu",
        risk: Optional[float] = None,
        model: Optional[str] = None,
        configs: Union[str, Iterable[str], None] = None,
        name: Optional[str] = None,
        group: Optional[str] = None,
        *,
        memory_limit: Optional[int] = None,
    ) -> Ranking:
        """As spmvcast.rank, by this profile."""
        A = sparse_of(A)
        limit = self._memory_limit if memory_limit is None else memory_limit
        options, kept = _options(products, precision, cache, launch, place, risk, model, configs)
        ranking = safe_after_fork(lambda: self._rank(A, name, group, options, limit))
        del kept  # the texts that `options` points to
        return ranking

    def _rank(self, A: Any, name: Optional[str], group: Optional[str], options: c.RankOptions, memory_limit: int) -> Ranking:
        with Context(memory_limit) as context:
            notes, pattern = _describe(context, A, name, group)
            try:
                return self._ranking(context, pattern, options, notes + values_note(A, c.PRECISIONS[options.precision]))
            finally:
                context.call.pattern_free(pattern)

    def _ranking(self, context: Context, pattern: ctypes.c_void_p, options: c.RankOptions, notes: Tuple[str, ...]) -> Ranking:
        ranking = ctypes.c_void_p()
        status = context.call.rank(context.pointer, self._pointer, pattern, ctypes.byref(options), ctypes.byref(ranking))
        context.check(status)
        context.warn(6)
        try:
            rows, advice = _Reader(context, ranking).read()
        finally:
            context.call.ranking_free(ranking)
        return Ranking(
            rows=rows,
            advice=advice,
            matrix=_matrix_info(context, pattern),
            profile=self.name,
            device=self.device,
            precision=c.PRECISIONS[options.precision],
            cache=c.CACHES[options.cache],
            launch=c.LAUNCHES[options.launch],
            place=c.PLACES[options.place],
            products=max(options.products, 0),
            notes=notes,
        )


def _reopen(path: str, memory_limit: int) -> Profile:
    return Profile(path, memory_limit=memory_limit)


# ---- what goes in ----
def path_of(name: str, value: Any, expected: str) -> str:
    """Returns an argument that is a name or a path as a str."""
    try:
        return os.fsdecode(os.fspath(value))
    except TypeError:
        raise TypeError(f"{name} is of type {type(value).__name__}, expected {expected}") from None


def products_of(products: int) -> int:
    """Returns a number of products as the library takes it: 0, unlimited, is another number there."""
    return integer("products", products, 0, 10**15) or c.UNLIMITED


def risk_of(risk: Optional[float]) -> float:
    """Returns the risk as the library takes it: 0 for the default."""
    if risk is None:
        return 0.0
    if not isinstance(risk, (int, float, numbers.Real)):
        raise TypeError(f"risk is {risk!r}, expected a number")
    if not 0 <= risk <= 100:
        raise InvalidArgumentError(f"risk is {risk!r}, expected 0 to 100, or None for the default")
    return float(risk) or c.NO_RISK


def _options(
    products: int,
    precision: Precision,
    cache: Cache,
    launch: Launch,
    place: Place,
    risk: Optional[float],
    model: Optional[str],
    configs: Union[str, Iterable[str], None],
) -> Tuple[c.RankOptions, Any]:
    """Returns spmvcast_rank_options, and the texts that it points to."""
    named = [configs] if isinstance(configs, str) else [] if configs is None else list(configs)
    if configs is not None and not named:
        raise InvalidArgumentError("configs is empty; expected configurations, or None for all that the profile knows")
    texts = (ctypes.c_char_p * len(named))(*[encode("configs", text) for text in named])
    options = c.RankOptions(
        precision=one_of("precision", precision, c.PRECISIONS),
        cache=one_of("cache", cache, c.CACHES),
        launch=one_of("launch", launch, c.LAUNCHES),
        place=one_of("place", place, c.PLACES),
        products=products_of(products),
        risk=risk_of(risk),
        model=None if model is None else encode("model", model),
        configs=texts,
        nconfigs=len(named),
    )
    return options, texts


def _describe(context: Context, A: Any, name: Optional[str], group: Optional[str]) -> Tuple[Tuple[str, ...], ctypes.c_void_p]:
    """Returns notes on the conversion of the matrix, and its spmvcast_pattern."""
    if name is not None:
        encode("name", name)
    if group is None and name is not None and "/" in name:
        group = name.split("/")[0]
    arrays = arrays_of(A)
    pattern = ctypes.c_void_p()
    csr = arrays.struct(name, group)
    status = context.call.pattern_describe(context.pointer, ctypes.byref(csr), ctypes.byref(pattern))
    if status == c.INVALID_MATRIX:
        refused = error_of(context.library, status, decode(context.call.message(context.pointer)))
        in_order = ordered(arrays)
        if in_order is None:
            raise refused
        arrays = in_order
        csr = arrays.struct(name, group)
        status = context.call.pattern_describe(context.pointer, ctypes.byref(csr), ctypes.byref(pattern))
    context.check(status)
    return tuple(arrays.notes), pattern


def _matrix_info(context: Context, pattern: ctypes.c_void_p) -> MatrixInfo:
    info = c.PatternInfo()
    context.check(context.call.pattern_get_info(pattern, ctypes.byref(info)))
    return MatrixInfo(
        name=decode(info.name),
        rows=info.rows,
        cols=info.cols,
        nnz=info.nnz,
        row_min=info.row_min,
        row_max=info.row_max,
        row_mean=info.row_mean,
        row_sd=info.row_sd,
        pattern_id=decode(info.pattern_id),
    )


# ---- what comes out ----
# Values of members, by the kinds of FIELDS.
_READ: Dict[str, Callable[[Any], Any]] = {
    "text": decode,
    "whole": lambda n: n or None,
    "seconds": lambda s: s * 1e6,
    "real": float,
    "flag": bool,
    "spmvcast_row_status": c.ROW_STATUSES.__getitem__,
}


@dataclass
class _Reader:
    """Reads a whole ranking, which can then be freed."""

    context: Context
    ranking: ctypes.c_void_p

    def read(self) -> Tuple[Tuple[Row, ...], Advice]:
        call = self.context.call
        advice = c.Advice(row=c.NO_ROW, library_row=c.NO_ROW, stay_row=c.NO_ROW)
        status = call.ranking_advice(self.ranking, ctypes.byref(advice))
        if status != c.NO_ENTRY:
            self.context.check(status)
        found = [self._row(i, i == advice.row) for i in range(call.ranking_count(self.ranking))]
        at = [None if i == c.NO_ROW else found[i][0] for i in (advice.row, advice.library_row, advice.stay_row)]
        rows = tuple(row for row, requested in found if requested)
        return rows, Advice(text=decode(advice.text), row=at[0], library_row=at[1], stay_row=at[2], alike=advice.alike, why=None if at[0] is None else c.REASONS[advice.why])

    def _row(self, i: int, recommended: bool) -> Tuple[Row, bool]:
        """Returns a row, and whether it was asked for by `configs`."""
        row = c.Row()
        self.context.check(self.context.call.ranking_row(self.ranking, i, ctypes.byref(row)))
        known = row.least_bytes > 0
        read = Row(
            parameters=self._parameters(i),
            bandwidth_gbs=row.least_bytes / row.time_s * 1e-9 if known else math.nan,
            storage_mb=row.storage_bytes * 1e-6 if known else math.nan,
            recommended=recommended,
            terms_us=self._terms(i),
            **{name: _READ[kind](getattr(row, member)) for name, member, kind in FIELDS},
        )
        return read, bool(row.requested)

    def _parameters(self, i: int) -> Dict[str, str]:
        found: Dict[str, str] = {}
        key, value = ctypes.c_char_p(), ctypes.c_char_p()
        while self.context.call.ranking_parameter(self.ranking, i, len(found), ctypes.byref(key), ctypes.byref(value)) == c.OK:
            found[decode(key.value)] = decode(value.value)
        return found

    def _terms(self, i: int) -> Dict[str, float]:
        found: List[Tuple[str, float]] = []
        name, time_s = ctypes.c_char_p(), ctypes.c_double()
        while self.context.call.ranking_term(self.ranking, i, len(found), ctypes.byref(name), ctypes.byref(time_s)) == c.OK:
            found.append((decode(name.value), time_s.value * 1e6))
        return dict(found)


# ---- profiles by name ----
_lock = threading.Lock()
_opened: Dict[Tuple[Any, ...], Profile] = {}


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def _key(device: Optional[str]) -> Tuple[Any, ...]:
    """Returns what tells one profile from another: its name, or its file as it is now."""
    if device is None or not os.path.isfile(device):
        return (device, os.environ.get("XDG_DATA_HOME"), os.environ.get("HOME"))
    facts = os.stat(device)
    return (os.path.realpath(device), facts.st_mtime_ns, facts.st_size)


def profile_of(device: Union[Name, Profile, None], stacklevel: int) -> Profile:
    """Returns the profile of a name, which is opened once and kept."""
    if isinstance(device, Profile):
        return device
    expected = "a Profile, or the name or file of one, such as the `profile` of a Device, or None"
    name = None if device is None else path_of("device", device, expected)
    with _lock:
        key = _key(name)
        if key not in _opened:
            profile = Profile.__new__(Profile)
            profile._open(name, 0, stacklevel + 1)
            _opened[key] = profile
        return _opened[key]


def rank(
    A: Any,
    device: Union[Name, Profile, None] = "h200",
    products: int = 200,
    precision: Precision = "f64",
    cache: Cache = "warm",
    launch: Launch = "graph",
    place: Place = "gpu",
    risk: Optional[float] = None,
    model: Optional[str] = None,
    configs: Union[str, Iterable[str], None] = None,
    name: Optional[str] = None,
    group: Optional[str] = None,
    *,
    memory_limit: int = 0,
) -> Ranking:
    """Forecasts how long y = A x takes in every storage format and kernel configuration, and ranks them.

    A: a matrix or an array of scipy.sparse, of at most 2^31 - 1 rows and columns. CSR with int32 indices is read in place; other formats,
        int64 indices, unsorted rows and duplicates (which are summed) are converted in a copy, and the ranking's `notes` say so. Of
        the values, only how many distinct ones there are counts (of complex ones nothing). Do not change the matrix in another thread during the call.
    device: a Profile, or the name or file of one; None: this machine's GPU, else its CPU, else another GPU. A
        profile is opened once and kept.
    products: the number of products; configurations are ranked by the total time of conversion, preparation and so many products.
        0: by the time of one product.
    precision: "f64" or "f32", of values and vectors.
    cache: "warm", the same buffers in every product; "cold", caches hold other data.
    launch: "graph", kernels are nodes of a CUDA graph; "stream", launched back to back (warm only).
    place: "gpu", the CSR arrays are in GPU memory (and on the host); "host", only there.
    risk: weight of the interval's upper end in the recommendation, which minimizes time x (high / time)^risk.
    model: a name of spmv-predict -m; None: the default model of the profile.
    configs: return and recommend only these (places count all configurations); None: all that the profile knows.
    name, group: of the matrix, "HB/1138_bus" and "HB", by which forecasts recognize relatives that they were fitted to. Without `group`
        it is what precedes the "/" of the name.
    memory_limit: the most memory in bytes that the call may hold; 0: no limit.

    Raises TypeError if A is not sparse, and the subclasses of SpmvcastError."""
    opened = profile_of(device, 3)
    return opened.rank(
        A, products, precision, cache, launch, place, risk, model, configs, name, group, memory_limit=memory_limit
    )
