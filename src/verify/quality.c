/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of measured rows. Each gives a row a value, or NaN if it does not apply; a row is bad if its value is above the bound of the
 * check, and a check fails if the share of bad rows among those looked at is above its limit. The bounds are far from what
 * undisturbed runs show: of the archived ones of the H200, each check fails at most those that were disturbed. */
#include "verify/quality.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"

/* The rows of a run, and the number of the device of each. */
struct rows {
    struct runs *runs;
    int *device;
    struct device_facts {
        int64_t first;                                   /* its first ok row */
        double clock_max_mhz, clock_drift, launch_drift; /* of its ok rows */
    } * of;
};

static const struct run_row *row_at(const struct rows *r, int64_t i) { return &r->runs->rows[i]; }
static const struct device_facts *device_of(const struct rows *r, int64_t i) { return &r->of[r->device[i]]; }

/* Returns the ok row that differs from row i only in having this precision and cache state; NULL: there is none. */
static const struct run_row *twin(const struct rows *r, int64_t i, int64_t precision, int64_t cache)
{
    struct run_row key = *row_at(r, i);

    key.precision = precision;
    key.cache = cache;
    const struct run_row *t = runs_find(r->runs, &key);
    return t && row_outcome(t) == OUTCOME_OK ? t : NULL;
}

/* ---- devices ---- */

enum { QUARTERS = 4, QUARTER_ROWS = 25, SMALL_GRID = 1000 };

static double clock_of(const struct run_row *x) { return x->clock_mhz; }
static double launch_of(const struct run_row *x) { return x->blocks <= SMALL_GRID ? x->t0_us : (double)NAN; }

static int by_time(const void *a, const void *b)
{
    const struct run_row *x = *(const struct run_row *const *)a, *y = *(const struct run_row *const *)b;
    return strcmp(x->measured, y->measured);
}

/* Returns the difference between the greatest and the least of the medians of the quarters of a device's rows, in the order of their
 * measurement, relative to the least; NaN: too few rows. */
