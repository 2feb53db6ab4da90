#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Times a collection of matrices as a job array, with one archive per task, and merges the archives when all tasks have ended. Call
# it on a login node; it checks the operands, then submits itself:
#     jobs/collection.sh LIST|DIR|MATRIX|RECIPES... [options of spmv-run]
#     jobs/collection.sh --status DIR             counts tasks and items that are done, running, missing; DIR: SPMVCAST_OUT
#     SPMVCAST_TASKS=200 SPMVCAST_AT_A_TIME=16 SPMVCAST_OUT=results/local/suitesparse jobs/collection.sh matrices.txt -p f32,f64 --time-cap 0.05
# SPMVCAST_TASKS (100): maximum number of tasks. SPMVCAST_AT_A_TIME (8): tasks that run at the same time. SPMVCAST_OUT (results/local/NAME
# of the first operand): directory for items.txt (each item and its task), task-K.h5, their output and the merged all.h5. jobs/site.sh: account, partition, GPUs, modules.
# A task close to its time limit stops, keeps its rows and is requeued, at most SPMVCAST_RESTARTS (20) times. Repeat the same call to
# measure what is missing: items keep their tasks, new ones are added. Files that cannot be read are skipped and recorded in the archives.
#SBATCH --job-name=spmvcast
#SBATCH --open-mode=append
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@300
#SBATCH --requeue
set -euo pipefail

say() { echo "# $*"; }
refuse() { echo "jobs/collection.sh: $*" >&2; exit 2; }
site() {        # site DIR: sources DIR/site.sh if it exists
    # shellcheck source=/dev/null
    if [ -e "$1/site.sh" ]; then . "$1/site.sh"; fi
}

# find_programs: sets here and programs, the directories of this script and of the programs it calls.
find_programs() {
    here=$(cd "$(dirname "$0")" && pwd)
    site "$here"
    programs=$(cd "$here/.." && pwd)/bin                        # of the source tree, or PREFIX/bin for PREFIX/share/spmvcast/jobs
    [ -x "$programs/spmv-run" ] || programs=$(cd "$here/../../.." && pwd)/bin
    local p
    for p in "$@"; do [ -x "$programs/spmv-$p" ] || refuse "$programs/spmv-$p not found; build it with make in the source tree"; done
}

# queue_of OUT: prints index and state of the tasks of its array that Slurm has not ended; nothing without squeue.
queue_of() { [ ! -e "$1/job" ] || ! command -v squeue > /dev/null || squeue -h -r -j "$(cat "$1/job")" -o '%K %T' 2> /dev/null || true; }

