#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bcsr beyond formats.bats: every block size; packed or not, aligned or not, interleaved or not.
load helpers

bcsr() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/bcsr" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=id:bcsr-rebuilt,long
@test "the matrix is rebuilt from each block size and storage variant" { bcsr 1 rebuild; }
# bats test_tags=quick,id:bcsr-by-hand
@test "words, groups and offsets of a small matrix match values computed by hand" { bcsr 1 words; bcsr 7 words; }
@test "blocks are counted exactly; the estimate from features is close" { bcsr 2 counts; }
# bats test_tags=quick
@test "the error for an unsupported block size lists the sizes; that for too much fill states the counts" { bcsr 1 refusals; }
