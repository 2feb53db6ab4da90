/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction by a Gaussian process (learned.h): the mean from all points, the variance from the nearest points only
 * (Vecchia's approximation), so that profiles need not store a factorization. */
#include <math.h>
#include "models/physics_gp/learned_ask.h"

static double matern(double squares)
{
    const double r = sqrt(5.0 * squares);
    return (1.0 + r + r * r / 3.0) * exp(-r);
}

double gp_covariance(const struct learned_hyper *h, const float *a, const float *b)
{
    double squares = 0, product = 0, used = 0;
    for (int i = 0; i < NFEATURES; i++) {
        if (h->scale[i] <= 0)
            continue;
        const double d = h->scale[i] * ((double)a[i] - (double)b[i]);
        squares += d * d;
        product += (double)a[i] * (double)b[i];
        used++;
    }
    return h->amplitude * matern(squares) + h->linear * (1.0 + product / fmax(used, 1));
}

int gp_keep(double *best, int *index, int m, double value, int i)
{
    int at = m < LEARNED_NEAR ? m : LEARNED_NEAR - 1;
    if (m == LEARNED_NEAR && value <= best[at])
        return m;
    for (; at > 0 && best[at - 1] < value; at--) {
        best[at] = best[at - 1];
        index[at] = index[at - 1];
    }
    best[at] = value;
    index[at] = i;
    return m < LEARNED_NEAR ? m + 1 : m;
}

double gp_explained(double l[LEARNED_NEAR][LEARNED_NEAR], const double *k, int m)
{
    double v[LEARNED_NEAR], sum = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) {
            double s = l[i][j];
            for (int c = 0; c < j; c++)
                s -= l[i][c] * l[j][c];
            l[i][j] = i == j ? sqrt(fmax(s, 1e-12)) : s / l[j][j];
        }
        v[i] = k[i];
        for (int c = 0; c < i; c++)
            v[i] -= l[i][c] * v[c];
        v[i] /= l[i][i];
        sum += v[i] * v[i];
    }
    return sum;
}

/* gp_explained for the points with these indices. */
static double explained(const struct learned_hyper *h, const struct learned_point *p, const int *index, const double *k,
                        int m)
{
    double c[LEARNED_NEAR][LEARNED_NEAR];
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++)
            c[i][j] = gp_covariance(h, p[index[i]].z, p[index[j]].z) + (i == j ? h->noise : 0);
    return gp_explained(c, k, m);
}

double gp_centre(double mean, double variance)
{
    return mean - 1.5 * fmin(variance, GP_CENTRE_DEVIATION * GP_CENTRE_DEVIATION);
}

double gp_left(const struct learned_hyper *h, double own, double explained_by_points)
{
    return fmax(own - explained_by_points, 0.25 * h->noise);
}

void gp_ask(const struct learned_hyper *h, const struct learned_point *p, int64_t n, int slot, const float *z,
            struct gp_answer *a)
{
    double near[LEARNED_NEAR];
    *a = (struct gp_answer){ 0 };
    for (int64_t i = 0; i < n; i++) {
        const double k = gp_covariance(h, p[i].z, z);
        a->mean += (double)p[i].alpha[slot] * k;
        a->nnear = gp_keep(near, a->near, a->nnear, k, (int)i);
    }
    const double own = gp_covariance(h, z, z) + h->noise;
    a->variance = gp_left(h, own, explained(h, p, a->near, near, a->nnear));
}
