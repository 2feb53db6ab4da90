#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bcsr: every block size, packed, aligned, interleaved or not.
load helpers

bcsr() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/bcsr" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

@test "each block size, stored in each way, is the matrix again" { bcsr 1 rebuild; }
# bats test_tags=quick
@test "words, groups and offsets of a matrix by hand" { bcsr 1 words; bcsr 7 words; }
@test "blocks are counted; the guess from features lies near" { bcsr 2 counts; }
# bats test_tags=quick
@test "a block size that is not compiled is refused with the list, much fill with the numbers" { bcsr 1 refusals; }
