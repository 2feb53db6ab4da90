#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# docs/adding-a-reader.md, followed step by step in a copy of the tree: a file format is one file and one line of a table, and every
# program reads it, also compressed and in tar archives. The reader is tests/toy_reader/rowlist.c.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    make_of_its_own
    export TREE="$BATS_FILE_TMPDIR/tree"
    # copy build outputs with their times: only what a reader changes is rebuilt
    mkdir "$TREE"
    tar -C "$ROOT" --format=posix --exclude=./build/{tests,mypy,petsc} -cf - ./Makefile ./make ./src ./build ./docs/adding-a-reader.md ./tests/toy_reader | tar -C "$TREE" -xf -
    cp "$ROOT/config.mk" "$TREE/" 2> /dev/null || :
    cd "$TREE"
    page=docs/adding-a-reader.md
    place=$(grep -oE '`src/input/NAME\.c`' "$page" | tr -d '`')
    cp tests/toy_reader/rowlist.c "${place//NAME/rowlist}"
    table=$(sed -nE 's/.*A line `READER\(NAME\)` in `([^`]*)`.*/\1/p' "$page")
    echo "READER(rowlist)" >> "$table"
    make -j2 --no-print-directory NVCC= bin/spmv-info bin/spmv-import bin/spmv-run > made 2>&1 || { cat made; return 1; }
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH="$TREE/bin:$PATH"
    mkdir m
    printf '%s\n' 'rowlist 3 4 5' '0 2 0 -1.5' '# the second row' '1 0' '3 -2e-3 0 1e22' > m/m.rowlist
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 5' '1 1 2' '1 1 -1.5' '2 2 0' '3 4 -2e-3' '3 1 1e22' > twin.mtx
}


# refused TEXT COMMAND...: exit 1, nothing on stdout, one line that contains TEXT.
refused() {
    local text="$1"; shift
    run -1 --separate-stderr "$@"
    [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == "$1: "*"$text"* ]] || { echo "$*: $output | $stderr"; false; }
}

@test "the page's steps are one file and one line; no other source changes, and only these two are compiled" {
    run diff -rq "$ROOT/src" "$TREE/src"
    [ "${#lines[@]}" -eq 2 ] && [[ "$output" == *"/readers.def differ"* && "$output" == *"Only in $TREE/src/input: rowlist.c"* ]] || { echo "$output"; false; }
    [ "$(diff "$ROOT/src/input/readers.def" "$TREE/src/input/readers.def" | grep -c '^[<>]')" -eq 1 ]
    # version.c: a copy is not a checkout; cuda_none.c: this copy is built without nvcc
    [ "$(sed -nE 's/^ +(CC|MPICC) +//p' "$TREE/made" | grep -vE '/(version|cuda_none)\.c$' | sort)" = $'src/input/reader.c\nsrc/input/rowlist.c' ] || { cat "$TREE/made"; false; }
    ! grep -q warning "$TREE/made" || { cat "$TREE/made"; false; }
}

@test "whether plain, compressed, in a tar archive, piped or renamed, the matrix equals its Matrix Market twin; its name loses the extension" {
    cp m/m.rowlist disguised.mtx
    gzip -k m/m.rowlist
    xz -k m/m.rowlist
    tar -czf a.tar.gz m/m.rowlist twin.mtx
    tar -czf only.tgz m/m.rowlist
    want=$(id_of twin.mtx)
    for f in m/m.rowlist m/m.rowlist.gz m/m.rowlist.xz disguised.mtx a.tar.gz only.tgz a.tar.gz:m/m.rowlist <(cat only.tgz); do
        run -0 spmv-info "$f"
        [ "$(value_of matrix_id <<< "$output")" = "$want" ] || { echo "$f: $output"; false; }
        [[ "$f" == disguised.mtx ]] || [ "$(value_of name <<< "$output")" = m ]
    done
    [ "$(id_of a.tar.gz:twin.mtx)" = "$want" ]
    run -0 spmv-import m/m.rowlist.gz
    [ "$(id_of m.h5)" = "$want" ]
}

