#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# esb beyond formats.bats: masks and entries computed by hand, column blocks; timed only by name.
bats_require_minimum_version 1.5.0
load helpers

esb() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/esb" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=quick,id:esb-by-hand
@test "esb: the order of rows, masks and entries of one and of two column blocks match values computed by hand" { esb 1 vectors; esb 3 vectors; }
# bats test_tags=id:esb-rebuilt
@test "esb: each matrix is rebuilt from its storage, column blocks apart, rows in order" { esb 1 rebuilt; esb 7 rebuilt; }

# bats test_tags=quick,id:esb-by-name-only
@test "esb: the sweeps quick and default leave it out; named, it is timed, and forecasts are refused until a profile has it" {
    for s in quick default; do for d in cpu gpu; do [ "$("$BUILD/config" sweep $s $d | grep -c ^esb)" -eq 0 ]; done; done
    "$BUILD/config" sweep exhaustive gpu | grep -q ^esb:slice=8
    cd "$BATS_TEST_TMPDIR"
    spmv-run -q --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -p f32,f64 -c esb:slice=8,parts=2 -o r.h5 stencil:points=5,n=20 > r.tsv
    [ "$(grep -c $'\tesb:slice=8,sigma=1024,parts=2\t.*\tok' r.tsv)" -eq 2 ]
    run -0 --separate-stderr spmv-predict --profile "$ROOT/results/h200/profile.h5" -c esb -p f64 --cache warm stencil:points=5,n=20
    [[ "$output" == *$'\trefused\tesb:slice=32,sigma=1024,parts=1,block=128 was never measured for profile h200 (f64, warm, graph)\t'* ]]
}
