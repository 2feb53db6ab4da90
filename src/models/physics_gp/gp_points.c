/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction by a Gaussian process in single precision (gp_points.h): the formulas of gp.c for LANES points at a time.
 * The linear term of the mean is a sum over points that does not depend on z, so it is computed in advance. */
#include "models/physics_gp/gp_points.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/picked.h"

enum { LANES = 16, WIDE = 4, SPAN = WIDE * LANES /* points that are predicted from side by side */ };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

struct row {        /* one feature of all points */
    const float *z; /* of the first span */
    int64_t next;   /* floats to the next span */
};

struct variant {
    const struct learned_hyper *hyper;
    int used, feature[NFEATURES];  /* number and indices of the features with a scale > 0 */
    struct row row[NFEATURES];     /* by used feature */
    float weight[NFEATURES];       /* 5 scale^2, as in sqrt(5 squares) */
    float linear;                  /* factor of the product of two points */
    double slope[NFEATURES], base; /* the linear term of the mean: base + slope z */
    float *alpha, *squares;        /* [spans][SPAN]; squares: sum of weight z^2 */
};

struct gp_points {
    int64_t n, spans; /* points beyond n are zero */
    float *memory;    /* of all arrays. The features of all variants are apart from the others, and all are stored once:
                       * [spans][features][SPAN]. Reading them takes as long as computing. */
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
                        int slot)
{
    double sum = 0, product[NFEATURES] = { 0 };
    v->hyper = h;
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
    for (int64_t i = 0; i < n; i++) {
        v->alpha[i] = p[i].alpha[slot];
        v->squares[i] = (float)squares_of(v, p[i].z);
    }
}

/* Stores features of the points at z, [spans][n][SPAN]. Returns the end. */
static float *set_rows(struct gp_points *g, const struct learned_point *p, const int *feature, int n, float *z)
{
    for (int64_t i = 0; i < g->n; i++)
        for (int k = 0; k < n; k++)
            z[(i / SPAN * n + k) * SPAN + i % SPAN] = p[i].z[feature[k]];
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        for (int f = 0; f < g->variant[v].used; f++)
            for (int k = 0; k < n; k++)
                if (feature[k] == g->variant[v].feature[f])
                    g->variant[v].row[f] = (struct row){ z + k * SPAN, n * SPAN };
    return z + g->spans * n * SPAN;
}

struct gp_points *gp_points_of(const struct learned_hyper *const hyper[LEARNED_VARIANTS], const struct learned_point *p,
                               int64_t n, int slot)
{
    struct gp_points *g = xcalloc(1, sizeof *g);
    int feature[2][NFEATURES], used[2] = { 0 };
    for (int k = 0; k < NFEATURES; k++) {
        int users = 0;
        for (int v = 0; v < LEARNED_VARIANTS; v++)
            users += hyper[v]->scale[k] > 0;
        if (users > 0)
            feature[users < LEARNED_VARIANTS][used[users < LEARNED_VARIANTS]++] = k;
    }
    g->n = n;
    g->spans = (n + SPAN - 1) / SPAN;
    const int64_t each = g->spans * SPAN;
    g->memory = xcalloc((unsigned long)(each * (used[0] + used[1] + 2 * LEARNED_VARIANTS) + LANES), sizeof *g->memory);
    float *at = g->memory + (LANES - (uintptr_t)g->memory / sizeof *at % LANES) % LANES; /* aligned vectors */
    for (int v = 0; v < LEARNED_VARIANTS; v++, at += 2 * each) {
        g->variant[v] = (struct variant){ .alpha = at, .squares = at + each };
        set_variant(&g->variant[v], hyper[v], p, n, slot + v);
    }
    for (int i = 0; i < 2; i++)
        at = set_rows(g, p, feature[i], used[i], at);
    return g;
}

