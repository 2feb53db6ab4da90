/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries → CSR by two stable counting sorts: into buckets of consecutive rows (streaming, in parallel over pieces of
 * the list), then each bucket by row, in cache. Both are stable and each piece has its own slots, so duplicates keep
 * the order of the list, and their sum does not depend on the number of threads. */
#include "matrix/coo_matrix.h"

#include <stdlib.h>
#include <string.h>

/* MIRRORED: the sign bit of a column, set while both triangles may contain the same entry. */
enum { MAX_BUCKETS = 512, MAX_SHARES = 256, MIN_SHARE = 1 << 16, REMOVED = -1, MIRRORED = INT32_MIN };

struct sorter {
    const struct coo_list *list;
    int64_t share;              /* entries of the list that one loop iteration counts or scatters */
    int shares, buckets, shift; /* bucket of row i: i >> shift */
    enum coo_mirror mirror;
    bool lower, upper; /* entries below, above the diagonal (mirrored matrices only) */
    int64_t *start;    /* [buckets][shares] counts, then slots; plus the total at the end */
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */
struct coo_entry *coo_list_add(struct coo_list *l, int64_t n)
{
    if (l->pieces == l->room) {
        const int room = 2 * l->room + 16;
        struct coo_piece *grown = realloc(l->piece, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        l->piece = grown;
        l->room = room;
    }
    struct coo_entry *entry = malloc((size_t)n * sizeof *entry);
    if (!entry)
        return NULL;
    l->piece[l->pieces++] = (struct coo_piece){ entry, n };
    l->entries += n;
    return entry;
}

void coo_list_free(struct coo_list *l)
{
    for (int k = 0; k < l->pieces; k++)
        free(l->piece[k].entry);
    free(l->piece);
    *l = (struct coo_list){ 0 };
}

/* Iterates over a share of the list in runs, each contiguous in one piece. */
struct walk {
    int piece;
    int64_t skip, left;
};

static struct walk share_walk(const struct sorter *s, int share)
{
    const int64_t begin = share * s->share, left = s->list->entries - begin;
    struct walk w = { 0, begin, left < s->share ? left : s->share };
    while (w.left > 0 && w.skip >= s->list->piece[w.piece].n)
        w.skip -= s->list->piece[w.piece++].n;
    return w;
}

static const struct coo_entry *next_run(const struct sorter *s, struct walk *w, int64_t *n)
{
    if (w->left <= 0)
        return NULL;
    const struct coo_piece *p = &s->list->piece[w->piece++];
    const struct coo_entry *run = p->entry + w->skip;
    *n = p->n - w->skip < w->left ? p->n - w->skip : w->left;
    w->left -= *n;
    w->skip = 0;
    return run;
}

/* ---- into buckets ------------------------------------------------------------------------------------------------ */
static int64_t *slot(const struct sorter *s, int share, int bucket)
{
    return &s->start[(int64_t)bucket * s->shares + share];
}

static bool mirrored(const struct sorter *s, const struct coo_entry *e)
{
    return s->mirror != COO_GENERAL && e->row != e->col;
}

static void count_share(struct sorter *s, int share)
{
    bool lower = false, upper = false;
    int64_t n;
    struct walk w = share_walk(s, share);
    for (const struct coo_entry *e; (e = next_run(s, &w, &n));)
        for (const struct coo_entry *end = e + n; e < end; e++) {
            ++*slot(s, share, e->row >> s->shift);
            if (!mirrored(s, e))
                continue;
            ++*slot(s, share, e->col >> s->shift);
            lower |= e->row > e->col;
            upper |= e->row < e->col;
        }
    if (lower)
#pragma omp atomic write
        s->lower = true;
    if (upper)
#pragma omp atomic write
        s->upper = true;
}

static void scatter_share(const struct sorter *s, int share, struct coo_entry *to)
{
    const int32_t mark = s->lower && s->upper ? MIRRORED : 0;
    int64_t next[MAX_BUCKETS], n;
    for (int b = 0; b < s->buckets; b++)
        next[b] = *slot(s, share, b);
    struct walk w = share_walk(s, share);
    for (const struct coo_entry *e; (e = next_run(s, &w, &n));)
        for (const struct coo_entry *end = e + n; e < end; e++) {
            to[next[e->row >> s->shift]++] = *e;
            if (mirrored(s, e))
                to[next[e->col >> s->shift]++] =
                    (struct coo_entry){ e->col, e->row | mark, s->mirror == COO_SKEW ? -e->val : e->val };
        }
}

/* Sorts the entries of one bucket, from[start..end), into row pointers, columns and values. */
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

/* ---- rows -------------------------------------------------------------------------------------------------------- */
struct pair {
    int32_t col; /* may be MIRRORED */
    double val;
};

static int32_t column_of(int32_t col) { return col & INT32_MAX; }

/* Stable merge sort by column, with the result in p. */
static void merge_sort(struct pair *p, struct pair *scratch, int64_t n)
{
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t middle = low + width < n ? low + width : n, high = low + 2 * width < n ? low + 2 * width : n;
            int64_t l = low, r = middle;
            for (int64_t k = low; k < high; k++)
                scratch[k] = l < middle && (r >= high || column_of(p[l].col) <= column_of(p[r].col)) ? p[l++] : p[r++];
        }
        memcpy(p, scratch, (size_t)n * sizeof *p);
    }
}

/* Sorts one row, sums its duplicates into the first of each and marks the unused slots REMOVED. For a mirrored
 * matrix, counts only entries up to the diagonal: the others repeat them. */
