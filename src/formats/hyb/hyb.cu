/* SPDX-License-Identifier: BSD-3-Clause */
/* HYB on a CUDA device: each part has its own layout and kernel. The matrix is cut on the GPU with two prefix sums. */
#include <cstdlib>
#include <cstring>
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "formats/hyb/hyb.h"
#include "formats/storage.h"
#include "recipes/expand.h"

enum { HEAD, TAIL, NPARTS };

/* ---------------------------------------------------------------------------------------------------------- layout */
/* Thread t of the grid handles row t. */
static __global__ void cut_lengths(const int32_t *row_ptr, int64_t rows, int64_t k, int32_t *head, int32_t *tail)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i >= rows)
        return;
    const int32_t length = row_ptr[i + 1] - row_ptr[i],
                  first = static_cast<int32_t>(min(static_cast<int64_t>(length), k));
    head[i] = first;
    tail[i] = length - first;
}

/* One warp per row copies its entries to the head and the tail. */
template <typename T>
static __global__ void cut_entries(const int32_t *row_ptr, const int32_t *col, const T *val, int64_t rows,
                                   const int32_t *head_ptr, int32_t *head_col, T *head_val, const int32_t *tail_ptr,
                                   int32_t *tail_col, T *tail_val)
{
    const int64_t i = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;

    if (i >= rows)
        return;
    const int64_t begin = row_ptr[i], length = row_ptr[i + 1] - begin, first = head_ptr[i + 1] - head_ptr[i];
    for (int64_t e = threadIdx.x % WARP; e < length; e += WARP) {
        if (e < first) {
            head_col[head_ptr[i] + e] = col[begin + e];
            head_val[head_ptr[i] + e] = val[begin + e];
        } else {
            tail_col[tail_ptr[i] + e - first] = col[begin + e];
            tail_val[tail_ptr[i] + e - first] = val[begin + e];
        }
    }
}

static int part_alloc(struct device *d, struct device_csr *part, char why[ERRLEN])
{
    int status = 0;

    if ((status = cuda_alloc_n(d, part->nnz, &part->col, why)) != 0)
        return status;
    return cuda_alloc(d, part->nnz * precision_bytes(part->precision), &part->val, why);
}

template <typename T>
static void launch_cut(struct device *d, const struct device_csr *a, const struct device_csr *head,
                       const struct device_csr *tail, dim3 blocks, dim3 threads)
{
    cut_entries<T><<<blocks, threads, 0, cuda_stream(d)>>>(a->row_ptr, a->col, static_cast<const T *>(a->val), a->rows,
                                                           head->row_ptr, head->col, static_cast<T *>(head->val),
                                                           tail->row_ptr, tail->col, static_cast<T *>(tail->val));
}

/* Cuts `a` after k entries of each row. head and tail own their arrays, even after a failure. */
static int cut(struct device *d, const struct device_csr *a, int64_t k, struct device_csr *head,
               struct device_csr *tail, char why[ERRLEN])
{
    dim3 blocks, threads;
    int32_t count = 0;
    int status = 0;

    *head = *tail = device_csr();
    head->rows = tail->rows = a->rows;
    head->cols = tail->cols = a->cols;
    head->precision = tail->precision = a->precision;
    head->row_max = a->row_max < k ? a->row_max : k;
    tail->row_max = a->row_max - head->row_max;
    if ((status = cuda_alloc_n(d, a->rows + 1, &head->row_ptr, why)) != 0)
        return status;
    if ((status = cuda_alloc_n(d, a->rows + 1, &tail->row_ptr, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(a->rows, 256), &blocks, &threads, why)) != 0)
        return status;
    cut_lengths<<<blocks, threads, 0, cuda_stream(d)>>>(a->row_ptr, a->rows, k, head->row_ptr, tail->row_ptr);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    if ((status = cuda_scan(d, head->row_ptr, a->rows, why)) != 0)
        return status;
    if ((status = cuda_scan(d, tail->row_ptr, a->rows, why)) != 0)
        return status;
    if ((status = cuda_get(d, &count, head->row_ptr + a->rows, sizeof count, why)) != 0)
        return status;
    head->nnz = count;
    tail->nnz = a->nnz - count;
    if ((status = part_alloc(d, head, why)) != 0 || (status = part_alloc(d, tail, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(a->rows * WARP, 256), &blocks, &threads, why)) != 0)
        return status;
    if (a->precision == F32)
        launch_cut<float>(d, a, head, tail, blocks, threads);
    else
        launch_cut<double>(d, a, head, tail, blocks, threads);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    return CUDA_WAIT(d, why);
}

