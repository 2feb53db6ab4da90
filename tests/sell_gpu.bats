#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# SELL-C-sigma built on a GPU: equal to the host's arrays, bit for bit.
load helpers

@test "sell: arrays built on the GPU equal the host's" {
    need_gpu
    run "$BUILD/sell" gpu
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" == "ok gpu, "* ]]
}
