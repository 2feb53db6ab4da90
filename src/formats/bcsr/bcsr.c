/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel bcsr: blocks of r c s + 4 bytes, found through 4 bytes per block row. The three optimisations of
 * choi2010 (4.2 to 4.4) are parameters. */
#include "formats/bcsr/bcsr.h"
#include <math.h>
#include <stdlib.h>
#include "formats/bcsr/blocks.h"
#include "formats/mapping.h"
#include "formats/steps.h"

#define BOTH_PRECISIONS "formats/bcsr/bcsr_cpu.inc"
#include "formats/both_precisions.inc"

/* The block sizes compiled in bcsr.cuh: those of choi2010's search and larger squares. */
static const struct block_shape shapes[] = { { 1, 1 }, { 1, 2 }, { 1, 3 }, { 1, 4 }, { 2, 1 }, { 2, 2 }, { 2, 3 },
                                             { 2, 4 }, { 3, 1 }, { 3, 2 }, { 3, 3 }, { 3, 4 }, { 4, 1 }, { 4, 2 },
                                             { 4, 3 }, { 4, 4 }, { 5, 5 }, { 6, 6 }, { 7, 7 }, { 8, 8 }, { 0, 0 } };

static bool on(const struct config *c, const char *key) { return config_int(c, key) != 0; }

/* Sets the fields that follow from the configuration and the precision: block size, group and words. */
static void bcsr_facts(struct bcsr_storage *s, const struct config *c, enum precision p)
{
    const struct block_shape b = block_shape_of(c);

    s->r = b.r;
    s->c = b.c;
    s->group = on(c, "interleave") ? (int)config_int(c, "lanes") : 1;
    s->word_values = on(c, "pack") ? BCSR_WORD_BYTES / (int)precision_bytes(p) : 1;
    s->words = (b.r * b.c + s->word_values - 1) / s->word_values;
}

static int64_t rounded_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static int64_t values_of(const struct bcsr_storage *s, int64_t blocks)
{
    return rounded_up(blocks, s->group) * s->words * s->word_values;
}

/* least: the number of blocks that are certainly stored. The last group of interleaved blocks may be read in part. */
static void traffic_of(const struct bcsr_storage *s, const struct features *f, const struct target *t, int64_t blocks,
                       int64_t least, struct traffic *out)
{
    const int64_t bytes = precision_bytes(t->precision), block_bytes = s->words * s->word_values * bytes;

    memset(out, 0, sizeof *out);
    out->values = values_of(s, blocks) * bytes;
    out->indices = blocks * (int64_t)sizeof(int32_t);
    out->pointers = (block_rows(f->rows, s->r) + 1) * (int64_t)sizeof(int32_t);
    out->padding = out->values - f->nnz * bytes;
    out->unsure = out->values - least * block_bytes + (blocks - least) * (int64_t)sizeof(int32_t);
    traffic_vectors(f, t, out);
}

/* Returns the estimated number of blocks, including the zero blocks added by alignment: on average (lanes - 1) / 2
 * per nonempty block row. */
static double blocks_with_alignment(const struct features *f, const struct config *c)
{
    const struct block_shape b = block_shape_of(c);
    const double rows = (double)block_rows(f->rows - f->row_empty, b.r);

    return blocks_guess(f, b) + (on(c, "align") ? rows * ((double)config_int(c, "lanes") - 1) / 2 : 0);
}

static int bcsr_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const double blocks = blocks_with_alignment(f, c);
    struct bcsr_storage s;

    bcsr_facts(&s, c, t->precision);
    if (blocks * s.words * BCSR_WORD_BYTES > (double)(INT64_MAX / 16))
        return FAIL;
    const int64_t guess = (int64_t)(blocks + 0.5), least = blocks_least(f, block_shape_of(c));
    traffic_of(&s, f, t, guess > least ? guess : least, least, out);
    return 0;
}

static int bcsr_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const double blocks = blocks_with_alignment(f, c);
    struct bcsr_storage s;

    if (block_shape_legal(c, shapes, why) != 0)
        return FAIL;
    bcsr_facts(&s, c, t->precision);
    return blocks_worth(f, block_shape_of(c), blocks, blocks * s.words * s.word_values, why);
}

/* Turns the n counts in row_ptr into n + 1 offsets, with each count rounded up to a multiple of `align` and offsets
 * clamped to 32 bits. Returns the number of blocks. */
