/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of a matrix in one parallel pass (features.h). The unit of work is a chunk of 1024 aligned rows. All sums
 * are of integers, so they do not depend on the order or the number of threads.
 *
 * Sectors: a bitmap holds the 32-byte sectors of x in f64 (4 columns; two of them are one in f32) that 32 rows touch. The words
 * that are not 0 are listed, so that they alone are counted, added to the bitmap of 1024 rows and cleared. Bitmaps shared by all
 * threads cover the whole matrix. */
#include "matrix/features.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include "base/picked.h"
#include "matrix/length_tally.h"

/* Lengths below COUNTED have counters; the others, which are few, are listed and sorted. */
enum { CHUNK = BLOCK_FILL_CHUNK, GROUP = 32, COUNTED = 4096 };

struct marks {
    uint64_t *word;
    bool shared; /* by several threads */
};

struct tally {
    int64_t sectors[NPRECISIONS][NSECTORS], nnz, bandwidth, diagonals, heaviest[HEAVIEST];
    uint64_t off_diagonal; /* sum of |j - floor(i cols / rows)| */
    struct length_tally lengths[GROUPS];
    struct block_fill fill;
};

/* Sectors of x in f64 that a group of rows touches. */
struct touched {
    uint64_t *word;
    int32_t *listed; /* words that are not 0 */
    int64_t n;
};
/* What a thread scans rows with: the sectors of the latest 32 rows and of the chunk, and the marks of blocks. */
struct scratch {
    struct touched group, chunk;
    struct block_marks blocks;
};

/* A view, the number of its first row in the matrix that it is cut from, and the shape of that matrix. */
struct extent {
    const struct csr_view *view;
    int64_t row0, rows, cols;
    int64_t fill_stride; /* every fill_stride-th chunk is examined for block fill */
};

#ifdef _OPENMP
static int max_threads(void) { return omp_get_max_threads(); }
static int thread_number(void) { return omp_get_thread_num(); }
#else
static int max_threads(void) { return 1; }
static int thread_number(void) { return 0; }
#endif

static struct marks marks_alloc(int64_t bits, bool shared)
{
    return (struct marks){ xcalloc((unsigned long)(bits / 64 + 1), sizeof(uint64_t)), shared };
}

/* Sets bits of a word, and returns those that were not set before. */
static inline uint64_t marks_set(struct marks *m, int64_t word, uint64_t bits)
{
    const uint64_t before = __atomic_load_n(&m->word[word], __ATOMIC_RELAXED), added = bits & ~before;
    if (!m->shared)
        m->word[word] = before | bits; /* without a branch that is hard to predict */
    else if (added)
        return added & ~__atomic_fetch_or(&m->word[word], added, __ATOMIC_RELAXED);
    return added;
}

/* long_rows: room for so many lengths of at least COUNTED. */
static void tally_open(struct tally *t, int64_t row_max, int64_t long_rows)
{
    memset(t, 0, sizeof *t);
    for (int k = 0; k < GROUPS; k++)
        t->lengths[k] = length_tally_open(row_max < COUNTED ? row_max + 1 : COUNTED, long_rows);
}

static void tally_reset(struct tally *t)
{
    struct tally kept = *t;
    memset(t, 0, sizeof *t);
    for (int k = 0; k < GROUPS; k++) {
        t->lengths[k] = kept.lengths[k];
        length_tally_reset(&t->lengths[k]);
    }
}

static void tally_close(struct tally *t)
{
    for (int k = 0; k < GROUPS; k++)
        length_tally_close(&t->lengths[k]);
}

static void tally_merge(struct tally *to, const struct tally *from)
{
    for (int p = 0; p < NPRECISIONS; p++)
        for (int s = 0; s < NSECTORS; s++)
            to->sectors[p][s] += from->sectors[p][s];
    to->nnz += from->nnz;
    to->diagonals += from->diagonals;
    to->off_diagonal += from->off_diagonal;
    if (from->bandwidth > to->bandwidth)
        to->bandwidth = from->bandwidth;
    for (int k = 0; k < HEAVIEST; k++)
        if (from->heaviest[k] > to->heaviest[k])
            to->heaviest[k] = from->heaviest[k];
    block_fill_merge(&to->fill, &from->fill);
    for (int k = 0; k < GROUPS; k++)
        length_tally_merge(&to->lengths[k], &from->lengths[k]);
}

