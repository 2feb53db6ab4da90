/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files, written atomically: to a temporary file beside PATH (base/temporary.h), fsynced, then renamed. Two
 * writers of one PATH do not share a temporary file: the later one wins, and neither file is damaged. A temporary file is
 * locked by its writer; those that a killed writer left are removed by the next. An uncommitted file is removed when the
 * program ends (exit, die, or SIGINT, SIGTERM or SIGHUP after output_signals).
 *
 * An existing file is replaced only if it is empty or a check of the caller recognizes it as one of ours, of the same kind. It is
 * checked again before the rename if it changed meanwhile, and is not replaced if it changed after this process read it. */
#ifndef SPMVCAST_BASE_OUTPUT_H
#define SPMVCAST_BASE_OUTPUT_H
#include <stdbool.h>
#include "base/error.h"

/* What an output is: check returns 0 if the file at `path`, which exists and is not empty, is of this kind; else FAIL with why,
 * "cannot write PATH: ...". `what`: for the check. inputs: it may be a file that this process has read, since all of it was read. */
struct output_kind {
    int (*check)(const char *path, const void *what, char why[ERRLEN]);
    const void *what;
    bool inputs;
};
/* Kinds of text files, recognized by a mark that their writers put within OUTPUT_MARK_BYTES of the start or of the end. */
#define OUTPUT_MARK "generator: spmvcast"
#define OUTPUT_PAGE_MARK "<meta name=\"generator\" content=\"spmvcast\">"
enum { OUTPUT_MARK_BYTES = 1024 };
extern const struct output_kind output_marked, output_page;

/* Sets *tmp to the name to write to (owned by this module until commit). FAIL with why "cannot write PATH: ...": the directory does not
 * exist or is not writable; PATH is a directory, a link to nothing, not a regular file, or an existing file of another kind. */
int output_begin(const char *path, const struct output_kind *, const char **tmp, char why[ERRLEN]);
/* fsync, rename to PATH, fsync the directory. FAIL with why (e.g. disk full); the temporary file is then removed. */
int output_commit(const char *tmp, char why[ERRLEN]);
/* Writes a text to PATH by these steps. FAIL: why. */
int output_write(const char *path, const struct output_kind *, const char *text, char why[ERRLEN]);
/* Removes the file at `path` if there is one and it is of this kind. FAIL: it stays; why. */
int output_remove(const char *path, const struct output_kind *, char why[ERRLEN]);
/* Call once, before other handlers are registered with atexit(). */
void output_watch(void);
void output_discard(const char *tmp); /* removes the temporary file */
void output_signals(void); /* on SIGINT, SIGTERM and SIGHUP (unless that is ignored, as by nohup), output_drop */
/* Removes uncommitted files, and the files and empty directories of output_guard. Async-signal-safe. */
void output_drop(void);
void output_guard(const char *path, bool on); /* on: removed by output_drop; off: no longer */
/* Returns the file that a symbolic link at `path` leads to, else `path` (malloc'd): beside it are the locks and logs of a run. */
char *output_linked(const char *path);
/* Flushes stdout; dies if it cannot be written. If it is a terminal that was closed, an error is printed and the program goes on, so
 * that it writes its files; unless it fails or a signal ends it (SIGHUP), its exit status is then EXIT_FAILED in place of EXIT_OK. */
void output_stdout(void);
void output_stdout_failed(void); /* the same, after a failed write; dies with errno */
#endif
