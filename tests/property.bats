#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Random matrices from a seed with every layout and kernel on the CPU: y within the bound, repeatable bits, the host's y, forecast
# bytes. PROPERTY_N and PROPERTY_SEED select more or other matrices; on a GPU: tests/formats_gpu.bats.
bats_require_minimum_version 1.5.0
load helpers

# bats test_tags=long,id:property-random-matrices
@test "200 random matrices: each configuration matches the reference, moves the forecast bytes and repeats bit for bit" {
    run "$BUILD/property" run
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "$output" == "ok run, "*" checks" ]]
}

@test "the random matrices include empty, wide, tall and skewed ones, blocks, zeros and empty rows" {
    PROPERTY_SEED=1 PROPERTY_N=200 run -0 "$BUILD/property" show
    [ "${#lines[@]}" -eq 200 ]
    awk -F'\t' '
        NF != 8 { print "columns: " $0; exit 1 }
        $4 == 0 { none++ } $2 > 8 * $3 && $4 { tall++ } $3 > 8 * $2 && $4 { wide++ } $2 == $3 && $4 { square++ }
        $4 && $6 * $2 > 10 * $4 { skewed++ } $5 && $4 { gaps++ } $7 && $7 < $4 { zeros++ } $4 && $7 == $4 { all_zero++ }
        $6 == $3 && $3 > 100 { dense_row++ } $4 > 10000 { large++ } /block=[2-8]x[2-8]/ && $4 { blocks++ }
        END {
            split(none " " tall " " wide " " square " " skewed " " gaps " " zeros " " all_zero " " dense_row " " large " " blocks, n, " ")
            for (i = 1; i <= 11; i++) if (n[i] < 4) { print "property " i " of 11: " n[i] + 0 " matrices"; exit 1 }
        }' <<< "$output"
    [ "$(cut -f8 <<< "$output" | sort -u | wc -l)" -ge 150 ]
}

@test "a matrix depends only on its own seed" {
    PROPERTY_SEED=5 PROPERTY_N=30 run -0 "$BUILD/property" show
    all=("${lines[@]}")
    PROPERTY_SEED=34 PROPERTY_N=1 run -0 "$BUILD/property" show
    [ "$output" = "${all[29]}" ]
    [[ "$output" == "PROPERTY_SEED=34 PROPERTY_N=1: rows="* ]]
    [[ "$output" != "${all[28]}" ]]
}
