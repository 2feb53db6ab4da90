/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares every layout and kernel on the CPU with csr_spmv_reference, on edge cases and ranges of rows, and with Inf
 * and NaN in x, kernels of packed values with those of full ones, and the bytes forecast, counted, stated and allocated
 * with one another. "formats PART" prints "ok PART, N checks" or fails with the matrix, configuration and row; before
 * that, parts of whole matrices print hashes of the arrays of all layouts, which do not depend on the number of threads. */
#include "cpu.h"
#include "parts.h"

/* ---- edge cases ---- */
static void each_shape(bool thorough)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        shape_make(&shapes[i], &a);
        check_rows(shapes[i].name, &a, 0, a.rows,
                   thorough && shape_thorough(&shapes[i]) ? EXTENT_EXHAUSTIVE : EXTENT_DEFAULT);
        csr_free(&a);
    }
    printf("arrays of the default sweep %016" PRIx64 "\n", arrays_digest[EXTENT_DEFAULT]);
    if (thorough)
        printf("arrays of the exhaustive sweep %016" PRIx64 "\n", arrays_digest[EXTENT_EXHAUSTIVE]);
}

static void test_shapes(void) { each_shape(true); }
/* Leaves out the exhaustive sweep, since more threads than cores are slow on few rows. */
static void test_shapes_default(void) { each_shape(false); }

static void test_views(void)
{
    struct csr a;

    shape_make(&shapes[NSHAPES - 1], &a);
    check_rows("first rows", &a, 0, 100, EXTENT_DEFAULT);
    check_rows("inner rows", &a, 1023, 2049, EXTENT_DEFAULT);
    check_rows("last row", &a, a.rows - 1, a.rows, EXTENT_DEFAULT);
    check_rows("no rows of many", &a, 500, 500, EXTENT_DEFAULT);
    csr_free(&a);
}

/* ---- sums of integers ---- */
static int64_t few_long(int64_t i) { return i % 500 == 3 ? 900 : 1 + i % 3; }
static int64_t few(int64_t i) { return i % 6; }
/* Matrices in addition to the edge cases: many rows, some long; numbers of rows around twice a slice's. */
static const struct shape more_shapes[] = { { "a long row in 500", 30000, 2000, few_long, false, false },
                                            { "63 short rows", 63, 700, few, false, false },
                                            { "64 short rows", 64, 700, few, false, false },
                                            { "65 short rows", 65, 700, few, false, false },
                                            { "127 short rows", 127, 700, few, false, false },
                                            { "128 short rows", 128, 700, few, false, false },
                                            { "129 short rows", 129, 700, few, false, false },
                                            { "255 short rows", 255, 700, few, false, false },
                                            { "256 short rows", 256, 700, few, false, false },
                                            { "257 short rows", 257, 700, few, false, false },
                                            { "511 short rows", 511, 700, few, false, false },
                                            { "512 short rows", 512, 700, few, false, false },
                                            { "513 short rows", 513, 700, few, false, false },
                                            { "1023 short rows", 1023, 700, few, false, false },
                                            { "1024 short rows", 1024, 700, few, false, false },
                                            { "1025 short rows", 1025, 700, few, false, false } };
/* Matrices with dense blocks. */
static const char *const recipes[] = { "fem:n=5,d=3,seed=1", "fem:n=4,d=4,order=shuffled,seed=2",
                                       "lattice:x=3,y=3,z=3,t=3,seed=1", "rmat:scale=8,p=9,seed=5" };

/* Makes the values integers, at most 3, and tests the whole matrix and its inner rows. An entry that counts twice or
 * not at all changes a sum, however small its part in it. */
static void check_exactly(const char *name, struct csr *a)
{
    static const double value[] = { -3, -2, -1, 1, 2, 3 };
    char *inner = xasprintf("inner rows of %s", name);

    for (int64_t k = 0; k < a->nnz; k++)
        if (fabs(a->val[k]) > 0)
            a->val[k] = value[k % 6];
    check_rows_exactly(name, a, 0, a->rows, EXTENT_VARIANTS, true);
    check_rows_exactly(inner, a, a->rows / 3, a->rows - a->rows / 4, EXTENT_MAX, true);
    free(inner);
    csr_free(a);
}

static void test_exact_all(void)
{
    struct csr a;

    for (int i = 0; i < NSHAPES; i++) {
        shape_make(&shapes[i], &a);
        check_exactly(shapes[i].name, &a);
    }
    for (size_t i = 0; i < sizeof more_shapes / sizeof more_shapes[0]; i++) {
        shape_make(&more_shapes[i], &a);
        check_exactly(more_shapes[i].name, &a);
    }
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        matrix_of_recipe(recipes[i], &a);
        check_exactly(recipes[i], &a);
    }
    printf("arrays of variants %016" PRIx64 " %016" PRIx64 "\n", arrays_digest[EXTENT_VARIANTS],
           arrays_digest[EXTENT_MAX]);
}

