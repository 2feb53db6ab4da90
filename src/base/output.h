/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files, written atomically: to PATH.tmp, fsynced, then renamed. An uncommitted file is removed when the
 * program ends (exit, die, or SIGINT/SIGTERM after output_signals). */
#ifndef SPMVCAST_BASE_OUTPUT_H
#define SPMVCAST_BASE_OUTPUT_H
#include "base/error.h"

/* Sets *tmp to the name to write to (PATH.tmp; owned by this module until commit). Checks first that the directory
 * exists and is writable and that PATH is not a directory. FAIL with why "cannot write PATH: ...". */
int output_begin(const char *path, const char **tmp, char why[ERRLEN]);
/* fsync, rename to PATH, fsync the directory. FAIL with why (e.g. disk full); the .tmp file is then removed. */
int output_commit(const char *tmp, char why[ERRLEN]);
/* Writes a text to PATH by these steps. FAIL: why. */
int output_write(const char *path, const char *text, char why[ERRLEN]);
void output_discard(const char *tmp); /* removes the .tmp file */
void output_signals(void);            /* on SIGINT and SIGTERM, uncommitted files are removed */
/* Flushes stdout; dies if it cannot be written. */
void output_stdout(void);
NORETURN void output_stdout_failed(void); /* dies with errno */
#endif
