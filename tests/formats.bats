#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every layout and kernel on the CPU, compared with the reference: edge cases, views, Inf and NaN, rejections, bytes.
load helpers

formats() { # THREADS PART
    local driver=formats
    [[ "$2" =~ ^(shapes|shapes-default|views|poison)$ ]] || driver=layouts
    OMP_NUM_THREADS="$1" run "$BUILD/$driver" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

@test "each configuration equals the reference on each edge case and has the forecast bytes, on 1 thread" { formats 1 shapes; }
@test "each configuration equals the reference on each edge case and has the forecast bytes, on 2 threads" { formats 2 shapes; }
@test "default configurations equal the reference on each edge case, on 7 threads" { formats 7 shapes-default; }
# bats test_tags=quick
@test "views of row ranges equal the reference without copying the matrix" { formats 1 views; formats 7 views; }
@test "Inf and NaN in x affect only the rows that use them" { formats 2 poison; }
# bats test_tags=quick
@test "too many nonzeros and too much padding are rejected with the numbers" { formats 1 refusals; }
# bats test_tags=quick
@test "a value beyond f32 is rejected with its row in f32 and accepted in f64" { formats 1 overflow; formats 7 overflow; }
# bats test_tags=quick
@test "features of a composite's parts equal those of their views" { formats 2 parts; }
# bats test_tags=quick
@test "arrays: offsets, sentinels, alignment, empty parts" { formats 2 arrays; }
@test "table of kernels: library kernels name their library, exactly one kernel is the baseline" { formats 1 kernels; }
@test "device kinds convert to names and back; a CPU grid has no thread blocks" { formats 1 kinds; }
@test "all code gets grids from kernel_grid, which handles devices without thread blocks" {
    [ "$(grep -rlE -e '->grid\(' "$ROOT/src" "$ROOT/tests/c")" = "$ROOT/src/formats/tables.c" ]
}
