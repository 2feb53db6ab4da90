/* SPDX-License-Identifier: BSD-3-Clause */
/* Times the best few configurations (tune.h) with spmv-run, so that results are checked, timed and archived as in any other run. */
#include "plan/tune.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/proc.h"
#include "base/strings.h"
#include "base/temporary.h"
#include "device/cpu_facts.h"
#include "forecast/advice.h"

/* Returns the path of spmv-run in the directory of this program (malloc'd). */
static char *run_program(void)
{
    char *folder = proc_program_folder(), *program = xasprintf("%s/spmv-run", folder);
    free(folder);
    return program;
}

void tune_check(const struct tuning *t, const struct question *q, char *const *path, int npaths)
{
    char *program = run_program();
    if (access(program, X_OK) != 0)
        die("--tune: cannot execute %s, which times the configurations; build or install all programs of spmvcast",
            program);
    for (int i = 0; i < npaths; i++)
        if (!matrix_read_again(path[i]))
            die("--tune: %s can be read only once; give a regular file", path[i]);
    if (t->output && npaths == 0)
        bug("--tune without a matrix");
    if (q->file.other_threads)
        warn("--tune: profile %s is for %s with %s, but this process has %d; set OMP_NUM_THREADS=%" PRId64,
             q->file.name, q->file.device, counted(q->file.other_threads, "thread").text, cpu_threads(),
             q->file.other_threads);
    else if (!q->file.mine)
        warn("--tune: profile %s is for %s, which this machine does not seem to have", q->file.name, q->file.device);
    free(program);
}

/* ---- the configurations ---- */
static bool is_chosen(const struct tuning *t, const struct outlook *o, const struct outlook_row *r)
{
    return advice_tried(o, r, t->best);
}

static bool any_chosen(const struct tuning *t, const struct predict_output *p, int n)
{
    bool any = false;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < p[k].outlook->n; i++)
            any = any || is_chosen(t, p[k].outlook, &p[k].outlook->row[i]);
    return any;
}

static void add_words(struct strlist *command, const char *option, const char *value)
{
    strlist_add(command, option);
    if (value)
        strlist_add(command, value);
}

static struct strlist make_command(const struct tuning *t, const char *program, const char *archive, const char *path,
                                   const struct question *q, const struct predict_output *p, int n)
{
    struct strlist c = { 0 }, precisions = { 0 }, caches = { 0 };
    double longest_s = 0;
    add_words(&c, program, NULL);
    add_words(&c, "--backend", q->profile.device.kind == DEVICE_CPU ? "cpu" : "cuda");
    for (int k = 0; k < n; k++) {
        const struct outlook *o = p[k].outlook;
        strlist_add_once(&precisions, precision_name(o->target.precision));
        strlist_add_once(&caches, cache_name(o->target.cache));
        for (int i = 0; i < o->n; i++)
            if (is_chosen(t, o, &o->row[i]) && !strlist_has(&c, o->row[i].text)) {
                add_words(&c, "-c", o->row[i].text);
                longest_s = fmax(longest_s, o->row[i].forecast.time_s);
            }
    }
    char *precision = strlist_join(&precisions, ","), *cache = strlist_join(&caches, ","),
         *cap = xasprintf("%.6f", fmin(fmax((double)t->budget * longest_s, 1e-4), 3600));
    add_words(&c, "-p", precision);
    add_words(&c, "--cache", cache);
    add_words(&c, "--time-cap", cap);
    add_words(&c, "--role", "matrix");
    add_words(&c, "-q", NULL);
    add_words(&c, "-o", archive);
    add_words(&c, path, NULL);
    free(precision);
    free(cache);
    free(cap);
    strlist_free(&precisions);
    strlist_free(&caches);
    return c;
}

static volatile pid_t child;
static volatile sig_atomic_t stopped;

static void stop_child(int number)
{
    (void)number;
    stopped = 1;
    if (child > 0)
        kill(child, SIGTERM);
}

/* Runs the command, discards the rows that it prints, and leaves its messages on stderr. A signal that would end this process ends the command,
 * so that its temporary files can be removed. Returns its exit status; EXIT_RESUME: such a signal came; 128 + N: ended by signal N. */
