/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sources of spmv-run and spmv-execute share: operands to sources and items, and who does which. */
#ifndef SPMVCAST_RUN_WORK_H
#define SPMVCAST_RUN_WORK_H
#include <stdbool.h>
#include <stdint.h>
#include "base/options.h"
#include "input/matrix.h"
#include "measure/job.h"
#include "runs/rows.h"

/* files of folders */
struct workload {
    int nsources;
    struct source *source;
    int nitems;
    struct item *item;
    int passed_over;
};

/* work.c: operands -> sources -> items, of them --share's. FAIL: an operand that is not there or no matrix, named. Any
 * rank. */
int work_collect(const struct run_options *, char *const *operands, int n, struct workload *, char why[ERRLEN]);
/* The items of `rank` of `size`, most costly first to the least loaded rank; the same on every rank. mine: [nitems], in
 * source order. Returns how many; load_s: [size] estimated seconds, or NULL. */
int work_share(const struct workload *, int size, int rank, int *mine, double *load_s);
void work_free(struct workload *);
/* How many of the configurations a source is meant for. */
int work_configs(const struct run_options *, const struct source *);
/* sources.c */
int sources_add(const char *operand, const char *role, struct workload *, char why[ERRLEN]);

/* list.c: --list */
void list_kernels(void);

/* dry.c: --dry-run. runs: what is there already; its matrices are indexed. */
struct hello;
void dry_run(const struct run_options *, const struct workload *, struct runs *, const struct hello *, int ranks);
#endif
