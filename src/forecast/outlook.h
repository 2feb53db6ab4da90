/* SPDX-License-Identifier: BSD-3-Clause */
/* One matrix, one target: every configuration a profile speaks of, forecast and ranked. */
#ifndef SPMVCAST_FORECAST_OUTLOOK_H
#define SPMVCAST_FORECAST_OUTLOOK_H
#include "base/options.h"
#include "models/costs.h"
#include "models/model.h"

enum outlook_status { OUTLOOK_OK, OUTLOOK_EXTRAPOLATED, OUTLOOK_REFUSED, OUTLOOK_NA };

struct outlook_row {
    struct config config; /* resolved; as asked where it does not apply */
    char text[CONFIG_LEN];
    enum outlook_status status;
    char reason[ERRLEN]; /* "" where ok */
    struct forecast forecast;
    const struct model *model;          /* whose forecast it is */
    int place;                          /* 1 = least outlook_value among all rows; 0: not ranked */
    bool best_of_kernel;                /* least time of its kernel (its first row where none is ranked) */
    bool shown;                         /* asked for (all are, unless configurations were named) */
    bool csr;                           /* uses the matrix as it is in CSR: nothing to convert */
    bool free;                          /* and its kernel prepares nothing */
    int64_t least_bytes, storage_bytes; /* 0: not known */
    double cost_s[NCOSTS];              /* profile_costs */
    /* Once: costs_convert from where the matrix is; preparation (0 where the profile has none at all); their sum. NaN: never
     * measured. */
    double convert_s, prepare_s, setup_s;
    double total_s, total_low_s, total_high_s; /* setup + N multiplications; NaN: not known, or no N asked for */
    /* Multiplications after which choosing it pays, set-up counted, against the library's best and against the best that costs
     * nothing; 0: at once; NaN: never, or not known. Whatever N is. */
    double breakeven_library, breakeven_free;
};

/* What a ranking is for. */
struct outlook_terms {
    int64_t iterations; /* N multiplications in all; 0: set-up is not counted */
    enum matrix_place place;
    double risk; /* how much the upper end of the interval weighs in the pick; 0: not at all */
};
extern const double
    outlook_tie; /* forecasts so near are no reason to pay for a set-up: half of what two runs differ by */
extern const double outlook_risk; /* what lost least in cross-validation (docs/forecasts.md) */

struct outlook {
    struct target target;
    int named; /* how many different configurations were asked for by name; 0: all are shown */
    int n;
    struct outlook_row *row;        /* ranked ones first, by place; then the others in sweep order */
    const struct outlook_row *csr;  /* the fastest of cusparse-csr; NULL: no forecast of it */
    const struct outlook_row *free; /* the fastest that costs nothing; NULL: no forecast of any */
    struct outlook_terms terms;
    bool own_memory, preparations; /* of the device; of the profile: it tells what preparing takes */
    double csr_upload_s;
};

const char *outlook_status_name(enum outlook_status);

/* What -c names must be configurations: a usage error otherwise. */
void outlook_check_configs(const struct strlist *asked);

/* asked: configurations to show, empty for all. FAIL: the profile has no coefficients for
 * this target (says for which). */
int outlook_make(const struct profile *, const struct model *, const struct features *, const struct target *,
                 const struct strlist *asked, struct outlook *, char why[ERRLEN]);
/* Ranks again under other terms. outlook_make ranks by time: { 0, ON_GPU, outlook_risk }. */
void outlook_rank(struct outlook *, const struct outlook_terms *);
/* Common places of several outlooks of one matrix, each ranked under the same terms. */
void outlook_merge(struct outlook *, int n);
/* What the ranking goes by: the total where N is given, else the time; NaN: not known. low, high: of its interval. */
double outlook_value(const struct outlook *, const struct outlook_row *);
/* time x (high / time)^risk; high NaN: the time. In any unit. */
double outlook_weighed(double time, double high, double risk);
/* Of the rows shown the one with the least value, its time weighed with the upper end of its interval by the terms' risk:
 * time (high / time)^risk; where set-up is not counted, of those within outlook_tie of the least the one with the least set-up.
 * NULL: none is ranked. */
const struct outlook_row *outlook_pick(const struct outlook *);
/* The least value of a library's baseline kernel under the terms; NULL: none. */
const struct outlook_row *outlook_library(const struct outlook *);
/* Neither value is outside the other's interval. */
bool outlook_alike(const struct outlook *, const struct outlook_row *, const struct outlook_row *);
/* Multiplications after which `r` has cost less than `other` in all; 0: at once; NaN: never, or not known. */
double outlook_breakeven(const struct outlook_row *r, const struct outlook_row *other);
void outlook_free(struct outlook *);
/* How many configurations the profile knows in other cache states alone, and of which kernels: "8 bcsr, 9 brc". */
int outlook_elsewhere(const struct profile *, const struct features *, const struct outlook *, char *text,
                      size_t bytes);
#endif
