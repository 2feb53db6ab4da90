/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and description of cusparse-bsr, a library kernel: (4 + s b b) blocks + 4 (block rows + 1) bytes. */
#include "formats/cusparse/cusparse_bsr.h"
#include <inttypes.h>
#include "formats/bcsr/blocks.h"
#include "formats/build.h"
#include "formats/csr/csr.h"
#include "formats/mapping.h"

enum { FILL_LIMIT = 10, BLOCK_MAX = 4 };

static int64_t in_blocks(int64_t n, int b) { return (n + b - 1) / b; }

/* The library reads x and writes y in whole blocks, so `b` must divide the numbers of rows and columns. */
static int bsr_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const int64_t b = config_int(c, "b");

    (void)t;
    if (f->rows % b != 0 || f->cols % b != 0)
        return fail(why,
                    "the %" PRId64 " x %" PRId64 " matrix cannot be divided into %" PRId64 " x %" PRId64
                    " blocks; cuSPARSE requires whole blocks",
                    f->rows, f->cols, b, b);
    return offsets_reach(f->nnz, "nonzeros", why);
}

/* least: the number of blocks that are certainly stored */
static void traffic_of(const struct features *f, const struct target *t, int b, int64_t blocks, int64_t least,
                       struct traffic *out)
{
    const int64_t bytes = precision_bytes(t->precision);

    memset(out, 0, sizeof *out);
    out->values = blocks * b * b * bytes;
    out->indices = blocks * (int64_t)sizeof(int32_t);
    out->pointers = (in_blocks(f->rows, b) + 1) * (int64_t)sizeof(int32_t);
    out->padding = (blocks * b * b - f->nnz) * bytes;
    out->unsure = (blocks - least) * (b * b * bytes + (int64_t)sizeof(int32_t));
    traffic_vectors(f, t, out);
}

static int bsr_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const struct block_shape b = { (int)config_int(c, "b"), (int)config_int(c, "b") };
    const int64_t guess = (int64_t)(blocks_guess(f, b) + 0.5), least = blocks_least(f, b);

    traffic_of(f, t, b.r, guess > least ? guess : least, least, out);
    return 0;
}

/* Stores in *column the next block column of the block row that starts at row `first`; FAIL after the last one. at[]
 * holds the position in each row; the caller moves it past the block. */
static int next_block(const struct csr_view *a, int64_t first, int b, int64_t at[BLOCK_MAX], int32_t *column)
{
    int32_t least = INT32_MAX;

    for (int r = 0; r < b && first + r < a->rows; r++)
        if (at[r] < a->end[first + r] && a->col[at[r]] / b < least)
            least = a->col[at[r]] / b;
    *column = least;
    return least < INT32_MAX ? 0 : FAIL;
}

static void row_start(const struct csr_view *a, int64_t first, int b, int64_t at[BLOCK_MAX])
{
    for (int r = 0; r < b; r++)
        at[r] = first + r < a->rows ? a->begin[first + r] : 0;
}

static int64_t blocks_in_row(const struct csr_view *a, int64_t first, int b)
{
    int64_t at[BLOCK_MAX], n = 0;
    int32_t column;

    row_start(a, first, b, at);
    for (; next_block(a, first, b, at, &column) == 0; n++)
        for (int r = 0; r < b && first + r < a->rows; r++)
            while (at[r] < a->end[first + r] && a->col[at[r]] / b == column)
                at[r]++;
    return n;
}

/* Returns the total number of blocks. n[i], if n is not NULL, gets the number in block row i. */
static int64_t count_blocks(const struct csr_view *a, int b, int32_t *n)
{
    int64_t blocks = 0;

#pragma omp parallel for schedule(dynamic, 512) reduction(+ : blocks)
    for (int64_t i = 0; i < in_blocks(a->rows, b); i++) {
        const int64_t found = blocks_in_row(a, i * b, b);
        if (n)
            n[i] = (int32_t)found;
        blocks += found;
    }
    return blocks;
}

static int bsr_count(const struct csr_view *a, const struct features *f, const struct config *c, const struct target *t,
                     struct traffic *out)
{
    const int b = (int)config_int(c, "b");

    const int64_t blocks = count_blocks(a, b, NULL);
    traffic_of(f, t, b, blocks, blocks, out);
    return 0;
}

static int bsr_arrays(struct storage *base, struct array *a)
{
    struct cusparse_bsr_storage *s = (struct cusparse_bsr_storage *)base;

    a[0] = ARRAY(off, s->block_rows + 1);
    a[1] = ARRAY(col, s->blocks);
    a[2] = VALUES(val, s->blocks * s->b * s->b);
    return 3;
}

/* Fills col and val. Returns the first row with a value that overflows f32, or a->rows. */
static int64_t bsr_fill(struct cusparse_bsr_storage *s, const struct csr_view *a, enum precision p)
{
    const int b = s->b;
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 512) reduction(min : bad)
    for (int64_t i = 0; i < s->block_rows; i++) {
        int64_t at[BLOCK_MAX];
        int32_t column;

        row_start(a, i * b, b, at);
        for (int64_t block = s->off[i]; next_block(a, i * b, b, at, &column) == 0; block++) {
            s->col[block] = column;
            memset((char *)s->val + block * b * b * precision_bytes(p), 0, (size_t)(b * b * precision_bytes(p)));
            for (int r = 0; r < b && i * b + r < a->rows; r++)
                for (; at[r] < a->end[i * b + r] && a->col[at[r]] / b == column; at[r]++)
                    if (!real_put(s->val, p, (block * b + r) * b + a->col[at[r]] % b, a->val[at[r]]) && i * b + r < bad)
                        bad = i * b + r;
        }
    }
    return bad;
}

