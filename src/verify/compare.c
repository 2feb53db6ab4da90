/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs the rows of two runs, and finds what moved beyond its noise (compare.h). */
#include "verify/compare.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "base/samples.h"
#include "base/stats.h"
#include "models/cells.h"
#include "profile/families.h"

/* ---- reading ---- */

static void read_side(struct compare_side *s, const char *path, const char *device)
{
    struct archive *a;
    char why[ERRLEN];

    s->path = path;
    s->runs.any_revision = true;
    int status = runs_load(path, &s->runs, why);
    status = status ? status : archive_open(path, "run", &a, why);
    if (status == 0) {
        status = archive_get(a, &provenance_schema, (void **)&s->step, &s->nsteps, why);
        archive_close(a);
    }
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (device)
        runs_one_device(&s->runs, device);
    runs_index(&s->runs);
    run_rows_devices(s->runs.rows, s->runs.nrows, &s->devices);
}

static bool is_wanted(const struct run_row *r, const struct compare_choice *choice)
{
    const char *role = choice->role;

    return !r->part[0] && !run_row_skipped(r) && (role ? strcmp(r->role, role) == 0 : strcmp(r->role, "plan") != 0)
           && strlist_wants(choice->precisions, precision_name(r->precision))
           && strlist_wants(choice->caches, cache_name(r->cache));
}

static bool is_cpu(const struct compare_side *s, const char *device_key)
{
    struct geometry g;

    return runs_geometry(&s->runs, device_key, &g) && g.kind == DEVICE_CPU;
}

/* Returns the device of side s that corresponds to one of the other side: the same, or the only one of each archive, if they are of one
 * kind. NULL: none. */
static const char *counterpart(const struct compare_side *s, const struct compare_side *other, const char *key)
{
    if (strlist_has(&s->devices, key))
        return key;
    return s->devices.n == 1 && other->devices.n == 1 && is_cpu(s, s->devices.v[0]) == is_cpu(other, key)
               ? s->devices.v[0]
               : NULL;
}

/* Has side s the configuration of a row in another precision or cache state? */
static bool has_config(struct compare_side *s, struct run_row key)
{
    const struct run_row *found = NULL;
    for (key.precision = 0; key.precision < NPRECISIONS && !found; key.precision++)
        for (key.cache = 0; key.cache < NCACHES && !found; key.cache++) {
            found = runs_find(&s->runs, &key);
            found = found && run_row_skipped(found) ? NULL : found;
        }
    return found != NULL;
}

/* Returns the row of side s that corresponds to one of the other side; NULL: none, which is counted. */
static const struct run_row *twin(struct compare_side *s, struct compare_side *other, const struct run_row *row)
{
    const char *device = counterpart(s, other, row->device_key);
    struct run_row key = *row;

    if (device)
        TEXT_SET(key.device_key, device);
    const struct run_row *found = device ? runs_find(&s->runs, &key) : NULL;
    if (!found || run_row_skipped(found)) {
        other->absent[!runs_features(&s->runs, row->source_id, NULL) ? NO_MATRIX
                      : !device                                      ? NO_DEVICE
                      : !has_config(s, key)                          ? NO_CONFIG
                                                                     : NO_STATE]++;
        return NULL;
    }
    return found;
}

/* ---- pairs ---- */

/* The standard error of a row's time, relative to it: by its samples, and by its rounds, of which there are at least three (the range of
 * three values is 1.69 standard deviations in the mean). */
static double row_error(const struct run_row *r)
{
    const float *q = r->quantiles_us;
    const double iqr = (double)((q[QUANTILES / 2 + 1] - q[QUANTILES / 2 - 1]) / q[QUANTILES / 2]);

    return fmax(fmax(1.2533 * iqr / 1.349 / sqrt((double)r->samples), r->round_spread / 1.69 / sqrt(3)), 0);
}

static void add_pairs(struct compare *c, const struct run_row *old, const struct run_row *new,
                      const struct compare_choice *choice, const int64_t *family)
{
    const struct matrix_row *facts;

    if (!runs_features(&c->side[0].runs, old->source_id, &facts))
        return;
    const int64_t matrix = facts - c->side[0].runs.matrices;
    enum footprint class = RESIDENT;
    (void)footprint_find(old->footprint, &class);
    for (int64_t launch = 0; launch < NLAUNCHES; launch++) {
        const struct target t = { .cache = (enum cache)old->cache, .launch = (enum launching)launch };
        const double was_us = row_time_us(old, &t), is_us = row_time_us(new, &t), shift = log(is_us / was_us);
        if (!strlist_wants(choice->launches, launch_name(launch)))
            continue;
        if (!(was_us > 0) != !(is_us > 0))
            c->side[is_us > 0].absent[NO_LAUNCH]++;
        if (isfinite(shift))
            c->pair[c->npairs++] = (struct compare_pair){
                old, new, launch, matrix, family[matrix], class, shift, hypot(row_error(old), row_error(new))
            };
    }
}

