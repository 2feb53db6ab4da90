#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-report: the numbers of its pages are those of spmv-speed, spmv-verify, spmv-predict and spmv-plan; pages are well-formed.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 stencil:points=27,n=12 stencil:points=5,n=300 banded:rows=30000,bandwidth=20
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=60
    "$BUILD/forecasts" forecasts.h5 < "$ROOT/tests/forecasts.txt"
}
setup() { cd "$BATS_FILE_TMPDIR"; need_plain_python; }

# on_page PAGE.html [ARGUMENT...]: runs the Python program on stdin with the page as p.
on_page() { { echo "import sys; sys.path.insert(0, '$ROOT/tests'); from report import read, tsv; import re; p = read(sys.argv[1]); near = lambda a, b: abs(float(a) - float(b)) < 1e-9"; cat; } | plain_python - "$@"; }

# bats test_tags=quick
@test "report: kernels: answer, gains, winners and extremes are the numbers of spmv-speed" {
    spmv-report runs.h5 -o kernels.html
    for t in summary matrices kernels extremes; do spmv-speed --table $t --within 1 runs.h5 > $t.tsv; done
    spmv-query -q "SELECT DISTINCT kernel FROM rows WHERE kernel LIKE 'cusparse-%' AND outcome = 'ok' ORDER BY kernel" runs.h5 | grep -v '^#' > libraries.tsv
    on_page kernels.html <<'PY'
rows, all = tsv("summary.tsv"), tsv("matrices.tsv")
assert list(p.text) == ["answer", "kernels", "device"], list(p.text)
(line,) = [r for r in rows if (r["class"], r["precision"], r["cache"]) == ("all", "f64", "warm")]
most = max((r for r in all if (r["precision"], r["cache"]) == ("f64", "warm")), key=lambda r: float(r["ours_speedup"]))
text = p.flat["answer"]
for word in (f"{line['ours_speedup']} times as fast", f"over {line['compared']} matrices", f"between {line['ours_least']} times ({line['ours_least_matrix']})",
             f"and {most['ours_speedup']} times ({most['matrix']})", f"on {line['ours_faster_percent']} % of", f"it is {line['best_speedup']} times as fast, at least {line['best_least']}"):
    assert word in text, (word, text)
shown = p.table("Gains by footprint class, precision and cache state (geometric means)")
assert len(shown) == len(rows) > 4
for a, b in zip(shown, rows):
    for mine, theirs in (("class", "class"), ("precision", "precision"), ("matrices", "compared"), ("ours over cuSPARSE CSR", "ours_speedup"), ("least", "ours_least"),
                         ("ours over the best of cuSPARSE", "best_speedup"), ("ours (GB/s)", "ours_gbs")):
        assert a[mine] == b[theirs], (a, b)
kernels = [k for k in re.search(r"best kernel of cuSPARSE \(([^)]*)\)", text)[1].split(", ")]
assert sorted(kernels) == open("libraries.tsv").read().split()[1:] and kernels[:2] == ["cusparse-csr", "cusparse-op"], kernels
behind = {tuple(r) for t in sum(p.tables.values(), []) for r in t if "over the best" in t[0] for r in [[dict(zip(t[0], r))[c] for c in ("matrix", "precision", "ours (us)", "over CSR", "over the best")] for r in t[1:]]}
warm = {tuple(r[c] for c in ("matrix", "precision", "ours_us", "ours_speedup", "best_speedup")) for r in all if r["cache"] == "warm"}
assert behind == warm, behind ^ warm
wins = {(r["class"], r["kernel"], r["best_percent"], r["loss_percent"]) for r in tsv("kernels.tsv")
        if r["asked"] == "any" and (r["precision"], r["cache"]) == ("f64", "warm") and r["class"] != "all" and r["best"] != "0"}
found = {tuple(dict(zip(t[0], r))[c] for c in ("class", "kernel", "best (%)", "loss if alone (%)")) for t in sum(p.tables.values(), []) if "loss if alone (%)" in t[0] for r in t[1:]}
assert found == wins != set(), found ^ wins
assert len(p.table("The best and the worst matrices, against the best of cuSPARSE")) == len(tsv("extremes.tsv"))
PY
    # another precision and cache state
    spmv-report -p f32 --cache cold runs.h5 -o cold.html
    on_page cold.html <<'PY'
(line,) = [r for r in tsv("summary.tsv") if (r["class"], r["precision"], r["cache"]) == ("all", "f32", "cold")]
assert f"{line['ours_speedup']} times as fast" in p.flat["answer"] and "(f32, cold caches)" in p.flat["answer"], p.flat["answer"]
PY
}

