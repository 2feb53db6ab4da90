/* SPDX-License-Identifier: BSD-3-Clause */
/* One item: its configurations are built, uploaded and checked in batches that fit the device, then timed round-robin,
 * then checked again. A row is reported as started before anything of its own runs, so that a row that ends the process
 * is known. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/failure_domain.h"
#include "measure/planned.h"
#include "measure/stage.h"
#include "measure/trials.h"

enum { BATCH = 32 }; /* configurations at once: graphs take host and device memory too */

static void report(struct bench *b, const struct subject *s, const struct run_row *r)
{
    struct row_message m = { .row = *r, .rows = s->features.rows, .cols = s->features.cols, .nnz = s->features.nnz };

    done_add(b->done, r);
    b->report(b->arg, &m);
}

static void finish(struct bench *b, const struct subject *s, struct run_row *r, const char *outcome, const char *reason)
{
    TEXT_SET(r->outcome, outcome);
    if (reason)
        snprintf(r->reason, sizeof r->reason, "%.*s", (int)sizeof r->reason - 1, reason);
    utc_now(r->measured);
    report(b, s, r);
}

static void finish_entry(struct stage *s, struct trial *e, const char *outcome, const char *reason)
{
    for (int c = 0; c < NCACHES; c++)
        if (e->want[c])
            finish(s->bench, s->subject, &e->row[c], outcome, reason);
    e->over = true;
}

/* "started", or "stopped" which takes it back, at this place. */
static void mark_row(struct stage *s, const struct run_row *row, const char *outcome)
{
    struct run_row r = *row;

    TEXT_SET(r.outcome, outcome);
    run_row_set_failure_domain(&r, failure_domain());
    report(s->bench, s->subject, &r);
}

static void mark(struct stage *s, const struct trial *e, const char *outcome)
{
    for (int c = 0; c < NCACHES; c++)
        if (e->want[c])
            mark_row(s, &e->row[c], outcome);
}

/* Prepares and checks one trial. True: it is to be timed. FAIL only when the device is lost. */
static int admit(struct stage *s, struct trial *e, bool others, bool *in, bool *full, char why[ERRLEN])
{
    *in = false;
    mark(s, e, "started");
    int status = stage_prepare(s, e, why);
    if (status && s->bench->device->lost)
        return FAIL;
    if (status == OOM && others) { /* there may be room in the next batch */
        mark(s, e, "stopped");
        *full = true;
        return 0;
    }
    if (status) {
        finish_entry(s, e, status == OOM ? "oom" : "na", why);
        return 0;
    }
    status = stage_check(s, e, true, why);
    if (!status)
        status = stage_convert(s, e, why);
    if (status && s->bench->device->lost)
        return FAIL;
    if (status)
        finish_entry(s, e, status == FAIL ? "crashed" : "wrong", why);
    *in = !status;
    return 0;
}

static int fill_batch(struct stage *s, struct trial **batch, int *n, char why[ERRLEN])
{
    bool full = false;

    *n = 0;
    for (int i = 0; i < s->ntrials && *n < BATCH && !*s->bench->stop; i++) {
        struct trial *e = &s->trial[i];
        bool in;
        if (e->over || (e->alone && *n > 0))
            continue;
        /* Once something did not fit, only what shares a layout that is there goes on. */
        bool there = false;
        for (int k = 0; k < s->nbuilt; k++)
            there |= strcmp(s->built[k].key, e->key) == 0;
        if (full && !there)
            continue;
        if (admit(s, e, *n > 0, &in, &full, why))
            return FAIL;
        if (in)
            batch[(*n)++] = e;
        if (in && e->alone)
            break;
        if (!in && *n == 0)
            stage_clear(s);
    }
    return 0;
}

/* A machine that is busy with something else can make the shorter sequence take longer: no time is told then. */
static void finish_unclear(struct stage *s, struct run_row *r)
{
    char why[ERRLEN];

    fail(why, "the noise is greater than the time: median %.3g us of %" PRId64 " samples", r->time_us, r->samples);
    r->time_us = NAN;
    finish(s->bench, s->subject, r, "na", why);
}

