#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Bad matrix files and outputs: exit 1, one line that names the fault and its place, no partial output.
load helpers
bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR"; }

# refused FILE TEXT...: import fails with one line that contains every TEXT, and writes nothing.
refused() {
    local file="$1" text
    shift
    run "-${status_wanted:-1}" --separate-stderr spmv-import -o out.h5 "$file"
    if [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ]; then echo "$file: '$output' '$stderr'"; return 1; fi
    for text in "spmv-import: " "$@"; do
        [[ "$stderr" == *"$text"* ]] || { echo "$file: expected '$text' in: $stderr"; return 1; }
    done
    [ ! -e out.h5 ] && [ ! -e out.h5.tmp ]
}

general() { printf '%s\n' '%%MatrixMarket matrix coordinate real general' "$@" > bad.mtx; }

# bats test_tags=quick
@test "banners with complex, hermitian, array or unknown words are rejected" {
    while IFS='|' read -r banner text; do
        printf '%s\n' "$banner" '1 1 1' '1 1 1' > bad.mtx
        refused bad.mtx "line 1" "$text"
    done <<'END'
%%MatrixMarket matrix coordinate complex general|complex values are not supported; --real-part keeps the real parts
%%MatrixMarket matrix coordinate complex hermitian|complex values are not supported
%%MatrixMarket matrix coordinate real hermitian|'real hermitian' is invalid (no complex values); expected symmetric
%%MatrixMarket matrix array pattern general|'array pattern' is invalid (no values)
%%MatrixMarket vector coordinate real general|a 'vector', expected a matrix
%%MatrixMarket matrix list real general|layout 'list', expected 'coordinate'
%%MatrixMarket matrix coordinate quaternion general|field 'quaternion', expected real, integer, complex or pattern
%%MatrixMarket matrix coordinate real upper|symmetry 'upper', expected general, symmetric, skew-symmetric or hermitian
%%MatrixMarket matrix coordinate real|symmetry '', expected general
%%MatrixMarket matrix coordinate pattern skew-symmetric|is invalid
END
}

# bats test_tags=quick
@test "size lines that are missing, too large, not numbers or not square where required are rejected" {
    general '3000000000 2 1' '1 1 1'
    refused bad.mtx "line 2" "3000000000 rows, expected at most 2147483647"
    general '2 2147483648 1' '1 1 1'
    refused bad.mtx "line 2" "2147483648 columns"
    general '' '% c' 'three 2 1'
    refused bad.mtx "line 4" "number of rows is 'three'"
    general '2 2 99999999999999999999' '1 1 1'
    refused bad.mtx "line 2" "number of entries is '99999999999999999999'"
    general '2 2'
    refused bad.mtx "line 2" "number of entries is ''" "ROWS COLUMNS ENTRIES"
    general '2 2 1 7'
    refused bad.mtx "line 2" "found '2 2 1 7'"
    general '% nothing more'
    refused bad.mtx "cut short" "before the size line"
    printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '2 3 1' '1 1 1' > bad.mtx
    refused bad.mtx "line 2" "a 2 x 3 matrix cannot be symmetric"
}

@test "an entry count larger than the file can hold is rejected before memory is allocated" {
    need_address_limits
    general '100 100 900000000000000' '1 1 1'
    # 1 GiB of address space: the entries alone would need 14 PB.
    (ulimit -v 1048576; OMP_NUM_THREADS=2 spmv-info bad.mtx > out 2> err) && false
    grep -q "line 2: 900000000000000 entries declared, more than the file can hold; get the file again" err
    gzip -c bad.mtx > bad.mtx.gz
    refused bad.mtx.gz "line 2: 900000000000000 entries declared, more than the file can hold"
    run -4 --separate-stderr spmv-run --backend cpu --dry-run -o r.h5 bad.mtx stencil:points=5,n=3     # no work for tasks
    [ "$(column matrix <<< "$output")" = "stencil:points=5,n=3,seed=1" ]
}

