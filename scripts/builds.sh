#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs all tests with every build of the table below, each in a copy of the working tree (without ignored files). Prints TSV:
# build tests failed skipped seconds note. Builds that this machine cannot make are noted as "not here: reason". Exits 1 if one fails.
#   scripts/builds.sh [NAME...]      called by `make check-builds [B="NAME..."] [T="tests/x.bats ..."]`
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
portable    | -      | -        | - | NVCC= ARCHFLAGS=
clang       | -      | -        | - | NVCC= CC=clang
sanitizers  | -      | -        | - | NVCC= CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
threads     | -      | -        | tests/library.bats tests/library_matrix.bats | NVCC= MPICC= OPENMP= CFLAGS='-O1 -g -fsanitize=thread' LDFLAGS=-lgomp
user        | nobody | -        | - | NVCC=
debian12    | -      | bookworm | - | NVCC=
debian13    | -      | trixie   | - | NVCC=
ubuntu24.04 | -      | noble    | - | NVCC=
TABLE
}
dir=${BUILDS_DIR:-${TMPDIR:-/tmp}/spmvcast-builds}
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

# build NAME USER ROOT TESTS VARIABLES: makes and tests one build in a copy of the tree; prints its row; fails if make or a test fails.
build() {
    local name=$1 user=$2 root=$3 tests=$4 vars=$5 copy log=$dir/$1.log started=$SECONDS status=0 why command
    copy=$dir/$name
    if [ "$root" != - ]; then
        why=$(root_for "$root") || { row "$name" - - - - "not here: $why"; return 0; }
        root=$dir/roots/$root copy=$root/tmp/$name
    elif [ "$user" != - ] && { [ "$(id -u)" != 0 ] || ! id "$user" > /dev/null 2>&1; }; then
        row "$name" - - - - "not here: needs root and the user $user; without root, the other builds already run as an ordinary user"
        return 0
    fi
    copy_to "$copy"
    # The caller installs the packages; USER, who has no home directory, does the rest.
    local deps="make $vars deps-test" make="make -j2 $vars check-now" shared=
    tests=${T:-${tests#-}}
    [ -z "$tests" ] || make+=" T=$(sq "$tests")"
    command="set -e; cd $(sq "${copy#"$([ "$root" = - ] || printf '%s\n' "$root")"}"); export HOME=/nonexistent LANG=C.UTF-8"
    command+="; export TSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS=suppressions=\$PWD/tests/lsan.supp:print_suppressions=0"
    if [ "$root" != - ]; then
        deps="command -v make > /dev/null || { apt-get update && apt-get install -y make; }; $deps"
        within "$root" "$command; $deps" > "$log" 2>&1 || status=$?
    else
        [ ! -d "$tree/../shared/matrices" ] || shared="; export SHARED_MATRICES=$(sq "$tree/../shared/matrices")"
        sh -c "$command; $deps" > "$log" 2>&1 || status=$?
    fi
    [ $status = 0 ] || { row "$name" - - - - "not here: $(grep -v '^make' "$log" | tail -n 1)"; return 0; }
    [ "$user" = - ] || chown -R "$user" "$copy"
    if [ "$root" != - ]; then
        within "$root" "$command; $make" >> "$log" 2>&1 || status=$?
    elif [ "$user" != - ]; then
        setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups sh -c "$command$shared; $make" >> "$log" 2>&1 || status=$?
    else
        sh -c "$command$shared; $make" >> "$log" 2>&1 || status=$?
    fi
    row "$name" "$(grep -cE '^(not )?ok [0-9]' "$log" || true)" "$(grep -c '^not ok ' "$log" || true)" \
        "$(grep -cE '^ok .*# skip' "$log" || true)" $((SECONDS - started)) "$([ $status = 0 ] && echo ok || echo "exit $status: see $log")"
    if [ $status = 0 ]; then rm -rf "$copy"; else return 1; fi
}

for name; do
    table | grep -q "^$name " || { echo "unknown build $name; expected one of: $(table | sed 's/ .*//' | xargs)" >&2; exit 2; }
done
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CC CFLAGS LDFLAGS NVCC MPICC        # only the table sets build variables
mkdir -p "$dir"
failed=0
row build tests failed skipped seconds note
while IFS='|' read -r name user root tests vars; do
    name=${name// /} user=${user// /} root=${root// /} tests=${tests# }; tests=${tests% }
    if [ $# = 0 ] || [[ " $* " == *" $name "* ]]; then build "$name" "$user" "$root" "$tests" "${vars# }" < /dev/null || failed=1; fi
done < <(table)
exit $failed
