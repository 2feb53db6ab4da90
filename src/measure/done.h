/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done already: rows by their key (source_id, config, precision, cache, part, device_key, revision).
 * A row begins as "started", with the failure domain of the run as its reason; "stopped" takes that back; every other
 * outcome ends it. Until then it has the rounds that were taken of it. */
#ifndef SPMVCAST_MEASURE_DONE_H
#define SPMVCAST_MEASURE_DONE_H
#include <stdbool.h>
#include "measure/timed.h"
#include "runs/log_rows.h"
#include "runs/rows.h"

struct done;
enum done_state {
    DONE_NOT,     /* to be measured */
    DONE_STARTED, /* started, and its process or its run ended: to be measured again, alone */
    DONE_CRASHED, /* and ended its process then, too, or too many runs: not again */
    DONE_YES,
    DONE_BEFORE /* and that before this run began */
};

struct done *done_new(void);
void done_free(struct done *);
void done_add(struct done *, const struct run_row *);
/* skips: this run would leave the row out, too, so one that a sweep left out is done; else it is not. */
enum done_state done_state(const struct done *, const struct run_row *, bool skips);
/* some row was begun: it was started, or has rounds, and that is all */
bool done_any_open(const struct done *);
bool done_is_kept(const struct done *, const char *run_row_id); /* this one */
/* Rounds of a row that is not finished, in order; one that is not the next is passed over: it is there already. */
void done_add_round(struct done *, const struct round_row *);
int done_rounds(const struct done *, const struct run_row *, const struct round_row **);
/* Of rows that earlier runs began and did not end: whoever ended those runs may have meant them, not the row, so it is
 * measured again, alone, as if for the first time. A row that many runs were lost at is taken for what ends them, and
 * counts as crashed: after DONE_LOST_RUNS of them where the failure domain of the run ended with it (failure_domain.h:
 * the machine, the container, the batch step, or memory ran out), after DONE_KILLED_RUNS where nothing but the run was
 * ended, which somebody's kill -9 does. A row that came to a round goes on among the others, and its lost run counts for
 * less. */
enum { DONE_LOST_RUNS = 5, DONE_KILLED_RUNS = 20 };
void done_forgive(struct done *);
/* A noisy row that was not tried so often stays open, so that the next run measures it again. */
enum { DONE_NOISY_TRIES = 3 };
bool done_is_open(const struct run_row *);
bool done_gave_up(const struct done *, const struct run_row *);  /* noisy, and done with it */
int64_t done_tries(const struct done *, const struct run_row *); /* of the row as it is there; 0: never measured */
/* It is to be measured again, as if it had never been. */
void done_reopen(struct done *, const struct run_row *);
/* Names of another kind: sources whose features are archived. */
void done_add_source(struct done *, const char *source_id);
bool done_has_source(const struct done *, const char *source_id);
/* Through a pipe; -1 where it broke. What is received as finished was so before. */
int done_send(const struct done *, int fd);
int done_receive(struct done *, int fd);
#endif
