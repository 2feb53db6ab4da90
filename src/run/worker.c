/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker: opens the device and measures its items. Writes each row to its log before reporting it to the zygote. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/device_kind.h"
#include "base/pipes.h"
#include "base/threads.h"
#include "input/folders.h"
#include "measure/branches.h"
#include "measure/plan_trial.h"
#include "measure/stage.h"
#include "measure/trials.h"
#include "run/run_options.h"
#include "run/zygote.h"

volatile int stopping;

struct worker {
    const struct run_options *options;
    struct assignment *assignment;
    struct bench bench;
    struct runlog *log;
    const struct source *failed; /* the last source that could not be opened */
    int out;
};
enum { OPEN_LIMIT_S = 300 };

static void send_message(const struct worker *w, const struct message *m)
{
    if (pipe_write(w->out, m, sizeof *m))
        _exit(EXIT_FAILED);
}

static void log_failed(const struct worker *w, const char *why)
{
    if (w->options->temporary)
        die("%s", why);
    die("%s; the rows measured so far are kept; repeat the same command to resume, with more space if the disk is full",
        why);
}

static void write_log(struct worker *w, const struct schema *schema, const void *row)
{
    char why[ERRLEN];

    if (runlog_write(w->log, schema, row, why))
        log_failed(w, why);
}

static void report_row(void *arg, const struct row_message *row)
{
    struct worker *w = arg;
    struct message m = { .type = MESSAGE_ROW };

    write_log(w, &run_schema, &row->row);
    m.u.row = *row;
    send_message(w, &m);
}

static void report_round(void *arg, const struct round_row *round)
{
    struct worker *w = arg;
    struct message m = { .type = MESSAGE_ROUND };

    write_log(w, &round_schema, round);
    m.u.round = *round;
    send_message(w, &m);
}

static void report_progress(void *arg, const struct item_done *done)
{
    struct message m = { .type = MESSAGE_PROGRESS };

    m.u.done = *done;
    send_message(arg, &m);
}

/* Logs the histograms, then the matrix row, without which the source does not count. */
static void report_source(void *arg, const struct subject *s)
{
    struct worker *w = arg;
    struct matrix_row m;
    struct histogram_row h = { 0 };

    TEXT_SET(h.source_id, s->source_id);
    for (int k = 0; k < GROUPS; k++)
        for (int i = 0; i < s->features.lengths[k].n; i++) {
            h.log2_group = k;
            h.value = s->features.lengths[k].value[i];
            h.count = s->features.lengths[k].count[i];
            write_log(w, &histogram_schema, &h);
        }
    subject_row(s, &m);
    write_log(w, &matrix_schema, &m);
}

static void report_plan(void *arg, const struct plan *p)
{
    for (int64_t i = 0; i < p->row.blocks; i++)
        write_log(arg, &block_schema, &p->block[i]);
    write_log(arg, &plan_schema, &p->row);
}

static void report_branch(void *arg, const struct branch_row *b) { write_log(arg, &branch_schema, b); }

static void hello(struct worker *w, const struct hello *h)
{
    struct message m = { .type = MESSAGE_HELLO };

    m.u.hello = *h;
    send_message(w, &m);
}

/* Launches an empty kernel, without which no other runs. */
static int launch_nothing(struct device *d, char why[ERRLEN])
{
    struct launch empty = { 0 };

    return d->backend->empty(d, (struct grid){ 1, d->geometry.warp }, &empty, why) || d->backend->once(d, &empty, why);
}

/* Opens the rank's device: the one of --gpu, else by local rank. Numbers change when a device falls off, so later workers look for
 * the device of the first. */
static int find_device(struct worker *w, const struct backend *backend, struct hello *h)
{
    const char *uuid = w->assignment->uuid;
    /* count is 1 on the CPU, so all ranks share that device */
    const int first = w->options->gpu >= 0 ? (int)w->options->gpu : w->assignment->local_rank;
    struct device **d = &w->bench.device;
    char why[ERRLEN];

    for (int i = 0; i < h->count; i++) {
        h->index = (first + i) % h->count;
        const int status = backend->open(h->index, d, why);
        if (!status && (!*uuid || strcmp(uuid, (*d)->facts.uuid) == 0))
            return launch_nothing(*d, h->error);
        if (status && i == 0)
            fail(h->error, "%.500s", why);
        if (!*uuid)
            return FAIL;
        if (!status && backend->close)
            backend->close(*d);
    }
    return h->error[0] ? FAIL : fail(h->error, "it is not there any more");
}

