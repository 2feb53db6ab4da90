#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# wang2017 and guo2014-mean compared with values computed by hand; the grids of wang2017; from a grid to a forecast.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR"; }
# Columns of `recipes cells`: recipe role kernels I P place rows cols nnz id
cells() { "$BUILD/recipes" cells "$1"; }

# bats test_tags=id:wang2017-half-warp
@test "half a warp per row: T(P) / t0 E(I) at I = 40 and P = 64 or 2048; 187 of the 234 pairs exist on the GTX 540M; a thread per row, also for jad" { part wang2017 group; part wang2017 thread; }
# bats test_tags=id:wang2017-own-cells
@test "each model is fitted to the cells of its own distribution" { part wang2017 kinds; }
@test "without the paper's I and P lines are drawn elsewhere, with a note; what is unmeasured is refused; the CPU device" { for p in anchors status cpu; do part wang2017 $p; done; }
# bats test_tags=id:wang2017-guo2014-mean
@test "guo2014-mean: the lines of guo2014 at the rounded mean row length" { part wang2017 mean; }

# bats test_tags=long
@test "grids for the GTX 540M: the published I and P of both kinds of kernels, square and random, in four distributions" {
    for kind in constant normal uniform binomial; do
        run -0 spmv-gen wang2017-$kind --geometry gtx540m max_bytes=1e8 -o g.h5
        cells g.h5 > $kind.cells
        [ -z "$(awk -F'\t' -v kind=$kind: 'index($1, kind) != 1 || $2 != "literal" || $6 != "random" || $7 != $8 || $5 >= $7 || 8 * $5 * $7 > 1e8' $kind.cells)" ]
    done
    [[ "$output" == *"47 cells dropped: rows as long as the square matrix is wide"* && "$output" == *"dropped: more than max_bytes"* ]]
    run -0 spmv-gen wang2017-constant --geometry gtx540m -o g.h5
    [[ "$output" == *"# wrote 277 cells of wang2017-constant"* ]]
    cells g.h5 > cells
    [ "$(grep -c 'csr-vector:lanes=16,rows=1	' cells)" -eq 187 ]
    [ "$(grep -c 'csr-scalar+ell:lanes=1+jad:lanes=1	' cells)" -eq 90 ]
    [ "$(awk -F'\t' '$3 ~ /vector/ { print $4 }' cells | sort -nu | paste -sd' ')" = "1 2 3 4 5 6 7 8 9 10 15 20 25 30 35 40 45 50" ]
    [ "$(awk -F'\t' '$3 ~ /vector/ { print $5 }' cells | sort -nu | paste -sd' ')" = "4 8 16 32 64 128 256 512 1024 1536 2048 2560 3072" ]
    [ "$(awk -F'\t' '$3 !~ /vector/ { print $5 }' cells | sort -nu | paste -sd' ')" = "4 8 16 32 64 128 256 512 1024" ]
    [ -z "$(awk -F'\t' '$7 != $4 * ($3 ~ /vector/ ? 192 : 3072)' cells)" ]
    # 1920 rows of 64 entries: a deviation of sqrt(64 (1 - 1/30)), to 1/256
    grep -q '^normal:rows=1920,cols=1920,p=64,sd=7.8671875,place=random,seed=1	' normal.cells
    grep -q '^uniform:rows=1920,cols=1920,p=64,half=13.625,place=random,seed=1	' uniform.cells
}

