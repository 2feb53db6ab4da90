/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of spmv-run and spmv-execute: turns operands into sources and items, and shares the items among ranks. */
#ifndef SPMVCAST_RUN_WORK_H
#define SPMVCAST_RUN_WORK_H
#include <stdbool.h>
#include <stdint.h>
#include "base/options.h"
#include "input/matrix.h"
#include "measure/job.h"
#include "runs/rows.h"

struct workload {
    int nsources;
    struct source *source;
    int nitems;
    struct item *item;
    int passed_over; /* number of files in directories that are no matrices (runs, profiles, plans, dense arrays) */
};

/* work.c: turns operands into sources and items, reduced to --share. FAIL: an operand does not exist or is not a
 * matrix; why names the operand. Not collective. */
int work_collect(const struct run_options *, char *const *operands, int n, struct workload *, char why[ERRLEN]);
/* Assigns items, costliest first, to the least loaded of `size` ranks; every rank computes the same. Returns the
 * number of items of `rank`. mine: [nitems], their numbers, ascending; load_s: [size], estimated seconds per rank,
 * or NULL. */
int work_share(const struct workload *, int size, int rank, int *mine, double *load_s);
void work_free(struct workload *);
/* Returns the number of configurations (and parts) to time on a source. */
int work_configs(const struct run_options *, const struct source *);
/* sources.c */
int sources_add(const char *operand, const char *role, struct workload *, char why[ERRLEN]);

/* list.c: --list */
void list_kernels(void);

/* dry.c: --dry-run. runs: the existing archive; the function indexes its matrices. */
struct hello;
void dry_run(const struct run_options *, const struct workload *, struct runs *, const struct hello *, int ranks);
#endif
