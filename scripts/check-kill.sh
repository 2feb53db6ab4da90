#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Kills and resumes a run until it is done: spmv-run times three matrices that take at least 20 s each, all its processes are killed after
# a random 1 to 5 s (3 s on average), and the same command is repeated; with one rank and with three. Checks that the rows have the same
# keys as those of an undisturbed run, and that rounds logged before a kill are neither measured again nor lost.
#   scripts/check-kill.sh [SEED]     called by `make check-kill [SEED=n] [KILL_ARGS='...']`; about 10 minutes
# Prints TSV: ranks sources rows kills seconds rounds_kept rounds_twice samples_missing keys status. Exits 1 if a status is not ok.
# Environment: KILL_ARGS, options for spmv-run (default: the CPU device); TIME_CAP, seconds per row; RANKS, numbers of ranks (default "1 3").
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
PATH=$tree/bin:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SPMVCAST_ACCEPT_NOISE=1 OMP_WAIT_POLICY=passive
RANDOM=${1:-1}
read -r -a args <<<"${KILL_ARGS:---backend cpu --cache warm,cold}"
long=(--rounds-cap 100 --time-cap "${TIME_CAP:-1.2}")
sources=('stencil:points=5,n=600' 'stencil:points=7,n=60' 'stencil:points=27,n=40')
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

keys() { "$tree/build/tests/run_keys" "$1" | awk '{ NF--; print }' | sort; }
# Prints one line per round in the logs of the run: row, number, begun_s, samples.
rounds() {
    cat run.h5.log/*.log 2>/dev/null | grep -ao '"table":"rounds",[^}]*' |
        sed 's/.*"row":"\([0-9a-f]*\)","number":\([0-9]*\),"samples":\([0-9]*\),.*"begun_s":\([0-9.e+]*\),.*/\1 \2 \4 \3/' || true
}
group_gone() { for _ in $(seq 500); do pgrep -g "$1" > /dev/null || return 0; sleep 0.02; done; return 1; }

spmv-run "${args[@]}" --rounds-cap 3 --time-cap 0 -o whole.h5 "${sources[@]}" > /dev/null
keys whole.h5 > whole
all_ok=0
printf 'ranks\tsources\trows\tkills\tseconds\trounds_kept\trounds_twice\tsamples_missing\tkeys\tstatus\n'
for ranks in ${RANKS:-1 3}; do
    launch=(); [ "$ranks" -eq 1 ] || launch=(mpirun --oversubscribe --bind-to none -n "$ranks")
    rm -rf run.h5 run.h5.log seen; : > seen
    kills=0 begun=$SECONDS status=ok
    while :; do
        setsid "${launch[@]}" spmv-run "${args[@]}" "${long[@]}" -o run.h5 "${sources[@]}" > out 2> err & pid=$!
        pause=$((1000 + RANDOM % 4001))
        for ((waited = 0; waited < pause; waited += 50)); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
        if ! kill -0 "$pid" 2>/dev/null; then
            code=0; wait "$pid" || code=$?
            [ "$code" -eq 0 ] || { status="exit $code: $(tail -n 1 err)"; }
            break
        fi
        kill -9 -- "-$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        group_gone "$pid"
        pkill -9 -f "^spmv-run .*-o run.h5 ${sources[0]}" || true # ranks run in their own sessions
        kills=$((kills + 1))
        rounds >> seen
        if [ "$kills" -ge 1000 ]; then status="unfinished after 1000 kills"; break; fi
    done
    # A round is identified by its row and number; it was measured twice if two start times are logged for it.
    sort -u seen > once
    twice=$(awk '{ print $1, $2 }' once | uniq -d | wc -l)
    # Number of samples in the logs that are missing from the archive.
    missing=0
    if [ "$status" = ok ]; then
        kept=$(awk '{ n += $4 } END { print n + 0 }' once)
        in_rows=$("$tree/build/tests/run_keys" run.h5 samples)
        [ "$in_rows" -ge "$kept" ] || missing=$((kept - in_rows))
    fi
    same=same; keys run.h5 2>/dev/null | diff -q whole - > /dev/null || same=differ
    [ "$status" != ok ] || [ ! -e run.h5.log ] || status="logs remain"
    [[ "$status" = ok && "$same" = same && "$twice" -eq 0 && "$missing" -eq 0 ]] || { all_ok=1; [ "$status" != ok ] || status=wrong; }
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$ranks" "${#sources[@]}" "$(wc -l < whole)" "$kills" $((SECONDS - begun)) "$(wc -l < once)" \
        "$twice" "$missing" "$same" "$status"
done
exit $all_ok
