#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests with every build of the two tables below, each in a copy of the working tree (without ignored files). Prints TSV:
# build tests failed skipped seconds note. Builds that this machine cannot make are noted as "not here: reason". Exits 1 if one fails.
#   scripts/builds.sh [NAME...]      called by `make check-builds [B="NAME..."] [T="tests/x.bats ..."]`; a NAME may be a pattern: petsc-*
# Environment: T, test files; BUILDS_DIR, directory for copies, logs and root directories (default: TMPDIR/spmvcast-builds).
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
cd "$tree"

# name      | user   | root directory | test files | variables for make
# user: - is the caller; other users require root. root directory: - is this system; else BUILDS_DIR/roots/NAME, where debootstrap
# installs the suite NAME unless the directory exists (for other distributions). test files: - is all of them. Each build first installs the
# packages it needs.
table() {
    grep -v '^#' <<'TABLE'
as-is       | -      | -        | - |
no-cuda     | -      | -        | - | NVCC=
no-mpi      | -      | -        | - | MPICC=
plain       | -      | -        | - | NVCC= MPICC=
native      | -      | -        | - | NVCC= ARCHFLAGS=-march=native
clang       | -      | -        | - | NVCC= CC=clang
sanitizers  | -      | -        | - | NVCC= CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
threads     | -      | -        | library library_matrix | NVCC= MPICC= OPENMP= CFLAGS='-O1 -g -fsanitize=thread' LDFLAGS=-lgomp
user        | nobody | -        | - | NVCC=
debian12    | -      | bookworm | - | NVCC=
debian13    | -      | trixie   | - | NVCC=
ubuntu24.04 | -      | noble    | - | NVCC=
TABLE
}

