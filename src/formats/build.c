/* SPDX-License-Identifier: BSD-3-Clause */
/* What the layouts' builds share: row offsets, common errors, traffic of x and y. */
#include "formats/build.h"
#include <inttypes.h>
#include <omp.h>

int offsets_reach(int64_t n, const char *what, char why[ERRLEN])
{
    if (n <= offsets_max)
        return 0;
    return fail(why, "%" PRId64 " %s exceed the 32-bit offset limit %" PRId64 "; split the rows with spmv-plan", n,
                what, offsets_max);
}

int64_t offsets_find(const int32_t *off, int64_t rows, int64_t at)
{
    int64_t low = 0, high = rows;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (off[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void view_offsets(const struct csr_view *a, int32_t *off, int64_t *row_max)
{
    int64_t sum[THREADS_MAX + 1] = { 0 }, longest = 0;
    const int wanted = omp_get_max_threads();

#pragma omp parallel num_threads(wanted < THREADS_MAX ? wanted : THREADS_MAX) reduction(max : longest)
    {
        const int t = omp_get_thread_num(), n = omp_get_num_threads();
        const int64_t first = a->rows * t / n, end = a->rows * (t + 1) / n;
        int64_t mine = 0;

        for (int64_t i = first; i < end; i++) {
            const int64_t length = a->end[i] - a->begin[i];
            mine += length;
            if (length > longest)
                longest = length;
        }
        sum[t + 1] = mine;
#pragma omp barrier
#pragma omp single
        for (int k = 0; k < n; k++)
            sum[k + 1] += sum[k];
        mine = sum[t];
        for (int64_t i = first; i < end; i++) {
            off[i] = (int32_t)mine;
            mine += a->end[i] - a->begin[i];
        }
        if (t == n - 1)
            off[a->rows] = (int32_t)mine;
    }
    *row_max = longest;
}

int build_overflow(char why[ERRLEN], int64_t row, int64_t rows)
{
    if (row >= rows)
        return 0;
    return fail(why, "row %" PRId64 " (0-based) has a value that overflows f32; use f64", row);
}

void traffic_vectors(const struct features *f, const struct target *t, struct traffic *out)
{
    const int64_t bytes = precision_bytes(t->precision);

    out->x_least = f->sectors[t->precision][SECTORS_ALL] * SECTOR_BYTES;
    out->y = f->rows * bytes;
    out->flops = 2 * f->nnz;
}
