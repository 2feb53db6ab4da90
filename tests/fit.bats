#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-fit: run archives of one device in, a profile out.
bats_require_minimum_version 1.5.0
load helpers

setup() { cd "$BATS_TEST_TMPDIR"; }
runs() { "$BUILD/rivals" "write-$1" "$1.h5" >/dev/null; }

@test "--help and --version work; an unknown option is a usage error with empty stdout" {
    run spmv-fit --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"RUN.h5"* && "$output" == *"Example"* ]]
    run spmv-fit --version
    [ "$status" -eq 0 ]
    run --separate-stderr spmv-fit --no-such
    [ "$status" -eq 2 ]
    [ -z "$output" ]
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

@test "-m fits only the named models; an unknown model is a usage error that suggests the nearest" {
    runs h200
    run spmv-fit -m nearest h200.h5 -o profile.h5
    [ "$status" -eq 0 ]
    [[ "$output" != *"guo2014"* && "$output" == *"nearest	"* ]]
    run --separate-stderr spmv-fit -m neerest h200.h5 -o profile.h5
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"nearest"* && -z "$output" ]]
}

# bats test_tags=quick
@test "rows of two devices are rejected with an error that names both, and nothing is written" {
    runs h200
    runs c2050
    run --separate-stderr spmv-fit h200.h5 c2050.h5 -o profile.h5
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"NVIDIA H200"*"h200.h5"*"C2050"*"c2050.h5"* ]]
    [ -z "$(ls profile.h5* 2>/dev/null)" ]
}

# bats test_tags=quick
@test "missing archive, missing output, missing file, wrong kind and unwritable path each give a one-line error" {
    runs h200
    run --separate-stderr spmv-fit -o p.h5
    [ "$status" -eq 2 ]
    run --separate-stderr spmv-fit h200.h5
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"-o"* ]]
    run --separate-stderr spmv-fit none.h5 -o p.h5
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"none.h5"* && "${#stderr_lines[@]}" -eq 1 ]]
    spmv-fit h200.h5 -o p.h5 >/dev/null
    run --separate-stderr spmv-fit p.h5 -o q.h5
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"p.h5"*"profile"* && ! -e q.h5 ]]
    run --separate-stderr spmv-fit h200.h5 -o no/such/folder/p.h5
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"no/such/folder"* ]]
}

@test "--add fits the models of -m into a copy of a profile; everything else stays; another device and -m all are refused" {
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
    run -2 --separate-stderr spmv-fit --add base.h5 -o no.h5 runs.h5
    [[ "$stderr" == *"--add requires -m with models other than physics-gp and nearest"* ]]
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=30 > /dev/null
    run -1 --separate-stderr spmv-fit --add base.h5 -m guo2014-regimes -o no.h5 cpu.h5
    [[ "$stderr" == *"but the rows were measured on"* && ! -e no.h5 ]]
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
    spmv-fit -q -m guo2014 -o guo.h5 h200.h5 > /dev/null
    run -1 --separate-stderr spmv-fit -q --add guo.h5 -m linear -o no.h5 bare.h5
    [[ "$stderr" == *"--add guo.h5: model linear needs nearest, which that profile lacks; fit both with spmv-fit -m linear RUN.h5... -o PROFILE.h5"* ]]
    [ ! -e no.h5 ]
}

@test "a fit without results gives the reason of a requested model; notes name models that others need and that were not fitted" {
    runs bare
    run -1 --separate-stderr spmv-fit -q -m bandwidth -o p.h5 bare.h5
    [[ "$stderr" == *"cannot fit bandwidth to 1 row: no benchmark cell takes at least 4 times as long as an empty kernel; measure larger cells of spmv-gen guo2014-regimes"* ]]
    [ ! -e p.h5 ]
    run -1 --separate-stderr spmv-fit -q -m footprint -o p.h5 bare.h5
    [[ "$stderr" == *"cannot fit footprint to 1 row: it needs bandwidth: no benchmark cell takes at least 4 times"* ]]
    [ ! -e p.h5 ]
    run -0 --separate-stderr spmv-fit -q -m nearest,footprint -o p.h5 bare.h5
    [[ "$output" == *"# bandwidth not fitted: no benchmark cell takes at least 4 times"* ]]
    [[ "$output" == *"# footprint not fitted: it needs bandwidth: no benchmark cell takes at least 4 times"* ]]
}

@test "a fit of none of the requested models fails, writes nothing and names the command that would measure them" {
    local h200="$ROOT/results/h200"
    run -1 --separate-stderr spmv-fit -q -m choi2010 "$h200/unseen.h5" -o p.h5
    [[ "$stderr" == *"cannot fit choi2010 to 6640 rows: no measured rows of a kernel of dense blocks; measure them: spmv-gen choi2010 -o cells.h5"* ]]
    run -1 --separate-stderr spmv-fit -q -m ashari2014 "$h200/ashari2014.h5" -o p.h5
    [[ "$stderr" == *"cannot fit ashari2014 to 1616 rows: it needs "*"spmv-gen "* ]]
    run -1 --separate-stderr spmv-fit -q -m wang2017-normal,wang2017-uniform "$h200/choi2010.h5" -o p.h5
    [[ "$stderr" == *"cannot fit any requested model to 4730 rows, e.g. wang2017-normal: no measured rows of its kernels; measure them with spmv-profile -m all"* ]]
    [ ! -e p.h5 ]
}

@test "spmv-predict: a profile without configurations says so and how to fit or measure them" {
    spmv-fit -q -m bandwidth "$ROOT/results/h200/bench.h5" --name bare -o bandwidth.h5 > /dev/null
    run -1 --separate-stderr spmv-predict --profile ./bandwidth.h5 -m bandwidth stencil:points=5,n=40
    [[ "$stderr" == *"profile bare has no coefficients of any configuration; fit it again on measured matrices with \`spmv-fit RUN.h5... -o PROFILE.h5\`, or measure one with spmv-profile"* ]]
    # one of other targets only says which to choose
    runs bare
    spmv-fit -q -m nearest -o f64.h5 bare.h5 > /dev/null
    run -1 --separate-stderr spmv-predict --profile ./f64.h5 -m nearest -p f32 --cache cold stencil:points=5,n=40
    [[ "$stderr" == *"has no coefficients for f32, cold; choose another precision or cache state, or measure this one with spmv-profile"* ]]
}
