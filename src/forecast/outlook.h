/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts and ranks all configurations of a profile, for one matrix and one target. */
#ifndef SPMVCAST_FORECAST_OUTLOOK_H
#define SPMVCAST_FORECAST_OUTLOOK_H
#include "base/options.h"
#include "models/costs.h"
#include "models/model.h"

enum outlook_status { OUTLOOK_OK, OUTLOOK_EXTRAPOLATED, OUTLOOK_REFUSED, OUTLOOK_NA };

struct outlook_row {
    struct config config; /* resolved; as requested if it does not apply */
    char text[CONFIG_LEN];
    enum outlook_status status;
    char reason[ERRLEN]; /* "" if ok */
    struct forecast forecast;
    const struct model *model; /* the model that made the forecast */
    int place;                 /* 1 = least outlook_value among all rows; 0: not ranked */
    bool best_of_kernel;       /* least value of its kernel (its first row if none is ranked) */
    bool shown;                /* requested by -c, or no configuration was named */
    bool csr;                  /* uses CSR unchanged: nothing to convert */
    bool free;                 /* csr, and its kernel prepares nothing */
    bool one_part; /* a composite that keeps all nonzeros in one part: the same as that part alone, never recommended */
    int64_t least_bytes, storage_bytes; /* 0: unknown */
    double cost_s[NCOSTS];              /* profile_costs */
    /* One-time costs: costs_convert from where the matrix is; preparation (0 if the profile has no preparations); their
     * sum. NaN: never measured. */
    double convert_s, prepare_s, setup_s;
    double total_s, total_low_s, total_high_s; /* set-up + N multiplications; NaN: unknown, or N is 0 */
    /* Number of multiplications after which it pays, counting set-up, against the fastest of cusparse-csr and against
     * the fastest without set-up; 0: at once; NaN: never, or unknown. Independent of N. */
    double breakeven_library, breakeven_free;
};

/* The terms of a ranking. */
struct outlook_terms {
    int64_t iterations; /* N, total multiplications; 0: set-up is not counted */
    enum matrix_place place;
    double risk; /* weight of the upper end of the interval in the pick (outlook_weighed); 0: none */
};
extern const double outlook_tie;  /* forecasts within this factor count as equal: half of the difference of two runs */
extern const double outlook_risk; /* default risk, which lost least in cross-validation (docs/forecasts.md) */

struct outlook {
    struct target target;
    const struct model *model; /* whose forecasts these are */
    int named;                 /* number of distinct configurations named by -c; 0: all are shown */
    int n;
    struct outlook_row *row;        /* ranked ones first, by place; then the others in sweep order */
    const struct outlook_row *csr;  /* the fastest of cusparse-csr; NULL: no forecast of it */
    const struct outlook_row *free; /* the fastest without set-up; NULL: no forecast of any */
    struct outlook_terms terms;
    bool own_memory, preparations; /* of the device; of the profile: it has preparation costs */
    double csr_upload_s;
};

const char *outlook_status_name(enum outlook_status);

/* Ends with a usage error if a text of -c is not a configuration. */
void outlook_check_configs(const struct strlist *asked);

/* Forecasts and ranks by time: terms { 0, ON_GPU, outlook_risk }. asked: configurations to show, empty for all.
 * FAIL: the profile has no coefficients for this target (why). Free with outlook_free. */
int outlook_make(const struct profile *, const struct model *, const struct features *, const struct target *,
                 const struct strlist *asked, struct outlook *, char why[ERRLEN]);
/* Ranks again under other terms. */
void outlook_rank(struct outlook *, const struct outlook_terms *);
/* Sets common places for several outlooks of one matrix, each ranked under the same terms. */
void outlook_merge(struct outlook *, int n);
/* Returns the value that is ranked, in s: the total if N is given, else the time; NaN: unknown. */
double outlook_value(const struct outlook *, const struct outlook_row *);
/* Returns time x (high / time)^risk, or time if high is NaN; in any unit. */
double outlook_weighed(double time, double high, double risk);
/* Returns the row shown with the least value, its time replaced by outlook_weighed with the terms' risk. If set-up is
 * not counted, takes the row with the least set-up among those within outlook_tie of the least. NULL: none is
 * ranked. */
const struct outlook_row *outlook_pick(const struct outlook *);
/* Returns the row of cusparse-csr with the least value; NULL: none. */
const struct outlook_row *outlook_library(const struct outlook *);
/* True if each value is inside the other's interval. */
bool outlook_alike(const struct outlook *, const struct outlook_row *, const struct outlook_row *);
/* Returns the number of multiplications after which the total of `r` is at most that of `other`; 0: at once; NaN:
 * never, or unknown. */
double outlook_breakeven(const struct outlook_row *r, const struct outlook_row *other);
void outlook_free(struct outlook *);
/* Returns the number of configurations that the profile knows only in other cache states; text: per kernel, e.g.
 * "8 bcsr, 9 brc". */
int outlook_elsewhere(const struct profile *, const struct features *, const struct outlook *, char *text,
                      size_t bytes);
#endif
