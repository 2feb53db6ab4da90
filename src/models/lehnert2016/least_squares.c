/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear least squares (least_squares.h). */
#include "models/lehnert2016/least_squares.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/error.h"

static const double dependent = 1e-7;

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Subtracts from v its projections onto the first `columns` of q, which are orthonormal or zero; adds them to r. */
static void orthogonalize(const double *q, int columns, int64_t n, double *v, double *r)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < columns; k++) {
            const double part = dot(q + k * n, v, n);
            r[k] += part;
            for (int64_t i = 0; i < n; i++)
                v[i] -= part * q[k * n + i];
        }
}

void least_squares(const double *x, const double *y, int64_t n, int m, double *b)
{
    double r[LEAST_SQUARES_MAX + 1][LEAST_SQUARES_MAX + 1] = { { 0 } };
    bool used[LEAST_SQUARES_MAX] = { false };
    const int columns = m + 1;
    /* the columns of Q, then what is left of y */
    double *q = xmalloc(((unsigned long)n * (unsigned long)(columns + 1) + 1) * sizeof *q), *rest = q + columns * n;
    for (int64_t i = 0; i < n; i++) {
        q[i] = 1;
        for (int k = 0; k < m; k++)
            q[(k + 1) * n + i] = x[i * m + k];
        rest[i] = y[i];
    }
    for (int k = 0; k < columns; k++) {
        double *v = q + k * n;
        const double whole = sqrt(dot(v, v, n));
        orthogonalize(q, k, n, v, r[k]);
        const double left = sqrt(dot(v, v, n));
        used[k] = left > dependent * whole;
        r[k][k] = used[k] ? left : 1;
        for (int64_t i = 0; i < n; i++)
            v[i] = used[k] ? v[i] / left : 0;
    }
    orthogonalize(q, columns, n, rest, r[columns]);
    for (int k = columns - 1; k >= 0; k--) {
        b[k] = r[columns][k];
        for (int j = k + 1; j < columns; j++)
            b[k] -= r[j][k] * b[j];
        b[k] = used[k] ? b[k] / r[k][k] : 0;
    }
    free(q);
}