# bats test_tags=id:report-break-even
@test "report: break-even is that of the measured times, against every configuration of cuSPARSE CSR" {
    need_python
    cat > expected.py <<'PY'
import collections, datetime, h5py, math, subprocess, sys
t = h5py.File(sys.argv[1])["rows"]
names = ("matrix", "config", "kernel", "precision", "cache", "outcome", "role", "measured")
rows = [dict(zip(names + ("us", "build", "upload", "device", "prepare", "revision"), r)) for r in zip(*([v.decode() for v in t[n][:]] for n in names),
        *(t[n][:] for n in ("time_us", "convert_us", "upload_us", "convert_device_us", "prepare_us", "revision")))]
newest = max(r["revision"] for r in rows if r["kernel"] == "cusparse-csr")  # of cuSPARSE's versions
rows = [r for r in rows if r["kernel"] != "cusparse-csr" or r["revision"] == newest]
group = collections.defaultdict(list)
for r in rows:
    if (r["precision"], r["cache"], r["outcome"], r["role"]) == ("f64", "warm", "ok", "matrix"): group[r["matrix"]].append(r)
def setup(r):
    if r["kernel"] != "csr-packed" and r["kernel"].startswith(("csr-", "cusparse-csr")): convert = 0
    else: convert = r["device"] if not math.isnan(r["device"]) else r["build"] + r["upload"]
    return convert + max(r["prepare"], 0)
at = lambda r: datetime.datetime.fromisoformat(r["measured"].rstrip("Z"))
for matrix, of in sorted(group.items()):
    library = min((r for r in of if r["kernel"].startswith("cusparse-")), key=lambda r: r["us"])
    of = [r for r in of if r["kernel"].startswith("cusparse-") or abs((at(r) - at(library)).total_seconds()) <= 3600]
    best = min((r for r in of if not r["kernel"].startswith("cusparse-")), key=lambda r: r["us"])
    n = 0
    for c in (r for r in of if r["kernel"] == "cusparse-csr"):
        if math.isnan(setup(c)): continue
        gain, more = c["us"] - best["us"], setup(best) - setup(c)
        n = math.nan if gain <= 0 or math.isnan(more) else max(n, 0 if more <= 0 else math.ceil(more / gain))
    config = subprocess.run([sys.argv[2], "complete", best["config"]], check=True, capture_output=True, text=True).stdout.strip()
    print(matrix, config, "-" if math.isnan(n) else f"{n:.0f}", sep="\t")
PY
    # in the made-up archive the configurations of cusparse-csr are equally fast; in a real one they are not
    for archive in runs.h5 "$ROOT"/results/h200/held-out.h5; do
        [ -e "$archive" ] || continue
        spmv-report "$archive" -o payoff.html
        "$PYTHON" expected.py "$archive" "$BUILD/config" > expected.tsv
        on_page payoff.html <<'PY'
expected = [l.rstrip("\n").split("\t") for l in open("expected.tsv")]
found = [[d["matrix"], d["fastest product"], d["pays off after"]] for t in sum(p.tables.values(), []) if "pays off first" in t[0] for d in (dict(zip(t[0], r)) for r in t[1:])]
import math, statistics
half = math.ceil(statistics.median(int(e[2]) for e in expected if e[2] != "-"))
word = "at once" if half == 0 else f"after at most {half} product" + "s" * (half > 1)
assert re.search(rf"pays off against cuSPARSE CSR on \d+ of \d+ matrices, on half of these {word}; .* on half of these (at once|after at most \d+ products?)\.", p.flat["kernels"]), word
assert len(found) >= 4 and sorted(found) == sorted(expected), [x for x in found if x not in expected] + [x for x in expected if x not in found]
PY
    done
}

