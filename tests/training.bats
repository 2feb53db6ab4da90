#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Training matrices of physics-gp: the table, what is learned from them, and candidates where a profile is least certain.
bats_require_minimum_version 1.5.0
load helpers

# A profile of small training matrices with fewer configurations than a benchmark needs to be learned from.
setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    spmv-gen physics-gp quick=1 max_bytes=1000000 --geometry cpu -o train.h5 > train.tsv
    spmv-run -q --backend cpu -c csr-scalar -c coo -p f64 --cache warm --time-cap 0 --rounds-cap 3 -o runs.h5 train.h5
    spmv-fit -m physics-gp,nearest,bandwidth --name small -o p.h5 runs.h5 > fit.tsv
}
setup() { cd "$BATS_TEST_TMPDIR"; }
cells() { "$BUILD/recipes" cells "$1"; }
unsure() { spmv-gen physics-gp quick=1 --where-unsure "$@"; }

@test "training matrices cover all kinds, have 1e3 to 3e7 nonzeros and no extremely long rows" {
    spmv-gen physics-gp --geometry h200 -o g.h5 > out
    cells g.h5 > cells
    [ "$(wc -l < cells)" -eq "$(grep -c '^TRAINING' "$ROOT/src/gen/training.def")" ]
    [ -z "$(awk -F'\t' '$2 != "train" || $3 != "" || $9 < 1000 || $9 > 3e7 || $8 > 3e7 || 12 * $9 + 4 * ($7 + 1) > 2^30' cells)" ]
    [ "$(cut -f 1 cells | sort | uniq -d)" = "" ]
    # binomial row lengths are nearly normal: that kind is for the grids of wang2017 only; blocks is for stand-ins of other matrices
    for kind in $(spmv-gen --list | awk -F'\t' '$1 == "kind" && $3 == "-" && $2 !~ /^(binomial|blocks)$/ { print $2 }'); do grep -q "^$kind:" cells || { echo "no $kind"; false; }; done
    # every decade of sizes, also within the first quarter of the table
    for part in 26 166; do [ "$(head -n $part cells | awk -F'\t' '{ d[int(log($9) / log(10) + 1e-9)] } END { for (i in d) n++; print n }')" -eq 5 ]; done
    [ -z "$(cut -f 1 cells | grep -Eo '(max|q|p|n)=[0-9]+' | awk -F= '$1 == "max" && $2 > 200000')" ]
    grep -q "^train	166	" out
}

@test "a trial has few and small training matrices, of at least eight kinds, the same for every device; those beyond max_bytes are dropped and counted" {
    spmv-gen physics-gp quick=1 --geometry cpu -o q.h5 > out
    cells q.h5 > cells
    n=$(wc -l < cells)
    [ "$n" -ge 10 ]
    [ "$n" -le 20 ]
    [ -z "$(awk -F'\t' '$9 > 300000' cells)" ]
    [ "$(cut -d: -f 1 cells | sort -u | wc -l)" -ge 8 ]
    spmv-gen physics-gp quick=1 --geometry c2050 -o other.h5 > out
    [ "$(cells other.h5)" = "$(cat cells)" ]
    run -0 spmv-gen physics-gp max_bytes=1000000 --geometry cpu -o m.h5
    [[ "$output" == *"cells dropped: more than max_bytes"* ]]
    [ -z "$(cells m.h5 | awk -F'\t' '12 * $9 + 4 * ($7 + 1) > 1000000')" ]
}

@test "physics-gp is trained on recipes of role train, even if they have few configurations; nearest uses them too" {
    cd "$BATS_FILE_TMPDIR"
    n=$(cells train.h5 | wc -l)
    [ "$n" -ge 8 ]
    run ! grep -q "physics-gp not fitted" fit.tsv
    spmv-predict -q --profile ./p.h5 -p f64 --cache warm -c csr-scalar uniform:rows=5000,p=9 > "$BATS_TEST_TMPDIR/out"
    [[ "$(column status < "$BATS_TEST_TMPDIR/out")" == ok || "$(column status < "$BATS_TEST_TMPDIR/out")" == extrapolated ]]
    run ! grep -q "families only" "$BATS_TEST_TMPDIR/out"
    run -0 spmv-predict -q --profile ./p.h5 -m nearest -p f64 --cache warm -c csr-scalar stencil:points=5,n=80
    [ "$(column status <<< "$output")" = ok ]
    # the same matrices with role benchmark are not learned from
    spmv-run -q --backend cpu -c csr-scalar -c coo -p f64 --cache warm --time-cap 0 --rounds-cap 3 --role benchmark -o "$BATS_TEST_TMPDIR/b.h5" \
        stencil:points=5,n={10,20,30} fem:n=4,d={1,2,3} rmat:scale=8,p={3,5} uniform:rows=500,p=7 dense:rows=50
    spmv-fit -m physics-gp,bandwidth -o "$BATS_TEST_TMPDIR/b-p.h5" "$BATS_TEST_TMPDIR/b.h5" > "$BATS_TEST_TMPDIR/fit"
    grep -q "physics-gp not fitted" "$BATS_TEST_TMPDIR/fit"
}

