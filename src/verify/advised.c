/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices the configurations of a contest and finds those that the advice prefers (advised.h). */
#include "verify/advised.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config_keys.h"
#include "formats/format.h"

/* ---- prices ---- */
struct price {
    const struct case_row *row;
    const struct case_cost *cost;
};
struct prices { /* sorted by source, precision and configuration */
    int64_t n;
    struct price *one;
};

static int by_case(const void *a, const void *b)
{
    const struct case_row *x = ((const struct price *)a)->row, *y = ((const struct price *)b)->row;
    int order = strcmp(x->source_id, y->source_id);
    if (!order)
        order = word_compare(&precision_words, x->precision, y->precision);
    return order ? order : strcmp(x->config, y->config);
}

static const struct case_cost *cost_of_case(const struct prices *p, const struct case_row *row)
{
    const struct price want = { .row = row };
    const struct price *found = p->n > 0 ? bsearch(&want, p->one, (size_t)p->n, sizeof *p->one, by_case) : NULL;
    return found ? found->cost : NULL;
}

static void as_doubles(const float from[NCOSTS], double to[NCOSTS])
{
    for (int k = 0; k < NCOSTS; k++)
        to[k] = (double)from[k];
}

static bool uses_csr(const struct case_row *row)
{
    const struct kernel *k = kernel_find(row->kernel);
    return k && k->layout == kernel_baseline()->layout;
}

/* Finds the measured and forecast times to copy plain CSR to the device, from any configuration of the contest that uses it;
 * NaN: unknown. */
static void csr_copies(const struct scores *s, const struct prices *p, const struct score_contest *c, double *measured,
                       double *forecast)
{
    *measured = *forecast = NAN;
    for (int64_t i = c->first; i < c->end; i++) {
        const struct case_cost *cost = uses_csr(s->one[i].row) ? cost_of_case(p, s->one[i].row) : NULL;
        if (cost && isnan(*measured))
            *measured = (double)cost->measured_us[COST_UPLOAD];
        if (cost && isnan(*forecast))
            *forecast = (double)cost->forecast_us[COST_UPLOAD];
    }
}

/* Sets which habits would choose the configuration; split: csr-split with default keys. */
static void find_habits(struct priced *of, const struct case_row *row, const struct config *split)
{
    const struct kernel *k = kernel_find(row->kernel);
    const struct config *c = config_known(row->config, NULL); /* has the keys that the device of the archive lacks */
    char text[CONFIG_LEN], split_text[CONFIG_LEN];

    of->copies = c && kernel_copies(c);
    of->library = k && k->library;
    of->baseline = k && k->baseline;
    if (!k || (!k->baseline && k != split->kernel) || !c)
        return;
    config_print(c, text);
    config_print(split, split_text);
    of->preprocessed = config_int_or(c, "pre", 0) == 1;
    of->split = strcmp(text, split_text) == 0;
}

static void price_contest(struct advice *t, const struct prices *p, const struct score_contest *c, bool own_memory,
                          const struct config *split)
{
    const enum matrix_location location = t->how->location;
    double csr_us, csr_forecast_us, cost[NCOSTS];
    csr_copies(t->s, p, c, &csr_us, &csr_forecast_us);
    for (int64_t i = c->first; i < c->end; i++) {
        const struct score_case *one = &t->s->one[i];
        const struct case_cost *found = cost_of_case(p, one->row);
        struct priced *of = &t->of[i];
        *of = (struct priced){
            .measured_us = one->fast_us, .setup_us = NAN, .forecast_setup_us = NAN, .converts = !uses_csr(one->row)
        };
        find_habits(of, one->row, split);
        if (found) {
            as_doubles(found->measured_us, cost);
            of->setup_us = costs_convert(cost, !of->converts, location, csr_us, own_memory) + cost[COST_PREPARE];
            as_doubles(found->forecast_us, cost);
            of->forecast_setup_us =
                costs_convert(cost, !of->converts, location, csr_forecast_us, own_memory) + cost[COST_PREPARE];
        }
        t->unpriced += isnan(of->setup_us) || isnan(of->forecast_setup_us);
    }
}

void advice_price(struct advice *t)
{
    const struct scores *s = t->s;
    struct prices p = { .one = xcalloc((unsigned long)s->archive.ncosts + 1, sizeof *p.one) };
    bool own_memory = false;
    char why[ERRLEN];
    const struct config *split = config_known("csr-split", why);
    if (!split)
        bug("csr-split: %s", why);
    for (int64_t i = 0; i < s->archive.ncosts; i++) {
        const struct case_cost *c = &s->archive.costs[i];
        p.one[p.n++] = (struct price){ &s->archive.cases[c->case_index], c };
        own_memory = own_memory || !isnan((double)c->measured_us[COST_UPLOAD]);
    }
    qsort(p.one, (size_t)p.n, sizeof *p.one, by_case);
    t->of = xcalloc((unsigned long)s->n + 1, sizeof *t->of);
    for (int64_t k = 0; k < s->ncontests; k++)
        price_contest(t, &p, &s->contest[k], own_memory, split);
    free(p.one);
}

