/* SPDX-License-Identifier: BSD-3-Clause */
/* bellpack beyond formats.c: rebuilds the matrix from its storage with every block size and chunk, compares order and offsets with
 * values computed by hand, and tests estimated bytes and rejected inputs. "bellpack PART" prints "ok PART, N checks" or
 * fails with the reason. */
#include "formats/bellpack/bellpack.h"
#include <inttypes.h>
#include "blocks.h"
#include "parts.h"

static const struct block_shape sizes[] = { { 1, 2 }, { 2, 2 }, { 2, 3 }, { 3, 2 }, { 3, 3 }, { 3, 4 },
                                            { 4, 4 }, { 5, 5 }, { 6, 6 }, { 7, 7 }, { 8, 8 } };

/* ---- rebuilding the matrix ---- */
static int64_t blocks_of(const struct subject *q, const struct bellpack_storage *s, int64_t block_row)
{
    struct block_walk w;
    int64_t n = 0;

    if (block_row < 0)
        return 0;
    w = block_walk_start(&q->view, (struct block_shape){ s->r, s->c }, block_row);
    while (block_walk_next(&w, NULL) >= 0)
        n++;
    return n;
}

/* Block rows are sorted by their number of blocks, longest first, ties in matrix order; slots beyond the last have perm
 * -1. A chunk is as wide as its first block row. */
static void check_order(const struct subject *q, const char *text, const struct bellpack_storage *s)
{
    const int64_t n = block_rows(q->a.rows, s->r), slots = s->chunks * s->chunk;
    int64_t width = 0;

    if (slots < n || slots >= n + s->chunk)
        die("%s, %s: %" PRId64 " slots", q->name, text, slots);
    for (int64_t k = 0; k < slots; k++) {
        const int64_t blocks = blocks_of(q, s, s->perm[k]), last = k > 0 ? blocks_of(q, s, s->perm[k - 1]) : INT64_MAX;
        if ((k < n) != (s->perm[k] >= 0))
            die("%s, %s: slot %" PRId64 " of %" PRId64 " is %d", q->name, text, k, n, s->perm[k]);
        if (k < n && (blocks > last || (blocks == last && s->perm[k] <= s->perm[k - 1])))
            die("%s, %s: slot %" PRId64 " is out of order", q->name, text, k);
        if (k % s->chunk == 0) {
            if (s->first[k / s->chunk] != width)
                die("%s, %s: chunk %" PRId64 " starts at %d", q->name, text, (k / s->chunk), s->first[k / s->chunk]);
            width += blocks;
        }
    }
    if (s->first[s->chunks] != width || s->width != width)
        die("%s, %s: %" PRId64 " steps", q->name, text, s->width);
}

static void check_slot(struct subject *q, const char *text, enum precision p, const struct bellpack_storage *s,
                       int64_t chunk, int64_t t)
{
    const int64_t block_row = s->perm[chunk * s->chunk + t], blocks = blocks_of(q, s, block_row), entries = s->r * s->c;
    int32_t last = 0;

    subject_rows(q, block_row < 0 ? q->a.rows : block_row * s->r);
    for (int64_t i = 0; i < s->first[chunk + 1] - s->first[chunk]; i++) {
        const int32_t col = s->col[(s->first[chunk] + i) * s->chunk + t];
        for (int64_t e = 0; e < entries; e++) {
            const double v =
                real_at(p, s->val, s->first[chunk] * entries * s->chunk + (i * entries + e) * s->chunk + t);
            if (i < blocks)
                subject_meet(q, text, p, block_row * s->r + e / s->c, (int64_t)col * s->c + e % s->c, v);
            else if (v < 0 || v > 0 || col != last)
                die("%s, %s: padding of slot %" PRId64 " of chunk %" PRId64, q->name, text, t, chunk);
        }
        last = col;
    }
}

static void rebuild(struct subject *q)
{
    for (size_t b = 0; b < sizeof sizes / sizeof sizes[0]; b++)
        for (int chunk = 32; chunk <= 256; chunk *= 2) {
            const enum precision p = (b + (size_t)chunk / 32) % 2 ? F32 : F64;
            struct storage *built;
            char text[64];

            snprintf(text, sizeof text, "bellpack:r=%d,c=%d,chunk=%d", sizes[b].r, sizes[b].c, chunk);
            built = subject_build(q, text, p);
            const struct bellpack_storage *s = (const struct bellpack_storage *)built;
            check_order(q, text, s);
            for (int64_t k = 0; k < s->chunks * s->chunk; k++)
                check_slot(q, text, p, s, k / s->chunk, k % s->chunk);
            subject_done(q, text);
            storage_free(built);
        }
}

static void test_rebuild(void) { each_subject(rebuild); }

/* ---- values computed by hand ---- */
/* A matrix of 68 x 7 in blocks of 2 x 3 and chunks of 32: block row 1 has the block columns 0, 1 and 2, the last block
 * row (rows 66 and 67) has 0 and 2, block row 0 has only 2, the other 31 have only 1. Sorted order: 1, 33, 0, 2, 3,
 * ..., 30 | 31, 32. */
