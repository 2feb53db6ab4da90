#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-predict: finding profiles, the table and the notes. Times of the synthetic device come from formulas.
bats_require_minimum_version 1.5.0
load helpers
load rows

setup() {
    export XDG_DATA_HOME="$BATS_TEST_TMPDIR/data"
    home="$BATS_TEST_TMPDIR/home"       # a copy outside the tree finds none of its archives
    mkdir -p "$home/bin"
    cp "$BIN/spmv-predict" "$home/bin/"
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 3\n3 3 4\n3 1 1\n' > "$BATS_TEST_TMPDIR/tiny.mtx"
}

# bats test_tags=quick
@test "predict: --help exits 0" {
    run "$BIN/spmv-predict" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"--iterations N"* ]]
}

# bats test_tags=id:predict-searched
@test "predict: without a profile it fails, names the directories searched and the way out, and prints no forecast" {
    run --separate-stderr "$home/bin/spmv-predict" -m guo2014 "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == *"$home/results/local"* && "$stderr" == *"$XDG_DATA_HOME/spmvcast/profiles"* && "$stderr" == *"$home/share/spmvcast/profiles"* ]]
    [[ "$stderr" == *"spmv-profile"* ]]
    XDG_DATA_HOME=/$(printf %0200d 0) run --separate-stderr "$home/bin/spmv-predict" -m guo2014 --profile a100 "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"unknown profile 'a100'; found none; searched $home/results/local, ...; use --profile FILE for a file" ]]   # whole names
    far="$BATS_TEST_TMPDIR/$(printf %0220d 0)"
    mkdir -p "$far/bin" && cp "$BIN/spmv-predict" "$far/bin/"
    run -1 "$far/bin/spmv-predict" -m guo2014 --profile a100 "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" =~ "unknown profile 'a100'; found none; searched "[2-9]" directories; use --profile FILE for a file"$ ]]
    run -1 "$far/bin/spmv-predict" -m guo2014 "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" =~ "found in "[2-9]" directories; run "  ]]
    run "$home/bin/spmv-predict" --list
    [ "$status" -eq 0 ]
    [[ "$output" == *"# 0 profiles"* ]]
}

# ---- with a profile

setup_file() {
    load helpers
    synthetic_profile
}

# The table for one matrix, with the tree's profile.
predict() { "$BATS_FILE_TMPDIR/tree/bin/spmv-predict" "$@"; }

@test "predict: the first line names the profile, its device and whether it is this machine's; rows have every column" {
    run --separate-stderr predict -m nearest --cache warm,cold "$BATS_FILE_TMPDIR/two.mtx"
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "# f64, warm: use "* && "${lines[1]}" == "# f64, cold: use "* ]]
    [ "${lines[2]}" = "# profile syn: Synthetic GPU, made 2026-01-31, not your machine" ]
    header=$(sed -n '/^### spmv-predict: rows of one model/,/^### spmv-predict: several/s/^| `\([a-z_]*\)`.*/\1/p' "$ROOT/docs/columns.md" | grep -vx 'measured_us\|error_percent' | paste -s)
    # scripts may count columns: new ones follow the others that describe a configuration
    [[ "$header" == $'place\tconfig\tprecision\tcache\ttime_us\tlow_us\thigh_us\tspeedup_vs_csr\tbandwidth_gbs\tstorage_mb\tconvert_us\tprepare_us\ttotal_us\tbreakeven_spmv\tbreakeven_stay_spmv\tmodel\tstatus\treason\t'*$'matrix\trecommended\tprofile\tlaunch' ]]
    grep -qxF "$header" <<<"$output"
    run awk -F'\t' -v header="$header" '!/^#/ && NF != split(header, name, FS) { print "fields", NF; exit 1 }' <<<"$output"
    [ "$status" -eq 0 ]
    for asked in speed:speedup_vs_csr time:time_us; do
        run -2 --separate-stderr predict -q --columns "place,${asked%:*}" "$BATS_FILE_TMPDIR/two.mtx"
        [ "$stderr" = "spmv-predict: --columns ${asked%:*}: no such column (did you mean '${asked#*:}'?); expected all or a list of ${header//$'\t'/,} (see spmv-predict --help)" ]
        [ -z "$output" ]
    done
}

# bats test_tags=quick,id:predict-best-per-kernel
@test "predict: each kernel appears once per cache state with its best configuration; places count all configurations" {
    predict -m nearest --iterations 0 --cache warm,cold "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/short.tsv"
    predict -m nearest --iterations 0 --cache warm,cold --all "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/all.tsv"
    for cache in warm cold; do
        # best of each kernel, computed from the full list
        column place,config,time_us,cache < "$BATS_TEST_TMPDIR/all.tsv" | awk -F'\t' -v c=$cache '$4 == c && $1 != "-" {
            k = $2; sub(/:.*/, "", k); if ($1 != ++n) exit 1; if ($3 + 0 < last) exit 1; last = $3 + 0
            if (!(k in seen)) { seen[k] = 1; print $1, $2, $3 } }' > "$BATS_TEST_TMPDIR/expected"
        column place,config,time_us,cache < "$BATS_TEST_TMPDIR/short.tsv" | awk -F'\t' -v c=$cache '$4 == c && $1 != "-" { print $1, $2, $3 }' > "$BATS_TEST_TMPDIR/found"
        [ "$(wc -l < "$BATS_TEST_TMPDIR/found")" -ge 7 ]
        diff "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/found"
    done
}

# bats test_tags=quick,id:predict-break-even
@test "predict: break-even is conversion over gain, rounded up; speedup is the time of cusparse-csr over ours" {
    predict -m nearest --cache warm --all "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/all.tsv"
    csr=$(column config,time_us < "$BATS_TEST_TMPDIR/all.tsv" | awk -F'\t' '$1 ~ /^cusparse-csr/ { print $2; exit }')
    column place,config,time_us,speedup_vs_csr,convert_us,breakeven_spmv < "$BATS_TEST_TMPDIR/all.tsv" | awk -F'\t' -v csr="$csr" '$1 ~ /^[0-9]/ {
        gain = csr - $3
        if (csr / $3 / $4 > 1.005 || csr / $3 / $4 < 0.995) bad = bad " speedup of " $2
        if (gain < 0 && $6 != "-") bad = bad " break-even without a gain: " $2
        if (gain > 0.05 * csr && $5 > 0) {
            n++
            if ($6 / ($5 / gain) > 1.05 || $6 / ($5 / gain) < 0.95 || $6 != int($6)) bad = bad " break-even of " $2 ": " $6
        } }
        END { if (bad || n < 3) { print "of", n ":" bad; exit 1 } }'
}

@test "predict: gain, conversion and break-even follow from the times and the measured rates" {
    predict -m nearest --iterations 0 --cache warm,cold --all --json "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/all.json"
    need_python
    "$PYTHON" - "$BATS_TEST_TMPDIR/all.json" <<'PY'
import json, math, sys
rows = json.load(open(sys.argv[1]))["rows"]
for cache in ("warm", "cold"):
    mine = [r for r in rows if r["cache"] == cache and r["time_us"] is not None]
    csr = min(r["time_us"] for r in mine if r["config"].startswith("cusparse-csr"))
    stay = min(r["time_us"] for r in mine if r["config"].startswith(("csr-", "cusparse-csr", "cusparse-op:alg=1")))
    library = min(mine, key=lambda r: r["time_us"] if r["config"].startswith("cusparse-") else math.inf)
    assert len(mine) >= 19 and sum(r["breakeven_spmv"] is not None for r in mine) >= 3
    for r in mine:
        assert math.isclose(r["speedup_vs_csr"], csr / r["time_us"], rel_tol=1e-9), r
        converts = not r["config"].startswith(("csr-", "cusparse-csr", "cusparse-op"))
        expected = 20 + 30 + r["storage_mb"] * 1e6 * (1 / 5e3 + 1 / 10e3) if converts else 0     # 5 and 10 GB/s
        close = 0.5 if "brc" in r["config"] else 1e-6           # for brc the bytes are only an estimate until the matrix is counted
        assert math.isclose(r["convert_us"], expected, rel_tol=close, abs_tol=1e-9), (r, expected)
        assert math.isclose(r["gain_stay"], stay / r["time_us"], rel_tol=1e-9) and math.isclose(r["gain_library"], library["time_us"] / r["time_us"], rel_tol=1e-9)
        for other, setup, key in ((library["time_us"], library["convert_us"], "breakeven_spmv"), (stay, 0, "breakeven_stay_spmv")):
            more, less = r["convert_us"] - setup, other - r["time_us"]
            pays = None if less < 0 or (less == 0 and more >= 0) else 0 if more <= 0 else math.ceil(more / less)
            assert r[key] == pays, (r, pays)
PY
}

