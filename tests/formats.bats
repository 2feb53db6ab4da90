#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every layout and kernel of the tables on the CPU, against the reference: edges, views, Inf and NaN, refusals, bytes.
load helpers

formats() { # THREADS PART
    local driver=formats
    [[ "$2" =~ ^(shapes|shapes-default|views|poison)$ ]] || driver=layouts
    OMP_NUM_THREADS="$1" run "$BUILD/$driver" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

@test "each configuration equals the reference on each edge, and has the bytes it forecast (1 thread)" { formats 1 shapes; }
@test "the same on 2 threads" { formats 2 shapes; }
@test "the same on 7 threads" { formats 7 shapes-default; }
# bats test_tags=quick
@test "ranges of rows without a copy" { formats 1 views; formats 7 views; }
@test "Inf and NaN in x reach only the rows that refer to them" { formats 2 poison; }
# bats test_tags=quick
@test "too many nonzeros, too much padding: refused with the numbers" { formats 1 refusals; }
# bats test_tags=quick
@test "a value beyond f32 is refused with its row, f64 takes it" { formats 1 overflow; formats 7 overflow; }
# bats test_tags=quick
@test "a composite's parts have the features of their views" { formats 2 parts; }
# bats test_tags=quick
@test "arrays: offsets, sentinels, alignment, empty parts" { formats 2 arrays; }
@test "rows of kernels: a library's says whose it is, one is the baseline" { formats 1 kernels; }
@test "kinds of device: names and back, a grid without thread blocks" { formats 1 kinds; }
@test "grids are asked through kernel_grid, which knows devices without thread blocks" {
    [ "$(grep -rlE -e '->grid\(' "$ROOT/src" "$ROOT/tests/c")" = "$ROOT/src/formats/tables.c" ]
}
