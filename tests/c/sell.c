/* SPDX-License-Identifier: BSD-3-Clause */
/* sell beyond formats.c: rebuilds matrices from their storage, checks order and narrow codes. "sell PART" prints "ok
 * PART, N checks" or fails with the matrix and configuration. */
#include "formats/sell/sell.h"
#include <inttypes.h>
#include "layout_cases.h"
#include "parts.h"

static long checks;

static struct sell_storage *build(const struct csr_view *a, const struct features *f, const char *text,
                                  enum precision p)
{
    return (struct sell_storage *)storage_for("sell", a, f, text, p);
}

/* ---- rebuilding the matrix ---- */
/* Returns the column of a slot as sell.h defines it; -1: padding. */
static int64_t column_at(const struct sell_storage *s, int64_t slot, int64_t step, int lane, int64_t row)
{
    if (s->col)
        return s->col[slot];
    const struct sell_step *d = s->step + step;
    const uint8_t *code = s->code + (int64_t)(d->at >> 3) * 32;
    uint32_t found = 1;

    if (d->base == SELL_NO_STEP)
        return -1;
    if ((d->at & 7) == 1)
        found = code[lane];
    if ((d->at & 7) == 2)
        found = (uint32_t)code[2 * lane] + 256 * (uint32_t)code[2 * lane + 1];
    if ((d->at & 7) == 3)
        memcpy(&found, code + 4 * lane, 4);
    return found ? row + d->base + found : -1;
}

static void check_order(const struct sell_storage *s, const struct csr *a, int64_t sigma, const char *what)
{
    bool *seen = xcalloc((unsigned long)a->rows + 1, sizeof *seen);

    if ((sigma > 1) != (s->perm != NULL))
        die("%s: a permutation without need, or a missing one", what);
    for (int64_t i = 0; s->perm && i < a->rows; i++) {
        const int64_t row = s->perm[i], before = i % sigma ? s->perm[i - 1] : -1;

        if (row < 0 || row >= a->rows || seen[row] || row / sigma != i / sigma)
            die("%s: place %" PRId64 " has row %" PRId64, what, i, row);
        seen[row] = true;
        if (before < 0)
            continue;
        const int64_t length = a->row_ptr[row + 1] - a->row_ptr[row],
                      length_before = a->row_ptr[before + 1] - a->row_ptr[before];
        if (length > length_before || (length == length_before && row < before))
            die("%s: row %" PRId64 " follows row %" PRId64, what, row, before);
    }
    free(seen);
}

static void check_matrix(const struct sell_storage *s, const struct csr *a, const char *what)
{
    const int64_t in_slice = s->c / 32;

    if (s->off[0] != 0)
        die("%s: offsets begin at %d", what, s->off[0]);
    for (int64_t slice = 0; slice < s->slices; slice++) {
        const int64_t width = s->off[slice + 1] - s->off[slice], height = sell_height(a->rows, s->c, slice);
        int64_t longest = 0;

        for (int64_t i = 0; i < height; i++) {
            const int64_t place = slice * s->c + i, row = place >= a->rows ? -1 : s->perm ? s->perm[place] : place;
            const int64_t begin = row < 0 ? 0 : a->row_ptr[row], length = row < 0 ? 0 : a->row_ptr[row + 1] - begin;

            if (length > longest)
                longest = length;
            for (int64_t j = 0; j < width; j++) {
                const int64_t slot = (int64_t)s->off[slice] * s->c + j * height + i,
                              step = s->off[slice] * in_slice + i / 32 * width + j;
                const int64_t col = column_at(s, slot, step, (int)(i % 32), row);
                const double val = real_at(s->base.target.precision, s->val, slot);

                if (slot >= s->slots || step >= s->slots / 32)
                    die("%s: slot %" PRId64 " is beyond the end", what, slot);
                if (col != (j < length ? a->col[begin + j] : -1) || val != (j < length ? a->val[begin + j] : 0.0))
                    die("%s: entry %" PRId64 " of row %" PRId64 " is (%" PRId64 ", %.17g)", what, j, row, col, val);
            }
        }
        if (width != longest)
            die("%s: slice %" PRId64 " has %" PRId64 " steps, its longest row %" PRId64, what, slice, width, longest);
    }
    checks++;
}

