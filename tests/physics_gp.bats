#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# physics-gp: fit, forecasts, cross-validation. Its accuracy is archived, not tested; only one fold is recomputed.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    # eleven families; dia and a second csr-vector on only a few of them
    spmv-run -q --backend cpu -c csr-scalar -c csr-vector:lanes=8 -c coo -c ell -c hyb --time-cap 0 --rounds-cap 3 --cache warm --role matrix -o many.h5 \
        stencil:points=5,n={20,40} stencil:points=7,n=10 fem:n=6,d={1,3} rmat:scale=9,p={3,12} uniform:rows=900,p=12 dense:rows=60 \
        banded:rows=700,bandwidth=3 lp:rows=200,p=4 like:rows=500,nnz=4000,sd=20,max=200
    spmv-run -q --backend cpu -c dia --time-cap 0 --rounds-cap 3 --cache warm --role matrix -o few.h5 stencil:points=5,n={20,40} banded:rows=700,bandwidth=3
    spmv-fit -q -m physics-gp,nearest,bandwidth --name many -o p.h5 many.h5 few.h5 > fit.tsv
}

predict() { spmv-predict -q --profile "$BATS_FILE_TMPDIR/p.h5" --cache warm "$@"; }

# bats test_tags=id:physics-gp-repeated-mean
@test "physics-gp: of repeated measurements the mean counts, whatever the order of the archives" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/many.h5" once.h5
    cp "$BATS_FILE_TMPDIR/many.h5" again.h5
    # times linear in the bytes; those of again.h5 are 1.2 times as long, on another day
    "$PYTHON" - <<'PY'
import h5py, numpy as np
for path, longer in ("once.h5", 1), ("again.h5", 1.2):
    with h5py.File(path, "r+") as f:
        r = f["rows"]; ok = np.isin(r["outcome"][:], (b"ok", b"noisy"))
        r["outcome"][...] = np.where(ok, b"ok", r["outcome"][:]).astype(r["outcome"].dtype)
        for c in "time_us", "stream_us": r[c][...] = np.where(ok, longer * (2 + r["least_bytes"][:] / 1000), r[c][:])
        r["t0_us"][...] = np.where(ok, 0.5, r["t0_us"][:])
        if longer > 1: r["measured"][...] = np.array([b"2026-01-01" + d[10:] if d else d for d in r["measured"][:]], r["measured"].dtype)
PY
    for f in once again; do "$BUILD/h5_damage" sign $f.h5; done
    spmv-fit -m physics-gp --name n -o a.h5 once.h5 again.h5 > a
    spmv-fit -m physics-gp --name n -o b.h5 again.h5 once.h5 > b
    grep -Eq '^# physics-gp: averaged [1-9][0-9]* times measured more than once, which differ by 18 % on average' a
    diff <(grep '^# physics-gp' a) <(grep '^# physics-gp' b)
    at() { spmv-predict -q --profile "$1" --cache warm -p f64 -c csr-scalar stencil:points=5,n=40 > t; column time_us < t; }
    [ "$(at ./a.h5)" = "$(at ./b.h5)" ]
    spmv-fit -q -m physics-gp --name n -o c.h5 once.h5 > c
    run ! grep -q "more than once" c
    awk -v once="$(at ./c.h5)" -v mean="$(at ./a.h5)" 'BEGIN { exit !(mean > 1.07 * once && mean < 1.13 * once) }'
}

# bats test_tags=quick,id:physics-gp-arithmetic
@test "physics-gp: its arithmetic matches slower direct computations" { "$BUILD/learn_math"; }

@test "physics-gp: each measured configuration has a forecast inside its interval; an unmeasured one is refused" {
    cd "$BATS_TEST_TMPDIR"
    predict --all uniform:rows=1500,p=9 > table
    [ "$(column status < table | grep -vc '^na$')" -ge 6 ]
    [ "$(column status < table | grep -c refused)" -eq 0 ]
    paste <(column low_us < table) <(column time_us < table) <(column high_us < table) <(column status < table) | awk -F'\t' '
        $4 != "na" && !($1 <= $2 && $2 < $3 && $1 > 0) { print; bad = 1 } END { exit bad }'
    run predict -c csr-vector:lanes=32 uniform:rows=1500,p=9
    [[ "$output" == *"csr-vector:lanes=32 was never measured for profile p"* ]]
}

