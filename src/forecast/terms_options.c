/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of programs that recommend (terms_options.h). */
#include "forecast/terms_options.h"

struct option option_products(struct terms_options *t)
{
    return (struct option){
        .name = "iterations",
        .type = OPTION_INT,
        .value = &t->products,
        .arg = "N",
        .min = 0,
        .max = 1e15,
        .about =
            "rank and recommend by the total time of conversion, preparation and N products; 0: unlimited, by the time of one product"
    };
}

struct option option_location(struct terms_options *t)
{
    return (struct option){
        .name = "matrix-on",
        .type = OPTION_CHOICE,
        .value = &t->location,
        .arg = "WHERE",
        .choices = matrix_locations,
        .about = "where the CSR arrays are: on the gpu (and on the host), or on the host only, to be copied first"
    };
}

struct option option_risk(struct terms_options *t)
{
    return (struct option){
        .name = "risk",
        .type = OPTION_REAL,
        .value = &t->risk,
        .arg = "R",
        .min = 0,
        .max = 100,
        .about =
            "weight of the interval's upper end in the recommendation, which minimizes time x (high / time)^R; 0: ignore it"
    };
}

struct outlook_terms terms_of_options(const struct terms_options *t)
{
    return (struct outlook_terms){ t->products, matrix_location_find(t->location), t->risk };
}
