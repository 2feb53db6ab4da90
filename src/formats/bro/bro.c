/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel bro: columns stored as deltas of few bits. s bytes per slot for the values; a column takes the
 * bits of the largest delta of its step and slice: 4 to 12 bits per entry on meshes, known exactly only from the
 * matrix. */
#include "formats/bro/bro.h"
#include <inttypes.h>
#include <math.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"
#include "matrix/estimates.h"

enum { PADDING_LIMIT = 10 };

/* Returns `bits` > 0 bits of a thread, from bit `position` on (0: the highest bit of its first symbol). Its first
 * symbol is at `at`, the next one `stride` further. */
static inline uint32_t field(const struct bro_storage *s, int64_t at, int64_t stride, int64_t position, int bits)
{
    const int size = s->symbol_bits, from = (int)(position % size);
    const int64_t k = at + position / size * stride;
    const bool straddles = from + bits > size;
    uint64_t word;

    if (size == 64) {
        const uint64_t *symbol = s->symbol;
        word = symbol[k] << from;
        if (straddles)
            word |= symbol[k + stride] >> (64 - from);
    } else {
        const uint32_t *symbol = s->symbol;
        word = ((uint64_t)symbol[k] << 32 | (straddles ? symbol[k + stride] : 0)) << from;
    }
    return (uint32_t)(word >> (64 - bits));
}

#define BOTH_PRECISIONS "formats/bro/bro_cpu.inc"
#include "formats/both_precisions.inc"

/* ------------------------------------------------------------------------------------------------- size */
static int bits_of(uint32_t v) { return v ? 32 - __builtin_clz(v) : 0; }

/* Returns the number of steps stored for a slice: a multiple of BRO_STEPS, with at least one step of 0 bits at the
 * end. */
static int64_t steps_stored(int64_t width, int lanes)
{
    return ((width + lanes - 1) / lanes / BRO_STEPS + 1) * BRO_STEPS;
}

/* Returns the mean length of the longest row of a slice: known from features if h = 32; for larger h, assumes that
 * each slice is a random sample of groups of 32 rows. */
static double width_of(const struct features *f, int h)
{
    const struct histogram *longest = &f->lengths[5];
    int64_t groups = 0, below = 0;
    double mean = 0, before = 0;

    for (int i = 0; i < longest->n; i++)
        groups += longest->count[i];
    for (int i = 0; i < longest->n; i++) {
        below += longest->count[i];
        const double here = pow((double)below / (double)groups, h / BRO_STRIP);
        mean += (double)longest->value[i] * (here - before);
        before = here;
    }
    return mean;
}

static double mean_width(const struct features *f, int h)
{
    const int64_t key[ESTIMATE_KEYS] = { h };
    double width;

    if (!estimate_known(f, ESTIMATE_BRO, key, &width, sizeof width)) {
        width = width_of(f, h);
        estimate_keep(f, ESTIMATE_BRO, key, &width, sizeof width);
    }
    return width;
}

static int bro_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const int h = (int)config_int(c, "h");
    const double width = mean_width(f, h), padded = width * (double)f->rows, nnz = (double)f->nnz;
    int rc;

    (void)t;
    if (f->nnz == 0)
        return 0;
    if ((rc = offsets_reach(f->nnz, "nonzeros", why)) != 0)
        return rc;
    if (padded > PADDING_LIMIT * nnz)
        return fail(why,
                    "padding %s%.4gx (%" PRId64
                    " rows of mean length %.4g, slices of %d rows padded to a mean of %.4g), limit %dx",
                    h > BRO_STRIP ? "about " : "", padded / nnz, f->rows, nnz / (double)f->rows, h, width,
                    PADDING_LIMIT);
    return offsets_reach((int64_t)(width * (double)f->rows), "slots with padding", why);
}

/* Returns the estimated bits of a step after the first, if nothing is known about the deltas except that `span`
 * columns hold the n entries of the row: random gaps have a mean of span / n, a delta spans `lanes` gaps, and the
 * largest of h deltas is about ln h times their mean. */
static double step_bits(double span, double n, int h, int lanes)
{
    const double most = log2(span + 1), bits = log2(span / n * lanes * log(h) + 1);
    return ceil(bits < 1 ? 1 : bits < most ? bits : most);
}

