/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the queue of pieces and its blocks: sorts rows by length within windows and cuts them level by level. Runs on
 * all cores; the result does not depend on the number of threads. */
#include <omp.h>
#include <stdlib.h>
#include "formats/brc/brc.h"
#include "formats/build.h"

enum { SERIAL = 1 << 14 };

static int64_t row_length(const struct csr_view *a, int64_t i) { return a->end[i] - a->begin[i]; }

static int team(int64_t n)
{
    const int most = omp_get_max_threads();

    return n < SERIAL ? 1 : most < THREADS_MAX ? most : THREADS_MAX;
}

/* Copies to to[], in order, those of n rows (from[], or 0 to n - 1 if NULL) that are longer than `limit`, or the
 * others if `longer` is false. Returns their number. */
static int64_t rows_keep(const struct csr_view *a, const int32_t *from, int64_t n, int64_t limit, bool longer,
                         int32_t *to)
{
    int64_t count[THREADS_MAX + 1] = { 0 }, kept = 0;

    /* long rows have many levels of few rows, for which starting threads does not pay off */
    for (int64_t k = 0; n < SERIAL && k < n; k++) {
        const int64_t row = from ? from[k] : k;
        if ((row_length(a, row) > limit) == longer)
            to[kept++] = (int32_t)row;
    }
    if (n < SERIAL)
        return kept;
#pragma omp parallel num_threads(team(n))
    {
        const int t = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t first = n * t / threads, end = n * (t + 1) / threads;
        int64_t mine = 0;

        for (int64_t k = first; k < end; k++)
            mine += (row_length(a, from ? from[k] : k) > limit) == longer;
        count[t + 1] = mine;
#pragma omp barrier
#pragma omp single
        for (int k = 0; k < threads; k++)
            count[k + 1] += count[k];
        mine = count[t];
        for (int64_t k = first; k < end; k++) {
            const int64_t row = from ? from[k] : k;
            if ((row_length(a, row) > limit) == longer)
                to[mine++] = (int32_t)row;
        }
        if (t == threads - 1)
            kept = mine;
    }
    return kept;
}

/* Stores the nonempty rows in to[], sorted by length within windows of sigma rows (0: one window of all rows).
 * Returns false if out of memory. */
static bool rows_by_length(const struct csr_view *a, int64_t sigma, int32_t *to)
{
    int32_t *order = array_alloc(a->rows, sizeof *order);
    const bool there = order && rows_order(a, sigma > 0 && sigma < a->rows ? sigma : a->rows, order);

    if (there)
        rows_keep(a, order, a->rows, 0, true, to);
    free(order);
    return there;
}

/* ---- levels and blocks */
struct sums {
    int64_t rows, entries, squares, longest;
};

static struct sums sums_of(const struct csr_view *a)
{
    int64_t rows = 0, entries = 0, squares = 0, longest = 0;

#pragma omp parallel for schedule(static) reduction(+ : rows, entries, squares) reduction(max : longest)
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t n = row_length(a, i);

        rows += n > 0;
        entries += n;
        squares += n * n;
        if (n > longest)
            longest = n;
    }
    return (struct sums){ rows, entries, squares, longest };
}

static int64_t pieces_of(const struct csr_view *a, struct brc_width w)
{
    int64_t n = 0;

#pragma omp parallel for schedule(static) reduction(+ : n)
    for (int64_t i = 0; i < a->rows; i++)
        n += brc_levels(w, row_length(a, i));
    return n;
}

/* Makes each level from the previous one; level 0 has `rows` rows and is already in row_perm. Sets the sizes that
 * follow from the levels. */
