#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# BRO-ELL: packed columns worked out by hand; each matrix from its storage again; sizes counted and estimated.
load helpers

bro() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/bro" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=quick
@test "bits of a step and symbols: by hand, to the largest delta of 31 bits, straddling, two threads a row" { bro 1 vectors; }
@test "each matrix from its storage again, bit by bit; counted as built" { bro 1 rebuilt; }
@test "the same on 7 threads" { bro 7 rebuilt; }
@test "too much padding of slices is refused with the numbers; the estimate" { bro 1 refusals; }