/* Threads stop where their row ends, so of values and indices only those of entries are certainly read, of which a delta
 * has at least one bit. */
static void set_unsure(const struct features *f, const struct target *t, struct traffic *out)
{
    out->unsure = out->values + out->indices - f->nnz * precision_bytes(t->precision) - f->nnz / 8;
    out->skipped = out->values - f->nnz * precision_bytes(t->precision);
}

/* Estimates the bytes, with widths from mean_width and bits from step_bits; bro_count is exact. */
static int bro_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const int h = (int)config_int(c, "h"), lanes = (int)config_int(c, "lanes"),
              symbol_bits = (int)config_int(c, "bits");
    const double width = mean_width(f, h), rows = (double)bro_height(f->rows, 0, INT32_MAX), slots = width * rows;
    const double span = (double)(2 * f->bandwidth + 1 < f->cols ? 2 * f->bandwidth + 1 : f->cols),
                 steps = ceil(width / lanes);
    const int64_t slices = bro_slices(f->rows, h), value_bytes = precision_bytes(t->precision);
    double bits = 0;

    if (slots > (double)(INT64_MAX / 16))
        return FAIL;
    memset(out, 0, sizeof *out);
    if (steps > 0)
        bits = bits_of((uint32_t)f->cols) + (steps - 1) * step_bits(span, f->row_mean > 1 ? f->row_mean : 1, h, lanes);
    out->values = (slots > (double)f->nnz ? (int64_t)slots : f->nnz) * value_bytes;
    out->indices = (int64_t)(rows * lanes * ceil(bits / symbol_bits)) * (symbol_bits / 8)
                   + slices * steps_stored((int64_t)ceil(width), lanes);
    out->pointers = slices * (int64_t)sizeof(struct bro_slice);
    out->padding = out->values - f->nnz * value_bytes;
    set_unsure(f, t, out);
    traffic_vectors(f, t, out);
    return 0;
}

static int bro_arrays(struct storage *base, struct array *a)
{
    struct bro_storage *s = (struct bro_storage *)base;

    a[0] = ARRAY(slice, s->slices);
    a[1] = ARRAY(bits, s->steps);
    a[2] = ARRAY_OF(symbol, s->symbols, s->symbol_bits / 8);
    a[3] = VALUES(val, s->slots);
    return 4;
}

/* Returns the delta of entry k, number e of its row: its column minus the thread's previous column (-1 at first). */
static uint32_t delta_of(const struct csr_view *a, int64_t k, int64_t e, int lanes)
{
    return (uint32_t)(a->col[k] - (e < lanes ? -1 : a->col[k - lanes]));
}

/* Stores in bits[] the bits of each step of the slice that begins at row `first`. Returns their sum, the bits of one
 * thread. */
static int64_t slice_bits(const struct bro_storage *s, const struct csr_view *a, int64_t first, int64_t steps,
                          uint8_t *bits)
{
    const int64_t end = first + s->h < a->rows ? first + s->h : a->rows;
    int64_t sum = 0;

    memset(bits, 0, (size_t)steps);
    for (int64_t i = first; i < end; i++)
        for (int64_t k = a->begin[i], e = 0; k < a->end[i]; k++, e++) {
            const uint8_t needed = (uint8_t)bits_of(delta_of(a, k, e, s->lanes));
            uint8_t *step = bits + e / s->lanes;
            if (needed > *step)
                *step = needed;
        }
    for (int64_t k = 0; k < steps; k++)
        sum += bits[k];
    return sum;
}

/* Stores the length of each slice's longest row in `symbols`, for lay_out_symbols, and derives where values and steps
 * begin. */
static void lay_out_widths(struct bro_storage *s, const struct csr_view *a)
{
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < s->slices; p++) {
        int64_t longest = 0;

        for (int64_t i = p * s->h; i < (p + 1) * s->h && i < a->rows; i++)
            if (a->end[i] - a->begin[i] > longest)
                longest = a->end[i] - a->begin[i];
        s->slice[p].symbols = (int32_t)longest;
    }
    for (int64_t p = 0; p < s->slices; p++) {
        s->slice[p].val = (int32_t)s->slots;
        s->slice[p].step = (int32_t)s->steps;
        s->slots += s->slice[p].symbols * bro_height(a->rows, p * s->h, s->h);
        s->steps += steps_stored(s->slice[p].symbols, s->lanes);
    }
}