/* Copies a matrix from the device to the host. FAIL or OOM: nothing is left allocated. */
static int csr_fetch(struct device *d, const struct device_csr *from, struct csr *to, char why[ERRLEN])
{
    const size_t nnz = static_cast<size_t>(from->nnz);
    int32_t *row_ptr = static_cast<int32_t *>(xmalloc((static_cast<unsigned long>(from->rows) + 1) * sizeof *row_ptr));
    int status = csr_alloc(to, from->rows, from->cols, from->nnz, why);

    if (status) {
        free(row_ptr);
        return status;
    }
    if ((status = cuda_get(d, row_ptr, from->row_ptr, (from->rows + 1) * static_cast<int64_t>(sizeof *row_ptr), why))
        != 0)
        goto out;
    if ((status = cuda_get(d, to->col, from->col, from->nnz * static_cast<int64_t>(sizeof *to->col), why)) != 0)
        goto out;
    if ((status = cuda_get(d, to->val, from->val, from->nnz * precision_bytes(from->precision), why)) != 0)
        goto out;
    for (int64_t i = 0; i <= from->rows; i++)
        to->row_ptr[i] = row_ptr[i];
    /* Converts in place, from the last value to the first, so that each is read before its place is overwritten. */
    if (from->precision == F32)
        for (size_t k = nnz; k-- > 0;) {
            float v;
            memcpy(&v, reinterpret_cast<const char *>(to->val) + k * sizeof v, sizeof v);
            to->val[k] = v;
        }
out:
    free(row_ptr);
    if (status)
        csr_free(to);
    return status;
}

/* Builds a part whose layout has a host build only. */
static int build_on_host(struct device *d, const struct device_csr *csr, const struct config *config,
                         struct storage **out, char why[ERRLEN])
{
    struct target target = {};
    struct storage *s = nullptr;
    struct csr a;
    int status = csr_fetch(d, csr, &a, why);

    if (status)
        return status;
    target.device = d->geometry;
    target.precision = csr->precision;
    const struct csr_view view = csr_view_all(&a);
    if ((status = config->kernel->layout->build(&view, config, &target, &s, why)) == 0) {
        status = storage_upload(d, s, out, why);
        storage_free(s);
    }
    csr_free(&a);
    return status;
}

/* f: features of the whole matrix. */
static int build_part(struct device *d, struct part_storage *part, const struct device_csr *csr,
                      const struct config *whole, int p, const struct features *f, char why[ERRLEN])
{
    struct features mine;

    if (hyb_layout.part(f, whole, p, &part->config, &mine) != 0)
        return fail(why, "hyb has no part %d", p);
    const struct layout_cuda *layout = layout_cuda_find(part->config.kernel->layout->name);
    const int status = layout->build ? layout->build(d, csr, &part->config, &mine, &part->storage, why)
                                     : build_on_host(d, csr, &part->config, &part->storage, why);
    features_free(&mine);
    return status;
}

