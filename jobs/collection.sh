#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Times a collection of matrices as a job array, with one archive per task, and merges the archives when all tasks have ended. Call
# it on a login node; it checks the operands, then submits itself:
#     jobs/collection.sh LIST|DIR|MATRIX|RECIPES... [options of spmv-run]
#     SPMVCAST_TASKS=200 SPMVCAST_AT_A_TIME=16 SPMVCAST_OUT=results/local/suitesparse jobs/collection.sh matrices.txt -p f32,f64 --time-cap 0.05
# SPMVCAST_TASKS (100): maximum number of tasks. SPMVCAST_AT_A_TIME (8): tasks that run at the same time. SPMVCAST_OUT (results/local/NAME
# of the first operand): directory for task-K.h5, their output and the merged all.h5. jobs/site.sh: account, partition, GPUs, modules.
# A task close to its time limit stops, keeps its rows and is requeued, at most SPMVCAST_RESTARTS (20) times. Repeat the same call to
# measure what is missing.
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

# submit OPERANDS...: submits the array and the merge job from the login node, or nothing if an operand was not found.
submit() {
    local here programs items tasks array merge a skip='' gpu=1 look=()
    # The merge job and CPU tasks request no GPU, even if the site sets one.
    local no_gpu=(env -u SBATCH_GRES -u SBATCH_GPUS -u SBATCH_GPUS_PER_NODE -u SBATCH_CPUS_PER_GPU) as_site=(env) ask=()
    command -v sbatch > /dev/null || refuse "sbatch not found; run this script on a Slurm login node; without Slurm, run spmv-run -o all.h5 $*"
    here=$(cd "$(dirname "$0")" && pwd)
    site "$here"
    programs=$(cd "$here/.." && pwd)/bin                        # of the source tree, or PREFIX/bin for PREFIX/share/spmvcast/jobs
    [ -x "$programs/spmv-run" ] || programs=$(cd "$here/../../.." && pwd)/bin
    for p in run merge; do [ -x "$programs/spmv-$p" ] || refuse "$programs/spmv-$p not found; build it with make in the source tree"; done
    local out=${SPMVCAST_OUT:-results/local/$(basename -- "$1" | sed 's/\.[^.]*$//')}
    for a in "$@"; do                   # login nodes have no GPU: --dry-run uses the CPU
        case $skip$a in
        --backend) skip=--backend= ;;
        --backend=*) skip=''; [ "${a#--backend=}" != cpu ] || gpu=0 ;;
        *) look+=("$a") ;;
        esac
    done
    items=$("$programs/spmv-run" "${look[@]}" --backend cpu --dry-run -o "${TMPDIR:-/tmp}/spmvcast-$$.h5" | sed -n 's/^# \([0-9]*\) items* .*/\1/p')
    case $out in -*) out=./$out ;; esac
    [[ $out != *[\\$'\n']* ]] || refuse "invalid SPMVCAST_OUT=$out: Slurm does not support backslashes and line breaks in directory names"
    mkdir -p -- "$out"
    local log=${out//%/%%} merging=()                           # %a and %% are Slurm's
    read -ra merging <<< "${MERGE_SBATCH:-}"
    tasks=$((items < ${SPMVCAST_TASKS:-100} ? items : ${SPMVCAST_TASKS:-100}))
    [ $gpu = 1 ] || as_site=("${no_gpu[@]}")
    [ $gpu = 0 ] || [ -n "${SBATCH_GRES:-}${SBATCH_GPUS:-}${SBATCH_GPUS_PER_NODE:-}" ] || ask=(--gres=gpu:1)
    array=$("${as_site[@]}" sbatch --parsable --array="0-$((tasks - 1))%${SPMVCAST_AT_A_TIME:-8}" --output="$log/task-%a.out" "${ask[@]}" \
        "$here/collection.sh" --task "$here" "$programs" "$out" "$tasks" "$@")
    array=${array%%;*}
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

# task DIR PROGRAMS OUT TASKS OPERANDS...: times this task's share of the items into OUT/task-K.h5.
task() {
    local here=$1 programs=$2 archive=$3/task-$SLURM_ARRAY_TASK_ID.h5 status=0
    local share=$SLURM_ARRAY_TASK_ID/$4; shift 4
    site "$here"
    unlock "$archive"
    srun --ntasks=1 --cpu-bind=none "$programs/spmv-run" "$@" --share "$share" -o "$archive" || status=$?
    if [ $status = 75 ] && { [ "${SLURM_RESTART_COUNT:-0}" -ge "${SPMVCAST_RESTARTS:-20}" ] || ! scontrol requeue "$SLURM_JOB_ID"; }; then
        say "the job was not requeued; call jobs/collection.sh with the same operands to resume"
    fi
    [ -e "$archive.lock" ] || rm -f "$archive.job"
    exit $status
}

# merge DIR PROGRAMS OUT: runs after all tasks. A killed task may have left only a log, which spmv-merge reads by the name of its archive.
merge() {
    local here=$1 programs=$2 out=$3 archives=() f
    site "$here"
    shopt -s nullglob
    [ ! -e "$out/all.h5" ] || archives=("$out/all.h5")
    archives+=("$out"/task-*.h5)
    for f in "$out"/task-*.h5.log; do [ -e "${f%.log}" ] || archives+=("${f%.log}"); done
    [ ${#archives[@]} -gt 0 ] || { echo "jobs/collection.sh: no task measured anything; see $out/task-*.out" >&2; exit 1; }
    "$programs/spmv-merge" -o "$out/all.h5" "${archives[@]}"
}

case ${1:-} in
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
