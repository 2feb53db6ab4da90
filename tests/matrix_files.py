# SPDX-License-Identifier: BSD-3-Clause
"""Writes one matrix in the formats of readers.bats, by SciPy and h5py or, where they have no writer, byte by byte.
usage: matrix_files.py MATRIX.h5 PATTERN FOLDER: MATRIX.h5 of spmv-import, PATTERN 1: the source is a pattern. Prints the names."""
import json, os, struct, sys
import h5py, numpy as np, scipy.io, scipy.sparse as sp


def read_binsparse(path):
    with h5py.File(path) as f:
        about = json.loads(f.attrs["binsparse"])["binsparse"]
        return sp.csr_matrix((f["values"][:], f["indices_1"][:], f["pointers_to_1"][:]), shape=about["shape"])


def split_zeros(m):
    """What MATLAB holds of m: without explicit zeros; and those as ones."""
    o = m.tocoo()
    at = o.data == 0
    part = lambda keep, data: sp.csc_matrix((data, (o.row[keep], o.col[keep])), shape=m.shape)
    return part(~at, o.data[~at]), part(at, np.ones(at.sum()))


# ---- MATLAB, version 5, by hand: any byte order, small elements, types of MATLAB's own choice
def mat5_element(order, kind, data, small=True):
    if small and 0 < len(data) <= 4:
        return struct.pack(order + "I", len(data) << 16 | kind) + data.ljust(4, b"\0")
    return struct.pack(order + "II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def mat5_sparse(order, name, m, complex=False, kind="d", logical=False):
    m = m.tocsc()
    types = {"d": 9, "f": 7, "B": 2, "b": 1, "H": 4, "i": 5}
    e = lambda k, v, t: mat5_element(order, k, np.asarray(v).astype(order + t).tobytes())
    flags = 5 | (0x800 if complex else 0) | (0x200 if logical else 0)
    body = e(6, [flags, max(m.nnz, 1)], "u4") + e(5, m.shape, "i4") + mat5_element(order, 1, name.encode())
    body += e(5, m.indices, "i4") + e(5, m.indptr, "i4") + e(types[kind], m.data.real, np.dtype(kind).str[1:])
    if complex:
        body += e(9, m.data.imag, "f8")
    return mat5_element(order, 14, body, small=False)


def mat5_file(path, order, *elements):
    with open(path, "wb") as f:
        f.write(b"MATLAB 5.0 MAT-file, by hand".ljust(124) + (b"\1\0MI" if order == ">" else b"\0\1IM"))
        f.write(b"".join(elements))


# ---- MATLAB, version 7.3: HDF5 after 512 bytes
def mat73_sparse(f, at, m):
    m = m.tocsc()
    g = f.create_group(at)
    g.attrs["MATLAB_class"] = np.bytes_("double")
    g.attrs["MATLAB_sparse"] = np.uint64(m.shape[0])
    g["jc"] = m.indptr.astype("u8")
    if m.nnz:
        g.create_dataset("ir", data=m.indices.astype("u8"), compression=1)
        data = m.data
        if np.iscomplexobj(data):
            data = np.rec.fromarrays([data.real, data.imag], names="real,imag")
        g.create_dataset("data", data=data, compression=1)


def mat73_text(f, at, text):
    d = f.create_dataset(at, data=np.frombuffer(text.encode("utf-16-le"), "u2").reshape(-1, 1))
    d.attrs["MATLAB_class"] = np.bytes_("char")


def mat73_file(path, fill):
    with h5py.File(path, "w", userblock_size=512) as f:
        fill(f)
    with open(path, "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file, by h5py".ljust(124) + b"\0\2IM")


# ---- PETSc
def petsc(path, m, integer=">i4", value=">f8", after=b""):
    m = m.tocsr()
    with open(path, "wb") as f:
        f.write(np.array([1211216, *m.shape, m.nnz]).astype(integer).tobytes())
        f.write(np.diff(m.indptr).astype(integer).tobytes() + m.indices.astype(integer).tobytes())
        f.write(m.data.astype(value).tobytes() + after)


# ---- Rutherford-Boeing
def rb(path, m, kind="r", symmetry="u", title="", values="(3E26.18)", digits="%26.18E", per=3):
    m = m.tocsc()
    m.sort_indices()
    width = len(str(max(m.nnz + 1, m.shape[0]))) + 1
    each = 80 // width
    lines = lambda v, n, text: ["".join(text % x for x in v[i:i + n]) for i in range(0, len(v), n)]
    pointers, indices = ([*lines(list(v + 1), each, f"%{width}d")] for v in (m.indptr, m.indices))
    data = [] if kind == "p" else lines(list(m.data), per, digits)
    with open(path, "w") as f:
        f.write(f"{title:72s}{'key':8s}\n")
        f.write("%14d%14d%14d%14d\n" % (len(pointers) + len(indices) + len(data), len(pointers), len(indices), len(data)))
        f.write("%-14s%14d%14d%14d%14d\n" % (kind + symmetry + "a", *m.shape, m.nnz, 0))
        f.write("%-16s%-16s%-20s\n" % (f"({each}I{width})", f"({each}I{width})", "" if kind == "p" else values))
        f.writelines(line + "\n" for line in pointers + indices + data)


# ---- AnnData
def anndata(path, m, at="X"):
    with h5py.File(path, "a") as f:
        f.attrs["encoding-type"], f.attrs["encoding-version"] = "anndata", "0.1.0"
        g = f.create_group(at)
        g.attrs["encoding-type"], g.attrs["encoding-version"] = m.format + "_matrix", "0.1.0"
        g.attrs["shape"] = np.array(m.shape)
        for name in ("data", "indices", "indptr"):
            g.create_dataset(name, data=getattr(m, name), compression=1)


def all_formats(m, pattern, folder):
    """Every format that holds the values of m exactly, and zeros; of a pattern, those that have no values as well."""
    os.chdir(folder)
    scipy.io.savemat("plain5.mat", {"A": m.tocsc()})
    scipy.io.savemat("packed5.mat", {"A": m.tocsc()}, do_compression=True)
    mat5_file("big5.mat", ">", mat5_sparse(">", "A", m))
    mat73_file("v73.mat", lambda f: mat73_sparse(f, "A", m))
    a, zeros = split_zeros(m)
    if pattern:
        a.data[:] = 1
    problem = {"title": "a test", "A": a, "name": "Group/m", "id": 1.0, **({"Zeros": zeros} if zeros.nnz else {})}
    scipy.io.savemat("problem5.mat", {"Problem": problem}, do_compression=True)
    def fill(f):
        f.create_group("Problem").attrs["MATLAB_class"] = np.bytes_("struct")
        mat73_text(f, "Problem/name", "Group/m")
        mat73_sparse(f, "Problem/A", a)
        if zeros.nnz:
            mat73_sparse(f, "Problem/Zeros", zeros)
    mat73_file("problem73.mat", fill)
    sp.save_npz("csr.npz", m)
    sp.save_npz("csc.npz", m.tocsc())
    sp.save_npz("coo.npz", m.tocoo(), compressed=False)
    sp.save_npz("bsr.npz", m.tobsr((1, 1)))
    if not zeros.nnz and len(np.unique(m.tocoo().col - m.tocoo().row)) < 50:
        sp.save_npz("dia.npz", m.todia())
    petsc("a32.petsc", m)
    petsc("a64.petsc", m, ">i8")
    if m.nnz and not (np.abs(np.log10(np.abs(m.data[m.data != 0]))) > 98).any(): # exponents of three digits: not even SciPy reads them back
        scipy.io.hb_write("m.hb", m.tocsc())
    rb("m.rb", m, "p" if pattern else "r", title="Group/m; by hand; 2026")
    anndata("csr.h5ad", m)
    anndata("csc.h5ad", m.tocsc())
    return sorted(os.listdir("."))


if __name__ == "__main__":
    print("\n".join(all_formats(read_binsparse(sys.argv[1]), sys.argv[2] == "1", sys.argv[3])))
