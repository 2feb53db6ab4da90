/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --measured: the times of a run archive beside the forecasts of the same matrix on the same device. */
#ifndef SPMVCAST_PLAN_BESIDE_H
#define SPMVCAST_PLAN_BESIDE_H
#include "forecast/outlook.h"
#include "forecast/question.h"
#include "runs/rows.h"

/* A recipe's rows are those of its matrix_id where it was measured out of a file, of its recipe_id elsewhere. */
struct beside {
    struct runs runs;
    const char *path;       /* NULL: none are asked for */
    const char *device_key; /* whose rows count */
    char matrix_id[ID_LEN], recipe_id[ID_LEN];
};

/* path NULL: there are none; all below do nothing then, and times are NaN. Dies where the archive cannot be read. */
void beside_open(struct beside *, const char *path);
void beside_close(struct beside *);
/* The matrix that is open now. FAIL: the archive holds none of its rows; why says what it holds. Rows of other devices than
 * the profile's are left out, or taken where there are no others; a warning says so. */
int beside_matrix(struct beside *, const struct question *, char why[ERRLEN]);
double beside_us(const struct beside *, const struct outlook *, const struct outlook_row *);
/* Warns where none of the rows shown has a measured time. */
void beside_warn(const struct beside *, const struct question *, const struct outlook *);
#endif
