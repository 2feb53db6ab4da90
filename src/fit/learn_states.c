/* SPDX-License-Identifier: BSD-3-Clause */
/* Launch states (learn.h): each process launches in one of two states, of which the slower adds a constant to every time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "fit/learn_inside.h"

/* States are detected from empty kernels of small grids, whose times differ only by the state. */
enum { SMALL_GRID = 256, SMALL_MIN = 3, STATE_ROUNDS = 4 };
static const double state_least_us = 0.08, state_over_noise = 5;

struct residual {
    const char *key;
    double us;
    int64_t threads;
    double log2_blocks;
    int group; /* of the key */
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct residual *)a)->key, ((const struct residual *)b)->key);
}

static int by_grid(const void *a, const void *b)
{
    const struct residual *x = *(const struct residual *const *)a, *y = *(const struct residual *const *)b;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    return (x->log2_blocks > y->log2_blocks) - (x->log2_blocks < y->log2_blocks);
}

/* Alternates between grid times (medians of times minus group offsets) and group offsets (medians of residuals).
 * offset: [groups]. */
static void fit_offsets(struct residual *r, int n, int groups, double *offset)
{
    struct residual **grid = xmalloc(((unsigned long)n + 1) * sizeof *grid);
    double *v = xmalloc(((unsigned long)n + 1) * sizeof *v), *left = xmalloc(((unsigned long)n + 1) * sizeof *left);
    for (int i = 0; i < n; i++)
        grid[i] = &r[i];
    qsort(grid, (size_t)n, sizeof(struct residual *), by_grid);
    memset(offset, 0, (size_t)groups * sizeof *offset);
    for (int round = 0; round < STATE_ROUNDS; round++) {
        for (int i = 0, j; i < n; i = j) {
            int m = 0;
            for (j = i; j < n && by_grid(&grid[j], &grid[i]) == 0; j++)
                v[m++] = grid[j]->us - offset[grid[j]->group];
            const double median = stats_median(v, m);
            for (int k = i; k < j; k++)
                left[grid[k] - r] = grid[k]->us - median;
        }
        for (int i = 0, j; i < n; i = j) {
            int m = 0;
            for (j = i; j < n && r[j].group == r[i].group; j++)
                v[m++] = left[j];
            offset[r[i].group] = stats_median(v, m);
        }
        double least = INFINITY;
        for (int g = 0; g < groups; g++)
            least = fmin(least, offset[g]);
        for (int g = 0; g < groups && round == 0; g++)
            offset[g] -= least;
    }
    free(grid);
    free(v);
    free(left);
}

/* Splits offsets into two clusters. Returns their distance, or 0 if it is not well above the noise; *split lies between them. */
static double two_states(const double *offset, int groups, double *split)
{
    double *v = xmalloc(((unsigned long)groups + 1) * sizeof *v), widest = 0, low = 0, high = 0, noise = 0;
    int at = 0;
    memcpy(v, offset, (size_t)groups * sizeof *v);
    stats_sort(v, groups);
    const int skip = groups / 100; /* ignore outliers at both ends */
    for (int i = skip; i + 1 < groups - skip; i++)
        if (v[i + 1] - v[i] > widest) {
            widest = v[i + 1] - v[i];
            at = i + 1;
        }
    *split = at > 0 ? 0.5 * (v[at - 1] + v[at]) : INFINITY;
    if (at > 0) {
        low = stats_median(v, at);
        high = stats_median(v + at, groups - at);
        for (int i = 0; i < groups; i++)
            noise += fabs(v[i] - (i < at ? low : high)) / groups;
    }
    free(v);
    return at > 0 && high - low > state_least_us && high - low > state_over_noise * noise ? high - low : 0;
}

struct minute {
    const char *text;
    int slower; /* number of groups in the slower state minus those in the faster */
};
static const char *minute_of(const char *key) { return strrchr(key, ' ') + 1; }
static int by_minute(const void *a, const void *b)
{
    return strcmp(((const struct minute *)a)->text, ((const struct minute *)b)->text);
}

/* Fills minute[], sorted by text, with the votes of each minute. Returns the number of minutes. */
static int vote_minutes(const struct residual *r, int kept, const double *offset, double split, struct minute *minute)
{
    int n = 0, minutes = 0;
    for (int i = 0; i < kept; i++)
        if (i == 0 || r[i].group != r[i - 1].group)
            minute[n++] = (struct minute){ minute_of(r[i].key), offset[r[i].group] > split ? 1 : -1 };
    qsort(minute, (size_t)n, sizeof *minute, by_minute);
    for (int i = 0; i < n; i++)
        if (minutes > 0 && strcmp(minute[minutes - 1].text, minute[i].text) == 0)
            minute[minutes - 1].slower += minute[i].slower;
        else
            minute[minutes++] = minute[i];
    return minutes;
}

void learn_find_states(struct learn_data *d, const struct learn_empty *e, int64_t n, double *state_us)
{
    struct residual *r = xcalloc((unsigned long)n + 1, sizeof *r);
    int m = 0, groups = 0, kept = 0;
    double split = INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (e[i].grid.blocks <= SMALL_GRID && e[i].us > 0)
            r[m++] = (struct residual){ e[i].key, e[i].us, e[i].grid.threads, e[i].log2_blocks, 0 };
    qsort(r, (size_t)m, sizeof *r, by_key);
    for (int i = 0, j; i < m; i = j) {
        for (j = i + 1; j < m && strcmp(r[j].key, r[i].key) == 0; j++)
            ;
        if (j - i < SMALL_MIN)
            continue;
        for (int k = i; k < j; k++) {
            r[kept] = r[k];
            r[kept++].group = groups;
        }
        groups++;
    }
    double *offset = xcalloc((unsigned long)groups + 1, sizeof *offset);
    if (groups > 1 && kind_facts(d->device.kind)->blocks) {
        fit_offsets(r, kept, groups, offset);
        d->state_us[1] = two_states(offset, groups, &split);
    }
    /* Groups that are too small take the majority state of their minute, else of all rows before them. */
    struct minute *minute = xcalloc((unsigned long)groups + 1, sizeof *minute);
    const int minutes = vote_minutes(r, kept, offset, split, minute);
    int64_t slower = 0, told = 0;
    for (int64_t i = 0; i < n && d->state_us[1] > 0; i++) {
        const struct residual want = { .key = e[i].key };
        const struct residual *own = bsearch(&want, r, (size_t)kept, sizeof *r, by_key);
        const struct minute asked = { .text = minute_of(e[i].key) },
                            *vote = bsearch(&asked, minute, (size_t)minutes, sizeof *minute, by_minute);
        const bool slow = own                         ? offset[own->group] > split
                          : vote && vote->slower != 0 ? vote->slower > 0
                                                      : 2 * slower > told;
        state_us[i] = slow ? d->state_us[1] : 0;
        slower += slow;
        told++;
    }
    free(minute);
    d->slower_more_frequent = 2 * slower > told;
    free(offset);
    free(r);
}