# bats test_tags=id:training-where-unsure,full
@test "--where-unsure lists the same distinct matrices each time, the least certain of each kind first, all less certain than measured ones" {
    unsure 40 --geometry "$BATS_FILE_TMPDIR/p.h5" -o a.h5 > a
    OMP_NUM_THREADS=3 unsure 40 --geometry "$BATS_FILE_TMPDIR/p.h5" -o b.h5 > b
    diff <(grep -v '^#' a) <(grep -v '^#' b)
    [ "$(cells a.h5 | wc -l)" -eq 40 ]
    diff <(cells a.h5 | cut -f 1) <(column recipe < a)
    [ -z "$(cells a.h5 | awk -F'\t' '$2 != "train" || $9 < 1000 || $9 > 300000 || $8 > 3e7')" ]
    [ -z "$(column distance < a | awk 'NR > 1 && $1 < 1.5')" ]
    # kinds have equal shares; within a kind the least certain comes first (like, lp, uniform and normal have several shapes)
    paste <(column recipe < a | cut -d: -f 1) <(column deviation < a) > kinds
    [ "$(head -n 20 kinds | cut -f 1 | sort -u | wc -l)" -ge 7 ]
    awk -F'\t' '$1 !~ /^(like|lp|uniform|normal)$/ { if ($1 in last && $2 > last[$1]) { print; bad = 1 } last[$1] = $2; n++ } END { exit bad || n < 8 }' kinds
    # compare widths of intervals of the same profile
    widths() { spmv-predict -q --profile "$BATS_FILE_TMPDIR/p.h5" -p f64 --cache warm -c csr-scalar "$@" > w; paste <(column low_us < w) <(column high_us < w) | awk '{ print $2 / $1 }' | sort -g; }
    # shellcheck disable=SC2046
    {
        widths $(column recipe < a | head -n 3) > unsure
        widths $(cells "$BATS_FILE_TMPDIR/train.h5" | cut -f 1) > sure
    }
    [ "$(wc -l < unsure)" -eq 3 ]
    awk 'NR == FNR { u = NR == 1 ? $1 : u; next } { v[++n] = $1 } END { exit !(n > 8 && u > v[int((n + 1) / 2)]) }' unsure sure
    # measured matrices are not proposed again
    [ -z "$(comm -12 <(column recipe < a | sort) <(cells "$BATS_FILE_TMPDIR/train.h5" | cut -f 1 | sort))" ]
}

@test "--where-unsure requires physics-gp and a profile that has it" {
    spmv-fit -q -m nearest -o plain.h5 "$BATS_FILE_TMPDIR/runs.h5"
    while IFS='|' read -r arguments code text; do
        run -$code --separate-stderr spmv-gen $arguments
        [[ "$stderr" == *"$text"* ]] || { echo "$arguments: $stderr"; false; }
        [ ! -e bad.h5 ]
    done <<END
guo2014 --where-unsure 3 --geometry $BATS_FILE_TMPDIR/p.h5 -o bad.h5|2|--where-unsure is not supported by model guo2014, only by physics-gp
stencil points=5 n=3 --where-unsure 3 -o bad.h5|2|--where-unsure is not supported by model stencil
physics-gp --where-unsure 3 -o bad.h5|2|--where-unsure requires --geometry PROFILE.h5
physics-gp --where-unsure 3 --geometry h200 -o bad.h5|2|--geometry PROFILE.h5, found h200
physics-gp --where-unsure 0 --geometry h200 -o bad.h5|2|1..1000
physics-gp --where-unsure 3 --geometry plain.h5 -o bad.h5|1|has no learned forecasts; fit it again
physics-gp --where-unsure 3 --geometry $BATS_FILE_TMPDIR/runs.h5 -o bad.h5|1|archive of kind run
END
}