static const struct {
    const char *text;
    int64_t sigma;
} configs[] = { { "sell", 1 },
                { "sell:index=narrow", 1 },
                { "sell:sigma=2", 2 },
                { "sell:sigma=16", 16 },
                { "sell:sigma=100,index=narrow", 100 },
                { "sell:c=64", 1 },
                { "sell:c=128,sigma=1000", 1000 },
                { "sell:c=512,sigma=2048,index=narrow", 2048 },
                { "sell:c=1024,index=narrow", 1 },
                { "sell:sigma=2147483647", INT32_MAX },
                { "sell:c=256,sigma=50000", 50000 } };

static void test_arrays(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        struct features f;

        shape_make(&shapes[i], &a);
        features_of(&a, &f);
        const struct csr_view view = csr_view_all(&a);
        for (size_t k = 0; k < sizeof configs / sizeof configs[0]; k++) {
            char *what = xasprintf("%s, %s", shapes[i].name, configs[k].text);
            struct sell_storage *s = build(&view, &f, configs[k].text, F64);

            check_order(s, &a, configs[k].sigma, what);
            check_matrix(s, &a, what);
            storage_free(&s->base);
            free(what);
        }
        features_free(&f);
        csr_free(&a);
    }
}

/* ---- packed values ---- */
/* Products with packed values have the bits of those with full values; a dictionary has each value once. */
static void check_packed(const struct shape *shape, const char *word, int64_t entries, enum precision p)
{
    struct csr a;
    struct features f;

    shape_make(shape, &a);
    features_of(&a, &f);
    features_set_values(&f, a.val, F64, a.nnz);
    const struct csr_view view = csr_view_all(&a);
    char *text = xasprintf("sell:sigma=7,index=narrow,value=%s", word);
    struct sell_storage *full = build(&view, &f, "sell:sigma=7,index=narrow", p), *s = build(&view, &f, text, p);
    void *x = reals(p, a.cols), *y = reals(p, a.rows), *expected = reals(p, a.rows);

    for (int64_t j = 0; j < a.cols; j++)
        real_set(p, x, j, csr_x(j));
    sell_layout.spmv_host(&full->base, x, expected, Y_SET);
    sell_layout.spmv_host(&s->base, x, y, Y_SET);
    if (memcmp(y, expected, (size_t)(a.rows * precision_bytes(p))) != 0)
        die("%s, %s, %s: the product differs", shape->name, text, precision_name(p));
    if (s->entries != entries
        || full->base.bytes - s->base.bytes
               != values_bytes(AS_FULL, p, s->slots) - values_bytes(s->as, p, s->slots) - entries * precision_bytes(p))
        die("%s, %s, %s: %" PRId64 " values, %" PRId64 " bytes", shape->name, text, precision_name(p), s->entries,
            s->base.bytes);
    reals_free(p, a.cols, x);
    reals_free(p, a.rows, y);
    reals_free(p, a.rows, expected);
    storage_free(&full->base);
    storage_free(&s->base);
    free(text);
    features_free(&f);
    csr_free(&a);
    checks++;
}

/* A build refuses values that the features wrongly promise. */
static void test_not_narrow(void)
{
    const double inexact = 0.1;
    struct csr a;
    struct features f;
    struct storage *s;
    struct config c;
    char why[ERRLEN] = "";
    const struct target t = target_of(F64, DEVICE_CPU);

    matrix_of_recipe("dense:rows=40,cols=3", &a);
    a.val[77] = inexact;
    features_of(&a, &f);
    const struct csr_view view = csr_view_all(&a);
    config_for("sell:index=narrow,value=narrow", &f, &t, &c);
    if (sell_layout.build(&view, &c, &t, &s, why) != FAIL
        || strcmp(why, "not all values are exactly f32; use value=full") != 0)
        die("a value that is not an f32: '%s'", why);
    config_for("sell:index=narrow,value=dict1", &f, &t, &c);
    if (sell_layout.build(&view, &c, &t, &s, why) != FAIL
        || strcmp(why, "the values do not fit a dictionary of 2; use another value=") != 0)
        die("120 values: '%s'", why);
    features_free(&f);
    csr_free(&a);
    checks++;
}

static void test_values(void)
{
    static const struct {
        const char *shape, *word;
        int64_t entries;
        enum precision p;
    } cases[] = { { "one value", "const", 1, F64 },         { "one value", "dict1", 2, F64 },
                  { "one value", "narrow", 0, F64 },        { "no entries", "const", 1, F32 },
                  { "two values", "dict1", 2, F32 },        { "two values", "dict1", 2, F64 },
                  { "256 values", "dict8", 256, F32 },      { "256 values", "dict8", 256, F64 },
                  { "256 values", "dict16", 256, F64 },     { "20000 values", "dict16", 20000, F64 },
                  { "20000 values", "dict16", 20000, F32 }, { "4097 rows", "narrow", 0, F64 } };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int i = 0; i < NSHAPES; i++)
            if (strcmp(shapes[i].name, cases[k].shape) == 0)
                check_packed(&shapes[i], cases[k].word, cases[k].entries, cases[k].p);
    test_not_narrow();
}

