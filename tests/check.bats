#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-check: exit status and reason for intact and damaged archives.
load helpers

setup() { bats_require_minimum_version 1.5.0; cd "$BATS_TEST_TMPDIR"; }

# checks STATUS VERDICT FILE TEXT: compares exit status, status column and reason.
checks() {
    run --separate-stderr spmv-check "$3"
    echo "$output"
    [ "$status" -eq "$1" ]
    [ "$(awk -F'\t' 'NR == 2 { print $6 }' <<< "$output")" = "$2" ]
    [[ "$(awk -F'\t' 'NR == 2 { print $7 }' <<< "$output")" == *"$4"* ]]
}

# bats test_tags=quick
@test "an intact archive and an intact matrix pass" {
    "$BUILD/rows" run.h5
    checks 0 ok run.h5 -
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 1 3\n' > m.mtx
    [ -x "$BIN/spmv-import" ] || skip "no spmv-import"
    spmv-import -o m.h5 m.mtx
    checks 0 ok m.h5 -
    [ "$(spmv-check run.h5 m.h5 | wc -l)" -eq 3 ]
}

# bats test_tags=id:check-damage-found
@test "a flipped byte of data, a truncated file, an empty file and a missing table are damage" {
    "$BUILD/rows" run.h5
    size=$(stat -c %s run.h5)
    local place damaged=0
    for place in {1..15}; do        # nearly all bytes belong to tables; the others may never be read
        cp run.h5 flipped.h5
        byte=$(od -An -tu1 -j $((size * place / 16)) -N1 run.h5)
        printf "\\x$(printf %02x $((byte ^ 1)))" | dd of=flipped.h5 bs=1 seek=$((size * place / 16)) conv=notrunc status=none
        cmp -s run.h5 flipped.h5 && return 1
        run spmv-check flipped.h5
        [ "$status" -eq 0 ] && continue
        checks 3 damaged flipped.h5 "flipped.h5 is damaged: "     # in a table or in attributes
        damaged=$((damaged + 1))
    done
    [ "$damaged" -ge 12 ]
    head -c $((size - 100)) run.h5 > cut.h5
    checks 3 damaged cut.h5 "cut short"
    : > empty.h5
    checks 3 damaged empty.h5 "empty"
    "$BUILD/archive" write-lost lost.h5 3
    checks 3 damaged lost.h5 "table rows is missing"
}

# bats test_tags=quick,id:check-worst-status
@test "missing, foreign and newer files exit 1; of several files the worst status is the exit status" {
    echo hello > text
    "$BUILD/archive" write-newer newer.h5
    "$BUILD/rows" run.h5
    : > empty.h5
    checks 1 unreadable missing.h5 "No such file"
    checks 1 unreadable text "not an HDF5 file"
    cp "$ROOT/results/h200/cpu-profile.h5" a.h5
    spmv-fit -q --pack a.h5 > /dev/null
    checks 1 unreadable a.pack "a packed profile; give the archive that it was made from"
    checks 1 newer newer.h5 "update"
    run spmv-check run.h5 empty.h5 text
    [ "$status" -eq 3 ]
    run spmv-check run.h5 text
    [ "$status" -eq 1 ]
}

@test "JSON output names the kind and schema; a full disk is an error, a closed pipe is not" {
    "$BUILD/rows" run.h5
    spmv-check --json run.h5 | grep -q '"rows":\[{"file":"run.h5","kind":"run","schema":2,'
    run bash -c 'spmv-check run.h5 > /dev/full'
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot write to stdout"* ]]
    : > empty.h5
    run bash -c 'set -o pipefail; spmv-check empty.h5 | true'
    [ "$status" -eq 3 ]
}

@test "a value changed by another program is damage" {
    need_python
    "$BUILD/rows" run.h5
    "$PYTHON" -c 'import h5py; f = h5py.File("run.h5", "r+"); t = f["rows/time_us"]; t[5] = t[5] + 1; f.close()'
    checks 3 damaged run.h5 "its digest is missing; it was cut short or modified by another program"
    "$BUILD/h5_damage" older run.h5
    checks 3 damaged run.h5 "table rows has checksum"
}
