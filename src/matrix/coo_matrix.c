/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries → CSR by two stable counting sorts: into buckets of consecutive rows (streaming, in parallel over pieces of
 * the list), then each bucket by row, in cache. Both are stable and every piece knows its slots, so that the order of
 * duplicates, hence their sum, is that of the list, whatever the number of threads. */
#include "matrix/coo_matrix.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BUCKETS = 512, MAX_PIECES = 256, MIN_PIECE = 1 << 16, REMOVED = -1 };

struct sorter {
    const struct coo_entry *entries;
    int64_t n, piece;           /* entries; entries a piece */
    int pieces, buckets, shift; /* bucket of row i: i >> shift */
    enum coo_mirror mirror;
    int64_t *start; /* [buckets][pieces] counts, then slots; one more at the end: the total */
};

static int64_t *slot(const struct sorter *s, int piece, int bucket)
{
    return &s->start[(int64_t)bucket * s->pieces + piece];
}

static bool mirrored(const struct sorter *s, const struct coo_entry *e)
{
    return s->mirror != COO_GENERAL && e->row != e->col;
}

static void count_piece(const struct sorter *s, int piece)
{
    int64_t end = (piece + 1) * s->piece < s->n ? (piece + 1) * s->piece : s->n;
    for (int64_t k = piece * s->piece; k < end; k++) {
        const struct coo_entry *e = &s->entries[k];
        ++*slot(s, piece, e->row >> s->shift);
        if (mirrored(s, e))
            ++*slot(s, piece, e->col >> s->shift);
    }
}

static void scatter_piece(const struct sorter *s, int piece, struct coo_entry *to)
{
    int64_t next[MAX_BUCKETS];
    for (int b = 0; b < s->buckets; b++)
        next[b] = *slot(s, piece, b);
    int64_t end = (piece + 1) * s->piece < s->n ? (piece + 1) * s->piece : s->n;
    for (int64_t k = piece * s->piece; k < end; k++) {
        const struct coo_entry *e = &s->entries[k];
        to[next[e->row >> s->shift]++] = *e;
        if (mirrored(s, e))
            to[next[e->col >> s->shift]++] =
                (struct coo_entry){ e->col, e->row, s->mirror == COO_SKEW ? -e->val : e->val };
    }
}

/* Entries of one bucket, which stand at from[start..end) → the rows' pointers, columns and values. */
static void sort_bucket(const struct coo_entry *from, int64_t start, int64_t end, int64_t first_row, int64_t end_row,
                        struct csr *a)
{
    int64_t *next = xcalloc((size_t)(end_row - first_row), sizeof *next);
    for (int64_t k = start; k < end; k++)
        next[from[k].row - first_row]++;
    int64_t at = start;
    for (int64_t i = first_row; i < end_row; i++) {
        int64_t length = next[i - first_row];
        a->row_ptr[i] = next[i - first_row] = at;
        at += length;
    }
    for (int64_t k = start; k < end; k++) {
        int64_t to = next[from[k].row - first_row]++;
        a->col[to] = from[k].col;
        a->val[to] = from[k].val;
    }
    free(next);
}

struct pair {
    int32_t col;
    double val;
};

/* Stable merge sort by column; the result is in p. */
static void merge_sort(struct pair *p, struct pair *scratch, int64_t n)
{
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t middle = low + width < n ? low + width : n, high = low + 2 * width < n ? low + 2 * width : n;
            int64_t l = low, r = middle;
            for (int64_t k = low; k < high; k++)
                scratch[k] = l < middle && (r >= high || p[l].col <= p[r].col) ? p[l++] : p[r++];
        }
        memcpy(p, scratch, (size_t)n * sizeof *p);
    }
}

/* Sorts one row and sums its duplicates into the first of each; the slots left over are marked REMOVED. Returns how
 * many. */
