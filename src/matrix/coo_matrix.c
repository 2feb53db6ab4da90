/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries → CSR by two stable counting sorts in cache: each piece of the list into buckets of consecutive rows, then each bucket, gathered
 * from all pieces, by row. Both are stable and pieces keep their order, so duplicates keep the order of the list, and their sum does not
 * depend on the number of threads. At most 28 bytes per entry of the CSR (20 in a pattern) and 16 per row
 * are in memory. */
#include "matrix/coo_matrix.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* PIECE: entries of a piece of an array, so that it stays in cache. ARRAY: bytes of an array of pieces. MIRRORED: the sign bit of a column, set while both triangles may
 * contain the same entry. */
enum { MAX_BUCKETS = 512, PIECE = 1 << 15, ARRAY = 1 << 23, REMOVED = -1, MIRRORED = INT32_MIN };

struct sorter {
    struct coo_list *list;
    int buckets, shift; /* bucket of row i: i >> shift */
    enum coo_mirror mirror;
    bool lower, upper; /* entries below, above the diagonal (mirrored matrices only) */
    int64_t *start;    /* [pieces][buckets + 1] positions in the piece */
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */
static size_t entry_bytes(const struct coo_list *l)
{
    return l->pattern ? sizeof(int32_t[2]) : sizeof(struct coo_entry);
}

void *coo_list_add(struct coo_list *l, int64_t n)
{
    if (l->pieces == l->room) {
        const int room = 2 * l->room + 16;
        struct coo_piece *grown = realloc(l->piece, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        l->piece = grown;
        l->room = room;
    }
    const size_t bytes = (size_t)n * entry_bytes(l);
    const bool fits = bytes <= l->spare;
    if (!fits && !(l->next = memory_array(l->spare = bytes > ARRAY ? bytes : ARRAY))) {
        l->spare = 0;
        return NULL;
    }
    void *entry = l->next;
    l->piece[l->pieces++] = (struct coo_piece){ entry, n, !fits };
    l->next += bytes;
    l->spare -= bytes;
    l->entries += n;
    return entry;
}

void coo_list_free(struct coo_list *l)
{
    for (int k = 0; k < l->pieces; k++)
        if (l->piece[k].owned)
            free(l->piece[k].entry);
    free(l->piece);
    *l = (struct coo_list){ 0 };
}

int64_t coo_list_beyond_integers(const struct coo_list *l)
{
    int64_t n = 0;
    for (int k = 0; k < l->pieces; k++) {
        const struct coo_entry *e = l->piece[k].entry;
        for (int64_t i = 0; i < l->piece[k].n; i++)
            n += fabs(e[i].val) >= 0x1p53;
    }
    return n;
}

/* ---- into buckets ------------------------------------------------------------------------------------------------ */
static int64_t *starts(const struct sorter *s, int piece) { return &s->start[(int64_t)piece * (s->buckets + 1)]; }

static bool mirrored(const struct sorter *s, const int32_t *e) { return s->mirror != COO_GENERAL && e[0] != e[1]; }

/* Sorts a piece of n entries, with their mirror images, by bucket into piece k of the list. bytes: of an entry, a constant. */
static inline __attribute__((always_inline)) void sort_piece(struct sorter *s, int k, const char *from, int64_t n,
                                                             const size_t bytes)
{
    bool lower = false, upper = false;
    struct coo_piece *piece = &s->list->piece[k];
    char *to = piece->entry;
    int64_t *next = starts(s, k);         /* sizes of buckets, then their ends, then their starts */
    int64_t odd[MAX_BUCKETS + 1] = { 0 }; /* sizes in every other entry: additions to one number wait for each other */
    for (int64_t i = 0; i < n; i++) {
        const int32_t *e = (const int32_t *)(from + (size_t)i * bytes);
        int64_t *size = i & 1 ? odd : next;
        size[e[0] >> s->shift]++;
        if (!mirrored(s, e))
            continue;
        size[e[1] >> s->shift]++;
        lower |= e[0] > e[1];
        upper |= e[0] < e[1];
    }
    for (int b = 0; b <= s->buckets; b++)
        next[b] += odd[b] + (b > 0 ? next[b - 1] : 0);
    piece->n = next[s->buckets];
    for (const char *p = from + (size_t)n * bytes; p > from;) {
        const int32_t *e = (const int32_t *)(p -= bytes);
        memcpy(to + (size_t)--next[e[0] >> s->shift] * bytes, e, bytes);
        if (!mirrored(s, e))
            continue;
        struct coo_entry image = { e[1], e[0] | MIRRORED, 0 };
        if (bytes == sizeof image) {
            memcpy(&image.val, e + 2, sizeof image.val);
            image.val = s->mirror == COO_SKEW ? -image.val : image.val;
        }
        memcpy(to + (size_t)--next[e[1] >> s->shift] * bytes, &image, bytes);
    }
    if (lower)
#pragma omp atomic write
        s->lower = true;
    if (upper)
#pragma omp atomic write
        s->upper = true;
}

/* Sorts all pieces of `list`: in place, or to s->list if there are mirror images. */
static int sort_pieces(struct sorter *s, struct coo_list *list)
{
    int64_t longest = 0;
    for (int k = 0; k < list->pieces; k++)
        longest = list->piece[k].n > longest ? list->piece[k].n : longest;
    const bool in_place = s->list == list;
    const int threads = list->pieces < omp_get_max_threads() ? list->pieces : omp_get_max_threads();
    const size_t bytes = entry_bytes(list);
    char *copies = malloc(in_place ? (size_t)(threads * longest) * bytes + 1 : 1);
    s->start = calloc((size_t)list->pieces * (size_t)(s->buckets + 1) + 1, sizeof *s->start);
    int status = copies && s->start ? 0 : OOM;
    for (int k = 0; !in_place && !status && k < list->pieces; k++)
        status = coo_list_add(s->list, 2 * list->piece[k].n) ? 0 : OOM;
    if (!status && threads > 0)
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int k = 0; k < list->pieces; k++) {
            const char *from = list->piece[k].entry;
            const int64_t n = list->piece[k].n;
            if (in_place)
                from = memcpy(copies + (size_t)(omp_get_thread_num() * longest) * bytes, from, (size_t)n * bytes);
            if (list->pattern)
                sort_piece(s, k, from, n, sizeof(int32_t[2]));
            else
                sort_piece(s, k, from, n, sizeof(struct coo_entry));
        }
    free(copies);
    return status;
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

/* Sorts row i, of which the entries end at `end`, and sums its duplicates. mirrored: of a mirrored matrix; marked: columns may be MIRRORED.
 * Returns true if there are unused slots. */
static bool tidy(struct csr *a, int64_t i, int64_t end, bool mirrored, bool marked, struct coo_repeats *repeats)
{
    const int64_t begin = a->row_ptr[i];
    int64_t k = begin + 1;
    while (k < end && a->col[k] > a->col[k - 1])
        k++;
    if (k >= end && !(marked && begin < end))
        return false;
    tidy_row(a->col + begin, a->val + begin, end - begin, mirrored ? i + 1 : a->cols, repeats);
    return a->col[end - 1] == REMOVED;
}

void coo_tidy_rows(struct csr *a, struct coo_repeats *repeats)
{
    int64_t summed = 0;
    bool removed = false;
#pragma omp parallel for schedule(guided) reduction(+ : summed) reduction(|| : removed)
    for (int64_t i = 0; i < a->rows; i++) {
        struct coo_repeats r = { 0 };
        removed |= tidy(a, i, a->row_ptr[i + 1], false, false, &r);
        summed += r.summed;
    }
    if (removed)
        close_gaps(a);
    *repeats = (struct coo_repeats){ .summed = summed };
}

/* ---- all --------------------------------------------------------------------------------------------------------- */
/* Gathers bucket b from all pieces, sorts it by row into the CSR from position `at`, and tidies its rows. bytes: of an entry, a constant. */
static inline __attribute__((always_inline)) bool sort_bucket(const struct sorter *s, int b, int64_t at, struct csr *a,
                                                              struct coo_repeats *r, const size_t bytes)
{
    const bool marked = s->lower && s->upper;
    const int64_t first = (int64_t)b << s->shift, beyond = (int64_t)(b + 1) << s->shift;
    const int64_t end = beyond < a->rows ? beyond : a->rows;
    int64_t *next = xcalloc((size_t)(end - first), sizeof *next);
    bool removed = false;
    for (int k = 0; k < s->list->pieces; k++) {
        const char *entry = s->list->piece[k].entry;
        for (int64_t i = starts(s, k)[b]; i < starts(s, k)[b + 1]; i++)
            next[*(const int32_t *)(entry + (size_t)i * bytes) - first]++;
    }
    for (int64_t i = first; i < end; i++) {
        const int64_t length = next[i - first];
        a->row_ptr[i] = next[i - first] = at;
        at += length;
    }
    for (int k = 0; k < s->list->pieces; k++) {
        const char *entry = s->list->piece[k].entry;
        for (int64_t i = starts(s, k)[b]; i < starts(s, k)[b + 1]; i++) {
            const int32_t *e = (const int32_t *)(entry + (size_t)i * bytes), col = column_of(e[1]);
            const int64_t to = next[e[0] - first]++;
            a->col[to] = marked ? e[1] : col;
            if (bytes == sizeof(struct coo_entry))
                memcpy(&a->val[to], e + 2, sizeof *a->val);
            else
                a->val[to] = csr_pattern_value(e[0], col);
        }
    }
    for (int64_t i = first; i < end; i++)
        removed |= tidy(a, i, next[i - first], s->mirror != COO_GENERAL, marked, r);
    free(next);
    return removed;
}

static void sort_buckets(const struct sorter *s, struct csr *a, struct coo_repeats *repeats)
{
    int64_t at[MAX_BUCKETS] = { 0 }, summed = 0, both_triangles = 0;
    bool removed = false;
    for (int k = 0; k < s->list->pieces; k++)
        for (int b = 0; b < s->buckets; b++)
            at[b] += starts(s, k)[b]; /* entries of earlier buckets */
#pragma omp parallel for schedule(dynamic) reduction(+ : summed, both_triangles) reduction(|| : removed)
    for (int b = 0; b < s->buckets; b++) {
        struct coo_repeats r = { 0 };
        removed |= s->list->pattern ? sort_bucket(s, b, at[b], a, &r, sizeof(int32_t[2]))
                                    : sort_bucket(s, b, at[b], a, &r, sizeof(struct coo_entry));
        summed += r.summed;
        both_triangles += r.both_triangles;
    }
    a->row_ptr[a->rows] = a->nnz;
    if (removed)
        close_gaps(a);
    if (s->list->pattern && summed + both_triangles > 0)
        csr_fill_pattern(a); /* restores what sums of repeated entries replaced */
    *repeats = (struct coo_repeats){ summed, both_triangles };
}

int coo_list_to_csr(struct coo_list *list, enum coo_mirror mirror, int64_t rows, int64_t cols, struct csr *a,
                    struct coo_repeats *repeats, char why[ERRLEN])
{
    struct coo_list with_images = { .pattern = list->pattern };
    struct sorter s = { .list = mirror == COO_GENERAL ? list : &with_images, .mirror = mirror };
    int64_t total = 0;
    while (rows > 0 && (rows - 1) >> s.shift >= MAX_BUCKETS)
        s.shift++;
    s.buckets = rows > 0 ? (int)((rows - 1) >> s.shift) + 1 : 0;
    int status = sort_pieces(&s, list);
    if (status)
        status = memory_failed(0, why, "not enough memory to sort %" PRId64 " entries", list->entries);
    if (s.list != list)
        coo_list_free(list);
    for (int k = 0; k < s.list->pieces; k++)
        total += s.list->piece[k].n;
    if (!status)
        status = csr_alloc(a, rows, cols, total, why);
    if (!status)
        sort_buckets(&s, a, repeats);
    free(s.start);
    coo_list_free(s.list);
    return status;
}
