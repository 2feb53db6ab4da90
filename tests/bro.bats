#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bro beyond formats.bats: packed columns computed by hand; matrices rebuilt from their storage; the estimated size.
load helpers

bro() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/bro" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=quick,id:bro-by-hand
@test "bit widths and symbols match values computed by hand: deltas of 31 bits, straddling symbols, two threads per row" { bro 1 vectors; }
# bats test_tags=id:bro-rebuilt
@test "each matrix is rebuilt from its storage bit for bit, on 7 threads" { bro 7 rebuilt; }
@test "too much padding of slices is rejected, with the counts in the error; the estimated size is close" { bro 1 refusals; }