static void test_chunks(void)
{
    struct subject q;
    struct storage *built;
    char why[ERRLEN];
    int64_t k = 0;

    if (csr_alloc(&q.a, 68, 7, 37, why) != 0)
        die("%s", why);
    q.a.row_ptr[0] = 0;
    for (int64_t i = 0; i < 68; i++) {
        if (i == 2)
            q.a.col[k++] = 2, q.a.col[k++] = 6;
        else if (i == 3)
            q.a.col[k++] = 4;
        else if (i == 67)
            q.a.col[k++] = 0, q.a.col[k++] = 6;
        else if (i % 2 == 0 && i < 66)
            q.a.col[k++] = i == 0 ? 6 : 5;
        q.a.row_ptr[i + 1] = k;
    }
    if (k != 37)
        bug("%" PRId64 " entries", k);
    for (k = 0; k < 37; k++)
        q.a.val[k] = (double)(k + 1);
    subject_open(&q, "68 x 7");
    built = subject_build(&q, "bellpack:r=2,c=3,chunk=32", F64);
    const struct bellpack_storage *s = (const struct bellpack_storage *)built;
    if (s->chunks != 2 || s->width != 4 || s->first[0] != 0 || s->first[1] != 3 || s->first[2] != 4)
        die("chunks: wrong offsets");
    for (int t = 0; t < 64; t++) {
        const int expected = t == 0 ? 1 : t == 1 ? 33 : t == 2 ? 0 : t < 34 ? t - 1 : -1;
        if (s->perm[t] != expected)
            die("chunks: slot %d is %d, not %d", t, s->perm[t], expected);
    }
    /* columns at steps 0, 1 and 2 of slots 0 to 3, then at the only step of the second chunk */
    static const int32_t col[4][4] = { { 0, 0, 2, 1 }, { 1, 2, 2, 1 }, { 2, 2, 2, 1 }, { 1, 1, 0, 0 } };
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < 4; t++)
            if (s->col[i * 32 + t] != col[i][t])
                die("chunks: step %d of slot %d has column %d", i, t, s->col[i * 32 + t]);
    /* step, slot, row and column within the block, value: entries 2, 4 and 3 (rows 2, 3 and 2), 36 and 37 (row 67), 1
     * (row 0), 34 (row 62), padding */
    static const struct {
        int i, t, ri, ci;
        double v;
    } values[] = { { 0, 0, 0, 2, 2 },  { 1, 0, 1, 1, 4 }, { 2, 0, 0, 0, 3 },  { 0, 1, 1, 0, 36 },
                   { 1, 1, 1, 0, 37 }, { 0, 2, 0, 0, 1 }, { 3, 0, 0, 2, 34 }, { 3, 2, 0, 0, 0 } };
    for (size_t n = 0; n < sizeof values / sizeof values[0]; n++) {
        const double v =
            ((const double *)s->val)[((values[n].i * 2 + values[n].ri) * 3 + values[n].ci) * 32 + values[n].t];
        if (v < values[n].v || v > values[n].v)
            die("chunks: value %zu is %g, not %g", n, v, values[n].v);
    }
    if (built->bytes != 4 * 32 * (6 * 8 + 4) + 4 * (3 + 64))
        die("chunks: %" PRId64 " bytes", built->bytes);
    checks++;
    storage_free(built);
    subject_close(&q);
}

/* ---- bytes ---- */
/* The bytes estimated from features are within a factor of the counted ones. */
static void test_estimate(void)
{
    static const struct {
        const char *recipe;
        double off;
    } cases[] = { { "fem:n=9,d=3,seed=1", 2.0 },
                  { "stencil:points=27,n=16,seed=1", 2.0 },
                  { "dense:rows=256,seed=6", 1.4 },
                  { "rmat:scale=11,p=8,seed=5", 2.5 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct subject q;

        subject_recipe(&q, cases[i].recipe);
        for (size_t b = 0; b < sizeof sizes / sizeof sizes[0]; b++) {
            const struct target t = target_of(F64, DEVICE_CPU);
            struct traffic guess, count;
            struct config c;
            char text[64];

            snprintf(text, sizeof text, "bellpack:r=%d,c=%d,chunk=32", sizes[b].r, sizes[b].c);
            config_for(text, &q.f, &t, &c);
            if (c.kernel->layout->traffic(&q.f, &c, &t, &guess) != 0
                || c.kernel->layout->count(&q.view, &q.f, &c, &t, &count) != 0)
                die("%s, %s", q.name, text);
            const double ratio = (double)traffic_storage(&guess) / (double)traffic_storage(&count);
            if (ratio > cases[i].off || 1 / ratio > cases[i].off)
                die("%s, %s: the estimate is %.3g times the counted bytes", q.name, text, ratio);
            checks++;
        }
        subject_close(&q);
    }
}

/* ---- rejected inputs ---- */
static void test_refusals(void)
{
    struct subject q;

    subject_recipe(&q, "rmat:scale=12,p=2,seed=5");
    subject_refused(&q, "bellpack:r=2,c=1", false,
                    "invalid block size 2x1; expected 1x2|2x2|2x3|3x2|3x3|3x4|4x4|5x5|6x6|7x7|8x8");
    subject_refused(&q, "bellpack:r=8,c=8", true, "limit 10x");
    subject_fill_told(&q, "bellpack:r=8,c=8");
    subject_close(&q);
    subject_recipe(&q, "stencil:points=5,n=3,seed=1"); /* this matrix has fewer block rows than a chunk */
    subject_fill_told(&q, "bellpack:r=3,c=3,chunk=256");
    subject_close(&q);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "rebuild", test_rebuild },
                                         { "chunks", test_chunks },
                                         { "estimate", test_estimate },
                                         { "refusals", test_refusals } };
    return parts_main("bellpack", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
