#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Composites: parts timed separately. A part's row is not a result of its configuration: tables of results skip it.
bats_require_minimum_version 1.5.0
load helpers

QUICKLY=(--backend cpu --time-cap 0 --rounds-cap 3)
MATRIX="halves:rows=9000,p=3,q=20,seed=3"
setup() { cd "$BATS_TEST_TMPDIR"; export OMP_NUM_THREADS=1; }
run_parts() { spmv-run "${QUICKLY[@]}" --parts "$@"; }

# bats test_tags=quick,id:hyb-head-tail
@test "the head sets y, the tail adds to it, and both parts together equal the whole" {
    run "$BUILD/hyb" parts
    [ "$status" -eq 0 ]
    [[ "$output" == "ok parts, "*" checks" ]]
}

@test "--parts adds a row per part with its bytes and grid but no conversion; plain configurations get none" {
    run -0 --separate-stderr run_parts -c hyb:k=3,tail=csr-vector -c csr-scalar -p f32,f64 -o r.h5 "$MATRIX"
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "16 ok" ]
    paste -d: <(column config <<<"$output") <(column part <<<"$output") | sort | uniq -c | awk '{ print $1, $2 }' | sed 's/ hyb:[^ ]*:/ hyb:/' | xargs > seen
    [ "$(cat seen)" = "4 csr-scalar:- 4 hyb:- 4 hyb:head 4 hyb:tail" ]
    need_python
    "$PYTHON" - <<'P'
import h5py
t = h5py.File("r.h5")["rows"]
col = lambda c: [v.decode() if isinstance(v, bytes) else v for v in t[c][:]]
rows = [dict(zip(("part", "precision", "config", "bytes", "least", "convert"), r))
        for r in zip(col("part"), col("precision"), col("config"), col("storage_bytes"), col("least_bytes"), col("convert_us"))]
for p in ("f32", "f64"):
    of = {r["part"]: r for r in rows if r["config"].startswith("hyb") and r["precision"] == p}
    assert of["head"]["bytes"] + of["tail"]["bytes"] == of[""]["bytes"], of
    assert of["head"]["bytes"] == 9024 // 32 * 32 * 3 * (8 if p == "f32" else 12), of
    assert all(of[q]["least"] < of[""]["least"] for q in ("head", "tail"))
    assert of["head"]["convert"] != of["head"]["convert"] and of[""]["convert"] > 0
P
}

# bats test_tags=id:hyb-parts-stored
@test "--parts: stored rows are not measured again; rows of parts are added to an archive of wholes" {
    spmv-run "${QUICKLY[@]}" -c hyb:k=3 -o r.h5 "$MATRIX" > /dev/null
    run -0 --separate-stderr run_parts -c hyb:k=3 -o r.h5 "$MATRIX"
    [[ "$output" == *"# 2 of 6 rows already measured"* && "$output" == *"# 4 ok, 0 na,"* ]]
    [ "$(column part <<<"$output" | sort | uniq -c | xargs)" = "2 head 2 tail" ]
    run -0 --separate-stderr run_parts -c hyb:k=3 -o r.h5 "$MATRIX"
    [[ "$output" == *"# 6 of 6 rows already measured"* ]]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c hyb:k=3 -o r.h5 "$MATRIX"
    [[ "$output" == *"# 2 of 2 rows already measured"* ]]
    run -0 --separate-stderr run_parts -c hyb:k=3 --dry-run -o r.h5 "$MATRIX"
    [[ "$output" == *": 6 rows, 6 already measured"* ]]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c hyb:k=3 --dry-run -o r.h5 "$MATRIX"
    [[ "$output" == *": 2 rows, 2 already measured"* ]]
}

@test "--parts: the row of an empty part is na with a reason" {
    run -0 --separate-stderr run_parts --cache warm -c hyb:k=1000 -o r.h5 "$MATRIX"
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "1 na 2 ok" ]
    [[ "$(column reason <<<"$output")" == *"the tail has no entries; nothing to time"* ]]
}

