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

extern const struct layout hyb_layout;
#ifdef __cplusplus
}
#endif
#endif
