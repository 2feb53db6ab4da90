#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the matrices that make bench-gpu measures as a list for spmv-run, one per line:
#     bench-gpu.sh MIN_NNZ FILE|DIR|RECIPE...
# Files and recipes are always listed; of a directory, only matrices with at least MIN_NNZ nonzeros (counted by spmv-info on all
# cores). Reports the number of skipped matrices on stderr.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
PATH="$tree/bin:$PATH"

die() { printf 'bench-gpu.sh: %s\n' "$*" >&2; exit 1; }
[ $# -ge 2 ] || { echo "usage: bench-gpu.sh MIN_NNZ FILE|DIR|RECIPE..." >&2; exit 2; }
min_nnz=$1; shift
[[ $min_nnz =~ ^[0-9]+$ ]] || die "invalid MIN_NNZ=$min_nnz: expected a nonnegative integer"

# nnz_of FILE: prints nnz<TAB>FILE, or nothing if FILE holds no matrix (a run archive, a dense array); spmv-run skips such files, too.
nnz_of() {
    local nnz
    nnz=$(OMP_NUM_THREADS=1 spmv-info -q "$1" 2> /dev/null | awk -F'\t' '$1 == "nnz" { print $2; exit }') || :
    [ -z "$nnz" ] || printf '%s\t%s\n' "$nnz" "$1"
}
export -f nnz_of

folder() {
    local folder=$1
    case $folder in -*) folder=./$folder ;; esac
    # shellcheck disable=SC2016
    find -L "$folder" -maxdepth 1 -type f \( -name '*.mtx' -o -name '*.mtx.*' -o -name '*.tar' -o -name '*.tar.*' -o -name '*.t[gx]z' -o -name '*.h5' \
        -o -name '*.hdf5' \) -print0 | xargs -0 -r -n 1 -P "$(getconf _NPROCESSORS_ONLN)" bash -c 'nnz_of "$1"' bash | sort -t $'\t' -k 2
}

for operand; do
    if [ -d "$operand" ]; then
        found=$(folder "$operand")
        [ -n "$found" ] || die "$operand: no matrix found in this directory"
        FOLDER=$operand awk -F'\t' -v min="$min_nnz" '$1 >= min { print substr($0, index($0, "\t") + 1); n++ } END {
            printf "# %s: %d matrices, skipped %d with fewer than %d nonzeros (MIN_NNZ)\n", ENVIRON["FOLDER"], NR, NR - n, min > "/dev/stderr" }' <<< "$found"
    else
        printf '%s\n' "$operand"
    fi
done
