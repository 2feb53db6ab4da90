#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Matrix handles of libspmvcast on the CPU device: tests/c/library_matrix*.c know include/spmvcast.h and the shared library alone.
bats_require_minimum_version 1.5.0
load helpers
load library
# A profile is of a CPU with a number of threads.
export OMP_NUM_THREADS=2

# here.h5: here_profile; plain.h5: without them; other.h5: of another CPU
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    here_profile
    "$BUILD/synthetic" cpu other-runs.h5 stencil:points=5,n=10
    spmv-fit -q -m nearest --name plain -o plain.h5 here-runs.h5 > fit.tsv
    spmv-fit -q -m bandwidth --name other -o other.h5 other-runs.h5 > fit.tsv
}
setup() {
    cd "$BATS_TEST_TMPDIR"
    at="$BATS_FILE_TMPDIR"
    export XDG_DATA_HOME="$PWD/data"
}

# bats test_tags=id:matrix-products
@test "matrix: y = alpha A x + beta y equals the reference for every CPU kernel, f32 and f64, without reading what has factor 0" {
    kernels=$(spmv-run --backend cpu --list | awk -F'\t' '$2 == "-" && $1 !~ /^cusparse/ { print $1 }')
    [ "$(wc -l <<< "$kernels")" -ge 16 ]
    part library_matrix kernels $kernels
}
# bats test_tags=id:matrix-array-forms
@test "matrix: base, width of the row pointers and a given number of entries do not matter; the arrays may be freed" {
    part library_matrix arrays
}
# bats test_tags=id:matrix-choices
@test "matrix: choices by rule, forecast, name and trial; deterministic, memory_limit and saved choices hold" {
    part library_matrix choices "$at/here.h5"
}
# bats test_tags=id:matrix-no-forecasts
@test "matrix: a device finds the profile that was measured on it, or says why there is none; without learned forecasts the rule or a trial chooses" {
    part library_matrix found ""
    mkdir -p data/spmvcast/profiles
    cp "$at/other.h5" data/spmvcast/profiles/
    part library_matrix found ""
    cp "$at/here.h5" data/spmvcast/profiles/mine.h5
    part library_matrix found mine
    OMP_NUM_THREADS=3 part library_matrix found ""          # another device
    part library_matrix unlearned "$at/plain.h5"
}
# bats test_tags=id:matrix-changed-values
@test "matrix: changed values are taken over in the same configuration, if updates were announced" {
    part library_matrix updates
}
@test "matrix: transposed products equal the reference, also with new values; what they take is told before and after" {
    part library_matrix transposed
}
# bats test_tags=id:matrix-corners
@test "matrix: no rows, no columns and no entries are valid; a device may be freed before its matrices; NULL may be freed; factors are rounded" {
    part library_matrix corners
}
@test "matrix: threads with matrices of their own share a device and its forecasts" {
    part library_matrix threads "$at/here.h5"
}
# bats test_tags=id:matrix-refused
@test "matrix: NULLs, options, configurations, invalid matrices and devices that do not exist are refused with a message" {
    part library_matrix_refuses refuses "$at/other.h5"
}
# bats test_tags=id:matrix-no-memory
@test "matrix: memory that runs out at any size is a status; nothing leaks" {
    # malloc counts what its caches hold as allocated
    GLIBC_TUNABLES=glibc.malloc.tcache_count=0 part library_matrix_refuses memory "$at/here.h5"
}
# bats test_tags=id:matrix-update-no-memory
@test "matrix: after an update that ran out of memory there are no products" { part library_matrix_refuses updates; }
# bats test_tags=id:matrix-update-no-memory-transposed
@test "matrix: nor are there transposed ones, whichever of the two matrices ran out of memory" { part library_matrix_refuses transposed; }
