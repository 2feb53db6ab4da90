#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# libspmvcast as its users see it: tests/c/library_*.c know include/spmvcast.h and the shared library alone.
bats_require_minimum_version 1.5.0
load helpers

setup_file() { synthetic_profile all; }
setup() {
    syn="$BATS_FILE_TMPDIR/tree/results/syn/profile.h5"
    cd "$BATS_TEST_TMPDIR"
    export XDG_DATA_HOME="$PWD/data"
}

# functions: prints the functions that the header declares, sorted.
functions() { grep -oE '^SPMVCAST_API .*\b(spmvcast_[a-z_]+)\(' "$ROOT/include/spmvcast.h" | sed -E 's/.*(spmvcast_[a-z_]+)\($/\1/' | sort; }

# bats test_tags=quick
@test "library: both libraries define the functions of the header and no other name" {
    functions > header
    [ "$(wc -l < header)" -ge 20 ]
    nm -D --defined-only "$ROOT"/lib/libspmvcast.so | awk '{ print $3 }' | sort | diff header -
    nm -g --defined-only "$ROOT"/lib/libspmvcast.a | awk 'NF == 3 { print $3 }' | sort | diff header -
    readelf -d "$ROOT"/lib/libspmvcast.so | grep -q "SONAME.*\[libspmvcast\.so\.1\]"
    # it reads profiles, no matrices: their libraries are not needed (zlib is, for the chunks of HDF5)
    run ! grep -E 'libarchive|libcjson|liblapack|libxgboost|libmpi|libcuda' <(readelf -d "$ROOT"/lib/libspmvcast.so)
}

# bats test_tags=quick
@test "library: libspmvcast_cuda defines the same names, and needs no CUDA library to load" {
    so="$ROOT/lib/libspmvcast_cuda.so"
    [ -e "$so" ] || skip "this build is without CUDA"
    nm -D --defined-only "$so" | awk '{ print $3 }' | sort | diff <(functions) -
    readelf -d "$so" | grep -q "SONAME.*\[libspmvcast_cuda\.so\.1\]"
    # the CUDA runtime is inside; cuSPARSE is loaded when a kernel of it is used
    run ! grep -E 'libcuda|libcusparse|libspmv|libarchive|libcjson|libmpi' <(readelf -d "$so" | grep NEEDED)
    pc="$ROOT/lib/pkgconfig/spmvcast_cuda.pc"
    [ "$(sed -n 's/^Libs: //p' "$pc")" = '-L${libdir} -lspmvcast_cuda' ]
    grep -q '^Name: spmvcast_cuda$' "$pc"
}

# bats test_tags=quick
@test "library: no message that it can give names an option of a program" {
    cd "$ROOT/src"
    # not the files whose messages are those of programs alone
    grep -rnE '^[^*]*"[^"]*--[a-z][^"]*"' base device table matrix archive formats backend operator runs profile models forecast library \
        --include=*.[ch] --include=*.cu --include=*.cuh --exclude={error,memory,options*,common_options,strings,textout_fit,provenance,log_rows,rows,device_rows,terms_options}.[ch] \
        | grep -vE 'error_in_program\(\)|"; --tune|\(--all prints|note\(' > "$BATS_TEST_TMPDIR/named" || :
    [ ! -s "$BATS_TEST_TMPDIR/named" ] || { cat "$BATS_TEST_TMPDIR/named"; false; }
}

# bats test_tags=quick
@test "library: the header compiles alone as C99, C17 and C++17, without a warning" {
    printf '#include <spmvcast.h>\nspmvcast_row row = SPMVCAST_ROW_INIT;\nspmvcast_csr csr = SPMVCAST_CSR_INIT;\nspmvcast_advice advice = SPMVCAST_ADVICE_INIT;\nspmvcast_context_options limits = SPMVCAST_CONTEXT_OPTIONS_INIT;\nspmvcast_rank_options options = SPMVCAST_RANK_OPTIONS_INIT;\nspmvcast_profile_info profile = SPMVCAST_PROFILE_INFO_INIT;\nspmvcast_pattern_info pattern = SPMVCAST_PATTERN_INFO_INIT;\nspmvcast_device_options where = SPMVCAST_DEVICE_OPTIONS_INIT;\nspmvcast_device_info device = SPMVCAST_DEVICE_INFO_INIT;\nspmvcast_matrix_options how = SPMVCAST_MATRIX_OPTIONS_INIT;\nspmvcast_matrix_info matrix = SPMVCAST_MATRIX_INFO_INIT;\nspmvcast_trial trial = SPMVCAST_TRIAL_INIT;\n' > all.c
    for standard in c99 c17; do
        run -0 cc -std=$standard -Wall -Wextra -Wpedantic -Wconversion -Werror -I"$ROOT/include" -fsyntax-only all.c
        [ -z "$output" ] || { echo "$output"; false; }
    done
    command -v c++ > /dev/null || skip "no C++ compiler"
    run -0 c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$ROOT/include" -fsyntax-only -x c++ all.c
    [ -z "$output" ] || { echo "$output"; false; }
}

