/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the CPU drivers of all layouts and kernels: configurations, and the comparison of the product with each of
 * them with csr_spmv_reference. On a mismatch it fails with the matrix, configuration and row. */
#ifndef SPMVCAST_TESTS_CPU_H
#define SPMVCAST_TESTS_CPU_H
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "facts.h"
#include "shapes.h"

static long checks;
static uint64_t digest = 14695981039346656037u; /* FNV-1a hash of every y with reproducible bits */

/* ---- configurations ---- */
/* Configurations in addition to the sweeps: parts of HYB with a k that the rule for k does not choose. */
static const char *const more[] = { "hyb:k=0",
                                    "hyb:k=1",
                                    "hyb:k=3",
                                    "hyb:k=2147483647",
                                    "hyb:k=2,tail=csr-vector,tail.lanes=32",
                                    "hyb:k=2,tail=csr-block",
                                    "hyb:k=2,head=csr-scalar,tail=ell",
                                    "hyb:k=4,head=coo,tail=coo,tail.sum=atomic",
                                    "hyb:k=0,head=coo,tail=csr-scalar",
                                    "sell:sigma=7",
                                    "sell:sigma=64,index=narrow",
                                    "sell:c=64,sigma=4000",
                                    "sell:c=512,sigma=100,index=narrow",
                                    "sell:c=128,sigma=2147483647,index=narrow",
                                    "hyb:k=2,head=sell,tail=sell",
                                    "hyb:k=2,head=bro,tail=jad",
                                    NULL };

static inline struct target target_of(enum precision p, bool cpu)
{
    struct target t = { .precision = p };
    const struct geometry *h200 = geometry_find("h200");

    if (!h200)
        bug("no H200 in the table of devices");
    t.device = *h200;
    t.device.kind = cpu ? DEVICE_CPU : DEVICE_CUDA;
    return t;
}

static inline void config_for(const char *text, const struct features *f, const struct target *t, struct config *c)
{
    struct config asked;
    char why[ERRLEN];

    if (config_parse(text, &asked, why) != 0)
        die("%s", why);
    if (config_resolve(&asked, f, t, c, why) != 0)
        die("%s", why);
}

enum extent { EXTENT_DEFAULT, EXTENT_EXHAUSTIVE };

/* Calls take() with the default sweep of GPUs and `more`; with EXTENT_EXHAUSTIVE also with the exhaustive sweep of the
 * CPU. */
static inline void each_config(enum extent extent, void (*take)(const char *text, void *arg), void *arg)
{
    const char *const *lists[] = { config_sweep("default", DEVICE_CUDA), more,
                                   extent == EXTENT_EXHAUSTIVE ? config_sweep("exhaustive", DEVICE_CPU) : NULL };

    for (int l = 0; l < 3; l++)
        for (int i = 0; lists[l] && lists[l][i]; i++)
            take(lists[l][i], arg);
}

/* Many configurations are the same without the keys that have no effect on the CPU; each distinct one runs once. */
enum { DISTINCT = 4000 };
struct distinct {
    int n;
    char text[DISTINCT][CONFIG_LEN];
};

static inline bool first_met(struct distinct *d, const struct config *c)
{
    if (d->n == DISTINCT)
        bug("more than %d configurations", DISTINCT);
    config_print(c, d->text[d->n]);
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->text[i], d->text[d->n]) == 0)
            return false;
    d->n++;
    return true;
}

static inline void multiply(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    if (c->kernel->spmv_cpu)
        c->kernel->spmv_cpu(s, c, x, y, mode);
    else
        s->layout->spmv_host(s, x, y, mode);
}

/* ---- results ---- */
struct problem {
    const char *name;
    const struct csr_view *a;
    const struct features *f;
    const double *x, *ref; /* ref: the product for the rows of the view */
    enum precision p;
    struct distinct *met; /* the configurations that ran */
    long built;
};

static inline double row_bound(const struct problem *q, int64_t i, double y0)
{
    const double u = q->p == F32 ? 0x1p-24 : 0x1p-53;
    double sum = 0;

    for (int64_t k = q->a->begin[i]; k < q->a->end[i]; k++)
        sum += fabs(q->a->val[k] * q->x[q->a->col[k]]);
    return (double)(q->a->end[i] - q->a->begin[i] + 8) * u * (sum + fabs(y0));
}

static inline void compare(const struct problem *q, const char *config, const void *y, enum y_mode mode)
{
    for (int64_t i = 0; i < q->a->rows; i++) {
        const double y0 = mode == Y_ADD ? csr_x(i + 777) : 0.0, found = real_at(q->p, y, i), expected = q->ref[i] + y0;

        if (!(fabs(found - expected) <= row_bound(q, i, y0)))
            die("%s, %s, %s, %s: row %" PRId64 " is %.17g, not %.17g", q->name, config, precision_name(q->p),
                mode == Y_ADD ? "add" : "set", i, found, expected);
    }
    checks++;
}

