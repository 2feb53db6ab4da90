/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmv-merge changes in rows: features of archives that predate one, and disturbed times. */
#ifndef SPMVCAST_RUN_REFRESH_H
#define SPMVCAST_RUN_REFRESH_H
#include "base/options.h"
#include "runs/rows.h"

struct refreshed {
    int64_t recipes, files, left; /* recomputed, from recipes and from files; left unchanged */
};
/* Recomputes the features of all recipes, and of each matrix in the given files and directories whose source_id is in runs;
 * other files are ignored. FAIL: a file cannot be read, or a recipe cannot be parsed. */
int refresh_features(struct runs *, const struct strlist *paths, struct refreshed *, char why[ERRLEN]);

/* Makes these columns of all rows unknown, and those computed from them. */
#define REFRESH_WITHOUT "stream_us|convert_us|upload_us|convert_device_us|prepare_us"
void refresh_without(struct runs *, const struct strlist *columns);
#endif