/* ---- choices ---- */
/* Inserts an index into those of the `found` lowest values, of which `most` are kept; returns their new number. */
static int keep_lowest(double *value, int64_t *which, int found, int most, double v, int64_t i)
{
    int at = found;
    while (at > 0 && v < value[at - 1])
        at--;
    if (at == most)
        return found;
    found += found < most;
    memmove(value + at + 1, value + at, sizeof *value * (unsigned long)(found - 1 - at));
    memmove(which + at + 1, which + at, sizeof *which * (unsigned long)(found - 1 - at));
    value[at] = v;
    which[at] = i;
    return found;
}

enum kept { ALL, CONVERTING, STAYING };
struct rows { /* of the cases of a contest with a forecast and, for N > 0, known costs */
    int n;
    struct pick_row *row;
    int64_t *index;
};

static struct rows rows_of(const struct advice *t, const struct score_series *series, const struct score_contest *c,
                           int64_t n, enum kept kept)
{
    struct rows r = { 0, xmalloc(sizeof *r.row * (unsigned long)(c->end - c->first + 1)),
                      xmalloc(sizeof *r.index * (unsigned long)(c->end - c->first + 1)) };
    for (int64_t i = c->first; i < c->end; i++) {
        const struct case_forecast *f = series->of[i];
        const double setup_us = t->of[i].forecast_setup_us;
        const bool converts = t->of[i].converts, stays = !converts && !t->of[i].copies;
        if (!score_given(f) || (n > 0 && isnan(setup_us)) || (kept == STAYING && !stays)
            || (kept == CONVERTING && !converts))
            continue;
        r.index[r.n] = i;
        r.row[r.n++] = (struct pick_row){ .time_s = (double)f->time_us,
                                          .low_s = (double)f->low_us,
                                          .high_s = (double)f->high_us,
                                          .setup_s = setup_us,
                                          .one_part = t->s->one[i].row->one_part == 1,
                                          .converts = converts,
                                          .copies = t->of[i].copies,
                                          .unsure = f->status != FORECAST_OK };
    }
    return r;
}

static void rows_free(struct rows *r)
{
    free(r->row);
    free(r->index);
}

int advised_cases(const struct advice *t, const struct score_series *series, const struct score_contest *c, int64_t n,
                  int most, int64_t which[ADVISED_MAX])
{
    struct rows r = rows_of(t, series, c, n, ALL);
    double value[ADVISED_MAX];
    int found = 0;
    bool several = false;
    for (int i = 0; i < r.n; i++)
        several = several || !r.row[i].one_part;
    for (int i = 0; i < r.n; i++)
        if (!several || !r.row[i].one_part)
            found = keep_lowest(value, which, found, most, pick_weighed(&r.row[i], n, t->how->risk), r.index[i]);
    if (most == 1 && r.n > 0)
        which[0] = r.index[pick_of(r.row, r.n, n, t->how->risk).best];
    rows_free(&r);
    return found;
}

int64_t advised_stay(const struct advice *t, const struct score_series *series, const struct score_contest *c,
                     int64_t n)
{
    struct rows r = rows_of(t, series, c, n, STAYING);
    const int best = pick_lowest(r.row, r.n, n, t->how->risk);
    const int64_t which = best < 0 ? -1 : r.index[best];
    rows_free(&r);
    return which;
}

static struct pick_row measured_row(const struct priced *p)
{
    return (struct pick_row){ .time_s = p->measured_us, .low_s = NAN, .high_s = NAN, .setup_s = p->setup_us };
}

struct advised_held advised_held(const struct advice *t, const struct score_series *series,
                                 const struct score_contest *c, int64_t n)
{
    struct advised_held held = { -1, -1, -1 };
    struct rows converting = rows_of(t, series, c, n, CONVERTING), staying = rows_of(t, series, c, n, STAYING);
    const int a = pick_lowest(converting.row, converting.n, n, t->how->risk),
              b = pick_lowest(staying.row, staying.n, n, t->how->risk);
    if (a >= 0 && b >= 0) {
        const struct pick_row ours = measured_row(&t->of[converting.index[a]]),
                              other = measured_row(&t->of[staying.index[b]]);
        const struct pick_gain gain = pick_gain(&converting.row[a], &staying.row[b], n);
        const struct pick_breakeven pays = pick_breakeven(&converting.row[a], &staying.row[b]);
        const double ratio = pick_gain(&ours, &other, n).ratio, products = pick_breakeven(&ours, &other).products;
        if (!isnan(ratio) && !isnan(gain.low))
            held.gain = ratio >= gain.low && ratio <= gain.high;
        if (!isnan(products) && !isnan(pays.low) && ours.setup_s >= other.setup_s)
            held.breakeven = products >= pays.low && products <= pays.high;
        const struct pick_ends ends = pick_interval(&converting.row[a], n);
        const double total = pick_value(&ours, n);
        if (!isnan(total) && !isnan(ends.low))
            held.total = total >= ends.low && total <= ends.high;
    }
    rows_free(&converting);
    rows_free(&staying);
    return held;
}
