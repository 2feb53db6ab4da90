/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads archives of cross-validated forecasts for measures (crossvalidated.h). */
#include "papers/crossvalidated.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/traits.h"

/* ---- models of two parts */

char *crossvalidated_part(const char *model, const char *kernel)
{
    const char *plus = strchr(model, '+');
    const struct kernel *k = kernel_find(kernel);

    if (!plus)
        return xstrdup(model);
    return k && traits_for(k)->trees ? xstrdup(plus + 1) : xasprintf("%.*s", (int)(plus - model), model);
}

const char *crossvalidated_fitted_by(const struct case_row *c)
{
    const struct kernel *k = kernel_find(c->kernel);
    const struct trait_set *set = k ? traits_for(k) : NULL;

    return !set || !set->paper ? "" : set->trees ? "trees" : "lines";
}

static bool has_forecasts(const struct forecasts *f, const char *model)
{
    for (int64_t i = 0; i < f->nforecasts; i++)
        if (strcmp(f->forecasts[i].model, model) == 0)
            return true;
    return false;
}

static void add_forecast(struct forecasts *f, int64_t *room, const struct case_forecast *one)
{
    if (f->nforecasts == *room) {
        *room = 2 * *room + 64;
        f->forecasts = xrealloc(f->forecasts, sizeof *f->forecasts * (unsigned long)*room);
    }
    f->forecasts[f->nforecasts++] = *one;
}

/* Adds the forecasts of a model "A+B", made of those of its parts. */
static void combine(struct forecasts *f, const char *model)
{
    const int64_t n = f->nforecasts;
    int64_t room = n;

    if (!strchr(model, '+') || has_forecasts(f, model))
        return;
    for (int64_t i = 0; i < n; i++) {
        struct case_forecast one = f->forecasts[i];
        char *part = crossvalidated_part(model, f->cases[one.case_index].kernel);
        if (strcmp(one.model, part) == 0) {
            TEXT_SET(one.model, model);
            add_forecast(f, &room, &one);
        }
        free(part);
    }
}

/* ---- selected configurations */

static struct run_row as_row(const struct case_row *c)
{
    struct run_row r;

    run_row_blank(&r);
    TEXT_SET(r.kernel, c->kernel);
    TEXT_SET(r.config, c->config);
    return r;
}

const char *crossvalidated_format(const struct study *s, const struct case_row *c)
{
    const struct run_row row = as_row(c);

    return measure_format(s, &row);
}

/* Leaves out cases of other configurations, and their forecasts. */
static void restrict_cases(const struct study *s, const char *among, struct forecasts *f)
{
    int64_t *to = xmalloc(sizeof *to * (unsigned long)(f->ncases + 1)), n = 0;

    for (int64_t i = 0; i < f->ncases; i++) {
        const struct run_row row = as_row(&f->cases[i]);
        to[i] = measure_among(s, among, &row) ? n : -1;
        if (to[i] >= 0)
            f->cases[n++] = f->cases[i];
    }
    f->ncases = n;
    n = 0;
    for (int64_t i = 0; i < f->nforecasts; i++)
        if (to[f->forecasts[i].case_index] >= 0) {
            f->forecasts[n] = f->forecasts[i];
            f->forecasts[n++].case_index = to[f->forecasts[i].case_index];
        }
    f->nforecasts = n;
    f->ncosts = 0; /* measures do not read them */
    free(to);
}

/* Puts the format of formats.tsv, if it is one, in place of the kernel. */
static void name_formats(const struct study *s, struct forecasts *f)
{
    for (int64_t i = 0; i < f->ncases; i++) {
        const char *format = crossvalidated_format(s, &f->cases[i]);
        if (*format)
            snprintf(f->cases[i].kernel, sizeof f->cases[i].kernel, "%s", format);
    }
}

/* ---- matrices of the paper that are not in the archive */

static bool has_matrix(const struct forecasts *f, int64_t ncases, const char *source_id)
{
    for (int64_t i = 0; i < ncases; i++)
        if (strcmp(f->cases[i].source_id, source_id) == 0)
            return true;
    return false;
}

