#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Several matrices at once: spmv-predict --summary, spmv-info --table.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    mkdir folder
    printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 1\n2 2\n3 3\n' > folder/small.mtx
    printf 'no matrix\n' > folder/bad.mtx
    printf 'notes\n' > folder/notes.txt
    printf '# a list\nstencil:points=27,n=12\n\nabsent.mtx\n' > list.txt
    cd - > /dev/null
}
setup() { cd "$BATS_FILE_TMPDIR"; }
summary() { spmv-predict -q --profile h200 --summary "$@"; }

# bats test_tags=quick,id:summary-rows
@test "summary: a row per file of directories and lists, also of those that cannot be read, with what spmv-predict says of each alone" {
    need_python
    run -1 --separate-stderr summary --json folder/ list.txt rmat:scale=12,p=8 -p f32,f64
    printf '%s\n' "$output" > all.json
    for m in folder/small.mtx stencil:points=27,n=12 rmat:scale=12,p=8; do spmv-predict -q --profile h200 -p f32,f64 --json "$m"; done > alone.json
    "$PYTHON" - <<'PY'
import json, math
d = json.load(open("all.json"))
rows = d["rows"]
alone = [a for line in open("alone.json") for a in json.loads(line)["recommendations"]]
assert all((r["error"] is None) == (r["config"] is not None) and (r["reason"] is None or r["sure"] == "no") for r in rows), rows
assert any(r["reason"] for r in rows)
assert [r["file"] for r in rows if r["matrix"] is None] == ["folder/bad.mtx", "absent.mtx"]
assert "folder/bad.mtx: line 1: found 'no matrix'" in rows[0]["error"] and "absent.mtx" in [r for r in rows if r["file"] == "absent.mtx"][0]["error"], rows
given = [r for r in rows if r["matrix"] is not None]
assert len(given) == len(alone) == 6
for r, a in zip(given, alone):
    assert r["config"] == a["config"] and r["precision"] == a["precision"] and r["stay"] == a["stay"]
    for name in ("time_us", "total_us", "gain_stay", "gain_stay_low", "gain_library_high", "breakeven_stay_spmv", "breakeven_stay_high_spmv"):
        assert r[name] == a[name] or math.isclose(r[name], a[name], rel_tol=1e-12), (name, r, a)
for s in d["sets"]:
    mine = [a for a in alone if a["precision"] == s["precision"]]
    assert s["matrices"] == 3 and s["iterations"] == 200 and math.isclose(s["total_us"], sum(a["total_us"] for a in mine), rel_tol=1e-9)
    assert math.isclose(s["library_total_us"], sum(a["library_total_us"] for a in mine), rel_tol=1e-9)
    assert any("the best of cuSPARSE takes %.3gx as long in all" % (s["library_total_us"] / s["total_us"]) in n for n in d["notes"]), d["notes"]
    assert s["converted"] == sum(not a["config"].startswith(("csr-", "cusparse-csr")) for a in mine)
PY
}

# bats test_tags=quick,id:summary-passed-over
@test "summary: the row of a matrix says why what the forecast alone prefers is not recommended, in the words of spmv-predict" {
    need_python
    matrices=("stencil:points=5,n=100" "stencil:points=7,n=20" "stencil:points=7,n=40" "rmat:scale=16,p=8")
    for n in 200 10000; do
        summary --json -p f32,f64 --iterations $n "${matrices[@]}"
        spmv-predict -q --profile h200 --json -p f32,f64 --iterations $n "${matrices[@]}"
    done > both.json
    "$PYTHON" - <<'PY'
import json
lines = [json.loads(line) for line in open("both.json")]
said = 0
for rows, alone in ((lines[0]["rows"], lines[1]["recommendations"]), (lines[2]["rows"], lines[3]["recommendations"])):
    assert len(rows) == len(alone) == 8
    for r, a in zip(rows, alone):
        reasons = [c for c in a["text"].split("; ") if c.startswith("no gain beyond the uncertainty: ") or c.endswith("but extrapolated")]
        assert reasons == [r["passed_over"]] if a["why"] in ("stay", "sure") else r["passed_over"] is None, (r, a["text"])
        if a["why"] == "stay":
            assert r["sure"] == ("yes" if a["status"] == "ok" else "no") and r["config"] == r["stay"], r
            said += 1
assert said > 0
PY
}

