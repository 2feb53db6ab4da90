/* SPDX-License-Identifier: BSD-3-Clause */
/* Small random matrices, each determined by its seed: sizes, row lengths, blocks, placement of columns, empty rows and
 * explicit zeros. Matrix k of a run has the seed PROPERTY_SEED + k, so a failing one can be regenerated alone. */
#ifndef SPMVCAST_TESTS_RANDOM_MATRIX_H
#define SPMVCAST_TESTS_RANDOM_MATRIX_H
#include <Random123/philox.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "matrix/csr_matrix.h"

enum { AREA_MAX = 4000000 }; /* maximum of rows x cols */
enum draw { OF_MATRIX, OF_LENGTH, OF_EMPTY, OF_COLUMN, OF_FILL, OF_VALUE, OF_ZERO, OF_VIEW };

struct random_matrix {
    uint64_t seed;
    int64_t rows, cols, p;     /* p: approximate number of entries per row */
    int lengths, place;        /* indices into the tables below */
    int r, c, fill;            /* blocks of r x c with `fill` percent entries */
    int empty, zeros, threads; /* in percent of block rows, of entries; OpenMP threads that build layouts */
    char text[240];            /* the settings that regenerate it, and its parameters */
};

static inline uint32_t random_draw(const struct random_matrix *m, enum draw of, int64_t i, int64_t e)
{
    const philox4x32_ctr_t counter = { { (uint32_t)i, (uint32_t)e, (uint32_t)of, 0 } };
    const philox4x32_key_t key = { { (uint32_t)m->seed, (uint32_t)(m->seed >> 32) } };
    return philox4x32_R(10, counter, key).v[0];
}

static inline bool random_percent(const struct random_matrix *m, enum draw of, int64_t i, int64_t e, int percent)
{
    return (int)(random_draw(m, of, i, e) % 100) < percent;
}

/* ---- lengths of rows ---- */
static int64_t length_equal(const struct random_matrix *m, int64_t g)
{
    (void)g;
    return m->p;
}
static int64_t length_uniform(const struct random_matrix *m, int64_t g)
{
    return random_draw(m, OF_LENGTH, g, 0) % (2 * m->p + 1);
}
static int64_t length_power(const struct random_matrix *m, int64_t g)
{
    return m->p * 64 / (1 + random_draw(m, OF_LENGTH, g, 0) % 512);
}
static int64_t length_runs(const struct random_matrix *m, int64_t g)
{
    return random_draw(m, OF_LENGTH, g / 64, 0) % (2 * m->p + 1);
}
static int64_t length_few(const struct random_matrix *m, int64_t g)
{
    return random_draw(m, OF_LENGTH, g, 0) % 200 == 0 ? INT32_MAX : g % 2;
}
static int64_t length_halves(const struct random_matrix *m, int64_t g) { return g * m->r < m->rows / 2 ? 1 : 2 * m->p; }
static const struct {
    const char *name;
    int64_t (*of)(const struct random_matrix *, int64_t block_row);
} random_lengths[] = { { "equal", length_equal }, { "uniform", length_uniform }, { "power", length_power },
                       { "runs", length_runs },   { "few", length_few },         { "halves", length_halves } };

/* ---- placement: block column e of a block row ---- */
static int64_t place_random(const struct random_matrix *m, int64_t g, int64_t e, int64_t n)
{
    return random_draw(m, OF_COLUMN, g, e) % n;
}
static int64_t place_band(const struct random_matrix *m, int64_t g, int64_t e, int64_t n)
{
    const int64_t at = g * m->r * n / m->rows + random_draw(m, OF_COLUMN, g, e) % (4 * m->p + 1) - 2 * m->p;
    return at < 0 ? 0 : at < n ? at : n - 1;
}
static int64_t place_diagonals(const struct random_matrix *m, int64_t g, int64_t e, int64_t n)
{
    return (g + random_draw(m, OF_COLUMN, 0, e)) % n;
}
static int64_t place_left(const struct random_matrix *m, int64_t g, int64_t e, int64_t n)
{
    (void)m;
    (void)g;
    return e % n;
}
static const struct {
    const char *name;
    int64_t (*of)(const struct random_matrix *, int64_t block_row, int64_t e, int64_t block_cols);
} random_places[] = {
    { "random", place_random }, { "band", place_band }, { "diagonals", place_diagonals }, { "left", place_left }
};

/* ---- a matrix ---- */
/* Draws a size: 0, a power of two or a neighbour of one, or a value in between; at most 2^bits + 1. */
static inline int64_t random_size(const struct random_matrix *m, int64_t e, unsigned bits)
{
    const int64_t power = (int64_t)1 << random_draw(m, OF_MATRIX, e, 0) % (bits + 1);
    return random_draw(m, OF_MATRIX, e, 1) % 2 ? power + random_draw(m, OF_MATRIX, e, 2) % 3 - 1
                                               : random_draw(m, OF_MATRIX, e, 2) % (power + 1);
}

