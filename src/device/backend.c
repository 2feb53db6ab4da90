/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of back-ends. */
#include <string.h>
#include "device/device.h"

static const struct backend *const backends[] = { &backend_cuda, &backend_cpu };

const struct backend *backend_find(const char *name)
{
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (!strcmp(backends[i]->name, name))
            return backends[i];
    return NULL;
}
