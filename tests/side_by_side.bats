#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-predict -m all: the forecasts of every model side by side.
bats_require_minimum_version 1.5.0
load helpers

MATRIX=stencil:points=7,n=40

setup_file() {
    synthetic_profile
    h200 $MATRIX > "$BATS_FILE_TMPDIR/all.tsv"
}

h200() { "$BIN/spmv-predict" -q --profile "$ROOT/results/h200/profile.h5" -m all "$@"; }


models() { sed -n 's/^MODEL(\(.*\))$/\1/p' "$ROOT/src/models/models.def"; }

@test "side by side: one row per model, in the order of the table of models, each with its own recommendation" {
    cd "$BATS_TEST_TMPDIR"
    [ "$(column model < "$BATS_FILE_TMPDIR/all.tsv" | wc -l)" -eq "$(models | wc -l)" ]
    [ "$(column model < "$BATS_FILE_TMPDIR/all.tsv" | sed 's/[-+]/_/g')" = "$(models)" ]
    [ "$(column kind < "$BATS_FILE_TMPDIR/all.tsv" | grep -c '^default$')" -eq 1 ]
    # the configuration, time and interval are those that a call with this model alone recommends
    for m in guo2014 choi2010-waves linear+gbrt physics-gp; do
        row="$(grep -P "^\Q$m\E\t" "$BATS_FILE_TMPDIR/all.tsv" | cut -f 3,6-8)"
        config="${row%%$'\t'*}"
        "$BIN/spmv-predict" -q --profile "$ROOT/results/h200/profile.h5" -m "$m" --all $MATRIX > alone
        [ "$(column config,time_us,low_us,high_us,recommended < alone | sed -n 's/\tyes$//p')" = "$row" ]
        # totals within 1 % count as equal; a model with an interval weighs its upper end, so its pick may be slower than its fastest
        [ "$m" = physics-gp ] ||
            awk -F'\t' -v pick="$config" '!/^#/ && $1 > 0 { if ($13 > 0 && (best == "" || $13 < best)) best = $13; if ($2 == pick) total = $13 }
                END { exit !(total >= best && total <= 1.0105 * best) }' alone
    done
    # of a model that does not forecast cusparse-csr, too
    grep -qP '^choi2010-waves\tadapted\tcusparse-csr:.*\tforecast of physics-gp\t' "$BATS_FILE_TMPDIR/all.tsv"
    run grep '^# f64, warm: 2[0-9] of 2[0-9] models have a forecast; the default, physics-gp, recommends ' "$BATS_FILE_TMPDIR/all.tsv"
    [ "$status" -eq 0 ]
    [[ "$output" == *"recommends $(grep -P '^physics-gp\t' "$BATS_FILE_TMPDIR/all.tsv" | cut -f 3)"* ]]
}

# bats test_tags=id:side-by-side-default
@test "side by side: default_us is the default model's forecast of the same configuration, and the difference follows from it" {
    h200 --all $MATRIX > "$BATS_TEST_TMPDIR/every"
    awk -F'\t' 'FNR == NR { if ($1 == "physics-gp") us[$3] = $6; next }
        !/^#/ && $1 != "model" && $9 != "-" { n++; d = ($6 / $9 - 1) * 100
            if ($9 != us[$3]) { print "default_us", $0; bad = 1 }
            if ($10 - d > 0.006 * (d < 0 ? -d : d) + 0.11 || d - $10 > 0.006 * (d < 0 ? -d : d) + 0.11) { print d, $0; bad = 1 } }
        END { exit bad || n < 20 }' "$BATS_TEST_TMPDIR/every" "$BATS_FILE_TMPDIR/all.tsv"
    # --all prints forecasts only: as many of each model as its column "forecasts" says
    awk -F'\t' '!/^#/ && $1 != "model" { n[$1]++; said[$1] = $12; if ($6 == "-") { print; bad = 1 } }
        END { for (m in n) if (n[m] != said[m]) { print m, n[m], said[m]; bad = 1 } exit bad }' "$BATS_TEST_TMPDIR/every"
}

