/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections of configurations: KERNEL[:key=value,...], several separated by '|'; KERNEL may end in '*'. A row matches by its
 * configuration as requested (with defaults) or as resolved. */
#ifndef SPMVCAST_RUNS_SELECTION_H
#define SPMVCAST_RUNS_SELECTION_H
#include "runs/rows.h"

bool selection_matches(const char *selection, const struct run_row *);
/* FAIL: an alternative names no kernel, or a key or value that the kernel does not have (why). */
int selection_check(const char *selection, char why[ERRLEN]);
#endif