# bats test_tags=quick,id:report-model
@test "report: model: answer and tables are the numbers of spmv-verify" {
    spmv-report forecasts.h5 -o model.html
    spmv-verify forecasts.h5 > scores.tsv
    spmv-verify --by class forecasts.h5 > classes.tsv
    on_page model.html <<'PY'
(line,) = [r for r in tsv("scores.tsv") if (r["model"], r["state"]) == ("m", "unknown")]
text = p.flat["answer"]
for word in (f"by {line['mean_percent']} % on average", f"less than {line['median_percent']} %", f"on {line['matrices']} matrices", f"in {line['within5_percent']} % of the cases",
             f"measured time in {line['coverage_percent']} %", "are of cross-validated families", "launched in graphs, and"):
    assert word in text, (word, text)
shown = p.table("Accuracy of forecasts and picks by model")
assert [(r["model"], r["mean error (%)"], r["best/pick"], r["refused"]) for r in shown] == \
    [(r["model"], r["mean_percent"], r["pick"], r["refused"]) for r in tsv("scores.tsv") if r["state"] == "unknown"]
points = [dict(zip(t[0], r)) for t in sum(p.tables.values(), []) if "forecast_us" in t[0] for r in t[1:]]
assert {(r["matrix"], r["configuration"], r["measured_us"], r["forecast_us"]) for r in points} == \
    {("G/a", "csr-vector:lanes=4", "10.25", "11.25"), ("G/a", "coo", "12.25", "10.25"), ("G/b", "csr-vector:lanes=4", "8.000", "8.250"), ("G/b", "coo", "4.000", "5.250")}, points
assert p.table("Refused forecasts by model and kernel")[0]["kernel"] == "ell"
PY
}

# bats test_tags=id:report-left-out
@test "report: model: beside matrices that the profile was fitted to, others are scored as they are alone" {
    h200=$ROOT/results/h200
    [ -e "$h200/sealed-large.h5" ] || skip "no archives"
    spmv-report --profile h200 "$h200/sealed-large.h5" -o alone.html
    spmv-report --profile h200 "$h200"/{matrices2,sealed-large}.h5 -o beside.html
    spmv-report --profile h200 "$h200/matrices2.h5" -o fitted.html
    on_page alone.html beside.html fitted.html <<'PY'
beside, fitted = (read(f).flat["answer"] for f in sys.argv[2:])
score = re.compile(r"Forecasts of model physics-gp miss .*? on \d+ matrices of the run archives\..*? in \S+ % of the cases; they reach")
left = re.compile(r"(\d+) times of matrices that the model was fitted to are left out")
(alone,) = score.findall(p.flat["answer"])
assert score.findall(beside) == [alone] and not score.search(fitted), (alone, beside, fitted)
assert left.findall(beside) == re.findall(r"All (\d+) times of the run archives", fitted) != [] and not left.search(p.flat["answer"]), beside
assert p.table("Accuracy of forecasts and picks by model") == read(sys.argv[2]).table("Accuracy of forecasts and picks by model")
PY
}

