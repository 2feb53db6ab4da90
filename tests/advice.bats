#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What following the advice costs, as spmv-verify counts it from archives of forecasts.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR" || return; }

@test "advice: totals, ratios, shares and gains as counted another way, for every risk and place of the matrix" {
    need_python
    "$PYTHON" "$ROOT/tests/advice.py" make 11 > text
    "$BUILD/forecasts" f.h5 < text
    for risk in 0 0.2 3; do
        for place in gpu host; do
            spmv-verify --table advice --set all --json --risk $risk --matrix-on $place f.h5 > table.json
            "$PYTHON" "$ROOT/tests/advice.py" compare text $risk $place < table.json
        done
    done
    spmv-verify --table advice --set all --risk 0 f.h5 > table.tsv
    grep -qF "# 4 cases without measured or forecast costs: not chosen where they count, nor compared with" table.tsv || { grep "^#" table.tsv; false; }
}

# bats test_tags=quick
@test "advice: worked out by hand" {
    {
        echo "state 0"
        echo "case i G/a F csr-vector:lanes=8,rows=1,block=128 csr-vector f64 warm graph resident 0 1000 10 0"
        echo "case i G/a F ell:lanes=1,block=256 ell f64 warm graph resident 0 1000 5 0"
        echo "case i G/a F cusparse-csr:alg=1,pre=0 cusparse-csr f64 warm graph resident 0 1000 20 0"
        echo "of 0 m all 1 0 0 9 nan nan 0"
        echo "of 1 m all 1 0 0 4 nan nan 0"
        echo "of 2 m all 1 0 0 30 nan nan 0"
        # build, copy, build there, preparation: measured, then forecast
        echo "cost 0 1 1 1 2 1 1 1 2"
        echo "cost 1 40 60 298 2 40 60 58 2"
        echo "cost 2 1 1 1 6 1 1 1 6"
    } > text
    "$BUILD/forecasts" f.h5 < text
    spmv-verify --table advice --json f.h5 > t.json
    need_python
    "$PYTHON" - <<'P'
import json
r = {(x["advice"], x["iterations"]): x for x in json.load(open("t.json"))["rows"]}
near = lambda a, b: abs(a / b - 1) < 1e-9
# 12 against 305; 102 against 350; ell from 60 on by its measured costs, from 12 on by the forecast: taken at 100 (and not at 10)
for n, pick, best, library in ((0, 5, 5, 20), (1, 12, 12, 26), (10, 102, 102, 206), (100, 800, 800, 2006), (1000, 5300, 5300, 20006)):
    x = r["m", n]
    assert near(x["ratio"], pick / best) and near(x["times_library"], library / pick) and x["slower_percent"] == 0, x
    assert near(r["always cusparse-csr, best", n]["ratio"], library / best)
    assert r["always cusparse-csr, pre=1", n]["ratio"] is None and r["always cusparse-csr, pre=1", n]["unknown"] == 1
P
    # on the host ell is built there and copied: 100, and csr costs its copy
    spmv-verify --table advice --matrix-on host --json f.h5 | "$PYTHON" -c '
import json, sys
r = {(x["advice"], x["iterations"]): x for x in json.load(sys.stdin)["rows"]}
assert abs(r["m", 10]["times_library"] / (207 / 103) - 1) < 1e-9 and abs(r["m", 100]["times_library"] / (2007 / 602) - 1) < 1e-9'
}

# bats test_tags=quick
@test "costs: errors of forecasts beside the kernel's median and its time per nonzero; CSR kernels build nothing" {
    need_python
    "$PYTHON" "$ROOT/tests/advice.py" make 5 > text
    "$BUILD/forecasts" f.h5 < text
    spmv-verify --table costs --set all --json f.h5 > t.json
    "$PYTHON" - <<'P'
import json, math, statistics
rows = json.load(open("t.json"))["rows"]
assert {r["kernel"] for r in rows if r["cost"] == "device_build"} == {"all", "ell", "sell"}
assert {r["kernel"] for r in rows if r["cost"] == "build"} == {"all", "ell", "bro", "sell"}
nnz, case, cost = {}, [], []
for line in open("text"):
    w = line.split()
    if w[0] == "case":
        case.append((w[5], int(w[10]), int(w[11])))
    elif w[0] == "cost":
        cost.append((case[int(w[1])], [float(v) for v in w[2:6]], [float(v) for v in w[6:]]))
for r in rows:
    k, sealed = ["build", "upload", "device_build", "prepare"].index(r["cost"]), int(r["set"] == "sealed")
    builds_nothing = lambda kernel: k in (0, 2) and kernel.startswith(("csr-", "cusparse-csr"))
    of = [(c, m[k], f[k]) for c, m, f in cost if c[1] == sealed and r["kernel"] in ("all", c[0]) and not math.isnan(m[k]) and not builds_nothing(c[0])]
    error = sorted(100 * abs(f / m - 1) for _, m, f in of)
    assert r["times"] == len(of) and abs(r["mean_percent"] - statistics.mean(error)) < 0.1, r
    assert abs(r["median_percent"] - statistics.median(error)) < 0.1, (r, statistics.median(error))
    middle, rate = statistics.median(m for _, m, _ in of), statistics.median(m / c[2] for c, m, _ in of)
    assert abs(r["constant_percent"] - statistics.median(100 * abs(middle / m - 1) for _, m, _ in of)) < 0.1
    assert abs(r["per_nonzero_percent"] - statistics.median(100 * abs(rate * c[2] / m - 1) for c, m, _ in of)) < 0.1
P
}

# bats test_tags=quick
@test "advice and costs: archives without costs, run archives, groups across contests: refused with the way out" {
    "$BUILD/forecasts" old.h5 < "$ROOT/tests/forecasts.txt"
    for t in advice costs; do
        run -1 --separate-stderr spmv-verify --table $t old.h5
        [ -z "$output" ]
        [[ "$stderr" == *"old.h5 has no costs of conversion and preparation"*"make crossvalidate"* ]]
    done
    printf '%s\n' "state 0" "case i G/a F ell:lanes=1,block=256 ell f64 warm graph resident 0 1000 5 0" "of 0 m all 1 0 0 4 nan nan 0" "cost 0 40 60 298 2 40 60 58 2" > text
    "$BUILD/forecasts" f.h5 < text
    run -2 --separate-stderr spmv-verify --table advice --by kernel f.h5
    [[ "$stderr" == *"--by kernel: contests hold cases of several"* ]]
    sed 's/^cost 0 40/cost 0 -40/; s/^cost 0 /cost 7 /' text | sed 's/-40/40/' > bad
    run -1 --separate-stderr "$BUILD/forecasts" bad.h5 < bad
    [[ "$stderr" == *"table costs, row 0: case_index 7, table cases has 1 rows"* ]]
    sed 's/^cost 0 40/cost 0 -40/' text > bad
    run -1 --separate-stderr "$BUILD/forecasts" bad.h5 < bad
    [[ "$stderr" == *"table costs, row 0: build: measured_us -40, forecast_us 40: no times"* ]]
    "$BUILD/forecasts" f.h5 < text
    "$BUILD/forecasts" --tell f.h5 | grep -qx "cost 0 40 60 298 2 40 60 58 2"
}