/* ---- values computed by hand ---- */
/* Makes a matrix with rows of these lengths; the columns of row i are consecutive from first[i]. */
static void matrix_of(const int *length, const int *first, int64_t rows, int64_t cols, struct csr *a)
{
    int64_t nnz = 0;
    char why[ERRLEN];

    for (int64_t i = 0; i < rows; i++)
        nnz += length[i];
    if (csr_alloc(a, rows, cols, nnz, why) != 0)
        die("%s", why);
    a->row_ptr[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        a->row_ptr[i + 1] = a->row_ptr[i] + length[i];
        for (int e = 0; e < length[i]; e++) {
            a->col[a->row_ptr[i] + e] = first[i] + e;
            a->val[a->row_ptr[i] + e] = 1 + (double)i + 0.25 * e;
        }
    }
    if (csr_check(a, why) != 0)
        die("%s", why);
}

static struct sell_storage *build_all(const struct csr *a, const char *text)
{
    const struct csr_view view = csr_view_all(a);
    struct features f;
    struct sell_storage *s;

    features_of(a, &f);
    s = build(&view, &f, text, F64);
    features_free(&f);
    return s;
}

/* In a tridiagonal matrix the codes of the first strip take a byte, since row 0 starts at another diagonal and is
 * padded; those of the last strip take one only in the step that its last row does not reach; all others take none. */
static void test_tridiagonal(void)
{
    enum { ROWS = 96 };
    static const struct {
        int32_t base;
        uint32_t at;
    } steps[] = { { -2, 0 << 3 | 1 }, { -1, 1 << 3 | 1 }, { 0, 2 << 3 | 1 }, { -2, 3 << 3 },   { -1, 3 << 3 },
                  { 0, 3 << 3 },      { -2, 3 << 3 },     { -1, 3 << 3 },    { 0, 3 << 3 | 1 } };
    int length[ROWS], first[ROWS];
    struct csr a;

    for (int i = 0; i < ROWS; i++) {
        length[i] = i == 0 || i == ROWS - 1 ? 2 : 3;
        first[i] = i > 0 ? i - 1 : 0;
    }
    matrix_of(length, first, ROWS, ROWS, &a);
    struct sell_storage *s = build_all(&a, "sell:index=narrow");
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++)
        if (s->step[k].base != steps[k].base || s->step[k].at != steps[k].at)
            die("tridiagonal: step %zu is (%d, %u)", k, s->step[k].base, s->step[k].at);
    if (s->units != 4 || s->slots != 3 * ROWS || s->base.bytes != 8 * 3 * ROWS + 8 * 9 + 5 * 32 + 4 * 4)
        die("tridiagonal: %" PRId64 " bytes", s->base.bytes);
    for (int i = 0; i < 32; i++)
        if (s->code[i] != (i ? 1 : 2) || s->code[64 + i] != (i > 0) || s->code[96 + i] != (i < 31))
            die("tridiagonal: codes of row %d", i);
    storage_free(&s->base);
    csr_free(&a);
    checks++;
}

/* Codes have the smallest number of bytes: tests the largest code for each number and the next larger code. */
static void test_widths(void)
{
    static const struct {
        int range, rows;
        uint32_t log;
    } cases[] = { { 0, 32, 0 },   { 0, 31, 1 },     { 1, 32, 1 },     { 254, 32, 1 },
                  { 255, 32, 2 }, { 65534, 32, 2 }, { 65535, 32, 3 }, { 2000000000, 32, 3 } };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int length[32], first[32];
        struct csr a;

        for (int i = 0; i < 32; i++) {
            length[i] = 1;
            first[i] = i == 5 ? i + cases[k].range : i;
        }
        matrix_of(length, first, cases[k].rows, INT32_MAX, &a);
        struct sell_storage *s = build_all(&a, "sell:index=narrow");
        if (s->step[0].at != cases[k].log || s->step[0].base != -1 || s->units != (1 << cases[k].log) / 2)
            die("range %d of %d rows: step (%d, %u), %" PRId64 " units", cases[k].range, cases[k].rows, s->step[0].base,
                s->step[0].at, s->units);
        check_matrix(s, &a, "widths");
        storage_free(&s->base);
        csr_free(&a);
    }
}

