# SPDX-License-Identifier: BSD-3-Clause
# For the tests of PETSc's matrix type (petsc.bats, petsc_gpu.bats): its library, loaded into programs of PETSc.
LIBRARY="$ROOT/lib/libspmvcast_petsc.so"

setup_file() {
    export OMP_NUM_THREADS=2 XDG_DATA_HOME="$BATS_FILE_TMPDIR/data" # no profile of the user's
}
setup() {
    cd "$BATS_TEST_TMPDIR" || return
    command -v pkg-config > /dev/null && { pkg-config --exists PETSc || pkg-config --exists petsc; } || skip "no PETSc (install-deps.sh petsc)"
    [ -e "$LIBRARY" ] || skip "lib/libspmvcast_petsc.so is not built (make petsc says what is missing)"
    ! grep -q __asan_init "$LIBRARY" || skip "PETSc and MPI are not built for AddressSanitizer"
}

# need_example NAME...: PETSc's examples. To be called outside of `run`, where skip has no effect.
need_example() {
    local name
    for name; do [ -x "$BUILD/../petsc/$name" ] || skip "$name is not built: PETSc's examples are not installed (install-deps.sh petsc)"; done
}

# petsc PROGRAM OPTION...: runs a program of PETSc on RANKS ranks (1) with the library loaded; stderr goes to stdout. One rank alone needs
# no daemon of Open MPI.
petsc() {
    local program="$BUILD/../petsc/$1" start=(); shift
    [ "${RANKS:-1}" = 1 ] || start=(mpirun --mca mpi_yield_when_idle 1 --oversubscribe --bind-to none -n "$RANKS")
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_ess_singleton_isolated=1 "${start[@]}" "$program" "$@" -dll_append "$LIBRARY" 2>&1
}
need_ranks() { mpirun --version 2> /dev/null | grep -q 'Open MPI\|Open RTE' || skip "no mpirun of Open MPI"; }

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

# histories PROGRAM OPTION...: compares GMRES of both types without and with preconditioners, or with those of PCS, one a line.
# TYPE_OPTION: the option that sets the type; CONFIG: how the configuration begins.
POLYNOMIAL="-pc_type ksp -ksp_ksp_type chebyshev -ksp_ksp_max_it 4 -ksp_ksp_norm_type none -ksp_pc_type jacobi"
histories() {
    local pc
    while read -r pc; do
        # shellcheck disable=SC2086
        { petsc "$@" -ksp_type gmres $pc -ksp_monitor $TYPE_OPTION aij > aij.txt &&
            petsc "$@" -ksp_type gmres $pc -ksp_monitor $TYPE_OPTION aijspmvcast -mat_spmvcast_view > ours.txt; } || { cat aij.txt ours.txt; return 1; }
        grep -q "^spmvcast: .*: $CONFIG" ours.txt || { cat ours.txt; return 1; }
        run alike aij.txt ours.txt
        [ "$status" -eq 0 ] && [ "$output" -gt 10 ] || { echo "$pc: $output"; return 1; }
    done <<< "${PCS:-$(printf '%s\n' "-pc_type none" "-pc_type ilu -pc_factor_levels 0" "$POLYNOMIAL")}"
}
