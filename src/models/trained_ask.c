/* SPDX-License-Identifier: BSD-3-Clause */
/* What trained models share when they are fitted and asked. */
#include "models/trained_ask.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"

enum { BEYOND = 2 }; /* as "nearest" */

/* ---- fitting */
void trained_fit_begin(struct trained_fit *f, const char *model, const struct examples *e,
                       const struct example_config *c, const struct example_list *list)
{
    const struct trait_set *s = traits_for(c->kernel);
    memset(f, 0, sizeof *f);
    TEXT_SET(f->model, model);
    TEXT_SET(f->config, c->text);
    TARGET_SET(f, &e->target);
    f->matrices = list->n;
    f->families = list->families;
    f->rate = f->error_median = f->error_max = NAN;
    for (int i = 0; i <= TRAITS_MAX; i++)
        f->weight[i] = NAN;
    for (int i = 0; i < TRAITS_MAX; i++) {
        f->low[i] = f->high[i] = NAN;
        for (int64_t k = 0; i < s->n && k < list->n; k++) {
            f->low[i] = fmin(f->low[i], list->at[k]->x[s->trait[i]]); /* fmin and fmax ignore NaN */
            f->high[i] = fmax(f->high[i], list->at[k]->x[s->trait[i]]);
        }
    }
}

void trained_fit_errors(struct trained_fit *f, double *errors, int64_t n)
{
    f->error_median = stats_median(errors, n); /* sorts */
    f->error_max = n > 0 ? errors[n - 1] : NAN;
}

static bool needs_sizes(const struct trait_set *s)
{
    for (int i = 0; i < s->n; i++)
        if (!trait_is_fact(s->trait[i]))
            return true;
    return false;
}

void trained_add_sizes(struct trained *t, const struct examples *e, const int64_t *of)
{
    for (int64_t i = 0; i < e->nconfigs; i++) {
        const struct example_config *c = &e->config[i];
        if (!needs_sizes(traits_for(c->kernel)) || trained_has_sizes(t, c->text, e->target.precision))
            continue;
        struct trained_size *size = xmalloc(((unsigned long)c->n + 1) * sizeof *size);
        int64_t n = 0;
        for (int64_t k = c->first; k < c->first + c->n; k++) {
            const double *x = e->at[k].x;
            const int64_t matrix = of[e->at[k].matrix];
            if (matrix >= 0 && (n == 0 || size[n - 1].matrix != matrix))
                size[n++] = (struct trained_size){ matrix, (float)x[TRAIT_PADDED], (float)x[TRAIT_COMPRESSED],
                                                   (float)x[TRAIT_BYTES] };
        }
        trained_put_sizes(t, c->text, e->target.precision, size, n);
        free(size);
    }
}

/* ---- asking */
/* Is any configuration of the model fitted for the target? */
static bool has_target(const struct trained *t, const char *model, const struct target *target)
{
    for (int64_t i = 0; i < t->nfits; i++)
        if (strcmp(t->fit[i].model, model) == 0 && TARGET_SAME(&t->fit[i], target))
            return true;
    return false;
}

const struct trained_fit *trained_ask(const struct profile *p, const char *model, const struct features *m,
                                      const struct config *config, const struct target *t, double x[NTRAITS],
                                      struct forecast *f)
{
    char general[CONFIG_LEN], own[CONFIG_LEN];
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return NULL;
    }
    config_print(config, own);
    const struct trained_fit *fit = trained_find(p->trained, model, own, t);
    if (!fit) {
        config_general(config, m, t, general);
        fit = trained_find(p->trained, model, general, t);
    }
    if (!fit && p->trained && has_target(p->trained, model, t))
        forecast_refuse(f,
                        "%.120s was measured on fewer than %" PRId64
                        " matrices; time more with spmv-run -c '%.120s' MATRIX... and fit the profile again",
                        general, trained_min_matrices(traits_for(config->kernel)), general);
    else if (!fit)
        forecast_refuse(f,
                        "profile %s has no fit of %s for %s; measure matrices with spmv-run and fit it with "
                        "spmv-fit -m %s RUN.h5... -o PROFILE.h5",
                        p->name, model, target_words(t).text, model);
    if (!fit)
        return NULL;
    if (traits_of(m, config, t, x) != 0) {
        forecast_refuse(f, "cannot compute the bytes of %s from features", config->kernel->layout->name);
        return NULL;
    }
    forecast_begin(f);
    return fit;
}

bool trained_inside(const struct trait_set *s, const double x[NTRAITS], const double *low, const double *high,
                    struct forecast *f)
{
    char why[ERRLEN];
    for (int i = 0; i < s->n; i++) {
        const double more = s->trait[i] == TRAIT_SD ? 1 : 0;
        forecast_box(f, more > 0 ? "1 + standard deviation of row lengths" : trait_names[s->trait[i]],
                     x[s->trait[i]] + more, low[i] + more, high[i] + more);
    }
    if (f->distance <= log(BEYOND) * (1.0 + 1e-9)) /* exactly a factor of 2 is allowed */
        return true;
    TEXT_SET(why, f->why);
    forecast_refuse(
        f, "%.380s, by more than a factor of %d; time similar matrices with spmv-run and fit the profile again", why,
        BEYOND);
    return false;
}

void trained_tell(const struct profile *p, struct forecast *f)
{
    for (int64_t i = 0; i < p->measured.nmatrices && *p->query.pattern_id && !f->in_training; i++) {
        const struct matrix_row *m = &p->measured.matrices[i];
        f->in_training = *m->pattern_id
                         && (strcmp(m->pattern_id, p->query.pattern_id) == 0
                             || (*m->recipe && strcmp(m->recipe, p->query.recipe) == 0));
        if (f->in_training && f->status == FORECAST_OK)
            snprintf(f->why, sizeof f->why, "in training: %s was measured for this profile", m->matrix);
    }
}
