/* SPDX-License-Identifier: BSD-3-Clause */
/* What all matrices of type seqaijspmvcast share: the CPU device and the profile; and operators of PETSc's AIJ matrices. */
#ifndef SPMVCAST_PETSC_RUNTIME_H
#define SPMVCAST_PETSC_RUNTIME_H
#include <petscmat.h>
#include "library/operator.h"

#if defined(PETSC_USE_COMPLEX)
#error "spmvcast: this PETSc is built for complex numbers; only real double-precision builds are supported"
#elif defined(PETSC_USE_64BIT_INDICES)
#error "spmvcast: this PETSc is built with 64-bit PetscInt; only builds with 32-bit indices are supported"
#elif !defined(PETSC_USE_REAL_DOUBLE)
#error "spmvcast: this PETSc is not built for double precision (PetscScalar must be double)"
#endif
#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

/* Options of a matrix; strings are "" if not given. */
struct runtime_options {
    char profile[PETSC_MAX_PATH_LEN]; /* name or file; "none": none; "": that of this CPU, if there is one */
    char config[CONFIG_LEN];          /* "": picked */
    PetscInt products;
};

/* Makes an operator from an assembled AIJ matrix. inherited: configuration to use if the options name none; "": none. */
PetscErrorCode RuntimeCreate(Mat, const struct runtime_options *, const char *inherited, struct spmv_operator **);
/* Updates the values. *same PETSC_FALSE: the pattern is another, and the operator is unchanged. After an error it can only be freed. */
PetscErrorCode RuntimeUpdate(Mat, struct spmv_operator *, PetscBool *same);
/* Closes the device and the profile; at PetscFinalize. */
PetscErrorCode RuntimeClose(void);
#endif
