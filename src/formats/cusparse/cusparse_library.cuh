/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE, loaded on first use, so that it need not be installed, and its generic SpMV, for which formats differ
 * only in the function that describes the matrix. */
#ifndef SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#define SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_LIBRARY_CUH
#include <cusparse.h>
#include "device/cuda.cuh"
#include "formats/format.h"

/* cusparseSpMVOp, declared here because the header of CUDA 13.0 lacks it. Versions before CUSPARSE_OP have functions of these names with
 * other arguments. */
enum { CUSPARSE_OP = 12008001 };
struct cusparse_op_description;
struct cusparse_op_plan;
typedef cusparseStatus_t cusparse_op_size(cusparseHandle_t, cusparseOperation_t, cusparseConstSpMatDescr_t a,
                                          cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cusparseDnVecDescr_t z,
                                          cudaDataType, int algorithm, size_t *bytes);
typedef cusparseStatus_t cusparse_op_describe(cusparseHandle_t, struct cusparse_op_description **, cusparseOperation_t,
                                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                              cusparseDnVecDescr_t y, cusparseDnVecDescr_t z, cudaDataType,
                                              int algorithm, void *buffer);
typedef cusparseStatus_t cusparse_op_make_plan(cusparseHandle_t, struct cusparse_op_description *,
                                               struct cusparse_op_plan **, const void *code, size_t code_bytes);
typedef cusparseStatus_t cusparse_op_multiply(cusparseHandle_t, struct cusparse_op_plan *, const void *alpha,
                                              const void *beta, cusparseConstDnVecDescr_t x,
                                              cusparseConstDnVecDescr_t y, cusparseDnVecDescr_t z);

struct cusparse_library {
    void *handle; /* NULL: the library was not found or lacks a function that every format needs */
    int version;  /* 12009004 is 12.9.4 */
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
    cusparse_op_size *op_size;
    cusparse_op_describe *op_describe;
    cusparse_op_make_plan *op_make_plan;
    cusparse_op_multiply *op_multiply;
    cusparseStatus_t (*op_destroy_description)(struct cusparse_op_description *);
    cusparseStatus_t (*op_destroy_plan)(struct cusparse_op_plan *);
};

/* The library in a file, or for NULL the one that the loader finds; it is loaded once and stays. NULL: why names the file and how to
 * make it available. The loader's must be asked for first: a file of the same name would be taken for it. Several versions may be used in
 * a process. */
const struct cusparse_library *cusparse_load(const char *file, char why[ERRLEN]);
void cusparse_version(const struct cusparse_library *, char text[32]);
/* The library that was chosen for the device, by default the loader's. Returns 0, or FAIL as cusparse_load does. */
int cusparse_open(const struct device *, const struct cusparse_library **, char why[ERRLEN]);
/* Returns 0 if the status is success, otherwise FAIL or OOM: why names the call and the error. */
int cusparse_check(const struct cusparse_library *, cusparseStatus_t, const char *call, char why[ERRLEN]);
/* Returns 0 if the function is there, otherwise FAIL: why names the function and the version. */
int cusparse_needs(const struct cusparse_library *, bool there, const char *function, char why[ERRLEN]);
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

/* The call of cusparse_format for the arrays of our layout csr, which cusparse-csr and cusparse-op share. */
cusparseStatus_t cusparse_describe_csr(const struct cusparse_library *, const struct storage *, cudaDataType_t,
                                       cusparseSpMatDescr_t *, void **values);

struct cusparse_spmv {
    struct device *device;
    const struct cusparse_library *l;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    cusparseSpMVAlg_t algorithm;
    cudaDataType_t type;
    int64_t y_bytes;
    void *buffer;
    bool empty; /* a matrix without entries, for which the library is not called */
};

/* Functions for struct kernel_cuda; what is prepared is a struct cusparse_spmv. pre: call cusparseSpMV_preprocess once. For a matrix without entries, a launch
 * zeroes y (Y_SET) or does nothing (Y_ADD). */
int cusparse_spmv_prepare(struct device *, const struct storage *, const struct cusparse_format *, cusparseSpMVAlg_t,
                          bool pre, void **prepared, char why[ERRLEN]);
int cusparse_spmv_launch(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
void cusparse_spmv_release(void *prepared);
/* Returns FAIL, as the library does not expose attributes. */
int cusparse_no_attributes(void *prepared, struct kernel_attributes *);
#endif
