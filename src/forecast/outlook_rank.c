/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks configurations by time or by the total of N products, and compares them (outlook.h). */
#include <math.h>
#include <stdlib.h>
#include "forecast/outlook.h"
#include "formats/format.h"

const struct outlook_terms outlook_terms_default = { PICK_PRODUCTS, ON_GPU, OUTLOOK_RISK };

static bool ranked(const struct outlook_row *r) { return r->status == OUTLOOK_OK || r->status == OUTLOOK_EXTRAPOLATED; }

/* ---- set-up and totals ---- */
static void count_costs(const struct outlook *o, struct outlook_row *r)
{
    r->convert_s = r->prepare_s = r->setup_s = r->total_s = r->total_low_s = r->total_high_s = NAN;
    if (r->status == OUTLOOK_NA)
        return;
    r->convert_s = costs_convert(r->cost_s, r->csr, o->terms.location, o->csr_upload_s, o->own_memory);
    r->prepare_s = o->preparations ? r->cost_s[COST_PREPARE] : 0;
    r->setup_s = r->convert_s + r->prepare_s;
    if (o->terms.products == 0)
        return;
    const struct pick_row as = outlook_pick_row(r);
    const struct pick_ends ends = pick_interval(&as, o->terms.products);
    r->total_s = pick_value(&as, o->terms.products);
    r->total_low_s = ends.low;
    r->total_high_s = ends.high;
}

double outlook_time(const struct outlook_row *r) { return r->place ? r->forecast.time_s : NAN; }

double outlook_value(const struct outlook *o, const struct outlook_row *r)
{
    return o->terms.products > 0 ? r->total_s : r->forecast.time_s;
}

/* ---- places ---- */
struct ranking {
    double value;
    int index;
    bool ranked;
};

/* Orders ranked rows before the others, by value, with unknown values last. Otherwise keeps the order of rows. */
static int compare(const void *a, const void *b)
{
    const struct ranking *x = a, *y = b;
    if (x->ranked != y->ranked)
        return x->ranked ? -1 : 1;
    if (x->ranked && isnan(x->value) != isnan(y->value))
        return isnan(y->value) ? -1 : 1;
    if (x->ranked && x->value != y->value && !isnan(x->value))
        return x->value < y->value ? -1 : 1;
    return x->index - y->index;
}

static void sort_rows(struct outlook *o)
{
    struct ranking *order = xmalloc(sizeof *order * (unsigned long)(o->n + 1));
    struct outlook_row *row = xmalloc(sizeof *row * (unsigned long)(o->n + 1));
    for (int i = 0; i < o->n; i++)
        order[i] = (struct ranking){ outlook_value(o, &o->row[i]), i, ranked(&o->row[i]) };
    qsort(order, (size_t)o->n, sizeof *order, compare);
    for (int i = 0; i < o->n; i++)
        row[i] = o->row[order[i].index];
    free(order);
    free(o->row);
    o->row = row;
}

/* ---- the pick ---- */

struct pick_row outlook_pick_row(const struct outlook_row *r)
{
    const struct forecast *f = &r->forecast;
    return (struct pick_row){ f->time_s,   f->low_s, f->high_s, r->setup_s,
                              r->one_part, !r->csr,  r->copies, r->status != OUTLOOK_OK };
}

static bool is_library(const struct outlook_row *r) { return r->config.kernel->library; }
static bool is_library_csr(const struct outlook_row *r) { return r->config.kernel->baseline; }
static bool is_shown(const struct outlook_row *r) { return r->shown; }
static bool is_ours(const struct outlook_row *r) { return r->shown && !r->config.kernel->library; }

/* Picks one of the ranked rows for which `is` is true. */
static struct outlook_choice choose(const struct outlook *o, bool (*is)(const struct outlook_row *))
{
    struct pick_row *row = xmalloc(sizeof *row * (unsigned long)(o->n + 1));
    int *index = xmalloc(sizeof *index * (unsigned long)(o->n + 1)), n = 0;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (is(&o->row[i])) {
            index[n] = i;
            row[n++] = outlook_pick_row(&o->row[i]);
        }
    const struct pick pick = pick_of(row, n, o->terms.products, o->terms.risk);
    struct outlook_choice c = { NULL, NULL, pick.reason };
    if (pick.best >= 0) {
        c.row = &o->row[index[pick.best]];
        c.passed = &o->row[index[pick.passed]];
    }
    free(row);
    free(index);
    return c;
}

