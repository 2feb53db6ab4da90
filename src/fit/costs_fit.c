/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits costs before the first product (costs_fit.h). */
#include "fit/costs_fit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fit/learn.h"
#include "models/cells.h"

static const double huber = 0.2, recipe_weight = 0.3, ridge = 1e-6;
enum { ROUNDS = 10, FEW = 16 };

/* ---- samples ---- */
static int compare_samples(const void *a, const void *b)
{
    const struct cost_sample *x = a, *y = b;
    if (x->precision != y->precision)
        return x->precision < y->precision ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    const int d = strcmp(x->key, y->key);
    return d ? d : x->matrix - y->matrix;
}

struct collecting {
    struct cost_data *data;
    int64_t room;
};

static void add_row(struct collecting *c, const struct run_row *row, int matrix)
{
    double us[NCOSTS];
    const struct features *f = &c->data->runs->features[matrix];
    const struct target t = target_on(&c->data->device, row->precision, WARM, GRAPH);
    struct config config;
    char why[ERRLEN];
    row_costs_us(row, us);
    if (f->nnz == 0 || config_resolve_text(row->config, f, &t, &config, why) != 0)
        return;
    for (int cost = 0; cost < NCOSTS; cost++) {
        struct cost_sample s = {
            .matrix = matrix, .precision = t.precision, .cost = (enum cost)cost, .log_sum = log(us[cost] * 1e-6), .n = 1
        };
        if (!(us[cost] > 0) || cost_terms(s.cost, f, &config, &t, s.term) != 0)
            continue;
        if (cost == COST_PREPARE)
            config_as_asked(&config, row->asked, f, &t, s.key);
        else
            cost_key(s.cost, &config, f, &t, s.key);
        if (c->data->n == c->room) {
            c->room = 2 * c->room + 1024;
            c->data->sample = xrealloc(c->data->sample, sizeof s * (unsigned long)c->room);
        }
        c->data->sample[c->data->n++] = s;
    }
}

/* Merges samples of the same key and matrix: rows that differ only in launch keys repeat the same build. */
static void merge(struct cost_data *d)
{
    int64_t kept = 0;
    if (d->n > 0)
        qsort(d->sample, (size_t)d->n, sizeof *d->sample, compare_samples);
    for (int64_t i = 0; i < d->n; i++) {
        struct cost_sample *last = kept > 0 ? &d->sample[kept - 1] : NULL;
        if (last && compare_samples(last, &d->sample[i]) == 0) {
            last->log_sum += d->sample[i].log_sum;
            last->n++;
        } else {
            d->sample[kept++] = d->sample[i];
        }
    }
    d->n = kept;
}

/* Does the row count? Warm and cold rows have the same costs, so only one cache state counts. */
static bool counts(const struct run_row *row, const char *role, enum cache cache)
{
    return row_outcome(row) == OUTCOME_OK && strcmp(row->role, role) == 0 && !*row->part && row->cache == cache
           && row->precision >= 0;
}

static void collect(struct collecting *c, const struct run_row *rows, int64_t n, const char *role, enum cache cache)
{
    const struct matrix_row *facts;
    for (int64_t i = 0; i < n; i++)
        if (counts(&rows[i], role, cache) && runs_features(c->data->runs, rows[i].source_id, &facts))
            add_row(c, &rows[i], (int)(facts - c->data->runs->matrices));
}

void cost_data_make(const struct runs *runs, const struct geometry *device, struct cost_data *d)
{
    static const struct {
        const char *role;
        enum cache cache;
    } sources[] = { { "matrix", WARM }, { "matrix", COLD }, { "benchmark", WARM }, { "benchmark", COLD } };
    struct collecting c = { .data = d };
    *d = (struct cost_data){ .runs = runs, .device = *device };
    for (int i = 0; i < (int)(sizeof sources / sizeof sources[0]) && d->n == 0; i++) {
        collect(&c, runs->rows, runs->nrows, sources[i].role, sources[i].cache);
        collect(&c, runs->repeats, runs->nrepeats, sources[i].role, sources[i].cache);
    }
    merge(d);
}

void cost_data_free(struct cost_data *d)
{
    free(d->sample);
    *d = (struct cost_data){ 0 };
}

double cost_measured(const struct cost_data *d, int matrix, enum precision precision, enum cost cost, const char *key)
{
    struct cost_sample want = { .matrix = matrix, .precision = precision, .cost = cost };
    TEXT_SET(want.key, key);
    const struct cost_sample *s =
        d->n > 0 ? bsearch(&want, d->sample, (size_t)d->n, sizeof want, compare_samples) : NULL;
    return s ? exp(s->log_sum / (double)s->n) : NAN;
}

/* ---- one key ---- */
struct fit {
    int64_t n;
    const struct cost_sample **sample; /* [n] */
    double *seconds, *weight;          /* [n] */
    bool use[NCOST_TERMS];
};

/* Matrices of one size cannot separate start and slope: builds and copies then use bytes only, preparation the start only. With
 * few matrices, only start, bytes and second passes are used, to avoid overfitting. */
