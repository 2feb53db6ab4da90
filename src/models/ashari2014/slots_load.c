/* SPDX-License-Identifier: BSD-3-Clause */
/* ashari2014-slots: what a product in BRC has to do, from features (slots.h). */
#include <math.h>
#include <string.h>
#include "formats/config_keys.h"
#include "models/ashari2014/slots.h"

int slots_regime(const struct target *t, int64_t footprint)
{
    const enum footprint class = t->cache == COLD ? STREAMING : footprint_class(&t->device, footprint);
    return class == RESIDENT ? SLOTS_RESIDENT : class == STREAMING ? SLOTS_STREAMING : -1;
}

/* ---- the slowest warp */
static int64_t rows_longer(const struct histogram *h, int64_t length)
{
    int64_t rows = 0;
    for (int i = h->n - 1; i >= 0 && h->value[i] > length; i--)
        rows += h->count[i];
    return rows;
}

/* Length of row k of the rows sorted by length, longest first. */
static int64_t length_at(const struct histogram *h, int64_t k)
{
    int i = h->n - 1;
    for (; i > 0 && k >= h->count[i]; i--)
        k -= h->count[i];
    return h->value[i];
}

static double whole_batches(double width, enum values_as as, enum precision p)
{
    static const double batches[NPRECISIONS] = { [F32] = BRC_BATCH_F32, [F64] = BRC_BATCH_F64 };
    const double batch = as != AS_FULL ? BRC_BATCH_PACKED : batches[p];
    return batch * ceil(width / batch);
}

/* Widest of the pieces first..end - 1 of the queue. *level, *at: a level not after the first piece and its first piece;
 * both advance. */
static int64_t widest(const struct histogram *h, const struct brc_spec *spec, bool windows, int64_t first, int64_t end,
                      int64_t *level, int64_t *at)
{
    int64_t most = 0;
    for (;;) {
        const int64_t start = brc_start(spec->width, *level), rows = rows_longer(h, start),
                      from = first > *at ? first - *at : 0;
        if (rows == 0)
            return most;
        if (from < rows && *at + from < end) {
            const int64_t width = brc_piece(spec->width, length_at(h, windows ? 0 : from), *level);
            most = width > most ? width : most;
        }
        if (*at + rows >= end)
            return most;
        *at += rows;
        ++*level;
    }
}

/* Sums, over the turns of the grid, the widest piece of the turn: a bound, equal to the slowest warp's for rows sorted
 * as a whole if the first warp is that warp in each turn. */
static double path_steps(const struct features *m, const struct config *c, const struct target *t,
                         const struct brc_spec *spec, const struct brc_sizes *n, bool partials)
{
    const struct grid grid = brc_grid(n->blocks, spec->b1, partials ? n->empties : 0, config_int_or(c, "rep", 1),
                                      (int)config_int_or(c, "block", CUDA_WARP));
    const int64_t turn = grid.blocks * grid.threads;
    const bool windows = spec->sigma > 0 && spec->sigma < m->rows;
    int64_t level = 0, at = 0;
    double steps = 0.0;
    for (int64_t first = 0; first < n->pieces; first += turn)
        steps += whole_batches(
            (double)widest(&m->lengths[0], spec, windows, first - first % spec->b1, first + turn, &level, &at),
            spec->as, t->precision);
    return steps;
}

/* ---- sums of pieces and sectors of x */
enum {
    ALONE = 16,
    IN_FLIGHT = 4
}; /* as in the kernel: a thread adds up to 16 pieces, a warp more; 4 loads at a time */

/* Rounds of loads for `rows` rows of as many pieces, which end next to each other in the queue: the threads of a warp add
 * up to ALONE pieces each at the same time; rows of more pieces are added by the warp, one after another. */
static double rounds_of(int64_t pieces, int64_t rows)
{
    if (pieces <= ALONE)
        return ceil((double)pieces / IN_FLIGHT);
    return (double)(rows < CUDA_WARP ? rows : CUDA_WARP) * ceil((double)pieces / (IN_FLIGHT * CUDA_WARP));
}