static int64_t tidy_row(int32_t *col, double *val, int64_t n)
{
    struct pair *p = xmalloc(2 * (size_t)n * sizeof *p);
    for (int64_t k = 0; k < n; k++)
        p[k] = (struct pair){ col[k], val[k] };
    merge_sort(p, p + n, n);
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++) {
        if (kept > 0 && col[kept - 1] == p[k].col) {
            val[kept - 1] += p[k].val;
            continue;
        }
        col[kept] = p[k].col;
        val[kept++] = p[k].val;
    }
    for (int64_t k = kept; k < n; k++)
        col[k] = REMOVED;
    free(p);
    return n - kept;
}

static void close_gaps(struct csr *a)
{
    int64_t to = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t k = a->row_ptr[i], end = a->row_ptr[i + 1];
        a->row_ptr[i] = to;
        for (; k < end && a->col[k] != REMOVED; k++, to++) {
            a->col[to] = a->col[k];
            a->val[to] = a->val[k];
        }
    }
    a->row_ptr[a->rows] = a->nnz = to;
}

void coo_tidy_rows(struct csr *a)
{
    int64_t removed = 0;
#pragma omp parallel for schedule(guided) reduction(+ : removed)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t begin = a->row_ptr[i], end = a->row_ptr[i + 1], k = begin + 1;
        while (k < end && a->col[k] > a->col[k - 1])
            k++;
        if (k < end)
            removed += tidy_row(a->col + begin, a->val + begin, end - begin);
    }
    if (removed > 0)
        close_gaps(a);
}

static void sorter_begin(struct sorter *s, int64_t rows)
{
    s->piece = s->n / MAX_PIECES + 1 > MIN_PIECE ? s->n / MAX_PIECES + 1 : MIN_PIECE;
    s->pieces = (int)((s->n + s->piece - 1) / s->piece);
    while (rows > 0 && (rows - 1) >> s->shift >= MAX_BUCKETS)
        s->shift++;
    s->buckets = rows > 0 ? (int)((rows - 1) >> s->shift) + 1 : 0;
    s->start = xcalloc((size_t)s->buckets * (size_t)s->pieces + 1, sizeof *s->start);
#pragma omp parallel for schedule(dynamic)
    for (int p = 0; p < s->pieces; p++)
        count_piece(s, p);
    int64_t at = 0;
    for (int64_t k = 0; k <= (int64_t)s->buckets * s->pieces; k++) {
        int64_t count = s->start[k];
        s->start[k] = at;
        at += count;
    }
}

int coo_to_csr(struct coo_entry *entries, int64_t n, enum coo_mirror mirror, int64_t rows, int64_t cols, struct csr *a,
               char why[ERRLEN])
{
    struct sorter s = { .entries = entries, .n = n, .mirror = mirror };
    sorter_begin(&s, rows);
    int64_t total = s.start[(int64_t)s.buckets * s.pieces];
    struct coo_entry *sorted = malloc((size_t)(total + 1) * sizeof *sorted);
    int status = sorted ? 0 : OOM;
    if (!sorted) {
        fail(why, "not enough memory to sort the entries: %.1f GB needed", (double)total * sizeof *sorted / 1e9);
        goto out;
    }
#pragma omp parallel for schedule(dynamic)
    for (int p = 0; p < s.pieces; p++)
        scatter_piece(&s, p, sorted);
    free(entries);
    entries = NULL;
    status = csr_alloc(a, rows, cols, total, why);
    if (status)
        goto out;
    a->row_ptr[rows] = total;
#pragma omp parallel for schedule(dynamic)
    for (int b = 0; b < s.buckets; b++) {
        int64_t first = (int64_t)b << s.shift, end = (int64_t)(b + 1) << s.shift;
        int64_t from = s.pieces > 0 ? *slot(&s, 0, b) : 0, to = s.pieces > 0 ? s.start[(int64_t)(b + 1) * s.pieces] : 0;
        sort_bucket(sorted, from, to, first, end < rows ? end : rows, a);
    }
    coo_tidy_rows(a);
out:
    free(s.start);
    free(sorted);
    free(entries);
    return status;
}
