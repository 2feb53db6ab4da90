#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# PETSc's matrix type seqaijspmvcast with -mat_spmvcast_device gpu, compared with AIJ.
load helpers
load petsc

GPU=(-mat_spmvcast_device gpu)
need_cuda() { need_gpu; grep -q cudaMemcpyAsync "$LIBRARY" || skip "lib/libspmvcast_petsc.so is built without CUDA"; }

@test "petsc: on a GPU, KSP ex2 and SNES ex19 have the residuals of AIJ" {
    need_example ex2 ex19
    need_cuda
    CONFIG='.*' TYPE_OPTION=-mat_type histories ex2 -m 60 -n 50 "${GPU[@]}"
    CONFIG='.*' TYPE_OPTION=-dm_mat_type histories ex19 -da_grid_x 14 -da_grid_y 14 "${GPU[@]}"
    grep -E '1 choice took .* [1-9] updates? of values' ours.txt
}

@test "petsc: on a GPU, products, changed values and patterns, duplicates and conversions equal AIJ's" {
    need_cuda
    for config in "" csr-split sell:sigma=1024,index=narrow hyb bcsr; do
        run petsc matrix type "${GPU[@]}" ${config:+-mat_spmvcast_config "$config"}
        [[ "$status" -eq 0 && "${lines[-1]}" == "ok 150 checks" ]] || { echo "$config: $output"; false; }
    done
}

@test "petsc: on a GPU, the copies of x and y are counted apart from the products" {
    need_example ex2
    need_cuda
    run petsc ex2 -m 12 -n 12 -mat_type seqaijspmvcast -mat_spmvcast_view "${GPU[@]}"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    products=$(sed -nE 's/^ +([0-9]+) products, .*/\1/p' <<<"$output")
    # x there and y back, 144 doubles each
    grep -E ": products [0-9.e-]+ ms, $((2 * products)) copies of x and y \($((2 * products * 144 * 8)) bytes\) [0-9.e-]+ ms, " <<<"$output"
}

@test "petsc: on a GPU that 2 ranks share, blocks, products, changed values, made matrices and solvers are those of MPIAIJ" {
    need_ranks
    need_example ex2 ex19
    need_cuda
    export RANKS=2 OMP_NUM_THREADS=1 PCS="-pc_type bjacobi" CONFIG='.*'
    run -0 petsc parallel "${GPU[@]}"
    [ "${lines[-1]}" = "ok 153 checks" ] || { echo "$output"; false; }
    TYPE_OPTION=-mat_type histories ex2 -m 60 -n 50 "${GPU[@]}"
    TYPE_OPTION=-dm_mat_type histories ex19 -da_grid_x 14 -da_grid_y 14 "${GPU[@]}"
}
