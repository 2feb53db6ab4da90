#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Matrices in tar archives, as the SuiteSparse collection packs them, and in zstd: which member is read, what is rejected.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir cant
    general '3 4 4' '3 4 -2e-3' '1 1 2' '2 2 0' '3 1 1e22' > cant/cant.mtx
    sed -i '1a % name: Williams/cant' cant/cant.mtx
    printf '%s\n' '%%MatrixMarket matrix array real general' '3 1' 1 2 3 > cant/cant_b.mtx
    general '1 1 1' '1 1 7' > cant/cant_other.mtx
    echo "about cant" > cant/README.txt
}

general() { printf '%s\n' '%%MatrixMarket matrix coordinate real general' "$@"; }

# refused TEXT COMMAND...: exit 1, nothing on stdout, one line that contains TEXT; nothing is written.
refused() {
    local text="$1"; shift
    run -1 --separate-stderr "$@"
    echo "$*: $output | $stderr"
    [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == "$1: "*"$text"* ]] && [ -z "$(ls -d out.h5* 2>/dev/null)" ]
}

# bats test_tags=id:tar-preferred-member
@test "NAME/NAME.mtx is preferred at any position in .tar, .tar.gz, .tgz and .tar.xz; id, name and source are stored" {
    want="$(id_of cant/cant.mtx)"
    tar -cf cant.tar cant/README.txt cant/cant_b.mtx cant/cant_other.mtx cant/cant.mtx
    tar -czf cant.tar.gz cant/cant.mtx cant/cant_b.mtx cant/cant_other.mtx
    tar -cJf cant.tar.xz cant
    tar -czf deep.tgz --transform 's|^|a/b/|' cant
    tar -czf dot.tar.gz ./cant
    for format in v7 ustar gnu pax; do tar --format=$format -cf $format.tar cant; done
    for f in cant.tar cant.tar.gz cant.tar.xz deep.tgz dot.tar.gz {v7,ustar,gnu,pax}.tar <(cat cant.tar.gz); do
        run -0 spmv-info "$f"
        [ "$(value_of matrix_id <<<"$output")" = "$want" ] || { echo "$f: $output"; false; }
        [ "$(value_of name <<<"$output")" = Williams/cant ]
        [ "$(value_of group <<<"$output")" = Williams ]
    done
    [ "$(spmv-info cant.tar.gz | value_of source)" = cant.tar.gz ]
    cp cant.tar.gz disguised.mtx
    [ "$(id_of disguised.mtx)" = "$want" ]
    run -0 spmv-import cant.tar.gz
    [ "$(id_of cant.h5)" = "$want" ]
}

@test "without NAME/NAME.mtx the only .mtx is used, and its file name is the name; side files of other systems are ignored" {
    want="$(id_of cant/cant_other.mtx)"
    general '2 2 1' '1 1 1' > cant/._cant_other.mtx
    tar -czf a.tar.gz cant/README.txt cant/._cant_other.mtx cant/cant_other.mtx
    run -0 spmv-info a.tar.gz
    [ "$(value_of matrix_id <<<"$output")" = "$want" ]
    [ "$(value_of name <<<"$output")" = cant_other ]
}

