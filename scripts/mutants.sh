#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Mutation tests with seeded faults. Each tests/mutants/NAME.patch breaks one thing in src/ and names the test that must fail.
# The patch begins with a header:
#   # breaks: what it breaks, in one sentence
#   # test: tests/FILE.bats NAME OF THE TEST
#   # make: programs that the test runs (targets of make)
#   # set: cpu, or gpu (requires a GPU; run by make check-mutants-gpu)
# Commands, called by make check-mutants:
#   mutants.sh run cpu|gpu [NAME...]    run all mutants of a set, or those named; TSV on stdout; exit 1 unless all are killed
#   mutants.sh check                    check that all patches apply and all named tests exist; builds nothing
#   mutants.sh list                     print a table of the mutants
#   mutants.sh renew BASE [NAME...]     regenerate patches that no longer apply, or those named; exit 1 if a problem remains
# Mutants are built in copies of the tree under TMPDIR. Environment: MAKE and MAKEFLAGS as in make (so NVCC= etc. apply to the
# copies), TEST_JOBS parallel copies, MUTANT_TIMEOUT seconds per test.
# Verdicts of run:
#   killed    the test, run alone, failed
#   timeout   the test did not end in time: counts as killed, and is counted separately
#   survived  the test passed
#   error     no result: the patch does not apply or build, or the test is skipped, missing, or fails without the patch
# renew is for code that was moved, split, renamed or reformatted. BASE is a git revision to which the current patches in
# tests/mutants apply: the last one at which mutants.sh check passed. It makes the same change in the corresponding code of the
# working tree (including uncommitted changes), anywhere in src/ and with any line breaks (mutants-renew.pl explains the search), and
# writes tests/mutants/NAME.patch. It changes no other file. TSV on stdout:
#   same      the patch applies to the same code; unchanged
#   moved     same lines, in another file or place
#   renewed   other lines: the code is written or formatted differently now
#   failed    patch unchanged; the reason says why, and where to look
# Problems of a header (a missing test or make target) are reported as reasons, too; fix them by hand.
# Requires git, perl and diff.
set -euo pipefail
unset "${!BATS_@}"                      # a test of this script runs it inside bats
tree=$(cd "$(dirname "$0")/.." && pwd)
mutants=$tree/tests/mutants
limit=${MUTANT_TIMEOUT:-120}
export SHARED_MATRICES="${SHARED_MATRICES:-$tree/../shared/matrices}"

die() { printf 'mutants.sh: %s\n' "$*" >&2; exit 1; }
usage() { printf 'mutants.sh: %s\nusage: mutants.sh run cpu|gpu [NAME...] | check | list | renew BASE [NAME...]\n' "$*" >&2; exit 2; }

