#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# brc beyond formats.bats: the paper's example and table, matrices rebuilt from their pieces, and how auto resolves.
load helpers

# bats test_tags=quick
@test "the paper's example matrix, in blocks of 3 pieces of 2, is stored as printed there" { OMP_NUM_THREADS=2 part brc paper; }
@test "the width for each matrix of the paper's table is the published one" { OMP_NUM_THREADS=1 part brc rule; }
# bats test_tags=id:brc-rebuilt,long
@test "every matrix is rebuilt from its pieces; arrays are equal on 1, 2 and 7 threads" {
    OMP_NUM_THREADS=1 part brc rebuild; one="${lines[0]}"
    OMP_NUM_THREADS=2 part brc rebuild; [ "${lines[0]}" = "$one" ]
    OMP_NUM_THREADS=1 part brc rebuild-some; some="${lines[0]}"
    OMP_NUM_THREADS=7 part brc rebuild-some; [ "${lines[0]}" = "$some" ]
    [ "$some" != "$one" ]
}
# bats test_tags=quick,id:brc-auto-padding
@test "auto counts only non-empty rows, also in a part; too much padding is rejected, with the counts in the error" { OMP_NUM_THREADS=2 part brc auto; }
@test "multiples of the rule have one canonical form; a sweep has none of them" {
    for pair in "auto*2 auto*2" "auto*007 auto*7" "auto/64 auto/64"; do
        run "$BUILD/config" parse "brc:b2=${pair% *}"
        [ "$output" = "brc:b1=32,b2=${pair#* },sigma=all,value=full,sum=partials,rep=auto,block=128" ]
    done
    for s in quick default exhaustive; do [ "$("$BUILD/config" sweep $s gpu | grep -c "auto[*/]")" -eq 0 ]; done
}
