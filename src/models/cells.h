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

/* Measured without complaint, under this target's precision and cache state. */
bool row_counts(const struct run_row *, const struct target *, const char *role);
/* The distinct configurations among rows that count, in order of first appearance; strlist_free. */
void cells_configs(const struct runs *, const struct target *, const char *role, struct strlist *);
/* Of one configuration, by (p, rows); of equal cells the median time. other: rows that count but are no such matrix. */
void cells_find(const struct runs *, const struct target *, const char *config, struct cells *, int64_t *other);
void cells_free(struct cells *);

/* Rows one device works on at once under this configuration (a strip; its entries where a thread takes an entry). */
int64_t cells_strip(const struct config *resolved, const struct geometry *);
#endif
