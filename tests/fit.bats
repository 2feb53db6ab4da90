#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-fit: run archives of one device in, a profile out.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR"; }
runs() { "$BUILD/rivals" "write-$1" "$1.h5" >/dev/null; }

@test "--help and --version work" {
    run spmv-fit --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"RUN.h5"* && "$output" == *"Example"* ]]
    run spmv-fit --version
    [ "$status" -eq 0 ]
}

@test "archives of this tree in the example of --help are runs, which spmv-fit reads" {
    local line file
    while read -r line; do
        for file in $(cd "$ROOT" && compgen -G "$line"); do
            [ "$(spmv-info -q "$ROOT/$file" | sed -n 's/^kind\t//p')" = run ] || { echo "$line: $file"; false; }
        done
    done < <(spmv-fit --help | sed '1,/^Example:/d' | grep -o 'results/[^ ]*')
}

@test "--list prints every model and its kind" {
    run spmv-fit --list
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "model	kind	about	source" ]]
    [[ "$output" == *"guo2014	literal"* && "$output" == *"nearest	rival"* && "$output" == *"bandwidth	rival"* && "$output" == *"cusparse	rival"* ]]
}

# bats test_tags=quick,id:fit-stored-profile
@test "a stored profile gives forecasts from its coefficients" {
    runs h200
    run spmv-fit --name test h200.h5 -o profile.h5
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ "$output" == *"model	config	precision	cache	cells	unused	median_error_pct	worst_error_pct"* ]]
    grep -q "^guo2014	ell:lanes=1,block=[0-9]*	f64	warm	60	0	" <<<"$output"
    [ "$(grep -c '^guo2014	ell' <<< "$output"), $(grep -c '^guo2014	csr-vector' <<< "$output")" = "2, 1" ]     # measured in f64 only
    [[ "$output" == *"# skipped: 6 rows na, coo, e.g. not today"* ]]
    [[ "$output" == *"# profile test: NVIDIA H200, measured 2026-01-02"* ]]
    run "$BUILD/rivals" profile profile.h5
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "noisy rows are not fitted; they are counted in the output" {
    FAULT=throttled SPMVCAST_ACCEPT_NOISE=0 "$BUILD/run_faulty" --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -o noisy.h5 stencil:points=5,n=20 > /dev/null
    run -1 --separate-stderr spmv-fit noisy.h5 -o profile.h5
    [[ "$stderr" == *"no row is ok, 1 row is noisy"*"--accept-noise"* ]]
    [ ! -e profile.h5 ]
    spmv-run --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -c csr-block -o noisy.h5 stencil:points=5,n=21 > /dev/null
    run -0 --separate-stderr spmv-fit --name test noisy.h5 -o profile.h5
    [[ "$output" == *"# skipped: 1 row noisy, csr-scalar, e.g. the device was throttled"* ]]
}

@test "an archive given twice counts once" {
    need_python
    runs h200
    spmv-fit h200.h5 -o one.h5 >/dev/null
    spmv-fit h200.h5 h200.h5 -o two.h5 >/dev/null
    "$PYTHON" - <<'P'
import h5py, numpy
a, b = h5py.File('one.h5')['coefficients'], h5py.File('two.h5')['coefficients']
assert len(a['value']) > 20
for name in a:
    x, y = a[name][:], b[name][:]
    assert ((x == y) | ((x != x) & (y != y))).all(), name
P
}

@test "of an older revision of a kernel, --older uses the rows that were not measured again" {
    "$BUILD/merge" write a.h5 m1/coo/G/ok/1/2026-01-01/580/1 m1/coo/G/ok/2/2026-01-02/580/7 m2/coo/G/ok/3/2026-01-01/580/1
    spmv-fit -m nearest -o p.h5 a.h5 > out 2> said
    grep -q 'skipped 2 rows: also measured with a newer revision' said
    grep -q '1 row, 1 matrix$' out
    spmv-fit --older -m nearest -o p.h5 a.h5 > out 2> said
    grep -q 'skipped 1 row: also measured with a newer revision' said
    grep -q '2 rows, 2 matrices$' out
}

# bats test_tags=id:fit-other-device
@test "a profile of another device is not replaced; one of the same device is" {
    runs h200
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=10 stencil:points=5,n=40
    spmv-fit -q -m bandwidth -o p.h5 h200.h5 > out
    cp p.h5 before.h5
    run -1 --separate-stderr spmv-fit -q -m bandwidth -o p.h5 cpu.h5
    [[ "$stderr" == "spmv-fit: cannot write p.h5: it is the profile of another device, 'NVIDIA H200', and the rows are of 'Synthetic CPU, "*" threads'; use another name for -o, or remove the file" ]]
    cmp before.h5 p.h5
    spmv-fit -q -m nearest,bandwidth -o p.h5 h200.h5 > out
    run ! cmp -s before.h5 p.h5
    : > p.h5
    spmv-fit -q -m bandwidth -o p.h5 cpu.h5 > out
}

