#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-import: the output equals the input, whatever its format; other tools read our files and we read theirs.
load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat > a.mtx <<'END'
%%MatrixMarket matrix coordinate real general
% a comment
3 4 6
3 4 -2e-3
1 1 1.5

% in the middle
2 2 0
1 1 0.5
	3   1  1e22
3 2 -.25
END
}


# sorted_twin: writes twin.mtx, the matrix of a.mtx sorted, summed and without comments
sorted_twin() {
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 5' '1 1 2' '2 2 0' '3 1 1e22' '3 2 -0.25' '3 4 -0.002' > twin.mtx
}

# bats test_tags=quick,id:import-same-id
@test ".mtx, .mtx.gz, several gzip members, .mtx.xz and Binsparse give the same matrix_id, on 1 and 7 threads" {
    sorted_twin
    gzip -k a.mtx
    xz -k a.mtx
    { head -n 4 a.mtx | gzip -c; tail -n +5 a.mtx | gzip -c; } > members.mtx.gz
    { head -n 4 a.mtx | xz -c; tail -n +5 a.mtx | xz -c; } > members.mtx.xz
    spmv-import -o a.h5 a.mtx.xz
    want="$(id_of a.mtx)"
    [ "${#want}" -eq 64 ]
    for f in a.mtx.gz a.mtx.xz members.mtx.gz members.mtx.xz a.h5 twin.mtx; do
        for t in 1 7; do
            [ "$(OMP_NUM_THREADS=$t id_of $f)" = "$want" ] || { echo "$f on $t threads differs"; false; }
        done
    done
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 5' '1 1 2' '2 2 0' '3 1 1e22' '3 2 -0.25' '3 3 -0.002' > other.mtx
    [ "$(id_of other.mtx)" != "$want" ]
}

@test "the format is detected by content, not by name; CRLF, case and blanks do not matter" {
    sorted_twin
    want="$(id_of a.mtx)"
    gzip -c a.mtx > disguised.mtx
    sed 's/$/\r/; 1s/MatrixMarket matrix coordinate real/MATRIXmarket  Matrix COORDINATE Real/' twin.mtx > crlf.mtx
    head -c -1 twin.mtx > no_newline.mtx
    spmv-import -o disguised.h5 a.mtx
    mv disguised.h5 disguised_h5.mtx
    for f in disguised.mtx crlf.mtx no_newline.mtx disguised_h5.mtx; do
        [ "$(id_of $f)" = "$want" ] || { echo "$f differs"; false; }
    done
    [ "$(id_of <(cat a.mtx))" = "$want" ]
}

@test "duplicates are summed in file order, on any number of threads" {
    awk 'BEGIN { srand(3); n = 60000; print "%%MatrixMarket matrix coordinate real general"; print 200, 100, n
                 for (k = 0; k < n; k++) print 1 + int(rand() * 200), 1 + int(rand() * 100), (rand() - 0.5) * 10 ^ int(rand() * 30) }' > d.mtx
    one="$(OMP_NUM_THREADS=1 id_of d.mtx)"
    [ "$one" = "$(OMP_NUM_THREADS=7 id_of d.mtx)" ]
    need_python
    spmv-import -o d.h5 d.mtx
    "$PYTHON" - <<'END'
import h5py, numpy as np
rows = np.loadtxt("d.mtx", skiprows=2)
want = {}
for i, j, v in rows:
    want[int(i) - 1, int(j) - 1] = want.get((int(i) - 1, int(j) - 1), 0.0) + v     # summed from left to right
f = h5py.File("d.h5")
ptr, col, val = f["pointers_to_1"][:], f["indices_1"][:], f["values"][:]
assert len(val) == len(want)
for i in range(200):
    for k in range(ptr[i], ptr[i + 1]):
        assert val[k] == want[i, col[k]], (i, col[k], val[k], want[i, col[k]])
        assert k == ptr[i] or col[k - 1] < col[k]
