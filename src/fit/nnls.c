/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonnegative least squares on normal equations (learn.h). */
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "base/strings.h"
#include "fit/learn.h"

/* Unconstrained solution over the columns in `in`; 0 elsewhere. Returns false if they are linearly dependent. */
static bool solve(int m, const double *ata, const double *aty, const bool *in, double *b)
{
    double a[NNLS_MAX * NNLS_MAX], y[NNLS_MAX];
    int index[NNLS_MAX], n = 0;
    for (int i = 0; i < m; i++)
        if (in[i])
            index[n++] = i;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * n + j] = ata[index[i] * m + index[j]];
        y[i] = aty[index[i]];
    }
    memset(b, 0, (size_t)m * sizeof *b);
    if (n > 0 && LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', n, 1, a, n, y, 1) != 0)
        return false;
    for (int i = 0; i < n; i++)
        b[index[i]] = y[i];
    return true;
}

void nnls(int m, const double *ata, const double *aty, double *b)
{
    bool in[NNLS_MAX] = { false }, tried[NNLS_MAX] = { false };
    double s[NNLS_MAX], scale = 0;
    if (m > NNLS_MAX)
        bug("nnls: %s exceed the maximum of %d", counted(m, "column").text, NNLS_MAX);
    memset(b, 0, (size_t)m * sizeof *b);
    for (int i = 0; i < m; i++)
        scale = fmax(scale, fabs(aty[i]));
    for (int round = 0; round < 10 * m; round++) {
        int best = -1;
        double most = 1e-12 * scale;
        for (int i = 0; i < m; i++) {
            double w = aty[i];
            for (int j = 0; j < m; j++)
                w -= ata[i * m + j] * b[j];
            if (!in[i] && !tried[i] && w > most) {
                most = w;
                best = i;
            }
        }
        if (best < 0)
            return;
        in[best] = true;
        for (bool inside = false; !inside;) {
            inside = true;
            if (!solve(m, ata, aty, in, s)) { /* linearly dependent column */
                in[best] = false;
                tried[best] = true;
                break;
            }
            double step = 1;
            for (int i = 0; i < m; i++)
                if (in[i] && s[i] <= 0 && b[i] - s[i] > 0)
                    step = fmin(step, b[i] / (b[i] - s[i]));
            for (int i = 0; i < m; i++) {
                if (in[i] && s[i] <= 0)
                    inside = false;
                b[i] += in[i] ? step * (s[i] - b[i]) : 0;
            }
            for (int i = 0; i < m && !inside; i++)
                if (in[i] && b[i] <= 1e-15) {
                    in[i] = false;
                    b[i] = 0;
                }
        }
        if (in[best])
            memset(tried, 0, sizeof tried);
        else
            tried[best] = true;
    }
}
