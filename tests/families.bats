#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Families of matrices: each rule by itself, their closure, names, queries, and the table of a profile.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR"; }
part() {
    run "$BUILD/families" "$1"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "$output" == "ok $1, "*" checks" ]]
}

# bats test_tags=quick
@test "by name: equal group and name up to the first digit" { part name; }
# bats test_tags=quick
@test "by pattern, which a recipe's is not" { part pattern; }
# bats test_tags=quick
@test "by each line of families.def" { part derived; }
# bats test_tags=quick
@test "by recipe: a kind of the table, another seed, like" { part recipe; }
# bats test_tags=quick
@test "by features: each axis on either side of the bound, never two recipes" { part features; }
# bats test_tags=quick
@test "closure: a chain by four rules is one family" { part closure; }
# bats test_tags=quick
@test "the same table in any order of the matrices" { part order; }
# bats test_tags=quick
@test "the family of a matrix that is not in the table" { part query; }

@test "H200: sealed by SHA-256, called by a matrix in it, one family where group and stem are equal" {
    "$BUILD/families" table "$ROOT"/results/h200/*matrices.h5 > table
    [ "$(wc -l < table)" -ge 100 ]
    cut -f3,4 table | sort -u > families
    [ "$(wc -l < families)" -eq "$(cut -f1 families | sort -u | wc -l)" ]
    while IFS=$'\t' read -r family sealed; do
        hex="$(printf %s "$family" | sha256sum | cut -c64)"
        [ "$sealed" -eq "$(( 16#$hex % 4 == 0 ))" ] || { echo "$family: $sealed"; false; }
    done < families
    [ "$(cut -f2 families | sort -u | tr -d '\n')" = 01 ]
    awk -F'\t' '
        { stem = $2; name = $2; sub(/.*\//, "", name); if (match(name, /^[^0-9]+/)) stem = substr(stem, 1, length(stem) - length(name) + RLENGTH) }
        stem in of && of[stem] != $3 { print stem ": " of[stem] " and " $3; bad = 1 }
        { of[stem] = $3; stands[$3] = 1; if (!($3 in least) || stem < least[$3]) least[$3] = stem; n[$3]++; why[$3] = $5 }
        END { for (f in stands) if (least[f] != f) { print f " called by another than " least[f]; bad = 1 }
              for (f in n) if ((n[f] == 1) != (why[f] == "")) { print f ": " n[f] ", " why[f]; bad = 1 }
              exit bad }' table
}

@test "families.def: each side is a matrix of the archive or a kind of recipe" {
    "$BUILD/families" table "$ROOT"/results/h200/*matrices.h5 | cut -f2 > names
    "$BUILD/families" lines > lines
    spmv-gen --list > kinds
    [ "$(wc -l < lines)" -ge 10 ]
    tr '\t' '\n' < lines | while read -r side; do
        case "$side" in
            recipe:*) kind="${side#recipe:}"; grep -q "^kind	${kind%%:*}	" kinds || { echo "$side"; exit 1; } ;;
            *) grep -q "^$side" names || { echo "$side"; exit 1; } ;;
        esac
    done
}

@test "a profile holds the families of all that it was fitted on; one without the table finds them anew" {
    "$BUILD/rivals" write-h200 run.h5 > /dev/null
    spmv-fit -q --name test -o profile.h5 run.h5 > /dev/null
    "$BUILD/families" profile profile.h5 > stored
    "$BUILD/families" table run.h5 | cmp stored -
    [ "$(wc -l < stored)" -gt 3 ]
    "$BUILD/families" drop profile.h5 older.h5
    "$BUILD/families" profile older.h5 > anew
    [ -s anew ]
    run -0 comm -13 <(cut -f1,2 stored | sort) <(cut -f1,2 anew | sort)
    [ -z "$output" ]
}

@test "a profile whose table lacks a measured matrix: refused, with its name and the way out" {
    "$BUILD/synthetic" gpu run.h5 stencil:points=5,n=30 > /dev/null
    spmv-fit -q --name test -o profile.h5 run.h5 > /dev/null
    cp profile.h5 cut.h5
    while "$BUILD/families" profile cut.h5 > left 2> message; do
        [ -s left ] || break
        "$BUILD/families" cut cut.h5 next.h5
        mv next.h5 cut.h5
    done
    grep -q "cut.h5: matrix stencil:points=5,n=30,seed=1 is not in table families; fit the profile again with spmv-fit" message
}
