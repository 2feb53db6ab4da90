#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# guo2014 compared with values computed by hand, guo2014-regimes with times from its formula, blocks of plans with forecasts,
# and the simple rivals.
load helpers
H200="$ROOT/results/h200/profile.h5"

part() { # PROGRAM PART [PROFILE]
    run "$BUILD/$1" "${@:2}"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=quick
@test "row groups: E(P) / T2 E'(I) gives 25212 for any number of lanes" { part models csr; }
@test "row groups on the CPU device: strips have one row per thread" { part models cpu; }
@test "row groups: a line on either side of the break; the cells each line is fitted to" { part models break; }
# bats test_tags=quick
@test "one thread per row: 172, where the printed form gives 149" { part models ell; }
# bats test_tags=quick
@test "entries: a line in strips; composites: the sum of their parts, where an empty part costs 0" { part models coo_hyb; }
# bats test_tags=quick
@test "forecasts outside the fitted box are extrapolated and give the distance; nonpositive or unfitted ones are refused" { part models status; }
@test "only cells of the literal grid are fitted" { part models cells; }
@test "E(i, j) of each block equals the forecast of its rows as a matrix" { part models blocks; }
# bats test_tags=quick
@test "regimes: the known costs and paths of a synthetic device are recovered within 1 %" { part regimes grid; }
@test "regimes: mixed lengths, gathers and a heavy thread block; resident and streaming are distinguished" { part regimes mixed; }
@test "regimes: times between resident and streaming are interpolated in log bytes" { part regimes mixture; }
@test "regimes: the cold cache state has a single set of coefficients" { part regimes cold; }
@test "regimes: forecasts outside the cells are extrapolated and give the distance; empty matrices and unfitted configurations are refused" { part regimes status; }
@test "regimes, H200: a composite is the sum of its parts and extrapolated like them" { part regimes_blocks parts "$H200"; }
@test "regimes, H200: the block of all strips equals the forecast; a floor never exceeds the time of a block that contains it" { part regimes_blocks blocks "$H200"; }
@test "regimes, H200: strips without entries do not form a separate block" { part regimes_blocks empty "$H200"; }
@test "regimes, H200: kernels that distribute entries are not slowed down by one long row" {
    for matrix in dense:rows=1,cols=1000000 constant:rows=100,cols=1000000,p=10000; do
        spmv-predict -m guo2014-regimes --profile "$H200" --cache warm -c coo:sum=atomic "$matrix" | awk -F'\t' '$2 ~ /^coo/ { print $5 }'
    done > "$BATS_TEST_TMPDIR/us"
    awk '{ us[NR] = $1 } END { exit !(NR == 2 && us[1] > 1 && us[1] < 1.5 * us[2]) }' "$BATS_TEST_TMPDIR/us" || { cat "$BATS_TEST_TMPDIR/us"; false; }
}
@test "regimes, H200: a block of a matrix larger than L2 takes at least its time from memory" { part regimes_blocks streaming "$H200"; }
@test "regimes, H200: pruning does not change the plan" { part regimes_blocks plans "$H200"; }
@test "physics-gp, H200: merged features of strips equal those of their rows" { part physics_blocks features "$H200"; }
@test "physics-gp, H200: the block of all strips equals the forecast; a floor never exceeds the time of a block that contains it" { part physics_blocks blocks "$H200"; }
@test "physics-gp, H200: a block of a matrix larger than L2 is read from memory" { part physics_blocks regime "$H200"; }
@test "physics-gp, H200: pruning does not change the plan" { part physics_blocks plans "$H200"; }
@test "physics-gp, H200: blocks have the best forecasts of their rows; similar neighbours are joined; intervals add up" { part physics_blocks split "$H200"; }
@test "regimes, H200: forecasts and plans are bit-identical on 1 and 7 threads" {
    for matrix in normal:rows=200001,p=32,sd=16 uniform:rows=30000,p=20,half=19,place=random; do
        for program in "spmv-predict --all" spmv-plan; do
            one="$(OMP_NUM_THREADS=1 $program --profile "$H200" --json "$matrix")"
            [ "$(OMP_NUM_THREADS=7 $program --profile "$H200" --json "$matrix")" = "$one" ]
            [ "$(grep -o '"time_us":[0-9.]*[1-9]' <<<"$one" | wc -l)" -ge 5 ]
        done
    done
}
# bats test_tags=quick
@test "bandwidth: the best rate of each regime, interpolated in log bytes" { part rivals bandwidth; }
# bats test_tags=quick
@test "nearest: never the same pattern or family; the time is scaled by nonzeros" { part rivals nearest; }
# bats test_tags=quick
@test "nearest: refused beyond twice the range; only the time above launch and bandwidth is scaled" { part rivals nearest-bounds; }
# bats test_tags=quick
@test "cusparse: refuses all other kernels" { part rivals cusparse; }
# bats test_tags=quick
@test "conversion: start and rate per layout; k resolved by the rule is one layout" { part learn_costs convert; }
@test "conversion: a single size gives only a rate; profiles with only rates are still read" { part learn_costs convert-rates; }
# bats test_tags=quick
@test "preparation: per configuration, with a second pass if rows are cut; builds on the device depend on rows and the longest row" { part learn_costs prepare; }
# bats test_tags=quick
@test "costs of a composite are those of its parts: a CSR tail is not built, its long rows are cut" { part learn_costs parts; }
# bats test_tags=quick
@test "conversion: cost from CSR on the GPU and on the host, with and without a build on the device" { part learn_costs place; }
