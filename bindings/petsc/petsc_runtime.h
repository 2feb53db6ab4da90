/* SPDX-License-Identifier: BSD-3-Clause */
/* What all matrices of type seqaijspmvcast share, devices with their profiles; and spmvcast's handles of PETSc's AIJ matrices. */
#ifndef SPMVCAST_PETSC_RUNTIME_H
#define SPMVCAST_PETSC_RUNTIME_H
#include <petscmat.h>
#include "petsc_gpu.h"
#include "petsc_types.h"

#if defined(PETSC_USE_COMPLEX)
#error "spmvcast: this PETSc is built for complex numbers; only real double-precision builds are supported"
#elif defined(PETSC_USE_64BIT_INDICES)
#error "spmvcast: this PETSc is built with 64-bit PetscInt; only builds with 32-bit indices are supported"
#elif !defined(PETSC_USE_REAL_DOUBLE)
#error "spmvcast: this PETSc is not built for double precision (PetscScalar must be double)"
#endif

enum { CONFIG_MOST = 256 }; /* length of a configuration's text */

/* Options of a matrix; strings are "" if not given. */
struct runtime_options {
    char profile[PETSC_MAX_PATH_LEN]; /* name or file; "none": none; "": that of the device, if there is one */
    char config[CONFIG_MOST];         /* "": chosen */
    PetscInt products, trial;         /* trial: time for candidates, in products */
    PetscBool gpu;
};

/* An AIJ matrix that is ready to be multiplied. matrix NULL: none. */
struct handle {
    spmvcast_matrix *matrix;
    struct gpu_vectors *vectors; /* NULL: on the CPU */
    /* what it is and has cost; texts live as long as the matrix */
    spmvcast_device_info device;
    spmvcast_matrix_info info;
    int64_t products;
    struct gpu_costs costs;
};

/* Makes a handle of an assembled AIJ matrix. inherited: configuration to use if the options name none; "": none. */
PetscErrorCode RuntimeCreate(Mat, const struct runtime_options *, const char *inherited, struct handle *);
/* Takes the values of the same matrix, whose pattern is unchanged. After an error the handle can only be freed. */
PetscErrorCode RuntimeUpdate(Mat, struct handle *);
/* y = A x + beta y, beta 0 or 1; x and y are in host memory. */
PetscErrorCode RuntimeMultiply(struct handle *, const PetscScalar *x, double beta, PetscScalar *y);
void RuntimeFree(struct handle *); /* what it holds, not the struct */
/* Finds the rank's GPU and number of threads; at PetscInitialize. Collective. */
PetscErrorCode RuntimeOpen(void);
/* Closes devices and profiles; at PetscFinalize. */
PetscErrorCode RuntimeClose(void);
#endif
