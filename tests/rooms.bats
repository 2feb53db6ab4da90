#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Includes between the rooms of src/ (src/ROOMS), and faults that the check must find.
bats_require_minimum_version 1.5.0
load helpers

@test "rooms: no upward include, no cycle, unique source names and a description of each room" {
    run "$ROOT/tests/rooms.sh" "$ROOT"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -rE '^#include "' "$ROOT/src" | wc -l)" -gt 500 ]
}

# A sample tree of two levels: low; high and beside.
setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p src/{low,high,beside}
    printf '# rooms\nlow\nhigh beside\n' > src/ROOMS
    for room in low high beside; do echo "The room $room." > "src/$room/README.md"; done
    echo 'int low;' > src/low/low.h
    echo '#include "low/low.h"' > src/low/low.c
    echo '#include "low/low.h"' > src/high/high.h
    echo '#include "high/high.h"' > src/high/high.c
}
holds() { run "$ROOT/tests/rooms.sh" .; [ "$status" -eq 0 ] || { echo "$output"; false; }; }
finds() { run "$ROOT/tests/rooms.sh" .; [ "$status" -eq 1 ]; [ "$output" = "$1" ] || { echo "$output"; false; }; }

@test "rooms: a valid tree passes" { holds; }

@test "rooms: an include of a higher room is reported" {
    printf '\n#include "high/high.h"\n' > src/low/other.c
    finds "src/low/other.c:2: includes high/high.h: high is above low"
}

@test "rooms: includes between rooms of one level are reported" {
    echo '#include "high/high.h"' > src/beside/beside.c
    finds "src/beside/beside.c:1: includes high/high.h: beside and high are on one level"
}

@test "rooms: CUDA sources include nothing of higher rooms either" {
    echo 'int x;' > src/high/cuda_x.cuh
    echo '#include "high/cuda_x.cuh"' > src/low/kernel.cu
    finds "src/low/kernel.cu:1: includes high/cuda_x.cuh: high is above low"
}

@test "rooms: a cycle of includes is reported, with X.c and X.h counted as one file" {
    echo '#include "high/other.h"' >> src/high/high.c
    echo '#include "high/high.h"' > src/high/other.h
    run "$ROOT/tests/rooms.sh" .
    [ "$status" -eq 1 ]
    [[ "$output" == "circle of #includes: high/high -> high/other -> high/high" || "$output" == "circle of #includes: high/other -> high/high -> high/other" ]] || { echo "$output"; false; }
    echo '#include "high/third.h"' > src/high/other.h
    echo '#include "high/high.h"' > src/high/third.h
    run "$ROOT/tests/rooms.sh" .
    [ "$status" -eq 1 ]
    [[ "$output" == "circle of #includes: "*" -> "*" -> "*" -> "* ]] || { echo "$output"; false; }
}

@test "rooms: missing, empty and multi-line descriptions are reported" {
    rm src/high/README.md
    finds "src/high: no README.md with its description"
    : > src/high/README.md
    finds "src/high/README.md: 0 lines, expected one: the description"
    printf 'one\ntwo\n' > src/high/README.md
    finds "src/high/README.md: 2 lines, expected one: the description"
}

@test "rooms: unlisted and missing rooms, stray sources, duplicate names and dangling includes are reported" {
    mkdir src/attic
    echo "An attic." > src/attic/README.md
    finds "src/attic: not a room of src/ROOMS"
    rm -r src/attic
    echo cellar >> src/ROOMS
    finds "src/ROOMS: there is no room cellar"
    sed -i '/cellar/d' src/ROOMS
    echo 'int x;' > src/x.c
    finds "src/x.c: a source outside every room"
    rm src/x.c
    echo 'int low;' > src/high/low.c
    finds "src/low/low.c: the name low is taken by src/high"$'\n'"src/low/low.h: the name low is taken by src/high"
    rm src/high/low.c
    echo '#include "low.h"' >> src/low/low.c
    finds "src/low/low.c:2: includes low.h, which is not below src/"
}
