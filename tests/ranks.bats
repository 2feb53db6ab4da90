#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-run with several MPI ranks.
bats_require_minimum_version 1.5.0
load helpers

FAULTY="$BUILD/run_faulty"
KEYS="$BUILD/run_keys"
RUN=(--backend cpu --time-cap 0 --rounds-cap 3 -c csr-scalar -c ell)
SOURCES=("stencil:points=5,n=10" "stencil:points=5,n=40" "constant:rows=64,cols=64,p=4" "constant:rows=640,cols=640,p=4")
setup() {
    need_mpi
    cd "$BATS_TEST_TMPDIR"
    export OMP_NUM_THREADS=1
}

@test "1 and 3 ranks write the same rows, each once, with one header on stdout" {
    spmv-run "${RUN[@]}" -p f32,f64 -o one.h5 "${SOURCES[@]}" > one
    mpi 3 spmv-run "${RUN[@]}" -p f32,f64 -o three.h5 "${SOURCES[@]}" > three
    [ "$("$KEYS" one.h5 | wc -l)" -eq 32 ]
    diff <("$KEYS" one.h5 | sort) <("$KEYS" three.h5 | sort)
    diff <("$KEYS" one.h5 sources | sort) <("$KEYS" three.h5 sources | sort)
    [ "$(grep -c ^matrix three)" -eq 1 ]
    [ "$(grep -c '	ok	' three)" -eq 32 ]
    grep -q "# 32 ok" three
    [ ! -e three.h5.log ]
    [ ! -e three.h5.lock ]
}

@test "a run of 3 ranks is resumed by 1 rank, and a run of 1 rank by 3" {
    mpi 3 spmv-run "${RUN[@]}" -o r.h5 "${SOURCES[@]:0:2}" > /dev/null
    spmv-run "${RUN[@]}" -o r.h5 "${SOURCES[@]}" > out
    grep -q "# 8 of 16 rows already measured" out
    mpi 2 spmv-run "${RUN[@]}" -p f32,f64 -o r.h5 "${SOURCES[@]}" > out
    grep -q "# 16 of 32 rows already measured" out
}

@test "with more ranks than items every item is measured once" {
    mpi 3 spmv-run "${RUN[@]}" -o r.h5 "${SOURCES[0]}" > out
    grep -q "# 4 ok" out
}

@test "a bad operand is reported once, by one rank" {
    run mpi 3 spmv-run "${RUN[@]}" -o r.h5 "${SOURCES[0]}" no.mtx
    [ "$status" -ne 0 ]
    [ "$(grep -c "no.mtx" <<<"$output")" -eq 1 ]
    [ ! -e r.h5.lock ]
    [ ! -e r.h5 ]
}

