/* SPDX-License-Identifier: BSD-3-Clause */
/* bcsr beyond formats.c: rebuilds the matrix from its storage with every block size and variant, compares positions of
 * words with values computed by hand, and tests counted and estimated blocks and rejected inputs. "bcsr PART" prints
 * "ok PART, N checks" or fails with the reason. */
#include "formats/bcsr/bcsr.h"
#include <inttypes.h>
#include "blocks.h"
#include "parts.h"

/* ---- rebuilding the matrix ---- */
/* Returns the position of value e of block k: block k is lane k % G of group g = k / G, and word w of the group's
 * blocks is stored at (g words + w) G + lane. */
static int64_t place(const struct bcsr_storage *s, int64_t k, int e)
{
    const int64_t g = k / s->group, lane = k % s->group, word = e / s->word_values;

    return ((g * s->words + word) * s->group + lane) * s->word_values + e % s->word_values;
}

static void check_blocks(struct subject *q, const char *text, enum precision p, const struct bcsr_storage *s, int align)
{
    for (int64_t i = 0; i < s->block_rows; i++) {
        if ((s->row_ptr[i + 1] - s->row_ptr[i]) % align != 0)
            die("%s, %s: block row %" PRId64 " is not aligned", q->name, text, i);
        subject_rows(q, i * s->r);
        for (int64_t k = s->row_ptr[i]; k < s->row_ptr[i + 1]; k++) {
            const bool padding = k > s->row_ptr[i] && s->col[k] == s->col[k - 1];
            for (int e = 0; e < s->words * s->word_values; e++) {
                const double v = real_at(p, s->val, place(s, k, e));
                if (padding || e >= s->r * s->c) {
                    if (v < 0 || v > 0)
                        die("%s, %s: padding of block %" PRId64 " is %g", q->name, text, k, v);
                } else {
                    subject_meet(q, text, p, i * s->r + e / s->c, (int64_t)s->col[k] * s->c + e % s->c, v);
                }
            }
        }
    }
}

static void check_config(struct subject *q, int r, int c, int ways, int lanes)
{
    const int align = ways & 1, interleave = ways >> 1 & 1, pack = ways >> 2 & 1;

    for (enum precision p = F32; p <= F64; p++) {
        struct storage *built;
        char text[96];

        snprintf(text, sizeof text, "bcsr:r=%d,c=%d,pack=%d,align=%d,interleave=%d,lanes=%d", r, c, pack, align,
                 interleave, lanes);
        built = subject_build(q, text, p);
        const struct bcsr_storage *s = (const struct bcsr_storage *)built;
        if (s->r != r || s->c != c || s->group != (interleave ? lanes : 1))
            die("%s: wrong r, c or group", text);
        if (s->word_values != (pack ? (p == F32 ? 4 : 2) : 1))
            die("%s: %d values per word", text, s->word_values);
        check_blocks(q, text, p, s, align ? lanes : 1);
        subject_done(q, text);
        storage_free(built);
    }
}

static void rebuild(struct subject *q)
{
    for (int r = 1; r <= 8; r++)
        for (int c = 1; c <= 8; c++)
            if ((r <= 4 && c <= 4) || r == c)
                for (int ways = 0; ways < 8; ways++)
                    check_config(q, r, c, ways, (r + c + ways) % 3 == 0 ? 128 : (r + c + ways) % 3 == 1 ? 2 : 8);
}

static void test_rebuild(void) { each_subject(rebuild); }

/* ---- values computed by hand ---- */
static void same(const char *what, const double *expected, int n, const void *found, int64_t bytes)
{
    if (bytes != n * (int64_t)sizeof(float))
        die("%s: %" PRId64 " bytes of values", what, bytes);
    for (int i = 0; i < n; i++)
        if (real_at(F32, found, i) < expected[i] || real_at(F32, found, i) > expected[i])
            die("%s: value %d is %g, not %g", what, i, real_at(F32, found, i), expected[i]);
    checks++;
}

/* A matrix of 3 x 7 in blocks of 1 x 3: row 0 has block columns 0 and 2 (which extends past column 6), row 1 has none,
 * row 2 has 0, 1 and 2. */
