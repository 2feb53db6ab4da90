/* SPDX-License-Identifier: BSD-3-Clause */
/* HYB (Bell and Garland): part 0, the head, holds the first k entries of each row; part 1, the tail, holds the rest.
 * Both parts keep the rows and columns of the whole matrix. The storage is a struct parts.
 *
 * A part without entries has storage NULL and launches nothing; if neither part has entries, the head stays to write
 * y. The first existing part gets the caller's y_mode, the others Y_ADD.
 * A part's layout keys are those of its storage; its launch keys (`lanes`, `block` ...) come from config_part() of the
 * launched configuration. Configurations that differ only in launch keys, or in kernels of the same layout, share a
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
