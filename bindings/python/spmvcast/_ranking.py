# SPDX-License-Identifier: BSD-3-Clause
"""The result of a ranking: rows, advice, tables; as HTML, for notebooks."""
from __future__ import annotations

import math
from collections import abc
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union, overload

from ._columns import Columns

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class MatrixInfo:
    """What the library found in the matrix."""

    name: str  # "" if none was given
    rows: int
    cols: int
    nnz: int
    row_min: int  # entries of the shortest row
    row_max: int
    row_mean: float
    row_sd: float
    pattern_id: str  # SHA-256 of the pattern, as spmv-info prints it


class Row(Columns):
    """A configuration and its forecast, with the columns of spmv-predict. Times are in microseconds; NaN is an unknown number, None the
    place of a row that is not ranked."""

    @property
    def interval_us(self) -> Tuple[float, float]:
        """The 90 % interval of the time."""
        return self.low_us, self.high_us


@dataclass(frozen=True)
class Advice:
    """The recommendation. Where there is none, `config`, `row` and `place` are None, and `text` says why."""

    text: str
    row: Optional[Row]
    library_row: Optional[Row]  # the best of cuSPARSE
    stay_row: Optional[Row]  # the best that leaves CSR as it is
    alike: int  # number of other rows within the uncertainty of the forecast
    why: Optional[str] = None  # fastest; sure: an extrapolated row may be faster; stay: one that converts may be, but is not likely to

    def __str__(self) -> str:
        return self.text

    def _number(self, name: str) -> float:
        return math.nan if self.row is None else float(getattr(self.row, name))

    def _text(self, name: str) -> str:
        return "" if self.row is None else str(getattr(self.row, name))

    @property
    def config(self) -> Optional[str]:
        return None if self.row is None else self.row.config

    @property
    def kernel(self) -> Optional[str]:
        return None if self.row is None else self.row.kernel

    @property
    def parameters(self) -> Mapping[str, str]:
        return {} if self.row is None else self.row.parameters

    @property
    def place(self) -> Optional[int]:
        return None if self.row is None else self.row.place

    @property
    def status(self) -> str:
        return self._text("status")

    @property
    def reason(self) -> str:
        return self._text("reason")

    @property
    def time_us(self) -> float:
        """The time of one product."""
        return self._number("time_us")

    @property
    def low_us(self) -> float:
        return self._number("low_us")

    @property
    def high_us(self) -> float:
        return self._number("high_us")

    @property
    def interval_us(self) -> Tuple[float, float]:
        """The 90 % interval of the time."""
        return self.low_us, self.high_us

    @property
    def convert_us(self) -> float:
        return self._number("convert_us")

    @property
    def prepare_us(self) -> float:
        return self._number("prepare_us")

    @property
    def total_us(self) -> float:
        return self._number("total_us")

    @property
    def total_low_us(self) -> float:
        return self._number("total_low_us")

    @property
    def total_high_us(self) -> float:
        return self._number("total_high_us")

    @property
    def speedup_vs_csr(self) -> float:
        return self._number("speedup_vs_csr")

    @property
    def breakeven_spmv(self) -> float:
        """Number of products after which it pays off against the best of cuSPARSE; NaN: never, or unknown."""
        return self._number("breakeven_spmv")

    @property
    def breakeven_stay_spmv(self) -> float:
        """The same against the best configuration that leaves CSR as it is."""
        return self._number("breakeven_stay_spmv")

    def __getattr__(self, name: str) -> float:
        """Gains and ends of intervals of the recommended row: gain_stay, gain_library, breakeven_low_spmv, ..."""
        if name.startswith(("gain_", "breakeven_")):
            return self._number(name)
        raise AttributeError(name)

    @property
    def library(self) -> Optional[str]:
        """The best configuration of cusparse-csr."""
        return None if self.library_row is None else self.library_row.config

    @property
    def stay(self) -> Optional[str]:
        """The best configuration that leaves CSR as it is."""
        return None if self.stay_row is None else self.stay_row.config


_LEFT_OUT = ("parameters", "terms_us")
UNITS = {"us": "us", "gbs": "10^9 bytes/s", "mb": "10^6 bytes"}


