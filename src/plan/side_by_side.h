/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-predict -m all: the forecasts of every model for one matrix and target. Without -c, --top or --all one row per model,
 * the configuration that it would recommend; else one row per configuration and model. No forecast is replaced by another model's. */
#ifndef SPMVCAST_PLAN_SIDE_BY_SIDE_H
#define SPMVCAST_PLAN_SIDE_BY_SIDE_H
#include "plan/predict_output.h"

struct side_by_side {
    const struct showing *showing;
    const struct question *question; /* with profile_load_trained */
    const struct archived_times *times;
    const struct model *usual; /* the default model of this profile, which the others are compared with */
    struct target target;
    int n;                   /* number of models */
    struct outlook *outlook; /* [n], of model_at(i); n = 0: no forecast of any configuration */
    char (*why)[ERRLEN];     /* [n], the reason if outlook[i].n is 0 */
    int nprinted;
    struct {
        int model;
        const struct outlook_row *row; /* NULL: the model has no forecast */
    } * printed;                       /* [nprinted], the rows of the table */
};

/* Returns the column names for textout_begin; malloc'd. */
struct column *side_by_side_columns(const struct showing *);
/* Sets the columns that a terminal shows. */
void side_by_side_view(struct table *, const struct showing *);
/* Forecasts the configurations (asked: as in outlook.h) with every model and ranks them; `showing`, `question` and `times` are set
 * by the caller. Free with side_by_side_free. */
void side_by_side_make(struct side_by_side *, const struct target *, const struct strlist *asked,
                       const struct outlook_terms *);
/* Prints how many models have a forecast, and which of them agree with the default model. */
void side_by_side_answer(struct table *, const struct side_by_side *);
/* Prints the rows and then, if `explain`, the terms of each. */
void side_by_side_rows(struct table *, const struct side_by_side *, bool explain);
void side_by_side_footer(struct table *, const struct side_by_side *);
bool side_by_side_in_training(const struct side_by_side *); /* was any model of a forecast fitted to the matrix? */
void side_by_side_free(struct side_by_side *);
#endif
