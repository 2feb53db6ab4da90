#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Kernels that trap on a GPU, and a GPU that falls off (tests/c/run_faulty.c).
bats_require_minimum_version 1.5.0
load helpers

FAULTY="$BUILD/run_faulty"
RUN=(--backend cuda --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -c ell -c coo)
SOURCES=("stencil:points=5,n=10" "stencil:points=5,n=40")
setup() {
    need_gpu
    cd "$BATS_TEST_TMPDIR"
}

# bats test_tags=id:gpu-trapping-kernel
@test "a kernel that traps costs its configuration alone: a new process on the same GPU measures the others" {
    FAULT=trap@ell run -0 --separate-stderr "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]}"
    echo "$output; $stderr"
    [ "$(column config,outcome,reason <<< "$output" | grep -c "ell:[^	]*	crashed	.*illegal memory access")" -eq 2 ]
    [[ "$output" == *"# 4 ok, 0 na, 0 oom, 2 crashed, 0 wrong"* && "$stderr" != *"lost device"* ]]
}

@test "a GPU that no new process can use is lost: the run ends, says so, and keeps what it has; the same command resumes" {
    FAULT=off-open@ell OFF_ROWS=1600 run -1 --separate-stderr "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]}"
    echo "$output; $stderr"
    [[ "$stderr" == *"lost device "*", GPU-"*"): a new process cannot use it either: no such device"*"no device is left; 1 item is not measured"* ]]
    [[ "$output" == *"# 3 ok, 0 na, 0 oom, 0 crashed, 0 wrong"*"# 1 device lost"* ]]
    rm off.0
    run -0 --separate-stderr "$FAULTY" "${RUN[@]}" -o r.h5 "${SOURCES[@]}"
    [[ "$output" == *"# 3 of 6 rows already measured"*"# 3 ok, 0 na, 0 oom, 0 crashed, 0 wrong"* ]]
}
