#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures which lines of src/, bindings/ and examples/ (C, without CUDA) the tests run: all of check-now and check-long, in a copy of the
# tree built by gcc --coverage. Prints TSV: room files lines covered percent; the last row is the total. Lines starting with # are notes.
#   scripts/coverage.sh [REVISION]       called by `make check-coverage [REV=REVISION]`; without it, the working tree
# Environment: COVERAGE_DIR, directory for the copy, the log, and files.tsv: each file with its lines that no test ran (default:
# TMPDIR/spmvcast-coverage). Not counted: what a process did before a test killed it by SIGKILL, and children of Python that end by os._exit.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(realpath -m "${COVERAGE_DIR:-${TMPDIR:-/tmp}/spmvcast-coverage}")
shared=${SHARED_MATRICES:-$PWD/../shared/matrices}
source=$PWD/scripts/coverage.c
sq() { printf "'%s'" "${1//\'/\'\\\'\'}"; }         # quotes a word for sh
die() { printf 'coverage.sh: %s\n' "$*" >&2; exit 1; }
for tool in gcc gcov python3; do command -v $tool > /dev/null || die "no $tool"; done
[ $# -le 1 ] || die "unexpected argument '$2'; usage: coverage.sh [REVISION]"
[ $# = 0 ] || git rev-parse -q --verify "$1^{commit}" > /dev/null || die "git finds no revision $1"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CC CFLAGS LDFLAGS NVCC MPICC T TAGS

rm -rf "$dir"
mkdir -p "$dir/tree" "$dir/bin" "$dir/examples"
if [ $# = 1 ]; then git archive "$1"; else
    git ls-files -z --cached --others --exclude-standard | tar --null --no-recursion --ignore-failed-read -T - -cf - 2> /dev/null
fi | tar -C "$dir/tree" -xf -
echo '-v' > "$dir/tree/.proverc"         # one log line per test, to count failed ones
gcc -std=c17 -D_GNU_SOURCE -O1 -fPIC -c -o "$dir/coverage.o" "$source"
# Tests compile the examples, and link programs with libspmvcast.a, by cc.
cat > "$dir/bin/cc" <<CC
#!/bin/sh
for word; do
    case \$word in rank.c | cg.c) set -- "\$@" --coverage -fprofile-update=atomic -dumpdir $(sq "$dir/examples/") -dumpbase "\${word%.c}" ;; esac
done
exec $(command -v gcc) "\$@" -lgcov
CC
chmod +x "$dir/bin/cc"

# On make's command line, the flags would reach the makes that tests run.
cd "$dir/tree"
cat > config.mk <<MAKE
NVCC :=
CC := gcc
CFLAGS := -O1 -g --coverage -fprofile-update=atomic
LDFLAGS := $(sq "$dir/coverage.o")$(printf ' -Xlinker --wrap=%s' _exit kill raise prctl)
MAKE
made() {    # made WORD...: runs make
    SHARED_MATRICES=$shared GCOV_ERROR_FILE=$dir/gcov.log PATH=$dir/bin:$PATH make -j"$(nproc)" "$@" >> "$dir/log" 2>&1 < /dev/null
}
made all || die "the tree does not build with --coverage; see $dir/log"
status=0
made check-now || status=$?
! grep -qsE '^# bats (file|test)_tags=.*\blong\b' tests/*.bats || made TAGS=long check-now || status=$?

find . "$dir/examples" -name '*.gcno' -exec gcov --json-format --stdout {} + 2> /dev/null | python3 -c '
import collections, glob, json, os, sys
lines = collections.defaultdict(lambda: collections.defaultdict(int))    # a source may be in several objects
for report in sys.stdin:
    for part in json.loads(report)["files"]:
        name = os.path.normpath(part["file"])
        name = "examples/" + name if name in ("rank.c", "cg.c") else name
        if name.endswith(".c") and name.startswith(("src/", "bindings/", "examples/")):
            for line in part["lines"]:
                lines[name][line["line_number"]] += line["count"]
row = lambda *words: "\t".join(map(str, words))
rate = lambda ran, all: "%.1f" % (100 * ran / all if all else 0)
rooms, of_files = collections.defaultdict(lambda: [0, 0, 0]), [row("file", "lines", "covered", "percent", "not_run")]
for name, counts in sorted(lines.items()):
    part = name.split("/")
    ran, missed = sum(c > 0 for c in counts.values()), [n for n, c in sorted(counts.items()) if not c]
    of_files.append(row(name, len(counts), ran, rate(ran, len(counts)), ",".join(map(str, missed)) or "-"))
    for room in (part[0] if part[0] == "examples" else part[1] if part[0] == "src" else "/".join(part[:2]), "total"):
        rooms[room] = [a + b for a, b in zip(rooms[room], (1, len(counts), ran))]
open(sys.argv[1], "w").write("\n".join(of_files) + "\n")
order = [w for line in open("src/ROOMS") if line[0] != "#" for w in line.split()]
print(row("room", "files", "lines", "covered", "percent"))
for room in sorted(rooms, key=lambda r: (r == "total", order.index(r) if r in order else len(order), r)):
    print(row(room, *rooms[room], rate(rooms[room][2], rooms[room][1])))
absent = sorted(set(glob.glob("src/**/*.c", recursive=True) + glob.glob("bindings/**/*.c", recursive=True) + glob.glob("examples/*.c")) - set(lines))
absent = [f for f in absent if not os.path.exists("build/" + f[:-2].replace("src/", "", 1) + ".o")]      # data only
if absent:
    print("# not compiled here, and not counted:", *absent)
' "$dir/files.tsv"
[ $status = 0 ] || echo "# the tests failed under coverage, $(grep -c "^not ok " "$dir/log" || true) of them: see $dir/log"
[ ! -s "$dir/gcov.log" ] || echo "# gcov could not write counts $(wc -l < "$dir/gcov.log") times: see $dir/gcov.log"
echo "# $(grep -cE '^ok .*# skip' "$dir/log" || true) tests skipped; the lines of each file that no test ran: $dir/files.tsv"
