# SPDX-License-Identifier: BSD-3-Clause
"""Plans: a matrix cut into blocks of rows, each in a configuration of its own."""
from __future__ import annotations

import ctypes
import os
import weakref
from dataclasses import dataclass
from typing import Any, Iterable, List, Optional, Tuple, Union

from . import _structs as c
from ._errors import InvalidArgumentError
from ._library import Context, decode, encode, error_of, integer, load, one_of, safe_after_fork
from ._matrix import arrays_of
from ._tensors import sparse_of
from ._profile import Profile, hdf5_lock, path_of, products_of, profile_of, risk_of
from ._words import Cache, Place, Precision


@dataclass(frozen=True)
class Block:
    """Rows first_row to first_row + rows - 1. Times are in seconds; NaN: no forecast."""

    first_row: int
    rows: int
    nnz: int  # negative: unknown
    config: str
    time_s: float  # forecast of one product
    low_s: float  # of its 90 % interval
    high_s: float


def _pairs_of(blocks: Any) -> List[Tuple[int, str]]:
    try:
        given = list(blocks)
    except TypeError:
        raise TypeError(f"blocks is {blocks!r}, expected pairs of a number of rows and a configuration") from None
    pairs = []
    for i, block in enumerate(given):
        try:
            rows, config = block
        except (TypeError, ValueError):
            raise TypeError(f"blocks[{i}] is {block!r}, expected a pair of a number of rows and a configuration") from None
        pairs.append((rows, config))
    return pairs


class Plan:
    """Blocks of rows for Matrix(A, plan=...). `blocks`: pairs of a number of rows and a configuration, in the order of the rows.
    parallel: the blocks run side by side, which needs a GPU. Plan.make plans with forecasts, Plan.open reads a file of spmv-plan."""

    blocks: Tuple[Block, ...]
    text: str  # "plan:exec=serial,blocks=3"
    parallel: bool
    rows: int
    cols: Optional[int]  # None: unknown
    nnz: Optional[int]
    time_s: float  # forecast of one product; NaN: none
    low_s: float
    high_s: float
    single_s: float  # forecast of the best configuration for all rows

    def __init__(self, blocks: Iterable[Tuple[int, str]], *, parallel: bool = False) -> None:
        given, first = _pairs_of(blocks), 0
        array = (c.Block * len(given))()
        for i, (block, (rows, config)) in enumerate(zip(array, given)):
            block.size, block.first_row, block.nnz = ctypes.sizeof(c.Block), first, -1
            block.rows = integer(f"the number of rows of blocks[{i}]", rows, 1, 2**31 - 1)
            block.config = encode(f"the configuration of blocks[{i}]", config)
            first += block.rows
        with Context() as context:
            pointer = ctypes.c_void_p()
            context.check(context.call.plan_create(context.pointer, array, len(given), bool(parallel), ctypes.byref(pointer)))
            self._take(pointer)

    @classmethod
    def open(cls, path: Union[str, "os.PathLike[str]"]) -> Plan:
        """Reads a plan that spmv-plan -o wrote."""
        plan, pointer = cls.__new__(cls), ctypes.c_void_p()
        with Context() as context:
            with hdf5_lock():
                status = context.call.plan_open(context.pointer, encode("path", path_of("path", path, "a file of spmv-plan")), ctypes.byref(pointer))
            context.check(status)
            plan._take(pointer)
        return plan

    @classmethod
    def make(
        cls,
        A: Any,
        device: Union[str, "os.PathLike[str]", Profile, None] = None,
        *,
        precision: Precision = "f64",
        cache: Cache = "warm",
        parallel: bool = False,
        always: bool = False,
        model: Optional[str] = None,
        name: Optional[str] = None,
        group: Optional[str] = None,
        products: int = 200,
        place: Place = "gpu",
        risk: Optional[float] = None,
    ) -> Plan:
        """Cuts a sparse matrix of scipy so that the total forecast time is minimal, as spmv-plan does; one block, if splitting gains
        nothing. device, products, place, risk: as in spmvcast.rank. always: split if there is any gain; else only if it exceeds the
        forecasts' uncertainty."""
        options = c.PlanOptions(
            precision=one_of("precision", precision, c.PRECISIONS),
            cache=one_of("cache", cache, c.CACHES),
            parallel=bool(parallel),
            always=bool(always),
            model=None if model is None else encode("model", model),
            place=one_of("place", place, c.PLACES),
            products=products_of(products),
            risk=risk_of(risk),
        )
        plan, pointer, arrays, profile = cls.__new__(cls), ctypes.c_void_p(), arrays_of(sparse_of(A)), profile_of(device, 3)

        def search() -> None:
            csr = arrays.struct(name, group)
            with Context() as context:
                status = context.call.plan_make(
                    context.pointer, profile._pointer, ctypes.byref(csr), ctypes.byref(options), ctypes.byref(pointer)
                )
                context.check(status)

        safe_after_fork(search)
        plan._take(pointer)
        return plan

    def _take(self, pointer: ctypes.c_void_p) -> None:
        """Takes over a plan of the library."""
        call = load().call
        self._pointer = pointer
        weakref.finalize(self, call.plan_free, pointer)
        info = c.PlanInfo()
        status = call.plan_get_info(pointer, ctypes.byref(info))
        if status != c.OK:
            raise error_of(load(), status, "")
        self.text, self.parallel, self.rows = decode(info.text), bool(info.parallel), info.rows
        self.cols, self.nnz = (None if n < 0 else n for n in (info.cols, info.nnz))
        self.time_s, self.low_s, self.high_s, self.single_s = info.time_s, info.low_s, info.high_s, info.single_s
        self.blocks = tuple(self._block(i) for i in range(info.blocks))

    def _block(self, i: int) -> Block:
        block = c.Block()
        if load().call.plan_get_block(self._pointer, i, ctypes.byref(block)) != c.OK:
            raise InvalidArgumentError(f"the plan has no block {i}")
        members = {member[0]: getattr(block, member[0]) for member in c.Block._fields_[1:]}
        members["config"] = decode(block.config)
        return Block(**members)

    def __repr__(self) -> str:
        lines = [f"rows {b.first_row} to {b.first_row + b.rows - 1}: {b.config}" for b in self.blocks]
        return "\n".join([f"Plan: {self.text}", *lines])
