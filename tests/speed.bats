#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-speed: tables compared with independent computations; excluded rows.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 stencil:points=27,n=12 stencil:points=5,n=300 banded:rows=30000,bandwidth=20 dense:rows=90
}
setup() { cd "$BATS_FILE_TMPDIR"; }

# bats test_tags=long
@test "speed: best times, speedups, GB/s and their geometric means match those computed with h5py" {
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

# bats test_tags=quick,id:speed-figures
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
    # the shortest measured times
    "$BUILD/merge" dump runs.h5 rows | grep '"matrix":"dense.*"precision":"f64","cache":"warm"' |
        sed -nE 's/.*"kernel":"([^"]*)".*"time_us":([0-9.]+),.*/\1 \2/p' > dense.times
    [ "$(wc -l < dense.times)" -gt 10 ]
    least() { grep -E ${2:-} "^($1) " dense.times | sort -g -k 2 | head -n 1 | cut -d' ' -f2; }
    awk -F'\t' -v csr="$(least 'csr-.*')" -v ours="$(least 'cusparse-.*' -v)" -v library="$(least cusparse-csr)" '
        function off(a, b) { return a / b > 1.002 || a / b < 0.998 }
        /^dense/ { n++; print csr, ours, library, $0; bad = off($6, csr) || off($8, ours) || off($10, library) }
        END { exit bad || n != 1 }' matrices.tsv
}

# bats test_tags=quick
@test "speed: without --table the summary is printed, with a last line that names the other tables" {
    spmv-speed runs.h5 > default.tsv
    spmv-speed --table summary runs.h5 | diff <(sed '$d' default.tsv) -
    [ "$(tail -n 1 default.tsv)" = "# more tables: --table matrices, kernels, extremes, conversions, parts, widths, peers, all" ]
}

# bats test_tags=quick
@test "speed: the summary fits terminals of 100 and 80 columns; without a library it shows bandwidths instead of speedups" {
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=30
    for width in 100 80; do
        script -qec "stty cols $width rows 50; spmv-speed runs.h5" /dev/null < /dev/null | tr -d '\r' > screen
        awk -v width=$width 'length > width { print; bad = 1 } END { exit bad || NR < 20 }' screen
        grep -qE '^class +precision +cache +matrices +speedup +speedup +speedup' screen
        script -qec "stty cols $width rows 50; spmv-speed cpu.h5" /dev/null < /dev/null | tr -d '\r' > screen
        grep -qE '^class +precision +cache +matrices +(csr_)?gbs' screen
    done
}

@test "speed: --min-nnz, precision and cache state select the matrices and rows" {
    run -0 spmv-speed --table matrices -p f32 --cache cold --min-nnz 400000 runs.h5
    [ "${lines[0]}" = "# device Synthetic GPU, 14 SMs" ]
    [ "$(grep -c $'\tf32\tcold\t' <<<"$output")" -eq 2 ]
    [ "$(grep -vc '^#' <<<"$output")" -eq 3 ]
    [[ "$output" == *$'\nbanded:'* && "$output" == *$'\nstencil:points=5,n=300,'* ]]
    run -0 spmv-speed --table summary --min-nnz 400000 runs.h5
    [[ "$output" == *"of matrices below 400000 nonzeros"* ]]
    # rows of the dense matrix have 90 entries, those of the banded one 41
    run -0 spmv-speed --table matrices -p f32 --cache cold --max-row 41 runs.h5
    [ "$(grep -c $'\tf32\tcold\t' <<<"$output")" -eq 4 ]
    [[ "$output" != *dense* && "$output" == *banded* ]]
    run -0 spmv-speed --table matrices -p f32 --cache cold --max-row 40 runs.h5
    [[ "$output" != *banded* && "$output" == *stencil* ]]
    run -0 spmv-speed --table summary --max-row 40 runs.h5
    [[ "$output" == *"of matrices with a row of more than 40 nonzeros"* ]]
}

