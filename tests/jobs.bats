#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# jobs/: the scripts outside Slurm, and inside a private Slurm cluster on this machine (minislurm.sh).
bats_require_minimum_version 1.5.0
load helpers

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
rows_of() { "$BUILD/run_keys" "$1" | grep -c ' ok$'; }
# until_seen TEXT FILE: waits until the job has printed TEXT.
until_seen() { for i in $(seq 600); do grep -qs -- "$1" "$2" && return 0; sleep 0.05; done; cat "$2"; return 1; }
# Options of a run slow enough that its first rows appear long before it ends.
SLOWLY=(--backend cpu -c csr-scalar -c ell -c coo --cache warm --time-cap 0.1 --rounds-cap 100)
long_list() { for n in $(seq 20 31); do "$BIN/spmv-gen" stencil points=5 n=$n --materialize -o "l$n.h5" > /dev/null; echo "l$n.h5"; done > long.txt; }
QUICKLY=(--backend cpu -c csr-scalar -c ell -c coo --cache warm --time-cap 0 --rounds-cap 3)

@test "outside Slurm the scripts print one line that says how to submit, exit 2" {
    run -2 --separate-stderr bash jobs/profile.sh
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "jobs/profile.sh: "*"sbatch jobs/profile.sh"*"without Slurm, run spmv-profile" ]]
    run -2 --separate-stderr jobs/collection.sh
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "jobs/collection.sh: missing matrices; usage: jobs/collection.sh LIST"* ]]
    mkdir few
    for p in bash dirname basename sed; do ln -s "$(command -v $p)" few/; done
    run -2 --separate-stderr env PATH="$PWD/few" "$(command -v bash)" jobs/collection.sh list.txt
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "jobs/collection.sh: sbatch not found"*"spmv-run -o all.h5 list.txt"* ]]
    run -2 --separate-stderr jobs/collection.sh --task x
    [[ "$stderr" == *"--task is only for jobs that jobs/collection.sh submits"* ]]
}

@test "missing matrices are listed with file and line, and nothing is submitted" {
    mkdir stand-in
    printf '#!/bin/sh\necho submitted >> %s\n' "$PWD/asked" > stand-in/sbatch
    chmod +x stand-in/sbatch
    printf 'm5.h5\nnone.mtx\n\ngone.mtx\n' > gaps.txt
    PATH="$PWD/stand-in:$PATH" run -1 --separate-stderr jobs/collection.sh gaps.txt --backend cpu
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "spmv-run: gaps.txt:2: 'none.mtx', gaps.txt:4: 'gone.mtx': No such file"* ]]
    PATH="$PWD/stand-in:$PATH" run -1 --separate-stderr jobs/collection.sh nolist.txt
    [[ "$stderr" == "spmv-run: cannot open nolist.txt: No such file"* ]]
    [ ! -e asked ]
    [ ! -e results ]
    rm bin
    PATH="$PWD/stand-in:$PATH" run -2 --separate-stderr jobs/collection.sh list.txt
    [[ "$stderr" == *"spmv-run not found; build it with make"* ]]
}

@test "collection.sh requests the GPU named by the site, otherwise any one GPU; CPU tasks and the merge job request none" {
    mkdir stand-in
    printf '#!/bin/sh\necho "gres ${SBATCH_GRES:-none}" "$@" >> %s\necho 7\n' "$PWD/asked" > stand-in/sbatch
    chmod +x stand-in/sbatch
    local PATH="$PWD/stand-in:$PATH"
    jobs/collection.sh list.txt -p f32,f64 > said
    grep -q '^# 6 items .* in 6 tasks, at most 8 at a time: job 7; then job 7 merges their archives into results/local/list/all.h5$' said
    grep -qE '^gres none .*--array=0-5%8 .*--gres=gpu:1 .*--task .* 6 list.txt -p f32,f64$' asked
    grep -qE '^gres none .*--dependency=afterany:7 .*--merge ' asked
    rm asked
    echo 'export SBATCH_GRES=gpu:h200:1 MERGE_SBATCH="--partition=cpu --qos=short"' > jobs/site.sh
    SPMVCAST_TASKS=2 SPMVCAST_AT_A_TIME=1 SPMVCAST_OUT=here jobs/collection.sh list.txt --backend cuda > said
    grep -qE '^gres gpu:h200:1 .*--array=0-1%1 ' asked
    run ! grep -- '--gres' asked
    grep -qE '^gres none .*--output=here/merge.out .*--partition=cpu --qos=short .*--merge ' asked
    rm asked
    for option in "--backend cpu" --backend=cpu; do
        # shellcheck disable=SC2086   # an option, alone or with its value
        jobs/collection.sh list.txt $option > said
    done
    [ "$(grep -c '^gres none ' asked)" -eq 4 ]
    run ! grep -- '--gres' asked
}