@test "predict: stay with is what leaves CSR as it is, not what copies the matrix in its preparation" {
    need_python
    spmv-predict -q --profile h200 -p f32,f64 --launch graph,stream --iterations 100000 --json rmat:scale=16,p=8 rmat:scale=16,p=16 > "$BATS_TEST_TMPDIR/stay.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR/stay.json" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
copying = [r for r in d["rows"] if r["config"] == "cusparse-op:alg=2" and r["gain_stay"] > 1]
assert copying and any(a["why"] == "stay" for a in d["recommendations"])
for a in d["recommendations"]:
    assert a["why"] != "stay" or a["config"] == a["stay"], a["text"]
PY
}

@test "predict: the first line counts conversion unless products are unlimited; break-even is the same in every form of the line" {
    line() { predict -m nearest --cache warm "$@" "$BATS_FILE_TMPDIR/two.mtx" | head -n 1; }
    [ "$(line)" = "$(line --iterations 200)" ]
    [[ "$(line)" == *" for 200 products, "*" us each, "* ]]
    words='^# f64, warm: use (hyb:[^ ]+); [0-9.]+ us per product, set-up not counted, [0-9.]+x as fast as csr-[^ ]+ \(extrapolated\), [0-9.]+x as fast as cusparse-[^ ]+ \(extrapolated\); conversion takes [0-9.]+ us; pays off after ([0-9]+) products against (csr-[^ ]+), (immediately|after [0-9]+ products?) against cusparse-'
    [[ "$(line --iterations 0)" =~ $words ]]
    pick=${BASH_REMATCH[1]} n=${BASH_REMATCH[2]} free=${BASH_REMATCH[3]}
    [ "$n" -gt 1 ]
    # with fewer products than the break-even another configuration wins, otherwise this one
    [[ "$(line --iterations 1)" == *": use csr-"*" us for 1 product, "*"; no conversion"*"; $pick is "*"x as fast per product, but pays off only after "*" products"* ]]
    [[ "$(line -c "$pick" -c "$free" --iterations $((n - 1)))" == *": use $free; "* ]]
    [[ "$(line -c "$pick" -c "$free" --iterations $n)" == *": use $pick; "* ]]
    for i in $n 12345 1e5; do
        [[ "$(line --iterations $i -c "$pick")" == *"; pays off after $n products against $free, "* ]]
    done
    [[ "$(line --iterations 1e5)" == "# f64, warm: use hyb:"*" ms for 100000 products, "*" us each, "*"x as fast as cusparse-"* ]]
    [[ "$(line -c csr-vector:lanes=8)" == "# f64, warm: csr-vector:lanes=8,"*": forecast "*" for 200 products, "*"x as fast as cusparse-"*"; no conversion or preparation"* ]]
    # one that leaves CSR as it is, with the best of those
    [[ "$(line -c csr-scalar)" == *": forecast "*", "*"x as fast as csr-"*", "*"x as fast as cusparse-"* ]]
}

@test "predict: configurations that are refused or do not apply keep their rows, with a reason, and are counted" {
    run predict -m guo2014 --cache warm "$BATS_FILE_TMPDIR/arrow.mtx"
    [ "$status" -eq 0 ]
    [[ "$output" == *$'-\tell:lanes=1,block=256\tf64\twarm\t-\t'*$'\tna\tpadding '*"limit 10x"* ]]
    [[ "$output" == *$'-\tcsr-block:block=128\tf64\twarm\t-\t'*$'\tguo2014\trefused\tprofile syn has no guo2014 coefficients'* ]]
    run -0 predict -m guo2014 --cache warm -c ell -c csr-block:block=128 -c csr-scalar "$BATS_FILE_TMPDIR/arrow.mtx"
    [[ "$output" == *"3 configurations, 3 printed; 1 ok, 0 extrapolated, 1 refused, 1 not applicable"* ]]
}

@test "predict: --top, -c, -p and --cache select rows" {
    run -0 predict -m nearest --top 3 -p f32,f64 --cache cold,warm "$BATS_FILE_TMPDIR/two.mtx"
    [ "$(grep -c $'^[123]\t' <<<"$output")" -eq 12 ]
    run -0 --separate-stderr predict -m nearest -c ell -c csr-scalar --cache warm "$BATS_FILE_TMPDIR/two.mtx"
    [ "$(grep -vc '^#' <<<"$output")" -eq 3 ]
}

@test "predict: the forecast does not depend on the file that a matrix is read from" {
    gzip -c "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/two.mtx.gz"
    predict -m guo2014 --all "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/a"
    OMP_NUM_THREADS=7 predict -m guo2014 --all "$BATS_TEST_TMPDIR/two.mtx.gz" > "$BATS_TEST_TMPDIR/b"
    cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
}

# bats test_tags=quick
@test "predict: measured times are printed next to the forecasts" {
    run -0 --separate-stderr predict -m nearest --cache warm --measured "$BATS_FILE_TMPDIR/runs.h5" "$BATS_FILE_TMPDIR/two.mtx"
    column place,time_us,measured_us,error_percent <<<"$output" | awk -F'\t' '/^[0-9]/ { n++; e = ($2 / $3 - 1) * 100 - $4; if (e > 0.2 || e < -0.2) bad = 1 } END { exit bad || n < 7 }'
}

@test "predict: times measured for a recipe are printed next to its forecast, whether the recipe or a file of it is given" {
    recipe=stencil:points=5,n=10
    spmv-run -q --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -o "$BATS_TEST_TMPDIR/recipe.h5" $recipe > /dev/null
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5"
    spmv-fit -q -m $QUICK_MODELS --name cpu -o "$BATS_TEST_TMPDIR/cpu-profile.h5" "$BATS_TEST_TMPDIR/cpu.h5" > /dev/null
    spmv-gen stencil points=5 n=10 --materialize -o "$BATS_TEST_TMPDIR/made.h5" > /dev/null
    for m in $recipe "$BATS_TEST_TMPDIR/made.h5"; do
        predict --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm -c csr-scalar --measured "$BATS_TEST_TMPDIR/recipe.h5" "$m" > "$BATS_TEST_TMPDIR/t"
        column config,measured_us < "$BATS_TEST_TMPDIR/t" | awk -F'\t' '$1 == "csr-scalar" { n++; if (!($2 > 0)) bad = 1 } END { exit bad || n != 1 }'
    done
}

@test "predict: a profile is found by name, by device, by file, by directory and in the user's directory" {
    one() { predict -m nearest --cache warm --top 1 "$@" "$BATS_TEST_TMPDIR/tiny.mtx" | grep -m 1 "^# profile"; }
    for asked in syn SYN "synthetic gpu" "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$BATS_FILE_TMPDIR/tree/results/syn"; do
        [ "$(one --profile "$asked")" = "# profile syn: Synthetic GPU, made 2026-01-31, not your machine" ]
    done
    mkdir -p "$XDG_DATA_HOME/spmvcast/profiles"
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$XDG_DATA_HOME/spmvcast/profiles/mine.h5"
    [[ "$(one)" == "# profile mine:"* ]]
    run -0 predict --list
    [[ "$output" == *$'mine\tuser\tSynthetic GPU\t2026-01-31\tno\t'*$'syn\tresults\t'*$'\t7\t11000\t175392\n'* ]]
}

@test "predict: a damaged profile is named and never used" {
    mkdir -p "$home/results/cut"
    head -c 20000 "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" > "$home/results/cut/profile.h5"
    run --separate-stderr "$home/bin/spmv-predict" -m nearest --profile cut "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    [[ "$stderr" == *"cut/profile.h5"* ]]
    run --separate-stderr "$home/bin/spmv-predict" -m nearest "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    run -0 "$home/bin/spmv-predict" --list
    [[ "$output" == *"cut/profile.h5"* ]]
    mkdir "$home/results/whole"
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$home/results/whole/"
    run --separate-stderr "$home/bin/spmv-predict" -m nearest "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 0 ]
    [[ "$output" == *"# profile whole:"* ]]
}

