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
    DONE_STARTED,       /* started once, and its process ended: to be measured again, alone */
    DONE_CRASHED,       /* twice: not again */
    DONE_YES,
    DONE_BEFORE         /* and that before this run began */
};

struct done *done_new(void);
void done_free(struct done *);
void done_add(struct done *, const struct run_row *);
enum done_state done_state(const struct done *, const struct run_row *);
bool done_any_open(const struct done *);        /* some row was started, and that is all */
/* Names of another kind: sources whose features are archived. */
void done_add_source(struct done *, const char *source_id);
bool done_has_source(const struct done *, const char *source_id);
/* Through a pipe; -1 where it broke. What is received as finished was so before. */
int  done_send(const struct done *, int fd);
int  done_receive(struct done *, int fd);
#endif
