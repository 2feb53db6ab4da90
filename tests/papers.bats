#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The papers of the tree, from the archives of the H200. Figures of guo2014 and wang2017: fitted lines are those of the profile, and no cell is
# dropped. Tables of ashari2014 and choi2010: cells of a fit, lists of matrices, stand-ins that are measured, widths without coarsening.
# bats file_tags=long
bats_require_minimum_version 1.5.0
load helpers
load paper

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    spmv-reproduce -q --profile "$ROOT/results/h200/profile.h5" -o out all > summary.tsv
}
setup() { cd "$BATS_FILE_TMPDIR"; }
is() { [ "$1" = "$2" ] || { echo "got \"$1\", expected \"$2\""; return 1; }; }

@test "paper lines: Fig. 5 of guo2014 has its ten strips, and its line is that of the coefficients" {
    [ "$(grep -v "^#" out/guo2014/fig5a.tsv | cut -f4 | tail -n +2 | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 9 10 " ]
    spmv-query "SELECT value FROM coefficients WHERE model = 'guo2014' AND key = 'E''_below' AND precision = 'f32' AND cache = 'warm'
        AND launch = 'graph' AND config = 'csr-vector:lanes=32,rows=1,block=128' ORDER BY \"index\"" --digits 12 "$ROOT/results/h200/profile.h5" |
        grep -v '^[#v]' > line
    plain_python - <<< '
import csv
a, b = (float(v) for v in open("line"))
for r in csv.DictReader((l for l in open("out/guo2014/fig5a.tsv") if l[0] != "#"), delimiter="\t"):
    assert abs(float(r["fit_us"]) / (1e6 * (a + b * float(r["strips"]))) - 1) < 1e-3, r
    assert r["in_fit"] == "line" and r["p"] == "4", r'
}

@test "paper lines: a slope is that of its cells; a ratio of errors is a / b; ratios of columns start at 1" {
    plain_python - <<< '
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
columns = sorted(rows("guo2014/columns-ell"), key=lambda r: (int(r["rows"]), int(r["cols"])))
assert len(columns) >= 8, columns
for i, r in enumerate(columns):
    first = r if i == 0 or r["rows"] != columns[i - 1]["rows"] else first
    assert abs(float(r["ratio"]) * float(first["measured_us"]) / float(r["measured_us"]) - 1) < 1e-3, r'
}

@test "paper lines: measured points and fitted lines have a legend" {
    grep -q '>measured<' out/guo2014/fig5a.svg
    grep -q '>fitted line<' out/guo2014/fig5a.svg
    grep -q '>(points: measured; lines: fitted)<' out/guo2014/fig6-cells.svg
}

@test "papers: times that the fit is solved for are anchors, cells outside its range are beyond it" {
    is "$(cell out/choi2010/fig10.tsv cell | sort | uniq -c | xargs)" "4 anchor 3 beyond 21 test"
    # one step, and b = 100 steps with 1, T = 32 and T + 1 thread blocks on each of 132 SMs (choi2010, eqs. 15 to 17)
    is "$(cell out/choi2010/fig10.tsv thread_blocks cell=anchor | sort -n | xargs)" "132 132 4224 4356"
    is "$(cell out/choi2010/fig10.tsv n cell=beyond | sort -n | xargs)" "165 661 5295"
}

@test "papers: a stand-in may be a measured matrix; a list of matrices selects by name" {
    is "$(cell out/ashari2014/matrices.tsv used matrix=WIN),$(cell out/ashari2014/matrices.tsv source matrix=WIN)" derived/drv_pwt_6dof,stand-in
    is "$(cell out/ashari2014/table4.tsv k matrix=WIN),$(cell out/ashari2014/table4.tsv printed_k matrix=WIN)" 54,54
    # Dense has no place among the matrices with dense blocks (choi2010, 6.6)
    is "$(cell out/choi2010/fig13.tsv matrix | grep -c 'Dense\|/' || :)" 0
    is "$(cell out/choi2010/fig13.tsv configs | sort -u)" 44
    rm -rf bad; mkdir bad; cp -r "$ROOT/papers/choi2010" bad/
    sed -i 's/Wind_Tunnel/Wind_Tunnels/' bad/choi2010/figures.tsv
    run -1 --separate-stderr spmv-reproduce --papers bad --profile "$ROOT/results/h200/profile.h5" -o bad/out choi2010
    [[ "$stderr" == "spmv-reproduce: bad/choi2010/figures.tsv:"*"Wind_Tunnels"*"names of matrices.tsv separated by ','"* ]]
}

@test "papers: near-optimal is within 15 % of an exhaustive search in each claim of choi2010" {
    is "$(awk -F "\t" "/near-optimal/ { print \$9 ~ />=/ ? \$9 : \$10 }" "$ROOT/papers/choi2010/claims.tsv" | tr -dc "0-9\n" | sort | uniq -c | xargs)" "3 85"
}

@test "papers: claims of guo2014 on plans that are cut rest on these plans alone" {
    is "$(cell out/guo2014/table3.tsv blocks | sort -u),$(cell out/guo2014/table3.tsv cut | sort -u)" 1,no
    for claim in gain-csr gain-coo gain-hyb two-blocks; do
        is "$claim $(cell out/guo2014/claims.tsv verdict id=$claim)" "$claim cannot be tested"
    done
    rm -rf cuts && mkdir cuts && cp -r "$ROOT/papers/guo2014" cuts/
    sed -i '/^table3\t/s/model=guo2014/model=physics-gp/' cuts/guo2014/figures.tsv # whose plans cut matrices outside the paper
    spmv-reproduce -q --papers cuts --profile "$ROOT/results/h200/profile.h5" -o cuts/out guo2014 > /dev/null
    [[ "$(cell cuts/out/guo2014/claims.tsv reason id=two-blocks)" =~ "; on "[1-9][0-9]*" other matrices: 2.00 " ]]
}

@test "papers: widths compare the rule and the search that the figure names" {
    is "$(cell out/ashari2014/fig6-b2.tsv rule_b2 matrix=PRO precision=f64)" "$(cell out/ashari2014/table1-b2.tsv rule_b2 matrix=PRO precision=f64)"
    awk -F '\t' 'FNR > 1 && !/^#/ && $NF > 100 { exit 1 }' out/ashari2014/fig6-b2.tsv out/ashari2014/table1-b2.tsv
}

@test "reproduce: the papers of the tree: committed tables equal what the command makes" {
    local paper
    for paper in out/*/; do
        paper=$(basename "$paper")
        is "$(cell out/$paper/claims.tsv verdict | sort | uniq -c | xargs)" \
            "$(awk -F'\t' -v p="$paper" 'BEGIN { split("as printed:5,cannot be tested:9,does not hold:4,holds:3,larger here:7,smaller here:6,undecided:8", v, ",") }
                $1 == p { for (i = 1; i <= 7; i++) { split(v[i], w, ":"); if ($w[2]) printf "%d %s ", $w[2], w[1] } }' summary.tsv | xargs)"
    done
    # the committed tables are of another run
    local committed="$ROOT/results/h200/reproduce"
    if [ ! -d "$committed" ]; then
        spmv-reproduce -q --profile "$ROOT/results/h200/profile.h5" -o second all > /dev/null
        diff -r out second
        skip "results/h200/reproduce does not exist yet (make reproduce PAPER=all)"
    fi
    local file
    for file in claims.tsv evidence.tsv matrices.tsv; do
        for paper in out/*/; do
            cmp "$committed/$(basename "$paper")/$file" "$paper/$file"
        done
    done
}

@test "reproduce: with a collection the tables of the archived H200 stay those of its archives" {
    mkdir -p tree/bin
    cp -r "$ROOT/scripts" tree/
    printf '#!/bin/sh\necho "$@"\n' > tree/bin/spmv-reproduce
    chmod +x tree/bin/spmv-reproduce
    run -0 --separate-stderr tree/scripts/reproduce.sh toy h200 files
    [ "$output" = "--profile $PWD/tree/results/h200/profile.h5 --collection files -o $PWD/tree/results/local/reproduce/h200 toy" ]
    [[ "$stderr" == "# with a collection tables and pages go to $PWD/tree/results/local/reproduce/h200; "*"stay in $PWD/tree/results/h200/reproduce"* ]]
    run -0 --separate-stderr tree/scripts/reproduce.sh toy h200
    [ "$output" = "--profile $PWD/tree/results/h200/profile.h5 toy" ]
    run -0 --separate-stderr tree/scripts/reproduce.sh toy mine files
    [ "$output" = "--profile mine --collection files toy" ]
}
