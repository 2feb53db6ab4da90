/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the GPU drivers of all layouts and kernels: configurations, and the comparison of products with
 * csr_spmv_reference, for layouts uploaded and layouts built on the GPU. On a mismatch it fails with the matrix,
 * configuration and row. */
#ifndef SPMVCAST_TESTS_GPU_PROBLEM_H
#define SPMVCAST_TESTS_GPU_PROBLEM_H
#include "gpu.h"
#include "products.h"

static long checks;
static bool ours_only; /* without library kernels */
static struct device *gpu;

static inline void each_config(const char *sweep, void (*take)(const char *text, void *arg), void *arg)
{
    each_swept(sweep, DEVICE_CUDA, take, arg);
    each_case(ON_GPU, take, arg);
}

/* ---- problems ---- */
struct problem {
    const char *name;
    const struct csr *a;
    struct csr_view view; /* of a */
    const struct features *f;
    enum precision p;
    const struct device_csr *on_device; /* NULL: layouts are only uploaded */
    struct product product;
    void *x, *y, *again; /* on the host, with guards */
    void *dev_x, *dev_y; /* aligned to their elements only */
    void *words_x;       /* x, aligned to words of 16 bytes */
    long built;
};

/* Elements from the first of an array of gpu_reals(), which has one before it, to the next word of 16 bytes. */
static inline int64_t before_word(enum precision p) { return 16 / precision_bytes(p) - 1; }

static inline void problem_open(struct problem *q, const char *name, const struct csr *a, const struct features *f,
                                enum precision p)
{
    *q = (struct problem){ .name = name, .a = a, .view = csr_view_all(a), .f = f, .p = p };
    product_of(&q->view, a, false, &q->product);
    q->x = x_start(&q->product, p);
    q->y = reals(p, a->rows);
    q->again = reals(p, a->rows);
    q->dev_x = gpu_reals(gpu, p, a->cols);
    q->dev_y = gpu_reals(gpu, p, a->rows);
    gpu_put_reals(gpu, p, a->cols, q->dev_x, q->x);
    q->words_x = (char *)gpu_reals(gpu, p, a->cols + before_word(p)) + before_word(p) * precision_bytes(p);
    gpu_put_reals(gpu, p, a->cols, q->words_x, q->x);
}

static inline void problem_close(struct problem *q)
{
    gpu_reals_free(gpu, q->p, q->dev_x);
    gpu_reals_free(gpu, q->p, (char *)q->words_x - before_word(q->p) * precision_bytes(q->p));
    gpu_reals_free(gpu, q->p, q->dev_y);
    reals_free(q->p, q->a->cols, q->x);
    reals_free(q->p, q->a->rows, q->y);
    reals_free(q->p, q->a->rows, q->again);
    product_free(&q->product);
}

/* Runs the launch `plan` with Y_ADD, since back-ends run launches only with Y_SET. */
static inline int run_adding(void *plan, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct launch *l = plan;

    (void)mode;
    return l->run(l->prepared, x, y, Y_ADD, s);
}

/* Multiplies once, into a y of NaN (set) or known numbers (add, with x aligned to words); copies the result with its guards to y. */
static inline void multiply(const struct problem *q, const struct launch *l, const char *text, enum y_mode mode,
                            void *y)
{
    struct launch plain = *l, once = mode == Y_ADD ? (struct launch){ run_adding, &plain, NULL, NULL } : plain;
    char why[ERRLEN];

    y_start(&q->product, q->p, y, mode);
    gpu_put_reals(gpu, q->p, q->a->rows, q->dev_y, y);
    once.x = mode == Y_ADD ? q->words_x : q->dev_x;
    once.y = q->dev_y;
    if (backend_cuda.once(gpu, &once, why) != 0)
        die("%s, %s, %s: %s", q->name, text, precision_name(q->p), why);
    gpu_get_reals(gpu, q->p, q->a->rows, y, q->dev_y);
}

/* Tests a layout on the device in both modes, twice each; the last y of Y_SET stays in `again`. */
static inline void check_device_layout(struct problem *q, const struct storage *l, const struct config *c,
                                       const char *text)
{
    struct launch launch = { 0 };
    char why[ERRLEN];

    const int status = backend_cuda.prepare(gpu, l, c, &launch, why);
    if (status == FAIL && c->kernel->library && strstr(why, " lacks ")) /* this version of the library */
        return;
    if (status != 0)
        die("%s, %s, %s: %s", q->name, text, precision_name(q->p), why);
    for (int i = 0; i < 2; i++) {
        const enum y_mode mode = i == 0 ? Y_ADD : Y_SET;
        multiply(q, &launch, text, mode, q->y);
        product_compare(&q->product, q->name, text, q->p, q->y, mode);
        checks++;
        multiply(q, &launch, text, mode, q->again);
        if (kernel_deterministic(c) && memcmp(q->y, q->again, (size_t)(q->a->rows * precision_bytes(q->p))) != 0)
            die("%s, %s, %s: two runs differ", q->name, text, precision_name(q->p));
    }
    backend_cuda.unprepare(c, &launch);
}

/* A storage on the GPU has the arrays of the one on the host. */
static inline void check_arrays(const struct problem *q, const struct storage *on_gpu, const struct storage *s,
                                const char *text)
{
    struct storage *copy;
    char why[ERRLEN];

    must(storage_download(on_gpu, &copy, why), text, why);
    storages_compare(q->name, text, copy, s);
    storage_free(copy);
}

/* Builds the layout on the GPU and compares it with the one built on the host: array by array, and the product bit by bit. */
static inline void check_built(struct problem *q, const struct config *c, const struct storage *s, const char *text)
{
    const size_t bytes = (size_t)(q->a->rows * precision_bytes(q->p));
    struct storage *l;
    void *uploaded = xmalloc(bytes + 1);
    char why[ERRLEN];

    memcpy(uploaded, q->again, bytes);
    if (backend_cuda.build(gpu, c->kernel->layout, q->on_device, c, q->f, &l, why) != 0)
        die("%s, %s: %s", q->name, text, why);
    check_arrays(q, l, s, text);
    check_device_layout(q, l, c, text);
    if (kernel_deterministic(c) && memcmp(uploaded, q->again, bytes) != 0)
        die("%s, %s: the layout built on the GPU differs from the host's", q->name, text);
    storage_free(l);
    free(uploaded);
}

static inline void check_config(const char *text, void *arg)
{
    struct problem *q = arg;
    const struct target t = gpu_target(gpu, q->p);
    struct storage *l;
    struct storage *s;
    struct config c;
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    if ((ours_only && c.kernel->library) || kernel_applicable(q->f, &c, &t, why) != 0)
        return;
    const int built = c.kernel->layout->build(&q->view, &c, &t, &s, why);
    if (built == FAIL && c.kernel->library && strstr(why, ", limit "))
        return; /* too much fill */
    must(built, text, why);
    must(backend_cuda.upload(gpu, s, &l, why), text, why);
    check_arrays(q, l, s, text);
    check_device_layout(q, l, &c, text);
    if (q->on_device && layout_cuda_find(c.kernel->layout->name)->build)
        check_built(q, &c, s, text);
    storage_free(l);
    storage_free(s);
    q->built++;
}

/* ---- uploading a matrix ---- */
static inline void *put_array(const void *from, int64_t bytes)
{
    void *to;
    char why[ERRLEN];

    must(gpu->memory->alloc(gpu, bytes > 0 ? bytes : 1, &to, why), "array", why);
    if (bytes > 0)
        must(gpu->memory->put(gpu, to, from, bytes, why), "array", why);
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
