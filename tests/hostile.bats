#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Files made to do harm: they read other files, crash HDF5 in spite of a valid digest, or ask for far more memory or time than
# their size explains. None is read; none is called damaged if the fault is this machine's.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    find_python || return 0
    mkfifo pipe
    "$PYTHON" - <<'P'
import functools, json, re, struct, zlib, h5py, numpy as np
squeeze = functools.lru_cache(lambda data: zlib.compress(data, 1))
n = 3
def matrix(name, **replace):
    f = h5py.File(name, "w")
    f.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": "CSR", "shape": [n, n], "number_of_stored_values": n,
        "data_types": {"pointers_to_1": "int64", "indices_1": "int64", "values": "float64"}}})
    for key, data in (("pointers_to_1", np.arange(n + 1)), ("indices_1", np.arange(n)), ("values", np.arange(1.0, n + 1))):
        if key in replace: replace[key](f, key)
        else: f[key] = data
    return f
f = matrix("repeated.h5") # 20000 elements that are the same megabyte
d = f.create_dataset("repeated", (20000,), dtype=h5py.vlen_dtype(np.uint8))
d[0] = np.zeros(1 << 20, dtype=np.uint8)
at = d.id.get_offset()
d.attrs.create("repeated", np.array([np.ones(2, np.uint8)] * 3000 + [None], dtype=object)[:3000], dtype=h5py.vlen_dtype(np.uint8))
f.close()
b = bytearray(open("repeated.h5", "rb").read())
b[at:at + 320000] = b[at:at + 16] * 20000
at, one = re.search(b"(?s)(\2\0\0\0.{12}){50}", bytes(b)).start(), b[at:at + 16]
b[at:at + 48000] = one * 3000
open("repeated.h5", "wb").write(b)
def beside(name, where): matrix(name)[where[0]] = where[1]
stored = lambda path: lambda f, key: f.create_dataset(key, (n,), "f8", external=[(path, 0, 8 * n)])
def drawn(path, spare=None):
    layout = h5py.VirtualLayout((n,), "f8")
    layout[:] = h5py.VirtualSource(path, "values", (n,))
    return lambda f, key: f.create_virtual_dataset(key, layout)
matrix("plain.h5").close()
lzf = lambda f, key: f.create_dataset(key, data=np.arange(1.0, n + 1), compression="lzf", chunks=(n,))
matrix("lzf.h5", values=lzf).close()
wrong = lambda f, pointers, indices: f.__setitem__(pointers, np.arange(1, n + 2)) or f.create_dataset(indices, data=np.arange(n), compression="lzf")
matrix("pointers.h5", pointers_to_1=lambda f, key: wrong(f, key, "indices_1"), indices_1=lambda f, key: None).close()
with h5py.File("pointers.h5ad", "w") as f:
    f.attrs["encoding-type"], x = "anndata", f.create_group("X")
    x.attrs["encoding-type"], x.attrs["shape"], x["data"] = "csr_matrix", [n, n], np.ones(n); wrong(x, "indptr", "indices")
beside("lzf-beside.h5", ("spare", 0)); lzf(h5py.File("lzf-beside.h5", "a"), "packed")
for name, path in ("words", "/etc/passwd"), ("pipe", "pipe"):
    matrix(f"external-{name}.h5", values=stored(path)).close()
    matrix(f"virtual-{name}.h5", values=drawn(path if name == "pipe" else "plain.h5")).close()
    matrix(f"link-{name}.h5", values=lambda f, key: f.__setitem__(key, h5py.ExternalLink(path if name == "pipe" else "plain.h5", "/values"))).close()
def through(f, key): f["away"] = h5py.ExternalLink("pipe", "/values"); f[key] = h5py.SoftLink("/away")
matrix("soft.h5", values=through).close()
deep = matrix("deep.h5"); deep["a/b/c"] = h5py.ExternalLink("pipe", "/"); deep.close()
beside("dangling.h5", ("spare", h5py.SoftLink("/none")))
beside("inside.h5", ("spare", h5py.SoftLink("/values")))
f = matrix("many.h5"); f.create_dataset("spare", data=np.zeros(1 << 22), chunks=(1 << 22,), compression=1)
for i in range(300): f[f"link{i}"] = h5py.SoftLink("/spare")
f.close()
matrix("large.h5").create_dataset("spare", data=np.zeros(1 << 22), chunks=(1 << 22,), compression=1)
def chunk(data, n=8192, total=None): return lambda f, key: f.create_dataset(key, (total or n,), "f8", chunks=(n,), compression=1).id.write_direct_chunk((0,), squeeze(data))
for name, total in ("bomb.h5", 8192), ("beside-bomb.h5", 1 << 24): # the first of 2048 chunks, of which the others are not stored
    f = matrix(name); chunk(bytes(100 << 20), total=total)(f, "spare"); f.close()
