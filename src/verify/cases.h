/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured times of run archives and the forecasts of models for them. */
#ifndef SPMVCAST_VERIFY_CASES_H
#define SPMVCAST_VERIFY_CASES_H
#include "base/options.h"
#include "models/forecasts.h"
#include "models/model.h"
#include "table/textout.h"

struct verdict {
    double time_s, low_s, high_s, distance; /* low_s, high_s: NaN if the model has no interval */
    enum status status;
    bool in_training; /* refused because the model was fitted to the matrix */
    char why[160];
};

/* One measured time; a row gives one per launch. Cases are sorted by precision, cache state, launch, matrix and
 * configuration, so those of one matrix and target (a "group", a contest of runs/contests.h) are consecutive. */
struct one_case {
    const struct run_row *row;
    const struct matrix_row *facts;
    const struct features *features;
    struct config config;
    char general[CONFIG_LEN]; /* text of config_general: comparable between matrices (hyb:k=auto) */
    struct target target;
    double measured_s;
    int64_t group, group_end; /* first case of its group, and one past the last */
    int64_t target_end;       /* one past the last case of the same target */
    bool near;                /* contest_near of its group */
};

/* Skipped rows per outcome and kernel; rows of other devices have outcome "other device". */
struct skipped {
    char outcome[16], kernel[24], example[160];
    int64_t n;
};

struct cases {
    struct runs runs;
    int64_t n;
    struct one_case *one;
    int nmodels;
    const struct model **model;
    struct verdict *verdict; /* [nmodels][n] */
    int nskipped;
    struct skipped *skipped;
    int64_t other_role;  /* skipped rows of another role */
    const char *rows_of; /* device of the rows, if not the profile's (owned by runs); else NULL */
};

/* Reads the archives and selects the rows of this role, precision and cache state (empty lists: any), and their times for
 * these launches: of the profile's device or, if `device` names another of its kind, of that one. Dies if no case is left,
 * with the reasons. The profile must outlive the cases; cases_forecast sets its query before each forecast. */
void cases_read(struct cases *, char *const *paths, int npaths, const char *device, const struct profile *,
                const char *role, const struct strlist *precisions, const struct strlist *caches,
                const struct strlist *launches);
/* Forecasts every case with each model of the list (empty: all). */
void cases_forecast(struct cases *, struct profile *, const struct strlist *models);
/* After cases_forecast: drops the cases of matrices that one of the models was fitted to, and all verdicts; returns their number. */
int64_t cases_drop_trained(struct cases *);
bool cases_in_training(const struct cases *); /* is any matrix one that a model was fitted to? */
void cases_free(struct cases *);

static inline const struct verdict *cases_verdict(const struct cases *c, int model, int64_t i)
{
    return &c->verdict[(int64_t)model * c->n + i];
}
/* Returns one past the last case of the same target as the first. */
static inline int64_t cases_target_end(const struct cases *c, int64_t first) { return c->one[first].target_end; }
/* Returns the columns of a target that differ between cases, for textout_view: " precision cache launch" if all do. */
struct target_columns {
    char text[32];
};
struct target_columns cases_target_columns(const struct cases *);
/* Converts the cases to archived forecasts of one seed; the profile forecasts the costs. Free
 * with forecasts_free. */
void cases_as_forecasts(const struct cases *, const struct profile *, struct forecasts *);
/* Prints notes: rows skipped per outcome and kernel, each with an example. */
void cases_note(const struct cases *, struct table *);
/* Prints notes: rows skipped per outcome, without examples. */
void cases_note_skipped(const struct cases *, struct table *);
/* Prints notes: how many forecasts each model made, extrapolated and refused, with examples. */
void cases_note_models(const struct cases *, struct table *);
#endif