# Optional parts that are absent or half there, each in a copy of a tree that is built once.
# name | what is there, in words | packages | hidden | test files
# hidden: files that the build does not see, as commands or as patterns of paths; if this machine has none of them, there is nothing to try.
# packages: make deps-NAME installs them first, besides those of the tests. test files: those that use the part, without their long tests.
parts() {
    grep -v '^#' <<'TABLE'
petsc-none          | no PETSc | petsc | /usr/lib/petscdir /usr/share/petsc /usr/lib/*/pkgconfig/[Pp][Ee][Tt][Ss]*.pc /usr/lib/*/libpetsc*.so | petsc install make docs
petsc-no-tutorials  | PETSc without its tutorials | petsc | /usr/share/petsc/*/share/petsc/examples | petsc
petsc-no-headers    | the library of PETSc without its headers | petsc | /usr/lib/petscdir/*/include /usr/lib/petscdir/*/*/include | petsc install
petsc-no-library    | the headers of PETSc without its library | petsc | /usr/lib/petscdir/*/*/lib/libpetsc*.so /usr/lib/*/libpetsc*.so | petsc install
petsc-no-mpi        | PETSc without mpicc | petsc | mpicc | petsc install
xgboost-none        | no XGBoost | boost | /usr/include/xgboost /usr/lib/*/libxgboost* /usr/lib/*/pkgconfig/xgboost.pc | lehnert fit docs library make python_bindings side_by_side wang2017
xgboost-no-library  | the headers of XGBoost without its library | boost | /usr/lib/*/libxgboost* | lehnert fit
xgboost-no-headers  | the library of XGBoost without its headers | boost | /usr/include/xgboost | lehnert fit
sqlite-none         | no SQLite | test | /usr/include/sqlite3.h /usr/lib/*/libsqlite3.so /usr/lib/*/libsqlite3.a /usr/lib/*/pkgconfig/sqlite3.pc | query errors docs house install make
sqlite-no-library   | the header of SQLite without its library | test | /usr/lib/*/libsqlite3.so /usr/lib/*/libsqlite3.a | query errors
sqlite-no-headers   | the library of SQLite without its header | test | /usr/include/sqlite3.h | query errors
mpi-none            | neither mpicc nor mpirun | test | mpicc mpirun mpiexec orterun | ranks profile same_matrix docs petsc
mpi-no-mpirun       | mpicc without mpirun | test | mpirun mpiexec orterun | ranks profile same_matrix jobs
mpi-no-mpicc        | mpirun without mpicc | test | mpicc | ranks profile same_matrix
mpi-no-headers      | mpicc without mpi.h | test | /usr/lib/*/openmpi/include/mpi.h /usr/include/*/mpi.h /usr/include/mpi.h | ranks petsc make install
slurm-none          | no Slurm | test | slurmctld slurmd sbatch srun squeue sinfo scancel scontrol | jobs
slurm-commands      | the commands of Slurm without its daemons | test | slurmctld slurmd | jobs
slurm-no-slurmctld  | slurmd without slurmctld | test | slurmctld | jobs
slurm-daemons       | the daemons of Slurm without its commands | test | sbatch srun squeue sinfo scancel scontrol | jobs
python-none         | no python3 | test | python3 | advice archive binsparse docs fit hyb import info install library merge page python_bindings report reproduce same_matrix scores
python-no-numpy     | python3 without numpy | test | /usr/lib/python3/dist-packages/numpy | archive binsparse docs fit info python_bindings same_matrix scores
python-no-scipy     | python3 without scipy | test | /usr/lib/python3/dist-packages/scipy | archive binsparse fit python_bindings same_matrix
python-no-h5py      | python3 without h5py | test | /usr/lib/python3/dist-packages/h5py | archive binsparse fit python_bindings same_matrix
python-no-pandas    | python3 without pandas | test | /usr/lib/python3/dist-packages/pandas | docs python_bindings
python-no-pytest    | python3 without pytest, pip, setuptools and wheel | test | /usr/lib/python3/dist-packages/pytest /usr/lib/python3/dist-packages/pip /usr/lib/python3/dist-packages/setuptools /usr/lib/python3/dist-packages/wheel | install python_bindings
browser-none        | no Chromium | page | chromium chromium-browser google-chrome | page install
browser-no-driver   | Chromium without its driver | page | chromedriver | page
browser-no-selenium | Chromium and its driver without Selenium | page | /usr/lib/python3/dist-packages/selenium | page
tools-none          | none of the tools that only single tests use | test | git c++ g++ shellcheck clang-format clang-format-14 h5dump h5diff zstd script cuobjdump | builds coverage damage house install library mutants occupancy physics_gp side_by_side tar terminal
pkg-config-none     | no pkg-config | test | pkg-config pkgconf | install library make petsc
cuda-no-driver      | nvcc without a driver | test | nvidia-smi /usr/lib/*/libcuda.so* /usr/lib*/libcuda.so* | cusparse gen install library launch profile
cuda-no-cusparse    | nvcc without the headers of cuSPARSE | test | /usr/local/cuda*/targets/*/include/cusparse.h /usr/include/cusparse.h /usr/local/include/cusparse.h | cusparse install library make
TABLE
}
dir=${BUILDS_DIR:-${TMPDIR:-/tmp}/spmvcast-builds}
not_here() { printf '%s\t-\t-\t-\t-\tnot here: %s\n' "$@"; }
sq() { printf "'%s'" "${1//\'/\'\\\'\'}"; }         # quotes a word for sh
row() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@"; }

# within ROOT COMMAND: runs a shell command in the root directory (chroot), with its own mounts of /proc and /dev.
within() {
    # shellcheck disable=SC2016
    unshare --mount --propagation private sh -c '
        mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" /bin/sh -c "$1"' "$1" "$2"
}

# root_for SUITE: creates the root directory unless it exists; if it cannot, prints the reason and fails.
root_for() {
    local root=$dir/roots/$1
    [ "$(id -u)" = 0 ] || { echo "not root"; return 1; }
    if ! [ -e "$root/bin/sh" ]; then
        command -v debootstrap > /dev/null || { echo "neither debootstrap nor the root directory $root found; install debootstrap"; return 1; }
        mkdir -p "$dir/roots"
        rm -rf "$root.part"
        debootstrap --variant=minbase "$1" "$root.part" > "$dir/$1.log" 2>&1 || { echo "debootstrap $1: $(tail -n 1 "$dir/$1.log")"; return 1; }
        mv "$root.part" "$root"
    fi
    ! [ -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
}

copy_to() {
    rm -rf "$1"
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard \
        | tar --null --no-recursion --ignore-failed-read -T - -cf - 2> /dev/null | tar -C "$1" -xf -
    echo '-v' > "$1/.proverc"            # one log line per test, to count skipped ones
}

# The home directory does not exist; other builds, as root, cannot have made it.
at() { printf 'set -e; cd %s; export HOME=%s LANG=C.UTF-8' "$(sq "$1")" "$(sq "$1.home")"; }
with_shared() { [ ! -d "$tree/../shared/matrices" ] || printf '; export SHARED_MATRICES=%s' "$(sq "$tree/../shared/matrices")"; }
files_of_tests() { for t in $1; do printf '%s ' "tests/$t.bats"; done | sed 's/ $//'; }

# results NAME LOG STARTED STATUS [WORDS]: prints the row of a build.
results() {
    row "$1" "$(grep -cE '^(not )?ok [0-9]' "$2" || true)" "$(grep -c '^not ok ' "$2" || true)" \
        "$(grep -cE '^ok .*# skip' "$2" || true)" $((SECONDS - $3)) "$([ "$4" = 0 ] && echo ok || echo "exit $4: see $2")${5:+: $5}"
}

# build NAME USER ROOT TESTS VARIABLES: makes and tests one build in a copy of the tree; prints its row; fails if make or a test fails.
build() {
    local name=$1 user=$2 root=$3 tests=$4 vars=$5 copy log=$dir/$1.log started=$SECONDS status=0 why command
    copy=$dir/$name
    if [ "$root" != - ]; then
        why=$(root_for "$root") || { not_here "$name" "$why"; return 0; }
        root=$dir/roots/$root copy=$root/tmp/$name
    elif [ "$user" != - ] && { [ "$(id -u)" != 0 ] || ! id "$user" > /dev/null 2>&1; }; then
        not_here "$name" "needs root and the user $user; without root, the other builds already run as an ordinary user"
        return 0
    fi
    copy_to "$copy"
    # The caller installs the packages; USER, who has no home directory, does the rest.
    local deps="make $vars deps-test" make="make -j2 $vars check-now" shared=
    tests=${T:-$(files_of_tests "${tests#-}")}
    [ -z "$tests" ] || make+=" T=$(sq "$tests")"
    command="$(at "${copy#"$([ "$root" = - ] || printf '%s\n' "$root")"}")"
    command+="; export TSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS=suppressions=\$PWD/tests/lsan.supp:print_suppressions=0"
    if [ "$root" != - ]; then
        deps="command -v make > /dev/null || { apt-get update && apt-get install -y make; }; $deps"
        within "$root" "$command; $deps" > "$log" 2>&1 || status=$?
    else
        shared=$(with_shared)
        sh -c "$command; $deps" > "$log" 2>&1 || status=$?
    fi
    [ $status = 0 ] || { not_here "$name" "$(grep -v '^make' "$log" | tail -n 1)"; return 0; }
    [ "$user" = - ] || chown -R "$user" "$copy"
    if [ "$root" != - ]; then
        within "$root" "$command; $make" >> "$log" 2>&1 || status=$?
    elif [ "$user" != - ]; then
        setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups sh -c "$command$shared; $make" >> "$log" 2>&1 || status=$?
    else
        sh -c "$command$shared; $make" >> "$log" 2>&1 || status=$?
    fi
    results "$name" "$log" "$started" $status
    if [ $status = 0 ]; then rm -rf "$copy"; else return 1; fi
}

# files_of WORD...: prints the files that the words name: commands in PATH (and where Debian has slurmd), patterns of paths.
files_of() {
    local word file
    for word; do
        case $word in
            /*) compgen -G "$word" || true ;;
            *) PATH=$PATH:/usr/sbin:/sbin type -aP "$word" || true ;;
        esac
    done | while read -r file; do printf '%s/%s\n' "$(cd "${file%/*}" && pwd -P)" "${file##*/}"; done | sort -u
}