matrix("short.h5", values=chunk(b"8 bytes.", n)).close()
def compact(f, key):
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE); p.set_layout(h5py.h5d.COMPACT)
    h5py.h5d.create(f.id, key.encode(), h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((n,)), p)
matrix("compact.h5", values=compact).close()
b = open("compact.h5", "rb").read()
head, size, tail = b.rpartition(b"\3\0" + struct.pack("<H", 8 * n))
open("compact.h5", "wb").write(head + b"\3\0" + struct.pack("<H", 8) + tail)
def filtered(how, data, type=h5py.h5t.IEEE_F64LE, chunk=None): # data: values, or the bytes of the chunk
    def make(f, key):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE); p.set_chunk((chunk or n,)); how(p)
        d = h5py.h5d.create(f.id, key.encode(), type, h5py.h5s.create_simple((n,)), p)
        if isinstance(data, bytes): d.write_direct_chunk((0,), data)
        else: h5py.Dataset(d)[...] = data
    return make
matrix("32015.h5", values=filtered(lambda p: p.set_filter(32015, h5py.h5z.FLAG_OPTIONAL), bytes(24))).close()
n = 4096
matrix("scaleoffset.h5", values=filtered(lambda p: p.set_scaleoffset(h5py.h5z.SO_FLOAT_DSCALE, 3), np.arange(1.0, n + 1))).close()
bits = h5py.h5t.STD_I64LE.copy(); bits.set_precision(40)
matrix("nbit.h5", indices_1=filtered(lambda p: p.set_filter(h5py.h5z.FILTER_NBIT), np.arange(n), bits)).close()
if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP): # of the whole chunk, the first 100 bytes: HDF5 returns memory behind what they hold
    szip = lambda p: p.set_szip(h5py.h5z.SZIP_NN_OPTION_MASK, 32)
    f = matrix("szip.h5", values=filtered(szip, np.random.default_rng(1).random(n), chunk=n)); piece = f["values"].id.read_direct_chunk((0,))[1]; f.close()
    matrix("szip.h5", values=filtered(szip, piece[:100], chunk=n)).close()
n = 3
f = matrix("hard.h5"); f.create_dataset("spare", data=np.zeros(1 << 22), chunks=(1 << 20,), compression=1)
for i in range(300): f[f"link{i}"] = f["spare"]
f.close()
matrix("unwritten.h5").create_dataset("spare", (1 << 32,), "f8")
f = matrix("partly.h5"); f.create_dataset("spare", (1 << 32,), "f8", chunks=(1024,), compression=1)[7] = 1; f.close()
f = h5py.File("rows.h5", "w"); f["indices_0"] = f["indices_1"] = np.zeros(1, "i4"); f["values"] = np.ones(1)
f.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": "COO", "shape": [2**31 - 1, 1], "number_of_stored_values": 1,
    "data_types": {"indices_0": "int32", "indices_1": "int32", "values": "float64"}}})
f.close()
def typed(name, numpy_type, said, numbers):
    f = matrix(name, values=lambda f, key: f.create_dataset(key, data=np.array(numbers, numpy_type)))
    text = f.attrs["binsparse"].replace("float64", said); f.attrs["binsparse"] = text; f.close()
typed("bint8.h5", "i1", "bint8", [0, 1, 7])
typed("float128.h5", np.longdouble, "float128", [1, 2, np.longdouble(10) ** 400])
typed("int64.h5", "i8", "int64", [1, 2**53 - 1, 2**60 + 1])
def early(n): # storage is allocated, but not written: a hole of the file
    def make(f, key):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE); p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY); p.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        h5py.h5d.create(f.id, key.encode(), h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((n,)), p)
    return make
f = matrix("sparse.h5"); early(1 << 33)(f, "spare"); f.close()
n = 1 << 21; f = matrix("hole.h5", values=early(n)); f["spare"] = np.ones(n); f.close(); n = 3
matrix("late.h5", values=lambda f, key: f.create_dataset(key, (n,), "f8")).close()
matrix("chunk.h5", values=lambda f, key: f.create_dataset(key, (n,), "f8", chunks=(2,)).__setitem__(0, 1)).close()
for depth in 90, 3000:
    f = g = matrix(f"nested-{depth}.h5")
    for _ in range(depth): g = g.create_group("g")
    f.close()
