/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014, private: the fitted lines of one configuration, shared by fit, forecast and planner, and by the models of the
 * same form (guo2014-mean, wang2017). */
#ifndef SPMVCAST_MODELS_GUO2014_H
#define SPMVCAST_MODELS_GUO2014_H
#include "formats/format.h"
#include "models/model.h"

/* The line a + b v, fitted on low <= v <= high. a NaN: not fitted. */
struct guo_line {
    double a, b, low, high;
};

enum guo_side { BELOW, ABOVE, GUO_SIDES }; /* sides of the break in P */
enum guo_name {                            /* the lines, in the order of guo_lines */
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
    double t2[GUO_SIDES];                          /* measured time of the cell at E's I and Ey's P */
    double x1;                                     /* the P of GUO_SMALL_E */
    double p_low, p_high;                          /* range of lengths that the slopes of GUO_F were fitted on */
    int64_t at_strips[GUO_SIDES], at_p[GUO_SIDES]; /* the I and P of t2; 0: not fitted, or unknown */
    bool mean; /* P of a matrix is its mean row length (guo2014-mean), not mode or maximum */
};

/* Where the lines are drawn: E at one I, E' at one P on each side of the break (0: at the break), e at P = x1. */
struct guo_form {
    int64_t strips, p[GUO_SIDES], x1;
};
extern const struct guo_form guo_literal; /* guo2014's own */
/* Is p on guo2014's grid of CSR and ELL: 4, 16, 64, 256, 1024, 2048, then doubling? */
bool guo_literal_p(int64_t p);
enum { GUO_STRIPS = 10 }; /* most strips of a thread-per-row cell */

/* Benchmark cells of one configuration, on the grid of the model. */
struct guo_point {
    int64_t strips, p;
    double time_s;
};
struct guo_points {
    int64_t n;
    struct guo_point *at;
};

/* The report of a fit: the number of cells used and unused, and the relative errors of those used (malloc'd). */
struct guo_report {
    int64_t used, unused;
    double *errors;
};
/* Sets strip and threshold; no line is fitted. */
void guo_begin(struct guo2014 *, enum work, const struct config *resolved, const struct target *);
/* Draws the lines that the kind of work needs, each where the form says if it has two cells there, else where it has
 * most. Returns false if there are too few cells. */
bool guo_fit_lines(const struct guo_form *, const struct guo_points *, struct guo2014 *);
/* Sets used, unused (added to) and errors of the report from the forecasts of the cells. */
void guo_errors(const struct guo_points *, const struct guo2014 *, struct guo_report *);
/* Coefficients of a model of this form; guo_read leaves what is not stored NaN or 0. */
void guo_store(const struct guo2014 *, const char *model, const char *config, const struct target *, struct coefs *);
void guo_read(const struct profile *, const char *model, const char *config, const struct target *, struct guo2014 *);
/* Loads the lines of guo2014; model: the name in why. FAIL: unsupported, or not in the profile (why: the commands that
 * measure them). */
int guo_load(const struct profile *, const struct config *, const struct target *, const char *model, struct guo2014 *,
             char why[ERRLEN]);
/* Forecasts a matrix from rows, nnz, row_mode and row_max (mean: row_mean); uses no other feature. */
void guo_time(const struct guo2014 *, const struct features *, struct forecast *);
/* --explain: appends P and I of the matrix to the note. */
void guo_explain(const struct guo2014 *, const struct features *, struct forecast *);

/* The lines of a configuration in `own`, or those of the parts of a composite in `part`, in the order of
 * layout->part. */
struct guo_view {
    struct config config;
    struct target target;
    struct guo2014 own, part[PARTS_MAX];
    bool have[PARTS_MAX];
    bool explain; /* write notes; off for blocks, of which there are many */
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
