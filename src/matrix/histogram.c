/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms of row lengths (ascending values with their counts) and features derived from them alone (features.h). */
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "matrix/features.h"
#include "matrix/length_tally.h"

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct length_tally length_tally_open(int64_t counted, int64_t room)
{
    return (struct length_tally){ .counted = counted,
                                  .count = xcalloc((unsigned long)counted + 1, sizeof(int64_t)),
                                  .room = room,
                                  .longer = xmalloc((unsigned long)(room + 1) * sizeof(int64_t)) };
}

void length_tally_reset(struct length_tally *t)
{
    memset(t->count, 0, (size_t)t->counted * sizeof *t->count);
    t->n = 0;
}

void length_tally_close(struct length_tally *t)
{
    free(t->count);
    free(t->longer);
}

void length_tally_list(struct length_tally *t, int64_t length)
{
    if (t->n == t->room) {
        t->room = 2 * t->room + 64;
        t->longer = xrealloc(t->longer, (unsigned long)t->room * sizeof *t->longer);
    }
    t->longer[t->n++] = length;
}

void length_tally_merge(struct length_tally *to, const struct length_tally *from)
{
    for (int64_t v = 0; v < to->counted; v++)
        to->count[v] += from->count[v];
    for (int64_t i = 0; i < from->n; i++)
        length_tally_list(to, from->longer[i]);
}

void length_tally_histogram(struct length_tally *t, struct histogram *h)
{
    int64_t distinct = 0;
    qsort(t->longer, (size_t)t->n, sizeof *t->longer, ascending);
    for (int64_t v = 0; v < t->counted; v++)
        distinct += t->count[v] > 0;
    for (int64_t i = 0; i < t->n; i++)
        distinct += i == 0 || t->longer[i] != t->longer[i - 1];
    h->n = 0;
    h->value = xmalloc((unsigned long)(distinct + 1) * sizeof *h->value);
    h->count = xmalloc((unsigned long)(distinct + 1) * sizeof *h->count);
    for (int64_t v = 0; v < t->counted; v++) {
        if (t->count[v] == 0)
            continue;
        h->value[h->n] = v;
        h->count[h->n++] = t->count[v];
    }
    for (int64_t i = 0; i < t->n; i++) {
        if (i == 0 || t->longer[i] != t->longer[i - 1]) {
            h->value[h->n] = t->longer[i];
            h->count[h->n++] = 0;
        }
        h->count[h->n - 1]++;
    }
}

void histogram_from_lengths(const int64_t *lengths, int64_t n, int group, struct histogram *h)
{
    struct length_tally t = length_tally_open(0, (n + group - 1) / group);
    for (int64_t first = 0; first < n; first += group) {
        int64_t top = 0;
        for (int64_t i = first; i < n && i < first + group; i++)
            top = lengths[i] > top ? lengths[i] : top;
        length_tally_list(&t, top);
    }
    length_tally_histogram(&t, h);
    length_tally_close(&t);
}

int histogram_slot(const int64_t *length, int n, int64_t value)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (length[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
