/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting of costs before the first multiplication (models/costs.h) to what runs measured. */
#ifndef SPMVCAST_FIT_COSTS_FIT_H
#define SPMVCAST_FIT_COSTS_FIT_H
#include "models/costs.h"

/* What was measured of one cost on one matrix under one key (cost_key): the geometric mean of all rows that have it. */
struct cost_sample {
    int matrix; /* index into runs->matrices */
    enum precision precision;
    enum cost cost;
    char key[CONFIG_LEN];
    double log_sum; /* of the seconds of n rows */
    int64_t n;
    double term[NCOST_TERMS];
};
struct cost_data {
    const struct runs *runs;
    struct geometry device;
    int64_t n;
    struct cost_sample *sample; /* by precision, cost, key, matrix */
};

/* Reads rows of role matrix; where there are none, those of benchmark cells. The runs are indexed, of one device, and outlive the
 * data. */
void cost_data_make(const struct runs *, const struct geometry *, struct cost_data *);
void cost_data_free(struct cost_data *);
/* Seconds; NaN: not measured. */
double cost_measured(const struct cost_data *, int matrix, enum precision, enum cost, const char *key);

/* Adds coefficients (not sorted) fitted to the matrices in use[runs->nmatrices], NULL: all. Each minimises the sum of squared
 * logarithms of forecast / measured, Huber's weights beyond 20 %; a matrix of a recipe weighs less. */
void costs_fit(const struct cost_data *, const bool *use, struct coefs *);
#endif
