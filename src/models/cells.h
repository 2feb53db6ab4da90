/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that models are fitted to: configurations of a run archive and the benchmark cells of each. */
#ifndef SPMVCAST_MODELS_CELLS_H
#define SPMVCAST_MODELS_CELLS_H
#include "base/options.h"
#include "models/costs.h"
#include "models/model.h"

/* A benchmark matrix of guo2014 and its time. Its rows all have p entries, placed in a `band`; cols = max(rows, 2
 * p). */
struct cell {
    int64_t rows, p;
    double time_s, t0_s;
};
struct cells {
    int64_t n;
    struct cell *cell;
};

/* Returns the time of the product, launched as the target says: time_us (graph) or stream_us (NaN if cold or
 * disturbed). */
double row_time_us(const struct run_row *, const struct target *);
/* The one-time costs of the row; NaN: not measured. */
void row_costs_us(const struct run_row *, double us[NCOSTS]);
/* Returns the launch time in us beyond t0_us, the time of an empty kernel in a graph. Graph: 0. Stream: the median, at
 * least 0, of stream_us - time_us over the benchmark rows of config (NULL: all) with the smallest grids (t0_us at most
 * twice the lowest). */
double launch_more_us(const struct runs *, const struct target *, const char *config);
/* True if the row has this role, outcome ok, the target's precision and cache state, and a time for its way of
 * launching. */
bool row_counts(const struct run_row *, const struct target *, const char *role);
/* Lists the distinct configurations of the rows accepted by row_counts, in order of first appearance. Free with
 * strlist_free. */
void cells_configs(const struct runs *, const struct target *, const char *role, struct strlist *);
/* Finds the benchmark cells of one configuration, sorted by (p, rows); equal cells are merged into one of median time.
 * *other: number of rows accepted by row_counts whose matrix is no such cell. Free with cells_free. */
void cells_find(const struct runs *, const struct target *, const char *config, struct cells *, int64_t *other);
void cells_free(struct cells *);
/* Sorts cells by (p, rows); equal ones become one, of median time. */
void cells_sort(struct cells *);

/* Returns the strip: the number of rows that the device works on at once with this configuration (of entries, if each
 * thread takes one). */
int64_t cells_strip(const struct config *resolved, const struct geometry *);
#endif
