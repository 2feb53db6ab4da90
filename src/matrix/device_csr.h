/* SPDX-License-Identifier: BSD-3-Clause */
/* A CSR matrix on a device, and the functions that take one from a caller and read it (csr_take.cu, csr_take_cpu.c, examine.cu). */
#ifndef SPMVCAST_MATRIX_DEVICE_CSR_H
#define SPMVCAST_MATRIX_DEVICE_CSR_H
#include "device/device.h"
#include "matrix/features.h"
#ifdef __cplusplus
extern "C" {
#endif

/* What a look at the row pointers lists on the way (matrix/look.cuh): rows of more than `cut` entries, in pieces of at most `size` entries.
 * cut 0: nothing. */
struct row_list {
    int32_t cut, size;
    int64_t n, room; /* pieces, and how many of them are there; set by the look */
    uint64_t turn;   /* names the device's memory that holds them (cuda_spare) */
};

/* With 32-bit offsets. */
struct device_csr {
    int64_t rows, cols, nnz;
    int32_t *row_ptr;
    int32_t *col;
    void *val;
    enum precision precision;
    int64_t row_max; /* 0: not known */
    struct row_list listed;
};

/* A CSR matrix of a caller, all of it in host or all in device memory: base 0 or 1, row pointers of 32 or 64 bits. */
struct csr_arrays {
    int64_t rows, cols, nnz;
    const void *row_ptr; /* [rows + 1] of row_ptr_bits bits */
    const int32_t *col;  /* [nnz] */
    const void *val;     /* [nnz] in `precision` */
    int row_ptr_bits, base;
    enum precision precision;
    bool copy; /* also arrays that could be referred to */
};
/* What `examine` computes: row_max alone; features; features with the fill of blocks. On the host also the number of diagonals alone. */
enum { EXAMINE_LONGEST = 0, EXAMINE_COLUMNS = 1, EXAMINE_BLOCKS = 2, EXAMINE_DIAGONALS = 4 };

/* backend.csr_take and backend.examine */
int cpu_csr_take(struct device *, const struct csr_arrays *, struct device_csr *, void *owned[3], char why[ERRLEN]);
int cuda_csr_take(struct device *, const struct csr_arrays *, struct device_csr *, void *owned[3], char why[ERRLEN]);
int cuda_examine(struct device *, struct device_csr *, unsigned what, struct features *, bool *valid, char why[ERRLEN]);
#ifdef __cplusplus
}
#endif
#endif