# ---- headers
# fact NAME KEY: prints the value of a key in the header of a mutant. Starts no process, since there are hundreds of mutants.
fact() {
    local line
    while IFS= read -r line && [[ "$line" != "--- "* ]]; do
        [[ "$line" != "# $2:"* ]] || { line=${line#"# $2:"}; printf '%s\n' "${line#"${line%%[! ]*}"}"; }
    done < "$mutants/$1.patch"
}
test_file() { local t; t=$(fact "$1" test); printf '%s' "${t%% *}"; }
test_name() { local t; t=$(fact "$1" test); printf '%s' "${t#* }"; }
source_of() { sed -n 's|^--- a/\([^[:space:]]*\).*|\1|p' "$mutants/$1.patch" | paste -sd' '; }
names() {
    local p
    for p in "$mutants"/*.patch; do
        [ -e "$p" ] || die "no mutants in $mutants"
        p=${p##*/}; p=${p%.patch}
        if [ -z "${1:-}" ] || [ "$(fact "$p" set)" = "$1" ]; then echo "$p"; fi
    done
}

# apply DIR NAME [check]: applies the patch in DIR, or only checks that it applies. Lines may have moved, but the context must match
# exactly.
apply() {
    if command -v patch > /dev/null; then
        patch -p1 -F0 -f -s --no-backup-if-mismatch -r - -d "$1" ${3:+--dry-run} < "$mutants/$2.patch"
    else
        GIT_CEILING_DIRECTORIES=$(dirname "$1") git -C "$1" apply ${3:+--check} "$mutants/$2.patch"
    fi
}

# faults_of NAME: prints the problems of a mutant that can be found without building.
faults_of() {
    local out
    head_faults_of "$1"
    out=$(apply "$tree" "$1" check 2>&1) ||
        echo "$1: the patch no longer applies: $(paste -sd' ' <<< "$out"); regenerate it with mutants.sh renew BASE"
}
head_faults_of() {
    local key file
    for key in breaks test make set; do
        [[ "$(fact "$1" $key)" =~ ^[^$'\n']+$ ]] || { echo "$1: expected exactly one line '# $key: ...' before the patch"; return; }
    done
    [[ "$(fact "$1" set)" =~ ^(cpu|gpu)$ ]] || echo "$1: '# set: $(fact "$1" set)', expected cpu or gpu"
    for file in $(source_of "$1"); do
        [[ "$file" == src/* ]] || echo "$1: changes $file; mutants must change files in src/ only"
    done
    file=$(test_file "$1")
    if ! [ -f "$tree/$file" ]; then
        echo "$1: test file not found: $file"
    elif [ "$(grep -cF "@test \"$(test_name "$1")\" {" "$tree/$file")" -ne 1 ]; then
        echo "$1: $file has no test '$(test_name "$1")'"
    fi
}

# ---- tests
# filter NAME...: prints a pattern for bats --filter that matches exactly these tests.
filter() { printf '%s\n' "$@" | sed 's/[][\.*^$+?(){}|/]/\\&/g' | paste -sd'|' | sed 's/.*/^(&)$/'; }

# tap_of FILE NAME: prints the result of a test from TAP output: passed, failed or skipped; nothing if it is missing.
tap_of() {
    awk -v name="$2" '
        /^(not )?ok [0-9]+ / {
            found = ($1 == "not") ? "failed" : "passed"
            sub(/^(not )?ok [0-9]+ /, "")
            if (index($0, name " # skip") == 1) { print "skipped"; exit }
            if ($0 == name) { print found; exit }
        }' "$1"
}

seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'; }

# green FILE NAME...: runs these tests on the unpatched copy and appends those that do not pass to $temp/red.
green() {
    local file=$1 log result name; shift
    log=$temp/green.$(basename "$file")
    timeout -k 5 "$((limit * $#))" bats --tap --filter "$(filter "$@")" "$temp/tree/$file" > "$log" 2>&1 < /dev/null || true
    for name in "$@"; do
        result=$(tap_of "$log" "$name")
        [ "$result" = passed ] && continue
        printf '%s %s\t%s\n' "$file" "$name" "${result:-was not run}" >> "$temp/red"
        [ "$result" = skipped ] || sed 's/^/# /' "$log" >&2
    done
}

# one NAME: builds and tests one mutant in its own copy of the tree; prints its row.
one() {
    local name=$1 begun=$EPOCHREALTIME copy file test verdict why='' log status=0 targets
    read -ra targets <<< "$(fact "$name" make)"
    file=$(test_file "$name"); test=$(test_name "$name"); log=$temp/$name.log
    copy=$(mktemp -d "$temp/copy.XXXXXX")
    cp -a "$temp/tree/." "$copy"
    if grep -qsF "$file $test	" "$temp/red"; then
        verdict=error why="the test $(grep -F "$file $test	" "$temp/red" | cut -f2 | head -n 1) on the unpatched tree"
    elif ! apply "$copy" "$name" > "$log" 2>&1; then
        verdict=error why="the patch does not apply"
    elif ! "${MAKE:-make}" --no-print-directory -C "$copy" "${targets[@]}" > "$log" 2>&1 < /dev/null; then
        verdict=error why="it does not build"
    else
        timeout -k 5 "$limit" bats --tap --filter "$(filter "$test")" "$copy/$file" > "$log" 2>&1 < /dev/null || status=$?
        case "$status $(tap_of "$log" "$test")" in
            124*|137*) verdict=timeout why="timed out after $limit s" ;;
            "0 passed") verdict=survived ;;
            "1 failed") verdict=killed ;;
            *) verdict=error why="bats exited with $status without a result for the test" ;;
        esac
    fi
    rm -rf "$copy"
    if [ "$verdict" = survived ] || [ "$verdict" = error ]; then sed "s/^/# $name: /" "$log" 2>/dev/null | tail -n 20 >&2 || true; fi
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$(source_of "$name")" "$file: $test" "$verdict" "$(seconds_since "$begun")" "${why:--}" | tee -a "$temp/rows"
}

