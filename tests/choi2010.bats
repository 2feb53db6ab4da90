#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# choi2010 on synthetic times from its formula and on the reference's vectors, choi2010-waves, the rival selector footprint, and
# their grid.
load helpers
bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR"; }

cells() { "$BUILD/recipes" cells "$1"; }

# bats test_tags=quick,id:choi2010-iterations
@test "iterations: the reference's (L, T, M) give I and the last iteration's thread blocks; (480, 8, 30) gives 7, not -1" { part choi2010 iterations; }
# bats test_tags=quick,id:choi2010-calibration
@test "calibration: T by choi2010's rule; all coefficients and forecasts within 1e-9; T = 1 has no a(N)" { part choi2010 calibration; }
@test "steps: chunks of sorted block rows, exact for dense matrices, shared by lanes" { part choi2010 steps; }
@test "blocks of 2 x 2 to 8 x 8, from features" { part choi2010 fill; }
@test "uneven rows: N is the mean over the thread blocks" { part choi2010 uneven; }
# bats test_tags=quick
@test "refused: other kernels, a configuration or precision that was not measured, a CPU, too few cells" { part choi2010 refusals; }
@test "footprint: storage bytes / bandwidth for every format" { part choi2010 footprint; }
# bats test_tags=quick
@test "waves: both regimes, floors and costs of a synthetic device; forecasts within 1e-9" { part choi2010_waves fit; }
@test "waves: no coefficient is negative" { part choi2010_waves nonnegative; }
# bats test_tags=id:choi2010-waves-uneven
@test "waves: uneven thread blocks, step by step; gathers of x" { part choi2010_waves uneven; }
@test "waves: equal steps and a linear g give choi2010" { part choi2010_waves paper; }
@test "waves: random columns give the rate of gathers" { part choi2010_waves gathers; }
@test "waves: outside the cells extrapolated; too few cells, other kernels refused" { part choi2010_waves refusals; }

