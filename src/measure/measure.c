/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures one item: builds, uploads and checks its configurations in batches that fit the device, times them
 * round-robin, and checks y again before it reports a row with all its rounds. A row is reported as started before
 * any of its code runs, so that it is known if the process ends. Rounds of unfinished rows are reported as they are
 * taken; a later run adds to them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/failure_domain.h"
#include "measure/plan_trial.h"
#include "measure/stage.h"
#include "measure/trials.h"

enum { BATCH = 32 }; /* maximum number of configurations per batch; graphs need host and device memory, too */
/* Interval between reports of rounds, which are sent in bursts because each report wakes other processes. */
static const double report_s = 0.25;
/* When preparing a batch has taken this long, the configurations that are ready get a round before it continues. */
static const double prepare_s = 1;

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
        if (e->want[c]) {
            finish(s->bench, s->subject, &e->row[c], outcome, reason);
            e->want[c] = false;
        }
    e->over = true;
}

/* Reports "started" with the current failure domain, or "stopped", which cancels it. */
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

/* Prepares and checks one trial. *in: it is ready for timing; *full: there is no room for it in this batch. FAIL
 * only if the device is lost. */
static int admit(struct stage *s, struct trial *e, bool others, bool *in, bool *full, char why[ERRLEN])
{
    *in = false;
    mark(s, e, "started");
    int status = stage_prepare(s, e, why);
    if (status && s->bench->device->lost)
        return FAIL;
    if (status == OOM && others) { /* the next batch may have room */
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

/* ---- rounds and progress */
static void report_progress(struct stage *s)
{
    int left = 0;
    double part = 0;

    for (int i = 0; i < s->ntrials; i++)
        for (int c = 0; c < NCACHES; c++)
            left += s->trial[i].want[c];
    for (int i = 0; i < s->ntimed; i++) {
        const struct timed *t = &s->timed[i];
        if (!t->finished)
            part += fmin(1, (double)t->rounds / s->bench->caps.rounds);
    }
    s->done->share = s->nwanted ? 1 - (left - part) / s->nwanted : 1;
    s->bench->report_progress(s->bench->arg, s->done);
}

static void report_rounds(struct stage *s)
{
    for (int i = 0; i < s->ntimed; i++) {
        struct timed *t = &s->timed[i];
        const struct trial *e = t->of;
        for (; t->told < t->rounds && !t->finished; t->told++) {
            struct round_row *r = &t->round[t->told];
            run_row_id(&e->row[t->cache], r->row);
            done_add_round(s->bench->done, r);
            s->bench->report_round(s->bench->arg, r);
        }
    }
    s->reported_s = now_s();
    report_progress(s);
}

static void round_over(void *arg, struct timed *t)
{
    struct stage *s = arg;

    (void)t;
    s->done->rounds++;
    if (now_s() - s->reported_s >= report_s)
        report_rounds(s);
}

/* Reports a row that has all its rounds and whose y passed the final check. */
static void finish_timed(struct stage *s, const struct timed *t, struct run_row *r)
{
    const bool noisy = timing_fill(t, r);

    r->tries = done_tries(s->bench->done, r) + 1;
    r->convert_spmvs = r->convert_us / r->time_us;
    r->convert_device_spmvs = r->convert_device_us / r->time_us;
    r->prepare_spmvs = r->prepare_us / r->time_us;
    if (!(r->time_us > 0))
        r->time_us = NAN;
    finish(s->bench, s->subject, r, noisy && (isnan(r->time_us) || !s->bench->options->accept_noise) ? "noisy" : "ok",
           NULL);
}

/* Finishes a row after timing. If y is wrong, all rows of the trial are wrong. */
static int settle(void *arg, struct timed *t, char why[ERRLEN])
{
    struct stage *s = arg;
    struct trial *e = t->of;
    struct run_row *r = &e->row[t->cache];

    if (!e->want[t->cache])
        return 0;
    if (t->failed)
        finish(s->bench, s->subject, r, "crashed", t->why);
    else {
        const int status = stage_check(s, e, false, why);
        if (status == FAIL && s->bench->device->lost)
            return FAIL;
        if (status) {
            finish_entry(s, e, status == FAIL ? "crashed" : "wrong", why);
            for (int i = 0; i < s->ntimed; i++)
                s->timed[i].finished |= s->timed[i].of == e;
            return 0;
        }
        r->registers = e->attributes.registers;
        r->shared_bytes = e->attributes.shared_bytes;
        r->occupancy = e->attributes.occupancy;
        finish_timed(s, t, r);
    }
    e->want[t->cache] = false;
    e->over = !e->want[WARM] && !e->want[COLD];
    report_progress(s);
    return 0;
}

/* ---- batches */
static void batch_begin(struct stage *s)
{
    struct bench *b = s->bench;

    s->timed = xcalloc((unsigned long)BATCH * NCACHES, sizeof *s->timed);
    s->ntimed = 0;
    s->timing = (struct timing){ .device = b->device,
                                 .caps = &b->caps,
                                 .empties = &b->empties,
                                 .stop = b->stop,
                                 .round_over = round_over,
                                 .ended = settle,
                                 .arg = s };
}

/* Ends a batch. Reports the rounds of unfinished rows, so that they are kept. */
static void batch_end(struct stage *s)
{
    if (!s->bench->device->lost) {
        report_rounds(s);
        for (int i = 0; i < s->ntimed; i++) {
            const struct trial *e = s->timed[i].of;
            if (!s->timed[i].finished)
                mark_row(s, &e->row[s->timed[i].cache], "stopped");
        }
    }
    timing_free(&s->timing);
    free(s->timed);
    s->timed = NULL;
    s->ntimed = 0;
}

static void join(struct stage *s, struct trial *e)
{
    for (enum cache c = 0; c < NCACHES; c++) {
        const struct round_row *kept;
        if (!e->want[c])
            continue;
        struct timed *t = &s->timed[s->ntimed++];
        *t = (struct timed){ .launch = &e->operator.launch, .grid = e->grid, .cache = c, .of = e };
        t->rounds = t->told = done_rounds(s->bench->done, &e->row[c], &kept);
        if (t->rounds)
            memcpy(t->round, kept, (size_t)t->rounds * sizeof *kept);
        timing_add(&s->timing, t);
    }
}

/* Prepares as many trials as fit, until BATCH are ready for timing; *n: their number. */
static int fill_batch(struct stage *s, int *n, char why[ERRLEN])
{
    bool full = false;
    double since_s = now_s();
    int left, status = 0;

    *n = 0;
    for (int i = 0; i < s->ntrials && *n < BATCH && !status && !*s->bench->stop; i++) {
        struct trial *e = &s->trial[i];
        bool in;
        if (e->over || (e->alone && *n > 0))
            continue;
        /* Once the device is full, only trials that share an existing layout can still fit. */
        bool there = false;
        for (int k = 0; k < s->nbuilt; k++)
            there |= strcmp(s->built[k].key, e->key) == 0;
        if (full && !there)
            continue;
        if (admit(s, e, *n > 0, &in, &full, why))
            return FAIL;
        if (in) {
            join(s, e);
            ++*n;
        } else if (*n == 0)
            stage_clear(s);
        if (in && e->alone)
            break;
        if (now_s() - since_s > prepare_s) {
            status = timing_sweep(&s->timing, WARM, &left, why);
            since_s = now_s();
        }
    }
    return status;
}

static int run_batches(struct stage *s, char why[ERRLEN])
{
    int n = 1, status = 0;

    while (!status && n > 0 && !*s->bench->stop) {
        batch_begin(s);
        status = fill_batch(s, &n, why);
        if (!status)
            status = timing_run(&s->timing, why);
        batch_end(s);
        if (!s->bench->device->lost)
            stage_clear(s);
    }
    return status;
}

int measure_item(struct bench *b, struct subject *subject, enum precision p, struct item_done *count, char why[ERRLEN])
{
    struct stage s = {
        .bench = b, .subject = subject, .target = { .device = b->device->geometry, .precision = p }, .done = count
    };

    s.ntrials = trials_make(b, subject, &s.target, count, &s.trial, finish);
    for (int i = 0; i < b->nplans; i++)
        s.ntrials = plan_trial_add(b, &b->plan[i], subject, &s.target, count, &s.trial, s.ntrials, finish);
    int status = 0;
    for (int i = 0; i < s.ntrials; i++)
        for (int c = 0; c < NCACHES; c++)
            s.nwanted += s.trial[i].want[c];
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
        operator_free(&s.trial[i].operator);
    free(s.trial);
    return status;
}
