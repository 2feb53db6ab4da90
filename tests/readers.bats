#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Files of MATLAB, SciPy, PETSc, Rutherford-Boeing and AnnData, as other programs write them (matrix_files.py): the same matrix as in
# Matrix Market, which one is chosen, what is refused. Also zip, bzip2 and dense arrays.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    find_python || return 0
    cd "$BATS_FILE_TMPDIR"
    export PYTHONPATH="$ROOT/tests" PYTHONDONTWRITEBYTECODE=1
    "$PYTHON" - <<'END'
import os, sys, numpy as np, scipy.io, scipy.sparse as sp
from matrix_files import *
def mtx(path, m, kind="real", symmetry="general"):
    o = m.tocoo()
    with open(path, "w") as f:
        f.write("%%%%MatrixMarket matrix coordinate %s %s\n%d %d %d\n" % (kind, symmetry, *m.shape, o.nnz))
        f.writelines("%d %d%s\n" % (i + 1, j + 1, "" if kind == "pattern" else " %.17g" % v) for i, j, v in zip(o.row, o.col, o.data))
def put(name, m, pattern=False):
    os.mkdir(name)
    mtx(name + ".mtx", m, "pattern" if pattern else "real")
    all_formats(m, pattern, name)
    os.chdir("..")
    assert os.getcwd() == here
here = os.getcwd()
rng = np.random.default_rng(1)
def some(rows, cols, seed=1):
    m = sp.random(rows, cols, 0.08, random_state=seed, format="lil")
    m[7, :] = 0; m[:, 11] = 0; m[rows - 1, :] = 0
    m = m.tocsr(); m.data = rng.standard_normal(m.nnz) * 10.0 ** rng.integers(-80, 80, m.nnz); return m
zeros = some(60, 45); zeros.data[::9] = 0
put("zeros", zeros)
put("wide", some(40, 300))
banded = sp.diags([1.5, -2.25, 3], [-3, 0, 7], shape=(30, 40), format="csr"); put("banded", banded)
END
    # the values of a pattern are those that spmv-import gives it
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '5 4 6' '1 1' '2 1' '5 1' '3 2' '1 4' '4 4' > pattern.mtx
    spmv-import -q -o pattern.h5 pattern.mtx > /dev/null
    mkdir pattern
    "$PYTHON" "$ROOT/tests/matrix_files.py" pattern.h5 1 pattern > /dev/null
}
setup() { need_python; cd "$BATS_FILE_TMPDIR"; mkdir "$BATS_TEST_NUMBER"; cd "$BATS_TEST_NUMBER"; }

python() { { echo 'from matrix_files import *'; cat; } | PYTHONPATH="$ROOT/tests" PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -; }

