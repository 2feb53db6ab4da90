/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits costs before the first product (models/costs.h) to measured runs. */
#ifndef SPMVCAST_FIT_COSTS_FIT_H
#define SPMVCAST_FIT_COSTS_FIT_H
#include "models/costs.h"

/* A measured cost of one matrix and key (cost_key): the geometric mean over rows. */
struct cost_sample {
    int matrix; /* index into runs->matrices */
    enum precision precision;
    enum cost cost;
    char key[CONFIG_LEN];
    double log_sum; /* sum over n rows of log(seconds) */
    int64_t n;
    double term[NCOST_TERMS];
};
struct cost_data {
    const struct runs *runs;
    struct geometry device;
    int64_t n;
    struct cost_sample *sample; /* by precision, cost, key, matrix */
};

/* Reads rows of role matrix or, if none has costs, of role benchmark. The runs must be indexed, of one device, and outlive the
 * data. */
void cost_data_make(const struct runs *, const struct geometry *, struct cost_data *);
void cost_data_free(struct cost_data *);
/* Returns a measured cost in seconds; NaN: not measured. */
double cost_measured(const struct cost_data *, int matrix, enum precision, enum cost, const char *key);

/* Adds coefficients (not sorted) fitted to the matrices in use[runs->nmatrices]; NULL: all. Each fit minimizes the sum of squared
 * log(forecast / measured), with Huber weights beyond 20 %; matrices from recipes have less weight. */
void costs_fit(const struct cost_data *, const bool *use, struct coefs *);
#endif
