# SPDX-License-Identifier: BSD-3-Clause
"""What was chosen for a matrix that is multiplied, how, and what it cost."""
from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Optional, Tuple

from . import _structs as c
from ._library import decode

_HOW = {"forecast": "by forecast", "rule": "by a rule of row lengths", "name": "by the caller", "trial": "by timing", "plan": "by a plan"}


@dataclass(frozen=True)
class ProductInfo:
    """How a Matrix is multiplied. Times are in seconds; NaN is an unknown number."""

    config: str  # for Matrix(config=...) of another matrix with this pattern
    kernel: str
    choice: str  # how it was chosen: "forecast", "rule" (by row lengths), "name" (by the caller), "trial" (timed), "plan"
    rows: int
    cols: int
    nnz: int
    precision: str  # "f64"
    time_s: float  # forecast of one product
    low_s: float  # of its 90 % interval
    high_s: float
    trial_s: float  # measured time of one product, by a trial
    # measured: copy to the device, check and features, choice, trials without it, conversion, preparation, last update
    upload_s: float
    examine_s: float
    choose_s: float
    try_s: float
    convert_s: float
    prepare_s: float
    update_s: float
    extra_bytes: int  # of device memory, besides the CSR arrays
    refers: bool  # M @ x uses the arrays of A, and shows values changed in place; M.T @ x does not (see Matrix)
    deterministic: bool  # the result has the same bits in every product from now on
    trying: bool  # trials go on in products; the other members are about the fastest candidate so far
    transposed_config: Optional[str]  # of the transposed matrix; None until the first product by it makes it
    transpose_s: float  # what that takes or took; before, this and the bytes are estimates
    transpose_bytes: int
    device: str  # "NVIDIA H200"
    profile: Optional[str]  # whose forecasts chose; None: see `reason`
    reason: str  # why there is no profile; ""
    notes: Tuple[str, ...]  # what was converted
    widened_bytes: int = 0  # memory of the matrix in float64 that the first product of a wider x made; 0: there is none

    @property
    def setup_s(self) -> float:
        """All that was measured besides products."""
        parts = (self.upload_s, self.examine_s, self.choose_s, self.try_s, self.convert_s, self.prepare_s)
        return math.fsum(part for part in parts if not math.isnan(part))

    @property
    def how(self) -> str:
        """How the configuration was chosen, in words."""
        without = self.choice == "rule" and self.profile is None
        return _HOW[self.choice] + (" (no profile of this device)" if without else "")


@dataclass(frozen=True)
class Trial:
    """A candidate of trials. Times are in seconds; NaN: none yet."""

    config: str
    reason: Optional[str]  # why it was left out or not timed; None: it was timed, or its turn comes
    products: int  # number of products timed
    time_s: float  # of one product: at creation their mean, in products their shortest
    setup_s: float  # conversion and preparation
    extra_bytes: int  # of device memory, besides the CSR arrays


def trial_of(trial: c.Trial) -> Trial:
    """Returns spmvcast_trial as a Trial."""
    members = {member[0]: getattr(trial, member[0]) for member in c.Trial._fields_[1:]}
    members.update(config=decode(trial.config), reason=None if trial.reason is None else decode(trial.reason))
    return Trial(**members)


def info_of(info: c.MatrixInfo, precision: str, device: str, profile: Optional[str], reason: str, notes: Tuple[str, ...]) -> ProductInfo:
    """Returns spmvcast_matrix_info as a ProductInfo."""
    members = {member[0]: getattr(info, member[0]) for member in c.MatrixInfo._fields_[1:]}
    members.update(
        config=decode(info.config),
        kernel=decode(info.kernel),
        choice=c.CHOICES[info.choice],
        refers=bool(info.refers),
        deterministic=bool(info.deterministic),
        trying=bool(info.trying),
        transposed_config=None if info.transposed_config is None else decode(info.transposed_config),
    )
    return ProductInfo(**members, precision=precision, device=device, profile=profile, reason=reason, notes=notes)


def duration(seconds: float) -> str:
    """Formats a time with three significant digits; "-" if unknown."""
    if math.isnan(seconds):
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def forecast_text(info: ProductInfo) -> str:
    """Returns the forecast and the measured time of a product; "" if both are unknown."""
    parts = []
    if not math.isnan(info.time_s):
        parts.append(f"forecast {duration(info.time_s)} a product (90 %: {duration(info.low_s)} to {duration(info.high_s)})")
    if not math.isnan(info.trial_s):
        parts.append(f"measured {duration(info.trial_s)}")
    return ", ".join(parts)


def setup_text(info: ProductInfo) -> str:
    """The parts of setup_s; copies and trials only if there were any."""
    parts = [
        ("copy", info.upload_s, False),
        ("check", info.examine_s, True),
        ("choice", info.choose_s, True),
        ("trials", info.try_s, False),
        ("conversion", info.convert_s, True),
        ("preparation", info.prepare_s, True),
    ]
    return ", ".join(f"{name} {duration(part)}" for name, part, always in parts if always or part > 0)


def info_text(info: ProductInfo) -> str:
    """Returns what was chosen, how, and what it cost, in two lines."""
    times = forecast_text(info)
    return (
        f"{info.rows} x {info.cols}, {info.nnz} entries, {info.precision}, on {info.device}: {info.config}, chosen {info.how}"
        + (f"; {times}" if times else "")
        + f"\nsetup {duration(info.setup_s)}: {setup_text(info)}; "
        + f"{info.extra_bytes * 1e-6:.3g} MB besides the CSR arrays"
    )


def product_html(info: ProductInfo) -> str:
    """Returns what was chosen, how, and a table of what it cost."""
    first, _ = info_text(info).split("\n")
    out = [f"<p>Matrix: {escape(first)}</p>"] + [f"<p>{escape(note)}</p>" for note in info.notes]
    costs = [(n[:-2], getattr(info, n)) for n in ("upload_s", "examine_s", "choose_s", "try_s", "convert_s", "prepare_s", "update_s")]
    rows = [*costs, ("setup", info.setup_s), ("forecast of a product", info.time_s), ("measured product", info.trial_s)]
    cells = "".join(
        f'<tr><td style="text-align:left">{name}</td><td style="text-align:right">{duration(time_s)}</td></tr>'
        for name, time_s in rows
        if time_s == time_s and time_s > 0
    )
    return "<div>" + "\n".join([*out, f"<table><tbody>{cells}</tbody></table>"]) + "</div>"
