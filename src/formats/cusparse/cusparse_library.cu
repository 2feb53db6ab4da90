/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads cuSPARSE and translates its errors. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <type_traits>
#include "formats/cusparse/cusparse_library.cuh"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define SONAME "libcusparse.so." TEXT(CUSPARSE_VER_MAJOR)

static void *open_library(void)
{
    const char *home = getenv("CUDA_HOME");
    char path[4096];
    void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

    if (!handle && home && snprintf(path, sizeof path, "%s/lib64/" SONAME, home) < static_cast<int>(sizeof path))
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return handle ? handle : dlopen("/usr/local/cuda/lib64/" SONAME, RTLD_NOW | RTLD_LOCAL);
}

template <typename F> static bool find(void *handle, F *function, const char *name)
{
    *function = reinterpret_cast<F>(dlsym(handle, name));
    return *function != nullptr;
}

/* Finds the functions that all formats need; false if one is missing. */
static bool find_common(struct cusparse_library *l)
{
    return find(l->handle, &l->property, "cusparseGetProperty") && find(l->handle, &l->error, "cusparseGetErrorString")
           && find(l->handle, &l->create, "cusparseCreate") && find(l->handle, &l->destroy, "cusparseDestroy")
           && find(l->handle, &l->set_stream, "cusparseSetStream")
           && find(l->handle, &l->destroy_matrix, "cusparseDestroySpMat")
           && find(l->handle, &l->create_vector, "cusparseCreateDnVec")
           && find(l->handle, &l->set_values, "cusparseDnVecSetValues")
           && find(l->handle, &l->destroy_vector, "cusparseDestroyDnVec")
           && find(l->handle, &l->buffer_size, "cusparseSpMV_bufferSize")
           && find(l->handle, &l->preprocess, "cusparseSpMV_preprocess") && find(l->handle, &l->spmv, "cusparseSpMV");
}

/* Finds the functions that only one format needs. */
static void find_others(struct cusparse_library *l)
{
    (void)find(l->handle, &l->create_csr, "cusparseCreateCsr");
    (void)find(l->handle, &l->create_coo, "cusparseCreateCoo");
    (void)find(l->handle, &l->create_sell, "cusparseCreateSlicedEll");
    (void)find(l->handle, &l->create_bsr, "cusparseCreateBsr");
    (void)find(l->handle, &l->create_description, "cusparseCreateMatDescr");
    (void)find(l->handle, &l->destroy_description, "cusparseDestroyMatDescr");
    (void)find(l->handle, &l->bsrmv_f32, "cusparseSbsrmv");
    (void)find(l->handle, &l->bsrmv_f64, "cusparseDbsrmv");
    if (l->version < CUSPARSE_OP)
        return;
    (void)find(l->handle, &l->op_size, "cusparseSpMVOp_bufferSize");
    (void)find(l->handle, &l->op_describe, "cusparseSpMVOp_createDescr");
    (void)find(l->handle, &l->op_make_plan, "cusparseSpMVOp_createPlan");
    (void)find(l->handle, &l->op_multiply, "cusparseSpMVOp");
    (void)find(l->handle, &l->op_destroy_description, "cusparseSpMVOp_destroyDescr");
    (void)find(l->handle, &l->op_destroy_plan, "cusparseSpMVOp_destroyPlan");
}

/* Fills a library whose handle is set; false, and the handle NULL, if it cannot be used. */
static bool find_all(struct cusparse_library *l)
{
    int major = 0, minor = 0, patch = 0;

    if (find_common(l) && l->property(MAJOR_VERSION, &major) == CUSPARSE_STATUS_SUCCESS
        && l->property(MINOR_VERSION, &minor) == CUSPARSE_STATUS_SUCCESS
        && l->property(PATCH_LEVEL, &patch) == CUSPARSE_STATUS_SUCCESS) {
        l->version = major * 1000000 + minor * 1000 + patch;
        find_others(l);
        return true;
    }
    dlclose(l->handle);
    l->handle = nullptr;
    return false;
}

/* The libraries of this process; the mutex serves handles of several threads. */
enum { LIBRARIES_MAX = 16 };
static struct loaded {
    char file[4096]; /* "": the loader's */
    struct cusparse_library library;
} loaded[LIBRARIES_MAX];
static int nloaded;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Opens a file. Without a directory it is that of the current one, not what the loader finds by the name. */
static void *open_file(const char *file)
{
    char here[sizeof loaded->file + 2];

    snprintf(here, sizeof here, "%s%s", strchr(file, '/') ? "" : "./", file);
    return dlopen(here, RTLD_NOW | RTLD_LOCAL);
}

/* Returns the entry of a file, which the first call loads; NULL if there is no room. */
static struct cusparse_library *load(const char *file)
{
    struct loaded *l = loaded;

    while (l < loaded + nloaded && strcmp(l->file, file) != 0)
        l++;
    if (l == loaded + LIBRARIES_MAX || strlen(file) >= sizeof l->file)
        return nullptr;
    if (l == loaded + nloaded) {
        nloaded++;
        memcpy(l->file, file, strlen(file) + 1);
        l->library.handle = *file ? open_file(file) : open_library();
        if (l->library.handle)
            (void)find_all(&l->library);
    }
    return &l->library;
}

const struct cusparse_library *cusparse_load(const char *file, char why[ERRLEN])
{
    pthread_mutex_lock(&loading);
    const struct cusparse_library *l = load(file ? file : "");
    pthread_mutex_unlock(&loading);
    if (l && l->handle)
        return l;
    if (file)
        fail(why, "cannot load %.400s as cuSPARSE; give the path of a libcusparse.so.12", file);
    else
        fail(why,
             "cannot open " SONAME "; install cuSPARSE and add its directory to LD_LIBRARY_PATH, or set CUDA_HOME");
    return nullptr;
}

int cusparse_open(const struct device *d, const struct cusparse_library **l, char why[ERRLEN])
{
    *l = d->vendor ? static_cast<const struct cusparse_library *>(d->vendor) : cusparse_load(nullptr, why);
    return *l ? 0 : FAIL;
}

void cusparse_version(const struct cusparse_library *l, char text[32])
{
    snprintf(text, 32, "%d.%d.%d", l->version / 1000000, l->version / 1000 % 1000, l->version % 1000);
}

int cusparse_check(const struct cusparse_library *l, cusparseStatus_t s, const char *call, char why[ERRLEN])
{
    if (s == CUSPARSE_STATUS_SUCCESS)
        return 0;
    (void)cudaGetLastError();
    fail(why, "%s: %s", call, l->error(s));
    return s == CUSPARSE_STATUS_ALLOC_FAILED || s == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? OOM : FAIL;
}

int cusparse_needs(const struct cusparse_library *l, bool there, const char *function, char why[ERRLEN])
{
    char version[32];

    if (there)
        return 0;
    cusparse_version(l, version);
    return fail(why, "cuSPARSE %s lacks %s; install a newer version", version, function);
}

const void *cusparse_scalar(cudaDataType_t type, bool one)
{
    static const float f32[2] = { 0, 1 };
    static const double f64[2] = { 0, 1 };

    return type == CUDA_R_32F ? static_cast<const void *>(f32 + one) : f64 + one;
}
