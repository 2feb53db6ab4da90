/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank of spmv-run or spmv-execute (rank.h). Rank 0 holds the lock and merges logs into the archive. */
#include "run/rank.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/clock.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/threads.h"
#include "input/folders.h"
#include "run/comm.h"
#include "run/store.h"
#include "runs/runlog.h"
#include "table/textout.h"

/* The state of a rank, exchanged among all ranks before measuring. */
struct state {
    char error[ERRLEN], host[64], uuid[64];
    int count, status; /* status: return value of the failed step */
};

void rank_start(struct rank *k, int *argc, char ***argv)
{
    zygote_fork(&k->zygote, k->options);
    comm_begin(argc, argv);
    k->share.rank = comm_rank();
    k->share.size = comm_size();
    error_rank(k->share.size > 1 ? k->share.rank : -1);
    void *all;
    cpu_set_t may;
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        CPU_ZERO(&may);
    const int n = comm_gather_local(&may, sizeof may, &all, &k->share.local_rank);
    k->share.threads = CPU_COUNT(&may) > 0 ? threads_part(all, n, k->share.local_rank) : THREADS_MAX;
    free(all);
}

/* ---- before measuring */

/* Collective. Returns if no rank failed; else the lowest failed rank prints its error and all exit. */
static void agree(const struct state *mine, bool locked, const struct run_options *o)
{
    struct state *all = xcalloc((unsigned long)comm_size(), sizeof *all);
    int bad = -1;

    comm_gather_all(mine, sizeof *mine, all);
    for (int r = comm_size() - 1; r >= 0; r--)
        if (all[r].error[0])
            bad = r;
    const int code = bad < 0 ? EXIT_OK : archive_exit(all[bad].status);
    free(all);
    if (bad < 0)
        return;
    if (locked)
        runlock_release(o->output);
    if (bad == comm_rank())
        complain("%s", mine->error);
    comm_barrier(); /* the launcher kills all ranks once one exits: print first */
    comm_end();
    exit(code);
}

/* Sets mine->error if ranks share a GPU, since their times would be useless. */
static void check_gpus(struct state *mine, const struct rank *k)
{
    struct state *all = xcalloc((unsigned long)comm_size(), sizeof *all);
    int here = 0, same = 0;

    comm_gather_all(mine, sizeof *mine, all);
    for (int r = 0; r < comm_size(); r++) {
        here += strcmp(all[r].host, mine->host) == 0;
        same += strcmp(all[r].host, mine->host) == 0 && strcmp(all[r].uuid, mine->uuid) == 0;
    }
    free(all);
    if (!mine->error[0] && kind_facts(k->device.geometry.kind)->one_process && same > 1)
        fail(
            mine->error,
            "%d cuda ranks on %s, which has %s; start at most one rank per GPU (mpirun -n %d), or set CUDA_VISIBLE_DEVICES per rank",
            here, mine->host, counted(k->device.count, "GPU").text, k->device.count);
}

/* Rank 0: checks that RUN.h5 is writable and takes its lock; a dry run does without. No signal comes between the lock and its note
 * (output_guard). */
