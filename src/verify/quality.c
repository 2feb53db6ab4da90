/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of measured rows. Each gives a row a value, or NaN if it does not apply; a row is bad if its value is above the bound of the
 * check, and a check fails if the share of bad rows among those looked at is above its limit. The bounds are far from what
 * undisturbed runs show: of the archived ones of the H200, each check fails at most those that were disturbed. */
#include "verify/quality.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"

/* The rows, in an order in which rows that differ in precision and cache state only are neighbours. */
struct rows {
    const struct run_row **row;
    int64_t n;
    double clock_max_mhz; /* of ok rows */
};

static int compare_twins(const struct run_row *a, const struct run_row *b)
{
    int d = strcmp(a->source_id, b->source_id);

    if (d == 0)
        d = strcmp(a->config, b->config);
    if (d == 0)
        d = strcmp(a->part, b->part);
    if (d == 0)
        d = strcmp(a->device_key, b->device_key);
    if (d == 0)
        d = strcmp(a->driver, b->driver);
    if (d == 0)
        d = strcmp(a->build, b->build);
    return d != 0 ? d : (a->revision > b->revision) - (a->revision < b->revision);
}

static int compare(const void *a, const void *b)
{
    return compare_twins(*(const struct run_row *const *)a, *(const struct run_row *const *)b);
}

/* Returns the ok row that differs from row i only in having this precision and cache state; NULL: there is none. */
static const struct run_row *twin(const struct rows *r, int64_t i, int64_t precision, int64_t cache)
{
    int64_t first = i;

    while (first > 0 && compare_twins(r->row[first - 1], r->row[i]) == 0)
        first--;
    for (; first < r->n && compare_twins(r->row[first], r->row[i]) == 0; first++) {
        const struct run_row *t = r->row[first];
        if (t->precision == precision && t->cache == cache && row_outcome(t) == OUTCOME_OK)
            return t;
    }
    return NULL;
}

/* ---- the value of a row ---- */

static double of_outcome(const struct rows *r, int64_t i)
{
    const enum row_outcome o = row_outcome(r->row[i]);
    return o == OUTCOME_WRONG || o == OUTCOME_CRASHED ? 1 : o == OUTCOME_OK || o == OUTCOME_NOISY ? 0 : (double)NAN;
}

static double of_noise(const struct rows *r, int64_t i)
{
    const enum row_outcome o = row_outcome(r->row[i]);
    return o == OUTCOME_OK || o == OUTCOME_NOISY ? o == OUTCOME_NOISY : (double)NAN;
}

static double of_clock(const struct rows *r, int64_t i) { return 1 - r->row[i]->clock_mhz / r->clock_max_mhz; }

static double of_dropped(const struct rows *r, int64_t i)
{
    const struct run_row *x = r->row[i];
    return x->dropped < 0 || x->samples < 0 ? (double)NAN : (double)x->dropped / (double)(x->dropped + x->samples);
}

static double of_rounds(const struct rows *r, int64_t i) { return r->row[i]->round_spread; }

static double of_spread(const struct rows *r, int64_t i)
{
    const float *q = r->row[i]->quantiles_us;
    return (double)((q[QUANTILES - 2] - q[1]) / q[QUANTILES / 2]);
}

static double of_quantiles(const struct rows *r, int64_t i)
{
    const struct run_row *x = r->row[i];
    double worst = fabs((double)x->quantiles_us[QUANTILES / 2] / x->time_us - 1);

    for (int k = 1; k < QUANTILES; k++)
        if (x->quantiles_us[k] < x->quantiles_us[k - 1])
            worst = INFINITY;
    return worst;
}

static double of_launch(const struct rows *r, int64_t i) { return 1 - r->row[i]->time_us / r->row[i]->t0_us; }

static double of_stream(const struct rows *r, int64_t i) { return 1 - r->row[i]->stream_us / r->row[i]->time_us; }

static double of_cold(const struct rows *r, int64_t i)
{
    const struct run_row *x = r->row[i], *warm = x->cache == COLD ? twin(r, i, x->precision, WARM) : NULL;
    return warm ? 1 - x->time_us / warm->time_us : (double)NAN;
}

static double of_precision(const struct rows *r, int64_t i)
{
    const struct run_row *x = r->row[i], *f32 = x->precision == F64 ? twin(r, i, F32, x->cache) : NULL;
    return f32 ? 1 - x->time_us / f32->time_us : (double)NAN;
}

/* ---- drift: medians of the quarters of the run ---- */

enum { QUARTERS = 4, QUARTER_ROWS = 25, SMALL_GRID = 1000 };

static double clock_of(const struct run_row *x) { return x->clock_mhz; }
static double launch_of(const struct run_row *x) { return x->blocks <= SMALL_GRID ? x->t0_us : (double)NAN; }

static int by_time(const void *a, const void *b)
{
    const struct run_row *x = *(const struct run_row *const *)a, *y = *(const struct run_row *const *)b;
    return strcmp(x->measured, y->measured);
}

/* Returns the difference between the greatest and the least median of the quarters, relative to the least; NaN: too few rows. */
static double drift(const struct rows *r, double (*of)(const struct run_row *))
{
    const struct run_row **row = xmalloc(((unsigned long)r->n + 1) * sizeof *row);
    double *value = xmalloc(((unsigned long)r->n + 1) * sizeof *value), least = INFINITY, most = 0;
    int64_t n = 0;

    for (int64_t i = 0; i < r->n; i++)
        if (row_outcome(r->row[i]) == OUTCOME_OK && of(r->row[i]) > 0)
            row[n++] = r->row[i];
    qsort(row, (size_t)n, sizeof *row, by_time);
    for (int k = 0; k < QUARTERS && n >= QUARTERS * QUARTER_ROWS; k++) {
        const int64_t from = n * k / QUARTERS, to = n * (k + 1) / QUARTERS;
        for (int64_t i = from; i < to; i++)
            value[i - from] = of(row[i]);
        const double median = stats_median(value, to - from);
        least = fmin(least, median);
        most = fmax(most, median);
    }
    free(row);
    free(value);
    return most > 0 ? most / least - 1 : (double)NAN;
}

