#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# install-deps.sh: which packages it reports as missing and which commands it calls. apt-get, sudo and id are stand-ins; nothing is
# installed. make install: a staged tree, moved away from the tree it was built in.
bats_require_minimum_version 1.5.0
load helpers

TOOLS=(cc gcc make pkg-config mpicc bats prove shellcheck pgrep slurmctld slurmd sbatch xz h5dump python3)
# A PATH where nothing is missing; only the tools that the script itself needs are real.
setup() {
    unset CC HDF5_HOME EXTRA_CPP MPI    # set by the make that runs the tests
    mkdir "$BATS_TEST_TMPDIR/bin"
    local tool
    for tool in sh mktemp rm tail; do ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/bin/"; done
    (cd "$BATS_TEST_TMPDIR/bin" && printf '#!/bin/sh\nexit 0\n' | tee "${TOOLS[@]}" > /dev/null && chmod +x "${TOOLS[@]}")
    stand_in id 'echo 0'
    stand_in apt-get "echo \"apt-get \$*\" >> '$BATS_TEST_TMPDIR/asked'"
    stand_in sudo "echo \"sudo \$*\" >> '$BATS_TEST_TMPDIR/asked'; \"\$@\""
}
stand_in() { printf '#!/bin/sh\n%s\n' "$2" > "$BATS_TEST_TMPDIR/bin/$1"; chmod +x "$BATS_TEST_TMPDIR/bin/$1"; }
install() { run env PATH="$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/bin/sh" "$ROOT/install-deps.sh" "$@"; }
without() { rm -f "$BATS_TEST_TMPDIR/bin/$1"; }