# bounded TEXT COMMAND...: the compressed output of COMMAND, read as a matrix, is rejected with TEXT in little memory.
bounded() {
    local text="$1"; shift
    "$@" | ${squeeze:-gzip -1} > bomb.mtx.gz
    (ulimit -v 200000; OMP_NUM_THREADS=2 spmv-info bomb.mtx.gz > out 2> err) && { echo "taken: $*"; return 1; }
    [ ! -s out ] && [ "$(wc -l < err)" -eq 1 ] && [[ "$(cat err)" == "spmv-info: bomb.mtx.gz: "*"$text"* ]] || { echo "$*: $(cat out err)"; return 1; }
}
banner='%%MatrixMarket matrix coordinate real general'
many() { yes "$1" | head -c 60000000; }

# bats test_tags=id:bad-matrix-comments-fill-memory,long
@test "megabytes of comments and blank lines without an entry are rejected before they fill the memory" {
    need_address_limits
    size_and() { printf '%s\n' "$banner" "9 9 $1"; shift; printf '%s\n' "$@"; many "$line"; }
    line=''
    bounded "line 16"  size_and 1
    [[ "$(cat err)" == *": more than 16 MiB of comments and blank lines before the first entry; remove them"* ]]
    bounded "more than 16 MiB of comments and blank lines after an entry" size_and 1 '1 1 1'
    bounded "more than 16 MiB of comments and blank lines after an entry" size_and 3 '1 1 1' '2 2 2'
    line='% a comment of some length'
    bounded "more than 16 MiB of comments and blank lines before the first entry" size_and 1
    header_and() { printf '%s\n' "$banner"; many "$line"; }
    bounded "more than 16 MiB of comments and blank lines before the first entry" header_and
    line=$' \t \r'
    bounded "more than 16 MiB of comments and blank lines before the first entry" header_and
    # one entry per MiB
    sparse_lines() { printf '%s\n' "$banner" "9 9 120"; for _ in {1..120}; do echo "1 1 1"; yes '%' | head -c 1000000; done; }
    bounded " MiB of text for " sparse_lines
    [[ "$(cat err)" == *" entries, mostly comments, blank lines or spaces; remove them"* ]]
}

# bats test_tags=id:bad-matrix-endless-line
@test "an endless line is rejected with its number" {
    need_address_limits
    # 60 MB, compressed a megabyte at a time
    endless() { printf '%s' "$1" | gzip -1; head -c 1000000 /dev/zero | tr '\0' "$2" | gzip -1 > mb.gz; for _ in {1..60}; do echo mb.gz; done | xargs cat; }
    squeeze="cat"
    bounded "line 3: longer than 1048576 bytes" endless "$banner"$'\n9 9 1\n1 1 1' 7
    bounded "line 3: longer than 1048576 bytes" endless "$banner"$'\n9 9 1\n' ' '
    bounded "line 2: longer than 1048576 bytes" endless "$banner"$'\n%' x
    bounded "line 1: longer than 1048576 bytes" endless "%%MatrixMarket" x
    bounded "line 1: longer than 1048576 bytes" endless "x" '\0'
}

# bats test_tags=long
@test "legitimate long lines, comments between entries and blank lines are read" {
    { echo "$banner"; echo "% $(head -c 1000000 /dev/zero | tr '\0' x)"; for _ in {1..300}; do yes '% note' | head -n 5000; done
      echo "9 9 3"; echo; echo "1 1 1$(head -c 900000 /dev/zero | tr '\0' ' ')"; echo "% c"; yes '' | head -n 1000000
      echo "2 2 0.$(head -c 900000 /dev/zero | tr '\0' 0)1"; echo "3 3 1"; echo; echo "%"; } > long.mtx
    run -0 spmv-info long.mtx
    [ "$(value_of nnz <<< "$output")" = 3 ]
    { echo "$banner"; echo "9 9 9999"; for _ in {1..200}; do for k in {1..9}; do echo "$k $k 1"; echo; echo "% a comment of a length"; done; done; } > short.mtx
    refused short.mtx "declares 9999 entries but the file ends after 1800 (line 5402)"
}

