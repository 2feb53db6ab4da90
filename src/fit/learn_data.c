/* SPDX-License-Identifier: BSD-3-Clause */
/* Training data of physics-gp (learn.h): turns measured rows into cases, and subtracts the launch state of the measuring process
 * from their times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "fit/learn_inside.h"
#include "formats/parts.h"
#include "runs/contests.h"

/* A recipe of a grid (role benchmark) counts if it is an example (run_row_is_example) or at least this many configurations were
 * measured on it: recipes measured for one kernel only are too similar. */
enum { CONFIGS_MANY = 40 };
static const double relative_noise = 0.01; /* noise of every time, relative to it, in addition to its session's */

struct raw {
    const struct run_row *row;
    int matrix;
    char general[CONFIG_LEN];
    struct learn_case c;
};

static int matrix_index(const struct runs *runs, const char *source_id)
{
    const struct matrix_row *facts;
    return runs_features(runs, source_id, &facts) ? (int)(facts - runs->matrices) : -1;
}

/* ---- configurations */
struct config_fact {
    char text[CONFIG_LEN];
    int64_t precision, registers, shared_bytes;
};

static int compare_facts(const void *a, const void *b)
{
    const struct config_fact *x = a, *y = b;
    const int d = strcmp(x->text, y->text);
    return d ? d : word_compare(&precision_words, x->precision, y->precision);
}

/* Returns the index of a configuration; -1: c is NULL. */
static int index_of(const struct learn_data *d, const struct learned_config *c)
{
    return c ? (int)(c - d->config) : -1;
}

static void list_configs(struct learn_data *d, const struct raw *raw, int64_t n)
{
    struct config_fact *fact = xcalloc((unsigned long)n + 1, sizeof *fact);
    for (int64_t i = 0; i < n; i++) {
        TEXT_SET(fact[i].text, raw[i].general);
        fact[i].precision = raw[i].row->precision;
        fact[i].registers = raw[i].row->registers > 0 ? raw[i].row->registers : 0;
        fact[i].shared_bytes = raw[i].row->shared_bytes > 0 ? raw[i].row->shared_bytes : 0;
    }
    qsort(fact, (size_t)n, sizeof *fact, compare_facts);
    d->config = xcalloc((unsigned long)n + 1, sizeof *d->config);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && compare_facts(&fact[i], &fact[i - 1]) == 0)
            continue;
        struct learned_config *c = &d->config[d->nconfigs++];
        TEXT_SET(c->config, fact[i].text);
        snprintf(c->kernel, sizeof c->kernel, "%.*s", (int)config_kernel_length(c->config, strlen(c->config)),
                 c->config);
        c->precision = fact[i].precision;
        c->registers = fact[i].registers;
        c->shared_bytes = fact[i].shared_bytes;
    }
    free(fact);
}

/* ---- one row */
static int fill_case(const struct learn_data *d, struct raw *r, char why[ERRLEN])
{
    const struct target t = target_on(&d->device, r->row->precision, r->row->cache, GRAPH);
    const struct features *f = &d->runs->features[r->matrix];
    struct physics p;
    struct config config, served;
    const struct learned_config *part;
    if (config_resolve_text(r->row->config, f, &t, &config, why) != 0)
        return FAIL;
    r->c.matrix = r->matrix;
    r->c.config = r->c.effective = index_of(d, learned_find(d->config, d->nconfigs, r->general, t.precision));
    if (learned_lone_part(d->config, d->nconfigs, &config, f, &t, &served, &part)) /* only this part runs */
        r->c.effective = index_of(d, part);
    else
        served = config;
    r->c.one_part = parts_all_in_one(f, &config);
    const struct learned_config *facts = r->c.effective >= 0 ? &d->config[r->c.effective] : NULL;
    if (physics_of(f, &served, &t, facts ? (int)facts->registers : 0, facts ? facts->shared_bytes : 0, &p, why) != 0)
        return FAIL;
    r->c.grid = p.grid;
    r->c.least_bytes = p.least_bytes;
    r->c.memory_share = p.memory_share;
    r->c.t0_measured_us = r->row->t0_us;
    for (int k = 0; k < NTERMS; k++)
        r->c.term[k] = (float)p.term[k];
    for (int k = 0; k < NFEATURES; k++)
        r->c.feature[k] = (float)p.feature[k];
    return 0;
}

/* ---- all rows */
static bool counts(const struct run_row *r)
{
    return strcmp(r->outcome, "ok") == 0 && strcmp(r->role, "plan") != 0 && !*r->part && r->time_us > 0
           && r->precision >= 0 && r->cache >= 0;
}

/* Returns many[nmatrices]: whether enough configurations were measured for the matrix to count regardless of its role. */
static bool *find_many(const struct runs *runs)
{
    int *n = xcalloc((unsigned long)runs->nmatrices + 1, sizeof *n);
    bool *many = xcalloc((unsigned long)runs->nmatrices + 1, sizeof *many);
    for (int64_t i = 0; i < runs->nrows; i++) {
        const int m = counts(&runs->rows[i]) ? matrix_index(runs, runs->rows[i].source_id) : -1;
        if (m >= 0 && ++n[m] >= 2 * CONFIGS_MANY)
            many[m] = true;
    }
    free(n);
    return many;
}

