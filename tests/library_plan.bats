#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Plans of libspmvcast: tests/c/library_plan.c knows include/spmvcast.h and the shared library alone.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/library_plan" write a.mtx
    spmv-plan -q --profile "$BUILD/syn/quick.h5" -m guo2014 -c ell -c csr-vector:lanes=32 -p f32 -o plan.h5 a.mtx > plan.tsv
}
setup() { cd "$BATS_FILE_TMPDIR"; }

# bats test_tags=id:plan-products
@test "library plan: blocks in other formats multiply as the whole matrix does, also with new values" { part library_plan products; }
# bats test_tags=id:plan-refused
@test "library plan: gaps, sizes, kernels, precisions and options that do not fit are refused" {
    part library_plan refuses plan.h5
}
# bats test_tags=id:plan-made
@test "library plan: the library makes the plan of spmv-plan, and reads its file" {
    part library_plan same "$BUILD/syn/quick.h5" plan.h5
}