@test "profile.sh makes a profile in the tree or elsewhere; unbuilt trees, missing GPUs and make variables are errors" {
    need_slurm
    tiny=(--quick --backend cpu -p f64 --anonymous --max-bytes 16384)
    sbatch jobs/profile.sh "${tiny[@]}" > /dev/null
    mkdir elsewhere unbuilt
    (cd elsewhere && sbatch -o elsewhere.out ../jobs/profile.sh "${tiny[@]}" --name "my lab" > /dev/null)
    cp -r jobs unbuilt && (cd unbuilt && sbatch -o unbuilt.out jobs/profile.sh > /dev/null)
    sbatch --gres=none -o nogpu.out jobs/profile.sh > /dev/null
    sbatch -o words.out jobs/profile.sh QUICK=1 > /dev/null
    ended
    cat ./*.out ./*/*.out
    grep -q '^# done; spmv-predict now finds this profile' spmvcast-profile-*.out
    "$BIN/spmv-check" results/local/cpu-quick/profile.h5
    "$BIN/spmv-predict" --profile results/local/cpu-quick/profile.h5 m15.h5 > /dev/null
    [ "$(bin/spmv-info results/local/cpu-quick/runs.h5 | value_of provenance.1.slurm_job)" -ge 1 ]
    "$BIN/spmv-check" "results/local/my lab-quick/profile.h5"
    [ ! -e elsewhere/results ]
    grep -q 'no spmv-profile in .*unbuilt/jobs/../bin' unbuilt/unbuilt.out
    grep -q 'no GPU in this job; use sbatch --gres=gpu:N' nogpu.out
    grep -q "'QUICK=1': expected options of spmv-profile, e.g. --quick" words.out
}

@test "profile.sh works when installed, without the source tree, and reads site.sh next to it" {
    need_slurm
    mkdir -p "an inst/share/spmvcast" home work
    mv jobs "an inst/share/spmvcast/"
    cp -rL bin "an inst/bin"
    [ ! -d "$ROOT/lib/spmvcast" ] || { mkdir "an inst/lib"; cp -r "$ROOT/lib/spmvcast" "an inst/lib/"; }
    rm -r bin src
    echo 'echo "site read in $PWD"' > "an inst/share/spmvcast/jobs/site.sh"
    (cd work && HOME="$BATS_TEST_TMPDIR/home" XDG_DATA_HOME='' sbatch -o out "../an inst/share/spmvcast/jobs/profile.sh" --quick --backend=cpu -p f64 --max-bytes 16384 > /dev/null)
    ended
    cat work/out
    grep -q "^site read in .*/work$" work/out
    "an inst/bin/spmv-check" home/.local/share/spmvcast/profiles/cpu-quick/profile.h5
    [ "$(ls work)" = out ]
}

@test "profile.sh: each GPU of the allocation is a rank; an early stop requeues the job, which then continues" {
    need_slurm
    need_mpi
    rm bin; mkdir bin
    # a stand-in that prints its options and what its launcher starts, and stops early once
    cat > bin/spmv-profile <<'END'
#!/usr/bin/env bash
[[ " $* " != *" --where "* ]] || { echo results/local/a; exit; }
echo "options ${*%% -- *}" | sed 's/ -- .*//'
while [ "$1" != -- ]; do shift; done; shift
"$@" sh -c 'echo "rank $SLURM_PROCID sees $CUDA_VISIBLE_DEVICES"'
[ -e once ] || { touch once; exit 75; }
END
    chmod +x bin/spmv-profile
    mkdir -p results/local/{a,b}
    echo "n1 1 1" > results/local/a/runs.h5.lock                # names a node where this job is our only process
    echo "login 1 1" > results/local/b/runs.h5.lock             # belongs to another profile
    sbatch --nodes=2 --gres=gpu:2 -o out jobs/profile.sh -p "f64" > /dev/null
    ended
    [ ! -e results/local/a/runs.h5.lock ]
    [ -e results/local/b/runs.h5.lock ]
    cat out
    [ "$(grep -c '^options -p f64 --backend cuda$' out)" -eq 2 ]
    [ "$(grep '^rank ' out | sort -u)" = "$(printf 'rank %s sees 0,1\n' 0 1 2 3)" ]
    grep -q '^# stopped early; all measured rows are kept, and the next start of the job measures the rest' out
    grep -q '^# done' out
    # a lock of a host outside the cluster stays
    echo "login 1 1" > results/local/a/runs.h5.lock
    sbatch --gres=gpu:1 -o out2 jobs/profile.sh > /dev/null
    ended
    [ -e results/local/a/runs.h5.lock ]
}

