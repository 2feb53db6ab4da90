#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Families of matrices: each rule, their closure, names, queries, and the table in a profile.
bats_require_minimum_version 1.5.0
load helpers

setup_file() { "$BUILD/families" table "$ROOT"/results/h200/*matrices.h5 > "$BATS_FILE_TMPDIR/table"; }
setup() { cd "$BATS_TEST_TMPDIR"; }

# bats test_tags=quick
@test "name: matrices of one group whose names are equal up to the first digit are one family" { part families name; }
# bats test_tags=quick
@test "pattern: matrices with equal patterns are one family, except recipes" { part families pattern; }
# bats test_tags=quick
@test "families.def: each line joins the matrices on its two sides" { part families derived; }
# bats test_tags=quick
@test "recipe: recipes of one kind in families.def, recipes that differ only in their seed, and like recipes share a family" { part families recipe; }
# bats test_tags=quick
@test "features: on each axis matrices within the bound are joined and those beyond it are not; two recipes are never joined by features" { part families features; }
# bats test_tags=quick
@test "closure: matrices in a chain of four rules are one family" { part families closure; }
# bats test_tags=quick
@test "the table does not depend on the order of the matrices" { part families order; }
# bats test_tags=quick
@test "query: the family of a matrix outside the table is found" { part families query; }

@test "H200: families are sealed by SHA-256, named after their first member in sort order, and equal for equal group and stem" {
    table=$BATS_FILE_TMPDIR/table
    [ "$(wc -l < "$table")" -ge 100 ]
    cut -f3,4 "$table" | sort -u > families
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
              exit bad }' "$table"
}

@test "families.def: each side is a matrix of the archive or a kind of recipe" {
    cut -f2 "$BATS_FILE_TMPDIR/table" > names
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

@test "a profile stores the families of its matrices; a profile without the table derives them again" {
    "$BUILD/rivals" write-h200 run.h5 > /dev/null
    spmv-fit -q -m $QUICK_MODELS --name test -o profile.h5 run.h5 > /dev/null
    "$BUILD/families" profile profile.h5 > stored
    "$BUILD/families" table run.h5 | cmp stored -
    [ "$(wc -l < stored)" -gt 3 ]
    "$BUILD/families" drop profile.h5 older.h5
    "$BUILD/families" profile older.h5 > anew
    [ -s anew ]
    run -0 comm -13 <(cut -f1,2 stored | sort) <(cut -f1,2 anew | sort)
    [ -z "$output" ]
}

@test "a profile whose table lacks a measured matrix is rejected with its name and a hint" {
    "$BUILD/synthetic" matrices run.h5 stencil:points=5,n=30 constant:rows=500,p=20 > /dev/null
    spmv-fit -q -m nearest --name test -o profile.h5 run.h5 > /dev/null
    "$BUILD/families" cut profile.h5 cut.h5
    run "$BUILD/families" profile cut.h5
    [[ "$status" -ne 0 && "$output" == *"cut.h5: matrix "*",seed=1 is not in table families; fit the profile again with spmv-fit"* ]]
    need_python
    "$PYTHON" -c 'import h5py; h5py.File("profile.h5", "a")["times_configs/first"][0] = 2**63 - 1' # a sum that overflows
    "$BUILD/h5_damage" sign profile.h5
    run -3 --separate-stderr spmv-predict --profile ./profile.h5 stencil:points=5,n=30
    [[ "$stderr" == *"profile.h5: table times_configs, row 0: first 9223372036854775807 and n "*" exceed the "* ]]
}
