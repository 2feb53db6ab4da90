#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# No measured time and no forecast of physics-gp is below what the device can do.
bats_require_minimum_version 1.5.0
load helpers

H200=$ROOT/results/h200

# bats test_tags=id:bounds-rows
@test "bounds: no measured row is faster than an empty kernel and its least bytes at the greatest rate" {
    run -0 "$BUILD/bounds" rows "$H200/profile.h5" "$H200"/{large,papers,plans,held-out,wang2017}.h5
    [[ "${lines[-1]}" =~ ^[0-9]{5,}\ times,\ 0\ below ]]
}

@test "bounds: no forecast of a random matrix or of copies of it is below its bound, and few are raised to it" {
    run -0 "$BUILD/bounds" drawn "$H200/profile.h5" 1000
    [[ "${lines[-1]}" =~ ^([0-9]{3,})\ times,\ 0\ below\ their\ bound,\ ([0-9]+)\ raised ]]
    (( BASH_REMATCH[2] * 200 <= BASH_REMATCH[1] ))
    run -0 "$BUILD/bounds" drawn "$H200/cpu-profile.h5" 50
}

# bats test_tags=long
@test "bounds: all archived rows, and 4000 random matrices" {
    archives=()
    for a in "$H200"/*.h5; do [[ $a == *profile* || $a == *forecasts* || $a == */cpu-* ]] || archives+=("$a"); done
    run -0 "$BUILD/bounds" rows "$H200/profile.h5" "${archives[@]}"
    run -0 "$BUILD/bounds" rows "$H200/cpu-profile.h5" "$H200/cpu-matrices.h5"
    for profile in profile cpu-profile; do
        run -0 "$BUILD/bounds" drawn "$H200/$profile.h5" 2000
    done
}
