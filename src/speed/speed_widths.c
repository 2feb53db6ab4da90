/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "widths": b2 and rep of brc as chosen by ashari2014, by ashari2014-slots (with a profile) and by a search over
 * all measured pairs (ashari2014, section 5: the rule reached 96 % of a search of 24 points). Only rows that differ in
 * nothing else: b1=32, sigma=all, sum=partials, block=128. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config_keys.h"
#include "models/ashari2014/slots.h"
#include "speed/speed.h"

enum { WIDTHS_MIN = 3 };

struct pair {
    struct config config;
    double time_us, forecast_s; /* forecast_s NaN: none */
};

struct widths {
    int n; /* of pair[]; search and pick: indices, -1: none */
    struct pair *pair;
    int paper, slots, pick, search;
    struct slots_choice choice; /* b2 0: no profile or not fitted */
};

static int index_of(const struct widths *w, int64_t b2, int64_t rep)
{
    for (int i = 0; i < w->n; i++)
        if (config_int(&w->pair[i].config, "b2") == b2 && config_int_or(&w->pair[i].config, "rep", 1) == rep)
            return i;
    return -1;
}

/* Keeps the row if it is of the family and its width is a number. */
static void keep(struct widths *w, const struct contest *one, const struct run_row *r, const struct target *t,
                 const char *family, const struct profile *p)
{
    struct pair *pair = &w->pair[w->n];
    const struct config *parsed = config_known(r->config, NULL);
    struct forecast f;
    char why[ERRLEN], text[CONFIG_LEN];
    int64_t b2;

    if (!parsed || parsed->kernel->layout != &brc_layout
        || config_resolve(parsed, one->features, t, &pair->config, why) != 0)
        return;
    slots_family(&pair->config, text);
    if (strcmp(text, family) != 0 || strcmp(config_word(&pair->config, "sigma"), "all") != 0
        || parse_int(config_word(&pair->config, "b2"), 1, INT64_MAX, &b2) != 0)
        return;
    pair->time_us = r->time_us;
    pair->forecast_s = NAN;
    if (p) {
        model_forecast(model_find(slots_name), p, one->features, &pair->config, t, &f);
        pair->forecast_s = f.time_s;
    }
    w->n++;
}

/* Returns false if fewer than three pairs were measured. The caller frees w->pair. */
static bool collect(const struct contests *c, const struct contest *one, struct widths *w)
{
    struct geometry device;
    struct config rule;
    struct slots s;
    char family[CONFIG_LEN], why[ERRLEN];

    *w = (struct widths){ .paper = -1, .slots = -1, .pick = -1, .search = -1 };
    w->pair = xmalloc(sizeof *w->pair * (unsigned long)(one->end - one->first + 1));
    if (!runs_geometry(c->runs, one->row->device_key, &device))
        return false;
    const struct target t = target_on(&device, one->row->precision, one->row->cache, GRAPH);
    if (config_resolve_text("brc", one->features, &t, &rule, why) != 0)
        return false;
    slots_family(&rule, family);
    for (int64_t i = one->first; i < one->end; i++)
        keep(w, one, c->row[i], &t, family, c->profile);
    if (w->n < WIDTHS_MIN)
        return false;
    w->paper = index_of(w, config_int(&rule, "b2"), config_int_or(&rule, "rep", 1));
    if (c->profile && slots_find(c->profile, &rule, &t, &s, why) == 0) {
        w->choice = slots_choose(&s, one->features, &rule);
        w->slots = index_of(w, w->choice.b2, w->choice.rep);
    }
    for (int i = 0; i < w->n; i++) {
        if (w->search < 0 || w->pair[i].time_us < w->pair[w->search].time_us)
            w->search = i;
        if (!isnan(w->pair[i].forecast_s) && (w->pick < 0 || w->pair[i].forecast_s < w->pair[w->pick].forecast_s))
            w->pick = i;
    }
    return true;
}

/* ---- output */
enum { PAPER, SLOTS, PICK, NCHOICES };
static const char *const names[NCHOICES] = { "paper", "slots", "pick" };

static void put_value(struct table *out, const char *choice, const char *what, double value)
{
    char column[32];
    snprintf(column, sizeof column, "%s_%s", choice, what);
    if (strcmp(what, "us") == 0)
        table_put_us(out, column, value, 4);
    else if (strcmp(what, "share") == 0)
        table_put_real(out, column, value, 4);
    else if (isnan(value))
        table_put_none(out, column);
    else
        table_put_int(out, column, llround(value));
}