@test "report: matrix: answer, ranking and plan are the numbers of spmv-predict and spmv-plan" {
    [ -e "$ROOT/results/h200/profile.h5" ] || skip "no archived profile"
    spmv-report --profile h200 --matrix rmat:scale=12,p=8 -o matrix.html
    spmv-predict --profile h200 --all rmat:scale=12,p=8 > predict.tsv
    spmv-predict --profile h200 --json rmat:scale=12,p=8 > predict.json
    spmv-plan --profile h200 rmat:scale=12,p=8 > plan.tsv
    on_page matrix.html <<'PY'
import json
rows, text = tsv("predict.tsv"), p.flat["answer"]
assert list(p.text) == ["answer", "matrix", "device"], list(p.text)
(pick,) = [r for r in rows if r["recommended"] == "yes"]
advice = json.load(open("predict.json"))["recommendations"][0]
for word in (pick["config"], f"take {pick['total_us']} us in total, {advice['library_total_us'] / advice['total_us']:.2f} times as fast", advice["library"],
             f"between {pick['low_us']} and {pick['high_us']} us", f"{advice['alike']} other configuration{'s' * (advice['alike'] != 1)} may be as fast"):
    assert word in text, (word, text)
if pick["breakeven_spmv"] not in ("0", "-"): assert f"the best of cuSPARSE: after {pick['breakeven_spmv']} product" in text and f"probability {pick['breakeven_low_spmv']} to {pick['breakeven_high_spmv']})" in text, text
shown, of = p.table("Ranked forecasts"), {r["config"]: r for r in rows}
assert len(shown) >= 25 and shown[0]["place"] == "1"
for r in shown:
    s = of[r["configuration"]]
    assert (r["place"], r["time (us)"], r["low"], r["high"], r["over cuSPARSE CSR"], r["conversion (us)"], r["pays off after"]) == \
        (s["place"], s["time_us"], s["low_us"], s["high_us"], s["speedup_vs_csr"], s["convert_us"], s["breakeven_spmv"]), (r, s)
blocks = [r for r in tsv("plan.tsv") if r["part"] == "block"]
drawn = [dict(zip(t[0], r)) for t in sum(p.tables.values(), []) if "first row" in t[0] for r in t[1:]]
assert [(r["first row"], r["rows"], r["nonzeros"], r["configuration"], r["time (us)"]) for r in drawn] == \
    [(r["first_row"], r["rows"], r["nnz"], r["config"], r["time_us"]) for r in blocks] != [], drawn
assert "Forecasts, by the total time of 200 products" in p.flat["matrix"]
cells = [dict(zip(t[0], r)) for t in sum(p.tables.values(), []) if "from row" in t[0] for r in t[1:]]
assert sum(int(r["nonzeros"]) for r in cells) == int(re.search(r"nonzeros(\d+)", p.flat["matrix"].replace("rows x columns", ""))[1]) and sum(int(r["rows"]) for r in cells) == 4096
PY
    # with a number of products the total decides, as in spmv-predict
    spmv-report --profile h200 --matrix rmat:scale=12,p=8 --iterations 3 -o few.html
    spmv-predict --profile h200 --all --iterations 3 rmat:scale=12,p=8 > few.tsv
    on_page few.html <<'PY'
(pick,) = [r for r in tsv("few.tsv") if r["recommended"] == "yes"]
for word in (pick["config"], f"{pick['total_us']} us in total", f"its preparation takes {pick['prepare_us']} us, once"): assert word in p.flat["answer"], p.flat["answer"]
assert "Forecasts, by the total time of 3 products" in p.flat["matrix"]
assert "No other configuration is likely to be as fast." in p.flat["answer"] # which timing would tell apart
PY
}

@test "report: matrix: where cuSPARSE is recommended, neither the answer nor the plan says that nothing else is faster" {
    [ -e "$ROOT/results/h200/profile.h5" ] || skip "no archived profile"
    local matrix asked=() # which one it is, depends on the profile
    for matrix in "rmat:scale=16,p=30 f32" "rmat:scale=16,p=30 f64" "rmat:scale=17,p=28 f32" "like:rows=200000,nnz=1000000,sd=25,max=4700 f64"; do
        asked=(--profile h200 --iterations 100000 -p "${matrix#* }")
        spmv-predict "${asked[@]}" "${matrix% *}" > library.tsv
        ! column config,recommended < library.tsv | grep -q '^cusparse-.*yes$' || break
    done
    spmv-report "${asked[@]}" --matrix "${matrix% *}" -o library.html
    on_page library.html <<'PY'
(pick,) = [r for r in tsv("library.tsv") if r["recommended"] == "yes"]
assert pick["config"].startswith("cusparse-") and "no gain beyond the uncertainty" in open("library.tsv").read(), pick
assert "no other configuration is forecast to take less in total beyond the uncertainty. " in p.flat["answer"], p.flat["answer"]
assert f"{pick['config']} is recommended for the whole matrix, {pick['time_us']} us." in p.flat["matrix"], p.flat["matrix"]
PY
}

# bats test_tags=long
@test "report: matrix: a plan of several blocks is that of spmv-plan, and the answer says that it is faster" {
    [ -e "$ROOT/results/h200/profile.h5" ] || skip "no archived profile"
    "$BUILD/stacked" unlike.h5 stencil:points=27,n=60 rmat:scale=17,p=16
    spmv-report --profile h200 --iterations 0 --matrix unlike.h5 -o split.html
    spmv-plan --profile h200 --iterations 0 unlike.h5 > split.tsv
    on_page split.html <<'PY'
blocks = [r for r in tsv("split.tsv") if r["part"] == "block"]
drawn = [dict(zip(t[0], r)) for t in sum(p.tables.values(), []) if "first row" in t[0] for r in t[1:]]
assert len(blocks) == 2 and [(r["first row"], r["rows"], r["configuration"], r["time (us)"]) for r in drawn] == [(r["first_row"], r["rows"], r["config"], r["time_us"]) for r in blocks], drawn
us = re.search(r"split into 2 blocks; ([0-9.]+) us", open("split.tsv").read())[1]
told = re.search(r"Cutting the rows into 2 blocks, each in its own format, is forecast to be faster still: ([0-9.]+) us per product", p.flat["answer"])
assert abs(float(told[1]) / float(us) - 1) < 0.005, (us, p.flat["answer"])
compared = re.findall(r"([0-9.]+)x \(([0-9.]+) to ([0-9.]+)\) as fast as [^(]*\(([^ ]+): ", open("split.tsv").readline())
assert compared and all(f"{x} times ({low} to {high}) as fast as {config}" in p.flat["matrix"] for x, low, high, config in compared), (compared, p.flat["matrix"])
for r in blocks: assert f"{r['config'].split(':')[0]}: {r['time_us']} us" in p.source
PY
}