# without FILES COMMAND: runs a shell command that does not see these files, one a line. In a mount namespace of its own their directories
# are overlaid, and the files are removed from what lies on top.
without() {
    # shellcheck disable=SC2016
    unshare --mount --propagation private bash -c '
        set -euo pipefail
        mount -t tmpfs tmpfs /mnt
        n=0 last=none
        while read -r place; do
            case $place in "$last"*) continue ;; esac                 # overlaid with its parent
            last=$place
            n=$((n + 1)) top=/mnt/$n/top
            mkdir -p "$top" /mnt/$n/work
            mount -t overlay overlay -o "lowerdir=$place,upperdir=$top,workdir=/mnt/$n/work" "$place"
            mkdir "${place}.overlaid" && rmdir "$top/.overlaid"        # fails if the directory is not overlaid
        done < <(sed "s,[^/]*$,," <<< "$0" | LC_ALL=C sort -u)
        while read -r file; do rm -rf "$file"; done <<< "$0"
        exec sh -c "$1"' "$1" "$2"
}

# built_with VARIABLES: creates the tree that the builds without parts copy, unless it exists, and sets base to it.
built_with() {
    base=$dir/base-$(cksum <<< "$1" | cut -d' ' -f1)
    [ ! -e "$base" ] || return 0
    copy_to "$base.part"
    sh -c "$(at "$base.part")$(with_shared); export T=tests/rooms.bats; make -j2 $1 check-now" > "$base.log" 2>&1 || return 1
    rm -rf "$base".part/{build/petsc,build/bindings,lib/libspmvcast_petsc.so}       # make does not remove them where PETSc is hidden
    mv "$base.part" "$base"
}

