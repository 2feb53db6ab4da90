/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts rows by length with a stable radix sort within windows. Many or small windows are distributed over the
 * threads; if there are only a few large windows, all threads sort each one together. The order does not depend on
 * the number of threads. */
#include <omp.h>
#include <stdlib.h>
#include "formats/build.h"

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    SMALL_DIGIT_BITS = 8,
    FEW = 48,
    CHUNK_ROWS = 8192,
    ALONE_ROWS = 1 << 16
};

static int64_t length_of(const struct csr_view *a, int32_t row) { return a->end[row] - a->begin[row]; }

/* Sorts by one digit of (longest - length), `bits` wide, starting at bit `shift`, with `threads` threads, each of
 * which has one row of `count`. Each thread counts its digits, then moves its rows behind those of the preceding
 * threads. */
static void order_pass(const struct csr_view *a, const int32_t *from, int32_t *to, int64_t rows, int64_t longest,
                       int shift, int bits, int64_t (*count)[DIGITS], int threads)
{
    const int digits = 1 << bits;

#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const int t = omp_get_thread_num(), n = omp_get_num_threads();
        const int64_t first = rows * t / n, end = rows * (t + 1) / n;
        int64_t *mine = count[t];

        memset(mine, 0, (size_t)digits * sizeof *mine);
        for (int64_t k = first; k < end; k++)
            mine[(longest - length_of(a, from[k])) >> shift & (digits - 1)]++;
#pragma omp barrier
#pragma omp single
        for (int64_t d = 0, sum = 0; d < digits; d++)
            for (int k = 0; k < n; k++) {
                const int64_t here = count[k][d];
                count[k][d] = sum;
                sum += here;
            }
        for (int64_t k = first; k < end; k++)
            to[mine[(longest - length_of(a, from[k])) >> shift & (digits - 1)]++] = from[k];
    }
}

static void order_few(const struct csr_view *a, int32_t *row, int64_t rows)
{
    for (int64_t k = 1; k < rows; k++) {
        const int32_t moved = row[k];
        const int64_t length = length_of(a, moved);
        int64_t at = k;

        for (; at > 0 && length_of(a, row[at - 1]) < length; at--)
            row[at] = row[at - 1];
        row[at] = moved;
    }
}

static void order_window(const struct csr_view *a, int32_t *row, int32_t *other, int64_t rows, int64_t (*count)[DIGITS],
                         int threads)
{
    const int bits = rows < ALONE_ROWS ? SMALL_DIGIT_BITS : DIGIT_BITS;
    int64_t longest = 0, shortest = INT64_MAX;
    int32_t *from = row, *to = other;

    if (rows <= FEW) {
        order_few(a, row, rows);
        return;
    }
#pragma omp parallel for schedule(static) reduction(max                              \
                                                    : longest) reduction(min         \
                                                                         : shortest) \
    num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < rows; k++) {
        const int64_t length = length_of(a, row[k]);
        if (length > longest)
            longest = length;
        if (length < shortest)
            shortest = length;
    }
    for (int shift = 0; (longest - shortest) >> shift > 0; shift += bits) {
        int32_t *swap = from;
        order_pass(a, from, to, rows, longest, shift, bits, count, threads);
        from = to;
        to = swap;
    }
    if (from != row)
        memcpy(row, from, (size_t)rows * sizeof *row);
}

bool rows_order(const struct csr_view *a, int64_t window, int32_t *perm)
{
    if (a->rows == 0)
        return true;

    const int wanted = omp_get_max_threads(), threads = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    const int64_t windows = (a->rows + window - 1) / window;
    const int chunk = window < CHUNK_ROWS ? (int)(CHUNK_ROWS / window) : 1;
    /* a smaller window is not worth sorting with several threads */
    const bool many = windows >= threads || window < ALONE_ROWS;
    int32_t *other = array_alloc(a->rows, sizeof *other);
    int64_t(*count)[DIGITS] = array_alloc(threads, sizeof *count);
    const bool there = other && count;

    if (there) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < a->rows; i++)
            perm[i] = (int32_t)i;
#pragma omp parallel for schedule(dynamic, chunk) num_threads(threads) if (many)
        for (int64_t w = 0; w < windows; w++) {
            const int64_t first = w * window, rows = a->rows - first < window ? a->rows - first : window;
            order_window(a, perm + first, other + first, rows, many ? count + omp_get_thread_num() : count,
                         many ? 1 : threads);
        }
    }
    free(other);
    free(count);
    return there;
}