@test "a damaged compressed file is reported as damaged, not by a later parse error" {
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 90000, 90000, 90000; srand(2); for (k = 1; k <= 90000; k++) print k, k, rand() }' > a.mtx
    gzip -c a.mtx > bad.mtx.gz
    for at in 2 3 5; do
        cp bad.mtx.gz b.gz
        flip b.gz $(($(stat -c %s b.gz) * at / 7))
        refused b.gz "b.gz is damaged: gzip says"
    done
}

# bats test_tags=id:bad-matrix-ulimit
@test "memory that the check let pass and the system refuses: the message has the limit and the option, or, without the option, only what is needed" {
    need_address_limits
    local kib found=''
    for ((kib = 80000; kib <= 240000; kib += 10000)); do
        run --separate-stderr bash -c "ulimit -v $kib; exec spmv-info stencil:points=5,n=1000"
        [[ "$stderr" != *" 0.0 GB"* && "$stderr" != *"(0.0 GB)"* ]]
        if [[ "$stderr" =~ "not enough memory for a matrix of 1000000 x 1000000 with 4996000 nonzeros: about 68 MB needed, but ulimit -v leaves less than the limit of "[0-9.]+" MB; --max-memory BYTES sets another"$ ]]; then
            found=$kib
            break
        fi
    done
    [ -n "$found" ] || { echo "$stderr"; false; }
}

@test "a matrix with more rows than fit in memory is rejected before memory is allocated" {
    need_address_limits
    general '2147483647 2147483647 1' '1 1 1'
    (ulimit -v 4194304; OMP_NUM_THREADS=2 refused bad.mtx "not enough memory for a matrix of 2147483647 x 2147483647 with 1 entries: about 68.7 GB needed, more than the limit of 3.")
}

# bats test_tags=quick
@test "more or fewer entries than the size line declares are rejected" {
    general '3 3 3' '1 1 1' '% c' '2 2 1'
    refused bad.mtx "declares 3 entries but the file ends after 2 (line 5)"
    general '3 3 1' '1 1 1' '' '2 2 1' '3 3 1'
    refused bad.mtx "line 5: more entries than the 1 declared by the size line"
}

# bats test_tags=id:bad-matrix-indices-values
@test "invalid indices and values are rejected; the error contains the line's number and text" {
    while IFS='|' read -r line text; do
        general '3 4 2' '1 1 1' "$line"
        refused bad.mtx "bad.mtx: line 4: " "$text"
    done <<'END'
0 1 1|row index 0, expected 1 to 3 (indices count from 1)
1 0 1|column index 0, expected 1 to 4
-1 1 1|row index '-1', expected an integer from 1 to 3
4 1 1|row index 4, expected 1 to 3
1 5 1|column index 5, expected 1 to 4
1.5 1 1|row index '1.5', expected an integer
1 1e0 1|column index '1e0', expected an integer
99999999999999999999 1 1|row index '99999999999999999999'
1 1 x|value 'x', expected a number
1 1 1.2.3|value '1.2.3', expected a number
1 1 0x10|value '0x10' is hexadecimal, expected a decimal number
1 1 -0X1.8p3|value '-0X1.8p3' is hexadecimal, expected a decimal number
1 1 1.5D|value '1.5D', expected a number
1 1 1.5D+|value '1.5D+', expected a number
1 1 1.5D+03x|value '1.5D+03x', expected a number
1 1 1.5+03|value '1.5+03', expected a number
1 1 15+103|value '15+103', expected a number
1 1 D+03|value 'D+03', expected a number
1 1 1.5-103-1|value '1.5-103-1', expected a number
1 1 1e|value '1e', expected a number
1 1|found '1 1', expected 'ROW COLUMN VALUE'
1|found '1', expected 'ROW COLUMN VALUE'
1 1 1 9|extra '9', expected 'ROW COLUMN VALUE'
END
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '3 3 1' '1 1 5' > bad.mtx
    refused bad.mtx "line 3: extra '5', expected 'ROW COLUMN'"
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '3 3 3' '1 1' '3 3' '1 4' > bad.mtx
    refused bad.mtx "line 5: column index 4, expected 1 to 3"
    sed -i '5s/.*/0 1/' bad.mtx
    refused bad.mtx "line 5: row index 0, expected 1 to 3"
    printf '%s\n' '%%MatrixMarket matrix coordinate integer general' '3 3 1' '1 1 1.5' > bad.mtx
    refused bad.mtx "line 3: value '1.5', expected an integer"
    printf '%s\n' '%%MatrixMarket matrix coordinate real skew-symmetric' '3 3 1' '2 2 1' > bad.mtx
    refused bad.mtx "line 3: diagonal entry"
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 \0001\n' > bad.mtx
    refused bad.mtx "line 3: value '?1'"
}