# bats test_tags=id:predict-unread-profile
@test "predict: folders of profiles that cannot be read, and links to nothing, are named in --list and in the error" {
    local folder="$XDG_DATA_HOME/spmvcast/profiles" share="$home/share/spmvcast/profiles"
    mkdir -p "$folder" "$home/share/spmvcast" "$home/results/link"
    ln -s gone.h5 "$folder/h7.h5"
    ln -s gone.h5 "$home/results/link/profile.h5"
    ln -s profiles "$share"                          # leads to itself
    run -0 "$home/bin/spmv-predict" --list
    [[ "$output" == *"$folder/h7.h5: it is a symbolic link to a file that does not exist; remove the link or create the file"* ]]
    [[ "$output" == *"$home/results/link/profile.h5: it is a symbolic link to a file that does not exist"* ]]
    [[ "$output" == *"# cannot read $share ("*")"* ]]
    run -1 "$home/bin/spmv-predict" -m nearest --profile h7 "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" == *"$folder/h7.h5: it is a symbolic link to a file that does not exist"* ]]
    run -1 "$home/bin/spmv-predict" -m nearest --profile h8 "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" == *"unknown profile 'h8'; "*"; cannot read "*"; use --profile FILE for a file" ]]
    rm "$share"
    mkdir "$folder/unread"
    chmod 0 "$folder/unread"
    mine() { "$home/bin/spmv-predict" "$@"; }
    if [ "$(id -u)" = 0 ]; then
        without=(setpriv "--bounding-set=-dac_override,-dac_read_search" "--inh-caps=-dac_override,-dac_read_search" --)
        ! "${without[@]}" test -x "$folder/unread" || skip "root may read all folders"
        mine() { "${without[@]}" "$home/bin/spmv-predict" "$@"; }
    fi
    run -0 mine --list
    [[ "$output" == *"# cannot read $folder/unread (Permission denied)"* ]]
    run -1 mine -m nearest --profile unread stencil:points=5,n=10
    [[ "$output" == *"unknown profile 'unread'; "*"; cannot read /"*"; use --profile FILE for a file" ]]
    chmod 700 "$folder/unread"
}

# bats test_tags=id:predict-same-name
@test "predict: of two profiles of one name --list says which one the name selects; if that one is broken, the error names the other" {
    local folder="$XDG_DATA_HOME/spmvcast/profiles"
    mkdir -p "$folder" "$home/results/syn"
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$home/results/syn/"
    run -0 "$home/bin/spmv-predict" --list
    [[ "$output" != *"--profile syn selects"* ]]
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$folder/syn.h5"
    run -0 "$home/bin/spmv-predict" --list
    [[ "$output" == *"# --profile syn selects $folder/syn.h5; for the other one: --profile $home/results/syn/profile.h5"* ]]
    chmod u+w "$folder/syn.h5"
    : > "$folder/syn.h5"
    run -0 "$home/bin/spmv-predict" --list
    [[ "$output" == *"# --profile syn selects $folder/syn.h5, which cannot be used; for the other one: --profile $home/results/syn/profile.h5"* ]]
    run -3 "$home/bin/spmv-predict" -m nearest --profile syn "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" == *"$folder/syn.h5 is empty; expected an archive (.h5); another profile of that name is good: use --profile $home/results/syn/profile.h5, or remove the first" ]]
    rm "$home/results/syn/profile.h5"
    run -3 "$home/bin/spmv-predict" -m nearest --profile syn "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" == *"$folder/syn.h5 is empty; expected an archive (.h5)" ]]
}

# bats test_tags=id:predict-which-profile
@test "predict: without --profile a profile of this machine's CPU precedes one of another machine's GPU, and a full profile a trial; the choice is explained" {
    spmv-run -q --backend cpu -c csr-scalar --time-cap 0 --rounds-cap 3 --cache warm -o "$BATS_TEST_TMPDIR/run.h5" stencil:points=5,n=10 > "$BATS_TEST_TMPDIR/out"
    spmv-fit -q -m nearest --name ours -o "$BATS_TEST_TMPDIR/ours.h5" "$BATS_TEST_TMPDIR/run.h5" > "$BATS_TEST_TMPDIR/out"
    chosen() { run -0 --separate-stderr "$home/bin/spmv-predict" -m nearest --cache warm "$@" "$BATS_TEST_TMPDIR/tiny.mtx"; }
    mkdir -p "$home/results/syn" "$home/results/local/other"
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$home/results/syn/"
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$home/results/local/other/"     # of another machine that shares the tree
    chosen
    [[ "$stderr" == "spmv-predict: using profile syn ($home/results/syn/profile.h5) of Synthetic GPU: no profile of this machine found; use --profile NAME for another"* ]]
    # of several, not the first by name, but the one with most measurements
    mkdir -p "$home/results/few"
    "$BUILD/synthetic" gpu "$BATS_TEST_TMPDIR/few.h5" stencil:points=5,n=60
    spmv-fit -q -m nearest -o "$home/results/few/profile.h5" "$BATS_TEST_TMPDIR/few.h5" > "$BATS_TEST_TMPDIR/out"
    chosen
    [[ "$stderr" == *"using profile syn ("* ]]
    # the archive says that it is a trial, whatever its name
    mkdir -p "$home/results/local/cpu"
    spmv-fit -q -m nearest --quick -o "$home/results/local/cpu/profile.h5" "$BATS_TEST_TMPDIR/run.h5" > "$BATS_TEST_TMPDIR/out"
    chosen
    [[ "$stderr" == *"using profile cpu ($home/results/local/cpu/profile.h5) of "*": this machine's CPU (no profile of a GPU in it found), a quick trial on a few small matrices (run \`spmv-profile\` for a full profile)"* ]]
    mkdir -p "$XDG_DATA_HOME/spmvcast/profiles/my-quick"
    cp "$BATS_TEST_TMPDIR/ours.h5" "$XDG_DATA_HOME/spmvcast/profiles/my-quick/profile.h5"
    chosen
    [[ "$stderr" == *"using profile my-quick ($XDG_DATA_HOME/spmvcast/profiles/my-quick/profile.h5)"* && "$stderr" != *"quick trial"* ]]
    [[ "$output" == *"# profile my-quick: CPU "*", your machine"* ]]
    chosen -q
    [ -z "$stderr" ]
    chosen --profile syn
    [ -z "$stderr" ]
}

# bats test_tags=id:predict-cpu-threads
@test "predict: a CPU profile of another number of threads is not of this machine: in the first lines, in --list, and without --profile" {
    OMP_NUM_THREADS=1 spmv-run -q --backend cpu -c csr-scalar --time-cap 0 --rounds-cap 3 --cache warm -o "$BATS_TEST_TMPDIR/run.h5" stencil:points=5,n=10 > "$BATS_TEST_TMPDIR/out"
    mkdir -p "$home/results/local/one"
    spmv-fit -q -m nearest -o "$home/results/local/one/profile.h5" "$BATS_TEST_TMPDIR/run.h5" > "$BATS_TEST_TMPDIR/out"
    local listed n
    for n in 1 2; do
        [ $n = 1 ] && listed=yes || listed=no
        OMP_NUM_THREADS=$n "$home/bin/spmv-predict" --list > "$BATS_TEST_TMPDIR/list"
        [ "$(column profile,this_machine < "$BATS_TEST_TMPDIR/list")" = $'one\t'"$listed" ]
    done
    OMP_NUM_THREADS=1 run -0 --separate-stderr "$home/bin/spmv-predict" -m nearest --cache warm "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" == *"# profile one: CPU "*", your machine"$'\n'* ]]
    OMP_NUM_THREADS=2 run -1 --separate-stderr "$home/bin/spmv-predict" -m nearest --cache warm "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$stderr" == *"no profile of this machine's CPU with 2 threads; profile one is for 1 thread: set OMP_NUM_THREADS=1, "*"or use --profile one"* ]]
    OMP_NUM_THREADS=2 run -0 "$home/bin/spmv-predict" --profile one -m nearest --cache warm "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$output" == *"# profile one: CPU "*", your machine with 1 instead of 2 threads"$'\n'* ]]
    # nothing has a forecast here, so nothing is timed
    ln -sf /bin/false "$home/bin/spmv-run"
    OMP_NUM_THREADS=2 run -1 --separate-stderr "$home/bin/spmv-predict" --profile one -m nearest --cache warm --tune 1 stencil:points=5,n=10
    [[ "$stderr" == *"warning: --tune: profile one is for "*" with 1 thread, but this process has 2; set OMP_NUM_THREADS=1"* && "$stderr" != *"does not seem to have"* ]]
    [[ "$stderr" == *"--tune: no configuration has a forecast, so none is timed" ]]
    # a GPU's profile is used, with a hint at the full one of this CPU
    mkdir -p "$home/results/syn" "$home/results/local/1-quick"
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$home/results/syn/"
    spmv-fit -q --quick -m nearest -o "$home/results/local/1-quick/profile.h5" "$BATS_TEST_TMPDIR/run.h5" > "$BATS_TEST_TMPDIR/out"
    OMP_NUM_THREADS=2 run -0 --separate-stderr "$home/bin/spmv-predict" -m nearest --cache warm "$BATS_TEST_TMPDIR/tiny.mtx"
    [[ "$stderr" == *"of Synthetic GPU: no profile of this machine found; profile one is of this machine's CPU with 1 thread: set OMP_NUM_THREADS=1; use --profile NAME"* ]]
}

