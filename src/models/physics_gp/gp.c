/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction by a Gaussian process (learned.h): the mean from all points, the variance from the nearest points only
 * (Vecchia's approximation), so that profiles need not store a factorization. */
#include <math.h>
#include <string.h>
#include "models/physics_gp/learned_ask.h"

enum { PAIRS = 4, LANES = 2 * PAIRS };
typedef double pair __attribute__((vector_size(2 * sizeof(double)))); /* every processor adds two at a time */

/* r: sqrt(5 squares); power: exp(-r) */
static inline double matern(double r, double power) { return (1.0 + r + r * r / 3.0) * power; }

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
    const double r = sqrt(5.0 * squares);
    return h->amplitude * matern(r, exp(-r)) + h->linear * (1.0 + product / fmax(used, 1));
}

/* Sets k to the covariances of LANES points with one: the bits of gp_covariance. */
static void covariances(const struct learned_hyper *h, const float *const a[LANES], const float *b, double k[LANES])
{
    pair squares[PAIRS] = { { 0 } }, product[PAIRS] = { { 0 } };
    double used = 0;
    for (int i = 0; i < NFEATURES; i++) {
        if (h->scale[i] <= 0)
            continue;
        for (int q = 0; q < PAIRS; q++) {
            const pair of = { (double)a[2 * q][i], (double)a[2 * q + 1][i] }, d = h->scale[i] * (of - (double)b[i]);
            squares[q] += d * d;
            product[q] += of * (double)b[i];
        }
        used++;
    }
    used = fmax(used, 1);
    double r[LANES], power[LANES], products[LANES];
    memcpy(r, squares, sizeof r);
    memcpy(products, product, sizeof products);
    for (int q = 0; q < LANES; q++)
        r[q] = sqrt(5.0 * r[q]);
    for (int q = 0; q < LANES; q++)
        power[q] = exp(-r[q]);
    for (int q = 0; q < LANES; q++)
        k[q] = h->amplitude * matern(r[q], power[q]) + h->linear * (1.0 + products[q] / used);
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

/* Takes the points i <= k < n with these indices, at most LANES; the last one fills the other lanes. Returns their number. */
static int take(const struct learned_point *p, const int *index, int64_t i, int64_t n, const float *at[LANES])
{
    const int taken = n - i < LANES ? (int)(n - i) : LANES;
    for (int q = 0; q < LANES; q++) {
        const int64_t k = i + (q < taken ? q : taken - 1);
        at[q] = p[index ? index[k] : k].z;
    }
    return taken;
}

/* gp_explained for the points with these indices. */
static double explained(const struct learned_hyper *h, const struct learned_point *p, const int *index, const double *k,
                        int m)
{
    double c[LEARNED_NEAR][LEARNED_NEAR], of[LANES];
    const float *at[LANES];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j += LANES) {
            const int n = take(p, index, j, i + 1, at);
            covariances(h, at, p[index[i]].z, of);
            memcpy(&c[i][j], of, (size_t)n * sizeof *of);
        }
        c[i][i] += h->noise;
    }
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
    double near[LEARNED_NEAR], k[LANES];
    const float *at[LANES];
    *a = (struct gp_answer){ 0 };
    for (int64_t i = 0; i < n; i += LANES) {
        const int taken = take(p, NULL, i, n, at);
        covariances(h, at, z, k);
        for (int q = 0; q < taken; q++) {
            a->mean += (double)p[i + q].alpha[slot] * k[q];
            a->nnear = gp_keep(near, a->near, a->nnear, k[q], (int)i + q);
        }
    }
    const double own = gp_covariance(h, z, z) + h->noise;
    a->variance = gp_left(h, own, explained(h, p, a->near, near, a->nnear));
}
