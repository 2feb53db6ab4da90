/* SPDX-License-Identifier: BSD-3-Clause */
/* cusparse-csr, the yardstick: cuSPARSE's generic SpMV on our CSR arrays. The library is opened when it is first asked for,
 * so that nothing here needs it to be installed. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cusparse.h>
#include <dlfcn.h>
#include "device/cuda.cuh"
#include "formats/csr/csr.cuh"

/* ---------------------------------------------------------------------------------------------------------- library */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define SONAME "libcusparse.so." TEXT(CUSPARSE_VER_MAJOR)

struct library {
    void *handle;
    decltype(&cusparseGetProperty) property;
    decltype(&cusparseGetErrorString) error;
    decltype(&cusparseCreate) create;
    decltype(&cusparseDestroy) destroy;
    decltype(&cusparseSetStream) set_stream;
    decltype(&cusparseCreateCsr) create_csr;
    decltype(&cusparseDestroySpMat) destroy_matrix;
    decltype(&cusparseCreateDnVec) create_vector;
    decltype(&cusparseDnVecSetValues) set_values;
    decltype(&cusparseDestroyDnVec) destroy_vector;
    decltype(&cusparseSpMV_bufferSize) buffer_size;
    decltype(&cusparseSpMV_preprocess) preprocess;
    decltype(&cusparseSpMV) spmv;
};

static void *open_library(void)
{
    const char *home = getenv("CUDA_HOME");
    char path[4096];
    void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

    if (!handle && home && snprintf(path, sizeof path, "%s/lib64/" SONAME, home) < static_cast<int>(sizeof path)) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return handle ? handle : dlopen("/usr/local/cuda/lib64/" SONAME, RTLD_NOW | RTLD_LOCAL);
}

/* The library of this process; handle NULL when it is not there or lacks a function. */
static const struct library *library(void)
{
    static struct library l;
    static bool tried;
    bool whole = true;
    const auto find = [&whole](auto *function, const char *name) {
        *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(l.handle, name));
        whole = whole && *function;
    };

    if (tried) return &l;
    tried = true;
    if ((l.handle = open_library()) == nullptr) return &l;
    find(&l.property, "cusparseGetProperty");
    find(&l.error, "cusparseGetErrorString");
    find(&l.create, "cusparseCreate");
    find(&l.destroy, "cusparseDestroy");
    find(&l.set_stream, "cusparseSetStream");
    find(&l.create_csr, "cusparseCreateCsr");
    find(&l.destroy_matrix, "cusparseDestroySpMat");
    find(&l.create_vector, "cusparseCreateDnVec");
    find(&l.set_values, "cusparseDnVecSetValues");
    find(&l.destroy_vector, "cusparseDestroyDnVec");
    find(&l.buffer_size, "cusparseSpMV_bufferSize");
    find(&l.preprocess, "cusparseSpMV_preprocess");
    find(&l.spmv, "cusparseSpMV");
    if (!whole) {
        dlclose(l.handle);
        l.handle = nullptr;
    }
    return &l;
}

void cusparse_version(char text[32])
{
    const struct library *l = library();
    int major = 0, minor = 0, patch = 0;

    text[0] = 0;
    if (l->handle && l->property(MAJOR_VERSION, &major) == CUSPARSE_STATUS_SUCCESS && l->property(MINOR_VERSION, &minor) == CUSPARSE_STATUS_SUCCESS &&
        l->property(PATCH_LEVEL, &patch) == CUSPARSE_STATUS_SUCCESS)
        snprintf(text, 32, "%d.%d.%d", major, minor, patch);
}

/* ---------------------------------------------------------------------------------------------------------- kernel */
struct cusparse_plan {
    struct device *device;
    const struct library *l;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    cusparseSpMVAlg_t algorithm;
    cudaDataType_t type;
    int64_t y_bytes;
    void *buffer;
    bool empty;                 /* no entries: nothing for the library to do */
};

/* alpha and beta, by data type; on the host. */
static const float one_f32 = 1, zero_f32 = 0;
static const double one_f64 = 1, zero_f64 = 0;
static const void *scalar(cudaDataType_t type, bool one)
{
    if (type == CUDA_R_32F) return one ? &one_f32 : &zero_f32;
    return one ? &one_f64 : &zero_f64;
}

static int check(const struct library *l, cusparseStatus_t s, const char *call, char why[ERRLEN])
{
    if (s == CUSPARSE_STATUS_SUCCESS) return 0;
    (void)cudaGetLastError();
    fail(why, "%s: %s", call, l->error(s));
    return s == CUSPARSE_STATUS_ALLOC_FAILED || s == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? OOM : FAIL;
}

