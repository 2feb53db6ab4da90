/* SPDX-License-Identifier: BSD-3-Clause */
/* The input of predict and plan: a profile, and a matrix with its features. */
#ifndef SPMVCAST_FORECAST_QUESTION_H
#define SPMVCAST_FORECAST_QUESTION_H
#include "input/matrix.h"
#include "matrix/features.h"
#include "models/model.h"
#include "profile/profiles.h"
#include "table/textout.h"

struct question {
    struct profile profile;
    struct profile_file file;
    struct matrix matrix;
    struct features features;
};

/* Read the profile and the matrix. Call question_profile first, and question_leave_matrix before reading another
 * matrix. They return what archive_open returns; after an error there is nothing to free. A matrix without entries is FAIL. */
int question_profile(struct question *, const char *profile, char why[ERRLEN]);
int question_matrix(struct question *, const char *matrix, char why[ERRLEN]);
void question_leave_matrix(struct question *);
/* Shares the matrix of `from`, which keeps ownership, with the question of another profile. */
void question_share_matrix(struct question *to, const struct question *from);
void question_close(struct question *); /* frees the profile */

/* Returns "NAME, " of the matrix if there are several (malloc'd), else "". */
char *question_prefix(const struct question *, bool several);
/* Print the first lines of the output: the profile with its device, and the matrix. */
void question_note_profile(const struct question *, struct table *);
void question_note_model(
    struct table *,
    const struct model *instead); /* of the default model, which the profile lacks; NULL: prints nothing */
char *question_model_text(const struct model *instead); /* the same as a text (malloc'd) */
/* measured_for: the profiles of models that were fitted to the matrix, "this profile" if there is one in all; "": none. */
void question_note_matrix(const struct question *, const char *measured_for, struct table *);
struct target question_target(const struct question *, const char *precision, const char *cache, const char *launch);
#endif
