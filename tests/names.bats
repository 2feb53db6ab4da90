#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of files, members and profiles that are not UTF-8 or contain terminal control characters: JSON stays valid, tables and
# messages stay lines of text, archives hold UTF-8.
load helpers
bats_require_minimum_version 1.5.0

setup() {
    need_python
    cd "$BATS_TEST_TMPDIR"
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 3\n3 3 4\n3 1 1\n' > plain
    cat > fit_to_show.py <<'P'
# Checks printed output: UTF-8 without terminal control characters; lines of JSON in *.json.
import glob, json, os, sys, unicodedata
marks = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
for path in glob.glob(sys.argv[1] + "/*"):
    if path.endswith(".command"):
        continue
    try:
        text = open(path, "rb").read().decode("utf-8")
        bad = [c for c in text if c not in "\n\t" and (unicodedata.category(c) in ("Cc", "Zl", "Zp") or c in marks)]
        assert not bad, ascii(bad)
        for line in text.splitlines() if path.endswith(".json") else []:
            json.loads(line)
        assert not path.endswith(".err") or text.count("\n") <= 3, "a message of several lines"
    except Exception as e:
        sys.exit(f"{open(os.path.splitext(path)[0] + '.command').read()}: {e}: {ascii(text)}")
P
    cat > names.py <<'P'
# N names, each ended by NUL: awkward ones first, then random bytes, the same for the same seed.
import random, sys
chosen = [b"\xff\xfe", b"a\x1b[31mred\x1b]0;title\x07", b"tab\there", b"line\nend\r", b"c1\xc2\x9b31m", b"bidi\xe2\x80\xae gpj", b"\xed\xa0\x80surrogate",
          b"cut\xe2\x82", b"long\xc0\xaf\xf5\x80\x80\x80", b"quote\"back\\slash'", "ä漢字".encode(), b"ls\xe2\x80\xa8 del\x7f", b"x" * 123 + "ää".encode()]
r = random.Random(13)
while len(chosen) < int(sys.argv[1]):
    chosen.append(bytes(r.choice([r.randrange(1, 256), r.choice(b"\x1b\x9b\xc2\xe2\x80\xff\t\n")]) for _ in range(r.randrange(1, 40))).replace(b"/", b"_"))
for name in chosen[:int(sys.argv[1])]:
    sys.stdout.buffer.write((b"_" + name).replace(b"..", b"__") + b"\0")
P
}

# shown COMMAND...: saves the output, with any exit status; all_shown checks all saved output.
shown() {
    [ -d shown ] || mkdir shown
    n=$((n + 1))
    printf '%q ' "$@" > shown/$n.command
    local form=text
    [[ " $* " != *" --json "* ]] || form=json
    "$@" > shown/$n.$form 2> shown/$n.err < /dev/null || :
}
all_shown() { [ "$n" -gt 40 ] || { echo "only $n commands"; return 1; }; "$PYTHON" fit_to_show.py shown; }

