/* SPDX-License-Identifier: BSD-3-Clause */
/* Physics terms and features (physics.h). The constant scales of the terms only bring their coefficients near 1. */
#include "models/physics_gp/physics.h"
#include <math.h>
#include <string.h>
#include "base/occupancy.h"

static const double sector_mb = 32e-6;
/* Shares of the caches that hold x, from gathers of random matrices on an H200: of the memory of an SM, and of the L2. */
static const double x_in_l1 = 0.7, x_in_l2 = 0.7;

static double lg(double v) { return log(fmax(v, 1e-9)); }

/* Returns the Gini coefficient of the row lengths: 0 if all are equal. */
static double gini_of(const struct histogram *h)
{
    double rows = 0, entries = 0, area = 0, seen = 0;
    for (int i = 0; i < h->n; i++) {
        rows += (double)h->count[i];
        entries += (double)h->count[i] * (double)h->value[i];
    }
    for (int i = 0; i < h->n && entries > 0; i++) {
        const double before = seen;
        seen += (double)h->count[i] * (double)h->value[i] / entries;
        area += (seen + before) * (double)h->count[i] / rows;
    }
    return entries > 0 ? 1.0 - area : 0.0;
}

/* Returns the log of the entries of the heaviest aligned group of `rows` rows, interpolated between powers of two. */
static double heaviest_log(const struct physics_matrix *m, double rows)
{
    const double k = fmin(fmax(log2(rows), 0), HEAVIEST - 1);
    const int low = (int)k < HEAVIEST - 1 ? (int)k : HEAVIEST - 2;
    const double a = m->log_heaviest[low], b = m->log_heaviest[low + 1];
    return a + (k - low) * (b - a);
}

double physics_occupancy(const struct target *t, int threads, int registers, int64_t shared_bytes)
{
    struct occupancy o;
    const struct block_needs needs = { threads, registers, shared_bytes };
    if (registers < 1 || !kind_facts(t->device.kind)->blocks)
        return 1.0;
    occupancy_hardware(&t->device, &needs, 0, &o);
    return o.warps > 0 ? fmax(o.warps, 0.1) : 1.0;
}

double physics_memory_share(const struct target *t, double footprint)
{
    const double l2 = (double)t->device.l2_bytes, low = 2.0 / 3.0 * l2, high = 2.0 * l2;
    if (t->cache == COLD)
        return 1.0;
    return footprint <= low ? 0 : footprint >= high ? 1 : log(footprint / low) / log(high / low);
}

/* Returns the share of repeated reads that a cache of `capacity` bytes misses if `bytes` are read in random order: 1 - capacity /
 * bytes, rounded where the cache is just filled. */
static double missed_share(double bytes, double capacity)
{
    const double corner = 6;
    return 1 - pow(1 + pow(bytes / fmax(capacity, 1), corner), -1 / corner);
}

/* Sets the terms of the sectors of x that are read again: in other rows of an SM, and in other groups of 1024 rows, between which a row
 * reads only the columns near its diagonal (in random columns, the mean distance is a third of the width). */
static void reuse_terms(const struct features *f, const struct target *t, double x_bytes, double *term)
{
    const int64_t *sectors = f->sectors[t->precision];
    const double x_mb = x_bytes / 1e6, again_sm = fmax((double)sectors[SECTORS_32] * sector_mb - x_mb, 0),
                 again = fmax((double)sectors[SECTORS_1024] * sector_mb - x_mb, 0),
                 near = x_bytes * fmin(3 * f->spread, 1);
    term[TERM_missed_l1] = again_sm * missed_share(x_bytes, x_in_l1 * (double)t->device.shared_sm) / 5;
    term[TERM_missed_l2] = again * missed_share(near, x_in_l2 * (double)t->device.l2_bytes) / 4;
}

void physics_matrix_of(const struct features *f, const struct target *t, struct physics_matrix *m)
{
    const double l2 = (double)t->device.l2_bytes, nnz = fmax((double)f->nnz, 1), mean = fmax(f->row_mean, 1e-9);
    const int64_t *sectors = f->sectors[t->precision];
    double *x = m->feature, *v = m->term;

    memset(m, 0, sizeof *m);
    for (int k = 0; k < NFEATURES; k++)
        x[k] = NAN;
    m->x_bytes = 32.0 * (double)sectors[SECTORS_ALL];
    x[FEATURE_rows] = lg((double)f->rows);
    x[FEATURE_row_mean] = lg(mean);
    x[FEATURE_max_over_mean] = lg((double)f->row_max / mean);
    x[FEATURE_sd_over_mean] = log1p(f->row_sd / mean);
    x[FEATURE_cols] = lg((double)f->cols);
    x[FEATURE_sectors_row] = lg((double)sectors[SECTORS_ROW] / nnz);
    x[FEATURE_sectors_32] = lg((double)sectors[SECTORS_32] / nnz);
    x[FEATURE_sectors_1024] = lg((double)sectors[SECTORS_1024] / nnz);
    x[FEATURE_x_bytes] = lg(m->x_bytes / l2);
    x[FEATURE_gini] = gini_of(&f->lengths[0]);
    x[FEATURE_empty_rows] = (double)f->row_empty / (double)f->rows;
    v[TERM_constant] = 1;
    v[TERM_gathers_row] = (double)sectors[SECTORS_ROW] * sector_mb / 5;
    v[TERM_gathers_32] = (double)sectors[SECTORS_32] * sector_mb / 5;
    v[TERM_gathers_1024] = (double)sectors[SECTORS_1024] * sector_mb / 4;
    reuse_terms(f, t, m->x_bytes, v);
    v[TERM_rows] = (double)f->rows / 1e6;
    v[TERM_rows_log] = x[FEATURE_rows] / 10;
    for (int i = 0; i < HEAVIEST; i++)
        m->log_heaviest[i] = lg((double)f->heaviest[i]);
}