# same FILE.mtx FILE...: each file holds the matrix of the first.
same() {
    local want
    want="$(spmv-info -q "$1" | value_of matrix_id)"
    [ "${#want}" -eq 64 ]
    spmv-info -q "${@:2}" > infos || return 1
    awk -F'\t' -v want="$want" -v files=$(($# - 1)) '
        $1 == "name" { file = $2 }
        $1 == "matrix_id" { found++; if ($2 != want) { print file ", matrix " found " of those given: " $2; bad = 1 } }
        END { if (found != files) print found " matrices in " files " files"; exit bad || found != files }' infos
}

# refused FILE TEXT: one line on stderr that begins with FILE and contains TEXT, nothing on stdout.
refused() {
    run -1 --separate-stderr spmv-info -q "$1"
    [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == "spmv-info: ${1%%:*}"* ]] && [[ "$stderr" == *"$2"* ]] || { echo "$1: expected '$2' in: $stderr ($output)"; return 1; }
}

# bats test_tags=id:readers-same
@test "the same matrix in every format has one matrix_id, and a header of the same numbers" {
    local name
    for name in zeros wide banded pattern; do
        same ../$name.mtx ../$name/*
        # three of the files state the name Group/m, and count once
        spmv-run -q --backend cpu -c csr-scalar --dry-run -o run.h5 ../$name.mtx ../$name/[!d]* | column rows,cols,nnz | sort | uniq -c > sizes
        [ "$(wc -l < sizes)" -eq 1 ] && [ "$(awk '{ print $1 }' sizes)" -eq $(($(printf "%s\n" ../$name/[!d]* | wc -l) - 1)) ] || { cat sizes; return 1; }
    done
    [ "$(ls ../banded | wc -l)" -eq 17 ]
    [ "$(spmv-info -q ../zeros/problem5.mat | value_of name)" = Group/m ]
    [ "$(spmv-info -q ../zeros/problem73.mat | value_of group)" = Group ]
    [ "$(spmv-info -q ../zeros/m.rb | value_of name)" = Group/m ]
    [ "$(spmv-info -q ../pattern/problem73.mat | value_of field)" = pattern ]
}

# bats test_tags=id:readers-streams
@test "these files are also read compressed, in archives, from a pipe and under any name; folders find them" {
    python <<'END'
import bz2, gzip, lzma, tarfile, zipfile
z = "../zeros/"
for name in "packed5.mat", "csr.npz", "a32.petsc", "m.rb":
    data = open(z + name, "rb").read()
    gzip.open(name + ".gz", "wb").write(data)
    bz2.open(name + ".bz2", "wb").write(data)
    with tarfile.open(name + ".tar.xz", "w:xz") as t: t.add(z + name, "m/" + name)
    for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2:
        with zipfile.ZipFile("%s.%d.zip" % (name, method), "w", method) as t:
            t.writestr("m/README.txt", "about m"); t.write(z + name, "m/" + name)
with zipfile.ZipFile("m.zip", "w", zipfile.ZIP_DEFLATED) as t: t.write("../zeros.mtx", "m/m.mtx"); t.write("../wide.mtx", "m/other.mtx")
with tarfile.open("m.tbz2", "w:bz2") as t: t.add("../zeros.mtx", "m/m.mtx")
half = open("../zeros.mtx", "rb").read()
open("two.mtx.bz2", "wb").write(bz2.compress(half[:500]) + bz2.compress(half[500:]))
END
    cp ../zeros/m.rb disguised.mtx
    same ../zeros.mtx ./* <(cat ../zeros/packed5.mat) <(cat ../zeros/csr.npz) <(cat m.zip) m.zip:m/m.mtx
    refused m.zip:m/none.mtx "member 'm/none.mtx' not found; the archive holds: m/m.mtx, m/other.mtx"
    [ "$(spmv-info -q m.zip | value_of name)" = m ]
    mkdir folder
    cp ../zeros/* folder
    spmv-run -q --backend cpu -c csr-scalar --dry-run -o run.h5 folder | column nnz > found
    [ "$(wc -l < found)" -eq $(($(ls folder | wc -l) - 2)) ]
}

# bats test_tags=id:readers-matlab
@test "MATLAB: which variable is read, types and byte orders, complex values, matrices without entries" {
    python <<'END'
m = sp.csc_matrix(np.array([[1, 0, 200], [0, 3, 0]])).astype(float)
for kind in "dfBi": mat5_file(f"m-{kind}.mat", ">", mat5_sparse(">", "m", m, kind=kind))
mat5_file("m-logical.mat", "<", mat5_sparse("<", "m", (m != 0).tocsc(), kind="B", logical=True))
scipy.io.savemat("logical.mat", {"m": m != 0})
c = m * (1 + 2j)
scipy.io.savemat("complex5.mat", {"c": c}); mat5_file("complex.mat", ">", mat5_sparse(">", "c", c, complex=True))
mat73_file("complex73.mat", lambda f: mat73_sparse(f, "c", c))
dense = np.arange(6.0).reshape(2, 3)
scipy.io.savemat("two.mat", {"b": dense, "first": m, "second": 2 * m, "s": {"A": m, "B": 2 * m}}, do_compression=True)
def two(f):
    for name, x in ("first", m), ("second", 2 * m): mat73_sparse(f, name, x)
    f.create_group("s").attrs["MATLAB_class"] = np.bytes_("struct"); mat73_sparse(f, "s/A", m); mat73_sparse(f, "s/B", 2 * m)
    f["b"] = dense; f["b"].attrs["MATLAB_class"] = np.bytes_("double")
mat73_file("two73.mat", two)
scipy.io.savemat("none.mat", {"b": dense, "text": "a"})
def none(f): f["b"] = dense; f["b"].attrs["MATLAB_class"] = np.bytes_("double")
mat73_file("none73.mat", none)
scipy.io.savemat("four.mat", {"m": m}, format="4")
for name, shape in ("rowless", (0, 3)), ("empty", (2, 3)):
    scipy.io.savemat(name + ".mat", {"A": sp.csc_matrix(shape)}); mat73_file(name + "73.mat", lambda f: mat73_sparse(f, "A", sp.csc_matrix(shape)))
scipy.io.savemat("odd.mat", {"P": {"A": m, "Zeros": sp.csc_matrix((3, 3))}})
END
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 3' '1 1 1' '1 3 200' '2 2 3' > m.mtx
    sed 's/200$/1/;s/3$/1/;s/^2 3 1/2 3 3/;s/^1 1$/1 3 1/' m.mtx > ones.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 3' '1 1 1' '1 3 1' '2 2 1' > ones.mtx
    sed 's/1 1 1/1 1 2/;s/200/400/;s/2 2 3/2 2 6/' m.mtx > double.mtx
    same m.mtx m-[dfBi].mat two.mat:first two73.mat:first two.mat:s two73.mat:s two73.mat:s.A
    same double.mtx two.mat:second two73.mat:second two.mat:s.B two73.mat:s.B
    same ones.mtx m-logical.mat logical.mat
    for f in complex5 complex complex73; do
        refused $f.mat "complex values are not supported; --real-part keeps the real parts"
        [ "$(spmv-info -q --real-part $f.mat | value_of matrix_id)" = "$(spmv-info -q m.mtx | value_of matrix_id)" ]
    done
    for f in rowless empty; do
        [ "$(spmv-info -q $f.mat | value_of nnz)" = 0 ]
        [ "$(spmv-info -q $f.mat | value_of matrix_id)" = "$(spmv-info -q ${f}73.mat | value_of matrix_id)" ]
    done
    for f in two two73; do
        refused $f.mat "holds several sparse matrices: first, second; name one as $f.mat:VARIABLE"
        refused $f.mat:b "no sparse matrix 'b'; the file holds: "
        refused $f.mat:s.C "no sparse matrix 's.C'; the file holds: "
    done
    refused none.mat "a MATLAB file without a sparse matrix; it holds: b, text"
    refused none73.mat "a MATLAB file without a sparse matrix; it holds: b"
    refused four.mat "no MATLAB file of version 5 or later; in MATLAB, save("
    refused odd.mat "P.Zeros is 3 x 3, expected 2 x 3 as P.A"
}

# bats test_tags=id:readers-scipy
@test "SciPy: all types, unsorted and repeated entries, blocks in both orders, diagonals; NumPy's own files are named" {
    python <<'END'
d = np.array([[1, 0, 4, 0], [0, 3, 0, 0], [0, 0, 2, 5]])
m = sp.csr_matrix(d).astype(float)
for t in "i1", "u1", "i2", "u4", "i8", ">i4", "f4", ">f8":
    try: sp.save_npz("m-%s.npz" % t.replace(">", "b"), m.astype(t))
    except ValueError:              # SciPy 1.15 takes no foreign byte order
        if t[0] != ">": raise
sp.save_npz("m-c16.npz", (m * (1 + 1j)).tocsc())
sp.save_npz("bool.npz", m.astype(bool))
wide = m.tocsr(); wide.indices = wide.indices.astype("i8"); wide.indptr = wide.indptr.astype("i8"); sp.save_npz("m-wide.npz", wide)
o = m.tocoo(); order = [4, 2, 0, 3, 1]
sp.save_npz("m-order.npz", sp.coo_matrix((o.data[order], (o.row[order], o.col[order])), m.shape), compressed=False)
sp.save_npz("m-unsorted.npz", sp.csr_matrix((o.data[[1, 0, 2, 4, 3]], o.col[[1, 0, 2, 4, 3]], m.indptr), m.shape))
sp.save_npz("twice.npz", sp.coo_matrix(([1, 3, 2, 5, 2.0, 2], ([0, 1, 2, 2, 0, 0], [0, 1, 2, 3, 2, 2])), m.shape))
room = m.copy(); np.savez("room.npz", indices=np.append(room.indices, [9, 9]), indptr=room.indptr, format=b"csr", shape=m.shape, data=np.append(room.data, [7, 7.0]))
np.savez("m-row.npz", format=b"csr", shape=m.shape, row=[0], indptr=m.tocsr().indptr, indices=m.tocsr().indices, data=m.tocsr().data) # not of the format
np.savez("m-pointer.npz", format=b"coo", shape=m.shape, indptr=[0], indices=[0], row=o.row, col=o.col, data=o.data)
blocks = sp.csr_matrix(np.kron(np.eye(2), np.arange(1, 7).reshape(2, 3)) + np.eye(4, 6)).tobsr((2, 3)); sp.save_npz("bsr.npz", blocks)
save = dict(indices=blocks.indices, indptr=blocks.indptr, format=b"bsr", shape=blocks.shape, data=np.asfortranarray(blocks.data))
np.savez("bsr-f.npz", **save)
sp.save_npz("blocks.npz", blocks.tocsr())
dia = sp.dia_matrix((np.array([[1, 2, 0.0], [7, 8, 9]]), [0, 1]), (4, 5)); sp.save_npz("dia.npz", dia); sp.save_npz("diagonals.npz", dia.tocsr())
np.savez("dense.npz", a=d, b=d); np.save("dense.npy", d); np.savez("object.npz", format=b"csr", shape=m.shape, data=np.array([{}], dtype=object), indices=[0], indptr=[0])
END
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 5' '1 1 1' '1 3 4' '2 2 3' '3 3 2' '3 4 5' > m.mtx
    same m.mtx m-[!c]*.npz room.npz
    sed 's/ [0-9]*$/ 1/;2s/.*/3 4 5/' m.mtx > ones.mtx
    same ones.mtx bool.npz
    run -0 spmv-info twice.npz
    [[ "$output" == *"twice.npz: 1 duplicate entry summed"* ]]
    same twice.npz m.mtx
    same blocks.npz bsr.npz bsr-f.npz
    same diagonals.npz dia.npz
    refused m-c16.npz "complex values are not supported; --real-part keeps the real parts"
    spmv-import -q --real-part -o real.h5 m-c16.npz
    same m.mtx real.h5
    refused dense.npz "a NumPy archive without a sparse matrix (other arrays: a.npy, b.npy); scipy.sparse.save_npz writes one"
    refused dense.npy "a NumPy file of a dense array; scipy.sparse.save_npz"
    refused object.npz "an array of type '|O'"
}

# bats test_tags=id:readers-petsc
@test "PETSc: a matrix before other objects, complex values, PETSc's own writer; vectors and dense matrices are named" {
    python <<'END'
m = sp.csr_matrix(np.array([[1, 0, 4, 0], [0, 3, 0, 0], [0, 0, 2, 5]])).astype(float)
vector = np.array([1211214, 3], ">i4").tobytes() + np.arange(3).astype(">f8").tobytes()
petsc("before.petsc", m, after=vector); petsc("twice.petsc", m, after=open("before.petsc", "rb").read())
petsc("complex.petsc", m * (1 + 2j), value=">c16"); petsc("complex64.petsc", m * (1 + 2j), ">i8", ">c16")
open("vector.petsc", "wb").write(vector)
open("dense.petsc", "wb").write(np.array([1211216, 3, 4, -1], ">i4").tobytes() + m.toarray().astype(">f8").tobytes())
petsc("single.petsc", m, value=">f4"); petsc("odd.petsc", m, after=b"more than this")
import glob, sys
for path in glob.glob("/usr/share/petsc/*/lib/petsc/bin"): sys.path.append(path)
try: import PetscBinaryIO
except ImportError: petsc("own.petsc", m)
else:
    with open("own.petsc", "wb") as f: PetscBinaryIO.PetscBinaryIO().writeMatSciPy(f, m)
END
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 5' '1 1 1' '1 3 4' '2 2 3' '3 3 2' '3 4 5' > m.mtx
    same m.mtx before.petsc twice.petsc own.petsc
    for f in complex complex64; do
        refused $f.petsc "complex values are not supported; --real-part keeps the real parts"
        [ "$(spmv-info -q --real-part $f.petsc | value_of matrix_id)" = "$(spmv-info -q m.mtx | value_of matrix_id)" ]
    done
    refused vector.petsc "a PETSc file that begins with a vector, expected a matrix"
    refused dense.petsc "a dense matrix of PETSc; convert it with MatConvert to MATAIJ"
    refused single.petsc "is cut short: it ends after 68 bytes, in the values of the entries"
    refused odd.petsc "found neither the end nor another object of PETSc after 5 values of the matrix"
    mkdir folder
    cp vector.petsc before.petsc folder
    [ "$(spmv-run -q --backend cpu -c csr-scalar --dry-run -o run.h5 folder | column matrix)" = before ]
}

# hb NAME TYPE SIZE VALFMT POINTERS INDICES [VALUE-LINE...]
hb() {
    local name="$1" type="$2" size="$3" format="$4"; shift 4
    { printf '%-72s%-8s\n' "$name" key; printf '%14d%14d%14d%14d%14d\n' $# 1 1 $(($# - 2)) 0; printf '%-14s%14d%14d%14d%14d\n' "$type" $size 0
      printf '%-16s%-16s%-20s\n' '(10I3)' '(10I3)' "$format"; printf '%s\n' "$@"; } > "$name"
}

# bats test_tags=id:readers-harwell-boeing
@test "Harwell-Boeing: fields that touch, D exponents, scale factors, implied points; symmetries; elemental files are refused" {
    general() { printf '%s\n' "%%MatrixMarket matrix coordinate ${kind:-real} ${symmetry:-general}" "$@"; }
    general '2 2 3' '1 1 1.25' '2 1 -3e-200' '2 2 400' > m.mtx
    hb d.rua RUA '2 2 3' '(3D12.4)' '  1  3  4' '  1  2  2' '  1.2500D+00 -3.0000-200  4.0000D+02'
    hb touch.rua RUA '2 2 3' '(1P,3E10.3)' '  1  3  4' '  1  2  2' ' 1.250E+00-3.00E-200 4.000E+02'
    hb scale.rua RUA '2 2 3' '(2P,3F20.2)' '  1  3  4' '  1  2  2' "$(printf '%20s%20s%20s' 125. -3.D-200 40000)."
    hb point.rua RUA '2 2 3' '(3E12.4)' '  1  3  4' '  1  2  2' "$(printf '%12s%12s%12s' 12500 -30000E-200 4000000)"
    hb more.rua rua '2 2 3' '(4P3(E20.12E3))' '  1  3  4' '  1  2  2' "$(printf '%20s%20s%20s' 1.25E0 -3.E-200 400.E0)"
    same m.mtx *.rua
    symmetry=symmetric general '2 2 3' '1 1 1.25' '2 1 -3e-200' '2 2 400' > s.mtx
    sed 's/rua/rsa/;s/RUA/RSA/' d.rua > s.rsa
    same s.mtx s.rsa
    symmetry=skew-symmetric general '2 2 1' '2 1 5' > z.mtx
    hb z.rza RZA '2 2 1' '(1F5.1)' '  1  2  2' '  2' '  5.0'
    same z.mtx z.rza
    kind=integer general '2 3 3' '1 1 1' '2 1 -2' '2 3 3' > i.mtx
    hb i.iua IRA '2 3 3' '(3I4)' '  1  3  3  4' '  1  2  2' '   1  -2   3'
    same i.mtx i.iua
    kind=integer general '2 2 2' '1 1 9007199254740993' '2 2 -9007199254740991' > big.mtx
    printf '%s\n' '%%MatrixMarket matrix array integer general' '2 2' 9007199254740993 0 0 -9007199254740991 > array.mtx
    hb big.iua IRA '2 2 2' '(2I18)' '  1  2  3' '  1  2' "$(printf '%18s%18s' 9007199254740993 -9007199254740991)"
    for file in big.mtx array.mtx big.iua; do
        run -0 --separate-stderr spmv-info $file
        [ "$stderr" = "spmv-info: $file: 1 element of the values: integers of 2^53 or more; read as the nearest float64" ] || { echo "$stderr"; false; }
    done
    kind=pattern symmetry=symmetric general '2 2 2' '1 1' '2 1' > p.mtx
    hb p.psa PSA '2 2 2' '' '  1  3  3' '  1  2'
    same p.mtx p.psa
    hb c.cua CUA '2 2 3' '(2F6.2)' '  1  3  4' '  1  2  2' '  1.00  2.00' ' -3.00  0.00' '400.00  0.00'
    refused c.cua "line 3: complex values are not supported; --real-part keeps the real parts"
    general '2 2 3' '1 1 1' '2 1 -3' '2 2 400' > r.mtx
    [ "$(spmv-info -q --real-part c.cua | value_of matrix_id)" = "$(spmv-info -q r.mtx | value_of matrix_id)" ]
    hb rhs.rua RUA '2 2 3' '(3D12.4)' '  1  3  4' '  1  2  2' '  1.2500D+00 -3.0000-200  4.0000D+02' '  1.0000D+00  2.0000D+00'
    sed -i '2s/^\(.\{42\}\).*/\1             1             1/;4s/$/(3D12.4)/;4aF                          1             0' rhs.rua
    same m.mtx rhs.rua
    while IFS='|' read -r edit text; do
        sed "$edit" d.rua > bad.rua
        refused bad.rua "$text"
    done <<'END'
3s/RUA/RUE/|line 3: type RUE: a matrix of unassembled finite elements is not supported
3s/RUA/RXA/|line 3: found 'RXA
4s/(3D12.4)/(3A12)  /|line 4: found '(10I3)
5s/1  3/2  3/|line 5: pointer 2 to column 1; expected pointers that increase from 1 to 4
5s/3  4/4  3/|line 5: pointer 3 to column 3; expected pointers that increase from 1 to 4
5s/  4/  9/|line 5: '9' in the pointers to columns, expected an integer from 1 to 4
6s/2  2/2  3/|line 6: '3' in the row indices, expected an integer from 1 to 2
7s/1.2500D/1.25x0D/|line 7: '1.25x0D+00' in the values, expected a number
7d|is cut short: it ends after line 6, before the values; get the file again
6s/$/ 7/;5s/$/  5/;3s/3             0/9             0/|line 5: pointer 4 to column 3
3s/3             0/300000000     0/|line 3: 2 columns and 300000000 entries, more than the file can hold
2s/1             0$/0             0/|line 3: no values (line 2 says so)
END
    hb diagonal.rza RZA '2 2 1' '(1F5.1)' '  1  2  2' '  1' '  5.0'
    refused diagonal.rza "diagonal entry in column 1 of a skew-symmetric matrix"
}

# bats test_tags=id:readers-anndata
@test "AnnData: X, or another group by its name; a dense X is refused" {
    python <<'END'
m = sp.csr_matrix(np.array([[1, 0, 4, 0], [0, 3, 0, 0], [0, 0, 2, 5]])).astype("f4")
anndata("m.h5ad", m); anndata("m.h5ad", (2 * m).tocsc(), "layers/counts")
with h5py.File("dense.h5ad", "w") as f: f.attrs["encoding-type"] = "anndata"; f["X"] = m.toarray(); f["X"].attrs["encoding-type"] = "array"
anndata("short.h5ad", m)
with h5py.File("short.h5ad", "r+") as f: del f["X/data"]; f["X/data"] = np.ones(3, "f4")
anndata("index.h5ad", m)
with h5py.File("index.h5ad", "r+") as f: f["X/indices"][2] = 4
END
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 5' '1 1 1' '1 3 4' '2 2 3' '3 3 2' '3 4 5' > m.mtx
    awk 'NR < 3 { print; next } { print $1, $2, 2 * $3 }' m.mtx > double.mtx
    same m.mtx m.h5ad m.h5ad:X
    same double.mtx m.h5ad:layers/counts
    [ "$(spmv-info -q m.h5ad:layers/counts | value_of name)" = counts ]
    refused dense.h5ad "dense.h5ad:X: not a sparse matrix of AnnData"
    refused m.h5ad:none "AnnData file without a group 'none'"
    refused short.h5ad "short.h5ad:X: dataset data has 3 elements, expected 5"
    refused index.h5ad "index.h5ad:X: dataset indices: element 2 (counted from 0) is 4, expected an index below 4"
}

# bats test_tags=id:readers-array
@test "a dense array of Matrix Market is read when named, in any symmetry, and left out of folders and archives" {
    printf '%s\n' '%%MatrixMarket matrix array real general' '% b' '3 2' 1 0 -2 '' 3e2 4 0 > b.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 2 4' '1 1 1' '3 1 -2' '1 2 300' '2 2 4' > m.mtx
    same m.mtx b.mtx
    printf '%s\n' '%%MatrixMarket matrix array integer symmetric' '2 2' 1 5 0 > s.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate integer symmetric' '2 2 2' '1 1 1' '2 1 5' > t.mtx
    same t.mtx s.mtx
    printf '%s\n' '%%MatrixMarket matrix array complex skew-symmetric' '3 3' '1 7' '2 8' '3 9' > s.mtx
    printf '%s\n' '%%MatrixMarket matrix coordinate real skew-symmetric' '3 3 3' '2 1 1' '3 1 2' '3 2 3' > t.mtx
    [ "$(spmv-info -q --real-part s.mtx | value_of matrix_id)" = "$(spmv-info -q t.mtx | value_of matrix_id)" ]
    printf '%s\n' '%%MatrixMarket matrix array real general' '2 0' > none.mtx
    [ "$(spmv-info -q none.mtx | value_of nnz)" = 0 ]
    mkdir m
    cp b.mtx m/m_b.mtx
    tar -cf b.tar m/m_b.mtx
    same m.mtx b.tar:m/m_b.mtx
    refused b.tar "no matrix but m/m_b.mtx; name b.tar:m/m_b.mtx to read it as a matrix"
    cp m.mtx m/
    [ "$(spmv-run -q --backend cpu -c csr-scalar --dry-run -o run.h5 m | column matrix)" = m ]
    while IFS='|' read -r edit text; do
        sed "$edit" b.mtx > bad.mtx
        refused bad.mtx "$text"
    done <<'END'
1s/real/pattern/|line 1: 'array pattern' is invalid (no values)
3s/$/ 6/|line 3: found '3 2 6', expected two numbers 'ROWS COLUMNS'
$d|the size line declares 6 values but the file ends after 5 (line 9); get the file again
$s/$/ 7/|line 10: found '0 7', expected a number
3s/3/2/|line 9: more values than the 4 of the array
1s/real/integer/;4s/1/1.5/|line 4: found '1.5', expected an integer
END
}

# bats test_tags=id:readers-damage
@test "every format cut short at any length, and with indices or counts that contradict each other, is refused in one line" {
    local f n k
    python <<'END'
import zipfile
m = sp.csr_matrix(np.array([[1, 0, 4, 0], [0, 3, 0, 0], [0, 0, 2, 5]])).astype(float)
def npz(name, **other):
    a = dict(indices=m.indices, indptr=m.indptr, format=b"csr", shape=m.shape, data=m.data); a.update(other)
    np.savez(name, **{k: v for k, v in a.items() if v is not None})
npz("index.npz", indices=[0, 2, 1, 2, 4]); npz("pointer.npz", indptr=[0, 4, 3, 5]); npz("first.npz", indptr=[1, 2, 3, 5]); npz("short.npz", indptr=[0, 2, 5])
npz("last.npz", indptr=[0, 2, 3, 9]); npz("data.npz", data=[1.0]); npz("missing.npz", indptr=None); npz("shape.npz", shape=[3, 2**31]); npz("float.npz", indices=m.data)
npz("format.npz", format=b"lil"); npz("rows.npz", shape=[2**31 - 1, 4])
with zipfile.ZipFile("huge.npz", "w") as z:
    for k in "indices", "indptr", "format", "shape", "data":
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (900000000000,), }".ljust(117) + b"\n"
        z.writestr(k + ".npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head)
data = bytearray(open("index.npz", "rb").read()); data[200] ^= 1; open("flipped.npz", "wb").write(data)
data = bytearray(open("index.npz", "rb").read()); data[6] |= 1; open("encrypted.npz", "wb").write(data)
def petsc_of(name, *ints, values=5): open(name, "wb").write(np.array(ints, ">i4").tobytes() + np.ones(values).astype(">f8").tobytes())
petsc_of("column.petsc", 1211216, 3, 4, 5, 2, 1, 2, 0, 2, 1, 2, 4); petsc_of("sum.petsc", 1211216, 3, 4, 5, 2, 1, 1, 0, 2, 1, 2, 3)
petsc_of("negative.petsc", 1211216, 3, 4, 5, -2, 1, 1, 0, 2, 1, 2, 3); petsc_of("rows.petsc", 1211216, 2**31 - 1, 4, 5, values=0); petsc_of("nnz.petsc", 1211216, 3, 4, 2**31 - 2, values=9)
petsc_of("size.petsc", 1211216, -3, 4, 5)
def mat(name, edit):
    c = m.tocsc(); edit(c); mat5_file(name, "<", mat5_sparse("<", "A", c))
def at(array, k, v): return lambda c: getattr(c, array).__setitem__(k, v)
mat("index.mat", at("indices", 1, 3)); mat("pointer.mat", at("indptr", 1, 3)); mat("last.mat", at("indptr", 4, 9)); mat("first.mat", at("indptr", 0, 1))
data = bytearray(open("index.mat", "rb").read()); data[132:136] = struct.pack("<I", 1 << 30); open("huge.mat", "wb").write(data)
data = bytearray(open("index.mat", "rb").read()); data[160:168] = struct.pack("<ii", 3, 2**31 - 2); open("cols.mat", "wb").write(data)
with zipfile.ZipFile("m.zip", "w", zipfile.ZIP_DEFLATED) as z: z.write("../zeros.mtx", "m/m.mtx")
data = bytearray(open("m.zip", "rb").read()); data[6] |= 1; open("encrypted.zip", "wb").write(data)
data = bytearray(open("m.zip", "rb").read()); data[14] ^= 1; open("crc.zip", "wb").write(data)
with zipfile.ZipFile("none.zip", "w") as z: z.writestr("README.txt", "none")
zipfile.ZipFile("empty.zip", "w").close()
END
    cp m.zip ../zeros/m.zip
    for f in plain5.mat packed5.mat big5.mat problem5.mat csr.npz coo.npz a32.petsc a64.petsc m.rb m.hb m.zip; do
        n="$(stat -c %s ../zeros/$f)"
        for k in 3 20 130 140 300 $((n / 2)) $((n * 3 / 4)); do head -c "$k" ../zeros/$f > "cut-$k-$f"; done
    done
    rm ../zeros/m.zip
    run -1 --separate-stderr spmv-info -q cut-*
    [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq "$(ls cut-* | wc -l)" ] || { echo "$output"; grep -v "spmv-info: cut-" <<< "$stderr"; return 1; }
    while IFS='|' read -r f text; do refused "$f" "$text"; done <<'END'
index.npz|indices: element 4 (counted from 0) is 4, expected an index below 4
pointer.npz|indptr decreases from 4 to 3 after element 1 (counted from 0)
first.npz|indptr starts at 1, expected 0
short.npz|indptr has 3 elements, expected 4
last.npz|indptr ends at 9, expected at most the number of indices, 5
data.npz|data has 1 elements, expected 5
missing.npz|no array indptr, required by format csr
shape.npz|shape: expected two integers from 0 to 2147483647
float.npz|float.npz:indices.npy: expected one dimension of integers
format.npz|format 'lil', expected csr, csc, coo, bsr or dia
rows.npz|indptr has 4 elements, expected 2147483648
huge.npz|huge.npz:indices.npy: 
flipped.npz|flipped.npz
encrypted.npz|encrypted.npz:indices.npy is encrypted; write it without a password
column.petsc|columns: element 4 (counted from 0) is 4, expected an index below 4
sum.petsc|the sum of the row lengths ends at 4, expected the number of entries in the header, 5
negative.petsc|row 0 (counted from 0) has length -2
rows.petsc|2147483647 rows declared, more than the file can hold
nnz.petsc|2147483646 entries declared, more than the file can hold
size.petsc|a matrix of -3 x 4 with 5 entries; expected 0 to 2147483647 rows and columns
index.mat|ir: element 1 (counted from 0) is 3, expected an index below 3
pointer.mat|jc decreases from 3 to 2 after element 1 (counted from 0)
last.mat|jc ends at 9, expected at most the 5 elements of ir
first.mat|jc starts at 1, expected 0
huge.mat|1073741824 bytes of a variable declared, more than the file can hold
cols.mat|a sparse matrix of 3 x 2147483646, more than its variable can hold
encrypted.zip|member m/m.mtx is encrypted; unpack the archive first
crc.zip|crc.zip
none.zip|zip archive without a .mtx
empty.zip|empty zip archive; expected NAME/NAME.mtx
END
}

@test "files that no reader supports are named as what they are, with a way out" {
    while IFS='|' read -r bytes text; do
        printf "$bytes and more" > other
        refused other "$text"
    done <<'END'
\x93NUMPY\x01|a NumPy file of a dense array; scipy.sparse.save_npz
\x80\x04\x95|a Python pickle
RDX3\n|an R workspace; Matrix::writeMM
PAR1|a Parquet table
7z\xbc\xaf\x27\x1c|a 7-Zip archive; unpack it first
%%PDF-1.4|a PDF document
<!DOCTYPE html>|a page of the Web; get the file again
# Created by Octave|a text file of Octave; save('-v7', FILE, VARIABLE)
END
}

# bats test_tags=long
@test "shared matrices in every format have one matrix_id: 12 of those below 100000 nonzeros; all below SHARED_NNZ, if that is set" {
    need_shared
    local name bad=''
    while read -r name; do
        xz -dc "$SHARED_MATRICES/$name.mtx.xz" > $name.mtx
        spmv-import -q -o $name.h5 $name.mtx > /dev/null
        mkdir $name
        "$PYTHON" "$ROOT/tests/matrix_files.py" $name.h5 "$(head -n 1 $name.mtx | grep -c pattern)" $name > /dev/null
        same $name.mtx $name/* || bad+=" $name"
        rm -r $name $name.*
        echo "# $name" >> tried
    done < <(awk -F'\t' -v most="${SHARED_NNZ:-100000}" 'BEGIN { srand(1) } NR > 1 && $5 < most { print rand() "\t" $1 }' "$SHARED_MATRICES/INDEX.tsv" \
        | sort -g | cut -f2 | if [ -n "${SHARED_NNZ:-}" ]; then cat; else head -n 12; fi)
    [ -z "$bad" ] || { echo "not the same:$bad"; return 1; }
    [ "$(wc -l < tried)" -ge 12 ]
}
