/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts and ranks all configurations of a profile for one matrix and one target. */
#ifndef SPMVCAST_FORECAST_OUTLOOK_H
#define SPMVCAST_FORECAST_OUTLOOK_H
#include <math.h>
#include "base/options.h"
#include "forecast/pick.h"
#include "models/costs.h"
#include "models/model.h"

enum outlook_status { OUTLOOK_OK, OUTLOOK_EXTRAPOLATED, OUTLOOK_REFUSED, OUTLOOK_NA };

struct outlook_row {
    struct config config; /* resolved for the matrix; as requested if that fails */
    char text[CONFIG_LEN];
    enum outlook_status status;
    char reason[ERRLEN]; /* "" if ok */
    struct forecast forecast;
    const struct model *model;          /* the model that made the forecast */
    int place;                          /* from 1, the lowest outlook_value of all rows; 0: not ranked */
    bool best_of_kernel;                /* first of the rows shown of its kernel: the fastest, if any is ranked */
    bool shown;                         /* requested by -c, or no -c was given */
    bool csr;                           /* uses CSR unchanged: nothing to convert */
    bool copies;                        /* but its preparation copies the matrix */
    bool free;                          /* no set-up: csr, and its kernel prepares nothing */
    bool one_part;                      /* a composite with all nonzeros in one part: no better than that part alone */
    int64_t least_bytes, storage_bytes; /* 0: unknown */
    double cost_s[NCOSTS];              /* profile_costs */
    /* One-time costs: conversion from where the matrix is (costs_convert), preparation (0 if the profile has no
     * preparation costs), and their sum. NaN: never measured. */
    double convert_s, prepare_s, setup_s;
    double total_s, total_low_s, total_high_s; /* of set-up and N products; NaN: unknown, or N is 0 */
    /* Number of products after which the row pays off, including set-up, against the rows `library` and `stay` of the outlook; NaN if they
     * or this row have no place. */
    struct pick_breakeven breakeven_library, breakeven_stay;
    struct pick_gain gain_library, gain_stay; /* how many times as fast as these rows under the terms */
};

/* What rows are ranked by. */
struct outlook_terms {
    int64_t products; /* N; 0: unlimited: rank by time, without set-up */
    enum matrix_location location;
    double risk; /* weight of the interval's upper end in the pick (pick_weighed); 0: none */
};
/* The default risk, which gave the fastest picks in cross-validation (docs/method.md, Advice). */
#define OUTLOOK_RISK 0.2
/* PICK_PRODUCTS, ON_GPU, OUTLOOK_RISK */
extern const struct outlook_terms outlook_terms_default;

/* The recommended one (pick_of) of some rows. */
struct outlook_choice {
    const struct outlook_row *row, *passed; /* NULL: none is ranked; passed: as in struct pick */
    enum pick_reason reason;
};

struct outlook {
    struct target target;
    const struct model *model; /* whose forecasts these are */
    int named;                 /* number of distinct configurations named by -c; 0: all are shown */
    int n;
    struct outlook_row *row; /* ranked rows first, by place; then the others in sweep order */
    /* The rows of the vendor's library and of its CSR kernel with the lowest value, and the pick of all that leave CSR as it is, shown or not;
     * NULL: none has a forecast. */
    const struct outlook_row *library, *library_csr, *stay;
    struct outlook_choice choice; /* of the rows shown */
    struct outlook_terms terms;
    bool own_memory, preparations; /* the device has its own memory; the profile has preparation costs */
    double csr_upload_s;
};

const char *outlook_status_name(enum outlook_status);
/* Returns a number of products as a ranking gives it: NaN for never. */
static inline double ranking_count(double products) { return isinf(products) ? NAN : products; }

/* Ends the program with a usage error if a text given with -c is not a configuration. */
void outlook_check_configs(const struct strlist *asked);

/* Forecasts all configurations and ranks them for outlook_terms_default. asked: configurations to
 * show; empty: all. If the model refuses the baseline, cusparse-csr, the default model forecasts it. FAIL: the profile
 * has no coefficients for this target (why). Free with outlook_free. */
int outlook_make(const struct profile *, const struct model *, const struct features *, const struct target *,
                 const struct strlist *asked, struct outlook *, char why[ERRLEN]);
/* The same with forecasts of this model alone. */
int outlook_alone(const struct profile *, const struct model *, const struct features *, const struct target *,
                  const struct strlist *asked, struct outlook *, char why[ERRLEN]);
/* Forecasts a row, whose configuration is resolved: all members that neither terms nor other rows change. */
void outlook_forecast(const struct profile *, const struct model *, const struct features *, const struct target *,
                      struct outlook_row *);
/* Does the layout of a kernel differ from CSR, so that CSR is converted? */
bool outlook_converts(const struct kernel *);
/* Is there any set-up, i.e. does it convert CSR or prepare something? */
bool outlook_sets_up(const struct kernel *);
/* Returns the row of a configuration by its text, as in outlook_row; NULL: there is none. */
struct outlook_row *outlook_find(const struct outlook *, const char *config);
/* Ranks again under other terms. */
void outlook_rank(struct outlook *, const struct outlook_terms *);
/* Numbers the places across n outlooks of one matrix, all ranked under the same terms. */
void outlook_merge(struct outlook *, int n);
/* Returns the forecast time of one multiplication in s; NaN: not ranked. */
double outlook_time(const struct outlook_row *);
/* Returns the value by which rows are ranked, in s: the total if N is given, else the time; NaN: unknown. */
double outlook_value(const struct outlook *, const struct outlook_row *);
struct outlook_choice outlook_choice_ours(const struct outlook *); /* the choice without rows of libraries */
const struct outlook_row *outlook_pick(const struct outlook *);    /* choice.row */
bool outlook_in_training(const struct outlook *); /* was the model of any forecast fitted to the matrix? */
/* Does the row leave CSR as it is? */
static inline bool outlook_stays(const struct outlook_row *r) { return r->csr && !r->copies; }
/* Returns a row as the rule sees it. */
struct pick_row outlook_pick_row(const struct outlook_row *);
/* pick_breakeven of a row against another, or, with `fewer`, of the other against the row, which takes less set-up but longer products: it
 * pays off for fewer products than `at` (2 or more). at.products INFINITY: never; NaN: unknown. */
struct outlook_breakeven {
    struct pick_breakeven at;
    bool fewer;
};
struct outlook_breakeven outlook_breakeven(const struct outlook_row *, const struct outlook_row *other);
struct pick_gain outlook_gain(const struct outlook *, const struct outlook_row *, const struct outlook_row *over);
/* True if the 90 % interval of the gain of one row over the other contains 1: neither is surely ahead. */
bool outlook_alike(const struct outlook *, const struct outlook_row *, const struct outlook_row *);
void outlook_free(struct outlook *);
/* Returns the number of configurations that the profile knows only in other cache states. Writes them per kernel to
 * `text`, e.g. "8 bcsr, 9 brc". */
int outlook_elsewhere(const struct profile *, const struct features *, const struct outlook *, char *text,
                      size_t bytes);
#endif
