#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bellpack: every block size and chunk; order, offsets, padding.
load helpers

bellpack() { # THREADS PART
    OMP_NUM_THREADS="$1" run "$BUILD/bellpack" "$2"
    [ "$status" -eq 0 ] || { echo "$1 threads: $output"; return 1; }
    [[ "$output" == "ok $2, "*" checks" ]]
}

@test "each block size and chunk is the matrix again, longest block rows first" { bellpack 1 rebuild; }
# bats test_tags=quick
@test "order, offsets and places of a matrix by hand" { bellpack 1 chunks; bellpack 7 chunks; }
@test "bytes guessed from features lie near those counted" { bellpack 2 estimate; }
@test "a block size that is not compiled is refused with the list, much fill with the numbers" { bellpack 1 refusals; }
