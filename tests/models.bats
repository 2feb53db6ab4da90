#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# guo2014 compared with values computed by hand, guo2014-regimes with times from its formula, blocks of plans with forecasts,
# the simple rivals, and the archived fits of literal models on their own cells and matrices.
load helpers
H200="$ROOT/results/h200/profile.h5"

# bats test_tags=quick,id:models-row-groups-by-hand
@test "row groups: the forecast E(P) / T2 E'(I) is the 25212 us computed by hand, for any number of lanes; on the CPU device strips have a row per thread" { part models csr; part models cpu; }
# bats test_tags=id:models-row-groups-line
@test "row groups: a line is fitted on either side of the break, each to the expected cells" { part models break; }
# bats test_tags=quick,id:models-thread-per-row
@test "one thread per row: the forecast is 172 us, where the formula as printed in the paper would give 149 us" { part models ell; }
# bats test_tags=quick,id:models-entries-composites
@test "entries: the time is a line in strips; composites: it is the sum of the parts, where an empty part costs 0" { part models coo_hyb; }
# bats test_tags=quick,id:models-extrapolated
@test "forecasts outside the fitted box are extrapolated and state the distance; nonpositive or unfitted ones are refused" { part models status; }
# bats test_tags=id:models-literal-cells
@test "only cells of the literal grid are fitted; coefficients that give no positive, finite time are refused" { part models cells; part models odd; }
# bats test_tags=id:models-guo2014-blocks
@test "guo2014: the time E(i, j) of each block equals the forecast of its rows as a matrix" { part models blocks; }
# bats test_tags=id:models-regimes
@test "regimes: mixed lengths, gathers and a heavy thread block are forecast as computed; resident and streaming are distinguished; known costs and paths are recovered within 1e-9" { part regimes mixed; part regimes grid; }
# bats test_tags=id:models-regimes-interpolated
@test "regimes: times between resident and streaming are interpolated in log bytes" { part regimes mixture; }
@test "regimes: cold caches have one set of coefficients; forecasts outside the cells state the distance; what is unfitted or empty is refused" { part regimes cold; part regimes status; }
# parts: a composite takes the sum of its parts; blocks: that of all strips takes the time of the matrix, and no floor exceeds the time of a
# block that contains it; empty: strips without entries form no block; streaming: one larger than L2 takes at least its time from memory
@test "regimes, H200: parts, blocks, empty strips, blocks larger than L2; pruning does not change the plan" { part regimes_blocks parts,blocks,empty,streaming,plans "$H200"; }
@test "regimes, H200: kernels that distribute entries are not slowed down by one long row" {
    spmv-predict -m guo2014-regimes --profile "$H200" --cache warm -c coo:sum=atomic dense:rows=1,cols=1000000 constant:rows=100,cols=1000000,p=10000 |
        awk -F'\t' '$2 ~ /^coo/ { print $5 }' > "$BATS_TEST_TMPDIR/us"
    awk '{ us[NR] = $1 } END { exit !(NR == 2 && us[1] > 1 && us[1] < 1.5 * us[2]) }' "$BATS_TEST_TMPDIR/us" || { cat "$BATS_TEST_TMPDIR/us"; false; }
}
# bats test_tags=id:models-h200-merged-features
@test "physics-gp, H200: merged features of strips equal those of their rows" { part physics_blocks features "$H200"; }
# bats test_tags=id:models-h200-all-strips
@test "physics-gp, H200: the block of all strips takes the time forecast for the matrix; no floor exceeds the time of a block that contains it" { part physics_blocks blocks "$H200"; }
# bats test_tags=id:models-h200-larger-than-l2
@test "physics-gp, H200: a block of a matrix larger than L2 is forecast as read from memory" { part physics_blocks regime "$H200"; }
# bats test_tags=id:models-h200-blocks
@test "physics-gp, H200: blocks have the best forecasts of their rows; similar neighbours are joined; intervals add up; pruning changes no plan" { part physics_blocks split,plans "$H200"; }
same_bits() { # MATRIX PROGRAM
    one="$(OMP_NUM_THREADS=1 $2 --profile "$H200" --json "$1")"
    [ "$(OMP_NUM_THREADS=7 $2 --profile "$H200" --json "$1")" = "$one" ]
    [ "$(grep -o '"time_us":[0-9.]*[1-9]' <<<"$one" | wc -l)" -ge 5 ]
}
@test "H200: forecasts and plans are bit-identical on 1 and 7 threads" {
    same_bits normal:rows=50001,p=32,sd=16 "spmv-predict --all"
    same_bits uniform:rows=9000,p=20,half=19,place=random spmv-plan
}
# bats test_tags=full
@test "H200: forecasts and plans of more matrices are bit-identical on 1 and 7 threads" {
    same_bits uniform:rows=30000,p=20,half=19,place=random "spmv-predict --all"
    same_bits uniform:rows=30000,p=20,half=19,place=random spmv-plan
    same_bits normal:rows=50001,p=32,sd=16 spmv-plan
}
# bats test_tags=long
@test "H200: blocks, plans and merged features of guo2014-regimes and physics-gp, for every pair of precision and cache state and more random blocks" {
    for driver in regimes_blocks physics_blocks; do
        part $driver blocks,plans "$H200" all
    done
    part physics_blocks features "$H200" all
}
# bats test_tags=quick,id:models-bandwidth
@test "bandwidth: the best measured rate of each regime is used, interpolated in log bytes between the regimes" { part rivals bandwidth; }
# bats test_tags=quick,id:models-nearest
@test "nearest: a matrix of the same pattern or family is never used; the time above launch and bandwidth is scaled by nonzeros, to twice the measured range" { part rivals nearest; part rivals nearest-bounds; }
# bats test_tags=quick,id:models-cusparse-refused
@test "cusparse: all kernels other than cuSPARSE's CSR are refused" { part rivals cusparse; }
# bats test_tags=quick,id:models-conversion-layouts
@test "conversion: each layout has a start-up time and a rate; all values of k set by the rule count as one layout; one size gives only a rate" { part learn_costs convert; part learn_costs convert-rates; }
# bats test_tags=quick,id:models-preparation
@test "preparation: each configuration has its own cost, with a second pass if rows are cut; builds on the device depend on rows and the longest row" { part learn_costs prepare; }
# bats test_tags=quick,id:models-composite-costs
@test "costs of a composite are those of its parts: a CSR tail is not built, but its long rows are cut" { part learn_costs parts; }
# bats test_tags=quick,id:models-conversion-cost
@test "conversion: the cost from CSR on the GPU or on the host is right, with and without a build on the device" { part learn_costs place; }

# Archives in the order in which the profile was fitted: of a cell that two of them hold, the later one counts.
@test "H200: guo2014, wang2017 and choi2010 reproduce their own cells within the errors in the profile, and calibration cells exactly" {
    cd "$ROOT/results/h200"
    run "$BUILD/own_cells" profile.h5 {guo2014,wang2017}-large.h5 wang2017.h5 wang2017-regimes.h5 choi2010.h5 bench.h5
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(awk '$1 == "ok" && $3 >= 20 && $5 >= 1000 { print $2 }' <<<"$output" | paste -sd' ')" = \
        "guo2014, wang2017-constant, wang2017-normal, wang2017-uniform, wang2017-binomial, choi2010," ]
}
@test "H200: linear, linear-log and gbrt reproduce the matrices that they were trained on within the errors in the profile" {
    run "$BUILD/own_matrices" "$H200"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(awk '$1 == "ok" && $3 >= 20 && $5 >= 1000 { print $2 }' <<<"$output" | paste -sd' ')" = "linear, linear-log, gbrt," ]
}