static inline void y_start(const struct problem *q, void *y, enum y_mode mode)
{
    for (int64_t i = 0; i < q->a->rows; i++)
        real_set(q->p, y, i, mode == Y_ADD ? csr_x(i + 777) : (double)NAN);
}

static inline void run_both(const struct problem *q, const struct storage *s, const struct config *c, const char *text)
{
    const size_t bytes = (size_t)(q->a->rows * precision_bytes(q->p));
    void *x = reals(q->p, q->a->cols), *y = reals(q->p, q->a->rows), *again = reals(q->p, q->a->rows);

    for (int64_t j = 0; j < q->a->cols; j++)
        real_set(q->p, x, j, q->x[j]);
    for (enum y_mode mode = Y_SET; mode <= Y_ADD; mode++) {
        y_start(q, y, mode);
        multiply(s, c, x, y, mode);
        compare(q, text, y, mode);
        y_start(q, again, mode);
        multiply(s, c, x, again, mode);
        if (kernel_deterministic(c)) {
            if (memcmp(y, again, bytes) != 0)
                die("%s, %s: two runs differ", q->name, text);
            for (size_t b = 0; b < bytes; b++)
                digest = (digest ^ ((const unsigned char *)y)[b]) * 1099511628211u;
        }
        y_start(q, y, mode);
        s->layout->spmv_host(s, x, y, mode);
        compare(q, text, y, mode);
    }
    reals_free(q->p, q->a->cols, x);
    reals_free(q->p, q->a->rows, y);
    reals_free(q->p, q->a->rows, again);
}

static inline void check_facts(const struct problem *q, const struct storage *s, const struct config *c,
                               const struct target *t, const char *text)
{
    struct traffic traffic;

    if (s->layout != c->kernel->layout || s->rows != q->a->rows || s->cols != q->a->cols || s->nnz != q->f->nnz)
        die("%s, %s: the storage has another size than the matrix", q->name, text);
    if (s->layout->traffic(q->f, c, t, &traffic) != 0)
        die("%s, %s: no traffic", q->name, text);
    if (s->layout->count && s->layout->count(q->a, q->f, c, t, &traffic) != 0)
        die("%s, %s: no count", q->name, text);
    if (traffic_storage(&traffic) != s->bytes)
        die("%s, %s: %" PRId64 " bytes forecast, %" PRId64 " built", q->name, text, traffic_storage(&traffic),
            s->bytes);
    if (traffic.flops != 2 * q->f->nnz)
        die("%s, %s: wrong flops", q->name, text);
    if (traffic.values + traffic.indices - traffic.padding < q->f->nnz * precision_bytes(q->p))
        die("%s, %s: padding counts entries", q->name, text);
}

static inline void check_config(const char *text, void *arg)
{
    struct problem *q = arg;
    const struct target t = target_of(q->p, true), gpu = target_of(q->p, false);
    struct config c, on_gpu;
    struct storage *s;
    struct grid g;
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    config_for(text, q->f, &gpu, &on_gpu);
    if (!first_met(q->met, &c) || c.kernel->layout->applicable(q->f, &c, &t, why) != 0)
        return;
    if (kernel_grid(q->f, &on_gpu, &gpu, &g) != 0 || g.blocks < 1 || g.threads < 32)
        die("%s, %s: no grid", q->name, text);
    const int rc = c.kernel->layout->build(q->a, &c, &t, &s, why);
    if (rc == FAIL && c.kernel->library && strstr(why, ", limit "))
        return; /* too much fill */
    if (rc != 0)
        die("%s, %s: %s", q->name, text, why);
    check_facts(q, s, &c, &t, text);
    run_both(q, s, &c, text);
    s->layout->free(s);
    q->built++;
}

/* Tests a view in both precisions with every configuration of the extent. `same` is a CSR matrix with the same rows,
 * for the reference. */
static inline void check_view(const char *name, const struct csr_view *view, const struct csr *same, enum extent extent)
{
    struct features f;
    double *x = xmalloc((unsigned long)(view->cols + 1) * sizeof *x),
           *ref = xmalloc((unsigned long)(view->rows + 1) * sizeof *ref);

    features_of_view(view, &f);
    for (int64_t j = 0; j < view->cols; j++)
        x[j] = csr_x(j);
    csr_spmv_reference(same, x, ref);
    for (enum precision p = F32; p <= F64; p++) {
        struct problem q = { name, view, &f, x, ref, p, xmalloc(sizeof *q.met), 0 };
        q.met->n = 0;
        each_config(extent, check_config, &q);
        free(q.met);
        if (q.built < 20)
            die("%s: only %ld configurations are applicable", name, q.built);
    }
    features_free(&f);
    free(x);
    free(ref);
}

/* Tests the rows first <= i < end of a matrix. */
static inline void check_rows(const char *name, const struct csr *a, int64_t first, int64_t end, enum extent extent)
{
    const struct csr_view view = csr_view_rows(a, first, end);
    const struct csr same = { end - first,        a->cols, a->row_ptr[end] - a->row_ptr[first],
                              a->row_ptr + first, a->col,  a->val };

    check_view(name, &view, &same, extent);
}
#endif
