/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs of a run: RUN.h5.log/ID.log, one per process, with a random ID. A record is one write(): magic, length, CRC-32
 * (zlib), then the JSON {"table": NAME, ...row}. On restart a log is truncated to its last whole record. The archive
 * is built from the old file and all logs and renamed before the logs are removed, so that kill -9 loses no
 * measurement. */
#ifndef SPMVCAST_RUNS_RUNLOG_H
#define SPMVCAST_RUNS_RUNLOG_H
#include <stdbool.h>
#include <stddef.h>
#include "archive/table.h"
#include "base/error.h"

struct runlog;
/* Creates RUN.h5.log/ if needed and a new log in it. */
int runlog_open(const char *run_path, struct runlog **, char why[ERRLEN]);
/* Appends a record; fdatasync at most once a second. */
int runlog_write(struct runlog *, const struct schema *, const void *row, char why[ERRLEN]);
int runlog_close(struct runlog *, char why[ERRLEN]);

/* Calls each(table, json, arg) for every whole record of every log, oldest log first; truncates torn records with a
 * warning. */
int runlog_read(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);
/* The same for readers that do not own the run: never changes a log. */
int runlog_look(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);
/* Replaces all logs by one with the records for which keep() is true; removes logs and folder if there are none or
 * keep is NULL. */
int runlog_keep(const char *run_path, bool (*keep)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);

/* One run at a time per RUN.h5. RUN.h5.lock has host, pid and start time of the process. A lock of a process that no
 * longer exists on this host is stale and taken over; otherwise FAIL names the process. */
int runlock_take(const char *run_path, char why[ERRLEN]);
void runlock_release(const char *run_path);
#endif
