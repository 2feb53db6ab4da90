#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The pages agree with the programs, the archives and make: generated tables are current, names exist.
bats_require_minimum_version 1.5.0
load helpers

@test "docs/archive.md lists every kind with its tables and attributes, and every column with type, unit and meaning" {
    need_python
    ! grep -q "built without XGBoost" "$BUILD/syn/all.tsv" || skip "built without XGBoost"
    cd "$BATS_TEST_TMPDIR"
    {
        "$BUILD/synthetic" gpu run.h5 stencil:points=5,n=30
        spmv-fit -q -m $QUICK_MODELS --name syn -o profile.h5 run.h5
        spmv-gen guo2014 quick=1 --geometry C2050 -o recipes.h5
        spmv-gen stencil points=5 n=10 --materialize -o matrix.h5
        spmv-plan -q --profile profile.h5 -o plan.h5 matrix.h5
        # several run archives, since no single one has all tables
        spmv-run -q --backend cpu -c csr-scalar --time-cap 0 --rounds-cap 3 --cache warm -o device.h5 matrix.h5
        spmv-fit -q -m nearest --name here -o here.h5 device.h5
        ln -s "$BUILD/syn/all.h5" profile-learned.h5
        "$BUILD/plan_made" made.h5 here.h5 matrix.h5 serial 50:ell end:csr-scalar
        spmv-execute -q --backend cpu -c csr-scalar --time-cap 0 --rounds-cap 3 -o run-plan.h5 made.h5 matrix.h5
        "$BUILD/synthetic" branches run-branches.h5
        "$BUILD/forecasts" forecasts.h5 < "$ROOT/tests/forecasts.txt"
        { cat "$ROOT/tests/forecasts.txt"; echo "cost 0 1 2 3 4 1 2 3 4"; } | "$BUILD/forecasts" forecasts-costs.h5
    } > out
    "$PYTHON" - "$ROOT/docs/archive.md" <<'PY'
import glob, h5py, re, sys
page = open(sys.argv[1]).read()
cells = lambda line: [c.strip().replace("&#124;", "|") for c in line.strip().strip("|").split("|")]
text = lambda v: v.decode() if isinstance(v, bytes) else str(v)
def type_of(d):
    scalar = "text" if d.dtype.kind in "SO" else {"i8": "int64", "f8": "float64", "f4": "float32"}[d.dtype.kind + str(d.dtype.itemsize)]
    return scalar + (f"[{d.shape[1]}]" if d.ndim == 2 else "")
kinds = {k: (set(t.split(", ")), set(re.findall("`(.*?)`", own)) | {"spmvcast_kind", "schema"}) for k, _, t, own in
         (cells(l) for l in re.search(r"## Kinds\n(.*?)\n\n", page, re.S)[1].splitlines()[2:])}
tables = {m[1]: [cells(l) for l in m[2].splitlines()[2:]] for m in re.finditer(r"### `(\w+)`\n[^|]*\n((?:\|.*\n)+)", page)}
seen = set()
for kind, (expected, attributes) in kinds.items():
    files = [h5py.File(path) for path in [kind + ".h5"] + glob.glob(kind + "-*.h5")]
    for f in files:
        assert set(f.attrs) == attributes, (kind, set(f.attrs) ^ attributes)
    groups = {name: f[name] for f in files for name in f if isinstance(f[name], h5py.Group)}
    assert set(groups) == expected, (kind, set(groups) ^ expected)
    for name, g in groups.items():
        columns = [[f"`{c}`", type_of(g[c]), text(g[c].attrs["unit"]), text(g[c].attrs["about"])] for c in text(g.attrs["columns"]).split(",")]
        wrong = [("is", c) for c in columns if c not in tables[name]] + [("page says", c) for c in tables[name] if c not in columns]
        assert columns == tables[name], (kind, name, wrong or "order")
        seen.add(name)
assert seen == set(tables), seen ^ set(tables)
assert set(kinds) == {"matrix", "recipes", "run", "profile", "plan", "forecasts"}
PY
}

