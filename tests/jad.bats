#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# jad beyond formats.bats: the order of rows and entries, computed by hand; matrices rebuilt from their storage.
load helpers

jad() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/jad" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

@test "the order of rows, stable for ties, and the diagonals match values computed by hand; sizes match eq. 1 of ashari2014" { jad 1 vectors; jad 3 vectors; }
# bats test_tags=quick,id:jad-rebuilt-1
@test "each matrix is rebuilt from its storage on 1 thread" { jad 1 rebuilt; }
# bats test_tags=id:jad-rebuilt-7
@test "each matrix is rebuilt from its storage on 7 threads" { jad 7 rebuilt; }