@test "collection.sh: a list runs as an array with one archive per task and a merge; site.sh is read at submission and in jobs" {
    need_slurm
    echo 'echo "site read by ${SLURM_JOB_ID:-the login node}"; export SBATCH_JOB_NAME=ours' > jobs/site.sh
    run -0 --separate-stderr jobs/collection.sh list.txt "${QUICKLY[@]}"
    echo "$output; $stderr"
    [[ "${lines[0]}" == "site read by the login node" ]]
    [[ "${lines[1]}" == "# 3 items (one matrix in one precision each) in 3 tasks, at most 8 at a time: job "*"; then job "*" merges their archives into results/local/list/all.h5" ]]
    [[ "$(squeue -h -o %j)" == *ours* ]]
    ended
    cat results/local/list/*.out
    for k in 0 1 2; do [ "$(rows_of "results/local/list/task-$k.h5")" -eq 3 ]; done
    [ "$(rows_of results/local/list/all.h5)" -eq 9 ]
    grep -q 'all.h5: 9 rows, 3 matrices, 1 device, from 3 archives' results/local/list/merge.out
    grep -q '^site read by [0-9]' results/local/list/task-0.out
    # again with a directory: stored rows are not measured again; all.h5 becomes an input of the new one
    mkdir folder; mv m*.h5 folder/
    SPMVCAST_OUT=results/local/list SPMVCAST_TASKS=2 jobs/collection.sh folder "${QUICKLY[@]}" > /dev/null
    ended
    [ "$(rows_of results/local/list/all.h5)" -eq 9 ]
    tail -n 1 results/local/list/merge.out | grep -q 'from 4 archives'
}

@test "collection.sh: directories and matrices may have any name" {
    need_slurm
    mkdir 'a b;$(touch pwned)%a'
    cp m5.h5 'a b;$(touch pwned)%a/-x *.h5'
    cp m10.h5 'a b;$(touch pwned)%a/it'"'"'s.h5'
    SPMVCAST_OUT='out 100%a $(touch pwned)' run -0 jobs/collection.sh 'a b;$(touch pwned)%a' "${QUICKLY[@]}"
    ended
    [ "$(rows_of 'out 100%a $(touch pwned)/all.h5')" -eq 6 ]
    [ -e 'out 100%a $(touch pwned)/task-0.out' ]
    [ -z "$(find . -name pwned)" ]
}

@test "collection.sh: a terminated task is requeued, continues, and is merged at the end" {
    need_slurm
    long_list
    SPMVCAST_TASKS=1 jobs/collection.sh long.txt "${SLOWLY[@]}" > said
    until_seen '	ok	' results/local/long/task-0.out
    scancel --signal=TERM "$(sed 's/.*: job \([0-9]*\);.*/\1/' said)_0"
    ended
    cat results/local/long/*.out
    grep -q '^# stopped early' results/local/long/task-0.out
    grep -qE '^# ([1-9]|[12][0-9]|3[0-5]) of 36 rows already measured' results/local/long/task-0.out
    [ "$(rows_of results/local/long/all.h5)" -eq 36 ]
    [ ! -e results/local/long/task-0.h5.lock ]
}

@test "collection.sh: rows in the logs of a killed task are merged; the same command measures the rest" {
    need_slurm
    long_list
    SPMVCAST_TASKS=1 jobs/collection.sh long.txt "${SLOWLY[@]}" > said
    until_seen '	ok	' results/local/long/task-0.out
    kill -9 "$(cut -d' ' -f2 results/local/long/task-0.h5.lock)"
    ended
    cat results/local/long/*.out
    echo "elsewhere $(cut -d' ' -f2- results/local/long/task-0.h5.lock)" > lock      # as if on a node that is gone
    mv lock results/local/long/task-0.h5.lock
    [ ! -e results/local/long/task-0.h5 ]
    grep -q 'task-0.h5: the run is unfinished; read [0-9]* rows* from its logs' results/local/long/merge.out
    [ "$(rows_of results/local/long/all.h5)" -lt 36 ]
    SPMVCAST_TASKS=1 jobs/collection.sh long.txt "${QUICKLY[@]}" > said
    ended
    cat results/local/long/*.out
    grep -q '^# removed the stale lock results/local/long/task-0.h5.lock of job [0-9]*' results/local/long/task-0.out
    [ "$(rows_of results/local/long/all.h5)" -eq 36 ]
}
