/* SPDX-License-Identifier: BSD-3-Clause */
/* The zygote: the process between a rank and its workers. */
#include "run/zygote.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/output.h"
#include "base/pipes.h"

const int stop_signals[STOP_SIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
static volatile pid_t child, preparing; /* preparing: the rank, as long as it measures nothing */

static void on_signal(int number)
{
    (void)number;
    if (preparing && preparing == getpid()) { /* nothing to save; its children die with it */
        output_drop();
        _exit(EXIT_RESUME);
    }
    stopping = 1;
    if (child > 0)
        kill(child, SIGTERM);
}

static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < STOP_SIGNALS; i++)
        if (sigaction(stop_signals[i], &action, &before)
            || (stop_signals[i] == SIGHUP && before.sa_handler == SIG_IGN && sigaction(SIGHUP, &before, NULL)))
            die("sigaction:");
    signal(SIGPIPE, SIG_IGN);
}

/* ---- the zygote's side */
struct follow {                     /* state of the current worker */
    bool greeted, gone;             /* HELLO was received; the rank is gone */
    bool opened;                    /* the current worker can use the device */
    int refused;                    /* number of workers since that could not */
    int item;                       /* current item */
    bool begun;                     /* a row of the item started */
    int deaths;                     /* number of workers that died at this item before any of its rows started */
    char reason[128], lost[ERRLEN]; /* why the last worker died; why it lost its device */
};

static void say(struct follow *f, int out, const struct message *m) { f->gone |= pipe_write(out, m, sizeof *m) != 0; }

static void say_text(struct follow *f, int out, enum message_type type, const char *text)
{
    struct message m = { .type = (int)type, .number = f->item };

    snprintf(m.u.text, sizeof m.u.text, "%s", text);
    say(f, out, &m);
}

static void listen_to(struct follow *f, struct assignment *a, int in, int out)
{
    struct message m;

    while (!pipe_read(in, &m, sizeof m)) {
        bool pass = true;
        if (m.type == MESSAGE_HELLO) {
            pass = !f->greeted; /* forwarded once, for the first worker */
            if (!f->greeted)
                TEXT_SET(a->uuid, m.u.hello.facts.uuid);
            f->greeted = true;
            f->opened = !m.u.hello.error[0];
            memcpy(f->lost, m.u.hello.error, sizeof f->lost);
        } else if (m.type == MESSAGE_ITEM) {
            f->item = m.number;
            f->begun = false;
        } else if (m.type == MESSAGE_ROW) {
            f->begun = true;
            done_add(a->done, &m.u.row.row);
        } else if (m.type == MESSAGE_ROUND) {
            done_add_round(a->done, &m.u.round);
            pass = false; /* progress has its own messages */
        } else if (m.type == MESSAGE_ITEM_DONE || m.type == MESSAGE_UNREADABLE) {
            f->item++;
            f->begun = false;
            f->deaths = 0;
        } else if (m.type == MESSAGE_DIED) {
            memcpy(f->lost, m.u.text, sizeof f->lost);
            pass = false;
        }
        if (pass)
            say(f, out, &m);
        if (f->gone)
            kill(child, SIGKILL);
    }
}