# build_without NAME WORDS PACKAGES HIDDEN TESTS: as build, where HIDDEN is not seen. Without CUDA, unless that is the part.
build_without() {
    local name=$1 words=$2 packages=$3 hidden tests=$5 vars=NVCC= built=NVCC= copy=$dir/$1 log=$dir/$1.log started=$SECONDS status=0 why files base command
    read -ra hidden <<< "$4"
    case $name in cuda-no-driver) vars='' built='' ;; cuda-*) vars='' ;; esac        # cuda-no-cusparse: make leaves CUDA out by itself
    [ "$(id -u)" = 0 ] || { not_here "$name" "hiding files needs root"; return 0; }
    : > "$log"
    [[ " $installed " == *" $vars $packages "* ]] || sh -c "cd $(sq "$tree"); make $vars deps-test $([ "$packages" = test ] || echo "deps-$packages")" > "$log" 2>&1 \
        || { not_here "$name" "$(grep -v '^make' "$log" | tail -n 1)"; return 0; }
    installed+=" $vars $packages "
    files=$(files_of "${hidden[@]}")
    [ -n "$files" ] || { not_here "$name" "nothing to hide: on this machine, every build is one with $words"; return 0; }
    why=$(without "$files" true 2>&1) || { not_here "$name" "files cannot be hidden: ${why%%$'\n'*}"; return 0; }
    built_with "$built" || { row "$name" - - - $((SECONDS - started)) "the tree does not build: see $base.log"; return 1; }
    rm -rf "$copy"
    cp -a "$base" "$copy"
    command="$(at "$copy")$(with_shared); export T=$(sq "$(files_of_tests "$tests")"); make -j2 $vars check-now"
    [ -z "${T:-}" ] || command+=" T=$(sq "$T")"
    without "$files" "$command" >> "$log" 2>&1 || status=$?
    results "$name" "$log" "$started" $status "$words"
    if [ $status = 0 ]; then rm -rf "$copy"; else return 1; fi
}

names() { { table; parts; } | sed 's/ .*//'; }
# wanted NAME PATTERN...: NAME matches a pattern, or there is none.
wanted() {
    local name=$1 pattern; shift
    # shellcheck disable=SC2053
    for pattern; do if [[ $name == $pattern ]]; then return 0; fi; done
    [ $# = 0 ]
}
for name; do
    # shellcheck disable=SC2053
    while read -r known && [[ $known != $name ]]; do known=; done < <(names)
    [ -n "$known" ] || { echo "unknown build $name; expected one of: $(names | xargs)" >&2; exit 2; }
done
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CC CFLAGS LDFLAGS NVCC MPICC        # only the tables set build variables
mkdir -p "$dir"
rm -rf "$dir"/base-*
trap 'rm -rf "$dir"/base-*[0-9]' EXIT
failed=0 installed=''
row build tests failed skipped seconds note
trim() { local w=${1#"${1%%[! ]*}"}; printf '%s' "${w%"${w##*[! ]}"}"; }
while IFS='|' read -r name user root tests vars; do
    name=${name// /}
    ! wanted "$name" "$@" || build "$name" "${user// /}" "${root// /}" "$(trim "$tests")" "$(trim "$vars")" < /dev/null || failed=1
done < <(table)
while IFS='|' read -r name words packages hidden tests; do
    name=${name// /}
    ! wanted "$name" "$@" || build_without "$name" "$(trim "$words")" "${packages// /}" "$(trim "$hidden")" "$(trim "$tests")" < /dev/null || failed=1
done < <(parts)
exit $failed
