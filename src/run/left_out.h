/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes on matrix files: skipped, counted once, left out. */
#ifndef SPMVCAST_RUN_LEFT_OUT_H
#define SPMVCAST_RUN_LEFT_OUT_H
#include "run/work.h"

struct table;
/* Of a run before it measures: files that are no matrices, that options left out, and that hold a matrix of another file. */
void files_put_left_out(struct table *, const struct workload *);
/* Returns whether no operand is the file of this matrix of a run archive. */
bool files_lack(const struct workload *, const char *name);
/* Of a dry run: files that cannot be read. Warns of each. */
void files_put_unreadable(struct table *, const struct workload *);
/* Of an archive: files that hold a matrix of another file, and that were skipped. */
void files_put(struct table *, const struct runs *);
#endif
