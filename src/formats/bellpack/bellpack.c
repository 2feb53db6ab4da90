/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel bellpack: r c s + 4 bytes per block, padding included, a permutation of block rows and one offset
 * per chunk. */
#include "formats/bellpack/bellpack.h"
#include <math.h>
#include <stdlib.h>
#include "formats/bcsr/blocks.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"
#include "formats/steps.h"
#include "matrix/estimates.h"

enum { STRIP = 16 }; /* block rows that the host processes together, in whole cache lines; divides every chunk */

#define BOTH_PRECISIONS "formats/bellpack/bellpack_cpu.inc"
#include "formats/both_precisions.inc"

/* The block sizes of choi2010's search (6.6), which are those compiled in bellpack.cu. */
static const struct block_shape shapes[] = { { 1, 2 }, { 2, 2 }, { 2, 3 }, { 3, 2 }, { 3, 3 }, { 3, 4 },
                                             { 4, 4 }, { 5, 5 }, { 6, 6 }, { 7, 7 }, { 8, 8 }, { 0, 0 } };

static int chunk_of(const struct config *c) { return (int)config_int(c, "chunk"); }

/* ------------------------------------------------------------------------------------------------- bytes */
/* blocks: the number of blocks besides padding, which may be an estimate. least: those that are certainly stored. Of padding,
 * kernels skip the values; columns: those that they certainly read. */
static void traffic_of(const struct features *f, const struct config *c, const struct target *t, int64_t width,
                       int64_t blocks, int64_t least, int64_t columns, struct traffic *out)
{
    const struct block_shape b = block_shape_of(c);
    const int64_t bytes = precision_bytes(t->precision), chunk = chunk_of(c),
                  chunks = bellpack_chunks(f->rows, b.r, (int)chunk);

    memset(out, 0, sizeof *out);
    out->values = width * b.r * b.c * chunk * bytes;
    out->indices = width * chunk * (int64_t)sizeof(int32_t);
    out->pointers = (chunks + 1 + chunks * chunk) * (int64_t)sizeof(int32_t);
    out->padding = out->values - f->nnz * bytes;
    out->unsure = out->values - least * b.r * b.c * bytes + out->indices - columns * (int64_t)sizeof(int32_t);
    out->skipped = out->values - blocks * b.r * b.c * bytes;
    traffic_vectors(f, t, out);
}

/* Estimates the total width of all chunks. After sorting, a chunk is as wide as its first block row. */
static double width_of(const struct features *f, struct block_shape shape, double chunk)
{
    const struct block_spread b = blocks_spread(f, shape);
    const struct histogram *h = &f->lengths[b.level];
    double done = 0, width = 0;

    if (!(b.longest > 0))
        return b.blocks / chunk;
    for (int i = h->n - 1; i >= 0; i--) {
        const double end = done + (double)h->count[i] * b.block_rows / b.groups;
        width += (double)((int64_t)((end + chunk - 0.5) / chunk) - (int64_t)((done + chunk - 0.5) / chunk))
                 * (double)h->value[i];
        done = end;
    }
    return width * b.blocks / b.longest;
}

static double width_guess(const struct features *f, const struct config *c)
{
    const struct block_shape b = block_shape_of(c);
    const int64_t chunk = chunk_of(c), key[ESTIMATE_KEYS] = { b.r, b.c, chunk };
    double width;

    if (!estimate_known(f, ESTIMATE_BELLPACK, key, &width, sizeof width)) {
        width = width_of(f, b, (double)chunk);
        estimate_keep(f, ESTIMATE_BELLPACK, key, &width, sizeof width);
    }
    return width;
}

static int bellpack_traffic(const struct features *f, const struct config *c, const struct target *t,
                            struct traffic *out)
{
    const double guess = width_guess(f, c);
    const int64_t least = blocks_least(f, block_shape_of(c)), chunk = chunk_of(c), narrow = (least + chunk - 1) / chunk;

