# SPDX-License-Identifier: BSD-3-Clause
"""Rankings as sequences, tables, DataFrames and HTML; the advice."""
import copy
import math
import pickle
import re
from html.parser import HTMLParser

import pytest
import spmvcast


@pytest.fixture
def ranking(A):
    return spmvcast.rank(A, products=200, name="group/<b>name&\"'")


def test_a_ranking_is_a_sequence_of_rows(ranking):
    assert len(ranking) == len(list(ranking)) == len(ranking.rows) > 50
    assert ranking[0].place == 1 and ranking[-1] is ranking.rows[-1] and ranking[:2] == ranking.rows[:2]
    assert ranking[0] in ranking and isinstance(ranking[0], spmvcast.Row)
    with pytest.raises(IndexError):
        ranking[len(ranking)]
    places = [r.place for r in ranking]
    ranked = [p for p in places if p is not None]
    assert ranked == list(range(1, len(ranked) + 1)) and places[len(ranked) :] == [None] * (len(places) - len(ranked))


def test_rows(ranking):
    row = ranking.advice.row
    assert row.recommended and [r for r in ranking if r.recommended] == [row]
    assert row.low_us < row.time_us < row.high_us and row.interval_us == (row.low_us, row.high_us)
    assert row.total_us == pytest.approx(row.convert_us + row.prepare_us + 200 * row.time_us)
    assert sum(row.terms_us.values()) == pytest.approx(row.time_us, rel=1e-6)
    assert row.config == row.kernel + ":" + ",".join(f"{k}={v}" for k, v in row.parameters.items())
    refused = [r for r in ranking if r.status == "na"]
    assert refused and all(r.place is None and math.isnan(r.time_us) and r.reason for r in refused)
    with pytest.raises(AttributeError):
        row.place = 2


def test_units_are_microseconds(ranking):
    assert 0.5 < ranking[0].time_us < 50
    assert f"{ranking.advice.total_us:.0f} us (" in ranking.advice.text


def test_advice(ranking):
    advice = ranking.advice
    assert repr(ranking) == str(advice) == advice.text
    assert advice.text.startswith(f"f64, warm: use {advice.config}; ")
    for name in ("config", "kernel", "parameters", "place", "time_us", "low_us", "high_us", "interval_us", "convert_us", "prepare_us",
                 "total_us", "total_low_us", "total_high_us", "speedup_vs_csr", "breakeven_spmv", "status", "reason"):
        assert getattr(advice, name) == getattr(advice.row, name), name
    assert advice.library.startswith("cusparse-") and advice.library == advice.library_row.config
    assert advice.stay_row.convert_us == 0 and advice.stay == advice.stay_row.config
    assert f"{advice.alike} others are within its uncertainty" in advice.text


def test_advice_without_a_recommendation(A):
    ranking = spmvcast.rank(A, configs="ell")
    assert len(ranking) == 1 and ranking.advice.row is None and ranking.advice.config is None
    assert ranking.advice.text.startswith("f64, warm: ell:") and math.isnan(ranking.advice.breakeven_spmv)
    assert ranking.advice.library_row.kernel.startswith("cusparse-")


def test_arguments_are_kept(A):
    ranking = spmvcast.rank(A, "h200", 3, "f32", "cold", place="host", name="x")
    assert (ranking.precision, ranking.cache, ranking.launch, ranking.place) == ("f32", "cold", "graph", "host")
    assert (ranking.products, ranking.profile, ranking.device, ranking.matrix.name) == (3, "h200", "NVIDIA H200", "x")
    assert spmvcast.rank(A, launch="stream").launch == "stream"


def test_relatives_are_recognized_by_the_group_of_the_name(A, monkeypatch):
    from spmvcast import _matrix

    seen = []
    struct = _matrix.CsrArrays.struct
    monkeypatch.setattr(_matrix.CsrArrays, "struct", lambda self, name, group: seen.append((name, group)) or struct(self, name, group))
    spmvcast.rank(A, name="HB/x")
    spmvcast.rank(A, name="HB/x", group="other")
    spmvcast.rank(A, name="x")
    spmvcast.rank(A)
    assert seen == [("HB/x", "HB"), ("HB/x", "other"), ("x", None), (None, None)]


