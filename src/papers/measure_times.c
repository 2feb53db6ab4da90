/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of archived times: speedup, speeds, sweep, widths. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"
#include "papers/measure_table.h"
#include "papers/statistic.h"
#include "speed/pairing.h"

static void set_config(struct table *out, long row, const char *column, const char *config)
{
    char *brief = config_brief(config);

    table_set(out, row, column, brief);
    free(brief);
}

/* ---- speedup */

static void run_speedup(const struct study *s, const struct words *w, struct table *out)
{
    const char *part = words_get(w, "part"), *stage = words_get(w, "stage");
    const struct pairing p = { words_get(w, "ours"), words_get(w, "against"), pairing_where(words_get(w, "where")),
                               *part ? part : NULL, *stage ? stage : NULL };
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    for (int64_t i = 0; i < c.n; i++) {
        const struct run_row *ours, *against;
        if (!pairing_rows(&c, &c.one[i], &p, &ours, &against))
            continue;
        const long row = measure_row(s, w, &c.one[i], out);
        if (row < 0)
            continue;
        set_config(out, row, "ours_config", ours->config);
        table_set_real(out, row, "ours_us", ours->time_us, 4);
        set_config(out, row, "against_config", against->config);
        table_set_real(out, row, "against_us", against->time_us, 4);
        table_set_real(out, row, "ratio", against->time_us / ours->time_us, 4);
    }
    if (out->nrows == 0)
        table_note(out, "not measured: no matrix has times of both sides");
}

static const struct column speedup_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("ours_config", "fastest configuration of selection `ours`"),
    REAL_COLUMN("ours_us", "us", "its measured time; with part=: of that part"),
    TEXT_COLUMN("against_config", "fastest configuration of selection `against`"),
    REAL_COLUMN("against_us", "us", "its measured time; with part=: of that part"),
    REAL_COLUMN("ratio", "x", "against_us / ours_us"),
    COLUMNS_END,
};

const struct paper_measure measure_speedup = {
    .name = "speedup",
    .about = "best time of `against` / best time of `ours` on each matrix",
    .keys = "ours! against! stage part where",
    .columns = speedup_columns,
    .rows = true,
    .run = run_speedup,
};

/* ---- speeds */

double measure_peak_gflops(const struct contests *c, const struct run_row *r)
{
    const int64_t cache = r->cache, precision = r->precision;
    enum footprint class;

    return footprint_find(r->footprint, &class) && cache >= 0 && precision >= 0
               ? c->rate_gbs[class][cache] * 2 / (double)precision_bytes((enum precision)precision)
               : NAN;
}

static void put_speed(const struct contests *c, const struct contest *one, const char *label, const struct run_row *r,
                      long row, struct table *out)
{
    const double gflops = 2e-3 * (double)one->features->nnz / r->time_us, peak = measure_peak_gflops(c, r);

    table_set(out, row, "format", label);
    set_config(out, row, "config", r->config);
    table_set_real(out, row, "time_us", r->time_us, 4);
    table_set_real(out, row, "gflops", gflops, 4);
    table_set_real(out, row, "peak_gflops", peak, 4);
    table_set_real(out, row, "percent_of_peak", 100 * gflops / peak, 3);
}

static bool is_common(const char *key)
{
    return strcmp(key, "precision") == 0 || strcmp(key, "cache") == 0 || strcmp(key, "matrices") == 0;
}

static void run_speeds(const struct study *s, const struct words *w, struct table *out)
{
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    for (int64_t i = 0; i < c.n; i++)
        for (int k = 0; k < w->n; k++) {
            if (is_common(w->word[k].key) || !measure_wants(s, w, &c.one[i]))
                continue;
            const struct run_row *best = selection_fastest(&c, &c.one[i], w->word[k].value);
            if (best)
                put_speed(&c, &c.one[i], w->word[k].key, best, measure_row(s, w, &c.one[i], out), out);
        }
}

static const struct column speeds_columns[] = {
    MATRIX_COLUMNS,
    TEXT_COLUMN("format", "label of the selection"),
    TEXT_COLUMN("config", "fastest configuration of the selection, without default keys"),
    REAL_COLUMN("time_us", "us", "its measured time"),
    REAL_COLUMN("gflops", "GFLOP/s", "2 x nonzeros / time"),
    REAL_COLUMN("peak_gflops", "GFLOP/s", "2 x highest measured bandwidth of the footprint class / bytes of a value"),
    REAL_COLUMN("percent_of_peak", "% of the estimated peak", "gflops / peak_gflops"),
    COLUMNS_END,
};

