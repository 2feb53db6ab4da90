#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Collections: files that cannot be read are skipped and recorded, directories in trees, shares by items, fetching.
bats_require_minimum_version 1.5.0
load helpers

RUN=(spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c csr-scalar --cache warm)
setup() { cd "$BATS_TEST_TMPDIR"; }
# matrix NAME N FILE: a diagonal matrix of N rows, called NAME in a comment.
matrix() { { printf '%%%%MatrixMarket matrix coordinate real general\n%% name: %s\n%d %d %d\n' "$1" "$2" "$2" "$2"; for i in $(seq "$2"); do echo "$i $i 1.5"; done; } > "$3"; }
complex() { printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 2\n' > "$1"; }
# packed GROUP NAME N: Group/Name.tar.gz as SuiteSparse packs it, with a right-hand side that is a sparse matrix.
packed() {
    mkdir -p "$1" "pack/$2"
    matrix "$1/$2" "$3" "pack/$2/$2.mtx"
    matrix "$1/$2_b" 2 "pack/$2/$2_b.mtx"
    tar czf "$1/$2.tar.gz" -C pack "$2/$2_b.mtx" "$2/$2.mtx"
}
files() { spmv-query "SELECT file, reason FROM files ORDER BY file" "$1" | grep -v '^#' | tail -n +2; }

# bats test_tags=id:collection-skips
@test "files that cannot be read are skipped: named at the end, recorded in the archive, removed from it once they can be read" {
    mkdir in
    matrix G/a 4 in/a.mtx
    matrix G/b 5 in/b.mtx
    complex in/complex.mtx
    : > in/empty.mtx
    echo 'hello world' > in/text.mtx
    head -c 200 /dev/zero > in/zeros
    matrix G/late 3 in/late.mtx; sed -i 's/^3 3 1.5/3 3 x/' in/late.mtx    # its header can be read
    printf '%s\n' in/a.mtx in/complex.mtx in/text.mtx > list
    run -4 --separate-stderr "${RUN[@]}" -o r.h5 list in/b.mtx in/empty.mtx in/zeros in/late.mtx
    [[ "$output" == *"# 2 ok, "* ]]
    [[ "${lines[-1]}" == "# 5 of 7 files were skipped: complex.mtx, text.mtx, empty.mtx, zeros, late.mtx" ]]
    [[ "$stderr" == *"in/text.mtx: line 1: found 'hello world', expected '%%MatrixMarket"* && "$stderr" != *nested* ]]
    [ "$(spmv-check r.h5 | column status,reason)" = $'ok\t5 of 7 files were skipped: complex.mtx, empty.mtx, late.mtx, text.mtx, zeros' ]
    [[ "$(spmv-run --help | tr '\n' ' ')" == *"skipped, recorded in the archive"*"exit status is then 4"* ]]
    # the same command skips the others again; a file that can be read now is measured
    matrix G/c 6 in/complex.mtx
    rm in/empty.mtx; matrix G/d 7 in/empty.mtx
    run -4 --separate-stderr "${RUN[@]}" -o r.h5 list in/b.mtx in/empty.mtx in/zeros in/late.mtx
    [[ "$output" == *"# 2 of 4 rows already measured"*"# 3 of 7 files were skipped: text.mtx, zeros, late.mtx" ]]
    need_sqlite
    files r.h5 > said
    [ "$(cut -f1 said | tr '\n' ' ')" = "a.mtx b.mtx complex.mtx empty.mtx late.mtx text.mtx zeros " ]
    [ "$(grep -c '	-$' said)" -eq 4 ]
    grep -q "^late.mtx	line 6: value 'x', expected a number$" said
    run ! grep -q 'in/' said
}

# bats test_tags=id:collection-merge
@test "the archives of several runs hold what was last known of each file, in any order" {
    need_sqlite
    matrix G/a 4 a.mtx; matrix G/a 4 twin.mtx; complex c.mtx
    run -4 "${RUN[@]}" -o one.h5 a.mtx c.mtx
    sleep 1.1                                                    # dates are whole seconds
    matrix G/c 5 c.mtx; echo broken > b.mtx
    run -4 "${RUN[@]}" -o grid.h5 c.mtx b.mtx
    "${RUN[@]}" -o three.h5 twin.mtx > /dev/null
    spmv-merge -o m1.h5 one.h5 grid.h5 three.h5 > said
    spmv-merge -o m2.h5 three.h5 grid.h5 one.h5 > /dev/null
    files m1.h5 | diff - <(files m2.h5)
    [ "$(files m1.h5 | cut -f1 | tr '\n' ' ')" = "a.mtx b.mtx c.mtx twin.mtx " ]
    grep -q '^# 1 of 4 files was skipped: b.mtx$' said
    grep -q '^# the same matrix, counted once: twin.mtx = a.mtx$' said
    spmv-report -o page.html m1.h5 2> /dev/null
    grep -q '1 of 4 files was skipped: b.mtx' page.html
    grep -q "found .*broken" page.html
}

@test "operands that do not exist stop a run; if no file can be read, it fails; a dry run names what it would skip" {
    matrix G/a 4 a.mtx; complex c.mtx
    run -1 --separate-stderr "${RUN[@]}" -o r.h5 a.mtx c.mtx none.mtx
    [ "$stderr" = "spmv-run: cannot open none.mtx: No such file or directory" ]
    run -1 --separate-stderr "${RUN[@]}" -o r.h5 c.mtx c.mtx
    [[ "$stderr" == "spmv-run: c.mtx: line 1: complex"* ]]
    [ ! -e r.h5 ]
    run -4 --separate-stderr "${RUN[@]}" --dry-run -o r.h5 a.mtx c.mtx
    [[ "$output" == *"# 1 of 2 files was skipped: c.mtx"*"# 1 item ("*": 1 row, 0 already"* && "$stderr" == *"c.mtx: line 1: complex"* ]]
    [ "$(column matrix <<< "$output")" = G/a ]
    [ "$(sed -n 's/^# about \(.*\) s of work.*/\1/p' <<< "$output")" = "$(sed -n 's/^# rank 0: about \(.*\) s of it/\1/p' <<< "$output")" ]
    { head -n 3 a.mtx; echo '1 1 x'; } > late.mtx
    run -1 "${RUN[@]}" -o r.h5 late.mtx
    # what a directory holds was not named: a link to nothing in it is skipped
    mkdir in; cp a.mtx in/; ln -s none.mtx in/link.mtx
    run -4 --separate-stderr "${RUN[@]}" -o r.h5 in
    [[ "$stderr" == *"cannot open in/link.mtx: No such file or directory"* && "$output" == *"# 1 of 2 files was skipped: link.mtx" ]]
    without=(setpriv "--bounding-set=-dac_override,-dac_read_search" "--inh-caps=-dac_override,-dac_read_search" --)
    [ "$(id -u)" = 0 ] || without=()
    mkdir -m 0 in/locked
    ! "${without[@]}" test -x in/locked || skip "root may read all folders"
    run -4 --separate-stderr "${without[@]}" "${RUN[@]}" --dry-run -o r.h5 in
    chmod 700 in/locked
    [[ "$stderr" == *"cannot open in/locked: Permission denied"* && "$output" == *"# 2 of 3 files were skipped: link.mtx, locked"* ]]
}

# bats test_tags=id:collection-folders
@test "directories: trees as of ssget, each matrix once; what goes with a matrix is left out; filters by size and group" {
    mkdir -p tree/MM tree/RB/B tree/mat/A un/k plain
    (cd tree/MM && packed A x 4 && packed A y 5 && packed B z 6)
    rm -r tree/MM/pack
    matrix B/z 6 tree/RB/B/z.mtx
    matrix A/w 7 tree/RB/B/w.mtx                                 # only here
    matrix A/k 8 un/k/k.mtx; cp un/k/k.mtx un/k/k_Zeros.mtx      # an archive that was unpacked
    matrix p 3 plain/p.mtx; cp plain/p.mtx plain/p_b.mtx; cp plain/p.mtx plain/p_coord.mtx; matrix q 2 plain/p_rcm.mtx
    matrix A/x 4 x.mtx
    ln -s . un/loop
    run -0 --separate-stderr "${RUN[@]}" --dry-run -o r.h5 tree un plain x.mtx
    [ "$(column matrix,nnz <<< "$output" | tr '\t\n' ', ')" = "A/x,4 A/y,5 B/z,6 A/w,7 A/k,8 p,3 p_rcm,2 " ]
    [[ "$output" == *"# files skipped in directories: 3 "*"# the same matrix, counted once: x.mtx = A/x.tar.gz"* ]]
    run -0 --separate-stderr "${RUN[@]}" --dry-run --min-nnz 5 --max-nnz 7 --group A -o r.h5 tree un plain stencil:points=5,n=3
    [ "$(column matrix <<< "$output" | tr '\n' ' ')" = "A/y A/w stencil:points=5,n=3,seed=1 " ]
    [[ "$output" == *"# left out by --min-nnz, --max-nnz or --group: 5 files"* ]]
}

# bats test_tags=id:collection-items
@test "--items: shares stay as they were dealt when files are added, cannot be read or are gone; tasks record their share" {
    need_sqlite
    for k in 1 2 3 4 5 6; do matrix G/m$k $((3 * k)) m$k.mtx; done
    spmv-gen guo2014-regimes quick=1 max_bytes=100000 --geometry cpu -o grid.h5 > /dev/null
    cells=$(spmv-query "SELECT count(*) FROM recipes" grid.h5 | sed -n 2p)
    deal=("${RUN[@]}" -p f32 -p f64 --dry-run --items items.txt -o no.h5 --share)
    "${deal[@]}" 4 m[1-5].mtx stencil:points=5,n=4 grid.h5 > /dev/null
    [ "$(grep -vc '^#' items.txt)" -eq $((12 + 2 * cells)) ]
    [ "$(grep -v '^#' items.txt | cut -f1 | sort -u | tr '\n' ' ')" = "0 1 2 3 " ]
    cp items.txt before
    complex m2.mtx
    run -4 "${deal[@]}" 4 m[1-6].mtx stencil:points=5,n=4 grid.h5
    diff before <(grep -v 'm6.mtx' items.txt)
    [ "$(grep -c 'm6.mtx' items.txt)" -eq 2 ]
    # as of an older version, without configurations; then they are others
    cut -f1-5 before > items.txt
    "${deal[@]}" 4 m[1-5].mtx stencil:points=5,n=4 grid.h5 > /dev/null || [ $? -eq 4 ]
    diff before items.txt
    "${deal[@]}" 4 m[1-6].mtx stencil:points=5,n=4 grid.h5 "$(cut -f4 before | grep -m 1 constant:)" > /dev/null || [ $? -eq 4 ]
    diff <(cut -f1-5 before) <(grep -v m6.mtx items.txt | cut -f1-5)
    [ "$(diff before <(grep -v m6.mtx items.txt) | grep -c '^> .*	+csr')" -eq 2 ]
    cut -f1-5 items.txt > t0.txt
    for k in 1 2 3; do cp items.txt t$k.txt; done
    rm m5.mtx
    for k in 0 1 2 3; do "${RUN[@]}" --items "$PWD/t$k.txt" --share $k/4 -o "$PWD/t$k.h5" > t$k.tsv || [ $? -eq 4 ]; done
    spmv-merge -o all.h5 t?.h5 > said
    grep -q '^# 2 of 6 files were skipped: m2.mtx, m5.mtx$' said
    grep -q "all.h5: $((10 + 2 * cells)) rows, $((5 + cells)) matrices" said
    [[ "$(spmv-info t3.h5 | value_of provenance.1.command)" == *"--items t3.txt --share 3/4 -o t3.h5" ]]
    "${RUN[@]}" --share=1/2 -o t.h5 m1.mtx stencil:points=5,n=4 > /dev/null
    [[ "$(spmv-info t.h5 | value_of provenance.1.command)" == *"--share=1/2 -o t.h5 m1.mtx "* ]]
    run -0 --separate-stderr "${RUN[@]}" --share=2/3 -o none.h5 m1.mtx
    [[ "$stderr" == *"--share 2/3: there are fewer items than shares, and none is of this one"* ]]
    [[ "$("${deal[@]}" 5 m1.mtx || true)" == *": nothing is measured, nothing is written but items.txt"* ]]
    run -2 --separate-stderr "${RUN[@]}" --items items.txt --share 0/4 -o r.h5 m1.mtx
    run -2 --separate-stderr "${RUN[@]}" --items items.txt -o r.h5
    cp items.txt long.txt
    echo 'not ours' > items.txt
    run -1 --separate-stderr "${RUN[@]}" --items items.txt --share 0/4 -o r.h5
    [[ "$stderr" == *"items.txt:1: expected share, precision"* ]]
    need_address_limits
    truncate -s 1G long.txt                     # its last line takes more memory than there is
    (ulimit -v 200000; run -1 --separate-stderr "${RUN[@]}" --items long.txt --share 0/4 -o r.h5; [[ "$stderr" == *"cannot read long.txt: Cannot allocate memory" ]])
}

@test "make collection: fetches what is missing, resumes, checks size, archive and checksums" {
    command -v curl > /dev/null || skip "no curl"
    unset LD_PRELOAD                    # its libcurl
    mkdir -p srv/MM
    (cd srv/MM && packed A x 4 && packed A y 5 && packed B z 6 && packed B cut 9)
    (cd srv/MM/A && sha256sum x.tar.gz > x.tar.gz.sha256 && echo 0123 > y.tar.gz.md5)
    truncate -s -40 srv/MM/B/cut.tar.gz
    printf '# a comment\nA/x\nA/y\n\nB/z # another\nB/cut\nB/none\n' > names
    mkdir -p got/MM/A got/MM/B
    head -c 60 srv/MM/A/x.tar.gz > got/MM/A/x.tar.gz.part        # interrupted
    head -c 60 /dev/zero > got/MM/B/z.tar.gz.part                # of another version
    run -1 --separate-stderr "$ROOT/scripts/fetch-collection.sh" names got "file://$PWD/srv"
    [ "$output" = "# 2 fetched, 0 there already, 3 failed, of 5" ]
    [[ "$stderr" == *"A/y: file:"*"its md5 is "*", expected 0123"* && "$stderr" == *"B/cut: "*"no whole .tar.gz archive"* && "$stderr" == *"B/none: "* ]]
    cmp srv/MM/A/x.tar.gz got/MM/A/x.tar.gz
    cmp srv/MM/B/z.tar.gz got/MM/B/z.tar.gz
    [ "$(find got -type f | wc -l)" -eq 2 ]
    rm srv/MM/A/y.tar.gz.md5
    run -2 --separate-stderr make -s -C "$ROOT" collection LIST="$PWD/names" COLLECTION="$PWD/got" FROM="file://$PWD/srv/" AT_A_TIME=2
    [ "$output" = "# 1 fetched, 2 there already, 2 failed, of 5" ]
    echo ../etc > names
    run -2 "$ROOT/scripts/fetch-collection.sh" names got "file://$PWD/srv"
    [[ "$output" == *"'../etc': expected Group/Name" ]]
    mkdir few; printf "A/x\n" > names; for p in bash sed sort grep head; do ln -s "$(command -v $p)" few/; done
    run -2 env PATH="$PWD/few" "$ROOT/scripts/fetch-collection.sh" names got x
    [[ "$output" == *"curl not found; install it" ]]
}

# bats test_tags=id:held-out
@test "held-out.sh makes what is missing from the sources and checks both; its tables fit together" {
    awk -F'\t' 'FNR == 1 { file++; next }
        file == 1 && FNR > 2 { if (NF != 5 || $2 !~ /^(deb|github)$/ || length($5) != 64) bad = bad " " $1; known[$1] = 1 }
        file == 2 && FNR > 2 { if (NF != 9 || $1 in seen || !($6 in known) || length($7) != 64) bad = bad " " $1; seen[$1]; used[$6] }
        END { for (k in known) if (!(k in used)) bad = bad " " k; print bad; exit bad != "" }' "$ROOT"/scripts/held-out.{sources,tsv}
    find_python_with numpy scipy || skip "no python3 with numpy and scipy"
    mkdir -p s out/sources
    cp "$ROOT"/scripts/held-out.{sh,py} s/
    printf 'c a comment\np cnf 3 2\n1 -3 0\n-1 2 3 0\n' > out/sources/x.cnf
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 5' '1 1 1' '1 3 -1' '2 1 -1' '2 2 1' '2 3 1' > want
    printf '#\n#\nx.cnf\tgithub\tnobody/nothing\t0/x.cnf\t%s\n' "$(sha256sum < out/sources/x.cnf | cut -d' ' -f1)" > s/held-out.sources
    printf "#\nname\nx\tSAT\t2\t3\t5\tx.cnf\t%s\tclauses('x.cnf')\tclause x variable\n" "$(sha256sum < want | cut -d' ' -f1)" > s/held-out.tsv
    run -0 env PYTHON="$PYTHON" s/held-out.sh out
    [ "$output" = "# 1 made, 0 there already, 0 failed, of 1" ]
    gzip -dc out/x.mtx.gz | cmp - want
    [ "$(tail -n 1 out/held-out.tsv)" = $'x\tSAT\t2\t3\t5\tx.cnf\tclauses(\'x.cnf\')\tclause x variable' ]
    run -0 env PYTHON="$PYTHON" s/held-out.sh out x
    [ "$output" = "# 0 made, 1 there already, 0 failed, of 1" ]
    echo '2 0' >> out/sources/x.cnf; rm out/x.mtx.gz out/sources/*.ok
    run -1 env PYTHON="$PYTHON" s/held-out.sh out
    [[ "$output" == *"out/sources/x.cnf: its SHA-256 is not "*"# 0 made, 0 there already, 1 failed, of 1" ]]
}