# bats test_tags=long,id:library-no-memory
@test "library: memory that runs out at any size is a status with a message; nothing leaks and the final result is the same" {
    # malloc counts what its caches hold as allocated
    export GLIBC_TUNABLES=glibc.malloc.tcache_count=0
    run -0 "$BUILD/library_memory" "$syn"
    echo "$output"
    [ "$(awk -F'\t' '$2 >= 10' <<< "$output" | wc -l)" = 4 ]
}

# bats test_tags=id:library-invalid
@test "library: invalid matrices, profiles and options give a status and a message; nothing is printed and the context stays usable" {
    cp --no-preserve=mode "$syn" damaged.h5         # the file is read-only
    cp --no-preserve=mode "$syn" old.h5
    "$BUILD/h5_damage" flip damaged.h5 100000
    "$BUILD/h5_damage" older old.h5
    spmv-run -q --backend cpu -c csr-scalar -p f64 --time-cap 0 --rounds-cap 3 --cache warm -o run.h5 stencil:points=5,n=30 > out
    spmv-fit -q -m nearest --name warm -o warm.h5 run.h5 > out
    run -0 "$BUILD/library_refuses" "$syn" damaged.h5 old.h5 run.h5 warm.h5
    [ -z "$output" ]
}

# bats test_tags=id:library-array-forms
@test "library: base and width of the arrays do not matter; empty matrices are valid; later callers are served, objects freed in any order" {
    run -0 --separate-stderr "$BUILD/library_same" "$syn"
    [ -z "$stderr" ]
    [ "${#lines[@]}" = 24 ]
    # the identity is that of spmv-info
    "$BUILD/library_ranks" "$syn" .
    for name in stencil banded random power dense-rows; do
        [ "$(spmv-info $name.mtx | value_of pattern_id)" = "$(awk -F'\t' -v n=$name '$1 == n { print $4; exit }' <<< "$output")" ]
    done
}

@test "library: structures that are cleared but for their size mean the defaults" {
    run -0 "$BUILD/library_zero" "$syn"
    [ -z "$output" ]
}

@test "library: threads that open, describe, rank and fail at once get the results of one thread" {
    run -0 "$BUILD/library_threads" "$syn" 4 2
    [ -z "$output" ]
}

# bats test_tags=id:library-rankings
@test "library: rankings and advice are those of spmv-predict" {
    need_plain_python
    "$BUILD/library_ranks" "$syn" .
    for products in 0 200; do
        for matrix in stencil banded random power dense-rows; do
            spmv-predict -q --json --all --profile "$syn" -p f32,f64 --cache warm,cold --iterations $products $matrix.mtx > $matrix.$products.json
        done
    done
    plain_python "$ROOT/tests/library.py" {stencil,banded,random,power,dense-rows}.{0,200}.json > compared
    [ "$(wc -l < compared)" = 40 ]
}

# installed: installs this tree into $BATS_TEST_TMPDIR/p, staged and then moved, and sets PKG_CONFIG_PATH.
installed() {
    make -C "$ROOT" --no-print-directory -s NVCC= install PREFIX=/opt/spmvcast DESTDIR="$PWD/stage" > installed.out
    mv stage/opt/spmvcast p
    export PKG_CONFIG_PATH="$PWD/p/lib/pkgconfig"
}
need_pkg_config() { command -v pkg-config > /dev/null || skip "no pkg-config"; }
# Sanitized programs do not run with libraries of another sanitizer, and LeakSanitizer sees leaks of HDF5 as ours.
need_plain_build() { ! grep -q fsanitize "$ROOT/build/cc.by" || skip "this build has a sanitizer of its own"; }