const struct paper_measure measure_speeds = {
    .name = "speeds",
    .about =
        "the best of each selection LABEL=SELECTION, beside the estimated peak: 2 flops x highest rate of the footprint class / bytes of a value",
    .keys = "*",
    .columns = speeds_columns,
    .rows = true,
    .run = run_speeds,
};

/* ---- sweep */

static double value_of(const struct run_row *r, const char *key)
{
    const char *item = config_item(r->config, key);
    double value = NAN;

    if (item) {
        const char *equals = strchr(item, '=');
        char *text = xasprintf("%.*s", (int)strcspn(equals + 1, ","), equals + 1);
        if (parse_real(text, -INFINITY, INFINITY, &value) != 0)
            value = NAN;
        free(text);
    }
    return value;
}

static void put_sweep(const struct study *s, const struct words *w, const struct contests *c, const struct contest *one,
                      struct table *out)
{
    const char *selection = words_get(w, "kernel"), *key = words_get(w, "key");
    const struct run_row *best = selection_fastest(c, one, selection);

    for (int64_t i = one->first; best && i < one->end; i++) {
        const struct run_row *r = c->row[i];
        const double value = value_of(r, key);
        bool fastest = true; /* of the rows with this value */
        if (!selection_matches(selection, r) || isnan(value))
            continue;
        for (int64_t k = one->first; k < one->end; k++)
            if (k != i && selection_matches(selection, c->row[k]) && value_of(c->row[k], key) == value
                && (c->row[k]->time_us < r->time_us || (c->row[k]->time_us == r->time_us && k < i)))
                fastest = false;
        if (!fastest)
            continue;
        const long row = measure_row(s, w, one, out);
        table_set_real(out, row, "value", value, 6);
        table_set_real(out, row, "time_us", r->time_us, 4);
        table_set_real(out, row, "relative", r->time_us / best->time_us, 4);
    }
}

static void run_sweep(const struct study *s, const struct words *w, struct table *out)
{
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    for (int64_t i = 0; i < c.n; i++)
        if (measure_wants(s, w, &c.one[i]))
            put_sweep(s, w, &c, &c.one[i], out);
}

static const struct column sweep_columns[] = {
    MATRIX_COLUMNS,
    REAL_COLUMN("value", "", "value of the key of the configuration"),
    REAL_COLUMN("time_us", "us", "lowest measured time with that value"),
    REAL_COLUMN("relative", "", "time_us / lowest time of all values"),
    COLUMNS_END,
};

const struct paper_measure measure_sweep = {
    .name = "sweep",
    .about = "the best time for each value of a key, and that time over the least of all values",
    .keys = "kernel! key!",
    .columns = sweep_columns,
    .rows = true,
    .run = run_sweep,
};

/* ---- widths */

static void run_widths(const struct study *s, const struct words *w, struct table *out)
{
    const char *asked = words_get(w, "rule"), *search = words_get(w, "search");
    const struct pairing rule = { *asked ? asked
                                         : "brc:b1=32,b2=auto,rep=auto,sum=partials,sigma=all,value=full,block=128",
                                  *search ? search : "brc:b1=32,sum=partials,sigma=all,value=full,block=128", NULL,
                                  NULL, NULL };
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    for (int64_t i = 0; i < c.n; i++) {
        const struct run_row *ours, *best;
        if (!pairing_rows(&c, &c.one[i], &rule, &ours, &best))
            continue;
        const long row = measure_row(s, w, &c.one[i], out);
        if (row < 0)
            continue;
        table_set_real(out, row, "rule_b2", value_of(ours, "b2"), 6);
        table_set_real(out, row, "rule_us", ours->time_us, 4);
        table_set_real(out, row, "best_b2", value_of(best, "b2"), 6);
        table_set_real(out, row, "best_us", best->time_us, 4);
        table_set_real(out, row, "share_percent", 100 * best->time_us / ours->time_us, 4);
    }
}

static const struct column widths_columns[] = {
    MATRIX_COLUMNS,
    REAL_COLUMN("rule_b2", "", "b2 of brc by the rule of ashari2014"),
    REAL_COLUMN("rule_us", "us", "measured time with b2 by the rule"),
    REAL_COLUMN("best_b2", "", "b2 of the fastest measured pair of b2 and rep"),
    REAL_COLUMN("best_us", "us", "measured time of the fastest pair"),
    REAL_COLUMN("share_percent", UNIT_BEST, "speed of the rule relative to the best pair: best_us / rule_us"),
    COLUMNS_END,
};

const struct paper_measure measure_widths = {
    .name = "widths",
    .about =
        "BRC with B2 and rep by the rule of ashari2014 (mean + deviation) against the best of all measured pairs; rule, search: these configurations instead",
    .keys = "rule search",
    .columns = widths_columns,
    .rows = true,
    .run = run_widths,
};
