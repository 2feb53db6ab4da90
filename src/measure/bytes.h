/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes moved by one product with a configuration: from features, or counted in the matrix if these do not
 * suffice. */
#ifndef SPMVCAST_MEASURE_BYTES_H
#define SPMVCAST_MEASURE_BYTES_H
#include "formats/format.h"

struct bytes {
    struct traffic traffic;
    double count_s; /* time that counting took; NaN: not counted */
    bool exact;     /* values, indices and pointers have the sizes that build creates */
};

/* Estimates the bytes from features alone. FAIL: the layout has no estimate. */
int bytes_estimate(const struct features *, const struct config *, const struct target *, struct bytes *);
/* Replaces an estimate by exact numbers if the layout can count them (format.h). */
void bytes_count(const struct csr_view *, const struct features *, const struct config *, const struct target *,
                 struct bytes *);

/* A sweep leaves out configurations that move more than this many times the fewest bytes of all its configurations
 * for a matrix, since they cannot win. */
enum { MOVES_LIMIT = 10 };
#endif
