/* SPDX-License-Identifier: BSD-3-Clause */
/* What one multiplication by a configuration moves: from features alone, or counted in the matrix where they do not
 * tell. */
#ifndef SPMVCAST_MEASURE_BYTES_H
#define SPMVCAST_MEASURE_BYTES_H
#include "formats/format.h"

struct bytes {
    struct traffic traffic;
    double count_s; /* what counting took; NaN: features tell, or nobody counted */
    bool exact;     /* values, indices and pointers are what build makes of the matrix */
};

/* From features alone. FAIL: the layout says nothing. */
int bytes_estimate(const struct features *, const struct config *, const struct target *, struct bytes *);
/* An estimate becomes exact where the layout can count (format.h); else it stays what it is. */
void bytes_count(const struct csr_view *, const struct features *, const struct config *, const struct target *,
                 struct bytes *);

/* A sweep times what can win: an estimate of more than so many times the least of the sweep's estimates for a matrix is
 * left out. */
enum { MOVES_LIMIT = 10 };
#endif
