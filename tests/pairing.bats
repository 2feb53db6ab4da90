#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Comparisons of two selections of configurations (src/speed/pairing.c), through spmv-reproduce and a made-up paper.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 stencil:points=27,n=12
    spmv-fit -q -m bandwidth --name synthetic -o profile.h5 runs.h5 > /dev/null
    for n in 10 20 40; do
        row() { echo "stencil:points=5,n=$n told/s$n$4 $1 f64 warm $2 nan nan" "${@:5}"; }
        row csr-vector:lanes=32,rows=1,block=128 8
        row csr-vector:lanes=4,rows=1,block=128 4
        row hyb:k=0,head=ell,head.lanes=1,head.block=256,tail=coo,tail.sum=segmented,tail.items=4,tail.block=256 12
        row bellpack:r=2,c=2 "$n"
        row bellpack:r=3,c=3 2 "" "$([ $n = 10 ] || echo @2)"
        [ $n = 40 ] || row brc:b1=32,b2=auto "$n"
        [ $n = 10 ] || row brc:b1=32,b2=16 16
        [ $n = 10 ] || row brc:b1=64,b2=16 1
        row invented:sigma=2048 1
        row bcsr:r=2,c=2,pack=1,align=0,interleave=0,lanes=16 6
        row bcsr:r=2,c=2,pack=1,align=0,interleave=0,lanes=128 1
        row bcsr:r=3,c=3,pack=0,align=0,interleave=0,lanes=16 5
        [ $n = 40 ] || row bcsr:r=2,c=2,pack=0,align=0,interleave=0,lanes=16 "$n"
        row sell:c=512,sigma=20480,index=32 1
        # parts, timed alone: the fastest whole has not the fastest tail
        row hyb:k=3,head=ell,tail=coo@tail 40
        row hyb:k=5,head=ell,tail=coo@tail "$((40 + n))"
        row hyb:k=3,head=ell,tail=coo@head 30
        row hyb:k=3,head=ell,tail=brc@tail 10
        row hyb:k=3,head=ell,tail=brc 24
        [ $n != 10 ] || row csr-scalar 16
        [ $n != 10 ] || { row csr-scalar 16; row csr-vector:lanes=32,rows=1,block=128 8; } | sed 's|^[^ ]* [^ ]*|rmat:scale=8 told/uneven|'
    done | "$BUILD/speed_rows" told.h5 "Synthetic GPU, 14 SMs"
}
setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p papers/made
    cd papers/made
    tsv paper key value / title "A made-up paper" / archives told / precision f64
    tsv devices device sms warps_sm threads_sm threads_block blocks_sm regs_sm shared_sm_kib memory_gb bandwidth_gbs place note
    {
        tsv_of name group collection_name rows cols nnz mean sd max generator stand_in place note
        for n in s10 s20 s40 uneven; do tsv_of $n told $n - - - - - - - - - -; done
    } > matrices.tsv
    tsv formats format config place note
    tsv values figure item device precision quantity value place note
    tsv figures id place title measure parameters chart xlabel ylabel note
    tsv claims id place claim device precision printed rival figure statistic direction size margin note
    cd ../..
}
tsv_of() { (IFS=$'\t'; echo "$*"); }
# tsv NAME CELL... [/ CELL...]: writes NAME.tsv; "/" ends a line.
tsv() { tsv_of "${@:2}" | sed 's|\t/\t|\n|g' > "$1.tsv"; }

# compare PARAMETERS: adds a figure of the measure speedup with these parameters, f1, f2, ... in this order.
compare() {
    local n; n=$(wc -l < papers/made/figures.tsv)
    tsv_of "f$n" - "figure $n" speedup "$*" - - - - >> papers/made/figures.tsv
}
reproduce() { spmv-reproduce -q --profile "$BATS_FILE_TMPDIR/profile.h5" --archives "$BATS_FILE_TMPDIR" --papers papers -o out made; }
# ratios N: "MATRIX OURS_US AGAINST_US RATIO" of the rows of figure N, joined by '; '.
ratios() { awk -F'\t' '/^#/ { next } !names++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { printf "%s%s %g %g %g", n++ ? "; " : "", $at["matrix"], $at["ours_us"], $at["against_us"], $at["ratio"] }' "out/made/f$1.tsv"; }

bell_garland='csr-scalar|csr-vector|ell:lanes=1|coo|hyb:head=ell,tail=coo|dia'

