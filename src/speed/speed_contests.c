/* SPDX-License-Identifier: BSD-3-Clause */
/* Contests of measured rows (runs/contests.h), which of their rows count, and the best of each side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "runs/contests.h"
#include "speed/speed.h"

enum { RUN_S = 3600 }; /* sides measured further apart are considered two runs */

static bool is_csr(const struct kernel *k) { return !k->library && k->layout == layout_find("csr"); }
static bool is_ours(const struct kernel *k) { return !k->library; }
static bool is_baseline(const struct kernel *k) { return k->baseline; }
static bool is_library(const struct kernel *k) { return k->library != NULL; }

static bool (*const on_side[NSIDES])(const struct kernel *) = { is_csr, is_ours, is_baseline, is_library };

/* Returns the counter of the reason for which a row is left out; NULL: the row is kept. f: of its matrix; NULL: unknown. */
static int64_t *reason_to_leave(struct contests *c, const struct run_row *r, const struct features *f)
{
    const struct speed_choice *choice = &c->choice;

    if (strcmp(r->role, choice->role) != 0)
        return &c->other_role;
    if (strcmp(r->outcome, "ok") != 0 || !(r->time_us > 0))
        return r->part[0] ? &c->parts_not_ok : &c->not_ok;
    if (!f)
        return &c->no_matrix;
    if (f->nnz < choice->min_nnz)
        return &c->small;
    return choice->max_row > 0 && f->row_max > choice->max_row ? &c->longer : NULL;
}

/* Appends entries for the rows of whole products or, with `parts`, of parts; matrix: the rank of each matrix. */
static void choose_rows(struct contests *c, bool parts, const int64_t *matrix, struct contest_entry *entry, int64_t *n)
{
    const struct runs *runs = c->runs;

    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        if ((r->part[0] != 0) != parts || !strlist_wants(c->choice.precisions, precision_name(r->precision))
            || !strlist_wants(c->choice.caches, cache_name(r->cache)))
            continue;
        const struct matrix_row *facts;
        int64_t *reason = reason_to_leave(c, r, runs_features(runs, r->source_id, &facts));
        if (reason) {
            (*reason)++;
            continue;
        }
        entry[(*n)++] = (struct contest_entry){ .index = i,
                                                .matrix = matrix[facts - runs->matrices],
                                                .target = target_key(r->precision, r->cache, GRAPH),
                                                .config = r->config,
                                                .part = r->part,
                                                .revision = r->revision,
                                                .time = r->time_us };
    }
}

static void add_row(struct contests *c, struct contest *one, const struct run_row *row)
{
    const struct kernel *k = kernel_find(row->kernel);

    one->best_us = fmin(one->best_us, row->time_us);
    if (!k)
        c->unknown++;
    for (int s = 0; k && s < NSIDES; s++)
        if (on_side[s](k) && (!one->best[s] || row->time_us < one->best[s]->time_us))
            one->best[s] = row;
}

/* Times of the first and last sample; older archives have only the end of the measurement. NaN: no date. */
static double begun_s(const struct run_row *r) { return utc_s(r->first_sample[0] ? r->first_sample : r->measured); }
static double ended_s(const struct run_row *r) { return utc_s(r->last_sample[0] ? r->last_sample : r->measured); }

/* Do the rows have samples more than `seconds` apart? No if b is NULL or a date is missing. */
static bool is_apart(const struct run_row *a, const struct run_row *b, double seconds)
{
    return b && fmax(ended_s(a) - begun_s(b), ended_s(b) - begun_s(a)) > seconds;
}

double row_useful_bytes(const struct run_row *r)
{
    return (double)(r->footprint_bytes > 0 && r->footprint_bytes < r->least_bytes ? r->footprint_bytes
                                                                                  : r->least_bytes);
}

/* Finds the highest bandwidth in each class and cache state. Every ok row counts: any role, precision and kernel, including the
 * library's. */
static void find_rates(struct contests *c)
{
    for (int64_t i = 0; i < c->runs->nrows; i++) {
        const struct run_row *r = &c->runs->rows[i];
        const int64_t cache = r->cache;
        enum footprint class;
        if (strcmp(r->outcome, "ok") != 0 || !(r->time_us > 0) || cache < 0 || r->part[0])
            continue;
        if (footprint_find(r->footprint, &class))
            c->rate_gbs[class][cache] = fmax(c->rate_gbs[class][cache], row_useful_bytes(r) / r->time_us / 1e3);
    }
}

/* Returns the library's fastest row of a contest; NULL: none. */
static const struct run_row *fastest_of_library(const struct contests *c, const struct contest_table *t,
                                                const struct contest_span *span)
{
    const struct run_row *best = NULL;

    for (int64_t i = span->first; i < span->end; i++) {
        const struct run_row *row = &c->runs->rows[t->entry[i].index];
        const struct kernel *k = kernel_find(row->kernel);
        if (!row->part[0] && k && is_library(k) && (!best || row->time_us < best->time_us))
            best = row;
    }
    return best;
}

