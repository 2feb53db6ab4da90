#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-verify: tables compared with independent computations; skipped rows; default tables.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    synthetic_profile gp
}

verify() { "$BATS_FILE_TMPDIR/tree/bin/spmv-verify" "$@"; }

@test "verify: errors and rankings match those computed from the table of spmv-predict" {
    need_python
    for m in "$BATS_FILE_TMPDIR/two.mtx" "$BATS_FILE_TMPDIR/arrow.mtx" stencil:points=5,n=60 stencil:points=27,n=12 \
             constant:rows=5000,cols=5000,p=20,place=random,seed=3; do
        "$BATS_FILE_TMPDIR/tree/bin/spmv-predict" -m guo2014 --cache warm --all --json --measured "$BATS_FILE_TMPDIR/runs.h5" "$m"
        echo
    done > "$BATS_TEST_TMPDIR/tables.json"
    verify -m guo2014 -p f64 --cache warm --by kernel --table errors --json "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/errors.json"
    verify -m guo2014 -p f64 --cache warm --table ranking --json "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/ranking.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR" <<'PY'
import json, math, statistics, sys
def load(name): return json.load(open(f"{sys.argv[1]}/{name}.json"))["rows"]
tables = [json.loads(l)["rows"] for l in open(sys.argv[1] + "/tables.json") if l.strip()]
near = lambda a, b: math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
def errors(kernel, close):
    found = []
    for t in tables:
        best = min(r["measured_us"] for r in t if r["measured_us"] is not None)
        for r in t:
            # spmv-predict shows another model's forecast of cusparse-csr if guo2014 refuses it
            if r["measured_us"] is None or r["time_us"] is None or r["model"] != "guo2014": continue
            if kernel != "all" and r["config"].split(":")[0] != kernel: continue
            if close and r["measured_us"] > 2 * best: continue
            found.append(100 * abs(r["time_us"] / r["measured_us"] - 1))
    return found
rows = load("errors")
assert {"all", "ell", "csr-vector", "hyb", "coo"} <= {r["kernel"] for r in rows}
for r in rows:
    for prefix, close in (("", False), ("near_", True)):
        e = errors(r["kernel"], close)
        assert r[prefix + "cases"] == len(e), (r, e)
        if e:
            assert near(r[prefix + "mean_percent"], statistics.mean(e)) and near(r[prefix + "median_percent"], statistics.median(e)), (r, e)
            assert near(r[prefix + "worst_percent"], max(e))
ratios = []
for t in tables:
    mine = [r for r in t if r["measured_us"] is not None]
    pick = min((r for r in mine if r["time_us"] is not None and r["model"] == "guo2014"), key=lambda r: (r["time_us"], r["config"]))
    ratios.append(min(r["measured_us"] for r in mine) / pick["measured_us"])
r = [r for r in load("ranking") if r["among"] == "all"][0]
assert r["matrices"] == 5 and near(r["mean"], statistics.mean(ratios)) and near(r["geomean"], statistics.geometric_mean(ratios)), (r, ratios)
assert near(r["worst"], min(ratios)) and near(r["within20_percent"], 100 * sum(x >= 1 / 1.2 for x in ratios) / 5)
PY
}

# bats test_tags=quick,id:verify-mean-errors
@test "verify: a matrix's mean error matches that of the column of spmv-predict; no pick is faster than the best" {
    "$BATS_FILE_TMPDIR/tree/bin/spmv-predict" -m bandwidth --cache warm --all --columns config,error_percent --measured "$BATS_FILE_TMPDIR/runs.h5" "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/predict.tsv"
    verify -m bandwidth -p f64 --cache warm --by matrix --table errors "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/errors.tsv"
    awk -F'\t' 'FNR == 1 { file++ }
        file == 1 && $2 ~ /^-?[0-9.]+(e-[0-9]+)?$/ { e = $2 < 0 ? -$2 : $2; n++; sum += e; worst = e > worst ? e : worst }
        file == 2 && $2 == "two" { seen++; if ($5 != n || $6 / (sum / n) > 1.01 || $6 / (sum / n) < 0.99 || $10 / worst > 1.01 || $10 / worst < 0.99) { print; print n, sum / n, worst; bad = 1 } }
        END { exit bad || seen != 1 || n < 10 }' "$BATS_TEST_TMPDIR/predict.tsv" "$BATS_TEST_TMPDIR/errors.tsv"
    verify --table ranking "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/ranking.tsv"
    awk -F'\t' '!/^#/ && $1 != "model" && $5 > 0 {
            n++
            if ($6 > 1 || $7 > $6 || $11 > 1.001 * $7 || $8 > $9 || ($10 == 100 && $11 != 1)) { print; bad = 1 }
            # bandwidth refuses nothing and cannot distinguish kernels of equal bytes, so it misses the best
            if ($1 == "bandwidth" && $2 == "all") missed += $11 < 0.9
        } END { exit bad || n < 20 || missed < 4 }' "$BATS_TEST_TMPDIR/ranking.tsv"
}

