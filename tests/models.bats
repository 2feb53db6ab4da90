#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# guo2014 against numbers worked out by hand, guo2014-regimes against times of its own formula, planner's blocks against forecasts,
# and the plain rivals.
load helpers
H200="$ROOT/results/h200/profile.h5"

part() { # PROGRAM PART [PROFILE]
    run "$BUILD/$1" "${@:2}"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=quick
@test "row groups: E(P) / T2 E'(I) gives 25212, whatever the lanes" { part models csr; }
@test "row groups on the CPU device: strips of its threads" { part models cpu; }
@test "row groups: a line on either side of the break, and the cells they come from" { part models break; }
# bats test_tags=quick
@test "a thread a row: 172, where the printed form gives 149" { part models ell; }
# bats test_tags=quick
@test "entries: a line in strips; composites: the sum of their parts, an empty part costs 0" { part models coo_hyb; }
# bats test_tags=quick
@test "outside the fitted box: extrapolated, with the distance; not positive or not fitted: refused" { part models status; }
@test "only cells of the literal grid are fitted" { part models cells; }
@test "E(i, j) of any block is the forecast of its rows as a matrix" { part models blocks; }
# bats test_tags=quick
@test "regimes: costs and paths of a device by formula come back within 1 %" { part regimes grid; }
@test "regimes: mixed lengths, gathers and a heavy thread block; resident and streaming told apart" { part regimes mixed; }
@test "regimes: between resident and streaming by log bytes" { part regimes mixture; }
@test "regimes: cold has one set" { part regimes cold; }
@test "regimes: beyond the cells extrapolated, with the distance; nothing in it, or not fitted: refused" { part regimes status; }
@test "regimes, H200: a composite is the sum of its parts, and extrapolated like them" { part regimes_blocks parts "$H200"; }
@test "regimes, H200: all strips are the forecast; a floor is no more than any block around it" { part regimes_blocks blocks "$H200"; }
@test "regimes, H200: rows without entries are no block of their own" { part regimes_blocks empty "$H200"; }
@test "regimes, H200: entries that are dealt out take no longer for being of one row" {
    for matrix in dense:rows=1,cols=1000000 constant:rows=100,cols=1000000,p=10000; do
        spmv-predict -m guo2014-regimes --profile "$H200" --cache warm -c coo:sum=atomic "$matrix" | awk -F'\t' '$2 ~ /^coo/ { print $5 }'
    done > "$BATS_TEST_TMPDIR/us"
    awk '{ us[NR] = $1 } END { exit !(NR == 2 && us[1] > 1 && us[1] < 1.5 * us[2]) }' "$BATS_TEST_TMPDIR/us" || { cat "$BATS_TEST_TMPDIR/us"; false; }
}
@test "regimes, H200: a block of a matrix beyond the L2 takes no less than out of memory" { part regimes_blocks streaming "$H200"; }
@test "regimes, H200: plans with and without pruning are the same" { part regimes_blocks plans "$H200"; }
@test "physics-gp, H200: features of strips together are those of their rows" { part physics_blocks features "$H200"; }
@test "physics-gp, H200: all strips are the forecast; a floor is no more than any block around it" { part physics_blocks blocks "$H200"; }
@test "physics-gp, H200: a piece of a matrix beyond the L2 comes out of memory" { part physics_blocks regime "$H200"; }
@test "physics-gp, H200: plans with and without pruning are the same" { part physics_blocks plans "$H200"; }
@test "physics-gp, H200: a plan's blocks are the best forecasts of their rows; what is alike is joined; intervals add up" { part physics_blocks split "$H200"; }
@test "regimes, H200: forecasts and plans are the same bits on 1 and 7 threads" {
    for matrix in normal:rows=200001,p=32,sd=16 uniform:rows=30000,p=20,half=19,place=random; do
        for program in "spmv-predict --all" spmv-plan; do
            one="$(OMP_NUM_THREADS=1 $program --profile "$H200" --json "$matrix")"
            [ "$(OMP_NUM_THREADS=7 $program --profile "$H200" --json "$matrix")" = "$one" ]
            [ "$(grep -o '"time_us":[0-9.]*[1-9]' <<<"$one" | wc -l)" -ge 5 ]
        done
    done
}
# bats test_tags=quick
@test "bandwidth: the best rate of each regime, between them by log bytes" { part rivals bandwidth; }
# bats test_tags=quick
@test "nearest: never the same pattern or family, time scaled by nonzeros" { part rivals nearest; }
# bats test_tags=quick
@test "nearest: refused beyond twice the range; above launch and bandwidth, of which only the rest is scaled" { part rivals nearest-bounds; }
# bats test_tags=quick
@test "cusparse: refuses all other kernels" { part rivals cusparse; }
# bats test_tags=quick
@test "conversion: start and rate by layout, K of the rule is one layout" { part learn_costs convert; }
@test "conversion: of one size a rate alone; profiles of rates alone are still read" { part learn_costs convert-rates; }
# bats test_tags=quick
@test "preparation: by configuration, a second pass where rows are cut; build on the device by rows and the longest" { part learn_costs prepare; }
# bats test_tags=quick
@test "costs of a composite go by its parts: a tail of CSR alone is not built, its long rows are cut" { part learn_costs parts; }
# bats test_tags=quick
@test "conversion: what it comes to from CSR on the GPU and on the host, with a build on the device and without" { part learn_costs place; }