# bats test_tags=id:bad-matrix-first-fault
@test "of several faults the first in the file is reported, on 1 and 7 threads" {
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 500000, 500000, 500000
                 for (k = 1; k <= 500000; k++) print k, (k == 210000 || k == 480000 ? 0 : k), 1.5 }' > bad.mtx
    OMP_NUM_THREADS=1 refused bad.mtx "line 210002: column index 0"
    OMP_NUM_THREADS=7 refused bad.mtx "line 210002: column index 0"
}

@test "nan and inf are accepted as values" {
    general '2 2 3' '1 1 nan' '1 2 -inf' '2 2 1e999'
    run -0 spmv-info bad.mtx
    [ "$(value_of nnz <<<"$output")" = 3 ]
}

# cut_files STEP: compressed files cut to every STEPth length are rejected.
cut_files() {
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 40, 40, 40; for (k = 1; k <= 40; k++) print k, k, k * 1.25 }' > a.mtx
    head -c 300 a.mtx > bad.mtx
    refused bad.mtx "declares 40 entries but the file ends after"
    gzip -nk a.mtx
    xz -k a.mtx
    for f in a.mtx.gz a.mtx.xz; do
        n="$(stat -c %s $f)"
        for ((k = 8; k < n; k += $1)); do
            head -c $k $f > bad
            output="$(spmv-info bad 2>&1)" && status=0 || status=$?
            [[ "$status $output" == "1 spmv-info: bad is cut short"*" $k "* ]] || { echo "$f cut to $k: $status, $output"; false; }
        done
    done
}
@test "truncated files are rejected: plain, gzip and xz, and HDF5" {
    cut_files 16
    spmv-import -o a.h5 a.mtx
    head -c 3000 a.h5 > bad.h5
    status_wanted=3 refused bad.h5 "bad.h5 is cut short or damaged: HDF5 cannot open it" "download or create the file again"
}

# bats test_tags=long
@test "truncated files are rejected: gzip and xz at every fourth length" { cut_files 4; }

