#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The rule by which claims of papers are judged, alone and on made-up papers whose truth is known.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR"; }

# bats test_tags=quick,id:verdicts-rule
@test "verdicts: rules are read, and values of known families get the verdict that follows" {
    part verdict rules
    part verdict verdicts
    part verdict errors
    part verdict enough
}

# judged FACTOR SPREADS CHECK...: judges 200 papers whose truth is FACTOR times what they print.
judged() {
    need_plain_python
    plain_python "$ROOT/tests/verdicts.py" write 1 200 "$1" $2 > claims.tsv
    "$BUILD/verdict" file | plain_python "$ROOT/tests/verdicts.py" count "${@:3}"
}

@test "verdicts: of 200 papers whose printed speedup is true here, none does not hold, and at most 5 % are smaller or larger" {
    judged 1 "0.22 0.34 0.36 0.5 0.75 1.05" most "direction does not hold" 0 most "size smaller here|size larger here" 5
}

@test "verdicts: a size that is 1.6 times off is found in 90 % of papers with 14 families that spread by 0.22" {
    judged 1.6 0.22 least "size larger here" 90 most "size as printed" 0
    judged 0.625 0.22 least "size smaller here" 90 most "size as printed" 0
}