# ---- all mutants
# Copies the tree with its build products and file times, so that only changed files are rebuilt.
copy_tree() {
    mkdir "$temp/tree"
    tar -C "$tree" --format=posix --exclude=./.git --exclude=./results/local -cf - . | tar -C "$temp/tree" -xf -
}

run_all() {
    local set=$1 name file wanted all targets tests; shift
    all=$(names "$set")
    if [ $# -gt 0 ]; then wanted=$(printf '%s\n' "$@"); else wanted=$all; fi
    for name in $wanted; do
        grep -qxF -- "$name" <<< "$all" || die "unknown mutant '$name' in the $set set (see mutants.sh list)"
    done
    command -v patch > /dev/null || command -v git > /dev/null || die "neither patch nor git found; install one of them"
    temp=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
    export temp
    trap 'rm -rf "$temp"' EXIT
    copy_tree
    mapfile -t targets < <(for name in $wanted; do fact "$name" make; done | tr ' ' '\n' | sort -u)
    "${MAKE:-make}" --no-print-directory -C "$temp/tree" "${targets[@]}" > "$temp/build.log" 2>&1 < /dev/null ||
        { tail -n 20 "$temp/build.log" >&2; die "the unpatched tree does not build"; }
    : > "$temp/rows"
    for file in $(for name in $wanted; do test_file "$name"; echo; done | sort -u); do
        mapfile -t tests < <(for name in $wanted; do [ "$(test_file "$name")" != "$file" ] || { test_name "$name"; echo; }; done | sort -u)
        printf '%s\0' "$file" "${tests[@]}" > "$temp/of.$(basename "$file")"
    done
    find "$temp" -name 'of.*' -print0 | xargs -0 -P "${TEST_JOBS:-2}" -n 1 "$0" green
    printf 'mutant\tsource\ttest\tverdict\tseconds\treason\n'
    printf '%s\n' "$wanted" | xargs -P "${TEST_JOBS:-2}" -n 1 "$0" one
    footer "$(wc -l <<< "$wanted")"
}

footer() {
    awk -F'\t' -v of="$1" -v took="$SECONDS" '{ n[$4]++ } END {
        printf "# %d mutants in %d s: %d killed, %d of them by timeout; %d survived, %d errors\n", of, took, n["killed"] + n["timeout"],
               n["timeout"], n["survived"], of - n["killed"] - n["timeout"] - n["survived"]
        exit n["killed"] + n["timeout"] != of }' "$temp/rows"
}

# ---- renewing patches
# unknown_targets NAME...: prints the make targets of these mutants that make does not know, one per line. Uses a copy, because even make -n
# may write files.
unknown_targets() {
    local targets
    mkdir "$temp/tree"
    git -C "$tree" ls-files -coz --exclude-standard | (cd "$tree" && perl -0ne 'print if -e substr($_, 0, -1)') |
        tar -C "$tree" --null -T - -cf - | tar -C "$temp/tree" -xf -
    mapfile -t targets < <(for name in "$@"; do fact "$name" make; done | tr ' ' '\n' | sort -u)
    LC_ALL=C "${MAKE:-make}" --no-print-directory -C "$temp/tree" -nk "${targets[@]}" 2>&1 < /dev/null |
        sed -n "s/.*No rule to make target [\`']\(.*\)'\.\( .*\)\{0,1\}\$/\1/p" || true
}

