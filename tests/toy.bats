#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Follows docs/adding-a-format.md in a copy of the tree: a format is its directory and a line in each of two tables; then --list, runs
# and the tests of all formats include it. Its files are in tests/toy.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    make_of_its_own
    export TREE="$BATS_FILE_TMPDIR/tree"
    # copy build outputs with their times: only what the format changes is rebuilt
    mkdir "$TREE"
    tar -C "$ROOT" --format=posix --exclude=./build/{tests,mypy,petsc} -cf - ./Makefile ./make ./src ./build ./docs ./tests/c ./tests/toy ./tests/formats.bats ./tests/helpers.bash \
        | tar -C "$TREE" -xf -
    cp "$ROOT/config.mk" "$TREE/" 2> /dev/null || :
    cd "$TREE"
    page=docs/adding-a-format.md
    # copies the format's host files to the places that the page names, and adds its lines to the tables that the page names
    grep -oE 'src/formats/NAME/NAME\.[ch]\b' "$page" | sort -u | while read -r place; do
        place=${place//NAME/toy}
        mkdir -p "$(dirname "$place")"
        cp "tests/toy/${place##*/}" "$place"
    done
    grep -oE 'A line `[A-Z]+\(name\)` in `src/formats/[a-z]+\.def`' "$page" | sed -E 's/A line `([A-Z]+)\(name\)` in `(.*)`/\1 \2/' | while read -r table place; do
        echo "$table(toy)" >> "$place"
    done
    make -j2 --no-print-directory NVCC= bin/spmv-run > made 2>&1 || { cat made; return 1; }
}

@test "the page's steps add a directory and two lines; no other file changes" {
    cd "$TREE"
    [ "$(ls src/formats/toy)" = $'toy.c\ntoy.h' ]
    run diff -rq "$ROOT/src" src
    [ "$(wc -l <<< "$output")" -eq 3 ]
    [[ "$output" == *"formats/kernels.def differ"*"formats/layouts.def differ"*"Only in src/formats: toy"* ]]
    [ "$(tail -qn 1 src/formats/layouts.def src/formats/kernels.def)" = $'LAYOUT(toy)\nKERNEL(toy)' ]
    ! grep -q warning made || { cat made; false; }
}

# as_tail: adds the format to hyb's list of tails, the only edit that a part of a composite needs
as_tail() {
    run -2 --separate-stderr bin/spmv-run --backend cpu -c hyb:tail=toy -o "$BATS_TEST_TMPDIR/run.h5" stencil:points=5,n=20
    [[ "$stderr" == *"invalid tail=toy; expected coo|"* ]]
    sed -i 's/\(tails\[\] = "\)/\1toy|/' src/formats/hyb/hyb.c
    make --no-print-directory NVCC= bin/spmv-run > made 2>&1 || { cat made; false; }
}

@test "spmv-run lists and runs the new format; a composite accepts it as a part once its list has it" {
    cd "$TREE"
    run -0 bin/spmv-run --list
    grep -qxF "toy	-	-	-	toy	a thread a row" <<< "$output"
    grep -qxF "toy	pad	1|4|32	4	layout	entries a row is padded to a multiple of" <<< "$output"
    grep -qF "toy:pad=32" <<< "$output"
    for config in toy toy:pad=32 hyb:k=2,tail=toy; do
        [[ "$config" != hyb* ]] || as_tail
        run -0 --separate-stderr bin/spmv-run -q --backend cpu -c "$config" --time-cap 0 --rounds-cap 3 --cache warm -o "$BATS_TEST_TMPDIR/run.h5" stencil:points=5,n=20
        grep -qE "^stencil.*	${config%%[:,]*}.*	ok	" <<< "$output" || { echo "$config: $output"; false; }
    done
    run -2 --separate-stderr bin/spmv-run --backend cpu -c toy:pad=3 -o "$BATS_TEST_TMPDIR/run.h5" stencil:points=5,n=20
    [[ "$stderr" == *"invalid pad=3; expected 1|4|32"* ]]
}

# bats test_tags=long
@test "the tests of all formats cover the new format: they pass, and for each seeded fault the test for it fails" {
    cd "$TREE"
    make -j2 --no-print-directory NVCC= build/tests/formats build/tests/layouts > made 2>&1 && ! grep warning made || { cat made; false; }
    OMP_NUM_THREADS=2 run -0 build/tests/formats views
    OMP_NUM_THREADS=2 run -0 build/tests/layouts overflow
    cp src/formats/toy/toy.c sound.c
    # fields of each line: pattern, replacement, the driver and part that detect the fault, the message
    while IFS='%' read -r from to driver part words; do
        sed "s/$from/$to/" sound.c > src/formats/toy/toy.c
        ! cmp -s sound.c src/formats/toy/toy.c || { echo "nothing is changed by $from"; false; }
        make --no-print-directory NVCC= "build/tests/$driver" > made 2>&1 || { cat made; false; }
        OMP_NUM_THREADS=2 run -1 "build/tests/$driver" "$part"
        [[ "$output" == *"$words"* ]] || { echo "$from: $output"; false; }
    done <<'FAULTS'
k < s->row_ptr\[i + 1\] \&\& %k + 1 < s->row_ptr[i + 1] \&\& %formats%views%toy
mode == Y_ADD ?%mode == Y_SET ?%formats%views%toy
slots \* 4;%f->nnz * 4;%formats%views%bytes forecast
 \&\& s->col\[k\] >= 0;%;%formats%poison%toy
 \&\& i < bad)% \&\& i > bad)%layouts%overflow%toy, f32: build returns 0
FAULTS
}

@test "a kernel that does not state its work is rejected at its first use" {
    cd "$TREE"
    cp src/formats/toy/toy.c stated.c
    sed '/\.work = /d' stated.c > src/formats/toy/toy.c
    run -1 cmp -s stated.c src/formats/toy/toy.c
    make --no-print-directory NVCC= bin/spmv-run > made 2>&1 || { cat made; false; }
    run -134 bin/spmv-run --list
    [[ "$output" == *"kernel toy does not state its work"* ]]
    sed '/\.mapping = /d' stated.c | sed 's/\.grid = toy_kernel_grid,/.grid = toy_kernel_grid };/' > src/formats/toy/toy.c
    make --no-print-directory NVCC= bin/spmv-run > made 2>&1 || { cat made; false; }
    run -134 bin/spmv-run --list
    [[ "$output" == *"kernel toy does not state its mapping"* ]]
}
