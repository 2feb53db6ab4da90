/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that use libspmvcast_cuda together with the CUDA runtime. */
#ifndef SPMVCAST_TESTS_CUDA_H
#define SPMVCAST_TESTS_CUDA_H
#include <cuda_runtime_api.h>
#include <spmvcast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA(call)                                                                                              \
    do {                                                                                                        \
        const cudaError_t e_ = (call);                                                                          \
        if (e_ != cudaSuccess) {                                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));              \
            exit(1);                                                                                            \
        }                                                                                                       \
    } while (0)

/* Ends the program unless `status` is SPMVCAST_OK. */
static inline void must(const spmvcast_context *c, spmvcast_status status, const char *what)
{
    if (status == SPMVCAST_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, spmvcast_status_text(status), c ? spmvcast_message(c) : "");
    exit(1);
}

static inline void *on_gpu(const void *from, size_t bytes)
{
    void *to;
    CUDA(cudaMalloc(&to, bytes + 1));
    if (from)
        CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}
#endif
