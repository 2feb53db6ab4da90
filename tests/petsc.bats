#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# PETSc's matrix type seqaijspmvcast (bindings/petsc), loaded into PETSc's examples and a program of ours, compared with AIJ.
bats_require_minimum_version 1.5.0
load helpers

LIBRARY="$ROOT/lib/libspmvcast_petsc.so"

setup_file() {
    export OMP_NUM_THREADS=2 XDG_DATA_HOME="$BATS_FILE_TMPDIR/data" # no profile of the user's
}
setup() {
    cd "$BATS_TEST_TMPDIR" || return
    command -v pkg-config > /dev/null && { pkg-config --exists PETSc || pkg-config --exists petsc; } || skip "no PETSc (install-deps.sh petsc)"
    [ -e "$LIBRARY" ] || skip "lib/libspmvcast_petsc.so is not built (make petsc)"
    ! grep -q __asan_init "$LIBRARY" || skip "PETSc and MPI are not built for AddressSanitizer"
}

# petsc PROGRAM OPTION...: runs a program of PETSc on one rank with the library loaded; stderr goes to stdout.
petsc() {
    local program="$BUILD/../petsc/$1"; shift
    [ -x "$program" ] || skip "${program##*/} is not built: PETSc's examples are not installed"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$program" "$@" -dll_append "$LIBRARY" 2>&1
}

# alike FILE FILE: the residual norms of the first 20 iterations agree to 1e-8 of each, and the numbers of iterations of all linear solves
# to 1. A later solve of SNES begins at another rounding of the last iterate: its first 20 norms agree to 1e-8 of its first.
alike() {
    awk '
        FNR == 1 { file++; solve = 0 }
        $2 == "KSP" && $3 == "Residual" { if ($1 == 0) solve++; norm[file, solve, $1] = $5; last[file, solve] = $1; solves[file] = solve }
        END {
            if (!solves[1] || solves[1] != solves[2]) { print solves[1] + 0 " and " solves[2] + 0 " linear solves"; exit 1 }
            for (s = 1; s <= solves[1]; s++) {
                d = last[1, s] - last[2, s]
                if (d * d > 1) { print "solve " s ": " last[1, s] " and " last[2, s] " iterations"; exit 1 }
                for (i = 0; i <= 20 && i <= last[1, s] && i <= last[2, s]; i++) {
                    a = norm[1, s, i]; b = norm[2, s, i]; of = s == 1 ? a : norm[1, s, 0]; compared++
                    if ((a - b) * (a - b) > 1e-16 * of * of) { print "solve " s ", iteration " i ": " a " and " b; exit 1 }
                }
            }
            print compared + 0
        }' "$1" "$2"
}

# histories PROGRAM OPTION...: compares GMRES of both types without and with preconditioners.
POLYNOMIAL="-pc_type ksp -ksp_ksp_type chebyshev -ksp_ksp_max_it 4 -ksp_ksp_norm_type none -ksp_pc_type jacobi"
histories() {
    local pc
    for pc in "-pc_type none" "-pc_type ilu -pc_factor_levels 0" "$POLYNOMIAL"; do
        # shellcheck disable=SC2086
        { petsc "$@" -ksp_type gmres $pc -ksp_monitor $TYPE_OPTION seqaij > aij.txt &&
            petsc "$@" -ksp_type gmres $pc -ksp_monitor $TYPE_OPTION seqaijspmvcast -mat_spmvcast_view > ours.txt; } || { cat aij.txt ours.txt; return 1; }
        grep -q '^spmvcast: .*: csr-vector' ours.txt || { cat ours.txt; return 1; }
        run alike aij.txt ours.txt
        [ "$status" -eq 0 ] && [ "$output" -gt 10 ] || { echo "$pc: $output"; return 1; }
    done
}

@test "petsc: a KSP tutorial has the residuals of AIJ: GMRES, without preconditioner, ILU(0), Chebyshev polynomial" {
    TYPE_OPTION=-mat_type histories ex2 -m 60 -n 50
}

@test "petsc: SNES ex19 has the residuals of AIJ, and one choice serves all Jacobians" {
    TYPE_OPTION=-dm_mat_type histories ex19 -da_grid_x 14 -da_grid_y 14
    grep -E '1 choice took .* [1-9] updates? of values' ours.txt
}

@test "petsc: products, changed values and patterns, duplicates, conversions and AIJ's operations equal AIJ's" {
    for config in "" csr-block sell:sigma=1024,index=narrow hyb bcsr; do
        run petsc matrix type ${config:+-mat_spmvcast_config "$config"}
        [[ "$status" -eq 0 && "${lines[-1]}" == "ok 124 checks" ]] || { echo "$config: $output"; false; }
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
    grep -E '3 choices took .*, 5 updates of values' <<<"$output" # the matrix of changes()
    [ "$(grep -c 'as in the matrix that it is a duplicate of' <<<"$output")" -eq 2 ] # only those whose pattern stayed
}

@test "petsc: the forecast of a profile of this CPU picks; -mat_spmvcast_config overrides it" {
    spmv-run -q --backend cpu -c csr-vector -c ell -p f64 --cache warm --time-cap 0 --rounds-cap 3 --role matrix -o runs.h5 \
        stencil:points={5,7,27},n=6 dense:rows={20,40,60} banded:rows={90,130},bandwidth=7 rmat:scale=6,p={2,4} > /dev/null
    spmv-fit -q -m physics-gp --name tiny -o tiny.h5 runs.h5 > /dev/null
    local pick
    pick=$(spmv-predict --profile tiny.h5 --iterations 1000 stencil:points=5,n=12 2> /dev/null | sed -n 's/^# f64, warm: use \([a-z-]*\).*/\1/p')
    run -0 petsc ex2 -m 12 -n 12 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_profile tiny.h5
    [[ "$output" == *" x 144: $pick"*" (picked by the forecast)"*"forecast of a product "*", profile tiny"* ]] || { echo "$pick: $output"; false; }
    run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_profile tiny.h5 -mat_spmvcast_config csr-vector
    [[ "$output" == *"csr-vector:lanes=8 (set by -mat_spmvcast_config)"*"forecast of a product "* ]]
    # found by itself where spmv-profile puts it
    mkdir -p data/spmvcast/profiles
    cp tiny.h5 data/spmvcast/profiles
    XDG_DATA_HOME="$PWD/data" run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view
    [[ "$output" == *"(picked by the forecast)"*"profile tiny"* ]]
    XDG_DATA_HOME="$PWD/data" run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view -mat_spmvcast_profile none
    [[ "$output" == *"csr-vector:lanes=8 (default: no profile of this CPU)"* ]]
    # with another number of threads it is another device
    OMP_NUM_THREADS=1 XDG_DATA_HOME="$PWD/data" run -0 petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_view
    [[ "$output" == *"(default: no profile of this CPU)"* ]]
}

@test "petsc: errors are PETSc's, with the reason" {
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
    run petsc ex2 -mat_type seqaijspmvcast -mat_spmvcast_products -1
    [[ "$status" -ne 0 && "$output" == *mat_spmvcast_products* ]] || { echo "$output"; false; }
    run petsc ex2 -help
    [[ "$status" -eq 0 ]]
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