with h5py.File("block.h5", "w", userblock_size=1024) as f:
    with h5py.File("plain.h5") as one:
        f.attrs["binsparse"] = one.attrs["binsparse"]
        for key in one: one.copy(key, f)
with h5py.File("two.h5", "w") as f:
    for place in "ab":
        with h5py.File("plain.h5") as one: one.copy("/", f, place)
P
    spmv-import -q -o signed.h5 plain.h5
    spmv-gen -q -o table.h5 stencil:points=5,n=4 > /dev/null
    cp table.h5 packed.h5
    "$PYTHON" - <<'P'
import h5py
n = 1 << 23
with h5py.File("table.h5", "r+") as f:
    t = f["recipes"]; t.attrs.modify("rows", n)
    for name in list(t):
        said = dict(t[name].attrs); kind = "S1" if t[name].dtype.kind == "S" else t[name].dtype; del t[name]
        if name == "recipe": t.create_dataset(name, (n,), kind, chunks=(1 << 16,), compression=1).attrs.update(said)
with h5py.File("packed.h5", "r+") as f:
    t = f["recipes"]; v, said = t["strips_i"][:], dict(t["strips_i"].attrs); del t["strips_i"]
    t.create_dataset("strips_i", data=v, scaleoffset=3).attrs.update(said)
P
    "$BUILD/h5_damage" sign table.h5
    "$BUILD/h5_damage" older table.h5
    "$BUILD/h5_damage" sign packed.h5
}
setup() { cd "$BATS_FILE_TMPDIR"; OUT="$BATS_TEST_TMPDIR"; }

# refused STATUS TEXT COMMAND...: within 5 s, one line on stderr with TEXT, nothing on stdout
refused() {
    local expected="$1" text="$2"; shift 2
    run "-$expected" --separate-stderr timeout 20 "$@"
    echo "$*: $output | $stderr"
    [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == *"$text"* ]]
}

# bats test_tags=id:hostile-outside
@test "HDF5 that reads other files is refused before it opens one; soft links inside the file are followed" {
    need_python
    local file text
    while IFS='|' read -r file text; do
        refused 1 "$file: $text; only values inside the file are read: copy them into it" spmv-info "$file"
        refused 1 "$file: $text" spmv-import -o "$OUT/out.h5" "$file"
    done <<'END'
external-words.h5|/values has its values in another file
external-pipe.h5|/values has its values in another file
virtual-words.h5|/values is a virtual dataset
virtual-pipe.h5|/values is a virtual dataset
link-words.h5|/values is a link to another file
link-pipe.h5|/values is a link to another file
soft.h5|/away is a link to another file
deep.h5|/a/b/c is a link to another file
END
    [ ! -e "$OUT/out.h5" ]
    for file in many hard; do bash -c "ulimit -t 2; exec spmv-info $file.h5" > /dev/null; done    # read once, not by each link
    for file in plain dangling inside; do spmv-info $file.h5 > "$OUT/$file"; done
    run -1 spmv-check external-words.h5
    [[ "$output" == *unreadable* ]]
}

# bats test_tags=id:hostile-no-damage
@test "too few open files, too little memory and several matrices in a file are errors, but no damage" {
    need_python
    local n opened=0
    for n in 4 5 6; do
        refused 1 "Too many open files" bash -c "exec 3>&- 4>&- 5>&- 6>&-; ulimit -n $n; exec spmv-info plain.h5"
        [[ "$stderr" != *"cannot read plain.h5: "* ]] || opened=1
    done
    [ $opened = 1 ]
    run -1 spmv-check two.h5
    [[ "$output" == *"unreadable"*"holds 2 Binsparse matrices: a, b; name one as two.h5:GROUP"* ]]
    refused 1 "two.h5 holds 2 Binsparse matrices: a, b; name one as two.h5:GROUP" spmv-info two.h5
    spmv-info two.h5:b > /dev/null
    need_address_limits
    export LD_PRELOAD="${LD_PRELOAD/"$BUILD/no_xml2.so "/}"       # with it, less address space is enough
    local least=75000
    for n in 75000 90000 110000 130000; do       # the larger ones are enough on some systems
        [ $n = $least ] || ! bash -c "ulimit -v $n; exec spmv-info large.h5" > /dev/null 2>&1 || continue
        refused 1 " memory" bash -c "ulimit -v $n; exec spmv-info large.h5"
        [[ "$stderr" == *"large.h5: cannot check for damage: "* || "$stderr" == *"large.h5: out of memory: cannot read /spare"* || "$stderr" == *"large.h5: not enough memory to read /spare"* ]]
    done
}

