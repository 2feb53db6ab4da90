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
rows = [dict(zip(("role", "outcome", "matrix", "kernel", "precision", "cache", "class", "us", "bytes", "csr_bytes"), r)) for r in
        zip(*map(text, ("role", "outcome", "matrix", "kernel", "precision", "cache", "footprint")), t["time_us"], t["least_bytes"], t["footprint_bytes"])]
near = lambda a, b: a == b or math.isclose(a, b, rel_tol=1e-9)
best = collections.defaultdict(dict)
rate = collections.defaultdict(float)
useful = lambda r: min(r["bytes"], r["csr_bytes"]) / r["us"] / 1e3
for r in rows:
    if r["outcome"] == "ok": rate[r["class"], r["cache"]] = max(rate[r["class"], r["cache"]], useful(r))
for r in rows:
    if r["role"] != "matrix" or r["outcome"] != "ok": continue
    sides = (["cusparse"] + ["cusparse_csr"] * (r["kernel"] == "cusparse-csr") if r["kernel"].startswith("cusparse-")
             else ["ours"] + ["csr"] * r["kernel"].startswith("csr-"))
    group = best[r["matrix"], r["precision"], r["cache"]]
    for s in sides:
        if s not in group or r["us"] < group[s]["us"]: group[s] = r
compared = (("csr", "csr", "cusparse_csr"), ("ours", "ours", "cusparse_csr"), ("best", "ours", "cusparse"))
found = {(r["matrix"], r["precision"], r["cache"]): r for r in json.load(open("matrices.json"))["rows"]}
assert found.keys() == best.keys() and len(found) == 5 * 4
for key, r in found.items():
    b = best[key]
    for s in ("csr", "ours", "cusparse_csr", "cusparse"):
        assert near(r[s + "_us"], b[s]["us"]) and near(r[s + "_gbs"], b[s]["bytes"] / b[s]["us"] / 1e3), (r, b)
    for name, s, against in compared:
        assert near(r[name + "_speedup"], b[against]["us"] / b[s]["us"]), (r, b)
    assert r["class"] == b["csr"]["class"]
    assert near(r["bandwidth_gbs"], rate[r["class"], r["cache"]])
    assert near(r["ours_bandwidth_percent"], 100 * useful(b["ours"]) / rate[r["class"], r["cache"]])
summary = json.load(open("summary.json"))["rows"]
classes = {"all"} | {r["class"] for r in found.values()}
assert len(classes) > 2 and {r["class"] for r in summary} == classes
for line in summary:
    mine = [r for k, r in found.items() if k[1:] == (line["precision"], line["cache"]) and line["class"] in ("all", r["class"])]
    assert line["matrices"] == line["compared"] == len(mine) > 0
    for s in ("csr", "ours", "best"):
        v = [r[s + "_speedup"] for r in mine]
        assert near(line[s + "_speedup"], statistics.geometric_mean(v)) and near(line[s + "_least"], min(v)), line
        assert near(line[s + "_faster_percent"], 100 * sum(x >= 1 for x in v) / len(v))
        assert line[s + "_below95"] == sum(x < 0.95 for x in v)
        assert line[s + "_least_matrix"] in [r["matrix"] for r in mine if near(r[s + "_speedup"], min(v))]
    for s in ("csr", "ours", "cusparse"):
        assert near(line[s + "_gbs"], statistics.geometric_mean([r[s + "_gbs"] for r in mine])), line
    assert near(line["ours_bandwidth_percent"], statistics.median([r["ours_bandwidth_percent"] for r in mine])), line
PY
}

