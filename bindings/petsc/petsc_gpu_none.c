/* SPDX-License-Identifier: BSD-3-Clause */
/* petsc_gpu.h without CUDA. No vectors are asked for, since no GPU can be opened. */
#include <stddef.h>
#include "petsc_gpu.h"

static const char none[] = "this library was built without CUDA";

int gpu_count(void) { return 0; }

const char *gpu_vectors_create(int64_t rows, int64_t cols, struct gpu_vectors **out)
{
    (void)rows;
    (void)cols;
    *out = NULL;
    return none;
}

void gpu_vectors_free(struct gpu_vectors *v) { (void)v; }

const char *gpu_multiply(struct gpu_vectors *v, spmvcast_matrix *A, const double *x, double beta, double *y,
                         struct gpu_costs *costs)
{
    (void)v;
    (void)A;
    (void)x;
    (void)beta;
    (void)y;
    (void)costs;
    return none;
}