static inline void random_matrix_of(struct random_matrix *m, uint64_t seed)
{
    static const int blocks[] = { 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8 }, empties[] = { 0, 0, 0, 30, 90 },
                     zeros[] = { 0, 0, 0, 0, 10, 50, 100 };
    static const int fills[] = { 100, 100, 80, 50 }, threads[] = { 1, 2, 3, 5 };
#define PICK(list, e) list[random_draw(m, OF_MATRIX, e, 0) % (sizeof list / sizeof list[0])]
    *m = (struct random_matrix){ .seed = seed };
    m->rows = random_size(m, 1, 11);
    m->cols = random_draw(m, OF_MATRIX, 2, 3) % 3 == 0 ? m->rows : random_size(m, 2, 14);
    if (m->rows * m->cols > AREA_MAX)
        m->cols = AREA_MAX / m->rows;
    m->p = 1 + random_draw(m, OF_MATRIX, 3, 0) % (random_draw(m, OF_MATRIX, 3, 1) % 4 == 0 ? 100 : 12);
    m->lengths = (int)(random_draw(m, OF_MATRIX, 4, 0) % (sizeof random_lengths / sizeof random_lengths[0]));
    m->place = (int)(random_draw(m, OF_MATRIX, 5, 0) % (sizeof random_places / sizeof random_places[0]));
    m->r = PICK(blocks, 6);
    m->c = m->r == 1 ? PICK(blocks, 7) : random_draw(m, OF_MATRIX, 7, 1) % 2 ? m->r : PICK(blocks, 7);
    m->fill = PICK(fills, 8);
    m->empty = PICK(empties, 9);
    m->zeros = PICK(zeros, 10);
    m->threads = PICK(threads, 11);
#undef PICK
    snprintf(m->text, sizeof m->text,
             "PROPERTY_SEED=%llu PROPERTY_N=1: rows=%" PRId64 ",cols=%" PRId64 ",p=%" PRId64
             ",lengths=%s,place=%s,block=%dx%d,fill=%d,empty=%d,zeros=%d,threads=%d",
             (unsigned long long)seed, m->rows, m->cols, m->p, random_lengths[m->lengths].name,
             random_places[m->place].name, m->r, m->c, m->fill, m->empty, m->zeros, m->threads);
}

/* Marks the columns in which row i has entries. */
static inline void random_row(const struct random_matrix *m, int64_t i, char *marks)
{
    const int64_t g = i / m->r, n = (m->cols + m->c - 1) / m->c, wanted = random_lengths[m->lengths].of(m, g);

    memset(marks, 0, (size_t)m->cols);
    if (m->cols == 0 || random_percent(m, OF_EMPTY, g, 0, m->empty))
        return;
    if (wanted >= m->cols)
        memset(marks, 1, (size_t)m->cols);
    for (int64_t e = 0; wanted < m->cols && e * m->c < wanted; e++) {
        const int64_t first = random_places[m->place].of(m, g, e, n) * m->c;
        for (int64_t j = first; j < first + m->c && j < m->cols; j++)
            if (random_percent(m, OF_FILL, i, j, m->fill))
                marks[j] = 1;
    }
}

static inline void random_matrix_make(const struct random_matrix *m, struct csr *a)
{
    char *marks = xmalloc((unsigned long)m->cols + 1), why[ERRLEN];
    int64_t nnz = 0, k = 0;

    for (int64_t i = 0; i < m->rows; i++) {
        random_row(m, i, marks);
        for (int64_t j = 0; j < m->cols; j++)
            nnz += marks[j];
    }
    if (csr_alloc(a, m->rows, m->cols, nnz, why) != 0)
        die("%s", why);
    a->row_ptr[0] = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        random_row(m, i, marks);
        for (int64_t j = 0; j < m->cols; j++) {
            if (!marks[j])
                continue;
            const double v = csr_x((int64_t)random_draw(m, OF_VALUE, i, j)),
                         sign = random_draw(m, OF_VALUE, i, j) % 3 == 0 ? -1.0 : 1.0;
            a->col[k] = (int32_t)j;
            a->val[k++] = random_percent(m, OF_ZERO, i, j, m->zeros) ? 0.0 : sign * v;
        }
        a->row_ptr[i + 1] = k;
    }
    free(marks);
}

/* ---- number of matrices and seed ---- */
static inline int64_t random_setting(const char *name, int64_t fallback, int64_t least)
{
    const char *text = getenv(name);
    int64_t value = fallback;

    if (text && parse_int(text, least, INT32_MAX, &value) != 0)
        die("%s=%s: expected a whole number from %" PRId64 " to %d", name, text, least, INT32_MAX);
    return value;
}

/* Calls take() with each matrix of the run given by PROPERTY_N (default 200) and PROPERTY_SEED (default 1). */
static inline void each_random_matrix(void (*take)(const struct random_matrix *, const struct csr *))
{
    const int64_t n = random_setting("PROPERTY_N", 200, 1), seed = random_setting("PROPERTY_SEED", 1, 0);

    for (int64_t k = 0; k < n; k++) {
        struct random_matrix m;
        struct csr a;

        random_matrix_of(&m, (uint64_t)(seed + k));
        random_matrix_make(&m, &a);
        take(&m, &a);
        csr_free(&a);
    }
}
#endif
