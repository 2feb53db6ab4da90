/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares every layout and kernel on the CPU with csr_spmv_reference, on edge cases and ranges of rows, and with Inf
 * and NaN in x. "formats PART" prints "ok PART, N checks" or fails with the matrix, configuration and row. */
#include <inttypes.h>
#include "cpu.h"
#include "parts.h"

static void each_shape(bool thorough)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        shape_make(&shapes[i], &a);
        check_rows(shapes[i].name, &a, 0, a.rows,
                   thorough && shape_thorough(&shapes[i]) ? EXTENT_EXHAUSTIVE : EXTENT_DEFAULT);
        csr_free(&a);
    }
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
    const struct target t = target_of(q->p, true);
    struct config c;
    struct storage *s;
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    if (c.kernel->library || !first_met(q->met, &c) || c.kernel->layout->applicable(q->f, &c, &t, why) != 0)
        return;
    void *x = reals(q->p, q->a->cols), *y = reals(q->p, q->a->rows);
    for (int64_t j = 0; j < q->a->cols; j++)
        real_set(q->p, x, j, j == q->column ? q->value : 1.0);
    if (c.kernel->layout->build(q->a, &c, &t, &s, why) != 0)
        die("%s: %s", text, why);
    multiply(s, &c, x, y, Y_SET);
    for (int64_t i = 0; i < q->a->rows; i++) {
        bool refers = false, may = false; /* may: the entry is an explicit zero, which may count as fill */
        for (int64_t k = q->a->begin[i]; k < q->a->end[i]; k++) {
            refers = refers || q->a->col[k] == q->column;
            may = may || (config_has(&c, fact_fills) && q->a->col[k] == q->column && !(fabs(q->a->val[k]) > 0));
        }
        if (!may && refers == (isfinite(real_at(q->p, y, i)) != 0))
            die("%s: x[%" PRId64 "] = %g, row %" PRId64 " refers: %d, is %g", text, q->column, q->value, i, refers,
                real_at(q->p, y, i));
    }
    checks++;
    s->layout->free(s);
    reals_free(q->p, q->a->cols, x);
    reals_free(q->p, q->a->rows, y);
}

static void test_poison(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        struct features f;

        if (shapes[i].rows > 600 || shapes[i].cols == 0)
            continue;
        shape_make(&shapes[i], &a);
        const struct csr_view view = csr_view_all(&a);
        features_of(&a, &f);
        for (int side = 0; side < 4; side++) {
            static struct distinct met;
            struct poison q = {
                &view, &f, side & 1 ? a.cols - 1 : 0, side & 2 ? (double)INFINITY : (double)NAN, side & 1 ? F32 : F64,
                &met
            };
            met.n = 0;
            each_config(EXTENT_DEFAULT, check_poison, &q);
        }
        features_free(&f);
        csr_free(&a);
    }
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "shapes", test_shapes },
                                         { "shapes-default", test_shapes_default },
                                         { "views", test_views },
                                         { "poison", test_poison } };
    return parts_main("formats", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
