#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Logs of a run survive any end of their writer; locks distinguish live from dead processes.
# bats file_tags=quick
load helpers

L="$BUILD/runlog"
setup() { cd "$BATS_TEST_TMPDIR"; }

# bats test_tags=id:runlog-read-back
@test "records are read back, from logs in the order in which they were created" {
    "$L" write run.h5 10 3
    "$L" write run.h5 0 2
    "$L" write run.h5 20 1
    [ "$("$L" read run.h5 | tr '\n' ' ')" = "10 11 12 0 1 20 " ]
    "$L" remove run.h5
    [ ! -e run.h5.log ]
    [ -z "$("$L" read run.h5)" ]
}

# bats test_tags=id:runlog-cut-or-damaged
@test "a log cut at any byte of its last record loses only that record; one with a damaged record in the middle loses only the damaged one" {
    run "$L" cut run.h5
    [ "$status" -eq 0 ]
}

@test "logs are compacted into a single log that has the kept records in order" {
    "$L" write run.h5 10 3
    "$L" write run.h5 0 4
    "$L" keep run.h5
    [ "$(ls run.h5.log | wc -l)" -eq 1 ]
    [ "$("$L" read run.h5 | tr '\n' ' ')" = "10 12 0 2 " ]
    rm -r run.h5.log
    "$L" write run.h5 1 1
    "$L" keep run.h5
    [ ! -e run.h5.log ]
}

# bats test_tags=id:runlog-torn-tail
@test "a torn tail is cut off and reported once" {
    "$L" write run.h5 0 3
    printf 'SPL1torn' >> run.h5.log/*.log
    run "$L" read run.h5
    [ "$status" -eq 0 ]
    [[ "$output" == *"removed 8 bytes of a torn record"* ]]
    run "$L" read run.h5
    [ "$output" = $'0\n1\n2' ]
}

# bats test_tags=id:runlog-endless-search
@test "a log of overlapping records with wrong checksums is refused before they are all summed; its bytes are kept" {
    local k
    mkdir run.h5.log
    printf 'SPL1\0\0\200\0WRONG...' > run.h5.log/0123456789abcdef.log
    for k in {1..20}; do cat run.h5.log/0123456789abcdef.log run.h5.log/0123456789abcdef.log > b; mv b run.h5.log/0123456789abcdef.log; done
    run timeout 20 "$L" read run.h5
    [ "$status" -eq 1 ]
    [[ "$output" == *"0123456789abcdef.log is damaged: too many records have wrong checksums"* ]]
    [ "$(stat -c %s run.h5.log/0123456789abcdef.log)" -eq $((16 << 20)) ]
}

@test "an integer beyond 64 bits in a record is refused" {
    run "$L" number run.h5
    [ "$output" = refused ]
}

@test "kill -9 while writing leaves a sequence of complete records" {
    "$L" endless run.h5 & pid=$!
    for i in 1 2 3; do
        while [ "$(stat -c %s run.h5.log/*.log 2>/dev/null || echo 0)" -lt 20000 ]; do sleep 0.02; done
    done
    "$L" read run.h5 > live                      # a log that is being written is read, not cut
    kill -9 "$pid"; wait "$pid" || true
    "$L" read run.h5 > rows
    n=$(wc -l < rows)
    [ "$n" -gt 100 ]
    [ "$(wc -l < live)" -le "$n" ]
    seq 0 $((n - 1)) | cmp - rows
}

# bats test_tags=id:runlog-lock
@test "a lock of a live process is respected; one of a dead process or a reused pid is taken over" {
    "$L" lock run.h5
    [ ! -e run.h5.lock ]
    "$L" hold run.h5 3>&- > held & pid=$!
    while ! grep -q held held; do sleep 0.02; done
    run "$L" lock run.h5
    [ "$status" -eq 1 ]
    [[ "$output" == *"in use by process $pid"* ]]
    sed 's/ [0-9]*$/ 1/' run.h5.lock > other     # the same pid, another start time
    cp other run2.h5.lock
    run "$L" lock run2.h5
    [ "$status" -eq 0 ]
    kill -9 "$pid"; wait "$pid" || true
    run "$L" lock run.h5
    [ "$status" -eq 0 ]
    [[ "$output" == *"taken over from process $pid"* ]]
    [ ! -e run.h5.lock ]
}

@test "a lock of another host is respected" {
    echo "elsewhere 1 1" > run.h5.lock
    run "$L" lock run.h5
    [ "$status" -eq 1 ]
    [[ "$output" == *"on elsewhere; remove run.h5.lock if "* ]]
}

@test "a full disk or a missing directory is an error that names the log" {
    run "$L" write missing/run.h5 0 1
    [ "$status" -eq 1 ]
    [[ "$output" == *"missing/run.h5.log"*"No such file"* ]]
    # A file size limit acts like a full disk: the record that does not fit is removed.
    run bash -c 'trap "" XFSZ; ulimit -f 4; exec "$0" write run.h5 0 1000' "$L"
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot write run.h5.log/"* ]]
    run "$L" read run.h5
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = 0 ]
    [[ "$output" != *torn* ]]
}
