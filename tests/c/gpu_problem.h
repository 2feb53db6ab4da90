/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the GPU drivers of all layouts and kernels: configurations, and the comparison of products with
 * csr_spmv_reference, for layouts uploaded and layouts built on the GPU. On a mismatch it fails with the matrix,
 * configuration and row. */
#ifndef SPMVCAST_TESTS_GPU_PROBLEM_H
#define SPMVCAST_TESTS_GPU_PROBLEM_H
#include <inttypes.h>
#include "facts.h"
#include "gpu.h"

static long checks;
static bool ours_only; /* without library kernels */
static struct device *gpu;

/* Configurations in addition to the sweeps: parts of HYB with a k that the rule for k does not choose, windows,
 * blocks. */
static const char *const more[] = {
    "hyb:k=0", "hyb:k=1", "hyb:k=3", "hyb:k=2147483647", "hyb:k=2,tail=csr-vector,tail.lanes=32",
    "hyb:k=2,tail=csr-block", "hyb:k=2,head=csr-scalar,tail=ell", "hyb:k=4,head=coo,tail=coo,tail.sum=atomic",
    "hyb:k=0,head=coo,tail=csr-scalar", "ell:lanes=2,block=64", "ell:lanes=8,block=128", "ell:lanes=16,block=512",
    "hyb:k=6,head.lanes=4", "sell:sigma=7", "sell:c=64,sigma=100,index=narrow,lanes=4",
    "sell:c=512,sigma=2048,index=narrow", "hyb:k=2,head=sell,tail=sell,tail.sigma=1024",
    /* each block size at least once, packed or not, aligned or not, interleaved within a warp, across warps, or not */
    "bcsr:r=1,c=1", "bcsr:r=1,c=2,pack=1", "bcsr:r=1,c=3,interleave=0", "bcsr:r=1,c=4,pack=1,align=1",
    "bcsr:r=2,c=1,lanes=64,pack=1", "bcsr:r=2,c=2,pack=1,lanes=2", "bcsr:r=2,c=3,align=1,lanes=32",
    "bcsr:r=2,c=4,pack=1,interleave=0", "bcsr:r=3,c=1,pack=1,lanes=128", "bcsr:r=3,c=2,interleave=0,lanes=16",
    "bcsr:r=3,c=4,pack=1,lanes=4", "bcsr:r=4,c=1,align=1", "bcsr:r=4,c=2", "bcsr:r=4,c=3,pack=1,align=1,lanes=32",
    "bcsr:r=4,c=4,lanes=2", "bcsr:r=4,c=4,pack=1,lanes=128", "bcsr:r=5,c=5,pack=1", "bcsr:r=6,c=6,lanes=4",
    "bcsr:r=7,c=7,pack=1,interleave=0", "bcsr:r=8,c=8,align=1", "bellpack:r=1,c=2,lanes=1",
    "bellpack:r=2,c=2,chunk=32,lanes=8", "bellpack:r=2,c=3,chunk=256", "bellpack:r=3,c=2,chunk=128,lanes=4",
    "bellpack:r=3,c=4,chunk=256,lanes=8", "bellpack:r=4,c=4,chunk=32,lanes=1", "bellpack:r=5,c=5,lanes=4",
    "bellpack:r=6,c=6,chunk=256,lanes=4", "bellpack:r=7,c=7,chunk=128,lanes=8", "bellpack:r=8,c=8,chunk=64,lanes=8",
    "brc:b2=1,sigma=100,rep=3", "brc:b1=64,b2=3,sum=atomic,rep=2", "brc:b1=128,b2=grow,sigma=32",
    "hyb:k=2,head=brc,tail=brc,tail.b2=2", NULL
};

static inline void each_config(const char *sweep, void (*take)(const char *text, void *arg), void *arg)
{
    const char *const *list = config_sweep(sweep, DEVICE_CUDA);

    for (int i = 0; list[i]; i++)
        take(list[i], arg);
    for (int i = 0; more[i]; i++)
        take(more[i], arg);
}

