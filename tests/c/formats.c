/* SPDX-License-Identifier: BSD-3-Clause */
/* Every layout and kernel of the tables on the CPU, against csr_spmv_reference. "formats PART" runs one part of the tests and
 * prints "ok PART, N checks" or dies naming the matrix, configuration and row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/csr/csr.h"
#include "formats/ell/ell.h"
#include "formats/hyb/hyb.h"
#include "formats/parts.h"
#include "facts.h"
#include "shapes.h"

static long checks;

/* ------------------------------------------------------------------------------------------------- configurations */
/* Beside the exhaustive CPU sweep: heads and tails that the rule for k does not give. */
static const char *const more[] = {
    "hyb:k=0", "hyb:k=1", "hyb:k=3", "hyb:k=2147483647", "hyb:k=2,tail=csr-vector,tail.lanes=32", "hyb:k=2,tail=csr-block",
    "hyb:k=2,head=csr-scalar,tail=ell", "hyb:k=4,head=coo,tail=coo,tail.sum=atomic", "hyb:k=0,head=coo,tail=csr-scalar",
    "sell:sigma=7", "sell:sigma=64,index=narrow", "sell:c=64,sigma=4000", "sell:c=512,sigma=100,index=narrow", "sell:c=128,sigma=2147483647,index=narrow",
    "hyb:k=2,head=sell,tail=sell", "hyb:k=2,head=bro,tail=jad", NULL
};

static struct target target_of(enum precision p, bool cpu)
{
    struct target t = { .precision = p };
    const struct geometry *h200 = geometry_find("h200");

    if (!h200) bug("no h200 in the table of devices");
    t.device = *h200;
    t.device.cpu = cpu;
    return t;
}

static void config_for(const char *text, const struct features *f, const struct target *t, struct config *c)
{
    struct config asked;
    char why[ERRLEN];

    if (config_parse(text, &asked, why) != 0) die("%s", why);
    if (config_resolve(&asked, f, t, c, why) != 0) die("%s", why);
}

static void each_config(void (*take)(const char *text, void *arg), void *arg)
{
    const char *const *list = config_sweep("exhaustive", true);

    for (int i = 0; list[i]; i++) take(list[i], arg);
    for (int i = 0; more[i]; i++) take(more[i], arg);
}

static void multiply(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    if (c->kernel->spmv_cpu) c->kernel->spmv_cpu(s, c, x, y, mode);
    else s->layout->spmv_host(s, x, y, mode);
}

/* ------------------------------------------------------------------------------------------------- results */
struct problem {
    const char *name;
    const struct csr_view *a;
    const struct features *f;
    const double *x, *ref;      /* reference of the view's rows */
    enum precision p;
    long built;
};

static double row_bound(const struct problem *q, int64_t i, double y0)
{
    const double u = q->p == F32 ? 0x1p-24 : 0x1p-53;
    double sum = 0;

    for (int64_t k = q->a->begin[i]; k < q->a->end[i]; k++) sum += fabs(q->a->val[k] * q->x[q->a->col[k]]);
    return (double)(q->a->end[i] - q->a->begin[i] + 8) * u * (sum + fabs(y0));
}

static void compare(const struct problem *q, const char *config, const void *y, enum y_mode mode)
{
    for (int64_t i = 0; i < q->a->rows; i++) {
        const double y0 = mode == Y_ADD ? csr_x(i + 777) : 0.0, found = real_at(q->p, y, i), expected = q->ref[i] + y0;

        if (!(fabs(found - expected) <= row_bound(q, i, y0)))
            die("%s, %s, %s, %s: row %lld is %.17g, not %.17g", q->name, config, precision_name(q->p), mode == Y_ADD ? "add" : "set",
                (long long)i, found, expected);
    }
    checks++;
}

static void y_start(const struct problem *q, void *y, enum y_mode mode)
{
    for (int64_t i = 0; i < q->a->rows; i++) real_set(q->p, y, i, mode == Y_ADD ? csr_x(i + 777) : (double)NAN);
}

static void run_both(const struct problem *q, const struct storage *s, const struct config *c, const char *text)
{
    const size_t bytes = (size_t)(q->a->rows * precision_bytes(q->p));
    void *x = reals(q->p, q->a->cols), *y = reals(q->p, q->a->rows), *again = reals(q->p, q->a->rows);

    for (int64_t j = 0; j < q->a->cols; j++) real_set(q->p, x, j, q->x[j]);
    for (enum y_mode mode = Y_SET; mode <= Y_ADD; mode++) {
        y_start(q, y, mode);
        multiply(s, c, x, y, mode);
        compare(q, text, y, mode);
        y_start(q, again, mode);
        multiply(s, c, x, again, mode);
        if (kernel_deterministic(c) && memcmp(y, again, bytes) != 0) die("%s, %s: two runs differ", q->name, text);
        y_start(q, y, mode);
        s->layout->spmv_host(s, x, y, mode);
        compare(q, text, y, mode);
    }
    reals_free(q->p, q->a->cols, x);
    reals_free(q->p, q->a->rows, y);
    reals_free(q->p, q->a->rows, again);
}

