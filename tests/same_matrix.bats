#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# One matrix in many forms: a recipe on the command line, materialised, .mtx, .mtx.gz, .mtx.xz, .tar.gz and Binsparse (also as written by
# other programs, or by columns). All have one matrix_id, bit-identical features and the same forecasts and plan, on 1 and 7 threads, and
# give the same facts in archives of 1 and 3 ranks.
bats_require_minimum_version 1.5.0
load helpers

RECIPE=normal:rows=6000,cols=5000,p=12,place=random,seed=7
FORMS=("$RECIPE" made.h5 m.mtx m.mtx.gz m.mtx.xz m.tar.gz m.h5 csc.h5:deep/er)
KINDS=("$RECIPE" made.h5 m.mtx csc.h5:deep/er)
NAMES='/^\(name\|source\|recipe\|field\|values_[a-z0-9]*\)\t/d; s/"values_[a-z0-9]*":[0-9]*,*//g; s/\([#"] *matrix\) [^ ]*/\1/g; s/"matrix":"[^"]*"/"matrix"/g'

setup_file() {
    load helpers
    find_python || return 0
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 constant:rows=5000,cols=5000,p=20,place=random,seed=3 uniform:rows=6000,cols=5000,p=12,half=6,place=random
    spmv-fit -q -m physics-gp,$QUICK_MODELS --name syn -o profile.h5 runs.h5
    spmv-fit --pack profile.h5
    spmv-gen normal rows=6000 cols=5000 p=12 place=random seed=7 -o recipe.h5 > /dev/null
    spmv-gen normal rows=6000 cols=5000 p=12 place=random seed=7 --materialize -o made.h5 > /dev/null
    "$PYTHON" - <<'P'
import h5py
f = h5py.File("made.h5")
ptr, col, val = f["pointers_to_1"][:], f["indices_1"][:], f["values"][:]
entries = [(i + 1, col[k] + 1, val[k]) for i in range(len(ptr) - 1) for k in range(ptr[i], ptr[i + 1])]
entries = entries[1::2] + entries[::2]
with open("m.mtx", "w") as m:
    m.write("%%MatrixMarket matrix coordinate real general\n6000 5000 " + str(len(entries)) + "\n")
    m.writelines("%d %d %.17g\n" % e for e in entries)
import json, scipy.sparse as sp
c = sp.csr_matrix((val, col, ptr), shape=(6000, 5000)).tocsc()
g = h5py.File("csc.h5", "w").create_group("deep/er")
g.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": "CSC", "shape": c.shape, "number_of_stored_values": c.nnz,
    "data_types": {"pointers_to_1": "uint64", "indices_1": "uint16", "values": "float64"}}})
g["pointers_to_1"], g["indices_1"], g["values"] = c.indptr.astype("u8"), c.indices.astype("u2"), c.data
P
    mkdir m
    cp m.mtx m/m.mtx
    echo 1 > m/m_b.mtx
    tar -czf m.tar.gz m
    gzip -k m.mtx
    xz -1k m.mtx
    spmv-import -o m.h5 m.mtx > /dev/null
}
setup() { need_python; cd "$BATS_FILE_TMPDIR"; }

# What values hold is not known of a recipe, whose random values stand for none.
# same COMMAND...: for every form, on 1 or 7 threads in turn (BEFORE=1: first on 7), COMMAND prints the same as for m.mtx, except names.
same() {
    local form n=${BEFORE:-7}
    OMP_NUM_THREADS=1 "$@" m.mtx > wanted
    sed -i "$NAMES" wanted
    [ "$(wc -c < wanted)" -gt 500 ]
    for form in "${FORMS[@]}"; do
        n=$((8 - n))
        OMP_NUM_THREADS=$n "$@" "$form" | sed "$NAMES" | cmp wanted - || { echo "$form on $n threads: $*"; return 1; }
    done
}

@test "matrix_id, pattern_id and features are equal for all forms of the matrix" {
    same spmv-info --features
    grep -q ^matrix_id wanted
    grep -q ^sectors_f64_1024 wanted
}

@test "forecasts of every model are equal for each kind of form of the matrix" {
    FORMS=("${KINDS[@]}")
    same spmv-predict --profile "$PWD/profile.h5" -m all -p f32,f64 --all --json
    for model in physics-gp ${QUICK_MODELS//,/ }; do grep -q "\"model\":\"$model\",[^}]*\"time_us\":[0-9.]*[1-9]" wanted || { echo "$model"; false; }; done
}

@test "plans of both models are equal for each kind of form of the matrix" {
    FORMS=("${KINDS[@]}")
    same spmv-plan --profile "$PWD/profile.h5" -m guo2014 --json
    same spmv-plan --profile "$PWD/profile.h5" -m guo2014-regimes --cache cold --all --json
}

# bats test_tags=long
@test "facts, forecasts and plans are equal for all forms of the matrix on the other number of threads" {
    BEFORE=1
    same spmv-info --features
    same spmv-predict --profile "$PWD/profile.h5" -m all -p f32,f64 --all --json
    same spmv-plan --profile "$PWD/profile.h5" -m guo2014 --json
    same spmv-plan --profile "$PWD/profile.h5" -m guo2014-regimes --cache cold --all --json
}

@test "1 and 3 ranks archive the same facts, for any form of the matrix" {
    need_mpi
    RUN=(spmv-run -q --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar)
    OMP_NUM_THREADS=1 "${RUN[@]}" -o one.h5 m.mtx "$RECIPE" stencil:points=5,n=30 > /dev/null
    OMP_NUM_THREADS=2 mpi 3 "${RUN[@]}" -o three.h5 stencil:points=5,n=30 recipe.h5 m.h5 > /dev/null
    "$PYTHON" - <<'P'
import h5py, numpy as np
a, b = h5py.File("one.h5"), h5py.File("three.h5")
assert len(a["matrices/source_id"]) == 3
for table in ("matrices", "histogram"):
    order = lambda t: np.lexsort([t[c][:] for c in (("value", "log2_group", "source_id") if table == "histogram" else ("source_id",))])
    i, j = order(a[table]), order(b[table])
    for c in a[table]:
        x, y = a[table][c][:][i], b[table][c][:][j]
        if c not in ("matrix", "recipe_role"):
            assert x.tobytes() == y.tobytes(), (table, c, x, y)
P
}