@test "speed: a speedup is the library's time over ours, GB/s are bytes over time, means are geometric" {
    spmv-speed --table matrices -p f64 --cache warm runs.h5 > matrices.tsv
    spmv-speed --table summary -p f64 --cache warm runs.h5 > summary.tsv
    # matrix nnz class precision cache csr_us _config ours_us _config cusparse_csr_us _config cusparse_us _config csr_speedup ours_ best_ csr_gbs
    awk -F'\t' 'function off(a, b) { return a / b > 1.002 || a / b < 0.998 }
        FNR == 1 { file++ }
        file == 1 && $4 == "f64" {
            n++; csr += log($14); ours += log($15); best += log($16); gbs += log($17)
            if (off($14, $10 / $6) || off($15, $10 / $8) || off($16, $12 / $8)) { print "speedup:", $0; bad = 1 }
            # dense:rows=90: 8100 entries of 12 bytes, 91 pointers, x and y
            if ($1 ~ /^dense:/) { dense++; if (off($17 * $6 * 1e3, 8100 * 12 + 91 * 4 + 180 * 8)) { print "GB/s:", $0; bad = 1 } }
        }
        file == 2 && $1 == "all" {
            seen++
            if ($4 != n || off($6, exp(csr / n)) || off($11, exp(ours / n)) || off($16, exp(best / n)) || off($21, exp(gbs / n))) { print "mean:", $0; bad = 1 }
        }
        END { exit bad || n != 5 || dense != 1 || seen != 1 }' matrices.tsv summary.tsv
    # the least times there are
    "$BUILD/merge" dump runs.h5 rows | grep '"matrix":"dense.*"precision":"f64","cache":"warm"' |
        sed -E 's/.*"kernel":"([^"]*)".*"time_us":([0-9.]*),.*/\1 \2/' > dense.times
    [ "$(wc -l < dense.times)" -gt 10 ]
    least() { grep -E ${2:-} "^($1) " dense.times | sort -g -k 2 | head -n 1 | cut -d' ' -f2; }
    awk -F'\t' -v csr="$(least 'csr-.*')" -v ours="$(least 'cusparse-.*' -v)" -v library="$(least cusparse-csr)" '
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
    [[ "$output" == *$'\nresident\tf64\twarm\t1\t0\t-\t-\t0\t-\t-\t-\t-\t0\t-\t-\t-\t-\t0\t-\t-\t'[0-9]* ]]
    run -1 --separate-stderr spmv-speed cpu.h5 runs.h5
    [ -z "$output" ]
    [[ "$stderr" == *"two devices"*"Synthetic CPU"*"Synthetic GPU"* ]]
    run -1 --separate-stderr spmv-speed none.h5
    [[ "$stderr" == *"none.h5"* ]]
    run -2 --separate-stderr spmv-speed --min-nnz many runs.h5
    [ -z "$output" ]
    [[ "$stderr" == *"--min-nnz"*"many"* ]]
}

# times ARCHIVE PRECISION CACHE: matrix kernel asked time_us class convert_us convert_device_us, a line an ok row of role matrix.
times() {
    "$BUILD/merge" dump "$1" rows | grep "^{\"role\":\"matrix\".*\"precision\":\"$2\",\"cache\":\"$3\".*\"outcome\":\"ok\"" |
        sed -E 's/.*"matrix":"([^"]*)".*"asked":"([^"]*)","kernel":"([^"]*)".*"time_us":([^,]*),.*"footprint":"([^"]*)","convert_us":([^,]*),.*"convert_device_us":([^,]*),.*/\1\t\3\t\2\t\4\t\5\t\6\t\7/'
}

