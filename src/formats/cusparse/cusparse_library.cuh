/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE, loaded on first use, so that it need not be installed, and its generic SpMV, for which formats differ
 * only in the function that describes the matrix. */
#ifndef SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#define SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#include <cusparse.h>
#include "device/cuda.cuh"
#include "formats/format.h"

struct cusparse_library {
    void *handle; /* NULL: the library was not found or lacks a function that every format needs */
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
    /* Functions that only one format uses; NULL if this version lacks them. */
    decltype(&cusparseCreateCsr) create_csr;
    decltype(&cusparseCreateCoo) create_coo;
    decltype(&cusparseCreateSlicedEll) create_sell;
    decltype(&cusparseCreateBsr) create_bsr;
    decltype(&cusparseCreateMatDescr) create_description;
    decltype(&cusparseDestroyMatDescr) destroy_description;
    decltype(&cusparseSbsrmv) bsrmv_f32;
    decltype(&cusparseDbsrmv) bsrmv_f64;
};

void cusparse_version(char text[32]); /* "" if the library is not found */
/* Returns 0, or FAIL: why names the library file and how to make it available. */
int cusparse_open(const struct cusparse_library **, char why[ERRLEN]);
/* Returns 0 if the status is success, otherwise FAIL or OOM: why names the call and the error. */
int cusparse_check(const struct cusparse_library *, cusparseStatus_t, const char *call, char why[ERRLEN]);
/* Returns 0 if the function is there, otherwise FAIL: why names the function and the version. */
int cusparse_needs(bool there, const char *function, char why[ERRLEN]);
/* Returns a pointer to 1 or 0 of the given type on the host, for alpha and beta. */
const void *cusparse_scalar(cudaDataType_t, bool one);
static inline cudaDataType_t cusparse_type(enum precision p) { return p == F32 ? CUDA_R_32F : CUDA_R_64F; }

/* How to describe a layout to the library: the name of the function, whether this version has it, and the call.
 * *values gets the layout's values, to which the vectors point until a launch sets them. */
struct cusparse_format {
    const char *function;
    bool (*there)(const struct cusparse_library *);
    cusparseStatus_t (*describe)(const struct cusparse_library *, const struct storage *, cudaDataType_t,
                                 cusparseSpMatDescr_t *, void **values);
};

/* Functions for struct kernel_cuda. pre: call cusparseSpMV_preprocess once. For a matrix without entries, a launch
 * zeroes y (Y_SET) or does nothing (Y_ADD). */
int cusparse_spmv_prepare(struct device *, const struct storage *, const struct cusparse_format *, cusparseSpMVAlg_t,
                          bool pre, void **prepared, char why[ERRLEN]);
int cusparse_spmv_launch(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
void cusparse_spmv_release(void *prepared);
/* Returns FAIL, as the library does not expose attributes. */
int cusparse_no_attributes(void *prepared, struct kernel_attributes *);
#endif