# bats test_tags=id:predict-foreign-cpu
@test "predict: a CPU profile of another machine is used only if named, and is reported as one of a CPU" {
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5" stencil:points=5,n=10 stencil:points=5,n=40
    mkdir -p "$home/results/local/cpu-quick"
    "$BIN/spmv-fit" -q -m $QUICK_MODELS --name cpu-quick -o "$home/results/local/cpu-quick/profile.h5" "$BATS_TEST_TMPDIR/cpu.h5" > /dev/null
    mkdir "$home/results/other-cpu"
    cp "$home/results/local/cpu-quick/profile.h5" "$home/results/other-cpu/"
    run --separate-stderr "$home/bin/spmv-predict" -m bandwidth "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == *"or the name of another CPU's profile: cpu-quick, other-cpu"* ]]
    run "$home/bin/spmv-predict" --profile cpu -m bandwidth "$BATS_TEST_TMPDIR/tiny.mtx"
    [ "$status" -eq 0 ]
    [[ "$output" == *"# profile cpu-quick: CPU Synthetic CPU, made"* ]]
    # conversion is only the build (20 us and 5 GB/s), since a CPU copies nothing
    column config,storage_mb,convert_us <<<"$output" | awk -F'\t' '$1 == "ell" { n++; if ($3 < 20 || ($3 - 20 - $2 * 200) ^ 2 > 1e-4) bad = 1 } END { exit bad || n != 1 }'
}

# ---- several matrices; recommendations in columns and JSON

# bats test_tags=quick,id:predict-several
@test "predict: of several matrices in one call each has the rows it has alone, with its name; a failure is reported and the others follow" {
    two="$BATS_FILE_TMPDIR/two.mtx" arrow="$BATS_FILE_TMPDIR/arrow.mtx"
    for m in two arrow; do predict -m nearest --top 5 "$BATS_FILE_TMPDIR/$m.mtx" | grep -v '^#'; done | awk 'FNR == 1 || !/^place\t/' > "$BATS_TEST_TMPDIR/apart"
    predict -m nearest --top 5 "$two" "$arrow" > "$BATS_TEST_TMPDIR/together"
    diff "$BATS_TEST_TMPDIR/apart" <(grep -v '^#' "$BATS_TEST_TMPDIR/together")
    [ "$(column matrix < "$BATS_TEST_TMPDIR/together" | uniq -c | awk '{ print $1, $2 }' | tr '\n' ' ')" = "5 two 5 arrow " ]
    [ "$(grep -cE '^# (two|arrow), f64, (warm|cold): (use|none|no recommendation)' "$BATS_TEST_TMPDIR/together")" -eq 2 ]
    printf 'neither\n' > "$BATS_TEST_TMPDIR/bad.mtx"
    head -c 3000 "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_TEST_TMPDIR/cut.h5"
    run --separate-stderr predict -m nearest --top 5 "$BATS_TEST_TMPDIR/none.mtx" "$two" "$BATS_TEST_TMPDIR/bad.mtx" "$arrow"
    [ "$status" -eq 1 ]
    diff "$BATS_TEST_TMPDIR/together" <(printf '%s\n' "$output")
    [[ "$stderr" == *"none.mtx"*"bad.mtx"* ]]
    run -1 --separate-stderr predict -m nearest --json "$BATS_TEST_TMPDIR/none.mtx" "$two" "$BATS_TEST_TMPDIR/bad.mtx"
    [[ "$output" == *'"errors":[{"file":"'*'none.mtx","error":"cannot open '*'},{"file":"'*'bad.mtx","error":"'*"found 'neither'"*'"}]'* ]]
    # also of matrices that all fail, when they are looked for or when they are read
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n' > "$BATS_TEST_TMPDIR/outside.mtx"
    for bad in none bad outside; do
        for m in nearest all; do
            run -1 --separate-stderr predict -m $m --json "$BATS_TEST_TMPDIR/$bad.mtx"
            [[ "$output" == '{"columns":["'*'"],"rows":[],"notes":[],"errors":[{"file":"'*"$bad.mtx"'","error":"'*'"}]}' && "$stderr" == "spmv-predict: "*"$bad.mtx"* ]]
        done
        run -1 --separate-stderr predict -m nearest "$BATS_TEST_TMPDIR/$bad.mtx"
        [ -z "$output" ]
    done
    run -3 --separate-stderr predict -m nearest --top 5 "$BATS_TEST_TMPDIR/none.mtx" "$two" "$BATS_TEST_TMPDIR/cut.h5"
    [[ "$output" == *$'\ttwo\tyes'* && "$stderr" == *"none.mtx"*"cut.h5"* ]]
}

# bats test_tags=id:predict-rows-json-equal
@test "predict: the recommendation in rows and JSON equals the one in the notes" {
    for i in 0 5 100000; do
        predict -m nearest --cache warm,cold --top 1 --iterations $i "$BATS_FILE_TMPDIR/two.mtx" "$BATS_FILE_TMPDIR/arrow.mtx" > "$BATS_TEST_TMPDIR/t"
        sed -nE 's/^# ([a-z]+), (f64), (warm|cold): (use|stay with) ([^ ]+); .*/\1 \2 \3 \5/p' "$BATS_TEST_TMPDIR/t" | sort > "$BATS_TEST_TMPDIR/words"
        column matrix,precision,cache,config,recommended < "$BATS_TEST_TMPDIR/t" | awk -F'\t' '$5 == "yes" { print $1, $2, $3, $4 }' | sort > "$BATS_TEST_TMPDIR/rows"
        [ "$(wc -l < "$BATS_TEST_TMPDIR/words")" -eq 4 ]
        diff "$BATS_TEST_TMPDIR/words" "$BATS_TEST_TMPDIR/rows"
    done
    need_python
    predict -m nearest --cache warm,cold --json --iterations 5 "$BATS_FILE_TMPDIR/two.mtx" "$BATS_FILE_TMPDIR/arrow.mtx" > "$BATS_TEST_TMPDIR/t.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR/t.json" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
assert "errors" not in d
assert [(m["matrix"], m["nnz"]) for m in d["matrices"]] == [("two", 175392), ("arrow", 11000)] and all(len(m["matrix_id"]) == 64 for m in d["matrices"])
best = {(r["matrix"], r["precision"], r["cache"]): r for r in d["rows"] if r["recommended"] == "yes"}
assert len(d["recommendations"]) == 4 == len(best)
for r in d["recommendations"]:
    row = best[r["matrix"], r["precision"], r["cache"]]
    assert r["iterations"] == 5 and r["text"] in " ".join(d["notes"])
    for key in ("config", "place", "time_us", "speedup_vs_csr", "convert_us", "prepare_us", "total_us", "breakeven_spmv", "breakeven_stay_spmv", "gain_stay", "gain_stay_low", "gain_stay_high",
                "gain_library", "gain_library_low", "gain_library_high", "breakeven_stay_low_spmv", "breakeven_stay_high_spmv", "breakeven_low_spmv", "breakeven_high_spmv",
                "status", "reason", "profile"):
        assert r[key] == row[key], (key, r, row)
PY
}

@test "predict: a single named configuration is forecast but not recommended, nor are several that are all slower than others" {
    one() { predict -m nearest --cache warm "$@" "$BATS_FILE_TMPDIR/two.mtx"; }
    slow=$(one --all | column config,speedup_vs_csr | awk -F'\t' '$2 + 0 > 0 && $2 + 0 < 0.9 { print $1 }' | head -n 2)
    read -rd '' a b <<<"$slow" || :
    [ -n "$b" ]
    run -0 one -c "$a"
    [[ "$output" == *"# f64, warm: $a: forecast "*" for 200 products, "*", 0."*"x as fast as cusparse-"* && "$output" != *": use "* && "$output" != *yes* ]]
    [[ "$output" == *"# f64, warm: 1 configuration, 1 printed;"* ]]
    run -0 one -c "$a" -c "$a"
    [[ "$output" != *": use "* ]]
    run -0 one -c "$a" -c "$b" --iterations 1e3
    [[ "$output" == *"# f64, warm: none of the 2 configurations is forecast to be faster than c"*" ms for 1000 products"*"; the best is "*" ms for 1000 products"* && "$output" != *yes* ]]
    one -c "$a" -c "$b" --json > "$BATS_TEST_TMPDIR/t.json"
    grep -q '"config":null,"place":null,"time_us":null' "$BATS_TEST_TMPDIR/t.json"
    fast=$(one --top 1 | column config | head -n 1)
    run -0 one -c "$a" -c "$fast"
    [[ "$output" == *"# f64, warm: use $fast; "* ]]
}

# ---- advice from the archived H200 profile, which has preparation times

h200() { "$BIN/spmv-predict" -q --profile "$ROOT/results/h200/profile.h5" --cache warm "$@"; }