static void add_rows(struct compare *c, const struct run_row *old, const struct run_row *new,
                     const struct compare_choice *choice, const int64_t *family)
{
    const enum row_outcome was = row_outcome(old), is = row_outcome(new);

    if (was != is) {
        c->turns++;
        c->turn[was][is].n++;
        c->turn[was][is].example = new;
    } else if (strcmp(old->measured, new->measured) == 0
               && memcmp(&old->time_us, &new->time_us, sizeof old->time_us) == 0)
        c->same++;
    else if (was == OUTCOME_OK)
        add_pairs(c, old, new, choice, family);
}

/* Returns the number of each matrix's family (malloc'd). */
static int64_t *number_families(const struct runs *runs)
{
    const unsigned long room = (unsigned long)runs->nmatrices + 1;
    const char **name = xmalloc(sizeof *name * room);
    int64_t *family = xmalloc(sizeof *family * room);
    struct families f;

    families_find(runs, &f);
    for (int64_t i = 0; i < runs->nmatrices; i++)
        name[i] = families_row(&f, runs->matrices[i].source_id)->family;
    texts_rank(name, runs->nmatrices, family, NULL);
    families_free(&f);
    free(name);
    return family;
}

static int by_group(const void *a, const void *b)
{
    const struct compare_pair *x = a, *y = b;
    int d = compare_target(x) - compare_target(y);

    d = d ? d : strcmp(x->old->kernel, y->old->kernel);
    return d ? d : word_compare(&precision_words, x->old->precision, y->old->precision);
}

/* ---- groups ---- */

static void fill_group(const struct compare *c, struct compare_group *g)
{
    struct sample s = { 0 };

    for (int64_t i = g->first; i < g->end; i++)
        sample_add(&s, c->pair[i].shift, c->pair[i].matrix, c->pair[i].family);
    g->target = compare_target(&c->pair[g->first]);
    g->matrices = sample_units(&s, UNIT_MATRIX);
    g->families = sample_units(&s, UNIT_FAMILY);
    sample_weigh(&s, UNIT_FAMILY);
    sample_interval(&s, UNIT_FAMILY, &g->low, &g->high);
    g->shift = sample_mean(&s);
    sample_free(&s);
}

/* The value that 90 % of a group's pairs are within about their mean; v: room for them. */
static double scatter(const struct compare *c, const struct compare_group *g, double *v)
{
    const int64_t n = g->end - g->first;

    for (int64_t i = 0; i < n; i++)
        v[i] = fabs(c->pair[g->first + i].shift - g->shift) * sqrt((double)n / (double)(n - 1));
    stats_sort(v, n);
    return stats_quantile(v, n, 0.9);
}

/* Sets the common shift of a target, the distance of its groups from it, and the noise of a pair: 1 / NOISE_90 of the scatter of the
 * median group, since a change moves the matrices of its kernels unequally (a group of one pair has no scatter); at least the median of
 * the pairs' errors. */
static void fill_target(struct compare *c, int target)
{
    double *v = xmalloc(((unsigned long)c->npairs + 1) * sizeof *v);
    double *of_group = xmalloc(((unsigned long)c->ngroups + 1) * sizeof *of_group);
    struct compare_group *const end = c->group + c->ngroups;
    struct compare_common *t = &c->target[target];
    int64_t n = 0;

    for (const struct compare_group *g = c->group; g < end; g++)
        if (g->target == target)
            of_group[n++] = g->shift;
    t->shift = stats_median(of_group, n);
    n = 0;
    for (struct compare_group *g = c->group; g < end; g++) {
        if (g->target != target)
            continue;
        g->own = g->shift - t->shift;
        t->pairs += g->end - g->first;
        if (g->end - g->first > 1)
            of_group[n++] = scatter(c, g, v);
    }
    t->noise = stats_median(of_group, n) / NOISE_90;
    n = 0;
    for (int64_t i = 0; i < c->npairs; i++)
        if (compare_target(&c->pair[i]) == target)
            v[n++] = c->pair[i].error;
    t->noise = fmax(t->noise, stats_median(v, n));
    t->reach = t->limit = 2 * t->noise;
    free(v);
    free(of_group);
}

static void make_groups(struct compare *c)
{
    qsort(c->pair, (size_t)c->npairs, sizeof *c->pair, by_group);
    c->group = xcalloc((unsigned long)c->npairs + 1, sizeof *c->group);
    for (int64_t first = 0, end; first < c->npairs; first = end) {
        struct compare_group *g = &c->group[c->ngroups++];
        for (end = first + 1; end < c->npairs && by_group(&c->pair[first], &c->pair[end]) == 0; end++)
            ;
        g->first = first;
        g->end = end;
        fill_group(c, g);
    }
    for (int t = 0; t < COMPARE_TARGETS; t++)
        fill_target(c, t);
}

