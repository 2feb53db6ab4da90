#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Matrices that are ready to be multiplied on the CPU device (src/library/operator.h).
bats_require_minimum_version 1.5.0
load helpers

# bats test_tags=quick
@test "operator: y = alpha A x + beta y equals the reference for every CPU kernel, f32 and f64, without reading what has factor 0" {
    OMP_NUM_THREADS=2 part operator kernels
}
# bats test_tags=quick
@test "operator: changed values are taken over in the same configuration" { OMP_NUM_THREADS=3 part operator update; }
# bats test_tags=quick
@test "operator: a changed column is noticed, and the operator stays as it was" { OMP_NUM_THREADS=2 part operator pattern; }
# bats test_tags=quick
@test "operator: unknown, unsupported and inapplicable configurations, overflow and invalid matrices are return values" {
    part operator errors
}
# bats test_tags=quick
@test "operator: memory that runs out at any size is a return value" { OMP_NUM_THREADS=2 part operator memory; }