static void levels_fill(const struct csr_view *a, struct brc_queue *q, int64_t rows)
{
    int64_t head = 0;

    q->level[0] = 0;
    for (int64_t v = 0; v < q->levels; v++) {
        q->level[v + 1] = q->level[v] + rows;
        rows = rows_keep(a, q->row_perm + q->level[v], rows, brc_start(q->spec.width, v + 1), true,
                         q->row_perm + q->level[v + 1]);
    }
    for (int64_t p = q->n.pieces; p < q->n.blocks * q->spec.b1; p++)
        q->row_perm[p] = -1;
    q->n.level1 = q->levels > 0 ? q->level[1] : 0;
    q->n.cuts = q->levels > 1 ? q->level[2] - q->level[1] : 0;
    q->n.slots = q->n.pieces - q->n.level1 + q->n.cuts;
#pragma omp parallel for schedule(static) reduction(max : head)
    for (int64_t p = 0; p < q->n.level1; p++)
        if (row_length(a, q->row_perm[p]) > q->spec.width.b2 && p + 1 > head)
            head = p + 1;
    q->n.head = head;
    q->n.piece_slots = head + q->n.pieces - q->n.level1;
}

int64_t brc_level_of(const struct brc_queue *q, int64_t p)
{
    int64_t low = 0, high = q->levels - 1;

    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (q->level[middle] <= p)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t block_width(const struct csr_view *a, const struct brc_queue *q, int64_t b)
{
    const int64_t first = b * q->spec.b1, end = first + q->spec.b1 < q->n.pieces ? first + q->spec.b1 : q->n.pieces;
    int64_t level = brc_level_of(q, first), widest = 0;

    for (int64_t p = first; p < end; p++) {
        while (p >= q->level[level + 1])
            level++;
        const int64_t n = brc_piece(q->spec.width, row_length(a, q->row_perm[p]), level);
        if (n > widest)
            widest = n;
    }
    return widest;
}

static int blocks_fill(const struct csr_view *a, struct brc_queue *q, char why[ERRLEN])
{
    int64_t at = 0;

#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < q->n.blocks; b++)
        q->block_offset[b] = (int32_t)block_width(a, q, b);
    for (int64_t b = 0; b < q->n.blocks; b++) {
        const int64_t width = q->block_offset[b];
        q->block_offset[b] = (int32_t)at;
        at += width * q->spec.b1;
        if (at > offsets_max)
            return offsets_reach(at, "slots with padding in the first blocks", why);
    }
    q->block_offset[q->n.blocks] = (int32_t)at;
    q->n.entries = at;
    return 0;
}

int brc_queue_make(const struct layout *layout, const struct csr_view *a, struct brc_spec spec, struct brc_queue *q,
                   char why[ERRLEN])
{
    const struct sums s = sums_of(a);
    int rc;

    memset(q, 0, sizeof *q);
    if ((rc = offsets_reach(s.entries, "nonzeros", why)) != 0)
        return rc;
    if (spec.width.b2 == 0)
        spec.width.b2 = brc_rule_of(s.rows, s.entries, s.squares, s.longest);
    q->spec = spec;
    q->levels = brc_levels(spec.width, s.longest);
    q->n.pieces = pieces_of(a, spec.width);
    q->n.blocks = (q->n.pieces + spec.b1 - 1) / spec.b1;
    q->n.empties = a->rows - s.rows;
    q->level = array_alloc(q->levels + 1, sizeof *q->level);
    q->row_perm = array_alloc(q->n.blocks * spec.b1, sizeof *q->row_perm);
    q->block_offset = array_alloc(q->n.blocks + 1, sizeof *q->block_offset);
    q->empty = array_alloc(q->n.empties, sizeof *q->empty);
    if (!q->level || !q->row_perm || !q->block_offset || !q->empty)
        goto memory;
    rows_keep(a, NULL, a->rows, 0, false, q->empty);
    if (!rows_by_length(a, spec.sigma, q->row_perm))
        goto memory;
    levels_fill(a, q, s.rows);
    if ((rc = blocks_fill(a, q, why)) != 0)
        brc_queue_free(q);
    return rc;
memory:
    rc = build_oom(why, layout, 4 * (q->n.blocks * spec.b1 + q->n.blocks + 2 * a->rows));
    brc_queue_free(q);
    return rc;
}

void brc_queue_free(struct brc_queue *q)
{
    free(q->level);
    free(q->row_perm);
    free(q->block_offset);
    free(q->empty);
    memset(q, 0, sizeof *q);
}
