#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Archives of forecasts and their table scores.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR" || return; }

TEXT="$ROOT/tests/forecasts.txt"

# cell NAME STATE: prints a cell of the row of that launch state in table.tsv
cell() {
    awk -F'\t' -v name="$1" -v state="$2" '/^#/ { next } !n++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["state"] == state { print $at[name]; exit }' table.tsv
}
is() {
    local found
    found="$(cell "$1" "$2")"
    [ "$found" = "$3" ] || { echo "$1, state $2: $found, expected $3"; false; }
}

# bats test_tags=quick
@test "scores: figures match values computed by hand" {
    "$BUILD/forecasts" f.h5 < "$TEXT"
    spmv-verify f.h5 > table.tsv
    for state in unknown known; do
        is model $state m; is training $state all; is group $state all; is set $state crossvalidated
        is matrices $state 2; is families $state 2; is cases $state 5; is refused $state 1; is near $state 4
        is seeds $state 1; is spread $state -; is no_pick $state 0
        is top3 $state 1.000; is within5_percent $state 50.0; is worst_matrix $state G/a
        # [10.25, 12.25] contains 10.25, [9.25, 11.25] not 12.25; [6, 9] and [6.25, 9.25] contain 8, [4.5, 6] and [4.75, 6.25] not 4
        is coverage_percent $state 50.0; is coverage_low $state 50.0; is coverage_high $state 50.0
    done
    # errors 11.25/10.25, 10.25/12.25, 8.25/8, 5.25/4: 9.756, 16.327 and 3.125, 31.25
    is mean_percent unknown 15.1; is median_percent unknown 13.0; is p90_percent unknown 31.2
    # launch state known: the second matrix was measured in the fast state, so the ratios are 8/8 and 5/4
    is mean_percent known 12.8; is p90_percent known 25.0
    # a sample with either family drawn twice: (9.756 + 16.327) / 2 and (3.125 + 31.25) / 2
    is mean_low unknown 13.0; is mean_high unknown 17.2
    # for G/a the pick takes 12.25 us and the best 10.25 us (12 and 10 without the time of the launch state); for G/b the pick is the best
    is pick unknown 0.9184; is pick known 0.9167; is pick_worst unknown 0.837; is pick_worst known 0.833
    # half-widths: 9.32 and 10.28 % for the first family, 21.66 and 14.71 % for the second
    is half_width_percent unknown 12.5
    grep -qF '# m, training all, 1 seed: 4 forecasts, 1 extrapolated (at most 1.65 times beyond the fitted range), 1 refused; 0 cases without a forecast' table.tsv
}

# bats test_tags=quick,id:scores-one-part
@test "scores: a composite with all nonzeros in one part is neither pick nor recommended, unless there is nothing else" {
    sed '/ coo coo /s/$/ 1/' "$TEXT" | "$BUILD/forecasts" f.h5
    spmv-verify f.h5 > table.tsv
    is pick unknown 0.7500 # csr-vector, which takes 10.25 us of 10.25 and 8 of 4
    spmv-verify --table coverage --json f.h5 > coverage.json
    sed '/ coo coo /!s/^case .*$/& 1/; / coo coo /s/$/ 1/' "$TEXT" | "$BUILD/forecasts" f.h5
    spmv-verify f.h5 > table.tsv
    is pick unknown 0.9184
    need_python
    "$PYTHON" - <<'P'
import json
r = {x["of"]: x["coverage_percent"] for x in json.load(open("coverage.json"))["rows"] if x["launch"] == "graph" and x["state"] == "unknown"}
assert r == {"all": 50, "least": 100, "recommended": 100}, r
P
}