static int compare_cases(const void *a, const void *b)
{
    const struct learn_case *x = a, *y = b;
    return x->config != y->config   ? (x->config < y->config ? -1 : 1)
           : x->target != y->target ? x->target - y->target
                                    : x->matrix - y->matrix;
}

/* Sets contest and best_us of each case. */
static void find_contests(struct learn_data *d)
{
    struct contest_entry *entry = xmalloc(sizeof *entry * ((unsigned long)d->n + 1));
    struct contest_table t;

    for (int64_t i = 0; i < d->n; i++) {
        const struct target on = learn_target(d, &d->at[i]);
        entry[i] = (struct contest_entry){ .index = i,
                                           .matrix = d->at[i].matrix,
                                           .target = target_key(on.precision, on.cache, on.launch),
                                           .config = d->config[d->at[i].config].config,
                                           .part = "",
                                           .time = d->at[i].us };
    }
    contest_table_make(&t, entry, d->n, BY_MATRIX);
    d->ncontests = t.n;
    for (int64_t k = 0; k < t.n; k++)
        for (int64_t i = t.one[k].first; i < t.one[k].end; i++) {
            d->at[t.entry[i].index].contest = k;
            d->at[t.entry[i].index].best_us = t.one[k].best_time;
        }
    contest_table_free(&t);
    free(entry);
}

/* Orders by case, then by date, so that the order of the archives does not matter. */
static int compare_measurements(const void *a, const void *b)
{
    const struct learn_case *x = a, *y = b;
    const int d = compare_cases(a, b), by_date = d ? 0 : strcmp(x->measured, y->measured);
    return d ? d : by_date ? by_date : (x->us > y->us) - (x->us < y->us);
}

/* Replaces repeated measurements of a case by their weighted mean; noisier ones weigh less. Cases must be sorted. */
static void join_repeats(struct learn_data *d)
{
    int64_t n = 0;
    double differences = 0;
    for (int64_t i = 0, j; i < d->n; i = j) {
        double plain = 0, us = 0, state_us = 0, weights = 0;
        for (j = i; j < d->n && compare_cases(&d->at[i], &d->at[j]) == 0; j++)
            plain += d->at[j].us;
        plain /= (double)(j - i);
        for (int64_t k = i; k < j; k++) {
            const double weight = 1 / (d->at[k].noise_us2 + pow(relative_noise * plain, 2));
            us += weight * d->at[k].us;
            state_us += weight * d->at[k].state_us;
            weights += weight;
        }
        if (j - i > 1) {
            d->repeated++;
            differences += fabs(d->at[i].us - d->at[j - 1].us) * weights / us;
        }
        d->at[n] = d->at[i];
        d->at[n].us = us / weights;
        d->at[n].noise_us2 = d->at[i].noise_us2 > 0 ? 1 / weights : 0;
        d->at[n++].state_us = state_us / weights;
    }
    d->n = n;
    d->repeat_difference = d->repeated > 0 ? differences / (double)d->repeated : NAN;
}

static void take_rates(struct learn_data *d, const struct run_row *r, int matrix)
{
    const struct features *f = &d->runs->features[matrix];
    const struct target t = target_on(&d->device, r->precision, r->cache, GRAPH);
    struct config config;
    struct physics p;
    char ignored[ERRLEN];

    if (f->nnz == 0 || config_resolve_text(r->config, f, &t, &config, ignored) != 0
        || physics_of(f, &config, &t, r->registers > 0 ? (int)r->registers : 0,
                      r->shared_bytes > 0 ? r->shared_bytes : 0, &p, ignored)
               != 0)
        return;
    for (int launch = 0; launch < NLAUNCHES; launch++) {
        struct learn_rate rate = { .matrix = matrix,
                                   .target = learned_target((enum cache)r->cache, (enum launching)launch),
                                   .precision = r->precision,
                                   .grid = p.grid,
                                   .least_bytes = p.least_bytes,
                                   .memory_share = p.memory_share,
                                   .us = launch == GRAPH ? r->time_us : r->stream_us,
                                   .t0_us = r->t0_us };
        if (rate.target < 0 || !(rate.us > 0))
            continue;
        if ((d->nrates & (d->nrates - 1)) == 0)
            d->rate = xrealloc(d->rate, (unsigned long)(d->nrates ? 2 * d->nrates : 1) * sizeof *d->rate);
        d->rate[d->nrates++] = rate;
    }
}

