#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the fuzz targets of tests/fuzz/targets.def for SECONDS in all, each by its share, one after another. Prints TSV: target, inputs,
# inputs per second, the lines and branches of its sources that its inputs reach, and what was found; inputs that are findings stay in
# build/fuzz/found. Exits 1 if there are any.
#   scripts/fuzz.sh SECONDS [TARGET...]      called by `make fuzz [SECONDS=600] [T="TARGET..."]`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT="$PWD" OUT="$PWD/build/fuzz" seconds="${1:-600}"
shift || :
wanted=" $* "
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PATH="$PWD/bin:$PATH"
export ASAN_OPTIONS=allocator_may_return_null=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
versions() { for t in "$1-14" "$1"; do command -v "$t" && return; done; echo "fuzz.sh: no $1 (install-deps.sh fuzz)" >&2; exit 1; }
profdata=$(versions llvm-profdata) cov=$(versions llvm-cov)
WORK="$(mktemp -d "${TMPDIR:-/tmp}/fuzz.XXXXXX")"
trap 'rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$OUT/found"
targets() { LLVM_PROFILE_FILE=/dev/null "$OUT/fuzz" list | while IFS=$'\t' read -r name share sources; do
    if [[ "$wanted" = "  " || "$wanted" = *" $name "* ]]; then printf '%s\t%s\t%s\n' "$name" "$share" "$sources"; fi
done; }
shares=$(targets | awk -F'\t' '{ n += $2 } END { print n + 0 }')
[ "$shares" -gt 0 ] || { echo "fuzz.sh: no target of these names; expected: $(wanted='  ' targets | cut -f1 | tr '\n' ' ')" >&2; exit 2; }

# Of libFuzzer, which goes on after a finding, with other seeds, until the time is over.
fuzz() {    # fuzz TARGET SECONDS
    local name="$1" end=$((SECONDS + $2)) options=() log="$WORK/$1.log"
    case "$name" in
        options) options=(-detect_leaks=0); export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" ;;     # usage_die() ends a program
        recipes | configs) options=(-max_len=400) ;;
        logs) options=(-max_len=16384) ;;
        *) options=(-max_len=4096) ;;
    esac
    mkdir -p "$OUT/corpus/$name"
    LLVM_PROFILE_FILE=/dev/null "$OUT/fuzz" split "tests/fuzz/$name.seeds" "$OUT/corpus/$name"
    : > "$log"
    while [ $((end - SECONDS)) -gt 0 ]; do
        LLVM_PROFILE_FILE=/dev/null nice "$OUT/fuzz-$name" -max_total_time=$((end - SECONDS)) -timeout=20 -rss_limit_mb=4096 -reload=0 \
            -dict="tests/fuzz/$name.dict" -artifact_prefix="$OUT/found/$name-" -print_final_stats=1 "${options[@]}" "$OUT/corpus/$name" >> "$log" 2>&1 || :
    done
    # What the inputs that were kept reach, once more.
    LLVM_PROFILE_FILE="$WORK/$name.profraw" "$OUT/fuzz-$name" -runs=0 -timeout=20 -rss_limit_mb=4096 "${options[@]}" "$OUT/corpus/$name" >> "$log.cover" 2>&1 || :
    awk '/^stat::number_of_executed_units/ { n += $2 } END { print n + 0 }' "$log"
}
# Of files in children, in rounds of other numbers.
archives() {    # archives SECONDS
    local end=$((SECONDS + $1)) round=1 log="$WORK/archives.log"
    mkdir "$WORK/h5"
    (cd "$WORK/h5" && "$ROOT/tests/fuzz/archives.sh") > "$log" 2>&1 || { tail -n 3 "$log" >&2; exit 1; }
    while [ $((end - SECONDS)) -gt 0 ]; do
        (cd "$WORK/h5" && LLVM_PROFILE_FILE="$WORK/archives-%1m.profraw" nice \
            "$OUT/fuzz" archives "$ROOT/tests/fuzz/archives.seeds" 100 $((RANDOM * 32768 + RANDOM))) >> "$log" 2>&1 || cp "$WORK/h5/crash-archives" "$OUT/found/archives-$(date +%s)-$round"
        round=$((round + 1))
    done
    awk '/^archives: / { n += $2 } END { print n + 0 }' "$log"
}

printf 'target\tinputs\tper_s\tlines_percent\tbranches_percent\tfound\n'
status=0
while IFS=$'\t' read -r name share sources; do
    before=$(find "$OUT/found" -name "$name-*" | wc -l)
    began=$SECONDS
    if [ "$name" = archives ]; then n=$(archives $((seconds * share / shares))); else n=$(fuzz "$name" $((seconds * share / shares))); fi
    took=$((SECONDS - began > 0 ? SECONDS - began : 1))
    found=$(($(find "$OUT/found" -name "$name-*" | wc -l) - before))
    # shellcheck disable=SC2086
    "$profdata" merge -o "$WORK/$name.profdata" "$WORK/$name"*.profraw 2> /dev/null || :
    program="$OUT/fuzz-$name"
    [ "$name" != archives ] || program="$OUT/fuzz"
    # shellcheck disable=SC2086
    covered=$(cd src && "$cov" export -summary-only -instr-profile "$WORK/$name.profdata" "$program" $sources 2> /dev/null | python3 -c '
import json, sys
try:
    of = json.load(sys.stdin)["data"][0]["totals"]
    print("%.1f\t%.1f" % (of["lines"]["percent"], of["branches"]["percent"]))
except Exception:
    print("-\t-")')
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$n" "$((n / took))" "$covered" "$found"
    [ "$found" = 0 ] || status=1
done < <(targets)
[ $status = 0 ] || echo "# inputs that are findings: build/fuzz/found; run one by build/fuzz/fuzz TARGET -r FILE"
exit $status