static void tidy_row(int32_t *col, double *val, int64_t n, int64_t counted_below, struct coo_repeats *r)
{
    struct pair *p = xmalloc(2 * (size_t)n * sizeof *p);
    for (int64_t k = 0; k < n; k++)
        p[k] = (struct pair){ col[k], val[k] };
    merge_sort(p, p + n, n);
    int64_t kept = 0;
    for (int64_t k = 0; k < n; kept++) {
        int64_t both[2] = { 0, 0 };
        col[kept] = column_of(p[k].col);
        val[kept] = p[k].val;
        both[p[k].col < 0]++;
        while (++k < n && column_of(p[k].col) == col[kept]) {
            val[kept] += p[k].val;
            both[p[k].col < 0]++;
        }
        if (col[kept] < counted_below) {
            r->summed += (both[0] > 1 ? both[0] - 1 : 0) + (both[1] > 1 ? both[1] - 1 : 0);
            r->both_triangles += both[0] > 0 && both[1] > 0;
        }
    }
    for (int64_t k = kept; k < n; k++)
        col[k] = REMOVED;
    free(p);
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

/* Sorts all rows and sums duplicates. mirrored: of a mirrored matrix; marked: columns may be MIRRORED. */
static void tidy_rows(struct csr *a, bool mirrored, bool marked, struct coo_repeats *repeats)
{
    int64_t summed = 0, both_triangles = 0, removed = 0;
#pragma omp parallel for schedule(guided) reduction(+ : summed, both_triangles, removed)
    for (int64_t i = 0; i < a->rows; i++) {
        struct coo_repeats r = { 0 };
        int64_t begin = a->row_ptr[i], end = a->row_ptr[i + 1], k = begin + 1;
        while (k < end && a->col[k] > a->col[k - 1])
            k++;
        if (k < end || (marked && begin < end)) {
            tidy_row(a->col + begin, a->val + begin, end - begin, mirrored ? i + 1 : a->cols, &r);
            removed += a->col[end - 1] == REMOVED;
        }
        summed += r.summed;
        both_triangles += r.both_triangles;
    }
    if (removed > 0)
        close_gaps(a);
    *repeats = (struct coo_repeats){ summed, both_triangles };
}

void coo_tidy_rows(struct csr *a, struct coo_repeats *repeats) { tidy_rows(a, false, false, repeats); }

/* ---- all --------------------------------------------------------------------------------------------------------- */
static void sorter_begin(struct sorter *s, int64_t rows)
{
    const int64_t n = s->list->entries;
    s->share = n / MAX_SHARES + 1 > MIN_SHARE ? n / MAX_SHARES + 1 : MIN_SHARE;
    s->shares = (int)((n + s->share - 1) / s->share);
    while (rows > 0 && (rows - 1) >> s->shift >= MAX_BUCKETS)
        s->shift++;
    s->buckets = rows > 0 ? (int)((rows - 1) >> s->shift) + 1 : 0;
    s->start = xcalloc((size_t)s->buckets * (size_t)s->shares + 1, sizeof *s->start);
#pragma omp parallel for schedule(dynamic)
    for (int p = 0; p < s->shares; p++)
        count_share(s, p);
    int64_t at = 0;
    for (int64_t k = 0; k <= (int64_t)s->buckets * s->shares; k++) {
        int64_t count = s->start[k];
        s->start[k] = at;
        at += count;
    }
}

int coo_list_to_csr(struct coo_list *list, enum coo_mirror mirror, int64_t rows, int64_t cols, struct csr *a,
                    struct coo_repeats *repeats, char why[ERRLEN])
{
    struct sorter s = { .list = list, .mirror = mirror };
    sorter_begin(&s, rows);
    int64_t total = s.start[(int64_t)s.buckets * s.shares];
    struct coo_entry *sorted = malloc((size_t)(total + 1) * sizeof *sorted);
    int status = sorted ? 0 : OOM;
    if (!sorted) {
        fail(why, "not enough memory to sort the entries: %.1f GB needed", (double)total * sizeof *sorted / 1e9);
        goto out;
    }
#pragma omp parallel for schedule(dynamic)
    for (int p = 0; p < s.shares; p++)
        scatter_share(&s, p, sorted);
    coo_list_free(list);
    status = csr_alloc(a, rows, cols, total, why);
    if (status)
        goto out;
    a->row_ptr[rows] = total;
#pragma omp parallel for schedule(dynamic)
    for (int b = 0; b < s.buckets; b++) {
        int64_t first = (int64_t)b << s.shift, end = (int64_t)(b + 1) << s.shift;
        int64_t from = s.shares > 0 ? *slot(&s, 0, b) : 0, to = s.shares > 0 ? s.start[(int64_t)(b + 1) * s.shares] : 0;
        sort_bucket(sorted, from, to, first, end < rows ? end : rows, a);
    }
    tidy_rows(a, mirror != COO_GENERAL, s.lower && s.upper, repeats);
out:
    free(s.start);
    free(sorted);
    coo_list_free(list);
    return status;
}

int coo_to_csr(struct coo_entry *entries, int64_t n, enum coo_mirror mirror, int64_t rows, int64_t cols, struct csr *a,
               struct coo_repeats *repeats, char why[ERRLEN])
{
    struct coo_list list = { .entries = n };
    list.piece = xmalloc(sizeof *list.piece);
    list.piece[list.pieces++] = (struct coo_piece){ entries, n };
    return coo_list_to_csr(&list, mirror, rows, cols, a, repeats, why);
}
