/* SPDX-License-Identifier: BSD-3-Clause */
/* What to measure: the options of a run, a source, an item. Also the progress of an item. */
#ifndef SPMVCAST_MEASURE_JOB_H
#define SPMVCAST_MEASURE_JOB_H
#include <stdbool.h>
#include <stdint.h>
#include "base/strings.h"
#include "base/target.h"
#include "recipes/recipe.h"
#include "runs/rows.h"

enum { LIBRARIES_MAX = 8 };
struct run_options {
    struct strlist configs; /* from -c, or those of the sweep */
    struct strlist precisions, caches;
    const char *sweep, *like, *backend, *role, *share_text;
    const char *output;                     /* NULL: none, in a dry run only */
    struct strlist plans;                   /* PLAN.h5 files, all of one precision */
    int64_t gpu, rounds_cap, share, shares; /* measure share number `share` of `shares`; shares 0: everything */
    double time_cap_s;
    bool dry_run, list, anonymous, parts;
    bool accept_noise;    /* store noisy rows as ok */
    struct strlist again; /* which existing rows to measure again, if measured before again_since (run/remeasure.h) */
    char again_since[32];
    bool skip_files;          /* a file that cannot be read is skipped; else it ends the run */
    int64_t min_nnz, max_nnz; /* files with fewer or more nonzeros are left out; max_nnz 0: no limit */
    struct strlist groups;    /* files of other groups are left out; empty: none is */
    struct strlist libraries; /* files of the vendor's library, each timed; empty: the one that the loader finds */
    const char *items;        /* file with the items and their shares (run/items.c); NULL: none */
    bool temporary;           /* the archive is removed when the program ends */
    bool skips;               /* the sweep leaves out configurations that cannot win (bytes.h) */
    struct strlist kept;      /* but not these rows (kept.h) */
    struct strlist unknown;   /* configurations of the archive of --like that this version does not have */
    int64_t left_parts, left_plans; /* rows of parts and of plans that it has, too, which are not measured */
};

/* Returns how many versions of the vendor's library are timed. */
static inline int run_versions(const struct run_options *o) { return o->libraries.n > 1 ? o->libraries.n : 1; }

/* A matrix or a recipe. Plain data, sent through a pipe. */
struct source {
    char path[512]; /* path of the file, or the recipe if it was an operand */
    char name[128];
    char role[16]; /* benchmark | matrix */
    bool is_recipe;
    bool skipped;            /* the file cannot be read: rows, cols and nnz are 0 */
    struct recipe_row facts; /* of a recipe: those of the first operand that has it; kernels: those of all of them */
    bool all;                /* but one of them names none: every configuration is measured */
    int64_t rows, cols, nnz; /* of a matrix from its header; nnz: symmetric entries count twice, also on the diagonal */
};

struct item {
    int source;
    enum precision precision;
    double cost_s, left_s; /* estimated time, and what of it the archive leaves (work_subtract) */
    int lost;              /* number of devices lost at it */
};                         /* the unit of work of one rank */

struct row_message {
    struct run_row row;
    int64_t rows, cols, nnz;
};
/* Progress of an item. rows: all its rows; there: how many of them were done before this run; noisy: how many of
 * those stay noisy; rounds: taken by this run; share: fraction done, 0 to 1. */
struct item_done {
    int number;
    int64_t rows, there, noisy, rounds;
    double share;
};
#endif
