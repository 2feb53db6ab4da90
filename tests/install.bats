#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# install-deps.sh: what it finds missing, and whom it asks. apt-get, sudo and id are stand-ins; nothing is installed.
bats_require_minimum_version 1.5.0
load helpers

# A PATH where everything is there: real are only the tools the script itself goes by.
setup() {
    unset CC HDF5_HOME EXTRA_CPP MPI    # those of the make that runs the tests
    mkdir "$BATS_TEST_TMPDIR/bin"
    local tool
    for tool in sh mktemp rm tail; do ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/"; done
    for tool in cc gcc make pkg-config mpicc bats prove shellcheck xz python3; do stand_in "$tool" 'exit 0'; done
    stand_in id 'echo 0'
    stand_in apt-get "echo \"apt-get \$*\" >> '$BATS_TEST_TMPDIR/asked'"
    stand_in sudo "echo \"sudo \$*\" >> '$BATS_TEST_TMPDIR/asked'; \"\$@\""
}
stand_in() { printf '#!/bin/sh\n%s\n' "$2" > "$BATS_TEST_TMPDIR/bin/$1"; chmod +x "$BATS_TEST_TMPDIR/bin/$1"; }
install() { run env PATH="$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/bin/sh" "$ROOT/install-deps.sh" "$@"; }
without() { rm -f "$BATS_TEST_TMPDIR/bin/$1"; }

@test "nothing missing: nothing is said or asked" {
    install build
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "missing, as root: apt-get is asked for just that" {
    without bats
    without shellcheck
    install build
    [ -z "$output" ]
    install test
    [ "$status" -eq 0 ]
    [[ "$output" == *"bats-core"*"shellcheck"* ]]
    [ "$(cat "$BATS_TEST_TMPDIR/asked")" = "$(printf 'apt-get update -qq\napt-get install -y -qq --no-install-recommends bats shellcheck')" ]
}

@test "missing, not root: through sudo; without sudo a message and exit 1" {
    without bats
    stand_in id 'echo 1000'
    install test
    [ "$status" -eq 0 ]
    grep -q '^sudo apt-get update' "$BATS_TEST_TMPDIR/asked"
    rm "$BATS_TEST_TMPDIR/asked"
    without sudo
    install test
    [ "$status" -eq 1 ]
    [[ "$output" == *"apt-get install bats"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "missing, no apt-get: what, under which names elsewhere, exit 1" {
    without bats
    without apt-get
    install test
    [ "$status" -eq 1 ]
    [[ "$output" == *"bats-core"*"no Debian or Ubuntu"* ]]
}

@test "an mpicc, or none, that was named to make is not looked for" {
    without mpicc
    install test
    [[ "$output" == *"MPI"* ]]
    rm "$BATS_TEST_TMPDIR/asked"
    MPI=given install test
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}