static int64_t offsets_of_counts(int32_t *row_ptr, int64_t n, int align)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < n; i++) {
        const int64_t count = rounded_up(row_ptr[i], align);
        row_ptr[i] = (int32_t)(sum <= offsets_max ? sum : offsets_max);
        sum += count;
    }
    row_ptr[n] = (int32_t)(sum <= offsets_max ? sum : offsets_max);
    return sum;
}

static int align_of(const struct config *c) { return on(c, "align") ? (int)config_int(c, "lanes") : 1; }

static int bcsr_count(const struct csr_view *a, const struct features *f, const struct config *c,
                      const struct target *t, struct traffic *out)
{
    const struct block_shape b = block_shape_of(c);
    const int64_t n = block_rows(a->rows, b.r);
    int32_t *count = array_alloc(n, sizeof *count);
    const int64_t align = align_of(c);
    struct bcsr_storage s;
    int64_t blocks = 0;

    if (!count)
        return OOM;
    bcsr_facts(&s, c, t->precision);
    blocks_count(a, b, count);
#pragma omp parallel for schedule(static) reduction(+ : blocks)
    for (int64_t i = 0; i < n; i++)
        blocks += rounded_up(count[i], align);
    free(count);
    traffic_of(&s, f, t, blocks, blocks, out);
    return 0;
}

static int bcsr_arrays(struct storage *base, struct array *a)
{
    struct bcsr_storage *s = (struct bcsr_storage *)base;

    a[0] = ARRAY(row_ptr, s->block_rows + 1);
    a[1] = ARRAY(col, s->blocks);
    a[2] = VALUES(val, values_of(s, s->blocks));
    return 3;
}

/* Fills the blocks of a block row, including the zero blocks added by alignment. Returns the first row with a value
 * that overflows f32, or a->rows. */
static int64_t fill_row(struct bcsr_storage *s, const struct csr_view *a, enum precision p, int64_t block_row)
{
    struct block_walk w = block_walk_start(a, (struct block_shape){ s->r, s->c }, block_row);
    const int packed = s->words * s->word_values;
    double value[BLOCK_ENTRIES_MAX + BCSR_WORD_BYTES] = { 0 };
    int64_t bad = a->rows;
    int32_t last = 0;

    for (int64_t k = s->row_ptr[block_row]; k < s->row_ptr[block_row + 1]; k++) {
        const int32_t col = block_walk_next(&w, value);
        const int64_t at = bcsr_block(s, k);

        if (col >= 0)
            last = col;
        else
            memset(value, 0, sizeof value);
        s->col[k] = last;
        for (int e = 0; e < packed; e++)
            if (!real_put(s->val, p, at + bcsr_value(s, e), value[e]) && w.row + e / s->c < bad)
                bad = w.row + e / s->c;
    }
    return bad;
}

static int64_t bcsr_fill(struct bcsr_storage *s, const struct csr_view *a, enum precision p)
{
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 256) reduction(min : bad)
    for (int64_t i = 0; i < s->block_rows; i++) {
        const int64_t row = fill_row(s, a, p, i);
        if (row < bad)
            bad = row;
    }
    for (int64_t k = s->blocks; k < rounded_up(s->blocks, s->group); k++)
        for (int e = 0; e < s->words * s->word_values; e++)
            real_put(s->val, p, bcsr_block(s, k) + bcsr_value(s, e), 0.0);
    return bad;
}

