#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the fuzz targets of tests/fuzz/targets.def for about SECONDS, JOBS at a time: each by its share of the processors' time; with more
# jobs than targets, those with the largest shares in several processes. Prints TSV: target, inputs, inputs per second of a processor, the
# lines and branches of its sources that its inputs reach, and what was found; inputs that are findings stay in build/fuzz/found, what was
# printed in build/fuzz/TARGET.log. Exits 1 if there are any. Needs only what make built in build/fuzz, tests/fuzz and tests/lsan.supp, so it can run on another machine.
#   scripts/fuzz.sh SECONDS JOBS [TARGET...]      called by `make fuzz [SECONDS=600] [JOBS=1] [T="TARGET..."]`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT="$PWD" OUT="$PWD/build/fuzz" seconds="${1:-600}" jobs="${2:-1}"
wanted=" ${*:3} "
for n in "$seconds" "$jobs"; do [[ "$n" =~ ^[1-9][0-9]{0,6}$ ]] || { echo "fuzz.sh: SECONDS and JOBS must be positive integers, not '$n'" >&2; exit 2; }; done
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 LLVM_PROFILE_FILE=/dev/null
export ASAN_OPTIONS=allocator_may_return_null=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
versions() { for t in "$1-14" "$1"; do command -v "$t" && return; done; echo "fuzz.sh: no $1 (install-deps.sh fuzz)" >&2; exit 1; }
profdata=$(versions llvm-profdata) cov=$(versions llvm-cov)
WORK="$(mktemp -d "${TMPDIR:-/tmp}/fuzz.XXXXXX")"
trap 'rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$OUT/found"
targets() { "$OUT/fuzz" list | while IFS=$'\t' read -r name share sources; do
    if [[ "$wanted" = "  " || "$wanted" = *" $name "* ]]; then printf '%s\t%s\t%s\n' "$name" "$share" "$sources"; fi
done; }
# Prints name, processes and seconds of each target, the longest first.
shares() { targets | sort -t $'\t' -k 2,2nr | awk -F'\t' -v seconds="$seconds" -v jobs="$jobs" '
    { name[NR] = $1; share[NR] = $2; all += $2; n[NR] = 1 }
    END {
        for (used = NR; used < jobs; used++) {
            most = 1
            for (i = 2; i <= NR; i++)
                if (share[i] / n[i] > share[most] / n[most])
                    most = i
            n[most]++
        }
        for (i = 1; i <= NR; i++) {
            each = seconds * jobs * share[i] / all
            print name[i], n[i], int(jobs > NR || each > seconds ? seconds : each)
        }
    }'; }
[ -n "$(targets)" ] || { echo "fuzz.sh: no target of these names; expected: $(wanted='  ' targets | cut -f1 | tr '\n' ' ')" >&2; exit 2; }

# Of libFuzzer, which goes on after a finding, with other seeds, until the time is over. Writes the number of inputs to LOG.n.
fuzz() {    # fuzz TARGET SECONDS PROCESSES LOG
    local name="$1" end=$((SECONDS + $2)) log="$4"
    options_of "$name"
    : > "$log"
    while [ $((end - SECONDS)) -gt 0 ]; do
        nice "$OUT/fuzz-$name" -max_total_time=$((end - SECONDS)) -timeout=20 -rss_limit_mb=4096 -reload=$(($3 > 1)) \
            -dict="tests/fuzz/$name.dict" -artifact_prefix="$OUT/found/$name-" -print_final_stats=1 "${options[@]}" "$OUT/corpus/$name" >> "$log" 2>&1 || :
    done
    awk '/^stat::number_of_executed_units/ { n += $2 } END { print n + 0 }' "$log" > "$log.n"
}
options_of() {    # options_of TARGET: sets options
    case "$1" in
        options) options=(-detect_leaks=0); export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" ;;     # usage_die() ends a program
        recipes | configs) options=(-max_len=400) ;;
        logs) options=(-max_len=16384) ;;
        *) options=(-max_len=4096) ;;
    esac
}
# Of files in children, in rounds of other numbers; make put the files into build/fuzz/h5.
archives() {    # archives SECONDS LOG
    local end=$((SECONDS + $1)) round=1 log="$2"
    local -x ASAN_OPTIONS="$ASAN_OPTIONS:quarantine_size_mb=2:thread_local_quarantine_size_kb=64"     # memory that was freed is used again: fewer page faults
    cp -r "$OUT/h5" "$log.files"
    : > "$log"
    while [ $((end - SECONDS)) -gt 0 ]; do
        (cd "$log.files" && LLVM_PROFILE_FILE="$log-%1m.profraw" nice \
            "$OUT/fuzz" archives "$ROOT/tests/fuzz/archives.seeds" 25 $((RANDOM * 32768 + RANDOM))) >> "$log" 2>&1 || cp "$log.files/crash-archives" "$OUT/found/archives-$(date +%s)-$BASHPID-$round"
        round=$((round + 1))
    done
    awk '/^archives: / { n += $2 } END { print n + 0 }' "$log" > "$log.n"
}
# Prints the row of a target: its inputs, and what those that were kept reach, run once more.
row() {    # row TARGET SECONDS SOURCES
    local name="$1" program="$OUT/fuzz-$1" n covered found
    if [ "$name" = archives ]; then
        program="$OUT/fuzz"
    else
        options_of "$name"
        LLVM_PROFILE_FILE="$WORK/$name.profraw" "$program" -runs=0 -timeout=20 -rss_limit_mb=4096 "${options[@]}" "$OUT/corpus/$name" > "$WORK/$name.cover" 2>&1 || :
    fi
    "$profdata" merge -o "$WORK/$name.profdata" "$WORK/$name"[.-]*profraw 2> /dev/null || :
    covered=$("$cov" export -summary-only -instr-profile "$WORK/$name.profdata" "$program" 2> /dev/null | python3 -c '
import fnmatch, json, sys
try:
    files = json.load(sys.stdin)["data"][0]["files"]
    of = [f["summary"] for f in files if any(fnmatch.fnmatch(f["filename"], "*/src/" + p) for p in sys.argv[1].split())]
    print("\t".join("%.1f" % (100 * sum(f[k]["covered"] for f in of) / sum(f[k]["count"] for f in of)) for k in ("lines", "branches")))
except Exception:
    print("-\t-")' "$3")
    cat "$WORK/$name-"*[0-9] > "$OUT/$name.log"
    n=$(cat "$WORK/$name-"*.n | awk '{ n += $1 } END { print n }')
    found=$(find "$OUT/found" -name "$name-*" -newer "$WORK/began" | wc -l)
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$n" "$((n / $2))" "$covered" "$found"
}

touch "$WORK/began"
while read -r name processes each; do
    for k in $(seq "$processes"); do
        [ "$(jobs -r | wc -l)" -lt "$jobs" ] || wait -n || :
        if [ "$name" = archives ]; then
            archives "$each" "$WORK/archives-$k" &
        else
            mkdir -p "$OUT/corpus/$name"
            [ "$k" -gt 1 ] || "$OUT/fuzz" split "tests/fuzz/$name.seeds" "$OUT/corpus/$name"
            fuzz "$name" "$each" "$processes" "$WORK/$name-$k" &
        fi
    done
done < <(shares)
wait
printf 'target\tinputs\tper_s\tlines_percent\tbranches_percent\tfound\n'
while IFS=$'\t' read -r name _ sources; do
    [ "$(jobs -r | wc -l)" -lt "$jobs" ] || wait -n || :
    row "$name" "$(shares | awk -v name="$name" '$1 == name { print $2 * ($3 > 0 ? $3 : 1) }')" "$sources" > "$WORK/$name.row" &
done < <(targets)
wait
while IFS=$'\t' read -r name _; do cat "$WORK/$name.row"; done < <(targets)
[ -n "$(find "$OUT/found" -type f -newer "$WORK/began" -print -quit)" ] || exit 0
echo "# inputs that are findings: build/fuzz/found; run one by build/fuzz/fuzz TARGET -r FILE"
exit 1
