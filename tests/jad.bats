#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Jagged diagonals: the order of rows and entries, worked out by hand; each matrix from its storage again.
load helpers

jad() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/jad" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

@test "rows by descending length, ties in order, and their diagonals: by hand, and ashari2014's eq. 1" { jad 1 vectors; jad 3 vectors; }
# bats test_tags=quick
@test "each matrix from its storage again, on 1 thread" { jad 1 rebuilt; }
@test "the same on 7 threads" { jad 7 rebuilt; }
