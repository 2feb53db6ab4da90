#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Profiles a GPU type with spmv-profile, on all GPUs of the allocation, one rank each.
# Submit it from the source tree, built on the login node, or from an installation (PREFIX/share/spmvcast/jobs):
#     . jobs/site.sh; sbatch jobs/profile.sh [options of spmv-profile: --quick, --backend cpu, -p LIST, --anonymous, -o DIR, ...]
#     sbatch --nodes=2 --gres=gpu:4 jobs/profile.sh           8 ranks share the work
# Writes NAME/profile.h5 in results/local of the tree, or in ~/.local/share/spmvcast/profiles, where spmv-predict finds it. Two minutes
# before its time limit it stops, keeps its rows and is requeued, at most SPMVCAST_RESTARTS (20) times.
#SBATCH --job-name=spmvcast-profile
#SBATCH --output=%x-%j.out
#SBATCH --open-mode=append
#SBATCH --nodes=1
#SBATCH --gres=gpu:1
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
set -euo pipefail

refuse() { echo "jobs/profile.sh: $*" >&2; exit 2; }

[ -n "${SLURM_JOB_ID:-}" ] || refuse "not in a Slurm job; submit it with \"sbatch jobs/profile.sh\" (first \". jobs/site.sh\", if it exists); without Slurm, run spmv-profile"

# Prints the directory of this script. Slurm runs a copy from its spool directory; scontrol knows the original path.
folder_of_script() {
    local command
    command=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's/^ *Command=//p')
    case $command in */profile.sh*) printf '%s\n' "${command%%/profile.sh*}" ;; esac
}
jobs=$(folder_of_script)
if [ -n "$jobs" ] && [ -e "$jobs/site.sh" ]; then
    # shellcheck source=/dev/null
    . "$jobs/site.sh"
fi
# Find spmv-profile: in bin/ of the tree, in PREFIX/bin if this script is in PREFIX/share/spmvcast/jobs, else in PATH.
program=''
for bin in "$jobs/../bin" "$jobs/../../../bin"; do
    if [ -n "$jobs" ] && [ -x "$bin/spmv-profile" ]; then program=$(cd "$bin" && pwd)/spmv-profile; break; fi
done
[ -n "$program" ] || program=$(command -v spmv-profile) ||
    refuse "no spmv-profile in ${jobs:-the directory of this script}/../bin, in PREFIX/bin or in PATH; build spmvcast with make on a login node, or install it"

for option in "$@"; do
    case $option in
    --) refuse "-- LAUNCHER is not supported; this job starts the ranks with srun, one per GPU" ;;
    -*) ;;
    [A-Z]*=*) refuse "'$option': expected options of spmv-profile, e.g. --quick --backend cpu -p f64 (see spmv-profile --help)" ;;
    esac
done
backend=cuda
case " $* " in *" --backend cpu "* | *" --backend=cpu "*) backend=cpu per_node=1 ;; *) per_node=${SLURM_GPUS_ON_NODE:-0} ;; esac
[ "$per_node" -gt 0 ] || refuse "no GPU in this job; use sbatch --gres=gpu:N jobs/profile.sh, set SBATCH_GRES in jobs/site.sh, or profile the CPU with --backend cpu"
if [ "$per_node" -gt 1 ]; then export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$((SLURM_CPUS_ON_NODE > per_node ? SLURM_CPUS_ON_NODE / per_node : 1))}; fi
set -- "$@" --backend "$backend"
folder=$("$program" "$@" --where)
# Remove a lock if no other job of this user runs on the node named in it: the job that took it has ended.
lock=$folder/runs.h5.lock
if [ -e "$lock" ] && running=$(squeue -h --me -t running,completing,suspended -w "$(cut -d' ' -f1 "$lock" | cut -d. -f1)" -o %A) \
    && ! grep -qvx "$SLURM_JOB_ID" <<< "${running:-$SLURM_JOB_ID}"; then
    echo "# removed the stale lock $lock"
    rm -f -- "$lock"
fi

status=0
"$program" "$@" -- srun --nodes="$SLURM_NNODES" --ntasks=$((SLURM_NNODES * per_node)) --ntasks-per-node="$per_node" --overcommit --cpu-bind=none || status=$?
if [ $status = 0 ]; then
    echo "# done; spmv-predict now finds this profile. To install it for all users: cp $folder/profile.h5 PREFIX/share/spmvcast/profiles/NAME.h5"
elif [ $status = 75 ]; then
    echo "# stopped early; all measured rows are kept, and the next start of the job measures the rest"
    if [ "${SLURM_RESTART_COUNT:-0}" -ge "${SPMVCAST_RESTARTS:-20}" ] || ! scontrol requeue "$SLURM_JOB_ID"; then
        echo "# the job was not requeued; submit it again to resume"
    fi
fi
exit $status
