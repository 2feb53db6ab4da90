#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Conversion costs, on the host and on a device that builds layouts itself (simulated by run_faulty), and checks of the built layouts.
bats_require_minimum_version 1.5.0
load helpers

FAULTY="$BUILD/run_faulty"
QUICKLY=(--backend cpu --time-cap 0 --rounds-cap 3 --cache "warm,cold")
MATRIX="normal:rows=300,cols=200,p=7,sd=5,seed=2"
setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMP_NUM_THREADS=1
}

# costs RUN.h5 EXPRESSION: checks EXPRESSION for each row r; nan(x) is true for missing values.
costs() {
    "$PYTHON" - "$@" <<'P'
import h5py, math, sys
t = h5py.File(sys.argv[1])['rows']
nan = math.isnan
close = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
columns = {c: [v.decode() for v in t[c][:]] if t[c].dtype.kind in 'SO' else t[c][:] for c in t}
for i in range(len(columns['outcome'])):
    r = {c: v[i] for c, v in columns.items()}
    assert eval(sys.argv[2]), {c: r[c] for c in r if 'convert' in c or 'prepare' in c or c in ('config', 'outcome', 'reason', 'time_us')}
P
}

@test "the host's build and the kernel's preparation are stored in microseconds and in products" {
    need_python
    spmv-run "${QUICKLY[@]}" -c csr-scalar -c ell -c hyb -c cusparse-csr -o r.h5 "$MATRIX" > /dev/null
    costs r.h5 "r['outcome'] == 'na' and nan(r['convert_spmvs']) and nan(r['prepare_us']) and nan(r['prepare_spmvs']) or \\
        r['convert_us'] > 0 and r['prepare_us'] >= 0 and close(r['convert_spmvs'], r['convert_us'] / r['time_us']) and close(r['prepare_spmvs'], r['prepare_us'] / r['time_us'])"
    costs r.h5 "nan(r['convert_device_us']) and nan(r['convert_device_spmvs'])"
}

@test "on a device that builds layouts, its build and the host's are both timed, for all rows of the layout" {
    need_python
    FAULT=converts "$FAULTY" "${QUICKLY[@]}" -p f32,f64 -c csr-scalar -c csr-vector:lanes=2 -c ell -c coo -o r.h5 "$MATRIX" > /dev/null
    costs r.h5 "r['outcome'] == 'ok' and r['convert_us'] > 0 and r['convert_device_us'] > 0 and close(r['convert_device_spmvs'], r['convert_device_us'] / r['time_us'])"
    FAULT=converts@ell "$FAULTY" "${QUICKLY[@]}" -c csr-scalar -c ell -o s.h5 "$MATRIX" > /dev/null
    costs s.h5 "nan(r['convert_device_us']) == (r['kernel'] != 'ell')"
}

@test "a wrong build on the device, whether the first or the second, makes all rows of the layout wrong; other layouts continue" {
    local fault
    for fault in converts-wrong converts-late; do
        rm -rf r.h5*
        FAULT=$fault@csr run -3 --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c csr-scalar -c csr-vector:lanes=2 -c ell -o r.h5 "$MATRIX"
        [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "2 ok 4 wrong" ]
        [ "$(column reason <<<"$output" | grep -c '^layout built on the device: row ')" -eq 4 ]
    done
    FAULT=converts-fail@csr run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c csr-scalar -c ell -o f.h5 "$MATRIX"
    [ "$(column reason <<<"$output" | grep -c '^layout built on the device: no such thing')" -eq 2 ]
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "2 crashed 2 ok" ]
}

@test "too little device memory for a second layout is not an error" {
    need_python
    FAULT=converts-oom run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c csr-scalar -c ell -o r.h5 "$MATRIX"
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "4 ok" ]
    costs r.h5 "nan(r['convert_device_us']) and nan(r['convert_device_spmvs']) and r['convert_us'] > 0"
}

@test "rows of archives from before these columns have missing values in these columns" {
    need_python
    spmv-run "${QUICKLY[@]}" -c csr-scalar -o r.h5 "$MATRIX" > /dev/null
    "$PYTHON" - <<'P'
import h5py
t = h5py.File('r.h5', 'r+')['rows']
for c in ('convert_spmvs', 'convert_device_spmvs', 'prepare_us', 'prepare_spmvs', 'count_us', 'bytes_exact'):
    del t[c]
P
    "$BUILD/h5_damage" sign r.h5
    spmv-run "${QUICKLY[@]}" -c ell -o r.h5 "$MATRIX" > /dev/null
    costs r.h5 "r['kernel'] == 'ell' or nan(r['convert_spmvs']) and nan(r['convert_device_spmvs']) and nan(r['prepare_us']) and nan(r['prepare_spmvs']) and nan(r['count_us']) and r['bytes_exact'] == -2**63 and r['time_us'] > 0"
}
