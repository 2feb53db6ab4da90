#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every layout and kernel on the CPU, compared with the reference: edge cases, views, Inf and NaN, rejections, bytes.
load helpers

formats() { # THREADS PART
    local driver=formats
    [[ "$2" =~ ^(shapes|shapes-default|views|exact|exact-all|poison|packed)$ ]] || driver=layouts
    OMP_NUM_THREADS="$1" run "$BUILD/$driver" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "${lines[-1]}" == "ok $2, "*" checks" ]]
}

# same_arrays SWEEP: the arrays in the last output are those of one thread.
same_arrays() {
    local all="$output"
    [ -e "$BATS_FILE_TMPDIR/one" ] || { formats 1 shapes; printf '%s\n' "$output" > "$BATS_FILE_TMPDIR/one"; }
    diff <(grep "^arrays of the $1 sweep" "$BATS_FILE_TMPDIR/one") <(grep "^arrays of the $1 sweep" <<<"$all")
}

# bats test_tags=id:formats-edge-cases-1
@test "each configuration matches the reference on each edge case and stores the bytes forecast, counted and stated, on 1 thread" {
    formats 1 shapes
    printf '%s\n' "$output" > "$BATS_FILE_TMPDIR/one"
}
# bats test_tags=long,id:formats-edge-cases-2
@test "the same on 2 threads, with equal arrays" { formats 2 shapes; same_arrays default; same_arrays exhaustive; }
# bats test_tags=long,id:formats-edge-cases-7
@test "default configurations match the reference on each edge case on 7 threads, with equal arrays" { formats 7 shapes-default; same_arrays default; }
# bats test_tags=id:formats-exact,long
@test "variants of layouts, and all configurations on inner rows of small matrices: sums of integers are exact; bytes as above" { formats 1 exact; }
# bats test_tags=id:formats-exact-all,full
@test "each block size, packing and chunk on each small matrix: sums are exact; variants have equal arrays on 1 and 3 threads" {
    formats 1 exact-all
    one="${lines[0]}"
    formats 3 exact-all                 # more than the cores of small machines take long
    [ "${lines[0]}" = "$one" ]
}
# bats test_tags=quick,id:formats-row-views
@test "products with views of row ranges match the reference, and the matrix is not copied" { formats 1 views; formats 7 views; }
# bats test_tags=id:formats-inf-nan
@test "Inf and NaN in x affect only the rows that use them" { formats 2 poison; }
# bats test_tags=quick,id:formats-packed-values
@test "products of csr-packed and coo-packed have the bits of those from full values" { formats 1 packed; formats 3 packed; }
# bats test_tags=quick,id:formats-refusals
@test "too many nonzeros, too much padding, an x beyond shared memory and values that do not repeat are rejected, with the counts in the error" { formats 1 refusals; }
# bats test_tags=quick,id:formats-beyond-f32
@test "every layout rejects a value beyond f32 in f32, naming the first row with one, and accepts it in f64" { formats 1 overflow; formats 7 overflow; }
# bats test_tags=quick,id:formats-composite-features
@test "features of a composite's parts equal those computed from the parts themselves" { formats 2 parts; }
# bats test_tags=quick,id:formats-copies
@test "each layout copied to a device and back has its arrays; out of memory at any of them, nothing is left" { formats 2 copies; }
# bats test_tags=quick
@test "stored arrays have the expected offsets, sentinels and alignment; parts may be empty" { formats 2 arrays; }
@test "in the table of kernels each library kernel names its library and exactly one kernel is the baseline" { formats 1 kernels; }
@test "device kinds convert to names and back; a CPU grid has no thread blocks" { formats 1 kinds; }
@test "all code gets grids from kernel_grid, which handles devices without thread blocks" {
    [ "$(grep -rlE -e '->grid\(' "$ROOT/src" "$ROOT/tests/c")" = "$ROOT/src/formats/tables.c" ]
}