static int layout_build(struct device *d, const struct device_csr *csr, const struct config *config,
                        const struct features *f, struct storage **out, char why[ERRLEN])
{
    const int64_t k = config_int(config, "k");
    struct parts *s = static_cast<struct parts *>(storage_on(d, &hyb_layout, csr));
    struct part_storage *head = &s->part[HEAD], *tail = &s->part[TAIL];
    int status = 0;

    s->n = NPARTS;
    if (csr->row_max <= k) { /* all entries are in one part: nothing to cut */
        status = build_part(d, head, csr, config, HEAD, f, why);
    } else if (k == 0) {
        status = build_part(d, tail, csr, config, TAIL, f, why);
    } else if ((status = cut(d, csr, k, &head->csr, &tail->csr, why)) == 0) {
        if ((status = build_part(d, head, &head->csr, config, HEAD, f, why)) == 0)
            status = build_part(d, tail, &tail->csr, config, TAIL, f, why);
    }
    for (int p = 0; p < NPARTS && status == 0; p++)
        if (s->part[p].storage && !layout_cuda_find(s->part[p].storage->layout->name)->refers)
            cuda_csr_release(d, &s->part[p].csr);
    return storage_done(status, &s->base, out);
}

extern const struct layout_cuda hyb_layout_cuda = { .name = "hyb", .build = layout_build, .refers = true };

/* ---------------------------------------------------------------------------------------------------------- kernel */
struct hyb_prepared {
    int n;    /* parts that launch something, in order */
    int only; /* index of the only part to launch; -1: all */
    struct {
        int number;
        const struct kernel_cuda *kernel;
        void *prepared;
    } part[PARTS_MAX];
};

static void hyb_release(void *prepared)
{
    struct hyb_prepared *h = static_cast<struct hyb_prepared *>(prepared);

    for (int p = 0; p < h->n; p++)
        h->part[p].kernel->release(h->part[p].prepared);
    free(h);
}

static int hyb_prepare(struct device *d, const struct storage *base, const struct config *config, void **prepared,
                       char why[ERRLEN])
{
    const struct parts *s = reinterpret_cast<const struct parts *>(base);
    struct hyb_prepared *h = static_cast<struct hyb_prepared *>(xcalloc(1, sizeof *h));
    struct config part;
    int status = 0;

    h->only = -1;
    for (int p = 0; p < s->n && status == 0; p++) {
        const struct kernel_cuda *kernel;
        if (!s->part[p].storage)
            continue;
        if ((status = config_part(config, parts_name(&hyb_layout, p), &part, why)) != 0)
            break;
        kernel = kernel_cuda_find(part.kernel->name);
        if (!kernel)
            status = fail(why, "%s: no CUDA code for this kernel", part.kernel->name);
        else if ((status = kernel->prepare(d, s->part[p].storage, &part, &h->part[h->n].prepared, why)) == 0) {
            h->part[h->n].number = p;
            h->part[h->n++].kernel = kernel;
        }
    }
    if (status)
        hyb_release(h);
    else
        *prepared = h;
    return status;
}

static int hyb_launch(void *prepared, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct hyb_prepared *h = static_cast<const struct hyb_prepared *>(prepared);
    int status = 0;

    for (int p = 0; p < h->n && status == 0; p++) {
        if (h->only < 0 || h->only == p)
            status = h->part[p].kernel->launch(h->part[p].prepared, x, y, mode, s);
        mode = Y_ADD;
    }
    return status;
}

static int hyb_only(void *prepared, int part)
{
    struct hyb_prepared *h = static_cast<struct hyb_prepared *>(prepared);
    int at = -1;

    for (int p = 0; p < h->n; p++)
        if (h->part[p].number == part)
            at = p;
    if (part >= 0 && at < 0)
        return FAIL;
    h->only = at;
    return 0;
}

/* Gives the attributes of the main launch, that of the first part launched. */
static int hyb_attributes(void *prepared, struct kernel_attributes *a)
{
    const struct hyb_prepared *h = static_cast<const struct hyb_prepared *>(prepared);
    const int p = h->only < 0 ? 0 : h->only;

    return h->n > 0 ? h->part[p].kernel->attributes(h->part[p].prepared, a) : FAIL;
}

extern const struct kernel_cuda hyb_kernel_cuda = { .name = "hyb",
                                                    .prepare = hyb_prepare,
                                                    .launch = hyb_launch,
                                                    .attributes = hyb_attributes,
                                                    .part = hyb_only,
                                                    .release = hyb_release,
                                                    .waits = false };
