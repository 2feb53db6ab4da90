#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Mutation tests with seeded faults: each breaks one thing in src/, and the test that it names must fail.
# tests/mutants/cpu.faults and tests/mutants/gpu.faults (those that require a GPU) hold a record per fault, ended by an empty line:
#   fault NAME
#   why   what it breaks
#   file  src/FILE
#   test  the id of the test: # bats test_tags=id:ID in tests/*.bats
#   make  targets of make that the test runs
#   - text that occurs exactly once in the file; each line after "- "
#   + its replacement, without + lines the text is removed; further - and + lines replace further texts
# Text and replacement may be parts of lines or several lines.
# Commands, called by make check-mutants:
#   mutants.sh run cpu|gpu [NAME...]    run all mutants of a set, or those named; TSV on stdout; exit 1 unless all are killed
#   mutants.sh check                    check that all faults apply and all named tests exist; builds nothing
#   mutants.sh list                     print a table of the mutants
#   mutants.sh moved                    after code has moved to other files: rewrite the paths of its faults, nothing else
# Verdicts of run:
#   killed          the test, run alone, failed, or did not end in time (the reason says so)
#   survived        the test passed
#   does not apply  the text is not in the file, or several times
#   error           no result: the fault does not build, or the test is missing, skipped, or fails without the fault
# Mutants are built in copies of the tree under TMPDIR that share unchanged files by hard links, so a build or test that writes
# a file in place changes all of them; run finds that, too. Environment: MAKE and MAKEFLAGS as in make (they apply to the copies),
# TEST_JOBS parallel copies, MUTANT_TIMEOUT seconds per test. The CPU set is built without CUDA.
set -euo pipefail
for v in "${!BATS_@}"; do               # a test of this script runs it inside bats, whose place a bats inside needs
    [[ $v =~ ^BATS_(ROOT|LIBDIR)$ ]] || unset "$v"
done
# not make's job server, whose pipe the copies' makes do not have
if [ -n "${MAKEFLAGS-}" ]; then MAKEFLAGS=$(sed -E 's/(^| )(-j[0-9]*|--jobserver-[a-z]+=[^ ]*)//g' <<< "$MAKEFLAGS"); fi
tree=$(cd "$(dirname "$0")/.." && pwd)
limit=${MUTANT_TIMEOUT:-120}
export SHARED_MATRICES="${SHARED_MATRICES:-$tree/../shared/matrices}"
TIMEFORMAT='%U %S'

die() { printf 'mutants.sh: %s\n' "$*" >&2; exit 1; }
usage() { printf 'mutants.sh: %s\nusage: mutants.sh run cpu|gpu [NAME...] | check | list | moved\n' "$*" >&2; exit 2; }
records() { perl "$tree/scripts/mutants.pl" "$tree" "$@"; }

# build DIR TARGET...
build() { "${MAKE:-make}" --no-print-directory -C "$1" ${without_cuda:+NVCC=} "${@:2}"; }

# run_tests DIR FILE ID...: prints the TAP output of these tests, and errors.
run_tests() {
    local dir=$1 file=$2 id tags=(); shift 2
    for id; do tags+=(--filter-tags "id:$id"); done
    timeout -k 5 "$((limit * $#))" bats --tap "${tags[@]}" "$dir/$file" 2>&1 < /dev/null
}

# result_of LOG STATUS: the result of one test.
result_of() {
    case "$2 $(grep -E -m 1 '^(not )?ok 1' "$1")" in
        124*|137*) echo "timed out after $limit s" ;;
        *" # skip"*) echo "was skipped" ;;
        "0 ok "*) echo passed ;;
        "1 not ok "*) echo failed ;;
        *) echo "was not run" ;;
    esac
}

# green FILE ID...: runs these tests without a fault; the results of those that do not pass are appended to $temp/red.
green() {
    local file=$1 id log=$temp/green.${1##*/} status=0; shift
    run_tests "$temp/green" "$file" "$@" > "$log" || status=$?
    [ "$status $(grep -c '^ok ' "$log")" != "0 $#" ] || grep -q '^ok .* # skip' "$log" || return 0
    for id; do
        status=0
        run_tests "$temp/green" "$file" "$id" > "$log" || status=$?
        [ "$(result_of "$log" $status)" != passed ] || continue
        printf '%s\t%s\n' "$id" "$(result_of "$log" $status)" >> "$temp/red"
        sed "s/^/# $id: /" "$log" | tail -n 20 >&2
    done
}

# verdict_of NAME ID FILE TARGETS COPY: sets verdict and why.
verdict_of() {
    local targets status=0 log=$temp/$1.log
    verdict=error why=$(awk -F'\t' -v id="$2" '$1 == id { print "the test " $2 " without the fault" }' "$temp/red")
    [ -z "$why" ] || return 0
    cp -al "$temp/base" "$5"
    find "$5" -type f -name '*.d' -exec sed -i '' {} +             # new files, since compilers write these in place
    if ! why=$(records apply "$1" "$5" 2>&1); then verdict="does not apply"; return; fi
    read -ra targets <<< "$4"
    if ! build "$5" "${targets[@]}" > "$log" 2>&1 < /dev/null; then why="it does not build"; return; fi
    run_tests "$5" "$3" "$2" > "$log" || status=$?
    why=$(result_of "$log" $status)
    case $why in
        passed) verdict=survived why=- ;;
        failed) verdict=killed why=- ;;
        "timed out"*) verdict=killed ;;
        *) why="the test $why" ;;
    esac
}