END
}

# bats test_tags=id:import-symmetric
@test "symmetric and skew-symmetric files equal their expansion" {
    printf '%s\n' '%%MatrixMarket matrix coordinate integer symmetric' '3 3 3' '1 1 4' '3 1 -2' '2 3 7' > s.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 5' '1 1 4' '3 1 -2' '1 3 -2' '2 3 7' '3 2 7' > sx.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate real skew-symmetric' '3 3 2' '3 1 -2' '3 2 7' > k.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '3 1 -2' '1 3 2' '3 2 7' '2 3 -7' > kx.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern symmetric' '3 3 3' '1 1' '3 1' '2 3' > p.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '3 3 6' '1 1' '3 1' '1 3' '2 3' '3 2' '3 2' > px.mtx
    [ "$(id_of s.mtx)" = "$(id_of sx.mtx)" ]
    [ "$(id_of k.mtx)" = "$(id_of kx.mtx)" ]
    [ "$(id_of p.mtx)" = "$(id_of px.mtx)" ]
    [ "$(id_of s.mtx)" != "$(id_of p.mtx)" ]
    [ "$(spmv-info s.mtx | value_of pattern_id)" = "$(spmv-info p.mtx | value_of pattern_id)" ]
    [ "$(spmv-info s.mtx | value_of field)" = integer ]
}

# noted TEXT FILE: spmv-info accepts FILE and prints one note, which contains TEXT; -q suppresses it.
noted() {
    run -0 --separate-stderr spmv-info "$2"
    [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == "spmv-info: $2: "*"$1"* ]] || { echo "$2: $stderr"; return 1; }
    found="$(value_of summed <<< "$output") $(value_of both_triangles <<< "$output")"
    run -0 --separate-stderr spmv-info -q "$2"
    [ -z "$stderr" ]
}

# bats test_tags=id:import-both-triangles
@test "a symmetric file with both triangles gives a note with the count, and the archive stores it; values equal scipy's" {
    printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '4 4 8' '1 1 4' '2 1 5' '1 2 7' '3 2 1' '2 3 1' '4 3 2' '1 4 3' '2 2 6' > s.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 10' '1 1 4' '2 1 12' '1 2 12' '3 2 2' '2 3 2' '4 3 2' '3 4 2' '1 4 3' '4 1 3' '2 2 6' > x.mtx
    noted "symmetric, but 2 off-diagonal entries are stored in both triangles; each is summed with its mirror image" s.mtx
    [ "$found" = "0 2" ]
    [ "$(id_of s.mtx)" = "$(id_of x.mtx)" ]
    sed '1s/symmetric/skew-symmetric/; /^1 1/d; /^2 2/d; 2s/8/6/' s.mtx > k.mtx
    noted "2 off-diagonal entries" k.mtx
    sed '2s/8/7/; /^2 3 /d' s.mtx > one.mtx
    noted "symmetric, but 1 off-diagonal entry is stored in both triangles; " one.mtx
    for m in s x; do sed '1s/real/pattern/; 3,$s/ [0-9]*$//' $m.mtx > p$m.mtx; done
    noted "each is merged with its mirror image" ps.mtx
    [ "$(id_of ps.mtx)" = "$(id_of px.mtx)" ]
    run -0 --separate-stderr spmv-import -o s.h5 s.mtx
    [[ "$stderr" == "spmv-import: s.mtx: symmetric, but 2 "* ]]
    run -0 --separate-stderr spmv-info --json s.h5
    [[ "$output" == *'"summed":0,"both_triangles":2,'* ]]
    [ -z "$stderr" ]
    spmv-import -o again.h5 s.h5
    [ "$(spmv-info again.h5 | value_of both_triangles)" = 2 ]
    # no note if each entry is in one triangle only, whichever it is
    printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '3 3 3' '1 1 4' '2 1 5' '2 3 7' > t.mtx
    run -0 --separate-stderr spmv-info t.mtx x.mtx
    [ -z "$stderr" ]
    need_python
    "$PYTHON" -c '
import h5py, numpy as np, scipy.io, scipy.sparse as sp
f = h5py.File("s.h5"); a = scipy.io.mmread("s.mtx").tocsr(); a.sum_duplicates()
assert (sp.csr_matrix((f["values"][:], f["indices_1"][:], f["pointers_to_1"][:]), shape=(4, 4)) != a).nnz == 0'
}