/* The choice, its time (NaN: not measured) and the search's time over it. */
static double put_choice(struct table *out, const struct widths *w, const char *name, int i)
{
    const struct pair *pair = i >= 0 ? &w->pair[i] : NULL;
    const bool chosen = !pair && strcmp(name, names[SLOTS]) == 0 && w->choice.b2 > 0;
    const double share = pair ? w->pair[w->search].time_us / pair->time_us : NAN;
    put_value(out, name, "b2", pair ? (double)config_int(&pair->config, "b2") : chosen ? (double)w->choice.b2 : NAN);
    put_value(out, name, "rep",
              pair     ? (double)config_int_or(&pair->config, "rep", 1)
              : chosen ? (double)w->choice.rep
                       : NAN);
    put_value(out, name, "us", pair ? pair->time_us : NAN);
    if (strcmp(name, "search") != 0)
        put_value(out, name, "share", share);
    return share;
}

static void put_note(struct table *out, const struct contests *c, const struct run_row *row, const char *name,
                     const struct sample *share)
{
    const struct sample_value *least = sample_min(share);
    if (least)
        table_note(out, "%s, %s: %s reaches %.3f of the search (geometric mean of %s), at worst %.3f on %s",
                   precision_name(row->precision), cache_name(row->cache), name, sample_geomean(share),
                   counted(share->n, "matrix").text, least->value, ratio_matrix(c, least));
}

static void print_widths(const struct contests *c, struct table *out)
{
    int64_t few = 0;
    for (int64_t first = 0, end; first < c->n; first = end) {
        struct sample share[NCHOICES] = { { 0 } };
        end = contests_target_end(c, first);
        for (int64_t k = first; k < end; k++) {
            const struct contest *one = &c->one[k];
            struct widths w;
            if (collect(c, one, &w)) {
                const int chosen[NCHOICES] = { w.paper, w.slots, w.pick };
                table_put_text(out, "matrix", one->row->matrix);
                table_put_target(out, one->row->precision, one->row->cache);
                table_put_int(out, "nnz", one->features->nnz);
                for (int i = 0; i < NCHOICES; i++)
                    ratio_add(&share[i], c, one, put_choice(out, &w, names[i], chosen[i]));
                put_choice(out, &w, "search", w.search);
                table_put_int(out, "points", w.n);
                table_row_end(out);
            } else {
                few++;
            }
            free(w.pair);
        }
        for (int i = 0; i < NCHOICES; i++) {
            put_note(out, c, c->one[first].row, names[i], &share[i]);
            sample_free(&share[i]);
        }
    }
    table_note(out, "paper: rule of ashari2014; slots: rule of ashari2014-slots; pick: its lowest forecast among the "
                    "measured; search: least time; share: time of the search / time");
    if (!c->profile)
        table_note(out, "slots and pick require --profile");
    if (few > 0)
        table_note(out, "left out: %s with fewer than %d measured pairs of b2 and rep, per precision and cache state",
                   counted(few, "matrix").text, WIDTHS_MIN);
    contests_note(c, out);
}

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    INT_COLUMN("paper_b2", "", "b2 of brc by the rule of ashari2014; none: that pair was not measured"),
    INT_COLUMN("paper_rep", "", "rep of brc by the rule of ashari2014"),
    REAL_COLUMN("paper_us", "us", "time with b2 and rep by the rule of ashari2014"),
    REAL_COLUMN("paper_share", "", "search_us / paper_us"),
    INT_COLUMN("slots_b2", "", "b2 by the rule of ashari2014-slots"),
    INT_COLUMN("slots_rep", "", "rep by the rule of ashari2014-slots"),
    REAL_COLUMN("slots_us", "us", "time with b2 and rep by that rule; none: not measured"),
    REAL_COLUMN("slots_share", "", "search_us / slots_us"),
    INT_COLUMN("pick_b2", "", "b2 of the measured pair with the lowest forecast by ashari2014-slots"),
    INT_COLUMN("pick_rep", "", "rep of the measured pair with the lowest forecast by ashari2014-slots"),
    REAL_COLUMN("pick_us", "us", "time of that pair"),
    REAL_COLUMN("pick_share", "", "search_us / pick_us"),
    INT_COLUMN("search_b2", "", "b2 of the fastest measured pair"),
    INT_COLUMN("search_rep", "", "rep of the fastest measured pair"),
    REAL_COLUMN("search_us", "us", "time of the fastest measured pair"),
    INT_COLUMN("points", "", "measured pairs of b2 and rep"),
    COLUMNS_END,
};

const struct speed_table speed_widths = {
    .name = "widths",
    .about = "b2 and rep of brc as chosen by the paper, by ashari2014-slots and by a search",
    .columns = columns,
    .view = "matrix precision cache paper_b2 paper_share slots_b2 slots_share pick_b2 pick_share search_b2 search_us",
    .print = print_widths,
};