static struct touched touched_alloc(int64_t cols)
{
    const unsigned long words = (unsigned long)cols / 256 + 1;
    return (struct touched){ xcalloc(words, sizeof(uint64_t)), xcalloc(words + 1, sizeof(int32_t)), 0 };
}

static struct scratch scratch_alloc(int64_t cols)
{
    return (struct scratch){ touched_alloc(cols), touched_alloc(cols), block_marks_alloc(cols) };
}

static void scratch_free(struct scratch *s)
{
    free(s->blocks.row);
    free(s->group.word);
    free(s->group.listed);
    free(s->chunk.word);
    free(s->chunk.listed);
}

static inline void touch(struct touched *t, int64_t word, uint64_t bits)
{
    const uint64_t before = t->word[word];
    t->word[word] = before | bits;
    t->listed[t->n] = (int32_t)word;
    t->n += before == 0;
}

/* Returns a bit for each pair of bits that are not both 0: sectors in f32. */
static uint64_t pairs(uint64_t word) { return (word | word >> 1) & 0x5555555555555555u; }

/* Counts the sectors touched, adds them to those of more rows, or to all, and clears them. */
PICKED_AT_RUN_TIME
static void count_touched(struct touched *t, enum sector_scale scale, struct touched *more, struct marks *all,
                          struct tally *to)
{
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t word = t->listed[i];
        const uint64_t bits = t->word[word];
        t->word[word] = 0;
        to->sectors[F32][scale] += __builtin_popcountll(pairs(bits));
        to->sectors[F64][scale] += __builtin_popcountll(bits);
        if (more)
            touch(more, word, bits);
        else
            to->sectors[F64][SECTORS_ALL] += __builtin_popcountll(marks_set(all, word, bits));
    }
    t->n = 0;
}

static void scan_row(const struct extent *p, int64_t i, struct tally *t, struct touched *touched,
                     struct marks *diagonals)
{
    const int32_t *col = p->view->col, base = p->view->base;
    int64_t begin = p->view->begin[i], end = p->view->end[i], row = p->row0 + i;
    if (begin == end)
        return;
    int64_t centre = p->rows == p->cols ? row : row * p->cols / p->rows, first = llabs(row - (col[begin] - base)),
            last = llabs(row - (col[end - 1] - base)), on_new = 0, eights = 0, fours = 0, latest = -8,
            word = (col[begin] - base) >> 8;
    uint64_t off = 0, bits = 0;
    if (first > t->bandwidth)
        t->bandwidth = first;
    if (last > t->bandwidth)
        t->bandwidth = last;
    for (int64_t k = begin; k < end; k++) {
        const int64_t j = col[k] - base, diagonal = j - row + p->rows - 1;
        off += (uint64_t)llabs(j - centre);
        on_new += marks_set(diagonals, diagonal >> 6, (uint64_t)1 << (diagonal & 63)) != 0;
        eights += j >> 3 != latest >> 3;
        fours += j >> 2 != latest >> 2;
        if (j >> 8 != word) {
            touch(touched, word, bits);
            word = j >> 8;
            bits = 0;
        }
        bits |= (uint64_t)1 << (j >> 2 & 63);
        latest = j;
    }
    touch(touched, word, bits);
    t->off_diagonal += off;
    t->diagonals += on_new;
    t->sectors[F32][SECTORS_ROW] += eights;
    t->sectors[F64][SECTORS_ROW] += fours;
}