@test "values that are not finite give a note with the count, also when an import is read; without them, and with -q, none" {
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '1 1 nan' '2 2 -inf' '2 3 inf' '3 3 1e300' > odd.mtx
    sed 's/ -*inf/ 7/' odd.mtx > one.mtx
    for again in 1 2; do
        run -0 --separate-stderr spmv-info --imports kept odd.mtx
        [ "$stderr" = "spmv-info: odd.mtx: 3 values are not finite (NaN or Inf), nor are the elements of y that need them; times do not depend on it" ]
    done
    run -0 --separate-stderr spmv-info one.mtx
    [[ "$stderr" == "spmv-info: one.mtx: 1 value is not finite "* ]]
    sed 's/nan/7/' one.mtx > none.mtx
    for call in "-q odd.mtx" none.mtx; do
        run -0 --separate-stderr spmv-info $call
        [ -z "$stderr" ]
    done
}

# bats test_tags=id:import-repeated-entries
@test "repeated entries give a note with the count, on any number of threads" {
    noted "1 duplicate entry summed" a.mtx
    [ "$found" = "1 0" ]
    awk 'BEGIN { srand(5); n = 200000; print "%%MatrixMarket matrix coordinate real symmetric"; print 400, 400, n
                 for (k = 0; k < n; k++) { i = 1 + int(rand() * 400); j = 1 + int(rand() * 400); print i, j, 1; at[i, j]++ }
                 for (x in at) { split(x, ij, SUBSEP); summed += at[x] - 1; both += (ij[1] > ij[2] && ((ij[2], ij[1]) in at)) }
                 print summed, both > "wanted" }' > d.mtx
    for t in 1 7; do
        run -0 --separate-stderr env OMP_NUM_THREADS=$t spmv-info d.mtx
        [ "$(value_of summed <<< "$output") $(value_of both_triangles <<< "$output")" = "$(cat wanted)" ] || { echo "$output"; cat wanted; false; }
        [ "${#stderr_lines[@]}" -eq 2 ]
    done
    run -0 --separate-stderr spmv-info -q stencil:points=5,n=10
    [ "$(value_of summed <<< "$output")" = 0 ]
}

