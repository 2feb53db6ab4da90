#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Devices that fall off during a run (tests/c/run_faulty.c): the run goes on with the others, or ends and keeps what it has.
bats_require_minimum_version 1.5.0
load helpers

FAULTY="$BUILD/run_faulty"
KEYS="$BUILD/run_keys"
RUN=(--backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -c ell)
SOURCES=("stencil:points=5,n=10" "stencil:points=5,n=40" "constant:rows=64,cols=64,p=4" "constant:rows=640,cols=640,p=4")
setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMP_NUM_THREADS=1
}

# bats test_tags=id:lost-device-handed-over
@test "a device that falls off is lost: its items go to the other ranks, and no row is lost or measured twice" {
    need_mpi
    FAULT=off-empty@ell OFF_RANKS=1 run -0 --separate-stderr mpi 2 "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]}"
    echo "$output; $stderr"
    [[ "$stderr" == *"rank 1: warning: lost device 0 (CPU "*"): a new process cannot use it either: an illegal memory access"* ]]
    [[ "$stderr" == *"rank 0: warning: 2 items of lost devices: measured by 1 rank"* ]]
    [[ "$output" == *"# 8 ok, 0 na, 0 oom, 0 crashed, 0 wrong"*"# 1 device lost"* ]]
    [ "$("$KEYS" r.h5 | sort -u | wc -l)" -eq 8 ]
    [ ! -e r.h5.log ]
}

# bats test_tags=id:lost-device-numbers
@test "numbers of devices change when one falls off: each rank keeps its device, and takes no other's" {
    need_mpi
    FAULT=off-gone@ell run -0 --separate-stderr mpi 2 "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]}"
    echo "$output; $stderr"
    [[ "$stderr" == *"rank 0: warning: lost device 0 (CPU "*", CPU-0): a new process cannot use it either: it is not there any more"* ]]
    [[ "$stderr" != *"rank 1: warning: lost"* ]]
    [[ "$output" == *"# 4 ok, 0 na, 0 oom, 4 crashed, 0 wrong"*"# 1 device lost"* ]]
}

# bats test_tags=id:lost-device-cause
@test "an item at which two devices are lost is left out, the others are measured; the same command measures it later" {
    need_mpi
    FAULT=off-abort@ell OFF_ROWS=640 run -1 --separate-stderr mpi 3 "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]}"
    echo "$output; $stderr"
    [[ "$stderr" == *"constant:rows=640,cols=640,p=4"*" is left out: measuring it lost 2 devices"* ]]
    [[ "$output" == *" ok, 0 na, 0 oom, 0 crashed, 0 wrong"*"# 2 devices lost"* ]]
    [ "$(ls off.* | wc -l)" -eq 2 ]
    "$KEYS" r.h5 > before
    [ "$(wc -l < before)" -ge 6 ]
    rm off.*
    run -0 --separate-stderr "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]}"
    [[ "$output" == *"# $(wc -l < before) of 8 rows already measured"* ]]
    [ "$("$KEYS" r.h5 | sort -u | wc -l)" -eq 8 ]
}

# bats test_tags=id:lost-device-none-left
@test "with no device left the run ends, says so, keeps what it has; the same command resumes when the device works again" {
    local how
    for how in "open no such device" "hang its driver does not answer"; do
        rm -rf r.h5*
        FAULT=off-${how%% *}@ell OFF_ROWS=1600 run -1 --separate-stderr "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]:0:2}"
        echo "$output; $stderr"
        [[ "$stderr" == *"lost device 0 (CPU "*"): a new process cannot use it either: ${how#* }"* ]]
        [[ "$stderr" == *"no device is left; 1 item is not measured; the rows measured so far are kept in r.h5"* ]]
        [[ "$output" == *"# 2 ok, 0 na, 0 oom, 0 crashed, 0 wrong"*"# 1 device lost"* ]]
        # Nor does the next run believe that the kernel crashed.
        FAULT=off-${how%% *} run -1 --separate-stderr "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]:0:2}"
        [[ "$stderr" == *"${how#* }" ]]
        rm off.0
    done
    run -0 --separate-stderr "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]:0:2}"
    [[ "$output" == *"# 2 of 4 rows already measured"*"# 2 ok, 0 na, 0 oom, 0 crashed, 0 wrong"* ]]
}

# bats test_tags=id:lost-device-of-a-kernel
@test "an error of a kernel that ends its process costs that configuration alone: a new process can use the device" {
    FAULT=lost@ell run -0 --separate-stderr "$FAULTY" "${RUN[@]}" -c coo -o r.h5 "${SOURCES[@]:0:2}"
    echo "$output; $stderr"
    [ "$(column config,outcome,reason <<< "$output" | grep -c "ell	crashed	.*an illegal memory access")" -eq 2 ]
    [[ "$output" == *"# 4 ok, 0 na, 0 oom, 2 crashed, 0 wrong"* && "$output$stderr" != *"lost"* ]]
}
