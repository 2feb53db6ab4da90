/* SPDX-License-Identifier: BSD-3-Clause */
/* A progress bar with time left on stderr when it is a terminal, one line a minute otherwise; silent with -q. */
#ifndef SPMVCAST_BASE_PROGRESS_H
#define SPMVCAST_BASE_PROGRESS_H
struct progress;
struct progress *progress_begin(const char *what, double total); /* total in any unit, e.g. estimated seconds */
void progress_set(struct progress *, double done, const char *now);
void progress_end(struct progress *);
/* wipes the bar off the terminal before something else is printed; it comes back by progress_set */
void progress_clear(void);
#endif
