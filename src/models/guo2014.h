/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014, private: the fitted lines of one configuration, shared by fit, forecast and planner. */
#ifndef SPMVCAST_MODELS_GUO2014_H
#define SPMVCAST_MODELS_GUO2014_H
#include "formats/format.h"
#include "models/model.h"

/* The line a + b v, fitted on low <= v <= high. a NaN: not fitted. */
struct guo_line {
    double a, b, low, high;
};

enum guo_side { BELOW, ABOVE, NSIDES }; /* sides of the break in P */
enum guo_name {                         /* the lines, in the order of guo_lines */
                GUO_E_BELOW,
                GUO_E_ABOVE, /* row group: time against P at one I (3.5.1, relationship 1) */
                GUO_EY_BELOW,
                GUO_EY_ABOVE, /* time against I at one P (relationship 2) */
                /* thread per row: slope in P against I, and time against I at P = x1 (3.5.2) */
                GUO_F,
                GUO_SMALL_E,
                GUO_COO, /* time against strips of entries (3.5.3) */
                GUO_NLINES
};

struct guo2014 {
    enum work work;
    int64_t strip;     /* rows (or entries) per strip */
    int64_t threshold; /* the break in P */
    struct guo_line line[GUO_NLINES];
    double t2[NSIDES];    /* measured time of the cell at the I of E and the P of E' */
    double x1;            /* the P at which GUO_SMALL_E was fitted */
    double p_low, p_high; /* range of P that the slopes of GUO_F were fitted on */
};

/* The report of a fit: the number of cells used and unused, and the relative errors of those used (malloc'd). */
struct guo_report {
    int64_t used, unused;
    double *errors;
};
/* Fits the lines of one configuration to the cells of the literal grid. FAIL: too few cells (why). */
int guo_fit_config(const struct runs *, const struct target *, const char *config, struct guo2014 *,
                   struct guo_report *, char why[ERRLEN]);
void guo_store(const struct guo2014 *, const char *config, const struct target *, struct coefs *);
int guo_load(const struct profile *, const struct config *, const struct target *, struct guo2014 *, char why[ERRLEN]);
/* Forecasts a matrix from its features rows, nnz, row_mode and row_max. */
void guo_time(const struct guo2014 *, const struct features *, struct forecast *);

/* The lines of a configuration in `own`, or those of the parts of a composite in `part`, in the order of
 * layout->part. */
struct guo_view {
    struct config config;
    struct target target;
    struct guo2014 own, part[PARTS_MAX];
    bool have[PARTS_MAX];
    /* also refuse a composite if the layout of a part is not applicable (callers of predict check this first) */
    bool applicable_parts;
    char lacks[PARTS_MAX][ERRLEN]; /* [i]: why part i has no lines */
};
int guo_open(const struct profile *, const struct config *, const struct target *, const struct features *,
             struct guo_view *, char why[ERRLEN]);
void guo_forecast(const struct guo_view *, const struct features *, struct forecast *);

struct block_cost *guo_blocks_open(const struct profile *, const struct sketch *, const struct config *,
                                   const struct target *, char why[ERRLEN]);
double guo_block_time(struct block_cost *, int first, int last);
void guo_blocks_close(struct block_cost *);
#endif
