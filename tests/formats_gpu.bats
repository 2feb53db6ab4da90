#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The CUDA back-end and every kernel on a GPU, compared with the reference: edge cases, long rows, Inf and NaN, recipes, memory, timing.
load helpers

setup() { need_gpu; }

part() { # DRIVER PART
    run "$BUILD/$1" "$2"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" == "ok $2"* ]]
}

@test "the device reports a key, geometry and versions" { part gpu_device facts; }
# bats test_tags=id:gpu-out-of-memory
@test "an allocation that is too large gives an out-of-memory error with the sizes, and the device stays usable" { part gpu_device memory; }
# bats test_tags=id:gpu-times-grow
@test "times grow with the work" { part gpu_device timing; }
@test "the occupancy of each default configuration and of choi2010's bellpack grid matches our rule; no kernel uses local memory" { part gpu_device occupancy; }
@test "an illegal address is reported and the device is marked lost" { part gpu_device lost; }
# bats test_tags=id:gpu-edge-cases
@test "each configuration matches the reference on each edge case" { part gpu_formats shapes; }
# bats test_tags=id:gpu-huge-rows
@test "each configuration matches the reference on long rows" { part gpu_formats long; }
# bats test_tags=id:gpu-inf-nan
@test "Inf and NaN in x affect only the rows that use them" { part gpu_formats poison; }
# bats test_tags=id:gpu-packed-values
@test "products of csr-packed and coo-packed have the bits of those from full values, uploaded and built on the GPU" { part gpu_formats packed; }
# bats test_tags=id:gpu-recipes
@test "recipes generated on the GPU equal those of the host; layouts built on the GPU equal uploaded ones" { part gpu_formats recipes; }
# bats test_tags=id:gpu-random-matrices
@test "200 random matrices: each configuration matches the reference; layouts built on the GPU equal uploaded ones" { part gpu_formats property; }