@test "speed: how often a kernel and a configuration is the best, and what it loses alone" {
    spmv-speed --table kernels -p f64 --cache warm runs.h5 > kernels.tsv
    times runs.h5 f64 warm | grep -v $'\tcusparse-' > times.tsv
    # class precision cache kernel asked matrices measured best best_percent loss_percent worst_percent worst_matrix
    awk -F'\t' 'function off(a, b) { return a - b > 0.002 * (100 + b) || b - a > 0.002 * (100 + b) }
        FNR == 1 { file++ }
        file == 1 {
            for (c = 0; c < 2; c++) for (k = 0; k < 2; k++) {
                key = (c ? $5 : "all") FS $2 FS (k ? $3 : "any") FS $1
                if (!(key in t) || $4 < t[key]) t[key] = $4
            }
            if (!($1 in least) || $4 < least[$1]) { least[$1] = $4; first[$1] = $2; how[$1] = $3 }
        }
        file == 2 && /^[^#]/ && $1 != "class" {
            lines++; n = wins = sum = worst = 0
            for (m in least) if (($1 FS $4 FS $5 FS m) in t) {
                n++; lost = t[$1 FS $4 FS $5 FS m] / least[m]; sum += log(lost); worst = lost > worst ? lost : worst
                wins += first[m] == $4 && ($5 == "any" || how[m] == $5)
            }
            if ($7 != n || $8 != wins || off($10, 100 * (exp(sum / n) - 1)) || off($11, 100 * (worst - 1))) { print "kernel:", $0, n, wins, exp(sum / n); bad = 1 }
            if ($1 == "all" && $5 == "any") all += $8
            if ($1 == "all" && $5 != "any") each += $8
        }
        END { print lines, all, each; exit bad || lines < 10 || all != 5 || each != 5 }' times.tsv kernels.tsv
    grep -q '^# left out: [1-9][0-9]* configurations that are never the best' kernels.tsv
}

@test "speed: the worst and the best speedups over the best of cuSPARSE, each matrix at one end, with its facts" {
    spmv-speed --table extremes runs.h5 > extremes.tsv
    spmv-speed --table matrices -p f32 --cache cold runs.h5 | grep '^[^#m]' | sort -g -t $'\t' -k 16 | cut -f 1 > order
    grep -P '^f32\tcold\tworst' extremes.tsv | cut -f 5 > worst
    grep -P '^f32\tcold\tbest' extremes.tsv | cut -f 5 | tac > best
    [ "$(wc -l < worst)" -eq 3 ]
    [ "$(cat worst best)" = "$(cat order)" ]
    # banded, bandwidth 20: rows, nnz, mean, sd, longest; a fifth of 2 us is what an empty kernel takes
    grep -P '^f64\twarm\t.*\tbanded:' extremes.tsv > banded
    awk -F'\t' '{ bad = $7 != 30000 || $8 != 1229580 || $9 != 40.99 || $11 != 41 || $12 / ($15 / $13) > 1.002 || $12 / ($15 / $13) < 0.998 || $19 / (200 / $13) > 1.01 || $19 / (200 / $13) < 0.99 }
        END { exit bad || NR != 1 }' banded
}

@test "speed: the bandwidth that --profile gives, of the same device alone" {
    spmv-fit --name synthetic -o profile.h5 runs.h5 > fit.tsv
    run -0 spmv-speed --table matrices -p f64 --cache cold --profile profile.h5 runs.h5
    [[ "$output" == *"# bandwidth: fitted by profile synthetic"* ]]
    # cold is streaming, whatever the size: bytes beyond an empty kernel's time, of rows that take four times that or more
    rate=$("$BUILD/merge" dump runs.h5 rows | grep '^{"role":"benchmark".*"precision":"f64","cache":"cold".*"outcome":"ok"' |
        sed -E 's/.*"time_us":([^,]*),.*"t0_us":([^,]*),.*"least_bytes":([^,]*),.*/\1 \2 \3/' |
        awk '$1 >= 4 * $2 { r = $3 / ($1 - $2) * 1e6; if (r > most) most = r } END { printf "%.9g", most }')
    awk -F'\t' -v rate="$rate" '/^[^#m]/ { n++; r = $21 * 1e9 / rate; s = $22 * rate / 1e9 / $18; bad += r < 0.999 || r > 1.001 || s > 101 }
        END { exit bad || n != 5 || rate <= 0 }' <<<"$output"
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=30
    run -1 --separate-stderr spmv-speed --profile profile.h5 cpu.h5
    [ -z "$output" ]
    [[ "$stderr" == *"--profile profile.h5"*"Synthetic GPU"*"Synthetic CPU"* ]]
    run -1 --separate-stderr spmv-speed --profile none.h5 runs.h5
    [[ "$stderr" == *"none.h5"* ]]
}
