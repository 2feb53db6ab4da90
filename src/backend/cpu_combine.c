/* SPDX-License-Identifier: BSD-3-Clause */
/* y = alpha t + beta y on the CPU: each thread has a range of elements. */
#include "backend/cpu_combine.h"

enum { ALONE = 20000 }; /* fewer elements are not worth a parallel region */

/* With beta 0, y may be unset, and NaN in it must not remain. */
#define COMBINE(name, real)                                                                                \
    static void name(int64_t n, real alpha, const real *t, real beta, real *y)                             \
    {                                                                                                      \
        const bool reads = beta < 0 || !(beta <= 0);                                                       \
        _Pragma("omp parallel for schedule(static) if (n > ALONE)") for (int64_t i = 0; i < n; i++) y[i] = \
            (t ? alpha * t[i] : 0) + (reads ? beta * y[i] : 0);                                            \
    }
COMBINE(combine_f32, float)
COMBINE(combine_f64, double)

int cpu_combine(struct device *d, enum precision p, int64_t n, double alpha, const void *t, double beta, void *y,
                struct stream *stream)
{
    (void)d, (void)stream;
    if (p == F32)
        combine_f32(n, (float)alpha, t, (float)beta, y);
    else
        combine_f64(n, alpha, t, beta, y);
    return 0;
}
