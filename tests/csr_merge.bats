#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# csr-merge beyond tests/formats.bats: where tiles begin on a GPU, exact sums, the value of "auto".
load helpers

# bats test_tags=quick,id:csr-merge-tiles
@test "csr-merge: tiles cover the path; short rows stay whole, long rows have all their pieces" { OMP_NUM_THREADS=1 part csr_merge cuts; }
# bats test_tags=id:csr-merge-exact-sums
@test "csr-merge: sums of integers are exact on any number of threads" { for n in 1 2 3 7 64; do OMP_NUM_THREADS="$n" part csr_merge sums; done; }
@test "csr-merge: items=auto grows with the matrix" { OMP_NUM_THREADS=1 part csr_merge auto; }
@test "csr-merge: auto in a part of a composite depends on that part" { OMP_NUM_THREADS=1 part csr_merge part; }
