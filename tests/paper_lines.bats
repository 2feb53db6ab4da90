#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Figures of guo2014 and wang2017 from the archives of the H200: fitted lines are those of the profile, and no cell is dropped.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    spmv-reproduce -q --profile "$ROOT/results/h200/profile.h5" -o out guo2014 wang2017 > /dev/null
}
setup() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
}

@test "paper lines: Fig. 5 of guo2014 has nine of its ten strips, and its line is that of the coefficients" {
    # strip 3 was measured as a cell of guo2014-regimes
    [ "$(grep -v "^#" out/guo2014/fig5a.tsv | cut -f4 | tail -n +2 | tr '\n' ' ')" = "1 2 4 5 6 7 8 9 10 " ]
    spmv-query "SELECT value FROM coefficients WHERE model = 'guo2014' AND key = 'E''_below' AND precision = 'f32' AND cache = 'warm'
        AND launch = 'graph' AND config = 'csr-vector:lanes=32,rows=1,block=128' ORDER BY \"index\"" --digits 12 "$ROOT/results/h200/profile.h5" |
        grep -v '^[#v]' > line
    python3 - <<< '
import csv
a, b = (float(v) for v in open("line"))
for r in csv.DictReader((l for l in open("out/guo2014/fig5a.tsv") if l[0] != "#"), delimiter="\t"):
    assert abs(float(r["fit_us"]) / (1e6 * (a + b * float(r["strips"]))) - 1) < 1e-3, r
    assert r["in_fit"] == "line" and r["p"] == "4", r'
}

@test "paper lines: a slope is that of its cells; a ratio of errors is a / b; ratios of columns start at 1" {
    python3 - <<< '
import csv
def rows(name): return list(csv.DictReader((l for l in open("out/" + name + ".tsv") if l[0] != "#"), delimiter="\t"))
cells = rows("guo2014/fig6-cells")
for r in rows("guo2014/fig6"):
    own = [(float(c["p"]), float(c["measured_us"])) for c in cells if c["strips"] == r["strips"]]
    mp, mt = (sum(v[i] for v in own) / len(own) for i in (0, 1))
    slope = sum((p - mp) * (t - mt) for p, t in own) / sum((p - mp) ** 2 for p, t in own)
    assert len(own) == int(r["cells"]) and abs(float(r["slope_us"]) / slope - 1) < 2e-3, r
for r in rows("wang2017/wins-all-normal"):
    if r["ratio"] != "-" and float(r["b_error_percent"]) > 0.1:
        assert abs(float(r["ratio"]) / (float(r["a_error_percent"]) / float(r["b_error_percent"])) - 1) < 0.02, r
columns = sorted(rows("guo2014/columns-ell"), key=lambda r: int(r["cols"]))
assert len(columns) == 8 and float(columns[0]["ratio"]) == 1 and len({r["rows"] for r in columns}) == 1, columns'
}

@test "paper lines: measured points and fitted lines have a legend" {
    grep -q '>measured<' out/guo2014/fig5a.svg
    grep -q '>fitted line<' out/guo2014/fig5a.svg
    grep -q '>(points: measured; lines: fitted)<' out/guo2014/fig6-cells.svg
}