static void check_facts(const struct problem *q, const struct storage *s, const struct config *c, const struct target *t, const char *text)
{
    struct traffic traffic;

    if (s->layout != c->kernel->layout || s->rows != q->a->rows || s->cols != q->a->cols || s->nnz != q->f->nnz)
        die("%s, %s: storage is not of this matrix", q->name, text);
    if (s->layout->traffic(q->f, c, t, &traffic) != 0) die("%s, %s: no traffic", q->name, text);
    if (s->layout->count && s->layout->count(q->a, q->f, c, t, &traffic) != 0) die("%s, %s: no count", q->name, text);
    if (traffic_storage(&traffic) != s->bytes)
        die("%s, %s: %lld bytes forecast, %lld built", q->name, text, (long long)traffic_storage(&traffic), (long long)s->bytes);
    if (traffic.flops != 2 * q->f->nnz) die("%s, %s: flops", q->name, text);
    if (traffic.values + traffic.indices - traffic.padding < q->f->nnz * precision_bytes(q->p))
        die("%s, %s: padding counts entries", q->name, text);
}

static void check_config(const char *text, void *arg)
{
    struct problem *q = arg;
    const struct target t = target_of(q->p, true), gpu = target_of(q->p, false);
    struct config c, on_gpu;
    struct storage *s;
    struct grid g;
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    config_for(text, q->f, &gpu, &on_gpu);
    if (c.kernel->layout->applicable(q->f, &c, &t, why) != 0) return;
    if (on_gpu.kernel->grid(q->f, &on_gpu, &gpu, &g) != 0 || g.blocks < 1 || g.threads < 32) die("%s, %s: grid", q->name, text);
    if (c.kernel->layout->build(q->a, &c, &t, &s, why) != 0) die("%s, %s: %s", q->name, text, why);
    check_facts(q, s, &c, &t, text);
    run_both(q, s, &c, text);
    s->layout->free(s);
    q->built++;
}

/* Rows first <= i < end of a matrix, in both precisions, by every configuration. */
static void check_rows(const char *name, const struct csr *a, int64_t first, int64_t end)
{
    const struct csr_view view = csr_view_rows(a, first, end);
    struct features f;
    double *x = xmalloc((unsigned long)(a->cols + 1) * sizeof *x), *ref = xmalloc((unsigned long)(a->rows + 1) * sizeof *ref);

    features_of_view(&view, &f);
    for (int64_t j = 0; j < a->cols; j++) x[j] = csr_x(j);
    csr_spmv_reference(a, x, ref);
    for (enum precision p = F32; p <= F64; p++) {
        struct problem q = { name, &view, &f, x, ref + first, p, 0 };
        each_config(check_config, &q);
        if (q.built < 20) die("%s: only %ld configurations apply", name, q.built);
    }
    features_free(&f);
    free(x);
    free(ref);
}

static void test_shapes(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        shape_make(&shapes[i], &a);
        check_rows(shapes[i].name, &a, 0, a.rows);
        csr_free(&a);
    }
}

static void test_views(void)
{
    struct csr a;

    shape_make(&shapes[NSHAPES - 1], &a);
    check_rows("first rows", &a, 0, 100);
    check_rows("inner rows", &a, 1023, 2049);
    check_rows("last row", &a, a.rows - 1, a.rows);
    check_rows("no rows of many", &a, 500, 500);
    csr_free(&a);
}

/* ------------------------------------------------------------------------------------------------- Inf and NaN in x */
struct poison { const struct csr_view *a; const struct features *f; int64_t column; double value; enum precision p; };