@dataclass(frozen=True, repr=False)
class Ranking(abc.Sequence[Row]):
    """The configurations for one matrix: those ranked by place, then the others. A sequence of rows. It needs nothing else: neither the
    matrix nor the profile."""

    rows: Tuple[Row, ...]
    advice: Advice
    matrix: MatrixInfo
    profile: str
    device: str  # the GPU that the profile was measured on
    precision: str
    cache: str
    launch: str
    place: str  # where the CSR arrays are
    products: int
    notes: Tuple[str, ...]  # how the matrix was converted

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Tuple[Row, ...]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Row, Tuple[Row, ...]]:
        return self.rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return self.advice.text

    def table(self) -> Dict[str, List[Any]]:
        """Returns the columns of spmv-predict by name, for pandas.DataFrame or other tables of columns. Unknown numbers are NaN, the
        place of a row that is not ranked is None."""
        columns = [f.name for f in fields(Row) if f.name not in _LEFT_OUT]
        table: Dict[str, List[Any]] = {name: [getattr(row, name) for row in self.rows] for name in columns}
        for name in ("precision", "cache", "launch", "profile"):
            table[name] = [getattr(self, name)] * len(self.rows)
        table["matrix"] = [self.matrix.name] * len(self.rows)
        return table

    def to_pandas(self) -> pandas.DataFrame:
        """Returns table() as a DataFrame; df.attrs has the units and the advice. Needs pandas."""
        import pandas

        frame = pandas.DataFrame(self.table())
        frame["place"] = frame["place"].astype("Int64")
        units = {name: UNITS.get(name.rsplit("_", 1)[-1], "") for name in frame.columns}
        frame.attrs.update(units=units, advice=self.advice.text)
        return frame

    def _repr_html_(self) -> str:
        return ranking_html(self)


_COLUMNS = ("time_us", "low_us", "high_us", "speedup_vs_csr", "convert_us", "prepare_us", "total_us", "breakeven_spmv")


def _digits(value: float) -> str:
    """Formats with four significant digits; "-" if unknown."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def _row(row: Row, columns: List[str]) -> str:
    mark = ("<b>", "</b>") if row.recommended else ("", "")
    cells = [f'<td style="text-align:right">{"-" if row.place is None else row.place}</td>']
    title = f' title="{escape(row.reason)}"' if row.reason else ""
    name = escape(row.config) + (" (recommended)" if row.recommended else "")
    cells.append(f'<td style="text-align:left"{title}>{mark[0]}{name}{mark[1]}</td>')
    cells += [f'<td style="text-align:right">{mark[0]}{_digits(getattr(row, c))}{mark[1]}</td>' for c in columns]
    cells.append(f'<td style="text-align:left">{escape(row.status)}</td>')
    return "<tr>" + "".join(cells) + "</tr>"


def _matrix(ranking: Ranking) -> str:
    m = ranking.matrix
    name = m.name + ": " if m.name else ""
    return f"{name}{m.rows} rows, {m.cols} columns, {m.nnz} nonzeros; profile {ranking.profile}: {ranking.device}"


def ranking_html(ranking: Ranking) -> str:
    """Returns the advice, the matrix, and a table with the recommended row and the best of each kernel; the other rows are counted."""
    shown = [r for r in ranking.rows if r.recommended or (r.best_of_kernel and r.place is not None)]
    columns = [c for c in _COLUMNS if c != "total_us" or ranking.products > 0]
    out = [f"<p>{escape(ranking.advice.text)}</p>", f"<p>{escape(_matrix(ranking))}</p>"]
    out += [f"<p>{escape(note)}</p>" for note in ranking.notes]
    if shown:
        head = "".join(f"<th>{escape(c)}</th>" for c in ["place", "config", *columns, "status"])
        out.append(f"<table><thead><tr>{head}</tr></thead><tbody>")
        out += [_row(row, columns) for row in shown]
        out.append("</tbody></table>")
    ranked = sum(r.place is not None for r in ranking.rows)
    out.append(
        f"<p>{ranked} configurations ranked, {len(shown)} shown: the best of each kernel; "
        f"{len(ranking.rows) - ranked} without a forecast</p>"
    )
    return "<div>" + "\n".join(out) + "</div>"
