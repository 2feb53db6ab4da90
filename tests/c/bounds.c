/* SPDX-License-Identifier: BSD-3-Clause */
/* No product takes less than an empty kernel plus its least bytes at the greatest rate of the device (learned_min_us):
 *     bounds rows PROFILE RUN.h5...    measured rows of the profile's device
 *     bounds drawn PROFILE N           forecasts of N random matrices and block-diagonal copies of them
 * Prints what breaks its bound and a line with the numbers. Status 1: something does. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "models/model.h"
#include "models/physics_gp/learned_ask.h"
#include "profile/profile.h"
#include "random_matrix.h"
#include "runs/rows.h"

/* Rows that the profile was not fitted to were measured by other processes, whose times differ by so much. */
static const double repeatable = 0.05;
enum { CONFIGS = 24, SHOWN = 10 };
static struct profile profile;
static int64_t asked, broken, bound;

static void breaks(const char *matrix, const char *config, const struct target *t, double time_us, double least_us)
{
    if (broken++ < SHOWN)
        printf("%s, %s, %s: %g us, at least %g us\n", matrix, config, target_words(t).text, time_us, least_us);
}

/* Sets *x to the physics of a configuration that the profile has. Returns its learned configuration; NULL: unknown. */
static const struct learned_config *physics_in(const struct features *f, const struct config *c, const struct target *t,
                                               struct physics *x)
{
    const struct learned *l = profile.learned;
    char why[ERRLEN];
    const struct learned_config *known = learned_find_resolved(l->config, l->nconfigs, c, f, t);
    return known && physics_of(f, c, t, (int)known->registers, known->shared_bytes, x, why) == 0 ? known : NULL;
}

static double least_of(const struct learned_bound *b, const struct physics *x)
{
    const struct learned *l = profile.learned;
    return learned_min_us(learned_t0(l->launch, l->nlaunch, &x->grid), b, x);
}

static void check_row(const struct runs *runs, const struct run_row *r)
{
    const struct matrix_row *m;
    const struct features *f = runs_features(runs, r->source_id, &m);
    for (int index = 0; index < LEARNED_TARGETS; index++) {
        struct target t = learned_target_at(index, (enum precision)r->precision);
        struct config config;
        struct physics x;
        char why[ERRLEN];
        const double us = t.launch == GRAPH ? r->time_us : r->stream_us;
        const struct learned_bound *b = learned_bound_of(profile.learned, &t);
        t.device = profile.device;
        if (!f || f->nnz == 0 || !b || (int)t.cache != r->cache || !(us > 0)
            || config_resolve_text(r->config, f, &t, &config, why) != 0 || !physics_in(f, &config, &t, &x))
            continue;
        const double least_us = least_of(b, &x);
        asked++;
        if (us < (1 - repeatable) * least_us)
            breaks(m->matrix, r->config, &t, us, least_us);
    }
}

static void check_archive(const char *path)
{
    struct runs runs = { 0 };
    char why[ERRLEN];
    if (runs_load(path, &runs, why) != 0)
        die("%s", why);
    runs_index(&runs);
    for (int64_t i = 0; i < runs.nrows; i++) {
        const struct run_row *r = &runs.rows[i];
        if (strcmp(r->outcome, "ok") == 0 && !*r->part && strcmp(r->role, "plan") != 0
            && strcmp(r->device_key, profile.device_key) == 0)
            check_row(&runs, r);
    }
    runs_free(&runs);
}

/* Makes f the features of n copies along the diagonal, nearly: groups of rows do not cross copies. */
static void copies(struct features *f, int64_t n)
{
    f->rows *= n;
    f->cols *= n;
    f->nnz *= n;
    f->row_empty *= n;
    f->spread /= (double)n;
    for (int k = 0; k < GROUPS; k++)
        for (int i = 0; i < f->lengths[k].n; i++)
            f->lengths[k].count[i] *= n;
    for (int p = 0; p < NPRECISIONS; p++)
        for (int k = 0; k < NSECTORS; k++)
            f->sectors[p][k] *= n;
    for (int k = 0; k < BLOCK_FILLS; k++)
        f->fill_entries[k] *= n;
}

static void check_drawn(const struct random_matrix *m, const struct csr *a)
{
    const struct learned *l = profile.learned;
    struct features f;
    features_of(a, &f);
    const int64_t most = f.nnz > 0 ? 300000000 / f.nnz : 0;
    if (most > 0)
        copies(&f, (int64_t)exp(log((double)most) * (random_draw(m, OF_VIEW, 7, 0) % 1000) / 999.0));
    for (int i = 0; i < CONFIGS && f.nnz > 0; i++) {
        const struct learned_config *c = &l->config[random_draw(m, OF_VIEW, 8, i) % l->nconfigs];
        struct target t =
            learned_target_at((int)(random_draw(m, OF_VIEW, 9, i) % LEARNED_TARGETS), (enum precision)c->precision);
        const struct learned_bound *b = learned_bound_of(l, &t);
        struct config config;
        struct forecast forecast;
        struct physics x;
        char why[ERRLEN];
        t.device = profile.device;
        if (!b || config_resolve_text(c->config, &f, &t, &config, why) != 0
            || kernel_applicable(&f, &config, &t, why) != 0 || !physics_in(&f, &config, &t, &x))
            continue;
        model_find(model_default)->predict(&profile, &f, &config, &t, &forecast);
        if (forecast.status == FORECAST_REFUSED)
            continue;
        const double least_us = least_of(b, &x) + b->state_us, us = 1e6 * forecast.time_s;
        asked++;
        bound += us < least_us * (1 + 1e-9);
        if (us < least_us * (1 - 1e-9) || 1e6 * forecast.low_s < least_us * (1 - 1e-9)
            || forecast.low_s > forecast.time_s || !(forecast.high_s > forecast.time_s))
            breaks(m->text, c->config, &t, us, least_us);
    }
    features_free(&f);
}

int main(int argc, char **argv)
{
    char why[ERRLEN];
    error_program("bounds");
    if (argc < 4)
        die("usage: bounds rows|drawn PROFILE RUN.h5...|N");
    if (profile_load(argv[2], &profile, why) != 0 || !profile.learned)
        die("%s: no learned forecasts", argv[2]);
    if (strcmp(argv[1], "rows") == 0)
        for (int i = 3; i < argc; i++)
            check_archive(argv[i]);
    else {
        setenv("PROPERTY_N", argv[3], 1);
        each_random_matrix(check_drawn);
    }
    printf("%" PRId64 " times, %" PRId64 " below their bound, %" PRId64 " raised to it\n", asked, broken, bound);
    profile_free(&profile);
    return broken > 0;
}
