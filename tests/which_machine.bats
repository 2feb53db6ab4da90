#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Which machine rows are of: driver and build in their key, archives of several devices, --device.
bats_require_minimum_version 1.5.0
load helpers

M="$BUILD/merge"
setup() { cd "$BATS_TEST_TMPDIR"; }
# rows FILE: number of rows
rows() { "$M" dump "$1" rows | wc -l; }

# bats test_tags=id:software-key
@test "rows of two drivers are both kept by spmv-merge; others see the one measured last, and an ok row rather than a crash" {
    "$M" write old.h5 m3/csr-vector/G/ok/5/2026-01-01/570 m4/csr-vector/G/ok/6/2026-01-01/570
    "$M" write new.h5 m3/csr-vector/G/ok/4/2026-01-02/575 m4/csr-vector/G/crashed/0/2026-01-02/575
    for order in "old.h5 new.h5" "new.h5 old.h5"; do
        # shellcheck disable=SC2086
        spmv-merge -q -o all.h5 $order > table
        [ "$(rows all.h5)" -eq 4 ]
        awk -F'\t' '/^(old|new).h5/ { if ($NF == "" || $0 !~ /\t2\t0\t/) exit 1 }' table || { cat table; false; }
        run -0 --separate-stderr spmv-speed --table matrices --columns matrix,csr_us all.h5
        [ "$(grep -v '^#' <<< "$output")" = $'matrix\tcsr_us\nm3\t4.000\nm4\t6.000' ]
        # shellcheck disable=SC2086
        run -0 --separate-stderr spmv-speed --table matrices --columns matrix,csr_us $order
        [ "$(grep -v '^#' <<< "$output")" = $'matrix\tcsr_us\nm3\t4.000\nm4\t6.000' ]
        rm all.h5
    done
}

# bats test_tags=id:software-again
@test "spmv-run measures the rows of another build again and keeps the old ones; rows of an unknown build count as done" {
    export OMP_NUM_THREADS=1
    quickly=(--backend cpu --time-cap 0 --rounds-cap 3 --cache warm -p f64 -c csr-scalar -c ell --accept-noise)
    spmv-run -q "${quickly[@]}" -o run.h5 stencil:points=5,n=30 > /dev/null
    [ "$(rows run.h5)" -eq 2 ]
    run -0 spmv-run -q "${quickly[@]}" --dry-run -o run.h5 stencil:points=5,n=30
    [[ "$output" == *"2 rows, 2 already measured"* && "$output" == *"# driver none, build "* ]]
    "$M" rebuild run.h5 "" unknown.h5
    "$M" rebuild run.h5 "gcc 4.1" old.h5
    spmv-run -q "${quickly[@]}" -o unknown.h5 stencil:points=5,n=30 > /dev/null
    [ "$(rows unknown.h5)" -eq 2 ]
    run -0 spmv-run -q "${quickly[@]}" --dry-run -o old.h5 stencil:points=5,n=30
    [[ "$output" == *"2 rows, 0 already measured"* ]]
    spmv-run -q "${quickly[@]}" -o old.h5 stencil:points=5,n=30 > /dev/null
    [ "$(rows old.h5)" -eq 4 ]
    [ "$("$M" dump old.h5 rows | grep -c '"build":"gcc 4.1"')" -eq 2 ]
    # half of each build: a profile of both
    spmv-run -q "${quickly[@]}" -o both.h5 stencil:points=5,n=31 > /dev/null
    "$M" rebuild run.h5 "gcc 4.1" half.h5
    run -0 --separate-stderr spmv-fit -m nearest --name both -o both-profile.h5 half.h5 both.h5
    [[ "$stderr" == *"the rows were measured with builds gcc 4.1 and "*"spmv-profile --again"* ]]
    run -0 --separate-stderr spmv-fit -m nearest --name one -o one-profile.h5 old.h5
    [[ "$stderr" == *"skipped 2 rows measured again with another driver or build"* && "$stderr" != *"builds"* ]]
}

# bats test_tags=id:device-option
@test "--device chooses one device of the archives in merge, speed, fit, verify and query; without it, or if it fits none or two, the devices are listed" {
    "$M" write all.h5 m3/csr-vector/GX-1/ok/5/2026-01-01 m4/csr-vector/GX-1/ok/6/2026-01-01 m3/csr-vector/GX-2/ok/4/2026-01-01
    for program in spmv-speed "spmv-fit -m nearest -o out.h5"; do
        run -1 --separate-stderr $program all.h5
        [[ "$stderr" == *"archives of several devices: 'GX-1'; 'GX-2'; choose one with --device NAME" ]]
    done
    for program in "spmv-merge -o out.h5" spmv-speed "spmv-fit -m nearest -o out.h5" "spmv-verify --profile h200"; do
        run -1 --separate-stderr $program --device gx all.h5
        [[ "$stderr" == *"--device gx fits several devices of the archives: 'GX-1'; 'GX-2'" ]]
        run -1 --separate-stderr $program --device a100 all.h5
        [[ "$stderr" == *"--device a100: the archives have no such device; there are 'GX-1'; 'GX-2'" ]]
        [ ! -e out.h5 ]
    done
    run -0 --separate-stderr spmv-speed --device "gx 2" --table matrices --columns matrix,csr_us all.h5
    [ "$(grep -v '^#' <<< "$output")" = $'matrix\tcsr_us\nm3\t4.000' ]
    [[ "$stderr" == *"skipped the rows of 'GX-1'"* ]]
    spmv-merge -q --device gx2 -o two.h5 all.h5 > /dev/null
    run -1 spmv-verify --profile h200 two.h5
    [[ "$output" == *"other device: GX-2"* ]]
    run -0 spmv-verify --profile h200 --device gx2 all.h5                # asked for by its name
    [[ "$output" == *"; times of another device: GX-2"* ]]
    spmv-merge -q --device gx1 -o one.h5 all.h5 > /dev/null
    [ "$(rows one.h5)" -eq 2 ]
    [ "$("$M" dump one.h5 geometry | grep -o '"device_key":"[^"]*"')" = '"device_key":"GX-1"' ]
    run -0 spmv-query --device gx1 'select count(*) from contests' all.h5
    [[ "$output" == *2* ]]
    run -1 spmv-query 'select count(*) from contests' all.h5
    [[ "$output" == *"choose one with --device NAME"* ]]
}
