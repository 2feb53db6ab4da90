#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The rule by which every program and the library recommend a configuration (src/forecast/pick.h).
load helpers

# bats test_tags=quick,id:pick-differences
@test "pick: gains and break-evens have the intervals of the differences, found by trying every number of products" { part pick differences; }
# bats test_tags=quick,id:pick-rule
@test "pick: what is extrapolated must surely be faster, what converts CSR likely; ties, unknown set-ups, no intervals" { part pick rule; }