@test "physics-gp: a forecast raised to the shortest possible time stays inside its interval" {
    for recipe in constant:rows=1000000,p=3 rmat:scale=12 stencil:points=7,n=20; do
        spmv-predict -q --profile "$ROOT/results/h200/profile.h5" --all -p f32 --cache warm,cold "$recipe" > table
        paste <(column low_us < table) <(column time_us < table) <(column high_us < table) | awk -F'\t' '
            $2 != "-" && !($1 < $2 && $2 < $3) { print; bad = 1 } $2 != "-" { n++ } END { exit bad || n < 100 }'
    done
}

# bats test_tags=id:physics-gp-few-families
@test "physics-gp: a configuration measured on fewer than eight families is extrapolated; with fewer families in all spmv-fit states how many it requires" {
    cd "$BATS_TEST_TMPDIR"
    predict -c dia banded:rows=2000,bandwidth=2 > table
    [ "$(column status < table)" = extrapolated ]
    [[ "$(column reason < table)" == "measured on only 3 families of matrices (8 needed)"* ]]
    spmv-fit -m physics-gp,nearest -o few.h5 "$BATS_FILE_TMPDIR/few.h5" > out
    grep -q "^# physics-gp not fitted: 3 families of matrices measured, but at least 8 required" out
    run -0 spmv-predict -q -m physics-gp --profile few.h5 --cache warm -c dia banded:rows=2000,bandwidth=2
    [[ "$output" == *" has no learned forecasts; fit it again with spmv-fit"* ]]
    run -0 spmv-predict -q --profile few.h5 --cache warm -c dia banded:rows=2000,bandwidth=2
    [[ "$output" == *"# the profile has no model physics-gp; these are forecasts of nearest ("* ]] # the profile has no guo2014-regimes either
    spmv-predict -q --profile few.h5 --cache warm --summary banded:rows=2000,bandwidth=2 > summary
    grep -q "^# the profile has no model physics-gp; these are forecasts of nearest (" summary
    spmv-report --profile few.h5 --matrix banded:rows=2000,bandwidth=2 -o page.html 2> /dev/null
    grep -q "Note: the profile has no model physics-gp; these are forecasts of nearest (" page.html
    grep -q "There is no plan: the profile has no model that forecasts blocks" page.html
    run -1 spmv-plan --profile few.h5 banded:rows=2000,bandwidth=2
    [[ "$output" == "spmv-plan: profile few has no model that forecasts blocks, as physics-gp or guo2014-regimes (spmv-fit on its runs"* ]]
}

# bats test_tags=id:physics-gp-few-families-of-class
@test "physics-gp: measured on few families of the class of the matrix, a configuration is extrapolated, too" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/p.h5" class.h5
    "$PYTHON" - <<'PY'
import h5py
with h5py.File("class.h5", "r+") as f:
    t = f["learned_configs"]; n = t["class_families"][:]; n[t["kernel"][:] == b"coo"] = [3, 9] * 3; t["class_families"][...] = n
PY
    "$BUILD/h5_damage" sign class.h5
    spmv-predict -q --profile class.h5 --cache warm -c coo -c csr-scalar uniform:rows=1500,p=9 > table
    [[ "$(column reason kernel=coo < table || column reason < table)" == *"measured on only 3 families of matrices that are read mostly from the L2 (8 needed)"* ]]
    [ "$(column status < table | sort | uniq -c | tr -s ' \n' ' ')" = " 1 extrapolated 1 ok " ]
}

