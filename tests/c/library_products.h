/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests of matrix handles, which see the public header alone: matrices with values, arrays in every form, and products that are
 * compared with a reference. All sums are exact in both precisions, so results must be equal. */
#ifndef SPMVCAST_TESTS_LIBRARY_PRODUCTS_H
#define SPMVCAST_TESTS_LIBRARY_PRODUCTS_H
#include <math.h>
#include "library.h"

static _Atomic long checks; /* threads count, too */

static inline void expect(int truth, const char *where, const char *what)
{
    checks++;
    if (truth)
        return;
    fprintf(stderr, "%s: not true: %s\n", where, what);
    exit(1);
}

/* ---- matrices with values ---- */
struct problem {
    struct made a;
    int64_t nnz;
    double *val, *x;
};

/* Changes all values; round 0 are the first ones. */
static inline void problem_values(struct problem *q, int round)
{
    for (int64_t k = 0; k < q->nnz; k++)
        q->val[k] = (double)((k * 7 + round * 11) % 63 - 31) / 8;
}

static inline struct problem problem_of(struct made a)
{
    struct problem q = { .a = a, .nnz = a.wide[a.rows] };
    q.val = calloc((size_t)q.nnz + 1, sizeof *q.val);
    q.x = calloc((size_t)a.cols + 1, sizeof *q.x);
    for (int64_t j = 0; j < a.cols; j++)
        q.x[j] = (double)(j % 15 + 1) / 4;
    problem_values(&q, 0);
    return q;
}

static inline struct problem problem_make(int kind) { return problem_of(made_matrix(kind, 1)); }

static inline void problem_free(struct problem *q)
{
    made_free(&q->a);
    free(q->val);
    free(q->x);
}

