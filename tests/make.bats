#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What make makes anew: in a small tree under the real Makefile, with two programs and a library of two files.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/src/{base,gen,verify,device} bin
    cp "$ROOT/Makefile" tree/
    cp "$ROOT"/src/base/version.[ch] tree/src/base/
    cp "$ROOT"/src/device/cuda.map tree/src/device/
    cd tree
    echo 'int one(void); int one(void) { return 0; }' > src/base/one.c
    echo 'int two(void); int two(void) { return 0; }' > src/base/two.c
    echo 'int backend_cuda(void); int backend_cuda(void) { return 0; }' > src/device/cuda_none.c
    echo 'int backend_cuda(void);' > src/device/cuda.cu
    echo 'int one(void); int main(void) { return one(); }' > src/verify/check.c
    echo 'int one(void); int backend_cuda(void); int main(void) { return one() + backend_cuda(); }' > src/gen/gen.c
    # stand-ins: a C compiler of another name, one for CUDA, no GPU
    printf '#!/bin/sh\nexec cc "$@"\n' > ../bin/other-cc
    printf '#!/bin/sh\nfor a in "$@"; do [ "$last" = -o ] && out=$a; last=$a; done\necho "int two(void); int backend_cuda(void); int backend_cuda(void) { return two(); }" | cc -fPIC -x c -c -o "$out" -\n' > ../bin/nvcc
    printf '#!/bin/sh\nexit 9\n' > ../bin/nvidia-smi
    chmod +x ../bin/*
    mkdir ../lib64                      # what programs with CUDA link
    ar rcs ../lib64/libcudart_static.a
    ar rcs ../lib64/libstdc++.a
    PATH="$PWD/../bin:$PATH"
    unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS LDFLAGS CC CUDA_HOME
}

# made VARIABLES...: what make does, by its own words: "CC check.c, LINK spmv-check", in order of the alphabet; "" for nothing.
made() {
    make --no-print-directory MPICC= NVCC= "$@" > ../said 2>&1 || { cat ../said; return 1; }
    awk '/^  [A-Z]+  / { n = split($2, part, "/"); print $1, part[n] }' ../said | sort | paste -sd, | sed 's/,/, /g'
}
all_objects="CC check.c, CC cuda_none.c, CC gen.c, CC one.c, CC two.c, CC version.c"
all_archives="AR libspmvcast.a, AR libspmvdevice.a"
all_links="LINK spmv-check, LINK spmv-gen"

# bats test_tags=quick
@test "all once, then nothing" {
    [ "$(made)" = "$all_archives, $all_objects, $all_links" ]
    [ "$(made)" = "" ]
    bin/spmv-check
}

@test "a changed source, and one that is gone" {
    made > /dev/null
    touch -d '1 minute' src/base/two.c
    [ "$(made)" = "AR libspmvcast.a, CC two.c, $all_links" ]
    rm src/base/two.c
    [ "$(made)" = "$all_archives, $all_links" ]
    [ "$(ar t lib/libspmvcast.a)" = one.o ]
}

@test "other CFLAGS, another compiler: all is made anew, once" {
    made > /dev/null
    [ "$(made CFLAGS=-O1)" = "$all_archives, $all_objects, $all_links" ]
    [ "$(made CFLAGS=-O1)" = "" ]
    [ "$(made CFLAGS=-O1 CC=other-cc)" = "$all_archives, $all_objects, $all_links" ]
    [ "$(made CFLAGS=-O1 CC=other-cc)" = "" ]
    [ "$(made "CFLAGS=-O1 -DQUOTE=\"'\"" CC=other-cc)" = "$all_archives, $all_objects, $all_links" ]
    [ "$(made "CFLAGS=-O1 -DQUOTE=\"'\"" CC=other-cc)" = "" ]
    echo 'CFLAGS = -O2' > config.mk
    [ "$(made)" = "$all_archives, $all_objects, $all_links" ]
}

@test "other LDFLAGS: programs are linked anew, nothing is compiled" {
    made > /dev/null
    [ "$(made LDFLAGS=-s)" = "$all_links" ]
    [ "$(made LDFLAGS=-s)" = "" ]
}

@test "with nvcc, then without, then with: the library holds what it should; the GPU that is seen changes nothing" {
    made > /dev/null
    [ "$(made NVCC=nvcc)" = "AR libspmvcast.a, LINK libspmvdevice.so, $all_links, NVCC cuda.cu" ]
    [ "$(find lib -type f | sort | xargs)" = "lib/libspmvcast.a lib/spmvcast/libspmvdevice.so" ]
    bin/spmv-gen
    printf '#!/bin/sh\necho 9.0\n' > ../bin/nvidia-smi
    [ "$(made NVCC=nvcc)" = "" ]
    [ "$(made NVCC=nvcc ARCH=80)" = "LINK libspmvdevice.so, LINK spmv-gen, NVCC cuda.cu" ]
    [ "$(made)" = "$all_archives, $all_links" ]
    [ "$(ar t lib/libspmvdevice.a)" = cuda_none.o ]
    [ "$(find lib -type f | sort | xargs)" = "lib/libspmvcast.a lib/libspmvdevice.a" ]
    bin/spmv-gen
}

@test "a commit: one file is compiled, programs are linked; its name is in the program" {
    command -v git > /dev/null || skip "no git"
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    printf '/bin/\n/build/\n/lib/\n' > .gitignore
    made > /dev/null
    git init -q . && git add . && git commit -qm one
    [ "$(made)" = "CC version.c, $all_links" ]
    [ "$(made)" = "" ]
    grep -q "$(git rev-parse --short=12 HEAD)" build/base/version.o
    git commit -q --allow-empty -m two
    [ "$(made)" = "CC version.c, $all_links" ]
    echo >> .gitignore
    [ "$(made)" = "CC version.c, $all_links" ]
    grep -q "$(git rev-parse --short=12 HEAD)-dirty" build/base/version.o
}

# Stand-ins: what was measured is a line a run; spmv-run ends with the status in file ends.
@test "make profile: stopped early it goes on the next time, and fits only then; done, it measures nothing again" {
    unset BACKEND QUICK RANKS NAME MPIRUN
    mkdir bin
    printf '#!/bin/sh\nfor o; do [ "$last" = -o ] && : > "$o"; last=$o; done\n' > bin/spmv-gen
    printf '#!/bin/sh\nfor o; do [ "$last" = -o ] && echo row >> "$o"; last=$o; done\nexit "$(cat ends)"\n' > bin/spmv-run
    printf '#!/bin/sh\nfor o; do [ "$last" = -o ] && to=$o; last=$o; done\ncp "$o" "$to"\n' > bin/spmv-fit
    chmod +x bin/spmv-{gen,run,fit}
    profile() { make --no-print-directory MPICC= NVCC= BACKEND=cpu -o bin/spmv-gen -o bin/spmv-run -o bin/spmv-fit profile; }
    at=results/local/cpu
    echo 75 > ends
    for i in 1 2; do
        run profile
        [ "$status" -eq 2 ]
        [[ "$output" == *"Error 75"* ]]
        [ "$(wc -l < $at/runs.h5)" -eq $i ]
        [ ! -e $at/profile.h5 ]
    done
    echo 0 > ends
    profile
    [ "$(wc -l < $at/profile.h5)" -eq 3 ]
    profile
    [ "$(wc -l < $at/runs.h5)" -eq 3 ]
    echo 3 > ends                                           # wrong results: rows, fitted without
    rm $at/runs.h5
    run -0 profile
    [[ "$output" == *"some results were wrong"* ]]
    [ "$(wc -l < $at/profile.h5)" -eq 1 ]
}

@test "make measure, execute: without a profile of this machine they say how to make one, and start nothing" {
    for target in measure execute; do
        run -2 --separate-stderr make -n -C "$ROOT" $target MATRIX=stencil:points=5,n=9 BACKEND=cpu NAME=no-such-device
        [[ "$stderr" == *"no results/local/no-such-device/profile.h5: make profile BACKEND=cpu first"*"QUICK=1"* ]]
        [[ "$output" != *"--backend cpu"* ]]
    done
    [ ! -e "$ROOT/results/local/no-such-device" ]
}

# Stand-ins again: what spmv-run and spmv-speed are called with is told.
@test "make bench-gpu: matrices of folders by MIN_NNZ, the large recipes, then the tables, wrong results or not; without a GPU it says so" {
    unset BACKEND QUICK RANKS NAME MPIRUN MATRICES MIN_NNZ LARGE HUGE PEERS
    mkdir bin scripts matrices
    cp "$ROOT"/scripts/bench-gpu.* scripts/
    echo 250 > matrices/b.mtx; echo 99 > matrices/a.mtx; echo 100 > matrices/c.mtx.xz; echo 'no matrix' > matrices/notes.h5; echo 7 > matrices/list.txt
    printf '#!/bin/sh\n[ "$(cat "$2")" = "no matrix" ] || printf "name\\tm\\nnnz\\t%%s\\n" "$(cat "$2")"\n' > bin/spmv-info
    printf '#!/bin/sh\necho "$@" >> run.said\nexit "$(cat ends)"\n' > bin/spmv-run
    printf '#!/bin/sh\necho "tables: $*"\n' > bin/spmv-speed
    chmod +x bin/spmv-{info,run,speed}
    bench() { make --no-print-directory MPICC= NVCC= -o bin/spmv-info -o bin/spmv-run -o bin/spmv-speed bench-gpu "$@"; }
    echo 0 > ends
    run -2 --separate-stderr bench MATRICES=matrices
    [[ "$stderr" == *"no GPU here"*"bench-gpu"* ]]
    [ ! -e results ]
    printf '#!/bin/sh\n[ "$1" = -L ] && echo GPU 0 || echo NVIDIA Test\n' > ../bin/nvidia-smi
    at=results/local/test
    run -0 bench MATRICES="matrices stencil:points=5,n=9" MIN_NNZ=100
    [ "$(cat $at/bench-gpu.txt)" = "$(printf 'matrices/b.mtx\nmatrices/c.mtx.xz\nstencil:points=5,n=9')" ]
    [ "$(head -1 run.said)" = "--backend cuda --sweep default -p f32,f64 --cache warm,cold -o $at/bench-gpu.h5 $at/bench-gpu.txt scripts/bench-gpu.recipes" ]
    [[ "$(sed -n '2,$p' run.said)" == "--backend cuda -c csr-"*" -c cusparse-csr:alg=1,pre=1 "*" -p f32,f64 --cache warm,cold -o $at/bench-gpu.h5 scripts/bench-gpu.huge" ]]
    [[ "$output" == *"# matrices: 3 matrices, 1 of them below 100 nonzeros"*"tables: --min-nnz 100 $at/bench-gpu.h5"* ]]
    echo 3 > ends
    rm run.said
    run -0 bench MATRICES=matrices LARGE= PEERS="a.tsv b.tsv"
    [[ "$output" == *"some results were wrong"*"tables: --min-nnz 100000 --peers a.tsv --peers b.tsv $at/bench-gpu.h5"* ]]
    [ "$(tail -c 14 run.said)" = bench-gpu.txt ]
    [ "$(wc -l < run.said)" = 1 ]
    echo 75 > ends
    run -2 bench MATRICES=matrices
    [[ "$output" == *"Error 75"* && "$output" != *tables:* ]]
    run -2 bench MATRICES=matrices MIN_NNZ=many
    [[ "$output" == *"MIN_NNZ=many"* ]]
    mkdir none
    run -2 bench MATRICES=none
    [[ "$output" == *"none: no matrix in it"* ]]
}

@test "the large recipes of make bench-gpu are legal, of 10^8 nonzeros or more, and fit 32-bit offsets" {
    spmv-run --dry-run --backend cpu -o large.h5 "$ROOT/scripts/bench-gpu.recipes" "$ROOT/scripts/bench-gpu.huge" | awk -F'\t' '
        /^[a-z]+:/ { n++; if ($4 < 1e8 || $4 > 2^31 - 1) { print; bad = 1 } } END { exit bad || n < 5 }'
}

@test "NAME is the device's name as a fitted profile is called, without the maker's" {
    while read -r device; do
        printf '#!/bin/sh\n[ "$1" = -L ] && echo GPU 0 || echo "%s"\n' "$device" > ../bin/nvidia-smi
        run -0 make --no-print-directory MPICC= NVCC= --eval 'name: ; @echo $(NAME)' name
        name=$("$BUILD/geometry" plain "$device")
        [ "$output" = "${name#nvidia-}" ] || { echo "$device: '$output', not '${name#nvidia-}'"; false; }
    done <<'END'
NVIDIA H200
NVIDIA A100-SXM4-80GB
NVIDIA GeForce RTX 3090 Ti
Tesla V100-SXM2-16GB
Quadro RTX 6000
END
    run -0 "$BUILD/geometry" plain " NVIDIA GH200 (480 GB) "
    [ "$output" = nvidia-gh200-480-gb ]
}
