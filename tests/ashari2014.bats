#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# ashari2014: the paper's choice of b2 and rep; ashari2014-slots: coefficients, forecasts and choices of its formula; their grid.
bats_require_minimum_version 1.5.0
load helpers
H200="$ROOT/results/h200/profile.h5"

setup() { cd "$BATS_TEST_TMPDIR"; }

# bats test_tags=quick,id:ashari2014-rule-only
@test "ashari2014: only the rule's b1, b2, sigma, rep and block of brc, alone or in hyb; the time of bandwidth" { part ashari2014 literal; }
# bats test_tags=quick
@test "ashari2014 on the CPU device: the rule has no rep there; ashari2014-slots is refused" { part ashari2014 cpu; }
# bats test_tags=quick,id:ashari2014-coefficients
@test "ashari2014-slots: coefficients are recovered and other matrices forecast to 1e-9, f32 and f64, both sums, warm and cold" { part slots fit; }
# bats test_tags=quick
@test "ashari2014-slots: sectors of x by the share of equally long rows; times between resident and streaming" { part slots sectors; }
# bats test_tags=quick
@test "ashari2014-slots: relative errors are least where no coefficients fit" { part slots relative; }
# bats test_tags=quick,id:ashari2014-b2-rep
@test "ashari2014-slots: b2 and rep of its rule, on each of its bounds" { part slots choice; }
# bats test_tags=quick
@test "ashari2014-slots: ranges, refusals with what to measure, composites, too few cells" { part slots status; }

@test "the grid of ashari2014: few warps with growing pieces, long rows, sizes around the cache; only for GPUs" {
    run -0 spmv-gen ashari2014 --geometry h200 -o g.h5
    [[ "$output" == *"# wrote 72 cells of ashari2014 for NVIDIA H200"* ]]
    "$BUILD/recipes" cells g.h5 > cells
    [ "$(cut -f 3 cells | sort -u)" = brc ]
    [ "$(cut -f 1 cells | sort | uniq -d)" = "" ]
    for p in 4 8 16 24 32 48 64 96 128 192 256 512 1024; do
        for rows in 32 $((32 * 132)); do grep -q "^constant:rows=$rows,.*,p=$p,place=band,seed=1	path	" cells; done
    done
    [ "$(awk -F'\t' '$7 == 4 { print $5 }' cells | paste -sd' ')" = "1024 4096 16384 65536" ]
    # for each of four lengths three sizes within 2/3 of the L2 and two of more than twice of it, in f32
    for p in 4 8 32 128; do
        awk -F'\t' -v p=$p '$2 == "grid" && $5 == p { b = 8 * $9 + 8 * $7; resident += b < 41943040; streaming += b > 125829120 }
            END { exit !(resident >= 3 && streaming >= 2) }' cells || { echo "P = $p"; false; }
    done
    [ "$(awk -F'\t' '$2 == "gather" { print $8 }' cells | sort -nu | paste -sd' ')" = "65536 1048576 16777216" ]
    run -0 spmv-gen ashari2014 quick=1 --geometry h200 -o q.h5
    n="$("$BUILD/recipes" cells q.h5 | wc -l)"
    [ "$n" -ge 8 ]
    [ "$n" -le 30 ]
    run -1 --separate-stderr spmv-gen ashari2014 --geometry cpu -o c.h5
    [[ "$stderr" == *"ashari2014 has no grid for "*"only a GPU has"* && ! -e c.h5 ]]
}

@test "predict -m ashari2014 on an H200: ranks only the rule's configurations; --explain names the rule" {
    run -0 --separate-stderr spmv-predict --profile "$H200" -m ashari2014 --explain --all halves:rows=9000,p=3,q=20
    # mean 11.5, sd 8.5, longest row 20; HYB's K is 20, so its tail is empty
    [ "$(awk -F'\t' '$17 == "ok" && $2 ~ /^brc/ { print $2 }' <<<"$output" | sort | paste -sd' ')" = "brc:b1=32,b2=20,sigma=all,value=full,sum=atomic,rep=1,block=128 brc:b1=32,b2=20,sigma=all,value=full,sum=partials,rep=1,block=128" ]
    [[ "$output" == *"b2 = min(round(mean 11.5 + sd 8.5), longest row 20, 200) = 20; sd <= mean: rep = 1"* ]]
    [[ "$output" == *$'\trefused\tthe rule chooses brc:b2=20,rep=1\t'* ]]
}