struct outlook_choice outlook_choice_ours(const struct outlook *o) { return choose(o, is_ours); }
const struct outlook_row *outlook_pick(const struct outlook *o) { return o->choice.row; }

/* Returns the ranked row with the lowest value for which `is` is true. */
static const struct outlook_row *best_of(const struct outlook *o, bool (*is)(const struct outlook_row *))
{
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (is(&o->row[i]))
            return &o->row[i];
    return NULL;
}

struct outlook_breakeven outlook_breakeven(const struct outlook_row *r, const struct outlook_row *other)
{
    const struct pick_row a = outlook_pick_row(r), b = outlook_pick_row(other);
    const struct pick_breakeven after = pick_breakeven(&a, &b), until = pick_breakeven(&b, &a);
    const bool fewer = isinf(after.products) && until.products > 1 && !isinf(until.products);
    return (struct outlook_breakeven){ fewer ? until : after, fewer };
}

static void compare_rows(const struct outlook *o, const struct outlook_row *r, const struct outlook_row *other,
                         struct pick_breakeven *breakeven, struct pick_gain *gain)
{
    *breakeven = (struct pick_breakeven){ NAN, NAN, NAN };
    *gain = (struct pick_gain){ NAN, NAN, NAN };
    if (r == other)
        *gain = (struct pick_gain){ 1, 1, 1 };
    if (!r->place || !other || r == other)
        return;
    const struct pick_row a = outlook_pick_row(r), b = outlook_pick_row(other);
    *gain = pick_gain(&a, &b, o->terms.products);
    *breakeven = pick_breakeven(&a, &b);
}

void outlook_rank(struct outlook *o, const struct outlook_terms *terms)
{
    o->terms = *terms;
    for (int i = 0; i < o->n; i++)
        count_costs(o, &o->row[i]);
    sort_rows(o);
    for (int i = 0; i < o->n; i++) {
        struct outlook_row *r = &o->row[i];
        r->place = ranked(r) ? i + 1 : 0;
        r->best_of_kernel = r->shown;
        for (int j = 0; j < i && r->best_of_kernel; j++)
            r->best_of_kernel = !(o->row[j].shown && o->row[j].config.kernel == r->config.kernel);
    }
    o->library = best_of(o, is_library);
    o->library_csr = best_of(o, is_library_csr);
    o->stay = choose(o, outlook_stays).row;
    o->choice = choose(o, is_shown);
    for (int i = 0; i < o->n; i++) {
        struct outlook_row *r = &o->row[i];
        compare_rows(o, r, o->library, &r->breakeven_library, &r->gain_library);
        compare_rows(o, r, o->stay, &r->breakeven_stay, &r->gain_stay);
    }
}

/* Merges the rows, which are sorted: of the next rows of all outlooks, the one with the lowest value gets the next
 * place. */
void outlook_merge(struct outlook *o, int n)
{
    int *next = xcalloc((unsigned long)n, sizeof *next), place = 0;
    for (;;) {
        int first = -1;
        for (int i = 0; i < n; i++) {
            if (next[i] == o[i].n || !ranked(&o[i].row[next[i]]))
                continue;
            const double value = outlook_value(&o[i], &o[i].row[next[i]]);
            if (first < 0 || value < outlook_value(&o[first], &o[first].row[next[first]])
                || isnan(outlook_value(&o[first], &o[first].row[next[first]])))
                first = i;
        }
        if (first < 0)
            break;
        o[first].row[next[first]++].place = ++place;
    }
    free(next);
}

struct pick_gain outlook_gain(const struct outlook *o, const struct outlook_row *a, const struct outlook_row *over)
{
    const struct pick_row x = outlook_pick_row(a), y = outlook_pick_row(over);
    return pick_gain(&x, &y, o->terms.products);
}

bool outlook_alike(const struct outlook *o, const struct outlook_row *a, const struct outlook_row *b)
{
    const struct pick_gain gain = outlook_gain(o, a, b);
    return gain.low <= 1 && gain.high >= 1;
}
