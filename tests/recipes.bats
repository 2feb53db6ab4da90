#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recipes: rows alone, text, identity on any number of threads, features of those too large to look at whole.
load helpers
bats_require_minimum_version 1.5.0

@test "random recipes of all kinds: every row alone equals the whole, columns sorted and in range, text round trip" {
    for seed in 1 2; do
        run -0 "$BUILD/recipes" check $seed
        [ "$output" = ok ]
    done
}

@test "1, 2 and 7 threads make one matrix" {
    for r in constant:rows=5000,p=17 normal:rows=3001,p=20,sd=10,place=random stencil:points=7,n=12; do
        one="$(OMP_NUM_THREADS=1 "$BUILD/recipes" show $r)"
        for n in 2 7; do [ "$(OMP_NUM_THREADS=$n "$BUILD/recipes" show $r)" = "$one" ]; done
    done
}

@test "seed and placement change the matrix, order of keys does not" {
    a="$("$BUILD/recipes" show constant:rows=300,p=5)"
    [ "$("$BUILD/recipes" show constant:seed=1,p=5,cols=300,rows=300,place=band)" = "$a" ]
    [ "$("$BUILD/recipes" show constant:rows=300,p=5,seed=2 | sed -n 4p)" != "$(sed -n 4p <<<"$a")" ]
    [ "$("$BUILD/recipes" show constant:rows=300,p=5,place=random | sed -n 4p)" != "$(sed -n 4p <<<"$a")" ]
}

@test "stencils have the nonzeros of their formula and are symmetric" {
    while read -r points n nnz; do
        run -0 "$BUILD/recipes" show stencil:points=$points,n=$n
        [ "${lines[2]}" = "$nnz" ] || { echo "$points $n: ${lines[2]}"; false; }
        [ "${lines[4]}" = symmetric ]
    done <<'END'
5 1 1
5 10 460
7 5 725
27 4 1000
27 2 64
END
}

@test "a large recipe's lengths and heaviest groups are exact and its sampled features within 3 percent" {
    for r in constant:rows=300000,p=16 constant:rows=300000,p=16,place=random,cols=1000000 normal:rows=200001,p=32,sd=16 constant:rows=8448,p=1024 banded:rows=50000,bandwidth=100; do
        run -0 "$BUILD/recipes" compare $r
        [ "${lines[0]}" = "exact 0" ]
        bad="$(awk '/^exact/ { next } /lengths|heaviest|nnz|row_sd/ && $2 > 0 { print } $2 > 0.03 { print }' <<<"$output")"
        [ -z "$bad" ] || { echo "$r: $bad"; false; }
    done
}

@test "a large recipe's features are the same on 1 and 7 threads" {
    for r in normal:rows=200001,p=32,sd=16 constant:rows=300001,p=16 uniform:rows=70003,p=90,half=80 stencil:points=27,n=61; do
        one="$(OMP_NUM_THREADS=1 "$BUILD/recipes" compare $r)"
        [ "$(grep -c '^heaviest_.* 0$' <<<"$one")" -eq 11 ]
        [ "$(OMP_NUM_THREADS=7 "$BUILD/recipes" compare $r)" = "$one" ]
    done
}

@test "rows too long to look at take no time and no memory" {
    for r in dense:rows=1,cols=2147483647 constant:rows=3,p=700000000 normal:rows=3,p=500000000; do
        run bash -c "ulimit -v 6000000; timeout 20 '$BUILD/recipes' time $r"
        [ "$status" -eq 0 ] || { echo "$r: $output"; false; }
    done
    run -0 "$BUILD/recipes" compare constant:rows=3,p=3000000
    [ -z "$(awk '/^exact/ { next } $2 > 0.05' <<<"$output")" ] || { echo "$output"; false; }
}

@test "small recipes' features are exact" {
    run -0 "$BUILD/recipes" compare constant:rows=1000,p=16
    [ "${lines[0]}" = "exact 1" ]
    [ "$(awk '/^exact/ { next } $2 > 0' <<<"$output")" = "" ]
}

@test "defaults are written out" {
    [ "$("$BUILD/recipes" parse constant:rows=10,p=40)" = "constant:rows=10,cols=80,p=40,place=band,seed=1" ]
    [ "$("$BUILD/recipes" parse normal:p=3,rows=10)" = "normal:rows=10,cols=10,p=3,sd=1.5,place=band,seed=1" ]
    [ "$("$BUILD/recipes" parse uniform:rows=10,p=3,half=0.00390625)" = "uniform:rows=10,cols=10,p=3,half=0.00390625,place=band,seed=1" ]
}

# text|what the message must hold
@test "bad recipes: what was found, what is legal, what is near" {
    while IFS='|' read -r text message; do
        run -1 "$BUILD/recipes" parse "$text"
        [[ "$output" == *"$message"* ]] || { echo "$text: $output"; false; }
        [ "${#lines[@]}" -eq 1 ]
    done <<'END'
constnt:rows=3|known: constant, uniform, normal, dense, banded, stencil; did you mean constant?
constant|rows is missing
constant:rows=3|p is missing: entries in a row, 1..2147483647
constant:rows=3,p=1,plase=band|unknown key "plase" (constant has rows, cols, p, place, seed; did you mean place?)
constant:rows=3,p=1,place=wide|place is "wide", expected band|random
constant:rows=3,p=0|p is "0", expected 1..2147483647
constant:rows=3.5,p=1|rows is "3.5", expected 1..2147483647
constant:rows=2147483648,p=1|rows is "2147483648", expected 1..2147483647
constant:rows=3,p=1,p=2|p is given twice
constant:rows=3,p|"p" is not key=value
constant:rows=3,cols=4,p=5|p is 5, but a row has only 4 columns: raise cols
normal:rows=3,p=5,sd=5.5|sd is 5.5, more than p = 5
constant:rows=3,p=1,seed=18446744073709551616|seed is "18446744073709551616", expected 0..18446744073709551615
banded:rows=3,bandwidth=3|bandwidth is 3, at most rows-1 = 2
stencil:points=9,n=3|points is 9, expected 5|7|27
stencil:points=27,n=1291|n is 1291: with points=27 at most 1290 a side
END
}
