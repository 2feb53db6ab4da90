#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bellpack beyond formats.bats: every block size and chunk; order, offsets, padding.
load helpers

bellpack() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/bellpack" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=id:bellpack-rebuilt,long
@test "the matrix is rebuilt from each block size and chunk; longest block rows come first" { bellpack 1 rebuild; }
# bats test_tags=quick,id:bellpack-by-hand
@test "order, offsets and positions of a small matrix match values computed by hand" { bellpack 1 chunks; bellpack 7 chunks; }
@test "bytes estimated from features are close to the counted bytes" { bellpack 2 estimate; }
@test "the error for an unsupported block size lists the sizes; that for too much fill states the counts" { bellpack 1 refusals; }
