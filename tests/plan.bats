#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-plan and the dynamic program behind it.
load helpers

@test "dynamic program: pruned equals full for every n up to 500, full equals trying all ways" {
    run "$BUILD/dp"
    [ "$status" -eq 0 ]
    [[ "$output" == "pruned = full on 1640 instances"* ]]
}