# bats test_tags=long
@test "quick grids are small and have cells on two I and two P; the grid of wang2017-regimes is the same for all kernels" {
    for m in wang2017-constant wang2017-binomial wang2017-regimes; do
        for d in h200 c2050 cpu; do
            spmv-gen $m quick=1 --geometry $d -o q.h5 > /dev/null
            n="$(cells q.h5 | tee q | wc -l)"
            [ "$n" -ge 8 ] && [ "$n" -le 60 ] || { echo "$m $d: $n"; false; }
            [ -z "$(awk -F'\t' '8 * $9 > 4 * 62914560 || $7 != $8' q)" ]
        done
    done
    OMP_NUM_THREADS=1 spmv-gen wang2017-regimes --geometry cpu -o one.h5 > one # one thread: few rows
    grep -q '^# [0-9]* cells dropped: rows as long' one
    spmv-gen wang2017-regimes --geometry h200 -o g.h5 > /dev/null
    cells g.h5 > cells
    [ "$(cut -f 3 cells | sort -u | wc -l)" -eq 1 ]
    run ! grep -E 'hyb|bcsr|bellpack|dia' cells
    # every drawn cell has a constant one of the same size at random columns
    awk -F'\t' '$1 ~ /^constant/ && $6 == "random" { there[$7, $5] = 1 } $1 !~ /^constant/ { drawn[$7, $5] = 1; n++ }
        END { for (s in drawn) if (!(s in there)) exit 1; exit n < 50 }' cells
}

# bats test_tags=id:wang2017-straight-lines
@test "regimes: times that are straight lines in logarithms are forecast exactly, in a band, at random columns and between" { part wang_regimes terms; }
@test "regimes: between measured deviations the ratio is interpolated; beyond them it is clamped and marked" { part wang_regimes levels; }
# bats test_tags=id:wang2017-padded-labels
@test "regimes: padded kernels are labelled by the longest row, cells and matrices alike" { part wang_regimes padded; }
@test "regimes: times between resident and streaming are interpolated in log bytes; cold has one set" { part wang_regimes regimes; }
@test "regimes: outside the cells extrapolated with the distance; composites and unmeasured kernels are refused" { part wang_regimes status; }

# bats test_tags=long
@test "from the grids to forecasts on this CPU: every kernel of the grids is measured, fitted and forecast" {
    export OMP_NUM_THREADS=1
    for kind in normal regimes; do
        spmv-gen -q wang2017-$kind quick=1 max_bytes=1000000 --geometry cpu -o $kind.recipes.h5 > /dev/null
    done
    spmv-run -q --backend cpu --cache warm -p f64 --time-cap 0.0005 --rounds-cap 3 --accept-noise --sweep default -o runs.h5 normal.recipes.h5 regimes.recipes.h5 > /dev/null
    run -0 --separate-stderr spmv-fit --name mine -m wang2017-normal,wang2017-uniform,wang2017-regimes,guo2014 runs.h5 -o profile.h5
    for config in csr-vector:lanes=16 csr-scalar ell jad; do grep -q "^wang2017-normal	$config	f64	warm	.*	graph$" <<<"$output"; done
    [ "$(grep -c '^wang2017-regimes	.*	graph$' <<<"$output")" -eq "$(grep '^wang2017-regimes	.*	graph$' <<<"$output" | cut -f 2 | sort -u | wc -l)" ]
    for kernel in csr-scalar csr-vector csr-block csr-split csr-stream csr-merge coo ell jad bro sell; do grep -q "^wang2017-regimes	$kernel" <<<"$output" || { echo "$kernel"; false; }; done
    # one note per model without a fit, not one per precision and launch
    [ "$(grep -c '^# wang2017-uniform.*not fitted' <<<"$output")" -eq 1 ]
    [[ "$output" == *"# wang2017-uniform not fitted: "*"spmv-profile -m all"* ]]
    for model in wang2017-normal wang2017-regimes; do
        run -0 --separate-stderr spmv-predict --explain --json --profile ./profile.h5 -m $model --cache warm -c jad -c csr-vector:lanes=16 normal:rows=500,cols=500,p=20,place=random
        [ "$(grep -o '"time_us":[0-9.]*[1-9]' <<<"$output" | wc -l)" -ge 2 ] || { echo "$output"; false; }
    done
    run -0 --separate-stderr spmv-predict --profile ./profile.h5 -m wang2017-uniform --cache warm -c jad stencil:points=5,n=9
    [[ "$output" == *"refused	profile "*" has no wang2017-uniform coefficients for jad, f64, warm; measure them with spmv-profile -m all"* ]]
}
