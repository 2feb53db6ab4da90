#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Launches in a graph and back to back into a stream: both are fitted, forecast and scored from their own times.
# Synthetic rows take 1.5 us longer in a stream, those of library kernels 6 us.
bats_require_minimum_version 1.5.0
load helpers
H200="$ROOT/results/h200"

setup_file() {
    load helpers
    synthetic_profile
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    runs="$BATS_FILE_TMPDIR/runs.h5"
    two="$BATS_FILE_TMPDIR/two.mtx"
}
program() { "$BATS_FILE_TMPDIR/tree/bin/spmv-$1" "${@:2}"; }

# bats test_tags=quick
@test "rows: the time of a launch into a stream is stream_us and is used only where it exists" { part launch rows; }
# bats test_tags=quick
@test "the extra time per launch in a stream is the median over small grids and never negative" { part launch more; }
# bats test_tags=quick
@test "regimes, bandwidth: forecasts for streams use the same curves and rates but a longer launch; cold streams are refused" { part launch fits; }
# bats test_tags=quick
@test "nearest forecasts times in streams from times measured in streams" { part launch nearest; }
# bats test_tags=quick
@test "coefficients of graphs and streams are separate; conversions and branches are those of graphs" { part launch coefs; }

# bats test_tags=quick
@test "fit prints and stores a row for each way of launching, none for cold streams" {
    [[ "$(grep '^model' "$BATS_FILE_TMPDIR/fit.tsv")" == *$'\tlaunch' ]]
    for cache in warm cold; do
        awk -F'\t' -v c=$cache '!/^#/ && $1 == "bandwidth" && $4 == c { print $3, $NF }' "$BATS_FILE_TMPDIR/fit.tsv" | sort > $cache
    done
    printf '%s\n' "f32 graph" "f32 stream" "f64 graph" "f64 stream" | diff - warm
    printf '%s\n' "f32 graph" "f64 graph" | diff - cold
    need_python
    "$PYTHON" - "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$runs" <<'P'
import h5py, sys
text = lambda column: [t.decode().rstrip("\0") for t in column[()]]
c = h5py.File(sys.argv[1])["coefficients"]
names = c.attrs["columns"]
assert (names.decode() if isinstance(names, bytes) else names).endswith(",launch")
columns = {k: text(c[k]) for k in ("model", "config", "precision", "cache", "launch", "key")}
rows = list(zip(*columns.values(), c["index"][()]))
assert rows == sorted(rows)
assert {(r[3], r[4]) for r in rows} == {("warm", "graph"), ("warm", "stream"), ("cold", "graph")}
assert {r[4] for r in rows if r[0] in ("cost", "exec")} == {"graph"}
assert {r[0] for r in rows if r[4] == "stream"} == {"guo2014", "guo2014-regimes", "bandwidth"}
# the times that "nearest" stores are the measured ones
p = c.parent
source, times = text(p["matrices/source_id"]), list(zip(p["times/matrix"][()], p["times/time_s"][()]))
value = {(*of, source[matrix]): s
         for *of, first, n in zip(*(text(p["times_configs/" + k]) for k in ("config", "precision", "cache", "launch")), p["times_configs/first"][()], p["times_configs/n"][()])
         for matrix, s in times[first:first + n]}
assert {k[2:4] for k in value} == {("warm", "graph"), ("warm", "stream"), ("cold", "graph")}
m = h5py.File(sys.argv[2])["rows"]
m = zip(*(text(m[k]) for k in ("role", "outcome", "config", "precision", "cache", "source_id")), m["time_us"][()], m["stream_us"][()])
seen = 0
for role, outcome, config, precision, cache, source, us, stream_us in m:
    if role == "matrix" and outcome == "ok" and cache == "warm" and (config, precision, cache, "graph", source) in value:
        assert abs(value[config, precision, cache, "graph", source] * 1e6 / us - 1) < 1e-9
        assert abs(value[config, precision, cache, "stream", source] * 1e6 / stream_us - 1) < 1e-9
        seen += 1
assert seen > 50
P
}