@test "speed: on a CPU there are no speedups over a library" {
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=30
    run -0 spmv-speed --table summary -p f64 --cache warm cpu.h5
    [[ "$output" == *$'\nresident\tf64\twarm\t1\t0\t-\t-\t0\t-\t-\t-\t-\t0\t-\t-\t-\t-\t0\t-\t-\t'[0-9]* ]]
}

# times ARCHIVE PRECISION CACHE: matrix kernel asked time_us class convert_us convert_device_us, one line per ok row of role matrix.
times() {
    "$BUILD/merge" dump "$1" rows | grep "^{\"role\":\"matrix\".*\"precision\":\"$2\",\"cache\":\"$3\".*\"outcome\":\"ok\"" |
        sed -E 's/.*"matrix":"([^"]*)".*"asked":"([^"]*)","kernel":"([^"]*)".*"time_us":([^,]*),.*"footprint":"([^"]*)","convert_us":([^,]*),.*"convert_device_us":([^,]*),.*/\1\t\3\t\2\t\4\t\5\t\6\t\7/'
}

# bats test_tags=id:speed-kernels
@test "speed: table kernels has the share of matrices on which a kernel or configuration is best, and the loss if it is used alone" {
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

# bats test_tags=id:speed-extremes
@test "speed: table extremes lists the lowest and highest speedups over the best of cuSPARSE, each matrix once, with its features" {
    spmv-speed --table extremes runs.h5 > extremes.tsv
    spmv-speed --table matrices -p f32 --cache cold runs.h5 | grep '^[^#m]' | sort -g -t $'\t' -k 16 | cut -f 1 > order
    grep -P '^f32\tcold\tworst' extremes.tsv | cut -f 5 > worst
    grep -P '^f32\tcold\tbest' extremes.tsv | cut -f 5 | tac > best
    [ "$(wc -l < worst)" -eq 3 ]
    [ "$(cat worst best)" = "$(cat order)" ]
    # banded, bandwidth 20: rows, nnz, mean, sd, longest; an empty kernel takes a fifth of 2 us
    grep -P '^f64\twarm\t.*\tbanded:' extremes.tsv > banded
    awk -F'\t' '{ bad = $7 != 30000 || $8 != 1229580 || $9 != 40.99 || $11 != 41 || $12 / ($15 / $13) > 1.002 || $12 / ($15 / $13) < 0.998 || $19 / (200 / $13) > 1.01 || $19 / (200 / $13) < 0.99 }
        END { exit bad || NR != 1 }' banded
}

# bats test_tags=id:speed-bandwidth
@test "speed: the bandwidth is taken from --profile, which is named as it is found" {
    spmv-fit -m $QUICK_MODELS --name synthetic -o other.h5 runs.h5 > fit.tsv
    run -0 spmv-speed --table matrices -p f64 --cache cold --profile other.h5 runs.h5
    [[ "$output" == *"# bandwidth: from profile other"* ]]
    # cold rows are streaming at any size: bytes / (time - empty kernel), of rows that take at least four empty kernels
    rate=$("$BUILD/merge" dump runs.h5 rows | grep '^{"role":"benchmark".*"precision":"f64","cache":"cold".*"outcome":"ok"' |
        sed -E 's/.*"time_us":([^,]*),.*"t0_us":([^,]*),.*"least_bytes":([^,]*),.*/\1 \2 \3/' |
        awk '$1 >= 4 * $2 { r = $3 / ($1 - $2) * 1e6; if (r > most) most = r } END { printf "%.9g", most }')
    awk -F'\t' -v rate="$rate" '/^[^#m]/ { n++; r = $21 * 1e9 / rate; s = $22 * rate / 1e9 / $18; bad += r < 0.999 || r > 1.001 || s > 101 }
        END { exit bad || n != 5 || rate <= 0 }' <<<"$output"
}

# told FILE: writes an archive of the rows on stdin: MATRIX NAME CONFIG PRECISION CACHE TIME_US CONVERT_US CONVERT_DEVICE_US [PREPARE_US]
told() { "$BUILD/speed_rows" "$1"; }

# bats test_tags=id:speed-conversions
@test "speed: conversions are given in us and in products of the layout's fastest configuration and of cusparse-csr" {
    for n in 10 20 30; do
        # launch parameters share one build; nan (not measured) does not count as 0
        echo "stencil:points=5,n=$n s$n csr-vector:lanes=4 f64 warm $((2 * n)) 7 nan $n"
        echo "stencil:points=5,n=$n s$n csr-scalar f64 warm $((3 * n)) 7 nan 1000"
        echo "stencil:points=5,n=$n s$n ell:lanes=1,block=128 f64 warm $n $((100 * n)) nan"
        echo "stencil:points=5,n=$n s$n ell:lanes=1,block=256 f64 warm $((2 * n)) $((100 * n)) $([ $n = 10 ] && echo 50 || echo nan)"
        echo "stencil:points=5,n=$n s$n hyb:tail=coo f64 warm $((5 * n)) 40 4"
        echo "stencil:points=5,n=$n s$n cusparse-csr f64 warm $((4 * n)) 9 9"
    done | told told.h5
    spmv-speed --table conversions told.h5 > conversions.tsv
    # layout precision cache matrices, host: n, us p10 p50 p90, spmvs p10 p50 p90, cusparse p10 p50 p90, device: the same
    run awk -F'\t' '/^[^#]/ && $1 != "layout" { print $1, $4, $5, $6, $7, $8, $9, $11, $13, $15, $17, $20, $23, $25, $27, $30, $33 }' conversions.tsv
    echo "$output"
    [ "${#lines[@]}" -eq 3 ]
    # 7 us in products of 20, 40, 60 us: quantiles interpolate; of cusparse-csr's 40, 80, 120 us
    [ "${lines[0]}" = "csr 3 3 7.000 7.000 7.000 0.1283 0.3150 0.08750 0 - - - 3 20.00 0.5000 0.2500" ]
    [ "${lines[1]}" = "ell 3 3 1200 2000 2800 100.0 100.0 25.00 1 50.00 5.000 1.250 0 - - -" ]
    [[ "${lines[2]}" == "hyb:k=auto,"*" 3 3 40.00 40.00 40.00 "* ]]
    grep -q '^# without a time: 5 device builds (not supported, or an older archive), 6 preparations (older archive)$' conversions.tsv
}

# bats test_tags=id:speed-within
@test "speed: times measured long after or before the library's are counted in a note; --within excludes them" {
    for n in 10 20; do
        echo "stencil:points=5,n=$n s$n csr-scalar f64 warm 8 nan nan nan 2026-01-31T10:30:00Z"
        echo "stencil:points=5,n=$n s$n coo f64 warm 4 nan nan nan 2026-02-01T0$((n / 10)):59:00Z"     # 01:59, 02:59
        echo "stencil:points=5,n=$n s$n cusparse-csr f64 warm 16 nan nan nan 2026-02-01T01:00:00Z"
        echo "stencil:points=5,n=$n s$n invented f64 warm 1 nan nan nan 2026-01-31T10:00:00Z"
    done | told apart.h5
    run -0 --separate-stderr spmv-speed --table summary apart.h5
    [[ "$output" == *$'\n# in 1 of 2 contests our fastest row '* ]]
    [[ "$output" == *"2 rows of unknown kernels, counted neither as ours nor as the library's"* ]]
    [ "$(awk -F'\t' '$1 == "all" && $3 == "warm" { print $11, $14 }' <<<"$output")" = "4.000 4.00" ]
    # coo on s20 was measured two hours after cusparse-csr; csr-scalar and the unknown kernel, on both matrices, the day before
    run -0 --separate-stderr spmv-speed --table summary --within 1 apart.h5
    [[ "$output" != *"more than an hour apart"* ]]
    [[ "$output" == *"left out: 5 rows measured more than 1.00 h from the library's fastest"* ]]
    [[ "$output" != *"unknown kernel"* ]]
    [ "$(awk -F'\t' '$1 == "all" && $3 == "warm" { print $4, $5 }' <<<"$output")" = "2 1" ]
    run -0 --separate-stderr spmv-speed --table summary --within 15 apart.h5
    [[ "$output" != *"measured more than 1.00 h"* && "$output" == *"left out: 0 rows measured more than 15.0 h"* ]]
}

# bats test_tags=id:speed-old-sample
@test "speed: a row whose first sample is old counts as measured apart from the library's" {
    {   echo "stencil:points=5,n=10 s csr-scalar f64 warm 8 nan nan nan 2026-02-01T01:00:00Z 2026-01-31T10:00:00Z"     # measured in two runs
        echo "stencil:points=5,n=10 s coo f64 warm 9 nan nan nan 2026-02-01T01:30:00Z 2026-02-01T01:10:00Z"
        echo "stencil:points=5,n=10 s cusparse-csr f64 warm 16 nan nan nan 2026-02-01T01:00:00Z 2026-02-01T00:40:00Z"
    } | told long.h5
    run -0 --separate-stderr spmv-speed --table summary long.h5
    [[ "$output" == *$'\n# in 1 of 1 contest our fastest row '* ]]
    run -0 --separate-stderr spmv-speed --table summary --within 1 long.h5
    [[ "$output" == *"left out: 1 row measured more than 1.00 h from the library's fastest"* ]]
}

# bats test_tags=id:speed-other-programs
@test "speed: times of other programs are matched with our best by name, rows, nonzeros and precision; unmatched ones are counted" {
    for n in 10 20 300; do
        echo "stencil:points=5,n=$n Group/s$n csr-scalar f64 warm 4 nan nan"
        echo "stencil:points=5,n=$n Group/s$n ell f64 warm 8 nan nan"
        echo "stencil:points=5,n=$n Group/s$n cusparse-csr f64 warm 1 nan nan"
        echo "stencil:points=5,n=$n Group/s$n csr-scalar f64 cold 100 nan nan"
    done | told peers.h5
    {
        printf 'matrix\tprecision\trows\tcols\tnnz\tpeer\tgraph_us\tcold_us\tevent_us\n'
        printf 's10\tf64\t100\t100\t460\tfast:a\t2.0\t9\t9\ns10\tf64\t100\t100\t460\tfast:b\t16.0\t9\t9\ns10\tf64\t100\t100\t460\tslow\t8.0\t9\t9\n'
        printf 's20\tf64\t400\t400\t1920\tslow\t8.0\t9\t9\ns20\tf64\t400\t400\t1921\tfast:a\t1.0\t9\t9\ns20\tf64\t400\t400\t1920\tfast:a\t-\t9\t9\n'
    } > one.tsv
    { printf 'precision\tmatrix\tpeer\tgraph_us\tnnz\trows\r\n'; printf '# a note\nf32\ts10\tfast:a\t1\t460\t100\nf64\tother\tslow\t1\t460\t100\n'; } > two.tsv
    spmv-speed --table peers --peers one.tsv,two.tsv peers.h5 > peers.tsv
    cat peers.tsv
    # s10: 2 against our 4; s20: 8 against our 4; s300 has no partner
    [ "$(grep -P '^resident\tf64' peers.tsv)" = "$(printf 'resident\tf64\tbest\t2\t1.000\t50.0\t1\t0.5000\tGroup/s10\t2.000\tGroup/s20')" ]
    [ "$(grep -P '^all\tf64\tbest' peers.tsv | cut -f 4,5)" = $'2\t1.000' ]
    [ "$(grep -P '^all\tf64\tfast\t' peers.tsv | cut -f 4,5)" = $'1\t0.5000' ]
    [ "$(grep -P '^all\tf64\tslow\t' peers.tsv | cut -f 4,5)" = $'2\t2.000' ]
    [ "$(grep -vc '^#' peers.tsv)" -eq 5 ]
    grep -q '^# without a partner: 3 of 7 times in --peers (.*), 1 matrix of the archives (counted per precision); without a time: 1 row in --peers' peers.tsv
    # --table all includes peers only with --peers
    [ "$(spmv-speed --table all peers.h5 | grep -c '^# table: ')" -eq 7 ]
    [ "$(spmv-speed --table all --peers one.tsv peers.h5 | grep -c '^# table: ')" -eq 8 ]
    # without --table, --peers names its own
    spmv-speed --peers one.tsv,two.tsv peers.h5 | diff peers.tsv -
}

# bats test_tags=id:speed-padding
@test "speed: padding counts in GB/s but not in shares of the bandwidth" {
    {
        echo "stencil:points=5,n=10 s10@2 ell f64 warm 2 nan nan"
        echo "stencil:points=5,n=10 s10 csr-scalar f64 warm 4 nan nan"
        echo "stencil:points=5,n=20 s20 csr-scalar f64 warm 40 nan nan"
        echo "stencil:points=5,n=10 s10 csr-scalar f64 cold 8 nan nan"
    } | told padded.h5
    # CSR, x and y of s10: 460 entries of 12 bytes, 101 pointers, 200 doubles: 7524; of s20: 1920, 401, 800: 31044
    run awk -F'\t' '$5 == "warm" || $5 == "cold" { print $1, $5, $17, $18, $21, $22 }' <(spmv-speed --table matrices padded.h5)
    [ "$output" = "$(printf 's10 warm 1.881 7.524 3.762 100\ns20 warm 0.7761 0.7761 3.762 20.6\ns10 cold 0.9405 0.9405 0.9405 100')" ]
}

@test "rows and coefficients from before a kernel had a key get the key's default; names and layouts for the CPU device stay" {
    {
        echo "stencil:points=5,n=10 s10 ell:block=256 f64 warm 9 nan nan"
        echo "stencil:points=5,n=10 s10 ell:lanes=1,block=256 f64 warm 8 nan nan"
        echo "stencil:points=5,n=10 s10 ell:lanes=4,block=256 f64 warm 7 nan nan"
        echo "stencil:points=5,n=20 s20 hyb:k=5,head=ell,head.block=256,tail=coo,tail.sum=segmented,tail.items=4,tail.block=256 f64 warm 6 nan nan"
        echo "stencil:points=5,n=30 s30 ell f64 warm 5 nan nan"
        echo "stencil:points=5,n=40 s40 invented:block=256 f64 warm 4 nan nan"
        echo "stencil:points=5,n=10 s10 cusparse-csr f64 warm 9 nan nan"
    } | told old.h5
    "$BUILD/run_keys" old.h5 | cut -d' ' -f2 | sort > seen
    cat seen
    printf '%s\n' cusparse-csr ell ell:lanes=1,block=256 ell:lanes=4,block=256 \
        hyb:k=5,head=ell,head.lanes=1,head.block=256,tail=coo,tail.sum=segmented,tail.items=4,tail.block=256 invented:block=256 | sort | diff seen -
    [ "$(spmv-speed --table matrices old.h5 | awk -F'\t' '$1 == "s10" { print $8, $9 }')" = "7.000 ell:lanes=4,block=256" ]

    need_python
    "$BIN/spmv-fit" -q -m $QUICK_MODELS -o new.profile.h5 runs.h5 > /dev/null
    cp new.profile.h5 old.profile.h5
    "$PYTHON" - <<'PY'
import h5py
t = h5py.File("old.profile.h5", "r+")["coefficients"]["config"]
old = [c.replace(b"ell:lanes=1,block", b"ell:block").replace(b"head.lanes=1,", b"") for c in t[:]]
assert sum(a != b for a, b in zip(old, t[:])) > 10
t[:] = old
PY
    "$BUILD/h5_damage" sign old.profile.h5
    for p in old new; do
        cp $p.profile.h5 p.h5
        spmv-predict --profile p.h5 --all --json stencil:points=5,n=50 > $p.json
    done
    grep -q '"config": *"ell:lanes=1,block=256"' new.json
    diff old.json new.json
}