/* Scans rows first <= i < end of the view, at most CHUNK. */
static void scan_chunk(const struct extent *p, int64_t first, int64_t end, struct tally *t, struct scratch *scratch,
                       struct marks *all, struct marks *diagonals)
{
    int64_t top[GROUPS] = { 0 }, sum[HEAVIEST] = { 0 };
    block_fill_chunk(p->view, p->row0, first, end, p->rows, p->fill_stride, &scratch->blocks, &t->fill);
    for (int64_t i = first; i < end; i++) {
        int64_t length = p->view->end[i] - p->view->begin[i];
        for (int64_t k = 0, longest = length; k < GROUPS; k++) {
            top[k] = longest = longest > top[k] ? longest : top[k];
            if (((i - first + 1) & ((1 << k) - 1)) != 0 && i + 1 < end)
                break;
            length_tally_add(&t->lengths[k], longest);
            top[k] = 0;
        }
        heaviest_add(sum, t->heaviest, i - first, length, i + 1 == end);
        scan_row(p, i, t, &scratch->group, diagonals);
        if ((i - first + 1) % GROUP == 0 || i + 1 == end)
            count_touched(&scratch->group, SECTORS_32, &scratch->chunk, NULL, t);
        t->nnz += length;
    }
    count_touched(&scratch->chunk, SECTORS_1024, NULL, all, t);
}

/* Returns the number of f32 sectors (two of f64 each) in words first_word..last_word of `all`. */
static int64_t pairs_set(const struct marks *all, int64_t first_word, int64_t last_word)
{
    int64_t n = 0;
    for (int64_t w = first_word; w <= last_word; w++)
        n += __builtin_popcountll(pairs(all->word[w]));
    return n;
}

static void features_fill(struct tally *t, int64_t rows, int64_t cols, struct features *f)
{
    memset(f, 0, sizeof *f);
    f->rows = rows;
    f->cols = cols;
    f->nnz = t->nnz;
    memcpy(f->sectors, t->sectors, sizeof f->sectors);
    f->sectors_exact = true;
    memcpy(f->heaviest, t->heaviest, sizeof f->heaviest);
    f->bandwidth = t->bandwidth;
    f->diagonals = t->diagonals;
    f->spread = t->nnz > 0 ? (double)t->off_diagonal / (double)t->nnz / (double)cols : 0;
    for (int k = 0; k < GROUPS; k++)
        length_tally_histogram(&t->lengths[k], &f->lengths[k]);
    features_set_fill(f, &t->fill);
    features_derive(f);
}

/* What the threads need to allocate before they begin. */
struct sizes {
    int64_t longest, long_rows; /* row; rows of at least COUNTED entries */
};

static struct sizes sizes_of(const struct csr_view *v)
{
    int64_t longest = 0, long_rows = 0;
#pragma omp parallel for reduction(max : longest) reduction(+ : long_rows) if (v->rows > 65536)
    for (int64_t i = 0; i < v->rows; i++) {
        const int64_t length = v->end[i] - v->begin[i];
        longest = length > longest ? length : longest;
        long_rows += length >= COUNTED;
    }
    return (struct sizes){ longest, long_rows };
}

/* row0: number of the first row of the view in the matrix that it is cut from; rows: number of rows of that matrix.
 * Everything is allocated before the threads begin: a failed allocation cannot end a parallel region (base/error.h, traps). */
static void features_of_extent(const struct csr_view *v, int64_t row0, int64_t rows, struct features *f)
{
    struct extent extent = { v, row0, rows, v->cols, block_fill_stride(csr_view_nnz(v)) };
    const struct sizes sizes = sizes_of(v);
    const int64_t chunks = (v->rows + CHUNK - 1) / CHUNK;
    const int threads = chunks > 1 ? max_threads() : 1;
    struct marks all = marks_alloc(v->cols / 4 + 1, threads > 1), diagonals = marks_alloc(rows + v->cols, threads > 1);
    struct worker {
        struct tally tally;
        struct scratch scratch;
    } *worker = xcalloc((unsigned long)threads, sizeof *worker);
    struct tally sum;
    tally_open(&sum, sizes.longest, sizes.long_rows);
    for (int w = 0; w < threads; w++) {
        tally_open(&worker[w].tally, sizes.longest, sizes.long_rows);
        worker[w].scratch = scratch_alloc(v->cols);
    }
#pragma omp parallel num_threads(threads)
    {
        struct worker *mine = &worker[thread_number()];
#pragma omp for schedule(dynamic)
        for (int64_t c = 0; c < chunks; c++) {
            int64_t first = c * CHUNK, end = first + CHUNK < v->rows ? first + CHUNK : v->rows;
            scan_chunk(&extent, first, end, &mine->tally, &mine->scratch, &all, &diagonals);
        }
    }
    for (int w = 0; w < threads; w++) {
        tally_merge(&sum, &worker[w].tally);
        tally_close(&worker[w].tally);
        scratch_free(&worker[w].scratch);
    }
    free(worker);
    sum.sectors[F32][SECTORS_ALL] = pairs_set(&all, 0, v->cols / 256);
    features_fill(&sum, v->rows, v->cols, f);
    tally_close(&sum);
    free(all.word);
    free(diagonals.word);
}

