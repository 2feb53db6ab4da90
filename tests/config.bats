#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Configurations as strings: round trips, defaults, and errors that list the legal values.
bats_require_minimum_version 1.5.0
load helpers

parse() { run "$BUILD/config" parse "$1"; }
resolve() { run "$BUILD/config" resolve "$1" "$2"; [ "$status" -eq 0 ]; }
refused() { # TEXT WORD...: parsing fails and the message contains each word
    local text="$1" word; shift
    parse "$text"
    [ "$status" -eq 1 ]
    for word in "$@"; do [[ "$output" == *"$word"* ]] || { echo "'$text': no '$word' in: $output"; return 1; }; done
}

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

@test "the error for an unknown kernel suggests the nearest one" {
    refused csr-vectr "unknown kernel 'csr-vectr'" "'csr-vector'" "--list"
    refused "" "unknown kernel ''"
}

# bats test_tags=quick
@test "the error for an unknown key lists the known ones and suggests the nearest" {
    refused csr-vector:lane=4 "'lane'" "lanes|rows|block" "did you mean 'lanes'"
    refused hyb:tail.lanes=4 "'tail.lanes'" "tail.sum"
    refused hyb:foo.bar=4 "'foo.bar'"
}

@test "the error for an illegal value lists the legal ones" {
    refused csr-vector:lanes=7 "lanes=7" "2|4|8|16|32"
    refused csr-vector:lanes=-8 "2|4|8|16|32"
    refused csr-vector:lanes=8x "2|4|8|16|32"
    refused coo:sum=sorted "sum=sorted" "atomic|segmented"
    refused hyb:k=-1 "0..2147483647|auto"
    refused hyb:k=2147483648 "0..2147483647|auto"
    refused hyb:tail.sum=x "tail.sum=x" "atomic|segmented"
    refused csr-vector:lanes=auto "2|4|8|16|32"
}

@test "only plain kernels can be parts; composites and library kernels are rejected" {
    refused hyb:tail=hyb "tail=hyb" "csr-scalar|csr-vector|csr-block"
    refused hyb:head=cusparse-csr "csr-scalar"
    refused hyb:head=nothing "head=nothing"
    refused hyb:head=bellpack "head=bellpack" "ell|sell|brc"
    refused hyb:tail=bcsr "tail=bcsr" "csr-split|"
}

# bats test_tags=quick
@test "malformed strings are rejected" {
    refused csr-vector: "key=value"
    refused csr-vector:lanes "key=value"
    refused csr-vector:=4 "key=value"
    refused csr-vector:lanes=4, "key=value"
    refused csr-vector:lanes=4,,rows=1 "key=value"
    refused csr-vector:lanes=4,lanes=8 "duplicate" "lanes"
    refused "csr-vector:lanes=$(printf '4%.0s' {1..60})" "444...; expected 2|4|8|16|32"
    refused "csr-vector:$(printf 'x%.0s' {1..300})=4" "xxx...'; known keys: lanes|rows|block"
    refused csr-vector:lanes= "invalid lanes=; expected 2|4|8|16|32"
    refused hyb:head= "invalid head=; expected "
    refused hyb:head=ell,head.block= "invalid head.block=; expected "
    refused "$(printf 'k%.0s' {1..500})" "unknown kernel"
    refused "hyb:$(for i in {1..40}; do printf 'a%d=1,' "$i"; done)k=1" "too many keys (limit 32)"
}

# bats test_tags=quick,id:config-resolve-auto
@test "resolving replaces auto; the form for CPU devices omits launch keys that have no effect there" {
    resolve gpu hyb; [[ "${lines[0]}" == hyb:k=7,head=ell,head.lanes=1,head.block=256,tail=coo,* ]]
    resolve cpu hyb; [ "${lines[0]}" = "hyb:k=7,head=ell,tail=coo,tail.sum=segmented" ]
    resolve cpu csr-vector:lanes=4,rows=8; [ "${lines[0]}" = "csr-vector:lanes=4" ]
    resolve cpu csr-block:block=512; [ "${lines[0]}" = "csr-block" ]
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
    local kernel key legal list n=0
    spmv-run --list | grep -v '^#' > "$BATS_TEST_TMPDIR/list"
    while IFS=$'\t' read -r kernel key legal _; do
        [ "$kernel" != kernel ] && [ "$key" != - ] && [ -n "$key" ] || continue
        refused "$kernel:$key=-3" "$key=-3" "$legal"
        refused "$kernel:$key=none-such" "$key=none-such" "$legal"
        list="$(awk -F'\t' -v k="$kernel" '$1 == k && $2 != "-" && $2 != "" { printf "%s%s", s, $2; s = "|" }' "$BATS_TEST_TMPDIR/list")"
        refused "$kernel:${key}q=1" "'${key}q'" "${list%%|*}" "did you mean '$key'"
        n=$((n + 1))
    done < "$BATS_TEST_TMPDIR/list"
    [ "$n" -ge 20 ]
}

@test "the shared functions split strings and build lists of configurations; a list has room for every kernel" {
    run -0 "$BUILD/config" lists
    [[ "$output" == "ok lists, "* ]]
}
