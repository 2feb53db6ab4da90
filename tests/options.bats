#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command line parser shared by all programs: exit status and text for given arguments.
# bats file_tags=quick
load helpers

# usage ARGUMENTS... -- TEXT...: exit 2, nothing on stdout, each TEXT on stderr.
usage() {
    local args=() t
    while [ "$1" != "==" ]; do args+=("$1"); shift; done
    shift
    run --separate-stderr "$BUILD/options" "${args[@]}"
    echo "$stderr"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    for t in "$@"; do [[ "$stderr" == *"$t"* ]] || { echo "missing: $t"; return 1; }; done
}
gives() { run -0 "$BUILD/options" "${@:2}"; echo "$output"; [[ "$output" == *"$1"* ]]; }
setup() { bats_require_minimum_version 1.5.0; }

@test "help and version exit 0; help shows ranges, choices, defaults and the example" {
    gives "(1..64; default 3)" --help
    gives "(cpu|cuda; default cpu)" -h
    gives "Example:" x --help
    gives "options 0." --version
}

@test "an unknown option exits 2 with an error that suggests the nearest" {
    usage --cuont 3 == "--cuont" "did you mean --count?" "options --help"
    usage -z x == "unknown option '-z' (see options --help)"
    usage "" == "operand 1 is empty, expected "
    [[ "$stderr" != *"for a file of that name"* ]]
    cd "$BATS_TEST_TMPDIR"
    : > -z.mtx
    usage -z.mtx == "unknown option '-z' in '-z.mtx'; for a file of that name use ./-z.mtx"
    usage --prec f32 == "--precision?"
}

# bats test_tags=id:options-invalid-numbers
@test "invalid numbers: the error names the option, the value and the legal range" {
    usage -n 65 x == "--count" "'65'" "1..64"
    usage -n 0 x == "--count" "'0'"
    usage --count=x x == "--count" "'x'"
    usage -n 3.5 x == "'3.5'"
    usage -n 99999999999999999999 x == "--count"
    usage -n 18446744073709551619 x == "--count" "1..64"             # 2^64 + 3
    usage -n "" x == "--count" "empty"
    usage -n " 3" x == "--count"
    usage -s nan x == "--share" "0..1"
    usage -s 0x1 x == "--share"
    usage -s 1.5 x == "--share"
}

@test "choices and lists accept only the listed words; lists accumulate" {
    usage --backend cuad x == "cuad" "cpu|cuda" "did you mean cuda?"
    usage -p f16 x == "f16" "f32|f64"
    usage -p f32,,f64 x == "empty item"
    gives "p:f64 [x]" x
    gives "p:f32 [x]" -p f32 x
    gives "p:f32 p:f64 [x]" -p f32 x -p f64
    gives "c:a:b=1,d=2 c:e" -c a:b=1,d=2 -c e x
}

# bats test_tags=id:options-integers
@test "integers may be written as 1e3 or 2.5e6 if exact and in range" {
    gives "count=10 " -n 1e1 x
    gives "count=25 " -n 2.5e1 x
    gives "count=4 " -n 400e-2 x
    gives "count=64 " -n +6.4E+01 x
    for bad in 1.5 1e 1e+ e1 . 1e3 1e99 1e999999999999 1e-1 15e-1 1e1e1 1e1x 0x1 -1e1 1e0.5; do usage -n "$bad" x == "--count" "'$bad'" "1..64"; done
    gives "number=-2000 " --number -2e3 x
}

# bats test_tags=id:options-repeated
@test "of a repeated option the last value counts; a list accumulates, a flag stays set" {
    gives "count=4 " -n 3 -n 4 x
    gives "backend=cpu dry=1" --backend cuda --dry-run --backend cpu --dry-run x
    gives "output=b " -o a -o b x
    gives "share=0.25 " -s 0.5 --share=0.25 x
    gives "p:f32 p:f64 " -p f32 x -p f64
    usage -n 3 -n 65 x == "'65'"
    usage -n 65 -n 3 x == "'65'"
    gives "the last value counts" --help
}

@test "missing values and values given to flags are usage errors; -v is unknown" {
    usage x -o == "--output" "FILE"
    usage -o --dry-run x == "--output" "--dry-run"
    usage --dry-run=3 x == "takes no value"
    usage -v x == "unknown option '-v'"
    usage --verbose x == "unknown option '--verbose'"
}

@test "operands are counted, may be mixed with options, and may follow --" {
    usage == "FILE..."
    usage a b c d == "'d'"
    gives "count=5" a -n5 b
    gives "[a] [-n]" a -- -n
    gives "[-]" -
}

@test "help that cannot be written is an error" {
    run bash -c '"$0" --help > /dev/full' "$BUILD/options"
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot write to stdout"* ]]
}
