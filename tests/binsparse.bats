#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Binsparse in HDF5 as other programs write it (made by h5py): formats, types, structures, groups, damage. Results are compared
# with scipy's.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    find_python || return 0
    cd "$BATS_FILE_TMPDIR"
    cat > write.py <<'END'
import json, h5py, numpy as np, scipy.sparse as sp
# `arrays` maps names of datasets to data. `types` and other keywords override what the attribute would say of these arrays.
def write(path, format, arrays, shape, nnz, types=None, at="/", drop=(), **more):
    with h5py.File(path, "a") as f:
        g = f.require_group(at)
        about = {"version": "0.1", "format": format, "shape": [int(n) for n in shape], "number_of_stored_values": int(nnz),
                 "data_types": {**{k: str(np.asarray(v).dtype) for k, v in arrays.items()}, **(types or {})}, **more}
        g.attrs["binsparse"] = json.dumps({"binsparse": about, "author": "someone"})
        for k, v in arrays.items():
            if k not in drop: g[k] = v
def doubly(m):
    n = np.diff(m.indptr); keep = np.nonzero(n)[0]
    return keep, np.concatenate([[0], np.cumsum(n[keep])])
def arrays_of(m, format, index="u8", pointer="u8"):
    m = m.tocsc() if format in ("CSC", "DCSC", "COOC") else m.tocsr()
    m.sort_indices()
    if format.startswith("COO"):
        o = m.tocoo()
        first, second = (o.col, o.row) if format == "COOC" else (o.row, o.col)
        return dict(indices_0=first.astype(index), indices_1=second.astype(index), values=o.data)
    if format.startswith("D"):
        keep, ptr = doubly(m)
        return dict(indices_0=keep.astype(index), pointers_to_1=ptr.astype(pointer), indices_1=m.indices.astype(index), values=m.data)
    return dict(pointers_to_1=m.indptr.astype(pointer), indices_1=m.indices.astype(index), values=m.data)
def put(path, m, format="CSR", index="u8", pointer="u8", **more):
    write(path, format, arrays_of(m, format, index, pointer), m.shape, m.nnz, **more)
FORMATS = ("CSR", "CSC", "DCSR", "DCSC", "COO", "COOR", "COOC")
# 60 x 45, with empty rows and columns, explicit zeros and values that are exact in f32
def some(rows=60, cols=45, seed=3):
    rng = np.random.default_rng(seed)
    m = sp.random(rows, cols, 0.08, random_state=seed, format="lil")
    m[7, :] = 0; m[:, 11] = 0; m[rows - 1, :] = 0
    m = m.tocsr(); m.data = np.round(m.data * 1000) / 8 - 30; m.data[::9] = 0
    return m
def mtx(path, m, symmetry="general"):
    o = m.tocoo()
    with open(path, "w") as f:
        f.write("%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n" % (symmetry, *m.shape, o.nnz))
        f.writelines("%d %d %.17g\n" % (i + 1, j + 1, v) for i, j, v in zip(o.row, o.col, o.data))
END
}
setup() { need_python; cd "$BATS_FILE_TMPDIR"; mkdir "$BATS_TEST_NUMBER"; cd "$BATS_TEST_NUMBER"; }

python() { PYTHONPATH=.. PYTHONDONTWRITEBYTECODE=1 "$PYTHON" - ; }

# same FILE.h5...: each file holds the matrix of a.mtx, on 1 and 7 threads.
same() {
    local n want
    want="$(id_of a.mtx)"
    [ "${#want}" -eq 64 ]
    for n in 1 7; do
        OMP_NUM_THREADS=$n spmv-info "$@" > infos || { echo "$n threads: $*"; return 1; }
        awk -F'\t' -v want="$want" -v files=$# -v threads=$n '
            $1 == "name" { file = $2 }
            $1 == "matrix_id" { found++; if ($2 != want) { print file ", matrix " found " of those given, on " threads " threads: " $2; bad = 1 } }
            END { if (found != files) print found " matrices in " files " files"; exit bad || found != files }' infos || return 1
    done
}