# names FROM N: the names FROM to N of names.py work in spmv-info, in tar archives and in messages.
names() {
    while IFS= LC_ALL=C read -r -d '' name; do
        cp plain "$name.mtx"
        shown spmv-info "$name.mtx"
        shown spmv-info --json "$name.mtx"
        facts+=("shown/$n.json")
        shown spmv-info --table --json "$name.mtx"
        shown spmv-info "$name.none"
        [ "$(wc -l < shown/$n.err)" -eq 1 ]
        tar cf "t.tar" plain "$name.mtx" --transform='s,^,m/,' 2> /dev/null
        shown spmv-info t.tar
        shown spmv-info --json "t.tar:m/$name.mtx"
        shown spmv-info "--$name"
    done < <("$PYTHON" names.py "$2" | tail -zn "+$1")
    [ ${#facts[@]} -eq $(($2 - $1 + 1)) ]
    "$PYTHON" -c 'import json, sys; assert all(d["nnz"] == 4 and len(d["name"]) > 1 for d in map(json.load, map(open, sys.argv[1:])))' "${facts[@]}"
}
@test "names: any file name works in spmv-info, in tar archives and in messages of every program" {
    names 1 13
    for p in import gen run execute merge fit plan predict verify speed query check; do
        for name in $'\xff\e[2Jx' $'a\nb\tc'; do
            shown "spmv-$p" -o "$name/x.h5" "$name"
            shown "spmv-$p" --json -c "$name" "$name" "$name"
            shown "spmv-$p" --profile "$name" "$name"
        done
    done
    all_shown
}

@test "names: a pipeline of files with any name prints valid JSON and UTF-8 text, also in archives" {
    export XDG_DATA_HOME="$PWD/data"
    while IFS= LC_ALL=C read -r -d '' name; do
        mkdir d
        cp plain "d/$name.mtx"
        shown spmv-run --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -o "d/$name.run.h5" d
        [ -f "d/$name.run.h5" ] || { cat -v shown/$n.*; false; }
        shown spmv-import -o "d/$name.h5" "d/$name.mtx"
        shown spmv-info --json "d/$name.h5"
        shown spmv-gen stencil points=5 n=4 --json -o "d/$name.gen.h5"
        shown spmv-merge --json -o "d/$name.all.h5" "d/$name.run.h5" "d/$name.run.h5"
        shown spmv-check --json "d/$name.run.h5" "d/$name.all.h5" "d/$name.h5" "d/$name.none"
        shown spmv-info --json "d/$name.all.h5"
        "$BUILD/synthetic" cpu grid.h5 "d/$name.mtx"
        shown spmv-fit --json -m bandwidth -o "d/$name.profile.h5" grid.h5
        shown spmv-fit --json -m bandwidth --name "${name:0:20}" -o "d/named.h5" grid.h5
        for profile in "d/$name.profile.h5" d/named.h5; do
            [ -f "$profile" ]
            shown spmv-predict --json -m bandwidth --profile "$profile" --measured "d/$name.run.h5" "d/$name.mtx"
            shown spmv-predict -m bandwidth --profile "$profile" "d/$name.mtx" "d/$name.none"
        done
        mkdir -p data/spmvcast/profiles
        cp "d/$name.profile.h5" "data/spmvcast/profiles/$name.h5"
        shown spmv-predict --list --json
        shown spmv-plan --json -m bandwidth --profile "d/$name.profile.h5" -o "d/$name.plan.h5" "d/$name.mtx"
        shown spmv-execute --json --backend cpu "d/$name.plan.h5" "d/$name.mtx"
        shown spmv-verify --json --profile "d/$name.profile.h5" grid.h5
        shown spmv-speed --json grid.h5
        rm -r data
        mv d d.$n
    done < <(printf '%s\0' $'_\xff\xfe\e[31m\a"\\' $'_c1\u009b bidi\u202e tab\tline\nend,x:y' "_$(printf 'x%.0s' {1..124})ää"$'\xed\xa0\x80 cut\xe2\x82')
    "$PYTHON" - d.*/*.h5 <<'P'
import h5py, os, sys
def texts(name, thing):
    values = list(thing.attrs.values())
    if isinstance(thing, h5py.Dataset) and thing.dtype.kind == "S":
        values += list(thing[:])
    for v in values:
        if isinstance(v, bytes):
            v.decode("utf-8")
        elif isinstance(v, str):
            v.encode("utf-8")       # h5py reads attributes that are not UTF-8 with surrogates
for path in sys.argv[1:]:
    with h5py.File(os.fsencode(path), "r") as f:
        texts("/", f)
        f.visititems(texts)
P
    all_shown
}

# bats test_tags=long
@test "names: random bytes as file names work in spmv-info, in tar archives and in messages" {
    names 14 40
    all_shown
}

# bats test_tags=quick,id:names-escaped
@test "names: invalid UTF-8 and control characters are escaped in tables, messages and JSON" {
    name=$'_\xff\e[1m\t\u009b\u202e\\'
    cp plain "$name.mtx"
    run -0 spmv-info "$name.mtx"
    [ "$(value_of name <<<"$output")" = '_\xff\e[1m\t\u009b\u202e\' ]
    spmv-info --json "$name.mtx" > out
    "$PYTHON" -c 'import json; n = json.load(open("out"))["name"]; assert n == "_\\xff\x1b[1m\t\x9b\u202e\\", ascii(n)'
    run -1 --separate-stderr spmv-check --json "$name.none"          # a path that is not converted to UTF-8 before it is printed
    printf '%s\n' "$output" > out
    "$PYTHON" -c 'import json; n = json.load(open("out"))["rows"][0]["file"]; assert n == "_\\xff\x1b[1m\t\x9b\u202e\\.none", ascii(n)'
    run -1 --separate-stderr spmv-info $'no\nsuch\e[2J'
    [[ "$stderr" == 'spmv-info: cannot open no\nsuch\e[2J: No such file'* ]]
}
