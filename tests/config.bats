#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Configurations as strings: round trips, defaults; errors: tests/errors/config.tsv, and for all parameters below.
bats_require_minimum_version 1.5.0
load helpers

parse() { run "$BUILD/config" parse "$1"; }
resolve() { run "$BUILD/config" resolve "$1" "$2"; [ "$status" -eq 0 ]; }

# bats test_tags=quick
@test "defaults are filled in, in the order of the tables" {
    parse csr-vector; [ "$output" = "csr-vector:lanes=8,rows=1,block=128" ]
    parse csr-vector:block=256,lanes=2; [ "$output" = "csr-vector:lanes=2,rows=1,block=256" ]
    parse hyb; [ "$output" = "hyb:k=auto,head=ell,head.lanes=1,head.block=256,tail=coo,tail.sum=segmented,tail.items=4,tail.block=256" ]
}

# bats test_tags=id:config-keys-of-parts
@test "keys of a part follow its kernel in the canonical form, wherever they are typed" {
    parse hyb:tail.lanes=4,k=3,tail=csr-vector
    [ "$output" = "hyb:k=3,head=ell,head.lanes=1,head.block=256,tail=csr-vector,tail.lanes=4,tail.rows=1,tail.block=128" ]
}

# bats test_tags=id:config-canonical-integers
@test "each integer has one canonical form" {
    parse csr-vector:lanes=016; [ "$output" = "csr-vector:lanes=16,rows=1,block=128" ]
    parse hyb:k=0007; [[ "$output" == hyb:k=7,* ]]
}

# bats test_tags=quick,id:config-resolve-auto
@test "resolving replaces auto; the form for CPU devices omits launch keys that have no effect there" {
    resolve gpu hyb; [[ "${lines[0]}" == hyb:k=7,head=ell,head.lanes=1,head.block=256,tail=coo,* ]]
    resolve cpu hyb; [ "${lines[0]}" = "hyb:k=7,head=ell,tail=coo,tail.sum=segmented" ]
    resolve cpu csr-vector:lanes=4,rows=8; [ "${lines[0]}" = "csr-vector:lanes=4" ]
    resolve cpu csr-block:block=512; [ "${lines[0]}" = "csr-block" ]
}

# bats test_tags=quick,id:config-revised
@test "configurations of a kernel that changed after the others have one revision more, parts too" {
    revision() { resolve gpu "$1"; echo "${lines[2]}"; }
    for kernel in csr-vector csr-split; do
        [ "$(revision $kernel:lanes=4)" -eq $(($(revision $kernel:lanes=8) + 1)) ]
        [ "$(revision $kernel:lanes=2)" -eq "$(revision $kernel:lanes=4)" ]
        [ "$(revision $kernel:lanes=32)" -eq "$(revision $kernel:lanes=8)" ]
    done
    [ "$(revision hyb:tail=csr-vector,tail.lanes=4)" -eq $(($(revision hyb:tail=csr-vector,tail.lanes=8) + 1)) ]
    [ "$(revision hyb:tail=csr-vector,tail.lanes=8)" -eq $(($(revision hyb:tail=csr-scalar) + $(revision csr-vector) - $(revision csr-scalar))) ]
}

@test "the general form restores auto, also in parts; values that differ from the rule's are kept" {
    parsed() { "$BUILD/config" parse "$1"; }
    general() { [ "$("$BUILD/config" general gpu "$1")" = "$2" ] || { "$BUILD/config" general gpu "$1"; return 1; }; }
    general hyb:tail=brc "$(parsed hyb:tail=brc)"
    [[ "$("$BUILD/config" resolve gpu brc | head -1)" != *b2=auto* ]]
    general brc:b2=3 "$(parsed brc:b2=3)"
    general hyb:k=3 "$(parsed hyb:k=3)"
    general csr-vector:lanes=4 csr-vector:lanes=4,rows=1,block=128
}

@test "configurations with equal layout keys share one build" {
    resolve gpu csr-vector:lanes=4; [ "${lines[1]}" = "csr" ]
    resolve gpu csr-block; [ "${lines[1]}" = "csr" ]
    resolve gpu cusparse-csr; [ "${lines[1]}" = "csr" ]
    resolve gpu hyb:k=3,tail=csr-vector,tail.lanes=2; [ "${lines[1]}" = "hyb:k=3,head=ell,tail=csr" ]
    resolve gpu hyb:k=3,tail=csr-scalar; [ "${lines[1]}" = "hyb:k=3,head=ell,tail=csr" ]
}

