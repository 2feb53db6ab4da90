/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the sections about models: the scores behind them, and the figures (report_model_figures.c). */
#ifndef SPMVCAST_REPORT_REPORT_MODEL_H
#define SPMVCAST_REPORT_REPORT_MODEL_H
#include "report/report_parts.h"
#include "verify/scores.h"

enum { MODEL_TABLES = 3 };
struct report_model {
    const char *path, *source; /* path NULL: forecasts of the profile for run archives; source: in words */
    struct strlist any, launches, models;
    struct score_choice choice[MODEL_TABLES]; /* by model, kernel, class */
    struct scores scores;                     /* by model */
    struct table table[MODEL_TABLES], advice, costs, refused;
    const struct score_series
        *series;          /* the first seed of the model that the section is about; NULL: all its forecasts are of
                                        * matrices in training */
    struct cases cases;   /* path NULL */
    struct strlist notes; /* skipped rows; path NULL */
    int64_t in_training;  /* times left out: of matrices that the model was fitted to */
};

/* src/report/report_model_figures.c */
void model_scatter(struct report *, const struct report_model *);
void model_errors(struct report *, const struct report_model *);
void model_losses(struct report *, const struct report_model *);
#endif
