#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# PETSc's matrix types seqaijspmvcast and mpiaijspmvcast (bindings/petsc), loaded into PETSc's examples and a program of ours, compared with AIJ.
bats_require_minimum_version 1.5.0
load helpers
load petsc

@test "petsc: a KSP tutorial has the residuals of AIJ: GMRES, without preconditioner, ILU(0), Chebyshev polynomial" {
    need_example ex2
    CONFIG=csr-merge TYPE_OPTION=-mat_type histories ex2 -m 60 -n 50
}

@test "petsc: SNES ex19 has the residuals of AIJ, and one choice serves all Jacobians" {
    need_example ex19
    CONFIG=csr-merge TYPE_OPTION=-dm_mat_type histories ex19 -da_grid_x 14 -da_grid_y 14
    grep -E '1 choice took .* [1-9] updates? of values' ours.txt
}

@test "petsc: products, changed values and patterns, duplicates, conversions and AIJ's operations equal AIJ's" {
    for config in "" csr-block sell:sigma=1024,index=narrow hyb bcsr; do
        run petsc matrix type ${config:+-mat_spmvcast_config "$config"}
        [[ "$status" -eq 0 && "${lines[-1]}" == "ok 150 checks" ]] || { echo "$config: $output"; false; }
    done
}

@test "petsc: products with real matrices equal AIJ's" {
    need_shared
    run petsc matrix products "$SHARED_MATRICES"/{685_bus,bcspwr06,USAir97,adder_dcop_05,as-caida20071105,Trefethen_20000}.mtx.xz
    [[ "$status" -eq 0 && "${lines[-1]}" == "ok 18 checks" ]] || { echo "$output"; false; }
}

@test "petsc: values that change keep the configuration, another pattern is another choice, a duplicate takes the configuration" {
    run -0 petsc matrix type -mat_spmvcast_view
    grep -E '1 choice took .*, 1 update of values' <<<"$output"
    grep -E '6 choices took .*, 6 updates of values' <<<"$output" # the matrix of changes()
    [ "$(grep -c 'as in the matrix that it is a duplicate of' <<<"$output")" -eq 2 ] # only those whose pattern stayed
}

@test "petsc: the forecast of a profile of this CPU picks; -mat_spmvcast_config overrides it" {
    need_example ex2
    export OMP_NUM_THREADS=1
    spmv-run -q --backend cpu -c csr-vector -c ell -p f64 --cache warm --time-cap 0 --rounds-cap 3 --role matrix -o runs.h5 \
        stencil:points={5,7,27},n=6 dense:rows={20,40,60} banded:rows={90,130},bandwidth=7 rmat:scale=6,p={2,4} > /dev/null
    spmv-fit -q -m physics-gp --name tiny -o tiny.h5 runs.h5 > /dev/null
    local pick
    # costs are ignored: they differ, since the type keeps what updates of values need, and forecasts of so short times can be close
    pick=$(spmv-predict --profile tiny.h5 --iterations 0 stencil:points=5,n=12 2> /dev/null | sed -n 's/^# f64, warm: \(use\|stay with\) \([a-z-]*\).*/\2/p')
    run -0 petsc ex2 -m 12 -n 12 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_profile tiny.h5 -mat_spmvcast_products 0
    [[ "$output" == *" x 144: $pick"*" (picked by the forecast)"*"forecast of a product "*", profile tiny"* ]] || { echo "$pick: $output"; false; }
    run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_profile tiny.h5 -mat_spmvcast_config csr-vector
    [[ "$output" == *"csr-vector:lanes=8 (set by -mat_spmvcast_config)"*"forecast of a product "* ]]
    # found by itself where spmv-profile puts it
    mkdir -p data/spmvcast/profiles
    cp tiny.h5 data/spmvcast/profiles
    XDG_DATA_HOME="$PWD/data" run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_products 1000000
    [[ "$output" == *"(picked by the forecast)"*"profile tiny"* ]]
    XDG_DATA_HOME="$PWD/data" run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_profile none
    [[ "$output" == *"csr-merge"*" (default: no profile of this CPU)"* ]]
    run -0 petsc ex2 -m 60 -n 50 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_trial 50
    [[ "$output" == *" (the fastest of a trial)"* ]] || { echo "$output"; false; }
    # with another number of threads it is another device
    OMP_NUM_THREADS=2 XDG_DATA_HOME="$PWD/data" run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view
    [[ "$output" == *"(default: no profile of this CPU)"* ]]
}