# figures GROUPING...: every figure of a made archive is that of an independent computation
figures() {
    need_plain_python
    plain_python "$ROOT/tests/scores.py" make 7 > text
    "$BUILD/forecasts" f.h5 < text
    for b; do spmv-verify --json --by $b --set all f.h5; done > tables.json
    [ "$(wc -l < tables.json)" -eq $# ]
    plain_python "$ROOT/tests/scores.py" each text all "$@" < tables.json
}
# bats test_tags=id:scores-independent
@test "scores: figures, sets and filters match an independent computation" {
    figures kernel
    spmv-verify --json f.h5 | plain_python "$ROOT/tests/scores.py" compare text model crossvalidated
    spmv-verify --json --by kernel --set sealed --cache cold --launch graph -p f32 -m gp f.h5 > table.json
    plain_python "$ROOT/tests/scores.py" compare text kernel sealed cache=cold launch=graph precision=f32 model=gp < table.json
}
# bats test_tags=full
@test "scores: every grouping matches an independent computation" { figures model class size time precision cache launch family matrix; }

# bats test_tags=quick,id:coverage-small-example
@test "coverage: shares, sides and the recommended configuration match values computed by hand" {
    "$BUILD/forecasts" f.h5 < "$TEXT"
    spmv-verify --table coverage f.h5 | grep -v '^#' > rows
    of() { awk -F'\t' -v state="$1" -v of="$2" -v want="$3" '$3 == "graph" && $5 == state && $6 == of { got = $7 " " $8 " " $9 " " $10 " " $13 " " $14; n++ }
        END { if (n != 1 || got != want) { print state, of ": " n " rows, " got; exit 1 } }' rows; }
    # matrices, families, intervals; inside, below, above. G/a: [10.25, 12.25] contains 10.25, 12.25 is above [9.25, 11.25];
    # G/b: [6.25, 9.25] contains 8, 4 is below [4.75, 6.25]
    of unknown all "2 2 4 50.0 25.0 25.0"
    # coo has the least forecast of both, and the least forecast x (high / time)^0.2
    of unknown least "2 2 2 0 50.0 50.0"
    of unknown recommended "2 2 2 0 50.0 50.0"
    # 11 (12 / 11)^2 = 13.1 < 10 (14 / 10)^2: with risk 2 the recommended one of G/a is the more certain csr-vector
    sed 's/^of 1 m all 0 0 0 10 9 11 0/of 1 m all 0 0 0 10 9 14 0/' "$TEXT" | "$BUILD/forecasts" f.h5
    spmv-verify --table coverage --risk 2 f.h5 | grep -v '^#' > rows
    of unknown least "2 2 2 50.0 50.0 0"
    of unknown recommended "2 2 2 50.0 50.0 0"
    sed 's/^of 1 m all 0 0 0 10 9 11 0/of 1 m all 0 0 0 10 7 14 0/; s/^case s1 G.a fa csr-vector.*/case s1 G\/a fa csr-vector:lanes=4 csr-vector f64 warm graph resident 0 100 13 0.25/' "$TEXT" | "$BUILD/forecasts" f.h5
    spmv-verify --table coverage --risk 2 f.h5 | grep -v '^#' > rows
    of unknown least "2 2 2 50.0 50.0 0"
    of unknown recommended "2 2 2 0 50.0 50.0"
}

# bats test_tags=id:coverage-independent
@test "coverage: every row matches an independent computation, by launch unless --by says otherwise" {
    need_plain_python
    plain_python "$ROOT/tests/scores.py" make 5 > text
    "$BUILD/forecasts" f.h5 < text
    spmv-verify --table coverage --set all --json f.h5 | plain_python "$ROOT/tests/scores.py" coverage text launch all 0.2
    spmv-verify --table coverage --set all --by precision --risk 1 --json f.h5 | plain_python "$ROOT/tests/scores.py" coverage text precision all 1
}

# bats test_tags=quick
@test "scores: without --table an archive of forecasts gives table scores, or the table that an option belongs to" {
    "$BUILD/forecasts" f.h5 < "$TEXT"
    spmv-verify f.h5 > table.tsv
    tail -n 1 table.tsv | grep -q '^# more tables: --table '
    spmv-verify --table scores f.h5 | diff <(sed '$d' table.tsv) -
    spmv-verify --by class f.h5 | diff <(spmv-verify --table scores --by class f.h5) -
    printf '%s\n' "state 0" "case i G/a F ell:lanes=1,block=256 ell f64 warm graph resident 0 1000 5 0" "of 0 m all 1 0 0 4 nan nan 0" "cost 0 40 60 298 2 40 60 58 2" > text
    "$BUILD/forecasts" f.h5 < text
    for option in "--risk 1" "--matrix-on host"; do
        spmv-verify $option f.h5 | diff <(spmv-verify --table advice $option f.h5) -
    done
}

# bats test_tags=quick
@test "scores: contests and cases without a forecast are counted; models of one name from different training sets stay separate" {
    grep -v "^#" "$TEXT" > text
    {
        echo "of 0 r all 0 0 2 nan nan nan 0"
        echo "of 1 r all 0 0 2 nan nan nan 0"
        echo "of 3 r all 0 0 0 8 nan nan 0"
        echo "of 4 r generated 0 0 0 4 nan nan 0"
    } >> text
    "$BUILD/forecasts" f.h5 < text
    spmv-verify -m r f.h5 > out
    grep -v $'generated\t' out > table.tsv
    is no_pick known 1; is cases known 3; is refused known 2; is pick known 0.5000; is mean_percent known 0; is mean_low known -
    is coverage_percent known -; is matrices known 2; is families known 2
    grep -v $'all\tall\t' out > table.tsv
    is no_pick known 1; is cases known 1; is pick known 1.000; is training known generated
    grep -qF '# r, training all, 1 seed: 1 forecast, 0 extrapolated, 2 refused; 2 cases without a forecast' out
    # one table per archive
    [ "$(spmv-verify -m r f.h5 f.h5 | grep -c '^model')" -eq 2 ]
}

@test "scores: an archive stores its cases and forecasts, floats to 12 bits, and the digests of its inputs" {
    grep -v "^#" "$TEXT" > text
    "$BUILD/synthetic" gpu run.h5 stencil:points=5,n=30 > /dev/null
    "$BUILD/forecasts" f.h5 run.h5 < text
    "$BUILD/forecasts" --tell f.h5 | diff text -
    spmv-check f.h5
    spmv-info f.h5 > info
    [ "$(value_of kind < info)" = forecasts ]
    [ "$(value_of table.cases < info)" -eq 5 ]
    # 1 + 2^-12 is kept, slightly above 1 + 2^-13 is rounded up, 1 + 2^-14 down; refused forecasts have no time
    sed 's/^of 0 .*/of 0 m all 0 0 0 1.000244140625 1.00006103515625 1.000123 0/; s/^of 2 .*/of 2 m all 0 0 2 5 nan nan 0/' "$TEXT" | "$BUILD/forecasts" f.h5
    "$BUILD/forecasts" --tell f.h5 > told
    grep -qxF 'of 0 m all 0 0 0 1.00024414 1 1.00024414 0' told
    grep -qxF 'of 2 m all 0 0 2 nan nan nan 0' told
    "$BUILD/forecasts" f.h5 run.h5 < text
    need_python
    "$PYTHON" - f.h5 "$(sha256sum < run.h5 | cut -c-64)" <<'PY'
import h5py, sys
f = h5py.File(sys.argv[1])
assert [f["inputs"][c][0].decode() for c in ("name", "sha256", "role")] == ["run.h5", sys.argv[2], "run"]
assert {k: f.attrs[k].decode() for k in ("state_more_frequent_us", "seeds", "folds")} == {"state_more_frequent_us": "0.25", "seeds": "1", "folds": "2"}
PY
}

@test "scores: inconsistent and meaningless rows are rejected, both on writing and on reading" {
    grep -v "^#" "$TEXT" > text
    while IFS='|' read -r edit message; do
        sed "$edit" text > bad
        run ! cmp -s bad text
        run "$BUILD/forecasts" f.h5 < bad
        [ "$status" -eq 1 ]
        [[ $output == *"cannot write f.h5: "*"$message"* ]] || { echo "$edit: $output"; false; }
        [ ! -e f.h5 ]
        "$BUILD/forecasts" --as-is bad.h5 < bad
        run --separate-stderr spmv-verify bad.h5
        [ "$status" -eq 3 ]
        [ -z "$output" ]
        [[ $stderr == *"bad.h5 is damaged: "*"$message"* ]] || { echo "$edit: $stderr"; false; }
        run spmv-check bad.h5
        [ "$status" -eq 3 ]
    done <<'END'
1s/0.25/-1/|state_more_frequent_us
s/G.a fa/G\/a -/|table cases, row 0: missing family
s/f64 warm graph resident 0 100 12/f16 warm graph resident 0 100 12/|table cases, row 1: precision 'f16', expected f32
s/graph streaming/loop streaming/|table cases, row 3: launch 'loop', expected graph|stream
s/resident 0 100 30/big 0 100 30/|table cases, row 2: footprint 'big'
s/resident 0 100 30/resident 2 100 30/|table cases, row 2: sealed 2, expected 0 or 1
s/resident 0 100 30/resident 1 100 30/|row 2: family fa is sealed, but not sealed in row
s/fa ell/fb ell/|G/a is in family f
s/s1 G.a fa coo coo/s1 G\/a fa ell ell/|ell, f64, warm, graph; also in row
s/1000 8 0$/1000 nan 0/|table cases, row 3: measured_us nan, expected a positive time
s/1000 8 0$/1000 8 0 2/|table cases, row 3: one_part 2, expected 0 or 1
s/1000 8 0$/1000 8 9/|table cases, row 3: state_us 9, expected less than measured_us 8
s/^of 4/of 5/|table forecasts, row 4: case_index 5 is out of range; table cases has 5 rows
s/^of 4/of -1/|table forecasts, row 4: case_index -1
s/^of 4 m/of 4 -/|table forecasts, row 4: missing model
s/^of 4 m all/of 4 m some/|table forecasts, row 4: training 'some', expected all|generated
s/^of 4 m all 0 1 0/of 4 m all 0 1 3/|table forecasts, row 4: status 3
s/^of 2 m all 0 0 2/of 2 m all 0 0 0/|table forecasts, row 2: time_us nan, expected a positive time
s/5 4.5 6 0/5 7 6 0/|table forecasts, row 4: low_us 7, high_us 6, expected 0 < low_us <= high_us
s/5 4.5 6 0/5 4.5 nan 0/|table forecasts, row 4: low_us 4.5, high_us nan, expected 0 < low_us <= high_us
END
    # the same forecast twice
    { cat text; echo "of 4 m all 0 1 0 5 4.5 6 0"; } | "$BUILD/forecasts" f.h5
    run --separate-stderr spmv-verify f.h5
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    [[ $stderr == *"f.h5 is damaged: rows 4 and 5 of table forecasts are for the same case: model m, training all, seed 0, G/b, coo, f64, warm, graph"* ]]
}

# bats test_tags=quick
@test "scores: damaged archives and other kinds are rejected" {
    "$BUILD/forecasts" f.h5 < "$TEXT"
    "$BUILD/synthetic" gpu run.h5 stencil:points=5,n=30 > /dev/null
    run "$BUILD/forecasts" --tell run.h5
    [ "$status" -eq 1 ]
    [[ $output == *"run.h5 is an archive of kind run; expected kind forecasts"* ]]
    head -c 3000 f.h5 > cut.h5
    run --separate-stderr spmv-verify cut.h5
    [ "$status" -eq 3 ]
    [[ $stderr == *"cut.h5 is cut short or damaged"* ]]
}
