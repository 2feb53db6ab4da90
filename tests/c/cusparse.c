/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of cuSPARSE beyond formats.c: compares slices and blocks with the matrix, and tests rejected inputs. "cusparse PART"
 * prints "ok PART, N checks" or fails. */
#include <inttypes.h>
#include "formats/cusparse/cusparse_bsr.h"
#include "formats/cusparse/cusparse_sell.h"
#include "layout_cases.h"
#include "parts.h"

static long checks;

struct problem {
    const char *name;
    struct csr a;
    struct features f;
    struct csr_view view;
    struct config config;
    struct target target;
};

/* Makes the matrix of a shape and the storage of a configuration for all its rows or, if `part`, the rows in the
 * middle. */
static void problem_open(struct problem *q, const struct shape *shape, int part, const char *text, enum precision p)
{
    shape_make(shape, &q->a);
    q->name = shape->name;
    q->view = part == 0 ? csr_view_all(&q->a) : csr_view_rows(&q->a, q->a.rows / 3, q->a.rows - q->a.rows / 4);
    features_of_view(&q->view, &q->f);
    q->target = target_of(p, DEVICE_CUDA);
    config_for(text, &q->f, &q->target, &q->config);
}

static void problem_close(struct problem *q)
{
    features_free(&q->f);
    csr_free(&q->a);
}

static double value_of(const struct problem *q, int64_t k)
{
    return q->target.precision == F32 ? (double)(float)q->a.val[k] : q->a.val[k];
}

/* ---- slices ---- */
static void check_slices(const struct problem *q, const struct cusparse_sell_storage *s)
{
    if (s->off[0] != 0 || s->off[s->slices] != s->slots || s->slices != (q->view.rows + s->c - 1) / s->c)
        die("%s: offsets of slices", q->name);
    for (int64_t slice = 0; slice < s->slices; slice++) {
        const int64_t width = (s->off[slice + 1] - s->off[slice]) / s->c;
        bool full = width == 0;

        if (s->off[slice + 1] - s->off[slice] != width * s->c)
            die("%s: slice %" PRId64 " is not a rectangle", q->name, slice);
        for (int64_t r = 0; r < s->c; r++)
            for (int64_t e = 0; e < width; e++) {
                const int64_t i = slice * s->c + r, at = s->off[slice] + e * s->c + r;
                const int64_t k = i < q->view.rows && q->view.begin[i] + e < q->view.end[i] ? q->view.begin[i] + e : -1;
                const double v = real_at(q->target.precision, s->val, at);

                full = full || (k >= 0 && e == width - 1);
                if (s->col[at] != (k < 0 ? -1 : q->a.col[k]) || v != (k < 0 ? 0.0 : value_of(q, k)))
                    die("%s: entry %" PRId64 " of row %" PRId64, q->name, e, i);
            }
        if (!full)
            die("%s: slice %" PRId64 " is wider than its longest row", q->name, slice);
    }
    checks++;
}

static void sell_of(const struct shape *shape, int part, const char *text, enum precision p)
{
    struct problem q;

    problem_open(&q, shape, part, text, p);
    struct storage *s = storage_build(q.name, &q.view, &q.config, &q.target);
    check_slices(&q, (const struct cusparse_sell_storage *)s);
    storage_free(s);
    problem_close(&q);
}

static void test_sell(void)
{
    static const char *const configs[] = { "cusparse-sell", "cusparse-sell:c=4", "cusparse-sell:c=8,pre=1",
                                           "cusparse-sell:c=16" };

    for (int i = 0; i < NSHAPES; i++)
        for (int part = 0; part < 2; part++)
            for (int c = 0; c < 4; c++)
                for (enum precision p = F32; p <= F64; p++)
                    sell_of(&shapes[i], part, configs[c], p);
}

/* ---- blocks ---- */
/* Checks that each entry is in its block, that block columns ascend, that no block is empty and that all other values
 * are 0. */
