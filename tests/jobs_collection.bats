#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# jobs/collection.sh inside a private Slurm cluster on this machine.
bats_require_minimum_version 1.5.0
load helpers
load jobs

rows_of() { "$BUILD/run_keys" "$1" | grep -c ' ok$'; }
# until_seen TEXT FILE: waits until the job has printed TEXT.
until_seen() { for i in $(seq 600); do grep -qs -- "$1" "$2" && return 0; sleep 0.05; done; cat "$2"; return 1; }
# Options of a run slow enough that its first rows appear long before it ends.
SLOWLY=(--backend cpu -c csr-scalar -c ell -c coo --cache warm --time-cap 0.1 --rounds-cap 100)
long_list() { for n in $(seq 20 31); do "$BIN/spmv-gen" stencil points=5 n=$n --materialize -o "l$n.h5" > /dev/null; echo "l$n.h5"; done > long.txt; }
QUICKLY=(--backend cpu -c csr-scalar -c ell -c coo --cache warm --time-cap 0 --rounds-cap 3)

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
