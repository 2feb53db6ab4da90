/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of every program that recommends: --iterations, --matrix-on and --risk, with the defaults of outlook_terms_default. */
#ifndef SPMVCAST_FORECAST_TERMS_OPTIONS_H
#define SPMVCAST_FORECAST_TERMS_OPTIONS_H
#include "forecast/outlook.h"

struct terms_options {
    int64_t products;
    const char *location;
    double risk;
};
#define TERMS_OPTIONS_INIT                 \
    {                                      \
        PICK_PRODUCTS, "gpu", OUTLOOK_RISK \
    }
struct option option_products(struct terms_options *);
struct option option_location(struct terms_options *);
struct option option_risk(struct terms_options *);
struct outlook_terms terms_of_options(const struct terms_options *);
#endif