void gp_points_free(struct gp_points *g)
{
    if (!g)
        return;
    free(g->memory);
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

/* Adds the products of the used features of wide x LANES points with factor. */
static inline void add_products(lanes sum[], int wide, const struct variant *v, const struct row *row, int64_t span,
                                const float *factor)
{
    for (int f = 0; f < v->used; f++) {
        const float *z = row[f].z + span * row[f].next;
        for (int w = 0; w < wide; w++) {
            lanes at;
            memcpy(&at, z + w * LANES, sizeof at);
            sum[w] += factor[f] * at;
        }
    }
}

/* Sets k to the Matern terms of wide x LANES points with the query, from 5 times their scaled squared distances:
 * sum w (z - q)^2 = sum w z^2 - 2 sum w q z + sum w q^2. Its rounding error of 1e-6 hardly matters, because the
 * covariance is flat there. squares: of these points. */
static inline void materns(float k[][LANES], int wide, const struct variant *v, const struct row *row, int64_t span,
                           const float *squares, const struct query *q)
{
    float s[WIDE][LANES];
    lanes sum[WIDE];
    memcpy(sum, squares, (size_t)wide * sizeof *sum);
    for (int w = 0; w < wide; w++)
        sum[w] += q->squares;
    add_products(sum, wide, v, row, span, q->twice);
    memcpy(s, sum, (size_t)wide * sizeof *sum);
    for (int w = 0; w < wide; w++)
        matern(s[w], k[w]);
}

PICKED_AT_RUN_TIME
static double mean_of(const struct gp_points *g, int variant, const float z[NFEATURES])
{
    const struct variant *v = &g->variant[variant];
    struct query q;
    set_query(&q, v, z);
    float sum[LANES] = { 0 };
    double near = 0, linear = v->base;
    for (int64_t b = 0; b < g->spans; b++) {
        float k[WIDE][LANES];
        materns(k, WIDE, v, v->row, b, v->squares + b * SPAN, &q);
        for (int w = 0; w < WIDE; w++)
#pragma omp simd
            for (int i = 0; i < LANES; i++)
                sum[i] += v->alpha[b * SPAN + w * LANES + i] * k[w][i];
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

/* Sets c to the covariances of wide x LANES points with the query. */
static inline void covariances(float c[][LANES], int wide, const struct variant *v, const struct row *row, int64_t span,
                               const float *squares, const struct query *q)
{
    const float amplitude = (float)v->hyper->amplitude, linear = (float)v->hyper->linear, slope = v->linear;
    float product[WIDE][LANES];
    lanes sum[WIDE] = { 0 };
    materns(c, wide, v, row, span, squares, q);
    add_products(sum, wide, v, row, span, q->z);
    memcpy(product, sum, (size_t)wide * sizeof *sum);
    for (int w = 0; w < wide; w++)
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            c[w][i] = amplitude * c[w][i] + linear + slope * product[w][i];
}

/* Returns a bit for each value above the limit. */
static inline uint32_t above(const float c[LANES], float limit)
{
    uint32_t bits = 0;
#pragma omp simd reduction(| : bits)
    for (int i = 0; i < LANES; i++)
        bits |= (uint32_t)(c[i] > limit) << i;
    return bits;
}

/* Finds the points with the greatest covariances with the query. Returns their number. */
PICKED_AT_RUN_TIME
static int nearest(const struct gp_points *g, const struct variant *v, const struct query *q, double *near, int *index)
{
    int m = 0;
    for (int64_t b = 0; b < g->spans; b++) {
        float c[WIDE][LANES];
        covariances(c, WIDE, v, v->row, b, v->squares + b * SPAN, q);
        for (int w = 0; w < WIDE; w++) {
            const int64_t first = b * SPAN + w * LANES, left = g->n - first;
            uint32_t bits = above(c[w], m < LEARNED_NEAR ? -INFINITY : (float)near[LEARNED_NEAR - 1]);
            if (left < LANES)
                bits &= left > 0 ? (1U << left) - 1 : 0;
            for (; bits; bits &= bits - 1) {
                const int i = __builtin_ctz(bits);
                m = gp_keep(near, index, m, (double)c[w][i], (int)first + i);
            }
        }
    }
    return m;
}

PICKED_AT_RUN_TIME
static double variance_of(const struct gp_points *g, int variant, const float z[NFEATURES])
{
    _Static_assert((int)LEARNED_NEAR <= (int)LANES, "the nearest points fit into one vector");
    const struct variant *v = &g->variant[variant];
    struct query q;
    double near[LEARNED_NEAR], matrix[LEARNED_NEAR][LEARNED_NEAR];
    int index[LEARNED_NEAR];
    float c[1][LANES], close[NFEATURES][LANES] = { { 0 } }, squares[LANES] = { 0 };
    struct row row[NFEATURES];
    set_query(&q, v, z);
    const int m = nearest(g, v, &q, near, index);
    for (int f = 0; f < v->used; f++) {
        row[f] = (struct row){ close[f], 0 };
        for (int i = 0; i < m; i++)
            close[f][i] = v->row[f].z[index[i] / SPAN * v->row[f].next + index[i] % SPAN];
    }
    for (int i = 0; i < m; i++)
        squares[i] = v->squares[index[i]];
    for (int i = 0; i < m; i++) {
        q.squares = squares[i];
        for (int f = 0; f < v->used; f++) {
            q.z[f] = close[f][i];
            q.twice[f] = -2 * v->weight[f] * q.z[f];
        }
        covariances(c, 1, v, row, 0, squares, &q);
        for (int j = 0; j <= i; j++)
            matrix[i][j] = (double)c[0][j] + (i == j ? v->hyper->noise : 0);
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

double gp_points_least_variance(const struct gp_points *g)
{
    double variance = 0;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        variance += gp_left(g->variant[v].hyper, 0, 0) / LEARNED_VARIANTS;
    return variance;
}
