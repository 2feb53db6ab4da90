/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and describes the profile and the matrix for predict and plan. */
#include "forecast/question.h"
#include <stdlib.h>
#include "base/strings.h"

int question_profile(struct question *q, const char *profile, char why[ERRLEN])
{
    return profiles_open(profile, &q->profile, &q->file, why);
}

static void set_query(struct question *q)
{
    profile_ask_about(&q->profile, q->matrix.name, q->matrix.group, q->matrix.recipe, q->matrix.pattern_id);
}

int question_matrix(struct question *q, const char *matrix, char why[ERRLEN])
{
    const int status = matrix_read(matrix, &q->matrix, why);

    if (status != 0)
        return status;
    if (q->matrix.csr.nnz == 0) {
        matrix_free(&q->matrix);
        return fail(why, "%s has no entries: nothing to forecast", matrix);
    }
    matrix_features(&q->matrix, &q->features);
    set_query(q);
    return 0;
}

void question_share_matrix(struct question *to, const struct question *from)
{
    to->matrix = from->matrix;
    to->features = from->features;
    set_query(to);
}

void question_leave_matrix(struct question *q)
{
    features_free(&q->features);
    matrix_free(&q->matrix);
}

void question_close(struct question *q) { profile_free(&q->profile); }

char *question_prefix(const struct question *q, bool several)
{
    return several ? xasprintf("%s, ", q->matrix.name) : xstrdup("");
}

void question_note_profile(const struct question *q, struct table *out)
{
    char line[256];

    profiles_describe(&q->file, line);
    table_note(out, "%s", line);
}

char *question_model_text(const struct model *instead)
{
    return xasprintf(
        "the profile has no model %s; these are forecasts of %s (spmv-fit on its runs, or spmv-profile, adds the model)",
        model_default, instead->name);
}

void question_note_model(struct table *out, const struct model *instead)
{
    if (!instead)
        return;
    char *text = question_model_text(instead);
    table_note(out, "%s", text);
    free(text);
}

void question_note_matrix(const struct question *q, const char *measured_for, struct table *out)
{
    const struct features *f = &q->features;

    table_note(out, "matrix %s: %s, %s, %s%s%s", q->matrix.name, counted(f->rows, "row").text,
               counted(f->cols, "column").text, counted(f->nnz, "nonzero").text,
               *measured_for ? "; it was measured for " : "", measured_for);
    textout_object(out, "matrices");
    textout_field_text(out, "matrix", q->matrix.name);
    textout_field_text(out, "matrix_id", q->matrix.matrix_id);
    textout_field_int(out, "rows", f->rows);
    textout_field_int(out, "cols", f->cols);
    textout_field_int(out, "nnz", f->nnz);
    textout_object_end(out);
}

struct target question_target(const struct question *q, const char *precision, const char *cache, const char *launch)
{
    return target_on(&q->profile.device, precision_parse(precision), cache_parse(cache), launch_parse(launch));
}
