/* SPDX-License-Identifier: BSD-3-Clause */
/* Contests: rows grouped by matrix, precision and cache state, the newest revision of each configuration, and the best of
 * each side. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "verify/speed.h"

enum { RUN_S = 3600 }; /* sides measured further apart are considered two runs */

static bool is_csr(const struct kernel *k) { return !k->library && k->layout == layout_find("csr"); }
static bool is_ours(const struct kernel *k) { return !k->library; }
static bool is_cusparse_csr(const struct kernel *k) { return k->baseline; }
static bool is_cusparse(const struct kernel *k) { return k->library != NULL; }

static bool (*const on_side[NSIDES])(const struct kernel *) = { is_csr, is_ours, is_cusparse_csr, is_cusparse };

static int order_of_contests(const struct run_row *x, const struct run_row *y)
{
    int d = strcmp(x->precision, y->precision);
    d = d ? d : -strcmp(x->cache, y->cache); /* warm before cold */
    d = d ? d : strcmp(x->matrix, y->matrix);
    return d ? d : strcmp(x->source_id, y->source_id);
}

static int compare_rows(const void *a, const void *b)
{
    const struct run_row *x = *(const struct run_row *const *)a, *y = *(const struct run_row *const *)b;
    int d = order_of_contests(x, y);
    d = d ? d : strcmp(x->config, y->config);
    d = d ? d : strcmp(x->part, y->part);
    return d ? d : (x->revision < y->revision) - (x->revision > y->revision); /* a kernel's newest revision first */
}

/* Returns the counter of the reason for which a row is left out; NULL: the row is kept. */
static int64_t *reason_to_leave(struct contests *c, const struct run_row *r)
{
    const struct speed_choice *choice = &c->choice;
    const struct features *f = runs_features(c->runs, r->source_id, NULL);

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

/* Selects and sorts the rows of whole multiplications or, with `parts`, of parts. Returns their number; the caller frees *list. */
static int64_t choose_rows(struct contests *c, bool parts, const struct run_row ***list)
{
    const struct runs *runs = c->runs;
    int64_t n = 0;

    *list = xmalloc(sizeof **list * (unsigned long)(runs->nrows + 1));
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        if (strcmp(r->device_key, runs->rows[0].device_key) != 0)
            die("rows of two devices: '%s' and '%s'; pass archives of one device", runs->rows[0].device_key,
                r->device_key);
        if ((r->part[0] != 0) != parts || !strlist_wants(c->choice.precisions, r->precision)
            || !strlist_wants(c->choice.caches, r->cache))
            continue;
        int64_t *reason = reason_to_leave(c, r);
        if (reason)
            (*reason)++;
        else
            (*list)[n++] = r;
    }
    qsort(*list, (size_t)n, sizeof **list, compare_rows);
    return n;
}

static bool same_contest(const struct run_row *a, const struct run_row *b)
{
    return strcmp(a->source_id, b->source_id) == 0 && strcmp(a->precision, b->precision) == 0
           && strcmp(a->cache, b->cache) == 0;
}

static void add_row(struct contests *c, struct contest *one, const struct run_row *row)
{
    const struct kernel *k = kernel_find(row->kernel);

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

/* Drops rows measured more than choice.within_s from the library's fastest row of their contest. */
static void leave_apart(struct contests *c)
{
    int64_t kept = 0;

    c->unknown = 0;
    for (int64_t k = 0; k < c->n; k++) {
        struct contest *one = &c->one[k];
        const struct run_row *library = one->best[SIDE_CUSPARSE];
        const int64_t first = one->first, end = one->end;

        one->first = kept;
        for (int s = 0; s < NSIDES; s++)
            one->best[s] = NULL;
        for (int64_t i = first; i < end; i++) {
            const struct run_row *row = c->row[i];
            if (is_apart(row, library, c->choice.within_s)) {
                c->apart++;
                continue;
            }
            c->row[kept++] = row;
            add_row(c, one, row);
        }
        one->end = kept;
    }
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
        const int cache = cache_parse(r->cache);
        if (strcmp(r->outcome, "ok") != 0 || !(r->time_us > 0) || cache < 0 || r->part[0])
            continue;
        for (int k = RESIDENT; k <= STREAMING; k++)
            if (strcmp(r->footprint, footprint_name((enum footprint)k)) == 0)
                c->rate_gbs[k][cache] = fmax(c->rate_gbs[k][cache], row_useful_bytes(r) / r->time_us / 1e3);
    }
}

/* Assigns parts to contests, which are in the same order, and keeps the newest revision, which comes first. Parts without a timed whole
 * belong to no contest. */
static void find_parts(struct contests *c)
{
    const int64_t n = choose_rows(c, true, &c->part);
    int64_t kept = 0;

    for (int64_t i = 0, k = 0; k < c->n; k++) {
        while (i < n && order_of_contests(c->part[i], c->one[k].row) < 0)
            i++;
        for (c->one[k].part_first = kept; i < n && same_contest(c->part[i], c->one[k].row); i++)
            if (kept == c->one[k].part_first || strcmp(c->part[kept - 1]->config, c->part[i]->config) != 0
                || strcmp(c->part[kept - 1]->part, c->part[i]->part) != 0)
                c->part[kept++] = c->part[i];
        c->one[k].part_end = kept;
    }
}