# bats test_tags=quick
@test "predict: --launch stream forecasts warm rows only; graphs and streams can be listed side by side; graph is the default" {
    for m in bandwidth guo2014-regimes nearest; do
        program predict -m $m --all "$two" | grep -v '^#' > default
        program predict -m $m --all --launch graph "$two" | grep -v '^#' > graph
        program predict -m $m --all --launch stream "$two" > stream.all
        program predict -m $m --all --launch graph,stream "$two" | grep -v '^#' > both
        grep -v '^#' stream.all > stream
        diff default graph
        awk -F'\t' 'NR > 1 && $NF != "graph" { exit 1 }' graph
        awk -F'\t' 'NR > 1 && ($4 != "warm" || $NF != "stream") { exit 1 }' stream
        diff <(sort both) <(cat graph <(tail -n +2 stream) | sort)
        grep -q '^# f64, warm, stream: [0-9]* configurations, ' stream.all
        grep -q '^# f64, warm, stream: use ' stream.all
        grep -v 'f64, warm, stream' stream.all | grep -c '^# f64' | grep -qx 0
    done
}

@test "predict: JSON contains the launch; conversions do not depend on it; --measured prints the stream's time" {
    need_python
    program predict -m nearest --all --cache warm --json --launch graph,stream --measured "$runs" "$two" > both.json
    "$PYTHON" - <<'P'
import json
d = json.load(open("both.json"))
assert [r["launch"] for r in d["recommendations"]] == ["graph", "stream"]
assert all(r["time_us"] > 0 for r in d["recommendations"])
graph, stream = ({r["config"]: r for r in d["rows"] if r["launch"] == w} for w in ("graph", "stream"))
assert graph.keys() == stream.keys() and len(graph) > 20
measured = forecast = 0
for config, g in graph.items():
    s = stream[config]
    assert s["convert_us"] == g["convert_us"] and s["storage_mb"] == g["storage_mb"]
    library = config.startswith("cusparse")
    if g["time_us"] is not None and g["model"] == "nearest":      # 1.5 us for the launch; a library kernel's extra time scales with its time
        more = s["time_us"] - g["time_us"]
        assert more > 1.6 if library else abs(more - 1.5) < 1e-6, (g, s)
        forecast += 1
    if g["measured_us"] is not None:
        more = 6 if library else 1.5
        assert abs(s["measured_us"] - g["measured_us"] - more) < 1e-6, (g, s)
        measured += 1
assert measured > 15 and forecast > 15
P
}

# bats test_tags=quick
@test "predict, verify, plan: --help has --launch; plan --launch graph is the default" {
    for c in predict verify plan; do
        run -0 program $c --help
        [[ "$output" == *"--launch HOW"* ]]
    done
    diff <(program plan -m guo2014 "$two") <(program plan -m guo2014 --launch graph "$two")
}