static void release(void *plan)
{
    struct cusparse_plan *p = static_cast<struct cusparse_plan *>(plan);
    cusparseStatus_t s = CUSPARSE_STATUS_SUCCESS;

    if (p->x) s = p->l->destroy_vector(p->x);
    if (p->y && s == CUSPARSE_STATUS_SUCCESS) s = p->l->destroy_vector(p->y);
    if (p->a && s == CUSPARSE_STATUS_SUCCESS) s = p->l->destroy_matrix(p->a);
    if (p->handle && s == CUSPARSE_STATUS_SUCCESS) s = p->l->destroy(p->handle);
    if (s != CUSPARSE_STATUS_SUCCESS && !p->device->lost) warn("cuSPARSE: cannot free a plan: %s", p->l->error(s));
    cuda_release(p->device, p->buffer);
    free(p);
}

/* Descriptors, scratch and preprocessing. The vectors are named at each launch; until then they stand on the values' array,
 * which no call here reads as a vector. */
static int make(struct cusparse_plan *p, const struct csr_dev *m, bool pre, char why[ERRLEN])
{
    const struct library *l = p->l;
    struct device *d = p->device;
    const void *one = scalar(p->type, true), *zero = scalar(p->type, false);
    size_t bytes = 0;
    int status = 0;

    if ((status = check(l, l->create(&p->handle), "cusparseCreate", why)) != 0) return status;
    if ((status = check(l, l->set_stream(p->handle, cuda_stream(d)), "cusparseSetStream", why)) != 0) return status;
    if ((status = check(l, l->create_csr(&p->a, m->base.rows, m->base.cols, m->base.nnz, m->row_ptr, m->col, m->val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                         CUSPARSE_INDEX_BASE_ZERO, p->type), "cusparseCreateCsr", why)) != 0) return status;
    if ((status = check(l, l->create_vector(&p->x, m->base.cols, m->val, p->type), "cusparseCreateDnVec", why)) != 0) return status;
    if ((status = check(l, l->create_vector(&p->y, m->base.rows, m->val, p->type), "cusparseCreateDnVec", why)) != 0) return status;
    if ((status = check(l, l->buffer_size(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, p->a, p->x, zero, p->y, p->type, p->algorithm, &bytes),
                        "cusparseSpMV_bufferSize", why)) != 0) return status;
    if ((status = cuda_alloc(d, static_cast<int64_t>(bytes), &p->buffer, why)) != 0) return status;
    if (pre && (status = check(l, l->preprocess(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one, p->a, p->x, zero, p->y, p->type, p->algorithm, p->buffer),
                               "cusparseSpMV_preprocess", why)) != 0) return status;
    return CUDA_WAIT(d, why);
}

static int prepare(struct device *d, const struct device_layout *layout, const struct config *config, void **plan, char why[ERRLEN])
{
    const struct library *l = library();
    struct cusparse_plan *p;
    int status = 0;

    if (!l->handle) return fail(why, "cuSPARSE is not installed (" SONAME " was not found: add its folder to LD_LIBRARY_PATH or set CUDA_HOME)");
    p = static_cast<struct cusparse_plan *>(xcalloc(1, sizeof *p));
    p->device = d;
    p->l = l;
    p->algorithm = config_int(config, "alg") == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
    p->type = layout->precision == F32 ? CUDA_R_32F : CUDA_R_64F;
    p->y_bytes = layout->rows * precision_bytes(layout->precision);
    p->empty = layout->nnz == 0;
    if (!p->empty) status = make(p, reinterpret_cast<const struct csr_dev *>(layout), config_int(config, "pre") != 0, why);
    if (status) release(p);
    else *plan = p;
    return status;
}

static int launch(void *plan, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    struct cusparse_plan *p = static_cast<struct cusparse_plan *>(plan);
    const struct library *l = p->l;

    if (p->empty) {
        if (mode == Y_ADD || p->y_bytes == 0) return 0;
        return cudaMemsetAsync(y, 0, static_cast<size_t>(p->y_bytes), s->cuda) == cudaSuccess ? 0 : FAIL;
    }
    if (l->set_stream(p->handle, s->cuda) != CUSPARSE_STATUS_SUCCESS) return FAIL;
    if (l->set_values(p->x, const_cast<void *>(x)) != CUSPARSE_STATUS_SUCCESS || l->set_values(p->y, y) != CUSPARSE_STATUS_SUCCESS) return FAIL;
    return l->spmv(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, scalar(p->type, true), p->a, p->x, scalar(p->type, mode == Y_ADD), p->y, p->type,
                   p->algorithm, p->buffer) == CUSPARSE_STATUS_SUCCESS ? 0 : FAIL;
}

/* The library does not tell. */
static int attributes(void *, struct kernel_attributes *) { return FAIL; }

extern const struct kernel_cuda cusparse_csr_kernel_cuda = {
    .name = "cusparse-csr", .prepare = prepare, .launch = launch, .attributes = attributes, .release = release
};
