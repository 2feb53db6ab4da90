#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Blocks per SM: our rule, the CUDA Toolkit's calculator, compiled kernels, and what the CUDA runtime reported when rows were measured.
load helpers
bats_require_minimum_version 1.5.0
H200="$ROOT/results/h200"

# part PART [ARGUMENT...]: runs occupancy_cuda; skips if it was built without the toolkit's header.
part() {
    run "$BUILD/occupancy_cuda" "$@"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "$output" != skipped:* ]] || skip "${output#skipped: }"
    [[ "$output" =~ ^"ok $1, "([0-9]+)" checks"$ ]] || { echo "$output"; return 1; }
    checks="${BASH_REMATCH[1]}"
}
# Reads `cuobjdump --dump-resource-usage`; prints "SM REGISTERS SHARED_BYTES" for each kernel.
resources() {
    sed -nE -e 's/^arch = sm_([0-9]+).*/arch \1/p' -e 's/.*REG:([0-9]+).* SHARED:([0-9]+).*/\1 \2/p' |
        awk '$1 == "arch" { sm = $2; next } { print sm, $1, $2 }' | sort -u
}

# bats test_tags=quick
@test "blocks per SM follow the hardware's rule and the rule of choi2010" { "$BUILD/occupancy"; }

# bats test_tags=quick
@test "from sm_70 to sm_120 our occupancy equals the CUDA Toolkit's for all registers, threads, shared memory and carve-outs" {
    part grid
    [ "$checks" -gt 1000000 ]
}

# bats test_tags=quick
@test "the resources of a kernel are read from cuobjdump's text" {
    expected=$'80 40 0\n90 32 1024\n90 72 0'
    [ "$(resources <<'END'
Fatbin elf code:
================
arch = sm_80
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:0
 Function _Z3onePi:
  REG:40 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:380 TEXTURE:0 SURFACE:0 SAMPLER:0

Fatbin elf code:
================
arch = sm_90

Resource usage:
 Common:
  GLOBAL:0
 Function _Z3onePi:
  REG:32 STACK:0 SHARED:1024 LOCAL:0 CONSTANT[0]:560 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z3twoPi:
  REG:72 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:560 TEXTURE:0 SURFACE:0 SAMPLER:0
END
)" = "$expected" ]
    part kernels <<<"$expected"
    [ "$checks" -eq $((3 * 32 * 5)) ]
}

@test "each compiled kernel: our occupancy equals the CUDA Toolkit's in every launch of whole warps" {
    library="$ROOT/lib/spmvcast/libspmvdevice.so"
    [ -e "$library" ] || skip "built without CUDA kernels"
    command -v cuobjdump > /dev/null || skip "no cuobjdump"
    cuobjdump --dump-resource-usage "$library" | resources > "$BATS_TEST_TMPDIR/kernels"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/kernels")" -ge 10 ]
    part kernels < "$BATS_TEST_TMPDIR/kernels"
}

# bats test_tags=long,id:occupancy-h200
@test "H200 archives: in every row, the runtime's occupancy follows from threads, registers and shared memory" {
    for name in ashari2014 ashari2014-search bench choi2010 choi2010-search large lehnert2016 matrices matrices2 plans repeat training training2 training3 \
        held-out wang2017 wang2017-regimes; do
        part archive "$H200/$name.h5"
        [ "$checks" -ge 300 ] || { echo "$name: $checks rows"; false; }
    done
}

# bats test_tags=long
@test "H200 profile: registers and shared memory are those of measured rows; T of choi2010 and choi2010-waves follows from them" {
    part profile "$H200/profile.h5" "$H200/training2.h5" "$H200/choi2010.h5"
}
