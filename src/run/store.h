/* SPDX-License-Identifier: BSD-3-Clause */
/* A run's archive together with its logs. */
#ifndef SPMVCAST_RUN_STORE_H
#define SPMVCAST_RUN_STORE_H
#include "measure/done.h"
#include "run/work.h"

/* Loads the archive at `path` and its logs into runs, and their rows into done. Archive and logs may be missing.
 * FAIL: the file is not a run archive, or a log cannot be read. */
int store_load(const char *path, struct done *, struct runs *, char why[ERRLEN]);
/* Adds the archive and logs of another run, which may be active, to runs; changes no file. *of_logs: number of rows
 * from the logs. */
int store_look(const char *path, struct runs *, int64_t *of_logs, char why[ERRLEN]);
/* Merges archive and logs into a new archive, then removes the logs. Records of unfinished rows (lost starts,
 * rounds) stay in a log; so do notes of --again, unless all_done: the run measured everything. If the archive exists
 * and the logs hold nothing new, it is not written again. Rank 0 only, while no worker runs. */
int store_merge(const char *path, const struct workload *, bool all_done, char why[ERRLEN]);
#endif
