/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that models are fitted to: the configurations of a run archive and the benchmark cells of one of them. */
#ifndef SPMVCAST_MODELS_CELLS_H
#define SPMVCAST_MODELS_CELLS_H
#include "base/options.h"
#include "models/model.h"

/* A benchmark matrix of guo2014: constant row length p, columns placed `band`, cols = max(rows, 2 p). */
struct cell {
    int64_t rows, p;
    double time_s, t0_s;
};
struct cells {
    int64_t n;
    struct cell *cell;
};

/* Time of the multiplication, launched as the target says: time_us (graph) or stream_us (NaN if cold or disturbed). */
double row_time_us(const struct run_row *, const struct target *);
/* Launch time in us beyond t0_us, the time of an empty kernel in a graph. Graph: 0. Stream: the median, at least 0, of
 * stream_us - time_us over the rows that count with the smallest grids (t0_us at most twice the least).
 * config NULL: any configuration. */
double launch_more_us(const struct runs *, const struct target *, const char *config);
/* True if the row has this role, outcome ok, the target's precision and cache state, and a time of its launch mode. */
bool row_counts(const struct run_row *, const struct target *, const char *role);
/* Lists the distinct configurations of the rows that count, in order of first appearance; free with strlist_free. */
void cells_configs(const struct runs *, const struct target *, const char *role, struct strlist *);
/* Finds the cells of one configuration, sorted by (p, rows); equal cells become one, of median time.
 * other: the number of rows that count but are not of such a matrix. Free with cells_free. */
void cells_find(const struct runs *, const struct target *, const char *config, struct cells *, int64_t *other);
void cells_free(struct cells *);
/* Sorts cells by (p, rows); equal ones become one, of median time. */
void cells_sort(struct cells *);

/* Returns the strip: rows that the device works on at once with this configuration (entries if a thread takes one). */
int64_t cells_strip(const struct config *resolved, const struct geometry *);
#endif
