# SPDX-License-Identifier: BSD-3-Clause
# Changed copies of run archives, for tests of what programs see in their rows; needs need_python.

# change_rows FROM TO STATEMENT: a copy of a run archive, changed by the Python statement in the columns r of its rows; ok: the numbers of
# rows with a time; rng: a generator with a fixed seed.
change_rows() {
    cp "$1" "$2"
    "$PYTHON" - "$2" "$3" << 'PY'
import h5py, numpy as np, sys
f = h5py.File(sys.argv[1], "r+")
r = {k: d[:].astype("S512") if d.dtype.kind == "S" else d[:] for k, d in f["rows"].items()}
ok = np.where(r["outcome"] == b"ok")[0]
rng = np.random.default_rng(1)
exec(sys.argv[2])
for k, v in r.items():
    d = f["rows"][k]
    if d.dtype.kind == "S" and np.char.str_len(v).max() > d.dtype.itemsize: # longer texts
        attributes = dict(d.attrs)
        del f["rows"][k]
        d = f["rows"].create_dataset(k, v.shape, h5py.string_dtype("utf-8", int(np.char.str_len(v).max())))
        d.attrs.update(attributes)
    d[...] = v.astype(d.dtype)
PY
    "$BUILD/h5_damage" sign "$2"
}
