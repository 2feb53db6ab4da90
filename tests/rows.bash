# SPDX-License-Identifier: BSD-3-Clause
# Changed copies of run archives, for tests of what programs see in their rows; needs need_python.

# change_rows FROM (TO STATEMENT)...: copies of a run archive, each changed by its Python statement in the columns r of its rows; ok: the
# numbers of rows with a time; rng: a generator with a fixed seed.
change_rows() {
    "$PYTHON" - "$@" << 'PY'
import h5py, numpy as np, shutil, sys
class Rows(dict): # columns, read when they are used, since most are not
    def __contains__(self, k):
        return k in f["rows"]
    def __missing__(self, k):
        d = f["rows"][k][:]
        return self.setdefault(k, d.astype("S512") if d.dtype.kind == "S" else d)
for to, statement in zip(sys.argv[2::2], sys.argv[3::2]):
    shutil.copy(sys.argv[1], to)
    with h5py.File(to, "r+") as f:
        r = Rows()
        ok = np.where(r["outcome"] == b"ok")[0]
        rng = np.random.default_rng(1)
        exec(statement)
        for k, v in r.items():
            d = f["rows"][k]
            if d.dtype.kind == "S" and np.char.str_len(v).max() > d.dtype.itemsize: # longer texts
                attributes = dict(d.attrs)
                del f["rows"][k]
                d = f["rows"].create_dataset(k, v.shape, h5py.string_dtype("utf-8", int(np.char.str_len(v).max())))
                d.attrs.update(attributes)
            d[...] = v.astype(d.dtype)
PY
    shift
    while [ $# -gt 0 ]; do "$BUILD/h5_damage" sign "$1"; shift 2; done
}