/* Fills the contest of a span. Drops rows measured more than choice.within_s from the library's fastest row. */
static void fill_contest(struct contests *c, const struct contest_table *t, const struct contest_span *span,
                         struct contest *one)
{
    const double within_s = c->choice.within_s;
    const struct run_row *library = within_s > 0 ? fastest_of_library(c, t, span) : NULL;

    *one = (struct contest){
        .first = c->nrows, .part_first = c->nparts, .target_end = span->target_end, .best_us = INFINITY
    };
    for (int64_t i = span->first; i < span->end; i++) {
        const struct run_row *row = &c->runs->rows[t->entry[i].index];
        if (row->part[0]) {
            c->part[c->nparts++] = row;
            continue;
        }
        one->row = one->row ? one->row : row;
        if (is_apart(row, library, within_s)) {
            c->apart++;
            continue;
        }
        c->row[c->nrows++] = row;
        add_row(c, one, row);
    }
    one->features = runs_features(c->runs, one->row->source_id, NULL);
    one->end = c->nrows;
    one->part_end = c->nparts;
}

static void fill_contests(struct contests *c, const struct contest_entry *entry, int64_t n)
{
    struct contest_table t;

    contest_table_make(&t, entry, n, BY_TARGET);
    c->n = t.n;
    c->one = xmalloc(sizeof *c->one * (unsigned long)(t.n + 1));
    c->row = xmalloc(sizeof *c->row * (unsigned long)(t.nentries + 1));
    c->part = xmalloc(sizeof *c->part * (unsigned long)(t.nentries + 1));
    for (int64_t k = 0; k < t.n; k++)
        fill_contest(c, &t, &t.one[k], &c->one[k]);
    c->older = t.nolder;
    contest_table_free(&t);
}

void contests_read(struct contests *c, const struct runs *runs, const struct profile *profile,
                   const struct speed_choice *choice)
{
    int64_t n = 0, *matrix = runs_rank_matrices(runs, true);
    struct contest_entry *entry = xmalloc(sizeof *entry * (unsigned long)(runs->nrows + 1));

    *c = (struct contests){ .runs = runs, .profile = profile, .choice = *choice };
    choose_rows(c, false, matrix, entry, &n);
    if (n == 0) {
        free(entry);
        free(matrix);
        die("no measured row of role %s with at least %s (skipped: %" PRId64 " of another role (--role), %" PRId64
            " of smaller matrices, "
            "%" PRId64 " of matrices with rows above --max-row, %" PRId64 " without a time, %" PRId64
            " of an unknown matrix)",
            choice->role, counted(choice->min_nnz, "nonzero").text, c->other_role, c->small, c->longer, c->not_ok,
            c->no_matrix);
    }
    choose_rows(c, true, matrix, entry, &n);
    fill_contests(c, entry, n);
    find_rates(c);
    free(entry);
    free(matrix);
}

void contests_free(struct contests *c)
{
    free(c->one);
    free(c->row);
    free(c->part);
    *c = (struct contests){ 0 };
}

/* Names the versions of the library with which ours are compared. */
static void note_library(const struct contests *c, struct table *out)
{
    struct strlist versions = { 0 };
    char text[48];

    for (int64_t i = 0; i < c->nrows; i++) {
        const struct kernel *k = kernel_find(c->row[i]->kernel);
        const int64_t v = c->row[i]->revision;
        if (!k || !is_library(k))
            continue;
        snprintf(text, sizeof text, "%" PRId64 ".%" PRId64 ".%" PRId64, v / 1000000, v / 1000 % 1000, v % 1000);
        strlist_add_once(&versions, text);
    }
    char *list = strlist_join(&versions, ", ");
    if (*list)
        table_note(out, "cuSPARSE %s", list);
    free(list);
    strlist_free(&versions);
}

