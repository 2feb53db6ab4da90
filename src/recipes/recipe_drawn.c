/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled features of large recipes with different rows (recipe_sample.h). Samples the chunks that contain every
 * (nnz/n)-th entry. Chunks are thus drawn in proportion to their entries, and a sum over all chunks is estimated by
 * nnz times the mean of (sum of the chunk / its entries) (Hansen and Hurwitz), which is robust against a few long
 * rows. In chunks with very many entries only pieces of the columns are generated. If there are at most 32 chunks,
 * all are examined. */
#include <stdlib.h>
#include <string.h>

#include "matrix/block_fill.h"
#include "recipes/recipe_csr.h"
#include "recipes/recipe_rows.h"
#include "recipes/recipe_sample.h"

enum { CHUNKS = 32, CHUNK_ENTRIES = 1 << 18, PIECES = 32, SECTOR = 8 };

/* Columns of a chunk to examine, in n pieces: `width` of each `every` columns from `first` on, at piece_first; all columns if
 * every == width. */
struct pieces {
    int64_t first, width, every, n;
};

/* Returns the first column of piece k, at a quasi-random offset in its `every` columns (a multiple of the golden ratio, modulo
 * 1): at regular offsets, the dense columns of a power law, whose numbers are round, would be met too often or never. */
static int64_t piece_first(const struct pieces *p, int64_t k)
{
    return p->first + k * p->every
           + recipe_scale((uint32_t)(k + 1) * 0x9E3779B9u, (p->every - p->width) / SECTOR + 1) * SECTOR;
}

static struct pieces pieces_of(const struct recipe *r, int64_t row, int64_t rows, int64_t entries)
{
    struct pieces p = { 0, r->cols, r->cols, 1 };
    int64_t low = r->cols, high = 0;
    if (entries <= CHUNK_ENTRIES)
        return p;
    for (int64_t i = row; i < row + rows; i++) {
        int64_t length = recipe_row_length(r, i);
        if (length == 0)
            continue;
        low = recipe_min(low, recipe_column(r, i, 0, length));
        high = recipe_max(high, recipe_column(r, i, length - 1, length) + 1);
    }
    p.n = PIECES;
    p.first = low / SECTOR * SECTOR;
    p.every = recipe_max((high - p.first) / PIECES / SECTOR * SECTOR, SECTOR);
    p.width =
        recipe_clamp((int64_t)((double)p.every * CHUNK_ENTRIES / (double)entries) / SECTOR * SECTOR, SECTOR, p.every);
    return p;
}