# bats test_tags=id:hostile-size
@test "rows, entries and chunks that need more memory than allowed are refused; what HDF5 does not store is not read" {
    need_python
    local file
    refused 3 "bomb.h5 is damaged: /spare has chunks that take more bytes in the file than uncompressed" spmv-info bomb.h5
    refused 3 "beside-bomb.h5 is damaged: /spare has chunks that hold more than they declare" spmv-info beside-bomb.h5
    for file in short compact; do refused 3 "$file.h5 is damaged: /values stores fewer bytes than it declares" spmv-info $file.h5; done
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '300000000 3 1' '1 1 1' > "$OUT/rows.mtx"
    refused 1 "rows.mtx: not enough memory for a matrix of 300000000 x 3 with 1 entries: about 9.6 GB needed, more than the limit of 1 GB; --max-memory BYTES sets another" \
        spmv-info --max-memory 1e9 "$OUT/rows.mtx"
    refused 1 "rows.h5: not enough memory for a matrix of 2147483647 x 1 with 1 entries: about 68.7 GB needed" spmv-info --max-memory 1e9 rows.h5
    refused 1 "large.h5: not enough memory to read /spare: about 67.1 MB needed, more than the limit of 60 MB" spmv-info --max-memory 6e7 large.h5
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 9, 9, 100000; for (k = 0; k < 100000; k++) print 1, 1, 1 }' > "$OUT/dense.mtx"
    refused 1 "dense.mtx: not enough memory for a matrix of 9 x 9 with 100000 entries" spmv-import --max-memory 2.5e6 -o "$OUT/out.h5" "$OUT/dense.mtx"
    refused 1 "not enough memory for a matrix of 9 x 9 with" bash -c "spmv-info --max-memory 1e6 - < $OUT/dense.mtx"
    spmv-info --max-memory 4e6 "$OUT/dense.mtx" > /dev/null
    refused 1 "table.h5: not enough memory for 8388608 rows of table recipes: about " spmv-run --backend cpu --max-memory 1e8 -o "$OUT/run.h5" table.h5
    refused 1 "dense:rows=46000,cols=46000,seed=1: not enough memory for this matrix: about 25.4 GB needed, more than the limit of 1 GB" \
        spmv-import --max-memory 1e9 -o "$OUT/out.h5" dense:rows=46000,cols=46000
    for file in unwritten partly large repeated; do timeout 20 spmv-info $file.h5 > "$OUT/$file"; done
    need_address_limits
    bash -c "ulimit -v 2000000; exec spmv-info repeated.h5" > /dev/null
}

# bats test_tags=id:hostile-holes
@test "holes of sparse files are not read as data without a word; deep groups are refused; a user block is skipped" {
    need_python
    local file
    timeout 20 spmv-info sparse.h5 > /dev/null
    for file in hole late chunk; do
        run -0 --separate-stderr spmv-info $file.h5
        [ "$stderr" = "spmv-info: $file.h5: not all elements of dataset values are stored; the others are read as its fill value" ]
    done
    cp signed.h5 "$OUT/digest.h5"
    truncate -s 1G "$OUT/digest.h5"
    tail -c 103 signed.h5 >> "$OUT/digest.h5"
    refused 3 "digest.h5 is damaged: most of its bytes were never written" spmv-info "$OUT/digest.h5"
    refused 1 "nested-3000.h5: groups are nested more than 100 deep" spmv-info nested-3000.h5
    run -0 spmv-check nested-90.h5 block.h5
    spmv-info block.h5 > /dev/null
}

