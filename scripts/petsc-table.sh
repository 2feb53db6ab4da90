#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/petsc-table.sh > results/cpu/petsc.tsv
# Solves two of PETSc's examples with GMRES on this machine, once with AIJ matrices and once with seqaijspmvcast, after Table 5 of
# ashari2014: iterations and the times of SpMV, of the preconditioner and of the whole solve. One row per run that was kept: of REPEATS (3)
# runs the one with the shortest solve. Requires make petsc and PETSc's examples. THREADS: the numbers of threads of seqaijspmvcast (1 and
# all cores); AIJ has one. For each of them the script first measures a small profile, on generated matrices of few kinds and with the
# configurations below, which takes a minute or more. DEVICES="cpu gpu": seqaijspmvcast also on the GPU, with a profile of it if there is
# one; DEVICES=gpu: there alone, besides AIJ. RANKS: also on so many ranks, as problems of their own, with ILU(0) on the block of each rank (2
# if there are as many cores; 1: not). EX2, EX19: points of a side of the grids (120, 48). MAX_IT: most iterations of a linear solve (5000).
# TABLE5=256: also the solves of that table: ex19 on a grid of this side (256 is the paper's, by its iterations), with ILU(0) and a
# polynomial of DEGREE (20) Chebyshev steps, by AIJ and the pick of the last device (TYPES5="aij pick"; empty: neither) and by each of
# CONFIGS (brc csr-vector:lanes=8), REPEATS5 (1) runs each. Lines that begin with # state where and when, and which solves did not converge.
#   spmv_s      MatMult without the set-up of seqaijspmvcast: s, of spmv_count products
#   copy_s      the copies of x and y to the GPU and back, which are in spmv_s, too; by the GPU's clock
#   setup_s     opening of the device and the profile, choice of the configuration, conversions, updates of values
#   convert_s   setup_s without the opening, which is once in a process
#   pc_s        PCSetUp and PCApply; its products are in spmv_s, too
#   total_s     ex2: KSPSolve and setup_s, since its first product is before the solve; ex19: SNESSolve, also residuals and Jacobians
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
library=$tree/lib/libspmvcast_petsc.so
programs=$tree/build/petsc
for f in "$library" "$programs"/ex{2,19}; do
    [ -e "$f" ] || { echo "petsc-table.sh: $f not found; run make petsc (and install PETSc's examples: install-deps.sh petsc)" >&2; exit 1; }
done
devices=" ${DEVICES:-cpu} " side2=${EX2:-120} side19=${EX19:-48}
[[ "$devices" =~ ^(\ +(cpu|gpu))+\ +$ ]] || { echo "petsc-table.sh: DEVICES=$DEVICES: expected cpu, gpu or both" >&2; exit 2; }
cores=$(getconf _NPROCESSORS_ONLN)
read -ra threads <<< "${THREADS:-$(printf '%s\n' 1 "$cores" | uniq | paste -sd ' ')}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(cat "$tree/build/git.by" 2> /dev/null || echo unknown) # what the library was built from
echo "# date $(date -u +%Y-%m-%dT%H:%M:%SZ)"
echo "# commit $commit"
echo "# PETSc $(pkg-config --modversion PETSc 2> /dev/null || pkg-config --modversion petsc)"
echo "# CPU $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $cores cores"
if [[ "$devices" == *gpu* ]]; then
    gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
    echo "# GPU ${gpu%%,*}, driver ${gpu##*, }"
fi
[[ "$devices" == *cpu* ]] || threads=()
echo "# load average over a minute before: $(cut -d ' ' -f 1 /proc/loadavg)"
export SPMVCAST_ACCEPT_NOISE=1
for n in "${threads[@]}"; do
    OMP_NUM_THREADS=$n "$tree/bin/spmv-run" -q --backend cpu -p f64 --cache warm --rounds-cap 5 --time-cap 1 --role matrix -o "$work/runs-$n.h5" \
        -c csr-vector:lanes=4 -c csr-vector:lanes=8 -c csr-merge -c ell -c sell:index=32 -c sell:index=narrow -c dia -c jad -c bcsr:r=4,c=4 \
        stencil:points=5,n={40,80,120,200} stencil:points=7,n={10,24} fem:n={12,20},d=4 banded:rows={3000,9000,20000},bandwidth=10 \
        dense:rows={60,200} > /dev/null
    "$tree/bin/spmv-fit" -q -m physics-gp --name "small-$n" -o "$work/profile-$n.h5" "$work/runs-$n.h5" > /dev/null
    "$tree/bin/spmv-fit" -q --pack "$work/profile-$n.h5" > /dev/null # as spmv-profile does
done
printf '%s\t' problem preconditioner type device threads config iterations spmv_count spmv_s copy_s setup_s convert_s pc_s
echo total_s

# seconds EVENT, count EVENT: from the log of a run; 0 if it has no such event
seconds() { awk -v e="$1" '$1 == e { s = $4 } END { print s + 0 }' "$work/log"; }
count() { awk -v e="$1" '$1 == e { s = $2 } END { print s + 0 }' "$work/log"; }
# took EDIT: the sum in s of the times in ms that sed finds in the output of a run
took() { sed -n "$1" "$work/out" | awk '{ for (i = 1; i <= NF; i++) s += $i } END { printf "%.6g", s / 1000 }'; }

