/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes: computes the terms of its formula (regimes.h). */
#include <math.h>
#include "models/guo2014/regimes.h"

/* Share of the path of a mean thread block that grows with its entries; the rest is launch, pointers and first loads.
 * It is not fitted, but chosen to minimize the error of csr-block on the 138 archived H200 matrices. */
static const double by_entries = 0.3;

void curve_add(struct curve *c, double at, double value)
{
    if (c->n == KNOTS)
        bug("regimes: more than %d knots", KNOTS);
    c->at[c->n] = at;
    c->value[c->n++] = value;
}

/* Returns the index of the knot at which the segment of v begins: the last one at or before v that has a successor, or
 * 0. */
static int piece(const struct curve *c, double v)
{
    int i = 0;
    while (i + 2 < c->n && c->at[i + 1] <= v)
        i++;
    return i;
}

static double between(const struct curve *c, int i, double v)
{
    return c->value[i] + (c->value[i + 1] - c->value[i]) * (v - c->at[i]) / (c->at[i + 1] - c->at[i]);
}

double curve_row(const struct curve *c, double p)
{
    if (c->n == 0)
        return 0.0;
    if (p >= c->at[c->n - 1])
        return c->value[c->n - 1] * p / c->at[c->n - 1];
    if (c->n == 1)
        return c->value[0];
    return fmax(between(c, piece(c, p), p), 0.0);
}

double curve_path(const struct curve *c, double p)
{
    if (c->n == 0)
        return 0.0;
    if (p >= c->at[c->n - 1])
        return c->value[c->n - 1] * p / c->at[c->n - 1];
    if (p <= c->at[0] || c->n == 1)
        return c->value[0];
    int i = piece(c, p);
    double w = log(p / c->at[i]) / log(c->at[i + 1] / c->at[i]);
    return exp((1.0 - w) * log(c->value[i]) + w * log(c->value[i + 1]));
}

double curve_gather(const struct curve *c, double log2_bytes)
{
    if (c->n == 0)
        return 0.0;
    if (c->n == 1 || log2_bytes <= c->at[0])
        return c->value[0];
    if (log2_bytes >= c->at[c->n - 1])
        return c->value[c->n - 1];
    return between(c, piece(c, log2_bytes), log2_bytes);
}

enum { SECTOR_BYTES = 32, GROUP_ROWS = 32 }; /* bytes per sector of x; rows per group in SECTORS_32 */

/* The band is a window of 2p columns that moves by cols / rows columns per row, but by at most 100: beyond that a
 * matrix is no longer a band. */
double regimes_band_sectors(double p, double cols_per_row, double cols, enum precision precision)
{
    double a_sector = (double)SECTOR_BYTES / (double)precision_bytes(precision);
    return fmin((2.0 * p + GROUP_ROWS * fmin(cols_per_row, 100.0)) / a_sector, cols / a_sector) / GROUP_ROWS;
}

void regimes_add(const struct regimes *g, const struct features *f, double cols_per_row, struct regimes_sum *sum)
{
    const struct histogram *rows = &f->lengths[0], *groups = &f->lengths[g->log2_group];
    const double group = (double)(1 << g->log2_group);
    double band = 0.0;
    for (int r = 0; r < NREGIMES; r++) {
        double by_row = 0.0, by_group = 0.0;
        for (int i = 0; i < rows->n; i++)
            by_row += (double)rows->count[i] * curve_row(&g->regime[r].row, (double)rows->value[i]);
        for (int i = 0; i < groups->n; i++)
            by_group += group * (double)groups->count[i] * curve_row(&g->regime[r].row, (double)groups->value[i]);
        sum->row_s[r] += 0.5 * (by_row + by_group);
    }
    for (int i = 0; i < rows->n; i++)
        if (rows->value[i] > 0)
            band += (double)rows->count[i]
                    * regimes_band_sectors((double)rows->value[i], cols_per_row, (double)f->cols, g->target.precision);
    sum->extra_sectors += fmax((double)f->sectors[g->target.precision][SECTORS_32] - band, 0.0);
}

