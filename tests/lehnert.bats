#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The models of lehnert2016: formulas on synthetic timings, then the programs on a small archive.
bats_require_minimum_version 1.5.0
load helpers

# bats test_tags=quick
@test "features: those of CSR and the bytes, but for the paper's formats; least squares: exact lines, dependent columns, orthogonal residuals; training uses the given matrices only" { for p in traits squares use; do part learn_lehnert $p; done; }
# bats test_tags=quick,id:lehnert-linear
@test "linear: times on a line in the logarithms are forecast to 1e-9; what lies outside is extrapolated or refused; linear-log alike" { part learn_lehnert linear; part learn_lehnert linear-log; }
# bats test_tags=quick,id:lehnert-knn
@test "knn: shares by inverse distance, distance 0, weights, families and ranges as computed by hand; the search finds the features that matter" { part learn_lehnert knn; part learn_lehnert weights; }
# bats test_tags=quick,id:lehnert-trees
@test "trees: the sum of the leaves that a point reaches" { part learn_gbrt trees; }
@test "gbrt: our evaluation equals XGBoost's to 1e-6; equal data give equal trees" { part learn_gbrt boost; }
@test "gbrt: constant times are exact; linear+gbrt takes lines or trees by format; damaged tables are refused" { part learn_gbrt gbrt "$BATS_TEST_TMPDIR/p.h5"; }
# bats test_tags=quick
@test "without XGBoost, or with too few matrices, a model is not fitted, and the reason is given" { part learn_gbrt unfitted; }

# A profile fitted to the archived matrices2 (a few kernels), shared by the tests below.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    spmv-fit -q -m linear,linear-log,linear+gbrt,knn,knn-log --name few -o few.h5 "$ROOT/results/h200/matrices2.h5" > fit.tsv
}

@test "spmv-fit: one row per configuration and target, with errors; the reason if a model was not fitted" {
    cd "$BATS_FILE_TMPDIR"
    [ "$(awk -F'\t' '$1 == "linear"' fit.tsv | wc -l)" -ge 20 ]
    [ "$(awk -F'\t' '$1 == "linear"' fit.tsv | wc -l)" -eq "$(awk -F'\t' '$1 == "linear-log"' fit.tsv | wc -l)" ]
    awk -F'\t' '$1 == "linear-log" && !($5 >= 14 && $7 > 0 && $8 >= $7) { exit 1 }' fit.tsv
    grep -q "^gbrt"$'\t' fit.tsv || grep -qx "# gbrt not fitted: built without XGBoost (install-deps.sh boost)" fit.tsv
    awk -F'\t' '$1 == "knn" && $2 ~ /:/ { exit 1 }' fit.tsv    # weights are per kernel
    [ "$(awk -F'\t' '$1 == "knn"' fit.tsv | wc -l)" -gt 0 ]
}

# bats test_tags=id:lehnert-add
@test "--add with rows of configurations that the profile lacks: their sizes are added for trained models alone" {
    cd "$BATS_FILE_TMPDIR"
    local check=
    # where there is one, it finds writes beyond an array, as AddressSanitizer does
    grep -q __asan_init "$BIN/spmv-fit" || check=$(compgen -G "/lib*/*/libc_malloc_debug.so.0" | head -n 1)
    local add=(env ${check:+"LD_PRELOAD=$check" MALLOC_CHECK_=3} spmv-fit -q --add few.h5 -o more.h5)
    "${add[@]}" -m guo2014 "$ROOT/results/h200/"{guo2014-large,lehnert2016}.h5 > /dev/null
    for table in sizes sizes_configs nodes; do
        [ "$(spmv-info more.h5 | grep "^table.trained_$table"$'\t')" = "$(spmv-info few.h5 | grep "^table.trained_$table"$'\t')" ]
    done
    rm more.h5
    "${add[@]}" -m linear-log "$ROOT/results/h200/lehnert2016.h5" > /dev/null
    [ "$(spmv-info more.h5 | sed -n 's/^table.trained_sizes_configs\t//p')" -gt "$(spmv-info few.h5 | sed -n 's/^table.trained_sizes_configs\t//p')" ]
}