static void test_words(void)
{
    static const int64_t row_ptr[] = { 0, 3, 3, 8 };
    static const int32_t cols[] = { 1, 2, 6, 0, 3, 4, 5, 6 };
    static const double plain[] = { 0, 1, 2, 3, 0, 0, 4, 0, 0, 5, 6, 7, 8, 0, 0 };
    static const double packed[] = { 0, 1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 6, 7, 0, 8, 0, 0, 0 };
    static const double aligned[] = { 0, 1, 2, 3, 0, 0, 4, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0, 0 };
    /* groups of two blocks: value 0 of both, then value 1 of both, then value 2 of both */
    static const double interleaved[] = { 0, 3, 1, 0, 2, 0, 4, 5, 0, 6, 0, 7, 8, 0, 0, 0, 0, 0 };
    static const struct {
        const char *text;
        const double *val;
        int n, blocks;
    } cases[] = { { "bcsr:r=1,c=3,interleave=0", plain, 15, 5 },
                  { "bcsr:r=1,c=3,interleave=0,pack=1", packed, 20, 5 },
                  { "bcsr:r=1,c=3,interleave=0,align=1,lanes=2", aligned, 18, 6 },
                  { "bcsr:r=1,c=3,interleave=1,align=1,lanes=2", interleaved, 18, 6 },
                  { "bcsr:r=1,c=3,interleave=1,lanes=2", interleaved, 18, 5 } };
    struct subject q;
    char why[ERRLEN];

    if (csr_alloc(&q.a, 3, 7, 8, why) != 0)
        die("%s", why);
    memcpy(q.a.row_ptr, row_ptr, sizeof row_ptr);
    memcpy(q.a.col, cols, sizeof cols);
    for (int k = 0; k < 8; k++)
        q.a.val[k] = k + 1;
    subject_open(&q, "3 x 7");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct storage *built = subject_build(&q, cases[i].text, F32);
        const struct bcsr_storage *s = (const struct bcsr_storage *)built;
        static const int32_t col[] = { 0, 2, 0, 1, 2, 2 }, offset[] = { 0, 2, 2 };

        if (s->blocks != cases[i].blocks || memcmp(s->col, col, (size_t)s->blocks * 4) != 0)
            die("%s: wrong block columns", cases[i].text);
        if (memcmp(s->row_ptr, offset, sizeof offset) != 0 || s->row_ptr[3] != cases[i].blocks)
            die("%s: wrong offsets", cases[i].text);
        same(cases[i].text, cases[i].val, cases[i].n, s->val, built->bytes - 4 * 4 - 4 * s->blocks);
        storage_free(built);
    }
    subject_close(&q);
}

/* ---- number of blocks ---- */
static int64_t count_of(const struct subject *q, int r, int c)
{
    const int64_t n = block_rows(q->a.rows, r);
    int32_t *count = xcalloc((unsigned long)n + 1, sizeof *count);
    int64_t sum = 0;

    blocks_count(&q->view, (struct block_shape){ r, c }, count);
    for (int64_t i = 0; i < n; i++)
        sum += count[i];
    free(count);
    return sum;
}

/* A finite element matrix with three unknowns per node has only full 3 x 3 blocks. The estimated number of blocks is
 * within a factor of the counted one, a smaller factor for a dense matrix. */
static void test_counts(void)
{
    static const struct {
        const char *recipe;
        double off;
    } guesses[] = { { "fem:n=9,d=3,seed=1", 2.0 },
                    { "fem:n=9,d=4,seed=1", 2.0 },
                    { "stencil:points=27,n=16,seed=1", 2.0 },
                    { "rmat:scale=11,p=8,seed=5", 2.0 },
                    { "dense:rows=256,seed=6", 1.4 } };
    struct subject q;

    subject_recipe(&q, "fem:n=9,d=3,seed=1");
    if (9 * count_of(&q, 3, 3) != q.a.nnz)
        die("fem: %" PRId64 " blocks of 3x3 for %" PRId64 " entries", count_of(&q, 3, 3), q.a.nnz);
    if (4 * count_of(&q, 2, 2) <= q.a.nnz || 64 * count_of(&q, 8, 8) <= 2 * q.a.nnz)
        die("fem: too little fill");
    checks++;
    subject_close(&q);
    for (size_t i = 0; i < sizeof guesses / sizeof guesses[0]; i++) {
        subject_recipe(&q, guesses[i].recipe);
        for (int r = 1; r <= 8; r++)
            for (int c = 1; c <= 8; c++) {
                const double count = (double)count_of(&q, r, c),
                             guess = blocks_guess(&q.f, (struct block_shape){ r, c });
                if (guess > guesses[i].off * count || count > guesses[i].off * guess)
                    die("%s: %.6g blocks of %dx%d estimated, counted %.6g", q.name, guess, r, c, count);
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
    subject_refused(
        &q, "bcsr:r=3,c=5", false,
        "invalid block size 3x5; expected 1x1|1x2|1x3|1x4|2x1|2x2|2x3|2x4|3x1|3x2|3x3|3x4|4x1|4x2|4x3|4x4|5x5|6x6|7x7|8x8");
    subject_refused(&q, "bcsr:r=8,c=8", true, "limit 10x");
    subject_fill_told(&q, "bcsr:r=8,c=8");
    subject_close(&q);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {
        { "rebuild", test_rebuild }, { "words", test_words }, { "counts", test_counts }, { "refusals", test_refusals }
    };
    return parts_main("bcsr", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
