#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# csr-merge beyond tests/formats.bats: where tiles begin on a GPU, exact sums, the value of "auto".
load helpers

part() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/csr_merge" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

# bats test_tags=quick
@test "csr-merge: tiles cover the path; short rows stay whole, long rows have all their pieces" { part 1 cuts; }
@test "csr-merge: sums of integers are exact on any number of threads" { for n in 1 2 3 7 64; do part "$n" sums; done; }
@test "csr-merge: items=auto grows with the matrix" { part 1 auto; }
@test "csr-merge: auto in a part of a composite depends on that part" { part 1 part; }
