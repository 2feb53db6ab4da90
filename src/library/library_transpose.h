/* SPDX-License-Identifier: BSD-3-Clause */
/* The transposed matrix of a handle: a second handle, in a configuration of its own, which the first transposed product makes. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_TRANSPOSE_H
#define SPMVCAST_LIBRARY_LIBRARY_TRANSPOSE_H
#include "library/library_matrix_inside.h"

/* Sets what the info says of it: estimates, until it is made. */
void transpose_note(const spmvcast_matrix *, spmvcast_matrix_info *);
/* Gives it the values that the matrix has now, if it was made. */
spmvcast_status transpose_update(spmvcast_context *, spmvcast_matrix *);
void transpose_free(spmvcast_matrix *);
#endif
