/* SPDX-License-Identifier: BSD-3-Clause */
/* HYB (Bell and Garland): part 0, the head, holds the first k entries of each row, part 1, the tail, the rest; both
 * keep rows and columns of the whole. Its storage is a struct parts.
 *
 * A part without entries has storage NULL and launches nothing; where neither has any, the head stays, so that someone
 * writes y. The first part there is gets the caller's y_mode, the others Y_ADD.
 * A part's LAYOUT keys are those of its storage; its launch keys (lanes, block ...) come from config_part() of the
 * configuration that is launched: configurations that differ in launch keys only, or in kernels of one layout, share a
 * storage. */
#ifndef SPMVCAST_FORMATS_HYB_HYB_H
#define SPMVCAST_FORMATS_HYB_HYB_H
#include "formats/csr/csr.h"
#ifdef __cplusplus
extern "C" {
#endif

static inline int hyb_has_head(int64_t head_nnz, int64_t tail_nnz) { return head_nnz > 0 || tail_nnz == 0; }
static inline int hyb_has_tail(int64_t tail_nnz) { return tail_nnz > 0; }

extern const struct layout hyb_layout;
#ifdef __cplusplus
}
#endif
#endif
