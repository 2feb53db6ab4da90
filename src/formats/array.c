/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/array.h"
#include <stdlib.h>
#include "formats/format.h"

enum { ALIGN_BYTES = 256 };

void *array_alloc(int64_t n, int64_t element_bytes)
{
    const size_t bytes = (size_t)n * (size_t)element_bytes;

    return aligned_alloc(ALIGN_BYTES, (bytes / ALIGN_BYTES + 1) * ALIGN_BYTES);
}

int build_oom(char why[ERRLEN], const struct layout *layout, int64_t bytes)
{
    fail(why, "%s: out of memory; %.1f MB needed", layout->name, (double)bytes / 1e6);
    return OOM;
}