@test "report: odd matrices: one row, one column, empty rows, a dense row" {
    begin="%%MatrixMarket matrix coordinate real general"
    printf '%s\n1 9 2\n1 1 1\n1 9 2\n' "$begin" > row.mtx
    printf '%s\n9 1 2\n1 1 1\n9 1 2\n' "$begin" > column.mtx
    printf '%s\n1 1 1\n1 1 1\n' "$begin" > one.mtx
    { printf '%s\n500 500 600\n' "$begin"; for i in $(seq 500); do echo "7 $i 1"; done; for i in $(seq 100); do echo "$((400 + i)) $i 1"; done; } > dense.mtx
    for m in row column one dense; do
        spmv-report --profile "$BUILD/syn/gp.h5" --matrix $m.mtx -o $m.html
        on_page $m.html <<< 'assert "use format" in p.flat["answer"], p.flat["answer"]'
    done
}

# bats test_tags=quick
@test "report: a damaged archive and an unknown profile are one clear line, and no page is written" {
    says() { # STATUS TEXT ARGUMENTS...
        run "-$1" --separate-stderr spmv-report "${@:3}"
        [ -z "$output" ] && [ "$(wc -l <<< "$stderr")" -eq 1 ] && [[ "$stderr" == "spmv-report: "*"$2"* ]] && [ ! -e bad.html ] || { echo "$stderr"; return 1; }
    }
    head -c 3000 runs.h5 > cut.h5
    says 3 "cut.h5" cut.h5 -o bad.html
    says 1 "no-such-profile" --profile no-such-profile -o bad.html
}

# bats test_tags=quick,id:report-device
@test "report: --device selects the rows of one device and counts the others" {
    spmv-report runs.h5 cpu.h5 --device "synthetic gpu" -o device.html
    spmv-report runs.h5 -o only.html
    rows=$(spmv-info cpu.h5 | awk -F'\t' '$1 == "table.rows" { print $2 }')
    on_page device.html "$rows" <<'PY'
only = read("only.html")
assert f"Left out: {sys.argv[2]} rows of other devices." in p.flat["answer"], p.flat["answer"]
caption = "Gains by footprint class, precision and cache state (geometric means)"
assert p.table(caption) == only.table(caption)
PY
}

# bats test_tags=long
@test "report: the page of the archived H200 is below 2 MB, with the numbers of the archive" {
    h200=$ROOT/results/h200
    [ -e "$h200/forecasts.h5" ] || skip "no archives"
    spmv-report --profile h200 "$h200"/{matrices,matrices2,forecasts}.h5 -o h200.html
    [ "$(wc -c < h200.html)" -lt 2000000 ]
    spmv-speed --within 1 --profile h200 "$h200"/{matrices,matrices2}.h5 > summary.tsv
    spmv-verify "$h200/forecasts.h5" > scores.tsv
    on_page h200.html <<'PY'
assert list(p.text) == ["answer", "kernels", "model-1", "device"], list(p.text)
(line,) = [r for r in tsv("summary.tsv") if (r["class"], r["precision"], r["cache"]) == ("all", "f64", "warm")]
assert f"{line['ours_speedup']} times as fast" in p.flat["answer"]
(line,) = [r for r in tsv("scores.tsv") if (r["model"], r["training"], r["state"]) == ("physics-gp", "all", "unknown")]
assert f"by {line['mean_percent']} % on average" in p.flat["answer"]
notes = re.findall(r"drawn: (?:about )?(\d+)", p.source)
assert notes and all(int(n) <= 1500 for n in notes), notes
PY
}
