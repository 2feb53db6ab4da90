/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction by a Gaussian process in single precision (gp_points.h): the formulas of gp.c for LANES points at a time.
 * The linear term of the mean is a sum over points that does not depend on z, so it is computed in advance. */
#include "models/physics_gp/gp_points.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/picked.h"

enum { LANES = 16 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

struct variant {
    const struct learned_hyper *hyper;
    int used, feature[NFEATURES];  /* number and indices of the features with a scale > 0 */
    float weight[NFEATURES];       /* 5 scale^2, as in sqrt(5 squares) */
    float linear;                  /* factor of the product of two points */
    double slope[NFEATURES], base; /* the linear term of the mean: base + slope z */
    float *z;                      /* [blocks][used][LANES]: read from end to end, so it comes fast from memory */
    float *alpha, *squares;        /* [blocks][LANES]; squares: sum of weight z^2 */
};

struct gp_points {
    int64_t n, blocks; /* blocks of LANES points; those beyond n are zero */
    struct variant variant[LEARNED_VARIANTS];
};

static double squares_of(const struct variant *v, const float *z)
{
    double sum = 0;
    for (int f = 0; f < v->used; f++)
        sum += (double)v->weight[f] * (double)z[v->feature[f]] * (double)z[v->feature[f]];
    return sum;
}

static void set_variant(struct variant *v, const struct learned_hyper *h, const struct learned_point *p, int64_t n,
                        int64_t blocks, int slot)
{
    double sum = 0, product[NFEATURES] = { 0 };
    *v = (struct variant){ .hyper = h };
    for (int k = 0; k < NFEATURES; k++) {
        if (h->scale[k] <= 0)
            continue;
        v->weight[v->used] = (float)(5 * h->scale[k] * h->scale[k]);
        v->feature[v->used++] = k;
    }
    for (int64_t i = 0; i < n; i++) {
        sum += (double)p[i].alpha[slot];
        for (int k = 0; k < v->used; k++)
            product[k] += (double)p[i].alpha[slot] * (double)p[i].z[v->feature[k]];
    }
    v->base = h->linear * sum;
    v->linear = (float)(h->linear / fmax(v->used, 1));
    for (int k = 0; k < v->used; k++)
        v->slope[k] = h->linear / fmax(v->used, 1) * product[k];
    v->z = xcalloc((unsigned long)(blocks * v->used * LANES) + 1, sizeof *v->z);
    v->alpha = xcalloc((unsigned long)(blocks * LANES) + 1, sizeof *v->alpha);
    v->squares = xcalloc((unsigned long)(blocks * LANES) + 1, sizeof *v->squares);
    for (int64_t i = 0; i < n; i++) {
        for (int f = 0; f < v->used; f++)
            v->z[(i / LANES * v->used + f) * LANES + i % LANES] = p[i].z[v->feature[f]];
        v->alpha[i] = p[i].alpha[slot];
        v->squares[i] = (float)squares_of(v, p[i].z);
    }
}

struct gp_points *gp_points_of(const struct learned_hyper *const hyper[LEARNED_VARIANTS], const struct learned_point *p,
                               int64_t n, int slot)
{
    struct gp_points *g = xcalloc(1, sizeof *g);
    g->n = n;
    g->blocks = (n + LANES - 1) / LANES;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        set_variant(&g->variant[v], hyper[v], p, n, g->blocks, slot + v);
    return g;
}

void gp_points_free(struct gp_points *g)
{
    if (!g)
        return;
    for (int v = 0; v < LEARNED_VARIANTS; v++) {
        free(g->variant[v].z);
        free(g->variant[v].alpha);
        free(g->variant[v].squares);
    }
    free(g);
}

/* Sets k to (1 + r + r^2 / 3) exp(-r) with r = sqrt(s), with a relative error of 3e-7; s above 6400, where k is 0, is
 * lowered. exp(-r) = 2^whole 2^part, with a polynomial for 2^part. */
static inline void matern(float s[LANES], float k[LANES])
{
    int32_t bits[LANES];
    float power[LANES];
#pragma omp simd
    for (int i = 0; i < LANES; i++)
        s[i] = s[i] < 6400.0F ? s[i] : 6400.0F;
#pragma omp simd
    for (int i = 0; i < LANES; i++)
        s[i] = s[i] > 0 ? s[i] : 0; /* rounding */
#pragma omp simd
    for (int i = 0; i < LANES; i++) {
        const float r = sqrtf(s[i]), x = r * -1.44269504F, whole = (x + 12582912.0F) - 12582912.0F, part = x - whole;
        float power_of_part = 0.00967842694F + part * 0.00133988245F;
        power_of_part = 0.0555040848F + part * power_of_part;
        power_of_part = 0.240226462F + part * power_of_part;
        power_of_part = 0.693147182F + part * power_of_part;
        k[i] = (1 + r + s[i] * (1.0F / 3)) * (1 + part * power_of_part);
        bits[i] = ((int32_t)whole + 127) * (1 << 23);
    }
    memcpy(power, bits, sizeof power);
#pragma omp simd
    for (int i = 0; i < LANES; i++)
        k[i] *= power[i];
}

/* The point that is asked about: sum of weight z^2 (squares_of), -2 weight z, z; of the used features of one variant. */
struct query {
    float squares, twice[NFEATURES], z[NFEATURES];
};

static inline void set_query(struct query *q, const struct variant *v, const float *z)
{
    q->squares = (float)squares_of(v, z);
    for (int f = 0; f < v->used; f++) {
        q->z[f] = z[v->feature[f]];
        q->twice[f] = -2 * v->weight[f] * q->z[f];
    }
}

/* Sets s to 5 times the scaled squared distances of LANES points z[used][LANES] from the query:
 * sum w (z - q)^2 = sum w z^2 - 2 sum w q z + sum w q^2. Its rounding error of 1e-6 hardly matters, because the
 * covariance is flat there. */
static inline void distances(const struct variant *v, const float *z, const float *squares, const struct query *q,
                             float s[LANES])
{
    lanes sum, at;
    memcpy(&sum, squares, sizeof sum);
    sum += q->squares;
    for (int f = 0; f < v->used; f++) {
        memcpy(&at, z + f * LANES, sizeof at);
        sum += q->twice[f] * at;
    }
    memcpy(s, &sum, sizeof sum);
}

PICKED_AT_RUN_TIME
static double mean_of(const struct gp_points *g, int variant, const float z[NFEATURES])
{
    const struct variant *v = &g->variant[variant];
    struct query q;
    set_query(&q, v, z);
    float sum[LANES] = { 0 };
    double near = 0, linear = v->base;
    for (int64_t b = 0; b < g->blocks; b++) {
        float s[LANES], k[LANES];
        distances(v, v->z + b * v->used * LANES, v->squares + b * LANES, &q, s);
        matern(s, k);
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            sum[i] += v->alpha[b * LANES + i] * k[i];
    }
    for (int i = 0; i < LANES; i++)
        near += (double)sum[i];
    for (int f = 0; f < v->used; f++)
        linear += v->slope[f] * (double)z[v->feature[f]];
    return v->hyper->amplitude * near + linear;
}

double gp_points_mean(const struct gp_points *g, int variant, const float z[NFEATURES])
{
    return mean_of(g, variant, z);
}

/* Sets c to the covariances of LANES points with the query. */
static inline void covariances(const struct variant *v, const float *z, const float *squares, const struct query *q,
                               float c[LANES])
{
    const float amplitude = (float)v->hyper->amplitude, linear = (float)v->hyper->linear, slope = v->linear;
    float s[LANES], product[LANES];
    lanes sum = { 0 }, at;
    distances(v, z, squares, q, s);
    matern(s, c);
    for (int f = 0; f < v->used; f++) {
        memcpy(&at, z + f * LANES, sizeof at);
        sum += q->z[f] * at;
    }
    memcpy(product, &sum, sizeof sum);
#pragma omp simd
    for (int i = 0; i < LANES; i++)
        c[i] = amplitude * c[i] + linear + slope * product[i];
}

static inline bool any_above(const float c[LANES], float limit)
{
    int32_t above = 0;
#pragma omp simd reduction(| : above)
    for (int i = 0; i < LANES; i++)
        above |= c[i] > limit;
    return above != 0;
}

PICKED_AT_RUN_TIME
static double variance_of(const struct gp_points *g, int variant, const float z[NFEATURES])
{
    _Static_assert((int)LEARNED_NEAR <= (int)LANES, "the nearest points fit into one block");
    const struct variant *v = &g->variant[variant];
    struct query q;
    double near[LEARNED_NEAR], matrix[LEARNED_NEAR][LEARNED_NEAR];
    int index[LEARNED_NEAR], m = 0;
    float c[LANES], close[NFEATURES * LANES] = { 0 }, close_squares[LANES] = { 0 };
    set_query(&q, v, z);
    for (int64_t b = 0; b < g->blocks; b++) {
        covariances(v, v->z + b * v->used * LANES, v->squares + b * LANES, &q, c);
        if (m == LEARNED_NEAR && !any_above(c, (float)near[LEARNED_NEAR - 1]))
            continue;
        for (int i = 0; i < LANES && b * LANES + i < g->n; i++)
            if (m < LEARNED_NEAR || (double)c[i] > near[LEARNED_NEAR - 1])
                m = gp_keep(near, index, m, (double)c[i], (int)(b * LANES) + i);
    }
    for (int i = 0; i < m; i++) {
        for (int f = 0; f < v->used; f++)
            close[f * LANES + i] = v->z[(index[i] / LANES * v->used + f) * LANES + index[i] % LANES];
        close_squares[i] = v->squares[index[i]];
    }
    for (int i = 0; i < m; i++) {
        q.squares = close_squares[i];
        for (int f = 0; f < v->used; f++) {
            q.z[f] = close[f * LANES + i];
            q.twice[f] = -2 * v->weight[f] * q.z[f];
        }
        covariances(v, close, close_squares, &q, c);
        for (int j = 0; j <= i; j++)
            matrix[i][j] = (double)c[j] + (i == j ? v->hyper->noise : 0);
    }
    const double own = gp_covariance(v->hyper, z, z) + v->hyper->noise;
    return gp_left(v->hyper, own, gp_explained(matrix, near, m));
}

double gp_points_variance(const struct gp_points *g, const float z[NFEATURES])
{
    double variance = 0;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        variance += variance_of(g, v, z) / LEARNED_VARIANTS;
    return variance;
}