@test "if there are several candidates the error lists them; every program accepts FILE:MEMBER" {
    tar -czf two.tar.gz cant/cant_b.mtx cant/cant_other.mtx cant/README.txt
    refused "two.tar.gz holds several matrices: cant/cant_b.mtx, cant/cant_other.mtx; name one as two.tar.gz:MEMBER" spmv-info two.tar.gz
    mkdir dual
    cp cant/cant_other.mtx dual/dual.mtx
    tar -cf both.tar cant dual
    refused "both.tar holds several matrices: cant/cant" spmv-info both.tar
    [ "$(id_of both.tar:dual/dual.mtx)" = "$(id_of dual/dual.mtx)" ]
    [ "$(id_of both.tar:./cant/cant.mtx)" = "$(id_of cant/cant.mtx)" ]
    for k in {1..60}; do cp dual/dual.mtx dual/a_rather_long_name_$k.mtx; done
    tar -cf many.tar dual/a*
    refused ", ...; name one as many.tar:MEMBER" spmv-info many.tar
    refused "member 'cant/none.mtx' not found; the archive holds: cant/cant_b.mtx, cant/cant_other.mtx" spmv-info two.tar.gz:cant/none.mtx
    [ "$(id_of two.tar.gz:cant/cant_b.mtx)" = "$(id_of cant/cant_b.mtx)" ]
    refused "missing INSIDE after ':'" spmv-info two.tar.gz:
    refused "cant/cant.mtx is not an archive and cannot contain 'x'" spmv-info cant/cant.mtx:x
    pick=two.tar.gz:cant/cant_other.mtx
    run -0 spmv-info $pick
    [ "$(value_of name <<<"$output")" = cant_other ]
    [ "$(value_of source <<<"$output")" = $pick ]
    run -0 spmv-import $pick
    [ "$(id_of cant_other.h5)" = "$(id_of cant/cant_other.mtx)" ]
    echo $pick > list
    for operand in $pick list; do
        run -0 spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c csr-scalar --cache warm -o run.h5 $operand
        [[ "$output" == *cant_other* ]]
        rm run.h5
    done
    run -0 spmv-predict --profile "$ROOT/results/h200/profile.h5" --cache warm $pick
    [[ "$output" == *"# matrix cant_other: 1 row"* ]]
    run -0 spmv-plan --profile "$ROOT/results/h200/profile.h5" $pick
}

@test "archives without a matrix, empty archives, and members that are links or lead outside the directory are rejected and named" {
    tar -czf other.tar.gz cant/README.txt
    refused "other.tar.gz: tar archive without a .mtx" spmv-import -o out.h5 other.tar.gz      # other extensions follow
    [[ "$stderr" == *" file; it holds: cant/README.txt" ]]
    tar -cf none.tar -T /dev/null
    refused "none.tar: empty tar archive; expected NAME/NAME.mtx" spmv-import -o out.h5 none.tar
    gzip -k none.tar
    refused "none.tar.gz: empty tar archive" spmv-import -o out.h5 none.tar.gz
    tar -P -czf abs.tar.gz cant/README.txt "$PWD/cant/cant.mtx"
    refused "abs.tar.gz: member /" spmv-import -o out.h5 abs.tar.gz
    [[ "$stderr" == *"has an absolute path"* ]]
    tar -P -czf up.tar.gz cant/../cant/cant.mtx
    refused "up.tar.gz: member cant/../cant/cant.mtx has '..' in its path" spmv-import -o out.h5 up.tar.gz
    mkdir link ..cant
    ln -s ../cant/cant.mtx link/link.mtx
    tar -cf link.tar link
    refused "link.tar: member link/link.mtx is a link" spmv-import -o out.h5 link.tar
    ln cant/cant_other.mtx cant/b.mtx
    tar -cf hard.tar cant/README.txt cant/cant_other.mtx cant/b.mtx
    refused "member cant/b.mtx is a link" spmv-import -o out.h5 hard.tar:cant/b.mtx
    cp cant/cant.mtx ..cant/..cant.mtx
    tar -cf dots.tar ..cant/..cant.mtx cant/cant.mtx
    [ "$(id_of dots.tar)" = "$(id_of cant/cant.mtx)" ]
}

# bats test_tags=quick
@test "for a bad matrix in a tar archive the error names file, member and line" {
    general '3 3 1' '4 1 1' > cant/cant.mtx
    tar -czf bad.tar.gz cant
    refused "bad.tar.gz:cant/cant.mtx: line 3: row index 4, expected 1 to 3" spmv-import -o out.h5 bad.tar.gz
    : > cant/cant.mtx
    tar -cf bad.tar cant
    refused "bad.tar:cant/cant.mtx: line 1: found ''" spmv-import -o out.h5 bad.tar
    echo "neither" > cant/cant.mtx
    tar -cf bad.tar cant
    refused "bad.tar:cant/cant.mtx: line 1: found 'neither'" spmv-predict --profile "$ROOT/results/h200/profile.h5" bad.tar
}

