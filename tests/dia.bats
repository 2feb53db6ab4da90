#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# dia beyond formats.bats: positions of slots, matrices rebuilt from their diagonals, rejections.
bats_require_minimum_version 1.5.0
load helpers

dia() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/dia" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=quick
@test "dia: each diagonal is stored in full, with 0 where the matrix has no entry" { dia 1 packing; }
@test "dia: every matrix is rebuilt from its diagonals, on 1 and 7 threads" { dia 1 rebuild; dia 7 rebuild; }
# bats test_tags=quick,id:dia-refusals
@test "dia: too many diagonals or too much padding is rejected, with the counts in the error, even if the features have too few diagonals" { dia 2 refusals; }
@test "dia: an explicit -0 is not multiplied by x" { dia 1 minus-zero; dia 7 minus-zero; }

@test "dia: the default configuration" {
    run "$BUILD/config" parse dia
    [ "$output" = "dia:limit=1024,value=full,rows=1,block=256" ]
}

@test "dia: a stencil is run and checked; for a matrix with too many diagonals the row is na and states the counts" {
    cd "$BATS_TEST_TMPDIR"
    run -0 --separate-stderr spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c dia -c dia:limit=4 -p f32,f64 -o r.h5 \
        stencil:points=5,n=40 constant:rows=3000,cols=3000,p=3,place=random,seed=1
    echo "$output"
    [ "$(grep -cE $'^stencil:points=5,n=40.*\tdia:limit=1024,value=full\t.*\t(ok|noisy)\t' <<<"$output")" -eq 4 ]        # a row may be noisy on a busy machine
    [ "$(grep -c $'^stencil:points=5,n=40.*\tdia:limit=4,value=full\t.*5 nonempty diagonals exceed limit=4' <<<"$output")" -eq 4 ]
    [ "$(grep -c $'^constant:.*\tdia:limit=1024,value=full\t.* nonempty diagonals exceed limit=1024' <<<"$output")" -eq 4 ]
}