/* Counts the blocks, checks fill and 32-bit limits and turns the counts into offsets. Returns 0 or FAIL. */
static int bsr_offsets(struct cusparse_bsr_storage *s, const struct csr_view *a, char why[ERRLEN])
{
    const int64_t nnz = s->base.nnz;

    s->blocks = count_blocks(a, s->b, s->off + 1);
    const int64_t slots = s->blocks * s->b * s->b;
    if (slots > FILL_LIMIT * nnz)
        return fail(why, "fill %.4gx (%" PRId64 " nonzeros in %" PRId64 " blocks of %d x %d), limit %dx",
                    (double)slots / (double)nnz, nnz, s->blocks, s->b, s->b, FILL_LIMIT);
    if (offsets_reach(slots, "values with fill", why) != 0)
        return FAIL;
    s->off[0] = 0;
    for (int64_t i = 0; i < s->block_rows; i++)
        s->off[i + 1] += s->off[i];
    return 0;
}

static int bsr_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct cusparse_bsr_storage *s = storage_new(&cusparse_bsr_layout, a, t, why);
    int rc = 0;

    if (!s)
        return OOM;
    s->b = (int)config_int(c, "b");
    s->block_rows = in_blocks(a->rows, s->b);
    s->block_cols = in_blocks(a->cols, s->b);
    rc = storage_array(&s->base, &s->off, why);
    if (rc == 0)
        rc = bsr_offsets(s, a, why);
    if (rc == 0)
        rc = storage_arrays(&s->base, why);
    if (rc == 0)
        rc = build_overflow(why, bsr_fill(s, a, t->precision), a->rows);
    return storage_done(rc, &s->base, out);
}

/* Multiplies on the host, for callers that have only the storage: the library runs on devices only. Values that are 0
 * are taken for fill and skipped. */
static void bsr_spmv(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct cusparse_bsr_storage *s = (const struct cusparse_bsr_storage *)base;
    const enum precision p = base->target.precision;

#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < base->rows; i++) {
        double sum = 0;

        for (int64_t block = s->off[i / s->b]; block < s->off[i / s->b + 1]; block++)
            for (int e = 0; e < s->b; e++) {
                const double v = real_at(p, s->val, (block * s->b + i % s->b) * s->b + e);
                const double product =
                    v < 0 || v > 0 || v != v ? v * real_at(p, x, (int64_t)s->col[block] * s->b + e) : 0;
                sum = p == F32 ? (float)((float)sum + (float)product) : sum + product;
            }
        (void)real_put(y, p, i, mode == Y_ADD ? real_at(p, y, i) + sum : sum);
    }
}

static const struct param bsr_layout_params[] = {
    { "b", "rows and columns per block", PARAM_INT, "2|3|4", "2", PARAM_LAYOUT }, { .name = NULL }
};

const struct layout cusparse_bsr_layout = { .name = "cusparse-bsr",
                                            .about = "cuSPARSE BSR: the b x b blocks that hold at least one entry",
                                            .params = bsr_layout_params,
                                            .applicable = bsr_applicable,
                                            .traffic = bsr_traffic,
                                            .count = bsr_count,
                                            .build = bsr_build,
                                            .spmv_host = bsr_spmv,
                                            .storage_bytes = sizeof(struct cusparse_bsr_storage),
                                            .arrays = bsr_arrays,
                                            .fills = true };

/* Neither cusparseSpMV for BSR nor bsrmv guarantees the same bits each time. */
static bool never(const struct config *c)
{
    (void)c;
    return false;
}

static int bsr_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)c;
    (void)t;
    *g = grid_of((f->rows + f->nnz + 7) / 8, 256);
    return 0;
}

static const struct param bsr_params[] = {
    { "call", "function: cusparseSpMV, with cusparseSpMV_preprocess, or cusparse<t>bsrmv", PARAM_WORD, "spmv|bsrmv",
      "spmv", PARAM_LAUNCH },
    { .name = NULL }
};

static const char *const bsr_sweep[] = {
    "b=2,call=spmv", "b=2,call=bsrmv", "b=3,call=spmv", "b=3,call=bsrmv", "b=4,call=spmv", "b=4,call=bsrmv", NULL
};

static void bsr_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t;
    const int b = (int)config_int(c, "b");
    mapping_blocked(f, g, (double)bytes->indices / (double)sizeof(int32_t), b, b, 16, m);
}

const struct kernel cusparse_bsr_kernel = { .name = "cusparse-bsr",
                                            .about = "cuSPARSE BSR, for comparison",
                                            .layout = &cusparse_bsr_layout,
                                            .params = bsr_params,
                                            .sweep = bsr_sweep,
                                            .revision = 1,
                                            .library = "cusparse",
                                            .work = WORK_OTHER,
                                            .deterministic = never,
                                            .grid = bsr_grid,
                                            .mapping = bsr_mapping };
