/* SPDX-License-Identifier: BSD-3-Clause */
/* Rival "nearest": uses the time of the nearest measured matrix with the same configuration, precision and cache state;
 * the part above the time of an empty kernel is scaled by the ratio of nonzeros. The nearest matrix is the one of another
 * family (families.h) with the shortest Euclidean distance of the logarithms of rows, nonzeros, mean row length, max /
 * mean, 1 + sd / mean and x sectors (of groups of 32 rows) / nonzero. If the caller names no query, a measured matrix
 * with the same sizes, longest row, bandwidth, diagonals and sectors is assumed to be the query. The model refuses
 * matrices more than a factor of 2 outside the measured range of an axis. No forecast is below the shortest time that the
 * device allows (profile_min_time).
 * It is fitted as coefficients with key = first 47 digits of source_id; times_pack turns them into the profile's times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "models/cells.h"
#include "profile/times.h"

enum { NAXES = 6, KEY_DIGITS = 47, BEYOND = 2 };
static const char name[] = "nearest";
static const char *const axes[NAXES] = { "rows",       "nonzeros",      "mean row length",
                                         "max / mean", "1 + sd / mean", "x sectors / nonzero" };

/* A matrix as the logarithms of its axes, from its features or from its facts in an archive. */
struct point {
    double axis[NAXES];
};

static struct point point_of(double rows, double nnz, double mean, double max, double sd, double sectors)
{
    const double axis[NAXES] = { rows, nnz, mean, max / mean, 1.0 + sd / mean, sectors / nnz };
    struct point p;
    for (int i = 0; i < NAXES; i++)
        p.axis[i] = log(axis[i]);
    return p;
}

static struct point point_of_facts(const struct matrix_row *m, enum precision precision)
{
    const int64_t *sectors = m->sectors[precision];
    return point_of((double)m->rows, (double)m->nnz, m->row_mean, (double)m->row_max, m->row_sd,
                    (double)sectors[SECTORS_32]);
}

static void key_of(const char *source_id, char key[KEY_DIGITS + 1])
{
    size_t n = strlen(source_id);
    if (n > KEY_DIGITS)
        n = KEY_DIGITS;
    memcpy(key, source_id, n);
    key[n] = '\0';
}

static int fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    int64_t n = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct matrix_row *facts;
        char key[KEY_DIGITS + 1], general[CONFIG_LEN];
        struct config config;
        const struct features *m = runs_features(runs, r->source_id, &facts);
        if (!m || m->nnz == 0 || !run_row_is_example(r, facts) || !row_counts(r, t, r->role))
            continue;
        if (config_resolve_text(r->config, m, t, &config, why) != 0)
            return FAIL;
        config_as_asked(&config, r->asked, m, t, general);
        key_of(r->source_id, key);
        coefs_add(c, name, general, t, key, 0, row_time_us(r, t) * 1e-6, "s", NAN, NAN);
        n++;
    }
    return n ? 0
             : fail(why,
                    "no row of role matrix or train was measured; generate training recipes with spmv-gen physics-gp");
}

/* ----------------------------------------------------------------------------------------------------------
 * forecast */
struct search {
    struct point here, low, high;
    double best;
    const struct matrix_row *match;
    double time_s;
    int64_t candidates;
};

static void consider(struct search *s, const struct matrix_row *m, double time_s, enum precision precision)
{
    struct point there = point_of_facts(m, precision);
    double sum = 0.0;
    for (int a = 0; a < NAXES; a++) {
        double d = there.axis[a] - s->here.axis[a];
        sum += d * d;
        s->low.axis[a] = s->candidates ? fmin(s->low.axis[a], there.axis[a]) : there.axis[a];
        s->high.axis[a] = s->candidates ? fmax(s->high.axis[a], there.axis[a]) : there.axis[a];
    }
    s->candidates++;
    if (!s->match || sum < s->best) {
        s->best = sum;
        s->match = m;
        s->time_s = time_s;
    }
}

/* Searches all times of the configuration except those of the query's family. */
static void look_around(const struct profile *p, const struct measured_time *times, int64_t n, const struct features *m,
                        enum precision precision, struct search *s)
{
    bool *unrelated = times_unrelated(p, m);
    for (int64_t i = 0; i < n; i++)
        if (unrelated[times[i].matrix])
            consider(s, &p->measured.matrices[times[i].matrix], times[i].time_s, precision);
    free(unrelated);
}

/* Forecasts launch + (time - launch) x ratio of nonzeros, but no less than the device allows. */
static void scale(const struct profile *p, const struct features *m, const struct config *config,
                  const struct target *t, const struct search *s, struct forecast *f)
{
    const double t0 = profile_launch(p, t), launch_s = isnan(t0) ? 0.0 : t0,
                 least_s = profile_min_time(p, m, config, t),
                 scaled_s = fmax(s->time_s - launch_s, 0.0) * (double)m->nnz / (double)s->match->nnz;
    f->time_s = fmax(launch_s + scaled_s, least_s); /* fmax ignores NaN */
    if (!isnan(t0))
        forecast_add_term(f, "t0", t0);
    forecast_add_term(f, "(nearest - t0) x ratio of nonzeros", scaled_s);
    if (f->time_s > launch_s + scaled_s)
        forecast_add_term(f, "raised to bytes / bandwidth", f->time_s - launch_s - scaled_s);
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    char general[CONFIG_LEN], why[ERRLEN];
    int64_t n;
    struct search s = { .best = INFINITY };
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    s.here = point_of((double)m->rows, (double)m->nnz, m->row_mean, (double)m->row_max, m->row_sd,
                      (double)m->sectors[t->precision][SECTORS_32]);
    config_print(config, general);
    const struct measured_time *times = times_find(p, general, t, &n);
    if (n == 0) {
        config_general(config, m, t, general);
        times = times_find(p, general, t, &n);
    }
    look_around(p, times, n, m, t->precision, &s);
    if (!s.match) {
        forecast_refuse(f, "no matrix of another family was measured with %s, %s", general, target_words(t).text);
        return;
    }
    forecast_begin(f);
    for (int a = 0; a < NAXES; a++)
        forecast_box(f, axes[a], exp(s.here.axis[a]), exp(s.low.axis[a]), exp(s.high.axis[a]));
    if (f->distance > log(BEYOND) * (1.0 + 1e-9)) { /* exactly a factor of 2 is allowed */
        TEXT_SET(why, f->why);
        forecast_refuse(
            f, "%.380s, by more than a factor of %d; time similar matrices with spmv-run and fit the profile again",
            why, BEYOND);
        return;
    }
    scale(p, m, config, t, &s, f);
}

const struct model model_nearest = {
    .name = name,
    .about =
        "rival: time of the nearest measured matrix of another family, its part above the launch scaled by nonzeros",
    .source = "nearest neighbour, k = 1",
    .rival = true,
    .needs = "bandwidth", /* the time of an empty kernel, and the least time */
    .fit = fit,
    .predict = predict,
};
