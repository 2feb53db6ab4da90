/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts the cases of an archive of forecasts into contests and groups, and its forecasts into series. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/ranks.h"
#include "base/strings.h"
#include "runs/contests.h"
#include "verify/scores.h"

#define KEY(name, column)                                                  \
    static const char *by_##name(const struct case_row *c, double best_us) \
    {                                                                      \
        (void)best_us;                                                     \
        return column;                                                     \
    }
KEY(kernel, c->kernel)
KEY(class, c->footprint)
KEY(size, size_group(c->nnz))
KEY(precision, precision_name(c->precision))
KEY(cache, cache_name(c->cache))
KEY(launch, launch_name(c->launch))
KEY(family, c->family)
KEY(matrix, c->matrix)

static const char *by_time(const struct case_row *c, double best_us)
{
    (void)c;
    return best_us < 5 ? "best<5us" : best_us < 20 ? "5us<=best<20us" : "20us<=best";
}

static const struct score_grouping groupings[] = {
    { "model", "model", NULL, false },
    { "kernel", "kernel (picks: kernel of the pick)", by_kernel, true },
    { "class", "footprint class", by_class, false },
    { "size", "decades of nonzeros", by_size, false },
    { "time", "best time of the contest", by_time, false },
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

/* ---- contests ---- */

static bool wanted(const struct score_choice *choice, const struct case_row *c)
{
    return strlist_wants(choice->precisions, precision_name(c->precision))
           && strlist_wants(choice->caches, cache_name(c->cache))
           && strlist_wants(choice->launches, launch_name(c->launch))
           && (strcmp(choice->set, "all") == 0 || c->sealed == (strcmp(choice->set, "sealed") == 0));
}

static void pick_cases(struct scores *s)
{
    const struct forecasts *f = &s->archive;

    s->one = xcalloc((unsigned long)f->ncases + 1, sizeof *s->one);
    s->nstates = STATE_UNKNOWN + 1;
    for (int64_t i = 0; i < f->ncases; i++)
        if (fabs(f->state_us) > 0 || fabs(f->cases[i].state_us) > 0)
            s->nstates = NSTATES;
    for (int64_t i = 0; i < f->ncases; i++)
        if (wanted(s->choice, &f->cases[i]))
            s->one[s->n++] =
                (struct score_case){ .row = &f->cases[i], .fast_us = f->cases[i].measured_us - f->cases[i].state_us };
    if (s->n == 0)
        die("%s: no case to score: none of %s matches --set, --precision, --cache and --launch", s->path,
            counted(f->ncases, "case").text);
}

/* Numbers families and matrices. Returns the position of each case's matrix in the order of set, family and matrix (malloc'd). */
static int64_t *rank_matrices(struct scores *s)
{
    const unsigned long room = (unsigned long)s->n + 1;
    const char **text = xmalloc(sizeof *text * room);
    int64_t *family = xmalloc(sizeof *family * room), *matrix = xmalloc(sizeof *matrix * room);

    for (int64_t i = 0; i < s->n; i++)
        text[i] = s->one[i].row->family;
    const int64_t families = texts_rank(text, s->n, family, NULL);
    for (int64_t i = 0; i < s->n; i++)
        text[i] = s->one[i].row->source_id;
    const int64_t matrices = texts_rank(text, s->n, matrix, NULL);
    for (int64_t i = 0; i < s->n; i++) {
        s->one[i].family = family[i];
        s->one[i].matrix = matrix[i];
        matrix[i] += (s->one[i].row->sealed * families + family[i]) * matrices;
    }
    free(text);
    free(family);
    return matrix;
}

static void fill_contest(struct scores *s, const struct contest_span *span, int64_t k)
{
    struct score_contest *c = &s->contest[k];

    *c = (struct score_contest){ span->first,
                                 span->end,
                                 { [STATE_UNKNOWN] = INFINITY, [STATE_KNOWN] = span->best_time } };
    for (int64_t i = c->first; i < c->end; i++) {
        struct score_case *one = &s->one[i];
        c->best_us[STATE_UNKNOWN] = fmin(c->best_us[STATE_UNKNOWN], one->row->measured_us);
        one->contest = k;
        one->near = contest_near(one->fast_us, span->best_time);
    }
}

static void make_contests(struct scores *s)
{
    struct contest_entry *entry = xmalloc(sizeof *entry * (unsigned long)(s->n + 1));
    int64_t *matrix = rank_matrices(s);
    struct score_case *unsorted = s->one;
    struct contest_table t;

    for (int64_t i = 0; i < s->n; i++) {
        const struct case_row *row = unsorted[i].row;
        entry[i] = (struct contest_entry){ .index = i,
                                           .matrix = matrix[i],
                                           .target = target_key(row->precision, row->cache, row->launch),
                                           .config = row->config,
                                           .part = "",
                                           .time = unsorted[i].fast_us };
    }
    contest_table_make(&t, entry, s->n, BY_MATRIX);
    s->one = xmalloc(sizeof *s->one * (unsigned long)(s->n + 1));
    for (int64_t i = 0; i < s->n; i++)
        s->one[i] = unsorted[t.entry[i].index];
    s->ncontests = t.n;
    s->contest = xmalloc(sizeof *s->contest * (unsigned long)(t.n + 1));
    for (int64_t k = 0; k < t.n; k++)
        fill_contest(s, &t.one[k], k);
    contest_table_free(&t);
    free(entry);
    free(matrix);
    free(unsorted);
}

/* ---- groups ---- */

static void make_groups(struct scores *s)
{
    const char *(*key)(const struct case_row *, double) = s->choice->by->key, **text, **group = NULL;
    int64_t *rank, n = 0;

    text = xmalloc(sizeof *text * (unsigned long)(s->n + 1));
    rank = xmalloc(sizeof *rank * (unsigned long)(s->n + 1));
    for (int64_t i = 0; key && i < s->n; i++)
        text[i] = key(s->one[i].row, s->contest[s->one[i].contest].best_us[STATE_KNOWN]);
    if (key)
        n = texts_rank(text, s->n, rank, &group);
    for (int64_t i = 0; key && i < s->n; i++)
        s->one[i].group = (int)rank[i] + 1;
    s->ngroups = (int)n + 1;
    s->group = xmalloc(sizeof *s->group * (unsigned long)(n + 1));
    s->group[0] = "all";
    for (int64_t i = 0; i < n; i++)
        s->group[i + 1] = group[i];
    free(text);
    free(rank);
    free(group);
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

static void add_forecast(struct scores *s, const struct case_forecast *f, int64_t position)
{
    struct score_series *series = series_of(s, f);
    const struct case_row *c = s->one[position].row;

    if (series->of[position])
        die_code(
            EXIT_WRONG,
            "%s is damaged: rows %td and %td of table forecasts are for the same case: model %s, training %s, seed %" PRId64
            ", %s, %s, %s, %s, %s",
            s->path, series->of[position] - s->archive.forecasts, f - s->archive.forecasts, f->model, f->training,
            f->seed, c->matrix, c->config, precision_name(c->precision), cache_name(c->cache), launch_name(c->launch));
    series->of[position] = f;
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
    int64_t *position = xmalloc(sizeof *position * (unsigned long)(f->ncases + 1));

    check_models(s);
    for (int64_t i = 0; i < f->ncases; i++)
        position[i] = -1;
    for (int64_t i = 0; i < s->n; i++)
        position[s->one[i].row - f->cases] = i;
    for (int64_t i = 0; i < f->nforecasts; i++)
        if (position[f->forecasts[i].case_index] >= 0 && strlist_wants(s->choice->models, f->forecasts[i].model))
            add_forecast(s, &f->forecasts[i], position[f->forecasts[i].case_index]);
    free(position);
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