# bats test_tags=quick,id:import-fortran-exponents
@test "Fortran exponents are read" {
    e() { printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 6' "1 1 $1" "1 2 $2" "1 3 $3" "2 1 $4" "2 2 $5" "3 3 $6"; }
    e 1.5D+03 -2d-2 .5Q0 1.25-102 -0.125+103 12345678901234567890.5D-5 > fortran.mtx
    e 1.5e3 -0.02 .5 1.25e-102 -0.125e103 12345678901234567890.5e-5 > c.mtx
    [ "$(id_of fortran.mtx)" = "$(id_of c.mtx)" ]
    sed 's/real/integer/; 2s/6/1/; 4,$d; s/1.5D+03/15D+01/' fortran.mtx > i.mtx
    [ "$("$BUILD/csr" entries i.mtx)" = "1 1 150" ]
}

# bats test_tags=id:import-byte-order-mark
@test "a byte-order mark is skipped and CR line ends are read" {
    want="$(id_of a.mtx)"
    { printf '\xef\xbb\xbf'; cat a.mtx; } > bom.mtx
    tr '\n' '\r' < a.mtx > cr.mtx
    { printf '\xef\xbb\xbf'; tr '\n' '\r' < a.mtx; } | gzip -c > both.mtx.gz
    head -c -1 cr.mtx > cr_cut.mtx
    tar -cf both.tar cr.mtx
    for f in bom.mtx cr.mtx both.mtx.gz cr_cut.mtx both.tar; do
        [ "$(id_of $f)" = "$want" ] || { echo "$f: $(spmv-info $f 2>&1)"; false; }
    done
}

# bats test_tags=quick,id:import-entries
@test "entries are sorted, summed, expanded and negated; diagonal entries are stored once; indices count from 1" {
    entries() { "$BUILD/csr" entries "$1" | xargs; }
    [ "$(entries a.mtx)" = "1 1 2 2 2 0 3 1 1e+22 3 2 -0.25 3 4 -0.002" ]
    printf '%s\n' '%%MatrixMarket matrix coordinate integer symmetric' '3 3 4' '1 1 4' '3 1 -2' '2 3 7' '3 3 9' > s.mtx
    [ "$(entries s.mtx)" = "1 1 4 1 3 -2 2 3 7 3 1 -2 3 2 7 3 3 9" ]
    printf '%s\n' '%%MatrixMarket matrix coordinate real skew-symmetric' '3 3 2' '3 1 -2' '3 2 7' > k.mtx
    [ "$(entries k.mtx)" = "1 3 2 2 3 -7 3 1 -2 3 2 7" ]
    gzip -k s.mtx
    spmv-import -o s.h5 s.mtx.gz
    [ "$(entries s.h5)" = "$(entries s.mtx)" ]
}

# bats test_tags=id:import-pattern-values
@test "pattern values are distinct multiples of 2^-24 in (0, 1], equal on both sides of the diagonal" {
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate pattern symmetric"; print 60, 60, 1830
                 for (j = 1; j <= 60; j++) for (i = j; i <= 60; i++) print i, j }' > p.mtx
    "$BUILD/csr" entries p.mtx > entries
    awk '{ v[$1, $2] = $3; if (!($3 > 0 && $3 <= 1) || $3 * 2 ^ 24 != int($3 * 2 ^ 24)) bad = 1; if (!($3 in seen)) { seen[$3]; n++ } }
         END { for (i = 1; i <= 60; i++) for (j = 1; j <= 60; j++) if (v[i, j] != v[j, i]) bad = 1; exit bad || NR != 3600 || n < 1800 }' entries
}

@test "--real-part takes the real parts of complex values; real matrices stay unchanged; all four symmetries" {
    while IFS='|' read -r symmetry real entries complex_entries; do
        # shellcheck disable=SC2086   # lines of the files
        (IFS=,; printf '%s\n' "%%MatrixMarket matrix coordinate complex $symmetry" $complex_entries) > c.mtx
        # shellcheck disable=SC2086
        (IFS=,; printf '%s\n' "%%MatrixMarket matrix coordinate real $real" $entries) > r.mtx
        spmv-import --real-part -o c.h5 c.mtx
        spmv-import --real-part -o r.h5 r.mtx
        [ "$(id_of c.h5)" = "$(id_of r.mtx)" ] || { echo "$symmetry"; false; }
        [ "$(id_of r.h5)" = "$(id_of r.mtx)" ]
        [ "$(spmv-info c.h5 | value_of field)" = real ]
    done <<'END'
general|general|2 3 3,1 1 2,2 3 0,2 3 -.5|2 3 3,1 1 2 7,2 3 0 1e3,2 3 -.5 nan
symmetric|symmetric|2 2 2,1 1 2,2 1 3|2 2 2,1 1 2 7,2 1 3 -1
skew-symmetric|skew-symmetric|2 2 1,2 1 3|2 2 1,2 1 3 -1
hermitian|symmetric|2 2 2,1 1 2,2 1 3|2 2 2,1 1 2 0,2 1 3 -1
END
}

