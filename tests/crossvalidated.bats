#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Measures of cross-validated forecasts among the formats of a paper, on the archives of the H200.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR"; }

# The attribute of an archive of forecasts that is added to them, in microseconds.
state_of() { LC_ALL=C grep -aoE 'state_more_frequent_us[^[:print:]].{0,20}[0-9]+\.[0-9]+' "$1" | LC_ALL=C grep -aoE '[0-9]+\.[0-9]+$' | head -1; }

# bats test_tags=full
@test "lehnert2016: errors, picks and rankings among its five formats are those of the archived forecasts" {
    need_plain_python
    spmv-query "SELECT count(*) FROM cases" "$ROOT/results/h200/forecasts2.h5" > count.tsv || skip "built without SQLite"
    spmv-reproduce -q --papers "$ROOT/papers" --profile "$ROOT/results/h200/profile.h5" -o out lehnert2016 > summary.tsv
    spmv-query --digits 8 "SELECT c.matrix, c.config, f.model, c.measured_us, f.time_us AS forecast_us FROM forecasts f JOIN cases c
        ON c.archive_row = f.case_index WHERE f.training = 'all' AND c.sealed = 0 AND c.precision = 'f32' AND c.cache = 'warm'
        AND c.launch = 'graph' AND f.model IN ('knn', 'linear-log', 'gbrt', 'linear+gbrt')" "$ROOT/results/h200/forecasts2.h5" > cases.tsv
    plain_python "$ROOT/tests/crossvalidated.py" out/lehnert2016 cases.tsv "$(state_of "$ROOT/results/h200/forecasts2.h5")"
}

@test "measures: among=, near= and models=A+B are checked" {
    cp -r "$ROOT/papers/lehnert2016" .
    mkdir papers
    mv lehnert2016 papers/p
    refused() { # FROM TO MESSAGE
        sed "s/$1/$2/" "$ROOT/papers/lehnert2016/figures.tsv" > papers/p/figures.tsv
        run -1 --separate-stderr spmv-reproduce -q --papers papers --profile "$ROOT/results/h200/profile.h5" -o out p
        [[ "$stderr" == *"$3"* ]] || { echo "$stderr"; false; }
    }
    refused "among=formats near=all" "among=nothing" "nothing"
    refused "near=all" "near=half" "near=half: expected all or a number of at least 1"
    refused "models=linear-log+gbrt" "models=linear-log+nothing" 'unknown model "linear-log+nothing"'
}