# solve PROBLEM SOLVE-EVENT PRECONDITIONER DEVICE THREADS TYPE PROGRAM OPTION...
solve() {
    local problem=$1 event=$2 pc=$3 device=$4 n=$5 type=$6 profile=() options=(-pc_type none); shift 6
    if [[ "$*" == *" -mat_spmvcast_config "* ]]; then profile=(-mat_spmvcast_profile none)
    elif [ "$device" = cpu ]; then profile=(-mat_spmvcast_profile "$work/profile-$n.h5"); fi
    case $pc in
    ilu0) [ -n "$on_ranks" ] && options=(-pc_type bjacobi) || options=(-pc_type ilu -pc_factor_levels 0) ;;
    chebyshev*) options=(-pc_type ksp -ksp_ksp_type chebyshev -ksp_ksp_max_it "${pc#chebyshev}" -ksp_ksp_norm_type none -ksp_pc_type jacobi) ;;
    esac
    for ((i = 0; i < ${REPEATS:-3}; i++)); do
        OMP_NUM_THREADS=$n "${start[@]}" "$@" -ksp_type gmres -ksp_max_it "${MAX_IT:-5000}" -ksp_converged_reason -log_view ":$work/log" -dll_append "$library" \
            -mat_spmvcast_device "$device" "${profile[@]}" "${options[@]}" -mat_spmvcast_view > "$work/out"
        if grep -q 'solve did not converge' "$work/out"; then
            echo "# $problem, $pc, $type on $device: $(sed -n 's/^ *\(Linear solve did not converge.*\)/\1/p' "$work/out" | head -n 1)" >> "$work/failed"
            return
        fi
        iterations=$(awk '/^ *Linear solve converged/ { n += $NF } END { print n + 0 }' "$work/out")
        config=$(sed -n 's/^spmvcast: .*: \([^ ]*\) (.*/\1/p' "$work/out" | head -n 1)
        copy_s=$(took 's/.* copies of x and y ([0-9]* bytes) \([^ ]*\) ms.*/\1/p')
        convert_s=$(took 's/.* choices\{0,1\} took \([^ ]*\) ms, conversion and preparation \([^ ]*\) ms, .* of values \([^ ]*\) ms/\1 \2 \3/p; s/.* copies of the matrix \([^ ]*\) ms/\1/p')
        printf '%s\t' "$problem" "$pc" "$type" "$device" "$n" "${config:--}" "$iterations" "$(count MatMult)" \
            "$(awk -v a="$(seconds MatMult)" -v b="$(seconds SpmvcastSetUp)" 'BEGIN { printf "%.6g", a - b }')" "$copy_s" "$(seconds SpmvcastSetUp)" "$convert_s" \
            "$(awk -v a="$(seconds PCSetUp)" -v b="$(seconds PCApply)" 'BEGIN { printf "%.6g", a + b }')"
        case $event in
        KSPSolve) awk -v a="$(seconds KSPSolve)" -v b="$(seconds SpmvcastSetUp)" 'BEGIN { printf "%.6g\n", a + b }' ;;
        *) seconds "$event" ;;
        esac
    done | sort -t $'\t' -k 14,14g | head -n 1
}
# ex2 SIDE PRECONDITIONER DEVICE THREADS TYPE [OPTION...], ex19 ...
ex2() { solve "ksp ex2, $1 x $1$on_ranks" KSPSolve "${@:2:4}" "$programs/ex2" -m "$1" -n "$1" -mat_type "$5" "${@:6}"; }
ex19() { solve "snes ex19, $1 x $1$on_ranks" SNESSolve "${@:2:4}" "$programs/ex19" -da_grid_x "$1" -da_grid_y "$1" -dm_mat_type "$5" "${@:6}"; }

on=() # DEVICE THREADS of seqaijspmvcast
on_ranks="" start=()
for n in "${threads[@]}"; do on+=(cpu "$n"); done
[[ "$devices" != *gpu* ]] || on+=(gpu 1)
# each FUNCTION: calls it with the program, the side of its grid and the preconditioner of each solve.
each() {
    local pc
    for pc in none ilu0 chebyshev4; do
        "$1" ex2 "$side2" "$pc"
        "$1" ex19 "$side19" "$pc"
    done
}
alone() {
    "$@" cpu 1 seqaij
    for ((k = 0; k < ${#on[@]}; k += 2)); do "$@" "${on[@]:k:2}" seqaijspmvcast; done
}
shared() { for type in mpiaij mpiaijspmvcast; do "$@" "${on[@]:0:2}" "$type"; done; }
each alone
ranks=${RANKS:-$((cores > 1 ? 2 : 1))}
if [ "$ranks" != 1 ]; then
    on_ranks=", $ranks ranks" start=(mpirun --oversubscribe --bind-to none -n "$ranks")
    each shared
    on_ranks="" start=()
fi
if [ -n "${TABLE5:-}" ]; then
    read -ra configs <<< "${CONFIGS:-brc csr-vector:lanes=8}"
    REPEATS=${REPEATS5:-1} types=" ${TYPES5-aij pick} "
    for pc in ilu0 "chebyshev${DEGREE:-20}"; do
        [[ "$types" != *" aij "* ]] || ex19 "$TABLE5" "$pc" cpu 1 seqaij
        [[ "$types" != *" pick "* ]] || ex19 "$TABLE5" "$pc" "${on[@]: -2}" seqaijspmvcast
        for c in "${configs[@]}"; do ex19 "$TABLE5" "$pc" "${on[@]: -2}" seqaijspmvcast -mat_spmvcast_config "$c"; done
    done
fi
[ ! -e "$work/failed" ] || cat "$work/failed"
echo "# load average over a minute after: $(cut -d ' ' -f 1 /proc/loadavg)"