static void check_poison(const char *text, void *arg)
{
    const struct poison *q = arg;
    const struct target t = target_of(q->p, true);
    struct config c;
    struct storage *s;
    void *x = reals(q->p, q->a->cols), *y = reals(q->p, q->a->rows);
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    for (int64_t j = 0; j < q->a->cols; j++) real_set(q->p, x, j, j == q->column ? q->value : 1.0);
    if (c.kernel->layout->applicable(q->f, &c, &t, why) == 0) {
        if (c.kernel->layout->build(q->a, &c, &t, &s, why) != 0) die("%s: %s", text, why);
        multiply(s, &c, x, y, Y_SET);
        for (int64_t i = 0; i < q->a->rows; i++) {
            bool refers = false, may = false;   /* an explicit zero may count as fill */
            for (int64_t k = q->a->begin[i]; k < q->a->end[i]; k++) {
                refers = refers || q->a->col[k] == q->column;
                may = may || (config_has(&c, fact_fills) && q->a->col[k] == q->column && !(fabs(q->a->val[k]) > 0));
            }
            if (!may && refers == (isfinite(real_at(q->p, y, i)) != 0))
                die("%s: x[%lld] = %g, row %lld refers: %d, is %g", text, (long long)q->column, q->value, (long long)i, refers, real_at(q->p, y, i));
        }
        checks++;
        s->layout->free(s);
    }
    reals_free(q->p, q->a->cols, x);
    reals_free(q->p, q->a->rows, y);
}

static void test_poison(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        struct features f;

        if (shapes[i].rows > 600 || shapes[i].cols == 0) continue;
        shape_make(&shapes[i], &a);
        const struct csr_view view = csr_view_all(&a);
        features_of(&a, &f);
        for (int side = 0; side < 4; side++) {
            struct poison q = { &view, &f, side & 1 ? a.cols - 1 : 0, side & 2 ? (double)INFINITY : (double)NAN, side & 1 ? F32 : F64 };
            each_config(check_poison, &q);
        }
        features_free(&f);
        csr_free(&a);
    }
}

/* ------------------------------------------------------------------------------------------------- facts and refusals */
static void expect(const char *config, const struct features *f, const char *words)
{
    const struct target t = target_of(F32, false);
    struct config c;
    char why[ERRLEN] = "applicable";

    config_for(config, f, &t, &c);
    if (c.kernel->layout->applicable(f, &c, &t, why) == 0 || !strstr(why, words)) die("%s: '%s' has no '%s'", config, why, words);
    checks++;
}

static void test_refusals(void)
{
    int64_t length[1] = { 3 }, count[1] = { 1000000000 };
    struct features f = { .rows = 1000000000, .cols = 1000000000, .nnz = 3000000000, .row_min = 3, .row_max = 3, .row_mean = 3, .hyb_k = 3 };
    struct features padded = { .rows = 1000, .cols = 1000, .nnz = 1000, .row_max = 41 };

    for (int g = 0; g < GROUPS; g++) f.lengths[g] = (struct histogram){ 1, length, count };
    expect("csr-scalar", &f, "3000000000 nonzeros, 32-bit offsets hold 2147483647: split the rows (spmv-plan)");
    expect("coo", &f, "3000000000 nonzeros");
    expect("ell", &f, "3000000000 slots with padding");
    expect("hyb", &f, "head (ell): 3000000000 slots");
    expect("hyb:k=0,tail=csr-vector", &f, "tail (csr-vector): 3000000000 nonzeros");
    expect("ell", &padded, "padding 41x (1000 rows of mean 1 padded to 41), limit 10x");
}

static void test_overflow(void)
{
    struct csr a;
    struct features f;

    shape_make(&shapes[NSHAPES - 1], &a);
    a.val[a.row_ptr[2000]] = -1e300;
    features_of(&a, &f);
    const struct csr_view view = csr_view_all(&a);
    for (enum precision p = F32; p <= F64; p++)
        for (int i = 0; layout_at(i); i++) {
            const struct target t = target_of(p, true);
            const struct kernel *k = NULL;
            struct config c;
            struct storage *s;
            char why[ERRLEN] = "";

            for (int j = 0; kernel_at(j) && !k; j++)
                if (kernel_at(j)->layout == layout_at(i)) k = kernel_at(j);
            config_for(k->name, &f, &t, &c);
            if (layout_at(i)->fills && layout_at(i)->applicable(&f, &c, &t, why) != 0) continue;    /* its own test has a matrix for it */
            const int rc = layout_at(i)->build(&view, &c, &t, &s, why);
            if ((rc == FAIL) != (p == F32)) die("%s, %s: build returns %d", k->name, precision_name(p), rc);
            if (rc != 0 && !strstr(why, "row 2000 (from 0) holds a value beyond f32")) die("%s: %s", k->name, why);
            if (rc == 0) layout_at(i)->free(s);
            checks++;
        }
    features_free(&f);
    csr_free(&a);
}

/* ------------------------------------------------------------------------------------------------- parts and arrays */
static void same_histogram(const struct histogram *a, const struct histogram *b, const char *what)
{
    bool same = a->n == b->n;

    for (int i = 0; same && i < a->n; i++) same = a->value[i] == b->value[i] && a->count[i] == b->count[i];
    if (!same) die("%s: the part's histogram is not that of its view", what);
    checks++;
}

