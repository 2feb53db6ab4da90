/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by several kinds (kind.h). */
#include "recipes/kind.h"

#include <inttypes.h>
#include <stdlib.h>

#include "recipes/kinds/strata.h"

int recipe_finish_drawn(struct recipe *r, char why[ERRLEN])
{
    if (r->cols == 0)
        r->cols = recipe_min(recipe_max(r->rows, 2 * r->p), RECIPE_LIMIT);
    if (r->p > r->cols)
        return fail(why, "p=%" PRId64 " exceeds cols=%" PRId64 "; increase cols", r->p, r->cols);
    if (r->spread < 0)
        r->spread = 128 * r->p;
    if (r->spread > 256 * r->p)
        return fail(why, "%s=%g exceeds p=%" PRId64 "; row lengths would be negative",
                    r->kind == RECIPE_NORMAL ? "sd" : "half", (double)r->spread / 256, r->p);
    if (r->window == 0)
        return 0;
    int64_t longest = r->p + (r->kind == RECIPE_NORMAL ? 6 : 1) * ((r->spread + 255) / 256);
    r->window = recipe_min(r->cols, recipe_max(2 * r->p, longest));
    return 0;
}

void recipe_strata_row(const struct recipe *r, int64_t i, int64_t length, int32_t *col)
{
    if (length == 0)
        return;
    int64_t window = recipe_window(r, length), first = recipe_window_first(r, i, window);
    uint64_t step = recipe_step(window, length);
    for (int64_t k = 0; k < length; k += 4) {
        philox4x32_ctr_t u = recipe_draw(r, i, k / 4, DRAW_COLUMNS);
        for (int64_t w = 0; w < 4 && k + w < length; w++)
            col[k + w] = (int32_t)recipe_stratum(first, step, k + w, u.v[w]);
    }
}

double recipe_power(double base, int64_t n)
{
    double v = 1;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1)
            v *= base;
    return v;
}

/* A row with one entry per s columns of its window misses a sector of w columns with probability max(0, 1 - w/s). */
double recipe_touched(const struct recipe *r, const struct recipe_strata *s, int n, int64_t span, int64_t width)
{
    double miss = 1;
    for (int k = 0; k < n; k++) {
        double window = (double)recipe_window(r, s[k].length),
               hit = s[k].length > 0 ? (double)width * (double)s[k].length / window : 0;
        /* expected number of rows whose window contains the sector */
        double over = (double)s[k].rows * (window < (double)span ? window / (double)span : 1);
        int64_t whole = (int64_t)over;
        if (hit > 1)
            hit = 1;
        miss *= recipe_power(1 - hit, whole) * (1 - (over - (double)whole) * hit);
    }
    return (1 - miss) * (double)span / (double)width;
}

double recipe_touched_lengths(const struct recipe *r, const struct features *f, int64_t width)
{
    const struct histogram *h = &f->lengths[0];
    const enum precision p = width == 8 ? F32 : F64;
    /* Windows of different chunks hardly overlap, so their sectors add up. */
    if (r->window != RECIPE_WINDOW_ALL && 4 * f->row_max < 1024 * (r->cols / r->rows))
        return (double)f->sectors[p][SECTORS_1024];
    struct recipe_strata *strata = xmalloc((unsigned long)(h->n + 1) * sizeof *strata);
    for (int k = 0; k < h->n; k++)
        strata[k] = (struct recipe_strata){ h->count[k], h->value[k] };
    double touched = recipe_touched(r, strata, h->n, r->cols, width);
    free(strata);
    return touched;
}