    if (guess * (double)chunk * BLOCK_ENTRIES_MAX > (double)(INT64_MAX / 16))
        return FAIL;
    const int64_t width = (int64_t)(guess + 0.5) > narrow ? (int64_t)(guess + 0.5) : narrow,
                  blocks = (int64_t)(blocks_guess(f, block_shape_of(c)) + 0.5), stored = width * chunk;
    traffic_of(f, c, t, width, blocks < least ? least : blocks > stored ? stored : blocks, least, least, out);
    return 0;
}

static int bellpack_applicable(const struct features *f, const struct config *c, const struct target *t,
                               char why[ERRLEN])
{
    const struct block_shape b = block_shape_of(c);

    (void)t;
    if (block_shape_legal(c, shapes, why) != 0)
        return FAIL;
    return blocks_worth(f, b, blocks_guess(f, b), width_guess(f, c) * chunk_of(c) * b.r * b.c, why);
}

/* ------------------------------------------------------------------------------------------------- order */
/* Sorts the n block rows by descending count into perm[0 .. n - 1]; the sort is stable. first[q] gets the sum of the
 * widths of the chunks before q, clamped to 32 bits; the last element is the sum of all. perm and first may be NULL.
 * *width gets the sum of all widths. Returns 0 or OOM. */
static int order_of(const int32_t *count, int64_t n, int64_t chunk, int32_t *perm, int32_t *first, int64_t *width)
{
    int32_t most = 0;
    int64_t *start, q = 0, sum = 0;

#pragma omp parallel for schedule(static) reduction(max : most)
    for (int64_t i = 0; i < n; i++)
        if (count[i] > most)
            most = count[i];
    if (!(start = calloc((size_t)most + 2, sizeof *start)))
        return OOM;
    for (int64_t i = 0; i < n; i++)
        start[most - count[i] + 1]++; /* counts block rows by most - count */
    for (int64_t k = 0; k <= most; k++) {
        start[k + 1] += start[k];
        for (; q * chunk < start[k + 1]; q++) {
            if (first)
                first[q] = (int32_t)(sum <= offsets_max ? sum : offsets_max);
            sum += most - k;
        }
    }
    if (first)
        first[q] = (int32_t)(sum <= offsets_max ? sum : offsets_max);
    for (int64_t i = 0; perm && i < n; i++)
        perm[start[most - count[i]]++] = (int32_t)i;
    free(start);
    *width = sum;
    return 0;
}

static int bellpack_count(const struct csr_view *a, const struct features *f, const struct config *c,
                          const struct target *t, struct traffic *out)
{
    const struct block_shape b = block_shape_of(c);
    const int64_t n = block_rows(a->rows, b.r);
    int32_t *count = array_alloc(n, sizeof *count);
    int64_t width = 0, blocks = 0;
    int rc;

    if (!count)
        return OOM;
    blocks_count(a, b, count);
    for (int64_t i = 0; i < n; i++)
        blocks += count[i];
    rc = order_of(count, n, chunk_of(c), NULL, NULL, &width);
    free(count);
    if (rc == 0)
        traffic_of(f, c, t, width, blocks, blocks, width * chunk_of(c), out);
    return rc;
}

/* ------------------------------------------------------------------------------------------------- build */
static int bellpack_arrays(struct storage *base, struct array *a)
{
    struct bellpack_storage *s = (struct bellpack_storage *)base;

    a[0] = ARRAY(first, s->chunks + 1);
    a[1] = ARRAY(perm, s->chunks * s->chunk);
    a[2] = ARRAY(col, s->width * s->chunk);
    a[3] = VALUES(val, s->width * s->chunk * s->r * s->c);
    return 4;
}

/* Fills the block rows at positions t0 .. t0 + STRIP - 1 of chunk q together, step by step. Returns the first row
 * with a value that overflows f32, or a->rows. */