static void check_part(const struct csr *a, const struct features *f, int64_t k)
{
    const struct target t = target_of(F64, true);
    struct csr_view view[2] = { csr_view_all(a), csr_view_all(a) };
    int64_t *cut = xmalloc((unsigned long)(a->rows + 1) * sizeof *cut);
    struct config c, part;
    struct features pf, vf;
    char text[64];

    for (int64_t i = 0; i < a->rows; i++) cut[i] = a->row_ptr[i] + k < a->row_ptr[i + 1] ? a->row_ptr[i] + k : a->row_ptr[i + 1];
    view[0].end = view[1].begin = cut;
    snprintf(text, sizeof text, "hyb:k=%lld,tail=csr-vector", (long long)k);
    config_for(text, f, &t, &c);
    for (int p = 0; p < 2; p++) {
        if (c.kernel->layout->part(f, &c, p, &part, &pf) != 0) die("%s: no part %d", text, p);
        features_of_view(&view[p], &vf);
        if (pf.nnz != vf.nnz || pf.row_max != vf.row_max || pf.row_empty != vf.row_empty || pf.row_mode != vf.row_mode)
            die("%s: features of %s are not those of its view", text, parts_name(c.kernel->layout, p));
        for (int g = 0; g < GROUPS; g++) same_histogram(&pf.lengths[g], &vf.lengths[g], text);
        features_free(&pf);
        features_free(&vf);
    }
    if (c.kernel->layout->part(f, &c, 2, &part, &pf) != FAIL) die("%s: a third part", text);
    free(cut);
}

static void test_parts(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        struct features f;

        shape_make(&shapes[i], &a);
        features_of(&a, &f);
        for (int64_t k = 0; k < 6; k += 2) check_part(&a, &f, k);
        features_free(&f);
        csr_free(&a);
    }
}

static void aligned(const void *p, const char *what)
{
    if ((uintptr_t)p % 256 != 0) die("%s is not 256-byte aligned", what);
    checks++;
}

/* What the device copies: offsets, sentinels, parts left out. */
static void test_arrays(void)
{
    const struct target t = target_of(F32, true);
    struct csr a;
    struct features f;
    struct config c;
    struct storage *s;
    char why[ERRLEN];

    shape_make(&shapes[NSHAPES - 1], &a);
    features_of(&a, &f);
    const struct csr_view all_rows = csr_view_all(&a), few = csr_view_rows(&a, 1, 34);
    config_for("csr-scalar", &f, &t, &c);
    if (c.kernel->layout->build(&all_rows, &c, &t, &s, why) != 0) die("%s", why);
    const struct csr_storage *csr = (const struct csr_storage *)s;
    for (int64_t i = 0; i <= a.rows; i++)
        if (csr->row_ptr[i] != a.row_ptr[i]) die("csr: offset %lld", (long long)i);
    if (csr->row_max != f.row_max) die("csr: row_max");
    aligned(csr->row_ptr, "csr's row_ptr");
    aligned(csr->col, "csr's col");
    aligned(csr->val, "csr's val");
    s->layout->free(s);

    config_for("ell", &f, &t, &c);
    if (c.kernel->layout->build(&few, &c, &t, &s, why) != 0) die("%s", why);
    const struct ell_storage *ell = (const struct ell_storage *)s;
    if (ell->height != 64) die("ell: height %lld", (long long)ell->height);
    for (int64_t e = 0; e < ell->width; e++)
        for (int64_t i = 0; i < ell->height; i++) {
            const bool entry = i < few.rows && e < few.end[i] - few.begin[i];
            if (ell->col[e * ell->height + i] != (entry ? a.col[few.begin[i] + e] : -1)) die("ell: column of (%lld, %lld)", (long long)i, (long long)e);
        }
    aligned(ell->col, "ell's col");
    aligned(ell->val, "ell's val");
    s->layout->free(s);

    config_for("hyb:k=1000", &f, &t, &c);
    if (c.kernel->layout->build(&all_rows, &c, &t, &s, why) != 0) die("%s", why);
    const struct parts *parts = (const struct parts *)s;
    if (parts->n != 2 || !parts->part[0].storage || parts->part[1].storage) die("hyb: an empty tail has a storage");
    s->layout->free(s);
    features_free(&f);
    csr_free(&a);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } tests[] = {
        { "shapes", test_shapes }, { "views", test_views }, { "poison", test_poison }, { "refusals", test_refusals },
        { "overflow", test_overflow }, { "parts", test_parts }, { "arrays", test_arrays }
    };

    error_program("formats");
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
            tests[i].run();
            printf("ok %s, %ld checks\n", tests[i].name, checks);
            return checks > 0 ? EXIT_OK : EXIT_FAILED;
        }
    die("formats shapes|views|poison|refusals|overflow|parts|arrays");
}
