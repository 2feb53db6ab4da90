/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits physics terms to one configuration (learn.h): minimizes the weighted sum of squared relative errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fit/learn.h"

/* ridge: for columns scaled to a root mean square of 1. Log errors above huber weigh less in later rounds. */
static const double ridge = 0.002, huber = 0.15;
enum { ROUNDS = 3 };

double learn_physics_us(const struct learn_case *c, double base_us, const float *b)
{
    double us = base_us;
    for (int k = 0; k < NTERMS; k++)
        us += (double)b[k] * (double)c->term[k];
    return fmax(us, PHYSICS_MIN_US);
}

/* Skipped bytes cost as much as those that are read, unless the cases say otherwise: adds the square of the difference of both coefficients,
 * with the weight of one case in which these bytes matter as much as on average. The unknowns are (b - least) scale. */
static void draw_together(const double *scale, const double *least, int skipped, int read, double *ata, double *aty)
{
    if (scale[skipped] <= 0 || scale[read] <= 0)
        return;
    const double s = scale[skipped] / scale[read], apart = scale[skipped] * (least[read] - least[skipped]);
    ata[skipped * NTERMS + skipped] += 1;
    ata[read * NTERMS + read] += s * s;
    ata[skipped * NTERMS + read] -= s;
    ata[read * NTERMS + skipped] -= s;
    aty[skipped] += apart;
    aty[read] -= s * apart;
}

/* Sectors of x that the caches miss only count if they take a share of the time in some case. Otherwise all cases read x near the diagonal,
 * and a coefficient fitted to their remainders would be of any size. */
static bool is_determined(const struct physics_fit *f, int term)
{
    const double least_share = 0.2;
    bool shows = term != TERM_missed_l1 && term != TERM_missed_l2;
    for (int i = 0; i < f->n && !shows; i++)
        shows = (double)f->at[i]->term[term] > least_share * f->at[i]->us;
    return shows;
}

void learn_physics(const struct physics_fit *f, const bool *use_term, double b[NTERMS])
{
    double scale[NTERMS], *extra = xmalloc((unsigned long)(f->n + 1) * sizeof *extra),
                          *base_us = xmalloc((unsigned long)(f->n + 1) * sizeof *base_us);
    for (int k = 0; k < NTERMS; k++) {
        double sum = 0;
        for (int i = 0; i < f->n; i++)
            sum += pow((double)f->at[i]->term[k] / f->at[i]->us, 2);
        scale[k] = use_term[k] && sum > 0 && is_determined(f, k) ? sqrt(sum / f->n) : 0;
        b[k] = use_term[k] ? f->least[k] : 0;
    }
    for (int i = 0; i < f->n; i++) {
        extra[i] = 1;
        base_us[i] = f->base_us[i];
        for (int k = 0; k < NTERMS; k++)
            base_us[i] += b[k] * (double)f->at[i]->term[k];
    }
    for (int round = 0; round < ROUNDS; round++) {
        double ata[NTERMS * NTERMS] = { 0 }, aty[NTERMS] = { 0 }, s[NTERMS];
        for (int i = 0; i < f->n; i++) {
            const struct learn_case *c = f->at[i];
            double row[NTERMS];
            const double y = 1 - base_us[i] / c->us, w = f->weight[i] * extra[i];
            for (int k = 0; k < NTERMS; k++)
                row[k] = scale[k] > 0 ? (double)c->term[k] / c->us / scale[k] : 0;
            for (int k = 0; k < NTERMS; k++) {
                if (row[k] == 0)
                    continue;
                aty[k] += w * row[k] * y;
                for (int j = 0; j <= k; j++)
                    ata[k * NTERMS + j] += w * row[k] * row[j];
            }
        }
        for (int k = 0; k < NTERMS; k++) {
            for (int j = 0; j < k; j++)
                ata[j * NTERMS + k] = ata[k * NTERMS + j];
            ata[k * NTERMS + k] += scale[k] > 0 ? f->n * ridge * ridge : 1;
        }
        draw_together(scale, f->least, TERM_skipped_l2, TERM_bytes_l2, ata, aty);
        draw_together(scale, f->least, TERM_skipped_memory, TERM_bytes_memory, ata, aty);
        nnls(NTERMS, ata, aty, s);
        for (int k = 0; k < NTERMS; k++)
            b[k] = (use_term[k] ? f->least[k] : 0) + (scale[k] > 0 ? s[k] / scale[k] : 0);
        for (int i = 0; i < f->n; i++) {
            double us = f->base_us[i];
            for (int k = 0; k < NTERMS; k++)
                us += b[k] * (double)f->at[i]->term[k];
            const double error = fabs(log(fmax(us, 0.1) / f->at[i]->us));
            extra[i] = 1 / fmax(1, error / huber);
        }
    }
    free(extra);
    free(base_us);
}
