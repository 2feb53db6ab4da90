/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the section about a matrix: its forecasts, and the figures (report_matrix_figures.c, report_plan.c). */
#ifndef SPMVCAST_REPORT_REPORT_MATRIX_H
#define SPMVCAST_REPORT_REPORT_MATRIX_H
#include "forecast/outlook.h"
#include "forecast/planning.h"
#include "report/report_parts.h"

struct report_matrix {
    struct outlook outlook;
    const struct outlook_row *pick, *library; /* recommended; the best of cuSPARSE; NULL: none */
    char *advice;                             /* the line of spmv-predict */
    struct table ranking;                     /* table of spmv-predict */
    bool has_plan;
    struct outlook plan_outlook; /* ranked without set-up, as plans are */
    struct planned plan;
    char no_plan[ERRLEN]; /* why there is none */
};

/* src/report/report_matrix_figures.c */
void matrix_pattern(struct report *);
void matrix_lengths(struct report *);
void matrix_forecasts(struct report *, const struct report_matrix *);
void matrix_breakeven(struct report *, const struct report_matrix *);
/* src/report/report_plan.c */
void matrix_plan_open(struct report *, struct report_matrix *);
void matrix_plan(struct report *, const struct report_matrix *);
#endif
