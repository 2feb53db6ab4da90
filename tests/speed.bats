#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-speed: against the same numbers counted by another reader, and what it leaves out.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 stencil:points=27,n=12 stencil:points=5,n=300 banded:rows=30000,bandwidth=20 dense:rows=90
}
setup() { cd "$BATS_FILE_TMPDIR"; }

@test "speed: best times, speedups, GB/s and their geometric means equal those counted with h5py" {
    need_python
    spmv-speed --json --table matrices runs.h5 > matrices.json
    spmv-speed --json --table summary runs.h5 > summary.json
    "$PYTHON" - <<'PY'
import collections, h5py, json, math, statistics
t = h5py.File("runs.h5")["rows"]
text = lambda name: [v.decode() for v in t[name]]
rows = [dict(zip(("role", "outcome", "matrix", "kernel", "precision", "cache", "class", "us", "bytes"), r)) for r in
        zip(*map(text, ("role", "outcome", "matrix", "kernel", "precision", "cache", "footprint")), t["time_us"], t["least_bytes"])]
near = lambda a, b: a == b or math.isclose(a, b, rel_tol=1e-9)
best = collections.defaultdict(dict)
for r in rows:
    if r["role"] != "matrix" or r["outcome"] != "ok": continue
    sides = ["cusparse"] if r["kernel"] == "cusparse-csr" else ["ours"] + ["csr"] * (r["kernel"] in ("csr-scalar", "csr-vector", "csr-block"))
    group = best[r["matrix"], r["precision"], r["cache"]]
    for s in sides:
        if s not in group or r["us"] < group[s]["us"]: group[s] = r
found = {(r["matrix"], r["precision"], r["cache"]): r for r in json.load(open("matrices.json"))["rows"]}
assert found.keys() == best.keys() and len(found) == 5 * 4
for key, r in found.items():
    b = best[key]
    for s in ("csr", "ours", "cusparse"):
        assert near(r[s + "_us"], b[s]["us"]) and near(r[s + "_gbs"], b[s]["bytes"] / b[s]["us"] / 1e3), (r, b)
    for s in ("csr", "ours"):
        assert near(r[s + "_speedup"], b["cusparse"]["us"] / b[s]["us"]), (r, b)
    assert r["class"] == b["csr"]["class"]
summary = json.load(open("summary.json"))["rows"]
classes = {"all"} | {r["class"] for r in found.values()}
assert len(classes) > 2 and {r["class"] for r in summary} == classes
for line in summary:
    mine = [r for k, r in found.items() if k[1:] == (line["precision"], line["cache"]) and line["class"] in ("all", r["class"])]
    assert line["matrices"] == line["compared"] == len(mine) > 0
    for s in ("csr", "ours"):
        v = [r[s + "_speedup"] for r in mine]
        assert near(line[s + "_speedup"], statistics.geometric_mean(v)) and near(line[s + "_least"], min(v)), line
        assert near(line[s + "_faster_percent"], 100 * sum(x >= 1 for x in v) / len(v))
        assert line[s + "_least_matrix"] in [r["matrix"] for r in mine if near(r[s + "_speedup"], min(v))]
    for s in ("csr", "ours", "cusparse"):
        assert near(line[s + "_gbs"], statistics.geometric_mean([r[s + "_gbs"] for r in mine])), line
PY
}

