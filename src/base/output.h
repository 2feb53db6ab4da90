/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files that appear whole or not at all: written as PATH.tmp, fsynced, renamed.
 * A file begun and not committed is removed when the program ends (exit, die, or SIGINT/SIGTERM by output_signals). */
#ifndef SPMVCAST_BASE_OUTPUT_H
#define SPMVCAST_BASE_OUTPUT_H
#include "base/error.h"

/* The name to write to (PATH.tmp; malloc'd, owned by this module until commit). Checks first that the folder exists and
 * is writable and that PATH is no directory. FAIL with why "cannot write PATH: ...". */
int output_begin(const char *path, const char **tmp, char why[ERRLEN]);
/* fsync, rename to PATH, fsync the folder. FAIL with why (e.g. disk full); the .tmp is then removed. */
int output_commit(const char *tmp, char why[ERRLEN]);
void output_discard(const char *tmp);
void output_signals(void);
/* Flushes what was printed on stdout; dies where it cannot be written. */
void output_stdout(void);
NORETURN void output_stdout_failed(void); /* dies by errno */
#endif