char *compare_absent(const struct compare_side *s)
{
    static const char *const what[COMPARE_ABSENCES] = {
        [NO_MATRIX] = "row of another matrix",
        [NO_DEVICE] = "row of another device",
        [NO_CONFIG] = "row of a configuration that only this one has",
        [NO_STATE] = "row of a precision or cache state that only this one has",
        [NO_LAUNCH] = "time in a graph or stream that only this one has",
    };
    struct strlist reasons = { 0 };

    for (int k = 0; k < COMPARE_ABSENCES; k++)
        if (s->absent[k] > 0)
            strlist_add(&reasons, counted(s->absent[k], what[k]).text);
    char *text = strlist_join(&reasons, ", ");
    strlist_free(&reasons);
    return text;
}

void compare_read(struct compare *c, const char *old, const char *new, const struct compare_choice *choice)
{
    struct compare_side *a = &c->side[0], *b = &c->side[1];

    *c = (struct compare){ 0 };
    read_side(a, old, choice->device);
    read_side(b, new, choice->device);
    int64_t *family = number_families(&a->runs);
    c->pair = xmalloc(((unsigned long)a->runs.nrows * NLAUNCHES + 1) * sizeof *c->pair);
    for (int64_t i = 0; i < a->runs.nrows; i++) {
        const struct run_row *row = &a->runs.rows[i], *other = is_wanted(row, choice) ? twin(b, a, row) : NULL;
        if (other)
            add_rows(c, row, other, choice, family);
    }
    for (int64_t i = 0; i < b->runs.nrows; i++)
        if (is_wanted(&b->runs.rows[i], choice))
            (void)twin(a, b, &b->runs.rows[i]);
    free(family);
    if (c->npairs + c->same + c->turns == 0) {
        char *absent[2] = { compare_absent(a), compare_absent(b) };
        die("nothing to compare: %s has %s; %s has %s", old, *absent[0] ? absent[0] : "no such row", new,
            *absent[1] ? absent[1] : "no such row");
    }
    make_groups(c);
}

/* ---- what moved ---- */

static const double beyond = 3.5; /* standard deviations; 5 % of 100 values that are noise have one beyond */

void compare_noise(struct compare *c, const struct compare *unchanged)
{
    enum { LEAST_GROUPS = 5 };
    int64_t asked[COMPARE_TARGETS] = { 0 }, few = 0;

    for (const struct compare_group *g = c->group; g < c->group + c->ngroups; g++)
        asked[g->target]++;
    for (int t = 0; t < COMPARE_TARGETS; t++) {
        double squares = 0;
        int64_t n = 0;
        for (const struct compare_group *g = unchanged->group; g < unchanged->group + unchanged->ngroups; g++)
            if (g->target == t) {
                squares += g->own * g->own;
                n++;
            }
        few += n < LEAST_GROUPS && asked[t] > 0;
        if (n < LEAST_GROUPS)
            continue;
        c->target[t].unchanged = true;
        c->target[t].reach = beyond * sqrt(squares / (double)n);
        c->target[t].limit = fmax(c->target[t].reach, 2 * fabs(unchanged->target[t].shift));
    }
    if (few > 0)
        note("--noise: fewer than %d groups of a cache state, launch and class; their noise is assumed", LEAST_GROUPS);
}

static bool judge_group(const struct compare *c, struct compare_group *g)
{
    const struct compare_common *t = &c->target[g->target];
    double error = 0;

    for (int64_t i = g->first; i < g->end; i++)
        error += c->pair[i].error * c->pair[i].error;
    error = fmax(sqrt(error) / (double)(g->end - g->first), t->noise / sqrt((double)g->families));
    g->limit = fmax(t->reach + beyond * error, COMPARE_LEAST);
    g->moved = fabs(g->own) > g->limit && !(g->low <= t->shift && t->shift <= g->high);
    return g->moved;
}

static int by_distance(const void *a, const void *b)
{
    const struct compare_group *x = a, *y = b;
    const double p = fabs(x->own), q = fabs(y->own);

    return x->target != y->target ? x->target - y->target : (p < q) - (p > q);
}

bool compare_judge(struct compare *c)
{
    bool any = c->turn[OUTCOME_OK][OUTCOME_WRONG].n + c->turn[OUTCOME_OK][OUTCOME_CRASHED].n > 0;

    for (int64_t k = 0; k < c->ngroups; k++)
        any |= judge_group(c, &c->group[k]);
    for (int t = 0; t < COMPARE_TARGETS; t++) {
        c->target[t].moved = fabs(c->target[t].shift) > fmax(c->target[t].limit, COMPARE_LEAST);
        any |= c->target[t].moved;
    }
    qsort(c->group, (size_t)c->ngroups, sizeof *c->group, by_distance);
    return any;
}

void compare_free(struct compare *c)
{
    for (int k = 0; k < 2; k++) {
        runs_free(&c->side[k].runs);
        free(c->side[k].step);
        strlist_free(&c->side[k].devices);
    }
    free(c->pair);
    free(c->group);
    *c = (struct compare){ 0 };
}