/* Computes the bits of all steps, sets `symbols` to the number of symbols per thread and derives where symbols
 * begin. */
static void lay_out_symbols(struct bro_storage *s, const struct csr_view *a)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t p = 0; p < s->slices; p++) {
        const int64_t steps = steps_stored(s->slice[p].symbols, s->lanes);
        const int64_t bits = slice_bits(s, a, p * s->h, steps, s->bits + s->slice[p].step);

        s->slice[p].symbols = (int32_t)((bits + s->symbol_bits - 1) / s->symbol_bits);
    }
    for (int64_t p = 0; p < s->slices; p++) {
        s->slice[p].symbol = (int32_t)s->symbols;
        s->symbols += s->slice[p].symbols * s->lanes * bro_height(a->rows, p * s->h, s->h);
    }
}

/* Sets all of the storage except the symbols and values, whose numbers are then known. Returns 0, FAIL or OOM; the
 * caller frees s in any case. */
static int lay_out(struct bro_storage *s, const struct csr_view *a, const struct config *c, char why[ERRLEN])
{
    int rc;

    s->h = (int)config_int(c, "h");
    s->lanes = (int)config_int(c, "lanes");
    s->symbol_bits = (int)config_int(c, "bits");
    s->slices = bro_slices(a->rows, s->h);
    if ((rc = offsets_reach(s->base.nnz, "nonzeros", why)) != 0)
        return rc;
    if ((rc = storage_array(&s->base, &s->slice, why)) != 0)
        return rc;
    lay_out_widths(s, a);
    if ((rc = offsets_reach(s->slots, "slots with padding", why)) != 0)
        return rc;
    if ((rc = storage_array(&s->base, &s->bits, why)) != 0)
        return rc;
    lay_out_symbols(s, a);
    return offsets_reach(s->symbols, "symbols", why);
}

static int bro_count(const struct csr_view *a, const struct features *f, const struct config *c, const struct target *t,
                     struct traffic *out)
{
    char why[ERRLEN];
    struct bro_storage *s = storage_new(&bro_layout, a, t, why);
    const int64_t value_bytes = precision_bytes(t->precision);
    int rc = OOM;

    if (s && (rc = lay_out(s, a, c, why)) == 0) {
        memset(out, 0, sizeof *out);
        out->values = s->slots * value_bytes;
        out->indices = s->symbols * (s->symbol_bits / 8) + s->steps;
        out->pointers = s->slices * (int64_t)sizeof *s->slice;
        out->padding = (s->slots - s->base.nnz) * value_bytes;
        set_unsure(f, t, out);
        traffic_vectors(f, t, out);
    }
    storage_free(&s->base);
    return rc;
}

/* ------------------------------------------------------------------------------------------------- build */
static void symbol_put(struct bro_storage *s, int64_t at, uint64_t symbol)
{
    if (s->symbol_bits == 64)
        ((uint64_t *)s->symbol)[at] = symbol;
    else
        ((uint32_t *)s->symbol)[at] = (uint32_t)symbol;
}

/* Packs the symbols of thread `lane` of each row of a strip, which begins at row `first` of the matrix, row `row` of
 * its slice. The deltas of a step have the same bit position in all rows. */
static void pack_lane(struct bro_storage *s, const struct csr_view *a, const struct bro_slice *p, int64_t height,
                      int64_t first, int64_t row, int lane)
{
    const int64_t stride = s->lanes * height;
    const uint8_t *bits = s->bits + p->step;
    uint64_t symbol[BRO_STRIP] = { 0 };
    int64_t at = p->symbol + lane * height + row;
    int used = 0;

    for (int64_t e = lane; *bits > 0; e += s->lanes, bits++) {
        const int over = used + *bits - s->symbol_bits;

        for (int i = 0; i < BRO_STRIP; i++) {
            const int64_t k = first + i < a->rows ? a->begin[first + i] + e : 0;
            const uint64_t delta = first + i < a->rows && k < a->end[first + i] ? delta_of(a, k, e, s->lanes) : 0;

            if (over > 0) {
                symbol_put(s, at + i, symbol[i] | delta >> over);
                symbol[i] = delta << (s->symbol_bits - over);
            } else {
                symbol[i] |= delta << -over;
            }
        }
        if (over > 0)
            at += stride;
        used = over > 0 ? over : used + *bits;
    }
    for (int i = 0; i < BRO_STRIP && used > 0; i++)
        symbol_put(s, at + i, symbol[i]);
}

