/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks configurations by time or by the total of N products, and computes break-evens (outlook.h). */
#include <math.h>
#include <stdlib.h>
#include "forecast/outlook.h"
#include "forecast/pick.h"
#include "formats/format.h"

const double outlook_risk = 0.2;

static bool ranked(const struct outlook_row *r) { return r->status == OUTLOOK_OK || r->status == OUTLOOK_EXTRAPOLATED; }

/* ---- set-up and totals ---- */
static void count_costs(const struct outlook *o, struct outlook_row *r)
{
    const double n = (double)o->terms.products;
    r->convert_s = r->prepare_s = r->setup_s = r->total_s = r->total_low_s = r->total_high_s = NAN;
    if (r->status == OUTLOOK_NA)
        return;
    r->convert_s = costs_convert(r->cost_s, r->csr, o->terms.location, o->csr_upload_s, o->own_memory);
    r->prepare_s = o->preparations ? r->cost_s[COST_PREPARE] : 0;
    r->setup_s = r->convert_s + r->prepare_s;
    if (o->terms.products == 0)
        return;
    r->total_s = r->setup_s + n * r->forecast.time_s;
    r->total_low_s = r->setup_s + n * r->forecast.low_s;
    r->total_high_s = r->setup_s + n * r->forecast.high_s;
}

double outlook_time(const struct outlook_row *r) { return r->place ? r->forecast.time_s : NAN; }

double outlook_value(const struct outlook *o, const struct outlook_row *r)
{
    return o->terms.products > 0 ? r->total_s : r->forecast.time_s;
}

double outlook_breakeven(const struct outlook_row *r, const struct outlook_row *other)
{
    const double gain_s = other->forecast.time_s - r->forecast.time_s, more_s = r->setup_s - other->setup_s;
    if (isnan(gain_s) || isnan(more_s) || gain_s < 0 || (gain_s == 0 && more_s >= 0))
        return NAN;
    return more_s <= 0 ? 0 : ceil(more_s / gain_s * (1 - 1e-12)); /* tolerates rounding */
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

/* Returns the fastest ranked row for which `is` is true. */
static const struct outlook_row *fastest(const struct outlook *o, bool (*is)(const struct outlook_row *))
{
    const struct outlook_row *best = NULL;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (is(&o->row[i]) && (!best || o->row[i].forecast.time_s < best->forecast.time_s))
            best = &o->row[i];
    return best;
}

static bool is_baseline(const struct outlook_row *r) { return r->config.kernel->baseline; }
static bool is_free(const struct outlook_row *r) { return r->free; }

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
    o->csr = fastest(o, is_baseline);
    o->free = fastest(o, is_free);
    for (int i = 0; i < o->n; i++) {
        struct outlook_row *r = &o->row[i];
        r->breakeven_library = r->place && o->csr ? outlook_breakeven(r, o->csr) : NAN;
        r->breakeven_free = r->place && o->free ? outlook_breakeven(r, o->free) : NAN;
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

/* ---- the pick ---- */

const struct outlook_row *outlook_pick(const struct outlook *o)
{
    struct pick_row *row = xmalloc(sizeof *row * (unsigned long)(o->n + 1));
    int *index = xmalloc(sizeof *index * (unsigned long)(o->n + 1)), n = 0;
    for (int i = 0; i < o->n && o->row[i].place; i++) {
        const struct outlook_row *r = &o->row[i];
        if (!r->shown)
            continue;
        index[n] = i;
        row[n++] = (struct pick_row){ r->forecast.time_s, r->forecast.high_s, r->setup_s, r->one_part };
    }
    const int best = pick_best(row, n, o->terms.products, o->terms.risk);
    const struct outlook_row *pick = best < 0 ? NULL : &o->row[index[best]];
    free(row);
    free(index);
    return pick;
}

const struct outlook_row *outlook_library(const struct outlook *o)
{
    const struct outlook_row *best = NULL;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (is_baseline(&o->row[i]) && (!best || outlook_value(o, &o->row[i]) < outlook_value(o, best)))
            best = &o->row[i];
    return best;
}

bool outlook_alike(const struct outlook *o, const struct outlook_row *a, const struct outlook_row *b)
{
    const bool total = o->terms.products > 0;
    const double low_a = total ? a->total_low_s : a->forecast.low_s,
                 high_a = total ? a->total_high_s : a->forecast.high_s,
                 low_b = total ? b->total_low_s : b->forecast.low_s,
                 high_b = total ? b->total_high_s : b->forecast.high_s, value_a = outlook_value(o, a),
                 value_b = outlook_value(o, b);
    return value_a >= low_b && value_a <= high_b && value_b >= low_a && value_b <= high_a;
}