static void add_case(struct forecasts *f, const struct contest *one, const struct run_row *r)
{
    f->cases = xrealloc(f->cases, sizeof *f->cases * (unsigned long)(f->ncases + 1));
    struct case_row *c = &f->cases[f->ncases++];
    *c = (struct case_row){ .nnz = one->features->nnz, .measured_us = r->time_us };
    TEXT_SET(c->source_id, r->source_id);
    TEXT_SET(c->matrix, r->matrix);
    snprintf(c->family, sizeof c->family, "%s", r->matrix);
    TEXT_SET(c->config, r->config);
    TEXT_SET(c->kernel, r->kernel);
    c->precision = r->precision;
    c->cache = r->cache;
    c->launch = GRAPH;
    TEXT_SET(c->footprint, r->footprint);
}

/* Adds the profile's forecast of a case. Those of an archive are without its state. */
static void add_answer(const struct study *s, const struct run_row *r, int64_t index, const struct model *m,
                       struct forecasts *f, int64_t *room)
{
    struct case_forecast one = { .case_index = index, .seed = 1, .fold = 0 };
    struct forecast answer;

    study_forecast(s, m, r, &answer);
    TEXT_SET(one.model, m->name);
    TEXT_SET(one.training, "all");
    one.status = answer.status;
    one.time_us = answer.status == FORECAST_REFUSED ? NAN : (float)(1e6 * answer.time_s - f->state_us);
    one.low_us = one.high_us = NAN;
    add_forecast(f, room, &one);
}

/* The models of the archive, fitted to all matrices, ending with NULL; the caller frees it. */
static const struct model **models_of(const struct study *s, const struct forecasts *f)
{
    struct strlist names = { 0 };

    for (int64_t i = 0; i < f->nforecasts; i++)
        if (strcmp(f->forecasts[i].training, "all") == 0 && model_find(f->forecasts[i].model))
            strlist_add_once(&names, f->forecasts[i].model);
    const struct model **models = xcalloc((unsigned long)names.n + 1, sizeof *models);
    for (int i = 0; i < names.n; i++) {
        models[i] = model_find(names.v[i]);
        measure_load(s, models[i]);
    }
    strlist_free(&names);
    return models;
}

static void add_paper(const struct study *s, const struct words *w, struct forecasts *f)
{
    const int64_t before = f->ncases;
    const struct model **models = NULL;
    int64_t room = f->nforecasts;
    struct table ignored = { 0 };
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, &ignored))
        c.n = 0;
    for (int64_t i = 0; i < c.n; i++) {
        const struct subject *subject = study_subject(s, c.one[i].row->source_id);
        if (!subject || subject->source == SOURCE_OTHER || has_matrix(f, before, c.one[i].row->source_id))
            continue;
        models = models ? models : models_of(s, f);
        for (int64_t k = c.one[i].first; k < c.one[i].end; k++) {
            add_case(f, &c.one[i], c.row[k]);
            for (int m = 0; models[m]; m++)
                add_answer(s, c.row[k], f->ncases - 1, models[m], f, &room);
        }
    }
    free(models);
    table_free(&ignored);
}

/* ---- models of benchmark matrices */

/* Adds the profile's forecasts by a model that is fitted to benchmark matrices alone: no matrix needs to be left out of its fit. */
static void add_benchmark(const struct study *s, const struct model *m, struct forecasts *f)
{
    int64_t room = f->nforecasts;

    for (int64_t i = 0; i < f->ncases; i++) {
        struct run_row row = as_row(&f->cases[i]);
        TEXT_SET(row.source_id, f->cases[i].source_id);
        row.precision = f->cases[i].precision;
        row.cache = f->cases[i].cache;
        add_answer(s, &row, i, m, f, &room);
    }
}

static void add_models(const struct study *s, const struct words *w, struct forecasts *f)
{
    char *copy = xstrdup(words_get(w, "models")), *rest = copy, *name;

    while ((name = strsep(&rest, ","))) {
        const struct model *m = model_find(name);
        if (m && m->literal && !m->trained && !has_forecasts(f, name))
            add_benchmark(s, m, f);
        combine(f, name);
    }
    free(copy);
}

/* ---- reading */

/* What the scores refer to; of the last ones read. */
static struct {
    struct strlist models, precisions, caches, launches;
    struct score_choice choice;
} kept;