# bats test_tags=id:side-by-side-given
@test "side by side: a configuration given with -c has one row per model, refusals with the reason, none replaced by another model's forecast" {
    h200 -c csr-vector:lanes=16 -c cusparse-csr:alg=1,pre=1 $MATRIX > "$BATS_TEST_TMPDIR/t"
    for c in csr-vector cusparse-csr; do
        [ "$(grep -cP "^[^#\t]+\t[^\t]+\t$c:" "$BATS_TEST_TMPDIR/t")" -eq "$(models | wc -l)" ]
    done
    run grep -P '^choi2010\t[^\t]+\tcusparse-csr' "$BATS_TEST_TMPDIR/t"
    [[ "$output" == *$'\trefused\t'*"model choi2010"* ]]
    awk -F'\t' '!/^#/ && $1 != "model" && ($13 == "refused") != ($6 == "-" && $14 != "-") { print; exit 1 }' "$BATS_TEST_TMPDIR/t"
    run awk -F'\t' '!/^#/ { n[$13]++ } END { print n["ok"] + 0, n["extrapolated"] + 0, n["refused"] + 0 }' "$BATS_TEST_TMPDIR/t"
    [[ "$(tail -n 2 "$BATS_TEST_TMPDIR/t")" == *"; ${output%% *} ok, "*", ${output##* } refused, 0 not applicable"* ]]
}

@test "side by side: the best of named configurations is not told as a recommendation" {
    h200 -c ell -c csr-scalar $MATRIX > "$BATS_TEST_TMPDIR/t"
    grep -qE 'the default, physics-gp, has as the best of those named [^;]+; the same kernel is the best by ' "$BATS_TEST_TMPDIR/t"
    ! grep -q recommend "$BATS_TEST_TMPDIR/t"
}

@test "side by side: --top N compares the default's N fastest; --explain prints the terms of each row, with the model" {
    h200 --top 2 --explain $MATRIX > "$BATS_TEST_TMPDIR/t"
    two="$("$BIN/spmv-predict" -q --profile "$ROOT/results/h200/profile.h5" --top 2 $MATRIX | column config | head -n 2)"
    [ "$(column config < "$BATS_TEST_TMPDIR/t" | uniq)" = "$two" ]
    grep -v '^#' "$BATS_TEST_TMPDIR/t" | awk -F'\t' 'NR > 1 { print "# " $1 ", " $3 ", f64, warm: " $6 " us" }' > "$BATS_TEST_TMPDIR/heads"
    [ -s "$BATS_TEST_TMPDIR/heads" ]
    while read -r head; do grep -qF "$head" "$BATS_TEST_TMPDIR/t" || { echo "$head"; false; }; done < "$BATS_TEST_TMPDIR/heads"
}

@test "side by side: measured times, several matrices and targets, JSON, a terminal" {
    syn() { "$BIN/spmv-predict" -q --profile "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" -m all "$@"; }
    syn --measured "$BATS_FILE_TMPDIR/runs.h5" --all -p f32,f64 "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/t"
    awk -F'\t' '!/^#/ && $1 != "model" && $15 != "-" { n[$4]++; d = ($6 / $15 - 1) * 100
            if ($16 - d > 0.006 * (d < 0 ? -d : d) + 0.11 || d - $16 > 0.006 * (d < 0 ? -d : d) + 0.11) { print d, $0; bad = 1 } }
        END { exit bad || n["f32"] < 5 || n["f64"] < 5 }' "$BATS_TEST_TMPDIR/t"
    syn --json "$BATS_FILE_TMPDIR/two.mtx" "$BATS_FILE_TMPDIR/arrow.mtx" > "$BATS_TEST_TMPDIR/json"
    [ "$(grep -o '"matrix":"[^"]*"' "$BATS_TEST_TMPDIR/json" | sort -u | wc -l)" -eq 2 ]
    [ "$(grep -o '{"model":' "$BATS_TEST_TMPDIR/json" | wc -l)" -eq $((2 * $(models | wc -l))) ]
    command -v script > /dev/null || return 0
    for w in 80 100; do
        TERM=dumb script -qec "stty cols $w rows 50; $BIN/spmv-predict -q --profile $ROOT/results/h200/profile.h5 -m all $MATRIX" /dev/null < /dev/null \
            | awk -v w=$w '{ sub(/\r$/, "") } length($0) > w { print; bad = 1 } END { exit bad || NR < 20 }'
    done
}

@test "side by side: a profile without learned forecasts has another default; models that it lacks say how to add them" {
    "$BIN/spmv-fit" -m guo2014,guo2014-regimes,bandwidth,nearest --name old -o "$BATS_TEST_TMPDIR/old.h5" "$BATS_FILE_TMPDIR/runs.h5" "$BATS_FILE_TMPDIR/near.h5" > /dev/null
    run -0 "$BIN/spmv-predict" -q --profile "$BATS_TEST_TMPDIR/old.h5" -m all "$BATS_FILE_TMPDIR/two.mtx"
    [[ "$output" == *"the default, guo2014-regimes, recommends"* ]]
    [[ "$output" == *$'\nguo2014-regimes\tdefault\t'* ]]
    run grep -P '^(physics-gp|gbrt|wang2017-normal|ashari2014-slots)\t' <<< "$output"
    [ "${#lines[@]}" -eq 4 ]
    for line in "${lines[@]}"; do [[ "$line" == *$'\trefused\t'*spmv-* ]] || { echo "$line"; false; }; done
}

# bats test_tags=quick
@test "side by side: --help lists every model, and all" {
    help="$("$BIN/spmv-predict" --help | tr -d ' \n')"
    [[ "$help" == *"|knn-log|all;defaultphysics-gp)"* ]] || { echo "$help"; false; }
}