# bats test_tags=id:tar-truncated
@test "truncation at any length and damage give a one-line error, even if the matrix itself is complete" {
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 900, 900, 900; srand(1); for (k = 1; k <= 900; k++) print k, k, rand() }' > cant/cant.mtx
    tar -cf a.tar cant/cant.mtx cant/cant_b.mtx cant/README.txt
    gzip -k a.tar
    xz -k a.tar
    for f in a.tar.gz a.tar.xz; do
        n="$(stat -c %s $f)"
        for k in 20 100 $((n / 2)) $((n - 60)) $((n - 9)) $((n - 1)); do
            head -c "$k" $f > bad.tar
            refused "bad.tar is cut short" spmv-info bad.tar
        done
    done
    for k in 700 5000 16000; do
        head -c $k a.tar > bad.tar
        refused "bad.tar is cut short or damaged: tar says 'Truncated" spmv-info bad.tar
        [[ "$stderr" == *"(member cant/cant.mtx)"* ]]
    done
    tar -cf b.tar cant/README.txt cant/cant.mtx
    head -c 1024 b.tar > bad.tar        # between two members
    refused "bad.tar is cut short: the archive has no end marker (last: member cant/README.txt)" spmv-info bad.tar
    flip() { printf '\x5a\xa5' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
    cp a.tar bad.tar
    at="$(grep -abo cant/cant_b.mtx a.tar | head -n 1)"
    flip bad.tar $((${at%%:*} + 20))
    refused "bad.tar is cut short or damaged: tar says 'Damaged tar archive' (member cant/cant.mtx)" spmv-info bad.tar
    cp a.tar.gz bad.tar
    flip bad.tar $(($(stat -c %s a.tar.gz) - 8))
    refused "bad.tar is damaged: gzip says 'incorrect data check'" spmv-info bad.tar
    cp a.tar.gz bad.tar
    flip bad.tar $(($(stat -c %s a.tar.gz) / 2))
    refused "bad.tar" spmv-info bad.tar
}

@test "spmv-run finds archives in directories and lists; two forms of a matrix are measured once" {
    mkdir folder
    tar -czf folder/cant.tar.gz cant
    RUN=(spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c csr-scalar --cache warm)
    run -0 "${RUN[@]}" -o a.h5 folder
    [[ "$output" == *Williams/cant*"# 1 ok"* ]]
    tar -cf plain.tar cant
    printf '%s\n' plain.tar folder/cant.tar.gz > list
    run -0 "${RUN[@]}" -o b.h5 list
    one="$(grep -c Williams/cant <<<"$output")"
    gzip -k cant/cant.mtx
    run -0 "${RUN[@]}" -o c.h5 cant/cant.mtx cant/cant.mtx.gz
    [ "$(grep -c Williams/cant <<<"$output")" -eq "$one" ]
    tar -cf none.tar cant/README.txt
    refused "none.tar: tar archive without a .mtx" "${RUN[@]}" -o out.h5 none.tar
    [[ "$stderr" == *" file; it holds: cant/README.txt" ]]
    need_python                         # reads the archive, which names its input file
    run -0 "${RUN[@]}" -o d.h5 folder/cant.tar.gz:cant/cant.mtx
    "$PYTHON" -c '
import h5py, hashlib
f = h5py.File("d.h5")["inputs"]
assert f["name"][0] == b"cant.tar.gz" and f["sha256"][0].decode() == hashlib.sha256(open("folder/cant.tar.gz", "rb").read()).hexdigest()'
}

@test "a matrix in its SuiteSparse archive has the id, name and features of the plain file" {
    need_shared
    mkdir bcsstk04
    xz -dc "$SHARED_MATRICES/bcsstk04.mtx.xz" > bcsstk04/bcsstk04.mtx
    tar -czf x.tar.gz bcsstk04
    spmv-info --features "$SHARED_MATRICES/bcsstk04.mtx.xz" | grep -v ^source > wanted
    spmv-info --features x.tar.gz | grep -v ^source > found
    cmp wanted found
    grep -q "^name.HB/bcsstk04$" found
}