# bats test_tags=quick
@test "every sweep entry is distinct and survives a round trip" {
    local name device
    [ "$("$BUILD/config" sweeps)" = "quick|default|exhaustive|lehnert2016" ]
    for name in $("$BUILD/config" sweeps | tr '|' ' '); do
        for device in gpu cpu; do
            run "$BUILD/config" sweep "$name" "$device"
            [ "$status" -eq 0 ] || { echo "$name $device: $output"; return 1; }
        done
    done
    run "$BUILD/config" sweep default gpu
    [ "$(cut -f1 <<<"$output" | cut -d: -f1 | uniq | paste -sd' ')" = "$("$BUILD/config" sweep quick gpu | cut -f1 | paste -sd' ')" ]
    [[ "$output" == *"hyb:head=ell,tail=brc"*"hyb:head=brc,tail=coo"* ]]
    run "$BUILD/config" sweep default cpu
    [ "$(grep -c '^hyb' <<<"$output")" -eq 2 ]
    run "$BUILD/config" sweep exhaustive cpu
    [[ "$output" != *cusparse* ]]
    run "$BUILD/config" sweep exhaustive gpu
    [[ "$output" == *"cusparse-csr:alg=2,pre=1"* && "$output" == *"csr-vector:lanes=32,rows=16,block=512"* ]]
}

# bats test_tags=quick
@test "sweep lehnert2016: the thread mappings of the five formats of the paper" {
    run "$BUILD/config" sweep lehnert2016 gpu
    [ "$(cut -d: -f1 <<<"$output" | uniq -c | awk '{ printf "%s%s %s", s, $1, $2; s = " " }')" = "4 csr-scalar 20 csr-vector 20 coo 20 ell 16 bro 30 sell" ]
    [ "$(grep -c '^sell:c=512,sigma=2048,index=32,' <<<"$output")" -eq 30 ]
    [ "$(grep -c '^bro:h=256,bits=64,' <<<"$output")" -eq 16 ]
    run "$BUILD/config" sweep lehnert2016 cpu
    [[ "$output" == *"csr-vector:lanes=4,rows=1"* && "$output" != *block=* ]]
}

# Generated from the table of kernels: the errors must quote the table.
@test "for each parameter of each kernel, the error for an illegal value lists the legal ones and that for a misspelt key suggests the nearest" {
    cd "$BATS_TEST_TMPDIR"
    spmv-run --list | awk -F'\t' '!/^#/ && $1 != "kernel" && $2 != "-" && $2 != ""' > list
    # per parameter three configurations, each with the words that its error must have, in this order
    awk -F'\t' 'NR == FNR { first[$1] = first[$1] == "" ? $2 : first[$1]; next }
        { print $1 ":" $2 "=-3\t" $2 "=-3\t" $3; print $1 ":" $2 "=none-such\t" $2 "=none-such\t" $3
          print $1 ":" $2 "q=1\t\x27" $2 "q\x27 (did you mean \x27" $2 "\x27?)\t" first[$1] }' list list > wanted
    cut -f1 wanted | xargs -d '\n' "$BUILD/config" parse > out 2> errors || [ $? -eq 123 ]
    [ ! -s out ]
    paste wanted errors | awk -F'\t' '{ at = index($4, $2) } !at || !index(substr($4, at + length($2)), $3) { print; bad = 1 } END { exit bad || NR < 60 }'
}

@test "the shared functions split strings and build lists of configurations; a list has room for every kernel" {
    run -0 "$BUILD/config" lists
    [[ "$output" == "ok lists, "* ]]
}

@test "configurations of older archives gain the keys that kernels and layouts have gained since" {
    complete() { [ "$("$BUILD/config" complete "$1")" = "$2" ] || { "$BUILD/config" complete "$1"; return 1; }; }
    complete dia:limit=1024,rows=2,block=256 dia:limit=1024,value=full,rows=2,block=256      # of a GPU
    complete dia:limit=1024 dia:limit=1024,value=full                                        # of the CPU device, or a layout
    complete brc:b1=32,b2=7,sigma=all,sum=atomic brc:b1=32,b2=7,sigma=all,value=full,sum=atomic
    complete csr-split:lanes=8,cut=128,block=128 csr-split:lanes=8,cut=128,deal=warp,block=128
    complete csr-split:lanes=8 csr-split:lanes=8
    complete hyb:k=2,head=sell,head.c=32,head.sigma=1,head.index=32,tail=coo hyb:k=2,head=sell,head.c=32,head.sigma=1,head.index=32,head.value=full,tail=coo
    complete sell sell                                                                       # a kernel
    complete made:up=1 made:up=1
}
