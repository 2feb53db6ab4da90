/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the GPU test drivers: a device, guarded vectors. */
#ifndef SPMVCAST_TESTS_GPU_H
#define SPMVCAST_TESTS_GPU_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backend/backend.h"
#include "layout_cases.h"

static inline struct device *gpu_open(void)
{
    struct device *d;
    char why[ERRLEN];

    if (backend_cuda.count(why) == 0)
        die("%s", why);
    if (backend_cuda.open(0, &d, why) != 0)
        die("%s", why);
    const char *library = getenv("SPMVCAST_CUSPARSE");
    char version[32];
    if (library && backend_cuda.vendor(d, library, version, why) != 0)
        die("SPMVCAST_CUSPARSE: %s", why);
    return d;
}

/* Dies with `why` if the status of a back-end function is not 0. */
static inline void must(int status, const char *what, const char *why)
{
    if (status != 0)
        die("%s: %s", what, why);
}

static inline struct target gpu_target(const struct device *d, enum precision p)
{
    struct target t = { .device = d->geometry, .precision = p };
    return t;
}

/* Allocates n elements on the device between two guards, aligned only as elements; reals() makes a host array of the
 * same shape. */
static inline void *gpu_reals(struct device *d, enum precision p, int64_t n)
{
    char why[ERRLEN];
    void *at;

    must(d->memory->alloc(d, (n + 2) * precision_bytes(p), &at, why), "vector", why);
    return (char *)at + precision_bytes(p);
}

static inline void gpu_reals_free(struct device *d, enum precision p, void *v)
{
    d->memory->release(d, (char *)v - precision_bytes(p));
}

/* Copies n elements and the guards on both sides to the device. */
static inline void gpu_put_reals(struct device *d, enum precision p, int64_t n, void *to, const void *from)
{
    char why[ERRLEN];
    const int64_t s = precision_bytes(p);

    must(d->memory->put(d, (char *)to - s, (const char *)from - s, (n + 2) * s, why), "put", why);
}

static inline void gpu_get_reals(struct device *d, enum precision p, int64_t n, void *to, const void *from)
{
    char why[ERRLEN];
    const int64_t s = precision_bytes(p);

    must(d->memory->get(d, (char *)to - s, (const char *)from - s, (n + 2) * s, why), "get", why);
}
#endif
