#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-predict: finding profiles, the table, and what it says in words. Times come from a device that does not exist, by formula.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    export XDG_DATA_HOME="$BATS_TEST_TMPDIR/data"
    home="$BATS_TEST_TMPDIR/home"       # a program of its own sees no archive of the tree
    mkdir -p "$home/bin"
    cp "$BIN/spmv-predict" "$home/bin/"
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 3\n3 3 4\n3 1 1\n' > "$BATS_TEST_TMPDIR/tiny.mtx"
}

@test "predict: --help exits 0; a wrong option, choice or number exits 2 with nothing on stdout" {
    run "$BIN/spmv-predict" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"--iterations N"* ]]
    run --separate-stderr "$BIN/spmv-predict" --iteration 3 x.mtx
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ "$stderr" == *"--iterations"* ]]
    run --separate-stderr "$BIN/spmv-predict" --top -1 x.mtx
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"--top"* ]]
    run --separate-stderr "$BIN/spmv-predict" -m guo2013 x.mtx
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"guo2014"* ]]
    run --separate-stderr "$BIN/spmv-predict" --top 3 --all x.mtx
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"exclude one another"* ]]
    run --separate-stderr "$BIN/spmv-predict"
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"no matrix"* ]]
}

@test "predict: without any profile it fails, says where it looked and the way out, and prints no number" {
    run --separate-stderr "$home/bin/spmv-predict" -m guo2014 "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == *"$home/results/local"* && "$stderr" == *"$XDG_DATA_HOME/spmvcast/profiles"* && "$stderr" == *"$home/share/spmvcast/profiles"* ]]
    [[ "$stderr" == *"make profile"* ]]
    run --separate-stderr "$home/bin/spmv-predict" -m guo2014 --profile a100 "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"no profile is called 'a100'"* ]]
    run --separate-stderr "$home/bin/spmv-predict" -m guo2014 --profile "$BATS_TEST_TMPDIR/none.h5" "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == *"none.h5"* ]]
    run "$home/bin/spmv-predict" --list
    [ "$status" -eq 0 ]
    [[ "$output" == *"# 0 profiles"* ]]
}

@test "predict: a matrix that is not there is named before anything else" {
    run --separate-stderr "$BIN/spmv-predict" -m guo2014 "$BATS_TEST_TMPDIR/nope.mtx"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"nope.mtx"* ]]
    [[ "$stderr" != *"profile"* ]]
}