void contests_read(struct contests *c, const struct runs *runs, const struct profile *profile,
                   const struct speed_choice *choice)
{
    *c = (struct contests){ .runs = runs, .profile = profile, .choice = *choice };
    const int64_t n = choose_rows(c, false, &c->row);
    int64_t kept = 0;

    c->one = xcalloc((unsigned long)n + 1, sizeof *c->one);
    for (int64_t i = 0; i < n; i++) {
        const struct run_row *row = c->row[i], *last = kept > 0 ? c->row[kept - 1] : NULL;
        const bool same = last && same_contest(last, row);
        if (same && strcmp(last->config, row->config) == 0)
            continue; /* an older revision */
        struct contest *one = &c->one[same ? c->n - 1 : c->n++];
        if (!same)
            *one = (struct contest){ .row = row, .features = runs_features(runs, row->source_id, NULL), .first = kept };
        c->row[kept++] = row;
        one->end = kept;
        add_row(c, one, row);
    }
    if (c->n == 0)
        die("no measured row of role %s with at least %s (skipped: %" PRId64 " of another role (--role), %" PRId64
            " of smaller matrices, "
            "%" PRId64 " of matrices with rows above --max-row, %" PRId64 " without a time, %" PRId64
            " of an unknown matrix)",
            choice->role, counted(choice->min_nnz, "nonzero").text, c->other_role, c->small, c->longer, c->not_ok,
            c->no_matrix);
    if (choice->within_s > 0)
        leave_apart(c);
    find_parts(c);
    find_rates(c);
}

void contests_free(struct contests *c)
{
    free(c->one);
    free(c->row);
    free(c->part);
    *c = (struct contests){ 0 };
}

int64_t contests_target_end(const struct contests *c, int64_t first)
{
    int64_t end = first;

    while (end < c->n && strcmp(c->one[end].row->precision, c->one[first].row->precision) == 0
           && strcmp(c->one[end].row->cache, c->one[first].row->cache) == 0)
        end++;
    return end;
}

void contests_note(const struct contests *c, struct textout *out)
{
    char *below = xasprintf("of matrices below %s", counted(c->choice.min_nnz, "nonzero").text);
    struct strlist reasons = { 0 };
    strlist_add_count(&reasons, c->not_ok, "without a time");
    strlist_add_count(&reasons, c->other_role, "of another role (--role)");
    strlist_add_count(&reasons, c->small, below);
    strlist_add_count(&reasons, c->no_matrix, "of an unknown matrix");
    char *list = strlist_join(&reasons, ", ");
    if (*list)
        textout_note(out, "rows left out: %s", list);
    if (c->unknown > 0)
        textout_note(out, "%s of unknown kernels, counted neither as ours nor as the library's",
                     counted(c->unknown, "row").text);
    free(list);
    strlist_free(&reasons);
    free(below);
    int64_t both = 0, apart = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const struct run_row *ours = c->one[i].best[SIDE_OURS], *library = c->one[i].best[SIDE_CUSPARSE];
        both += ours && library;
        apart += ours && library && is_apart(ours, library, RUN_S);
    }
    if (apart > 0)
        textout_note(out,
                     "in %" PRId64
                     " of %s our fastest row and the library's were measured more than an hour apart (--within skips "
                     "such rows)",
                     apart, counted(both, "contest").text);
    if (c->choice.within_s > 0)
        textout_note(out, "left out: %s measured more than %s h from the library's fastest row",
                     counted(c->apart, "row").text, textout_digits(c->choice.within_s / 3600, 3).text);
    if (c->choice.max_row > 0)
        textout_note(out, "left out: %s of matrices with a row of more than %s", counted(c->longer, "row").text,
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
        [CSR_CSR] = SIDE_CUSPARSE_CSR, [OURS_CSR] = SIDE_CUSPARSE_CSR, [OURS_BEST] = SIDE_CUSPARSE
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
    const int cache = cache_parse(one->row->cache);

    if (c->profile) {
        const struct target t = { c->profile->device, (enum precision)precision_parse(one->row->precision),
                                  (enum cache)cache, GRAPH };
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

static void note_best_rates(const struct contests *c, enum cache cache, struct textout *out)
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
        textout_note(out,
                     "bandwidth, %s: that of the best row in each class, of any role, precision and kernel: %s GB/s",
                     cache_name(cache), list);
    free(list);
    strlist_free(&rates);
}

void bandwidth_note(const struct contests *c, struct textout *out)
{
    if (c->profile)
        textout_note(
            out,
            "bandwidth: from profile %s, model \"bandwidth\" (by precision, cache state and footprint, excluding the time of an empty kernel)",
            c->profile->name);
    for (int cache = WARM; !c->profile && cache < NCACHES; cache++)
        if (strlist_wants(c->choice.caches, cache_name((enum cache)cache)))
            note_best_rates(c, (enum cache)cache, out);
    textout_note(
        out,
        "bandwidth_percent: minimum bytes moved (at most CSR's, since kernels may skip padding) / time / bandwidth");
}

/* ---- means */

void mean_add(struct mean *m, double value, const char *whose)
{
    if (!(value > 0) || isinf(value))
        return;
    if (m->n == 0 || value < m->least) {
        m->least = value;
        m->least_of = whose;
    }
    if (m->n++ == 0 || value > m->most) {
        m->most = value;
        m->most_of = whose;
    }
    m->wins += value >= 1;
    m->below95 += value < 0.95;
    m->sum_log += log(value);
}

double mean_of(const struct mean *m) { return m->n > 0 ? exp(m->sum_log / (double)m->n) : NAN; }
