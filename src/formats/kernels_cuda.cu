/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA counterparts of the layout and kernel tables. */
#include <cstring>
#include "formats/format.h"

#define LAYOUT(id) extern const struct layout_cuda id##_layout_cuda;
#include "formats/layouts.def"
#undef LAYOUT
#define KERNEL(id) extern const struct kernel_cuda id##_kernel_cuda;
#include "formats/kernels.def"
#undef KERNEL

#define LAYOUT(id) &id##_layout_cuda,
static const struct layout_cuda *const layouts[] = {
#include "formats/layouts.def"
};
#undef LAYOUT

#define KERNEL(id) &id##_kernel_cuda,
static const struct kernel_cuda *const kernels[] = {
#include "formats/kernels.def"
};
#undef KERNEL

const struct layout_cuda *layout_cuda_find(const char *name)
{
    for (const struct layout_cuda *l : layouts)
        if (strcmp(l->name, name) == 0)
            return l;
    return nullptr;
}

const struct kernel_cuda *kernel_cuda_find(const char *name)
{
    for (const struct kernel_cuda *k : kernels)
        if (strcmp(k->name, name) == 0)
            return k;
    return nullptr;
}
