/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts the cases of an archive of forecasts into contests and groups, and its forecasts into series. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/strings.h"
#include "verify/scores.h"

static const char *by_kernel(const struct case_row *c) { return c->kernel; }
static const char *by_class(const struct case_row *c) { return c->footprint; }
static const char *by_precision(const struct case_row *c) { return c->precision; }
static const char *by_cache(const struct case_row *c) { return c->cache; }
static const char *by_launch(const struct case_row *c) { return c->launch; }
static const char *by_family(const struct case_row *c) { return c->family; }
static const char *by_matrix(const struct case_row *c) { return c->matrix; }

static const struct score_grouping groupings[] = {
    { "model", "model", NULL, false },
    { "kernel", "kernel (picks: kernel of the pick)", by_kernel, true },
    { "class", "footprint class", by_class, false },
    { "precision", "precision", by_precision, false },
    { "cache", "cache state", by_cache, false },
    { "launch", "launch", by_launch, false },
    { "family", "family of matrices", by_family, false },
    { "matrix", "matrix", by_matrix, false },
};
enum { GROUPINGS = sizeof groupings / sizeof groupings[0] };

const struct score_grouping *score_grouping_find(const char *name)
{
    for (int i = 0; i < GROUPINGS; i++)
        if (strcmp(groupings[i].name, name) == 0)
            return &groupings[i];
    return NULL;
}

const char *score_grouping_names(void)
{
    static char names[128];

    for (int i = 0; i < GROUPINGS && (i > 0 || !*names); i++)
        words_add(names, sizeof names, groupings[i].name);
    return names;
}

const char score_sets[] = "crossvalidated|sealed|all";

/* ---- order ---- */

static int compare_contests(const struct case_row *x, const struct case_row *y)
{
    int order = (int)(x->sealed - y->sealed);

    if (!order)
        order = strcmp(x->family, y->family);
    if (!order)
        order = strcmp(x->source_id, y->source_id);
    if (!order)
        order = strcmp(x->precision, y->precision);
    if (!order)
        order = -strcmp(x->cache, y->cache); /* warm before cold */
    return order ? order : strcmp(x->launch, y->launch);
}

static int compare_cases(const void *a, const void *b)
{
    const struct case_row *x = ((const struct score_case *)a)->row, *y = ((const struct score_case *)b)->row;
    const int order = compare_contests(x, y);

    return order ? order : strcmp(x->config, y->config);
}

static bool wanted(const struct score_choice *choice, const struct case_row *c)
{
    return strlist_wants(choice->precisions, c->precision) && strlist_wants(choice->caches, c->cache)
           && strlist_wants(choice->launches, c->launch)
           && (strcmp(choice->set, "all") == 0 || c->sealed == (strcmp(choice->set, "sealed") == 0));
}

static void pick_cases(struct scores *s)
{
    const struct forecasts *f = &s->archive;

    s->one = xcalloc((unsigned long)f->ncases + 1, sizeof *s->one);
    for (int64_t i = 0; i < f->ncases; i++)
        if (wanted(s->choice, &f->cases[i]))
            s->one[s->n++] =
                (struct score_case){ .row = &f->cases[i], .fast_us = f->cases[i].measured_us - f->cases[i].state_us };
    if (s->n == 0)
        die("%s: no case to score: none of %s matches --set, --precision, --cache and --launch", s->path,
            counted(f->ncases, "case").text);
    qsort(s->one, (size_t)s->n, sizeof *s->one, compare_cases);
}

static void make_contest(struct scores *s, int64_t first, int64_t end)
{
    struct score_contest *c = &s->contest[s->ncontests];

    *c = (struct score_contest){ first, end, { INFINITY, INFINITY } };
    for (int64_t i = first; i < end; i++) {
        c->best_us[STATE_UNKNOWN] = fmin(c->best_us[STATE_UNKNOWN], s->one[i].row->measured_us);
        c->best_us[STATE_KNOWN] = fmin(c->best_us[STATE_KNOWN], s->one[i].fast_us);
    }
    for (int64_t i = first; i < end; i++) {
        struct score_case *one = &s->one[i];
        const struct score_case *last = i > 0 ? one - 1 : one;
        one->contest = s->ncontests;
        one->near = one->fast_us <= 2 * c->best_us[STATE_KNOWN];
        one->family = last->family + (strcmp(one->row->family, last->row->family) != 0);
        one->matrix = last->matrix + (strcmp(one->row->source_id, last->row->source_id) != 0);
    }
    s->ncontests++;
}

static void make_contests(struct scores *s)
{
    s->contest = xmalloc(sizeof *s->contest * (unsigned long)s->n);
    for (int64_t first = 0, end; first < s->n; first = end) {
        for (end = first + 1; end < s->n && compare_contests(s->one[first].row, s->one[end].row) == 0; end++)
            ;
        make_contest(s, first, end);
    }
}

