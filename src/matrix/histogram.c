/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms of row lengths (ascending values with their counts) and features derived from them alone (features.h). */
#include "matrix/features.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void histogram_from_lengths(const int64_t *lengths, int64_t n, int group, struct histogram *h)
{
    int64_t groups = (n + group - 1) / group, distinct = 0;
    int64_t *top = xcalloc((unsigned long)groups + 1, sizeof *top);
    for (int64_t i = 0; i < n; i++)
        if (lengths[i] > top[i / group])
            top[i / group] = lengths[i];
    qsort(top, (size_t)groups, sizeof *top, ascending);
    for (int64_t i = 0; i < groups; i++)
        distinct += i == 0 || top[i] != top[i - 1];
    h->n = 0;
    h->value = xmalloc((unsigned long)(distinct + 1) * sizeof *h->value);
    h->count = xmalloc((unsigned long)(distinct + 1) * sizeof *h->count);
    for (int64_t i = 0; i < groups; i++) {
        if (i == 0 || top[i] != top[i - 1]) {
            h->value[h->n] = top[i];
            h->count[h->n++] = 0;
        }
        h->count[h->n - 1]++;
    }
    free(top);
}

void histogram_free(struct histogram *h)
{
    free(h->value);
    free(h->count);
    memset(h, 0, sizeof *h);
}

int64_t histogram_hyb_rows(int64_t rows) { return rows > 3 * 4096 ? (rows + 2) / 3 : 4096; }

int64_t histogram_hyb_k(const struct histogram *h, int64_t rows)
{
    const int64_t least = histogram_hyb_rows(rows);
    int64_t at_least = 0; /* rows with at least value[i] nonzeros */
    for (int i = h->n - 1; i >= 0; i--) {
        at_least += h->count[i];
        if (at_least >= least)
            return h->value[i];
    }
    return 0;
}

int64_t histogram_mode(const struct histogram *h)
{
    int64_t mode = 0, most = 0;
    for (int i = 0; i < h->n; i++)
        if (h->count[i] > most) {
            most = h->count[i];
            mode = h->value[i];
        }
    return mode;
}

void heaviest_add(int64_t sum[HEAVIEST], int64_t heaviest[HEAVIEST], int64_t i, int64_t length, bool last)
{
    for (int k = 0; k < HEAVIEST; k++) {
        sum[k] += length;
        if (((i + 1) & ((1 << k) - 1)) != 0 && !last)
            break;
        length = sum[k];
        if (length > heaviest[k])
            heaviest[k] = length;
        sum[k] = 0;
    }
}
