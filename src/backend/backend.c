/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of back-ends, one per kind of device. */
#include "backend/backend.h"

static const struct backend *const backends[NDEVICE_KINDS] = {
    [DEVICE_CUDA] = &backend_cuda, [DEVICE_CPU] = &backend_cpu
};

const struct backend *backend_for(enum device_kind kind)
{
    if ((int)kind < 0 || kind >= NDEVICE_KINDS)
        bug("no back-end for kind %d", (int)kind);
    return backends[kind];
}
