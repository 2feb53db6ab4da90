/* SPDX-License-Identifier: BSD-3-Clause */
/* Features computed anew for archives that are older than a feature. */
#ifndef SPMVCAST_RUN_REFRESH_H
#define SPMVCAST_RUN_REFRESH_H
#include "base/options.h"
#include "runs/rows.h"

struct refreshed {
    int64_t recipes, files, left; /* matrices with new features; those that are neither recipes nor among the files */
};
/* Of every recipe, and of each matrix of the files and folders named whose identity one of the archive's has. FAIL: a named
 * file cannot be read, or matches no matrix of the archive. */
int refresh_features(struct runs *, const struct strlist *paths, struct refreshed *, char why[ERRLEN]);
#endif
