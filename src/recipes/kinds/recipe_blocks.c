/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks: dense b x b blocks with the row lengths of another matrix (kind.h). */
#include "recipes/kinds/recipe_blocks.h"

#include <inttypes.h>

#include "recipes/kind.h"

enum { RUN_MAX = 1024 };

static int finish(struct recipe *r, char why[ERRLEN])
{
    const double fill = (double)r->fill / 256, run = (double)r->run / 256;
    if (r->cols == 0)
        r->cols = recipe_min(recipe_max(r->rows, 2 * r->max), RECIPE_LIMIT);
    if (recipe_lengths_fit(r, why) != 0)
        return FAIL;
    if (fill < 1 || fill > (double)(r->d * r->d))
        return fail(why, "fill=%g is out of range; blocks of %" PRId64 " x %" PRId64 " allow 1..%" PRId64, fill, r->d,
                    r->d, r->d * r->d);
    if (run < 1 || run > RUN_MAX)
        return fail(why, "run=%g is out of range, expected 1..%d", run, RUN_MAX);
    if (fill * (double)r->count > (double)r->cols * (double)r->rows)
        return fail(why, "fill=%g times nnz=%" PRId64 " exceeds rows x cols; increase cols or reduce fill", fill,
                    r->count);
    recipe_lengths_sort(r);
    r->n = (256 * (r->rows / r->d) + 255) / r->run;
    r->m = r->n * (r->run % 256) / 256;
    recipe_shuffle_open(r, recipe_max(r->m, r->n - r->m));
    return 0;
}

static int64_t nnz(const struct recipe *r) { return r->count; }
static int64_t longest(const struct recipe *r) { return r->max; }

/* Walks the slots of the row without divisions. */
static void row(const struct recipe *r, int64_t i, int64_t length, int32_t *col)
{
    if (length == 0)
        return;
    const struct recipe_group g = recipe_blocks_group(r, i);
    const int64_t shift = recipe_blocks_shift(r, i, g.slots), step = g.slots / length, more = g.slots % length;
    int64_t slot = shift / length, left = shift % length, run = -1, end = 0, offset = 0;
    philox4x32_ctr_t u = { { 0 } };
    for (int64_t k = 0; k < length; k++) {
        while (slot >= end) {
            run++;
            if (run % 4 == 0)
                u = recipe_draw(r, g.row, run / 4, DRAW_COLUMNS);
            end = run + 1 < g.runs ? (run + 1) * g.blocks / g.runs * r->d : g.slots;
            offset = (g.first + recipe_blocks_gap(&g, run, u.v[run % 4])) * r->d;
        }
        col[k] = (int32_t)(offset + slot);
        slot += step;
        left += more;
        if (left >= length) {
            left -= length;
            slot++;
        }
    }
}

static int64_t common_divisor(int64_t a, int64_t b) { return b == 0 ? a : common_divisor(b, a % b); }

/* Returns the probability that a group of rows of one length has an entry in a certain sector of its window. A run of T columns
 * touches T / width + 1 sectors less the probability that it begins at the start of one, times their common divisor. */
static double hit(const struct recipe *r, int64_t length, int64_t width, double *window)
{
    const int64_t blocks = recipe_blocks_count(r, length, 1u << 31);
    const double runs = (double)recipe_clamp((256 * blocks + r->run / 2) / r->run, 1, blocks),
                 columns = (double)(blocks * r->d) + runs * (double)(width - common_divisor(width, r->d));
    *window = (double)recipe_min(recipe_blocks_window(r, blocks) * r->d, r->cols);
    return columns < *window ? columns / *window : 1;
}

static double touched(const struct recipe *r, const struct features *f, int64_t width)
{
    const struct histogram *h = &f->lengths[0];
    const enum precision p = width == 8 ? F32 : F64;
    double miss = 1;
    /* windows of different chunks hardly overlap, so their sectors add up */
    if (r->window != RECIPE_WINDOW_ALL && 4 * f->row_max < 1024 * (r->cols / r->rows))
        return (double)f->sectors[p][SECTORS_1024];
    for (int k = 0; k < h->n; k++) {
        if (h->value[k] == 0)
            continue;
        double window, share = hit(r, h->value[k], width, &window);
        /* expected number of groups whose window contains the sector */
        double over = 256 * (double)h->count[k] / (double)(r->d * r->run) * window / (double)r->cols;
        int64_t whole = (int64_t)over;
        miss *= recipe_power(1 - share, whole) * (1 - (over - (double)whole) * share);
    }
    return (1 - miss) * (double)r->cols / (double)width;
}

const struct recipe_kind_facts recipe_kind_blocks = {
    .about = { "blocks",
               "dense blocks, with the row lengths of another matrix; nodes of `block` rows share their block columns",
               "blocks:rows=62451,nnz=4007383,sd=14,max=78,block=3,run=2",
               { PARAM_ROWS,
                 { "cols", "columns", COUNT_LEGAL, "max(rows, 2max)" },
                 PARAM_LENGTHS,
                 { "block", "rows and columns of a block", "1..64", "3" },
                 { "fill", "stored values of all blocks with an entry / nonzeros (at least what whole blocks need)",
                   "1..block^2, in steps of 1/256", "1" },
                 { "run", "mean number of adjacent block columns, and of adjacent nodes with the same block columns",
                   "1..1024, in steps of 1/256", "1" },
                 { "place",
                   "runs: one drawn from each stratum of a window (twice the group's columns wide) or of the whole width",
                   "band|random", "band" },
                 PARAM_SEED } },
    .finish = finish,
    .nnz = nnz,
    .longest = longest,
    .row = row,
    .touched = touched,
};
