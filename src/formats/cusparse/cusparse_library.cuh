/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE, opened when it is first asked for, so that nothing here needs it to be installed; and a multiplication by
 * its generic SpMV, which all formats of it but one function share. */
#ifndef SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#define SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#include <cusparse.h>
#include "device/cuda.cuh"

struct cusparse_library {
    void *handle; /* NULL: not there, or without what every format needs */
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
    /* Of one format each: NULL where this version has it not. */
    decltype(&cusparseCreateCsr) create_csr;
    decltype(&cusparseCreateCoo) create_coo;
    decltype(&cusparseCreateSlicedEll) create_sell;
    decltype(&cusparseCreateBsr) create_bsr;
    decltype(&cusparseCreateMatDescr) create_description;
    decltype(&cusparseDestroyMatDescr) destroy_description;
    decltype(&cusparseSbsrmv) bsrmv_f32;
    decltype(&cusparseDbsrmv) bsrmv_f64;
};

/* FAIL: why says where it was looked for. */
int cusparse_open(const struct cusparse_library **, char why[ERRLEN]);
/* 0, FAIL or OOM. */
int cusparse_check(const struct cusparse_library *, cusparseStatus_t, const char *call, char why[ERRLEN]);
/* FAIL where the library lacks a function: why names it and the version. */
int cusparse_needs(bool there, const char *function, char why[ERRLEN]);
/* alpha or beta on the host: 1 or 0 of a type. */
const void *cusparse_scalar(cudaDataType_t, bool one);
static inline cudaDataType_t cusparse_type(enum precision p) { return p == F32 ? CUDA_R_32F : CUDA_R_64F; }

/* How a layout is described to the library. values: the layout's, for vectors to stand on until a launch names them. */
struct cusparse_format {
    const char *function;
    bool (*there)(const struct cusparse_library *);
    cusparseStatus_t (*describe)(const struct cusparse_library *, const struct device_layout *, cudaDataType_t,
                                 cusparseSpMatDescr_t *, void **values);
};

/* Plans of struct kernel_cuda. pre: cusparseSpMV_preprocess beforehand. Without entries a launch zeroes y, or does
 * nothing. */
int cusparse_spmv_prepare(struct device *, const struct device_layout *, const struct cusparse_format *,
                          cusparseSpMVAlg_t, bool pre, void **prepared, char why[ERRLEN]);
int cusparse_spmv_launch(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
void cusparse_spmv_release(void *prepared);
/* The library does not tell: FAIL. */
int cusparse_no_attributes(void *prepared, struct kernel_attributes *);
#endif