@test "forecasts need no archive; terms add up; only the model asked for is read" {
    cd "$BATS_FILE_TMPDIR"
    local model
    for model in linear-log knn knn-log; do
        spmv-predict -q --profile few.h5 -m $model --explain -p f32 stencil:points=7,n=50 > out.tsv
        grep -q "^1"$'\t' out.tsv
        [ "$(awk -F'\t' -v m=$model '$1 ~ /^[0-9]+$/ && $16 != m' out.tsv | grep -vc cusparse-csr)" -eq 0 ] || { cat out.tsv; false; }
    done
    grep -q "us = nearest .* us + second .* us + third .* us + fourth" out.tsv
    grep -q "neighbours: " out.tsv
    # the default forecast of the same profile does not evaluate them
    spmv-predict -q --profile few.h5 -m nearest stencil:points=7,n=50 > nearest.tsv
    run ! grep -qE "knn|linear|gbrt" nearest.tsv
}

@test "a profile without fits, a kernel that the paper has no model for: refused, with the command that helps" {
    cd "$BATS_FILE_TMPDIR"
    spmv-fit -q -m nearest --name plain -o plain.h5 "$ROOT/results/h200/matrices2.h5" > /dev/null
    run -0 spmv-predict -q --profile plain.h5 -m linear --all stencil:points=7,n=50
    [[ "$output" == *"has no fit of linear for f64, warm; measure matrices with spmv-run and fit it with spmv-fit -m linear RUN.h5... -o PROFILE.h5"* ]]
    run -0 spmv-predict -q --profile plain.h5 -m knn --all stencil:points=7,n=50
    [[ "$output" == *"has no weights of knn for kernel"*"spmv-fit -m knn"* ]]
    run -0 spmv-predict -q --profile few.h5 -m linear+gbrt --all stencil:points=7,n=50
    [[ "$output" == *"lehnert2016 has no model of format bcsr; linear+gbrt covers coo, csr, ell, sell and bro"* ]]
    # much smaller than every measured matrix
    run -0 spmv-predict -q --profile few.h5 -m linear-log -c 'bcsr:r=2,c=2,pack=1,align=0,interleave=1,lanes=64' stencil:points=5,n=3
    [[ "$output" == *"refused"*"outside the fitted range"*"by more than a factor of 2; time similar matrices with spmv-run and fit the profile again"* ]]
}

@test "matrices of the profile are in training: spmv-verify counts them for nearest only, and says so" {
    cd "$BATS_FILE_TMPDIR"
    verify() { spmv-verify --profile few.h5 -m linear-log,knn-log,nearest --precision f32 --cache warm "$@" "$ROOT/results/h200/matrices2.h5"; }
    verify --table errors > out.tsv
    grep -q "^# linear-log: 0 forecasts, .*in training; verify with an archive of forecasts" out.tsv
    grep -q "^# knn-log: 0 forecasts, .*in training; verify with an archive of forecasts" out.tsv
    grep -qE "^# nearest: [1-9][0-9]* forecasts" out.tsv
    verify --table ranking --columns model,among,matrices,no_pick,in_training > out.tsv
    grep -qE "^linear-log	all	0	[0-9]+	[1-9][0-9]*$" out.tsv
    grep -qE "^knn-log	all	0	[0-9]+	[1-9][0-9]*$" out.tsv
    grep -qE "^nearest	all	[1-9][0-9]*	[0-9]+	0$" out.tsv
    grep -q "in_training: matrices that the model was fitted to, .*spmv-fit --crossvalidate" out.tsv
    for table in scores advice coverage; do
        verify --table $table > out.tsv
        grep -q "^# linear-log: 0 forecasts, .*in training; verify with an archive of forecasts" out.tsv
        [[ "$(column set < out.tsv | sort -u)" =~ ^(unseen)?$ ]]
    done
}