/* ---- problems ---- */
struct problem {
    const char *name;
    const struct csr *a;
    const struct features *f;
    enum precision p;
    const struct device_csr *on_device; /* NULL: layouts are only uploaded */
    const double *ref, *bound;          /* bound: sum of |a_ij x_j| per row */
    void *x, *y, *again;                /* on the host, with guards */
    void *dev_x, *dev_y;
    long built;
};

static inline void problem_open(struct problem *q, const char *name, const struct csr *a, const struct features *f,
                                enum precision p)
{
    double *x = xmalloc((unsigned long)(a->cols + 1) * sizeof *x),
           *ref = xmalloc((unsigned long)(a->rows + 1) * sizeof *ref);
    double *bound = xcalloc((unsigned long)a->rows + 1, sizeof *bound);

    *q = (struct problem){ .name = name, .a = a, .f = f, .p = p };
    for (int64_t j = 0; j < a->cols; j++)
        x[j] = csr_x(j);
    csr_spmv_reference(a, x, ref);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            bound[i] += fabs(a->val[k] * x[a->col[k]]);
    q->ref = ref;
    q->bound = bound;
    q->x = reals(p, a->cols);
    q->y = reals(p, a->rows);
    q->again = reals(p, a->rows);
    q->dev_x = gpu_reals(gpu, p, a->cols);
    q->dev_y = gpu_reals(gpu, p, a->rows);
    for (int64_t j = 0; j < a->cols; j++)
        real_set(p, q->x, j, x[j]);
    gpu_put_reals(gpu, p, a->cols, q->dev_x, q->x);
    free(x);
}

static inline void problem_close(struct problem *q)
{
    gpu_reals_free(gpu, q->p, q->dev_x);
    gpu_reals_free(gpu, q->p, q->dev_y);
    reals_free(q->p, q->a->cols, q->x);
    reals_free(q->p, q->a->rows, q->y);
    reals_free(q->p, q->a->rows, q->again);
    free((void *)q->ref);
    free((void *)q->bound);
}

/* Runs the launch `plan` with Y_ADD, since back-ends run launches only with Y_SET. */
static inline int run_adding(void *plan, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct launch *l = plan;

    (void)mode;
    return l->run(l->prepared, x, y, Y_ADD, s);
}

/* Multiplies once, into a y of NaN (set) or known numbers (add); copies the result with its guards to y. */
static inline void multiply(const struct problem *q, const struct launch *l, const char *text, enum y_mode mode,
                            void *y)
{
    struct launch plain = *l, once = mode == Y_ADD ? (struct launch){ run_adding, &plain, NULL, NULL } : plain;
    char why[ERRLEN];

    for (int64_t i = 0; i < q->a->rows; i++)
        real_set(q->p, y, i, mode == Y_ADD ? csr_x(i + 777) : (double)NAN);
    gpu_put_reals(gpu, q->p, q->a->rows, q->dev_y, y);
    once.x = q->dev_x;
    once.y = q->dev_y;
    if (backend_cuda.once(gpu, &once, why) != 0)
        die("%s, %s, %s: %s", q->name, text, precision_name(q->p), why);
    gpu_get_reals(gpu, q->p, q->a->rows, y, q->dev_y);
}

static inline void compare(const struct problem *q, const char *text, const void *y, enum y_mode mode)
{
    const double u = q->p == F32 ? 0x1p-24 : 0x1p-53;

    for (int64_t i = 0; i < q->a->rows; i++) {
        const double y0 = mode == Y_ADD ? csr_x(i + 777) : 0.0, found = real_at(q->p, y, i), expected = q->ref[i] + y0;
        const double limit = (double)(q->a->row_ptr[i + 1] - q->a->row_ptr[i] + 8) * u * (q->bound[i] + fabs(y0));

        if (!(fabs(found - expected) <= limit))
            die("%s, %s, %s, %s: row %" PRId64 " is %.17g, not %.17g", q->name, text, precision_name(q->p),
                mode == Y_ADD ? "add" : "set", i, found, expected);
    }
    checks++;
}

