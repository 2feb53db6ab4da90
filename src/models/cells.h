/* SPDX-License-Identifier: BSD-3-Clause */
/* What models are fitted on: the configurations of a run archive, and the benchmark cells measured under one of
 * them. */
#ifndef SPMVCAST_MODELS_CELLS_H
#define SPMVCAST_MODELS_CELLS_H
#include "base/options.h"
#include "models/model.h"

/* A benchmark matrix of constant row length in columns placed `band`, cols = max(rows, 2 p): guo2014's. */
struct cell {
    int64_t rows, p;
    double time_s, t0_s;
};
struct cells {
    int64_t n;
    struct cell *cell;
};

/* The multiplication's time as the target launches it: time_us, or stream_us (NaN where cold, or where others disturbed
 * it). */
double row_time_us(const struct run_row *, const struct target *);
/* What a launch takes longer than t0_us, which is an empty kernel's in a graph: 0 for a graph; for a stream the median
 * of stream_us - time_us over the rows that count with the smallest grids (t0_us at most twice the least), at least 0.
 * config NULL: any. */
double launch_more_us(const struct runs *, const struct target *, const char *config);
/* Measured without complaint, under this target's precision and cache state, with a time of its way of launching. */
bool row_counts(const struct run_row *, const struct target *, const char *role);
/* The distinct configurations among rows that count, in order of first appearance; strlist_free. */
void cells_configs(const struct runs *, const struct target *, const char *role, struct strlist *);
/* Of one configuration, by (p, rows); of equal cells the median time. other: rows that count but are no such matrix. */
void cells_find(const struct runs *, const struct target *, const char *config, struct cells *, int64_t *other);
void cells_free(struct cells *);

/* Rows one device works on at once under this configuration (a strip; its entries where a thread takes an entry). */
int64_t cells_strip(const struct config *resolved, const struct geometry *);
#endif