# bats test_tags=id:hostile-readers
@test "small files of other programs that declare many rows, columns or entries are refused before memory is allocated" {
    need_python
    cd "$OUT"
    PYTHONPATH="$ROOT/tests" PYTHONDONTWRITEBYTECODE=1 "$PYTHON" - <<'P'
import gzip
from matrix_files import *
many, m = 2**31 - 1, sp.csr_matrix(np.ones((1, 1)))
np.savez("coo.npz", format=b"coo", shape=[many, many], row=[0], col=[0], data=[1.0])
np.savez("bsr.npz", format=b"bsr", shape=[1 << 30, 1 << 30], indptr=[0, 1], indices=[0], data=np.zeros((1, 1 << 12, 1)))
long = 4 * 10**6
for name, n in ("used", long), ("data", 1):
    np.savez_compressed(name + ".npz", format=b"csr", shape=[1, 1], indptr=[0, 1], indices=np.zeros(n, "i4"), data=np.zeros(long))
wide = sp.csc_matrix(np.ones((1, 1))); wide._shape = (many, 1)
mat5_file("rows.mat", "<", mat5_sparse("<", "A", wide))
mat73_file("rows73.mat", lambda f: mat73_sparse(f, "A", wide))
gzip.open("rows.petsc.gz", "wb").write(np.array([1211216, many, 1, 5], ">i4").tobytes())
gzip.open("entries.petsc.gz", "wb").write(np.array([0, 1211216, 0, 1, 0, 1, 1 << 20, 0, 1 << 20, 0], ">i4").tobytes())
rb("rows.rb", wide)
anndata("rows.h5ad", wide)
P
    local file
    for file in rows.mat rows73.mat rows.rb rows.h5ad coo.npz; do
        refused 1 "not enough memory for a matrix of 2147483647 x " spmv-info --max-memory 1e9 $file
    done
    refused 1 "bsr.npz: indptr has 2 elements, expected 262145" spmv-info --max-memory 1e9 bsr.npz
    refused 1 "data.npz: data has 4000000 elements, expected 1" spmv-info --max-memory 1e7 data.npz
    run -0 spmv-info --max-memory 1e7 used.npz # SciPy leaves room behind the entries
    refused 1 "rows.petsc.gz: 2147483647 rows declared, more than the file can hold" spmv-info --max-memory 1e9 rows.petsc.gz
    refused 1 "entries.petsc.gz: 4503599627370496 entries declared, more than the file can hold" spmv-info --max-memory 1e9 entries.petsc.gz
}

# bats test_tags=id:hostile-filters
@test "filters whose chunks cannot be checked are refused; of no concern in a dataset that no matrix needs, or behind wrong pointers" {
    need_python
    local filter file what
    run -0 spmv-info -q lzf-beside.h5
    for file in lzf.h5 szip.h5 scaleoffset.h5 nbit.h5 32015.h5; do
        [ -e $file ] || continue
        what=values filter="${file%.h5}"
        case $file in nbit.h5) what=indices_1 ;; 32015.h5) filter="filter 32015" ;; esac
        refused 1 "$file: dataset $what is compressed by $filter, whose chunks cannot be checked; convert the file by 'h5repack -f GZIP=4'" spmv-info $file
    done
    run -1 spmv-check lzf.h5
    refused 1 "packed.h5: dataset recipes/strips_i is compressed by scaleoffset, whose" spmv-info packed.h5
    refused 1 "dataset pointers_to_1 starts at 1, expected 0" spmv-info pointers.h5
    refused 1 "dataset indptr starts at 1, expected 0" spmv-info pointers.h5ad
}

# bats test_tags=id:hostile-values
@test "values that float64 cannot hold, and bint8 that is no bit, are read with a note" {
    need_python
    local name text also
    while IFS='|' read -r name text; do
        run -0 --separate-stderr spmv-info $name.h5
        echo "$stderr"
        also=
        [ $name != float128 ] || also=$'\n'"spmv-info: float128.h5: 1 value is not finite (NaN or Inf), nor are the elements of y that need them; times do not depend on it"
        [ "$stderr" = "spmv-info: $name.h5: 1 element of dataset values: $text$also" ]
        [ -z "$(spmv-info -q $name.h5 2>&1 > /dev/null)" ]
    done <<'END'
bint8|of type bint8 neither 0 nor 1; read as 1
float128|infinite, or beyond the range of float64; read as infinite
int64|integers of 2^53 or more; read as the nearest float64
END
}

# bats test_tags=id:hostile-full
@test "a limit on the size of files and a full disk are errors with a message" {
    local p
    refused 1 "cannot write $OUT/out.h5" bash -c "ulimit -f 40; exec spmv-import -o $OUT/out.h5 dense:rows=700,cols=700"
    [[ "$stderr" == *"File too large" ]]
    for p in "info --help" "info --version" "run --list"; do
        # shellcheck disable=SC2086   # words
        refused 1 "cannot write to stdout: No space left on device" bash -c "spmv-$p > /dev/full"
    done
}

# bats test_tags=id:hostile-blas
@test "spmv-fit says how much address space OpenBLAS needs, and does not wait for it" {
    need_address_limits
    refused 1 "out of memory: OpenBLAS needs " bash -c "ulimit -v 200000; exec spmv-fit -q -m guo2014 -o $OUT/out.h5 $ROOT/results/h200/guo2014-large.h5"
}

# bats test_tags=id:hostile-signed-crash
@test "an archive that crashes HDF5 in spite of its valid digest is damage; the reading program survives" {
    need_python
    refused 3 "signed.h5 is damaged: HDF5 crashes while reading it (" "$BUILD/h5_crash" signed.h5
}