# bats test_tags=id:physics-gp-outside-range
@test "physics-gp: outside the measured range a forecast names feature and distance and has a wider interval" {
    cd "$BATS_TEST_TMPDIR"
    predict -c csr-scalar uniform:rows=1500,p=9 > near
    predict -c csr-scalar rmat:scale=17,p=30 > far
    [ "$(column status < near)" = ok ]
    [ "$(column status < far)" = extrapolated ]
    [[ "$(column reason < far)" =~ ^feature\ ([a-z_0-9]+)\ is\ ([0-9.e+-]+),\ outside\ the\ measured\ range\ \(([0-9.e+-]+)\ to\ ([0-9.e+-]+)\)\ by\ a\ factor\ of\ ([0-9.e+-]+)$ ]]
    # a logarithm inside: in its own unit here
    awk -v v="${BASH_REMATCH[2]}" -v low="${BASH_REMATCH[3]}" -v high="${BASH_REMATCH[4]}" -v by="${BASH_REMATCH[5]}" \
        'BEGIN { f = v < low ? low / v : v / high; exit !(f / by > 0.99 && f / by < 1.01) }' 
    for t in near far; do paste <(column high_us < $t) <(column low_us < $t) | awk '{ print $1 / $2 }'; done > widths
    [ "$(sort -g widths | head -n 1)" = "$(head -n 1 widths)" ]
}

# bats test_tags=id:physics-gp-measured-matrix
@test "physics-gp: a matrix measured for the profile is reported as in training, and spmv-verify excludes it" {
    cd "$BATS_TEST_TMPDIR"
    predict -c csr-scalar stencil:points=5,n=40 > table
    [[ "$(column reason < table)" == "in training: stencil:points=5,n=40,seed=1 was measured for this profile" ]]
    grep -q '^# matrix .* nonzeros; it was measured for this profile$' table
    for m in linear-log all; do
        spmv-predict -q --profile "$BUILD/syn/all.h5" -m $m stencil:points=5,n=60 | grep -q '^# matrix .* nonzeros; it was measured for this profile$'
    done
    run ! grep -q 'it was measured' < <(spmv-predict -q --profile "$BUILD/syn/all.h5" -m nearest stencil:points=5,n=60) # which leaves it out
    run -0 spmv-predict -q --profile "$BATS_FILE_TMPDIR/p.h5,$ROOT/results/h200/profile.h5" stencil:points=5,n=40
    grep -q '^# matrix .* nonzeros; it was measured for profile p$' <<< "$output" # and not for h200
    run -0 spmv-predict -q --profile "$ROOT/results/h200/profile.h5,$BATS_FILE_TMPDIR/p.h5" stencil:points=5,n=40
    grep -q '^# matrix .* nonzeros; it was measured for profile p$' <<< "$output"
    spmv-verify -q --profile "$BATS_FILE_TMPDIR/p.h5" -m physics-gp --table errors --by model "$BATS_FILE_TMPDIR/many.h5" > out
    [ "$(column cases < out)" -eq 0 ]
    grep -q "in training; verify with an archive of forecasts" out
}

@test "physics-gp: with --explain the terms add up to the time; the learned factor and the nearest matrices are named" {
    predict --explain -c csr-scalar uniform:rows=1500,p=9 > "$BATS_TEST_TMPDIR/out"
    grep '^# csr-scalar.* us = launch ' "$BATS_TEST_TMPDIR/out" | tr '+' '\n' | awk '
        { for (i = 1; i < NF; i++) if ($(i + 1) == "us") v[++n] = $i } END { for (i = 2; i <= n; i++) s += v[i]; exit !(n > 3 && s > 0.995 * v[1] && s < 1.005 * v[1]) }'
    grep -qE '^# csr-scalar.*: physics x [0-9.]+ learned; nearest measured: [a-z]+:' "$BATS_TEST_TMPDIR/out"
}

# bats test_tags=id:physics-gp-columns-used
@test "physics-gp: the only measured columns used by the fit are times, sequence lengths, registers and shared memory" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/many.h5" blank.h5
    "$PYTHON" - blank.h5 <<'PY'
import h5py, sys
rows = h5py.File(sys.argv[1], "r+")["rows"]
keep = {"time_us", "stream_us", "t0_us", "registers", "shared_bytes", "alpha", "beta"}
for name in rows:
    if rows[name].dtype.kind in "iuf" and name not in keep and name not in {"revision"}:
        rows[name][...] = 0
