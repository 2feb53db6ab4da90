/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors in GPU memory (petsc_gpu.h). Copies are those of the CUDA runtime from and to pageable memory, since PETSc's vectors come
 * and go without notice and cannot be pinned. */
#include "petsc_gpu.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>

/* Times in the stream: before all, x (and y) copied, multiplied, y copied back. */
enum { BEGUN, THERE, MULTIPLIED, BACK, EVENTS };

struct gpu_vectors {
    int device;
    int64_t rows, cols;
    void *x, *y; /* on the GPU */
    cudaEvent_t event[EVENTS];
};

int gpu_count(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

void gpu_vectors_free(struct gpu_vectors *v)
{
    if (!v)
        return;
    cudaSetDevice(v->device);
    for (int i = 0; i < EVENTS; i++)
        if (v->event[i])
            cudaEventDestroy(v->event[i]);
    cudaFree(v->x);
    cudaFree(v->y);
    free(v);
}

const char *gpu_vectors_create(int64_t rows, int64_t cols, struct gpu_vectors **out)
{
    *out = NULL;
    struct gpu_vectors *v = calloc(1, sizeof *v);
    if (!v)
        return "out of memory";
    v->rows = rows;
    v->cols = cols;
    cudaError_t error = cudaGetDevice(&v->device);
    if (error == cudaSuccess)
        error = cudaMalloc(&v->x, (size_t)(cols > 0 ? cols : 1) * sizeof(double));
    if (error == cudaSuccess)
        error = cudaMalloc(&v->y, (size_t)(rows > 0 ? rows : 1) * sizeof(double));
    for (int i = 0; i < EVENTS && error == cudaSuccess; i++)
        error = cudaEventCreate(&v->event[i]);
    if (error != cudaSuccess) {
        cudaGetLastError(); /* the next call does not report it again */
        gpu_vectors_free(v);
        return cudaGetErrorString(error);
    }
    *out = v;
    return NULL;
}

/* Enqueues a copy of n numbers between events. */
static cudaError_t copy(void *to, const void *from, int64_t n, enum cudaMemcpyKind kind, struct gpu_costs *costs)
{
    const size_t bytes = (size_t)n * sizeof(double);
    costs->copies++;
    costs->bytes += (int64_t)bytes;
    return n > 0 ? cudaMemcpyAsync(to, from, bytes, kind, NULL) : cudaSuccess;
}

static cudaError_t add_times(const struct gpu_vectors *v, struct gpu_costs *costs)
{
    float there_ms = 0, multiply_ms = 0, back_ms = 0;
    cudaError_t error = cudaEventElapsedTime(&there_ms, v->event[BEGUN], v->event[THERE]);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&multiply_ms, v->event[THERE], v->event[MULTIPLIED]);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&back_ms, v->event[MULTIPLIED], v->event[BACK]);
    costs->copy_s += 1e-3 * ((double)there_ms + (double)back_ms);
    costs->multiply_s += 1e-3 * (double)multiply_ms;
    return error;
}

const char *gpu_multiply(struct gpu_vectors *v, spmvcast_matrix *A, const double *x, double beta, double *y,
                         struct gpu_costs *costs)
{
    cudaError_t error = cudaSetDevice(v->device);
    if (error == cudaSuccess)
        error = cudaEventRecord(v->event[BEGUN], NULL);
    if (error == cudaSuccess)
        error = copy(v->x, x, v->cols, cudaMemcpyHostToDevice, costs);
    if (error == cudaSuccess && beta > 0)
        error = copy(v->y, y, v->rows, cudaMemcpyHostToDevice, costs);
    if (error == cudaSuccess)
        error = cudaEventRecord(v->event[THERE], NULL);
    if (error == cudaSuccess && spmvcast_multiply(A, 1, v->x, beta, v->y, NULL) != SPMVCAST_OK)
        return spmvcast_matrix_message(A);
    if (error == cudaSuccess)
        error = cudaEventRecord(v->event[MULTIPLIED], NULL);
    if (error == cudaSuccess)
        error = copy(y, v->y, v->rows, cudaMemcpyDeviceToHost, costs);
    if (error == cudaSuccess)
        error = cudaEventRecord(v->event[BACK], NULL);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(NULL);
    if (error == cudaSuccess)
        error = add_times(v, costs);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}