# bats test_tags=id:predict-preparation
@test "predict: preparation counts in totals and break-evens; a matrix on the host is copied to the device first" {
    need_python
    matrix=stencil:points=5,n=300
    for n in 0 40 1e6; do for place in gpu host; do h200 --all --json --iterations $n --matrix-on $place $matrix > "$BATS_TEST_TMPDIR/$n.$place.json"; done; done
    "$PYTHON" - "$BATS_TEST_TMPDIR" <<'PY'
import json, math, sys
of = {}
for n in ("0", "40", "1e6"):
    for place in ("gpu", "host"):
        d = json.load(open(f"{sys.argv[1]}/{n}.{place}.json"))
        rows = {r["config"]: r for r in d["rows"] if r["time_us"] is not None}
        of[n, place] = rows, d["recommendations"][0]
        (advice,) = d["recommendations"]
        assert advice["matrix_on"] == place and advice["iterations"] == int(float(n))
        value = (lambda r: r["time_us"]) if n == "0" else (lambda r: r["total_us"])
        risked = lambda r: (0 if n == "0" else value(r) - float(n) * r["time_us"]) + max(float(n), 1) * r["time_us"] * (r["high_us"] / r["time_us"]) ** 0.2
        csr = [r for r in rows.values() if r["config"].startswith(("csr-", "cusparse-csr", "cusparse-op:alg=1"))]
        stay = min(csr, key=risked)
        if n == "0":
            stay = min((r for r in csr if risked(r) <= 1.01 * risked(stay)), key=lambda r: r["convert_us"] + r["prepare_us"])
        library = min((r for r in rows.values() if r["config"].startswith("cusparse-")), key=value)
        assert advice["stay"] == stay["config"] and advice["library"] == library["config"]
        for r in rows.values():
            setup = r["convert_us"] + r["prepare_us"]
            total = setup + float(n) * r["time_us"]
            assert (r["total_us"] is None) == (n == "0") and (n == "0" or math.isclose(r["total_us"], total, rel_tol=1e-9)), r
            for other, key in ((library, "breakeven_spmv"), (stay, "breakeven_stay_spmv")):
                name = {"breakeven_spmv": "library"}.get(key, "stay")
                assert math.isclose(r["gain_" + name], value(other) / value(r), rel_tol=1e-9), (name, r)
                assert r[f"gain_{name}_low"] <= r["gain_" + name] <= r[f"gain_{name}_high"]
                if r is other:
                    assert r[key] is None
                    continue
                gain, more = other["time_us"] - r["time_us"], setup - (other["convert_us"] + other["prepare_us"])
                pays = None if gain < 0 or (gain == 0 and more >= 0) else 0 if more <= 0 else math.ceil(more / gain * (1 - 1e-12))
                assert r[key] == pays, (key, r, pays)
                low, high = (r[key.replace("_spmv", f"_{end}_spmv")] for end in ("low", "high"))
                assert pays is None or low <= pays and (high is None or pays <= high), (key, r)
        assert [value(r) for r in rows.values()] == sorted(map(value, rows.values()))
        assert [r["place"] for r in rows.values()] == list(range(1, len(rows) + 1))
        plain = max(r["prepare_us"] for c, r in rows.items() if c.startswith(("csr-scalar", "csr-vector")))
        for r in rows.values():
            csr = r["config"].startswith(("csr-", "cusparse-csr", "cusparse-op"))
            assert (r["convert_us"] == 0) == (csr and place == "gpu")
            assert r["prepare_us"] > (1.5 * plain if r["config"].startswith("csr-stream:share=entries") else 0), r
for n in ("0", "40", "1e6"):  # for a matrix on the host either a copy of CSR is added, or the host's build is cheaper
    gpu, host = of[n, "gpu"][0], of[n, "host"][0]
    copy = {host[c]["convert_us"] for c in host if c.startswith("csr-")}
    assert len(copy) == 1
    assert all(host[c]["convert_us"] <= gpu[c]["convert_us"] + max(copy) + 1e-9 or gpu[c]["convert_us"] == host[c]["convert_us"] for c in gpu)
few, many = of["40", "gpu"][1], of["1e6", "gpu"][1]
assert few["config"] != many["config"] and few["convert_us"] + few["prepare_us"] < many["convert_us"] + many["prepare_us"]
PY
}

# bats test_tags=id:predict-risk
@test "predict: --risk weights the upper end of the interval; configurations that cannot be distinguished are counted" {
    need_python
    for risk in 0 0.2 1 20; do h200 --all --json --iterations 0 --risk $risk lp:rows=2000,cols=12800,p=4,long=30,q=256 > "$BATS_TEST_TMPDIR/$risk.json"; done
    others=("fem:n=16,d=4" "fem:n=20,d=4" "kkt:n=20,h=1" "rmat:scale=14,p=6" "markov:n=99,m=65" "stencil:points=27,n=30" "markov:n=60,m=50")
    h200 --all --json --iterations 0 "${others[@]}" > "$BATS_TEST_TMPDIR/others.json"
    h200 --all --json --iterations 0 -p f32 kkt:n=20,h=1 > "$BATS_TEST_TMPDIR/f32.json"
    h200 --all --json --iterations 0 --launch stream kkt:n=24,h=1 > "$BATS_TEST_TMPDIR/stream.json"
    spmv-info --json lp:rows=2000,cols=12800,p=4,long=30,q=256 kkt:n=24,h=1 "${others[@]}" > "$BATS_TEST_TMPDIR/info.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR" <<'PY'
import json, math, re, sys
longest = {f["name"]: f["row_max"] for f in map(json.loads, open(f"{sys.argv[1]}/info.json"))}
def one_part(r):  # hyb with an empty head or tail: never recommended
    k = re.match("hyb:k=([0-9]+),", r["config"])
    return k and not 0 < int(k[1]) < longest[r["matrix"]]
def gain(a, b):  # the log of how many times as fast a is, and its deviation
    width = 0.8 * math.hypot(*(math.log(r["high_us"] / r["low_us"]) / 2 / 1.6449 for r in (a, b)))
    return math.log(b["time_us"] / a["time_us"]), width
def beats(a, b, quantile):
    by, width = gain(a, b)
    return by > quantile * width
chosen, outside, cheaper, few, why = set(), 0, 0, 0, set()
answers = [(risk, advice, d["rows"]) for risk, name in (("0", "0"), ("0.2", "0.2"), ("1", "1"), ("20", "20"), ("0.2", "others"), ("0.2", "f32"), ("0.2", "stream"))
           for d in [json.load(open(f"{sys.argv[1]}/{name}.json"))] for advice in d["recommendations"]]
assert len(answers) == 13
for risk, advice, rows in answers:
    rows = [r for r in rows if r["matrix"] == advice["matrix"]]
    fastest = next(r for r in rows if r["place"] == 1)
    rows = [r for r in rows if r["time_us"] is not None and not one_part(r)]
    weighed = lambda r: r["time_us"] * (r["high_us"] / r["time_us"]) ** float(risk)
    setup = lambda r: r["convert_us"] + r["prepare_us"]
    def lowest(rows):  # the cheapest of those within 1 %
        near = [r for r in rows if weighed(r) <= 1.01 * min(map(weighed, rows))]
        return min(near, key=lambda r: (setup(r), weighed(r)))
    best, reason = lowest(rows), "fastest"
    cheaper += best != min(rows, key=weighed)
    sure = [r for r in rows if r["status"] == "ok"]
    if best["status"] != "ok" and sure and not beats(best, lowest(sure), 1.6449):
        best, reason = lowest(sure), "sure"
    csr = [r for r in rows if r["config"].startswith(("csr-", "cusparse-csr", "cusparse-op:alg=1"))]
    if best not in csr and not beats(best, lowest(csr), 1.2816):
        best, reason = lowest(csr), "stay"
    why.add(reason)
    assert advice["why"] == reason, (advice, reason)
    assert advice["config"] == best["config"] and advice["risk"] == float(risk)
    alike = [r for r in rows if r is not best and not beats(r, best, 1.6449) and not beats(best, r, 1.6449)]
    assert advice["alike"] == len(alike)
    outside += any(not best["low_us"] <= r["time_us"] <= best["high_us"] for r in alike)
    if len(alike):
        timed = max([2] + [1 + rows.index(r) for r in alike])      # the pick is timed in any case
        few += timed <= 5
        assert f"; {len(alike)} {'others are' if len(alike) > 1 else 'other is'} within its uncertainty; " + ("--tune 5 on that device times the best 5" if timed > 5 else f"--tune {timed} on that device measures which is fastest") in advice["text"], (timed, advice["text"])
    if best["place"] > 1 and best["time_us"] >= 1.01 * fastest["time_us"]:
        assert {"fastest": "but with less certainty", "sure": "as fast, but extrapolated", "stay": ": stay with "}[reason] in advice["text"], advice
    chosen.add(best["config"])
assert len(chosen) > 1 and outside > 0 and cheaper > 0 and few > 0 and {"fastest", "stay"} <= why, (chosen, outside, cheaper, few, why)
PY
}

