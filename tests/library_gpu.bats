#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# libspmvcast_cuda on a GPU: features of matrices in GPU memory, and handles that multiply, used as a caller would.
load helpers

setup() { need_gpu; }

part() { # PROGRAM [PART]
    run "$BUILD/$1" "${@:2}"
    [[ "$output" != "skipped: "* ]] || skip "${output#skipped: }"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" == "ok"* ]]
}

clean() { # TOOL PROGRAM [PART]: the tool reports nothing
    command -v compute-sanitizer > /dev/null || skip "no compute-sanitizer (comes with the CUDA toolkit)"
    run compute-sanitizer --tool "$1" --error-exitcode 99 "$BUILD/$2" "${@:3}"
    [ "$status" -eq 0 ] || { tail -n 60 <<< "$output"; return 1; }
    [[ "$output" == *"ERROR SUMMARY: 0 errors"* || "$output" == *"RACECHECK SUMMARY: 0 hazards"* ]]
}

# bats test_tags=id:gpu-library-features
@test "library on a GPU: features computed there are those of the host; each fault of a matrix is found" { part gpu_examine; }
# bats test_tags=id:gpu-library-products
@test "library on a GPU: y = alpha A x + beta y for arrays of any base, width and place, by forecast, rule and name" { part cuda/library_gpu products; }
@test "library on a GPU: products are captured in CUDA graphs, also if they need memory" { part cuda/library_gpu graphs; }
# bats test_tags=id:gpu-library-values
@test "library on a GPU: new values on the host, on the GPU and in place" { part cuda/library_gpu updates; }
# bats test_tags=id:gpu-library-plans
@test "library on a GPU: blocks of a plan, serial and parallel, are multiplied, captured and given new values" { part cuda/library_gpu plans; }
@test "library on a GPU: deterministic kernels, memory limits, saved choices, trials" { part cuda/library_gpu options; }
# bats test_tags=id:gpu-library-trials
@test "library on a GPU: trials in the caller's products, also enqueued ahead, captured, and with new values" { part cuda/library_gpu trials; }
@test "library on a GPU: transposed products, also with new values; the first one is not captured" { part cuda/library_gpu transposed; }
@test "library on a GPU: unknown configurations, invalid matrices are refused by name" { part cuda/library_gpu refusals; }
@test "library on a GPU: threads with one device" { part cuda/library_gpu threads; }
# bats test_tags=id:gpu-library-pieces
@test "library on a GPU: each handle has its own list of pieces of long rows" { part cuda/library_gpu pieces; }
@test "library on a GPU: no rows, no entries, no profile, no such GPU; a device freed before its matrix" { part cuda/library_gpu corners; }
@test "library on a GPU: memcheck finds nothing" { clean memcheck cuda/library_gpu graphs; clean memcheck gpu_examine; clean memcheck cuda/library_gpu updates; clean memcheck cuda/library_gpu plans; clean memcheck cuda/library_gpu trials; clean memcheck cuda/library_gpu pieces; }
@test "library on a GPU: racecheck finds no race in shared memory" { clean racecheck gpu_examine; }
@test "library on a GPU: initcheck finds no read of uninitialised memory" { clean initcheck gpu_examine; clean initcheck cuda/library_gpu corners; clean initcheck cuda/library_gpu plans; }