static int64_t take_rows(struct learn_data *d, struct raw *raw)
{
    const struct runs *runs = d->runs;
    bool *many = find_many(runs);
    int64_t n = 0;
    for (int64_t i = 0; i < runs->nrows + runs->nrepeats; i++) {
        const struct run_row *r = i < runs->nrows ? &runs->rows[i] : &runs->repeats[i - runs->nrows];
        const int m = counts(r) ? matrix_index(runs, r->source_id) : -1;
        if (m < 0)
            continue;
        if (!run_row_is_example(r, &runs->matrices[m]) && !many[m]) {
            take_rates(d, r, m);
            continue;
        }
        struct config config;
        const struct target t = target_on(&d->device, r->precision, r->cache, GRAPH);
        raw[n] = (struct raw){ .row = r, .matrix = m };
        if (runs->features[m].nnz == 0)
            d->left_out++;
        else if (config_resolve_text(r->config, &runs->features[m], &t, &config, d->example) != 0)
            d->left_out++;
        else
            config_as_asked(&config, r->asked, &runs->features[m], &t, raw[n++].general);
    }
    free(many);
    return n;
}

/* ---- families */
static void number_families(struct learn_data *d, const struct families *families)
{
    const unsigned long room = (unsigned long)d->runs->nmatrices + 1;
    const char **name = xmalloc(sizeof *name * room);
    int64_t *rank = xmalloc(sizeof *rank * room);

    d->family = xcalloc(room, sizeof *d->family);
    d->sealed = xcalloc(room, sizeof *d->sealed);
    for (int64_t i = 0; i < d->runs->nmatrices; i++) {
        const struct family_row *row = families_row(families, d->runs->matrices[i].source_id);
        name[i] = row->family;
        d->sealed[i] = row->sealed == 1;
    }
    d->nfamilies = (int)texts_rank(name, d->runs->nmatrices, rank, &d->family_name);
    for (int64_t i = 0; i < d->runs->nmatrices; i++)
        d->family[i] = (int)rank[i];
    free(name);
    free(rank);
}

/* Finds the launch state of each row. Key: source and minute, which identify one measuring process. */
static void take_states_off(struct learn_data *d, struct raw *raw, int64_t n)
{
    struct learn_empty *e = xcalloc((unsigned long)n + 1, sizeof *e);
    double *state_us = xcalloc((unsigned long)n + 1, sizeof *state_us);
    for (int64_t i = 0; i < n; i++) {
        e[i].us = raw[i].row->t0_us;
        e[i].grid = raw[i].c.grid;
        e[i].log2_blocks = round(2 * log2((double)e[i].grid.blocks)) / 2;
        snprintf(e[i].key, sizeof e[i].key, "%.64s %.16s", raw[i].row->source_id, raw[i].row->measured);
    }
    learn_find_states(d, e, n, state_us);
    for (int64_t i = 0; i < n; i++)
        raw[i].c.state_us = state_us[i];
    free(e);
    free(state_us);
}

int learn_data_make(const struct runs *runs, const struct families *families, const struct geometry *device,
                    struct learn_data *d, char why[ERRLEN])
{
    *d = (struct learn_data){ .runs = runs, .device = *device };
    struct raw *raw = xmalloc(((unsigned long)(runs->nrows + runs->nrepeats) + 1) * sizeof *raw);
    const int64_t rows = take_rows(d, raw);
    number_families(d, families);
    bool *bad = xcalloc((unsigned long)rows + 1, sizeof *bad);
    list_configs(d, raw, rows);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < rows; i++) {
        char ignored[ERRLEN];
        bad[i] = fill_case(d, &raw[i], ignored) != 0;
    }
    int64_t n = 0;
    for (int64_t i = 0; i < rows; i++)
        if (bad[i])
            d->left_out++;
        else
            raw[n++] = raw[i];
    take_states_off(d, raw, n);
    d->at = xmalloc(((unsigned long)n * 2 + 1) * sizeof *d->at);
    for (int64_t i = 0; i < n; i++)
        for (int launch = 0; launch < NLAUNCHES; launch++) {
            struct learn_case *c = &d->at[d->n];
            const double us = launch == GRAPH ? raw[i].row->time_us : raw[i].row->stream_us;
            *c = raw[i].c;
            TEXT_SET(c->measured, raw[i].row->measured);
            c->target = learned_target((enum cache)raw[i].row->cache, (enum launching)launch);
            c->us = us - c->state_us;
            if (c->target >= 0 && c->us > 0)
                d->n++;
        }
    free(bad);
    free(raw);
    qsort(d->at, (size_t)d->n, sizeof *d->at, compare_measurements);
    learn_take_sessions_off(d);
    join_repeats(d);
    find_contests(d);
    return d->n > 0 ? 0 : fail(why, "no measured times of whole matrices");
}

bool learn_is_real(const struct learn_data *d, int matrix) { return !*d->runs->matrices[matrix].recipe; }

void learn_data_free(struct learn_data *d)
{
    free(d->at);
    free(d->rate);
    free(d->config);
    free(d->family);
    free(d->sealed);
    free(d->family_name);
    *d = (struct learn_data){ .n = 0 };
}
