#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Layouts of the library kernels beyond formats.bats: the arrays for cuSPARSE hold the matrix. tests/formats_gpu.bats runs the kernels.
load helpers
bats_require_minimum_version 1.5.0

# bats test_tags=quick,id:cusparse-sell-slices
@test "cusparse-sell: slices hold the matrix, padded to their longest rows" { OMP_NUM_THREADS=1 part cusparse sell; OMP_NUM_THREADS=7 part cusparse sell; }
# bats test_tags=id:cusparse-bsr-blocks,long
@test "cusparse-bsr: blocks hold the matrix in order; no block is empty" { OMP_NUM_THREADS=1 part cusparse bsr; OMP_NUM_THREADS=7 part cusparse bsr; }
@test "cusparse: too much padding or fill, partial blocks and too many nonzeros are rejected, with the counts in the error" { OMP_NUM_THREADS=2 part cusparse refusals; }
@test "cusparse: every library kernel is in the default sweep of a GPU, none in a CPU's" {
    run -0 "$BUILD/config" sweep default gpu
    for c in cusparse-csr:alg=2,pre=1 cusparse-coo:alg=1,pre=1 cusparse-coo:alg=2,pre=1 cusparse-sell:c=32,pre=0 cusparse-sell:c=32,pre=1 \
             cusparse-bsr:b=2,call=spmv cusparse-bsr:b=4,call=bsrmv; do
        grep -q "^$c	" <<< "$output" || { echo "no $c"; return 1; }
    done
    run -0 "$BUILD/config" sweep default cpu
    [[ "$output" != *cusparse* ]]
}