@test "SIGUSR1 to mpirun stops all ranks, which save their rows; the same command resumes" {
    local run=(spmv-run --backend cpu --time-cap 0.3 --rounds-cap 15 -c csr-scalar -c ell -o r.h5 "${SOURCES[@]}") pid status=0
    mpi 2 "${run[@]}" > out 2> err &
    for _ in {1..200}; do ! grep -qs '"ok"' r.h5.log/* || break; sleep 0.05; done
    pid="$(pgrep -P $! 'mpirun|prterun' || echo $!)"
    kill -USR1 "$pid"
    wait $! || status=$?
    [ "$status" -eq 75 ]
    [ -e r.h5 ]
    mpi 2 "${run[@]}" > out
    [[ "$(grep already out)" =~ ^"# "[1-9][0-9]*" of 16 rows already measured" ]]
    grep -q "^# [0-9]* ok, 0 na, 0 oom, 0 crashed, 0 wrong" out
}

@test "--dry-run prints an estimate for each rank" {
    run -0 --separate-stderr mpi 3 spmv-run "${RUN[@]}" --dry-run -o r.h5 "${SOURCES[@]}"
    [ "$(grep -c "^# rank [012]: about [0-9.]* s of it" <<<"$output")" -eq 3 ]
}

# bats test_tags=id:ranks-share-left
@test "a resumed run shares what is left: ranks that had measured all of theirs take items of others" {
    local item one two
    mapfile -t item < <(printf "constant:rows=640,cols=640,p=4,place=random,seed=%d\n" 1 2 3 4)
    about() { sed -n 's/^# rank 0: about \(.*[1-9].*\) s of it$/\1/p' out; }
    spmv-run "${RUN[@]}" -o r.h5 "${item[0]}" "${item[2]}" > out # the first rank's of two
    spmv-run "${RUN[@]}" --dry-run -o new.h5 "${item[0]}" > out
    one=$(about)
    spmv-run "${RUN[@]}" --dry-run -o new.h5 "${item[@]:0:2}" > out
    two=$(about)
    [ -n "$one" ]
    [ "$one" != "$two" ]
    mpi 2 spmv-run "${RUN[@]}" --dry-run -o r.h5 "${item[@]}" > out
    [ "$(grep -cx "# rank [01]: about $one s of it" out)" -eq 2 ] || { cat out; false; }
    # rows to measure again are left
    mpi 2 spmv-run "${RUN[@]}" --dry-run --again all -o r.h5 "${item[@]}" > out
    [ "$(grep -cx "# rank [01]: about $two s of it" out)" -eq 2 ] || { cat out; false; }
    mpi 2 spmv-run "${RUN[@]}" -o r.h5 "${item[@]}" > out
    grep -q "^# 8 of 16 rows already measured" out
}

# bats test_tags=id:ranks-share-elsewhere
@test "rows of another device leave everything: ranks share it equally" {
    local item whole
    need_python
    mapfile -t item < <(printf "constant:rows=640,cols=640,p=4,place=random,seed=%d\n" 1 2 3 4)
    about() { sed -n "s/^# rank $1: about \(.*\) s of it$/\1/p" out; }
    spmv-run "${RUN[@]}" -o r.h5 "${item[@]}" > out
    "$PYTHON" -c 'import h5py; r = h5py.File("r.h5", "r+")["rows"]; r["device_key"][...] = b"another"'
    "$BUILD/h5_damage" sign r.h5
    spmv-run "${RUN[@]}" --dry-run -o new.h5 "${item[@]:0:2}" > out
    whole=$(about 0)
    mpi 2 spmv-run "${RUN[@]}" --dry-run -o r.h5 "${item[@]}" > out
    [ "$(about 0) $(about 1)" = "$whole $whole" ] || { cat out; false; }
}

# bats test_tags=id:ranks-other-files
@test "ranks that do not find the same files are an error, and nothing is measured" {
    mkdir 0 1
    printf '%s\n' "${SOURCES[0]}" > 0/list.txt
    printf '%s\n' "${SOURCES[@]:0:2}" > 1/list.txt
    printf '#!/bin/sh\ncd "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c ell -o ../r.h5 list.txt\n' > there
    chmod +x there
    run mpi 2 ./there
    [ "$status" -ne 0 ]
    [[ "$output" == *"spmv-run: rank 1: 2 items, but 1 on rank 0; all ranks must find the same files"* ]]
    [ ! -e r.h5 ]
    [ ! -e r.h5.lock ]
}

@test "more cuda ranks than GPUs is an error with the counts and the way out" {
    FAKE_GPUS=2 run mpi 3 "$FAULTY" -c csr-scalar -o r.h5 "${SOURCES[0]}"
    [ "$status" -ne 0 ]
    [[ "$output" == *"3 cuda ranks on "*", which has 2 GPUs;"*"mpirun -n 2"* ]]
    [ ! -e r.h5 ]
    [ ! -e r.h5.lock ]
}

@test "with as many cuda ranks as GPUs each rank gets one GPU" {
    FAKE_GPUS=3 run -0 mpi 3 "$FAULTY" -c csr-scalar --dry-run -o r.h5 "${SOURCES[0]}"
    [[ "$output" == *"dry run on a GPU that is none"* ]]
}
