#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Features: compared with plain counting, on several thread counts; HYB's threshold.
load helpers

# bats test_tags=quick,id:features-plain-counting
@test "features and sketches match plain counting for many shapes" {
    run "$BUILD/features" check
    [ "$status" -eq 0 ]
    [ "$output" = ok ]
}

@test "the heaviest groups estimated for HYB's parts are within the bounds for each part" {
    run "$BUILD/features" parts
    [ "$status" -eq 0 ]
    [ "$output" = "ok, 484 groups" ]
}

@test "features are bit-identical on 1, 2 and 7 threads" {
    one="$(OMP_NUM_THREADS=1 "$BUILD/features" print)"
    [ -n "$one" ]
    for n in 2 7; do [ "$(OMP_NUM_THREADS=$n "$BUILD/features" print)" = "$one" ]; done
}

# bats test_tags=id:features-fill-alone
@test "the fill of dense blocks alone equals that of the features, for sampled matrices too" {
    run "$BUILD/block_fill" features
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ "$output" == "ok features, "*" checks" ]]
}

# bats test_tags=id:features-fill-exhaustive
@test "the fill of dense blocks of a matrix that is not sampled equals an exhaustive count" {
    run "$BUILD/block_fill" exhaustive
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ "$output" == "ok exhaustive, "*" checks" ]]
}

@test "the fill of dense blocks alone is the same on 1, 2 and 7 threads" {
    one="$(OMP_NUM_THREADS=1 "$BUILD/block_fill" print)"
    [ -n "$one" ]
    for n in 2 7; do [ "$(OMP_NUM_THREADS=$n "$BUILD/block_fill" print)" = "$one" ]; done
}

# VALUE:COUNT of row lengths -> K and the percentage of nonzeros beyond it.
# bats test_tags=id:features-hyb-threshold
@test "HYB's threshold is the largest k such that max(4096, rows/3) rows have at least k entries" {
    [ "$("$BUILD/features" hyb 5:4095)" = "0 100.000" ]             # fewer than 4096 rows
    [ "$("$BUILD/features" hyb 5:4096)" = "5 0.000" ]
    [ "$("$BUILD/features" hyb 2000:2000)" = "0 100.000" ]          # Dense: K is 0, everything is in COO
    [ "$("$BUILD/features" hyb 39:49152)" = "39 0.000" ]            # QCD: K is the maximum
    [ "$("$BUILD/features" hyb 1:6000 7:2999 9:1)" = "1 66.669" ]   # a third of 9000 rows reach 7, but fewer than 4096
    [ "$("$BUILD/features" hyb 1:188 23:4096)" = "23 0.000" ]       # LP's 4284 rows; a third of the nonzeros, as printed, would give 0
    [ "$("$BUILD/features" hyb 1:20000 7:9999 9:1)" = "7 0.002" ]   # 10000 of 30000 rows reach 7
    [ "$("$BUILD/features" hyb 1:20001 7:9999 9:1)" = "1 66.667" ]  # fewer than a third of 30001
}

# bats test_tags=long
@test "HYB's threshold and the share of COO match tables 1 and 4 of ashari2014 for three matrices" {
    need_shared
    [ "$("$BUILD/features" hyb_of "$SHARED_MATRICES/mc2depi.mtx.xz")" = "4 0.000" ]              # Epidemiology
    [ "$("$BUILD/features" hyb_of "$SHARED_MATRICES/conf5_4-8x8-05.mtx.xz")" = "39 0.000" ]     # QCD
    [ "$("$BUILD/features" hyb_of "$SHARED_MATRICES/dense2.mtx.xz")" = "0 100.000" ]            # Dense
}
