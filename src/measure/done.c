/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table of row keys, with the rounds of unfinished rows. */
#include "measure/done.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/failure_domain.h"
#include "base/hash.h"
#include "base/pipes.h"

struct entry {
    char key[ID_LEN]; /* run_row_id, or the id of a source */
    int started;      /* number of starts that have not ended */
    int lost;         /* total weight (weight_of) of these starts, if their runs are lost */
    int last;         /* weight of the last start */
    bool came;        /* the last start reached a round */
    bool alone, finished, before;
    bool skipped; /* finished because a sweep left it out */
    bool noisy;   /* noisy in this run; the next run measures it again */
    bool gave_up; /* finished, and noisy */
    int64_t tries;
    int nrounds;
    struct round_row *round; /* [nrounds], only of unfinished rows */
};

struct done {
    size_t n, room;
    struct entry **slot;
}; /* open addressing; room is a power of two, and at most half of it is used */

struct done *done_new(void)
{
    struct done *d = xcalloc(1, sizeof *d);

    d->room = 64;
    d->slot = xcalloc(d->room, sizeof *d->slot);
    return d;
}

void done_free(struct done *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->room; i++) {
        if (d->slot[i])
            free(d->slot[i]->round);
        free(d->slot[i]);
    }
    free(d->slot);
    free(d);
}

static size_t slot_of(const struct done *d, const char *key)
{
    size_t i = (size_t)hash_text(0, key) & (d->room - 1);

    while (d->slot[i] && strcmp(d->slot[i]->key, key) != 0)
        i = (i + 1) & (d->room - 1);
    return i;
}

static void grow(struct done *d)
{
    struct done bigger = { .n = d->n, .room = 2 * d->room };

    bigger.slot = xcalloc(bigger.room, sizeof *bigger.slot);
    for (size_t i = 0; i < d->room; i++)
        if (d->slot[i])
            bigger.slot[slot_of(&bigger, d->slot[i]->key)] = d->slot[i];
    free(d->slot);
    *d = bigger;
}

static struct entry *find_or_add(struct done *d, const char *key)
{
    if (2 * (d->n + 1) > d->room)
        grow(d);
    size_t i = slot_of(d, key);
    if (!d->slot[i]) {
        d->slot[i] = xcalloc(1, sizeof *d->slot[i]);
        snprintf(d->slot[i]->key, sizeof d->slot[i]->key, "%s", key);
        d->n++;
    }
    return d->slot[i];
}

bool done_is_open(const struct run_row *r)
{
    const enum row_outcome o = row_outcome(r);

    if (o == OUTCOME_NOISY)
        return r->tries < DONE_NOISY_TRIES;
    return o == OUTCOME_NA && r->samples > 0; /* how archives older than the outcome "noisy" stored noisy rows */
}

/* Returns the weight of a start whose run is lost: 1 if its failure domain still exists, more if it ended. An
 * unknown domain counts as ended. */
static int weight_of(const struct run_row *started)
{
    const char *place = run_row_failure_domain(started);

    return place[0] && strcmp(place, failure_domain()) == 0 ? 1 : DONE_KILLED_RUNS / DONE_LOST_RUNS;
}

static void drop_rounds(struct entry *e)
{
    free(e->round);
    e->round = NULL;
    e->nrounds = 0;
}

void done_add(struct done *d, const struct run_row *r)
{
    char key[ID_LEN];

    run_row_id(r, key);
    struct entry *e = find_or_add(d, key);
    if (strcmp(r->outcome, "started") == 0) {
        e->started++;
        e->came = false;
        e->last = weight_of(r);
        e->lost += e->last;
        return;
    }
    if (strcmp(r->outcome, "stopped") == 0) {
        e->lost -= e->started > 0 ? e->last : 0;
        e->started -= e->started > 0;
        e->last = 0;
        return;
    }
    drop_rounds(e);
    e->tries = r->tries > 0 ? r->tries : 0;
    if (done_is_open(r)) {
        e->started = e->lost = e->last = 0;
        e->noisy = true;
    } else {
        e->skipped = run_row_skipped(r) && (!e->finished || e->skipped);
        e->finished = true;
        e->gave_up = row_outcome(r) == OUTCOME_NOISY;
    }
}

/* Reduces the weight of a start that reached a round and so did not hang: to 0 if only the run was killed, to that
 * of a kill if the failure domain ended. */
static void came_to_round(struct entry *e)
{
    const int weight = e->last > 1 ? 1 : 0;

    if (e->last > weight) {
        e->lost -= e->last - weight;
        e->last = weight;
    }
    e->came = true;
    e->alone = false;
}

