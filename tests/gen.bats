#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-gen: grids for named devices, single recipes, materialised recipes. Errors: tests/errors/gen.tsv.
load helpers
bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR"; }

# Columns of `recipes cells`: recipe role kernels I P place rows cols nnz id
cells() { "$BUILD/recipes" cells "$1"; }

@test "--help works; --list prints every kind and model with its keys" {
    spmv-gen --help | grep -q -- --materialize
    run spmv-gen --list
    [ "$status" -eq 0 ]
    for name in guo2014 guo2014-regimes physics-gp wang2017-constant wang2017-normal wang2017-uniform wang2017-binomial wang2017-regimes choi2010 ashari2014 constant uniform normal binomial dense banded stencil fem halves like lattice kkt rmat markov lp blocks; do grep -q "	$name	" <<<"$output"; done
    grep -q "^kind	stencil	points	5|7|27	required	" <<<"$output"
    grep -q "^device	NVIDIA H200	.*8448 rows" <<<"$output"
}

# bats test_tags=quick
@test "a recipe stored in an archive is read as a matrix; its materialised form is the same matrix" {
    run spmv-gen stencil points=5 n=30 -o r.h5
    [ "$status" -eq 0 ]
    [ "$(cells r.h5 | cut -f 1,2)" = "stencil:points=5,n=30,seed=1	user" ]
    spmv-gen stencil n=30 points=5 --materialize -o m.h5
    whole="$("$BUILD/recipes" matrix m.h5)"
    [ "$(sed -n 3p <<<"$whole")" = stencil:points=5,n=30,seed=1 ]
    [ "$("$BUILD/recipes" matrix r.h5)" = "$whole" ]
    [ "$("$BUILD/recipes" matrix stencil:points=5,n=30)" = "$whole" ]
    for n in 1 7; do
        OMP_NUM_THREADS=$n spmv-gen normal rows=3000 p=9 --materialize -o n$n.h5
    done
    [ "$("$BUILD/recipes" matrix n1.h5)" = "$("$BUILD/recipes" matrix n7.h5)" ]
}

@test "guo2014 for a C2050: memory limits and numbers of cells are the published ones" {
    run -0 spmv-gen guo2014 --geometry c2050 -o g.h5
    [[ "$output" == *"largest P that fits in memory: CSR 599185 (I = 1), 119836 (5), 59918 (10); ELL 18724 (1), 1872 (10); COO 12483"* ]]
    cells g.h5 > cells
    # One warp per row: all ten I at P = 4 and 1024, in a band, with R = 672 I rows and C = max(R, 2P) columns.
    for p in 4 1024; do
        [ "$(awk -F'\t' -v p=$p '$5 == p && ($3 == "" || $3 ~ /csr-vector(:lanes=32|[+]|$)/) && $7 % 672 == 0 && $6 == "band"' cells | wc -l)" -ge 10 ]
        for i in 1 2 3 4 5 6 7 8 9 10; do grep -q "^constant:rows=$((672 * i)),cols=$((672 * i > 2 * p ? 672 * i : 2 * p)),p=$p,place=band,seed=1" cells; done
    done
    for p in 4 16 64 256 1024 2048 4096 8192 16384 32768 65536; do grep -q "^constant:rows=3360,cols=$((3360 > 2 * p ? 3360 : 2 * p)),p=$p,place" cells; done
    for p in 10 20 30 40 50 60 70 80 90 100; do grep -q "^constant:rows=21504,cols=21504,p=$p,.*	literal	coo" cells; done
    for i in 1 10; do grep -q "^constant:rows=$((21504 * i)),cols=$((21504 * i)),p=256,place=band,seed=1	literal	csr-scalar+ell" cells; done
    [ -z "$(awk -F'\t' '$2 != "literal" || $9 > 2147483647 || 8 * $9 + 4 * ($7 + 1) > 2147483648' cells)" ]
    [ "$(cut -f 1 cells | sort | uniq -d)" = "" ]
}

@test "guo2014-regimes for an H200: about 400 cells within the limits cover all that the model fits" {
    run spmv-gen guo2014-regimes --geometry h200 -o g.h5
    [ "$status" -eq 0 ]
    cells g.h5 > cells
    n="$(wc -l < cells)"
    [[ "$n" -ge 350 && "$n" -le 450 ]]
    [ -z "$(awk -F'\t' '$9 > 2147483647 || 12 * $9 + 4 * ($7 + 1) > 1073741824' cells)" ]
    [ "$(cut -f 1 cells | sort | uniq -d)" = "" ]
    [ "$(cut -f 10 cells | sort | uniq -d)" = "" ]
    for zone in "30 40" "48 64" "100 200"; do
        set -- $zone
        for p in 1 2 4 8 16 24 32 48 64 96 128 256 512 1024 1536 2048 4096 16384; do
            [ "$(awk -F'\t' -v p=$p -v a=$1 -v b=$2 '$5 == p && $6 == "band" { m = $7 * (8 * p + 4) / 1048576; if (m >= a - 0.01 && m <= b) print }' cells | wc -l)" -ge 2 ] || { echo "P $p, $zone MiB"; false; }
        done
    done
    for log2 in 10 11 12 13 14 15 16 17 18; do grep -q "^constant:rows=132,cols=$((2 << log2)),p=$((1 << log2)),place=band,seed=1	path" cells; done
    [ "$(awk -F'\t' '$2 == "gather" { print $8 }' cells | sort -nu | sed -n '1p;$p' | paste -sd' ')" = "16384 268435456" ]
    [ "$(awk -F'\t' '$2 == "spread"' cells | wc -l)" -eq 12 ]
    # One thread per row only up to P = 2048, COO up to 200 strips of entries; composites have no constant rows.
    [ -z "$(awk -F'\t' '$5 > 2048 && $3 ~ /ell|scalar/' cells)" ]
    [ -z "$(awk -F'\t' '$2 != "spread" && $9 > 200 * 270336 && $3 ~ /coo/' cells)" ]
    [ -z "$(awk -F'\t' '$5 > 0 && ($3 == "" || $3 ~ /hyb/)' cells)" ]
}

@test "quick grids are small" {
    for m in guo2014 guo2014-regimes ashari2014; do
        for d in h200 c2050; do
            spmv-gen $m quick=1 --geometry $d -o q.h5
            n="$(cells q.h5 | wc -l)"
            [ "$n" -ge 8 ] && [ "$n" -le 60 ] || { echo "$m $d: $n"; false; }
            [ -z "$(cells q.h5 | awk -F'\t' '8 * $9 > 4 * 62914560')" ]
        done
    done
}

@test "--geometry cpu makes a grid for this machine; cuda is rejected without a GPU" {
    run spmv-gen guo2014-regimes quick=1 --geometry cpu -o c.h5
    [ "$status" -eq 0 ]
    [ -z "$(cells c.h5 | grep cusparse)" ]
    [ -z "$(cells c.h5 | awk -F'\t' '12 * $9 > 33554432')" ]
    nvidia-smi -L 2>/dev/null | grep -q GPU && skip "there is a GPU"
    run -1 spmv-gen guo2014 --geometry cuda -o d.h5
    [[ "$output" == *"--geometry cuda: "* ]]
    [ ! -e d.h5 ]
}

@test "cells above max_bytes are dropped and counted" {
    run -0 spmv-gen guo2014-regimes max_bytes=1048576 --geometry h200 -o g.h5
    [[ "$output" == *"cells dropped: more than max_bytes"* ]]
    [ -z "$(cells g.h5 | awk -F'\t' '12 * $9 + 4 * ($7 + 1) > 1048576')" ]
}