@test "pattern values in archives are in (0, 1], exact in f32 and symmetric" {
    need_python
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate pattern symmetric"; print 200, 200, 20100
                 for (j = 1; j <= 200; j++) for (i = j; i <= 200; i++) print i, j }' > p.mtx
    spmv-import -o p.h5 p.mtx
    "$PYTHON" -c '
import h5py, numpy as np
v = h5py.File("p.h5")["values"][:]
assert len(v) == 40000 and v.min() > 0 and v.max() <= 1 and (v.astype("f4") == v).all()
assert (v.reshape(200, 200) == v.reshape(200, 200).T).all() and len(np.unique(v)) > 20000'
}

@test "empty matrices and empty rows are kept" {
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '5 3 0' > none.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '0 0 0' > zero.mtx
    for f in none zero; do
        spmv-import -o $f.h5 $f.mtx
        [ "$(id_of $f.h5)" = "$(id_of $f.mtx)" ]
        [ "$(spmv-info $f.h5 | value_of nnz)" = 0 ]
    done
    [ "$(spmv-info none.h5 | value_of row_empty)" = 5 ]
}

@test "name, group, source and field are stored; the name comes from a comment or the file name" {
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '% name: HB/thing' '1 1 1' '1 1 1' > x.mtx
    spmv-import -o x2.h5 x.mtx
    run -0 spmv-info x2.h5
    [ "$(value_of name <<<"$output")" = HB/thing ]
    [ "$(value_of group <<<"$output")" = HB ]
    [ "$(value_of source <<<"$output")" = x.mtx ]
    [ "$(value_of field <<<"$output")" = real ]
    gzip -k a.mtx
    [ "$(spmv-info a.mtx.gz | value_of name)" = a ]
}

@test "without -o the output is the file name with .h5" {
    run -0 spmv-import a.mtx
    [ -s a.h5 ]
}

@test "an import that replaces a matrix of another name says so" {
    cp a.mtx other.mtx
    spmv-import -q -o out.h5 a.mtx > first
    spmv-import -q -o out.h5 a.mtx | diff first -
    run -0 spmv-import -q -o out.h5 other.mtx
    [ "$output" = "$(sed 's/h5: a,/h5: other,/' first), in place of a" ]
}

@test "scipy and h5py read the same matrix from the input and our output" {
    need_python
    "$PYTHON" - <<'END'
import numpy as np, scipy.io, scipy.sparse as sp
rng = np.random.default_rng(5)
for name, field, symmetry in (("g", "real", "general"), ("i", "integer", "general"), ("p", "pattern", "general"),
                              ("s", "real", "symmetric"), ("k", "real", "skew-symmetric"), ("is", "integer", "symmetric")):
    a = sp.random(90, 90 if symmetry != "general" else 70, 0.07, random_state=7).tocoo()
    a.data = np.round(rng.normal(size=a.nnz) * 1000) if field == "integer" else rng.normal(size=a.nnz) * 10.0 ** rng.integers(-30, 30, a.nnz)
    if symmetry == "symmetric": a = (a + a.T).tocoo()
    if symmetry == "skew-symmetric": a = (a - a.T).tocoo()
    if field == "integer": a = a.astype("int64")
    scipy.io.mmwrite(name + ".mtx", a, field=field, symmetry=symmetry, precision=17)
END
    for f in g i p s k is; do spmv-import -o $f.h5 $f.mtx; done
    "$PYTHON" - <<'END'
import hashlib, json, h5py, numpy as np, scipy.io, scipy.sparse as sp, subprocess
for name in ("g", "i", "p", "s", "k", "is"):
    want = scipy.io.mmread(name + ".mtx").tocsr(); want.sum_duplicates()
    f = h5py.File(name + ".h5")
    about = json.loads(f.attrs["binsparse"])["binsparse"]
    assert about["version"] == "0.1.0" and about["format"] == "CSR" and about["shape"] == list(want.shape)
    assert about["number_of_stored_values"] == want.nnz
    assert about["data_types"] == {k: str(f[k].dtype) for k in ("pointers_to_1", "indices_1", "values")}
    ptr, col, val = f["pointers_to_1"][:], f["indices_1"][:], f["values"][:]
    assert (ptr == want.indptr).all() and (col == want.indices).all()
    assert name == "p" or (val == want.data).all(), name
    h = hashlib.sha256(b"CSR1" + np.array([*want.shape, want.nnz], "<i8").tobytes() + ptr.tobytes() + col.tobytes() + val.tobytes())
    info = json.loads(subprocess.check_output(["spmv-info", "--json", name + ".h5"]))
    assert info["matrix_id"] == h.hexdigest()
END
}

