/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs of a run: RUN.h5.log/ID.log, one per process, with a random ID. A record is one write(): magic, length,
 * CRC-32 (zlib), then the JSON {"table": NAME, ...row}. On restart, a log is truncated to its last whole record. To
 * lose no measurement by kill -9, the new archive is built from the old one and all logs and renamed before the logs
 * are removed. */
#ifndef SPMVCAST_RUNS_RUNLOG_H
#define SPMVCAST_RUNS_RUNLOG_H
#include <stdbool.h>
#include <stddef.h>
#include "archive/schema.h"
#include "base/error.h"

struct runlog;
/* Creates RUN.h5.log/ if needed and a new log in it. */
int runlog_open(const char *run_path, struct runlog **, char why[ERRLEN]);
/* Appends a record; calls fdatasync at most once a second. */
int runlog_write(struct runlog *, const struct schema *, const void *row, char why[ERRLEN]);
int runlog_close(struct runlog *, char why[ERRLEN]);

/* Calls each(table, json, arg) for every whole record of every log, oldest log first; removes torn records with a
 * warning. each returns 0 to continue. */
int runlog_read(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);
/* The same for readers that do not own the run: never changes a log. */
int runlog_look(const char *run_path, int (*each)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);
/* Replaces all logs by one log of the records for which keep() is true. If there are none or keep is NULL, removes
 * the logs and their directory. */
int runlog_keep(const char *run_path, bool (*keep)(const char *table, const char *json, void *arg), void *arg,
                char why[ERRLEN]);

/* Takes the lock RUN.h5.lock, which one run at a time can hold; it contains host, pid and start time of the process. The
 * lock of a process that no longer exists on this host is taken over. FAIL: another process holds it; why names it. */
int runlock_take(const char *run_path, char why[ERRLEN]);
void runlock_release(const char *run_path);
#endif
