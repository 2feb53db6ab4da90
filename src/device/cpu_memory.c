/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/cpu_memory.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "device/cpu_facts.h"

static int cpu_alloc(struct device *d, int64_t bytes, void **p, char why[ERRLEN])
{
    (void)d;
    const int bad = posix_memalign(p, 256, (size_t)(bytes > 0 ? bytes : 1));
    if (!bad)
        return 0;
    *p = NULL;
    fail(why, "out of memory: cannot allocate %" PRId64 " bytes", bytes);
    return bad == ENOMEM ? OOM : FAIL;
}

static void cpu_release(struct device *d, void *p)
{
    (void)d;
    free(p);
}

static int cpu_copy(struct device *d, void *to, const void *from, int64_t bytes, char why[ERRLEN])
{
    (void)d, (void)why;
    if (bytes > 0)
        memcpy(to, from, (size_t)bytes);
    return 0;
}

static int cpu_fill(struct device *d, void *p, int byte, int64_t bytes, char why[ERRLEN])
{
    (void)d, (void)why;
    if (bytes > 0)
        memset(p, byte, (size_t)bytes);
    return 0;
}

static int cpu_left(struct device *d, int64_t *free_bytes)
{
    (void)d;
    *free_bytes = cpu_memory_free();
    return 0;
}

const struct device_memory cpu_memory = {
    .alloc = cpu_alloc, .release = cpu_release, .put = cpu_copy, .get = cpu_copy, .fill = cpu_fill, .left = cpu_left
};