static void choose_terms(struct fit *f)
{
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < f->n; i++) {
        least = fmin(least, f->sample[i]->term[COST_TERM_byte]);
        most = fmax(most, f->sample[i]->term[COST_TERM_byte]);
    }
    for (int k = 0; k < NCOST_TERMS; k++)
        f->use[k] =
            most > 1.5 * least && (f->n >= FEW || k == COST_TERM_start || k == COST_TERM_byte || k == COST_TERM_cut);
    f->use[f->sample[0]->cost == COST_PREPARE ? COST_TERM_start : COST_TERM_byte] = true;
}

static double forecast(const double b[NCOST_TERMS], const struct cost_sample *s)
{
    double sum = 0;
    for (int k = 0; k < NCOST_TERMS; k++)
        sum += b[k] * s->term[k];
    return sum;
}

/* Minimizes the sum of w (log forecast - log measured)^2, approximated by w (forecast - measured)^2 / (forecast x measured), with the
 * forecast in the denominator from the previous round. */
static void solve(const struct fit *f, double b[NCOST_TERMS])
{
    double scale[NCOST_TERMS];
    for (int k = 0; k < NCOST_TERMS; k++) {
        double squares = 0;
        for (int64_t i = 0; i < f->n; i++)
            squares += pow(f->sample[i]->term[k] / f->seconds[i], 2);
        scale[k] = f->use[k] && squares > 0 ? sqrt(squares / (double)f->n) : 0;
        b[k] = 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double ata[NCOST_TERMS * NCOST_TERMS] = { 0 }, aty[NCOST_TERMS] = { 0 }, x[NCOST_TERMS];
        for (int64_t i = 0; i < f->n; i++) {
            const double before = round > 0 ? fmax(forecast(b, f->sample[i]), 1e-3 * f->seconds[i]) : f->seconds[i],
                         off = fabs(log(before / f->seconds[i])),
                         w = f->weight[i] * f->seconds[i] / before / fmax(1, off / huber);
            double row[NCOST_TERMS];
            for (int k = 0; k < NCOST_TERMS; k++)
                row[k] = scale[k] > 0 ? f->sample[i]->term[k] / f->seconds[i] / scale[k] : 0;
            for (int k = 0; k < NCOST_TERMS; k++) {
                aty[k] += w * row[k];
                for (int j = 0; j < NCOST_TERMS; j++)
                    ata[k * NCOST_TERMS + j] += w * row[k] * row[j];
            }
        }
        for (int k = 0; k < NCOST_TERMS; k++)
            ata[k * NCOST_TERMS + k] += scale[k] > 0 ? (double)f->n * ridge * ridge : 1;
        nnls(NCOST_TERMS, ata, aty, x);
        for (int k = 0; k < NCOST_TERMS; k++)
            b[k] = scale[k] > 0 ? x[k] / scale[k] : 0;
    }
}

static void fit_key(const struct cost_data *d, const struct cost_sample *const *sample, int64_t n, const char *key,
                    struct coefs *coefs)
{
    struct fit f = { .n = n };
    double b[NCOST_TERMS];
    if (n == 0)
        return;
    const struct target any = { .device = d->device, .precision = sample[0]->precision }, t = cost_target(&any);
    f.sample = xmalloc(sizeof *f.sample * (unsigned long)n);
    f.seconds = xmalloc(sizeof *f.seconds * (unsigned long)n);
    f.weight = xmalloc(sizeof *f.weight * (unsigned long)n);
    for (int64_t i = 0; i < n; i++) {
        f.sample[i] = sample[i];
        f.seconds[i] = exp(sample[i]->log_sum / (double)sample[i]->n);
        f.weight[i] = *d->runs->matrices[sample[i]->matrix].recipe ? recipe_weight : 1;
    }
    choose_terms(&f);
    solve(&f, b);
    for (int k = 0; k < NCOST_TERMS; k++) {
        char name[48];
        snprintf(name, sizeof name, "%s.%s", cost_names[sample[0]->cost], cost_term_names[k]);
        if (b[k] > 0 || k == COST_TERM_start)
            coefs_add(coefs, cost_model, key, &t, name, 0, b[k], cost_term_units[k], NAN, NAN);
    }
    free(f.sample);
    free(f.seconds);
    free(f.weight);
}

/* The copies of all layouts are also fitted together, under key "*", for layouts that were never measured. */
void costs_fit(const struct cost_data *d, const bool *use, struct coefs *coefs)
{
    const struct cost_sample **one = xmalloc(sizeof *one * (unsigned long)(d->n + 1)),
                             **copies = xmalloc(sizeof *copies * (unsigned long)(d->n + 1));
    int64_t ncopies = 0;
    for (int64_t first = 0, end; first < d->n; first = end) {
        const struct cost_sample *s = &d->sample[first];
        int64_t n = 0;
        for (end = first; end < d->n && d->sample[end].precision == s->precision && d->sample[end].cost == s->cost
                          && strcmp(d->sample[end].key, s->key) == 0;
             end++)
            if (!use || use[d->sample[end].matrix]) {
                one[n++] = &d->sample[end];
                if (s->cost == COST_UPLOAD)
                    copies[ncopies++] = &d->sample[end];
            }
        fit_key(d, one, n, s->key, coefs);
        if (end == d->n || d->sample[end].precision != s->precision) {
            fit_key(d, copies, ncopies, "*", coefs);
            ncopies = 0;
        }
    }
    free(one);
    free(copies);
}