@test "a profile is not replaced by one without some of its models, nor a full one by a quick one" {
    runs h200
    spmv-query "SELECT archive, archive_row FROM rows WHERE role = 'benchmark'" h200.h5 > cells.tsv
    spmv-merge -q --leave-out cells.tsv -o few.h5 h200.h5 > out
    spmv-fit -q -m nearest,bandwidth -o p.h5 h200.h5 > out
    spmv-fit -q -m bandwidth -o few-p.h5 h200.h5 > out
    cp p.h5 before.h5
    while IFS='|' read -r options why; do
        run -1 --separate-stderr spmv-fit -q $options -o p.h5
        [[ "$stderr" == "spmv-fit: cannot write p.h5: it $why"*"use another name for -o, or remove the file" ]] || { echo "$stderr"; false; }
        cmp before.h5 p.h5
    done <<'END'
-m bandwidth h200.h5|would lose nearest; add them to -m, keep them with --add p.h5
--add few-p.h5 -m guo2014 h200.h5|would lose nearest; add them to -m, keep them with --add p.h5
-m nearest,bandwidth few.h5|would lose bandwidth, which could not be fitted (bandwidth: no benchmark cell takes at least 4 times as long
-m nearest,bandwidth --quick h200.h5|is a full profile
END
    spmv-fit -q --add p.h5 -m guo2014 -o p.h5 h200.h5 > out
    run -1 --separate-stderr spmv-fit -q -m nearest -o p.h5 h200.h5
    [[ "$stderr" == "spmv-fit: cannot write p.h5: it would lose guo2014; "* ]]
    spmv-fit -q -m nearest --quick -o quick.h5 h200.h5 > out
    spmv-fit -q -m nearest,bandwidth -o quick.h5 h200.h5 > out
}

@test "-m fits only the named models" {
    runs h200
    run spmv-fit -m nearest h200.h5 -o profile.h5
    [ "$status" -eq 0 ]
    [[ "$output" != *"guo2014"* && "$output" == *"nearest	"* ]]
}

@test "--add fits the models of -m into a copy of a profile; everything else stays" {
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=30 stencil:points=7,n=12 > /dev/null
    spmv-fit -q -m bandwidth,nearest -o base.h5 runs.h5 > /dev/null
    spmv-fit -q --add base.h5 -m guo2014-regimes -o more.h5 runs.h5 > table
    grep -q "^guo2014-regimes	" table
    ask() { spmv-predict -q --profile "$1" -m "$2" --cache warm --columns config,time_us stencil:points=5,n=40 | grep -v '^#'; }
    ask more.h5 guo2014-regimes | grep -q "csr-scalar"
    for m in bandwidth nearest; do diff <(ask base.h5 $m) <(ask more.h5 $m); done
    spmv-info more.h5 > info
    grep -q "base.h5" info
    # a second call replaces the fits of the model
    spmv-fit -q --add more.h5 -m guo2014-regimes -o again.h5 runs.h5 > /dev/null
    diff <(spmv-info more.h5 | grep '^table\.coef') <(spmv-info again.h5 | grep '^table\.coef')
}

# bats test_tags=id:fit-needed-models
@test "-m also fits the models that a model needs; with --add those come from the profile" {
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=30 stencil:points=7,n=12 > /dev/null
    for m in footprint nearest guo2014-mean cusparse; do spmv-fit -q -m $m -o $m.h5 runs.h5 > $m.tsv; done
    spmv-fit -q -m nearest,bandwidth -o both.h5 runs.h5 > /dev/null
    ask() { spmv-predict -q --profile "$1" -m "$2" --cache warm --columns config,time_us,status stencil:points=5,n=40 | grep -v '^#'; }
    grep -q "^bandwidth	" footprint.tsv
    grep -q "^guo2014	" guo2014-mean.tsv
    for m in footprint guo2014-mean cusparse; do ask $m.h5 $m | grep -Eq "	(ok|extrapolated)$"; done
    diff <(ask nearest.h5 nearest) <(ask both.h5 nearest)
    # each has the time that its fit took, or that of those that it needs
    if find_python; then
        "$PYTHON" - <<'PY'
import h5py
for model, parts in ("footprint", ("bandwidth", "nearest")), ("guo2014-mean", ("guo2014",)), ("cusparse", ("nearest",)):
    t = h5py.File(model + ".h5")["effort"]
    s = dict(zip((m.decode() for m in t["model"][:]), t["fit_s"][:]))
    assert all(s[p] > 0 for p in parts) and abs(s[model] - sum(s[p] for p in parts)) < 1e-9, s
PY
    fi
    # runs without benchmark cells keep the profile's bandwidth
    runs h200
    runs bare
    spmv-fit -q -m nearest -o base.h5 h200.h5 > /dev/null
    spmv-fit -q --add base.h5 -m footprint -o more.h5 bare.h5 > /dev/null
    ask more.h5 footprint | grep -Eq "	(ok|extrapolated)$"
    diff <(ask base.h5 footprint) <(ask more.h5 footprint)
}

@test "notes name models that others need and that were not fitted" {
    runs bare
    run -0 --separate-stderr spmv-fit -q -m nearest,footprint -o p.h5 bare.h5
    [[ "$output" == *"# bandwidth not fitted: no benchmark cell takes at least 4 times"* ]]
    [[ "$output" == *"# footprint not fitted: it needs bandwidth: no benchmark cell takes at least 4 times"* ]]
}
