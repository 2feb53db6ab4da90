#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command line parser shared by all programs: what it accepts. What it rejects: tests/errors/options.tsv.
# bats file_tags=quick
load helpers

gives() { run -0 "$BUILD/options" "${@:2}"; echo "$output"; [[ "$output" == *"$1"* ]]; }
setup() { bats_require_minimum_version 1.5.0; }

@test "help and version exit 0; help shows ranges, choices, defaults and the example" {
    gives "(1..64; default 3)" --help
    gives "(cpu|cuda; default cpu)" -h
    gives "Example:" x --help
    gives "options 0." --version
}

@test "choices and lists accept the listed words; lists accumulate" {
    gives "p:f64 [x]" x
    gives "p:f32 [x]" -p f32 x
    gives "p:f32 p:f64 [x]" -p f32 x -p f64
    gives "c:a:b=1,d=2 c:e" -c a:b=1,d=2 -c e x
}

@test "integers may be written as 1e3 or 2.5e6 if exact and in range" {
    gives "count=10 " -n 1e1 x
    gives "count=25 " -n 2.5e1 x
    gives "count=4 " -n 400e-2 x
    gives "count=64 " -n +6.4E+01 x
    gives "number=-2000 " --number -2e3 x
}

# bats test_tags=id:options-repeated
@test "of a repeated option the last value counts; a list accumulates, a flag stays set" {
    gives "count=4 " -n 3 -n 4 x
    gives "backend=cpu dry=1" --backend cuda --dry-run --backend cpu --dry-run x
    gives "output=b " -o a -o b x
    gives "share=0.25 " -s 0.5 --share=0.25 x
    gives "p:f32 p:f64 " -p f32 x -p f64
    gives "the last value counts" --help
}

@test "operands are counted, may be mixed with options, and may follow --" {
    gives "count=5" a -n5 b
    gives "[a] [-n]" a -- -n
    gives "[-]" -
}

@test "help that cannot be written is an error" {
    run bash -c '"$0" --help > /dev/full' "$BUILD/options"
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot write to stdout"* ]]
}