@test "petsc: errors are PETSc's, with the reason" {
    need_example ex2
    refused() { # TEXT OPTION...
        local text=$1; shift
        run petsc ex2 -mat_type seqaijspmvcast "$@"
        [[ "$status" -ne 0 && "$output" == *"PETSC ERROR: spmvcast: "*"$text"* ]] || { echo "$output"; false; }
    }
    refused "did you mean 'dia'" -mat_spmvcast_config dai
    refused "does not have this kernel" -mat_spmvcast_config cusparse-csr
    refused "dia: " -mat_spmvcast_config dia:limit=2
    refused "is of another device (NVIDIA H200" -mat_spmvcast_profile h200
    refused "nowhere" -mat_spmvcast_profile nowhere
    CUDA_VISIBLE_DEVICES='' refused "CUDA" -mat_spmvcast_device gpu
    run petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_device tpu
    [[ "$status" -ne 0 && "$output" == *"Unknown option tpu for -mat_spmvcast_device"* ]] || { echo "$output"; false; }
    run petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_products -1
    [[ "$status" -ne 0 && "$output" == *mat_spmvcast_products* ]] || { echo "$output"; false; }
    run petsc ex2 -help
    [[ "$status" -eq 0 ]]
}

@test "petsc: on 2 ranks, blocks, products, changed values and patterns, made matrices and solvers are those of MPIAIJ" {
    need_ranks
    OMP_NUM_THREADS=1 RANKS=2 run -0 petsc parallel -mat_spmvcast_view
    [[ "$output" == *"ok 153 checks"* && "$output" == *"spmvcast: matrix, 100 x 100: csr-merge"* ]] || { echo "$output"; false; }
}

@test "petsc: on 2 ranks with -mat_seqaij_type seqaijspmvcast, both blocks are of the type, and products of matrices do not crash" {
    need_ranks
    OMP_NUM_THREADS=1 RANKS=2 run -0 petsc parallel -mat_seqaij_type seqaijspmvcast
    [ "${lines[-1]}" = "ok 153 checks" ] || { echo "$output"; false; }
    need_example ex2
    export RANKS=2 OMP_NUM_THREADS=1
    petsc ex2 -m 60 -n 60 -pc_type gamg -ksp_monitor -mat_type aij > aij.txt
    petsc ex2 -m 60 -n 60 -pc_type gamg -ksp_monitor -mat_type aijspmvcast -mat_seqaij_type seqaijspmvcast > ours.txt || { cat ours.txt; false; }
    run -0 alike aij.txt ours.txt
    # another type of PETSc's for the blocks stays, as with -mat_type aij
    run -0 petsc ex2 -mat_type aijspmvcast -mat_seqaij_type seqaijperm -pc_type gamg
}

# bats test_tags=long
@test "petsc: the same on 1 and 4 ranks; tutorials on 2 ranks have the residuals of AIJ" {
    need_ranks
    need_example ex2 ex19 ex56
    for RANKS in 1 4; do OMP_NUM_THREADS=1 run -0 petsc parallel; [ "${lines[-1]}" = "ok 153 checks" ]; done
    export RANKS=2 CONFIG=csr PCS="-pc_type bjacobi" OMP_NUM_THREADS=1
    TYPE_OPTION=-mat_type histories ex2 -m 60 -n 50
    # the lines of a rank stay together
    run -0 petsc ex2 -mat_type aijspmvcast -mat_spmvcast_view
    awk '/^spmvcast:/ { if (open++) exit 1 } / products, / { open = 0 }' <<< "$output" || { echo "$output"; false; }
    TYPE_OPTION=-dm_mat_type histories ex19 -da_grid_x 14 -da_grid_y 14
    PCS="-pc_type gamg" TYPE_OPTION=-mat_type histories ex56 -ne 7 -ksp_rtol 1e-9
}

@test "petsc: the library exports its entry point only" {
    [ "$(nm -D --defined-only "$LIBRARY" | awk '{ print $3 }')" = PetscDLLibraryRegister_spmvcast_petsc ]
}

@test "petsc: builds of PETSc with other scalars or indices are refused when the library is compiled" {
    compile() { # MACRO...
        local cpp; cpp=$(pkg-config --cflags-only-I PETSc 2>/dev/null || pkg-config --cflags-only-I petsc)
        # shellcheck disable=SC2086
        run mpicc -std=c17 -D_GNU_SOURCE -fsyntax-only -I"$ROOT/src" -I"$ROOT/include" $cpp -include petscconf.h "$@" "$ROOT/bindings/petsc/petsc_runtime.c"
    }
    command -v mpicc > /dev/null || skip "no mpicc"
    compile
    [ "$status" -eq 0 ]
    compile -DPETSC_USE_COMPLEX
    [[ "$status" -ne 0 && "$output" == *"#error \"spmvcast: this PETSc is built for complex numbers"* ]]
    compile -DPETSC_USE_64BIT_INDICES
    [[ "$status" -ne 0 && "$output" == *"#error \"spmvcast: this PETSc is built with 64-bit PetscInt"* ]]
}