# submit OPERANDS... [OPTIONS...]: submits the array and the merge job from the login node, or nothing if an operand was not found.
submit() {
    local here programs items tasks array merge a skip='' gpu=1 operands=() options=() look=() work status=0
    # The merge job and CPU tasks request no GPU, even if the site sets one.
    local no_gpu=(env -u SBATCH_GRES -u SBATCH_GPUS -u SBATCH_GPUS_PER_NODE -u SBATCH_CPUS_PER_GPU) as_site=(env) ask=()
    command -v sbatch > /dev/null || refuse "sbatch not found; run this script on a Slurm login node; without Slurm, run spmv-run -o all.h5 $*"
    find_programs run merge
    local out=${SPMVCAST_OUT:-results/local/$(basename -- "$1" | sed 's/\.[^.]*$//')}
    while [ $# -gt 0 ] && [[ $1 != -* ]]; do operands+=("$1"); shift; done
    options=("$@")
    for a in "$@"; do                   # login nodes have no GPU: --dry-run uses the CPU
        case $skip$a in
        --backend) skip=--backend= ;;
        --backend=*) skip=''; [ "${a#--backend=}" != cpu ] || gpu=0 ;;
        *) look+=("$a") ;;
        esac
    done
    case $out in -*) out=./$out ;; esac
    [[ $out != *[\\$'\n']* ]] || refuse "invalid SPMVCAST_OUT=$out: Slurm does not support backslashes and line breaks in directory names"
    [ -z "$(queue_of "$out")" ] || refuse "job $(cat "$out/job") still measures into $out; how far it is: jobs/collection.sh --status $out;" \
        "to start anew, cancel it (scancel $(cat "$out/job")) and repeat the call"
    work=$(mktemp -d)
    # shellcheck disable=SC2064   # the directory of now
    trap "rm -rf '$work'" EXIT
    [ ! -e "$out/items.txt" ] || cp -- "$out/items.txt" "$work/"
    "$programs/spmv-run" "${operands[@]}" "${look[@]}" --backend cpu --dry-run --items "$work/items.txt" --share "${SPMVCAST_TASKS:-100}" \
        -o "$work/none.h5" > "$work/said" || status=$?
    [ $status = 0 ] || [ $status = 4 ] || exit $status
    # the tasks have no operands
    "$programs/spmv-run" "${look[@]}" --backend cpu --dry-run --items "$work/items.txt" --share 0/1 -o "$work/none.h5" > /dev/null 2>&1 \
        || [ $? != 2 ] || refuse "name the matrices before the options"
    grep -E '^# (the same matrix|left out|files skipped|.* of [0-9]+ files? w)' "$work/said" || true
    mkdir -p -- "$out"
    mv -- "$work/items.txt" "$out/items.txt"
    rm -f -- "$out"/task-*.status
    local log=${out//%/%%} merging=()                           # %a and %% are Slurm's
    read -ra merging <<< "${MERGE_SBATCH:-}"
    read -r items tasks <<< "$(awk -F'\t' '!/^#/ { items++; if ($1 >= tasks) tasks = $1 + 1 } END { print items + 0, tasks + 0 }' < "$out/items.txt")"
    [ "$items" -gt 0 ] || refuse "no items to measure; see the lines above"
    [ $gpu = 1 ] || as_site=("${no_gpu[@]}")
    [ $gpu = 0 ] || [ -n "${SBATCH_GRES:-}${SBATCH_GPUS:-}${SBATCH_GPUS_PER_NODE:-}" ] || ask=(--gres=gpu:1)
    array=$("${as_site[@]}" sbatch --parsable --array="0-$((tasks - 1))%${SPMVCAST_AT_A_TIME:-8}" --output="$log/task-%a.out" "${ask[@]}" \
        "$here/collection.sh" --task "$here" "$programs" "$out" "$tasks" "${options[@]}")
    array=${array%%;*}
    echo "$array" > "$out/job"
    merge=$("${no_gpu[@]}" sbatch --parsable --dependency="afterany:$array" \
        --output="$log/merge.out" --time=01:00:00 "${merging[@]}" "$here/collection.sh" --merge "$here" "$programs" "$out")
    say "$items items (one matrix in one precision each) in $tasks tasks, at most ${SPMVCAST_AT_A_TIME:-8} at a time: job $array; then job ${merge%%;*} merges their archives into $out/all.h5"
}

# unlock ARCHIVE: removes the lock if its job has ended, according to Slurm, or is an earlier start of this job; records this job as the
# owner.
unlock() {
    local owner running
    owner=$(cat "$1.job" 2> /dev/null || true)
    if [ -e "$1.lock" ] && [ -n "$owner" ] && running=$(squeue -h --me -t running,completing,suspended -o %A) \
        && { [ "$owner" = "$SLURM_JOB_ID" ] || ! grep -qx "$owner" <<< "$running"; }; then
        say "removed the stale lock $1.lock of job $owner"
        rm -f "$1.lock"
    fi
    [ -e "$1.lock" ] || echo "$SLURM_JOB_ID" > "$1.job"
}

# task DIR PROGRAMS OUT TASKS OPTIONS...: times this task's share of OUT/items.txt into OUT/task-K.h5, and leaves the exit status in
# OUT/task-K.status.
task() {
    local here=$1 programs=$2 items=$3/items.txt archive=$3/task-$SLURM_ARRAY_TASK_ID.h5 status=0
    local share=$SLURM_ARRAY_TASK_ID/$4; shift 4
    site "$here"
    unlock "$archive"
    rm -f -- "${archive%.h5}.status"
    srun --ntasks=1 --cpu-bind=none "$programs/spmv-run" "$@" --items "$items" --share "$share" -o "$archive" || status=$?
    [ $status != 4 ] || status=0        # skipped files are in the archive
    if [ $status = 75 ] && { [ "${SLURM_RESTART_COUNT:-0}" -ge "${SPMVCAST_RESTARTS:-20}" ] || ! scontrol requeue "$SLURM_JOB_ID"; }; then
        say "the job was not requeued; call jobs/collection.sh with the same operands to resume"
    fi
    [ -e "$archive.lock" ] || rm -f "$archive.job"
    echo $status > "${archive%.h5}.status"
    exit $status
}

# find_archives OUT: sets archives: those of OUT, also of tasks that have left only logs, if these hold rows.
find_archives() {
    local f alone
    shopt -s nullglob
    [ ! -e "$1/all.h5" ] || archives=("$1/all.h5")
    archives+=("$1"/task-*.h5)
    alone=$(mktemp -d)
    for f in "$1"/task-*.h5.log; do
        f=${f%.log}
        [ -e "$f" ] || ! "$programs/spmv-merge" -q -o "$alone/${f##*/}" "$f" > /dev/null 2>&1 || archives+=("$f")
    done
    rm -rf "$alone"
}

