#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Trials of matrix handles on the CPU device: tests/c/library_trials.c knows include/spmvcast.h and the shared library alone.
bats_require_minimum_version 1.5.0
load helpers
load library

# With sanitizers, kernels have other speeds, so other candidates stay.
need_speeds() { ! grep -qE '__(asan|tsan)_init' "$BIN/spmv-info" || skip "sanitizers change which kernel is fast"; }
# A profile is of a CPU with a number of threads; one thread waits for no other.
export OMP_NUM_THREADS=1

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    here_profile
}
setup() { here="$BATS_FILE_TMPDIR/here.h5"; }

# bats test_tags=id:trials-in-products
@test "trials: the caller's first products are timed, every result is right, and the fastest candidate stays" { need_speeds; part library_trials products "$here"; }
# bats test_tags=id:trials-new-values
@test "trials: new values reach all candidates; an update that fails ends the trials" { need_speeds; part library_trials updates "$here"; }
# bats test_tags=id:trials-behind
@test "trials: new values reach a matrix whose stream still uses the slower candidate" { part handle_behind behind; }
# bats test_tags=id:trials-kept
@test "trials: slower candidates that cannot be freed yet count against memory_limit" { part handle_behind limit; }
# bats test_tags=id:trials-captured
@test "trials: factors that took memory in one candidate take none in the next, which a graph may capture" { part handle_behind capture; }
# bats test_tags=id:update-unprepared
@test "update: a kernel that cannot be prepared again is a failure of the device, not of the values" { part handle_behind unprepared; }
# bats test_tags=id:trials-limits
@test "trials: memory_limit and too few products prevent conversions, with a reason; structures of an older size are read" { part library_trials limits "$here"; }
# bats test_tags=id:trials-memory
@test "trials: what did not stay is freed; memory that runs out ends trials quietly; nothing leaks" {
    need_speeds
    GLIBC_TUNABLES=glibc.malloc.tcache_count=0 part library_trials memory
}
# bats test_tags=id:trials-deterministic
@test "trials: a deterministic matrix has deterministic candidates only" { part library_trials deterministic "$here"; }
# bats test_tags=id:trials-at-creation
@test "trials: those at creation tell their candidates, too" { part library_trials creation; }
@test "trials: threads with matrices of their own share a device" { part library_trials threads; }
