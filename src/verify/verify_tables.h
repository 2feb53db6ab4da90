/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of spmv-verify. */
#ifndef SPMVCAST_VERIFY_VERIFY_TABLES_H
#define SPMVCAST_VERIFY_VERIFY_TABLES_H
#include "models/costs.h"
#include "verify/cases.h"

/* A grouping of table "errors"; key returns the group of a case, NULL: one group only. */
struct grouping {
    const char *name, *about;
    const char *(*key)(const struct one_case *);
};
const struct grouping *grouping_find(const char *name);
const char *grouping_names(void);    /* "config|kernel|..." (never freed) */
const char *size_group(int64_t nnz); /* the decade of nonzeros: "1e4<=nnz<1e5" */

/* Table "errors": |forecast - measured| / measured of each model, per group and in total, of all cases and of those within
 * twice the best of their matrix. */
void errors_print(const struct cases *, const struct grouping *, const char *profile, bool json);

/* Table "ranking": t_best / t_pick over matrices, the pick being the lowest forecast among all configurations, among ours (no
 * library kernels), and among those of each kernel that has several. */
void ranking_print(const struct cases *, const char *profile, bool json);

/* Table "effort": time to fit each model, to forecast a configuration, to rank those of a matrix, and to take its features, in
 * products. The profile's query is set before each forecast. collection: as in effort_features.h. */
extern const struct column effort_table_columns[];
void effort_print(const struct cases *, struct profile *, const char *profile, const char *collection, bool json);

/* Executed plans (rows of role plan): forecast time and gain next to the measured ones. Needs no profile. more: closing
 * note; NULL: none. */
void plans_print(char *const *paths, int npaths, const char *device, const struct strlist *precisions,
                 const struct strlist *caches, const char *more, bool json);

/* Table "scores" of an archive of forecasts: forecasts against measured times (docs/method.md). */
struct score_grouping;
struct score_choice {
    const struct strlist *models, *precisions, *caches, *launches; /* empty: any */
    const char *set;                                               /* of score_sets */
    const struct score_grouping *by;
    const char *more; /* closing note of the tables summary and scores; NULL: none */
    bool json;
};
extern const char score_sets[]; /* "crossvalidated|sealed|all" */
const struct score_grouping *score_grouping_find(const char *name);
const char *score_grouping_names(void); /* "model|kernel|..." (never freed) */
struct scores;
/* These tables are added to an empty table (table/table.h), which is printed or stays in memory. */
void scores_table(const struct scores *, struct table *);

/* Table "summary" of run archives; scores: of the same cases (cases_as_forecasts). */
void summary_print(const struct scores *, const struct cases *, const char *profile);

/* Table "advice": total times of N products with the advised configuration, relative to the best and to the library. */
struct advice_choice {
    enum matrix_location location;
    double risk;
};
void advice_table(const struct scores *, const struct advice_choice *, struct table *);
/* Table "coverage": how often measured times are inside the forecast intervals, of all cases and of the recommended ones. */
void coverage_table(const struct scores *, const struct advice_choice *, struct table *);
/* Table "costs": forecast against measured conversion and preparation times. */
void costs_table(const struct scores *, struct table *);
#endif
