/* SPDX-License-Identifier: BSD-3-Clause */
/* What predict and plan are asked about: a matrix, with its features, on a profile's device. */
#ifndef SPMVCAST_FORECAST_QUESTION_H
#define SPMVCAST_FORECAST_QUESTION_H
#include "base/textout.h"
#include "input/matrix.h"
#include "matrix/features.h"
#include "models/profiles.h"

struct question {
    struct profile profile;
    struct profile_file file;
    struct matrix matrix;
    struct features features;
};

/* In this order; matrices one after another, each left before the next. What fails says so as archive_open does, and
 * has nothing to close. */
int question_profile(struct question *, const char *profile, char why[ERRLEN]);
int question_matrix(struct question *, const char *matrix, char why[ERRLEN]);
void question_leave_matrix(struct question *);
/* The same matrix under another profile; it stays `from`'s to leave. */
void question_share_matrix(struct question *to, const struct question *from);
void question_close(struct question *); /* the profile */

/* First lines of the output: which profile, of what device; which matrix. */
void question_note_profile(const struct question *, struct textout *);
void question_note_matrix(const struct question *, struct textout *);
struct target question_target(const struct question *, const char *precision, const char *cache, const char *launch);
#endif