static int bcsr_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                      char why[ERRLEN])
{
    struct bcsr_storage *s;
    int rc = 0;

    if ((rc = block_shape_legal(c, shapes, why)) != 0)
        return rc;
    if (!(s = storage_new(&bcsr_layout, a, t, why)))
        return OOM;
    bcsr_facts(s, c, t->precision);
    s->block_rows = block_rows(a->rows, s->r);
    if ((rc = storage_array(&s->base, &s->row_ptr, why)) != 0)
        goto out;
    blocks_count(a, block_shape_of(c), s->row_ptr);
    s->blocks = offsets_of_counts(s->row_ptr, s->block_rows, align_of(c));
    if ((rc = offsets_reach(s->blocks, "blocks", why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    rc = build_overflow(why, bcsr_fill(s, a, t->precision), a->rows);
out:
    return storage_done(rc, &s->base, out);
}

static void bcsr_spmv_rows(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct bcsr_storage *s = (const struct bcsr_storage *)base;

    BY_PRECISION(base->target.precision, block_rows, s, x, y, mode);
}

/* `lanes` is a layout parameter because blocks are aligned and interleaved in groups of `lanes`. */
static const struct param layout_params[] = {
    { "r", "rows per block; with c: 1x1 to 4x4, 5x5, 6x6, 7x7, 8x8", PARAM_INT, "1..8", "3", PARAM_LAYOUT },
    { "c", "columns per block; see r", PARAM_INT, "1..8", "3", PARAM_LAYOUT },
    { "pack", "1: pad each block to whole 16-byte words", PARAM_INT, "0|1", "0", PARAM_LAYOUT },
    { "align", "1: pad each block row to a multiple of `lanes` blocks", PARAM_INT, "0|1", "0", PARAM_LAYOUT },
    { "interleave", "1: interleave the words of `lanes` neighbouring blocks", PARAM_INT, "0|1", "1", PARAM_LAYOUT },
    { "lanes", "threads per block row, each with one block at a time", PARAM_INT, "2|4|8|16|32|64|128", "8",
      PARAM_LAYOUT },
    { .name = NULL }
};

const struct layout bcsr_layout = { .name = "bcsr",
                                    .about = "dense r x c blocks, stored block row by block row",
                                    .params = layout_params,
                                    .applicable = bcsr_applicable,
                                    .traffic = bcsr_traffic,
                                    .count = bcsr_count,
                                    .build = bcsr_build,
                                    .spmv_host = bcsr_spmv_rows,
                                    .storage_bytes = sizeof(struct bcsr_storage),
                                    .arrays = bcsr_arrays,
                                    .fills = true };

static int bcsr_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = bcsr_grid(f->rows, (int)config_int(c, "r"), (int)config_int(c, "lanes"));
    return 0;
}

/* lanes=16 suits block rows of a few blocks, lanes=128 those of dozens. Without interleaving, small blocks pay off:
 * the words of a block are then in the same cache lines, whereas interleaved block rows share their first and last
 * cache line with their neighbours. */
static const char *const sweep[] = { "r=2,c=2,pack=1,interleave=0,lanes=16",
                                     "r=2,c=2,pack=1,interleave=0,lanes=128",
                                     "r=2,c=2,pack=1,lanes=16",
                                     "r=3,c=3,interleave=0,lanes=16",
                                     "r=6,c=6,pack=1,lanes=16",
                                     NULL };
static const char *const sweep_cpu[] = { "", NULL };

static void bcsr_mapping(const struct features *f, const struct config *c, const struct target *t,
                         const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t;
    const struct block_shape b = block_shape_of(c);
    mapping_blocked(f, g, (double)bytes->indices / (double)sizeof(int32_t), b.r, b.c, (double)config_int(c, "lanes"),
                    m);
}

/* A thread block has BCSR_THREADS / lanes neighbouring block rows and waits for the longest. `mean` blocks of them are
 * in proportion to the longest; align adds blocks, which are read. */
static int bcsr_steps(const struct features *f, const struct config *c, struct steps *s)
{
    const struct block_shape shape = block_shape_of(c);
    const struct block_spread b = blocks_spread(f, shape);
    const int lanes = (int)config_int(c, "lanes"), rows = BCSR_THREADS / lanes * shape.r;
    const struct histogram *h = &f->lengths[mapping_level(rows)];
    const struct grid g = bcsr_grid(f->rows, shape.r, lanes);
    const double warp_rows = fmax((double)CUDA_WARP / lanes, 1) * shape.r;
    double groups = 0, sum = 0;

    steps_begin(s, g.blocks, warp_rows, h->n + 1);
    for (int i = 0; i < h->n; i++) {
        groups += (double)h->count[i];
        sum += (double)h->count[i] * (double)h->value[i];
    }
    const bool known = !blocks_dense(f) && b.longest > 0 && sum > 0;
    const double mean = blocks_dense(f) ? ceil((double)f->cols / shape.c) : b.blocks / b.block_rows;
    for (int i = 0; i < (known ? h->n : 1); i++) {
        const double width = known ? (double)h->value[i] * b.blocks / b.longest : mean,
                     own = known ? mean * (double)h->value[i] * groups / sum : mean;
        steps_add(s, width, on(c, "align") ? (double)rounded_up((int64_t)ceil(own), lanes) : own, lanes,
                  known ? (double)h->count[i] * (double)g.blocks / groups : (double)g.blocks);
    }
    return 0;
}

const struct kernel bcsr_kernel = { .name = "bcsr",
                                    .about = "a group of threads per block row, each with one block at a time",
                                    .layout = &bcsr_layout,
                                    .sweep = sweep,
                                    .sweep_cpu = sweep_cpu,
                                    .revision = 2,
                                    .work = WORK_OTHER,
                                    .grid = bcsr_kernel_grid,
                                    .mapping = bcsr_mapping,
                                    .steps = bcsr_steps };