@test "Binsparse files of other programs are read: value types, iso, groups, the short attribute, unsorted rows" {
    need_python
    sorted_twin
    "$PYTHON" - <<'END'
import json, h5py, numpy as np
def write(path, ptr, col, val, at="/", nested=True, text=str, types=None, **more):
    f = h5py.File(path, "w"); g = f.require_group(at)
    about = {"version": "0.1", "format": "CSR", "shape": [3, 4], "number_of_stored_values": len(col),
             "data_types": {"pointers_to_1": "uint64", "indices_1": "uint64", "values": "float64", **(types or {})}, **more}
    g.attrs["binsparse"] = text(json.dumps({"binsparse": about} if nested else about))
    g["pointers_to_1"], g["indices_1"], g["values"] = ptr, col, val
ptr, col, val = [0, 1, 2, 5], [0, 1, 0, 1, 3], [2, 0, 1e22, -0.25, -0.002]
write("u64.h5", np.array(ptr, "u8"), np.array(col, "u8"), np.array(val))
write("i16be.h5", np.array(ptr, ">i2"), np.array(col, "u1"), np.array(val, ">f8"))
write("group.h5", np.array(ptr, "i4"), np.array(col, "i4"), np.array(val), at="/deep")
write("flat.h5", np.array(ptr, "i4"), np.array(col, "i4"), np.array(val), nested=False, text=np.bytes_)
write("unsorted.h5", np.array(ptr, "i4"), np.array([0, 1, 3, 0, 1]), np.array([2, 0, -0.002, 1e22, -0.25]))
write("iso.h5", np.array(ptr, "i4"), np.array(col, "i4"), np.array([3], "i1"), types={"values": "iso[int8]"})
write("ints.h5", np.array(ptr, "i4"), np.array(col, "i4"), np.full(5, 3, "i1"), types={"values": "int8"}, structure="general")
END
    want="$(id_of a.mtx)"
    for f in u64 i16be group flat unsorted; do
        [ "$(id_of $f.h5)" = "$want" ] || { spmv-info $f.h5; false; }
    done
    [ "$(id_of iso.h5)" = "$(id_of ints.h5)" ]
}

# bats test_tags=quick,id:import-csr-check
@test "csr_check detects each fault; numbers are parsed as by strtod" {
    run -0 "$BUILD/csr" good
    [ "${lines[0]}" = "201 0 -4000 2" ]
    [ "${lines[1]}" = e5174f33903a2c3d69b6ee2a9b60a3248c94c0e17df2944582e5220d43d4f568 ]
    while IFS='|' read -r name text; do
        run -1 "$BUILD/csr" "$name"
        [[ "$output" == *"$text"* ]] || { echo "$name: $output"; false; }
    done <<'END'
decrease|row 1 (counted from 0): row pointers decrease from 2 to 1
start|row pointers start at 1
end|row pointers end at 5
low|column index -1
high|column index 4
unsorted|row 2 (counted from 0): column 3 follows column 3
twice|row 0 (counted from 0): column 0 follows column 0
END
    run -0 "$BUILD/mtx_numbers"
    [ "$output" = "0 wrong" ]
}
