/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparisons of two selections of configurations on a matrix: the best of `ours` against the best of `against`.
 * Selection: KERNEL[:key=value,...], several separated by '|'; KERNEL may end in '*'. A row matches by its configuration as requested
 * (with defaults) or as resolved. */
#ifndef SPMVCAST_SPEED_PAIRING_H
#define SPMVCAST_SPEED_PAIRING_H
#include "speed/speed.h"

/* If `against` includes `ours` (a search), it must match another configuration, too. */
struct pairing {
    const char *ours, *against;
    /* selects matrices, given the fastest of `ours`; NULL: all */
    bool (*where)(const struct features *, const struct run_row *ours);
    const char *part;  /* NULL: whole products; "head", "tail": that part of composites, timed separately */
    const char *stage; /* not NULL: compare only configurations that differ in nothing but this key */
};
/* Sets the fastest rows of both sides; returns false if a side was not measured or the matrix is not selected. */
bool pairing_rows(const struct contests *, const struct contest *, const struct pairing *, const struct run_row **ours,
                  const struct run_row **against);

bool selection_matches(const char *selection, const struct run_row *);
/* Returns the fastest row of the contest that the selection matches; NULL: none. */
const struct run_row *selection_fastest(const struct contests *, const struct contest *, const char *selection);
/* FAIL: an alternative names no kernel, or a key or value that the kernel does not have (why). */
int selection_check(const char *selection, char why[ERRLEN]);
/* The conditions for pairing.where by name: "even-rows" (0 < sd <= 2/3 mean; ashari2014, section 8), "blocks-fill" (dense blocks with
 * their fill take no more bytes than CSR). NULL: unknown. */
bool (*pairing_where(const char *name))(const struct features *, const struct run_row *);
#endif