@test "verify: both tables list every model and rival; their footers count omitted rows" {
    run --separate-stderr verify --by kernel "$BATS_FILE_TMPDIR/runs.h5"
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "# profile syn: Synthetic GPU"* ]]
    [[ "$output" == *"# table: errors"*"# table: ranking"* ]]
    for model in guo2014 bandwidth nearest cusparse; do
        [[ "$output" == *$'\n'"$model"$'\tall\tf64\twarm\t'* ]]
    done
    [[ "$output" == *$'\nbandwidth\tcsr-vector\tf64\tcold\t'* ]]
    [[ "$output" == *"# skipped 8 rows, na, ell, e.g. padding "* ]]
    [[ "$output" == *"# skipped "*" rows of another role"* ]]
    [[ "$output" == *"# guo2014: "*" refused, e.g. "* ]]
}

@test "verify: without --table the summary has the default model and the plain rivals per precision and cache state, as in table scores" {
    runs="$BATS_FILE_TMPDIR/runs.h5" t="$BATS_TEST_TMPDIR"
    verify "$runs" > "$t/summary"
    grep -q '^# table: summary' "$t/summary"
    [ "$(grep -c $'^model\t' "$t/summary")" -eq 1 ]
    {
        for target in "f32 warm" "f32 cold" "f64 warm" "f64 cold"; do
            for m in physics-gp bandwidth nearest cusparse; do echo "$m $target graph"; done
        done
    } > "$t/expected"
    grep -v '^#' "$t/summary" | awk -F'\t' 'NR > 1 { print $1, $2, $3, $4 }' | diff "$t/expected" -
    tail -n 1 "$t/summary" | grep -q '^# more tables: --table '
    # run archives do not say what their rows owe to launch states
    [ "$(verify -m physics-gp --table scores "$runs" | column state | sort -u)" = unknown ]
    # the figures equal those of table scores for that target alone
    common=matrices,cases,near,refused,mean_percent,median_percent,p90_percent,pick,within5_percent,pick_worst,worst_matrix,top3,no_pick,coverage_percent,half_width_percent
    cells() { awk -F'\t' -v m="$1" -v target="$2" -v columns="$common" '/^#/ { next }
        !n { n = split(columns, name, ","); for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["model"] == m && (target == "" ? $at["state"] == "unknown" : $at["precision"] " " $at["cache"] == target) {
            for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }'; }
    for target in "f32 warm" "f64 cold"; do
        verify --table scores -p "${target% *}" --cache "${target#* }" "$runs" > "$t/scores"
        for m in physics-gp bandwidth nearest cusparse; do
            cells $m "" < "$t/scores" > "$t/one"
            [ -s "$t/one" ]
            cells $m "$target" < "$t/summary" | diff "$t/one" -
        done
    done
    # for a profile of one model that is the default
    spmv-fit -q -m nearest --name plain -o "$t/plain.h5" "$runs" > /dev/null
    [ "$(verify --profile "$t/plain.h5" -p f64 --cache warm "$runs" | grep -v '^#' | cut -f 1 | paste -sd' ')" = "model bandwidth nearest cusparse" ]
    # filters and --model choose rows; --table summary is the same without the closing note
    [ "$(verify -m guo2014 -p f64 --cache cold "$runs" | grep -v '^#' | cut -f 1-4)" = $'model\tprecision\tcache\tlaunch\nguo2014\tf64\tcold\tgraph' ]
    verify --table summary "$runs" | diff <(sed '$d' "$t/summary") -
    verify --launch graph,stream -m bandwidth -p f64 "$runs" > "$t/both"
    verify --json -m bandwidth "$runs" > "$t/json"
    need_python
    "$PYTHON" -c 'import json, sys; t = json.load(open(sys.argv[1])); assert len(t["rows"]) == 4 and t["rows"][0]["mean_percent"] > 0' "$t/json"
}

# on_terminal COLUMNS COMMAND: prints what a terminal of that width shows
on_terminal() { script -qec "stty cols $1 rows 50; $2" /dev/null < /dev/null | tr -d '\r'; }

@test "verify: the summary fits terminals of 100 and 80 columns; precision, cache state and launch are columns if they differ" {
    cd "$BATS_FILE_TMPDIR"
    for width in 100 80; do
        on_terminal $width "tree/bin/spmv-verify -q runs.h5" > "$BATS_TEST_TMPDIR/screen"
        awk -v width=$width 'length > width { print; bad = 1 } END { exit bad || NR < 20 }' "$BATS_TEST_TMPDIR/screen"
        grep -qE '^model +precision +cache +percent +percent +pick +percent +percent' "$BATS_TEST_TMPDIR/screen"
        grep -qE '^physics-gp +f32 +cold ' "$BATS_TEST_TMPDIR/screen"
    done
    on_terminal 100 "tree/bin/spmv-verify -q -p f64 --cache warm runs.h5" > "$BATS_TEST_TMPDIR/screen"
    grep -qE '^bandwidth +[0-9]' "$BATS_TEST_TMPDIR/screen"
    on_terminal 100 "tree/bin/spmv-verify -q --columns model,worst_matrix runs.h5" | grep -qE '^model +worst_matrix$'
}

@test "verify: without --table an option that belongs to a single table selects that table" {
    runs="$BATS_FILE_TMPDIR/runs.h5" t="$BATS_TEST_TMPDIR"
    verify --by model "$runs" > "$t/by"
    verify --table all --by model "$runs" | diff - "$t/by"
    grep -q '^# table: errors' "$t/by"
    grep -q '^# table: ranking' "$t/by"
    verify --table advice "$runs" > "$t/advice"
    for option in "--risk 0.2" "--matrix-on gpu"; do verify $option "$runs" | diff "$t/advice" -; done
    verify --risk 1 --by class "$runs" | grep -q '^# table: advice'
}

# bats test_tags=long
@test "verify: the groups of --by together cover all cases" {
    for by in config kernel layout size class matrix; do
        verify -m bandwidth -p f64 --cache warm --table errors --by $by "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/t"
        awk -F'\t' '$1 == "bandwidth" { if ($2 == "all") all = $5; else { sum += $5; n++ } } END { exit !(all >= 94 && sum == all && n > 1) }' "$BATS_TEST_TMPDIR/t"
    done
    verify -m bandwidth -p f64 --cache warm --table errors --by size "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/t"
    [ "$(awk -F'\t' '$2 ~ /nnz/ && $5 > 30 { print $2 }' "$BATS_TEST_TMPDIR/t")" = $'1e4<=nnz<1e5\n1e5<=nnz<1e6' ]
    # K of hyb differs between matrices; they count as one configuration
    verify -m bandwidth -p f64 --cache warm --table errors "$BATS_FILE_TMPDIR/runs.h5" | grep -q $'^bandwidth\thyb:k=auto,head=ell.*\tf64\twarm\t5\t'
}

@test "verify: configurations of the CPU device, which has fewer keys, are found by every model" {
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5" stencil:points=5,n=16 banded:rows=300,bandwidth=2
    "$BIN/spmv-fit" -q -m $QUICK_MODELS --name cpu -o "$BATS_TEST_TMPDIR/cpu-profile.h5" "$BATS_TEST_TMPDIR/cpu.h5" > /dev/null
    verify --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m nearest --table errors "$BATS_TEST_TMPDIR/cpu.h5" > "$BATS_TEST_TMPDIR/t"
    awk -F'\t' -v all=$((2 * $("$BUILD/config" sweep default cpu | wc -l))) '$1 == "nearest" && $2 == "all" { n++; if ($5 != all || $(NF - 1) != 0) bad = 1 } END { exit bad || n != 4 }' "$BATS_TEST_TMPDIR/t"
}

@test "verify: rows of other devices than the profile's are skipped with a warning" {
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5" stencil:points=5,n=10
    table() { verify -m bandwidth --table errors "$@" | grep -v '^#'; }
    table "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/alone" 2> "$BATS_TEST_TMPDIR/err"
    [ "$(grep -c warning "$BATS_TEST_TMPDIR/err")" -eq 0 ]
    table "$BATS_FILE_TMPDIR/runs.h5" "$BATS_TEST_TMPDIR/cpu.h5" > "$BATS_TEST_TMPDIR/both" 2> "$BATS_TEST_TMPDIR/err"
    diff "$BATS_TEST_TMPDIR/alone" "$BATS_TEST_TMPDIR/both"
    grep -qE "warning: skipped [0-9]+ rows of another device: measured on 'Synthetic CPU, 14 threads', but profile syn is for 'Synthetic GPU, 14 SMs'" "$BATS_TEST_TMPDIR/err"
}

# bats test_tags=id:verify-another-device
@test "verify: --device may name another GPU than the profile's, whose times are then compared, and said to be; never a CPU" {
    local rows="$ROOT/results/h100/held-out.h5" of
    h200() { spmv-verify -q --profile h200 -m physics-gp --cache warm -p f64 --launch graph "$@"; }
    run -1 h200 "$rows"
    [[ "$output" == *"no usable row: skipped "*"other device: NVIDIA H100"* ]]
    for of in scores advice errors; do
        h200 --device h100 --table $of "$rows" > "$BATS_TEST_TMPDIR/$of"
        [[ "$(head -n 1 "$BATS_TEST_TMPDIR/$of")" =~ (", of NVIDIA H100 80GB HBM3, 132 SMs, ".*", by forecasts for NVIDIA H200: "|"; times of another device: NVIDIA H100 80GB HBM3, 132 SMs, ") ]]
    done
    [ "$(awk -F'\t' '/^physics-gp/ { print $7 }' "$BATS_TEST_TMPDIR/scores")" = 29 ]
    run -1 h200 --device Xeon "$ROOT/results/h200/cpu-matrices.h5"
    [[ "$output" == *"no row of this precision and cache state in these archives"* ]]
    run -1 h200 --device Xeon -p f32 "$ROOT/results/h200/cpu-matrices.h5"
    [[ "$output" == *"no usable row: "*"other device: CPU Intel"* ]]
}

# ---- the cost of features, table effort

effort() { # COLLECTION OPTIONS...
    local folder=(--collection "$1")
    [ -n "$1" ] || folder=()
    verify "${@:2}" "${folder[@]}" --profile syn -m guo2014 -p f64 --cache warm --table effort "$BATS_FILE_TMPDIR/runs.h5"
}

# bats test_tags=id:verify-recipes-without-files
@test "effort: features of recipes are timed without files; the note counts and names the others" {
    need_python
    effort "" --json > "$BATS_TEST_TMPDIR/effort.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR/effort.json" <<'PY'
import json, sys
t = json.load(open(sys.argv[1]))
(r,) = t["rows"]
assert r["matrices"] == 5, r
assert r["features_us"] > 0 and r["fill_us"] > 0 and r["features_spmvs"] > 0 and r["fill_spmvs"] > 0, r
assert "features: timed on 3 of 5 matrices; 2 are not recipes (--collection FOLDER finds their files): arrow, two" in t["notes"], t["notes"]
PY
    # one matrix: products are the time over the best measured time
    "$BUILD/synthetic" gpu "$BATS_TEST_TMPDIR/one.h5" stencil:points=7,n=40
    verify -m guo2014 -p f64 --cache warm --table effort "$BATS_TEST_TMPDIR/one.h5" > "$BATS_TEST_TMPDIR/one"
    grep -qx "# features: timed on 1 of 1 matrix" "$BATS_TEST_TMPDIR/one"
    awk -F'\t' '$1 == "model" { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == "guo2014" { n++; best = $at["best_us"]
            if (($at["features_us"] / best / $at["features_spmvs"] - 1) ^ 2 > 4e-5 || ($at["fill_us"] / best / $at["fill_spmvs"] - 1) ^ 2 > 4e-5) bad = 1
            # times of this matrix of 438400 nonzeros are at least 0.1 ns and at most 10 us per nonzero
            if ($at["fill_us"] < 43 || $at["features_us"] < 43 || $at["features_us"] > 4384000) bad = 1 }
        END { exit bad || n != 1 }' "$BATS_TEST_TMPDIR/one" || { cat "$BATS_TEST_TMPDIR/one"; false; }
}

# bats test_tags=id:verify-collection
@test "effort: --collection finds matrices as NAME or GROUP/NAME, compressed or not, and checks what it reads" {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p c/G empty
    gzip -c "$BATS_FILE_TMPDIR/two.mtx" > c/two.mtx.gz
    run --separate-stderr effort c
    [ "$status" -eq 0 ]
    [[ "$output" == *"# features: timed on 4 of 5 matrices; 1 is neither a recipe nor in --collection: arrow" ]] || { echo "$output"; false; }
    [ -z "$stderr" ] || { echo "$stderr"; false; }
    # another matrix under the name, and a damaged file
    cp --no-preserve=mode "$BATS_FILE_TMPDIR/bow.mtx" c/arrow.mtx
    run --separate-stderr effort c
    [[ "$output" == *"# features: timed on 4 of 5 matrices; 1 is neither"*": arrow" ]] || { echo "$output"; false; }
    [[ "$stderr" == "spmv-verify: warning: c/arrow.mtx is not the measured matrix arrow: its matrix_id is "* ]] || { echo "$stderr"; false; }
    head -n 5 "$BATS_FILE_TMPDIR/arrow.mtx" > c/arrow.mtx
    run --separate-stderr effort c
    [[ "$output" == *"# features: timed on 4 of 5 matrices; 1 is neither"*": arrow" ]] || { echo "$output"; false; }
    [[ "$stderr" == "spmv-verify: warning: file of matrix arrow ignored: c/arrow.mtx"* ]] || { echo "$stderr"; false; }
    run --separate-stderr effort empty
    [[ "$output" == *"# features: timed on 3 of 5 matrices; 2 are neither recipes nor in --collection: arrow, two" ]] || { echo "$output"; false; }
    # a matrix with a group is found in the folder of its group, and without it
    sed '1a % name: G/bow' "$BATS_FILE_TMPDIR/bow.mtx" > c/G/bow.mtx
    "$BUILD/synthetic" gpu g.h5 c/G/bow.mtx
    verify -m guo2014 -p f64 --cache warm --table effort --collection c g.h5 | grep -x "# features: timed on 1 of 1 matrix"
    cp c/G/bow.mtx empty/
    verify -m guo2014 -p f64 --cache warm --table effort --collection empty g.h5 | grep -x "# features: timed on 1 of 1 matrix"
}

@test "effort: too many nonzeros are reported" {
    run -0 spmv-verify --profile h200 -m footprint -p f64 --cache warm --table effort "$ROOT/results/h200/large.h5"
    [[ "$output" == *"# features: timed on 0 of 11 matrices; 11 of at least 121331448 nonzeros left out (limit: 75000000 in total): "*" and 7 more"* ]] || { echo "$output"; false; }
    [[ "$output" == *$'\t-\t-\t-\t-\tgraph'* ]]
}

@test "verify: rows of benchmarks are compared if --role asks for them; an unknown profile is an error without numbers" {
    "$BUILD/synthetic" gpu "$BATS_TEST_TMPDIR/grid.h5"
    run verify --role benchmark -m guo2014 -p f64 --cache warm --table errors "$BATS_TEST_TMPDIR/grid.h5"
    [ "$status" -eq 0 ]
    rm "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5"
    run --separate-stderr verify --profile syn "$BATS_FILE_TMPDIR/runs.h5"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == *"unknown profile 'syn'"* ]]
}