static bool deals_entries(const struct regimes *g)
{
    return g->config.kernel->work == WORK_ENTRIES || g->config.kernel->work == WORK_LIBRARY;
}

/* A mean can decrease when rows are added, so the floor of the path of a mean row is the lowest value of the path. */
double regimes_path_floor(const struct regimes *g, enum regime r, const struct features *f)
{
    return curve_path(&g->regime[r].path_floor, deals_entries(g) ? 0.0 : (double)f->row_max);
}

/* Finds the number of thread blocks and an upper bound of the entries of the heaviest one. Returns false for libraries,
 * the CPU device, and kernels that distribute entries evenly. */
static bool find_blocks(const struct regimes *g, const struct features *f, double *blocks, double *heaviest)
{
    struct grid grid;
    int log2_rows = 0;
    if (!kind_facts(g->target.device.kind)->blocks || deals_entries(g) || f->nnz < 1
        || kernel_grid(f, &g->config, &g->target, &grid) != 0 || grid.blocks < 1)
        return false;
    while (log2_rows + 1 < HEAVIEST && (grid.blocks << (log2_rows + 1)) < 2 * f->rows)
        log2_rows++;
    *blocks = (double)grid.blocks;
    *heaviest = (double)f->heaviest[log2_rows];
    return true;
}

double regimes_busiest(const struct regimes *g, const struct features *f)
{
    const double sms = (double)g->target.device.sms;
    double blocks, heaviest;
    if (!find_blocks(g, f, &blocks, &heaviest))
        return 1.0;
    return fmax(ceil(blocks / sms) * sms / blocks, sms * heaviest / (double)f->nnz);
}

/* If entries are distributed evenly, a long row does not lengthen the path, so the path ends at the longest measured
 * row. */
static double path_of_mean(const struct regimes *g, const struct curve *path, double mean)
{
    return curve_path(path, deals_entries(g) && path->n > 0 ? fmin(mean, path->at[path->n - 1]) : mean);
}

double regimes_path(const struct regimes *g, enum regime r, const struct features *f)
{
    const struct curve *path = &g->regime[r].path;
    const double of_mean = path_of_mean(g, path, f->row_mean);
    double blocks, heaviest, longest = deals_entries(g) ? of_mean : curve_path(path, (double)f->row_max);
    if (kernel_threads_per_row(&g->config) > g->target.device.warp && find_blocks(g, f, &blocks, &heaviest))
        longest = fmax(longest, of_mean * (1.0 - by_entries + by_entries * heaviest * blocks / (double)f->nnz));
    return longest;
}

double regimes_join(const struct regimes *g, enum regime r, const struct regimes_sum *sum, double busiest, double path,
                    double x_bytes)
{
    const struct regime_fit *fit = &g->regime[r];
    double load = sum->row_s[r] * busiest + sum->extra_sectors * curve_gather(&fit->gather, log2(fmax(x_bytes, 1.0)));
    const double large = fmax(load, path);
    if (!(large > 0.0))
        return 0.0;
    return large * pow(pow(load / large, fit->q) + pow(path / large, fit->q), 1.0 / fit->q);
}

double regimes_weight(const struct regimes *g, int64_t bytes)
{
    const double l2 = (double)g->target.device.l2_bytes, low = 2.0 / 3.0 * l2, high = 2.0 * l2;
    if (g->target.cache == COLD || !(l2 > 0.0) || (double)bytes <= low)
        return 0.0;
    return (double)bytes >= high ? 1.0 : log((double)bytes / low) / log(high / low);
}

double regimes_mix(double weight, double resident_s, double streaming_s)
{
    if (weight <= 0.0)
        return resident_s;
    if (weight >= 1.0)
        return streaming_s;
    return exp((1.0 - weight) * log(resident_s) + weight * log(streaming_s));
}
