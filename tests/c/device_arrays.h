/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays in the memory of the GPU, to compare those of two layouts. Drivers with this header are linked with the
 * objects of the CUDA back-end and --wrap=cudaMalloc,--wrap=cudaFree (make/tests.mk); every allocation of src/ is a
 * cudaMalloc. */
#ifndef SPMVCAST_TESTS_DEVICE_ARRAYS_H
#define SPMVCAST_TESTS_DEVICE_ARRAYS_H
#include <inttypes.h>
#include "gpu.h"

enum { DEVICE_ARRAYS_MAX = 1024 };
static struct {
    int n;
    struct {
        void *at;
        int64_t bytes;
    } of[DEVICE_ARRAYS_MAX];
} device_arrays;

/* Return a cudaError_t; missing in a build without CUDA. */
int __real_cudaMalloc(void **at, size_t bytes) __attribute__((weak));
int __real_cudaFree(void *at) __attribute__((weak));
int __wrap_cudaMalloc(void **at, size_t bytes);
int __wrap_cudaFree(void *at);

int __wrap_cudaMalloc(void **at, size_t bytes)
{
    const int status = __real_cudaMalloc(at, bytes);

    if (device_arrays.n == DEVICE_ARRAYS_MAX)
        bug("more than %d arrays on the GPU", DEVICE_ARRAYS_MAX);
    if (status == 0) {
        device_arrays.of[device_arrays.n].at = *at;
        device_arrays.of[device_arrays.n++].bytes = (int64_t)bytes;
    }
    return status;
}

int __wrap_cudaFree(void *at)
{
    for (int i = 0; i < device_arrays.n; i++)
        if (device_arrays.of[i].at == at) {
            memmove(device_arrays.of + i, device_arrays.of + i + 1,
                    (size_t)(--device_arrays.n - i) * sizeof device_arrays.of[0]);
            break;
        }
    return __real_cudaFree(at);
}

static inline void *array_from(struct device *d, int i, int64_t bytes)
{
    void *copy = xmalloc((unsigned long)bytes + 1);
    char why[ERRLEN];

    must(backend_cuda.get(d, copy, device_arrays.of[i].at, bytes, why), "array", why);
    return copy;
}

/* Checks that each of the arrays first <= i < end is found among the others. refers: also as the beginning of one, since
 * a layout may refer to the arrays of the matrix. Empty arrays have a byte that nothing sets. */
static inline void arrays_found(struct device *d, const char *name, const char *config, int first, int end, bool refers)
{
    for (int i = first; i < end; i++) {
        const int64_t bytes = device_arrays.of[i].bytes;
        if (bytes <= 1)
            continue;
        void *expected = array_from(d, i, bytes);
        bool found = false;

        for (int k = 0; k < device_arrays.n && !found; k++) {
            if ((k >= first && k < end) || device_arrays.of[k].bytes < bytes
                || (!refers && device_arrays.of[k].bytes > bytes))
                continue;
            void *other = array_from(d, k, bytes);
            found = memcmp(expected, other, (size_t)bytes) == 0;
            free(other);
        }
        if (!found)
            die("%s, %s: array %d of %" PRId64 " bytes is not among those built on the GPU", name, config, i - first,
                bytes);
        free(expected);
    }
}
#endif