@test "table effort: seconds to fit, and products to forecast and to rank, of each model" {
    need_python
    cd "$BATS_FILE_TMPDIR"
    spmv-verify --json --profile few.h5 -m linear-log,linear+gbrt,knn,nearest --table effort --precision f32 --cache warm "$ROOT/results/h200/matrices2.h5" > effort.json
    "$PYTHON" - <<'PY'
import json
rows = {r["model"]: r for r in json.load(open("effort.json"))["rows"]}
assert rows["nearest"]["fit_s"] > 0, rows
for name in ("linear-log", "knn"):
    r = rows[name]
    assert r["fit_s"] > 0 and r["forecast_us"] > 0 and r["matrices"] > 50, r
    assert abs(r["fit_spmvs"] / (1e6 * r["fit_s"] / r["best_us"]) - 1) < 0.02, r
    assert r["features_us"] is None and r["fill_us"] is None, r     # files are not looked for without --collection
    assert r["rank_us"] > r["forecast_us"] and r["rank_spmvs"] > r["forecast_spmvs"], r
assert rows["knn"]["forecast_us"] > 2 * rows["linear-log"]["forecast_us"], rows   # it looks at every matrix
PY
    # a profile of an older program has no times of models that do not learn
    cp few.h5 older.h5
    "$PYTHON" - <<'PY'
import h5py
f = h5py.File("older.h5", "r+")
names = f["effort/model"][:]
names[names == b"nearest"] = b"unknown"
f["effort/model"][:] = names
PY
    "$BUILD/h5_damage" sign older.h5
    verify() { spmv-verify --profile $1 -m nearest,knn --table effort --precision f32 --cache warm --columns model,fit_s "$ROOT/results/h200/matrices2.h5"; }
    verify few.h5 > few.out
    run ! grep -q "fit_s -" few.out
    verify older.h5 > older.out || { cat older.out; false; }
    grep -qx "nearest	-" older.out
    grep -q "^# fit_s -: profile older has no time of nearest; an older spmv-fit recorded those of learned models only" older.out
}

# bats test_tags=long,id:lehnert-crossvalidate
@test "--crossvalidate fits trained models anew for each fold: each family is in one fold, each case is forecast once" {
    need_python
    cd "$BATS_FILE_TMPDIR"
    spmv-fit -q --crossvalidate --folds 3 -m linear-log,knn-log -o cv.h5 "$ROOT/results/h200/matrices2.h5"
    "$PYTHON" - <<'PY'
import h5py
f = h5py.File("cv.h5")
t, c = f["forecasts"], f["cases"]
models = {m.decode() for m in t["model"][:]}
assert models == {"linear-log", "knn-log", "nearest"}, models
rows = list(zip(t["model"][:], t["training"][:], t["seed"][:], t["fold"][:], t["case_index"][:], t["status"][:], t["time_us"][:]))
assert all(r[2] == 1 for r in rows)
sealed, family = c["sealed"][:], c["family"][:]
fold = {}
for m, training, seed, k, i, status, us in rows:
    if m != b"linear-log" or training != b"all": continue
    assert (k == -1) == (sealed[i] == 1), i
    assert fold.setdefault(family[i], k) == k, family[i]       # a family is in one fold
assert set(fold.values()) == {-1, 0, 1, 2}, fold
for m in (b"linear-log", b"knn-log"):                          # every case once
    of = [r for r in rows if r[0] == m and r[1] == b"all"]
    assert len(of) == len({r[4] for r in of}) == len(sealed)
    assert sum(r[5] != 2 and r[6] > 0 for r in of) > 0.5 * len(of)
PY
    # each fold has its own fit: with other folds all its forecasts differ, but not those of the sealed families
    spmv-fit -q --crossvalidate --folds 2 -m linear-log,knn-log -o two.h5 "$ROOT/results/h200/matrices2.h5"
    "$PYTHON" - <<'PY'
import h5py
def forecasts(path):
    f = h5py.File(path)
    t, sealed = f["forecasts"], f["cases"]["sealed"][:]
    return {(m, i): (sealed[i], us) for m, training, i, us in
            zip(t["model"][:], t["training"][:], t["case_index"][:], t["time_us"][:]) if training == b"all"}
three, two = forecasts("cv.h5"), forecasts("two.h5")
for model, least in ((b"linear-log", 0.95), (b"knn-log", 0.3)):
    pairs = [(sealed, a, two[m, i][1]) for (m, i), (sealed, a) in three.items() if m == model]
    assert all(a == b or a != a for sealed, a, b in pairs if sealed)
    other = [a != b for sealed, a, b in pairs if not sealed and a == a and b == b]
    assert sum(other) >= least * len(other), (model, sum(other), len(other))
PY
    run spmv-verify cv.h5
    [ "$status" -eq 0 ]
}
