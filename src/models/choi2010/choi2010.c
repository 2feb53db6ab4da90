/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010, literal: an SM works on T thread blocks at once; L thread blocks on M SMs take I = ceil(L / (T M))
 * iterations (choi2010.h: the paper). With N steps per thread block:
 *
 *   first iteration   s1(N) + a(N) (T - 1)          s1(N) = s1o + gamma (N - 1)
 *   each between       s(N) + a(N) (T - 1)          s(N)  = gamma' N
 *   last               s(N) + a(N) floor(((L - 1) mod T M) / M)
 *   I = 1              s1(N) + a(N) (k - 1)         k = ceil(L / M), eq. 3
 *
 * Errata: eq. 15 takes s1o at N = 1, so eq. 13's gamma N is gamma (N - 1). Eqs. 7 and 20 print (L mod T M) - 1, which
 * is -1 if L is a multiple of T M. T = 1: a = 0, since eq. 17 divides by T - 1.
 * Inferred: N is the mean over the thread blocks of the blocks per block row with padding, divided by the threads per
 * block row; the paper does not define it. Its fill is that of the features (matrix/block_fill.h), which sample
 * block rows as in 6.4. The iterations of bcsr are those of its thread blocks, too. */
#include "models/choi2010/choi2010.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char name[] = "choi2010";
static const char *const term_names[3] = { "first iteration", "iterations between", "last iteration" };

/* ----------------------------------------------------------------------------------------------------------- model */
int64_t choi2010_iterations(const struct choi2010 *m, int64_t thread_blocks)
{
    const int64_t wave = m->resident * m->sms;
    return (thread_blocks + wave - 1) / wave;
}

double choi2010_time(const struct choi2010 *m, int64_t thread_blocks, double steps, double terms[3])
{
    const int64_t iterations = choi2010_iterations(m, thread_blocks), wave = m->resident * m->sms;
    const double first_s = m->first_s + m->first_step_s * (steps - 1.0), next_s = m->step_s * steps,
                 block_s = m->block_step_s * steps;
    double part[3] = { 0.0 };
    if (iterations == 1) {
        part[0] = first_s + block_s * (double)((thread_blocks + m->sms - 1) / m->sms - 1);
    } else {
        part[0] = first_s + block_s * (double)(m->resident - 1);
        part[1] = (double)(iterations - 2) * (next_s + block_s * (double)(m->resident - 1));
        part[2] = next_s + block_s * (double)((thread_blocks - 1) % wave / m->sms);
    }
    for (int i = 0; terms && i < 3; i++)
        terms[i] = part[i];
    return part[0] + part[1] + part[2];
}

/* ------------------------------------------------------------------------------------------------------------- fit */
/* The measured time with per_sm thread blocks per SM and `steps` steps; NaN: no such cell. */
static double phi(const struct choi_cells *c, int64_t per_sm, double steps)
{
    for (int64_t i = 0; i < c->n; i++)
        if (c->cell[i].per_sm == per_sm && c->cell[i].steps == steps)
            return c->cell[i].time_s;
    return NAN;
}

/* Calibration, eqs. 15 to 17. FAIL (why): cells are missing. */
static int choi2010_calibrate(const struct choi_cells *c, const struct target *t, const char *config,
                              struct choi2010 *m, char why[ERRLEN])
{
    struct occupancy o;
    if (c->n == 0)
        return fail(why, "%s: no dense matrix was measured; spmv-gen %s lists them", config, name);
    if (c->needs.registers < 1)
        return fail(why, "%s: the measured rows lack the registers of the kernel", config);
    occupancy_choi2010(&t->device, &c->needs, &o);
    *m = (struct choi2010){ .sms = t->device.sms, .resident = o.blocks, .first_s = phi(c, 1, 1.0) };
    if (o.blocks < 1)
        return fail(why, "%s: no thread block fits on an SM by choi2010's rule (%d threads, %d registers each)", config,
                    c->needs.threads, c->needs.registers);
    for (int64_t i = 0; i < c->n; i++) {
        m->per_sm_high = c->cell[i].per_sm > m->per_sm_high ? c->cell[i].per_sm : m->per_sm_high;
        const double b = c->cell[i].steps, one_s = phi(c, 1, b), full_s = phi(c, o.blocks, b),
                     more_s = phi(c, o.blocks + 1, b);
        if (b <= 1.0 || isnan(one_s) || isnan(full_s) || isnan(more_s))
            continue;
        m->steps_high = b; /* cells are sorted: the largest is last */
        m->first_step_s = (one_s - m->first_s) / (b - 1.0);
        m->step_s = (more_s - full_s) / b;
        m->block_step_s = o.blocks > 1 ? (full_s - one_s) / ((double)(o.blocks - 1) * b) : 0.0;
    }
    if (isnan(m->first_s) || m->steps_high <= 1.0)
        return fail(why,
                    "%s: lacks dense matrices of 1, %" PRId64 " and %" PRId64
                    " thread blocks per SM and of 1 step; spmv-gen %s lists them",
                    config, o.blocks, o.blocks + 1, name);
    return 0;
}

