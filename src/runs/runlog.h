/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs of a run: RUN.h5.log/ID.log, one per process, ID random. A record is one write(): magic, length, CRC-32 (zlib),
 * then that many bytes of JSON {"table": NAME, ...row}. On restart a log is cut back to its last whole record. The
 * archive is built from the old file and all logs, renamed, and only then the logs are removed: nothing measured is
 * lost by kill -9. */
#ifndef SPMVCAST_RUNS_RUNLOG_H
#define SPMVCAST_RUNS_RUNLOG_H
#include <stdbool.h>
#include <stddef.h>
#include "archive/table.h"
#include "base/error.h"

struct runlog;
/* makes RUN.h5.log/ and a new log in it */
int runlog_open(const char *run_path, struct runlog **, char why[ERRLEN]);
/* durable (fdatasync at most once a second) */
int runlog_write(struct runlog *, const struct schema *, const void *row, char why[ERRLEN]);
int runlog_close(struct runlog *, char why[ERRLEN]);

/* Calls each(table, json, arg) for every whole record of every log, oldest log first; cuts torn tails off (says so by
 * warn). */
int runlog_read(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);
/* The same, for those whose run it is not: nothing is cut, not even opened for writing. */
int runlog_look(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);
/* All logs become one of the records that keep() is true of; none of those, or keep NULL: logs and folder go. */
int runlog_keep(const char *run_path, bool (*keep)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);

/* One run at a time per RUN.h5: RUN.h5.lock names host, pid and the process's start time; a lock of a process that is
 * gone (same host) is stale and taken over; a live one: FAIL naming it. */
int runlock_take(const char *run_path, char why[ERRLEN]);
void runlock_release(const char *run_path);
#endif
