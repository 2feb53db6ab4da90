/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010-waves: computes the terms of its formula (choi2010_waves.h). */
#include <math.h>
#include "models/choi2010/choi2010_waves.h"

double waves_step(const struct waves *w, int regime, double per_sm, double busy)
{
    const double full = (double)w->resident, k = fmin(fmax(per_sm, 1.0), full);
    double time_s = 0.0;
    for (int r = 0; r <= regime; r++)
        time_s = fmax(time_s, fmax(w->step[r].floor_s, w->step[r].base_s + w->step[r].block_s * busy * k));
    return time_s * fmax(per_sm / full, 1.0);
}

double waves_weight(const struct target *t, double bytes)
{
    const double low = 2.0 / 3.0 * (double)t->device.l2_bytes, high = 2.0 * (double)t->device.l2_bytes;
    if (t->cache == COLD || bytes >= high || !(low > 0.0))
        return 1.0;
    return bytes <= low ? 0.0 : log(bytes / low) / log(high / low);
}

double waves_gather(const struct waves *w, double x_bytes)
{
    const double at = log2(fmax(x_bytes, 1.0));
    int i = 1;
    if (w->gather.n == 0)
        return INFINITY;
    if (w->gather.n == 1 || at <= w->gather.log2_bytes[0])
        return w->gather.rate[0];
    while (i + 1 < w->gather.n && w->gather.log2_bytes[i] < at)
        i++;
    const double low = w->gather.log2_bytes[i - 1], share = fmin((at - low) / (w->gather.log2_bytes[i] - low), 1.0);
    return w->gather.rate[i - 1] * pow(w->gather.rate[i] / w->gather.rate[i - 1], share);
}

double waves_sectors(const struct features *f, enum precision p, double warp_rows)
{
    static const double rows[] = { 1.0, 32.0, 1024.0 };
    const int i = warp_rows > rows[1] ? 1 : 0;
    const double low = (double)f->sectors[p][SECTORS_ROW + i], high = (double)f->sectors[p][SECTORS_ROW + i + 1],
                 share = fmin(log(fmax(warp_rows, 1.0) / rows[i]) / log(rows[i + 1] / rows[i]), 1.0);
    return low > 0.0 && high > 0.0 ? low * pow(high / low, share) : 0.0;
}

/* The steps of all thread blocks: g of those that have not finished, step by step. */
static double all_steps(const struct waves *w, const struct steps *s, int regime)
{
    double left = (double)s->thread_blocks, busy = 0.0, before = 0.0, sum = 0.0;
    for (int i = 0; i < s->n; i++)
        busy += s->steps[i] > 0.0 ? s->count[i] * s->work[i] / s->steps[i] : 0.0;
    for (int i = 0; i < s->n; i++) {
        if (s->steps[i] > before)
            sum += (s->steps[i] - before) * waves_step(w, regime, left / (double)w->sms, busy / left);
        before = s->steps[i];
        left -= s->count[i];
        busy -= s->steps[i] > 0.0 ? s->count[i] * s->work[i] / s->steps[i] : 0.0;
    }
    return sum;
}

double waves_time(const struct waves *w, const struct steps *s, double weight, double x_bytes, double sectors,
                  struct wave_terms *terms)
{
    const double gathers_s = sectors / waves_gather(w, x_bytes);
    *terms = (struct wave_terms){ .launch_s = w->launch_s, .blocks_s = w->block_s * (double)s->thread_blocks };
    for (int r = 0; r < NWAVES; r++) {
        const double share = r == WAVE_STREAMING ? weight : 1.0 - weight, steps_s = all_steps(w, s, r);
        terms->steps_s += share * steps_s;
        terms->gathers_s += share * fmax(gathers_s - steps_s, 0.0);
    }
    return terms->launch_s + terms->blocks_s + terms->steps_s + terms->gathers_s;
}

double waves_error(const struct waves *w, const struct target *t, const struct choi_cell *c)
{
    double steps = c->steps, count = (double)(c->per_sm * w->sms);
    const struct steps s = {
        .thread_blocks = c->per_sm * w->sms, .n = 1, .steps = &steps, .count = &count, .work = &steps
    };
    struct wave_terms terms;
    return fabs(waves_time(w, &s, waves_weight(t, c->bytes), 0.0, 0.0, &terms) / c->time_s - 1.0);
}
