# SPDX-License-Identifier: BSD-3-Clause
# Shared by jobs.bats and jobs_collection.bats, which run in parallel since they mostly wait: a private Slurm cluster (minislurm.sh) for
# each file, and a tree for each test.
MINI="$ROOT/tests/minislurm.sh"
setup_file() {
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"      # srun starts MPI ranks: see mpi in helpers.bash
    export PATH="$PATH:/usr/sbin" NO_SLURM="" SLURM_CONF="$BATS_FILE_TMPDIR/c/slurm.conf"
    export MINISLURM_PORT=$((20000 + BASHPID % 1000 * 20))
    # jobs inherit all of these
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
    unset "${!SBATCH_@}" SLURM_JOB_ID
    local p
    for p in slurmctld slurmd sbatch srun; do command -v "$p" > /dev/null || NO_SLURM="no $p"; done
    [ "$(id -u)" -eq 0 ] || NO_SLURM="a cluster of one's own needs root"
    [ -n "$NO_SLURM" ] || unshare --uts --mount true 2> /dev/null || NO_SLURM="no leave to make namespaces"
    [ -z "$NO_SLURM" ] || return 0
    timeout 30 "$MINI" start "$BATS_FILE_TMPDIR/c" 2 2 > "$BATS_FILE_TMPDIR/start" 2>&1 && return 0
    NO_SLURM="the cluster does not start: $(grep . "$BATS_FILE_TMPDIR/start" | tail -n 1)"
    timeout 30 "$MINI" stop "$BATS_FILE_TMPDIR/c" > "$BATS_FILE_TMPDIR/stop" 2>&1 || true
}
teardown_file() { [ -n "$NO_SLURM" ] || "$MINI" stop "$BATS_FILE_TMPDIR/c"; }

# A tree with links to the built programs, and three matrices. The programs are not in PATH, as in a job.
setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir jobs
    cp "$ROOT"/jobs/{profile,collection}.sh jobs/
    mkdir src; cp "$ROOT/src/ROOMS" src/
    ln -s "$BIN" bin
    PATH=${PATH//"$BIN:"/}
    for n in 5 10 15; do "$BIN/spmv-gen" stencil points=5 n=$n --materialize -o "m$n.h5" > /dev/null; done
    ls m*.h5 > list.txt
}
need_slurm() { [ -z "$NO_SLURM" ] || skip "$NO_SLURM"; }
ended() { "$MINI" wait "$BATS_FILE_TMPDIR/c" 120 || { tail -n 50 ./*.out results/local/*/*.out; false; }; }
