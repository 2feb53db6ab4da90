/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays that array_alloc (formats/array.h) gave and that were not freed: those of the layouts that exist. Drivers
 * with this header are linked with --wrap=array_alloc,--wrap=free (make/tests.mk). */
#ifndef SPMVCAST_TESTS_ARRAYS_H
#define SPMVCAST_TESTS_ARRAYS_H
#include <stdint.h>
#include <string.h>
#include "base/error.h"

enum { TRACKED_MAX = 64, UNWRITTEN = 0xa5 };
static struct {
    int n;
    struct {
        const void *at;
        int64_t bytes;
    } of[TRACKED_MAX];
    int until_oom; /* the n-th array from now on is out of memory; 0: none */
} arrays;

void *__real_array_alloc(int64_t n, int64_t element_bytes);
void __real_free(void *);
void *__wrap_array_alloc(int64_t n, int64_t element_bytes);
void __wrap_free(void *);

/* Fills the array, so that its contents do not depend on what was freed before. */
void *__wrap_array_alloc(int64_t n, int64_t element_bytes)
{
    void *at = arrays.until_oom > 0 && --arrays.until_oom == 0 ? NULL : __real_array_alloc(n, element_bytes);

#pragma omp critical(arrays)
    {
        if (arrays.n == TRACKED_MAX)
            bug("more than %d arrays", TRACKED_MAX);
        if (at) {
            memset(at, UNWRITTEN, (size_t)(n * element_bytes));
            arrays.of[arrays.n].at = at;
            arrays.of[arrays.n++].bytes = n * element_bytes;
        }
    }
    return at;
}

void __wrap_free(void *at)
{
#pragma omp critical(arrays)
    for (int i = 0; at && i < arrays.n; i++)
        if (arrays.of[i].at == at) {
            memmove(arrays.of + i, arrays.of + i + 1, (size_t)(--arrays.n - i) * sizeof arrays.of[0]);
            break;
        }
    __real_free(at);
}

static inline int64_t arrays_bytes(void)
{
    int64_t bytes = 0;

    for (int i = 0; i < arrays.n; i++)
        bytes += arrays.of[i].bytes;
    return bytes;
}
#endif