@test "speed: a speedup is the library's time over ours, GB/s are bytes over time, means are geometric" {
    spmv-speed --table matrices -p f64 --cache warm runs.h5 > matrices.tsv
    spmv-speed --table summary -p f64 --cache warm runs.h5 > summary.tsv
    # matrix nnz class precision cache csr_us csr_config ours_us ours_config cusparse_us cusparse_config csr_speedup ours_speedup csr_gbs
    awk -F'\t' 'function off(a, b) { return a / b > 1.002 || a / b < 0.998 }
        FNR == 1 { file++ }
        file == 1 && $4 == "f64" {
            n++; csr += log($12); ours += log($13); gbs += log($14)
            if (off($12, $10 / $6) || off($13, $10 / $8)) { print "speedup:", $0; bad = 1 }
            # dense:rows=90: 8100 entries of 12 bytes, 91 pointers, x and y
            if ($1 ~ /^dense:/) { dense++; if (off($14 * $6 * 1e3, 8100 * 12 + 91 * 4 + 180 * 8)) { print "GB/s:", $0; bad = 1 } }
        }
        file == 2 && $1 == "all" {
            seen++
            if ($4 != n || off($6, exp(csr / n)) || off($10, exp(ours / n)) || off($14, exp(gbs / n))) { print "mean:", $0; bad = 1 }
        }
        END { exit bad || n != 5 || dense != 1 || seen != 1 }' matrices.tsv summary.tsv
    # the least times there are
    "$BUILD/merge" dump runs.h5 rows | grep '"matrix":"dense.*"precision":"f64","cache":"warm"' |
        sed -E 's/.*"kernel":"([^"]*)".*"time_us":([0-9.]*),.*/\1 \2/' > dense.times
    [ "$(wc -l < dense.times)" -gt 10 ]
    least() { grep -E "^($1) " dense.times | sort -g -k 2 | head -n 1 | cut -d' ' -f2; }
    awk -F'\t' -v csr="$(least 'csr-.*')" -v ours="$(least 'csr-.*|coo|ell|hyb')" -v library="$(least cusparse-csr)" '
        function off(a, b) { return a / b > 1.002 || a / b < 0.998 }
        /^dense/ { n++; print csr, ours, library, $0; bad = off($6, csr) || off($8, ours) || off($10, library) }
        END { exit bad || n != 1 }' matrices.tsv
}

@test "speed: only matrices of at least --min-nnz, only the precision and cache state asked for" {
    run -0 spmv-speed --table matrices -p f32 --cache cold --min-nnz 400000 runs.h5
    [ "${lines[0]}" = "# device Synthetic GPU, 14 SMs" ]
    [ "$(grep -c $'\tf32\tcold\t' <<<"$output")" -eq 2 ]
    [ "$(grep -vc '^#' <<<"$output")" -eq 3 ]
    [[ "$output" == *$'\nbanded:'* && "$output" == *$'\nstencil:points=5,n=300,'* ]]
    run -0 spmv-speed --table summary --min-nnz 400000 runs.h5
    [[ "$output" == *"of matrices below 400000 nonzeros"* ]]
    # rows of 90 in the dense one, of 41 in the banded one
    run -0 spmv-speed --table matrices -p f32 --cache cold --max-row 41 runs.h5
    [ "$(grep -c $'\tf32\tcold\t' <<<"$output")" -eq 4 ]
    [[ "$output" != *dense* && "$output" == *banded* ]]
    run -0 spmv-speed --table matrices -p f32 --cache cold --max-row 40 runs.h5
    [[ "$output" != *banded* && "$output" == *stencil* ]]
    run -0 spmv-speed --table summary --max-row 40 runs.h5
    [[ "$output" == *"of matrices with a row of more than 40 nonzeros"* ]]
    run -1 --separate-stderr spmv-speed --min-nnz 100000000 runs.h5
    [ -z "$output" ]
    [[ "$stderr" == *"nothing to compare"*"100000000"* ]]
}

@test "speed: a CPU has no library to compare with; two devices are not mixed; no archive, wrong words" {
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=30
    run -0 spmv-speed --table summary -p f64 --cache warm cpu.h5
    [[ "$output" == *$'\nresident\tf64\twarm\t1\t0\t-\t-\t-\t-\t-\t-\t-\t-\t'[0-9]* ]]
    run -1 --separate-stderr spmv-speed cpu.h5 runs.h5
    [ -z "$output" ]
    [[ "$stderr" == *"two devices"*"Synthetic CPU"*"Synthetic GPU"* ]]
    run -1 --separate-stderr spmv-speed none.h5
    [[ "$stderr" == *"none.h5"* ]]
    run -2 --separate-stderr spmv-speed --min-nnz many runs.h5
    [ -z "$output" ]
    [[ "$stderr" == *"--min-nnz"*"many"* ]]
}
