#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# brc: the paper's example and table, matrices rebuilt from their pieces, bytes, and how auto resolves.
load helpers

refused() { # TEXT WORD: parsing fails and the message contains the word
    run "$BUILD/config" parse "$1"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$2"* ]] || { echo "'$1': no '$2' in: $output"; return 1; }
}

# bats test_tags=quick
@test "the paper's example matrix, in blocks of 3 pieces of 2, is stored as printed there" { OMP_NUM_THREADS=2 part brc paper; }
@test "the width for each matrix of the paper's table is the published one" { OMP_NUM_THREADS=1 part brc rule; }
# bats test_tags=id:brc-rebuilt
@test "every matrix is rebuilt from its pieces; arrays are equal on 1, 2 and 7 threads" {
    OMP_NUM_THREADS=1 part brc rebuild; one="${lines[0]}"
    OMP_NUM_THREADS=2 part brc rebuild; [ "${lines[0]}" = "$one" ]
    OMP_NUM_THREADS=1 part brc rebuild-some; some="${lines[0]}"
    OMP_NUM_THREADS=7 part brc rebuild-some; [ "${lines[0]}" = "$some" ]
    [ "$some" != "$one" ]
}
# bats test_tags=id:brc-bytes
@test "the bytes forecast are exact without windows of rows and within a factor of 2 with them; counted bytes are exact" { OMP_NUM_THREADS=2 part brc bytes; OMP_NUM_THREADS=7 part brc bytes; }
# bats test_tags=quick,id:brc-auto-padding
@test "auto counts only non-empty rows, also in a part; too much padding is rejected, with the counts in the error" { OMP_NUM_THREADS=2 part brc auto; }
@test "multiples of the rule have one canonical form; a sweep has none of them" {
    for pair in "auto*2 auto*2" "auto*007 auto*7" "auto/64 auto/64"; do
        run "$BUILD/config" parse "brc:b2=${pair% *}"
        [ "$output" = "brc:b1=32,b2=${pair#* },sigma=all,sum=partials,rep=auto,block=128" ]
    done
    for s in quick default exhaustive; do [ "$("$BUILD/config" sweep $s gpu | grep -c "auto[*/]")" -eq 0 ]; done
}
@test "the error for an illegal value lists the legal ones" {
    refused brc:b2=0 "1..1048576|auto|auto*2..64|auto/2..64|none|grow"
    refused brc:b2=all "1..1048576|auto|auto*2..64|auto/2..64|none|grow"
    for b2 in 'auto*1' 'auto*65' 'auto/0' 'auto/65' 'auto*' 'auto*x' 'auto*-2' 'auto+2' 1..1048576 'auto*2..64'; do refused "brc:b2=$b2" "auto*2..64"; done
    refused brc:b1=16 "32|64|128"
    refused brc:sigma=0 "1..2147483647|all"
    refused brc:sum=segmented "atomic|partials"
    refused brc:rep=0 "1..1024|auto"
    refused brc:b3=4 "b1|b2|sigma|sum|rep|block"
}
