/* SPDX-License-Identifier: BSD-3-Clause */
/* A run's archive and its logs, as one. */
#ifndef SPMVCAST_RUN_STORE_H
#define SPMVCAST_RUN_STORE_H
#include "measure/done.h"
#include "run/work.h"

/* What the archive at `path` and the logs beside it hold: rows into done, and both into runs. Neither has to be there.
 * FAIL: the file is no run archive, or a log cannot be read. */
int store_load(const char *path, struct done *, struct runs *, char why[ERRLEN]);
/* The same for somebody else's run, which may be at work: adds both to runs, changes neither file. of_logs: rows of
 * logs. */
int store_look(const char *path, struct runs *, int64_t *of_logs, char why[ERRLEN]);
/* Archive and logs become the new archive; only then the logs go. What they tell of rows that were begun and have not
 * ended (lost starts, rounds) stays in a log; what --again named stays unless all of it is done. Nothing new: nothing is
 * written. Rank 0 only, no worker running. */
int store_merge(const char *path, const struct workload *, bool all_done, char why[ERRLEN]);
#endif
