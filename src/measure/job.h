/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be measured: the options of a run, a source, an item; and what is told of an item that was. */
#ifndef SPMVCAST_MEASURE_JOB_H
#define SPMVCAST_MEASURE_JOB_H
#include <stdbool.h>
#include <stdint.h>
#include "base/strings.h"
#include "base/target.h"
#include "recipes/recipe.h"
#include "runs/rows.h"

struct run_options {
    struct strlist configs; /* as asked, or the sweep's */
    struct strlist precisions, caches;
    const char *sweep, *backend, *role, *output, *share_text;
    struct strlist plans;                   /* PLAN.h5, all of one precision, measured beside the configurations */
    int64_t gpu, rounds_cap, share, shares; /* the share-th of so many shares of the work; shares 0: all of it */
    double time_cap_s;
    bool dry_run, list, anonymous, parts;
    bool accept_noise;    /* noisy rows are ok */
    struct strlist again; /* what is measured again although it is there, if measured before that date (run/again.h) */
    char again_since[32];
    bool skips; /* a sweep that leaves out what cannot win (bytes.h) */
};

/* A matrix or a recipe. Plain data: it goes through a pipe. */
struct source {
    char path[512]; /* of the file; the recipe itself where it was given as an operand */
    char name[128];
    char role[16]; /* benchmark | matrix */
    bool is_recipe;
    struct recipe_row facts; /* of a recipe */
    int64_t rows, cols, nnz; /* matrices: from the header, nnz as if all symmetric entries were expanded */
};

struct item {
    int source;
    enum precision precision;
    double cost_s;
}; /* what one rank takes as a whole */

struct row_message {
    struct run_row row;
    int64_t rows, cols, nnz;
};
/* How far an item is: rows of it, how many of them were there already, and how many of these are noisy for good, rounds that were taken of it by this run, and how
 * much of it is done, 0 to 1. */
struct item_done {
    int number;
    int64_t rows, there, noisy, rounds;
    double share;
};
#endif