/* Tests a layout on the device in both modes, twice each; the last y of Y_SET stays in `again`. */
static inline void check_device_layout(struct problem *q, const struct device_layout *l, const struct config *c,
                                       const char *text)
{
    struct launch launch = { 0 };
    char why[ERRLEN];

    if (backend_cuda.prepare(gpu, l, c, &launch, why) != 0)
        die("%s, %s, %s: %s", q->name, text, precision_name(q->p), why);
    for (int i = 0; i < 2; i++) {
        const enum y_mode mode = i == 0 ? Y_ADD : Y_SET;
        multiply(q, &launch, text, mode, q->y);
        compare(q, text, q->y, mode);
        multiply(q, &launch, text, mode, q->again);
        if (kernel_deterministic(c) && memcmp(q->y, q->again, (size_t)(q->a->rows * precision_bytes(q->p))) != 0)
            die("%s, %s, %s: two runs differ", q->name, text, precision_name(q->p));
    }
    backend_cuda.unprepare(c, &launch);
}

static inline void check_built(struct problem *q, const struct config *c, const struct storage *s, const char *text)
{
    const size_t bytes = (size_t)(q->a->rows * precision_bytes(q->p));
    struct device_layout *l;
    void *uploaded = xmalloc(bytes + 1);
    char why[ERRLEN];

    memcpy(uploaded, q->again, bytes);
    if (backend_cuda.build(gpu, c->kernel->layout, q->on_device, c, q->f, &l, why) != 0)
        die("%s, %s: %s", q->name, text, why);
    if (l->bytes != s->bytes)
        die("%s, %s: %" PRId64 " bytes built on the GPU, %" PRId64 " on the host", q->name, text, l->bytes, s->bytes);
    check_device_layout(q, l, c, text);
    if (kernel_deterministic(c) && memcmp(uploaded, q->again, bytes) != 0)
        die("%s, %s: the layout built on the GPU differs from the host's", q->name, text);
    backend_cuda.layout_release(gpu, c->kernel->layout, l);
    free(uploaded);
}

static inline void check_config(const char *text, void *arg)
{
    struct problem *q = arg;
    const struct target t = gpu_target(gpu, q->p);
    const struct csr_view view = csr_view_all(q->a);
    struct device_layout *l;
    struct storage *s;
    struct config c;
    char why[ERRLEN];

    gpu_config(text, q->f, &t, &c);
    if ((ours_only && c.kernel->library) || c.kernel->layout->applicable(q->f, &c, &t, why) != 0)
        return;
    const int built = c.kernel->layout->build(&view, &c, &t, &s, why);
    if (built == FAIL && c.kernel->library && strstr(why, ", limit "))
        return; /* too much fill */
    must(built, text, why);
    must(backend_cuda.upload(gpu, s, &l, why), text, why);
    check_device_layout(q, l, &c, text);
    if (q->on_device && layout_cuda_find(c.kernel->layout->name)->build)
        check_built(q, &c, s, text);
    backend_cuda.layout_release(gpu, c.kernel->layout, l);
    s->layout->free(s);
    q->built++;
}

/* ---- uploading a matrix ---- */
static inline void *put_array(const void *from, int64_t bytes)
{
    void *to;
    char why[ERRLEN];

    must(backend_cuda.alloc(gpu, bytes > 0 ? bytes : 1, &to, why), "array", why);
    if (bytes > 0)
        must(backend_cuda.put(gpu, to, from, bytes, why), "array", why);
    return to;
}

/* Uploads a matrix; the caller frees it with backend_cuda.csr_release. */
static inline void csr_put(const struct csr *a, const struct features *f, enum precision p, struct device_csr *out)
{
    int32_t *row_ptr = xmalloc((unsigned long)(a->rows + 1) * sizeof *row_ptr);
    void *val = xmalloc((unsigned long)((a->nnz + 1) * precision_bytes(p)));

    for (int64_t i = 0; i <= a->rows; i++)
        row_ptr[i] = (int32_t)a->row_ptr[i];
    for (int64_t k = 0; k < a->nnz; k++)
        real_set(p, val, k, a->val[k]);
    *out = (struct device_csr){ .rows = a->rows,
                                .cols = a->cols,
                                .nnz = a->nnz,
                                .row_ptr = put_array(row_ptr, (a->rows + 1) * 4),
                                .col = put_array(a->col, a->nnz * 4),
                                .val = put_array(val, a->nnz * precision_bytes(p)),
                                .precision = p,
                                .row_max = f->row_max };
    free(row_ptr);
    free(val);
}
#endif