/* Returns the index of the first entry of row i at column j or beyond. */
static int64_t entry_at(const struct recipe *r, int64_t i, int64_t length, int64_t j)
{
    int64_t low = 0, high = length;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (recipe_column(r, i, middle, length) < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the number of entries of row i in the pieces, and writes their columns if col is not NULL. */
static int64_t row_pieces(const struct recipe *r, const struct pieces *p, int64_t i, int32_t *col)
{
    int64_t length = recipe_row_length(r, i), n = 0;
    if (p->every == p->width) {
        if (col)
            recipe_row_columns(r, i, length, col);
        return length;
    }
    for (int64_t k = 0; k < p->n; k++) {
        int64_t first = piece_first(p, k), at = entry_at(r, i, length, first),
                end = entry_at(r, i, length, first + p->width);
        for (int64_t e = at; col && e < end; e++)
            col[n + e - at] = (int32_t)recipe_column(r, i, e, length);
        n += end - at;
    }
    return n;
}

static void chunk_make(const struct recipe *r, int64_t row, int64_t entries, struct csr *m)
{
    memset(m, 0, sizeof *m);
    m->rows = recipe_min(SAMPLE_ROWS, r->rows - row);
    m->cols = r->cols;
    m->row_ptr = xcalloc((unsigned long)m->rows + 1, sizeof *m->row_ptr);
    struct pieces p = pieces_of(r, row, m->rows, entries);
    for (int64_t i = 0; i < m->rows; i++)
        m->row_ptr[i + 1] = m->row_ptr[i] + row_pieces(r, &p, row + i, NULL);
    m->nnz = m->row_ptr[m->rows];
    m->col = xmalloc((unsigned long)(m->nnz + 1) * sizeof *m->col);
    for (int64_t i = 0; i < m->rows; i++)
        row_pieces(r, &p, row + i, m->col + m->row_ptr[i]);
}

/* Results for one chunk, per entry; share: the fraction of all entries that it represents. */
struct seen {
    double share, sectors[NPRECISIONS][NSECTORS], off;
    int64_t bandwidth;
    struct block_fill fill;
};

/* Sets the bandwidth and the mean distance from the diagonal, and in `diagonals` the bit of each diagonal with an entry. */
static void chunk_distances(const struct recipe *r, int64_t row, const struct csr *m, struct seen *s,
                            uint64_t *diagonals)
{
    double off = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t centre = (row + i) * r->cols / r->rows;
        for (int64_t k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) {
            int64_t j = m->col[k], bit = j - row - i + r->rows - 1;
            s->bandwidth = recipe_max(s->bandwidth, llabs(row + i - j));
            off += (double)llabs(j - centre);
#pragma omp atomic
            diagonals[bit >> 6] |= (uint64_t)1 << (bit & 63);
        }
    }
    s->off = m->nnz > 0 ? off / (double)m->nnz : 0;
}

static void chunk_look(const struct recipe *r, int64_t row, int64_t entries, struct seen *s, uint64_t *diagonals)
{
    struct csr m;
    struct features f;
    memset(s, 0, sizeof *s);
    chunk_make(r, row, entries, &m);
    struct csr_view view = csr_view_all(&m);
    struct block_marks marks = block_marks_alloc(m.cols);
    features_of_view(&view, &f);
    /* pieces of columns are whole sectors of 8; they cut only a few blocks of 3 and 6 */
    block_fill_add(&view, row, 0, m.rows, r->rows, BLOCK_FILL_ENTRIES / CHUNKS, &marks, &s->fill);
    for (int p = 0; p < NPRECISIONS; p++)
        for (int k = 0; k < SECTORS_ALL && m.nnz > 0; k++)
            s->sectors[p][k] = (double)f.sectors[p][k] / (double)m.nnz;
    chunk_distances(r, row, &m, s, diagonals);
    features_free(&f);
    free(marks.row);
    free(m.row_ptr);
    free(m.col);
}

/* Returns the first chunk whose running total of entries exceeds e. */
static int64_t chunk_of(const int64_t *end, int64_t chunks, int64_t e)
{
    int64_t low = 0, high = chunks - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (end[middle] <= e)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sets the indices of the chunks to examine; returns their number. */
static int chunks_choose(const int64_t *end, int64_t chunks, int64_t nnz, int64_t chosen[CHUNKS])
{
    for (int c = 0; c < chunks && chunks <= CHUNKS; c++)
        chosen[c] = c;
    if (chunks <= CHUNKS)
        return (int)chunks;
    for (int s = 0; s < CHUNKS; s++)
        chosen[s] = chunk_of(end, chunks, nnz / (2 * CHUNKS) * (2 * s + 1));
    return CHUNKS;
}

static int64_t row_distance(const struct recipe *r, int64_t i)
{
    int64_t length = recipe_row_length(r, i);
    return length == 0 ? 0
                       : recipe_max(llabs(i - recipe_column(r, i, 0, length)),
                                    llabs(i - recipe_column(r, i, length - 1, length)));
}

static void features_fill(const struct recipe *r, const struct seen *seen, int n, struct features *f)
{
    double off = 0;
    struct block_fill fill = { { 0 }, { 0 } };
    for (int s = 0; s < n; s++) {
        block_fill_merge(&fill, &seen[s].fill);
        off += seen[s].share * seen[s].off;
        f->bandwidth = recipe_max(f->bandwidth, seen[s].bandwidth);
    }
    f->spread = off / (double)r->cols;
    features_set_fill(f, &fill);
    for (int p = 0; p < NPRECISIONS; p++) {
        int64_t width = 32 / precision_bytes((enum precision)p), all = (r->cols + width - 1) / width;
        for (int k = 0; k < SECTORS_ALL; k++) {
            double sum = 0;
            for (int s = 0; s < n; s++)
                sum += seen[s].share * seen[s].sectors[p][k];
            f->sectors[p][k] = (int64_t)((double)f->nnz * sum + 0.5);
        }
        double touched = recipe_facts(r->kind)->touched ? recipe_facts(r->kind)->touched(r, f, width) : (double)all;
        f->sectors[p][SECTORS_ALL] = recipe_min((int64_t)(touched + 0.5), all);
    }
}

void recipe_features_drawn(const struct recipe *r, int64_t *entries, int64_t longest, struct features *f)
{
    struct seen seen[CHUNKS];
    int64_t chunks = (r->rows + SAMPLE_ROWS - 1) / SAMPLE_ROWS, chosen[CHUNKS], words = (r->rows + r->cols) / 64 + 1;
    uint64_t *diagonals = xcalloc((unsigned long)words, sizeof *diagonals);
    for (int64_t c = 1; c < chunks; c++)
        entries[c] += entries[c - 1];
    int n = chunks_choose(entries, chunks, f->nnz, chosen);
#pragma omp parallel for schedule(dynamic)
    for (int s = 0; s < n; s++) {
        int64_t c = chosen[s], mine = entries[c] - (c > 0 ? entries[c - 1] : 0);
        chunk_look(r, c * SAMPLE_ROWS, mine, &seen[s], diagonals);
        seen[s].share = n == chunks ? (double)mine / (double)f->nnz : 1.0 / n;
    }
    /* of the longest row, and of the rows whose windows are shifted the most */
    f->bandwidth = recipe_max(row_distance(r, longest), recipe_max(row_distance(r, 0), row_distance(r, r->rows - 1)));
    features_fill(r, seen, n, f);
    for (int64_t w = 0; w < words; w++)
        f->diagonals += __builtin_popcountll(diagonals[w]);
    free(diagonals);
}