# refused FILE TEXT: import fails with one line that names FILE and contains TEXT; nothing is written.
refused() {
    run -1 --separate-stderr spmv-import -o out.h5 "$1"
    if [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] || [[ "$stderr" != "spmv-import: $1"*"$2"* ]]; then echo "$1: expected '$2' in '$stderr' ($output)"; return 1; fi
    [ ! -e out.h5 ]
}

# bats test_tags=id:binsparse-formats-index-types
@test "every format with every index type is read; scipy reads the imported matrix back" {
    python <<'END'
from write import *
m = some(); mtx("a.mtx", m)
for format in FORMATS:
    for index in ("u1", "i1", "<i2", ">u2", "<i4", ">i8", "<u8"):
        put(f"{format}-{index.strip('<>')}.h5", m, format, index, "u2")
put("lower.h5", m, "csr"); put("version.h5", m, "COO", version="0.1.7"); put("general.h5", m, "CSC", structure="general")
END
    same ./*.h5
    spmv-import -o back.h5 CSC-u2.h5
    python <<'END'
from write import *
f, m = h5py.File("back.h5"), some()
b = sp.csr_matrix((f["values"][:], f["indices_1"][:], f["pointers_to_1"][:]), shape=(60, 45))
assert (b.indptr == m.indptr).all() and (b.indices == m.indices).all() and (b.data == m.data).all()
END
}

@test "all value types are read: floats and integers in both byte orders, iso, bint8, h5py's bool" {
    python <<'END'
from write import *
m = some(); m.data = np.round(np.abs(m.data)); mtx("a.mtx", m)
for t in ("<f4", ">f4", "<f8", ">f8", "i1", "u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8"):
    for format in ("CSR", "COOC"):
        a = arrays_of(m, format); a["values"] = a["values"].astype(t)
        write(f"{t.replace('<', 'le').replace('>', 'be')}-{format}.h5", format, a, m.shape, m.nnz)
END
    same ./*.h5
    [ "$(spmv-info i1-CSR.h5 | value_of field)" = integer ]
    [ "$(spmv-info lef4-CSR.h5 | value_of field)" = real ]
    rm ./*.h5
    python <<'END'
from write import *
m = some(); m.data[:] = 1; mtx("a.mtx", m)
for format in ("CSR", "DCSC", "COO"):
    a = arrays_of(m, format)
    write(f"iso-{format}.h5", format, {**a, "values": np.array([1], "i1")}, m.shape, m.nnz, types={"values": "iso[int8]"})
    write(f"bint8-{format}.h5", format, {**a, "values": np.full(m.nnz, 255, "u1")}, m.shape, m.nnz, types={"values": "bint8"})
    write(f"bool-{format}.h5", format, {**a, "values": np.ones(m.nnz, "?")}, m.shape, m.nnz, types={"values": "bint8"})
    write(f"isobint8-{format}.h5", format, {**a, "values": np.array([1], "u1")}, m.shape, m.nnz, types={"values": "iso[bint8]"})
    write(f"fill-{format}.h5", format, {**a, "fill_value": np.zeros(1)}, m.shape, m.nnz, fill=True)
END
    same ./*.h5
}

@test "symmetric structures: the stored triangle is expanded, in every format" {
    python <<'END'
import os
from write import *
for symmetry in "symmetric", "hermitian", "skew_symmetric":
    os.mkdir(symmetry)
    skew = symmetry == "skew_symmetric"
    m = some(45, 45); lower = sp.tril(m, -1 if skew else 0).tocsr()
    whole = (lower.tocoo(), sp.triu(lower.T * (-1 if skew else 1), 1).tocoo())
    row, col, val = (np.concatenate([getattr(w, k) for w in whole]) for k in ("row", "col", "data"))
    mtx(symmetry + "/a.mtx", sp.coo_matrix((val, (row, col)), shape=(45, 45)))
    for format in FORMATS:
        put(f"{symmetry}/{format}-lower.h5", lower, format, structure=symmetry + "_lower")
        put(f"{symmetry}/{format}-upper.h5", (lower.T * (-1 if skew else 1)).tocsr(), format, structure=symmetry + "_upper")
put("s.h5", sp.csr_matrix([[3., 0], [5, 0]]), structure="symmetric_lower")
END
    for symmetry in symmetric hermitian skew_symmetric; do
        cd $symmetry
        same ./*.h5
        cd ..
    done
    # Diagonal entries count once, the others twice; the number of entries estimated by peek does not matter.
    printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '2 2 2' '1 1 3' '2 1 5' > a.mtx
    same s.h5
    [ "$(spmv-info s.h5 | value_of nnz)" -eq 3 ]
}

@test "--real-part accepts complex values stored as pairs, also iso and Hermitian ones" {
    python <<'END'
from write import *
m = some(45, 45); m = sp.tril(m).tocsr(); mtx("a.mtx", m, "symmetric")
pairs = lambda v: np.stack([v, np.arange(len(v)) - 5.0], axis=1).reshape(-1)
for format in ("CSR", "COOC"):
    a = arrays_of(m, format); a["values"] = pairs(a["values"])
    write(f"h-{format}.h5", format, a, m.shape, m.nnz, types={"values": "complex[float64]"}, structure="hermitian_lower")
m.data[:] = 1.5; mtx("one.mtx", m)
a = arrays_of(m, "CSR"); a["values"] = np.array([1.5, 9], "f4")
write("iso.h5", "CSR", a, m.shape, m.nnz, types={"values": "iso[complex[float32]]"})
write("half.h5", "CSR", {**a, "values": np.ones(m.nnz)}, m.shape, m.nnz, types={"values": "complex[float64]"})
END
    for f in h-CSR h-COOC; do
        refused $f.h5 "complex values are not supported; --real-part keeps the real parts"
        spmv-import --real-part -o real.h5 $f.h5
        same real.h5
    done
    spmv-import --real-part -o real.h5 iso.h5
    [ "$(id_of real.h5)" = "$(id_of one.mtx)" ]
    run -1 spmv-import --real-part -o out.h5 half.h5
    [[ "$output" == *"dataset values has "*" elements, expected "* ]]
}

@test "unsorted and repeated entries are sorted and then summed in file order" {
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 7' '3 1 1e22' '1 2 5' '3 1 1' '3 1 -1e22' '1 1 2' '2 3 0' '1 2 0.5' > a.mtx
    python <<'END'
from write import *
i, j, v = [2, 0, 2, 2, 0, 1, 0], [0, 1, 0, 0, 0, 2, 1], [1e22, 5, 1, -1e22, 2, 0, 0.5]
for format, a, b in (("COO", i, j), ("COOR", i, j), ("COOC", j, i)):
    write(format + ".h5", format, dict(indices_0=a, indices_1=b, values=v), (3, 3), 7)
write("CSR.h5", "CSR", dict(pointers_to_1=[0, 3, 4, 7], indices_1=[1, 0, 1, 2, 0, 0, 0], values=[5, 2, .5, 0, 1e22, 1, -1e22]), (3, 3), 7)
write("CSC.h5", "CSC", dict(pointers_to_1=[0, 4, 6, 7], indices_1=[2, 2, 0, 2, 0, 0, 1], values=[1e22, 1, 2, -1e22, 5, .5, 0]), (3, 3), 7)
END
    same ./*.h5
    [ "$(spmv-info COO.h5 | value_of nnz)" -eq 4 ]
    for f in a.mtx ./*.h5; do
        run -0 --separate-stderr spmv-info "$f"
        [[ "$stderr" == "spmv-info: $f: 3 duplicate entries summed" ]] || { echo "$stderr"; false; }
        [ "$(value_of summed <<< "$output")" = 3 ]
    done
}

@test "empty matrices are read in every format" {
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '5 3 0' > a.mtx
    python <<'END'
from write import *
for format in FORMATS:
    put(format + ".h5", sp.csr_matrix((5, 3)), format)
write("iso.h5", "CSC", dict(pointers_to_1=np.zeros(4, "u8"), indices_1=np.zeros(0, "u8"), values=np.ones(1)), (5, 3), 0, types={"values": "iso[float64]"})
END
    same ./*.h5
}

@test "matrices are read from groups of any depth; one in the root takes precedence; every program accepts FILE:GROUP" {
    python <<'END'
from write import *
m, other = some(), some(seed=5)
mtx("a.mtx", m); mtx("other.mtx", other)
put("deep.h5", m, "COO", at="x/y/z")
put("root.h5", m); put("root.h5", other, "CSC", at="extra")
put("two.h5", m, at="first"); put("two.h5", other, "CSC", at="in/second")
with h5py.File("two.h5", "a") as f: f["loop"] = f["/"]; f["alias"] = h5py.SoftLink("/in/second"); f["noise"] = 3
for k in range(70): put("many.h5", m, at="a_long_name_of_a_group_%d" % k)
with h5py.File("fixed.h5", "w") as f, h5py.File("two.h5") as g:
    g.copy("first", f); f["first"].attrs["binsparse"] = np.bytes_(json.dumps(json.loads(g["first"].attrs["binsparse"])["binsparse"]))
END
    same deep.h5 deep.h5:x/y/z root.h5 root.h5:/ two.h5:first two.h5:/first fixed.h5
    for f in root.h5:extra two.h5:in/second two.h5:/in/second two.h5:alias; do [ "$(id_of $f)" = "$(id_of other.mtx)" ]; done
    refused two.h5 "holds 2 Binsparse matrices: first, in/second; name one as two.h5:GROUP"
    refused many.h5 ", ...; name one as many.h5:GROUP"
    run -1 spmv-info two.h5:none
    [[ "$output" == "spmv-info: two.h5: Binsparse matrix 'none' not found; the file holds: first, in/second" ]]
    run -1 spmv-info two.h5:in
    [[ "$output" == *"Binsparse matrix 'in' not found"* ]]
    run -0 spmv-info two.h5:in/second
    [ "$(value_of name <<<"$output")" = second ]
    [ "$(value_of source <<<"$output")" = two.h5:in/second ]
    spmv-import two.h5:in/second
    [ "$(id_of second.h5)" = "$(id_of other.mtx)" ]
    printf '%s\n' two.h5:first two.h5:in/second > list
    run -0 spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c csr-scalar --cache warm -o run.h5 list deep.h5
    [[ "$output" == *first*second*"# 2 ok"* ]]
    run -0 spmv-predict --profile h200 --cache warm two.h5:first
    [[ "$output" == *"# matrix first: 60 rows"* ]]
}

# bats test_tags=id:binsparse-damage-kinds
@test "each kind of damage is reported in one line that names the dataset" {
    python <<'END'
from write import *
m = some()
def bad(name, format, change=None, drop=(), **more):
    a = arrays_of(m, format, "i8", "i8")
    for k, f in (change or {}).items(): a[k] = f(a[k].copy())
    write(name + ".h5", format, a, m.shape, more.pop("nnz", m.nnz), drop=drop, **more)
def at(k, v):
    def f(a): a[k] = v; return a
    return f
cut = lambda a: a[:-1]
for format in FORMATS:
    for name in arrays_of(m, format): bad(f"{format}-no-{name}", format, drop=(name,))
    bad(f"{format}-low", format, {"indices_1": at(5, -1)})
    bad(f"{format}-high", format, {"indices_1": at(5, 60)})
    bad(f"{format}-short", format, {"values": cut})
    bad(f"{format}-count", format, nnz=m.nnz + 1)
    bad(f"{format}-real", format, {"indices_1": lambda a: a * 1.0})
    bad(f"{format}-square", format, {"indices_1": lambda a: np.stack([a, a])})
    if format.startswith("COO"):
        bad(f"{format}-major", format, {"indices_0": at(9, 60)})
    else:
        bad(f"{format}-decrease", format, {"pointers_to_1": at(4, 100000)})
        bad(f"{format}-start", format, {"pointers_to_1": at(0, 1)})
        bad(f"{format}-end", format, {"pointers_to_1": at(-1, 3)})
        bad(f"{format}-pointers", format, {"pointers_to_1": cut})
for format in ("DCSR", "DCSC"):
    bad(f"{format}-order", format, {"indices_0": at(3, 0)})
    bad(f"{format}-major", format, {"indices_0": at(-1, 60)})
    bad(f"{format}-many", format, {"indices_0": lambda a: np.arange(61), "pointers_to_1": lambda a: np.arange(62)})
bad("fill", "CSR", {}, fill=True)
bad("fill7", "CSR", {"values": lambda a: a}, fill=True)
with h5py.File("fill7.h5", "a") as f: f["fill_value"] = np.array([7.0])
bad("iso", "COO", types={"values": "iso[float64]"})
bad("text", "CSR", {"values": lambda a: np.array([b"x"] * len(a))})
for v in ("0.2", "1.0", "0.10", "", None): bad(f"version-{v}", "CSC", version=v)
s = some(45, 45)
put("above.h5", s, structure="symmetric_lower"); put("below.h5", s, "CSC", structure="hermitian_upper")
put("diagonal.h5", sp.csr_matrix(np.tril(np.ones((3, 3)))), "COO", structure="skew_symmetric_lower")
END
    for format in CSR CSC DCSR DCSC COO COOR COOC; do
        for f in $format-no-*.h5; do
            name="${f#"$format"-no-}"
            refused "$f" "missing dataset '${name%.h5}', required by format $format"
        done
        refused $format-low.h5 "dataset indices_1: element 5 (counted from 0) is -1, expected an index below"
        refused $format-high.h5 "dataset indices_1: element 5 (counted from 0) is 60, expected an index below"
        refused $format-short.h5 "dataset values has "
        refused $format-count.h5 "elements, expected "
        refused $format-real.h5 "dataset indices_1 does not contain integers"
        refused $format-square.h5 "dataset indices_1 has 2 dimensions, expected 1"
        case $format in
        COO*) refused $format-major.h5 "dataset indices_0: element 9 (counted from 0) is 60, expected an index below" ;;
        *)  refused $format-decrease.h5 "dataset pointers_to_1 decreases from 100000 to "
            refused $format-start.h5 "dataset pointers_to_1 starts at 1, expected 0"
            refused $format-end.h5 "dataset pointers_to_1 decreases from "
            refused $format-pointers.h5 "dataset pointers_to_1 has " ;;
        esac
    done
    for format in DCSR DCSC; do
        refused $format-order.h5 "dataset indices_0: 0 follows "
        refused $format-major.h5 "dataset indices_0: element "
        refused $format-many.h5 "dataset indices_0 has 61 elements, expected at most "
    done
    while IFS='|' read -r name text; do refused "$name.h5" "$text"; done <<'END'
fill|missing dataset 'fill_value'
fill7|dataset fill_value is 7, expected 0
iso|elements, expected 1
text|dataset values does not contain numbers
version-0.2|version '0.2', expected 0.1
version-1.0|version '1.0', expected 0.1
version-0.10|version '0.10', expected 0.1
version-|version '', expected 0.1
version-None|version '', expected 0.1
above|which structure symmetric_lower does not allow
below|which structure hermitian_upper does not allow
diagonal|entry 0 (counted from 0) is 1 at row 0, column 0, which structure skew_symmetric_lower does not allow
END
}
