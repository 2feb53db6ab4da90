/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix and a profile, read and described alike by predict and plan. */
#include "forecast/question.h"
#include <inttypes.h>
#include <stdio.h>

void question_open(struct question *q, const char *profile, const char *matrix)
{
    char why[ERRLEN];
    struct matrix_header header;
    /* A matrix that is not there is said before a long-winded search for profiles. */
    int status = matrix_read_again(matrix) ? matrix_peek(matrix, &header, why) : 0;
    if (status == 0)
        status = profiles_open(profile, &q->profile, &q->file, why);
    if (status == 0)
        status = matrix_read(matrix, &q->matrix, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    features_of(&q->matrix.csr, &q->features);
    TEXT_SET(q->profile.query.matrix, q->matrix.name);
    TEXT_SET(q->profile.query.group, q->matrix.group);
    TEXT_SET(q->profile.query.pattern_id, q->matrix.pattern_id);
}

void question_close(struct question *q)
{
    features_free(&q->features);
    matrix_free(&q->matrix);
    profile_free(&q->profile);
}

void question_note(const struct question *q, struct textout *out)
{
    char line[256];
    profiles_describe(&q->file, line);
    textout_note(out, "%s", line);
    textout_note(out, "matrix %s: %" PRId64 " rows, %" PRId64 " columns, %" PRId64 " nonzeros", q->matrix.name,
                 q->features.rows, q->features.cols, q->features.nnz);
}

struct target question_target(const struct question *q, const char *precision, const char *cache)
{
    return (struct target){ q->profile.device, (enum precision)precision_parse(precision),
                            (enum cache)cache_parse(cache) };
}