static int64_t fill_strip(struct bellpack_storage *s, const struct csr_view *a, enum precision p, int64_t q, int t0)
{
    const int entries = s->r * s->c;
    const int32_t *perm = s->perm + q * s->chunk + t0;
    struct block_walk walk[STRIP];
    int32_t last[STRIP] = { 0 };
    int64_t bad = a->rows;

    for (int t = 0; t < STRIP; t++)
        if (perm[t] >= 0)
            walk[t] = block_walk_start(a, (struct block_shape){ s->r, s->c }, perm[t]);
    for (int64_t i = s->first[q]; i < s->first[q + 1]; i++)
        for (int t = 0; t < STRIP; t++) {
            double value[BLOCK_ENTRIES_MAX];
            const int32_t col = perm[t] >= 0 ? block_walk_next(&walk[t], value) : -1;

            if (col >= 0)
                last[t] = col;
            s->col[i * s->chunk + t0 + t] = last[t];
            for (int e = 0; e < entries; e++)
                if (!real_put(s->val, p, (i * entries + e) * s->chunk + t0 + t, col >= 0 ? value[e] : 0.0)
                    && walk[t].row + e / s->c < bad)
                    bad = walk[t].row + e / s->c;
        }
    return bad;
}

static int64_t bellpack_fill(struct bellpack_storage *s, const struct csr_view *a, enum precision p)
{
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
    for (int64_t q = 0; q < s->chunks; q++)
        for (int t0 = 0; t0 < s->chunk; t0 += STRIP) {
            const int64_t row = fill_strip(s, a, p, q, t0);
            if (row < bad)
                bad = row;
        }
    return bad;
}

/* Allocates and fills `first` and `perm` and sets `width`. Returns 0, FAIL or OOM. */
static int bellpack_order(struct bellpack_storage *s, const struct csr_view *a, struct block_shape b, char why[ERRLEN])
{
    const int64_t n = block_rows(a->rows, b.r), slots = s->chunks * s->chunk;
    int32_t *count = array_alloc(n, sizeof *count);
    int rc = OOM;

    if (count && storage_array(&s->base, &s->first, why) == 0 && storage_array(&s->base, &s->perm, why) == 0) {
        blocks_count(a, b, count);
        rc = order_of(count, n, s->chunk, s->perm, s->first, &s->width);
        for (int64_t i = n; i < slots; i++)
            s->perm[i] = -1;
    }
    free(count);
    return rc == OOM ? build_oom(why, &bellpack_layout, (s->chunks + 1 + slots + n) * (int64_t)sizeof *count)
                     : offsets_reach(s->width, "block columns of all chunks", why);
}

static int bellpack_build(const struct csr_view *a, const struct config *c, const struct target *t,
                          struct storage **out, char why[ERRLEN])
{
    const struct block_shape b = block_shape_of(c);
    struct bellpack_storage *s;
    int rc = 0;

