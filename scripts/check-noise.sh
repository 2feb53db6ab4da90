#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the detection of noise. Times the same rows three times: twice on an idle machine, once while a busy loop (or the command BUSY)
# runs. Idle: less than 2 % of the rows may be noisy. Busy: of the rows that differ from the idle time by more than 1.5x, more than 95 %
# must be noisy. Run it on an otherwise idle machine.
#   scripts/check-noise.sh     called by `make check-noise [NOISE_ARGS='...'] [BUSY='COMMAND']`; about 5 minutes
# Prints TSV: run rows ok noisy other noisy_percent off off_noisy off_percent seconds. Exits 1 if a limit is exceeded.
# Environment: NOISE_ARGS, options for spmv-run (default: the CPU device); BUSY, command to run meanwhile; SOURCES, matrices.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
PATH=$tree/bin:$PATH
read -r -a args <<<"${NOISE_ARGS:---backend cpu --cache warm,cold -p f32,f64}"
read -r -a sources <<<"${SOURCES:-stencil:points=5,n=60 stencil:points=7,n=50 stencil:points=27,n=40 dense:rows=700,cols=700 stencil:points=5,n=1200}"
dir=$(mktemp -d) busy_pid=''
trap 'rm -rf "$dir"; [ -z "$busy_pid" ] || kill "$busy_pid" 2>/dev/null || true' EXIT
cd "$dir"

timed() { SPMVCAST_ACCEPT_NOISE=0 spmv-run "${args[@]}" -o "$1.h5" "${sources[@]}" > "$1.tsv" 2> "$1.err" || { cat "$1.err" >&2; exit 1; }; }
# rows RUN: prints "matrix|configuration|precision|cache outcome time_us" for each row of the run, sorted.
rows() { awk -F'\t' '/^#/ { next } $1 == "matrix" { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["matrix"] "|" $at["config"] "|" $at["precision"] "|" $at["cache"], $at["outcome"], $at["time_us"] }' "$1.tsv" | sort; }
# verdict NAME REFERENCE SECONDS [BUSY]: prints the line of run NAME, compared with the idle run REFERENCE. Fails if 2 % of the rows or more
# are noisy; with BUSY instead if at most 95 % of the rows that are off are noisy.
verdict() {
    rows "$1" > new; rows "$2" > old
    join old new | awk -v name="$1" -v seconds="$3" -v busy="${4:-}" '
        $4 == "ok" || $4 == "noisy" { rows++; noisy += $4 == "noisy"; ok += $4 == "ok"
            if ($2 == "ok" && $5 + 0 > 0 && ($5 > 1.5 * $3 || $3 > 1.5 * $5)) { off++; seen += $4 == "noisy" }
            if ($2 == "ok" && !($5 + 0 > 0)) { off++; seen++ } next }
        { other++ }
        END {
            share = rows ? 100 * noisy / rows : 0; caught = off ? 100 * seen / off : 100
            printf "%s\t%d\t%d\t%d\t%d\t%.2f\t%d\t%d\t%.2f\t%d\n", name, rows, ok, noisy, other, share, off, seen, caught, seconds
            exit busy ? caught <= 95 : share >= 2
        }'
}
printf 'run\trows\tok\tnoisy\tother\tnoisy_percent\toff\toff_noisy\toff_percent\tseconds\n'
failed=0
for name in quiet quiet2 busy; do
    begun=$SECONDS
    if [ "$name" = busy ]; then
        bash -c "${BUSY:-while :; do :; done}" & busy_pid=$!
    fi
    timed "$name"
    verdict "$name" quiet $((SECONDS - begun)) "$busy_pid" || failed=1
    [ -z "${KEEP:-}" ] || cp "$name.tsv" "$KEEP"
done
exit $failed
