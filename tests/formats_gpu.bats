#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The CUDA back-end and every kernel on a GPU, against the reference: edges, long rows, Inf and NaN, recipes, memory, timing.
load helpers

setup() { need_gpu; }

part() { # DRIVER PART
    run "$BUILD/$1" "$2"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" == "ok $2"* ]]
}

@test "the device: key, geometry, versions" { part gpu_device facts; }
@test "memory: too much is out of memory with the numbers, and work goes on" { part gpu_device memory; }
@test "times grow with the work" { part gpu_device timing; }
@test "occupancy of each configuration of the default sweep is our rule's; no local memory" { part gpu_device occupancy; }
@test "an illegal address is reported and the device is lost" { part gpu_device lost; }
@test "each configuration equals the reference on each edge" { part gpu_formats shapes; }
@test "each configuration equals the reference on long rows" { part gpu_formats long; }
@test "Inf and NaN in x reach only the rows that refer to them" { part gpu_formats poison; }
@test "recipes on the GPU equal the host's; layouts built there equal those uploaded" { part gpu_formats recipes; }
@test "200 random matrices: each configuration equals the reference; layouts built there equal those uploaded" { part gpu_formats property; }