/* Tests the largest distances of a column from its row: the last row to column 0, row 0 to the last column. */
static void test_far(void)
{
    static const int32_t perm[] = { 2, 0, 3, 1, 5, 6, 4, 7, 8 };
    int length[9] = { 2, 1, 3, 2, 1, 3, 3, 0, 2 }, first[9] = { 0, 0, INT32_MAX - 3, 5, 7, 0, INT32_MAX - 3, 0, 1 };
    struct csr a;

    matrix_of(length, first, 9, INT32_MAX, &a);
    struct sell_storage *s = build_all(&a, "sell:sigma=4,index=narrow");
    for (int i = 0; i < 9; i++)
        if (s->perm[i] != perm[i])
            die("order: place %d has row %d, not %d", i, s->perm[i], perm[i]);
    check_matrix(s, &a, "far");
    storage_free(&s->base);
    csr_free(&a);
}

static void test_hand(void)
{
    test_tridiagonal();
    test_widths();
    test_far();
}

/* ---- rejected inputs ---- */
static void refused(const char *text, const char *words)
{
    struct config c;
    char why[ERRLEN] = "taken";

    if (config_parse(text, &c, why) == 0 || !strstr(why, words))
        die("%s: '%s' has no '%s'", text, why, words);
    checks++;
}

static void expect(const char *text, const struct features *f, const char *words)
{
    const struct target t = target_of(F32, DEVICE_CUDA);

    applicable_tells(text, f, &t, words);
    checks++;
}

static void test_refusals(void)
{
    static int64_t value[] = { 1, 2000 }, count[] = { 6399, 1 }, groups[] = { 199, 1 };
    struct features f = { .rows = 6400, .cols = 6400, .nnz = 8399, .row_max = 2000 };
    static int64_t many_value[] = { 10 }, many_count[] = { 2000000000 }, many_groups[] = { 62500000 };
    struct features many = { .rows = 2000000000, .cols = 2000000000, .nnz = 20000000000, .row_max = 10 };
    /* one of 32 rows has 10 entries, the others have 1 */
    static int64_t sparse_value[] = { 1, 10 }, sparse_count[] = { 484375000, 15625000 },
                   sparse_groups[] = { 0, 15625000 };
    struct features sparse = { .rows = 500000000, .cols = 500000000, .nnz = 640625000, .row_max = 10 };

    for (int g = 0; g < GROUPS; g++) {
        f.lengths[g] = (struct histogram){ 2, value, g == GROUPS - 1 ? groups : count };
        many.lengths[g] = (struct histogram){ 1, many_value, g == GROUPS - 1 ? many_groups : many_count };
        sparse.lengths[g] = g == GROUPS - 1 ? (struct histogram){ 1, sparse_value + 1, sparse_groups + 1 }
                                            : (struct histogram){ 2, sparse_value, sparse_count };
    }
    refused("sell:c=33", "32|64|128|256|512|1024");
    refused("sell:index=16", "32|narrow");
    refused("sell:sigma=0", "1..2147483647");
    refused("sell:lanes=3", "1|2|4|8|16|32");
    expect("sell:index=narrow,value=dict8", &f,
           "value=dict8 needs values that stay: a pattern has none, and the option updates excludes it");
    f.values_f32 = 257;
    f.values_narrow = 1;
    expect("sell:value=dict8", &f, "value=dict8 is stored with index=narrow only");
    expect("sell:index=narrow,value=dict8", &f, "the values do not fit a dictionary of 256; use another value=");
    expect("sell:index=narrow,value=const", &f, "the values do not fit a dictionary of 1;");
    expect("sell:index=narrow,value=narrow", &f, "value=narrow stores f64 as f32");
    f.values_f32 = 256;
    expect("sell:index=narrow,value=dict8", &f, NULL);
    expect("sell", &f, NULL);
    expect("sell:c=64", &f, "padding 15.9");
    expect("sell:c=1024", &f,
           "x (6400 rows of mean length 1.312 and maximum length 2000, slices of 1024 rows), limit 10x");
    expect("sell", &many,
           "20000000000 nonzeros exceed the 32-bit offset limit 2147483647; split the rows with spmv-plan");
    expect("sell", &sparse, NULL);
    expect(
        "sell:index=narrow", &sparse,
        "5000000000 slots with padding exceed the index=narrow limit 4294967264; use index=32 or split the rows with spmv-plan");
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {
        { "arrays", test_arrays }, { "values", test_values }, { "hand", test_hand }, { "refusals", test_refusals }
    };
    return parts_main("sell", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
