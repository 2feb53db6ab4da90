/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table of row keys. */
#include "measure/done.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/failure_domain.h"
#include "base/pipes.h"

enum { KEY = ID_LEN + CONFIG_LEN + 4 + 8 + 12 + 160 + 24 };
struct entry {
    char key[KEY];
    int started; /* and not ended */
    int lost;    /* what they weigh when the run did not end them */
    bool alone, finished, before;
    bool skipped; /* finished by a sweep that left it out */
};

struct done {
    size_t n, room;
    struct entry **slot;
}; /* open addressing, room a power of two, at most half full */

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
    for (size_t i = 0; i < d->room; i++)
        free(d->slot[i]);
    free(d->slot);
    free(d);
}

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t h = 14695981039346656037u;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

static size_t slot_of(const struct done *d, const char *key)
{
    size_t i = (size_t)hash_of(key) & (d->room - 1);

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
        snprintf(d->slot[i]->key, KEY, "%s", key);
        d->n++;
    }
    return d->slot[i];
}

static void key_of(const struct run_row *r, char key[KEY])
{
    snprintf(key, KEY, "%s|%s|%s|%s|%s|%s|%" PRId64, r->source_id, r->config, r->precision, r->cache, r->part,
             r->device_key, r->revision);
}

bool done_is_open(const struct run_row *r) { return strcmp(r->outcome, "na") == 0 && r->samples > 0; }

/* Where the system does not tell the place, it may have ended. */
static int weight_of(const struct run_row *started)
{
    const char *place = run_row_failure_domain(started);

    return place[0] && strcmp(place, failure_domain()) == 0 ? 1 : DONE_KILLED_RUNS / DONE_LOST_RUNS;
}

void done_add(struct done *d, const struct run_row *r)
{
    char key[KEY];

    key_of(r, key);
    struct entry *e = find_or_add(d, key);
    if (strcmp(r->outcome, "started") == 0) {
        e->started++;
        e->lost += weight_of(r);
    } else if (strcmp(r->outcome, "stopped") == 0) {
        e->lost -= e->started > 0 ? weight_of(r) : 0;
        e->started -= e->started > 0;
    } else if (done_is_open(r))
        e->started = e->lost = 0;
    else {
        e->skipped = run_row_skipped(r) && (!e->finished || e->skipped);
        e->finished = true;
    }
}

enum done_state done_state(const struct done *d, const struct run_row *r, bool skips)
{
    char key[KEY];

    key_of(r, key);
    const struct entry *e = d->slot[slot_of(d, key)];
    if (!e)
        return DONE_NOT;
    if (e->finished && (skips || !e->skipped))
        return e->before ? DONE_BEFORE : DONE_YES;
    return e->started > 1 ? DONE_CRASHED : e->started == 1 || e->alone ? DONE_STARTED : DONE_NOT;
}

bool done_any_open(const struct done *d)
{
    for (size_t i = 0; i < d->room; i++)
        if (d->slot[i] && (!d->slot[i]->finished || d->slot[i]->skipped) && d->slot[i]->started > 0)
            return true;
    return false;
}

void done_forgive(struct done *d)
{
    for (size_t i = 0; i < d->room; i++) {
        struct entry *e = d->slot[i];
        if (!e || e->started == 0)
            continue;
        e->alone = true;
        e->started = e->lost < DONE_KILLED_RUNS ? 0 : 2;
    }
}

void done_add_source(struct done *d, const char *source_id) { find_or_add(d, source_id)->finished = true; }
bool done_has_source(const struct done *d, const char *source_id) { return d->slot[slot_of(d, source_id)] != NULL; }

int done_send(const struct done *d, int fd)
{
    if (pipe_write(fd, &d->n, sizeof d->n))
        return -1;
    for (size_t i = 0; i < d->room; i++)
        if (d->slot[i] && pipe_write(fd, d->slot[i], sizeof *d->slot[i]))
            return -1;
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
        *find_or_add(d, e.key) = e;
    }
    return 0;
}