@test "library: the examples build with the installed copy and run; C examples under AddressSanitizer, without a leak" {
    need_pkg_config
    need_plain_build
    command -v "${CXX:-g++}" > /dev/null || skip "no C++ compiler"
    unset LD_PRELOAD                    # AddressSanitizer must be the first library
    installed
    cp -r p/share/doc/spmvcast/examples .
    cd examples
    for f in "$ROOT"/examples/*; do cmp "$f" "${f##*/}"; done
    run -0 make CFLAGS="-O1 -g -Wall -Wextra -Wpedantic -Wconversion -Werror -fsanitize=address,undefined -fno-sanitize-recover=all" CXXFLAGS="-O1 -g -Wall -Wextra -Wpedantic -Werror" all
    run -0 ldd rank
    [[ "$output" == *"libspmvcast.so.1 => "*"/p/lib/"* ]]
    export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS="suppressions=$ROOT/tests/lsan.supp:print_suppressions=0"
    # by its name, beside the library
    mkdir -p ../p/share/spmvcast/profiles
    cp "$syn" ../p/share/spmvcast/profiles/syn.h5
    cp "$BATS_FILE_TMPDIR/tree/bin/spmv-predict" ../p/bin/
    run -0 --separate-stderr ./rank syn 200
    [ -z "$stderr" ]
    [ "$output" = "$(../p/bin/spmv-predict --profile syn --iterations 200 stencil:points=5,n=500 | sed -n 's/^# //; s/; --tune [^;]*//; 1p')" ]
    run -0 --separate-stderr ./rank_cpp syn 0
    [ "${#lines[@]}" = 5 ]
    [ "${lines[0]%%	*}:${lines[4]%%	*}" = 1:5 ]
    run -0 --separate-stderr ./cg none 50
    [[ "${lines[0]}" == "for 100 products: csr-merge"*", chosen by rule in "* && "${lines[-1]}" == "solved on the CPU: "*" products, largest residual "* ]]
    [ -z "$stderr" ]
    # forecasts of this CPU
    "$BUILD/synthetic" here here.h5 stencil:points=5,n=40 stencil:points=27,n=12 stencil:points=7,n=16 rmat:scale=11,p=8 dense:rows=200,cols=200 \
        constant:rows=5000,cols=5000,p=20,place=random constant:rows=1500,cols=1500,p=13,place=band uniform:rows=4000,cols=4000,p=6,half=5 \
        normal:rows=3000,cols=3000,p=20,sd=18,place=random banded:rows=3000,bandwidth=20
    spmv-fit -q -m physics-gp --name here -o ../p/share/spmvcast/profiles/here.h5 here.h5 > fit.tsv
    run -0 --separate-stderr ./cg - 120
    [[ "${lines[0]}" == "for 240 products: "*"; forecast "*" us per product" && "${lines[-1]}" == "solved on the CPU: "* ]]
    run -1 --separate-stderr ./cg syn 50
    [[ -z "$output" && "$stderr" == "cg: profile syn is of another device"* ]]
    run -1 --separate-stderr ./rank nope
    [[ -z "$output" && "$stderr" == "rank: unknown profile 'nope'; found "*"syn"*"; searched "*"/p/share/spmvcast/profiles"* ]]
    run -1 --separate-stderr ./rank_cpp nope
    [[ -z "$output" && "$stderr" == "rank_cpp: no such profile: unknown profile 'nope'"* ]]
    run -1 --separate-stderr ./cg "$PWD/rank.c"
    [[ "$stderr" == "cg: "*"rank.c"* ]]
}

@test "library: the program of docs/library.md builds with its commands, shared and static, and prints the advice; its other code compiles" {
    need_pkg_config
    need_plain_build
    installed
    awk '/^```c$/ { n++; code = 1; next } /^```/ { code = 0 } code { print > "block" n ".c" }' "$ROOT/docs/library.md"
    [ "$(ls block*.c | wc -l)" = 4 ]
    for f in block*.c; do cc -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror -Ip/include -c "$f" -o "$f.o"; done
    awk '/^```cuda$/ { n++; code = 1; next } /^```/ { code = 0 } code { print > "cuda" n ".c" }' "$ROOT/docs/library.md"
    [ "$(ls cuda*.c | wc -l)" = 2 ]
    cuda=$(dirname "$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")")/../include
    [ ! -e "$cuda/cuda_runtime_api.h" ] || for f in cuda*.c ; do cc -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror -Ip/include -isystem "$cuda" -fsyntax-only "$f"; done
    [ ! -e "$cuda/cublas_v2.h" ] || cc -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror -Ip/include -isystem "$cuda" -DUSE_CUDA -fsyntax-only "$ROOT/examples/cg.c"
    cp block1.c program.c
    sed -n 's/^cc /&/p' "$ROOT/docs/library.md" > commands
    [ "$(wc -l < commands)" = 2 ]
    # a static library needs the OpenMP of the compiler that built it
    grep -q __kmpc_fork_call p/lib/libspmvcast.a && sed -i 's/^cc /clang /' commands
    sh -e commands
    run -0 ./program
    [[ "$output" == "f64, warm: use "*" for 200 products, "* ]]
    shared=$output
    # the static one looks beside itself
    [[ "$(ldd program-static)" != *libspmvcast* ]]
    run ./program-static
    [[ "$output" == "unknown profile 'h200'"* ]]
    mkdir -p q/bin q/share/spmvcast
    cp program-static q/bin/
    cp -r p/share/spmvcast/profiles q/share/spmvcast/
    run -0 q/bin/program-static
    [ "$output" = "$shared" ]
    [ "$(nm -D --defined-only program-static | grep -c spmvcast || true)" = 0 ]
}

@test "library: pkg-config finds this tree and any place it is moved to; uninstall removes what was installed" {
    need_pkg_config
    export PKG_CONFIG_PATH="$ROOT/lib/pkgconfig"
    [ "$(realpath "$(pkg-config --variable=includedir spmvcast)")" = "$(realpath "$ROOT/include")" ]
    [ "$(pkg-config --modversion spmvcast)" = "$(sed -nE 's/^#define SPMVCAST_VERSION_(MAJOR|MINOR|PATCH) //p' "$ROOT/include/spmvcast.h" | paste -sd.)" ]
    installed
    [ "$(realpath "$(pkg-config --variable=libdir spmvcast)")" = "$(realpath p/lib)" ]
    [[ "$(pkg-config --libs spmvcast)" != *hdf5* && "$(pkg-config --static --libs spmvcast)" == *hdf5*crypto* ]]
    make -C "$ROOT" --no-print-directory -s NVCC= uninstall PREFIX="$PWD/p"
    [ -z "$(find p ! -type d)" ]
}
