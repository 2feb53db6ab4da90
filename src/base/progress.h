/* SPDX-License-Identifier: BSD-3-Clause */
/* A progress bar with time left on stderr if it is a terminal, else one line per minute; silent with -q. */
#ifndef SPMVCAST_BASE_PROGRESS_H
#define SPMVCAST_BASE_PROGRESS_H
struct progress;
struct progress *progress_begin(const char *what, double total); /* total in any unit, e.g. estimated seconds */
void progress_set(struct progress *, double done, const char *now);
void progress_end(struct progress *);
/* Erases the bar before other output; the next progress_set redraws it. */
void progress_clear(void);
#endif