/* Of the slowest warp. Atomic: additions to one element of y, one after another. */
static double sum_rounds(const struct histogram *h, struct brc_width width, bool partials)
{
    double most = 0.0;
    int64_t rows = 0;
    for (int i = h->n - 1; i >= 0; i--) {
        const int64_t pieces = brc_levels(width, h->value[i]);
        if (pieces < 2)
            break;
        if (!partials)
            return (double)(pieces - 1);
        rows += h->count[i];
        most = fmax(most, rounds_of(pieces, rows));
        if (i > 0 && brc_levels(width, h->value[i - 1]) != pieces)
            rows = 0;
    }
    return most;
}

/* Sectors that rows touch again: sorting takes neighbouring rows apart unless they are equally long. */
static double extra_sectors(const struct features *m, const struct brc_spec *spec, enum precision p)
{
    const struct histogram *h = &m->lengths[0];
    const int64_t *sectors = m->sectors[p], rows = m->rows - m->row_empty;
    double together = 0.0;
    for (int i = 0; i < h->n; i++)
        together += h->value[i] > 0 ? pow((double)h->count[i] / (double)rows, 2.0) : 0.0;
    if (spec->sigma > 0 && spec->sigma <= CUDA_WARP)
        together = 1.0;
    const double touched = (1.0 - together) * (double)sectors[SECTORS_ROW] + together * (double)sectors[SECTORS_32];
    return fmax(0.0, touched - (double)sectors[SECTORS_ALL]);
}

int slots_load_of(const struct features *m, const struct config *c, const struct target *t, struct slots_load *l,
                  char why[ERRLEN])
{
    const struct brc_lengths lengths = brc_lengths_of(m);
    struct brc_spec spec = brc_spec_of(c);
    const bool partials = strcmp(config_word(c, "sum"), "partials") == 0;
    struct traffic traffic = { 0 };
    memset(l, 0, sizeof *l);
    if (spec.width.b2 == 0) /* grow: the first level is as wide as the rule says */
        spec.width.b2 = brc_rule(lengths.mean, lengths.sd, lengths.longest);
    if (c->kernel->layout->traffic(m, c, t, &traffic) != 0)
        return fail(why, "the bytes of brc do not follow from features");
    l->sizes = brc_sizes_of(m, &spec);
    l->warps = l->sizes.blocks * (spec.b1 / CUDA_WARP);
    l->steps = path_steps(m, c, t, &spec, &l->sizes, partials);
    l->pieces_longest = brc_levels(spec.width, m->row_max);
    l->rounds = sum_rounds(&m->lengths[0], spec.width, partials);
    l->bytes = (double)traffic_stored(&traffic);
    l->sectors = extra_sectors(m, &spec, t->precision);
    l->footprint = footprint_bytes(m->rows, m->cols, m->nnz, t->precision);
    return 0;
}

double slots_path_s(const struct slots *s, const struct slots_load *l)
{
    return s->step_s * l->steps + (l->pieces_longest > 1 ? s->cut_s + s->round_s * l->rounds : 0.0);
}

static double traffic_in(const struct slots *s, const struct slots_load *l, int regime)
{
    return s->byte_s[regime] * l->bytes + s->sector_s[regime] * l->sectors;
}

double slots_traffic_s(const struct slots *s, const struct slots_load *l)
{
    const double low = 2.0 / 3.0 * (double)s->target.device.l2_bytes, high = 2.0 * (double)s->target.device.l2_bytes;
    const int regime = slots_regime(&s->target, l->footprint);
    if (isnan(s->byte_s[SLOTS_RESIDENT]) || (regime == SLOTS_STREAMING && !isnan(s->byte_s[SLOTS_STREAMING])))
        return traffic_in(s, l, SLOTS_STREAMING);
    if (isnan(s->byte_s[SLOTS_STREAMING]) || regime == SLOTS_RESIDENT)
        return traffic_in(s, l, SLOTS_RESIDENT);
    const double weight = log((double)l->footprint / low) / log(high / low);
    return exp((1.0 - weight) * log(traffic_in(s, l, SLOTS_RESIDENT))
               + weight * log(traffic_in(s, l, SLOTS_STREAMING)));
}
