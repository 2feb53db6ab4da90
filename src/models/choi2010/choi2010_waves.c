/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010-waves: fit of all configurations, coefficients and forecast (choi2010_waves.h). */
#include "models/choi2010/choi2010_waves.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/cells.h"

static const char waves_name[] = "choi2010-waves";
static const char everything[] = "*";
static const char *const floor_keys[NWAVES] = { "gamma_resident", "gamma_streaming" };
static const char *const base_keys[NWAVES] = { "a0_resident", "a0_streaming" };
static const char *const block_keys[NWAVES] = { "a1_resident", "a1_streaming" };

/* ------------------------------------------------------------------------------------------------------------- fit */
static int fit_one(const struct choi_cells *cells, const struct target *t, const char *config, struct coefs *c,
                   char why[ERRLEN])
{
    struct waves w;
    if (waves_fit(cells, t, config, &w, why) != 0)
        return FAIL;
    coefs_add(c, waves_name, config, t, "T", 0, (double)w.resident, "", 0.0, w.per_sm_high);
    coefs_add(c, waves_name, config, t, "o", 0, w.launch_s, "s", w.bytes_low, w.bytes_high);
    coefs_add(c, waves_name, config, t, "delta", 0, w.block_s, "s", NAN, NAN);
    for (int r = 0; r < NWAVES; r++) {
        coefs_add(c, waves_name, config, t, floor_keys[r], 0, w.step[r].floor_s, "s", 0.0, w.steps_high);
        coefs_add(c, waves_name, config, t, base_keys[r], 0, w.step[r].base_s, "s", 0.0, w.steps_high);
        coefs_add(c, waves_name, config, t, block_keys[r], 0, w.step[r].block_s, "s", 0.0, w.steps_high);
    }
    choi_needs_store(cells, waves_name, config, t, c);
    double *errors = xmalloc((unsigned long)(cells->n + 1) * sizeof *errors);
    for (int64_t i = 0; i < cells->n; i++)
        errors[i] = waves_error(&w, t, &cells->cell[i]);
    coefs_add_fit(c, waves_name, config, t, errors, cells->n, cells->unused);
    free(errors);
    return 0;
}

static int load(const struct coefs *c, const char *config, const struct target *t, struct waves *w)
{
    int64_t n;
    const struct coef_row *full = coefs_find(c, waves_name, config, t, "T", &n),
                          *launch = coefs_find(c, waves_name, config, t, "o", &n),
                          *step = coefs_find(c, waves_name, config, t, floor_keys[0], &n);
    memset(w, 0, sizeof *w);
    if (!full || !launch || !step || full->value < 1.0)
        return FAIL;
    w->sms = t->device.sms;
    w->resident = coefs_whole(full->value);
    w->per_sm_high = full->high;
    w->launch_s = launch->value;
    w->bytes_low = launch->low;
    w->bytes_high = launch->high;
    w->steps_high = step->high;
    w->block_s = coefs_value(c, waves_name, config, t, "delta", 0);
    for (int r = 0; r < NWAVES; r++)
        w->step[r] = (struct wave_step){ coefs_value(c, waves_name, config, t, floor_keys[r], 0),
                                         coefs_value(c, waves_name, config, t, base_keys[r], 0),
                                         coefs_value(c, waves_name, config, t, block_keys[r], 0) };
    const struct coef_row *gather = coefs_find(c, waves_name, everything, t, "gather", &n);
    for (; w->gather.n < n && w->gather.n < GATHERS; w->gather.n++) {
        w->gather.log2_bytes[w->gather.n] = (double)gather[w->gather.n].index;
        w->gather.rate[w->gather.n] = gather[w->gather.n].value;
    }
    return 0;
}