void features_of_view(const struct csr_view *v, struct features *f) { features_of_extent(v, 0, v->rows, f); }

void features_of_rows(const struct csr *m, int64_t first, int64_t end, struct features *f)
{
    const struct csr_view view = csr_view_rows(m, first, end);
    features_of_extent(&view, first, m->rows, f);
    f->rest_rows = m->rows - f->rows;
    f->rest_nnz = m->nnz - f->nnz;
}

void features_of(const struct csr *m, struct features *f)
{
    struct csr_view all = csr_view_all(m);
    features_of_view(&all, f);
}

/* Returns the number of f32 sectors of the strip and clears its marks by visiting its entries again, which is cheaper than a
 * sweep over all bits. */
static int64_t strip_unmark(const struct extent *p, int64_t first, int64_t end, struct marks *all,
                            struct marks *diagonals)
{
    int64_t pairs = 0;
    for (int64_t i = first; i < end; i++)
        for (int64_t k = p->view->begin[i]; k < p->view->end[i]; k++) {
            int64_t word = p->view->col[k] / 256;
            if (all->word[word])
                pairs += pairs_set(all, word, word);
            all->word[word] = 0;
            diagonals->word[(p->view->col[k] - i + p->rows - 1) >> 6] = 0;
        }
    return pairs;
}

void sketch_of(const struct csr *m, int64_t strip_rows, struct sketch *s)
{
    if (strip_rows < GROUP || strip_rows % GROUP != 0)
        bug("sketch_of: strips of %" PRId64 " rows, not a multiple of %d", strip_rows, GROUP);
    struct csr_view view = csr_view_all(m);
    struct extent extent = { &view, 0, m->rows, m->cols, block_fill_stride(m->nnz) };
    int64_t strips = (m->rows + strip_rows - 1) / strip_rows, row_max = sizes_of(&view).longest;
    s->strip_rows = strip_rows;
    s->n = (int)strips;
    s->strip = xcalloc((unsigned long)strips + 1, sizeof *s->strip);
    s->sums = strips_alloc();
    features_of(m, &s->whole);
#pragma omp parallel if (strips > 1)
    {
        struct marks all = marks_alloc(m->cols / 4 + 1, false), diagonals = marks_alloc(m->rows + m->cols, false);
        struct scratch scratch = scratch_alloc(m->cols);
        struct tally t;
        tally_open(&t, row_max, 0);
#pragma omp for schedule(dynamic)
        for (int64_t j = 0; j < strips; j++) {
            int64_t first = j * strip_rows, end = first + strip_rows < m->rows ? first + strip_rows : m->rows;
            tally_reset(&t);
            for (int64_t c = first; c < end; c += CHUNK)
                scan_chunk(&extent, c, c + CHUNK < end ? c + CHUNK : end, &t, &scratch, &all, &diagonals);
            t.sectors[F32][SECTORS_ALL] = strip_unmark(&extent, first, end, &all, &diagonals);
            features_fill(&t, end - first, m->cols, &s->strip[j]);
            if (t.fill.entries[0] == 0)
                features_copy_fill(&s->strip[j], &s->whole);
        }
        tally_close(&t);
        scratch_free(&scratch);
        free(all.word);
        free(diagonals.word);
    }
}

void sketch_free(struct sketch *s)
{
    for (int j = 0; j < s->n; j++)
        features_free(&s->strip[j]);
    features_free(&s->whole);
    strips_free(s->sums);
    free(s->strip);
    memset(s, 0, sizeof *s);
}
