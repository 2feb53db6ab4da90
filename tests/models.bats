#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# guo2014 against numbers worked out by hand, its planner's blocks against its forecasts, and the plain rivals.
load helpers

part() { # PROGRAM PART
    run "$BUILD/$1" "$2"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

@test "row groups: E(P) / T2 E'(I) gives 25212, whatever the lanes" { part models csr; }
@test "row groups on the CPU device: strips of its threads" { part models cpu; }
@test "row groups: a line on either side of the break, and the cells they come from" { part models break; }
@test "a thread a row: 172, where the printed form gives 149" { part models ell; }
@test "entries: a line in strips; composites: the sum of their parts, an empty part costs 0" { part models coo_hyb; }
@test "outside the fitted box: extrapolated, with the distance; not positive or not fitted: refused" { part models status; }
@test "only cells of the literal grid are fitted" { part models cells; }
@test "E(i, j) of any block is the forecast of its rows as a matrix" { part models blocks; }
@test "bandwidth: the best rate of each regime, between them by log bytes" { part rivals bandwidth; }
@test "nearest: never the same pattern or family, time scaled by nonzeros" { part rivals nearest; }
@test "cusparse: refuses all other kernels" { part rivals cusparse; }
@test "conversion: rates by layout, K of the rule is one layout" { part rivals convert; }