@test "predict -m ashari2014-slots: a profile without its cells is refused with the commands that measure them" {
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 stencil:points=5,n=300
    spmv-fit -q -m nearest,bandwidth --name plain -o plain.h5 runs.h5 > /dev/null
    run --separate-stderr spmv-predict --profile ./plain.h5 -m ashari2014-slots -c brc -p f64 --cache warm stencil:points=5,n=60
    [[ "$output" == *"profile plain has no coefficients of ashari2014-slots for brc, f64, warm; measure them: spmv-gen ashari2014 -o cells.h5, then spmv-run -c brc -o runs.h5 cells.h5 (with -c for b2=8, 32 and 128 as well), then spmv-fit -m ashari2014-slots runs.h5 -o profile.h5"* ]]
}

@test "spmv-fit -m ashari2014-slots says which cells are missing, for brc only" {
    run -0 --separate-stderr spmv-fit -m ashari2014-slots,bandwidth --name plain -o p.h5 "$ROOT/results/h200/bench.h5"
    grep '^# ashari2014-slots' <<<"$output" > notes
    grep -q 'not fitted: brc:.*measure those of spmv-gen ashari2014' notes
    run ! grep -q 'csr-' notes
}

@test "speed --table widths: b2 of the paper, of the slots, of the least forecast and of the search, with times and shares" {
    need_python
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 dense:rows=90
    "$PYTHON" - <<'P'
import h5py
t = h5py.File("runs.h5", "r+")["rows"]
time = t["time_us"][:]
for i, config in enumerate(t["config"][:]):     # sum=atomic and grow must not count
    if config.startswith(b"brc"): time[i] = 1 if b"atomic" in config or b"grow" in config else 10 if b"b2=16," in config else 20 if b"b2=32," in config else 40
t["time_us"][:] = time
P
    "$BUILD/h5_damage" sign runs.h5
    spmv-speed --table widths -p f64 --cache warm runs.h5 > plain
    widths() { awk -F'\t' -v m="$1" 'index($1, m) == 1 { for (i = 5; i <= NF; i++) printf "%s%s", $i, i < NF ? " " : "\n" }'; }
    [ "$(widths dense < plain)" = "90 1 40.00 0.2500 - - - - - - - - 16 1 10.00 3" ]
    [ "$(widths stencil < plain)" = "5 1 40.00 0.2500 - - - - - - - - 16 1 10.00 3" ]
    grep -q '^# f64, warm: paper reaches 0.250 of the search (geometric mean of 2 matrices), at worst 0.250 on ' plain
    grep -q '^# slots and pick require --profile' plain
    "$BUILD/slots" profile p.h5 "Synthetic GPU, 14 SMs"
    spmv-speed --table widths -p f64 --cache warm --profile ./p.h5 runs.h5 > profiled
    # dense: pieces of 16 take 18 steps and a cut, less than 36 or 90 steps; the rule lowers b2 to 8, which was not measured
    [ "$(widths dense < profiled)" = "90 1 40.00 0.2500 8 1 - - 16 1 10.00 1.000 16 1 10.00 3" ]
    # stencil: all widths hold a whole row and forecast the same time; the first is taken
    [[ "$(widths stencil < profiled)" == "5 1 40.00 0.2500 5 1 40.00 0.2500 "*" 16 1 10.00 3" ]]
    grep -q '^# f64, warm: slots reaches 0.250 of the search (geometric mean of 1 matrix)' profiled
}

# bats test_tags=long
@test "b2 of three matrices equals the paper's Table 1" {
    need_shared
    while read -r file b2; do
        run -0 --separate-stderr spmv-predict --profile "$H200" -m ashari2014 -c brc -p f32 --cache warm "$SHARED_MATRICES/$file.mtx.xz"
        [[ "$output" == *$'\tbrc:b1=32,b2='"$b2,"*$'\tok\t'* ]] || { echo "$file: $output"; false; }
    done <<'END'
mc2depi 4
conf5_4-8x8-05 39
dense2 200
END
}