# one NAME: builds and tests one mutant in its own copy of the tree; prints its row.
one() {
    local name file id test targets verdict why begun=$EPOCHREALTIME copy=$temp/copy.$1
    IFS=$'\t' read -r name _ file id test targets _ < <(grep "^$1	" "$temp/rows")
    { time verdict_of "$name" "$id" "$test" "$targets" "$copy" 2>&3; } 3>&2 2> "$temp/time.$name"
    rm -rf "$copy"
    case $verdict in survived|error) sed "s/^/# $name: /" "$temp/$name.log" 2> /dev/null | tail -n 20 >&2 || true ;; esac
    awk -v name="$name" -v file="$file" -v id="$id" -v verdict="$verdict" -v from="$begun" -v to="$EPOCHREALTIME" -v why="$why" '{
        printf "%s\t%s\t%s\t%s\t%.1f\t%.1f\t%s\n", name, file, id, verdict, to - from, $1 + $2, why }' "$temp/time.$name" | tee -a "$temp/verdicts"
}

# state DIR: path, time of change and hash of each file.
state() { (cd "$1" && find . -type f -printf '%p changed %T@\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum); }

run_all() {
    local set=$1 name targets; shift
    temp=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")" && pwd)
    export temp without_cuda=''
    trap 'rm -rf "$temp"' EXIT
    [ "$set" = gpu ] || without_cuda=1
    records rows "$set" > "$temp/all"
    [ $# -gt 0 ] || mapfile -t < <(cut -f1 "$temp/all")
    [ $# -gt 0 ] || set -- "${MAPFILE[@]}"
    for name; do grep "^$name	" "$temp/all" || die "unknown mutant '$name' in the $set set (see mutants.sh list)"; done > "$temp/rows"
    # A copy with build products and file times, so that only changed files are rebuilt.
    mkdir "$temp/base"
    tar -C "$tree" --format=posix --exclude=./.git --exclude=./results/local -cf - . | tar -C "$temp/base" -xf -
    mapfile -t targets < <(cut -f6 "$temp/rows" | tr ' ' '\n' | sort -u)
    build "$temp/base" -j"${TEST_JOBS:-2}" "${targets[@]}" > "$temp/build.log" 2>&1 < /dev/null ||
        { tail -n 20 "$temp/build.log" >&2; die "the tree does not build without faults"; }
    state "$temp/base" > "$temp/before"
    cp -al "$temp/base" "$temp/green"
    : > "$temp/red"
    cut -f4,5 "$temp/rows" | sort -u | awk '{ ids[$2] = ids[$2] " " $1 } END { for (file in ids) print file ids[file] }' | xargs -P "${TEST_JOBS:-2}" -L 1 "$0" green
    echo "# the tests were run without faults in $SECONDS s"
    printf 'mutant\tsource\ttest\tverdict\tseconds\tcpu_seconds\treason\n'
    printf '%s\n' "$@" | xargs -P "${TEST_JOBS:-2}" -n 1 "$0" one
    state "$temp/base" | diff "$temp/before" - > "$temp/changed" ||
        { sed -n 's/^[<>]/# written in place:/p' "$temp/changed" >&2; echo "# files of the shared copy were written in place: results may be wrong"; }
    awk -F'\t' -v took="$SECONDS" '{ n[$4]++; late += $7 ~ /^timed out/ } END {
        printf "# %d mutants in %d s: %d killed, %d of them by timeout; %d survived, %d do not apply, %d errors\n", NR, took, n["killed"], late,
               n["survived"], n["does not apply"], n["error"]
        exit n["killed"] < NR }' "$temp/verdicts" && [ ! -s "$temp/changed" ]
}

case "${1:-}" in
    run)
        [[ "${2:-}" =~ ^(cpu|gpu)$ ]] || usage "run: expected cpu or gpu"
        run_all "${@:2}" ;;
    check|moved) records "$1" ;;
    list)
        printf 'mutant\tset\tsource\ttest\tbreaks\n'
        records rows | cut -f1-4,7 ;;
    green|one) "$@" ;;                 # internal, called by run
    *) usage "expected run, check, list or moved" ;;
esac
