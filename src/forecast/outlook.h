/* SPDX-License-Identifier: BSD-3-Clause */
/* One matrix, one target: every configuration a profile speaks of, forecast and ranked. */
#ifndef SPMVCAST_FORECAST_OUTLOOK_H
#define SPMVCAST_FORECAST_OUTLOOK_H
#include "base/options.h"
#include "models/model.h"

enum outlook_status { OUTLOOK_OK, OUTLOOK_EXTRAPOLATED, OUTLOOK_REFUSED, OUTLOOK_NA };

struct outlook_row {
    struct config config; /* resolved; as asked where it does not apply */
    char text[CONFIG_LEN];
    enum outlook_status status;
    char reason[ERRLEN]; /* "" where ok */
    struct forecast forecast;
    const struct model *model;          /* whose forecast it is */
    int place;                          /* 1 = least time among all rows; 0: not ranked */
    bool best_of_kernel;                /* least time of its kernel (its first row where none is ranked) */
    bool shown;                         /* asked for (all are, unless configurations were named) */
    bool csr;                           /* uses the matrix as it is in CSR: nothing to convert */
    int64_t least_bytes, storage_bytes; /* 0: not known */
    double convert_s;                   /* from CSR on the host: build and upload; 0 for CSR; NaN: never measured */
    /* SpMVs after which converting from cusparse-csr pays; NaN: never, or not known */
    double breakeven;
};

struct outlook {
    struct target target;
    int named; /* how many different configurations were asked for by name; 0: all are shown */
    int n;
    struct outlook_row *row;       /* ranked ones first, by time; then the others in sweep order */
    const struct outlook_row *csr; /* the best of cusparse-csr; NULL: no forecast of it */
};

const char *outlook_status_name(enum outlook_status);

/* What -c names must be configurations: a usage error otherwise. */
void outlook_check_configs(const struct strlist *asked);

/* asked: configurations to show, empty for all. FAIL: the profile has no coefficients for
 * this target (says for which). */
int outlook_make(const struct profile *, const struct model *, const struct features *, const struct target *,
                 const struct strlist *asked, struct outlook *, char why[ERRLEN]);
void outlook_free(struct outlook *);
/* How many configurations the profile knows in other cache states alone, and of which kernels: "8 bcsr, 9 brc". */
int outlook_elsewhere(const struct profile *, const struct features *, const struct outlook *, char *text,
                      size_t bytes);
#endif