    if ((rc = block_shape_legal(c, shapes, why)) != 0)
        return rc;
    if (!(s = storage_new(&bellpack_layout, a, t, why)))
        return OOM;
    s->r = b.r;
    s->c = b.c;
    s->chunk = chunk_of(c);
    s->chunks = bellpack_chunks(a->rows, b.r, s->chunk);
    if ((rc = bellpack_order(s, a, b, why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    rc = build_overflow(why, bellpack_fill(s, a, t->precision), a->rows);
out:
    return storage_done(rc, &s->base, out);
}

/* ---- layout and kernel */
static void bellpack_spmv_chunks(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct bellpack_storage *s = (const struct bellpack_storage *)base;

    BY_PRECISION(base->target.precision, chunks, s, x, y, mode);
}

static const struct param layout_params[] = {
    { "r", "rows per block; with c: 1x2, 2x2, 2x3, 3x2, 3x3, 3x4, 4x4, 5x5, 6x6, 7x7, 8x8", PARAM_INT, "1..8", "3",
      PARAM_LAYOUT },
    { "c", "columns per block; see r", PARAM_INT, "1..8", "3", PARAM_LAYOUT },
    { "chunk", "block rows per chunk, padded to the same width", PARAM_INT, "32|64|128|256", "64", PARAM_LAYOUT },
    { .name = NULL }
};

const struct layout bellpack_layout = {
    .name = "bellpack",
    .about = "dense r x c blocks; block rows sorted by length, padded per chunk, stored by columns",
    .params = layout_params,
    .applicable = bellpack_applicable,
    .traffic = bellpack_traffic,
    .count = bellpack_count,
    .build = bellpack_build,
    .spmv_host = bellpack_spmv_chunks,
    .storage_bytes = sizeof(struct bellpack_storage),
    .arrays = bellpack_arrays,
    .fills = true
};

static int bellpack_kernel_grid(const struct features *f, const struct config *c, const struct target *t,
                                struct grid *g)
{
    (void)t;
    *g = bellpack_grid(f->rows, (int)config_int(c, "r"), chunk_of(c), (int)config_int(c, "lanes"));
    return 0;
}

static const struct param kernel_params[] = { { "lanes", "threads per block row, each in a different warp", PARAM_INT,
                                                "1|2|4|8", "2", PARAM_LAUNCH | PARAM_GPU_ONLY },
                                              { .name = NULL } };

static const char *const sweep[] = {
    "r=2,c=2", "r=3,c=3,lanes=4", "r=3,c=3,lanes=8", "r=3,c=3,chunk=128,lanes=4", "r=4,c=4,lanes=4", "r=6,c=6,lanes=4",
    NULL
};
static const char *const sweep_cpu[] = { "", NULL };

static void bellpack_mapping(const struct features *f, const struct config *c, const struct target *t,
                             const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t;
    const struct block_shape b = block_shape_of(c);
    mapping_blocked(f, g, (double)bytes->indices / (double)sizeof(int32_t), b.r, b.c,
                    (double)config_int_or(c, "lanes", 2), m);
}

static int bellpack_steps(const struct features *f, const struct config *c, struct steps *s)
{
    const struct block_shape shape = block_shape_of(c);
    const struct block_spread b = blocks_spread(f, shape);
    const struct histogram *h = &f->lengths[b.level];
    const int lanes = (int)config_int(c, "lanes"), chunk = chunk_of(c), pieces = chunk / bellpack_piece(chunk, lanes);
    const struct grid g = bellpack_grid(f->rows, shape.r, chunk, lanes);
    double end = b.block_rows;

    steps_begin(s, g.blocks, (double)CUDA_WARP * shape.r, h->n + 1);
    if (blocks_dense(f) || !(b.longest > 0)) {
        const double width = blocks_dense(f) ? ceil((double)f->cols / shape.c) : b.blocks / b.block_rows;
        steps_add(s, width, width, lanes, (double)g.blocks);
        return 0;
    }
    for (int i = 0; i < h->n; i++) { /* the longest come first in the layout */
        const double done = i + 1 < h->n ? end - (double)h->count[i] * b.block_rows / b.groups : 0;
        const double chunks = floor((end + chunk - 0.5) / chunk) - floor((done + chunk - 0.5) / chunk);
        const double width = (double)h->value[i] * b.blocks / b.longest;
        steps_add(s, width, width, lanes, chunks * pieces); /* padding is read, too */
        end = done;
    }
    return 0;
}

const struct kernel bellpack_kernel = {
    .name = "bellpack",
    .about = "one or more threads per block row, a chunk or a part of one per thread block",
    .layout = &bellpack_layout,
    .params = kernel_params,
    .sweep = sweep,
    .sweep_cpu = sweep_cpu,
    .revision = 2,
    .work = WORK_OTHER,
    .grid = bellpack_kernel_grid,
    .mapping = bellpack_mapping,
    .steps = bellpack_steps
};
