/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a matrix into blocks of rows, each with its own configuration, so that the sum of the forecast times is minimal, and decides
 * whether to split at all (guo2014 section 4; split.h). */
#ifndef SPMVCAST_FORECAST_PLANNING_H
#define SPMVCAST_FORECAST_PLANNING_H
#include "forecast/question.h"
#include "forecast/split.h"

enum { PLANNING_STRIP_UNIT = 32 }; /* rows per strip are a multiple of this: whole feature groups and slices */

struct planning_terms {
    const struct model *model;         /* forecasts blocks (blocks_open) */
    int64_t strip_rows;                /* 0: by the model */
    bool all;                          /* blocks may use every configuration of the outlook */
    bool always;                       /* split if there is any gain, not only if it exceeds the uncertainty */
    const struct strlist *configs;     /* those that blocks may use; empty: any */
    const struct branching *branching; /* blocks run side by side; NULL: one after another */
};

/* A plan and the data that it was made from. */
struct planned {
    const struct question *question; /* borrowed, like the outlook */
    const struct outlook *outlook;   /* for the whole matrix, ranked under the terms of the plan */
    const struct outlook_row *pick,
        *single; /* recommended for the whole matrix: of all rows shown, and, if that is a library's, of those of our kernels */
    struct sketch *sketch;
    struct blocks *blocks;
    /* What the plan has: the split found if it surely beats `pick` or `single`, else `single` as one block. */
    struct split *split;
    int blocks_found;      /* number of blocks of the fastest split found */
    struct pick_row found; /* forecast of that split */
    /* Of that split over `single`, and over `pick`, which it replaces if that is sure. */
    struct pick_gain gain, gain_pick;
    bool always;  /* as in the terms */
    int left_out; /* configurations without block costs, and the reason of the first */
    char left_out_why[ERRLEN];
};

/* Plans the matrix of the question, which must have rows, with the outlook for it and under its terms. FAIL: no configuration has a forecast, or none for all
 * strips, or there are too many strips for the model (why). Free with planning_free; after FAIL there is nothing to free. */
int planning_make(const struct question *, const struct outlook *, const struct planning_terms *, struct planned *,
                  char why[ERRLEN]);
/* Is a library's kernel recommended for the whole matrix, which the plan, without any, does not surely beat? */
bool planning_library_ahead(const struct planned *);
void planning_free(struct planned *);
#endif
