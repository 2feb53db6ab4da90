/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits length scales and variances of one kernel's Gaussian process (learn.h): L-BFGS on the negative log marginal likelihood
 * (Rasmussen and Williams, equations 2.30 and 5.9), summed over groups, with log-normal priors: inverse length scales around
 * exp(-1.5), linear variance around exp(-7). */
#include <lapacke.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>
#include "fit/learn.h"

enum { EVALUATIONS = 60, AMPLITUDE = 0, LINEAR = 1, NOISE = 2, NVARIANCES = 3 };
static const double scale_centre = -1.5, linear_centre = -7;

struct problem {
    const struct hyper_group *group;
    int ngroups, nused, used[NFEATURES], most;
    double prior, *k, *correlation, *inverse, *alpha; /* [most][most] */
};

static double add_group(const struct problem *p, const struct hyper_group *g, const double *theta, double *gradient)
{
    const int n = g->n, f = p->nused;
    double *k = p->k, *c = p->correlation, value = 0, scale[NFEATURES];
    const double amplitude = exp(theta[f + AMPLITUDE]), linear = exp(theta[f + LINEAR]), noise = exp(theta[f + NOISE]);
    for (int u = 0; u < f; u++)
        scale[u] = exp(theta[u]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double squares = 0, product = 0;
            for (int u = 0; u < f; u++) {
                const double a = (double)g->z[i][p->used[u]], b = (double)g->z[j][p->used[u]], d = scale[u] * (a - b);
                squares += d * d;
                product += a * b;
            }
            const double r = sqrt(5 * squares), e = exp(-r);
            c[i * n + j] = 5.0 / 3.0 * (1 + r) * e; /* -2 d matern / d squares */
            k[i * n + j] =
                amplitude * (1 + r + r * r / 3) * e + linear * (1 + product / f) + (i == j ? noise + g->noise[i] : 0);
            p->inverse[i * n + j] = k[i * n + j];
        }
    memcpy(p->alpha, g->r, (size_t)n * sizeof *p->alpha);
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, p->inverse, n) != 0)
        return INFINITY;
    for (int i = 0; i < n; i++)
        value += log(p->inverse[i * n + i]);
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, p->inverse, n, p->alpha, 1);
    for (int i = 0; i < n; i++)
        value += 0.5 * g->r[i] * p->alpha[i];
    if (!gradient)
        return value;
    LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, p->inverse, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double q = (i == j ? 0.5 : 1.0) * (p->inverse[i * n + j] - p->alpha[i] * p->alpha[j]),
                         qc = q * c[i * n + j] * amplitude;
            double product = 0;
            for (int u = 0; u < f; u++) {
                const double a = (double)g->z[i][p->used[u]], b = (double)g->z[j][p->used[u]], d = scale[u] * (a - b);
                gradient[u] -= qc * d * d;
                product += a * b;
            }
            const double of_linear = linear * (1 + product / f), of_noise = i == j ? noise : 0,
                         known = i == j ? g->noise[i] : 0;
            gradient[f + LINEAR] += q * of_linear;
            gradient[f + NOISE] += q * of_noise;
            gradient[f + AMPLITUDE] += q * (k[i * n + j] - of_linear - of_noise - known);
        }
    return value;
}

static double objective(unsigned n, const double *theta, double *gradient, void *data)
{
    const struct problem *p = data;
    double value = 0;
    if (gradient)
        memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < p->ngroups; i++)
        value += add_group(p, &p->group[i], theta, gradient);
    for (int u = 0; u < p->nused; u++) {
        value += p->prior * pow(theta[u] - scale_centre, 2);
        if (gradient)
            gradient[u] += 2 * p->prior * (theta[u] - scale_centre);
    }
    const double off = theta[p->nused + LINEAR] - linear_centre;
    if (gradient)
        gradient[p->nused + LINEAR] += off;
    return value + 0.5 * off * off;
}

/* On entry h->scale > 0 marks the features to use; the values do not matter. */
void learn_hyper(const struct hyper_group *group, int ngroups, double prior, struct learned_hyper *h)
{
    struct problem p = { .group = group, .ngroups = ngroups, .prior = prior };
    double theta[NFEATURES + NVARIANCES], low[NFEATURES + NVARIANCES], high[NFEATURES + NVARIANCES], least;
    for (int i = 0; i < NFEATURES; i++)
        if (h->scale[i] > 0)
            p.used[p.nused++] = i;
    for (int i = 0; i < ngroups; i++)
        p.most = group[i].n > p.most ? group[i].n : p.most;
    const unsigned long square = (unsigned long)p.most * (unsigned long)p.most;
    p.k = xmalloc((square + 1) * sizeof *p.k);
    p.correlation = xmalloc((square + 1) * sizeof *p.correlation);
    p.inverse = xmalloc((square + 1) * sizeof *p.inverse);
    p.alpha = xmalloc(((unsigned long)p.most + 1) * sizeof *p.alpha);
    const unsigned n = (unsigned)(p.nused + NVARIANCES);
    for (int u = 0; u < p.nused; u++) {
        theta[u] = scale_centre;
        low[u] = -6;
        high[u] = 2.5;
    }
    const double start[NVARIANCES] = { log(0.05), linear_centre, log(0.0009) },
                 least_of[NVARIANCES] = { -8, -14, log(0.0001) }, most_of[NVARIANCES] = { 1.5, 0, 0 };
    for (int i = 0; i < NVARIANCES; i++) {
        theta[p.nused + i] = start[i];
        low[p.nused + i] = least_of[i];
        high[p.nused + i] = most_of[i];
    }
    nlopt_opt o = nlopt_create(NLOPT_LD_LBFGS, n);
    nlopt_set_lower_bounds(o, low);
    nlopt_set_upper_bounds(o, high);
    nlopt_set_min_objective(o, objective, &p);
    nlopt_set_maxeval(o, EVALUATIONS);
    nlopt_set_ftol_rel(o, 1e-5);
    if (ngroups > 0)
        nlopt_optimize(o, theta, &least); /* theta is the best point found, for every return code */
    nlopt_destroy(o);
    for (int u = 0; u < p.nused; u++)
        h->scale[p.used[u]] = exp(theta[u]);
    h->amplitude = exp(theta[p.nused + AMPLITUDE]);
    h->linear = exp(theta[p.nused + LINEAR]);
    h->noise = exp(theta[p.nused + NOISE]);
    free(p.k);
    free(p.correlation);
    free(p.inverse);
    free(p.alpha);
}