static void check_blocks(const struct problem *q, const struct cusparse_bsr_storage *s)
{
    const int64_t b = s->b;
    int64_t found = 0;

    if (s->off[0] != 0 || s->off[s->block_rows] != s->blocks || s->block_rows * b < q->view.rows
        || s->block_cols * b < q->view.cols)
        die("%s: offsets of blocks", q->name);
    for (int64_t i = 0; i < s->block_rows; i++)
        for (int64_t block = s->off[i]; block < s->off[i + 1]; block++) {
            int64_t here = 0;

            if (block > s->off[i] && s->col[block] <= s->col[block - 1])
                die("%s: block %" PRId64 " is out of order", q->name, block);
            for (int64_t e = 0; e < b * b; e++) {
                const int64_t row = i * b + e / b, column = s->col[block] * b + e % b;
                double v = 0;
                for (int64_t k = row < q->view.rows ? q->view.begin[row] : 0;
                     row < q->view.rows && k < q->view.end[row]; k++)
                    if (q->a.col[k] == column) {
                        v = value_of(q, k);
                        here++;
                    }
                if (real_at(q->target.precision, s->val, block * b * b + e) != v)
                    die("%s: (%" PRId64 ", %" PRId64 ") of block %" PRId64, q->name, row, column, block);
            }
            if (here == 0)
                die("%s: block %" PRId64 " has no entry", q->name, block);
            found += here;
        }
    if (found != q->f.nnz)
        die("%s: %" PRId64 " entries in blocks, not %" PRId64, q->name, found, q->f.nnz);
    checks++;
}

static void bsr_of(const struct shape *shape, int part, const char *text, enum precision p)
{
    struct problem q;
    struct storage *s;
    char why[ERRLEN];

    problem_open(&q, shape, part, text, p);
    const int rc = cusparse_bsr_layout.build(&q.view, &q.config, &q.target, &s, why);
    if (rc != 0 && !strstr(why, "blocks of 4 x 4), limit 10x"))
        die("%s: %s", q.name, why);
    if (rc == 0) {
        check_blocks(&q, (const struct cusparse_bsr_storage *)s);
        storage_free(s);
    }
    problem_close(&q);
}

static void test_bsr(void)
{
    static const char *const configs[] = { "cusparse-bsr", "cusparse-bsr:b=3,call=bsrmv", "cusparse-bsr:b=4" };

    for (int i = 0; i < NSHAPES; i++)
        for (int part = 0; part < 2 && shapes[i].rows <= 5000; part++)
            for (int c = 0; c < 3; c++)
                for (enum precision p = F32; p <= F64; p++)
                    bsr_of(&shapes[i], part, configs[c], p);
}

/* ---- rejected inputs ---- */
static void expect(const char *text, const struct features *f, const char *words)
{
    const struct target t = target_of(F32, DEVICE_CUDA);

    applicable_tells(text, f, &t, words);
    checks++;
}

static int64_t apart(int64_t i) { return i % 4 == 0; }

static void test_refusals(void)
{
    int64_t length[1] = { 41 }, count[1] = { 100 }, three[1] = { 3 }, many[1] = { 30000000 };
    struct features f = { .rows = 3200, .cols = 3202, .nnz = 4000 },
                    large = { .rows = 960000000, .cols = 960000000, .nnz = 2880000000 };
    struct problem q;
    struct storage *s;
    char why[ERRLEN] = "";

    for (int g = 0; g < GROUPS; g++)
        f.lengths[g] = (struct histogram){ 1, length, count };
    for (int g = 0; g < GROUPS; g++)
        large.lengths[g] = (struct histogram){ 1, three, many };
    expect("cusparse-sell", &f, "padding 32.8x (4000 nonzeros in 131200 slots, in slices of 32 rows), limit 10x");
    expect("cusparse-sell", &large,
           "2880000000 slots with padding exceed the 32-bit offset limit 2147483647; split the rows with spmv-plan");
    expect("cusparse-bsr:b=3", &f,
           "the 3200 x 3202 matrix cannot be divided into 3 x 3 blocks; cuSPARSE requires whole blocks");
    expect("cusparse-bsr:b=4", &f,
           "the 3200 x 3202 matrix cannot be divided into 4 x 4 blocks; cuSPARSE requires whole blocks");
    expect("cusparse-bsr", &large,
           "2880000000 nonzeros exceed the 32-bit offset limit 2147483647; split the rows with spmv-plan");
    expect("cusparse-coo", &large,
           "2880000000 nonzeros exceed the 32-bit offset limit 2147483647; split the rows with spmv-plan");
    problem_open(&q, &(struct shape){ "an entry a block", 400, 400, apart, false, false }, 0, "cusparse-bsr:b=4", F64);
    if (cusparse_bsr_layout.build(&q.view, &q.config, &q.target, &s, why) != FAIL
        || strcmp(why, "fill 16x (100 nonzeros in 100 blocks of 4 x 4), limit 10x") != 0)
        die("fill: '%s'", why);
    problem_close(&q);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "sell", test_sell }, { "bsr", test_bsr }, { "refusals", test_refusals } };
    return parts_main("cusparse", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
