#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Bytes: estimates are replaced by those of built layouts, and sweeps skip configurations that move too much.
bats_require_minimum_version 1.5.0
load helpers

FAULTY="$BUILD/run_faulty"
KEYS="$BUILD/run_keys"
QUICKLY=(--backend cpu --time-cap 0 --rounds-cap 3 --cache warm)
setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMP_NUM_THREADS=1
}

@test "estimated bytes are replaced by exact ones once a layout is counted" { "$BUILD/run_bytes"; }

# bats test_tags=long
@test "bytes in the archive are those of the built layouts" {
    need_python
    spmv-run "${QUICKLY[@]}" --sweep exhaustive -p f32,f64 -o r.h5 "normal:rows=300,cols=200,p=7,sd=5,seed=2" > /dev/null
    "$PYTHON" - <<'P'
import h5py, math
r = h5py.File('r.h5')['rows']
nnz = int(h5py.File('r.h5')['matrices']['nnz'][0])
ok = [i for i in range(len(r['outcome'])) if r['outcome'][i] == b'ok']
assert len(ok) > 10
for i in ok:
    what = r['config'][i], r['storage_bytes'][i], r['least_bytes'][i]
    assert r['bytes_exact'][i] == 1, what
    s = 4 if r['precision'][i] == b'f32' else 8
    # values, y, and at least a byte of index for eight entries; beyond the storage: x is read; y is written once, then read and written for at
    # most two more pieces of a row
    assert s * (nnz + 300) + nnz // 8 <= r['least_bytes'][i] <= r['storage_bytes'][i] + s * (5 * 300 + 200) + 32, what
    assert math.isnan(r['count_us'][i]) or r['count_us'][i] > 0, what
P
}

# One dense row: ELL stores 32 rows.
@test "a sweep skips, with a note, configurations that move over 10 times the fewest bytes; -c and --sweep exhaustive time them" {
    matrix="dense:rows=1,cols=1000"
    printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '0 0 0' > none.mtx
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep quick -o none.h5 none.mtx            # 0 bytes are the fewest
    [[ "$output" != *"limit 10x"* && "$output" == *$'\tell\t'*" ok, 0 na"* ]]
    reason="moves 19.6x as many bytes as csr-*, which moves the fewest; limit 10x: --sweep exhaustive or -c times it"
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep quick --dry-run -o r.h5 "$matrix"
    rows="$(column to_do <<<"$output")" skipped="$(column skipped <<<"$output")"
    [ "$skipped" -ge 1 ]
    [[ "$output" == *"# $skipped rows skipped (na): they move more than 10 times the fewest bytes"*"unknown until the matrix is read: 0 items"* ]]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep quick -o r.h5 "$matrix"
    # shellcheck disable=SC2053   # a pattern
    [[ "$(grep $'\tell\t' <<<"$output")" == *$'\tna\t'*$reason$'\t-' ]]
    [ "$(grep -c "limit 10x: --sweep exhaustive or -c times it" <<<"$output")" -eq "$skipped" ]
    na="$(column outcome <<<"$output" | grep -c '^na$')"            # includes configurations that are not applicable
    [ "$na" -ge "$skipped" ]
    [ "$(column outcome <<<"$output" | grep -c '^ok$')" -eq $((rows - na)) ]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep quick -o r.h5 "$matrix"       # all rows are stored
    [[ "$output" == *"# $rows of $rows rows already measured"* ]]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep exhaustive --dry-run -o r.h5 "$matrix"
    [ "$(column skipped <<<"$output")" = 0 ]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c ell -c csr-scalar --dry-run -o r.h5 "$matrix"
    [ "$(column to_do <<<"$output")" = 1 ]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c ell -c csr-scalar -o r.h5 "$matrix"
    [[ "$output" == *"# 1 of 2 rows already measured"*"# 1 ok, 0 na"* ]]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep quick -o r.h5 "$matrix"       # timed rows are kept
    [[ "$output" == *"# $rows of $rows rows already measured"* ]]
    [ "$("$KEYS" r.h5 | grep -c ' ok$')" -eq $((rows - na + 1)) ]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep exhaustive -o e.h5 "$matrix"
    [[ "$(grep $'\tell\t' <<<"$output")" == *$'\tok\t'* ]]
}

@test "configurations named by a recipe are timed like those named by an option" {
    need_python
    spmv-gen dense rows=1 cols=1000 -o g.h5 > /dev/null
    "$PYTHON" -c 'import h5py, numpy
t = h5py.File("g.h5", "r+")["recipes"]
del t["kernels"]
t["kernels"] = numpy.array([b"ell+csr-scalar"], dtype=h5py.string_dtype("utf-8", 14))
for a in "unit", "about": t["kernels"].attrs[a] = ""'
    "$BUILD/h5_damage" sign g.h5
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep quick -o r.h5 g.h5
    [ "$(column config <<<"$output" | sort | xargs)" = "csr-scalar ell" ]
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "2 ok" ]
}

@test "an ok row survives merging with a row skipped by a sweep, in any order" {
    spmv-run "${QUICKLY[@]}" -c ell -o timed.h5 "dense:rows=1,cols=1000" > /dev/null
    spmv-run "${QUICKLY[@]}" --sweep quick -o swept.h5 "dense:rows=1,cols=1000" > /dev/null
    for order in "timed.h5 swept.h5" "swept.h5 timed.h5"; do
        rm -f all.h5
        # shellcheck disable=SC2086   # two files
        spmv-merge -q -o all.h5 $order > /dev/null
        [ "$("$KEYS" all.h5 | grep -c ' ell .* ok$')" -eq 1 ]
    done
}

@test "layouts too large for the device are rejected as oom before anything is allocated" {
    FAULT=small run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c csr-scalar -c ell -c coo -o r.h5 "stencil:points=5,n=100"
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "3 oom" ]
    [[ "$(column reason <<<"$output" | head -n 1)" == *" requires "*" MB free" ]]
}

@test "reasons of na rows contain the numbers" {
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep exhaustive -o r.h5 "rmat:scale=11,p=4"
    paste <(column outcome <<<"$output") <(column reason <<<"$output") | sed -n 's/^na\t//p' > reasons
    grep -q 'limit' reasons
    run ! grep -v '[0-9]' reasons
}
