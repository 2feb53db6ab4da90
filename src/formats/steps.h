/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of dense blocks: how many steps their thread blocks take. In a step, each thread of a thread block
 * multiplies one block (choi2010 6.3: a thread block reads N blocks per block row). Each kernel computes its own steps
 * (struct kernel: steps) from features alone; exact for a dense matrix, otherwise estimated from block_fill.h and the
 * lengths of the rows. */
#ifndef SPMVCAST_FORMATS_STEPS_H
#define SPMVCAST_FORMATS_STEPS_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

struct steps {
    int64_t thread_blocks; /* of the grid: choi2010's L */
    double warp_rows;      /* rows of the matrix that a warp works on at once */
    int n;
    /* [n], owned. steps: ascending; count: thread blocks that take so many steps, in total thread_blocks; work: the
     * steps that the blocks they read would fill, at most `steps`: threads are idle if `lanes` does not divide the blocks
     * of a block row, or other block rows of the thread block are shorter. */
    double *steps, *count, *work;
};

/* Fills all members for a resolved configuration on a device with thread blocks. Returns FAIL if the kernel does not
 * multiply dense blocks. */
int kernel_steps(const struct features *, const struct config *, struct steps *);
void steps_free(struct steps *);
/* Returns the mean over the thread blocks: choi2010's N. */
double steps_mean(const struct steps *);

/* Shared by kernels. Adds `count` thread blocks whose longest block row has `width` blocks, and whose block rows have
 * `mean` on average, with `lanes` threads per block row. Call with ascending widths, at most `room` times after
 * steps_begin. */
void steps_begin(struct steps *, int64_t thread_blocks, double warp_rows, int room);
void steps_add(struct steps *, double width, double mean, int lanes, double count);
#ifdef __cplusplus
}
#endif
#endif