@test "profiles from before --launch forecast graphs; for a stream the error says how to fit the profile again" {
    need_python
    cp "$H200/profile.h5" before.h5
    "$PYTHON" - <<'PY'
import h5py
f = h5py.File("before.h5", "r+")
for t in [t for t in f if t.startswith(("learned_", "times"))]: del f[t]
graph = f["coefficients"]["launch"][:] != b"stream"
columns = {c: f["coefficients"][c] for c in f["coefficients"] if c != "launch"}
for name, d in columns.items():
    values, attributes = d[:][graph], dict(d.attrs)
    del f["coefficients"][name]
    new = f["coefficients"].create_dataset(name, data=values)
    for k, v in attributes.items(): new.attrs[k] = v
del f["coefficients"]["launch"]
f["coefficients"].attrs.modify("rows", int(graph.sum()))
PY
    "$BUILD/h5_damage" sign before.h5
    run -0 "$BIN/spmv-predict" -m guo2014-regimes --profile before.h5 --cache warm stencil:points=5,n=60
    [[ "$output" == *$'\tgraph\n'* ]]
    for c in "predict stencil:points=5,n=60" "verify $H200/plans.h5"; do
        run -1 --separate-stderr "$BIN/spmv-${c%% *}" -m guo2014-regimes --profile before.h5 --launch stream ${c#* }
        [ -z "$output" ]
        [[ "$stderr" == *"before.h5: no coefficients for --launch stream; fit the profile again with \`spmv-fit RUN.h5... -o PROFILE.h5\`"* ]]
    done
}

@test "verify: errors and rankings of streams equal those computed from spmv-predict; the launch is the last column" {
    need_python
    for m in "$two" "$BATS_FILE_TMPDIR/arrow.mtx" stencil:points=5,n=60 stencil:points=27,n=12; do
        program predict -m bandwidth --all --cache warm --json --launch graph,stream --measured "$runs" "$m"
        echo
    done > tables.json
    for table in errors ranking; do
        program verify -m bandwidth -p f64 --cache warm --by matrix --table $table --json --launch graph,stream "$runs" > $table.json
        program verify -m bandwidth -p f64 --by matrix --table $table "$runs" > default.tsv
        program verify -m bandwidth -p f64 --by matrix --table $table --launch graph "$runs" | diff - default.tsv
        awk -F'\t' '$1 == "model" { if ($NF != "launch") exit 1; n++ } $1 == "bandwidth" && $NF != "graph" { exit 1 } END { exit n != 1 }' default.tsv
    done
    "$PYTHON" - <<'P'
import json, math, statistics
tables = [json.loads(l)["rows"] for l in open("tables.json") if l.strip()]
near = lambda a, b: math.isclose(a, b, rel_tol=1e-9)
errors, ranking = (json.load(open(f + ".json"))["rows"] for f in ("errors", "ranking"))
assert {r["launch"] for r in errors} == {r["launch"] for r in ranking} == {"graph", "stream"}
seen, picks = 0, {}
for t in tables:
    for launch in ("graph", "stream"):
        mine = [r for r in t if r["launch"] == launch and r["measured_us"] is not None]
        e = [100 * abs(r["time_us"] / r["measured_us"] - 1) for r in mine]
        found = [r for r in errors if r["launch"] == launch and r["cases"] == len(e) and near(r["mean_percent"], statistics.mean(e))]
        assert len(found) == 1 and near(found[0]["worst_percent"], max(e)), (launch, found)
        best = min(r["measured_us"] for r in mine)
        near_e = [x for x, r in zip(e, mine) if r["measured_us"] <= 2 * best]
        assert found[0]["near_cases"] == len(near_e) and near(found[0]["near_mean_percent"], statistics.mean(near_e))
        seen += 1
assert seen == 8
graph, stream = ([r for r in ranking if r["launch"] == w and r["among"] == "all"] for w in ("graph", "stream"))
assert len(graph) == len(stream) == 1 and graph[0]["mean"] != stream[0]["mean"]
P
    # cold rows have no stream: with --launch graph,stream they appear for graphs only
    program verify -m bandwidth -p f64 --table errors --by model --launch graph,stream "$runs" | awk -F'\t' '$1 == "bandwidth" { print $4, $NF }' | sort > seen
    printf '%s\n' "cold graph" "warm graph" "warm stream" | diff - seen
}

@test "the CPU device: streams are timed, fitted and forecast; rows whose stream was disturbed have no stream time" {
    for fault in none busy; do
        FAULT=$fault "$BUILD/run_faulty" -q --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -c ell -o $fault.h5 \
            stencil:points=5,n=20 stencil:points=5,n=30 banded:rows=900,bandwidth=3 > $fault.tsv
        spmv-fit -q --name $fault -m nearest -o $fault-profile.h5 $fault.h5 | awk -F'\t' '$1 == "nearest" { print $2, $NF }' > $fault.fit
    done
    printf '%s\n' "csr-scalar graph" "csr-scalar stream" "ell graph" "ell stream" | diff - none.fit
    printf '%s\n' "csr-scalar graph" "ell graph" | diff - busy.fit
    run -0 "$BIN/spmv-predict" -q --profile none-profile.h5 -m nearest -c csr-scalar --launch stream stencil:points=7,n=9
    [[ "$output" == *$'\tcsr-scalar\tf64\twarm\t'[0-9]*$'\tstream'* ]]
    run -0 "$BIN/spmv-verify" -q --profile none-profile.h5 -m nearest --launch graph,stream --table errors --by model none.h5
    [ "$(awk -F'\t' '$1 == "nearest" { print $5 + $(NF - 1), $NF }' <<<"$output")" = $'6 graph\n6 stream' ]     # cases forecast plus cases refused
    run -1 --separate-stderr "$BIN/spmv-predict" --profile busy-profile.h5 --launch stream stencil:points=5,n=20
    [[ "$stderr" == *"busy-profile.h5: no coefficients for --launch stream"* ]]
    run -1 --separate-stderr "$BIN/spmv-verify" --profile none-profile.h5 --launch stream busy.h5
    [[ -z "$output" && "$stderr" == *"no usable row"*"no stream time"* ]]
    run -0 "$BIN/spmv-verify" --profile none-profile.h5 -m nearest --launch graph,stream --table errors --by model busy.h5
    [[ "$output" == *"# skipped 3 rows, no stream time, ell, e.g. "* ]]
}