/* Opens the versions of the vendor's library and writes them into the facts, by default that of the loader. FAIL: the device has no such
 * library, a file is none, or two have one version. */
static int open_libraries(struct bench *b, const struct strlist *files, char why[ERRLEN])
{
    struct device *d = b->device;

    b->library[0] = library_revision(d->facts.cusparse);
    if (files->n > 0 && !d->backend->vendor)
        return fail(why, "--cusparse %.300s: %s has no such library", files->v[0], kind_facts(d->geometry.kind)->about);
    for (int i = 0; i < files->n; i++) {
        char version[32];
        if (d->backend->vendor(d, files->v[i], version, why))
            return FAIL;
        b->library[i] = library_revision(version);
        for (int k = 0; k < i; k++)
            if (b->library[k] == b->library[i])
                return fail(why, "--cusparse %.300s: version %s again; give each version once", files->v[i], version);
        const size_t used = i ? strlen(d->facts.cusparse) : 0;
        snprintf(d->facts.cusparse + used, sizeof d->facts.cusparse - used, "%s%s", i ? " " : "", version);
    }
    return 0;
}

/* Reports the device, or why it cannot be used. A driver that does not answer ends the worker. */
static void open_device(struct worker *w)
{
    const struct run_options *o = w->options;
    const struct backend *backend = backend_for(run_kind(o));
    struct hello h = { 0 };
    char why[ERRLEN];

    alarm(OPEN_LIMIT_S);
    h.count = backend->count(why);
    if (h.count < 1) {
        if (o->backend)
            fail(h.error, "no GPU available: %.300s", why);
        else
            fail(h.error, "no GPU available: %.300s; use --backend cpu to time the CPU", why);
    } else if (o->gpu >= h.count && !*w->assignment->uuid)
        fail(h.error, "--gpu %d is out of range (0..%d)", (int)o->gpu, h.count - 1);
    else if (find_device(w, backend, &h) == 0 && open_libraries(&w->bench, &o->libraries, h.error) == 0) {
        h.facts = w->bench.device->facts;
        h.geometry = w->bench.device->geometry;
    }
    alarm(0);
    hello(w, &h);
    if (h.error[0])
        _exit(EXIT_FAILED);
}

static void parse_configs(struct bench *b, const struct run_options *o)
{
    char why[ERRLEN];

    b->nconfigs = o->configs.n;
    b->config = xcalloc((unsigned long)o->configs.n + 1, sizeof *b->config);
    for (int i = 0; i < o->configs.n; i++) {
        const struct config *c = config_known(o->configs.v[i], why);
        if (!c)
            die("%s", why);
        b->config[i] = *c;
    }
}

static void log_device(struct worker *w)
{
    struct runs r = { 0 };

    runs_add_device(&r, w->bench.device->facts.key, &w->bench.device->geometry);
    write_log(w, &geometry_schema, &r.devices[0]);
    runs_free(&r);
}

/* Measures the cost of graph branches, once per device and archive. Returns false if the device is lost. */
static bool do_branches(struct worker *w)
{
    struct bench *b = &w->bench;
    char source[ID_LEN], why[ERRLEN];

    runs_branch_source(b->device->facts.key, source);
    if (!b->device->backend->branches || done_has_source(b->done, source))
        return true;
    if (branches_measure(b->device, &b->caps, &b->empties, b->stop, report_branch, w, why) == 0)
        return true;
    warn("cannot measure the cost of graph branches: %s", why);
    return !b->device->lost;
}

static void read_plans(struct bench *b, const struct strlist *paths)
{
    char why[ERRLEN];

    b->nplans = paths->n;
    b->plan = xcalloc((unsigned long)paths->n + 1, sizeof *b->plan);
    for (int i = 0; i < paths->n; i++)
        if (plan_load(paths->v[i], &b->plan[i], why))
            die("%s", why);
}

