/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE's sliced ELLPACK: slices of c rows in order, each padded to its longest row and stored column by column. */
#ifndef SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_SELL_H
#define SPMVCAST_FORMATS_CUSPARSE_CUSPARSE_SELL_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

struct cusparse_sell_storage {
    struct storage base;
    int c;
    int64_t slices, slots; /* `slots` includes padding; the last slice is padded to c rows too */
    int32_t *off;          /* [slices + 1] */
    int32_t *col;          /* [slots], -1: padding */
    void *val;             /* [slots] in target.precision, padding 0 */
};

extern const struct layout cusparse_sell_layout;
#ifdef __cplusplus
}
#endif
#endif