static void choose(const struct study *s, const struct words *w, const char *by)
{
    strlist_free(&kept.precisions);
    strlist_free(&kept.caches);
    strlist_free(&kept.launches);
    memset(&kept, 0, sizeof kept);
    measure_targets(s, w, &kept.precisions, &kept.caches);
    strlist_add(&kept.launches, launch_name(GRAPH));
    kept.choice = (struct score_choice){ &kept.models,     &kept.precisions,        &kept.caches, &kept.launches,
                                         "crossvalidated", score_grouping_find(by), NULL,         false };
}

/* Marks the cases whose errors count. */
static void mark_near(struct scores *s, const char *near)
{
    double times;

    if (!*near)
        return;
    if (parse_real(near, 1, INFINITY, &times) != 0)
        times = INFINITY; /* all */
    for (int64_t i = 0; i < s->n; i++)
        s->one[i].near = s->one[i].fast_us <= times * s->contest[s->one[i].contest].best_us[STATE_KNOWN];
}

bool crossvalidated_read(const struct study *s, const struct words *w, int archive, const char *by, struct scores *out)
{
    const bool formats = strcmp(by, "format") == 0;
    struct forecasts f;
    char why[ERRLEN];

    const int status = forecasts_load(s->forecasts.v[archive], &f, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    add_paper(s, w, &f);
    restrict_cases(s, words_get(w, "among"), &f);
    add_models(s, w, &f);
    if (formats)
        name_formats(s, &f);
    if (f.ncases == 0) {
        forecasts_free(&f);
        return false;
    }
    choose(s, w, formats ? "kernel" : by);
    scores_make(out, s->forecasts.v[archive], &f, &kept.choice);
    mark_near(out, words_get(w, "near"));
    return true;
}

/* ---- series */

bool crossvalidated_wants(const struct words *w, const char *model, const char *training)
{
    char *copy = xstrdup(words_get(w, "models")), *rest = copy, *name;
    bool found = false;

    while ((name = strsep(&rest, ",")))
        found = found || strcmp(name, model) == 0;
    free(copy);
    return found && strcmp(training, "all") == 0;
}

bool crossvalidated_has(const struct table *out, long end, const char *model)
{
    for (long row = 0; row < end; row++)
        if (table_is(out, row, "model", model))
            return true;
    return false;
}

long crossvalidated_row(const struct study *s, const struct case_row *c, const char *model, struct table *out)
{
    const struct subject *subject = study_subject(s, c->source_id);
    const long row = table_add(out);

    table_set(out, row, "matrix", subject ? study_label(s, subject, c->matrix) : c->matrix);
    table_set(out, row, "source", source_name(subject ? subject->source : SOURCE_OTHER));
    table_set(out, row, "precision", precision_name(c->precision));
    table_set(out, row, "model", model);
    return row;
}

void crossvalidated_note(const struct study *s, struct table *out)
{
    if (s->forecasts.n == 0)
        table_note(out, "no archive of cross-validated forecasts (spmv-fit --crossvalidate makes one)");
    else if (out->nrows == 0)
        table_note(out, "the archives have no cross-validated forecasts of these models and configurations");
}

double crossvalidated_error(const struct scores *s, const struct score_series *series, int64_t i)
{
    return 100 * fabs(((double)series->of[i]->time_us + s->archive.state_us) / s->one[i].row->measured_us - 1);
}

void crossvalidated_each(const struct study *s, const struct words *w, struct table *out,
                         void (*put)(const struct study *, const struct words *, const struct scores *,
                                     const struct score_series *, struct table *))
{
    for (int a = 0; a < s->forecasts.n; a++) {
        const long end = out->nrows;
        struct scores scores;
        if (!crossvalidated_read(s, w, a, "model", &scores))
            continue;
        for (int i = 0; i < scores.nseries; i = scores_series_end(&scores, i))
            if (crossvalidated_wants(w, scores.series[i].model, scores.series[i].training)
                && !crossvalidated_has(out, end, scores.series[i].model))
                put(s, w, &scores, &scores.series[i], out);
        scores_free(&scores);
    }
    crossvalidated_note(s, out);
}