@test "spmv-gen choi2010 for an H200: every calibration cell of every T; memory limit; all configurations listed" {
    run -0 spmv-gen choi2010 --geometry h200 -o g.h5
    [[ "$output" == *"# measure 70 configurations with spmv-run -c bcsr:"* ]]
    cells g.h5 > cells
    n="$(wc -l < cells)"
    [[ "$n" -ge 800 && "$n" -le 1200 ]]
    [ -z "$(awk -F'\t' '12 * $9 + 4 * $7 > 536870912 || ($2 != "gather" && $1 !~ /^dense:/)' cells)" ]
    [ "$(cut -f 1 cells | sort | uniq -d)" = "" ]
    # 2x2, chunk=64: 64 x 2 rows per thread block. 60 registers in f32: T = 17 by choi2010, 16 by the hardware; 78 in f64: 13, 12.
    config=bellpack:r=2,c=2,chunk=64,lanes=1
    grep -q "^dense:rows=$((132 * 128)),cols=2,seed=1	literal	[^	]*${config}[+	]" cells
    b="$(awk -F'\t' -v c=$config '($3 "+") ~ c "[+]" && $7 == 33 * 132 * 128 { print $8 }' cells)"
    [ "$b" -ge 64 ]
    [ "$b" -le 200 ]
    for k in 1 2 12 13 14 16 17 18 32 33; do grep -q "^dense:rows=$((k * 132 * 128)),cols=$b,seed=1	literal	[^	]*${config}[+	]" cells; done
    for k in 1 16 128; do grep -q "^dense:rows=$((k * 132 * 128)),cols=$(((b / 2 + 3) / 4 * 2)),seed=1	[^	]*	[^	]*${config}[+	]" cells; done
    [ "$(awk -F'\t' '$2 == "gather" { print $8 }' cells | sort -nu | sed -n '1p;$p' | paste -sd' ')" = "16384 268435456" ]
}
# bats test_tags=id:choi2010-small-sm
@test "spmv-gen choi2010: a device whose SMs hold no block of some configuration has cells for one" {
    run -0 spmv-gen choi2010 --geometry "Tesla C870" -o small.h5
    cells small.h5 > cells
    [ "$(wc -l < cells)" -ge 300 ]
    run ! grep "rows=0," cells
}
@test "spmv-gen choi2010: quick has the quick sweep" {
    run -0 spmv-gen choi2010 quick=1 --geometry h200 -o q.h5
    [[ "$output" == *"# measure 2 configurations with spmv-run -c bcsr -c bellpack"* ]]
    [ "$(cells q.h5 | wc -l)" -le 60 ]
}
@test "spmv-predict -m choi2010 with a profile without its cells names the programs that measure them" {
    run spmv-predict -m choi2010 --profile "$ROOT/results/h200/profile.h5" --cache cold -c bellpack:r=2,c=2,chunk=32,lanes=1 fem:n=8,d=2
    [[ "$output" == *"spmv-gen choi2010 -o cells.h5, then spmv-run -c bellpack:r=2,c=2,chunk=32,lanes=1 -o runs.h5 cells.h5, then spmv-fit -m choi2010 runs.h5 -o profile.h5"* ]]
}
# bats test_tags=id:choi2010-fit-predict-explain
@test "fit, predict and explain; other models do not list the configurations of this grid" {
    config=bellpack:r=3,c=3,chunk=64,lanes=1
    "$BUILD/choi2010" write r.h5
    run -0 spmv-fit -m choi2010,bandwidth,footprint,guo2014 r.h5 -o p.h5
    grep -q "^choi2010	$config	f64	warm	4	0	[0-9.e-]*	[0-9.e-]*	graph" <<<"$output"
    # 300 chunks of 64 block rows on 132 SMs, 40 blocks of 3 columns: s1o + 39 gamma + 40 a (3 - 1)
    run -0 spmv-predict -m choi2010 --profile p.h5 --cache warm --explain -c $config dense:rows=57600,cols=120
    [[ "$output" == *"22.30 us = first iteration 22.30 us + iterations between 0 us + last iteration 0 us"* ]] || { echo "$output"; false; }
    [[ "$output" == *"I = 1 iterations: L = 300 thread blocks, T = 16 of them on each of 132 SMs; N = 40 steps"* ]]
    [[ "$output" == *"N = 40 steps; fill of 3 x 3 blocks not sampled: the matrix is dense"* ]]
    [[ "$output" != *"choi2010 f64"* && "$output" != *"footprint f64"* ]]
    # csr-vector is known through guo2014; the grid's configuration only if asked for
    for model in footprint guo2014; do
        run -0 spmv-predict --all -m $model --profile p.h5 --cache warm dense:rows=57600,cols=120
        [[ "$output" == *csr-vector* && "$output" != *"$config"* ]] || { echo "$output"; false; }
    done
    run -0 spmv-predict -m footprint --profile p.h5 --cache warm -c $config dense:rows=57600,cols=120
    [[ "$output" == *"$config"*footprint* ]]
}
# The counts are those of block_fill_of, which features.bats compares with plain counting.
# bats test_tags=id:choi2010-explain-fill
@test "--explain: choi2010 and choi2010-waves state the fill, and how many of the nonzeros it was sampled from or counted on" {
    local model all sampled
    explain() { run -0 spmv-predict -m "$1" --profile h200 --cache warm -p f64 --explain -c "$2" "$3"; }
    sampled="$("$BUILD/block_fill" print fem:n=20,d=3 | awk '{ split($2, n, "/"); print n[2] }')"
    all="$(spmv-info fem:n=20,d=3 | awk '$1 == "nnz" { print $2 }')"
    [[ "$sampled" -gt 400000 && "$sampled" -lt "$all" ]]
    for model in choi2010 choi2010-waves; do
        explain $model bellpack:r=2,c=2,chunk=32,lanes=1 fem:n=4,d=5
        [[ "$output" == *"; fill of 2 x 2 blocks 1."*", counted on all 25000 nonzeros"* ]] || { echo "$output"; false; }
        explain $model bellpack:r=3,c=3,lanes=4 fem:n=20,d=3
        [[ "$output" == *"; fill of 3 x 3 blocks 1, sampled from $sampled of $all nonzeros"* ]] || { echo "$output"; false; }
        explain $model bellpack:r=1,c=2,chunk=32,lanes=1 fem:n=4,d=5
        [[ "$output" == *"; fill of 1 x 2 blocks 1."*", from that of 2 x 2, counted on all 25000 nonzeros"* ]] || { echo "$output"; false; }
    done
}
@test "spmv-run generates only the matrices of the configurations asked for" {
    spmv-gen choi2010 --geometry h200 -o g.h5 > /dev/null # 1e10 nonzeros
    run -0 timeout 60 spmv-run -q --backend cpu -c ell -c hyb:k=auto -p f64 --cache warm -o r.h5 g.h5
    [[ "$output" == *"# 0 of 0 rows already measured"* ]]
}