static void report_file(struct worker *w, const struct subject *s)
{
    struct file_row f = { 0 };

    if (s->source->is_recipe)
        return;
    matrix_label(s->source->path, f.file, sizeof f.file);
    TEXT_SET(f.source_id, s->source_id);
    utc_now(f.seen);
    write_log(w, &file_schema, &f);
}

/* Opens a source unless it is held already, and checks that the plans are for it. FAIL: it cannot be read, or a plan
 * is for another matrix (why). */
static int hold(struct worker *w, const struct source *source, struct subject *s, const struct source **held,
                char why[ERRLEN])
{
    if (*held == source)
        return 0;
    if (*held)
        subject_close(s);
    *held = NULL;
    int status = subject_open(s, source, w->bench.device, why);
    if (status)
        return status;
    for (int i = 0; i < w->bench.nplans && !status; i++)
        status = plan_trial_check(&w->bench.plan[i], s, why);
    if (status)
        subject_close(s);
    else
        *held = source;
    return status;
}

/* Measures one item. Returns false if the worker must exit; *code is then its exit status. */
static bool do_item(struct worker *w, int number, struct subject *s, const struct source **held, int *code)
{
    const struct workload *work = &w->assignment->work;
    const struct item *item = &work->item[w->assignment->mine[number]];
    const struct source *source = &work->source[item->source];
    struct message m = { .type = MESSAGE_ITEM, .number = number };
    char why[ERRLEN];

    send_message(w, &m);
    const bool again = source == w->failed, opens = *held != source;
    if (again || hold(w, source, s, held, why)) {
        w->failed = source;
        m.type = MESSAGE_UNREADABLE;
        snprintf(m.u.text, sizeof m.u.text, "%s", again ? "" : why);
        send_message(w, &m);
        return true;
    }
    if (opens)
        report_file(w, s);
    m.type = MESSAGE_ITEM_DONE;
    m.u.done = (struct item_done){ .number = number };
    if (measure_item(&w->bench, s, item->precision, &m.u.done, why)) {
        m.type = MESSAGE_DIED;
        snprintf(m.u.text, sizeof m.u.text, "%s", why);
        send_message(w, &m);
        *code = WORKER_LOST;
        return false;
    }
    if (stopping) {
        *code = EXIT_RESUME;
        return false;
    }
    send_message(w, &m);
    return true;
}

void worker_main(const struct run_options *o, struct assignment *a, int first, int out, int go,
                 const char *crash_reason)
{
    char byte, why[ERRLEN], reason[ERRLEN];
    struct worker w = { .options = o, .assignment = a, .out = out };
    const struct source *held = NULL;
    struct subject subject;
    int code = EXIT_OK;

    snprintf(reason, sizeof reason, "its process died each time: %s", crash_reason);
    if (kind_facts(run_kind(o))->one_process) /* a CPU device is all its threads, whatever else runs */
        threads_keep_to(a->threads);
    open_device(&w);
    w.bench.empties.core.first = a->local_rank;
    w.bench.empties.core.stride = a->threads < THREADS_MAX ? omp_get_num_procs() / a->threads : 1;
    w.bench.options = o;
    w.bench.done = a->done;
    w.bench.caps = (struct timing_caps){ (int)o->rounds_cap, o->time_cap_s };
    w.bench.stop = &stopping;
    w.bench.crash_reason = reason;
    w.bench.report = report_row;
    w.bench.report_round = report_round;
    w.bench.report_progress = report_progress;
    w.bench.report_source = report_source;
    w.bench.report_plan = report_plan;
    read_plans(&w.bench, &o->plans);
    w.bench.arg = &w;
    parse_configs(&w.bench, o);
    if (go >= 0 && pipe_read(go, &byte, 1))
        _exit(EXIT_OK); /* the rank exited */
    if (runlog_open(o->output, &w.log, why))
        log_failed(&w, why);
    log_device(&w);
    int i = first;
    if (i < a->nmine && !do_branches(&w))
        code = WORKER_LOST;
    while (code == EXIT_OK && i < a->nmine && !stopping && do_item(&w, i, &subject, &held, &code))
        i++;
    if (code == EXIT_OK && i < a->nmine)
        code = EXIT_RESUME;
    if (runlog_close(w.log, why))
        log_failed(&w, why);
    if (code != WORKER_LOST && w.bench.device->backend->close)
        w.bench.device->backend->close(w.bench.device);
    _exit(code);
}