# bats test_tags=id:predict-several-profiles
@test "predict: several profiles give one ranking across devices; --prefer selects one and prints its cost" {
    need_python
    cp "$BATS_FILE_TMPDIR/tree/results/syn/profile.h5" "$BATS_TEST_TMPDIR/syn.h5"
    h200 -m nearest --iterations 0 --all --json --profile "$BATS_TEST_TMPDIR/syn.h5" "$BATS_FILE_TMPDIR/two.mtx" > "$BATS_TEST_TMPDIR/both.json"
    for p in "$BATS_TEST_TMPDIR/syn.h5" "$ROOT/results/h200/profile.h5"; do "$BIN/spmv-predict" -q -m nearest --iterations 0 --all --json --cache warm --profile "$p" "$BATS_FILE_TMPDIR/two.mtx"; done > "$BATS_TEST_TMPDIR/alone.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR" <<'PY'
import json, sys
both = json.load(open(f"{sys.argv[1]}/both.json"))
alone = [json.loads(line) for line in open(f"{sys.argv[1]}/alone.json")]
times = sorted(r["time_us"] for d in alone for r in d["rows"] if r["time_us"] is not None)
ranked = [r for r in both["rows"] if r["time_us"] is not None]
assert [r["time_us"] for r in ranked] == times and [r["place"] for r in ranked] == list(range(1, len(times) + 1))
assert {r["profile"] for r in ranked} == {"syn", "profile"} or {r["profile"] for r in ranked} == {"syn", "h200"}
(devices,) = both["devices"]
assert devices["profile"] == ranked[0]["profile"] and len(both["recommendations"]) == 2
PY
    run -0 h200 -m nearest --profile "$BATS_TEST_TMPDIR/syn.h5" "$BATS_FILE_TMPDIR/two.mtx"
    [[ "${lines[0]}" == "# f64, warm: fastest device "*": "*" us"*"; syn takes "*"x as long"* && "${lines[1]}" == "# "*", f64, warm: use "* ]]
    first=${lines[0]%% takes*}
    run -0 "$BIN/spmv-predict" -q --cache warm -m nearest --profile "$BATS_TEST_TMPDIR/syn.h5,$ROOT/results/h200/profile.h5" "$BATS_FILE_TMPDIR/two.mtx"
    [[ "${first%;*}" == "${lines[0]%%;*}" ]]
    run -0 h200 -m nearest --profile "$BATS_TEST_TMPDIR/syn.h5" --prefer syn "$BATS_FILE_TMPDIR/two.mtx"
    [[ "${lines[0]}" == "# f64, warm: preferred device syn: "*" takes 0."*"x as long"* ]]
    run -0 h200 -m nearest --profile "$BATS_TEST_TMPDIR/syn.h5" --prefer syn --json "$BATS_FILE_TMPDIR/two.mtx"
    [[ "$output" == *'"devices":['*'"profile":"'[!s]*'","preferred":"syn",'* ]]
}

# bats test_tags=id:predict-tune-stopped
@test "predict: a signal during --tune ends spmv-run, too, and leaves no temporary directory" {
    local signal status
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5" stencil:points=5,n=10 stencil:points=5,n=40 rmat:scale=9,p=8
    spmv-fit -q -m $QUICK_MODELS --name cpu -o "$BATS_TEST_TMPDIR/cpu-profile.h5" "$BATS_TEST_TMPDIR/cpu.h5" > /dev/null
    mkdir "$BATS_TEST_TMPDIR/tmp"
    local signals=(TERM)
    (( 0x$(awk '/^SigIgn/ { print $2 }' /proc/self/status) & 1 )) || signals+=(HUP) # nohup has it ignored
    for signal in "${signals[@]}"; do
        TMPDIR="$BATS_TEST_TMPDIR/tmp" "$BIN/spmv-predict" -q --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm --tune 3 --tune-budget 1e9 \
            stencil:points=5,n=30 > /dev/null 2> "$BATS_TEST_TMPDIR/err" &
        for _ in {1..500}; do [ -z "$(find "$BATS_TEST_TMPDIR/tmp" -name 'run.h5.log*')" ] || break; sleep 0.02; done
        [ -n "$(find "$BATS_TEST_TMPDIR/tmp" -name 'run.h5.log*')" ]
        kill -$signal $!
        status=0
        wait $! || status=$?
        [ "$status" -eq 75 ] || { echo "status $status"; cat "$BATS_TEST_TMPDIR/err"; false; }
        [ "$(tail -1 "$BATS_TEST_TMPDIR/err")" = "spmv-predict: --tune: stopped" ]
        [ -z "$(find "$BATS_TEST_TMPDIR/tmp" -mindepth 1)" ] || { find "$BATS_TEST_TMPDIR/tmp"; cat "$BATS_TEST_TMPDIR/err"; false; }
    done
}

# bats test_tags=id:predict-tune-stopped-early
@test "predict: a signal before spmv-run can handle it stops --tune as well" {
    local status=0
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5" stencil:points=5,n=10 stencil:points=5,n=40 rmat:scale=9,p=8
    spmv-fit -q -m $QUICK_MODELS --name cpu -o "$BATS_TEST_TMPDIR/cpu-profile.h5" "$BATS_TEST_TMPDIR/cpu.h5" > /dev/null
    mkdir "$BATS_TEST_TMPDIR/bin"
    cp "$BIN/spmv-predict" "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\n: > "%s/begun"\nexec sleep 60\n' "$BATS_TEST_TMPDIR" > "$BATS_TEST_TMPDIR/bin/spmv-run"
    chmod +x "$BATS_TEST_TMPDIR/bin/spmv-run"
    "$BATS_TEST_TMPDIR/bin/spmv-predict" -q --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm --tune 3 stencil:points=5,n=30 \
        > /dev/null 2> "$BATS_TEST_TMPDIR/err" &
    for _ in {1..500}; do [ ! -e "$BATS_TEST_TMPDIR/begun" ] || break; sleep 0.02; done
    kill $!
    wait $! || status=$?
    [ "$status" -eq 75 ]
    [ "$(tail -1 "$BATS_TEST_TMPDIR/err")" = "spmv-predict: --tune: stopped" ]
}

