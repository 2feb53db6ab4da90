/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory what is read may take: what a file declares is compared with it before anything is allocated. */
#ifndef SPMVCAST_BASE_MEMORY_H
#define SPMVCAST_BASE_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

extern int64_t memory_max;     /* option --max-memory, in bytes; 0: not given */
extern bool memory_has_option; /* the program has it: messages name it */

/* Returns memory_max or, without it, 90 % of the least of the available memory, the limits of the process's cgroups and its
 * address space (ulimit -v). If these cannot be read, the last result; INFINITY at first. */
double memory_limit(void);
/* Returns 0; OOM if `bytes` exceed the limit: `why` says "WHAT: about ... needed" and the way out. */
int memory_check(double bytes, double limit, char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Returns OOM after an allocation of `bytes` failed (0: unknown), which the check had let pass: `why` says "WHAT: about ... needed, but
 * the system gives less" and, in programs that have the option, than which limit. */
int memory_failed(double bytes, char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Allocates an array that starts at a multiple of 256 bytes, to be freed with free: a large one in huge pages, if the system has them.
 * NULL: out of memory. */
void *memory_array(size_t bytes);
#endif