static int fit_one(const struct choi_cells *cells, const struct target *t, const char *config, struct coefs *c,
                   char why[ERRLEN])
{
    struct choi2010 m;
    if (choi2010_calibrate(cells, t, config, &m, why) != 0)
        return FAIL;
    const double high = m.steps_high;
    coefs_add(c, name, config, t, "T", 0, (double)m.resident, "", 1.0, (double)m.per_sm_high);
    coefs_add(c, name, config, t, "s1o", 0, m.first_s, "s", 1.0, high);
    coefs_add(c, name, config, t, "gamma", 0, m.first_step_s, "s", 1.0, high);
    coefs_add(c, name, config, t, "gamma'", 0, m.step_s, "s", 1.0, high);
    coefs_add(c, name, config, t, "a", 0, m.block_step_s, "s", 1.0, high);
    choi_needs_store(cells, name, config, t, c);
    double *errors = xmalloc((unsigned long)(cells->n + 1) * sizeof *errors);
    for (int64_t i = 0; i < cells->n; i++)
        errors[i] = fabs(
            choi2010_time(&m, cells->cell[i].per_sm * m.sms, cells->cell[i].steps, NULL) / cells->cell[i].time_s - 1.0);
    coefs_add_fit(c, name, config, t, errors, cells->n, cells->unused);
    free(errors);
    return 0;
}

static int fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    return choi_fit_all(runs, t, c, name, fit_one, why);
}

/* -------------------------------------------------------------------------------------------------------- forecast */
static int load(const struct profile *p, const char *config, const struct target *t, struct choi2010 *m)
{
    int64_t n;
    const struct coef_row *first = coefs_find(&p->coefs, name, config, t, "s1o", &n),
                          *full = coefs_find(&p->coefs, name, config, t, "T", &n);
    m->sms = p->device.sms;
    m->resident = full ? coefs_whole(full->value) : 0;
    m->per_sm_high = full ? coefs_whole(full->high) : 0;
    m->first_s = first ? first->value : NAN;
    m->steps_high = first ? first->high : NAN;
    m->first_step_s = coefs_value(&p->coefs, name, config, t, "gamma", 0);
    m->step_s = coefs_value(&p->coefs, name, config, t, "gamma'", 0);
    m->block_step_s = coefs_value(&p->coefs, name, config, t, "a", 0);
    return m->resident >= 1 ? 0 : FAIL;
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    char text[CONFIG_LEN], why[ERRLEN];
    struct choi2010 model;
    struct steps s;
    double terms[3];
    if (choi_find(p, m, config, t, name, text, why) != 0 || kernel_steps(m, config, &s) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    const double steps = steps_mean(&s);
    const int64_t blocks = s.thread_blocks;
    steps_free(&s);
    forecast_begin(f);
    if (load(p, text, t, &model) != 0) {
        forecast_refuse(f, "profile %s: damaged %s coefficients of %s", p->name, name, text);
        return;
    }
    f->time_s = choi2010_time(&model, blocks, steps, terms);
    if (!(f->time_s > 0.0)) {
        forecast_refuse(f, "the calibrated model gives %.4g us, not a positive time", f->time_s * 1e6);
        return;
    }
    for (int i = 0; i < 3; i++)
        forecast_add_term(f, term_names[i], terms[i]);
    snprintf(f->note, sizeof f->note,
             "I = %" PRId64 " iterations: L = %" PRId64 " thread blocks, T = %" PRId64 " of them on each of %" PRId64
             " SMs; N = %.4g steps; %s",
             choi2010_iterations(&model, blocks), blocks, model.resident, model.sms, steps,
             choi_fill_words(m, config).text);
    forecast_box(f, "steps per thread block", steps, 1.0, model.steps_high);
    forecast_box(f, "thread blocks per SM", (double)((blocks + model.sms - 1) / model.sms), 1.0,
                 (double)model.per_sm_high);
}

const struct model model_choi2010 = {
    .name = name,
    .about =
        "iterations of thread blocks over dense blocks, calibrated on dense matrices, as printed (errata corrected)",
    .source = "Choi, Singh, Vuduc: PPoPP 2010",
    .literal = true,
    .fit = fit,
    .serves = choi_serves,
    .predict = predict,
};