# bats test_tags=id:predict-tune
@test "predict: --tune times the best few on the profile's device, prints the difference and stores it with --tune-output" {
    need_python
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5" stencil:points=5,n=10 stencil:points=5,n=40 rmat:scale=9,p=8
    spmv-fit -q -m $QUICK_MODELS --name cpu -o "$BATS_TEST_TMPDIR/cpu-profile.h5" "$BATS_TEST_TMPDIR/cpu.h5" > /dev/null
    tuned() { "$BIN/spmv-predict" -q --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm --tune 3 --tune-budget 20 "$@" stencil:points=5,n=30; }
    export SPMVCAST_ACCEPT_NOISE=1
    tuned --json --tune-output "$BATS_TEST_TMPDIR/tuned.h5" > "$BATS_TEST_TMPDIR/t.json" 2> "$BATS_TEST_TMPDIR/err"
    "$PYTHON" - "$BATS_TEST_TMPDIR" <<'PY'
import h5py, json, sys
d = json.load(open(f"{sys.argv[1]}/t.json"))
rows = {r["config"]: r for r in d["rows"] if r["measured_us"] is not None}
(tuned,), (advice,) = d["tuned"], d["recommendations"]
assert list(d).index("tuned") < list(d).index("recommendations")
assert tuned["timed"] in (3, 4) and tuned["not_timed"] == 0 and advice["config"] in rows
archived = h5py.File(f"{sys.argv[1]}/tuned.h5")["rows"]
times = {c.decode().rstrip("\0"): t for c, t in zip(archived["config"][()], archived["time_us"][()])}
built = dict(zip(times, archived["convert_us"][()]))
total = lambda c: times[c] * advice["iterations"] + (0 if c.startswith("csr") else built[c])
assert len(times) == tuned["timed"] and tuned["config"] == min(times, key=total) and tuned["measured_us"] == times[tuned["config"]]
assert all(times[c] == r["measured_us"] for c, r in rows.items()) and tuned["text"] in " ".join(d["notes"])
assert abs(tuned["gain"] - total(advice["config"]) / total(tuned["config"])) < 1e-9
assert ("the forecast chose it, too" in tuned["text"]) == (tuned["config"] == advice["config"])
assert "--tune" not in advice["text"]
PY
    # of those timed, the one with the least total: measured conversion and N products; with N = 0 the one with the shortest product
    local slow='r["convert_us"][:] = 1; r["time_us"][:] = 4
k = [c.startswith(b"dia") for c in r["config"]].index(True)
r["time_us"][k] = 3; r["convert_us"][k] = '
    change_rows "$BATS_TEST_TMPDIR/tuned.h5" "$BATS_TEST_TMPDIR/1.h5" "${slow}1" "$BATS_TEST_TMPDIR/1e6.h5" "${slow}1e6"
    for us in 1 1e6; do
        for n in 0 200 1000000000; do
            predict --json --iterations $n --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm --measured "$BATS_TEST_TMPDIR/$us.h5" stencil:points=5,n=30
        done
    done 2> /dev/null | "$PYTHON" -c 'import json, sys
tuned = [json.loads(line)["tuned"][0] for line in sys.stdin]
assert [t["config"][:4] == "dia:" for t in tuned] == [1, 1, 1, 1, 0, 1] and tuned[5]["setup_us"] == 1e6, tuned'
    # each timed configuration has a row, also several of one kernel
    tuned --json --tune 12 2> /dev/null > "$BATS_TEST_TMPDIR/many.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR/many.json" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
rows = [r["config"] for r in d["rows"] if r["measured_us"] is not None]
assert len(rows) == d["tuned"][0]["timed"] >= 12 and len({c.split(":")[0] for c in rows}) < len(rows), rows
PY
    run -0 --separate-stderr tuned
    [[ "${lines[0]}" =~ ^"# f64, warm: measured "[34]" configurations: use " ]]
    [[ "${lines[1]}" == "# without --tune: f64, warm: use "* && "${lines[1]}" != *cusparse* ]]     # the CPU has no library
    TMPDIR=$BATS_TEST_TMPDIR/none run -1 --separate-stderr tuned
    [[ "$stderr" == *"--tune: cannot create the temporary directory $BATS_TEST_TMPDIR/none/spmv-tune-"*" (use --tune-output RUN.h5 to do without): No such file"* ]]
    # several matrices are timed one after the other; a second call says that it times nothing
    for call in 1 2; do
        run -0 --separate-stderr "$BIN/spmv-predict" --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm --tune 3 --tune-budget 20 \
            --tune-output "$BATS_TEST_TMPDIR/two.h5" stencil:points=5,n=31 stencil:points=5,n=30
        [ "$(grep -cE '^# stencil:points=5,n=3[01],seed=1, f64, warm: measured [34] configurations: use ' <<<"$output")" = 2 ]
        [ "$(grep -c "two.h5: [34] times of an earlier call" <<<"$stderr")" -eq $((2 * (call - 1))) ]
    done
    # rows without a time are counted, the first with its outcome; the removed archive is not named
    mkdir -p "$home/bin"
    printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done; cp "%s/noisy.h5" "$2"\n' "$BATS_TEST_TMPDIR" > "$home/bin/spmv-run"
    chmod +x "$home/bin/spmv-run"
    local but='for i, c in enumerate(r["config"]):
    if not c.startswith(b"%s"): r["outcome"][i] = b"noisy"; r["time_us"][i] = float("nan")'
    change_rows "$BATS_TEST_TMPDIR/tuned.h5" "$BATS_TEST_TMPDIR/bro.h5" "${but/\%s/bro}" "$BATS_TEST_TMPDIR/dia.h5" "${but/\%s/dia}" "$BATS_TEST_TMPDIR/none.h5" "${but/\%s/none}"
    for timed in bro dia none; do
        mv "$BATS_TEST_TMPDIR/$timed.h5" "$BATS_TEST_TMPDIR/noisy.h5"
        BIN=$home/bin run -0 --separate-stderr tuned
        [[ "${lines[0]}" =~ "; "[1-4]" without a time ("[a-z0-9:=,-]+": noisy)"$ && "$stderr" != *"has no measured time of"* ]]
        # the row of what was measured is marked, whatever the forecast chose
        used=${lines[0]##*: use } marked=$(printf '%s\n' "${lines[@]}" | column config,recommended | awk '$2 == "yes" { print $1 }')
        case $timed in none) [[ "$used" == "#"* && -n "$marked" ]] ;; *) [ "$marked" = "${used%%;*}" ] ;; esac
    done
    [[ "${lines[0]}" == "# f64, warm: no configuration with a forecast has a measured time; "* ]]
    # no row has a time: the archive is named
    printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done; cp "%s/tuned.h5" "$2"\n' "$BATS_TEST_TMPDIR" > "$home/bin/spmv-run"
    chmod +x "$home/bin/spmv-run"
    BIN=$home/bin run -0 --separate-stderr tuned --cache cold --tune-output "$BATS_TEST_TMPDIR/cold.h5"
    [[ "$stderr" == *"warning: $BATS_TEST_TMPDIR/cold.h5 has no measured time of stencil:points=5,n=30,seed=1 in f64, cold for any"* ]]
    # of named configurations the fastest is not recommended if another is forecast to be faster
    for budget in 20 21; do tuned --json -c coo -c brc --tune-budget $budget 2> /dev/null; done > "$BATS_TEST_TMPDIR/named.json"
    "$PYTHON" - "$BATS_TEST_TMPDIR/named.json" <<'PY'
import json, sys
for d in map(json.loads, open(sys.argv[1])):
    (tuned,), (advice,) = d["tuned"], d["recommendations"]
    row = next(r for r in d["rows"] if r["config"] == tuned["config"])
    other = row["total_us"] * row["gain_stay"]
    ahead = advice["config"] is None and other < tuned["measured_us"] * advice["iterations"] + tuned["setup_us"]
    assert ("but csr-scalar is forecast to be faster: " in tuned["text"]) == ahead, (tuned, other)
    assert ("use " + tuned["config"] in tuned["text"]) == (row["recommended"] == "yes") == (not ahead)
PY
    # unless the archive has its time, which decides then; totals of N products are compared and printed
    tuned --tune 30 --tune-output "$BATS_TEST_TMPDIR/all.h5" > /dev/null 2>&1
    local other='r["convert_us"][:] = 1000; r["time_us"][:] = 4
k = [c == b"csr-scalar" for c in r["config"]].index(True); r["time_us"][k] = '
    change_rows "$BATS_TEST_TMPDIR/all.h5" "$BATS_TEST_TMPDIR/1e-3.h5" "${other}1e-3" "$BATS_TEST_TMPDIR/1e6.h5" "${other}1e6"
    for us in 1e-3 1e6; do
        for n in 0 200; do
            predict -q --iterations $n --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm -c coo -c brc --measured "$BATS_TEST_TMPDIR/$us.h5" stencil:points=5,n=30 \
                | grep ' measured [12] configurations\?: ' || return
        done
    done > "$BATS_TEST_TMPDIR/text"
    cat "$BATS_TEST_TMPDIR/text"
    [[ "$(sed -n 1p "$BATS_TEST_TMPDIR/text")" == *": use brc:"*"; 4.00 us (forecast "*" us), the forecast chose it, too" ]]
    [[ "$(sed -n 2p "$BATS_TEST_TMPDIR/text")" == *": the fastest is "*"; 1.80 ms for 200 products, 4.00 us each (forecast "*" for 200 products, "*" us each), but csr-scalar was measured to be faster: 0.200 us for 200 products, 0.00100 us each" ]]
    for line in 3 4; do [[ "$(sed -n ${line}p "$BATS_TEST_TMPDIR/text")" == *": use "* ]]; done
}

# bats test_tags=id:predict-advice-line
@test "predict: the advice line reports untimed, extrapolated, slower, uncertain and missing forecasts" {
    run -0 h200 --iterations 0 -c cusparse-sell:c=32,pre=0 -c cusparse-csr:alg=2,pre=1 stencil:points=5,n=300
    [[ "${lines[0]}" == "# f64, warm: none of the 2 configurations is forecast to be faster than csr-"*"; the best is cusparse-sell:"* ]]
    run -0 h200 -c csr-scalar -c csr-vector:lanes=32 lp:rows=200,cols=12800,p=4,long=3,q=256
    [[ "${lines[0]}" == *"none of the 2 configurations is forecast to be faster than csr-"*"; the best is csr-"* ]]
    run -0 predict -q -m guo2014 --cache warm -c csr-block:block=128 "$BATS_FILE_TMPDIR/arrow.mtx"
    [[ "${lines[0]}" == "# f64, warm: no recommendation: no configuration has a forecast" ]] # the reason is printed
    # the profile has no such model: the baseline of another is not recommended in its place
    run -0 predict -q --profile "$ROOT/results/h100/profile.h5" -m linear "$BATS_FILE_TMPDIR/arrow.mtx"
    [[ "${lines[0]}" == "# f64, warm: no recommendation: no configuration has a forecast; "*": profile h100 has no fit of linear for f64, warm; "* ]]
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 0\n' > "$BATS_TEST_TMPDIR/empty.mtx"
    run -1 h200 "$BATS_TEST_TMPDIR/empty.mtx"
    [ "$output" = "spmv-predict: $BATS_TEST_TMPDIR/empty.mtx has no entries: nothing to forecast" ]
    run -0 h200 -c csr-vector:lanes=4 dense:rows=30
    [[ "${lines[0]}" == "# f64, warm: csr-vector:lanes=4,"*": forecast "*" us ("*" to "*")"*"; no conversion, preparation takes "*"; extrapolated: feature "* ]]
    run -0 h200 -c csr-split:lanes=8,cut=128,deal=warp -c csr-vector:lanes=8 stencil:points=27,n=30
    [[ "${lines[0]}" == *"; no conversion, preparation takes "* ]]
}

