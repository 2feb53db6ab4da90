/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads whole archives as the programs do, to see whether they are readable. */
#ifndef SPMVCAST_VERIFY_CONTENTS_H
#define SPMVCAST_VERIFY_CONTENTS_H
#include "base/error.h"

/* Returns what the reader of this kind of archive returns; FAIL: there is no such kind.
 * 0: why says which matrix files a run skipped, else "". */
int contents_load(const char *kind, const char *path, char why[ERRLEN]);
#endif
