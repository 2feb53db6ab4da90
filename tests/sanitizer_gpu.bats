#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every kernel under compute-sanitizer: no access out of bounds, no race in shared memory, no read of uninitialised memory.
load helpers

setup() {
    need_gpu
    command -v compute-sanitizer > /dev/null || skip "no compute-sanitizer (comes with the CUDA toolkit)"
}

clean() { # PART TOOL [OPTION...]: the tool reports nothing for any configuration on small matrices
    run compute-sanitizer --tool "$2" --error-exitcode 99 "${@:3}" "$BUILD/gpu_formats" "$1"
    [ "$status" -eq 0 ] || { tail -n 60 <<< "$output"; return 1; }
    [[ "$output" == *"ok $1, "*" checks"* ]]
    [[ "$output" == *"ERROR SUMMARY: 0 errors"* || "$output" == *"RACECHECK SUMMARY: 0 hazards"* ]]
}

@test "memcheck: no access out of bounds, no leak" { clean small memcheck --leak-check full; }
# cuSPARSE 12.6 sums within a warp without __syncwarp, which is reported as races in its own kernels.
@test "racecheck: no race in shared memory in our kernels" { clean ours racecheck; }
@test "initcheck: no read of uninitialised memory" { clean small initcheck; }
@test "synccheck: every barrier is reached by all its threads" { clean small synccheck; }

@test "memcheck: spmv-run with warm and cold caches and layouts built on the GPU has no invalid access and no leak" {
    run compute-sanitizer --tool memcheck --error-exitcode 99 --leak-check full --target-processes all \
        "$BIN/spmv-run" -q --anonymous --backend cuda -p f32,f64 --cache warm,cold --time-cap 0.001 --sweep default -o "$BATS_TEST_TMPDIR/r.h5" lp:rows=300,p=20,seed=8 \
        normal:rows=3000,p=9,sd=4
    [ "$status" -eq 0 ] || { tail -n 60 <<< "$output"; return 1; }
    [[ "$output" == *"ERROR SUMMARY: 0 errors"* ]]
}