void physics_terms_of(const struct physics_matrix *a, const struct features *f, const struct target *t,
                      const struct traffic *bytes, const struct mapping *m, struct physics *p)
{
    const double value = (double)precision_bytes(t->precision), rows = (double)f->rows, cols = (double)f->cols,
                 storage = (double)traffic_storage(bytes),
                 rest = (double)f->rest_nnz * (4 + value) + (double)f->rest_rows * (4 + value),
                 footprint = storage + (cols + rows) * value + rest;
    const double threads = (double)p->grid.blocks * p->grid.threads,
                 all_threads = (double)t->device.sms * t->device.threads_sm;
    p->least_bytes = (double)traffic_least(bytes);
    p->memory_share = physics_memory_share(t, footprint);
    p->moved = storage + fmin(a->x_bytes, cols * value) + rows * value;
    p->waves = threads / fmax(all_threads * p->occupancy, 1);
    p->heaviest_log = heaviest_log(a, m->block_rows);
    const double heavy = m->rows_dealt ? exp(p->heaviest_log) / p->grid.threads / 10 : 0;
    const double share = p->memory_share, mb = p->moved / 1e6, skipped = (double)bytes->skipped / 1e6, waves = p->waves;

    double *v = p->term;
    memcpy(v, a->term, sizeof p->term);
    v[TERM_bytes_l2] = (mb - skipped) * (1 - share) / 5;
    v[TERM_bytes_memory] = (mb - skipped) * share / 4;
    v[TERM_skipped_l2] = skipped * (1 - share) / 5;
    v[TERM_skipped_memory] = skipped * share / 4;
    v[TERM_gathers_32_memory] = (double)f->sectors[t->precision][SECTORS_32] * sector_mb * share / 4;
    v[TERM_lane_slots] = m->slots / 1e6;
    v[TERM_threads] = threads / 1e7;
    v[TERM_blocks] = (double)p->grid.blocks / 1e4;
    v[TERM_path_log] = log1p(m->path) / 3;
    v[TERM_path] = m->path / 10;
    v[TERM_heaviest_block] = heavy;
    v[TERM_heaviest_block_waves] = heavy * fmin(fmax(waves, 1), 4);
    v[TERM_work_a_thread] = m->slots / fmax(threads, 1) / 10;
    v[TERM_waves] = fmax(waves - 1, 0) * 0.5;
    v[TERM_most_pieces] = log1p(m->most_pieces) / 3;
    v[TERM_cut_rows] = m->cuts;
    v[TERM_pieces] = m->pieces / 1e4;
    v[TERM_contended] = m->contended;
    v[TERM_tail_longest] = m->tail_longest / 100;
    v[TERM_piece_path] = m->tail_rows > 0 ? 0 : m->piece_path / 10;
    v[TERM_tail_path] = m->tail_path / 10;
    v[TERM_tail_rows] = m->tail_rows / 1e6;
    v[TERM_second_turns] = m->tail_rows > 0 ? 0 : m->second_turn;
    v[TERM_bytes_log] = log1p(mb * 100) / 10;
}

void physics_features_of(const struct physics_matrix *a, const struct features *f, const struct target *t,
                         const struct traffic *bytes, const struct mapping *m, struct physics *p)
{
    const double value = (double)precision_bytes(t->precision), nnz = fmax((double)f->nnz, 1),
                 csr = nnz * (4 + value) + 4 * ((double)f->rows + 1),
                 turns = (double)p->grid.blocks / fmax(t->device.sms, 1);
    double *x = p->feature;
    memcpy(x, a->feature, sizeof p->feature);
    x[FEATURE_storage] = lg((double)traffic_storage(bytes) / csr);
    x[FEATURE_path] = lg(m->path + 0.5);
    x[FEATURE_slots_a_nonzero] = lg(m->slots / nnz);
    x[FEATURE_own_0] = asinh(m->own[0]);
    x[FEATURE_own_1] = asinh(m->own[1]);
    x[FEATURE_own_2] = asinh(m->own[2]);
    x[FEATURE_second_turns] = m->second_turn;
    x[FEATURE_piece_path] = m->piece_path;
    x[FEATURE_heaviest_block] =
        p->heaviest_log - a->feature[FEATURE_row_mean] - log(fmin(m->block_rows, 1 << (HEAVIEST - 1)));
    x[FEATURE_bytes] = lg(p->moved);
    x[FEATURE_waves] = lg(p->waves);
    x[FEATURE_last_wave] = lg(ceil(turns) / fmax(turns, 1e-9));
}

int physics_of(const struct features *f, const struct config *c, const struct target *t, int registers,
               int64_t shared_bytes, struct physics *p, char why[ERRLEN])
{
    struct traffic bytes = { 0 };
    struct mapping m;
    struct physics_matrix matrix;
    if (c->kernel->layout->traffic(f, c, t, &bytes) != 0)
        return fail(why, "cannot compute the bytes of layout %s from the features of the matrix",
                    c->kernel->layout->name);
    if (kernel_grid(f, c, t, &p->grid) != 0)
        return fail(why, "cannot compute the grid of kernel %s from the features of the matrix", c->kernel->name);
    kernel_mapping(f, c, t, &bytes, &p->grid, &m);
    p->occupancy = physics_occupancy(t, p->grid.threads, registers, shared_bytes);
    physics_matrix_of(f, t, &matrix);
    physics_terms_of(&matrix, f, t, &bytes, &m, p);
    physics_features_of(&matrix, f, t, &bytes, &m, p);
    return 0;
}