@test "streamed lines: CR ends, a byte-order mark and standard input are accepted; endless comments and lines are rejected" {
    want=$(id_of twin.mtx)
    { printf '\xef\xbb\xbf'; tr '\n' '\r' < m/m.rowlist; } > cr.rowlist
    [ "$(id_of cr.rowlist)" = "$want" ]
    [ "$(id_of - < m/m.rowlist)" = "$want" ]
    { cat m/m.rowlist; yes '# more' | head -c 20000000; } > long.rowlist
    refused "more than 16 MiB of comments and blank lines after an entry" spmv-info long.rowlist
    { head -n 1 m/m.rowlist; head -c 70000000 /dev/zero | tr '\0' ' '; } > line.rowlist
    refused "line.rowlist: line 2: longer than 67108864 bytes" spmv-info line.rowlist
    { echo 'rowlist 2 500000 500000'; seq 0 499999 | sed 's/$/ 1/' | tr '\n' ' '; echo; echo; } > wide.rowlist
    [ "$(spmv-info wide.rowlist | value_of row_max)" = 500000 ]
}

@test "spmv-run accepts the file alone, in a directory and in a list; other text files are still read as lists" {
    mkdir folder
    cp m/m.rowlist folder/a.rowlist
    gzip -c m/m.rowlist > folder/b.rowlist.gz
    echo "rowlist" > folder/notes.txt
    printf '%s\n' folder/a.rowlist twin.mtx > list
    dry() { spmv-run -q --backend cpu -c csr-scalar --dry-run -o run.h5 "$@" | awk -F'\t' '$2 == 3 && $3 == 4 { printf "%s %s\n", $1, $4 }'; }
    [ "$(dry m/m.rowlist)" = "m 5" ]
    [ "$(dry folder)" = $'a 5\nb 5' ]
    [ "$(dry list)" = $'a 5\ntwin 5' ]
}

@test "help and messages name the new format" {
    run -0 spmv-info --help
    [[ "$(tr '\n' ' ' <<< "$output")" == *", a recipe (KIND:key=value,...)"*" a list of rows (.rowlist, plain or compressed)"*". FILE:INSIDE selects"* ]]
    mkdir none
    refused "none: no matrix files found (names ending in .mtx, .tar, " spmv-run --backend cpu -o run.h5 none
    [[ "$stderr" == *", .rowlist, these with .gz, .xz, .zst or .bz2; .h5, .h5ad)" ]]
    echo x > x.txt
    tar -cf x.tar x.txt
    refused "x.tar: tar archive without a .mtx" spmv-info x.tar
    [[ "$stderr" == *" or .rowlist file; it holds: x.txt" ]]
    echo nowhere.mtx > list
    refused " or rowlist is read as a list" spmv-run --backend cpu -o run.h5 list
    refused "line 1: found 'x', expected '%%MatrixMarket matrix coordinate ...'" spmv-info x.txt
}

@test "for each damaged file there is a one-line error that names file, member and line" {
    sed 's/^3 /9 /' m/m.rowlist > bad.rowlist
    refused "bad.rowlist: line 5: column '9', expected 0 to 3" spmv-info bad.rowlist
    mkdir bad
    sed '4s/0$/zero/' m/m.rowlist > bad/bad.rowlist
    tar -czf bad.tar.gz bad
    refused "bad.tar.gz:bad/bad.rowlist: line 4: value 'zero', expected a number" spmv-info bad.tar.gz
    printf 'rowlist 3' > short.rowlist
    refused "short.rowlist: line 1: found 'rowlist 3', expected 'rowlist ROWS COLUMNS ENTRIES'" spmv-info short.rowlist
    echo garbage > other.rowlist
    refused "other.rowlist: line 1: found 'garbage', expected 'rowlist ROWS COLUMNS ENTRIES'" spmv-info other.rowlist
    printf rowlist > bare.rowlist
    refused "bare.rowlist: line 1: found 'rowlist', expected 'rowlist ROWS COLUMNS ENTRIES'" spmv-info bare.rowlist
    gzip -c m/m.rowlist | head -c 30 > cut.gz
    refused "cut.gz is cut short" spmv-info cut.gz
    refused "m/m.rowlist is not an archive and cannot contain 'x'; name the file alone" spmv-info m/m.rowlist:x
}
