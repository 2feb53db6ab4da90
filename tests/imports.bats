#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --imports: what matrix files are converted to, kept by content; limits, damage, several writers.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    diagonal 30 a.mtx
}
# diagonal N FILE: a matrix of N rows with an entry twice.
diagonal() { { printf '%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n1 1 4\n' "$1" "$1" $(($1 + 1)); for i in $(seq "$1"); do echo "$i $i 1.5"; done; } > "$2"; }
kept() { find "$1" -type f | wc -l; }
# shows OPTIONS... FILE: what spmv-info says of a file, and its notes.
shows() { spmv-info "$@" 2>&1; }

# bats test_tags=id:imports-same
@test "--imports: the second reading is that of the directory, with the same output; contents, names and options make an import" {
    local f options
    gzip -k a.mtx; mkdir G; tar -czf G/a.tar.gz a.mtx; cp a.mtx b.mtx
    printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 2\n' > c.mtx
    for f in a.mtx b.mtx a.mtx.gz G/a.tar.gz G/a.tar.gz:a.mtx "--real-part c.mtx"; do
        shows $f > want
        rm -rf one
        shows --imports one $f | diff want -
        [ "$(kept one)" -eq 1 ]
        touch -d 2001-01-01 one/*
        shows --imports one $f | diff want -
        [ "$(find one -newerat 2002-01-01 | wc -l)" -eq 2 ]        # it was used
        shows --imports all $f > /dev/null
    done
    [ "$(kept all)" -eq 6 ]
    run -1 --separate-stderr spmv-info --imports all c.mtx         # the import of its real part does not count
    [[ "$stderr" == *"complex values are not supported"* ]]
    sed -i '$s/1.5/2/' a.mtx
    shows --imports all a.mtx | diff <(shows a.mtx) -
    [ "$(kept all)" -eq 7 ]
    # no import of what needs none, or was read from a pipe
    spmv-import -q -o m.h5 a.mtx
    shows --imports none m.h5 stencil:points=5,n=4 > /dev/null; shows --imports none - < a.mtx > /dev/null
    [ ! -e none ]
    for options in "spmv-run --backend cpu -c csr-scalar --time-cap 0 -o r.h5" "spmv-import -o m.h5" "spmv-predict --profile h200" "spmv-plan --profile h200"; do
        rm -rf one m.h5
        $options --imports one a.mtx > said 2>&1
        [ "$(kept one)" -eq 1 ] || { cat said; return 1; }
    done
    [ "$(spmv-info r.h5 | grep -c 'imports one')" -eq 1 ]
    grep -q import_key one/*.h5
    for options in "" "--imports one"; do spmv-import -q $options -o m.h5 a.mtx; run -1 grep import_key m.h5; done
    make -s -C "$ROOT" -o bin/spmv-predict predict MATRIX="$PWD/a.mtx" DEVICE=h200 CACHE="$PWD/made" NVCC= > /dev/null # relinks nothing
    [ "$(kept made)" -eq 1 ]
}

# bats test_tags=id:imports-damage
@test "--imports: a damaged import, or that of another file, is made anew with a note; a directory that cannot be written is a warning" {
    local damage key
    shows --imports i a.mtx > want
    key=$(echo i/*)
    cp "$key" whole
    diagonal 31 b.mtx; spmv-info -q --imports i b.mtx > /dev/null
    for other in i/*; do [ "$other" = "$key" ] || break; done
    for damage in "truncate -s 3000" "truncate -s 0" "flip" "cp $other" "cp a.mtx"; do
        case $damage in
        flip) printf x | dd of="$key" bs=1 seek=2500 conv=notrunc status=none ;;
        *) $damage "$key" ;;
        esac
        shows --imports i a.mtx > said
        grep -q "^spmv-info: $key.*; the matrix is imported anew$" said
        grep -v "^spmv-info: i/" said | diff want -
        spmv-info "$key" | value_of matrix_id | diff - <(value_of matrix_id < want)
        shows --imports i a.mtx | diff want -
    done
    rm "$key"
    mkfifo "$key"
    shows --imports i a.mtx | diff want -
    [ -p "$key" ]
    shows --imports a.mtx a.mtx > said
    grep -q "spmv-info: warning: .*a.mtx.*; matrices are read without --imports$" said
    grep -v warning: said | diff want -
    run -2 --separate-stderr spmv-info --imports - a.mtx
}

# bats test_tags=id:imports-limit
@test "--imports-max: imports used least recently go, other files stay; several writers of one directory do not harm each other" {
    local k bytes first second inode
    for k in 1 2 3 4; do diagonal 3$k m$k.mtx; spmv-info m$k.mtx > want$k 2>&1; done
    spmv-info -q --imports i m1.mtx > /dev/null
    first=$(echo i/*) bytes=$(stat -c %s i/*) inode=$(stat -c %i i/*)
    spmv-info -q --imports i m2.mtx > /dev/null
    for second in i/*; do [ "$second" = "$first" ] || break; done
    touch -d 2001-01-01 "$first"
    touch -d 2001-01-02 "$second"
    for k in i/*; do : > "$k.spmvcast-abcdef.tmp"; done              # of killed writers
    echo mine > i/notes.txt
    cp m1.mtx i/mine.h5
    others="i/$(printf 'f%.0s' {1..64}).h5"                         # of a program that names files by their contents, too
    echo mine > "$others"
    touch -d 2001-01-01 "$others"
    spmv-info -q --imports i m1.mtx > /dev/null                     # used now
    spmv-info -q --imports i --imports-max $((bytes * 5 / 2)) m3.mtx > /dev/null
    [ "$(kept i)" -eq 5 ]
    [ "$(cat i/notes.txt "$others")" = $'mine\nmine' ]
    cmp m1.mtx i/mine.h5
    [ ! -e "$second" ]
    [ "$(stat -c %i "$first")" -eq "$inode" ]
    spmv-info -q --imports j --imports-max 100 m1.mtx > /dev/null   # too large for any
    [ ! -e j ]
    shows --imports i --imports-max 100 m4.mtx > said
    grep -qx "spmv-info: m4.mtx: its import would take about 680 bytes, more than --imports-max [0-9]*, and is not kept" said
    [ "$(ls i)" = "$(cd i && ls notes.txt mine.h5 "${others#i/}")" ]
    for k in 1 2 3 4 1 2 3 4; do
        (for _ in 1 2 3; do spmv-info --imports w --imports-max $((bytes * 5 / 2)) m$k.mtx 2>&1 | diff want$k - >> bad || true; done) &
    done
    wait
    [ ! -s bad ] || { cat bad; return 1; }
    spmv-info -q --imports w --imports-max $((bytes * 5 / 2)) a.mtx > /dev/null
    [ "$(kept w)" -le 2 ]
    [ -z "$(find w -name '*.tmp')" ]
}

@test "--imports: files whose values are changed by reading are not kept, so that each reading says so" {
    need_python
    "$PYTHON" -c "
import numpy as np, scipy.sparse as sp
sp.save_npz('big.npz', sp.csr_matrix(np.array([[2**53 + 1, 0], [0, 1]])))"
    for _ in 1 2; do run -0 --separate-stderr spmv-info --imports i big.npz; [[ "$stderr" == "spmv-info: big.npz: 1 element of the values: integers of 2^53 or more"* ]]; done
}