# merge DIR PROGRAMS OUT: runs after all tasks. A killed task may have left only a log, which spmv-merge reads by the name of its archive.
merge() {
    local here=$1 programs=$2 out=$3 archives=()
    site "$here"
    find_archives "$out"
    [ ${#archives[@]} -gt 0 ] || { echo "jobs/collection.sh: no task measured anything; see $out/task-*.out" >&2; exit 1; }
    "$programs/spmv-merge" -o "$out/all.h5" "${archives[@]}"
}

# any_started OUT: whether a task has left anything.
any_started() {
    local left
    shopt -s nullglob
    left=("$1"/all.h5 "$1"/task-*.{out,status,h5,h5.log})
    [ -e "${left[0]}" ] || [ ${#left[@]} -gt 1 ]
}

# status OUT: prints how many tasks and items are done.
status() {
    local out=$1 here programs archives=() work queue k state n=0 none=failed
    local -A count=([done]=0 [running]=0 [waiting]=0 [failed]=0)
    case $out in -*) out=./$out ;; esac
    [ -e "$out/items.txt" ] || refuse "$out/items.txt not found; name the directory of a collection (SPMVCAST_OUT)"
    find_programs merge query
    queue=$(queue_of "$out")
    if ! any_started "$out"; then
        none=waiting
        if [ -n "$queue" ]; then say "no task has started yet"; else say "no task has started yet, and no job of $out is in the queue; repeat the call that made it"; fi
    fi
    while read -r k; do
        state=$(sed -n "s/^$k //p" <<< "$queue")
        case $state in
        '') if [ "$(cat "$out/task-$k.status" 2> /dev/null)" = 0 ]; then state='done'; else state=$none; fi ;;
        PENDING | REQUEUE*) state=waiting ;;
        *) state=running ;;
        esac
        count[$state]=$((count[$state] + 1)); n=$((n + 1))
        if [ $state != failed ]; then continue; fi
        if [ -e "$out/task-$k.out" ]; then say "task $k did not finish; see $out/task-$k.out"; else say "task $k never started"; fi
    done < <(sed -n 's/^\([0-9]*\)\t.*/\1/p' "$out/items.txt" | sort -nu)
    say "tasks: ${count[done]} done, ${count[running]} running, ${count[waiting]} waiting, ${count[failed]} failed, of $n"
    find_archives "$out"
    work=$(mktemp -d)
    # shellcheck disable=SC2064   # the directory of now
    trap "rm -rf '$work'" EXIT
    : > "$work/known"
    if [ ${#archives[@]} -gt 0 ]; then
        "$programs/spmv-merge" -q -o "$work/all.h5" "${archives[@]}" > /dev/null
        "$programs/spmv-query" -f - "$work/all.h5" > "$work/known" << 'END'
SELECT file AS name, precision, '' AS reason FROM (SELECT DISTINCT source_id, precision FROM rows) JOIN files USING (source_id)
UNION SELECT DISTINCT matrix, precision, '' FROM rows WHERE source_id NOT IN (SELECT source_id FROM files WHERE source_id <> '')
UNION SELECT file, '', reason FROM files WHERE reason <> ''
END
    fi
    awk -F'\t' '/^#/ { next }
        FILENAME == ARGV[1] { if ($3 != "-" && FNR > 1) skipped[$1] = $3; else known[$1, $2] = 1; next }
        { n++ }
        $3 in skipped { skips++; why[$3] = skipped[$3]; next }
        ($3, $2) in known { measured++; next }
        { missing++; if (missing <= 10) print "# missing: " $3 ", " $2 }
        END { for (f in why) print "# skipped: " f (why[f] ~ /^is / ? " " : ": ") why[f] | "sort"; close("sort")
              printf "# items: %d measured, %d skipped, %d missing, of %d\n", measured, skips, missing, n }' "$work/known" - < "$out/items.txt"
}

case ${1:-} in
-h | --help) sed -n '3,/^#SBATCH/{/^#SBATCH/d; s/^# \{0,1\}//; p}' "$0" ;;
--status) [ $# -eq 2 ] || refuse "usage: jobs/collection.sh --status DIR"; status "$2" ;;
--task | --merge)
    [ -n "${SLURM_JOB_ID:-}" ] || refuse "$1 is only for jobs that jobs/collection.sh submits"
    cd "$SLURM_SUBMIT_DIR"
    role=${1#--}; shift
    "$role" "$@" ;;
"" | -*) refuse "missing matrices; usage: jobs/collection.sh LIST|DIR|MATRIX|RECIPES... [options of spmv-run], on a login node" ;;
*)
    [ -z "${SLURM_JOB_ID:-}" ] || refuse "call this script on a login node, not through sbatch or in a job; it submits itself"
    submit "$@" ;;
esac