PY
    "$BUILD/h5_damage" sign blank.h5
    spmv-fit -q -m physics-gp --name many -o a.h5 "$BATS_FILE_TMPDIR/many.h5"
    spmv-fit -q -m physics-gp --name many -o b.h5 blank.h5
    "$PYTHON" - <<'PY'
import h5py, numpy
a, b = h5py.File("a.h5"), h5py.File("b.h5")
tables = [t for t in a if t.startswith("learned_")]
assert len(tables) == 8, tables
for t in tables:
    for c in a[t]:
        assert a[t][c].shape == b[t][c].shape and (a[t][c][...].tobytes() == b[t][c][...].tobytes()), (t, c)
PY
}

@test "physics-gp: noisy rows and rows without a time are ignored; times that contradict each other are a warning" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/many.h5" noisy.h5
    "$PYTHON" - <<'PY'
import h5py
rows = h5py.File("noisy.h5", "r+")["rows"]
kernels = [k.decode() if isinstance(k, bytes) else k for k in rows["kernel"][:]]
outcome = rows["outcome"][:].astype(h5py.string_dtype("utf-8", 5)) # texts are as wide as the longest one
for i, k in enumerate(kernels):
    if k == "ell": outcome[i] = b"noisy"
attributes = dict(rows["outcome"].attrs)
del rows["outcome"]
rows.create_dataset("outcome", data=outcome).attrs.update(attributes)
PY
    "$BUILD/h5_damage" sign noisy.h5
    [ "$(spmv-query -q "SELECT count(DISTINCT kernel) FROM rows WHERE outcome = 'noisy'" noisy.h5 | sed -n 2p)" = 1 ]
    spmv-fit -q -m physics-gp --name many -o p.h5 noisy.h5
    run spmv-predict -q --profile p.h5 --cache warm -c ell uniform:rows=1500,p=9
    [[ "$output" == *"ell was never measured for profile p"* ]]
    "$PYTHON" -c 'import h5py; rows = h5py.File("noisy.h5", "r+")["rows"]; rows["time_us"][::2] *= 1000'
    "$BUILD/h5_damage" sign noisy.h5
    run --separate-stderr spmv-fit -q -m physics-gp --name many -o p.h5 noisy.h5
    [[ "$stderr" == *"warning: f64, warm, graph: half of the 90 % intervals reach from t to more than "*" t, for "*" t: "*"measure them again on an idle one (--again all)"* ]]
}

@test "physics-gp: a profile with unknown features or missing points is rejected" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    for what in feature point; do
        cp "$BATS_FILE_TMPDIR/p.h5" $what.h5
        "$PYTHON" - $what <<'PY'
import h5py, sys
f = h5py.File(sys.argv[1] + ".h5", "r+")
if sys.argv[1] == "feature": f["learned_features"]["feature"][3] = b"colour"
else: f["learned_configs"]["n"][0] = 10**6
PY
        "$BUILD/h5_damage" sign $what.h5
    done
    run spmv-predict -q --profile feature.h5 uniform:rows=1500,p=9
    [ "$status" -ne 0 ]
    [[ "$output" == *"feature.h5: expected learned feature "*", found colour; fit the profile again with spmv-fit" ]]
    run spmv-predict -q --profile point.h5 uniform:rows=1500,p=9
    [ "$status" -ne 0 ]
    [[ "$output" == *"table learned_configs: missing points of "*"; fit the profile again"* ]]
}

# only COLUMN=TEXT FILE...: marks all other rows as not applicable, so that there is less to fit.
only() {
    "$PYTHON" - "$@" <<'PY'
import h5py, numpy as np, sys
column, text = sys.argv[1].split("=")
for path in sys.argv[2:]:
    r = h5py.File(path, "r+")["rows"]
    r["outcome"][...] = np.where(r[column][:] == text.encode(), r["outcome"][:], b"na").astype(r["outcome"].dtype)
PY
    for f in "${@:2}"; do "$BUILD/h5_damage" sign "$f"; done
}

