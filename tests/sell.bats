#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Storage of SELL-C-sigma beyond formats.bats: the order of rows, slices, narrow codes, rejections.
load helpers

sell() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/sell" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=id:sell-rebuilt
@test "sell: the matrix is rebuilt from its storage, rows in order" { sell 1 arrays; sell 7 arrays; }
# bats test_tags=quick,id:sell-packed-values
@test "sell: products with packed values have the bits of those with full values" { sell 1 values; sell 7 values; }
# bats test_tags=quick,id:sell-by-hand
@test "sell: codes, their widths and the order of rows match values computed by hand" { sell 1 hand; }
@test "sell: bad parameters, too much padding and codes out of range are rejected, with the numbers in the error" { sell 1 refusals; }
