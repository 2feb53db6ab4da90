/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators on the CPU device (library/operator.h), compared with csr_spmv_reference. "operator PART" prints "ok PART, N checks" or
 * fails with the matrix, configuration and row. */
#include "library/operator.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "parts.h"
#include "shapes.h"

static long checks;
static struct device *device;
static spmvcast_context *context;

static void open_all(void)
{
    if (spmvcast_context_create(NULL, &context) != SPMVCAST_OK)
        die("no context");
    if (operator_open_device(context, &backend_cpu, 0, &device) != SPMVCAST_OK)
        die("%s", spmvcast_message(context));
}

static void close_all(void)
{
    backend_cpu.close(device);
    spmvcast_context_free(context);
}

/* ---- vectors ---- */
static void set(enum precision p, void *v, int64_t i, double value)
{
    if (p == F32)
        ((float *)v)[i] = (float)value;
    else
        ((double *)v)[i] = value;
}
static double get(enum precision p, const void *v, int64_t i)
{
    return p == F32 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

struct problem {
    const char *name;
    const struct csr *a;
    enum precision p;
    double *x, *ax, *bound; /* bound: sum_j |a_ij x_j| */
    void *x_p, *y_p;
};

static void problem_open(struct problem *q, const char *name, const struct csr *a, enum precision p)
{
    *q = (struct problem){ .name = name, .a = a, .p = p };
    q->x = xcalloc((unsigned long)a->cols + 1, sizeof *q->x);
    q->ax = xcalloc((unsigned long)a->rows + 1, sizeof *q->ax);
    q->bound = xcalloc((unsigned long)a->rows + 1, sizeof *q->bound);
    q->x_p = xcalloc((unsigned long)a->cols + 1, sizeof(double));
    q->y_p = xcalloc((unsigned long)a->rows + 1, sizeof(double));
    for (int64_t j = 0; j < a->cols; j++)
        set(p, q->x_p, j, q->x[j] = csr_x(j));
    csr_spmv_reference(a, q->x, q->ax);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            q->bound[i] += fabs(a->val[k] * q->x[a->col[k]]);
}

static void problem_close(struct problem *q)
{
    free(q->x);
    free(q->ax);
    free(q->bound);
    free(q->x_p);
    free(q->y_p);
}

/* Multiplies with y_i = 1 + i mod 7 before, or NaN if beta is 0, and NaN in x if alpha is 0. */
static void check_product(const struct problem *q, struct spmv_operator *o, const char *config, double alpha,
                          double beta)
{
    char why[ERRLEN];
    const bool no_y = !(fabs(beta) > 0), no_x = !(fabs(alpha) > 0);
    for (int64_t i = 0; i < q->a->rows; i++)
        set(q->p, q->y_p, i, no_y ? (double)NAN : 1.0 + (double)(i % 7));
    for (int64_t j = 0; no_x && j < q->a->cols; j++)
        set(q->p, q->x_p, j, NAN);
    if (operator_multiply(o, alpha, q->x_p, beta, q->y_p, NULL, why) != 0)
        die("%s, %s, %g, %g: %s", q->name, config, alpha, beta, why);
    for (int64_t i = 0; i < q->a->rows; i++) {
        const double before = no_y ? 0 : beta * (1.0 + (double)(i % 7)), y = get(q->p, q->y_p, i);
        const double expected = (no_x ? 0 : alpha * q->ax[i]) + before;
        const double eps = q->p == F32 ? 0x1p-23 : 0x1p-52;
        const int64_t length = q->a->row_ptr[i + 1] - q->a->row_ptr[i];
        const double bound = eps * (double)(length + 8) * (fabs(alpha) * q->bound[i] + fabs(before));
        if (!(fabs(y - expected) <= bound))
            die("%s, %s, %s, alpha %g, beta %g: row %" PRId64 ": y is %.17g, expected %.17g within %g", q->name, config,
                precision_name(q->p), alpha, beta, i, y, expected, bound);
    }
    for (int64_t j = 0; no_x && j < q->a->cols; j++)
        set(q->p, q->x_p, j, q->x[j]);
    checks++;
}

static const double factors[][2] = { { 1, 0 }, { 1, 1 },   { -1, 1 }, { 1, -0.5 }, { 2.5, 0 },
                                     { 3, 2 }, { 0, 1.5 }, { 0, 0 },  { -1, 0 },   { 1, 2 } };

static void check_all(const struct problem *q, struct spmv_operator *o, const char *config)
{
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        check_product(q, o, config, factors[i][0], factors[i][1]);
}

/* Returns NULL if the configuration cannot hold the matrix. */
static struct spmv_operator *create(const struct csr *a, enum precision p, const char *config)
{
    const struct operator_options options = { .precision = p, .config = config };
    const struct csr_view view = csr_view_all(a);
    struct spmv_operator *o;
    const spmvcast_status status = operator_create(context, device, &view, &options, &o);
    if (status != SPMVCAST_OK && (status != SPMVCAST_INVALID_ARGUMENT || !spmvcast_message(context)[0] || o))
        die("%s: status %d, '%s'", config, (int)status, spmvcast_message(context));
    return o;
}

/* ---- tests ---- */
static void test_kernels(void)
{
    for (int s = 0; s < NSHAPES; s += 3) { /* tests/c/formats.c takes all of them */
        struct csr a;
        shape_make(&shapes[s], &a);
        for (int p = 0; p < NPRECISIONS; p++) {
            struct problem q;
            problem_open(&q, shapes[s].name, &a, (enum precision)p);
            int held = 0;
            const struct kernel *k;
            for (int i = 0; (k = kernel_at(i)) != NULL; i++) {
                struct spmv_operator *o = backend_cpu.has_kernel(k) ? create(&a, q.p, k->name) : NULL;
                if (!o)
                    continue;
                held++;
                check_all(&q, o, k->name);
                operator_free(o);
            }
            if (held < 6)
                die("%s: only %d kernels hold it", shapes[s].name, held);
            problem_close(&q);
        }
        csr_free(&a);
    }
}

static void test_update(void)
{
    struct csr a;
    shape_make(&shapes[NSHAPES - 2], &a);
    for (int p = 0; p < NPRECISIONS; p++) {
        static const char *const configs[] = { "csr-vector", "sell:c=32,sigma=1024,index=narrow", "hyb", "csr-merge" };
        for (size_t c = 0; c < sizeof configs / sizeof configs[0]; c++) {
            struct operator_report before, after;
            struct problem q;
            struct spmv_operator *o = create(&a, (enum precision)p, configs[c]);
            if (!o)
                die("%s: %s", configs[c], spmvcast_message(context));
            operator_get_report(o, &before);
            if (before.updates != 0 || !isnan(before.update_s) || !(before.convert_s > 0) || !(before.features_s > 0)
                || before.picked || before.bytes <= 0)
                die("%s: wrong report of a new operator", configs[c]);
            for (int64_t k = 0; k < a.nnz; k++)
                a.val[k] = 3 - a.val[k];
            const struct csr_view view = csr_view_all(&a);
            if (operator_update(context, o, &view) != SPMVCAST_OK)
                die("%s: %s", configs[c], spmvcast_message(context));
            operator_get_report(o, &after);
            if (after.updates != 1 || !(after.update_s >= after.convert_s) || strcmp(before.config, after.config) != 0
                || before.bytes != after.bytes)
                die("%s: wrong report after an update", configs[c]);
            problem_open(&q, "updated", &a, (enum precision)p);
            check_all(&q, o, configs[c]);
            problem_close(&q);
            operator_free(o);
        }
    }
    csr_free(&a);
}

/* One column moved within its row: the sizes and the row pointers stay. */
static void test_pattern(void)
{
    struct csr a;
    struct operator_report report;
    shape_make(&shapes[11], &a);
    struct spmv_operator *o = create(&a, F64, "csr-vector");
    const struct csr_view view = csr_view_all(&a);
    if (!operator_has_pattern(o, &view))
        die("an operator does not know its own pattern");
    for (int64_t k = 0; k < a.nnz; k += a.nnz / 50) {
        a.col[k]++;
        if (operator_has_pattern(o, &view) || operator_update(context, o, &view) != SPMVCAST_INVALID_MATRIX)
            die("entry %" PRId64 ": the pattern changed unnoticed", k);
        a.col[k]--;
        checks++;
    }
    operator_get_report(o, &report);
    struct problem q;
    problem_open(&q, "unchanged", &a, F64);
    check_product(&q, o, report.config, 1, 0);
    operator_get_report(o, &report);
    if (report.products != 1 || report.updates != 0)
        die("%" PRId64 " products and %" PRId64 " updates, expected 1 and 0", report.products, report.updates);
    problem_close(&q);
    operator_free(o);
    csr_free(&a);
}

static void expect(const struct csr *a, enum precision p, const char *config, spmvcast_status status, const char *text)
{
    const struct operator_options options = { .precision = p, .config = config };
    const struct csr_view view = csr_view_all(a);
    struct spmv_operator *o;
    const spmvcast_status got = operator_create(context, device, &view, &options, &o);
    if (got != status || o || !strstr(spmvcast_message(context), text))
        die("%s: status %d, '%s'; expected %d, '%s'", config, (int)got, spmvcast_message(context), (int)status, text);
    checks++;
}

static void test_errors(void)
{
    struct csr a;
    shape_make(&shapes[NSHAPES - 2], &a);
    expect(&a, F64, "csr-vectro", SPMVCAST_INVALID_ARGUMENT, "csr-vector");
    expect(&a, F64, "csr-vector:lanes=5", SPMVCAST_INVALID_ARGUMENT, "lanes");
    expect(&a, F64, "cusparse-csr", SPMVCAST_INVALID_ARGUMENT, "does not have this kernel");
    expect(&a, F64, "dia:limit=2", SPMVCAST_INVALID_ARGUMENT, "dia: ");
    a.val[7] = 1e300;
    expect(&a, F32, "csr-merge", SPMVCAST_INVALID_ARGUMENT, "overflows f32");
    a.col[1] = a.col[0];
    expect(&a, F64, "csr-vector", SPMVCAST_INVALID_MATRIX, "row ");
    csr_free(&a);
}

/* An update whose last allocations fail, after others that it has to give back. */
static void update_within(const struct csr_view *view, const char *config)
{
    const struct operator_options options = { .precision = F64, .config = config };
    size_t needed = 0;
    for (size_t less = 0; less < 2000; less += 16) {
        spmvcast_context_options limited = SPMVCAST_CONTEXT_OPTIONS_INIT;
        spmvcast_context *c;
        struct spmv_operator *o;
        limited.memory_limit = less ? needed - less : 0;
        if (spmvcast_context_create(&limited, &c) != SPMVCAST_OK
            || operator_create(context, device, view, &options, &o) != SPMVCAST_OK)
            die("%s: %s", config, spmvcast_message(context));
        if (operator_update(c, o, view) != (less ? SPMVCAST_OUT_OF_MEMORY : SPMVCAST_OK))
            die("%s, %zu bytes too few: '%s'", config, less, spmvcast_message(c));
        needed = less ? needed : spmvcast_memory_used(c);
        operator_free(o);
        spmvcast_context_free(c);
        checks++;
    }
}

/* Memory that runs out in any allocation is a status. */
static void test_memory(void)
{
    static const char *const configs[] = { "csr-vector", "sell:sigma=64", "hyb", "bcsr" };
    struct csr a;
    shape_make(&shapes[10], &a);
    const struct csr_view view = csr_view_all(&a);
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        const struct operator_options options = { .precision = F64, .config = configs[i] };
        struct spmv_operator *o = NULL;
        spmvcast_status status = SPMVCAST_OUT_OF_MEMORY;
        long refused = 0;
        for (size_t limit = 1; !o; limit += limit / 8 + 8) {
            spmvcast_context_options limited = SPMVCAST_CONTEXT_OPTIONS_INIT;
            spmvcast_context *c;
            limited.memory_limit = limit;
            if (spmvcast_context_create(&limited, &c) != SPMVCAST_OK)
                die("no context");
            status = operator_create(c, device, &view, &options, &o);
            if (status != SPMVCAST_OK
                && (status != SPMVCAST_OUT_OF_MEMORY || o || !strstr(spmvcast_message(c), "memory")))
                die("%s, limit %zu: status %d, '%s'", configs[i], limit, (int)status, spmvcast_message(c));
            refused += status != SPMVCAST_OK;
            operator_free(o);
            spmvcast_context_free(c);
        }
        if (refused < 10)
            die("%s: only %ld limits were too low", configs[i], refused);
        checks += refused;
        update_within(&view, configs[i]);
    }
    csr_free(&a);
}

static void run_with(void (*test)(void))
{
    open_all();
    test();
    close_all();
}
static void kernels(void) { run_with(test_kernels); }
static void update(void) { run_with(test_update); }
static void pattern(void) { run_with(test_pattern); }
static void memory(void) { run_with(test_memory); }
static void errors(void) { run_with(test_errors); }

int main(int argc, char **argv)
{
    static const struct part parts[] = {
        { "kernels", kernels }, { "update", update }, { "pattern", pattern }, { "memory", memory }, { "errors", errors }
    };
    return parts_main("operator", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