# bats test_tags=long,id:physics-gp-resume
@test "--crossvalidate: a killed run resumes with the same result; partial results of another command are not used" {
    command -v h5diff > /dev/null || skip "no h5diff"
    need_python
    cd "$BATS_TEST_TMPDIR"
    mkdir whole killed
    cp "$ROOT/results/h200/matrices2.h5" rows.h5
    only precision=f64 rows.h5; only kernel=hyb rows.h5
    local fit=(spmv-fit --crossvalidate --seeds 2 --folds 2 -o f.h5 ../rows.h5)
    (cd whole && "${fit[@]}") 2> whole.err
    run ! grep -q "resumed" whole.err
    cd killed
    "${fit[@]}" 2> ../first.err &
    for _ in {1..2000}; do [ -e f.h5.partial ] && break; sleep 0.05; done # at most 100 s: sanitizers are slow
    kill -9 $!
    wait $! || true
    [ -e f.h5.partial ]
    [ ! -e f.h5 ]
    cp f.h5.partial ../left
    "${fit[@]}" 2> ../second.err
    grep -Eq "f.h5.partial: resumed with [1-9][0-9]* forecasts" ../second.err
    [ "$(grep -c ", fold " ../whole.err)" -eq 4 ]
    [ "$(grep -c ", fold " ../second.err)" -lt 4 ]
    [ ! -e f.h5.partial ]
    h5diff f.h5 ../whole/f.h5 /forecasts /forecasts
    h5diff f.h5 ../whole/f.h5 /cases /cases
    "$PYTHON" - ../rows.h5 f.h5 <<'PY'
import h5py, sys
m, cases = h5py.File(sys.argv[1])["matrices"], h5py.File(sys.argv[2])["cases"]
parts = {s: k == 0 or longest <= k for s, k, longest in zip(m["source_id"][:], m["hyb_k"][:], m["row_max"][:])}
said = [(bool(one), parts[s]) for s, one in zip(cases["source_id"][:], cases["one_part"][:])]
assert set(said) == {(True, True), (False, False)}, set(said)
PY
    cp ../left f.h5.partial
    spmv-fit --crossvalidate --seeds 1 --folds 2 -o f.h5 ../rows.h5 2> ../third.err
    grep -q "f.h5.partial: ignored: f.h5.partial was made by another command" ../third.err
    [ ! -e f.h5.partial ]
}

# Only f64, in half the time: precisions share little of a fit.
# bats test_tags=full
@test "forecasts of the H200: one fold is reproduced" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    cp "$ROOT"/results/h200/{matrices,matrices2,large,bench,training,training2,training3,repeat,choi2010,values}.h5 .
    only precision=f64 *.h5
    spmv-fit -q --older --crossvalidate -m physics-gp --fold 1 -o fold.h5 {matrices,matrices2,large,bench,training,training2,training3,repeat,choi2010,values}.h5
    "$PYTHON" - "$ROOT/results/h200/forecasts.h5" "$BUILD/config" <<'PY'
import functools, h5py, numpy as np, subprocess, sys
@functools.cache
def complete(config): return subprocess.run([sys.argv[2], "complete", config], check=True, capture_output=True).stdout.strip()
def errors(path):
    f = h5py.File(path); c, t = f["cases"], f["forecasts"]
    pick = (t["model"][:] == b"physics-gp") & (t["training"][:] == b"all") & (t["seed"][:] == 1) & (t["fold"][:] == 0)
    pick &= c["precision"][:][t["case_index"][:]] == b"f64"
    at = t["case_index"][:][pick]; us = t["time_us"][:][pick].astype(float)
    measured = c["measured_us"][:][at] - c["state_us"][:][at]
    return dict(zip(zip(c["matrix"][:][at], map(complete, c["config"][:][at]), c["cache"][:][at], c["launch"][:][at]), us / measured - 1))
a, b = errors(sys.argv[1]), errors("fold.h5")
assert a.keys() == b.keys() and len(a) > 1000, (len(a), len(b))
mean = [np.mean(np.abs(list(e.values()))) * 100 for e in (a, b)]
assert abs(mean[0] - mean[1]) < 0.3, mean
PY
}
