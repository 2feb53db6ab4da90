#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Contests: which entries count, and the best of each matrix, precision, cache state and launch (src/runs/contests.h).
load helpers

# bats test_tags=quick,id:contests-best
@test "contests: the newest revisions count, and the best of each contest is that of a search" {
    run "$BUILD/contests"
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^[0-9]{4,}\ checks$ ]]
}
