/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --measured: measured times of a run archive for the matrix and device of a forecast. */
#ifndef SPMVCAST_PLAN_ARCHIVED_TIMES_H
#define SPMVCAST_PLAN_ARCHIVED_TIMES_H
#include "forecast/outlook.h"
#include "forecast/question.h"
#include "runs/rows.h"

/* The rows of a recipe's matrix carry matrix_id if it was measured from a file, else recipe_id. */
struct archived_times {
    struct runs runs;
    char *path;             /* NULL: no archive */
    bool temporary;         /* the archive is removed: messages do not name it */
    const char *device_key; /* rows of this device are used */
    char matrix_id[ID_LEN], recipe_id[ID_LEN];
};

/* path NULL: no archive; the functions below then do nothing and times are NaN. Dies if the archive cannot be read. */
void archived_times_open(struct archived_times *, const char *path);
void archived_times_close(struct archived_times *);
/* Selects the rows of the matrix that is open in the question. FAIL: the archive has none; `why` names the matrices it has. Rows of
 * other devices are ignored, or used if there are no others, each with a warning. */
int archived_times_matrix(struct archived_times *, const struct question *, char why[ERRLEN]);
/* Returns the measured time in us of a row of the outlook; NaN: not measured. */
double archived_times_us(const struct archived_times *, const struct outlook *, const struct outlook_row *);
/* Returns when a row of the outlook was measured, as in the archive; "": it has no time. */
const char *archived_times_date(const struct archived_times *, const struct outlook *, const struct outlook_row *);
/* Returns the measured conversion and preparation in us, by the terms of the outlook; NaN: not measured. */
double archived_times_setup_us(const struct archived_times *, const struct outlook *, const struct outlook_row *);
/* Returns why a row of the outlook has no measured time: its outcome; "not measured". */
const char *archived_times_outcome(const struct archived_times *, const struct outlook *, const struct outlook_row *);
/* Warns if no printed row has a measured time. */
void archived_times_warn(const struct archived_times *, const struct question *, const struct outlook *);
#endif
