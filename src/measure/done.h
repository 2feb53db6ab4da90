/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows are done, by key (runs/rows.h). A row without driver and build, of an older program, counts for all of
 * them. A row begins as
 * "started", with the failure domain of the run as its reason. "stopped" cancels that; any other outcome finishes
 * the row. The rounds of unfinished rows are kept. */
#ifndef SPMVCAST_MEASURE_DONE_H
#define SPMVCAST_MEASURE_DONE_H
#include <stdbool.h>
#include "measure/timed.h"
#include "runs/log_rows.h"
#include "runs/rows.h"

struct done;
enum done_state {
    DONE_NOT,     /* to be measured */
    DONE_STARTED, /* it started, but its process or run ended: measure it again, alone */
    DONE_CRASHED, /* it ended its process again or too many runs: do not measure it again */
    DONE_YES,
    DONE_BEFORE /* finished before this run began */
};

struct done *done_new(void);
void done_free(struct done *);
void done_add(struct done *, const struct run_row *);
/* skips: this run also leaves out what sweeps leave out, so a row that a sweep left out counts as done. */
enum done_state done_state(const struct done *, const struct run_row *, bool skips);
/* Returns whether any row was started or has rounds, but is not finished. */
bool done_any_open(const struct done *);
bool done_is_kept(const struct done *, const char *run_row_id); /* the same for one row, by run_row_id */
/* Adds a round of an unfinished row. Rounds must come in order; an existing one is ignored. */
void done_add_round(struct done *, const struct round_row *);
/* Returns the number of rounds kept of a row and sets *rounds to them. */
int done_rounds(const struct done *, const struct run_row *, const struct round_row **rounds);
/* Call after loading, for rows that earlier runs started and did not end. Such a run may have been killed for other
 * reasons, so the row is measured again, alone. A row counts as crashed after DONE_LOST_RUNS such runs if their
 * failure domain ended, too (failure_domain.h: machine, container, batch step, out of memory), or after
 * DONE_KILLED_RUNS if only the run ended, e.g. by kill -9. A row that reached a round is measured with the others,
 * and its lost run weighs less. */
enum { DONE_LOST_RUNS = 5, DONE_KILLED_RUNS = 20 };
void done_forgive(struct done *);
/* The next run measures a noisy row again, until it has been measured this many times. */
enum { DONE_NOISY_TRIES = 3 };
bool done_is_open(const struct run_row *);
bool done_gave_up(const struct done *, const struct run_row *);  /* noisy and not to be measured again */
int64_t done_tries(const struct done *, const struct run_row *); /* how often the row was measured */
/* Marks the row as not done, so that it is measured again from scratch. */
void done_reopen(struct done *, const struct run_row *);
/* In the same table, ids of sources whose features are archived. */
void done_add_source(struct done *, const char *source_id);
bool done_has_source(const struct done *, const char *source_id);
/* Send and receive through a pipe; return 0, or -1 if it broke. Finished rows that are received count as finished
 * before this run. */
int done_send(const struct done *, int fd);
int done_receive(struct done *, int fd);
#endif
