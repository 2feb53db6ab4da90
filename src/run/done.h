/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done already: rows by their key (source_id, config, precision, cache, device_key, revision).
 * A row begins as "started"; "stopped" takes that back; every other outcome ends it. */
#ifndef SPMVCAST_DONE_H
#define SPMVCAST_DONE_H
#include <stdbool.h>
#include "common/rows.h"

struct done;
enum done_state {
    DONE_NOT,           /* to be measured */
    DONE_STARTED,       /* started, and its process ended: to be measured again, alone */
    DONE_CRASHED,       /* and ended it then, too: not again */
    DONE_YES,
    DONE_BEFORE         /* and that before this run began */
};

struct done *done_new(void);
void done_free(struct done *);
void done_add(struct done *, const struct run_row *);
enum done_state done_state(const struct done *, const struct run_row *);
bool done_any_open(const struct done *);        /* some row was started, and that is all */
/* Of rows that earlier runs began and did not end: whoever ended them may have meant the run, not the row, so they count as
 * started once. Only a row that every one of DONE_LOST_RUNS runs was at is taken for what ends them. */
enum { DONE_LOST_RUNS = 5 };
void done_forgive(struct done *);
/* Names of another kind: sources whose features are archived. */
void done_add_source(struct done *, const char *source_id);
bool done_has_source(const struct done *, const char *source_id);
/* Through a pipe; -1 where it broke. What is received as finished was so before. */
int  done_send(const struct done *, int fd);
int  done_receive(struct done *, int fd);
#endif