# Prints, for each explained forecast on stdin, time - sum of the added terms in units of the last digit of the printed time.
off_by() {
    "$PYTHON" -c '
import re, sys
for line in sys.stdin:
    m = re.match(r"# \S+, f(?:32|64), \w+: (\S+) us = (.*)", line)
    if m:
        time, terms = m.groups()
        added = [float(t) for part in terms.split("; ") if "not added" not in part for t in re.findall(r"(\S+) us(?= \+ |$)", part)]
        print(abs(float(time) - sum(added)) * 10 ** len(time.partition(".")[2]))'
}

# bats test_tags=long
@test "predict --explain: the terms add up to the time in its last digit; terms that are not added are set apart; a note replaces missing terms" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    for m in linear guo2014-regimes ashari2014-slots physics-gp nearest choi2010-waves; do
        n=40; [ $m != linear ] || n=100
        h200 -m $m --explain --all stencil:points=7,n=$n > "$m.out"
        grep " us = " "$m.out" | grep -v "joined" > "$m.terms" || [[ $m == guo2014-regimes || $m == choi2010-waves ]]
        off_by < "$m.terms" > "$m.off"
        [ "$(wc -l < "$m.off")" -eq "$(wc -l < "$m.terms")" ]
        awk -v m=$m '$1 > 1.001 { print m, $1; bad = 1 } END { exit bad }' "$m.off"
    done
    grep -q "^# csr-vector:lanes=32.* us = constant -[0-9]*\.[0-9]* us" linear.terms
    run -0 h200 -m guo2014 --explain -c csr-vector:lanes=32 stencil:points=7,n=40
    [[ "$output" == *" us = E(P) (multiplied, not added) "*" us; T2 (divides, not added) "*" us; E'(I) (multiplied, not added) "*" us"* ]]
    grep -q "slowest warp (overlaps, not added) [0-9.]* us; traffic [0-9.]* us$" ashari2014-slots.terms
    run -0 h200 -m linear-log --explain -c ell stencil:points=7,n=40
    [[ "$output" != *"no terms"* ]]
    grep -qx "# ell:lanes=1,block=256, f64, warm: [0-9.]* us" <<<"$output"
    [[ "$output" == *"# ell:lanes=1,block=256: log T = "* ]]
}

# bats test_tags=id:predict-other-cache-state
@test "predict: configurations forecast only in another cache state are counted by kernel; the places of the others do not change" {
    MATRIX="$BATS_FILE_TMPDIR/two.mtx"
    for cache in warm cold; do predict -m nearest --cache $cache --all "$MATRIX" | column config | sort > "$BATS_TEST_TMPDIR/$cache"; done
    diff "$BATS_TEST_TMPDIR/warm" "$BATS_TEST_TMPDIR/cold"
    run -0 predict -m nearest --cache warm,cold "$MATRIX"
    [[ "$output" != *"another cache state"* ]]
    profile="$ROOT/results/h200/profile.h5"
    for cache in warm cold; do "$BIN/spmv-predict" --profile "$profile" --cache $cache --all "$MATRIX" | column config | sort > "$BATS_TEST_TMPDIR/$cache"; done
    want=$(comm -23 "$BATS_TEST_TMPDIR/warm" "$BATS_TEST_TMPDIR/cold" | wc -l)
    [ "$want" -gt 0 ]
    run -0 "$BIN/spmv-predict" --profile "$profile" --cache warm,cold "$MATRIX"
    [[ "$output" == *"# f64, cold: left out: $want configurations that profile h200 has only for another cache state: "* ]]
    said=$(sed -n 's/^# f64, cold: left out: .* state: //p' <<<"$output" | tr ',' '\n' | awk '{ n += $1 } END { print n }')
    [ "$said" -eq "$want" ]
}

# bats test_tags=id:predict-measured-absent
@test "predict: --measured without one of the matrices is an error of that one; rows of another device or selection give a warning" {
    run -1 --separate-stderr predict -m nearest --cache warm --measured "$BATS_FILE_TMPDIR/runs.h5" "$BATS_TEST_TMPDIR/tiny.mtx" "$BATS_FILE_TMPDIR/two.mtx"
    [[ "$output" == *$'\ttwo\tyes'* && "$output" != *$'\ttiny\t'* && "$stderr" == *"no measurement of tiny"* ]]
    "$BUILD/synthetic" cpu "$BATS_TEST_TMPDIR/cpu.h5" "$BATS_FILE_TMPDIR/two.mtx"
    run -0 --separate-stderr predict -m nearest --cache warm --measured "$BATS_TEST_TMPDIR/cpu.h5" "$BATS_FILE_TMPDIR/two.mtx"
    [[ "$stderr" == *"warning: "*"cpu.h5: two was measured on 'Synthetic CPU"*"profile syn is for 'Synthetic GPU"* ]]
    # of rows of both devices, those of the profile's are used and the others reported
    spmv-merge -o "$BATS_TEST_TMPDIR/both.h5" "$BATS_TEST_TMPDIR/cpu.h5" "$BATS_FILE_TMPDIR/runs.h5" > /dev/null
    for f in "$BATS_FILE_TMPDIR/runs.h5" "$BATS_TEST_TMPDIR/both.h5"; do
        predict -m nearest --cache warm --all --measured "$f" "$BATS_FILE_TMPDIR/two.mtx" 2> "$BATS_TEST_TMPDIR/err" | grep -v '^#' > "$BATS_TEST_TMPDIR/$(basename "$f").tsv"
    done
    diff "$BATS_TEST_TMPDIR/runs.h5.tsv" "$BATS_TEST_TMPDIR/both.h5.tsv"
    [[ "$(cat "$BATS_TEST_TMPDIR/err")" == *"warning: "*"both.h5: "*" rows of two ignored: measured on 'Synthetic CPU"* ]]
    # the requested cache state was not measured
    recipe=stencil:points=5,n=10
    spmv-run -q --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -o "$BATS_TEST_TMPDIR/warm.h5" $recipe > /dev/null
    spmv-fit -q -m $QUICK_MODELS --name cpu -o "$BATS_TEST_TMPDIR/cpu-profile.h5" "$BATS_TEST_TMPDIR/cpu.h5" > /dev/null
    run -0 --separate-stderr predict --profile "$BATS_TEST_TMPDIR/cpu-profile.h5" -m bandwidth --cache warm,cold -c csr-scalar --measured "$BATS_TEST_TMPDIR/warm.h5" $recipe
    [[ "$stderr" == *"has no measured time of stencil"*" in f64, cold for any of these configurations"* && "$stderr" != *"in f64, warm"* ]]
}

@test "predict: --list counts the profiles that it can read, a single one in the singular" {
    mkdir -p "$XDG_DATA_HOME/spmvcast/profiles"
    echo text > "$XDG_DATA_HOME/spmvcast/profiles/text.h5"
    run -0 predict --list
    [[ "$output" == *"# "*"/text.h5 is not an HDF5 file"*"# 1 profile; searched "* ]]
}

@test "predict: a composite with all nonzeros in one part is ranked but never recommended, nor counted as an alternative" {
    need_python
    small=like:rows=1100,nnz=4000,sd=1.8,max=18
    { for m in fem:n=8,d=1 $small stencil:points=7,n=20; do h200 --all --json $m; done; h200 --json -c csr-scalar -c hyb:tail=csr-split $small; } > "$BATS_TEST_TMPDIR/t"
    "$PYTHON" - "$BATS_TEST_TMPDIR/t" <<'PY'
import json, sys
best = counted = 0
for d in map(json.loads, open(sys.argv[1])):
    (advice,) = d["recommendations"]
    rows = [r for r in d["rows"] if r["time_us"] is not None]
    # hyb:k=0 has an empty head, so its tail alone, as a configuration of its own, has the same forecast
    empty = [r for r in rows if r["config"].startswith("hyb:k=0,")]
    best += min(rows, key=lambda r: (r["time_us"], r["convert_us"] + r["prepare_us"])) in empty
    best_of = advice["config"] or advice["text"].split("; the best is ")[1].split(": ")[0]
    assert not best_of.startswith("hyb:k=0,"), advice["text"]
    pick = next(r for r in rows if r["config"] == best_of)
    counted += sum(r["low_us"] <= pick["time_us"] <= r["high_us"] and pick["low_us"] <= r["time_us"] <= pick["high_us"] for r in empty)
    assert (advice["alike"] or 0) <= len(rows) - len(empty)
assert best > 0 and counted > 0
PY
}