static int prepare_output(const struct run_options *o, char why[ERRLEN])
{
    const char *tmp;
    sigset_t stops, before;

    if (!o->output)
        return 0;
    if (archive_output(o->output, "run", &tmp, why))
        return FAIL;
    output_discard(tmp);
    if (o->dry_run)
        return 0;
    sigemptyset(&stops);
    for (int i = 0; i < STOP_SIGNALS; i++)
        sigaddset(&stops, stop_signals[i]);
    sigprocmask(SIG_BLOCK, &stops, &before);
    const int status = runlock_take(o->output, why);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int meet_device(struct rank *k, char why[ERRLEN])
{
    struct message m;

    if (zygote_assign(&k->zygote, &k->share) || zygote_read(&k->zygote, &m)
        || (m.type != MESSAGE_HELLO && m.type != MESSAGE_LOST))
        return fail(why, "the worker exited before it opened the device");
    if (m.type == MESSAGE_LOST)
        return fail(why, "cannot open the device: %s", m.u.text);
    k->device = m.u.hello;
    if (k->device.error[0])
        return fail(why, "%s", k->device.error);
    TEXT_SET(k->share.uuid, k->device.facts.uuid);
    if (k->device.facts.others > 0)
        warn("other processes are using this GPU (%d); times may be disturbed", k->device.facts.others);
    return 0;
}

/* Stores and returns the status of a step; clears an error text that a successful step left. */
static int attempt(struct state *s, int status)
{
    if (!status)
        s->error[0] = 0;
    s->status = status;
    return status;
}

void rank_begin(struct rank *k, char *const *operands, int n)
{
    struct run_options *o = k->options;
    struct state s = { 0 };
    bool locked = false;

    archive_reads_logs();
    gethostname(s.host, sizeof s.host - 1);
    if (attempt(&s, rank_find_work(k, operands, n, s.error)) == 0 && k->share.rank == 0)
        locked = attempt(&s, prepare_output(o, s.error)) == 0 && !o->dry_run;
    agree(&s, locked, o);
    if (attempt(&s, rank_share_work(k, s.error)) == 0 && attempt(&s, meet_device(k, s.error)) == 0 && k->check)
        attempt(&s, k->check(k, s.error));
    snprintf(s.uuid, sizeof s.uuid, "%s", k->device.facts.uuid);
    check_gpus(&s, k);
    agree(&s, locked, o);
}

/* ---- while measuring */
static const struct item *item_at(const struct rank *k, int number)
{
    return number < k->share.nmine ? &k->share.work.item[k->share.mine[number]] : NULL;
}

/* Removes the directory of the file, and the file at the beginning, from what its reader says: archives hold no directories. */
static void put_reason(struct file_row *f, const char *path, const char *text)
{
    const char *slash = memrchr(path, '/', matrix_file_length(path));
    const size_t n = slash ? (size_t)(slash + 1 - path) : 0, whole = strlen(path);
    char reason[ERRLEN];
    size_t used = 0;

    if (strncmp(text, path, whole) == 0)
        text += whole + strspn(text + whole, ": ");
    while (*text && used + 1 < sizeof reason)
        if (n && strncmp(text, path, n) == 0)
            text += n;
        else
            reason[used++] = *text++;
    reason[used] = 0;
    matrix_text(f->reason, sizeof f->reason, reason);
}

static void skip_file(struct rank *k, struct source *s, const char *text)
{
    struct file_row f = { 0 };
    char why[ERRLEN];

    s->skipped = true;
    matrix_label(s->path, f.file, sizeof f.file);
    put_reason(&f, s->path, text);
    utc_now(f.seen);
    if ((!k->log && runlog_open(k->options->output, &k->log, why)) || runlog_write(k->log, &file_schema, &f, why))
        die("%s", why);
}

/* An item whose file cannot be read is skipped; other failures of an item are failures of the run. */
static void item_failed(struct rank *k, const struct message *m)
{
    struct source *s = &k->share.work.source[item_at(k, m->number)->source];
    const bool file = k->options->skip_files && !s->is_recipe, fails = !file || m->type == MESSAGE_FAILED;

    k->failed |= fails;
    if (!*m->u.text || s->skipped)
        return; /* said before */
    if (fails)
        complain("%s", m->u.text);
    else
        warn("%s", m->u.text);
    if (file)
        skip_file(k, s, m->u.text);
}

/* Counts and prints a row. "started" and "stopped" are for the log only. */
static void take_row(struct rank *k, const struct row_message *m)
{
    const enum row_outcome o = row_outcome(&m->row);

    if (o == NOUTCOMES)
        return;
    k->totals.outcome[o]++;
    k->totals.given_up += o == OUTCOME_NOISY && !done_is_open(&m->row);
    k->totals.accepted += o == OUTCOME_OK && m->row.reason[0];
    k->put_row(k, m);
}

static void item_done(struct rank *k, const struct item_done *d)
{
    k->totals.rows += d->rows;
    k->totals.there += d->there;
    k->totals.noisy_there += d->noisy;
    k->done_s += item_at(k, d->number)->cost_s;
}

/* Handles messages from the zygote and its workers until the last one. Returns the exit status. */
static int follow(struct rank *k)
{
    struct message m;
    const char *name = "";
    char now[256] = "";
    double within_s = 0; /* estimated time of the done part of the current item */
    int64_t rounds = 0;

    while (!zygote_read(&k->zygote, &m)) {
        if (m.type == MESSAGE_END)
            return m.number == EXIT_OK && k->failed ? EXIT_FAILED : m.number;
        if (m.type == MESSAGE_ITEM) {
            name = k->share.work.source[item_at(k, m.number)->source].name;
            snprintf(now, sizeof now, "%s", name);
            within_s = 0;
            rounds = 0;
        } else if (m.type == MESSAGE_ROW)
            take_row(k, &m.u.row);
        else if (m.type == MESSAGE_PROGRESS) {
            within_s = m.u.done.share * item_at(k, m.u.done.number)->cost_s;
            k->totals.rounds += m.u.done.rounds - rounds;
            rounds = m.u.done.rounds;
            snprintf(now, sizeof now, "%s of %s", counted(m.u.done.rounds, "round").text, name);
        } else if (m.type == MESSAGE_ITEM_DONE) {
            item_done(k, &m.u.done);
            within_s = 0;
        } else if (m.type == MESSAGE_FAILED || m.type == MESSAGE_UNREADABLE)
            item_failed(k, &m);
        else if (m.type == MESSAGE_LOST) {
            k->left = k->share.nmine - m.number;
            k->totals.lost++;
            warn("lost device %d (%s%s%s): a new process cannot use it either: %s", k->device.index,
                 k->device.facts.key, *k->device.facts.uuid ? ", " : "", k->device.facts.uuid, m.u.text);
        } else
            warn("%s", m.u.text);
        if (k->progress)
            progress_set(k->progress, k->done_s + within_s, now);
    }
    warn("the supervisor process died; repeat the same command to resume");
    return EXIT_FAILED;
}

static void show_progress(struct rank *k)
{
    double cost_s = 0;

    for (int i = 0; i < k->share.nmine; i++)
        cost_s += item_at(k, i)->cost_s;
    k->done_s = 0;
    k->progress = progress_begin("measured", cost_s);
}

/* Counts the files to measure. None is skipped yet: the workers try again those whose headers could not be read. */
static void begin_files(struct rank *k)
{
    const struct workload *w = &k->share.work;
    bool *asked = xcalloc((unsigned long)w->nsources + 1, sizeof *asked);

    for (int i = 0; i < w->nitems; i++)
        asked[w->item[i].source] = true;
    for (int i = 0; i < w->nsources; i++) {
        w->source[i].skipped = false;
        k->files += asked[i] && !w->source[i].is_recipe;
    }
    free(asked);
}

int rank_measure(struct rank *k, bool progress)
{
    begin_files(k);
    if (progress)
        show_progress(k);
    int status = zygote_go(&k->zygote) ? EXIT_FAILED : follow(k);
    while (rank_hand_over(k, &status)) {
        if (!k->share.nmine)
            continue;
        if (progress) {
            progress_end(k->progress);
            show_progress(k);
        }
        const int more = follow(k);
        status = status == EXIT_OK || more == WORKER_LOST ? more : status;
    }
    char why[ERRLEN];
    if (k->log && runlog_close(k->log, why))
        die("%s", why);
    return status;
}

/* ---- after measuring */

/* Collective. Returns the worst status of all ranks; a failure is worse than a stop. */
static int common_status(int status)
{
    int64_t n[3] = { status == EXIT_FAILED, status == EXIT_RESUME, 0 };

    comm_sum(n, 2);
    return n[0] ? EXIT_FAILED : n[1] ? EXIT_RESUME : EXIT_OK;
}

static void sum_totals(struct rank *k)
{
    enum { N = sizeof k->totals / sizeof(int64_t) };
    int64_t v[N];

    _Static_assert(sizeof k->totals == sizeof v, "totals holds int64_t only");
    memcpy(v, &k->totals, sizeof v);
    comm_sum(v, N);
    memcpy(&k->totals, v, sizeof v);
}

/* Collective. Every rank learns which files were skipped. */
static void share_skipped(struct rank *k)
{
    const struct workload *w = &k->share.work;
    int64_t *skipped = xcalloc((unsigned long)w->nsources + 1, sizeof *skipped);
    char name[sizeof((struct file_row *)0)->file];

    for (int i = 0; i < w->nsources; i++)
        skipped[i] = w->source[i].skipped;
    comm_sum(skipped, w->nsources);
    for (int i = 0; i < w->nsources; i++) {
        w->source[i].skipped = skipped[i] > 0;
        if (skipped[i] == 0)
            continue;
        matrix_label(w->source[i].path, name, sizeof name);
        strlist_add(&k->skipped, name);
    }
    free(skipped);
}

static int final_status(const struct rank *k, int status)
{
    if (status != EXIT_OK)
        return status;
    if (k->totals.outcome[OUTCOME_WRONG] > 0)
        return EXIT_WRONG;
    if (k->skipped.n == 0)
        return EXIT_OK;
    return k->totals.rows > 0 || k->options->shares > 0 ? EXIT_SKIPPED : EXIT_FAILED;
}

int rank_end(struct rank *k, int status)
{
    char why[ERRLEN];
    int64_t bad = 0;

    zygote_end(&k->zygote);
    progress_end(k->progress);
    status = common_status(status); /* all workers of all ranks have ended */
    share_skipped(k);
    if (k->share.rank == 0) {
        archive_set_device(k->device.facts.key, k->device.facts.uuid, k->device.facts.driver, k->device.facts.cuda,
                           k->device.facts.cusparse, k->device.facts.host_cpu);
        if (store_merge(k->options->output, &k->share.work, status == EXIT_OK, why)) {
            if (k->options->temporary)
                warn("%s", why);
            else
                warn("%s; the measurements are kept in %s.log; repeat the same command to resume", why,
                     k->options->output);
            bad = 1;
        }
        runlock_release(k->options->output);
    }
    sum_totals(k);
    comm_sum(&bad, 1);
    return bad ? EXIT_FAILED : final_status(k, status);
}

void rank_put_outcomes(const struct rank *k, struct table *out, int status)
{
    const struct totals *t = &k->totals;
    const int64_t *n = t->outcome, noisy = n[OUTCOME_NOISY], again = noisy - t->given_up,
                  stay = t->given_up + t->noisy_there;

    table_note(out, "%" PRId64 " of %s already measured%s", t->there, counted(t->rows, "row").text,
               status == EXIT_RESUME ? " (counted in finished matrices only)" : "");
    table_note(out, "%s measured", counted(t->rounds, "round").text);
    table_note(out, "%" PRId64 " ok, %" PRId64 " na, %" PRId64 " oom, %" PRId64 " crashed, %" PRId64 " wrong",
               n[OUTCOME_OK], n[OUTCOME_NA], n[OUTCOME_OOM], n[OUTCOME_CRASHED], n[OUTCOME_WRONG]);
    if (noisy > 0)
        table_note(out,
                   "%" PRId64 " noisy: %" PRId64 " to be measured again by the same command, %" PRId64
                   " still noisy after %d tries",
                   noisy, again, t->given_up, DONE_NOISY_TRIES);
    if (t->accepted > 0)
        table_note(out, "noisy, but accepted as ok (--accept-noise): %s", counted(t->accepted, "row").text);
    if (t->lost > 0)
        table_note(out, "%s lost", counted(t->lost, "device").text);
    if (k->skipped.n > 0) {
        char *text = files_skipped_text(&k->skipped, k->files);
        table_note(out, "%s", text);
        free(text);
    }
    if (status == EXIT_RESUME)
        table_note(out, "stopped early; %s",
                   k->options->temporary ? "use -o RUN.h5 to resume" : "repeat the same command to resume");
    if (again > 0)
        warn("%s noisy, probably disturbed by other processes; repeat the same command when the machine is idle. "
             "Profiles are not fitted to noisy rows",
             counted(again, again == 1 ? "row is" : "row are").text);
    if (stay > 0)
        warn("%s still noisy after %d tries; measure them again with --again noisy, or accept them with --accept-noise",
             counted(stay, stay == 1 ? "row is" : "row are").text, DONE_NOISY_TRIES);
}

void rank_leave(struct rank *k) { zygote_end(&k->zygote); }

void rank_free(struct rank *k)
{
    comm_end();
    work_free(&k->share.work);
    done_free(k->share.done);
    runs_free(&k->runs);
    free(k->share.mine);
    strlist_free(&k->skipped);
}
