/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of spmv-verify. */
#ifndef SPMVCAST_VERIFY_VERIFY_TABLES_H
#define SPMVCAST_VERIFY_VERIFY_TABLES_H
#include "models/costs.h"
#include "verify/cases.h"

/* What rows of the error table are grouped by: a name and the key of a case. */
struct grouping {
    const char *name, *about;
    const char *(*key)(const struct one_case *);
};
const struct grouping *grouping_find(const char *name);
const char *grouping_names(void); /* "config|kernel|..." (never freed) */

/* Errors |forecast - measured| / measured of each model, per group and over all, each over all cases and over those
 * within twice the best of their matrix. */
void errors_print(const struct cases *, const struct grouping *, const char *profile, bool json);

/* What following each model's least forecast costs: t_best / t_pick over matrices, among all measured configurations,
 * among ours (no library kernels), and among those of each kernel with several (csr-vector: the lanes). */
void ranking_print(const struct cases *, const char *profile, bool json);

/* Plans that were carried out (rows of role plan): forecast and gain beside what was measured. No profile is asked. */
void plans_print(char *const *paths, int npaths, const struct strlist *precisions, const struct strlist *caches,
                 bool json);

/* Archived forecasts of one archive of kind forecasts beside the times measured: table "scores" (docs/method.md). */
struct score_grouping;
struct score_choice {
    const struct strlist *models, *precisions, *caches, *launches; /* empty: any */
    const char *set;                                               /* of score_sets */
    const struct score_grouping *by;
    bool json;
};
extern const char score_sets[]; /* "crossvalidated|sealed|all" */
const struct score_grouping *score_grouping_find(const char *name);
const char *score_grouping_names(void); /* "model|kernel|..." (never freed) */
struct scores;
void scores_print(const struct scores *);

/* Table "advice": totals of N multiplications with the configuration advised, beside the best and the library's. */
struct advice_choice {
    enum matrix_place place;
    double risk;
};
void advice_print(const struct scores *, const struct advice_choice *);
/* Table "costs": forecasts of conversion and preparation beside what was measured. */
void costs_print(const struct scores *);
#endif
