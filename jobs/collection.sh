#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Times a collection of matrices as a job array, an archive a task, and merges them when all tasks have ended. Call it on a login
# node; it looks the operands through, then submits itself:
#     jobs/collection.sh LIST|FOLDER|MATRIX|RECIPES... [options of spmv-run]
#     SPMVCAST_TASKS=200 SPMVCAST_AT_A_TIME=16 SPMVCAST_OUT=results/local/suitesparse jobs/collection.sh matrices.txt -p f32,f64 --time-cap 0.05
# SPMVCAST_TASKS (100): tasks at most. SPMVCAST_AT_A_TIME (8): how many run side by side. SPMVCAST_OUT (results/local/NAME of the first operand): the folder for
# task-K.h5, their output and, merged, all.h5. jobs/site.sh: account, partition, GPUs, modules. A task whose time is nearly up
# stops, keeps its rows and goes back into the queue (SPMVCAST_RESTARTS times at most, 20). The same call again measures what is missing.
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
site() {        # of the folder this script lies in
    # shellcheck source=/dev/null
    if [ -e "$1/site.sh" ]; then . "$1/site.sh"; fi
}

# The login node: nothing is submitted before every operand was found.
submit() {
    local here programs items tasks array merge a skip='' gpu=1 look=()
    # The job that merges, and tasks on the CPU, take no GPU, whatever the site sets.
    local no_gpu=(env -u SBATCH_GRES -u SBATCH_GPUS -u SBATCH_GPUS_PER_NODE -u SBATCH_CPUS_PER_GPU) as_site=(env) ask=()
    command -v sbatch > /dev/null || refuse "no sbatch here: it submits Slurm jobs from a login node; without Slurm: spmv-run -o all.h5 $*"
    here=$(cd "$(dirname "$0")" && pwd)
    site "$here"
    programs=$(cd "$here/.." && pwd)/bin                        # the tree's, or PREFIX/bin of PREFIX/share/spmvcast/jobs
    [ -x "$programs/spmv-run" ] || programs=$(cd "$here/../../.." && pwd)/bin
    for p in run merge; do [ -x "$programs/spmv-$p" ] || refuse "$programs/spmv-$p is not there: in the source tree make builds it; then call it again"; done
    local out=${SPMVCAST_OUT:-results/local/$(basename -- "$1" | sed 's/\.[^.]*$//')}
    for a in "$@"; do                   # a login node has no GPU to look with
        case $skip$a in
        --backend) skip=--backend= ;;
        --backend=*) skip=''; [ "${a#--backend=}" != cpu ] || gpu=0 ;;
        *) look+=("$a") ;;
        esac
    done
    items=$("$programs/spmv-run" "${look[@]}" --backend cpu --dry-run -o "${TMPDIR:-/tmp}/spmvcast-$$.h5" | sed -n 's/^# \([0-9]*\) items* .*/\1/p')
    case $out in -*) out=./$out ;; esac
    [[ $out != *[\\$'\n']* ]] || refuse "SPMVCAST_OUT=$out: Slurm takes no backslash and no line break in a folder's name"
    mkdir -p -- "$out"
    local log=${out//%/%%} merging=()                           # Slurm's own %a and %%
    read -ra merging <<< "${MERGE_SBATCH:-}"
    tasks=$((items < ${SPMVCAST_TASKS:-100} ? items : ${SPMVCAST_TASKS:-100}))
    [ $gpu = 1 ] || as_site=("${no_gpu[@]}")
    [ $gpu = 0 ] || [ -n "${SBATCH_GRES:-}${SBATCH_GPUS:-}${SBATCH_GPUS_PER_NODE:-}" ] || ask=(--gres=gpu:1)
    array=$("${as_site[@]}" sbatch --parsable --array="0-$((tasks - 1))%${SPMVCAST_AT_A_TIME:-8}" --output="$log/task-%a.out" "${ask[@]}" \
        "$here/collection.sh" --task "$here" "$programs" "$out" "$tasks" "$@")
    array=${array%%;*}
    merge=$("${no_gpu[@]}" sbatch --parsable --dependency="afterany:$array" \
        --output="$log/merge.out" --time=01:00:00 "${merging[@]}" "$here/collection.sh" --merge "$here" "$programs" "$out")
    say "$items items (a matrix in one precision) in $tasks tasks, ${SPMVCAST_AT_A_TIME:-8} at a time: job $array; merged by job ${merge%%;*} into $out/all.h5"
}

# unlock ARCHIVE: a lock that a job left on another node is no more than that: Slurm knows which of our jobs still run.
unlock() {
    local owner running
    owner=$(cat "$1.job" 2> /dev/null || true)
    if [ -e "$1.lock" ] && [ -n "$owner" ] && running=$(squeue -h --me -t running,completing,suspended -o %A) \
        && { [ "$owner" = "$SLURM_JOB_ID" ] || ! grep -qx "$owner" <<< "$running"; }; then
        say "$1.lock is of job $owner, which has ended: removed"
        rm -f "$1.lock"
    fi
    [ -e "$1.lock" ] || echo "$SLURM_JOB_ID" > "$1.job"
}

# A task of the array.
task() {
    local here=$1 programs=$2 archive=$3/task-$SLURM_ARRAY_TASK_ID.h5 status=0
    local share=$SLURM_ARRAY_TASK_ID/$4; shift 4
    site "$here"
    unlock "$archive"
    srun --ntasks=1 --cpu-bind=none "$programs/spmv-run" "$@" --share "$share" -o "$archive" || status=$?
    if [ $status = 75 ] && { [ "${SLURM_RESTART_COUNT:-0}" -ge "${SPMVCAST_RESTARTS:-20}" ] || ! scontrol requeue "$SLURM_JOB_ID"; }; then
        say "not queued again: jobs/collection.sh with the same operands goes on"
    fi
    [ -e "$archive.lock" ] || rm -f "$archive.job"
    exit $status
}

# After all tasks: rows of tasks that were killed are in logs beside archives that may not be there yet.
merge() {
    local here=$1 programs=$2 out=$3 archives=() f
    site "$here"
    shopt -s nullglob
    [ ! -e "$out/all.h5" ] || archives=("$out/all.h5")
    archives+=("$out"/task-*.h5)
    for f in "$out"/task-*.h5.log; do [ -e "${f%.log}" ] || archives+=("${f%.log}"); done
    [ ${#archives[@]} -gt 0 ] || { echo "jobs/collection.sh: no task has measured anything: see $out/task-*.out" >&2; exit 1; }
    "$programs/spmv-merge" -o "$out/all.h5" "${archives[@]}"
}

case ${1:-} in
--task | --merge)
    [ -n "${SLURM_JOB_ID:-}" ] || refuse "$1 is for the jobs it submits itself"
    cd "$SLURM_SUBMIT_DIR"
    role=${1#--}; shift
    "$role" "$@" ;;
"" | -*) refuse "which matrices? jobs/collection.sh LIST|FOLDER|MATRIX|RECIPES... [options of spmv-run], on a login node: it submits itself" ;;
*)
    [ -z "${SLURM_JOB_ID:-}" ] || refuse "it submits itself: call it on a login node, not through sbatch or in a job"
    submit "$@" ;;
esac
