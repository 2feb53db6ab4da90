/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled features of large recipes with similar rows (recipe_sample.h): equally spaced groups of rows, scaled to all
 * groups. If even one group is too much work (1024 long rows, or all rows), uses the expected number of distinct
 * sectors: a row with one entry per s columns misses a sector of w columns with probability max(0, 1 - w/s). Uses no
 * libm, so that all machines agree. */
#include "matrix/block_fill.h"
#include "recipes/recipe_sample.h"

#include <stdlib.h>
#include <string.h>

#include "recipes/recipe_csr.h"
#include "recipes/recipe_rows.h"

enum { GROUP_ROWS = 32, CHUNK_ROWS = SAMPLE_ROWS, SAMPLED_GROUPS = 16, SAMPLED_ENTRIES = 1 << 19 };

/* Rows of a recipe as a matrix: groups of `group` rows, the first of each at start[g]. Columns only. */
struct sample {
    int64_t groups, group, start[SAMPLED_GROUPS];
    struct csr csr;
};

/* Samples equally spaced whole groups; none if a single row is too long. */
static void sample_take(const struct recipe *r, int64_t group, struct sample *s)
{
    int64_t all = r->rows / group, wanted = SAMPLED_ENTRIES / (group * (recipe_longest(r) + 1));
    s->group = group;
    s->groups = recipe_longest(r) > 2 * SAMPLED_ENTRIES ? 0 : recipe_clamp(wanted, 1, SAMPLED_GROUPS);
    if (s->groups > all)
        s->groups = all;
    struct csr *m = &s->csr;
    memset(m, 0, sizeof *m);
    m->rows = s->groups * group;
    m->cols = r->cols;
    m->row_ptr = xcalloc((unsigned long)m->rows + 1, sizeof *m->row_ptr);
    for (int64_t g = 0; g < s->groups; g++)
        s->start[g] = (2 * g + 1) * all / (2 * s->groups) * group;
    for (int64_t i = 0; i < m->rows; i++)
        m->row_ptr[i + 1] = m->row_ptr[i] + recipe_row_length(r, s->start[i / group] + i % group);
    m->nnz = m->row_ptr[m->rows];
    m->col = xmalloc((unsigned long)(m->nnz + 1) * sizeof *m->col);
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < m->rows; i++)
        recipe_row_columns(r, s->start[i / group] + i % group, m->row_ptr[i + 1] - m->row_ptr[i],
                           m->col + m->row_ptr[i]);
}

/* Return the first column and the width of the window of row i, which contains its entries. */
static double window_first(const struct recipe *r, int64_t i)
{
    return (double)(r->kind == RECIPE_BANDED ? recipe_clamp(i - r->n, 0, r->cols - 1)
                                             : recipe_window_first(r, i, recipe_window(r, r->p)));
}
static double window_width(const struct recipe *r)
{
    return (double)(r->kind == RECIPE_BANDED ? recipe_min(2 * r->n + 1, r->cols) : recipe_window(r, r->p));
}

/* Returns the expected number of distinct sectors of `width` columns that rows first .. first + group - 1 touch. Columns covered
 * by only m of the windows lie on both sides of those covered by all, or by as many as can overlap. */
static double expected_sectors(const struct recipe *r, double mean, int64_t first, int64_t group, int64_t width)
{
    double window = window_width(r), moved = window_first(r, first + group - 1) - window_first(r, first),
           w = (double)width;
    double span = moved + window <= (double)r->cols ? moved + window : (double)r->cols,
           shift = group > 1 ? moved / (double)(group - 1) : 0;
    double miss = 1 - w * mean / window,
           deepest = shift > 0 && window / shift < (double)group ? window / shift : (double)group, columns = 0;
    if (miss < 0)
        miss = 0;
    /* columns missed at the sides */
    for (int64_t m = 1; shift > 0 && (double)m < deepest && recipe_power(miss, m) > 1e-9; m++)
        columns -= 2 * shift * recipe_power(miss, m);
    double inner = span - 2 * shift * (deepest - 1);
    columns += span - (inner > 0 ? inner : 0) * recipe_power(miss, (int64_t)deepest);
    return columns > 0 ? columns / w : 0;
}

/* Sets bandwidth, spread and diagonals (features.h) from the sampled rows; bandwidth also includes the first and the last
 * row, whose windows are shifted the most. */
