#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What every program shares besides its options and archives: tables on stdout, statistics, checksums.
load helpers

T="$BUILD/textout"
setup() { bats_require_minimum_version 1.5.0; cd "$BATS_TEST_TMPDIR"; }

@test "TSV: header behind the first notes, numbers without exponents where they are readable" {
    "$T" > out
    [ "$(head -1 out)" = "# before, 1" ]
    [ "$(sed -n 2p out)" = $'name\tcount\ttime_us' ]
    [ "$(sed -n 4p out)" = $'-\t1000\t0.3333' ]
    [ "$(sed -n 5p out)" = $'tab\\there "and" ä\t2000\t10.00' ]
    [ "$(sed 1,2d out | cut -f3 | head -11 | tr '\n' ' ')" = "0 0.3333 10.00 0.001235 1.235e-04 1234568 1.235e+07 -2.500e-09 - inf 123456 " ]
    [ "$(tail -1 out)" = '# behind\nit' ]
}

@test "JSON: one object that others read, missing values are null" {
    need_python
    "$T" --json > out
    "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["columns"] == ["name", "count", "time_us"]
assert d["notes"] == ["before, 1", "behind\nit"]
r = d["rows"]
assert r[1]["time_us"] == 1 / 3 and r[1]["name"] == "" and r[2]["name"] == 'tab\there "and" ä'
assert r[3]["count"] == -2 ** 63 and r[8]["time_us"] is None and r[9]["time_us"] is None
P
}

@test "on a terminal columns are aligned" {
    command -v script >/dev/null || skip "no script(1)"
    script -qec "$T" /dev/null < /dev/null | tr -d '\r' > out
    [ "$(grep -n '^name ' out)" = "2:name                              count    time_us" ]
    [ "$(sed -n 5p out)" = 'tab\there "and" ä                  2000      10.00' ]
}

@test "a table without rows: its header stands before the closing notes" {
    expected="# before name	count # behind"
    [ "$("$T" --empty | xargs -d '\n')" = "$expected" ]
    [ "$("$T" --empty json)" = '{"columns":["name","count"],"rows":[],"notes":["before","behind"]}' ]
    command -v script >/dev/null || skip "no script(1)"
    [ "$(script -qec "$T --empty" /dev/null < /dev/null | tr -d '\r' | sed 's/  */\t/' | sed 's/^#\t/# /' | xargs -d '\n')" = "$expected" ]
}

@test "a table whose values are not those of its header ends the program" {
    [ "$("$T" --columns good)" = $'name\tus\tnear_n\tfar_n\n-\t-\t0\t0\n-\t-\t1\t1' ]
    while read -r wrong text; do
        run --separate-stderr "$T" --columns "$wrong"
        echo "$wrong: $status: $stderr"
        [ "$status" -eq 134 ]
        [ "$stderr" = "textout: bug in this program: $text (please report it)" ]
    done <<'CASES'
misnamed column "names": the next column of the header is "name"
swapped column "far_n": the next column of the header is "near_n"
bare column "n": the next column of the header is "far_n"
missing a row ends before its column "far_n"
one_more column "far_m": the row is complete, "far_n" was its last column
unended the table ends within a row: after its column "far_n"
twice two columns of the name "far_n"
CASES
}

@test "a full disk is an error, a closed pipe is none" {
    run bash -c '"$0" > /dev/full' "$T"
    [ "$status" -eq 1 ]
    [[ "$output" == *"textout: cannot write to stdout: No space left"* ]]
    run bash -c 'set -o pipefail; "$0" 100000 | head -1' "$T"
    [ "$status" -eq 0 ]
    [ "$("$T" 100000 | wc -l)" -eq 100014 ]
}

# bats test_tags=quick
@test "statistics and checksums" {
    head -c 3000000 /dev/zero > zeros
    [ "$("$BUILD/stats" zeros)" = "$(sha256sum < zeros | cut -c-64)" ]
    run "$BUILD/stats" missing
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot read missing: No such file"* ]]
}