/* The last word on a trial after its timing. */
static int settle(struct stage *s, struct trial *e, struct timed *const timed[NCACHES], char why[ERRLEN])
{
    const int status = stage_check(s, e, false, why);

    if (status == FAIL && s->bench->device->lost)
        return FAIL;
    e->over = true;
    for (int c = 0; c < NCACHES; c++) {
        struct run_row *r = &e->row[c];
        const struct timed *t = timed[c];
        if (!e->want[c])
            continue;
        if (status)
            finish(s->bench, s->subject, r, status == FAIL ? "crashed" : "wrong", why);
        else if (t->failed)
            finish(s->bench, s->subject, r, "crashed", t->why);
        else if (t->rounds < ROUNDS_MIN)
            mark_row(s, r, "stopped");
        else {
            timing_fill(t, r);
            r->convert_spmvs = r->convert_us / r->time_us;
            r->convert_device_spmvs = r->convert_device_us / r->time_us;
            r->prepare_spmvs = r->prepare_us / r->time_us;
            r->registers = e->attributes.registers;
            r->shared_bytes = e->attributes.shared_bytes;
            r->occupancy = e->attributes.occupancy;
            if (r->time_us > 0)
                finish(s->bench, s->subject, r, "ok", NULL);
            else
                finish_unclear(s, r);
        }
    }
    return 0;
}

static int time_batch(struct stage *s, struct trial *const *batch, int n, char why[ERRLEN])
{
    struct bench *b = s->bench;
    struct timed *timed = xcalloc((unsigned long)n * NCACHES, sizeof *timed);
    int ntimed = 0;

    for (int i = 0; i < n; i++)
        for (enum cache c = 0; c < NCACHES; c++)
            if (batch[i]->want[c])
                timed[ntimed++] = (struct timed){ .launch = &batch[i]->launch, .grid = batch[i]->grid, .cache = c };
    int status = timing_run(b->device, timed, ntimed, &b->caps, &b->empties, b->stop, why);
    for (int i = 0, t = 0; i < n && !status; i++) {
        struct timed *mine[NCACHES];
        for (int c = 0; c < NCACHES; c++)
            mine[c] = batch[i]->want[c] ? &timed[t++] : NULL;
        status = settle(s, batch[i], mine, why);
    }
    free(timed);
    return status;
}

static int run_batches(struct stage *s, char why[ERRLEN])
{
    struct trial *batch[BATCH];
    int n = 1, status = 0;

    while (!status && n > 0 && !*s->bench->stop) {
        status = fill_batch(s, batch, &n, why);
        if (!status && n > 0)
            status = time_batch(s, batch, n, why);
        if (!s->bench->device->lost)
            stage_clear(s);
    }
    return status;
}

int measure_item(struct bench *b, struct subject *subject, enum precision p, struct item_done *count, char why[ERRLEN])
{
    struct stage s = { .bench = b, .subject = subject, .target = { .device = b->device->geometry, .precision = p } };

    s.ntrials = trials_make(b, subject, &s.target, count, &s.trial, finish);
    for (int i = 0; i < b->nplans; i++)
        s.ntrials = planned_add(b, &b->plan[i], subject, &s.target, count, &s.trial, s.ntrials, finish);
    int status = 0;
    if (s.ntrials > 0) {
        if (!done_has_source(b->done, subject->source_id)) {
            b->report_source(b->arg, subject);
            done_add_source(b->done, subject->source_id);
        }
        status = stage_open(&s, why);
        if (!status)
            status = run_batches(&s, why);
        else if (!b->device->lost) {
            for (int i = 0; i < s.ntrials; i++)
                finish_entry(&s, &s.trial[i], status == OOM ? "oom" : status == FAIL ? "na" : "wrong", why);
            status = 0;
        }
    }
    if (!b->device->lost)
        stage_close(&s);
    for (int i = 0; i < s.ntrials; i++)
        planned_free(s.trial[i].planned);
    free(s.trial);
    return status;
}