static pid_t start_worker(const struct run_options *o, struct assignment *a, struct follow *f, int go, int *in)
{
    int p[2];

    if (pipe2(p, O_CLOEXEC))
        die("pipe:");
    const pid_t pid = fork();
    if (pid < 0)
        die("fork:");
    if (!pid) {
        child = 0;
        close(p[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        worker_main(o, a, f->item, p[1], f->greeted ? -1 : go, f->reason);
    }
    child = pid;
    f->opened = false;
    if (stopping)
        kill(pid, SIGTERM);
    close(p[1]);
    *in = p[0];
    return pid;
}

/* Why a worker ended. */
static void say_end(struct follow *f, int status, char text[ERRLEN])
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fail(text, "its driver does not answer");
    else if (WIFSIGNALED(status))
        snprintf(text, ERRLEN, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (f->lost[0])
        memcpy(text, f->lost, ERRLEN);
    else
        snprintf(text, ERRLEN, "exit status %d", WEXITSTATUS(status));
    f->lost[0] = 0;
}

/* Reports a dead worker. Skips an item that killed two workers before any of its rows started. */
static void bury(struct follow *f, const struct assignment *a, int status, int out)
{
    char text[ERRLEN];
    const char *name = a->work.source[a->work.item[a->mine[f->item]].source].name;

    say_end(f, status, text);
    snprintf(f->reason, sizeof f->reason, "%.*s", (int)sizeof f->reason - 1, text);
    snprintf(text, sizeof text, "the worker died while measuring %.128s (%.128s); started another one", name,
             f->reason);
    say_text(f, out, MESSAGE_DIED, text);
    if (!f->begun && ++f->deaths == 2) {
        snprintf(text, sizeof text, "%.128s is skipped: two workers died before its first row started (%.128s)", name,
                 f->reason);
        say_text(f, out, MESSAGE_FAILED, text);
        f->deaths = 0;
        f->item++;
    }
}

/* After a worker that could not use the device. Returns true if it was the first of all, or the second since one could: then
 * the device is lost, and not only the kernel that ran on it failed. */
static bool give_up(struct follow *f, bool first, int status, int out)
{
    char text[ERRLEN];

    say_end(f, status, text);
    if (!first && ++f->refused < 2) {
        usleep(300000); /* the driver may still be clearing up */
        return false;
    }
    say_text(f, out, MESSAGE_LOST, text);
    return true;
}

/* Runs workers one after another until all items are done. Returns the exit status for the rank, or WORKER_LOST. */
static int supervise(const struct run_options *o, struct assignment *a, struct follow *f, int go, int out)
{
    for (;;) {
        int in, status;
        const bool first = !f->greeted;
        const pid_t pid = start_worker(o, a, f, go, &in);
        listen_to(f, a, in, out);
        close(in);
        while (waitpid(pid, &status, 0) < 0)
            if (errno != EINTR)
                die("waitpid:");
        child = 0;
        if (f->gone)
            _exit(EXIT_FAILED);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == EXIT_OK)
            return EXIT_OK;
        if (!f->opened && !stopping && (!first || !f->greeted)) {
            if (give_up(f, first, status, out))
                return WORKER_LOST;
            continue;
        }
        f->refused = 0;
        if (code == EXIT_FAILED || code == EXIT_RESUME)
            return code;
        if (stopping)
            return EXIT_RESUME;
        if (f->item >= a->nmine) /* all are reported */
            return EXIT_OK;
        bury(f, a, status, out);
    }
}

static int receive(struct assignment *a, int fd)
{
    struct workload *w = &a->work;

    if (pipe_read(fd, a, sizeof *a))
        return -1;
    w->unwanted = w->twins = (struct strlist){ 0 }; /* the rank's, as elsewhere */
    w->nelsewhere = 0;
    w->elsewhere = NULL;
    w->source = xcalloc((unsigned long)w->nsources + 1, sizeof *w->source);
    w->item = xcalloc((unsigned long)w->nitems + 1, sizeof *w->item);
    a->mine = xcalloc((unsigned long)a->nmine + 1, sizeof *a->mine);
    a->done = done_new();
    if (pipe_read(fd, w->source, (size_t)w->nsources * sizeof *w->source)
        || pipe_read(fd, w->item, (size_t)w->nitems * sizeof *w->item)
        || pipe_read(fd, a->mine, (size_t)a->nmine * sizeof *a->mine))
        return -1;
    return done_receive(a->done, fd);
}

static _Noreturn void zygote_main(const struct run_options *o, int in, int out)
{
    struct assignment a;
    struct follow f = { .reason = "in earlier runs" };
    struct message end = { .type = MESSAGE_END };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!receive(&a, in)) { /* until the rank assigns no more work */
        error_rank(a.size > 1 ? a.rank : -1);
        f.item = 0;
        end.number = supervise(o, &a, &f, in, out);
        say(&f, out, &end);
        work_free(&a.work);
        done_free(a.done);
        free(a.mine);
    }
    _exit(EXIT_OK);
}

/* ---- the rank's side */
void zygote_fork(struct zygote *z, const struct run_options *o)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        die("pipe:");
    fflush(NULL);
    preparing = getpid();
    catch_signals();
    z->pid = fork();
    if (z->pid < 0)
        die("fork:");
    if (!z->pid) {
        close(to[1]);
        close(from[0]);
        zygote_main(o, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    z->to = to[1];
    z->from = from[0];
    child = z->pid;
}

int zygote_assign(struct zygote *z, const struct assignment *a)
{
    const struct workload *w = &a->work;

    if (pipe_write(z->to, a, sizeof *a) || pipe_write(z->to, w->source, (size_t)w->nsources * sizeof *w->source)
        || pipe_write(z->to, w->item, (size_t)w->nitems * sizeof *w->item)
        || pipe_write(z->to, a->mine, (size_t)a->nmine * sizeof *a->mine))
        return -1;
    return done_send(a->done, z->to);
}

int zygote_go(struct zygote *z)
{
    preparing = 0;
    return pipe_write(z->to, "", 1);
}
int zygote_read(struct zygote *z, struct message *m) { return pipe_read(z->from, m, sizeof *m); }

void zygote_end(struct zygote *z)
{
    close(z->to);
    close(z->from);
    while (waitpid(z->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    child = 0;
}