static void sample_distances(const struct recipe *r, const struct sample *s, struct features *f)
{
    uint64_t off = 0;
    uint64_t *seen = xcalloc((unsigned long)((r->rows + r->cols) / 64 + 1), sizeof *seen);
    for (int64_t i = 0; i < r->rows; i += recipe_max(r->rows - 1, 1)) {
        int64_t length = recipe_row_length(r, i);
        if (length > 0)
            f->bandwidth = recipe_max(f->bandwidth, recipe_max(llabs(i - recipe_column(r, i, 0, length)),
                                                               llabs(i - recipe_column(r, i, length - 1, length))));
    }
    for (int64_t i = 0; i < s->csr.rows; i++) {
        int64_t row = s->start[i / s->group] + i % s->group, centre = row * r->cols / r->rows;
        for (int64_t k = s->csr.row_ptr[i]; k < s->csr.row_ptr[i + 1]; k++) {
            int64_t j = s->csr.col[k], bit = j - row + r->rows - 1;
            f->bandwidth = recipe_max(f->bandwidth, llabs(row - j));
            off += (uint64_t)llabs(j - centre);
            f->diagonals += !(seen[bit >> 6] >> (bit & 63) & 1);
            seen[bit >> 6] |= (uint64_t)1 << (bit & 63);
        }
    }
    f->spread = s->csr.nnz > 0 ? (double)off / (double)s->csr.nnz / (double)r->cols : 0;
    free(seen);
}

/* Sets spread, from some entries of some rows, and the largest possible number of diagonals, for rows too long to sample. */
static void distances_apart(const struct recipe *r, struct features *f)
{
    double off = 0, n = 0;
    for (int64_t i = 0; i < r->rows; i += recipe_max(r->rows / SAMPLED_GROUPS, 1)) {
        int64_t length = recipe_row_length(r, i);
        for (int64_t k = 0; k < length; k += recipe_max(length / CHUNK_ROWS, 1), n++)
            off += (double)llabs(recipe_column(r, i, k, length) - i * r->cols / r->rows);
    }
    f->spread = n > 0 ? off / n / (double)r->cols : 0;
    f->diagonals = recipe_min(f->nnz, r->rows + r->cols - 1);
}

/* Returns the number of sectors of all groups of `group` rows. Complete groups: scaled from the sample, or the expected
 * number if sampled < 0. The remaining rows: the expected number. */
static int64_t group_sectors(const struct recipe *r, double mean, int64_t group, int64_t width, int64_t sampled,
                             int64_t sampled_rows)
{
    int64_t full = r->rows / group, left = r->rows % group;
    double sectors = left > 0 ? expected_sectors(r, mean, full * group, left, width) : 0;
    if (sampled >= 0)
        sectors += (double)full * (double)sampled * (double)group / (double)sampled_rows;
    for (int64_t g = 0; g < full && sampled < 0; g++)
        sectors += expected_sectors(r, mean, g * group, group, width);
    return (int64_t)(sectors + 0.5);
}

static void sample_fill(const struct recipe *r, const struct sample *s, const struct csr_view *v, struct features *f)
{
    struct block_fill fill = { { 0 }, { 0 } };
    struct block_marks marks = block_marks_alloc(v->cols);
    for (int64_t g = 0; g < s->groups; g++)
        block_fill_add(v, s->start[g] - g * s->group, g * s->group, (g + 1) * s->group, r->rows, SAMPLED_ENTRIES,
                       &marks, &fill);
    free(marks.row);
    features_set_fill(f, &fill);
}

void recipe_features_windowed(const struct recipe *r, struct features *f)
{
    static const int64_t rows_of[NSECTORS] = { 1, GROUP_ROWS, CHUNK_ROWS, 0 };
    struct sample s;
    struct features seen;
    int64_t longest = recipe_longest(r);
    sample_take(r,
                CHUNK_ROWS * longest <= SAMPLED_ENTRIES && r->rows >= CHUNK_ROWS       ? CHUNK_ROWS
                : GROUP_ROWS * longest <= 2 * SAMPLED_ENTRIES && r->rows >= GROUP_ROWS ? GROUP_ROWS
                                                                                       : 1,
                &s);
    struct csr_view view = csr_view_all(&s.csr);
    features_of_view(&view, &seen);
    for (int p = 0; p < NPRECISIONS; p++) {
        int64_t width = 32 / precision_bytes((enum precision)p), all = (r->cols + width - 1) / width;
        for (int k = 0; k < SECTORS_ALL; k++)
            f->sectors[p][k] =
                group_sectors(r, f->row_mean, rows_of[k], width,
                              s.csr.rows > 0 && rows_of[k] <= s.group ? seen.sectors[p][k] : -1, s.csr.rows);
        int64_t touched =
            r->kind == RECIPE_STENCIL ? all : (int64_t)(expected_sectors(r, f->row_mean, 0, r->rows, width) + 0.5);
        f->sectors[p][SECTORS_ALL] = recipe_min(touched, all);
    }
    sample_fill(r, &s, &view, f);
    sample_distances(r, &s, f);
    if (s.csr.rows == 0)
        distances_apart(r, f);
    features_free(&seen);
    free(s.csr.row_ptr);
    free(s.csr.col);
}
