/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of spmv-run share: its options, its sources and items, and what one worker goes by. */
#ifndef SPMVCAST_RUN_H
#define SPMVCAST_RUN_H
#include <stdbool.h>
#include <stdint.h>
#include "common/matrix.h"
#include "common/options.h"
#include "common/rows.h"
#include "device/device.h"
#include "recipes/recipe.h"

struct run_options {
    struct strlist configs;             /* as asked, or the sweep's */
    struct strlist precisions, caches;
    const char *sweep, *backend, *role, *output, *share_text;
    struct strlist plans;               /* PLAN.h5, all of one precision, measured beside the configurations */
    int64_t gpu, rounds_cap, share, shares;     /* the share-th of so many shares of the work; shares 0: all of it */
    double time_cap_s;
    bool dry_run, list, anonymous, parts;
    bool skips;                         /* a sweep that leaves out what cannot win (bytes.h) */
};

/* A matrix or a recipe. Plain data: it goes through a pipe. */
struct source {
    char path[512];                     /* of the file; the recipe itself where it was given as an operand */
    char name[128];
    char role[16];                      /* benchmark | matrix */
    bool is_recipe;
    struct recipe_row facts;            /* of a recipe */
    int64_t rows, cols, nnz;            /* matrices: from the header, nnz as if all symmetric entries were expanded */
};

struct item { int source; enum precision precision; double cost_s; };   /* what one rank takes as a whole */

struct workload { int nsources; struct source *source; int nitems; struct item *item; int passed_over; };    /* files of folders */

/* work.c: operands -> sources -> items, of them --share's. FAIL: an operand that is not there or no matrix, named. Any rank. */
int  work_collect(const struct run_options *, char *const *operands, int n, struct workload *, char why[ERRLEN]);
/* The items of `rank` of `size`, most costly first to the least loaded rank; the same on every rank. mine: [nitems], in
 * source order. Returns how many; load_s: [size] estimated seconds, or NULL. */
int  work_share(const struct workload *, int size, int rank, int *mine, double *load_s);
void work_free(struct workload *);
/* How many of the configurations a source is meant for. */
int  work_configs(const struct run_options *, const struct source *);
/* sources.c */
int  sources_add(const char *operand, const char *role, struct workload *, char why[ERRLEN]);

/* defaults.c. A list that was not given gets these; v ends with NULL. */
void options_default(struct strlist *, const char *const *v);
/* Configurations from the sweep where none is named; contradictions and what is no configuration are usage errors. */
void run_options_finish(struct run_options *);
void run_options_free(struct run_options *);   /* its lists */

/* list.c: --list */
void list_kernels(void);

/* dry.c: --dry-run. runs: what is there already; its matrices are indexed. */
struct hello;
void dry_run(const struct run_options *, const struct workload *, struct runs *, const struct hello *, int ranks);
#endif