void contests_note(const struct contests *c, struct table *out)
{
    note_library(c, out);
    char *below = xasprintf("of matrices below %s", counted(c->choice.min_nnz, "nonzero").text);
    struct strlist reasons = { 0 };
    strlist_add_count(&reasons, c->not_ok, "without a time");
    strlist_add_count(&reasons, c->other_role, "of another role (--role)");
    strlist_add_count(&reasons, c->small, below);
    strlist_add_count(&reasons, c->no_matrix, "of an unknown matrix");
    strlist_add_count(&reasons, c->older, "of older versions of kernels");
    char *list = strlist_join(&reasons, ", ");
    if (*list)
        table_note(out, "rows left out: %s", list);
    if (c->unknown > 0)
        table_note(out, "%s of unknown kernels, counted neither as ours nor as the library's",
                   counted(c->unknown, "row").text);
    free(list);
    strlist_free(&reasons);
    free(below);
    int64_t both = 0, apart = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const struct run_row *ours = c->one[i].best[SIDE_OURS], *library = c->one[i].best[SIDE_LIBRARY];
        both += ours && library;
        apart += ours && library && is_apart(ours, library, RUN_S);
    }
    if (apart > 0)
        table_note(out,
                   "in %" PRId64
                   " of %s our fastest row and the library's were measured more than an hour apart (--within skips "
                   "such rows)",
                   apart, counted(both, "contest").text);
    if (c->choice.within_s > 0)
        table_note(out, "left out: %s measured more than %s h from the library's fastest row",
                   counted(c->apart, "row").text, textout_digits(c->choice.within_s / 3600, 3).text);
    if (c->choice.max_row > 0)
        table_note(out, "left out: %s of matrices with a row of more than %s", counted(c->longer, "row").text,
                   counted(c->choice.max_row, "nonzero").text);
}

/* ---- figures of a contest */

double contest_time_us(const struct contest *c, enum side s) { return c->best[s] ? c->best[s]->time_us : NAN; }

double contest_gbs(const struct contest *c, enum side s)
{
    return c->best[s] && c->best[s]->least_bytes > 0 ? (double)c->best[s]->least_bytes / c->best[s]->time_us / 1e3
                                                     : NAN;
}

double contest_speedup(const struct contest *c, enum comparison k)
{
    static const enum side side[NCOMPARISONS] = {
        [CSR_CSR] = SIDE_CSR, [OURS_CSR] = SIDE_OURS, [OURS_BEST] = SIDE_OURS
    };
    static const enum side against[NCOMPARISONS] = {
        [CSR_CSR] = SIDE_BASELINE, [OURS_CSR] = SIDE_BASELINE, [OURS_BEST] = SIDE_LIBRARY
    };
    return contest_time_us(c, against[k]) / contest_time_us(c, side[k]);
}

bool contest_in_class(const struct contest *c, int class)
{
    return class == ALL_CLASSES || strcmp(c->row->footprint, class_name(class)) == 0;
}

const char *class_name(int class) { return class == ALL_CLASSES ? "all" : footprint_name((enum footprint) class); }

double contest_bandwidth_gbs(const struct contests *c, const struct contest *one)
{
    const int64_t cache = one->row->cache;

    if (c->profile) {
        const struct target t = target_on(&c->profile->device, one->row->precision, cache, GRAPH);
        return profile_bandwidth(c->profile, &t, one->row->footprint_bytes) / 1e9;
    }
    for (int k = RESIDENT; cache >= 0 && k <= STREAMING; k++)
        if (contest_in_class(one, k) && c->rate_gbs[k][cache] > 0)
            return c->rate_gbs[k][cache];
    return NAN;
}

double contest_bandwidth_percent(const struct contests *c, const struct contest *one, enum side s)
{
    return one->best[s]
               ? 100 * row_useful_bytes(one->best[s]) / one->best[s]->time_us / 1e3 / contest_bandwidth_gbs(c, one)
               : NAN;
}

static void note_best_rates(const struct contests *c, enum cache cache, struct table *out)
{
    struct strlist rates = { 0 };
    for (int k = RESIDENT; k <= STREAMING; k++)
        if (c->rate_gbs[k][cache] > 0) {
            char *rate =
                xasprintf("%s %s", footprint_name((enum footprint)k), textout_digits(c->rate_gbs[k][cache], 4).text);
            strlist_add(&rates, rate);
            free(rate);
        }
    char *list = strlist_join(&rates, ", ");
    if (*list)
        table_note(out, "bandwidth, %s: that of the best row in each class, of any role, precision and kernel: %s GB/s",
                   cache_name(cache), list);
    free(list);
    strlist_free(&rates);
}

void bandwidth_note(const struct contests *c, struct table *out)
{
    if (c->profile)
        table_note(
            out,
            "bandwidth: from profile %s, model \"bandwidth\" (by precision, cache state and footprint, excluding the time of an empty kernel)",
            c->profile->name);
    for (int cache = WARM; !c->profile && cache < NCACHES; cache++)
        if (strlist_wants(c->choice.caches, cache_name(cache)))
            note_best_rates(c, (enum cache)cache, out);
    table_note(
        out,
        "bandwidth_percent: minimum bytes moved (at most CSR's, since kernels may skip padding) / time / bandwidth");
}

/* ---- samples of ratios */

void ratio_add(struct sample *s, const struct contests *c, const struct contest *one, double value)
{
    if (value > 0 && !isinf(value))
        sample_add(s, value, one - c->one, 0);
}

const char *ratio_matrix(const struct contests *c, const struct sample_value *v)
{
    return v ? c->one[v->unit[UNIT_MATRIX]].row->matrix : "";
}

double ratio_value(const struct sample_value *v) { return v ? v->value : NAN; }