# bats test_tags=quick,id:summary-list
@test "summary: what a list names that is no matrix, a directory and a list among it, has a row with the error; the others follow" {
    printf 'folder/small.mtx\n' > inner.txt
    printf '%s\n' inner.txt folder stencil:points=5,n=9 > outer.txt
    run -1 --separate-stderr summary --json outer.txt
    need_python
    "$PYTHON" -c '
import json, sys
rows = json.loads(sys.argv[1])["rows"]
assert [(r["file"], r["config"] is None) for r in rows] == [("inner.txt", True), ("folder", True), ("stencil:points=5,n=9", False)], rows
assert "folder is a directory" in rows[1]["error"] and "found \x27folder/small.mtx\x27" in rows[0]["error"], rows' "$output"
    run -1 --separate-stderr spmv-info --table outer.txt
    [[ "$output" == *"stencil:points=5,n=9"* && "$stderr" == *"inner.txt: line 1: found"*"folder is a directory"* ]]
}

# bats test_tags=quick
@test "summary: a matrix that several files hold has a row for each and counts once" {
    gzip -c folder/small.mtx > twin.mtx.gz
    summary folder/small.mtx -p f32,f64 | grep -v '^# [0-9]* files*,' > once
    summary folder/small.mtx twin.mtx.gz -p f32,f64 > twice
    grep '^#' once | diff - <(grep '^#' twice | grep -vE '^# (the same|[0-9]* files*,)')
    grep -qx '# the same matrix, counted once: twin.mtx.gz = folder/small.mtx' twice
    [ "$(grep -c '^[^#]' twice)" -eq 5 ]
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 0\n' > empty.mtx
    run -1 summary folder/small.mtx empty.mtx
    [[ "$output" == *"empty.mtx has no entries: nothing to forecast"*"# 2 files, 1 without a forecast" ]]
    run -0 summary -c dia rmat:scale=16,p=8 folder/small.mtx -p f32,f64
    [[ "$output" == *"no configuration has a forecast"*"# 2 files, 1 without a forecast" ]]
}

# bats test_tags=quick,id:summary-one-for-all
@test "summary: the best single configuration loses least, and no other one loses less" {
    need_python
    matrices=("stencil:points=27,n=12" "rmat:scale=12,p=8" "kkt:n=8")
    summary --json "${matrices[@]}" > set.json
    spmv-predict -q --profile h200 --all --json "${matrices[@]}" > each.json
    "$PYTHON" - <<'PY'
import json, math
(s,) = json.load(open("set.json"))["sets"]
d = json.load(open("each.json"))
best = {a["matrix"]: a["total_us"] for a in d["recommendations"]}
loss = {}
for r in d["rows"]:
    if r["total_us"] is not None and not r["config"].startswith("hyb"):
        loss.setdefault(r["config"], {})[r["matrix"]] = r["total_us"] / best[r["matrix"]]
whole = {c: v for c, v in loss.items() if len(v) == len(best)}
mean = {c: math.exp(sum(map(math.log, v.values())) / len(v)) for c, v in whole.items()}
assert s["config"] in mean or s["config"].startswith("hyb"), s
if s["config"] in mean:
    assert math.isclose(s["loss"], mean[s["config"]], rel_tol=1e-9) and math.isclose(s["worst_loss"], max(whole[s["config"]].values()), rel_tol=1e-9)
assert s["loss"] <= min(mean.values()) * (1 + 1e-9), (s, min(mean.values()))
staying = {c: v for c, v in mean.items() if c.startswith(("csr-", "cusparse-csr", "cusparse-op:alg=1"))}
assert math.isclose(s["stay_loss"], min(staying.values()), rel_tol=1e-9) and math.isclose(s["stay_loss"], staying[s["stay_config"]], rel_tol=1e-9)
PY
    # one that converts, and the best that does not
    summary --iterations 1e5 stencil:points=7,n=40 > text
    [ "$(grep -cE '(one configuration for all: [^c]|one for all that leaves CSR as it is: csr-).*; it takes [0-9.]+x as long' text)" -eq 2 ] || { cat text; false; }
}

@test "summary: other options of single matrices are refused; spmv-info --table takes directories and lists" {
    for n in 0 1; do summary --iterations $n stencil:points=7,n=4 | grep -q '; [1one]* product of each takes '; done
    run -2 --separate-stderr summary --tune 3 folder
    [[ "$stderr" == *"--summary does not go with --tune"* ]]
    run -1 --separate-stderr spmv-info --table folder list.txt
    [ "$(grep -c . <<<"$output")" = 3 ]
    [[ "$stderr" == *"folder/bad.mtx: line 1: found 'no matrix'"* && "$stderr" == *"absent.mtx"* && "$stderr" == *"list.txt: paths that do not begin with / are relative to the current directory"* ]]
    sed -i "s|^absent|$PWD/absent|" list.txt
    run -1 --separate-stderr spmv-info --table list.txt
    [[ "$stderr" != *"relative to"* ]]
}
