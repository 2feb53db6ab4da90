#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What all programs share besides options and archives: tables on stdout, messages, statistics and checksums.
load helpers

T="$BUILD/textout"
setup() { bats_require_minimum_version 1.5.0; cd "$BATS_TEST_TMPDIR"; }

@test "TSV: the header follows the first notes; numbers have no exponents where they stay readable" {
    "$T" > out
    [ "$(head -1 out)" = "# before, 1" ]
    [ "$(sed -n 2p out)" = $'name\tcount\ttime_us' ]
    [ "$(sed -n 4p out)" = $'-\t1000\t0.3333' ]
    [ "$(sed -n 5p out)" = $'tab\\there "and" ä\t2000\t10.00' ]
    [ "$(sed 1,2d out | cut -f3 | head -11 | tr '\n' ' ')" = "0 0.3333 10.00 0.001235 1.235e-04 1234568 1.235e+07 -2.500e-09 - inf 123456 " ]
    [ "$(tail -1 out)" = '# behind\nit' ]
}

@test "JSON: one object that Python reads; missing values are null" {
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

@test "columns are aligned on a terminal" {
    command -v script >/dev/null || skip "no script(1)"
    script -qec "$T" /dev/null < /dev/null | tr -d '\r' > out
    [ "$(grep -n '^name ' out)" = "2:name                              count    time_us" ]
    [ "$(sed -n 5p out)" = 'tab\there "and" ä                  2000      10.00' ]
}

@test "a table without rows prints its header before the closing notes" {
    expected="# before name	count # behind"
    [ "$("$T" --empty | xargs -d '\n')" = "$expected" ]
    [ "$("$T" --empty json)" = '{"columns":["name","count"],"rows":[],"notes":["before","behind"]}' ]
    command -v script >/dev/null || skip "no script(1)"
    [ "$(script -qec "$T --empty" /dev/null < /dev/null | tr -d '\r' | sed 's/  */\t/' | sed 's/^#\t/# /' | xargs -d '\n')" = "$expected" ]
}

# bats test_tags=id:common-header-mismatch
@test "a program aborts if a value does not match the header" {
    [ "$("$T" --columns good)" = $'name\tus\tnear_n\tfar_n\n-\t-\t0\t0\n-\t-\t1\t1' ]
    while read -r wrong text; do
        run --separate-stderr "$T" --columns "$wrong"
        echo "$wrong: $status: $stderr"
        [ "$status" -eq 134 ]
        [ "$stderr" = "textout: internal error: $text (please report it)" ]
    done <<'CASES'
misnamed column "names": the next column of the header is "name"
swapped column "far_n": the next column of the header is "near_n"
bare column "n": the next column of the header is "far_n"
missing a row ends before its column "far_n"
one_more column "far_m": the row is complete, "far_n" was its last column
unended the table ends within a row: after its column "far_n"
text column "far_n" holds a whole number, not text
twice two columns are named "far_n"
CASES
}

# bats test_tags=quick
@test "times below zero print as missing; all columns of times share one format" {
    [ "$("$T" --times)" = $'low_us\thigh_us\n-\t-\n-\t2.000\n0\t3.000\n1.250\tinf' ]
    [ "$("$T" --times json)" = '{"columns":["low_us","high_us"],"rows":[{"low_us":null,"high_us":null},{"low_us":null,"high_us":2},{"low_us":0,"high_us":3},{"low_us":1.25,"high_us":null}],"notes":[],"list":[{"name":null,"n":3,"us":null}]}' ]
    run ! grep -rnE 'table_put_real\([a-z]+, "[a-z0-9_]*_us"' "$ROOT/src"
}

# bats test_tags=quick
@test "counts use the singular for 1" {
    [ "$("$T" --counted)" = "0 rows, 1 row, 2 rows
0 matrices, 1 matrix, 2 matrices
0 indexs, 1 index, 2 indexs
0 parts without a time, 1 part without a time, 2 parts without a time" ]
    # a count before a fixed plural in notes and messages is a bug, except in "more than N", where N is a limit above 1
    words='rows|columns|nonzeros|configurations|profiles|matrices|archives|devices|plans|blocks|strips|cells|cases|forecasts|items|parts|times'
    found=$(grep -rnE "(%d|%zu|%ld|PRId64 *\") ($words)\\b" "$ROOT"/src/{forecast,plan,verify,fit,gen,run} --include=*.c | grep -v 'more than %d' || true)
    [ -z "$found" ] || { echo "$found"; false; }
}

@test "every program reports a failed write to stdout in the same words" {
    for command in "spmv-info stencil:points=5,n=4" "spmv-info --table stencil:points=5,n=4" "spmv-info --json stencil:points=5,n=4" "spmv-import -o x.h5 stencil:points=5,n=4" \
        "spmv-gen --list" "spmv-predict --list" "spmv-run --list" "spmv-check x.h5" "spmv-info --help" "spmv-info --version"; do
        run bash -c "$command > /dev/full"
        [ "$status" -eq 1 ] || { echo "$command: $status"; false; }
        [ "$output" = "${command%% *}: cannot write to stdout: No space left on device" ] || { echo "$command: $output"; false; }
    done
}

# bats test_tags=id:common-interrupted
@test "an interrupted program removes its partial output" {
    need_address_limits     # the library below is loaded before AddressSanitizer's
    # the signal arrives when the file is complete but not yet renamed
    for s in INT TERM HUP; do
        printf '#include <signal.h>\nint fsync(int fd) { (void)fd; return raise(SIG%s); }\n' $s > $s.c
        cc -shared -fPIC -o $s.so $s.c
    done
    spmv-import -o m.h5 stencil:points=5,n=20 > /dev/null
    "$BUILD/synthetic" gpu grid.h5 m.h5
    spmv-fit -m $QUICK_MODELS -o profile.h5 grid.h5 > /dev/null
    for command in "spmv-import -o out.h5 m.h5" "spmv-gen stencil points=5 n=4 -o out.h5" "spmv-fit -m nearest -o out.h5 grid.h5" "spmv-merge -o out.h5 grid.h5" \
        "spmv-plan -m guo2014-regimes --profile ./profile.h5 -o out.h5 m.h5"; do
        for s in INT TERM HUP; do
            LD_PRELOAD="$PWD/$s.so" run env --default-signal=HUP $command # these tests may run under nohup
            [ "$status" -eq $((128 + $(kill -l $s))) ] || { echo "$command: $s: $status: $output"; false; }
            [ ! -e out.h5 ] && ! compgen -G "*.tmp" > /dev/null || { echo "$command: $s"; ls; false; }
        done
        LD_PRELOAD="$PWD/HUP.so" run env --ignore-signal=HUP $command
        [ "$status" -eq 0 ] && [ -e out.h5 ] || { echo "$command: $status: $output"; ls; false; }
        rm out.h5
    done
}

@test "a full disk is an error, a closed pipe is not" {
    run bash -c '"$0" > /dev/full' "$T"
    [ "$status" -eq 1 ]
    [[ "$output" == *"textout: cannot write to stdout: No space left"* ]]
    run bash -c 'set -o pipefail; "$0" 100000 | head -1' "$T"
    [ "$status" -eq 0 ]
    [ "$("$T" 100000 | wc -l)" -eq 100014 ]
}

# bats test_tags=quick,id:common-statistics-checksums
@test "statistics and checksums match reference values" {
    head -c 3000000 /dev/zero > zeros
    [ "$("$BUILD/stats" zeros)" = "$(sha256sum < zeros | cut -c-64)" ]
    run "$BUILD/stats" missing
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot read missing: No such file"* ]]
}
