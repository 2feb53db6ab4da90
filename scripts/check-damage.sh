#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the programs on damaged archives: N random damages (flipped bytes, truncation, zeroed pages) per kind of archive, compared
# with h5dump. tests/c/damage.c explains the columns. Exits 1 if damage went undetected or a program crashed.
#   scripts/check-damage.sh [N=10000] [SEED=1] [JOBS=2] [EVERY=20] [KINDS="run run-older ..."] [KEEP=DIR]
# -older: written with schema 1, without a digest; -other: Binsparse of another program with HDF5 checksums; -other-plain: without;
# -h200: an archive of results/h200. Every EVERY-th damaged file also goes to the programs that read its kind. KEEP: directory for
# undetected and crashing files.
# shellcheck disable=SC2317   # functions are called by the trap and by other shells
set -euo pipefail
for word in "$@"; do
    case "$word" in
        N=*|SEED=*|JOBS=*|EVERY=*|KINDS=*|KEEP=*) declare "$word" ;;
        *) echo "check-damage.sh: unknown argument '$word'; expected N=, SEED=, JOBS=, EVERY=, KINDS= or KEEP=" >&2; exit 2 ;;
    esac
done
N="${N:-10000}" SEED="${SEED:-1}" JOBS="${JOBS:-2}" EVERY="${EVERY:-20}"
ALL="matrix recipes run profile plan forecasts matrix-older recipes-older run-older profile-older plan-older forecasts-older matrix-other matrix-other-plain run-h200"
KINDS="${KINDS:-$ALL}"
KEEP="${KEEP:+$(realpath -m "$KEEP")}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT="$PWD" PATH="$PWD/bin:$PATH"
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
command -v h5dump > /dev/null || { echo "check-damage.sh: h5dump not found (Debian, Ubuntu: apt-get install hdf5-tools)" >&2; exit 1; }
for word in $KINDS; do
    case " $ALL " in *" $word "*) ;; *) echo "check-damage.sh: unknown kind '$word'; expected one of: $ALL" >&2; exit 2 ;; esac
done
WORK="$(mktemp -d "${TMPDIR:-/tmp}/damage.XXXXXX")"
finish() {
    trap - EXIT
    [ -z "$KEEP" ] || { mkdir -p "$KEEP"; cp "$WORK"/*/{missed,crashed}-* "$KEEP" 2>/dev/null || :; }
    rm -rf "$WORK"
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$WORK"

# Makes one small archive of each kind, named KIND.h5.
small=stencil:points=5,n=8
make_all() {
    set -e
    spmv-import -o matrix.h5 "$small"
    spmv-gen stencil points=5 n=8 -o recipes.h5
    spmv-run -q --backend cpu -c csr-scalar -c ell -c coo --time-cap 0 --rounds-cap 3 -o run.h5 "$small" normal:rows=300,p=6,sd=2
    spmv-fit -q -m nearest,bandwidth --name cpu -o cpu.h5 run.h5
    "$ROOT/build/tests/synthetic" gpu grid.h5 "$small"
    spmv-fit -q -m guo2014-regimes --name small -o profile.h5 grid.h5
    spmv-plan -q --profile ./profile.h5 -m guo2014-regimes -o plan.h5 "$small"
    "$ROOT/build/tests/forecasts" forecasts.h5 < "$ROOT/tests/forecasts.txt"
    for kind in matrix recipes run profile plan forecasts; do
        cp "$kind.h5" "$kind-older.h5"
        "$ROOT/build/tests/h5_damage" older "$kind-older.h5"
    done
    "$ROOT/build/tests/h5_damage" checked matrix-other.h5 700
    "$ROOT/build/tests/h5_damage" foreign matrix-other-plain.h5 700
    cp "$ROOT/results/h200/guo2014-large.h5" run-h200.h5
}
export -f make_all
export ROOT small
bash -c make_all > made 2>&1 || { cat made >&2; exit 1; }

# readers_of KIND: prints the commands that read archives of this kind; @ stands for the damaged file.
readers_of() {
    echo "spmv-info @"
    case "$1" in
        matrix*) echo "spmv-import -o out.h5 @"; echo "spmv-predict -m guo2014-regimes --profile ../profile.h5 @" ;;
        recipes*) echo "spmv-run --backend cpu --dry-run -o out.h5 @"; echo "spmv-info --features @" ;;
        run-h200) echo "spmv-merge -q -o out.h5 @"; echo "spmv-fit -q -m bandwidth -o out.h5 @" ;;
        run*) echo "spmv-merge -q -o out.h5 @ ../grid.h5"; echo "spmv-fit -q -m nearest -o out.h5 @"; echo "spmv-predict -m nearest --profile ../cpu.h5 --measured @ $small" ;;
        profile*) echo "spmv-predict -m guo2014-regimes --profile ./@ $small"; echo "spmv-verify -m guo2014-regimes --profile ./@ ../grid.h5" ;;
        forecasts*) echo "spmv-verify @" ;;
        plan*) ;;
    esac
}
one() {
    local commands=()
    mapfile -t commands < <(readers_of "$1")
    mkdir "$1.d"
    cd "$1.d"
    "$ROOT/build/tests/damage" "$1" "../$1.h5" "$N" "$SEED" "$EVERY" "${commands[@]}" > "../$1.tsv"
}
export -f one readers_of
export N SEED EVERY
status=0
# shellcheck disable=SC2086
printf '%s\n' $KINDS | xargs -P "$JOBS" -I{} bash -c 'one {}' || status=1
printf 'archive\tdamage\tn\tcaught\tsame\tunseen\tmissed\tcrashed\tin_child\tseed\n'
for word in $KINDS; do cat "$word.tsv" 2>/dev/null || :; done
exit $status
