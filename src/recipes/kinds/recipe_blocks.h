/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks: rows with the lengths of another matrix that consist of dense b x b blocks, as in finite elements. Groups of rows (some
 * nodes of b rows) have consecutive ranks (lengths.h), hence nearly equal lengths, and share their block columns. These lie
 * in runs of adjacent block columns, one run in each stratum of a window. The blocks of a group have b K columns in a row,
 * its slots; a row leaves out slots at equal distances, which differ between the rows of a node. */
#ifndef SPMVCAST_RECIPES_KINDS_RECIPE_BLOCKS_H
#define SPMVCAST_RECIPES_KINDS_RECIPE_BLOCKS_H
#include "recipes/kinds/lengths.h"
#include "recipes/shuffle.h"

/* A group: its rows, the slots of each row, its runs, and the window, all but rows and slots in block columns. */
struct recipe_group {
    int64_t row, rows, rank, place; /* first row; number of rows; rank of the first row; groups ranked before it */
    int64_t slots, blocks, runs;
    int64_t first, slack; /* the window: its first block column, and its width less blocks */
};

/* Returns the first row of group t, if all rows before it are in complete groups. */
SPMV_HD static inline int64_t recipe_blocks_first(const struct recipe *r, int64_t t) { return t * r->run / 256 * r->d; }

/* Returns the place of complete group t in the order of the ranks: a bijection that keeps the number of nodes, of which there are
 * two, run rounded down and, in as many groups as the fraction requires, one more. */
SPMV_HD static inline int64_t recipe_blocks_place(const struct recipe *r, int64_t t)
{
    const int64_t part = r->run % 256, before = t * part / 256; /* larger groups before t */
    if ((t + 1) * part / 256 == before)
        return 256 * recipe_shuffle(r, r->n - r->m, t - before) / (256 - part);
    return (256 * (recipe_shuffle(r, r->m, before) + 1) + part - 1) / part - 1;
}

/* Sets rows and ranks of the group of row i. The rest of the rows, fewer than a group, is ranked after half of the groups. */
SPMV_HD static inline struct recipe_group recipe_blocks_rows(const struct recipe *r, int64_t i)
{
    const int64_t t = recipe_clamp((256 * (i / r->d) + 255) / r->run, 0, r->n), row = recipe_blocks_first(r, t),
                  half = r->n / 2, rest = r->rows - recipe_blocks_first(r, r->n);
    const int64_t place = t < r->n ? recipe_blocks_place(r, t) : half, rank = recipe_blocks_first(r, place);
    if (t == r->n)
        return (struct recipe_group){ row, rest, rank, place, 0, 0, 0, 0, 0 };
    return (struct recipe_group){
        row, recipe_blocks_first(r, t + 1) - row, rank + (place < half ? 0 : rest), place, 0, 0, 0, 0, 0
    };
}

SPMV_HD static inline int64_t recipe_blocks_length(const struct recipe *r, int64_t i)
{
    const struct recipe_group g = recipe_blocks_rows(r, i);
    return recipe_rank_length(r, g.rank + i - g.row);
}

/* Returns the block columns of a group whose longest row is `longest`: fill x longest / b, rounded up with a probability equal to
 * the fraction (u is uniform in 2^-32), but no fewer than the row needs and no more than there are. If only all columns are
 * enough, the last block is incomplete. */
SPMV_HD static inline int64_t recipe_blocks_count(const struct recipe *r, int64_t longest, uint32_t u)
{
    const int64_t all = r->cols / r->d, least = (longest + r->d - 1) / r->d,
                  wanted = (r->fill * longest + recipe_scale(u, 256 * r->d)) / (256 * r->d);
    const int64_t enough = wanted > least ? wanted : least > 0 ? least : 1;
    return enough <= all ? enough : all * r->d >= longest && all > 0 ? all : all + 1;
}

/* Returns the width of the window in block columns of a group with that many blocks: band: twice as many, at least 2p columns. */
SPMV_HD static inline int64_t recipe_blocks_window(const struct recipe *r, int64_t blocks)
{
    const int64_t all = r->cols / r->d, mean = (r->p + r->d - 1) / r->d, own = 2 * (blocks > mean ? blocks : mean);
    return r->window != RECIPE_WINDOW_ALL && own < all ? own : all > blocks ? all : blocks;
}

SPMV_HD static inline struct recipe_group recipe_blocks_group(const struct recipe *r, int64_t i)
{
    struct recipe_group g = recipe_blocks_rows(r, i);
    /* multiples of two irrational numbers, modulo 1: their mean over many groups is 1/2, with less noise than of draws */
    const uint32_t u = (uint32_t)g.place * 0x9E3779B9u, v = (uint32_t)g.place * 0x6A09E667u;
    const int64_t all = r->cols / r->d;
    g.blocks = recipe_blocks_count(r, recipe_rank_length(r, g.rank + g.rows - 1), u);
    g.slots = r->d * g.blocks < r->cols ? r->d * g.blocks : r->cols;
    g.runs = recipe_clamp((256 * g.blocks + recipe_scale(v, r->run)) / r->run, 1, g.blocks);
    const int64_t window = recipe_blocks_window(r, g.blocks), middle = g.row + g.rows / 2,
                  centre = (r->cols == r->rows ? middle : middle * r->cols / r->rows) / r->d;
    g.slack = window - g.blocks;
    g.first = window < all ? recipe_clamp(centre - window / 2, 0, all - window) : 0;
    return g;
}

/* Returns the number of block columns of the window to the left of run m that are not part of a run. */
SPMV_HD static inline int64_t recipe_blocks_gap(const struct recipe_group *g, int64_t m, uint32_t u)
{
    const int64_t low = g->slack * m / g->runs, high = g->slack * (m + 1) / g->runs;
    return low + recipe_scale(u, high - low + 1);
}

/* Returns s: entry k of row i has slot (k slots + s) / length, rounded down. The rows of a node have equally spaced s, so that a
 * block has an entry in at least one of them as long as fill <= b^2. */
SPMV_HD static inline int64_t recipe_blocks_shift(const struct recipe *r, int64_t i, int64_t slots)
{
    const int64_t row = i % r->d;
    const uint32_t u = recipe_draw(r, i - row, 0, DRAW_LENGTH).v[0];
    return (row * slots + recipe_scale(u, slots)) / r->d;
}

SPMV_HD static inline int64_t recipe_blocks_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    const struct recipe_group g = recipe_blocks_group(r, i);
    const int64_t slot = (k * g.slots + recipe_blocks_shift(r, i, g.slots)) / length;
    const int64_t run = (slot / r->d * g.runs + g.runs - 1) / g.blocks;
    const philox4x32_ctr_t u = recipe_draw(r, g.row, run / 4, DRAW_COLUMNS);
    return (g.first + recipe_blocks_gap(&g, run, u.v[run % 4])) * r->d + slot;
}
#endif