/* ---- groups ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void make_groups(struct scores *s)
{
    const char *(*key)(const struct case_row *) = s->choice->by->key;

    s->group = xmalloc(sizeof *s->group * (unsigned long)(s->n + 1));
    for (int64_t i = 0; key && i < s->n; i++)
        s->group[i + 1] = key(s->one[i].row);
    if (key)
        qsort(s->group + 1, (size_t)s->n, sizeof *s->group, compare_texts);
    s->group[0] = "all";
    s->ngroups = 1;
    for (int64_t i = 1; key && i <= s->n; i++)
        if (s->ngroups == 1 || strcmp(s->group[i], s->group[s->ngroups - 1]) != 0)
            s->group[s->ngroups++] = s->group[i];
    for (int64_t i = 0; key && i < s->n; i++) {
        const char *text = key(s->one[i].row);
        const char **found = bsearch(&text, s->group + 1, (size_t)(s->ngroups - 1), sizeof *s->group, compare_texts);
        s->one[i].group = (int)(found - s->group);
    }
}

/* ---- series ---- */

static bool is_of(const struct score_series *s, const struct case_forecast *f)
{
    return s->seed == f->seed && strcmp(s->model, f->model) == 0 && strcmp(s->training, f->training) == 0;
}

static struct score_series *series_of(struct scores *s, const struct case_forecast *f)
{
    for (int i = 0; i < s->nseries; i++)
        if (is_of(&s->series[i], f))
            return &s->series[i];
    s->series = xrealloc(s->series, sizeof *s->series * (unsigned long)(s->nseries + 1));
    struct score_series *new = &s->series[s->nseries++];
    *new = (struct score_series){ f->model, f->training, f->seed,
                                  xcalloc((unsigned long)s->n, sizeof(struct case_forecast *)) };
    return new;
}

static void add_forecast(struct scores *s, const struct case_forecast *f, int64_t place)
{
    struct score_series *series = series_of(s, f);
    const struct case_row *c = s->one[place].row;

    if (series->of[place])
        die_code(
            EXIT_WRONG,
            "%s is damaged: rows %td and %td of table forecasts are for the same case: model %s, training %s, seed %" PRId64
            ", %s, %s, %s, %s, %s",
            s->path, series->of[place] - s->archive.forecasts, f - s->archive.forecasts, f->model, f->training, f->seed,
            c->matrix, c->config, c->precision, c->cache, c->launch);
    series->of[place] = f;
}

static int compare_series(const void *a, const void *b)
{
    const struct score_series *x = a, *y = b;
    int order = strcmp(x->model, y->model);

    if (!order)
        order = strcmp(x->training, y->training);
    return order ? order : x->seed < y->seed ? -1 : x->seed > y->seed;
}

static void check_models(const struct scores *s)
{
    char names[1024] = "";

    for (int64_t i = 0; i < s->archive.nforecasts; i++)
        if (!words_have(names, s->archive.forecasts[i].model))
            words_add(names, sizeof names, s->archive.forecasts[i].model);
    for (int i = 0; i < s->choice->models->n; i++)
        options_word("model", s->choice->models->v[i], names);
}

static void make_series(struct scores *s)
{
    const struct forecasts *f = &s->archive;
    int64_t *place = xmalloc(sizeof *place * (unsigned long)(f->ncases + 1));

    check_models(s);
    for (int64_t i = 0; i < f->ncases; i++)
        place[i] = -1;
    for (int64_t i = 0; i < s->n; i++)
        place[s->one[i].row - f->cases] = i;
    for (int64_t i = 0; i < f->nforecasts; i++)
        if (place[f->forecasts[i].case_index] >= 0 && strlist_wants(s->choice->models, f->forecasts[i].model))
            add_forecast(s, &f->forecasts[i], place[f->forecasts[i].case_index]);
    free(place);
    if (s->nseries == 0)
        die("%s: no forecast to score: none of %s has a forecast of the selected models; choose others with --model",
            s->path, counted(s->n, "case").text);
    qsort(s->series, (size_t)s->nseries, sizeof *s->series, compare_series);
}

void scores_make(struct scores *s, const char *name, struct forecasts *f, const struct score_choice *choice)
{
    *s = (struct scores){ .path = name, .choice = choice, .archive = *f };
    *f = (struct forecasts){ 0 };
    pick_cases(s);
    make_contests(s);
    make_groups(s);
    make_series(s);
}

void scores_read(struct scores *s, const char *path, const struct score_choice *choice)
{
    struct forecasts f;
    char why[ERRLEN];

    const int status = forecasts_load(path, &f, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    scores_make(s, path, &f, choice);
}

void scores_free(struct scores *s)
{
    for (int i = 0; i < s->nseries; i++)
        free(s->series[i].of);
    free(s->series);
    free(s->group);
    free(s->contest);
    free(s->one);
    forecasts_free(&s->archive);
}
