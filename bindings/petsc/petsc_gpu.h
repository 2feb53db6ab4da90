/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on a GPU with vectors in host memory: x and y of a matrix have a place in GPU memory, and are copied there and back. All
 * calls of the CUDA runtime are in petsc_gpu.c; builds without nvcc have petsc_gpu_none.c instead. */
#ifndef SPMVCAST_PETSC_GPU_H
#define SPMVCAST_PETSC_GPU_H
#include <spmvcast.h>

struct gpu_vectors;

/* Sums over products; times are the GPU's. */
struct gpu_costs {
    double multiply_s, copy_s;
    int64_t copies, bytes; /* of x to the GPU, of y from it, and of y to it where it is added to */
};

int gpu_count(void); /* of this machine; 0: none, or built without CUDA */
/* Allocates x [cols] and y [rows] in the memory of the calling thread's current GPU, that of the last spmvcast_matrix_create. Returns
 * NULL, or why it failed, a static text; *out is NULL then. */
const char *gpu_vectors_create(int64_t rows, int64_t cols, struct gpu_vectors **out);
void gpu_vectors_free(struct gpu_vectors *); /* NULL: nothing to free */

/* y = A x + beta y, beta 0 or 1, with x and y in host memory; done when it returns. Adds to the costs. Returns NULL, or why it failed:
 * a static text, or one that lives until the matrix's next product. */
const char *gpu_multiply(struct gpu_vectors *, spmvcast_matrix *, const double *x, double beta, double *y,
                         struct gpu_costs *);
#endif
