#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What make rebuilds, tested in a small tree under the real Makefile with two programs and a library of two files.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/src/{base,gen,verify,backend} bin
    cp -r "$ROOT"/{Makefile,make} tree/
    cp "$ROOT"/src/base/version.[ch] tree/src/base/
    cp "$ROOT"/src/backend/cuda.map tree/src/backend/
    cp "$ROOT"/src/ROOMS tree/src/
    cd tree
    echo 'int one(void); int one(void) { return 0; }' > src/base/one.c
    echo 'int two(void); int two(void) { return 0; }' > src/base/two.c
    echo 'int backend_cuda(void); int backend_cuda(void) { return 0; }' > src/backend/cuda_none.c
    echo 'int backend_cuda(void);' > src/backend/cuda.cu
    echo 'int one(void); int main(void) { return one(); }' > src/verify/check.c
    echo 'int one(void); int backend_cuda(void); int main(void) { return one() + backend_cuda(); }' > src/gen/gen.c
    # stand-ins: a C compiler of another name, a CUDA compiler, no GPU
    printf '#!/bin/sh\nexec cc "$@"\n' > ../bin/other-cc
    printf '#!/bin/sh\nfor a in "$@"; do [ "$last" = -o ] && out=$a; last=$a; done\necho "int two(void); int backend_cuda(void); int backend_cuda(void) { return two(); }" | cc -fPIC -x c -c -o "$out" -\n' > ../bin/nvcc
    printf '#!/bin/sh\nexit 9\n' > ../bin/nvidia-smi
    chmod +x ../bin/*
    mkdir ../lib64                      # libraries that programs with CUDA link
    ar rcs ../lib64/libcudart_static.a
    ar rcs ../lib64/libstdc++.a
    PATH="$PWD/../bin:$PATH"
    unset MAKEFLAGS MAKELEVEL MFLAGS ARCHFLAGS CFLAGS LDFLAGS CC CUDA_HOME
    unset BACKEND NAME QUICK DEVICE RANKS MPIRUN MATRIX MATRICES MIN_NNZ LARGE HUGE PEERS PREFIX DESTDIR T B
}

# made VARIABLES...: prints the steps that make announces, sorted: "CC check.c, LINK spmv-check"; "" if there are none.
made() {
    make --no-print-directory MPICC= NVCC= SQLITE= "$@" > ../said 2>&1 || { cat ../said; return 1; }
    awk '/^  [A-Z]+  / { n = split($2, part, "/"); print $1, part[n] }' ../said | sort | paste -sd, | sed 's/,/, /g'
}
all_objects="CC check.c, CC cuda_none.c, CC gen.c, CC one.c, CC two.c, CC version.c"
all_archives="AR libspmv.a, AR libspmvdevice.a"
all_links="LINK spmv-check, LINK spmv-gen"

# bats test_tags=quick
@test "the first make builds everything, the second one nothing" {
    [ "$(made)" = "$all_archives, $all_objects, $all_links" ]
    mkdir -p build/deb/fish/vendor_completions.d        # a folder, of make deb
    [ "$(made)" = "" ]
    bin/spmv-check
}

@test "a changed source is recompiled; a deleted one is removed from the library" {
    made > /dev/null
    touch -d '1 minute' src/base/two.c
    [ "$(made)" = "AR libspmv.a, CC two.c, $all_links" ]
    rm src/base/two.c
    [ "$(made)" = "$all_archives, $all_links" ]
    [ "$(ar t build/libspmv.a)" = one.o ]
}

@test "parts that are half there are left out, and make says which half is missing" {
    unset MPICC NVCC XGBOOST SQLITE
    printf '#!/bin/sh\nexit 1\n' | tee ../bin/mpicc > ../bin/nvcc
    printf '#!/bin/sh\ncase "$*" in *xgboost) echo -lno-such-xgboost ;; *sqlite3) echo -lno-such-sqlite ;; *[pP][eE][tT][sS][cC]) echo -lno-such-petsc ;; *) exit 1 ;; esac\n' > ../bin/pkg-config
    chmod +x ../bin/{mpicc,pkg-config}
    touch ../sqlite3.h
    mkdir ../xgboost
    touch ../xgboost/c_api.h
    run -0 make --no-print-directory -n EXTRA_CPP="-I.. -nostdinc" all
    [[ "$output" == *"built without XGBoost (xgboost/c_api.h is found, but not its library): "* ]] || { echo "$output"; false; }
    [[ "$output" == *"built without SQLite (sqlite3.h is found, but not its library): spmv-query "* ]]
    [[ "$output" == *"built without MPI: "*"/bin/mpicc finds no mpi.h; "* ]]
    [[ "$output" == *"built without CUDA kernels: "*"/bin/nvcc finds no cusparse.h "* ]]
    run -2 make --no-print-directory build/petsc.by
    [[ "$output" == *"make petsc: "*"/bin/mpicc finds no mpi.h; run install-deps.sh petsc, or set MPICC"* ]] || { echo "$output"; false; }
    run -2 make --no-print-directory build/petsc.by MPICC=cc
    [[ "$output" == *"make petsc: pkg-config finds PETSc, but its header petscconf.h is missing; "* ]] || { echo "$output"; false; }
    touch petscconf.h
    run -2 make --no-print-directory build/petsc.by MPICC=cc CPPFLAGS=-I.
    [[ "$output" == *"make petsc: pkg-config finds PETSc, but its library is missing (-lno-such-petsc); "* ]] || { echo "$output"; false; }
}

# bats test_tags=long
@test "other CFLAGS or another compiler cause one complete rebuild" {
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

@test "other LDFLAGS relink the programs without compiling" {
    made > /dev/null
    [ "$(made LDFLAGS=-s)" = "$all_links" ]
    [ "$(made LDFLAGS=-s)" = "" ]
}

@test "switching nvcc on and off replaces the library's contents; the GPU found at build time has no effect" {
    made > /dev/null
    [ "$(made NVCC=nvcc)" = "AR libspmv.a, LINK libspmvdevice.so, $all_links, NVCC cuda.cu" ]
    [ "$(find lib -type f | sort | xargs)" = "lib/spmvcast/libspmvdevice.so" ]
    bin/spmv-gen
    printf '#!/bin/sh\necho 9.0\n' > ../bin/nvidia-smi
    [ "$(made NVCC=nvcc)" = "" ]
    [ "$(made NVCC=nvcc ARCH=80)" = "LINK libspmvdevice.so, LINK spmv-gen, NVCC cuda.cu" ]
    [ "$(made)" = "$all_archives, $all_links" ]
    [ "$(ar t lib/libspmvdevice.a)" = cuda_none.o ]
    [ "$(find lib -type f | sort | xargs)" = "lib/libspmvdevice.a" ]
    bin/spmv-gen
}

@test "a commit recompiles one file and relinks; the programs contain the commit's hash" {
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

# stand_in_programs: the pipeline's programs in bin/; each appends its arguments to the file "said", one per line, and creates its -o file.
stand_in_programs() {
    mkdir -p bin scripts
    cp "$ROOT"/scripts/{verify.sh,report.sh,find-profile.bash} scripts/
    for p in gen run fit predict plan execute verify report; do
        printf '#!/bin/sh\nfor o; do printf "%%s\\n" "%s: $o" >> said; [ "$last" = -o ] && : > "$o"; last=$o; done\necho "# 1 ok, 0 na"\nexit 0\n' $p > bin/spmv-$p
    done
    cp "$ROOT"/src/fit/profile.sh bin/spmv-profile
    chmod +x bin/spmv-*
}
# with_programs VARIABLES AND GOALS...: runs make without rebuilding the stand-ins.
with_programs() {
    rm -f said
    # hardly anything is built, so libraries are not searched for
    make --no-print-directory MPICC= NVCC= XGBOOST= SQLITE= HDF5_HOME=/usr -o bin/spmv-gen -o bin/spmv-run -o bin/spmv-fit -o bin/spmv-predict -o bin/spmv-plan -o bin/spmv-execute -o bin/spmv-verify -o bin/spmv-profile -o bin/spmv-info -o bin/spmv-speed -o bin/spmv-report "$@"
}
argument() { grep -qxF -- "$1" said || { cat said; return 1; }; }       # "program: argument"

# bats test_tags=quick
@test "make profile runs spmv-profile with the make variables as options" {
    stand_in_programs
    with_programs profile BACKEND=cpu QUICK=1 PRECISIONS=f64 ANONYMOUS=1 NAME=mine RANKS=2 MPIRUN='env A=1'
    for a in "run: cpu" "run: --anonymous" "run: quick" "run: f64" "run: results/local/mine-quick/runs.h5" "fit: mine-quick" "fit: --anonymous"; do argument "$a"; done
    [ -e results/local/mine-quick/profile.h5 ]
    with_programs profile BACKEND=cpu QUICK=1 MODELS=all NAME=every
    for a in "gen: wang2017-regimes" "fit: all"; do argument "$a"; done
    run -2 with_programs profile BACKEND=cpu PRECISIONS=f16
    [[ "$output" == *"'f16' is not one of f32|f64"* ]]
}

# The same variables must give predict, plan, execute, measure and verify the same profile.
# bats test_tags=long
@test "BACKEND, NAME and QUICK name the same files in every target; a missing file is named with the target that creates it" {
    stand_in_programs
    for words in "BACKEND=cpu:cpu" "BACKEND=cpu QUICK=1:cpu-quick" "QUICK=1:cpu-quick" "NAME=lab:lab" "NAME=lab BACKEND=cpu QUICK=1:lab-quick"; do
        at=results/local/${words#*:}
        read -ra given <<< "${words%:*}"
        for target in predict plan execute measure; do
            run -2 --separate-stderr with_programs $target MATRIX=m "${given[@]}"
            [[ "$stderr" == *"make $target: $at/profile.h5 not found; create it with: make profile "* ]] || { echo "$target $words: $stderr"; false; }
            for w in "${given[@]}"; do [[ "$stderr" == *"make profile"*"$w"* ]]; done
            [ ! -e said ]
            [ ! -e results ]
        done
        run -2 --separate-stderr with_programs verify "${given[@]}"
        [[ "$stderr" == *"make verify: $at/profile.h5 not found; create it with: make profile "* ]]
        mkdir -p "$at"; touch "$at/profile.h5"
        with_programs predict MATRIX=m "${given[@]}"; argument "predict: $at/profile.h5"
        with_programs plan MATRIX=m "${given[@]}"; argument "plan: $at/profile.h5"
        with_programs execute MATRIX=m "${given[@]}"; argument "plan: $at/profile.h5"; argument "execute: $at/plan.h5"; argument "execute: $at/executed.h5"
        run -2 --separate-stderr with_programs verify "${given[@]}"
        [[ "$stderr" == *"make verify: $at/measured.h5 not found; create it with: make measure MATRIX=FILE "* ]]
        with_programs measure MATRIX=m "${given[@]}"; argument "run: $at/measured.h5"; argument "predict: $at/profile.h5"
        with_programs verify "${given[@]}"; argument "verify: $at/profile.h5"; argument "verify: $at/measured.h5"
        rm -r results
    done
}

@test "DEVICE names a profile in results/local or results, or a file; without it predict selects a profile and verify uses results/h200" {
    stand_in_programs
    with_programs predict MATRIX=m DEVICE=h200; argument "predict: --profile"; argument "predict: h200"
    with_programs plan MATRIX=m DEVICE=h200; argument "plan: h200"
    with_programs predict MATRIX=m
    run ! grep -q 'predict: --profile' said
    run -2 --separate-stderr with_programs verify DEVICE=x
    [[ "$stderr" == *"make verify: no profile 'x': results/local/x/profile.h5"* ]]
    mkdir -p results/local/x results/h200 far
    touch results/local/x/profile.h5 results/h200/{profile,matrices,matrices2}.h5 far/{other,measured}.h5
    run -2 --separate-stderr with_programs verify DEVICE=x
    [[ "$stderr" == *"make verify: results/local/x/measured.h5 not found; create it with: make measure MATRIX=FILE NAME=x"* ]]
    [ ! -e said ]
    touch results/local/x/measured.h5
    with_programs verify DEVICE=x BY=kernel; argument "verify: results/local/x/profile.h5"; argument "verify: results/local/x/measured.h5"; argument "verify: kernel"
    with_programs verify DEVICE=far/other.h5; argument "verify: far/other.h5"; argument "verify: far/measured.h5"
    run -0 --separate-stderr with_programs verify
    [[ "$stderr" == *"using results/h200"* ]]
    argument "verify: results/h200/matrices2.h5"
    touch results/h200/held-out.h5 # of matrices that the profile was not fitted to
    with_programs verify
    argument "verify: results/h200/held-out.h5"
    run ! argument "verify: results/h200/matrices2.h5"
    run -2 --separate-stderr with_programs predict MATRIX=m DEVICE=h200 BACKEND=cpu
    [[ "$stderr" == *"DEVICE and BACKEND are mutually exclusive"* ]]
    for wrong in BACKEND=gpu QUICK=0; do
        run -2 --separate-stderr with_programs plan MATRIX=m "$wrong"
        [[ "$stderr" == *"invalid $wrong: "* ]]
    done
    run -2 --separate-stderr with_programs plan NAME=x
    [[ "$stderr" == *"missing MATRIX: make plan MATRIX=FILE"* ]]
}

@test "make report takes the profile as make verify does, the archives next to it, and with MATRIX only the forecasts" {
    stand_in_programs
    mkdir -p results/local/x results/h200
    touch results/local/x/{profile,measured,forecasts}.h5 results/h200/{profile,matrices,matrices2,held-out,forecasts,bench}.h5
    run -0 --separate-stderr with_programs report
    [[ "$stderr" == *"using results/h200"* ]]
    for a in results/h200/{profile,matrices,matrices2,held-out,forecasts}.h5 results/local/report.html f64; do argument "report: $a"; done
    [ "$(grep -c 'h5$' said)" -eq 5 ]
    with_programs report DEVICE=x PAGE="a b.html" PRECISION=f32
    for a in results/local/x/{profile,measured,forecasts}.h5 "a b.html" f32; do argument "report: $a"; done
    with_programs report DEVICE=x MATRIX="m 1.mtx"
    for a in results/local/x/{profile,forecasts}.h5 --matrix "m 1.mtx"; do argument "report: $a"; done
    [ "$(grep -c 'h5$' said)" -eq 2 ]
    with_programs report NAME=x; argument "report: results/local/x/profile.h5"; argument "report: results/local/x/report.html"
    run -2 --separate-stderr with_programs report NAME=none
    [[ "$stderr" == *"results/local/none/profile.h5 not found"* ]]
    run -2 --separate-stderr with_programs report DEVICE=none
    [[ "$stderr" == *"make report: no profile 'none'"* ]]
}

# bats test_tags=quick
@test "a command-line variable that no goal accepts is an error that lists the accepted ones" {
    stand_in_programs
    for case in "predict MATRX=x" "predict MATRIX=x PRECISIONS=f32" "execute MATRIX=x DEVICE=h200" "all QUICK=1" "clean T=x" "verify MATRIX=x" "build/libspmv.a MODEL=m"; do
        read -ra words <<< "$case"
        run -2 --separate-stderr with_programs -n "${words[@]}"
        wrong=${words[-1]%%=*}
        [[ "$stderr" == *"make ${words[0]} does not take $wrong; it takes "*"every target, V CC "* ]] || { echo "$case: $stderr"; false; }
        [ -z "$output" ]
    done
    [[ "$(with_programs -n predict X=1 2>&1 || true)" == *"it takes BACKEND CACHE DEVICE MATRIX MODEL NAME PRECISION QUICK TOP "* ]]
    # several goals accept the variables of each goal, and every target accepts the build variables
    with_programs -n all verify BY=kernel CFLAGS=-O1 V=1 ARCHFLAGS= LDFLAGS=-s > out
    # a make called in a recipe accepts its own variables
    MAKELEVEL=1 with_programs -n all QUICK=1 > out
}

# Names that a shell or make would interpret.
hostile() {
    printf '%s\n' "a b" "it's" 'q"q' '$HOME' '$(touch pwned)' '`touch pwned`' 'x;touch pwned' 'x|y&z' 'h#h' '50%' '*' '-x' '~' 'back\slash' '$(shell touch pwned)' '$$(touch pwned)' '${HOME}' '(b)' 'a=b' '!x' '%p' 's '
}
# bats test_tags=long
@test "values of variables reach the programs unchanged, neither expanded nor executed" {
    stand_in_programs
    touch other                         # what * would expand to
    hostile > names
    [ "$(wc -l < names)" -gt 20 ]
    while IFS= read -r name; do
        mkdir -p "results/local/${name#-}" results/local/cpu
        touch results/local/cpu/profile.h5 "results/local/${name#-}/profile.h5"
        with_programs predict "MATRIX=$name" "MODEL=$name" "TOP=$name" "PRECISION=$name" "DEVICE=$name" < /dev/null
        [ "$(grep -cxF -- "predict: $name" said)" -eq 5 ] || { echo "predict $name"; cat said; false; }
        with_programs execute measure verify "MATRIX=$name" "EXEC=$name" "PRECISIONS=$name" "BY=$name" BACKEND=cpu < /dev/null > out
        for p in plan execute run predict verify; do argument "$p: $name"; done
        [ "$(grep -cxF -- "execute: $name" said)" -eq 1 ]
        [ "$(grep -cxF -- "plan: $name" said)" -eq 2 ]
        [ "$(grep -cxF -- "run: $name" said)" -eq 2 ]
        if [[ "$name" != [-.]* ]]; then
            with_programs plan "MATRIX=$name" "NAME=$name" < /dev/null
            argument "plan: results/local/$name/profile.h5"
        fi
        # values from the environment are not expanded either
        MATRIX=$name DEVICE=$name with_programs predict < /dev/null
        [ "$(grep -cxF -- "predict: $name" said)" -eq 2 ]
    done < names
    [ -z "$(find . -name pwned)" ]
    run -2 --separate-stderr with_programs predict "MATRIX=a
touch pwned"
    [[ "$stderr" == *"MATRIX: line breaks are not supported"* ]]
    [ ! -e pwned ]
    for v in BACKEND QUICK ANONYMOUS; do
        run -2 with_programs profile BACKEND=cpu "$v=\$(shell touch pwned)" < /dev/null
        run -2 with_programs profile BACKEND=cpu "$v=1;touch pwned" < /dev/null
    done
    run -2 with_programs profile "NAME=../x" < /dev/null
    [ ! -e pwned ]
}

@test "lists, tests and directories given to make may contain shell metacharacters" {
    stand_in_programs
    printf '#!/bin/sh\n[ "$1" = -L ] && echo GPU 0 || echo NVIDIA Test\n' > ../bin/nvidia-smi
    cp "$ROOT"/scripts/bench-gpu.* scripts/
    printf '#!/bin/sh\nfor o; do printf "%%s\\n" "speed: $o" >> said; done\n' > bin/spmv-speed; cp bin/spmv-speed bin/spmv-info; chmod +x bin/*
    with_programs bench-gpu 'MATRICES=a;touch$IFS""pwned $(touch${IFS}pwned) -x' 'PEERS=p;q `r`' LARGE= 'NAME=a b;c' > out
    [ "$(cat "results/local/a b;c/bench-gpu.txt")" = "$(printf '%s\n' 'a;touch$IFS""pwned' '$(touch${IFS}pwned)' -x)" ]
    argument 'speed: p;q'; argument 'speed: `r`'; argument 'speed: results/local/a b;c/bench-gpu.h5'
    run -2 with_programs bench-gpu 'MIN_NNZ=1;touch pwned' MATRICES=m
    printf '#!/bin/sh\nfor o; do printf "%%s\\n" "prove: $o"; done > said\n' > ../bin/prove; chmod +x ../bin/prove
    with_programs check-now HDF5_HOME= 'T=a;touch$IFS""pwned $(touch${IFS}pwned)' 'TEST_JOBS=1;touch pwned' > out
    argument 'prove: a;touch$IFS""pwned'; argument 'prove: $(touch${IFS}pwned)'; argument 'prove: -j1;touch pwned'
    [ -z "$(find .. -name pwned)" ]
}

@test "HDF5 in /usr does not put the C headers before those of C++" {
    with_programs -pn help > out 2> /dev/null
    grep -q '^HDF5_CPP := -I./usr/include' out
    run -0 grep '^SYSTEM_CPP' out
    [[ "$output " != *"-isystem '/usr/include' "* ]]
}

# Stand-ins of spmv-run and spmv-speed print their arguments.
@test "make bench-gpu runs matrices filtered by MIN_NNZ and large recipes, then prints tables, even after wrong results; without a GPU it fails" {
    unset BACKEND QUICK RANKS NAME MPIRUN MATRICES MIN_NNZ LARGE HUGE PEERS
    mkdir bin scripts matrices
    cp "$ROOT"/scripts/bench-gpu.* scripts/
    echo 250 > matrices/b.mtx; echo 99 > matrices/a.mtx; echo 100 > matrices/c.mtx.xz; echo 'no matrix' > matrices/notes.h5; echo 7 > matrices/list.txt
    printf '#!/bin/sh\n[ "$(cat "$2")" = "no matrix" ] || printf "name\\tm\\nnnz\\t%%s\\n" "$(cat "$2")"\n' > bin/spmv-info
    printf '#!/bin/sh\necho "$@" >> run.said\nexit "$(cat ends)"\n' > bin/spmv-run
    printf '#!/bin/sh\necho "tables: $*"\n' > bin/spmv-speed
    chmod +x bin/spmv-{info,run,speed}
    cp "$ROOT"/src/fit/profile.sh bin/spmv-profile
    bench() { make --no-print-directory MPICC= NVCC= SQLITE= -o bin/spmv-info -o bin/spmv-run -o bin/spmv-speed -o bin/spmv-profile bench-gpu "$@"; }
    echo 0 > ends
    run -2 --separate-stderr bench MATRICES=matrices
    [[ "$stderr" == *"bench-gpu requires a GPU"* ]]
    [ ! -e results ]
    printf '#!/bin/sh\n[ "$1" = -L ] && echo GPU 0 || echo NVIDIA Test\n' > ../bin/nvidia-smi
    at=results/local/test
    run -0 bench MATRICES="matrices stencil:points=5,n=9" MIN_NNZ=100
    [ "$(cat $at/bench-gpu.txt)" = "$(printf 'matrices/b.mtx\nmatrices/c.mtx.xz\nstencil:points=5,n=9')" ]
    [ "$(head -1 run.said)" = "--backend cuda --sweep default -p f32,f64 --cache warm,cold -o $at/bench-gpu.h5 $at/bench-gpu.txt scripts/bench-gpu.recipes" ]
    [[ "$(sed -n '2,$p' run.said)" == "--backend cuda -c csr-"*" -c cusparse-csr:alg=1,pre=1 "*" -p f32,f64 --cache warm,cold -o $at/bench-gpu.h5 scripts/bench-gpu.huge" ]]
    [[ "$output" == *"# matrices: 3 matrices, skipped 1 with fewer than 100 nonzeros"*"tables: --table all --min-nnz 100 $at/bench-gpu.h5"* ]]
    echo 3 > ends
    rm run.said
    run -0 bench MATRICES=matrices LARGE= PEERS="a.tsv b.tsv"
    [[ "$output" == *"some results were wrong"*"tables: --table all --min-nnz 100000 --peers a.tsv --peers b.tsv $at/bench-gpu.h5"* ]]
    [ "$(tail -c 14 run.said)" = bench-gpu.txt ]
    [ "$(wc -l < run.said)" = 1 ]
    echo 75 > ends
    run -2 bench MATRICES=matrices
    [[ "$output" == *"Error 75"* && "$output" != *tables:* ]]
    run -2 bench MATRICES=matrices MIN_NNZ=many
    [[ "$output" == *"MIN_NNZ=many"* ]]
    mkdir none
    run -2 bench MATRICES=none
    [[ "$output" == *"none: no matrix found"* ]]
}

# bats test_tags=long
@test "the large recipes of make bench-gpu are legal, have 10^8 nonzeros or more and fit 32-bit offsets" {
    spmv-run --dry-run --backend cpu -o large.h5 "$ROOT/scripts/bench-gpu.recipes" "$ROOT/scripts/bench-gpu.huge" | awk -F'\t' '
        /^[a-z]+:/ { n++; if ($4 < 1e8 || $4 > 2^31 - 1) { print; bad = 1 } } END { exit bad || n < 5 }'
}

@test "the default NAME is the device's name as in a fitted profile, without the vendor" {
    while read -r device; do
        printf '#!/bin/sh\n[ "$1" = -L ] && echo GPU 0 || echo "%s"\n' "$device" > ../bin/nvidia-smi
        run -0 spmv-profile --where
        name=$("$BUILD/geometry" plain "$device")
        [ "${output##*/}" = "${name#nvidia-}" ] || { echo "$device: '$output', not '${name#nvidia-}'"; false; }
    done <<'END'
NVIDIA H200
NVIDIA A100-SXM4-80GB
NVIDIA GeForce RTX 3090 Ti
Tesla V100-SXM2-16GB
Quadro RTX 6000
NVIDIA GH200 (480 GB)
END
    run -0 "$BUILD/geometry" plain " NVIDIA GH200 (480 GB) "
    [ "$output" = nvidia-gh200-480-gb ]
}