static double drift(const struct rows *r, int device, double (*of)(const struct run_row *))
{
    const unsigned long room = (unsigned long)r->runs->nrows + 1;
    const struct run_row **row = xmalloc(room * sizeof *row);
    double *value = xmalloc(room * sizeof *value), least = INFINITY, most = 0;
    int64_t n = 0;

    for (int64_t i = 0; i < r->runs->nrows; i++)
        if (r->device[i] == device && row_outcome(row_at(r, i)) == OUTCOME_OK && of(row_at(r, i)) > 0)
            row[n++] = row_at(r, i);
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

static void find_devices(struct rows *r)
{
    const struct runs *runs = r->runs;
    struct strlist keys = { 0 };

    run_rows_devices(runs->rows, runs->nrows, &keys);
    r->device = xcalloc((unsigned long)runs->nrows + 1, sizeof *r->device);
    r->of = xcalloc((unsigned long)keys.n + 1, sizeof *r->of);
    for (int64_t i = runs->nrows - 1; i >= 0; i--) {
        while (strcmp(keys.v[r->device[i]], row_at(r, i)->device_key) != 0)
            r->device[i]++;
        struct device_facts *d = &r->of[r->device[i]];
        if (row_outcome(row_at(r, i)) == OUTCOME_OK) {
            d->clock_max_mhz = fmax(d->clock_max_mhz, row_at(r, i)->clock_mhz);
            d->first = i;
        }
    }
    for (int k = 0; k < keys.n; k++) {
        r->of[k].clock_drift = drift(r, k, clock_of);
        r->of[k].launch_drift = drift(r, k, launch_of);
    }
    strlist_free(&keys);
}

/* ---- the value of a row ---- */

static double of_outcome(const struct rows *r, int64_t i)
{
    const enum row_outcome o = row_outcome(row_at(r, i));
    return o == OUTCOME_WRONG || o == OUTCOME_CRASHED ? 1 : o == OUTCOME_OK || o == OUTCOME_NOISY ? 0 : (double)NAN;
}

static double of_noise(const struct rows *r, int64_t i)
{
    const enum row_outcome o = row_outcome(row_at(r, i));
    return o == OUTCOME_OK || o == OUTCOME_NOISY ? o == OUTCOME_NOISY : (double)NAN;
}

static double of_clock(const struct rows *r, int64_t i)
{
    return 1 - row_at(r, i)->clock_mhz / device_of(r, i)->clock_max_mhz;
}

static double of_dropped(const struct rows *r, int64_t i)
{
    const struct run_row *x = row_at(r, i);
    return x->dropped < 0 || x->samples < 0 ? (double)NAN : (double)x->dropped / (double)(x->dropped + x->samples);
}

static double of_rounds(const struct rows *r, int64_t i) { return row_at(r, i)->round_spread; }

static double of_spread(const struct rows *r, int64_t i)
{
    const float *q = row_at(r, i)->quantiles_us;
    return (double)((q[QUANTILES - 2] - q[1]) / q[QUANTILES / 2]);
}

static double of_quantiles(const struct rows *r, int64_t i)
{
    const struct run_row *x = row_at(r, i);
    double worst = fabs((double)x->quantiles_us[QUANTILES / 2] / x->time_us - 1);

    for (int k = 1; k < QUANTILES; k++)
        if (x->quantiles_us[k] < x->quantiles_us[k - 1])
            worst = INFINITY;
    return worst;
}

static double of_launch(const struct rows *r, int64_t i) { return 1 - row_at(r, i)->time_us / row_at(r, i)->t0_us; }

static double of_stream(const struct rows *r, int64_t i) { return 1 - row_at(r, i)->stream_us / row_at(r, i)->time_us; }

static double of_cold(const struct rows *r, int64_t i)
{
    const struct run_row *x = row_at(r, i), *warm = x->cache == COLD ? twin(r, i, x->precision, WARM) : NULL;
    return warm ? 1 - x->time_us / warm->time_us : (double)NAN;
}

static double of_precision(const struct rows *r, int64_t i)
{
    const struct run_row *x = row_at(r, i), *f32 = x->precision == F64 ? twin(r, i, F32, x->cache) : NULL;
    return f32 ? 1 - x->time_us / f32->time_us : (double)NAN;
}

/* The drift of a device, as the value of its first ok row. */
static double of_clock_drift(const struct rows *r, int64_t i)
{
    return device_of(r, i)->first == i ? device_of(r, i)->clock_drift : (double)NAN;
}

static double of_launch_drift(const struct rows *r, int64_t i)
{
    return device_of(r, i)->first == i ? device_of(r, i)->launch_drift : (double)NAN;
}

/* ---- the checks ---- */

static const struct check {
    const char *name;
    double (*value)(const struct rows *, int64_t i);
    enum {
        OK_ROWS,
        ANY_OUTCOME,
        OF_DEVICE
    } looks; /* at which rows; OF_DEVICE: the value is not that of a single row */
    double bound, limit_percent;
    const char *about;
} checks[] = {
    { "outcome", of_outcome, ANY_OUTCOME, 0, 0, "wrong or crashed" },
    { "noise", of_noise, ANY_OUTCOME, 0, 2, "disturbed by other processes, so noisy" },
    { "clock", of_clock, OK_ROWS, 0.03, 1, "clock more than 3 % below the highest of the device" },
    { "dropped", of_dropped, OK_ROWS, 1.0 / 3, 1, "more than a third of the samples dropped" },
    { "rounds", of_rounds, OK_ROWS, 0.5, 1, "medians of rounds more than 50 % apart" },
    { "spread", of_spread, OK_ROWS, 1, 1, "5 and 95 % quantiles further apart than the median" },
    { "quantiles", of_quantiles, OK_ROWS, 1e-3, 0, "quantiles not ascending, or not around the time" },
    { "launch", of_launch, OK_ROWS, 0.1, 0, "shorter than an empty kernel of the same grid" },
    { "stream", of_stream, OK_ROWS, 0.2, 0.5, "launched into a stream, more than 20 % faster than in a graph" },
    { "cold", of_cold, OK_ROWS, 0.2, 0.5, "with cold caches, more than 20 % faster than with warm ones" },
    { "precision", of_precision, OK_ROWS, 0.2, 2, "in f64, more than 20 % faster than in f32" },
    { "clock drift", of_clock_drift, OF_DEVICE, 0.015, 0,
      "median clocks of the quarters of the run more than 1.5 % apart" },
    { "launch drift", of_launch_drift, OF_DEVICE, 0.5, 0,
      "median empty kernels of the quarters of the run more than 50 % apart" },
};
enum { NCHECKS = sizeof checks / sizeof checks[0] };

const struct column quality_columns[] = {
    TEXT_COLUMN("file", "path as given"),
    TEXT_COLUMN("check", "name of the check"),
    INT_COLUMN("rows", "", "rows that it applies to; drift: devices with enough rows"),
    INT_COLUMN("bad", "", "those that fail it"),
    REAL_COLUMN("bad_percent", "%", "share of them"),
    REAL_COLUMN("limit_percent", "%", "share that is allowed"),
    TEXT_COLUMN("status", "ok, bad, or - without rows"),
    REAL_COLUMN("worst", "", "greatest value of the check, by which rows are judged"),
    TEXT_COLUMN("worst_matrix", "its matrix; of drift: -"),
    TEXT_COLUMN("worst_config", "its configuration; of drift: -"),
    TEXT_COLUMN("about", "what a bad row is"),
    COLUMNS_END,
};

static bool check_rows(struct table *out, const char *path, const struct rows *r, const struct check *c)
{
    int64_t looked = 0, bad = 0;
    const struct run_row *worst_row = NULL;
    double worst = NAN;

    for (int64_t i = 0; i < r->runs->nrows; i++) {
        const bool looks = c->looks == ANY_OUTCOME || row_outcome(row_at(r, i)) == OUTCOME_OK;
        const double value = looks ? c->value(r, i) : (double)NAN;
        looked += !isnan(value);
        bad += value > c->bound;
        if (value > worst || (isnan(worst) && !isnan(value))) {
            worst = value;
            worst_row = row_at(r, i);
        }
    }
    const double percent = looked ? 100.0 * (double)bad / (double)looked : (double)NAN;
    const bool holds = !(percent > c->limit_percent), named = bad && c->looks != OF_DEVICE;
    table_put_text(out, "file", path);
    table_put_text(out, "check", c->name);
    table_put_int(out, "rows", looked);
    table_put_int(out, "bad", bad);
    table_put_real(out, "bad_percent", percent, 3);
    table_put_real(out, "limit_percent", c->limit_percent, 3);
    table_put_text(out, "status", looked ? holds ? "ok" : "bad" : "-");
    table_put_real(out, "worst", worst, 3);
    table_put_text(out, "worst_matrix", named ? worst_row->matrix : "-");
    table_put_text(out, "worst_config", named ? worst_row->config : "-");
    table_put_text(out, "about", c->about);
    table_row_end(out);
    return holds;
}

bool quality_rows(struct table *out, const char *path, struct runs *runs)
{
    struct rows r = { .runs = runs };
    bool holds = true;

    find_devices(&r);
    for (int k = 0; k < NCHECKS; k++)
        holds &= check_rows(out, path, &r, &checks[k]);
    free(r.device);
    free(r.of);
    return holds;
}