/* ---- the checks ---- */

static const struct check {
    const char *name;
    double (*value)(const struct rows *, int64_t i);
    double (*drift_of)(const struct run_row *); /* value NULL: the drift of this */
    bool any_outcome;                           /* else only ok rows are looked at */
    double bound, limit_percent;
    const char *about;
} checks[] = {
    { "outcome", of_outcome, NULL, true, 0, 0, "wrong or crashed" },
    { "noise", of_noise, NULL, true, 0, 2, "disturbed by other processes, so noisy" },
    { "clock", of_clock, NULL, false, 0.03, 1, "clock more than 3 % below the highest of the run" },
    { "dropped", of_dropped, NULL, false, 1.0 / 3, 1, "more than a third of the samples dropped" },
    { "rounds", of_rounds, NULL, false, 0.5, 1, "medians of rounds more than 50 % apart" },
    { "spread", of_spread, NULL, false, 1, 1, "5 and 95 % quantiles further apart than the median" },
    { "quantiles", of_quantiles, NULL, false, 1e-3, 0, "quantiles not ascending, or not around the time" },
    { "launch", of_launch, NULL, false, 0.1, 0, "shorter than an empty kernel of the same grid" },
    { "stream", of_stream, NULL, false, 0.2, 0.5, "launched into a stream, more than 20 % faster than in a graph" },
    { "cold", of_cold, NULL, false, 0.2, 0.5, "with cold caches, more than 20 % faster than with warm ones" },
    { "precision", of_precision, NULL, false, 0.2, 2, "in f64, more than 20 % faster than in f32" },
    { "clock drift", NULL, clock_of, false, 0.015, 0,
      "median clocks of the quarters of the run more than 1.5 % apart" },
    { "launch drift", NULL, launch_of, false, 0.5, 0,
      "median empty kernels of the quarters of the run more than 50 % apart" },
};
enum { NCHECKS = sizeof checks / sizeof checks[0] };

const struct column quality_columns[] = {
    TEXT_COLUMN("file", "path as given"),
    TEXT_COLUMN("check", "name of the check"),
    INT_COLUMN("rows", "", "rows that it applies to; drift: 1 if there are enough rows"),
    INT_COLUMN("bad", "", "those that fail it"),
    REAL_COLUMN("bad_percent", "%", "share of them"),
    REAL_COLUMN("limit_percent", "%", "share that is allowed"),
    TEXT_COLUMN("status", "ok, bad, or - without rows"),
    REAL_COLUMN("worst", "", "greatest value of the check, by which rows are judged"),
    TEXT_COLUMN("worst_matrix", "its matrix"),
    TEXT_COLUMN("worst_config", "its configuration"),
    TEXT_COLUMN("about", "what a bad row is"),
    COLUMNS_END,
};

static bool check_rows(struct table *out, const char *path, const struct rows *r, const struct check *c)
{
    int64_t looked = 0, bad = 0;
    const struct run_row *worst_row = NULL;
    double worst = NAN;

    if (!c->value) {
        worst = drift(r, c->drift_of);
        looked = !isnan(worst);
        bad = worst > c->bound;
    }
    for (int64_t i = 0; c->value && i < r->n; i++) {
        const double value = c->any_outcome || row_outcome(r->row[i]) == OUTCOME_OK ? c->value(r, i) : (double)NAN;
        looked += !isnan(value);
        bad += value > c->bound;
        if (value > worst || (isnan(worst) && !isnan(value))) {
            worst = value;
            worst_row = r->row[i];
        }
    }
    const double percent = looked ? 100.0 * (double)bad / (double)looked : (double)NAN;
    const bool holds = !(percent > c->limit_percent);
    table_put_text(out, "file", path);
    table_put_text(out, "check", c->name);
    table_put_int(out, "rows", looked);
    table_put_int(out, "bad", bad);
    table_put_real(out, "bad_percent", percent, 3);
    table_put_real(out, "limit_percent", c->limit_percent, 3);
    table_put_text(out, "status", looked ? holds ? "ok" : "bad" : "-");
    table_put_real(out, "worst", worst, 3);
    table_put_text(out, "worst_matrix", bad && worst_row ? worst_row->matrix : "-");
    table_put_text(out, "worst_config", bad && worst_row ? worst_row->config : "-");
    table_put_text(out, "about", c->about);
    table_row_end(out);
    return holds;
}

bool quality_rows(struct table *out, const char *path, const struct runs *runs)
{
    struct rows r = { .row = xmalloc(((unsigned long)runs->nrows + 1) * sizeof *r.row), .n = runs->nrows };
    bool holds = true;

    for (int64_t i = 0; i < r.n; i++) {
        r.row[i] = &runs->rows[i];
        if (row_outcome(r.row[i]) == OUTCOME_OK)
            r.clock_max_mhz = fmax(r.clock_max_mhz, r.row[i]->clock_mhz);
    }
    qsort(r.row, (size_t)r.n, sizeof *r.row, compare);
    for (int k = 0; k < NCHECKS; k++)
        holds &= check_rows(out, path, &r, &checks[k]);
    free(r.row);
    return holds;
}
