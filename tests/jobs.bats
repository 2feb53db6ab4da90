#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# jobs/: both scripts outside Slurm, and profile.sh inside a private Slurm cluster on this machine.
bats_require_minimum_version 1.5.0
load helpers
load jobs

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
    run -2 --separate-stderr jobs/collection.sh --status none
    [ "$stderr" = "jobs/collection.sh: none/items.txt not found; name the directory of a collection (SPMVCAST_OUT)" ]
    run -2 --separate-stderr jobs/collection.sh --task x
    [[ "$stderr" == *"--task is only for jobs that jobs/collection.sh submits"* ]]
}

@test "collection.sh --help prints its calls and variables" {
    local option
    for option in -h --help; do
        run -0 --separate-stderr "$ROOT/jobs/collection.sh" "$option"
        [ -z "$stderr" ]
        [[ "$output" == *"jobs/collection.sh LIST|DIR|MATRIX|RECIPES... [options of spmv-run]"* && "$output" == *"--status DIR"* && "$output" == *"SPMVCAST_OUT"* ]]
        [[ "$output" != *"#"* ]]
    done
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
    grep -qE '^gres none .*--array=0-5%8 .*--gres=gpu:1 .*--task .* 6 -p f32,f64$' asked
    [ "$(grep -vc '^#' results/local/list/items.txt)" -eq 6 ]
    touch results/local/list/task-2.out
    jobs/collection.sh --status results/local/list > said
    [ "$(grep -c '^# task [013-5] never started$' said)" -eq 5 ]
    grep -q '^# task 2 did not finish; see results/local/list/task-2.out$' said
    grep -q '^# tasks: 0 done, 0 running, 0 waiting, 6 failed, of 6$' said
    run -2 --separate-stderr jobs/collection.sh list.txt -p f32 m5.h5
    [ "$stderr" = "jobs/collection.sh: name the matrices before the options" ]
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

@test "collection.sh submits nothing while an earlier array of the directory is pending or running" {
    mkdir stand-in
    printf '#!/bin/sh\necho submitted >> %s\necho 7\n' "$PWD/asked" > stand-in/sbatch
    printf '#!/bin/sh\ncat %s\n' "$PWD/queue" > stand-in/squeue
    chmod +x stand-in/*
    local PATH="$PWD/stand-in:$PATH" out=results/local/list
    echo '1 RUNNING' > queue
    jobs/collection.sh list.txt --backend cpu > said
    cp $out/items.txt before
    echo 0 > $out/task-0.status
    run -2 --separate-stderr jobs/collection.sh list.txt --backend cpu -p f32,f64
    [ -z "$output" ]
    [ "$stderr" = "jobs/collection.sh: job 7 still measures into $out; how far it is: jobs/collection.sh --status $out; to start anew, cancel it (scancel 7) and repeat the call" ]
    [ "$(wc -l < asked)" -eq 2 ]
    [ "$(cat $out/task-0.status)" = 0 ]
    cmp before $out/items.txt
    SPMVCAST_OUT=elsewhere jobs/collection.sh list.txt --backend cpu > said
    : > queue
    jobs/collection.sh list.txt --backend cpu > said
    [ "$(wc -l < asked)" -eq 6 ]
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
