# SPDX-License-Identifier: BSD-3-Clause
"""Rankings and matrices as HTML, for notebooks."""
from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, List

from ._product_info import duration, info_text

if TYPE_CHECKING:
    from ._product_info import ProductInfo
    from ._ranking import Ranking, Row

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
