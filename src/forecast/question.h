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

/* Finds the profile, reads the matrix; dies where either fails. */
void question_open(struct question *, const char *profile, const char *matrix);
void question_close(struct question *);
/* The first lines of the output: which profile, of what device, which matrix. */
void question_note(const struct question *, struct textout *);
struct target question_target(const struct question *, const char *precision, const char *cache);
#endif