# bats test_tags=quick
@test "if nothing is missing, nothing is printed or installed" {
    install build
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "missing packages, as root: apt-get installs exactly those" {
    without bats
    without shellcheck
    install build
    [ -z "$output" ]
    install test
    [ "$status" -eq 0 ]
    [[ "$output" == *"bats-core"*"shellcheck"* ]]
    [ "$(cat "$BATS_TEST_TMPDIR/asked")" = "$(printf 'apt-get update -qq\napt-get install -y -qq --no-install-recommends bats shellcheck')" ]
}

@test "missing packages, not root: apt-get runs through sudo; without sudo the command is printed, exit 1" {
    without bats
    stand_in id 'echo 1000'
    install test
    [ "$status" -eq 0 ]
    grep -q '^sudo apt-get update' "$BATS_TEST_TMPDIR/asked"
    rm "$BATS_TEST_TMPDIR/asked"
    without sudo
    install test
    [ "$status" -eq 1 ]
    [[ "$output" == *"apt-get install bats"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "page: Chromium and its driver are installed if they are missing, only when asked for" {
    install test
    [ -z "$output" ]
    install page
    [ "$status" -eq 0 ]
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/asked")" = "apt-get install -y -qq --no-install-recommends chromium chromium-driver" ]
    rm "$BATS_TEST_TMPDIR/asked"
    for tool in google-chrome chromedriver; do stand_in "$tool" 'exit 0'; done
    install page
    [ "$status" -eq 0 ]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "missing packages without apt-get: the message names the packages, exit 1" {
    without bats
    without apt-get
    install test
    [ "$status" -eq 1 ]
    [[ "$output" == *"bats-core"*"apt-get not found"* ]]
}

@test "every library and tool has a package name for dnf and conda-forge" {
    for tool in pkg-config mpicc prove shellcheck pgrep xz h5dump python3; do without "$tool"; done
    without apt-get
    install test
    [ "$(grep -c '^  ' <<<"$output")" -ge 7 ]
    [ "$(grep '^  ' <<<"$output" | grep -vcE '\(dnf.*conda-forge')" -eq 0 ] || { echo "$output"; false; }
}

@test "with MPI given to make, mpicc is not required" {
    without mpicc
    install test
    [[ "$output" == *"MPI"* ]]
    rm "$BATS_TEST_TMPDIR/asked"
    MPI=given install test
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

# bats test_tags=quick
@test "the demo installs MPI or continues without it; missing build requirements are an error" {
    without mpicc
    install build
    [ -z "$output" ]
    install demo
    [ "$status" -eq 0 ]
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/asked")" = "apt-get install -y -qq --no-install-recommends openmpi-bin libopenmpi-dev" ]
    MPI=given install demo
    [ -z "$output" ]
    stand_in apt-get 'echo "no network"; exit 100'
    install demo
    [ "$status" -eq 0 ]
    [[ "$output" == *"no network"*"apt-get failed"*"continuing without MPI" ]]
    stand_in id 'echo 1000'
    without sudo
    install demo
    [ "$status" -eq 0 ]
    [[ "$output" == *"MPI (dnf: "*"not root, and sudo not found"*"continuing without MPI" ]]
    install test
    [ "$status" -eq 1 ]
    without apt-get
    install demo
    [ "$status" -eq 0 ]
    without make
    install demo
    [ "$status" -eq 1 ]
    [[ "$output" == *"GNU make"*"apt-get not found"* && "$output" != *"continuing"* ]]
}

# bats test_tags=quick
@test "--help describes each word and where to get the CUDA Toolkit; an unknown argument is an error" {
    install --help
    [ "$status" -eq 0 ]
    for word in build demo test boost cuda missing; do grep -q "^  $word  " <<<"$output" || { echo "$word"; false; }; done
    [[ "$output" == *"CUDA Toolkit"*"nvidia-cuda-toolkit"*"CUDA_HOME="* ]]
    for wrong in biuld --no-such; do
        install "$wrong"
        [ "$status" -eq 2 ]
        [[ "$output" == *"'$wrong'"*"--help"* ]]
    done
    install build test
    [ "$status" -eq 2 ]
    [[ "$output" == *"'test'"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "cuda: the toolkit is installed if apt has it, otherwise a hint is printed; if nvcc is present nothing is installed" {
    toolkit() { CUDA_HOME="$BATS_TEST_TMPDIR/none" NVCC="$1" install cuda; }
    stand_in apt-cache 'printf "nvidia-cuda-toolkit:\n  Installed: (none)\n  Candidate: 12.4.1-1\n"'
    toolkit none
    [ "$status" -eq 0 ]
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/asked")" = "apt-get install -y -qq --no-install-recommends nvidia-cuda-toolkit" ]
    rm "$BATS_TEST_TMPDIR/asked"
    stand_in apt-cache 'printf "nvidia-cuda-toolkit:\n  Installed: (none)\n  Candidate: (none)\n"'
    toolkit none
    [ "$status" -eq 1 ]
    [[ "$output" == *"apt has no package nvidia-cuda-toolkit"*"contrib and non-free"*"multiverse"*"CUDA_HOME="* ]]
    run ! grep install "$BATS_TEST_TMPDIR/asked"
    rm "$BATS_TEST_TMPDIR/asked"
    stand_in nvcc 'exit 0'
    toolkit nvcc
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "with clang the OpenMP library of clang is required" {
    stand_in clang 'exit 0'
    CC=clang install build
    [ -z "$output" ]
    stand_in clang 'case "$*" in *-fopenmp*) exit 1 ;; esac'
    CC=clang install build
    [[ "$output" == *"OpenMP of clang"*"conda-forge and Spack: llvm-openmp"* ]]
    grep -q 'recommends libomp-dev$' "$BATS_TEST_TMPDIR/asked"
}

@test "CC is a compiler name with options and is never executed as shell code" {
    stand_in some-cc 'exit 0'
    CC="some-cc -m64 *" install build
    [ -z "$output" ] || { echo "$output"; false; }
    for cc in "cc;: > '$BATS_TEST_TMPDIR/pwned'" '$(touch pwned)' '`touch pwned`'; do
        CC=$cc install build
        [ ! -e "$BATS_TEST_TMPDIR/pwned" ]
        [[ "$output" == *"a C compiler"* ]]
    done
}

# make_without HEADERS...: runs make in a copy of the build files; the compiler finds all headers except HEADERS.
make_without() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/src/base
    rm bin/*
    cp -r "$ROOT"/{Makefile,make,install-deps.sh} tree/
    cp "$ROOT"/src/base/version.[ch] tree/src/base/
    echo 'int one(void); int one(void) { return 0; }' > tree/src/base/one.c
    printf '#!/bin/sh\ncase " $* " in *" - "*) ! grep -qE "<(%s)>" ;; *) exec /usr/bin/env PATH="%s" cc "$@" ;; esac\n' \
        "$(IFS='|'; echo "$*")" "$PATH" > bin/some-cc
    printf '#!/bin/sh\nexit 1\n' | tee bin/pkg-config > bin/h5cc
    chmod +x bin/some-cc bin/pkg-config bin/h5cc
    for tool in apt-get sudo; do stand_in "$tool" "echo asked > '$BATS_TEST_TMPDIR/asked'"; done
    PATH="$BATS_TEST_TMPDIR/bin:$PATH" run make -C tree --no-print-directory MPICC= NVCC= CC=some-cc HDF5_HOME= build/libspmv.a
}

@test "make with missing libraries prints one line with package names; nothing is installed or compiled" {
    make_without hdf5.h cjson/cJSON.h
    [ "$status" -eq 2 ]
    [ "$(grep -vc '^make' <<<"$output")" -eq 1 ] || { echo "$output"; false; }
    [[ "${lines[0]}" == "missing HDF5 (dnf: hdf5-devel, conda-forge and Spack: hdf5), cJSON (dnf: cjson-devel,"*" - Debian, Ubuntu: apt-get install libhdf5-dev libcjson-dev; "*"HDF5_HOME, EXTRA_CPP and LDFLAGS in config.mk" ]] || { echo "$output"; false; }
    [ ! -e asked ]
    [ ! -e tree/build/base/one.o ]
}

@test "make finds libraries in site-specific directories through config.mk alone" {
    cd "$BATS_TEST_TMPDIR"
    make_without none
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ -e tree/build/libspmv.a ]
    # libraries missing from the usual directories must be found through config.mk
    rm -rf tree/build
    for place in h5/include other/include/cjson; do mkdir -p "site/$place"; done
    echo '#define OWN_HDF5' > site/h5/include/hdf5.h
    echo '#define OWN_CJSON' > site/other/include/cjson/cJSON.h
    printf '#include <hdf5.h>\n#include <cjson/cJSON.h>\n#if !defined OWN_HDF5 || !defined OWN_CJSON\n#error "others"\n#endif\nint one(void); int one(void) { return 0; }\n' > tree/src/base/one.c
    printf 'HDF5_HOME := %s\nEXTRA_CPP := -isystem %s\nLDFLAGS := -L%s\n' "$PWD/site/h5" "$PWD/site/other/include" "$PWD/site/other/lib" > tree/config.mk
    run make -C tree --no-print-directory MPICC= NVCC= build/libspmv.a
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ "$(make -C tree -p -n MPICC= NVCC= build/libspmv.a 2>/dev/null | grep '^by_link\|^LIBS\|^LDFLAGS')" == *"-L$PWD/site/other/lib"* ]]
}

# Nothing is built, so libraries are not searched for.
into() { make -C "$ROOT" --no-print-directory -s MPICC= NVCC= XGBOOST= SQLITE= "$@"; }

@test "make install, uninstall: an empty or relative PREFIX or DESTDIR is rejected, and nothing is written" {
    for where in PREFIX= PREFIX=here 'PREFIX=~/x' "DESTDIR=stage"; do
        for target in install uninstall; do
            run -2 into $target "$where"
            [[ "$output" == *"$where: expected an absolute path"* ]]
        done
    done
    [ ! -e "$ROOT/here" ] && [ ! -e "$ROOT/stage" ] && [ ! -e "$ROOT/~" ]
}

@test "make install: installed into a staging directory and moved, programs find their profiles and do not use the build tree" {
    cd "$BATS_TEST_TMPDIR"
    export XDG_DATA_HOME="$PWD/data"
    run -0 into install PREFIX=/opt/spmvcast DESTDIR="$PWD/a stage"
    [[ "$output" == "# installed into $PWD/a stage/opt/spmvcast: "*" programs, "*" profile"* ]]
    [ "$(ls)" = "$(printf 'a stage\nbin')" ]
    mv "a stage/opt/spmvcast" moved
    cd /
    here="$BATS_TEST_TMPDIR/moved"
    for p in "$BIN"/spmv-*; do cmp "$p" "$here/bin/${p##*/}"; done
    for p in "$ROOT"/results/*/profile.h5; do
        name="$(basename "$(dirname "$p")")"
        cmp "$p" "$here/share/spmvcast/profiles/$name.h5"
        run -0 "$here/bin/spmv-predict" --list
        [[ "$output" == *"$name	"* && "$output" != *"$ROOT"* ]]
        run -0 "$here/bin/spmv-predict" --profile "$name" stencil:points=5,n=300
        [[ "$output" == *"# profile $name: "* ]]
    done
    # the library, by the links of its versions
    cmp "$ROOT/include/spmvcast.h" "$here/include/spmvcast.h"
    cmp "$ROOT/lib/libspmvcast.a" "$here/lib/libspmvcast.a"
    version=$(sed -nE 's/^#define SPMVCAST_VERSION_(MAJOR|MINOR|PATCH) //p' "$ROOT/include/spmvcast.h" | paste -sd.)
    [ "$(readlink "$here/lib/libspmvcast.so"):$(readlink "$here/lib/libspmvcast.so.${version%%.*}")" = "libspmvcast.so.${version%%.*}:libspmvcast.so.$version" ]
    cmp "$ROOT/lib/libspmvcast.so.$version" "$here/lib/libspmvcast.so.$version"
    # PETSc's matrix type, if it was built
    [ ! -e "$ROOT/lib/libspmvcast_petsc.so" ] || cmp "$ROOT/lib/libspmvcast_petsc.so" "$here/lib/libspmvcast_petsc.so"
    # programs find our library relative to their own path
    for p in "$here"/bin/spmv-*; do
        [ "$(head -c 2 "$p")" != '#!' ] || continue
        run -0 env -u LD_PRELOAD ldd "$p"
        [[ "$output" == *libc.so* && "$output" != *"not found"* && "$output" != *"$ROOT"* ]] || { echo "$output"; false; }
    done
    run -0 env -u LD_LIBRARY_PATH "$here/bin/spmv-run" --backend cpu -c csr-scalar -o "$BATS_TEST_TMPDIR/moved.h5" stencil:points=5,n=9
    ln -s "$here/bin/spmv-run" "$BATS_TEST_TMPDIR/link"
    run -0 "$BATS_TEST_TMPDIR/link" --help
    # installed job scripts call the installed programs
    stand_in sbatch 'echo "$@"'
    (cd "$BATS_TEST_TMPDIR" && PATH="$PWD/bin:$PATH" "$here/share/spmvcast/jobs/collection.sh" stencil:points=5,n=9 > said)
    grep -q "job .*--task $here/share/spmvcast/jobs $here/bin results/local/" "$BATS_TEST_TMPDIR/said"
    for f in README.md LICENSE docs/archive.md docs/images/report-matrix.png; do cmp "$ROOT/$f" "$here/share/doc/spmvcast/$f"; done
    [ ! -x "$here/share/doc/spmvcast/README.md" ]
    # spmv-profile calls them too, and its profile is found in the default location
    cd "$BATS_TEST_TMPDIR"
    run -0 env PATH="/usr/bin:/bin" HOME="$PWD/a home" XDG_DATA_HOME= "$here/bin/spmv-profile" --backend cpu --quick --max-bytes 16384 -p f64
    [ -e "a home/.local/share/spmvcast/profiles/cpu-quick/profile.h5" ]
    run -0 --separate-stderr env HOME="$PWD/a home" XDG_DATA_HOME= "$here/bin/spmv-predict" -m bandwidth stencil:points=5,n=20
    [[ "$stderr" == *"using profile cpu-quick ($PWD/a home/.local/share/spmvcast/profiles/cpu-quick/profile.h5)"* ]]
}

@test "make install warns that a native build needs this processor and says how to build for others" {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/build tree/bin tree/lib/{pkgconfig,cmake/spmvcast}
    cp -r "$ROOT"/{Makefile,make,packaging,include,examples,src,docs,jobs,README.md,CHANGELOG.md,LICENSE,CITATION.cff} tree/
    for f in "$ROOT"/lib/libspmvcast.{a,so.*.*.*}; do printf 'library\n' > "tree/lib/${f##*/}"; done
    printf 'library\n' | tee tree/lib/pkgconfig/spmvcast.pc tree/lib/cmake/spmvcast/spmvcast-config{,-version}.cmake > said
    for p in $(sed -nE 's/^(SHELL_)?PROGRAMS *:= *//p' tree/Makefile); do printf '#!/bin/sh\n' > "tree/bin/spmv-$p"; chmod +x "tree/bin/spmv-$p"; done
    echo 'cc -O3 -std=c17 -march=native -fopenmp' > tree/build/cc.by
    run -0 make -C tree --no-print-directory -s NVCC= install PREFIX="$PWD/p'q \$x"
    [[ "${lines[1]}" == *"-march=native"*"make ARCHFLAGS= "* ]]
    [ -x "p'q \$x/bin/spmv-profile" ]
    echo 'cc -O3 -std=c17 -fopenmp' > tree/build/cc.by
    run -0 make -C tree --no-print-directory -s NVCC= install PREFIX="$PWD/p2"
    [[ "$output" != *native* ]]
    run -0 make -C tree --no-print-directory -s NVCC= uninstall PREFIX="$PWD/p'q \$x"
    [ -z "$(find "p'q \$x" -type f)" ]
}

need_cuda_build() {
    run spmv-run --backend cuda -o "$BATS_TEST_TMPDIR/none.h5" stencil:points=5,n=9
    [[ "$output" != *"built without nvcc"* ]] || skip "this build is without CUDA"
}

@test "CUDA code is installed in libspmvcast_cuda and, for all programs, in one library that exports three symbols" {
    need_cuda_build
    cd "$BATS_TEST_TMPDIR"
    into install PREFIX="$PWD/p" > /dev/null
    [ "$(grep -rlF .nv_fatbin p | grep -v libspmvcast_petsc | sort | sed 's/_cuda\.so\..*/_cuda.so/' | xargs)" = "p/lib/libspmvcast_cuda.so p/lib/spmvcast/libspmvdevice.so" ]
    [ -z "$(find p/bin -size +8M)" ] || { ls -l p/bin; false; }
    [ "$(nm -D --defined-only p/lib/spmvcast/libspmvdevice.so | awk '{ print $3 }' | sort | xargs)" = "backend_cuda kernel_cuda_find layout_cuda_find" ]
    # the library uses the program's own tables and state, so that there is only one copy of them
    for name in fail hyb_layout; do
        nm -D --undefined-only p/lib/spmvcast/libspmvdevice.so | grep -qw "$name"
        nm -D --defined-only p/bin/spmv-run | grep -qw "$name"
    done
    for p in run execute gen; do ldd "p/bin/spmv-$p" | grep -q "$PWD/p/bin/../lib/spmvcast/libspmvdevice.so"; done
}

@test "programs that use no device link neither CUDA nor MPI" {
    for p in check fit import info merge plan predict speed verify; do
        needed=$(readelf -d "$BIN/spmv-$p" | grep NEEDED)
        [[ "$needed" == *libc.so* ]]
        [ -z "$(grep -E 'libmpi|libspmvdevice|libcuda|libstdc' <<< "$needed")" ] || { echo "$p: $needed"; false; }
    done
}

@test "make install: libspmvcast_cuda is installed with its links and pkg-config file if it was built, and removed again" {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/{bin,include,src,lib/pkgconfig,lib/cmake/spmvcast,build}
    cp -r "$ROOT"/{Makefile,make,packaging} tree/
    cp -r "$ROOT/src" tree/
    cp "$ROOT/include/spmvcast.h" tree/include/
    for f in "$BIN"/spmv-*; do printf '#!/bin/sh\n' > "tree/bin/${f##*/}"; done
    for f in README.md CHANGELOG.md LICENSE CITATION.cff; do echo text > "tree/$f"; done
    version=$(sed -nE 's/^#define SPMVCAST_VERSION_(MAJOR|MINOR|PATCH) //p' "$ROOT/include/spmvcast.h" | paste -sd.)
    for f in libspmvcast.a "libspmvcast.so.$version" pkgconfig/spmvcast.pc cmake/spmvcast/spmvcast-config{,-version}.cmake; do echo "$f" > "tree/lib/$f"; done
    # without it, also where nvcc is found now
    run -0 make -C tree --no-print-directory -s NVCC=true CUDA_HOME=/nowhere install PREFIX="$PWD/p"
    [[ "$output" == *"programs, libspmvcast, "* ]]
    [ -z "$(find p -name '*cuda*')" ]
    for f in "libspmvcast_cuda.so.$version" pkgconfig/spmvcast_cuda.pc; do echo "$f" > "tree/lib/$f"; done
    run -0 make -C tree --no-print-directory -s NVCC= install PREFIX="$PWD/p"
    [[ "$output" == *"programs, libspmvcast, libspmvcast_cuda, "* ]]
    [ "$(cat p/lib/libspmvcast_cuda.so "p/lib/libspmvcast_cuda.so.${version%%.*}")" = "libspmvcast_cuda.so.$version"$'\n'"libspmvcast_cuda.so.$version" ]
    [ "$(readlink p/lib/libspmvcast_cuda.so)" = "libspmvcast_cuda.so.${version%%.*}" ]
    cmp tree/lib/pkgconfig/spmvcast_cuda.pc p/lib/pkgconfig/spmvcast_cuda.pc
    # removed, even if it has left the tree
    rm tree/lib/libspmvcast_cuda* tree/lib/pkgconfig/spmvcast_cuda.pc
    run -0 make -C tree --no-print-directory -s NVCC= uninstall PREFIX="$PWD/p"
    [ -z "$(find p ! -type d)" ]
}

@test "make uninstall removes what was installed and keeps the user's own profile" {
    cd "$BATS_TEST_TMPDIR"
    into install PREFIX="$PWD/p" > /dev/null
    cp "$(find p/share/spmvcast/profiles -name '*.h5' | head -n 1)" p/share/spmvcast/profiles/ours.h5
    touch p/bin/other
    into uninstall PREFIX="$PWD/p"
    [ "$(cd p && find . -type f | sort | xargs)" = "./bin/other ./share/spmvcast/profiles/ours.h5" ]
    rm p/share/spmvcast/profiles/ours.h5
    into uninstall PREFIX="$PWD/p"
    [ ! -e p/share/spmvcast ]
    [ ! -e p/share/doc/spmvcast ]
    [ ! -e p/lib/spmvcast ]
    [ -z "$(find p ! -type d ! -name other)" ]          # nor links
}

@test "make install builds nothing: without programs it says to run make first" {
    cd "$BATS_TEST_TMPDIR"
    mkdir tree
    cp -r "$ROOT"/{Makefile,make,src} tree/
    run make -C tree --no-print-directory -s NVCC= install PREFIX="$PWD/p"
    [ "$status" -eq 2 ]
    [[ "$output" == *"bin/spmv-"*" is not built; run make first"* ]]
    [ ! -e p ]
    mkdir -p tree/bin tree/include
    cp "$ROOT/include/spmvcast.h" tree/include/
    for p in $(sed -nE 's/^(SHELL_)?PROGRAMS *:= *//p' tree/Makefile); do printf '#!/bin/sh\n' > "tree/bin/spmv-$p"; done
    run make -C tree --no-print-directory -s NVCC= install PREFIX="$PWD/p"
    [ "$status" -eq 2 ]
    [[ "$output" == *"lib/libspmvcast.a is not built; run make first"* ]]
    [ ! -e p ]
    [ -z "$(find tree -name '*.o')" ]
}