static int run(const struct strlist *command)
{
    static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
    enum { STOPS = sizeof stops / sizeof *stops };
    const struct sigaction action = { .sa_handler = stop_child };
    struct sigaction before[STOPS];
    sigset_t held, mask;
    int status = 0;
    char **argv = xcalloc((unsigned long)command->n + 1, sizeof *argv);
    for (int i = 0; i < command->n; i++)
        argv[i] = command->v[i];
    sigemptyset(&held);
    for (int i = 0; i < STOPS; i++)
        sigaddset(&held, stops[i]);
    sigprocmask(SIG_BLOCK, &held, &mask);
    const pid_t pid = fork();
    if (pid == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0)
            dup2(nowhere, STDOUT_FILENO);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        execv(argv[0], argv);
        _exit(127);
    }
    free(argv);
    child = pid;
    for (int i = 0; i < STOPS; i++) {
        sigaction(stops[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(stops[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    pid_t ended = -1;
    while (pid > 0 && (ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    child = 0;
    for (int i = 0; i < STOPS; i++)
        sigaction(stops[i], &before[i], NULL);
    if (ended != pid || pid < 0)
        die("--tune: cannot start spmv-run");
    return stopped ? EXIT_RESUME : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Says how many of the times are of an earlier call: spmv-run leaves measured rows as they are. */
static void note_kept(const struct tuning *t, const struct predict_output *p, int n,
                      const struct archived_times *before, const struct archived_times *now)
{
    int64_t kept = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < p[k].outlook->n; i++) {
            const struct outlook_row *r = &p[k].outlook->row[i];
            if (!is_chosen(t, p[k].outlook, r))
                continue;
            const char *then = archived_times_date(before, p[k].outlook, r);
            kept += *then && strcmp(then, archived_times_date(now, p[k].outlook, r)) == 0;
        }
    if (kept > 0)
        note("%s: %s of an earlier call, not measured again; remove the file, or name another", now->path,
             counted(kept, "time").text);
}

void tune_measure(const struct tuning *t, const char *path, const struct question *q, const struct predict_output *p,
                  int n, struct archived_times *times)
{
    char *folder = NULL, why[ERRLEN];
    struct archived_times before;
    if (!any_chosen(t, p, n)) /* spmv-run would time the whole sweep */
        die("--tune: no configuration has a forecast, so none is timed");
    archived_times_open(&before, t->output && access(t->output, F_OK) == 0 ? t->output : NULL);
    const bool had = before.path && archived_times_matrix(&before, q, why) == 0;
    if (!t->output && temporary_folder("spmv-tune", &folder) != 0)
        die("--tune: cannot create the temporary directory %s (use --tune-output RUN.h5 to do without):", folder);
    char *program = run_program(), *archive = t->output ? xstrdup(t->output) : xasprintf("%s/run.h5", folder);
    struct strlist c = make_command(t, program, archive, path, q, p, n);
    const int status = run(&c);
    archived_times_close(times);
    if (status == 0)
        archived_times_open(times, archive);
    times->temporary = !t->output;
    if (!t->output)
        temporary_folder_remove(folder);
    if (status == EXIT_RESUME)
        die_code(status, "--tune: stopped");
    if (status != 0)
        die_code(status, "--tune: spmv-run failed with exit status %d; its messages are above", status);
    if (archived_times_matrix(times, q, why) != 0)
        die("--tune: %s", why);
    if (had)
        note_kept(t, p, n, &before, times);
    archived_times_close(&before);
    strlist_free(&c);
    free(program);
    free(archive);
    free(folder);
}

/* ---- output ---- */
/* Returns the set-up in us: as measured, else as forecast. */
static double setup_us(const struct predict_output *p, const struct outlook_row *r)
{
    const double us = archived_times_setup_us(p->times, p->outlook, r);
    return isnan(us) ? r->setup_s * 1e6 : us;
}

/* Returns the total time in us with the measured time us of one product; without --iterations, that time itself. */
static double value_of(const struct predict_output *p, const struct outlook_row *r, double us)
{
    const int64_t n = p->outlook->terms.products;
    return n > 0 ? setup_us(p, r) + (double)n * us : us;
}

/* Returns the time in us of a product of any row, named or not: as measured, else as forecast. */
static double best_known_us(const struct predict_output *p, const struct outlook_row *r)
{
    const double us = archived_times_us(p->times, p->outlook, r);
    return isnan(us) ? r->forecast.time_s * 1e6 : us;
}

/* What --tune or --measured found: */
struct found {
    const struct outlook_row *pick, *best; /* what the forecast chose; of the least measured value */
    /* a row that was not named and whose value, measured or forecast, is less; NULL: none */
    const struct outlook_row *ahead;
    const struct outlook_row *untimed; /* the first of those that --tune could not time */
    double least_us, pick_us;          /* value of best; time of a product of pick */
    int timed, failed;
};

static struct found find(const struct tuning *t, const struct predict_output *p)
{
    const struct outlook *o = p->outlook;
    struct found f = { .pick = outlook_pick(o), .least_us = INFINITY };
    f.pick_us = f.pick ? archived_times_us(p->times, o, f.pick) : NAN;
    for (int i = 0; i < o->n; i++) {
        const struct outlook_row *r = &o->row[i];
        if (t->best > 0 ? !is_chosen(t, o, r) : !r->shown || !r->place)
            continue;
        const double us = archived_times_us(p->times, o, r), value = value_of(p, r, us);
        f.timed += !isnan(us);
        if (t->best > 0 && isnan(us) && ++f.failed == 1)
            f.untimed = r;
        if (value < f.least_us) {
            f.least_us = value;
            f.best = r;
        }
    }
    const struct outlook_row *ahead = advice_ahead(o);
    f.ahead = f.best && ahead && value_of(p, ahead, best_known_us(p, ahead)) < f.least_us ? ahead : NULL;
    return f;
}

/* Returns "518 us for 200 products, 2.40 us each", with forecast set-up where none was measured; without --iterations "2.40 us" (malloc'd). */
static char *total_text(const struct predict_output *p, double value_us, double us)
{
    const int64_t n = p->outlook->terms.products;
    const struct digits total = textout_time(value_us * 1e-6, 3), each = textout_time(us * 1e-6, 3);
    return n > 1    ? xasprintf("%s for %s, %s each", total.text, counted(n, "product").text, each.text)
           : n == 1 ? xasprintf("%s for 1 product", total.text)
                    : xstrdup(total.text);
}

/* Returns how the best compares with what the forecast chose, or with what is ahead of it (malloc'd). */
static char *change_text(const struct predict_output *p, const struct found *f)
{
    const struct outlook_row *other = f->ahead ? f->ahead : f->pick;
    if (!f->ahead && f->best == f->pick)
        return xstrdup("the forecast chose it, too");
    if (!f->ahead && isnan(f->pick_us))
        return xasprintf("the forecast chose %s, which has no measured time", f->pick->text);
    const bool timed = !isnan(archived_times_us(p->times, p->outlook, other));
    const double us = best_known_us(p, other), value = value_of(p, other, us);
    char *time = total_text(p, value, us),
         *text = f->ahead ? xasprintf(timed ? "but %s was measured to be faster: %s"
                                            : "but %s is forecast to be faster: %s, not measured",
                                      other->text, time)
                          : xasprintf("the forecast chose %s, which takes %s; tuning gains %.2fx", other->text, time,
                                      value / f->least_us);
    free(time);
    return text;
}

static char *tuned_text(const struct predict_output *p, const struct found *f)
{
    const struct outlook *o = p->outlook;
    char *of = question_prefix(p->question, p->showing->several),
         *target = xasprintf("%s%s", of, target_words(&o->target).text), *text,
         *lost = f->untimed ? xasprintf("; %d without a time (%s: %s)", f->failed, f->untimed->text,
                                        archived_times_outcome(p->times, o, f->untimed))
                            : xstrdup("");
    if (!f->best)
        text = xasprintf("%s: no configuration with a forecast has a measured time%s", target, lost);
    else {
        char *time = total_text(p, f->least_us, archived_times_us(p->times, o, f->best)),
             *forecast = total_text(p, outlook_value(o, f->best) * 1e6, f->best->forecast.time_s * 1e6),
             *change = change_text(p, f);
        text =
            xasprintf("%s: measured %s: %s %s; %s (forecast %s), %s%s", target, counted(f->timed, "configuration").text,
                      f->ahead ? "the fastest is" : "use", f->best->text, time, forecast, change, lost);
        free(time);
        free(forecast);
        free(change);
    }
    free(of);
    free(target);
    free(lost);
    return text;
}

const struct outlook_row *tune_print(struct table *out, const struct tuning *t, const struct predict_output *p)
{
    const struct outlook *o = p->outlook;
    const struct found f = find(t, p);
    char *text = tuned_text(p, &f);
    table_answer(out, "%s", text);
    textout_object(out, "tuned");
    textout_field_text(out, "matrix", p->question[0].matrix.name);
    textout_field_target(out, &o->target);
    textout_field_int(out, "timed", f.timed);
    textout_field_int(out, "not_timed", f.failed);
    textout_field_text(out, "config", f.best ? f.best->text : NULL);
    textout_field_real(out, "measured_us", f.best ? archived_times_us(p->times, o, f.best) : NAN);
    textout_field_real(out, "setup_us", f.best ? setup_us(p, f.best) : NAN);
    textout_field_text(out, "forecast_config", f.pick ? f.pick->text : NULL);
    textout_field_real(out, "forecast_config_measured_us", f.pick_us);
    textout_field_real(out, "gain", f.best && !isnan(f.pick_us) ? value_of(p, f.pick, f.pick_us) / f.least_us : NAN);
    textout_field_text(out, "text", text);
    textout_object_end(out);
    free(text);
    return f.ahead ? NULL : f.best;
}
