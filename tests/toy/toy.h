/* SPDX-License-Identifier: BSD-3-Clause */
/* A format for tests/toy.bats, added as docs/adding-a-format.md says: rows padded to a multiple of `pad` entries.
 * Padding follows the entries of a row and has column -1 and value 0. */
#ifndef SPMVCAST_FORMATS_TOY_H
#define SPMVCAST_FORMATS_TOY_H
#include "formats/csr/csr.h"

struct toy_storage {
    struct storage base;
    int64_t slots;    /* entries and padding */
    int32_t *row_ptr; /* [rows + 1], multiples of pad */
    int32_t *col;     /* [slots] */
    void *val;        /* [slots] in target.precision */
};

extern const struct layout toy_layout;

static inline int64_t toy_slots(int64_t length, int64_t pad) { return (length + pad - 1) / pad * pad; }
static inline struct grid toy_grid(int64_t rows, int block) { return grid_of(rows, block); }
#endif
