/* SPDX-License-Identifier: BSD-3-Clause */
/* wang2017-regimes, private: benchmark times of one configuration, shared by fit and forecast.
 *
 *   T = t0 + W,  W = [(1 - v) B(P, R) + v A(P, R)] s(P', R, u)
 *
 * A, B: times, less t0, of square cells of R rows with P entries each, at random columns and in a band.
 * s: ratio of the time of drawn rows to that of constant rows of the same P, at the relative deviation u of the row
 *   lengths (standard deviation / mean); 1 at u = 0.
 * P: mean row length, or the longest row if rows are padded to it (WORK_PADDED), for cells and matrices alike; P': mean.
 * v: (S - S_band) / (S_random - S_band), between 0 and 1, of the sectors of x that 32 rows touch.
 * A and B are interpolated in logarithms, linearly in log R between the cells of one P, then in log P. log s is
 * linear in u between the deviations measured at one (P, R), then interpolated like A. There is one set per regime of
 * the working set, as in guo2014-regimes; between them T is interpolated in log bytes. Cold has one set. */
#ifndef SPMVCAST_MODELS_WANG2017_WANG_REGIMES_H
#define SPMVCAST_MODELS_WANG2017_WANG_REGIMES_H
#include "models/guo2014/regimes.h"

enum { SITES = 512, LEVELS_MAX = 8 };

/* Cells of one size: constant rows and the ratios of drawn ones. */
struct wang_site {
    double p, rows;
    double random_s, band_s; /* NaN: not measured; random_s always is */
    int n;                   /* deviations measured, ascending in u */
    double u[LEVELS_MAX], ratio[LEVELS_MAX];
};
/* Sorted by (p, rows). */
struct wang_sites {
    int n;
    struct wang_site at[SITES];
};

struct wang_regimes {
    struct config config;
    struct target target; /* the profile's device */
    double t0_s;          /* least time of an empty kernel, plus launch_more_us */
    double bytes_high;    /* largest working set of the cells */
    struct wang_sites regime[NREGIMES];
};

/* What the model uses of a matrix. */
struct wang_matrix {
    double p, mean, rows, u, v;
    int64_t bytes;
};
struct wang_matrix wang_matrix_of(const struct wang_regimes *, const struct features *);
/* Returns W of one regime in s; NaN: no cells. u_high: the greatest deviation measured near the matrix. */
double wang_work(const struct wang_regimes *, enum regime, const struct wang_matrix *, double *u_high);
/* Returns A, or B where it was measured and `band`, and s; the terms of wang_work. */
double wang_constant(const struct wang_sites *, enum regime, bool band, double p, double rows);
double wang_ratio(const struct wang_sites *, double p, double rows, double u, double *u_high);

/* Widens the range by P of all sites, and by R of those whose P is next to p on either side. */
struct wang_range {
    double p_low, p_high, rows_low, rows_high;
};
void wang_range_add(const struct wang_sites *, double p, struct wang_range *);

/* FAIL: too few cells (why). errors[*used]: relative. */
int wang_regimes_fit(const struct runs *, const struct target *, const char *config, struct wang_regimes *,
                     double *errors, int64_t *used, int64_t *unused, char why[ERRLEN]);
#endif
