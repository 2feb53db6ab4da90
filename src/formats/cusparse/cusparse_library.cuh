/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE, loaded on first use, so it need not be installed; and the generic SpMV, which all its formats share
 * except for one function. */
#ifndef SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#define SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#include <cusparse.h>
#include "device/cuda.cuh"

struct cusparse_library {
    void *handle; /* NULL: not found, or lacks a function that every format needs */
    decltype(&cusparseGetProperty) property;
    decltype(&cusparseGetErrorString) error;
    decltype(&cusparseCreate) create;
    decltype(&cusparseDestroy) destroy;
    decltype(&cusparseSetStream) set_stream;
    decltype(&cusparseDestroySpMat) destroy_matrix;
    decltype(&cusparseCreateDnVec) create_vector;
    decltype(&cusparseDnVecSetValues) set_values;
    decltype(&cusparseDestroyDnVec) destroy_vector;
    decltype(&cusparseSpMV_bufferSize) buffer_size;
    decltype(&cusparseSpMV_preprocess) preprocess;
    decltype(&cusparseSpMV) spmv;
    /* Each used by one format; NULL if this version lacks it. */
    decltype(&cusparseCreateCsr) create_csr;
    decltype(&cusparseCreateCoo) create_coo;
    decltype(&cusparseCreateSlicedEll) create_sell;
    decltype(&cusparseCreateBsr) create_bsr;
    decltype(&cusparseCreateMatDescr) create_description;
    decltype(&cusparseDestroyMatDescr) destroy_description;
    decltype(&cusparseSbsrmv) bsrmv_f32;
    decltype(&cusparseDbsrmv) bsrmv_f64;
};

/* FAIL: why names the library file and how to make it available. */
int cusparse_open(const struct cusparse_library **, char why[ERRLEN]);
/* 0, FAIL or OOM. */
int cusparse_check(const struct cusparse_library *, cusparseStatus_t, const char *call, char why[ERRLEN]);
/* Returns FAIL if the library lacks a function; why names the function and the version. */
int cusparse_needs(bool there, const char *function, char why[ERRLEN]);
/* alpha or beta on the host: 1 or 0 of the given type. */
const void *cusparse_scalar(cudaDataType_t, bool one);
static inline cudaDataType_t cusparse_type(enum precision p) { return p == F32 ? CUDA_R_32F : CUDA_R_64F; }

/* How to describe a layout to the library. *values gets the layout's values, to which the vectors point until a
 * launch sets them. */
struct cusparse_format {
    const char *function;
    bool (*there)(const struct cusparse_library *);
    cusparseStatus_t (*describe)(const struct cusparse_library *, const struct device_layout *, cudaDataType_t,
                                 cusparseSpMatDescr_t *, void **values);
};

/* Functions for struct kernel_cuda. pre: call cusparseSpMV_preprocess first. For a matrix without entries, a launch
 * zeroes y or does nothing. */
int cusparse_spmv_prepare(struct device *, const struct device_layout *, const struct cusparse_format *,
                          cusparseSpMVAlg_t, bool pre, void **prepared, char why[ERRLEN]);
int cusparse_spmv_launch(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
void cusparse_spmv_release(void *prepared);
/* The library does not expose attributes: returns FAIL. */
int cusparse_no_attributes(void *prepared, struct kernel_attributes *);
#endif