static void test_exact(void)
{
    case_every = 29;
    test_exact_all();
}

/* ---- Inf and NaN in x ---- */
struct poison {
    const struct csr_view *a;
    const struct features *f;
    int64_t column;
    double value;
    enum precision p;
    struct distinct *met;
};

static void check_poison(const char *text, void *arg)
{
    const struct poison *q = arg;
    const struct target t = target_of(q->p, DEVICE_CPU);
    struct config c;
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    if (c.kernel->library || !config_first_met(q->met, &c) || kernel_applicable(q->f, &c, &t, why) != 0)
        return;
    struct storage *s = storage_build(text, q->a, &c, &t);
    void *x = poisoned_x(q->p, q->a->cols, q->column, q->value), *y = reals(q->p, q->a->rows);
    multiply(s, &c, x, y, Y_SET);
    poison_compare(q->a, text, "", q->p, x, y, config_has(&c, fact_fills));
    checks++;
    storage_free(s);
    reals_free(q->p, q->a->cols, x);
    reals_free(q->p, q->a->rows, y);
}

static void test_poison(void)
{
    static struct distinct met;

    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        struct features f;

        if (shapes[i].rows > 600 || shapes[i].cols == 0)
            continue;
        shape_make(&shapes[i], &a);
        const struct csr_view view = csr_view_all(&a);
        features_of(&a, &f);
        features_set_values(&f, a.val, F64, a.nnz);
        for (int side = 0; side < 4; side++) {
            struct poison q = {
                &view, &f, side & 1 ? a.cols - 1 : 0, side & 2 ? (double)INFINITY : (double)NAN, side & 1 ? F32 : F64,
                &met
            };
            met.n = 0;
            each_swept("default", DEVICE_CUDA, check_poison, &q);
            each_case(ON_CPU, check_poison, &q);
        }
        features_free(&f);
        csr_free(&a);
    }
}

/* ---- packed values ---- */
static void multiply_with(const char *text, const char *name, const struct csr *a, const struct features *f,
                          enum precision p, void *y)
{
    const struct target t = target_of(p, DEVICE_CPU);
    const struct csr_view view = csr_view_all(a);
    struct config c;

    config_for(text, f, &t, &c);
    struct storage *s = storage_build(name, &view, &c, &t);
    void *x = reals(p, a->cols);
    for (int64_t j = 0; j < a->cols; j++)
        real_set(p, x, j, csr_x(j));
    multiply(s, &c, x, y, Y_SET);
    reals_free(p, a->cols, x);
    storage_free(s);
}

/* Products with packed values have the bits of those with full values. */
static void check_packed(const struct shape *shape, const char *word, enum precision p)
{
    static const char *const kernels[][2] = { { "csr-packed", "csr-split" }, { "coo-packed", "coo" } };
    struct csr a;
    struct features f;

    shape_make(shape, &a);
    features_of(&a, &f);
    features_set_values(&f, a.val, F64, a.nnz);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        char *text = xasprintf("%s:value=%s", kernels[k][0], word);
        void *y = reals(p, a.rows), *expected = reals(p, a.rows);
        multiply_with(kernels[k][1], shape->name, &a, &f, p, expected);
        multiply_with(text, shape->name, &a, &f, p, y);
        if (memcmp(y, expected, (size_t)(a.rows * precision_bytes(p))) != 0)
            die("%s, %s, %s: the product differs from that of %s", shape->name, text, precision_name(p), kernels[k][1]);
        checks++;
        reals_free(p, a.rows, y);
        reals_free(p, a.rows, expected);
        free(text);
    }
    features_free(&f);
    csr_free(&a);
}

static void test_packed(void)
{
    static const struct {
        const char *shape, *word;
        bool f32;
    } cases[] = { { "one value", "const", true },  { "one value", "dict1", true },     { "two values", "dict1", true },
                  { "256 values", "dict8", true }, { "20000 values", "dict16", true }, { "4097 rows", "narrow", false },
                  { "no entries", "const", true } };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int i = 0; i < NSHAPES; i++)
            for (int p = cases[k].f32 ? F32 : F64; strcmp(shapes[i].name, cases[k].shape) == 0 && p <= F64; p++)
                check_packed(&shapes[i], cases[k].word, (enum precision)p);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "shapes", test_shapes },       { "shapes-default", test_shapes_default },
                                         { "views", test_views },         { "exact", test_exact },
                                         { "exact-all", test_exact_all }, { "poison", test_poison },
                                         { "packed", test_packed } };
    return parts_main("formats", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