/* G: for each size of x, the best rate of any configuration on matrices of random columns, without o and delta L. */
static void fit_gathers(const struct runs *runs, const struct target *t, struct coefs *c)
{
    double rate[GATHERS] = { 0.0 };
    coefs_sort(c);
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct matrix_row *facts;
        const struct config *config = config_known(r->config, NULL);
        struct waves w;
        struct steps s;
        const struct features *f = row_counts(r, t, "benchmark") ? runs_features(runs, r->source_id, &facts) : NULL;
        if (!f || f->nnz == 0 || f->row_min == f->cols || strcmp(facts->place, "random") != 0 || !config
            || load(c, r->config, t, &w) != 0 || kernel_steps(f, config, &s) != 0)
            continue;
        const double left_s = row_time_us(r, t) * 1e-6 - w.launch_s - w.block_s * (double)s.thread_blocks;
        const int at = (int)lround(log2((double)(f->cols * precision_bytes(t->precision))));
        if (at >= 0 && at < GATHERS && left_s > 0.0)
            rate[at] = fmax(rate[at], waves_sectors(f, t->precision, s.warp_rows) / left_s);
        steps_free(&s);
    }
    for (int i = 0; i < GATHERS; i++)
        if (rate[i] > 0.0)
            coefs_add(c, waves_name, everything, t, "gather", i, rate[i], "1/s", NAN, NAN);
}

static int fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    if (choi_fit_all(runs, t, c, waves_name, fit_one, why) != 0)
        return FAIL;
    fit_gathers(runs, t, c);
    return 0;
}

/* -------------------------------------------------------------------------------------------------------- forecast */
static void fill(const struct waves *w, const struct features *m, const struct config *config, const struct target *t,
                 const struct steps *s, double bytes, struct forecast *f)
{
    struct wave_terms terms;
    const double x_bytes = (double)(m->cols * precision_bytes(t->precision)), weight = waves_weight(t, bytes);
    f->time_s = waves_time(w, s, weight, x_bytes, waves_sectors(m, t->precision, s->warp_rows), &terms);
    if (!(f->time_s > 0.0)) {
        forecast_refuse(f, "the fitted model gives %.4g us, not a positive time", f->time_s * 1e6);
        return;
    }
    forecast_add_term(f, "launch", terms.launch_s);
    forecast_add_term(f, "thread blocks", terms.blocks_s);
    forecast_add_term(f, "steps", terms.steps_s);
    forecast_add_term(f, "gathers of x beyond the steps", terms.gathers_s);
    snprintf(f->note, sizeof f->note,
             "L = %" PRId64 " thread blocks, up to T = %" PRId64 " of them on each of %" PRId64
             " SMs; %.4g steps on average, %.4g at most; %.0f %% from memory; %s%s",
             s->thread_blocks, w->resident, w->sms, steps_mean(s), s->n ? s->steps[s->n - 1] : 0.0, 100 * weight,
             choi_fill_words(m, config).text, w->gather.n ? "" : "; gathers of x were not measured");
    forecast_box(f, "steps per thread block", steps_mean(s), 1.0, w->steps_high);
    forecast_box(f, "thread blocks per SM", (double)s->thread_blocks / (double)w->sms, 0.0, w->per_sm_high);
    forecast_box(f, "working set (bytes)", bytes, 0.0, w->bytes_high);
    if (w->gather.n)
        forecast_box(f, "x (bytes)", x_bytes, 0.0, exp2(w->gather.log2_bytes[w->gather.n - 1]));
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    char text[CONFIG_LEN], why[ERRLEN];
    struct target on = *t;
    struct traffic traffic = { 0 };
    struct waves w;
    struct steps s;
    on.device = p->device;
    if (choi_find(p, m, config, &on, waves_name, text, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    if (load(&p->coefs, text, &on, &w) != 0 || config->kernel->layout->traffic(m, config, &on, &traffic) != 0
        || kernel_steps(m, config, &s) != 0) {
        forecast_refuse(f, "profile %s: incomplete %s coefficients of %s, or its bytes cannot be computed", p->name,
                        waves_name, text);
        return;
    }
    forecast_begin(f);
    fill(&w, m, config, &on, &s, choi_bytes(traffic_storage(&traffic), m, on.precision), f);
    steps_free(&s);
}

const struct model model_choi2010_waves = {
    .name = waves_name,
    .about = "choi2010 with uneven thread blocks, the hardware's occupancy, gathers of x, and two cache regimes",
    .source = "adapted from Choi, Singh, Vuduc: PPoPP 2010",
    .fit = fit,
    .serves = choi_serves,
    .predict = predict,
};