/* Fills symbols and values strip by strip. Returns the first row with a value that overflows f32, or a->rows. */
static int64_t fill(struct bro_storage *s, const struct csr_view *a, enum precision precision)
{
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
    for (int64_t first = 0; first < a->rows; first += BRO_STRIP) {
        const int64_t slice = first / s->h, row = first - slice * s->h,
                      height = bro_height(a->rows, slice * s->h, s->h);
        const struct bro_slice *p = &s->slice[slice];
        const int64_t width = ((slice + 1 < s->slices ? p[1].val : s->slots) - p->val) / height;

        for (int64_t e = 0; e < width; e++)
            for (int64_t i = 0; i < BRO_STRIP; i++) {
                const int64_t k = first + i < a->rows ? a->begin[first + i] + e : 0;
                const bool entry = first + i < a->rows && k < a->end[first + i];
                if (!real_put(s->val, precision, p->val + e * height + row + i, entry ? a->val[k] : 0.0)
                    && first + i < bad)
                    bad = first + i;
            }
        for (int lane = 0; lane < s->lanes; lane++)
            pack_lane(s, a, p, height, first, row, lane);
    }
    return bad;
}

static int bro_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct bro_storage *s = storage_new(&bro_layout, a, t, why);
    int rc;

    if (!s)
        return OOM;
    if ((rc = lay_out(s, a, c, why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    rc = build_overflow(why, fill(s, a, t->precision), a->rows);
out:
    return storage_done(rc, &s->base, out);
}

static void bro_spmv_strips(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct bro_storage *s = (const struct bro_storage *)base;

    BY_PRECISION(base->target.precision, strips, s, x, y, mode);
}

static const struct param layout_params[] = {
    { "h", "rows per slice", PARAM_INT, "32|64|128|256|512", "256", PARAM_LAYOUT },
    { "bits", "bits per symbol, the unit in which threads read packed columns", PARAM_INT, "32|64", "64",
      PARAM_LAYOUT },
    { "lanes", "threads per row, each with every `lanes`-th entry", PARAM_INT, "1|2|4|8", "1", PARAM_LAYOUT },
    { .name = NULL }
};

const struct layout bro_layout = { .name = "bro",
                                   .about = "slices of rows, with columns stored as packed deltas (BRO-ELL)",
                                   .params = layout_params,
                                   .applicable = bro_applicable,
                                   .traffic = bro_traffic,
                                   .count = bro_count,
                                   .build = bro_build,
                                   .spmv_host = bro_spmv_strips,
                                   .storage_bytes = sizeof(struct bro_storage),
                                   .arrays = bro_arrays };

/* ------------------------------------------------------------------------------------------------- kernel */
static int bro_threads(const struct config *c) { return (int)config_int(c, "lanes"); }

static int bro_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = bro_grid(f->rows, (int)config_int(c, "lanes"), (int)config_int(c, "block"));
    return 0;
}

static const struct param bro_params[] = { { "block", "threads per block", PARAM_INT, "64|128|256|512", "256",
                                             PARAM_LAUNCH | PARAM_GPU_ONLY },
                                           { .name = NULL } };

static const char *const bro_sweep[] = { "lanes=1", "lanes=2", "h=32", NULL };
static const char *const bro_sweep_cpu[] = { "lanes=1", "h=32", NULL };

static void bro_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    mapping_padded(f, t, bytes, g, (double)config_int(c, "lanes"), 1, (double)f->row_max,
                   (double)bytes->values / (double)precision_bytes(t->precision), m);
}

const struct kernel bro_kernel = { .name = "bro",
                                   .about = "one or more threads per row, columns decoded on the fly",
                                   .layout = &bro_layout,
                                   .params = bro_params,
                                   .sweep = bro_sweep,
                                   .sweep_cpu = bro_sweep_cpu,
                                   .revision = 2,
                                   .work = WORK_OTHER,
                                   .threads_per_row = bro_threads,
                                   .grid = bro_kernel_grid,
                                   .mapping = bro_mapping };
