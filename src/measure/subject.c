/* SPDX-License-Identifier: BSD-3-Clause */
/* A source in the worker: its matrix, features and ids. */
#include <stdio.h>
#include <string.h>
#include "formats/build.h"
#include "measure/stage.h"

static const int64_t host_nnz = 1 << 21; /* recipes with at most this many nonzeros are expanded on the host */

bool subject_on_device(const struct subject *s, const struct device *d)
{
    return s->source->is_recipe && d->backend->expand && s->source->nnz > host_nnz;
}

static int recipe_open(struct subject *s, const struct device *d, char why[ERRLEN])
{
    struct recipe r;

    if (recipe_parse(s->source->facts.recipe, &r, why))
        return FAIL;
    recipe_id(&r, s->source_id);
    snprintf(s->matrix.name, sizeof s->matrix.name, "%s", s->source->name);
    snprintf(s->matrix.recipe, sizeof s->matrix.recipe, "%s", s->source->facts.recipe);
    /* Only the recipe, with its seed, identifies the pattern, so pattern_id is the recipe_id. */
    snprintf(s->matrix.pattern_id, sizeof s->matrix.pattern_id, "%s", s->source_id);
    /* A matrix that no layout can hold is not expanded; its rows get the reason. */
    if (subject_on_device(s, d) || s->source->nnz > offsets_max) {
        recipe_features(&r, &s->features);
        return 0;
    }
    const int status = subject_csr(s, why);
    if (!status)
        matrix_features(&s->matrix, &s->features);
    return status;
}

int subject_open(struct subject *s, const struct source *source, const struct device *d, char why[ERRLEN])
{
    memset(s, 0, sizeof *s);
    s->source = source;
    if (source->is_recipe)
        return recipe_open(s, d, why);
    const int status = matrix_read(source->path, &s->matrix, why);
    if (status)
        return status;
    s->has_csr = true;
    snprintf(s->source_id, sizeof s->source_id, "%s", s->matrix.matrix_id);
    matrix_features(&s->matrix, &s->features);
    return 0;
}

int subject_csr(struct subject *s, char why[ERRLEN])
{
    struct recipe r;

    if (s->has_csr)
        return 0;
    int status = recipe_parse(s->source->facts.recipe, &r, why);
    if (!status)
        status = recipe_csr(&r, &s->matrix.csr, why);
    s->has_csr = !status;
    return status;
}

void subject_close(struct subject *s)
{
    features_free(&s->features);
    matrix_free(&s->matrix);
    memset(s, 0, sizeof *s);
}

void subject_row(const struct subject *s, struct matrix_row *m)
{
    const struct recipe_row *facts = &s->source->facts;

    memset(m, 0, sizeof *m);
    matrix_row_from_features(m, &s->features);
    TEXT_SET(m->source_id, s->source_id);
    TEXT_SET(m->pattern_id, s->matrix.pattern_id);
    TEXT_SET(m->matrix, s->matrix.name);
    TEXT_SET(m->group, s->matrix.group);
    TEXT_SET(m->role, s->source->role);
    TEXT_SET(m->recipe, facts->recipe);
    TEXT_SET(m->recipe_role, facts->role);
    TEXT_SET(m->kernels, s->source->all ? "" : facts->kernels);
    TEXT_SET(m->place, facts->place);
    m->strips_i = facts->strips_i;
    m->per_row_p = facts->per_row_p;
    m->summed = s->matrix.repeats.summed + s->matrix.before.summed;
    m->both_triangles = s->matrix.repeats.both_triangles + s->matrix.before.both_triangles;
}
