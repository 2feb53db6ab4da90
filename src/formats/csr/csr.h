/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed sparse rows with 32-bit offsets, and the grids of its kernels. Host tables and CUDA launches call the
 * same functions, so the empty kernel t0 is timed with the actual grid. */
#ifndef SPMVCAST_FORMATS_CSR_CSR_H
#define SPMVCAST_FORMATS_CSR_CSR_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

struct csr_storage {
    struct storage base;
    int32_t *row_ptr;       /* [rows + 1] */
    int32_t *col;           /* [nnz] */
    void *val;              /* [nnz] in target.precision */
    int64_t row_max;        /* longest row; 0: not known */
    struct row_list listed; /* of the struct device_csr that it refers to */
};

/* With so many lanes or more, neighbouring threads read a whole sector of 32 bytes at once. */
enum { CSR_LANES_TAKE_SECTOR = 8 };
static inline bool csr_lanes_few(const struct config *c) { return config_int(c, "lanes") < CSR_LANES_TAKE_SECTOR; }

/* csr-scalar: thread t of the grid handles row t. */
static inline struct grid csr_scalar_grid(int64_t rows, int block) { return grid_of(rows, block); }

/* csr-vector: group g of `lanes` neighbouring threads handles the `group_rows` rows from g * group_rows on, up to four
 * at once. */
static inline struct grid csr_vector_grid(int64_t rows, int lanes, int group_rows, int block)
{
    return grid_of((rows + group_rows - 1) / group_rows * lanes, block);
}

/* csr-block: returns the rows per thread block, a power of two from 1 to `block` chosen for about four entries per
 * thread. Their entries are read as one run. A short row is summed by block / csr_block_rows() threads, at most a warp,
 * a long one by all threads of the block. */
static inline int csr_block_rows(int64_t rows, int64_t nnz, int block)
{
    const int64_t wanted = nnz > 0 ? 4 * (int64_t)block * rows / nnz : block;
    int n = 1;
    while (2 * n <= block && 2 * n <= wanted)
        n *= 2;
    return n;
}
static inline struct grid csr_block_grid(int64_t rows, int64_t nnz, int block)
{
    const int n = csr_block_rows(rows, nnz, block);
    return grid_of((rows + n - 1) / n * block, block);
}

extern const struct layout csr_layout;
/* Needs no conversion: the storage refers to the arrays of a matrix on a device, the CPU among them. Returns 0. */
int csr_refer(struct device *, const struct device_csr *, struct storage **out);

/* csr_cpu.c: kernels of the CPU device. x, y and sums have the storage's precision. */
void csr_spmv_rows(const struct storage *, const void *x, void *y, enum y_mode);
void csr_spmv_lanes(const struct storage *, int lanes, const void *x, void *y, enum y_mode);
void csr_spmv_equal(const struct storage *, const void *x, void *y, enum y_mode);
#ifdef __cplusplus
}
#endif
#endif
