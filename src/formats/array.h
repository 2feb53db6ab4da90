/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the host for arrays. */
#ifndef SPMVCAST_FORMATS_ARRAY_H
#define SPMVCAST_FORMATS_ARRAY_H
#include <stdint.h>
#include "base/error.h"
#ifdef __cplusplus
extern "C" {
#endif

struct layout;

/* Returns 256-byte aligned memory, released with free(), or NULL if out of memory. n = 0 gives an array
 * of no elements, not NULL. */
void *array_alloc(int64_t n, int64_t element_bytes);

/* Returns OOM; why names the layout and the memory needed. */
int build_oom(char why[ERRLEN], const struct layout *, int64_t bytes);
#ifdef __cplusplus
}
#endif
#endif
