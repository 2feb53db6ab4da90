/* SPDX-License-Identifier: BSD-3-Clause */
/* dia beyond formats.c: the position of each slot, rejected inputs and the numbers in their messages, -0 as fill. "dia
 * PART" prints "ok PART, N checks" or fails. */
#include "formats/dia/dia.h"
#include <inttypes.h>
#include "layout_cases.h"
#include "parts.h"
#include "products.h"

static long checks;

static struct dia_storage *build(const struct csr_view *a, enum precision p, const char *text)
{
    return (struct dia_storage *)storage_for("dia", a, NULL, text, p); /* nothing of it depends on features */
}

/* A matrix of 5 x 7 with the main, one lower and two upper diagonals, all with gaps; every slot is listed here. */
static void test_packing(void)
{
    int64_t row_ptr[] = { 0, 2, 4, 5, 7, 7 };
    int32_t col[] = { 0, 4, 1, 5, 0, 3, 6 };
    double val[] = { 1, 2, 3, 4, 5, 6, 7 };
    static const int32_t offset[] = { -2, 0, 3, 4 };
    static const double slot[4][5] = { { 0, 0, 5, 0, 0 }, { 1, 3, 0, 6, 0 }, { 0, 0, 0, 7, 0 }, { 2, 4, 0, 0, 0 } };
    const struct csr a = { 5, 7, 7, row_ptr, col, val };
    const struct csr_view view = csr_view_all(&a);

    for (enum precision p = F32; p <= F64; p++) {
        struct dia_storage *s = build(&view, p, "dia");

        if (s->n != 4 || s->stride != DIA_ALIGN || s->base.bytes != 4 * (DIA_ALIGN * precision_bytes(p) + 4))
            die("%" PRId64 " diagonals, stride %" PRId64 ", %" PRId64 " bytes", s->n, s->stride, s->base.bytes);
        for (int64_t d = 0; d < s->n; d++) {
            if (s->offset[d] != offset[d])
                die("offset %" PRId64 " is %d", d, s->offset[d]);
            for (int64_t i = 0; i < s->stride; i++) {
                const double found = real_at(p, s->val, d * s->stride + i), expected = i < 5 ? slot[d][i] : 0;
                if (memcmp(&found, &expected, sizeof found) != 0)
                    die("slot (%" PRId64 ", %" PRId64 ") is %g", d, i, found);
                checks++;
            }
        }
        storage_free(&s->base);
    }
}

/* Checks that each entry is in its slot and that all other slots are empty. */
static void rebuild(const char *name, const struct csr_view *a)
{
    struct dia_storage *s = build(a, F64, "dia:limit=1048576");
    int64_t full = 0, values = 0;

    for (int64_t d = 1; d < s->n; d++)
        if (s->offset[d] <= s->offset[d - 1])
            die("%s: offset %" PRId64 " does not ascend", name, d);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->begin[i], d = 0; k < a->end[i]; k++) {
            while (d < s->n && i + s->offset[d] != a->col[k])
                d++;
            if (d == s->n)
                die("%s: (%" PRId64 ", %d) is not on a stored diagonal", name, i, a->col[k]);
            if (memcmp(&((const double *)s->val)[d * s->stride + i], &a->val[k], sizeof a->val[k]) != 0)
                die("%s: (%" PRId64 ", %d) is lost", name, i, a->col[k]);
            values += fabs(a->val[k]) > 0;
        }
    for (int64_t at = 0; at < s->n * s->stride; at++)
        full += fabs(((const double *)s->val)[at]) > 0;
    if (full != values)
        die("%s: %" PRId64 " slots hold values, of %" PRId64, name, full, values);
    checks++;
    storage_free(&s->base);
}

static void test_rebuild(void)
{
    static const char *const recipes[] = { "stencil:points=5,n=90,seed=8", "stencil:points=27,n=20,seed=9",
                                           "banded:rows=3000,bandwidth=9,seed=7" };

    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        if ((shapes[i].rows + shapes[i].cols) * shapes[i].rows > 20000000)
            continue;
        shape_make(&shapes[i], &a);
        const struct csr_view whole = csr_view_all(&a), few = csr_view_rows(&a, a.rows / 3, a.rows / 2);
        rebuild(shapes[i].name, &whole);
        rebuild(shapes[i].name, &few);
        csr_free(&a);
    }
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        struct csr a;
        matrix_of_recipe(recipes[i], &a);
        const struct csr_view whole = csr_view_all(&a), few = csr_view_rows(&a, a.rows / 3, a.rows / 2);
        rebuild(recipes[i], &whole);
        rebuild(recipes[i], &few);
        csr_free(&a);
    }
}

static void refused(const struct features *f, const char *config, const char *words)
{
    const struct target t = target_of(F64, DEVICE_CPU);

    applicable_tells(config, f, &t, words);
    checks++;
}

/* Matrices are rejected by their features, or when built if the sampled features missed diagonals. */
static void test_refusals(void)
{
    const struct features many = { .rows = 100000, .cols = 100000, .nnz = 90000000, .diagonals = 1025 };
    const struct features thin = { .rows = 1000, .cols = 1000, .nnz = 1000, .diagonals = 41 };
    const struct features empty = { .rows = 1000, .cols = 1000 };
    const struct target t = target_of(F64, DEVICE_CPU);
    struct config c;
    struct storage *s;
    struct csr a;
    char why[ERRLEN] = "";

    refused(&many, "dia", "1025 nonempty diagonals exceed limit=1024");
    refused(&thin, "dia:limit=16", "41 nonempty diagonals exceed limit=16");
    refused(&thin, "dia", "padding 41x (41 diagonals of 1000 rows for 1000 nonzeros), limit 10x");
    refused(&empty, "dia", NULL); /* accepted */
    shape_make(&shapes[NSHAPES - 1], &a);
    const struct csr_view view = csr_view_all(&a);
    config_for("dia:limit=16", &empty, &t, &c);
    if (dia_layout.build(&view, &c, &t, &s, why) != FAIL || !strstr(why, "nonempty diagonals exceed limit=16"))
        die("build: '%s'", why);
    csr_free(&a);
    checks++;
}

/* An explicit -0 is fill: x is not multiplied by it. */
static void test_minus_zero(void)
{
    struct csr a;

    matrix_of_recipe("banded:rows=2000,bandwidth=3,seed=7", &a);
    const struct csr_view view = csr_view_all(&a);
    void *x = poisoned_x(F64, a.cols, 697, (double)INFINITY), *y = reals(F64, a.rows);
    a.val[a.row_ptr[700]] = -0.0; /* an entry in column 697 */
    struct dia_storage *s = build(&view, F64, "dia");
    dia_layout.spmv_host(&s->base, x, y, Y_SET);
    for (int64_t i = 0; i < a.rows; i++)
        if (isfinite(real_at(F64, y, i)) != (i < 694 || i > 699))
            die("row %" PRId64 " is %g", i, real_at(F64, y, i));
    storage_free(&s->base);
    reals_free(F64, a.cols, x);
    reals_free(F64, a.rows, y);
    csr_free(&a);
    checks++;
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "packing", test_packing },
                                         { "rebuild", test_rebuild },
                                         { "refusals", test_refusals },
                                         { "minus-zero", test_minus_zero } };
    return parts_main("dia", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