# bats test_tags=id:verify-one-part
@test "verify: of run archives, too, a composite with all nonzeros in one part is no pick" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    "$BUILD/synthetic" matrices run.h5 stencil:points=5,n=30
    # csr-scalar alone is left to pick: hyb has all nonzeros of this matrix in its tail, where its forecasts and times are lower
    "$PYTHON" - <<'PY'
import h5py, numpy as np
r = h5py.File("run.h5", "r+")["rows"]
r["outcome"][...] = np.where(np.isin(r["kernel"][:], [b"csr-scalar", b"hyb"]), r["outcome"][:], b"na").astype(r["outcome"].dtype)
PY
    "$BUILD/h5_damage" sign run.h5
    spmv-query -q --json "select kernel, min(time_us) as us from rows where precision = 'f64' and cache = 'warm' and outcome = 'ok' group by kernel" run.h5 > rows.json
    spmv-verify --profile "$BUILD/syn/gp.h5" -m physics-gp -p f64 --cache warm --launch graph --table scores --json run.h5 > scores.json
    "$PYTHON" - <<'PY'
import json
us = {r["kernel"]: r["us"] for r in json.load(open("rows.json"))["rows"]}
(scores,) = json.load(open("scores.json"))["rows"]
assert us["hyb"] < us["csr-scalar"] and abs(scores["pick"] / (us["hyb"] / us["csr-scalar"]) - 1) < 1e-9, (scores, us)
PY
}

# bats test_tags=id:verify-families
@test "verify: matrices of run archives that are alike are one family, in intervals and counts" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    "$BUILD/synthetic" matrices run.h5 constant:rows=3000,cols=3000,p=9,place=random,seed={1,2} stencil:points=5,n=60
    spmv-verify --profile "$BUILD/syn/gp.h5" -m physics-gp --table scores --json run.h5 > scores.json
    "$PYTHON" -c 'import json; (r,) = json.load(open("scores.json"))["rows"]; assert (r["matrices"], r["families"]) == (3, 2), r'
}