/* Returns n numbers in a precision, and room for one more (malloc'd). */
static inline void *numbers(const double *from, int64_t n, spmvcast_precision p)
{
    void *to = calloc((size_t)n + 1, sizeof(double));
    for (int64_t i = 0; i < n; i++)
        if (p == SPMVCAST_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    return to;
}

static inline double number_at(const void *v, spmvcast_precision p, int64_t i)
{
    return p == SPMVCAST_F32 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

/* ---- arrays ---- */
/* Bits of a form: base 1, 64-bit row pointers, nnz given. */
enum { FORM_BASE = 1, FORM_WIDE = 2, FORM_NNZ = 4, NFORMS = 8 };
struct arrays {
    spmvcast_csr csr;
    void *row_ptr, *val;
    int32_t *col;
};

static inline struct arrays arrays_of(const struct problem *q, spmvcast_precision p, int form)
{
    struct arrays v = { .csr = SPMVCAST_CSR_INIT };
    v.csr.base = form & FORM_BASE ? 1 : 0;
    v.csr.row_ptr_bits = form & FORM_WIDE ? 64 : 32;
    v.csr.nnz = form & FORM_NNZ ? q->nnz : 0;
    v.csr.rows = q->a.rows;
    v.csr.cols = q->a.cols;
    v.row_ptr = malloc((size_t)(q->a.rows + 1) * sizeof(int64_t));
    v.col = malloc((size_t)(q->nnz + 1) * sizeof *v.col);
    for (int64_t i = 0; i <= q->a.rows; i++)
        if (form & FORM_WIDE)
            ((int64_t *)v.row_ptr)[i] = q->a.wide[i] + v.csr.base;
        else
            ((int32_t *)v.row_ptr)[i] = q->a.narrow[i] + v.csr.base;
    for (int64_t k = 0; k < q->nnz; k++)
        v.col[k] = q->a.col[k] + v.csr.base;
    v.val = numbers(q->val, q->nnz, p);
    v.csr.row_ptr = v.row_ptr;
    v.csr.col = v.col;
    v.csr.val = v.val;
    return v;
}

static inline void arrays_free(struct arrays *v)
{
    free(v->row_ptr);
    free(v->col);
    free(v->val);
}

/* ---- products ---- */
/* spmvcast_multiply_transposed: the problem has the transposed matrix. */
static spmvcast_status (*multiply_by)(spmvcast_matrix *, double, const void *, double, void *,
                                      void *) = spmvcast_multiply;
/* Multiplies with y = 3 before, or NaN where beta is 0, and NaN in x if alpha is 0. */
static inline void check_product(const struct problem *q, spmvcast_matrix *m, spmvcast_precision p, double alpha,
                                 double beta, const char *where)
{
    const int64_t rows = q->a.rows, cols = q->a.cols;
    const double guard = 12345, before = fabs(beta) > 0 ? 3 : (double)NAN;
    double *y = calloc((size_t)rows + 1, sizeof *y), *x = calloc((size_t)cols + 1, sizeof *x);
    for (int64_t i = 0; i < rows; i++)
        y[i] = before;
    y[rows] = guard;
    for (int64_t j = 0; j < cols; j++)
        x[j] = fabs(alpha) > 0 ? q->x[j] : (double)NAN;
    void *y_p = numbers(y, rows + 1, p), *x_p = numbers(x, cols, p);
    if (multiply_by(m, alpha, x_p, beta, y_p, NULL) != SPMVCAST_OK) {
        fprintf(stderr, "%s, alpha %g, beta %g: %s\n", where, alpha, beta, spmvcast_matrix_message(m));
        exit(1);
    }
    for (int64_t i = 0; i <= rows; i++) {
        double sum = 0;
        for (int64_t k = i < rows ? q->a.wide[i] : 0; i < rows && k < q->a.wide[i + 1]; k++)
            sum += q->val[k] * q->x[q->a.col[k]];
        const double expected = i == rows ? guard : alpha * sum + (fabs(beta) > 0 ? beta * 3 : 0),
                     got = number_at(y_p, p, i);
        if (!(fabs(got - expected) <= 0)) {
            fprintf(stderr, "%s, %s, %s, alpha %g, beta %g: y[%" PRId64 "] is %.17g, expected %.17g\n", q->a.name,
                    where, p == SPMVCAST_F32 ? "f32" : "f64", alpha, beta, i, got, expected);
            exit(1);
        }
    }
    checks++;
    free(y);
    free(x);
    free(y_p);
    free(x_p);
}

static inline void check_products(const struct problem *q, spmvcast_matrix *m, spmvcast_precision p, const char *where)
{
    static const double factors[][2] = { { 1, 0 }, { 1, 1 },   { -1, 1 }, { 1, -0.5 }, { 2.5, 0 },
                                         { 4, 2 }, { 0, 1.5 }, { 0, 0 },  { -1, 0 },   { 0, 1 } };
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        check_product(q, m, p, factors[i][0], factors[i][1], where);
}

/* ---- handles ---- */
/* Opens the CPU device. */
static inline spmvcast_device *device_of(spmvcast_context *c, const char *profile)
{
    spmvcast_device_options o = SPMVCAST_DEVICE_OPTIONS_INIT;
    spmvcast_device *d;
    o.kind = SPMVCAST_CPU;
    o.profile = profile;
    must(c, spmvcast_device_open(c, &o, &d), "device");
    return d;
}

static inline spmvcast_matrix_info info_of(const spmvcast_matrix *m)
{
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
    must(NULL, spmvcast_matrix_get_info(m, &info), "info");
    return info;
}

/* What all parts of a program use. */
static spmvcast_context *context;
static spmvcast_device *device; /* the CPU without a profile */
static char **arguments;        /* after the part; NULL ends them */

/* Runs the part that is named first among the arguments; prints "ok PART, N checks", as tests/c/parts.h. */
struct handle_part {
    const char *name;
    void (*run)(void);
};
static inline int run_parts(const struct handle_part *parts, size_t n, int argc, char **argv)
{
    const char *name = argc < 2 ? "" : argv[1];
    int status = 2;
    context = context_of(0);
    device = device_of(context, "");
    arguments = argv + (argc < 2 ? 1 : 2);
    for (size_t i = 0; i < n && status == 2; i++)
        if (strcmp(name, parts[i].name) == 0) {
            parts[i].run();
            printf("ok %s, %ld checks\n", name, (long)checks);
            status = checks == 0;
        }
    if (status == 2)
        fprintf(stderr, "no part %s\n", name);
    spmvcast_device_free(device);
    spmvcast_context_free(context);
    return status;
}
#endif
