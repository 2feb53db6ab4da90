/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads cuSPARSE and translates its errors. */
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
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

/* Returns the library, which the first call loads; handle is NULL if it cannot be used. */
static const struct cusparse_library *library(void)
{
    static struct cusparse_library l;
    static bool tried;

    if (tried)
        return &l;
    tried = true;
    if ((l.handle = open_library()) == nullptr)
        return &l;
    if (!find_common(&l)) {
        dlclose(l.handle);
        l.handle = nullptr;
        return &l;
    }
    (void)find(l.handle, &l.create_csr, "cusparseCreateCsr");
    (void)find(l.handle, &l.create_coo, "cusparseCreateCoo");
    (void)find(l.handle, &l.create_sell, "cusparseCreateSlicedEll");
    (void)find(l.handle, &l.create_bsr, "cusparseCreateBsr");
    (void)find(l.handle, &l.create_description, "cusparseCreateMatDescr");
    (void)find(l.handle, &l.destroy_description, "cusparseDestroyMatDescr");
    (void)find(l.handle, &l.bsrmv_f32, "cusparseSbsrmv");
    (void)find(l.handle, &l.bsrmv_f64, "cusparseDbsrmv");
    return &l;
}

int cusparse_open(const struct cusparse_library **l, char why[ERRLEN])
{
    *l = library();
    if ((*l)->handle)
        return 0;
    return fail(why,
                "cannot open " SONAME "; install cuSPARSE and add its directory to LD_LIBRARY_PATH, or set CUDA_HOME");
}

void cusparse_version(char text[32])
{
    const struct cusparse_library *l = library();
    int major = 0, minor = 0, patch = 0;

    text[0] = 0;
    if (l->handle && l->property(MAJOR_VERSION, &major) == CUSPARSE_STATUS_SUCCESS
        && l->property(MINOR_VERSION, &minor) == CUSPARSE_STATUS_SUCCESS
        && l->property(PATCH_LEVEL, &patch) == CUSPARSE_STATUS_SUCCESS)
        snprintf(text, 32, "%d.%d.%d", major, minor, patch);
}

int cusparse_check(const struct cusparse_library *l, cusparseStatus_t s, const char *call, char why[ERRLEN])
{
    if (s == CUSPARSE_STATUS_SUCCESS)
        return 0;
    (void)cudaGetLastError();
    fail(why, "%s: %s", call, l->error(s));
    return s == CUSPARSE_STATUS_ALLOC_FAILED || s == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES ? OOM : FAIL;
}

int cusparse_needs(bool there, const char *function, char why[ERRLEN])
{
    char version[32];

    if (there)
        return 0;
    cusparse_version(version);
    return fail(why, "cuSPARSE %s lacks %s; install a newer version", version, function);
}

const void *cusparse_scalar(cudaDataType_t type, bool one)
{
    static const float f32[2] = { 0, 1 };
    static const double f64[2] = { 0, 1 };

    return type == CUDA_R_32F ? static_cast<const void *>(f32 + one) : f64 + one;
}