# faults_of_renewed NAME: prints the problems that must be fixed by hand, as one text.
faults_of_renewed() {
    local target targets
    {
        head_faults_of "$1" | sed "s/^$1: //"
        read -ra targets <<< "$(fact "$1" make)"
        for target in "${targets[@]}"; do
            if grep -qxF -- "$target" "$temp/unknown"; then echo "unknown make target $target"; fi
        done
    } | paste -sd';' | sed 's/;/; /g'
}

renew() {
    local base=$1 name status files why wrong tool all wanted; shift
    for tool in git perl diff; do command -v $tool > /dev/null || die "renew requires $tool; install it"; done
    git -C "$tree" rev-parse -q --verify "$base^{commit}" > /dev/null || die "unknown git revision '$base'"
    all=$(names)
    if [ $# -gt 0 ]; then wanted=("$@"); else mapfile -t wanted <<< "$all"; fi
    for name in "${wanted[@]}"; do
        grep -qxF -- "$name" <<< "$all" || die "unknown mutant '$name' (see mutants.sh list)"
    done
    temp=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
    trap 'rm -rf "$temp"' EXIT
    mkdir "$temp/base" "$temp/new"
    git -C "$tree" archive "$base" src | tar -C "$temp/base" -xf - || die "revision '$base' has no src/"
    perl "$tree/scripts/mutants-renew.pl" "$temp/base" "$tree" "$mutants" "$temp/new" "${wanted[@]}" > "$temp/rows"
    unknown_targets "${wanted[@]}" > "$temp/unknown"
    printf 'mutant\tstatus\tsource\treason\n'
    while IFS=$'\t' read -r name status files why; do
        if [ -e "$temp/new/$name.patch" ]; then
            if mutants=$temp/new apply "$tree" "$name" check > "$temp/log" 2>&1; then
                cp "$temp/new/$name.patch" "$mutants/$name.patch.tmp"
                mv "$mutants/$name.patch.tmp" "$mutants/$name.patch"
            else
                status=failed why="the new patch does not apply: $(paste -sd' ' "$temp/log")"
            fi
        fi
        wrong=$(faults_of_renewed "$name")
        [ "$why" != - ] || why=''
        why=$why${why:+${wrong:+; }}$wrong
        printf '%s\t%s\t%s\t%s\n' "$name" "$status" "$files" "${why:--}"
        [ -z "$why" ] || printf '%s: %s\n' "$name" "$why" >> "$temp/wrong"
        printf '%s\n' "$status" >> "$temp/statuses"
    done < "$temp/rows"
    awk -v took="$SECONDS" '{ n[$1]++ } END {
        printf "# %d mutants in %d s: %d same, %d moved, %d renewed, %d failed\n", NR, took, n["same"], n["moved"], n["renewed"], n["failed"] }' "$temp/statuses"
    [ ! -e "$temp/wrong" ] || { cat "$temp/wrong" >&2; exit 1; }
}

case "${1:-}" in
    run)
        [[ "${2:-}" =~ ^(cpu|gpu)$ ]] || usage "run: expected cpu or gpu"
        run_all "${@:2}" ;;
    check)
        found=$(for name in $(names); do faults_of "$name"; done)
        [ -z "$found" ] || { printf '%s\n' "$found" >&2; exit 1; }
        echo "$(names cpu | wc -l) CPU mutants, $(names gpu | wc -l) GPU mutants" ;;
    list)
        printf 'mutant\tset\tsource\ttest\tbreaks\n'
        for name in $(names); do
            printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$(fact "$name" set)" "$(source_of "$name")" "$(test_file "$name"): $(test_name "$name")" "$(fact "$name" breaks)"
        done ;;
    renew)
        [ -n "${2:-}" ] || usage "renew: missing BASE, a git revision to which the patches apply"
        renew "${@:2}" ;;
    green) mapfile -d '' -t given < "$2"; green "${given[@]}" ;;      # internal, called by run
    one) one "$2" ;;
    *) usage "expected run, check, list or renew" ;;
esac
