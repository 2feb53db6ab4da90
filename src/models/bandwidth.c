/* SPDX-License-Identifier: BSD-3-Clause */
/* Rival "bandwidth": T = t0 + least bytes / bandwidth.
 * The bandwidth is the highest rate of any benchmark cell. There is one per precision, cache state and regime of the
 * working set (CSR, x and y), shared by all configurations. The regimes are resident, up to 2/3 of the last-level cache,
 * and streaming, above twice that cache. Between them the bandwidth is interpolated in log bytes; cold counts as streaming.
 * t0: median time of an empty kernel over the same cells, plus launch_more_us if launched into a stream. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "formats/format.h"
#include "models/cells.h"

/* Rates are taken only from cells that run for at least this many times t0; in shorter ones the error of t0
 * dominates. */
enum { T0_MARGIN = 4 };

static const char name[] = "bandwidth", everything[] = "*";
enum { NREGIMES = 2 };
static const char *const regime_keys[NREGIMES] = { "bandwidth_resident", "bandwidth_streaming" };

static int regime_of(const struct target *t, int64_t bytes)
{
    enum footprint f = t->cache == COLD ? STREAMING : footprint_class(&t->device, bytes);
    return f == RESIDENT ? 0 : f == STREAMING ? 1 : -1;
}

/* Returns the least bytes of a configuration; NaN: the features do not determine them. */
static double least_bytes(const struct features *f, const struct config *c, const struct target *t)
{
    struct traffic traffic = { 0 };

    return c->kernel->layout->traffic(f, c, t, &traffic) == 0 ? (double)traffic_least(&traffic) : NAN;
}

/* Those of a measured row. Its column least_bytes is not used: it may be of an older version. */
static double row_least_bytes(const struct runs *runs, const struct run_row *r, const struct target *t)
{
    const struct matrix_row *matrix;
    const struct features *f = runs_features(runs, r->source_id, &matrix);
    struct config config;
    char why[ERRLEN];

    return f && config_resolve_text(r->config, f, t, &config, why) == 0 ? least_bytes(f, &config, t) : NAN;
}

struct best {
    double rate;
    int64_t cells;
};

static void find_best(const struct runs *runs, const struct target *t, struct best best[NREGIMES], double *t0_s)
{
    double *t0 = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *t0);
    int64_t n = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        if (row_counts(r, t, "benchmark") && r->t0_us >= 0.0)
            t0[n++] = r->t0_us * 1e-6;
    }
    *t0_s = (n ? stats_median(t0, n) : 0.0) + 1e-6 * launch_more_us(runs, t, NULL);
    free(t0);
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        int regime = regime_of(t, r->footprint_bytes);
        double time_s = row_time_us(r, t) * 1e-6;
        if (!row_counts(r, t, "benchmark") || regime < 0 || time_s < T0_MARGIN * *t0_s)
            continue;
        const double bytes = row_least_bytes(runs, r, t);
        if (isnan(bytes))
            continue;
        best[regime].rate = fmax(best[regime].rate, bytes / (time_s - *t0_s));
        best[regime].cells++;
    }
}

static double bandwidth_at(const double rate[NREGIMES], const struct target *t, int64_t bytes)
{
    double low = 2.0 / 3.0 * (double)t->device.l2_bytes, high = 2.0 * (double)t->device.l2_bytes;
    int regime = regime_of(t, bytes);
    if (isnan(rate[0]) || (regime == 1 && !isnan(rate[1])))
        return rate[1];
    if (isnan(rate[1]) || regime == 0)
        return rate[0];
    double w = log((double)bytes / low) / log(high / low);
    return exp((1.0 - w) * log(rate[0]) + w * log(rate[1]));
}

static int fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    struct best best[NREGIMES] = { { 0.0, 0 }, { 0.0, 0 } };
    double t0_s, rate[NREGIMES];
    find_best(runs, t, best, &t0_s);
    if (best[0].cells + best[1].cells == 0)
        return fail(
            why,
            "no benchmark cell takes at least %d times as long as an empty kernel; measure larger cells of spmv-gen guo2014-regimes",
            T0_MARGIN);
    coefs_add(c, name, everything, t, "t0", 0, t0_s, "s", NAN, NAN);
    for (int i = 0; i < NREGIMES; i++) {
        rate[i] = best[i].cells ? best[i].rate : NAN;
        if (best[i].cells)
            coefs_add(c, name, everything, t, regime_keys[i], 0, rate[i], "B/s", NAN, NAN);
    }
    double *errors = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *errors);
    int64_t n = 0, unused = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        if (!row_counts(r, t, "benchmark"))
            continue;
        const double bytes = row_least_bytes(runs, r, t);
        if (isnan(bytes))
            unused++;
        else {
            const double time_s = t0_s + bytes / bandwidth_at(rate, t, r->footprint_bytes);
            errors[n++] = fabs(time_s / (row_time_us(r, t) * 1e-6) - 1.0);
        }
    }
    coefs_add_fit(c, name, everything, t, errors, n, unused);
    free(errors);
    return 0;
}

static void fitted_rates(const struct profile *p, const struct target *t, double rate[NREGIMES])
{
    for (int i = 0; i < NREGIMES; i++)
        rate[i] = coefs_value(&p->coefs, name, everything, t, regime_keys[i], 0);
}

double profile_bandwidth(const struct profile *p, const struct target *t, int64_t footprint)
{
    struct target on = *t;
    double rate[NREGIMES];

    on.device = p->device;
    fitted_rates(p, t, rate);
    return bandwidth_at(rate, &on, footprint);
}

double profile_launch(const struct profile *p, const struct target *t)
{
    return coefs_value(&p->coefs, name, everything, t, "t0", 0);
}

double profile_min_time(const struct profile *p, const struct features *m, const struct config *config,
                        const struct target *t)
{
    return profile_launch(p, t)
           + least_bytes(m, config, t)
                 / profile_bandwidth(p, t, footprint_bytes(m->rows, m->cols, m->nnz, t->precision));
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct target on = *t;
    double rate[NREGIMES];
    const double t0_s = profile_launch(p, t), least_s = profile_min_time(p, m, config, t);
    fitted_rates(p, t, rate);
    if (isnan(t0_s)) {
        forecast_refuse(f, "profile %s has no measured bandwidth for %s; measure it with spmv-profile", p->name,
                        target_words(t).text);
        return;
    }
    if (isnan(least_s)) {
        forecast_refuse(f, "cannot compute the bytes of layout %s from the features of the matrix",
                        config->kernel->layout->name);
        return;
    }
    on.device = p->device;
    const int64_t bytes = footprint_bytes(m->rows, m->cols, m->nnz, t->precision);
    const int regime = regime_of(&on, bytes);
    forecast_begin(f);
    f->time_s = least_s;
    forecast_add_term(f, "t0", t0_s);
    forecast_add_term(f, "bytes / bandwidth", least_s - t0_s);
    const double l2 = (double)p->device.l2_bytes;
    if (regime != 0 && isnan(rate[1]))
        forecast_box(f, "working set (bytes)", (double)bytes, 0.0, 2.0 / 3.0 * l2);
    else if (regime != 1 && isnan(rate[0]))
        forecast_box(f, "working set (bytes)", (double)bytes, 2.0 * l2, INFINITY);
}

const struct model model_bandwidth = {
    .name = name,
    .about = "rival: time of an empty kernel + least bytes / best measured bandwidth of the cache regime",
    .source = "the plain bandwidth bound",
    .rival = true,
    .fit = fit,
    .predict = predict,
};