flip() { printf '\x5a\xa5' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
diagonal() { awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 900, 900, 900; for (k = 1; k <= 900; k++) print k, k, k * 1.25 }' > a.mtx; }

# bats test_tags=id:bad-matrix-gzip-xz
@test "gzip and xz: wrong checksums and trailing bytes are rejected" {
    diagonal
    gzip -nk a.mtx
    xz -k a.mtx
    cp a.mtx.gz bad.gz
    flip bad.gz $(($(stat -c %s a.mtx.gz) - 8))
    refused bad.gz "bad.gz is damaged" "incorrect data check"
    cat a.mtx.gz a.mtx > bad.gz
    refused bad.gz "trailing bytes after the gzip stream"
    cp a.mtx.xz bad.xz
    flip bad.xz $(($(stat -c %s a.mtx.xz) / 2))
    refused bad.xz "bad.xz is cut short or damaged"
}

@test "HDF5: wrong checksums are rejected" {
    need_python
    diagonal
    spmv-import -o a.h5 a.mtx
    offset="$("$PYTHON" -c 'import h5py; d = h5py.File("a.h5")["values"]; print(d.id.get_chunk_info(0).byte_offset)')"
    cp a.h5 bad.h5
    flip bad.h5 $((offset + 100))
    status_wanted=3 refused bad.h5 "damaged: its SHA-256 does not match"
    cp a.h5 bad.h5
    "$BUILD/h5_damage" older bad.h5                     # without a digest, HDF5's own checksum detects it
    flip bad.h5 $((offset + 100))
    status_wanted=3 refused bad.h5 "/values cannot be read" "damaged"
}

@test "HDF5 files without a supported Binsparse matrix, or whose description contradicts their arrays, are rejected" {
    need_python
    "$PYTHON" - <<'END'
import json, h5py, numpy as np
def write(path, ptr=(0, 1, 2), col=(0, 1), val=(1.0, 2.0), drop=None, at=("/",), **change):
    with h5py.File(path, "w") as f:
        for place in at:
            g = f.require_group(place)
            about = {"version": "0.1", "format": "CSR", "shape": [2, 3], "number_of_stored_values": 2,
                     "data_types": {"pointers_to_1": "int64", "indices_1": "int32", "values": "float64"}, **change}
            g.attrs["binsparse"] = json.dumps({"binsparse": about})
            for name, data in (("pointers_to_1", ptr), ("indices_1", col), ("values", val)):
                if name != drop: g[name] = np.array(data)
write("fine.h5")
with h5py.File("alien.h5", "w") as f: f["data"] = np.arange(5)
with h5py.File("text.h5", "w") as f: f.attrs["binsparse"] = "{ no json"
with h5py.File("number.h5", "w") as f: f.attrs["binsparse"] = 7
write("decrease.h5", ptr=(0, 3, 2))
write("start.h5", ptr=(1, 1, 2))
write("end.h5", ptr=(0, 1, 1))
write("negative.h5", col=(0, -1))
write("high.h5", col=(0, 3))
write("huge.h5", col=np.array([0, 2**63], "u8"))
write("reals.h5", col=(0.0, 1.0))
write("short.h5", ptr=(0, 2))
write("count.h5", number_of_stored_values=3)
write("vast.h5", number_of_stored_values=10**14)
write("hollow.h5", number_of_stored_values=10**8, drop="values")
with h5py.File("hollow.h5", "a") as f:
    del f["indices_1"]
    for name, kind in (("indices_1", "i4"), ("values", "f8")): f.create_dataset(name, (10**8,), kind, chunks=(4096,), compression=1)
    f["pointers_to_1"][2] = 10**8
write("after.h5")
with h5py.File("after.h5", "a") as f: f.attrs["binsparse"] = f.attrs["binsparse"] + "}"
write("nocount.h5", number_of_stored_values=None)
write("shape.h5", shape=[2])
write("limits.h5", shape=[2, 2**31])
write("version.h5", version="2.0")
write("format.h5", format="ELL")
write("custom.h5", format={"level": "dense"})
write("vector.h5", format="DVEC")
write("dense.h5", format="DMATC")
write("structure.h5", structure="symmetric")
write("triangle.h5", structure="symmetric_lower")
write("complex.h5", data_types={"values": "complex[float64]"})
write("missing.h5", drop="indices_1")
write("two.h5", at=("/a", "/b"))
END
    run -0 spmv-info fine.h5
    while IFS='|' read -r name text; do
        refused "$name.h5" "$name.h5" "$text"
    done <<'END'
alien|without attribute 'binsparse'; expected a Binsparse matrix
text|attribute binsparse is not JSON text
number|attribute binsparse is not JSON text
after|attribute binsparse is not JSON text
decrease|dataset pointers_to_1 decreases from 3 to 2 after element 1
start|dataset pointers_to_1 starts at 1, expected 0
end|dataset pointers_to_1 ends at 1, expected number_of_stored_values, 2
negative|dataset indices_1: element 1 (counted from 0) is -1, expected an index below 3
high|dataset indices_1: element 1 (counted from 0) is 3, expected an index below 3
huge|dataset indices_1: element 1 (counted from 0) is 2147483647, expected an index below 3
reals|dataset indices_1 does not contain integers
short|dataset pointers_to_1 has 2 elements, expected 3
count|dataset indices_1 has 2 elements, expected 3
vast|expected 100000000000000
hollow|dataset indices_1 declares 100000000 elements, more than the file can hold
nocount|number_of_stored_values is missing
shape|shape has 1 numbers, expected 2
limits|shape[1] is out of range, expected an integer from 0 to 2147483647
version|version '2.0', expected 0.1
format|unknown format 'ELL'; expected CSR, CSC,
custom|unknown format '(custom)'
vector|format 'DVEC' is a dense vector; expected a sparse matrix
dense|format 'DMATC' is a dense matrix; expected a sparse matrix
structure|unknown structure 'symmetric'; expected general, or symmetric, hermitian or skew_symmetric with _lower or _upper
triangle|a 2 x 3 matrix cannot be symmetric_lower; expected a square matrix
complex|complex values are not supported; --real-part keeps the real parts
missing|missing dataset 'indices_1', required by format CSR
two|holds 2 Binsparse matrices: a, b; name one as two.h5:GROUP
END
}

@test "a table that declares more rows than its file can hold is reported as damage before memory is allocated" {
    need_address_limits
    need_python
    spmv-gen -o r.h5 stencil:points=5,n=10
    "$PYTHON" - <<'END'
import h5py, shutil
shutil.copy("r.h5", "rows.h5"); shutil.copy("r.h5", "none.h5"); shutil.copy("r.h5", "hollow.h5")
with h5py.File("rows.h5", "a") as f: f["recipes"].attrs.modify("rows", 2 * 10**7)
with h5py.File("none.h5", "a") as f:
    f["recipes"].attrs.modify("rows", 2 * 10**7)
    for name in list(f["recipes"]): del f["recipes"][name]
with h5py.File("hollow.h5", "a") as f:
    t = f["recipes"]; t.attrs.modify("rows", 2 * 10**7)
    for name in list(t):
        kind, said = t[name].dtype, dict(t[name].attrs); del t[name]
        t.create_dataset(name, (2 * 10**7,), kind, chunks=(4096,), compression=1).attrs.update(said)
END
    "$BUILD/rows" rows-run.h5 > /dev/null
    local large=(matrices/nnz matrices/heaviest histogram/value geometry/sms geometry/l2_bytes) # numbers that programs multiply
    BUILD="$BUILD" "$PYTHON" -c 'import h5py, os, shutil, sys
for i, path in enumerate(sys.argv[1:]):
    shutil.copy(os.environ["BUILD"] + "/synthetic-cpu.h5" if path.startswith("geometry") else "rows-run.h5", f"large{i}.h5")
    with h5py.File(f"large{i}.h5", "a") as f: f[path][...] = 2**62' "${large[@]}"
    for n in "${!large[@]}"; do
        "$BUILD/h5_damage" sign "large$n.h5"
        run -3 --separate-stderr spmv-merge -q -o merged.h5 "large$n.h5"
        [[ "$stderr" == "spmv-merge: large$n.h5 is damaged: table ${large[n]%/*}, row 0 has "* ]] || { echo "$stderr"; false; }
    done
    while IFS='|' read -r name text; do
        "$BUILD/h5_damage" older "$name.h5" # as written before digests existed
        (ulimit -v 1000000; OMP_NUM_THREADS=2 spmv-run --backend cpu -o run.h5 "$name.h5" > out 2> err) && { echo "$name: taken"; false; }
        [[ "$(cat err)" == "spmv-run: $name.h5 is damaged: table recipes"*$text* ]] || { cat err; false; }
    done <<'END'
rows|has 1 rows, expected 20000000
none|column recipe is missing
hollow|declares 20000000 rows, more than the file can hold
END
}

@test "a full disk is an error" {
    # A limit on the file size acts like a full disk, reached at the first byte or when the file is nearly complete.
    for blocks in 40 1100; do
        run -1 --separate-stderr bash -c "ulimit -f $blocks; trap '' XFSZ; spmv-import -o full.h5 dense:rows=700,cols=700"
        [[ "$stderr" == "spmv-import: cannot write full.h5"*"File too large" ]] || { echo "$blocks: $stderr"; false; }
        [ -z "$(ls full.h5* 2>/dev/null)" ]
    done
    spmv-import -o full.h5 dense:rows=700,cols=700
    [ "$(stat -c %s full.h5)" -gt 1200000 ]
}
