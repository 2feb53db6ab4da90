/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to measure_grid.c and measure_lines.c: the stored lines of guo2014 and wang2017 at a benchmark matrix. */
#ifndef SPMVCAST_PAPERS_FITTED_LINES_H
#define SPMVCAST_PAPERS_FITTED_LINES_H
#include "models/guo2014/guo2014.h"
#include "papers/measure_table.h"

/* The lines of a configuration. has: the profile holds lines of the model for it; else only lines.strip is set. */
struct fitted {
    struct guo2014 lines;
    bool has;
};
/* A benchmark matrix: strips of the configuration, entries per row. literal: of the grid of the paper. */
struct cell_at {
    double strips;
    int64_t p;
    bool literal;
};
/* Reads the lines of a model for the configuration of a row. Returns false if the configuration cannot be resolved. */
bool fitted_read(const struct study *, const char *model, const struct run_row *, struct fitted *);
/* Returns the value in s of a line (a key of the coefficients: E_below, E_above, E'_below, E'_above, e, coo; or "surface":
 * E(P) / T2 E'(I), or f(I) P + g(I)); NaN: no such line, or it is drawn through other cells. */
double fitted_at(const struct fitted *, const char *line, const struct cell_at *);
/* "line": a line is drawn through the cell; "slope": only one of the slopes f(I) uses it; "none": no line uses it; "": no lines. */
const char *fitted_use(const struct fitted *, const struct cell_at *);
#endif
