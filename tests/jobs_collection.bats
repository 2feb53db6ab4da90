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

@test "collection.sh --status: before any task has run it says so" {
    need_sqlite
    mkdir out
    "$BIN/spmv-run" m*.h5 -p f32,f64 --backend cpu --dry-run --items out/items.txt --share 2 -o none.h5 > /dev/null
    mkdir queue
    printf '#!/bin/sh\n[ ! -e queued ] || printf "0 PENDING\\n1 PENDING\\n"\n' > queue/squeue
    chmod +x queue/squeue
    PATH=$PWD/queue:$PATH
    counts=("# tasks: 0 done, 0 running, 2 waiting, 0 failed, of 2" "# missing: "{m10,m15,m5}.h5", "f{32,64} "# items: 0 measured, 0 skipped, 6 missing, of 6")
    run -0 jobs/collection.sh --status out
    diff <(printf '%s\n' "# no task has started yet, and no job of out is in the queue; repeat the call that made it" "${counts[@]}") - <<< "$output"
    echo 7 > out/job
    touch queued
    run -0 jobs/collection.sh --status out
    diff <(printf '%s\n' "# no task has started yet" "${counts[@]}") - <<< "$output"
    rm queued
    touch out/task-1.out
    run -0 jobs/collection.sh --status out
    [ "${lines[0]}, ${lines[1]}, ${lines[2]}" = "# task 0 never started, # task 1 did not finish; see out/task-1.out, # tasks: 0 done, 0 running, 0 waiting, 2 failed, of 2" ]
}

# bats test_tags=long
@test "collection.sh: of 40 files 6 cannot be read: they are in the merged archive and the report; --status counts; the same call measures what is missing" {
    need_slurm
    need_sqlite
    mkdir -p col/MM/G col/mixed
    diagonal() { printf '%%%%MatrixMarket matrix coordinate real general\n%% name: %s\n%d %d %d\n' "$1" "$2" "$2" "$2"; for i in $(seq "$2"); do echo "$i $i 2"; done; }
    for k in $(seq 10 43); do diagonal "G/m$k" "$k" > "col/MM/G/m$k.mtx"; done
    printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 2\n' > col/MM/G/complex.mtx
    gzip -c col/MM/G/m43.mtx | head -c 60 > col/MM/G/cut.mtx.gz
    diagonal G/late 50 | sed '$s/2$/x/' > col/MM/G/late.mtx
    head -c 5000 /dev/urandom > col/mixed/noise.h5
    echo "not a matrix" > col/mixed/text.mtx
    printf '\211HDF\r\n\032\n%1000s' x > col/mixed/damaged.h5
    export SPMVCAST_OUT=results/local/col
    SPMVCAST_TASKS=4 run -0 --separate-stderr jobs/collection.sh col "${QUICKLY[@]}" -p f32,f64
    [[ "${lines[0]}" == "# 5 of 40 files were skipped: G/complex.mtx, G/cut.mtx.gz, "* ]]
    [[ "${lines[1]}" == "# 80 items "*" in 4 tasks, "* ]]
    ended
    cat results/local/col/*.out
    [ "$(rows_of results/local/col/all.h5)" -eq $((34 * 2 * 3)) ]
    grep -q '^# 6 of 40 files were skipped: G/complex.mtx, G/cut.mtx.gz, G/late.mtx, damaged.h5, noise.h5, text.mtx$' results/local/col/merge.out
    "$BIN/spmv-report" -o page.html results/local/col/all.h5
    grep -q '6 of 40 files were skipped' page.html
    run -0 jobs/collection.sh --status results/local/col
    [[ "$output" == *"# tasks: 4 done, 0 running, 0 waiting, 0 failed, of 4"* ]]
    [[ "$output" == *"# skipped: G/complex.mtx: line 1: complex values are not supported"* ]]
    [[ "${lines[-1]}" == "# items: 68 measured, 12 skipped, 0 missing, of 80" ]]
    # two files are mended, one is added: what was dealt stays, and only these are measured
    cp results/local/col/items.txt before
    diagonal G/late 50 > col/MM/G/late.mtx; diagonal text 51 > col/mixed/text.mtx; diagonal G/new 52 > col/MM/G/new.mtx
    SPMVCAST_TASKS=4 jobs/collection.sh col "${QUICKLY[@]}" -p f32,f64 > /dev/null
    diff before <(grep -v 'new.mtx' results/local/col/items.txt)
    ended
    [ "$(rows_of results/local/col/all.h5)" -eq $((37 * 2 * 3)) ]
    [ "$(sed -n 's/^# \([0-9]*\) of \([0-9]*\) rows already measured$/\1 \2/p' results/local/col/task-?.out | awk '{ a += $1; b += $2 } END { print a, b }')" = "204 426" ]
    tail -n 3 results/local/col/merge.out | grep -q '^# 4 of 41 files were skipped'
    jobs/collection.sh --status results/local/col | grep -q '^# items: 74 measured, 8 skipped, 0 missing, of 82$'
}
