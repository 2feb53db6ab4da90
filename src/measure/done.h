/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows are done, by key (source_id, config, precision, cache, part, device_key, revision). A row begins as
 * "started", with the failure domain of the run as its reason. "stopped" cancels that; any other outcome ends it. The
 * rounds of unfinished rows are kept. */
#ifndef SPMVCAST_MEASURE_DONE_H
#define SPMVCAST_MEASURE_DONE_H
#include <stdbool.h>
#include "measure/timed.h"
#include "runs/log_rows.h"
#include "runs/rows.h"

struct done;
enum done_state {
    DONE_NOT,     /* to be measured */
    DONE_STARTED, /* started, but its process or run ended: measure again, alone */
    DONE_CRASHED, /* ended its process again, or too many runs: do not measure again */
    DONE_YES,
    DONE_BEFORE /* finished before this run began */
};

struct done *done_new(void);
void done_free(struct done *);
void done_add(struct done *, const struct run_row *);
/* skips: this run also leaves out what sweeps leave out; such a row then counts as done. */
enum done_state done_state(const struct done *, const struct run_row *, bool skips);
/* Returns whether any row was started or has rounds, but is not finished. */
bool done_any_open(const struct done *);
bool done_is_kept(const struct done *, const char *run_row_id); /* the same for one row */
/* Adds a round of an unfinished row. Rounds must come in order; an existing one is ignored. */
void done_add_round(struct done *, const struct round_row *);
int done_rounds(const struct done *, const struct run_row *, const struct round_row **);
/* Rows that earlier runs started and did not end. The run may have been killed for other reasons, so the row is
 * measured again, alone. A row counts as crashed after DONE_LOST_RUNS such runs if their failure domain ended, too
 * (failure_domain.h: machine, container, batch step, out of memory), or after DONE_KILLED_RUNS if only the run ended,
 * e.g. by kill -9. A row that reached a round is measured with the others, and its lost run weighs less. */
enum { DONE_LOST_RUNS = 5, DONE_KILLED_RUNS = 20 };
void done_forgive(struct done *);
/* A noisy row is measured again by the next run, until it was measured this many times. */
enum { DONE_NOISY_TRIES = 3 };
bool done_is_open(const struct run_row *);
bool done_gave_up(const struct done *, const struct run_row *);  /* noisy and not to be measured again */
int64_t done_tries(const struct done *, const struct run_row *); /* of the existing row; 0: never measured */
/* Marks the row to be measured again from scratch. */
void done_reopen(struct done *, const struct run_row *);
/* A separate set of names: sources whose features are archived. */
void done_add_source(struct done *, const char *source_id);
bool done_has_source(const struct done *, const char *source_id);
/* Send and receive through a pipe; -1 if it broke. Received finished rows count as finished before this run. */
int done_send(const struct done *, int fd);
int done_receive(struct done *, int fd);
#endif