def test_table(ranking, program):
    table = ranking.table()
    assert {len(column) for column in table.values()} == {len(ranking)}
    shown = program("spmv-predict", "-q", "--profile", "h200", "stencil:points=5,n=30").splitlines()
    header = next(line for line in shown if line.startswith("place\t"))
    assert set(header.split("\t")) <= set(table)
    assert table["config"] == [r.config for r in ranking] and set(table["profile"]) == {"h200"}


def test_pandas(ranking):
    pandas = pytest.importorskip("pandas")
    frame = ranking.to_pandas()
    assert list(frame.columns) == list(ranking.table()) and len(frame) == len(ranking)
    assert frame["place"].isna().sum() == sum(r.place is None for r in ranking) and frame["place"].max() >= 20
    assert frame["time_us"].dtype == float and frame["time_us"].isna().sum() == frame["place"].isna().sum()
    assert frame["recommended"].dtype == bool and frame[frame.recommended].config.item() == ranking.advice.config
    assert frame.attrs["units"]["time_us"] == "us" and frame.attrs["units"]["config"] == "" and frame.attrs["advice"] == repr(ranking)
    assert pandas.DataFrame(ranking.table()).shape == frame.shape


def test_copies(ranking):
    for other in (pickle.loads(pickle.dumps(ranking)), copy.deepcopy(ranking)):
        assert repr(other) == repr(ranking) and [r.config for r in other] == [r.config for r in ranking]


class Table(HTMLParser):
    """Collects the tags, and the text of each cell and paragraph."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.rows, self.texts, self.open = [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "p":
            self.texts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data
        elif self.open and self.open[-1] == "p":
            self.texts[-1] += data


def test_html(ranking):
    page = Table(ranking._repr_html_())
    assert page.open == [] and page.texts[0] == ranking.advice.text
    assert page.texts[1].startswith("group/<b>name&\"': 200 rows, 200 columns, ")
    marked = [row for row in page.rows if row[1].endswith(" (recommended)")]
    assert len(marked) == 1 and marked[0][1] == ranking.advice.config + " (recommended)"
    best = [r for r in ranking if (r.best_of_kernel and r.place) or r.recommended]
    assert [row[0] for row in page.rows[1:]] == [str(r.place) for r in best]
    ranked = sum(r.place is not None for r in ranking)
    assert f"{ranked} configurations ranked, {len(best)} shown" in page.texts[-1]
    assert f"{len(ranking) - ranked} without a forecast" in page.texts[-1]
    assert "nan" not in ranking._repr_html_()


def test_html_is_escaped(ranking):
    bad = "</td><script>alert(1)</script>&'\""
    row = copy.replace(ranking.rows[0], config=bad, reason=bad, status=bad) if hasattr(copy, "replace") else spmvcast.Row(**{**vars(ranking.rows[0]), "config": bad, "reason": bad, "status": bad})
    advice = spmvcast.Advice(bad, row, None, None, 0)
    matrix = spmvcast.MatrixInfo(**{**vars(ranking.matrix), "name": bad})
    html = spmvcast.Ranking(**{**vars(ranking), "rows": (row,), "advice": advice, "matrix": matrix, "notes": (bad,), "device": bad})._repr_html_()
    assert "script" not in Table(html).tags and not re.search(r"<script|alert\(1\)</s", html)
    assert html.count("&lt;script&gt;") >= 6


def test_html_shows_totals_only_for_a_number_of_products(A):
    assert "total_us" in spmvcast.rank(A, products=1)._repr_html_()
    assert "total_us" not in spmvcast.rank(A, products=0)._repr_html_()


def test_html_shows_notes(A):
    assert "converted from csc to csr" in spmvcast.rank(A.tocsc())._repr_html_()