# bats test_tags=quick
@test "README.md and docs: every make target, program and option they name exists" {
    local program words option
    local -A help
    cd "$ROOT"
    make -s help > "$BATS_TEST_TMPDIR/help"
    for target in $(grep -ohE '(^|`)make [a-z][a-z-]+' README.md docs/*.md | sed 's/.*make //' | sort -u); do
        grep -q "make $target" "$BATS_TEST_TMPDIR/help" || { echo "make $target"; false; }
        grep -qE "^$target:|\.PHONY:.* $target( |\$)" Makefile make/*.mk || { echo "make $target is no rule"; false; }
    done
    grep -ohE '`spmv-[a-z]+( [^`]*)?`|^(\$ )?(bin/)?spmv-.*' README.md docs/*.md | sed 's/^\$ //; s/^bin\///; s/  *#.*//' | tr -d '`' | while read -r program words; do
        [ -x "$BIN/$program" ] || { echo "$program"; false; }
        [ -n "${help[$program]-}" ] || help[$program]=$("$program" --help)
        while [[ $words =~ --[a-z][a-z-]+(.*) ]]; do
            option=${BASH_REMATCH[0]%"${BASH_REMATCH[1]}"} words=${BASH_REMATCH[1]}
            [[ ${help[$program]} == *"$option"* ]] || { echo "$program $option"; false; }
        done
    done
}

# anchors PAGE: prints the anchors that GitHub derives from the headings.
anchors() {
    awk '/^```/ { code = !code } /^#+ / && !code { sub(/^#+ /, ""); print tolower($0) }' "$1" |
        sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g; s/[^a-z0-9_ -]//g; s/ /-/g'
}
# places PAGE: prints what a link to the page may name, its headings but the title, and the bold words that open a paragraph or list item, each
# with the anchor of its heading.
places() {
    local n words
    local -a anchor
    mapfile -t anchor < <(anchors "$1")
    # n: which of the headings it is below, 0 at the top of the page
    awk '/^```/ { code = !code } code { next } /^#+ / { headings++; n = /^##/ ? headings : 0 } /^##+ / { sub(/^#+ /, ""); print n "\t" $0 }
        match($0, /^ *([-*] )?[*][*][^*]+[*][*]/) { s = substr($0, 1, RLENGTH); gsub(/^ *([-*] )?[*][*]|[.:]?[*][*]$/, "", s); print n + 0 "\t" s }' "$1" |
        while IFS=$'\t' read -r n words; do
            words=${words,,}
            [ "$n" -gt 0 ] && printf '%s\t%s\n' "$words" "${anchor[n - 1]}" || printf '%s\tnone\n' "$words"
        done
}
# bats test_tags=quick
@test "README.md and docs: every link leads to an existing page and heading; one that names a heading or what opens a paragraph, there" {
    local page path anchor words rest n=0 named=0
    local -A known place
    cd "$ROOT"
    for page in README.md docs/*.md; do
        while IFS='|' read -r path anchor words; do
            [[ -z $path || $page != */* ]] || path=${page%/*}/$path
            path=${path:-$page}
            [ -e "$path" ] || { echo "$page: $path"; false; }
            [ -z "$anchor" ] || [ -n "${known[$path]-}" ] || known[$path]=$'\n'$(anchors "$path")$'\n'
            [ -z "$anchor" ] || [[ ${known[$path]} == *$'\n'"$anchor"$'\n'* ]] || { echo "$page: $path#$anchor"; false; }
            [[ $path != *.md ]] || [ -n "${place[$path]-}" ] || place[$path]=$'\n'$(places "$path")$'\n'
            rest=${place[$path]-} rest=${rest#*$'\n'"${words,,}"$'\t'}
            if [ "$rest" != "${place[$path]-}" ]; then
                [ "${rest%%$'\n'*}" = "$anchor" ] || { echo "$page: [$words]($path#$anchor) is in #${rest%%$'\n'*}"; false; }
                named=$((named + 1))
            fi
            n=$((n + 1))
        done < <(grep -oE '(\[[^][]*)?\]\([^) ]+\)' "$page" | sed -E 's/^(\[([^]]*))?\]\(([^#]*)#?(.*)\)$/\3|\4|\2/' | grep -v '^http' || true)
    done
    [ "$n" -gt 50 ]
    [ "$named" -gt 20 ]
}

# bats test_tags=quick
@test "docs/make.md lists every make variable with its targets and meaning; the output of make help fits a screen" {
    cd "$ROOT"
    sed -nE 's/^on\.([A-Z_]+) *:= (.*) : (.*)/\1|\2|\3/p' make/variables.mk | while IFS='|' read -r v targets means; do
        echo "$v|$(tr -s ' ' '\n' <<< "$targets" | sort | paste -sd ' ')|$means"
    done | sort > "$BATS_TEST_TMPDIR/make"
    # targets are marked by x in their column, or listed by name
    awk -F' *[|] *' '/^\| variable \|/ { n = split($0, name, / *[|] */) } /^\| `[A-Z_]+` \|/ {
        gsub(/`/, ""); t = ""
        if (n > 6) { for (i = 3; i < n - 1; i++) if ($i == "x") t = t " " name[i] } else t = $3
        print $2 "|" t "|" $(NF - 1) }' docs/make.md | while IFS='|' read -r v targets means; do
        targets=${targets# }
        echo "$v|$(tr -s ' ' '\n' <<< "$targets" | sort | paste -sd ' ')|${means//&#124;/|}"
    done | sort > "$BATS_TEST_TMPDIR/page"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/make")" -gt 20 ]
    diff "$BATS_TEST_TMPDIR/make" "$BATS_TEST_TMPDIR/page"
    # make help fits a screen and names only known variables; all targets in the table exist
    make -s help > "$BATS_TEST_TMPDIR/help"
    awk 'length($0) > 80 { exit 1 } END { if (NR < 20 || NR > 40) exit 1 }' "$BATS_TEST_TMPDIR/help"
    for v in $(sed -n '/^Variables: /,$p' "$BATS_TEST_TMPDIR/help" | grep -oE '\b[A-Z]+\b'); do
        grep -q "^$v|" "$BATS_TEST_TMPDIR/make" || [[ "$v" =~ ^(PROFILE|V)$ ]] || { echo "make help: $v"; false; }
    done
    cut -d '|' -f 2 "$BATS_TEST_TMPDIR/make" | tr -s ' ' '\n' | sort -u | while read -r t; do
        grep -qE "^([a-z-]+ )*$t( [a-z-]+)*:" Makefile make/*.mk || { echo "no target $t"; false; }
    done
}

# Installed pages mention make only where they say that it requires the source tree.
# bats test_tags=quick
@test "README.md, docs, help and job scripts say where the source tree is required" {
    cd "$ROOT"
    awk 'function close_section() { if (named && !told && !page) { print file ": " title ": " named; bad = 1 } named = ""; told = 0 }
        FNR == 1 { close_section(); file = FILENAME; title = "top"; page = code = 0 }
        /^```/ { code = !code }
        /^# / && !code && /source tree/ { page = 1 }
        /^#+ / && !code { close_section(); title = $0 }
        match($0, /(^|[`( ."])make (demo|check|profile|predict|plan|execute|measure|verify|bench|install|help|format|clean)/) { if (!named) named = $0 }
        /[Ii]n (the|a copy of the) source$|source tree|^tree/ { told = 1 }
        END { close_section(); exit bad }' README.md docs/*.md
    for p in $(sed -nE 's/^(SHELL_)?PROGRAMS *:= *//p' Makefile); do
        if "spmv-$p" --help | grep -E '\bmake (profile|predict|plan|execute|measure|verify|check|bench)'; then echo "spmv-$p"; false; fi
    done
    run ! grep -nE '"[^"]*\bmake (profile|predict|plan|execute|measure|verify|check|bench)' -r src --include=*.c --include=*.cu
    run ! grep -nE '\bmake (profile|predict|plan|execute|measure|verify)' jobs/*.sh
}

# bats test_tags=quick
@test "docs/getting-started.md: the commands shown for make demo are in scripts/demo.sh" {
    cd "$ROOT"
    # each command up to its first operand or option
    sed -nE 's/^\$ (mpirun -n 2|spmv-[a-z]+ --?[a-z]+ [a-z0-9]+).*/\1/p' docs/getting-started.md > "$BATS_TEST_TMPDIR/texts"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/texts")" -ge 3 ]
    while read -r text; do grep -qF -- "$text" scripts/demo.sh || { echo "$text"; false; }; done < "$BATS_TEST_TMPDIR/texts"
}

@test "docs/archive.md, docs/columns.md, docs/papers.md, columns in Python: the generated tables are up to date; every printed table is there" {
    cd "$ROOT"
    run -0 scripts/docs.sh --check docs/archive.md docs/columns.md docs/papers.md bindings/python/spmvcast/_columns.py
    local found
    found=$(grep -lE '(TEXT|INT|REAL)_COLUMN\("' src/{forecast,gen,run,fit,plan,verify,speed,query}/*.c)
    [ "$(wc -l <<< "$found")" -gt 20 ]
    for f in $found; do grep -qF "printed $f " docs/columns.md || { echo "docs/columns.md lacks the table of $f"; false; }; done
}

# all but two, which take most of the time
# bats test_tags=long
@test "README.md and docs: generated tables are up to date" {
    cd "$ROOT"
    mapfile -t pages < <(printf '%s\n' README.md docs/*.md bindings/python/spmvcast/_columns.py | grep -vxE 'docs/(models|forecasts)\.md')
    run -0 scripts/docs.sh --check "${pages[@]}"
}
# bats test_tags=full
@test "docs: generated tables of models and forecasts are up to date" { run -0 "$ROOT/scripts/docs.sh" --check docs/models.md docs/forecasts.md; }

# bats test_tags=quick
@test "README.md has at most 130 lines, and measured numbers only in generated text" {
    cd "$ROOT"
    [ "$(wc -l < README.md)" -le 130 ]
    # no measured quantity outside generated text, code and names
    awk '/^<!-- generated/ { skip = 1 } /^```/ { code = !code } !skip && !code { gsub(/`[^`]*`/, ""); print } /^<!-- end/ { skip = 0 }' README.md > "$BATS_TEST_TMPDIR/text"
    grep -q "## Limits" "$BATS_TEST_TMPDIR/text"
    run -1 grep -nE '[0-9] ?(us|x )|[0-9]\.[0-9]' "$BATS_TEST_TMPDIR/text"
}

@test "scripts/docs.sh: a stale table, a missing end marker and an unknown generator are errors; other text is kept" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' before '<!-- generated by scripts/docs.sh: columns inputs -->' stale '<!-- end of generated text -->' after > page.md
    run -1 "$ROOT/scripts/docs.sh" --check "$PWD/page.md"
    [[ "$output" == *"page.md differs from the output of scripts/docs.sh"* && "$output" == *"< stale"* ]]
    run -0 "$ROOT/scripts/docs.sh" "$PWD/page.md"
    [ "$(head -n 1 page.md) $(tail -n 1 page.md)" = "before after" ]
    run -1 grep stale page.md
    run -0 "$ROOT/scripts/docs.sh" --check "$PWD/page.md"
    printf '%s\n' '<!-- generated by scripts/docs.sh: columns inputs -->' > open.md
    run -1 "$ROOT/scripts/docs.sh" "$PWD/open.md"
    [[ "$output" == *"open.md: '<!-- end of generated text -->' is missing after the last marker"* ]]
    printf '%s\n' '<!-- generated by scripts/docs.sh: nothing_like_it -->' > unknown.md
    run -1 "$ROOT/scripts/docs.sh" "$PWD/unknown.md"
    [[ "$output" == *"unknown.md: unknown generator nothing_like_it; expected a function of scripts/docs.sh" ]]
}

@test "the code of docs/python.md runs, its pandas part only if pandas is installed" {
    need_python
    local pandas=1 rankings=1
    "$PYTHON" -c 'import pandas' 2> /dev/null || pandas=0
    # python3 cannot load a library built with a sanitizer
    [ -e "$ROOT/lib/libspmvcast.so.1" ] && ! grep -qE '__(asan|tsan)_init' "$ROOT/lib/libspmvcast.so.1" || rankings=0
    awk -v pandas=$pandas -v rankings=$rankings '/^## / { skip = (/pandas/ && !pandas) || (/Rankings|Products/ && !rankings) } /^```python/ { code = 1; next } /^```/ { code = 0 } code && !skip' \
        "$ROOT/docs/python.md" > "$BATS_TEST_TMPDIR/page.py"
    [ "$(grep -c . "$BATS_TEST_TMPDIR/page.py")" -gt 25 ]
    cd "$ROOT"
    run -0 env PYTHONPATH="$ROOT/bindings/python" PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$BATS_TEST_TMPDIR/page.py"
    [[ "$output" == *" rows, "*" matrices"* && "$output" == *"time_us: us - "* && "$output" == *"stencil:points=5,n=300,seed=1"* ]]
    [ $pandas = 0 ] || [[ "$output" == *gflops* ]]
    [ $rankings = 0 ] || [[ "$output" == "f64, warm: use "* && "$output" == *"Matrix: 3600 x 3600, 17760 entries, f64, on "* && "$output" == *"residual "*e-0[89]* ]]
}

# bats test_tags=quick
@test "docs/reading-a-forecast.md describes every column of spmv-predict" {
    cd "$BATS_TEST_TMPDIR"
    spmv-predict -q --profile h200 --cache warm stencil:points=5,n=30 | grep -m 1 ^place | tr '\t' '\n' | sort > columns
    printf '%s\n' measured_us error_percent | sort - columns > all
    awk '/^## / { in_it = /^## Columns/ } in_it && /^\| `/ { split($0, cell, "|"); print cell[2] }' "$ROOT/docs/reading-a-forecast.md" | grep -o '[a-z0-9_]*' | sort > page
    diff all page
}

@test "docs/reading-a-forecast.md describes every member of spmv-predict --json, those of its lists, and which of them --summary has" {
    need_python
    cd "$BATS_TEST_TMPDIR"
    forecast() { spmv-predict -q --json --cache warm stencil:points=5,n=30 "$@"; }
    { forecast --profile h200,h100; forecast --profile h200 --summary; forecast --profile h200 -m all; } > all.json
    "$PYTHON" - "$ROOT/docs/reading-a-forecast.md" <<'P'
import json, re, sys
devices, summary, models = map(json.loads, open("all.json"))
page = open(sys.argv[1]).read().split("## JSON")[1]
page, recommendation = page.split("```json")[0], page.split("```")[1]
lists = [devices["matrices"], summary["sets"]]
missing = [name for name in [*devices, *summary, *(name for v in lists for name in v[0])] if f"`{name}`" not in page]
assert not missing, missing
assert list(devices["recommendations"][0]) == re.findall('^"(.*?)":', recommendation, re.M)
assert set(devices) - set(summary) == {"matrices", "recommendations", "devices"} and set(devices) - set(models) == {"recommendations", "devices"}
assert summary["rows"][0]["file"] and summary["rows"][0]["config"]
P
}

@test "docs/formats.md lists every kernel and the block sizes of bcsr and bellpack" {
    local kernel sizes
    cd "$BATS_TEST_TMPDIR"
    for kernel in $(spmv-run --list | awk -F'\t' 'NR > 1 && !/^#/ { print $1 }' | sort -u); do
        grep -q "^| .*\`$kernel\`" "$ROOT/docs/formats.md" || { echo "no $kernel"; false; }
    done
    for kernel in bcsr bellpack; do
        spmv-run -q --backend cpu -c "$kernel:r=8,c=1" --time-cap 0 --rounds-cap 3 --cache warm -o "$kernel.h5" stencil:points=5,n=5 > out
        sizes=$(sed -n 's/.*invalid block size 8x1; expected \([0-9x|]*\).*/\1/p' out | tr '|' ' ')
        [ -n "$sizes" ]
        tr '\n' ' ' < "$ROOT/docs/formats.md" | grep -q "\`$kernel\` $sizes" || { echo "$kernel: $sizes"; false; }
    done
}