@test "--help of every program that reads matrices lists the kinds of file accepted" {
    for p in import info predict plan run execute; do
        run -0 spmv-$p --help
        [[ "$(tr '\n' ' ' <<< "$output")" == *"tar or zip archive with NAME/NAME.mtx"*"FILE:INSIDE"* ]] || { echo $p; false; }
    done
}

@test "zstd: .mtx.zst, .tar.zst and several frames are read; truncated and damaged files are rejected" {
    command -v zstd > /dev/null || skip "no zstd"
    want="$(id_of cant/cant.mtx)"
    zstd -q cant/cant.mtx -o cant.mtx.zst
    tar -c cant | zstd -q > cant.tar.zst
    { head -n 3 cant/cant.mtx | zstd -q; tail -n +4 cant/cant.mtx | zstd -q; } > frames.mtx.zst
    for f in cant.mtx.zst cant.tar.zst frames.mtx.zst; do [ "$(id_of $f)" = "$want" ] || { echo $f; false; }; done
    n="$(stat -c %s cant.mtx.zst)"
    for ((k = 8; k < n; k += 3)); do
        head -c $k cant.mtx.zst > bad.zst
        refused "bad.zst is cut short or damaged: zstd says" spmv-info bad.zst
    done
    cp cant.mtx.zst bad.zst
    printf '\x5a\xa5' | dd of=bad.zst bs=1 seek=$((n - 3)) conv=notrunc status=none
    refused "bad.zst is cut short or damaged: zstd says" spmv-info bad.zst
}

@test "a faulty candidate is ignored if a better one follows; faults of the matrix are reported unless the archive is damaged" {
    mkdir other
    general '2 2 1' '9 9 9' > other/a.mtx
    printf 'no matrix' > cant/cant_other.mtx
    want="$(id_of cant/cant.mtx)"
    tar -cf a.tar other/a.mtx cant/cant_other.mtx cant/cant.mtx
    [ "$(id_of a.tar)" = "$want" ]
    refused "a.tar:other/a.mtx: line 3: row index 9" spmv-info a.tar:other/a.mtx
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 9000, 9000, 9000; srand(1); for (k = 1; k <= 9000; k++) print k, (k == 7 ? 0 : k), rand() }' > cant/cant.mtx
    head -c 300000 /dev/urandom > other/noise
    tar -czf b.tar.gz cant/cant.mtx other
    refused "b.tar.gz:cant/cant.mtx: line 9: column index 0" spmv-info b.tar.gz
    head -c 200000 b.tar.gz > cut.tar.gz
    refused "cut.tar.gz is cut short" spmv-info cut.tar.gz
}

# bats test_tags=long
@test "tar archives without end are rejected: bytes or zeros after their end, endless members, whether matrices or not" {
    need_address_limits
    bounded() {
        local text="$1"; shift
        (ulimit -v 200000; OMP_NUM_THREADS=2 refused "$text" spmv-info "$@")
    }
    tar -cf long.tar cant
    truncate -s 4G long.tar zeros.tar
    bounded "long.tar: more than 16 MiB after the end of the tar archive" long.tar
    bounded "zeros.tar: more than 16 MiB after the end of the tar archive" zeros.tar
    bounded "standard input: more than 16 MiB after the end of the tar archive" - < /dev/zero
    { general '2 2 1'; yes '' | head -c 250000000; } > cant/cant.mtx         # more than the limit of bytes without an entry
    tar -cf - cant/cant.mtx | gzip -1 > bomb.tar.gz
    bounded "bomb.tar.gz:cant/cant.mtx: line 16" bomb.tar.gz
    command -v zstd > /dev/null || skip "no zstd"
    general '1 1 1' '1 1 1' > cant/cant.mtx
    # a member of 1200 MiB of zeros: its header and 20 equal frames, which need not be compressed each
    truncate -s 1200M cant/README.txt
    head -c 62914560 /dev/zero | zstd -q -1 > zeros.zst
    { tar -cf - cant/README.txt 2> said | head -c 512 | zstd -q
      for _ in {1..20}; do cat zeros.zst; done
      tar -cf - cant/cant.mtx | zstd -q; } > bomb.tar.zst
    bounded "-fold), which no matrix does; decompress the file and check its contents (member cant/README.txt)" bomb.tar.zst
}
