/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to formats/: helpers shared by the layouts' builds and the kernel descriptions. */
#ifndef SPMVCAST_FORMATS_BUILD_H
#define SPMVCAST_FORMATS_BUILD_H
#include "base/real.h"
#include "base/threads.h"
#include "formats/array.h"
#include "formats/storage.h"

enum { SECTOR_BYTES = 32 /* smallest GPU memory transaction */ };
static const int64_t offsets_max = INT32_MAX; /* largest count that 32-bit offsets can address */

/* Returns 0, or FAIL if n exceeds what 32-bit offsets can address. `what` names what is counted: "nonzeros". */
int offsets_reach(int64_t n, const char *what, char why[ERRLEN]);

/* Fills off[0 .. rows] from 0 to nnz, in parallel; *row_max is the length of the longest row. */
void view_offsets(const struct csr_view *, int32_t *off, int64_t *row_max);

/* Returns the first row that begins at entry `at` or later; `rows` if there is none (off[rows] = nnz). */
int64_t offsets_find(const int32_t *off, int64_t rows, int64_t at);

/* row_order.c: writes the rows to perm[0 .. rows - 1], sorted by descending length within windows of `window` rows;
 * the sort is stable. Returns false if out of memory. */
bool rows_order(const struct csr_view *, int64_t window, int32_t *perm);

/* row: a row with a value that overflows f32, or `rows` if there is none. Returns FAIL with why, or 0. */
int build_overflow(char why[ERRLEN], int64_t row, int64_t rows);

/* Fills in what does not depend on the layout: the bytes of x (x_least), those of y, written once, and
 * flops. */
void traffic_vectors(const struct features *, const struct target *, struct traffic *);
#endif
