#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Profiles this GPU type once, for everyone: all GPUs of the allocation, a rank each, as `make profile` does it.
# Submit it from the tree, built on the login node:
#     . jobs/site.sh; sbatch jobs/profile.sh [QUICK=1] [BACKEND=cpu] [PRECISIONS=f32,f64] [ANONYMOUS=1]
#     sbatch --nodes=2 --gres=gpu:4 jobs/profile.sh           8 ranks share the work
# Result: results/local/NAME/profile.h5. Two minutes before its time is up it stops, keeps its rows and goes back into the queue.
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

[ -n "${SLURM_JOB_ID:-}" ] || refuse "a Slurm job: submit it from the tree of spmvcast by \"sbatch jobs/profile.sh\" (\". jobs/site.sh\" before it, if there is one); without Slurm: make profile"
cd "$SLURM_SUBMIT_DIR"          # Slurm runs a copy of this file from its spool
[ -e jobs/profile.sh ] || refuse "$PWD is not the tree of spmvcast: cd to it, then sbatch jobs/profile.sh"
# shellcheck source=/dev/null
if [ -e jobs/site.sh ]; then . jobs/site.sh; fi
for p in gen run fit; do [ -x bin/spmv-$p ] || refuse "bin/spmv-$p is not built: make, on a login node or in a job with compilers"; done

case " $* " in *" BACKEND=cpu "*) per_node=1 ;; *) per_node=${SLURM_GPUS_ON_NODE:-0} ;; esac
[ "$per_node" -gt 0 ] || refuse "no GPU in this job: sbatch --gres=gpu:N jobs/profile.sh, or SBATCH_GRES in jobs/site.sh; BACKEND=cpu profiles the CPU"
if [ "$per_node" -gt 1 ]; then export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$((SLURM_CPUS_ON_NODE > per_node ? SLURM_CPUS_ON_NODE / per_node : 1))}; fi
# A lock that a job left on a node where none of ours runs any more holds nobody up.
for lock in results/local/*/runs.h5.lock; do
    if [ -e "$lock" ] && running=$(squeue -h --me -t running,completing,suspended -w "$(cut -d' ' -f1 "$lock" | cut -d. -f1)" -o %A) \
        && ! grep -qvx "$SLURM_JOB_ID" <<< "${running:-$SLURM_JOB_ID}"; then
        echo "# $lock is of a job that has ended: removed"
        rm -f "$lock"
    fi
done

# -o: what the login node built is taken as it is. make exits 2 whatever happened; its last line says what did.
said=$(mktemp)
status=0
{ LC_ALL=C make -o bin/spmv-gen -o bin/spmv-run -o bin/spmv-fit profile RANKS=$((SLURM_NNODES * per_node)) "$@" \
    MPIRUN="srun --nodes=$SLURM_NNODES --ntasks=$((SLURM_NNODES * per_node)) --ntasks-per-node=$per_node --overcommit --cpu-bind=none" \
    2>&1 >&3 | tee "$said" >&2; } 3>&1 || status=$?
if [ $status = 0 ]; then
    echo "# done: make predict MATRIX=x takes it; for everyone: cp it to PREFIX/share/spmvcast/profiles/NAME.h5"
elif grep -q 'Error 75$' "$said"; then
    status=75
    echo "# stopped early: the rows are kept; back into the queue, to go on"
    if [ "${SLURM_RESTART_COUNT:-0}" -ge "${SPMVCAST_RESTARTS:-20}" ] || ! scontrol requeue "$SLURM_JOB_ID"; then
        echo "# not queued again: submit it again, it goes on"
    fi
fi
rm -f "$said"
exit $status
