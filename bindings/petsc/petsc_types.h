/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the matrix types. */
#ifndef SPMVCAST_PETSC_TYPES_H
#define SPMVCAST_PETSC_TYPES_H
#include <petscmat.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

#define SEQ_TYPE "seqaijspmvcast"
#define MPI_TYPE "mpiaijspmvcast"
#define ROOT_TYPE "aijspmvcast" /* PETSc's name for either, by the number of ranks */

/* Constructor of MPI_TYPE (petsc_parallel.c). Collective. */
PetscErrorCode MatCreate_MPIAIJSpmvcast(Mat);
/* Make a matrix of type seqaij, assembled or not, one of SEQ_TYPE, and that a plain one again. */
PetscErrorCode SeqAdopt(Mat);
PetscErrorCode SeqDismiss(Mat);
/* Options of a matrix of SEQ_TYPE have this prefix, whatever that of the matrix becomes. NULL: none. */
PetscErrorCode SeqSetPrefix(Mat, const char *prefix);
/* MatConvert of both types: makes, fills or takes *B, then `turn` changes its type. */
PetscErrorCode TypeConvert(Mat A, MatReuse, Mat *B, PetscErrorCode (*turn)(Mat));
#endif
