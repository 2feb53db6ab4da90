#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Devices of the papers: strip sizes, published strip counts, names, footprints.
# bats file_tags=quick
load helpers
bats_require_minimum_version 1.5.0

# bats test_tags=id:geometry-strip-sizes
@test "every device has the expected strip sizes for CSR, for CSR with half-warps and for one thread per row" {
    while read -r name csr half thread; do
        run "$BUILD/geometry" "$name"
        [ "$output" = "$csr $half $thread" ] || { echo "$name: $output"; false; }
    done <<'END'
c2050 672 1344 21504
M2050 672 1344 21504
GTX-540M 96 192 3072
c1060 960 1920 30720
C870 384 768 12288
gtx580 768 1536 24576
gtx-titan 896 1792 28672
k80 832 1664 26624
h200 8448 16896 270336
END
}

# SMs, warps, threads, threads per block, blocks, registers and KiB of shared memory per SM, MiB of memory
@test "every device has the expected capacities" {
    while read -r name facts; do
        run "$BUILD/geometry" facts "$name"
        [ "$output" = "$facts" ] || { echo "$name: $output"; false; }
    done <<'END'
c2050 14 48 1536 1024 8 32768 48 3072
GTX-540M 2 48 1536 1024 8 32768 48 1024
c1060 30 32 1024 512 8 16384 16 4096
C870 16 24 768 512 8 8192 16 1536
gtx580 16 48 1536 1024 8 32768 48 1536
gtx-titan 14 64 2048 1024 16 65536 48 6144
k80 13 64 2048 1024 16 131072 112 12288
h200 132 64 2048 1024 32 65536 228 144384
END
}

@test "strip counts of the 22 matrices in Table 3 of guo2014 are as published" {
    while read -r rows strips; do
        run "$BUILD/geometry" c2050 "$rows"
        [ "$output" = "$strips" ] || { echo "$rows: $output, expected $strips"; false; }
    done <<'END'
11999 18
16614 25
479119 713
74752 112
54870 82
105676 158
29902 45
43887 66
2000 3
36417 55
83334 125
62451 93
46835 70
49152 74
140874 210
525825 783
217918 325
206500 308
121192 181
170998 255
1000005 1489
4284 7
END
}

@test "a device is found by any spelling of its name, but not by a part that several names share" {
    for name in "NVIDIA H200" nvidia-h200 H200 "Tesla C2050" tesla_c2050; do "$BUILD/geometry" "$name"; done
    for name in tesla gtx "" 5090; do run ! "$BUILD/geometry" "$name"; done
}

@test "option values for precision and cache state equal the stored names" {
    [ "$("$BUILD/geometry" words)" = $'f32|f64\nwarm|cold' ]
}

# bats test_tags=id:geometry-footprint-classes
@test "footprint classes: resident below 2/3 of the L2, mixed up to twice the L2, streaming above it or without an L2" {
    [ "$("$BUILD/geometry" footprint h200 41943039)" = resident ]
    [ "$("$BUILD/geometry" footprint h200 41943040)" = mixed ]
    [ "$("$BUILD/geometry" footprint h200 125829120)" = mixed ]
    [ "$("$BUILD/geometry" footprint h200 125829121)" = streaming ]
    [ "$("$BUILD/geometry" footprint c1060 1)" = streaming ]
    [ "$("$BUILD/geometry" footprint huge 1)" = resident ]      # 2 x L2 is beyond 64 bits
}