# bats test_tags=id:hyb-parts-ignored
@test "verify, speed and predict ignore rows of parts; merge keeps them" {
    run_parts -c hyb:k=3 -c csr-scalar -c csr-vector:lanes=4 -c ell --cache warm -o with.h5 "$MATRIX" "constant:rows=4000,cols=4000,p=9,place=band,seed=1" > /dev/null
    spmv-merge -q -o merged.h5 with.h5 > /dev/null
    "$BUILD/run_keys" merged.h5 > merged
    [ "$("$BUILD/run_keys" with.h5 | wc -l)" -eq "$(wc -l < merged)" ]
    need_python
    "$PYTHON" - <<'P'
import h5py, shutil
shutil.copy("with.h5", "slow.h5")
t = h5py.File("slow.h5", "r+")["rows"]
part, time = t["part"][:], t["time_us"][:]
assert sum(p != b"" for p in part) == 4
time[part != b""] = 1e-9                        # a result so fast would change any table
t["time_us"][:] = time
P
    "$BUILD/h5_damage" sign slow.h5
    spmv-fit -o p.h5 with.h5 > with.fit
    [[ "$(head -n 1 with.fit)" == *", 8 rows, 2 matrices" ]]
    spmv-fit -o q.h5 slow.h5 | diff - with.fit
    for f in with slow; do
        spmv-speed "$f.h5" > "$f.speed"
        spmv-verify --profile p.h5 -m nearest "$f.h5" > "$f.verify"
        spmv-predict --profile p.h5 -m nearest --cache warm --measured "$f.h5" "$MATRIX" > "$f.predict"
    done
    sed -i '/^# table: parts/,/^# left out/d' {with,slow}.speed     # the table of parts
    for t in speed verify predict; do diff with.$t slow.$t; done
}

@test "speed: each part of a composite has its shares of entries and time" {
    need_python
    run_parts -p f32,f64 -c hyb:k=3 -c hyb:k=3,tail=brc -c hyb:k=100 -c csr-scalar -o r.h5 "$MATRIX" > /dev/null
    "$PYTHON" - <<'P'
import h5py
t = h5py.File("r.h5", "r+")["rows"]
time, part = t["time_us"][:], t["part"][:]
for i, config in enumerate(t["config"][:]):     # in us: COO tails 40, BRC tails 10, heads 60, wholes 70
    if part[i] == b"tail" and time[i] > 0: time[i] = 10 if b"tail=brc" in config else 40
    elif part[i] == b"head": time[i] = 60
    elif config.startswith(b"hyb"): time[i] = 70
t["time_us"][:] = time
P
    "$BUILD/h5_damage" sign r.h5
    spmv-speed --table parts r.h5 > parts
    # 4500 rows have 3 entries and 4500 have 20: the first 3 entries per row are 27000 of 103500
    awk -F'\t' '/^halves/ { split($5, c, ","); print $3, $4, c[1], $6, $7, $8, $9, $10 }' parts | sort | uniq -c | awk '{ $1 = $1 } 1' > seen
    cat seen
    for p in f32 f64; do
        for c in cold warm; do
            echo "1 $p $c hyb:k=100 head 100.0 60.00 100.0 70.00"
            echo "1 $p $c hyb:k=3 tail 73.91 10.00 14.29 70.00"
            echo "1 $p $c hyb:k=3 tail 73.91 40.00 40.00 70.00"
            echo "1 $p $c hyb:k=3 head 26.09 60.00 60.00 70.00"
            echo "1 $p $c hyb:k=3 head 26.09 60.00 85.71 70.00"
        done
    done | sort | diff seen -
    grep -q '^# left out: 4 parts without a time' parts
}

@test "speed: parts of excluded matrices are counted as excluded" {
    run_parts -c hyb:k=3 -o r.h5 "$MATRIX" stencil:points=5,n=20 > /dev/null
    spmv-speed --table parts --max-row 10 r.h5 > parts
    cat parts
    [ "$(grep -c '^stencil' parts)" -eq 4 ]
    [ "$(grep -c '^halves' parts)" -eq 0 ]
    grep -q '^# left out: 6 rows of matrices with a row of more than 10 nonzeros' parts     # wholes and parts, warm and cold
    spmv-speed --table parts --min-nnz 100000 r.h5 > parts
    grep -q '^# rows left out: .*6 of matrices below 100000 nonzeros' parts
}

@test "archives from before --parts are read: all rows are wholes" {
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c hyb:k=3 -o r.h5 "$MATRIX"
    need_python
    "$PYTHON" -c 'import h5py
del h5py.File("r.h5", "r+")["rows"]["part"]'
    "$BUILD/h5_damage" sign r.h5
    run -0 --separate-stderr run_parts -c hyb:k=3 -o r.h5 "$MATRIX"
    [[ "$output" == *"# 2 of 6 rows already measured"* ]]
}