void done_add_round(struct done *d, const struct round_row *r)
{
    struct entry *e = find_or_add(d, r->row);

    if (e->finished || r->number != e->nrounds || r->number >= ROUNDS_MAX || r->samples < 1
        || r->samples > ROUND_SAMPLES)
        return;
    if (!(e->nrounds & (e->nrounds - 1)))
        e->round = xrealloc(e->round, (unsigned long)(e->nrounds ? 2 * e->nrounds : 1) * sizeof *e->round);
    e->round[e->nrounds++] = *r;
    came_to_round(e);
}

static const struct entry *entry_of(const struct done *d, const struct run_row *r)
{
    char key[ID_LEN];

    run_row_id(r, key);
    const struct entry *e = d->slot[slot_of(d, key)];
    if (e || !(r->driver[0] || r->build[0]))
        return e;
    struct run_row unrecorded = *r;
    unrecorded.driver[0] = unrecorded.build[0] = 0;
    run_row_id(&unrecorded, key);
    return d->slot[slot_of(d, key)];
}

int done_rounds(const struct done *d, const struct run_row *r, const struct round_row **round)
{
    const struct entry *e = entry_of(d, r);

    *round = e ? e->round : NULL;
    return e ? e->nrounds : 0;
}

int64_t done_tries(const struct done *d, const struct run_row *r)
{
    const struct entry *e = entry_of(d, r);

    return e ? e->tries : 0;
}

bool done_gave_up(const struct done *d, const struct run_row *r)
{
    const struct entry *e = entry_of(d, r);

    return e && e->finished && e->gave_up;
}

void done_reopen(struct done *d, const struct run_row *r)
{
    char key[ID_LEN];

    run_row_id(r, key);
    struct entry *e = find_or_add(d, key);
    e->finished = e->skipped = e->before = e->noisy = false;
    e->tries = 0;
}

enum done_state done_state(const struct done *d, const struct run_row *r, bool skips)
{
    const struct entry *e = entry_of(d, r);

    if (!e)
        return DONE_NOT;
    if (e->finished && (skips || !e->skipped))
        return e->before ? DONE_BEFORE : DONE_YES;
    if (e->noisy)
        return DONE_YES;
    return e->started > 1 ? DONE_CRASHED : e->started == 1 || e->alone ? DONE_STARTED : DONE_NOT;
}

bool done_is_kept(const struct done *d, const char *key)
{
    const struct entry *e = d->slot[slot_of(d, key)];

    return e && (!e->finished || e->skipped) && (e->started > 0 || e->nrounds > 0);
}

bool done_any_open(const struct done *d)
{
    for (size_t i = 0; i < d->room; i++)
        if (d->slot[i] && done_is_kept(d, d->slot[i]->key))
            return true;
    return false;
}

void done_forgive(struct done *d)
{
    for (size_t i = 0; i < d->room; i++) {
        struct entry *e = d->slot[i];
        if (!e)
            continue;
        e->noisy = false;
        if (e->started == 0)
            continue;
        e->alone = !e->came;
        e->started = e->lost < DONE_KILLED_RUNS ? 0 : 2;
    }
}

void done_add_source(struct done *d, const char *source_id) { find_or_add(d, source_id)->finished = true; }
bool done_has_source(const struct done *d, const char *source_id) { return d->slot[slot_of(d, source_id)] != NULL; }

int done_send(const struct done *d, int fd)
{
    if (pipe_write(fd, &d->n, sizeof d->n))
        return -1;
    for (size_t i = 0; i < d->room; i++) {
        const struct entry *e = d->slot[i];
        if (e
            && (pipe_write(fd, e, sizeof *e)
                || (e->nrounds && pipe_write(fd, e->round, (size_t)e->nrounds * sizeof *e->round))))
            return -1;
    }
    return 0;
}

int done_receive(struct done *d, int fd)
{
    size_t n;
    struct entry e;

    if (pipe_read(fd, &n, sizeof n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (pipe_read(fd, &e, sizeof e))
            return -1;
        e.before = e.finished;
        e.round = e.nrounds ? xcalloc((unsigned long)2 * (unsigned long)e.nrounds, sizeof *e.round) : NULL;
        if (e.nrounds && pipe_read(fd, e.round, (size_t)e.nrounds * sizeof *e.round))
            return -1;
        *find_or_add(d, e.key) = e;
    }
    return 0;
}