# bats test_tags=id:pairing-fastest
@test "pairing: the fastest of one selection is compared with the fastest of another, also with unknown kernels in the archive" {
    compare "ours=bellpack against=$bell_garland"
    compare ours=brc:b1=32,b2=auto,rep=auto against=csr-vector:lanes=32
    compare ours=brc:b1=32,b2=auto,rep=auto against=hyb:head=ell,tail=coo
    compare ours=brc:b1=32,b2=auto,rep=auto "against=csr-*"
    compare ours=sell:c=512,sigma=2048,index=32 "against=csr-*"
    compare ours=sell:c=512,sigma=20480,index=32 against=csr-vector:lanes=32
    compare ours=brc against=jad
    reproduce
    for n in {1..7}; do ratios $n; echo; done
    [ "$(ratios 1)" = "s10 2 4 2; s20 2 4 2; s40 2 4 2" ]
    # brc with b2=auto takes 10 and 20 us, csr-vector with a warp per row 8 us, HYB 12 us, csr-vector with the best lanes 4 us
    [ "$(ratios 2)" = "s10 10 8 0.8; s20 20 8 0.4" ]
    [ "$(ratios 3)" = "s10 10 12 1.2; s20 20 12 0.6" ]
    [ "$(ratios 4)" = "s10 10 4 0.4; s20 20 4 0.2" ]
    # sigma=20480 is not 2048
    [ -z "$(ratios 5)" ]
    [ "$(ratios 6)" = "s10 1 8 8; s20 1 8 8; s40 1 8 8" ]
    [ -z "$(ratios 7)" ]
}

# bats test_tags=id:pairing-rule
@test "pairing: a rule is compared only with a search that tried another configuration" {
    compare ours=brc:b1=32,b2=auto,rep=auto against=brc:b1=32
    reproduce
    # s10 has the rule's width alone, s40 none by the rule; b1=64 is not searched
    [ "$(ratios 1)" = "s20 20 16 0.8" ]
}

# bats test_tags=id:pairing-stages
@test "pairing: stages of a kernel are compared between configurations that are equal otherwise" {
    compare ours=bcsr:pack=1,align=0,interleave=0 against=bcsr:pack=0,align=0,interleave=0 stage=pack
    compare ours=bcsr:pack=1,align=0,interleave=0 against=bcsr:pack=0,align=0,interleave=0
    reproduce
    # equal blocks and lanes: 10 and 20 us against 6 us, not against 5 or 1 us
    [ "$(ratios 1)" = "s10 6 10 1.667; s20 6 20 3.333" ]
    [ "$(ratios 2)" = "s10 1 5 5; s20 1 5 5; s40 1 5 5" ]
}

# bats test_tags=id:pairing-parts
@test "pairing: parts of composites are compared by their own times, whole products by theirs" {
    compare ours=hyb:head=ell,tail=brc against=hyb:head=ell,tail=coo part=tail
    compare ours=hyb:head=ell,tail=brc against=hyb:head=ell,tail=coo
    compare ours=hyb:head=ell,tail=brc against=hyb:head=ell,tail=coo part=head
    reproduce
    # the fastest COO tail takes 40 us, whichever whole it belongs to
    [ "$(ratios 1)" = "s10 10 40 4; s20 10 40 4; s40 10 40 4" ]
    [ "$(ratios 2)" = "s10 24 12 0.5; s20 24 12 0.5; s40 24 12 0.5" ]
    [ -z "$(ratios 3)" ]
}

# bats test_tags=id:pairing-conditions
@test "pairing: conditions select matrices whose blocks take no more bytes than CSR, or whose rows are even" {
    compare "ours=bellpack against=$bell_garland" where=blocks-fill
    compare ours=csr-scalar against=csr-vector:lanes=32 where=even-rows
    compare ours=csr-scalar against=csr-vector:lanes=32
    reproduce
    # on all matrices but s10 the best blocks take twice CSR's bytes
    [ "$(ratios 1)" = "s10 2 4 2" ]
    [ "$(ratios 2)" = "s10 16 8 0.5" ]
    [ "$(ratios 3)" = "s10 16 8 0.5; uneven 16 8 0.5" ]
}

@test "pairing: a selection with an unknown kernel, key or condition is an error that names the line" {
    local bad
    for bad in "ours=nonsense against=coo" "ours=brc:width=3 against=coo" "ours=brc|nonsense against=coo" "ours=brc against=coo where=odd-rows" "ours=brc"; do
        cp papers/made/figures.tsv kept.tsv
        compare "$bad"
        run -1 --separate-stderr reproduce
        echo "$bad: $stderr"
        [[ "$stderr" == *"figures.tsv:2: "* ]]
        mv kept.tsv papers/made/figures.tsv
    done
}
