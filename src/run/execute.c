/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-execute: reads a plan (spmv-plan -o) and its matrix, carries the plan out on the device it was made for, checks y and times it
 * beside every configuration that takes the matrix whole, in the same run; prints forecast beside measurement.
 * gain = 1 - T(plan) / T(configuration). With -o the rows are kept (docs/archive.md); what is there is not measured again. */
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/archive.h"
#include "common/hash.h"
#include "common/profiles.h"
#include "common/textout.h"
#include "run/rank.h"
#include "run/timing.h"

static const char header[] = "part\tconfig\tcache\toutcome\tforecast_us\ttime_us\tlow_us\thigh_us\tstream_us\tt0_us\tmeasured_over_forecast\tgain_percent\treason";
enum { Q_LOW = 1, Q_HIGH = 7 };

static const char *profile;
static bool json;

/* True: the rows are to be kept. */
static bool parse(struct run_options *o, int argc, char **argv, char ***operands)
{
    struct option options[] = {
        { 'c', "config", OPTION_LIST, &o->configs, "CONFIG", "times this configuration beside the plan (see spmv-run --list); may be given again", .words = true },
        { 0, "sweep", OPTION_CHOICE, &o->sweep, "NAME", "a list of configurations instead (default when none is named: default)", .choices = "quick|default|exhaustive" },
        { 0, "cache", OPTION_LIST, &o->caches, "LIST", "default: the plan's", .choices = "warm|cold" },
        { 0, "profile", OPTION_STRING, &profile, "NAME|FILE", "refuse a plan that was not made with this profile as it is now", .min = 0 },
        { 0, "backend", OPTION_CHOICE, &o->backend, "NAME", "default: cuda; the CPU device is used only when asked for", .choices = "cuda|cpu" },
        { 0, "gpu", OPTION_INT, &o->gpu, "N", "which GPU (-1: the first)", .min = -1, .max = 1023 },
        { 0, "rounds-cap", OPTION_INT, &o->rounds_cap, "N", "rounds at most", .min = ROUNDS_MIN, .max = ROUNDS_MAX },
        { 0, "time-cap", OPTION_REAL, &o->time_cap_s, "SECONDS", "time at most for a row, once it has 3 rounds", .min = 0, .max = 3600 },
        { 0, "json", OPTION_FLAG, &json, NULL, "JSON instead of a table", .min = 0 },
        { 0, "anonymous", OPTION_FLAG, &o->anonymous, NULL, "leave this host's name out of the archive", .min = 0 },
        { 'o', "output", OPTION_STRING, &o->output, "RUN.h5", "keep the rows in this archive; one that is there is added to", .min = 0 },
        { .name = NULL }
    };
    const struct program program = {
        "spmv-execute", "PLAN.h5 MATRIX",
        "Carries a plan out: builds its blocks, multiplies, checks y, and times it beside single configurations in the same run.\n"
        "measured_over_forecast: measured time / forecast; gain_percent: 1 - T(plan) / T, for each single configuration.",
        "  spmv-plan --profile h200 -o plan.h5 a.mtx.gz && spmv-execute -o executed.h5 plan.h5 a.mtx.gz\n",
        2, 2, options
    };

    options_parse(&program, argc, argv, operands);
    return o->output != NULL;
}

/* ---- is the plan for this */
static int check_device(const struct rank *k, char why[ERRLEN])
{
    const struct plan *p = k->arg;

    if (!strcmp(p->row.device_key, k->device.facts.key))
        return 0;
    return fail(why, "the plan is for another device: made with profile %s of '%s', this is '%s'; make a plan with a profile of this device (spmv-predict --list)",
                p->row.profile, p->row.device_key, k->device.facts.key);
}

static void check_profile(const struct plan *p, const char *path)
{
    struct profile_file file;
    struct profile found;
    char why[ERRLEN], sha256[ID_LEN];

    if (!profile)
        return;
    if (profiles_open(profile, &found, &file, why) || hash_file(file.path, sha256, why))
        die("%s", why);
    if (strcmp(sha256, p->row.profile_sha256))
        die("%s was made with another profile: %s (SHA-256 %.12s...), %s is %.12s...; make the plan anew with spmv-plan", path, p->row.profile,
            p->row.profile_sha256, file.path, sha256);
    profile_free(&found);
}

/* ---- output without -o: a folder that goes away again */
static char *folder;
static pid_t folder_owner;              /* what is forked does not remove it */

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *place)
{
    (void)s, (void)type, (void)place;
    return remove(path);
}

static void temporary_remove(void)
{
    if (getpid() == folder_owner && nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
        warn("cannot remove %s:", folder);
}

/* The path of an archive that is gone when the program ends, however it ends. */
static char *temporary(void)
{
    const char *tmp = getenv("TMPDIR");

    folder = xasprintf("%s/spmv-execute-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        die("cannot make a folder %s for the rows; keep them with -o RUN.h5:", folder);
    folder_owner = getpid();
    if (atexit(temporary_remove))
        die("atexit failed");
    return xasprintf("%s/run.h5", folder);
}

/* ---- what is printed */
struct result { const struct run_row *row; bool is_plan; double forecast_us, gain; };

static int by_part_and_time(const void *a, const void *b)
{
    const struct result *x = a, *y = b;
    const double s = isnan(x->row->time_us) ? INFINITY : x->row->time_us, t = isnan(y->row->time_us) ? INFINITY : y->row->time_us;
    int d = -strcmp(x->row->cache, y->row->cache);              /* warm before cold */

    d = d ? d : y->is_plan - x->is_plan;
    d = d ? d : (s > t) - (s < t);
    return d ? d : strcmp(x->row->config, y->row->config);
}

static double forecast_of(const struct plan *p, const struct run_row *r, bool is_plan)
{
    if (strcmp(r->cache, p->row.cache))
        return NAN;
    if (is_plan)
        return p->row.time_us;
    for (int64_t i = 0; i < p->nsingles; i++)
        if (!strcmp(p->single[i].config, r->config))
            return p->single[i].time_us;
    return NAN;
}

/* Rows of the plan and of what was asked for beside it. */
static struct result *collect(const struct rank *k, const struct runs *runs, const struct plan *p, const char *source_id, int64_t *n)
{
    struct result *v = xcalloc((unsigned long)runs->nrows + 1, sizeof *v);
    char text[CONFIG_LEN];

    plan_config(&p->row, text);
    *n = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const bool is_plan = !strcmp(r->role, "plan");
        if (strcmp(r->source_id, source_id) || strcmp(r->precision, p->row.precision) || strcmp(r->device_key, k->device.facts.key)
            || !strlist_has(&k->options->caches, r->cache) || (is_plan ? strcmp(r->config, text) != 0 : !strlist_has(&k->options->configs, r->asked)))
            continue;
        v[(*n)++] = (struct result){ r, is_plan, forecast_of(p, r, is_plan), NAN };
    }
    qsort(v, (size_t)*n, sizeof *v, by_part_and_time);
    return v;
}

/* The source of the matrix in the archive: the newest plan row's (a recipe's id is not its matrix_id). */
static const char *source_of(const struct runs *runs, const struct plan *p)
{
    char text[CONFIG_LEN];

    plan_config(&p->row, text);
    for (int64_t i = 0; i < runs->nrows; i++)
        if (!strcmp(runs->rows[i].config, text))
            return runs->rows[i].source_id;
    return "";
}

static void put_result(struct textout *out, const struct result *r)
{
    textout_text(out, r->is_plan ? "plan" : "single");
    textout_text(out, r->row->config);
    textout_text(out, r->row->cache);
    textout_text(out, r->row->outcome);
    textout_real(out, r->forecast_us, 4);
    textout_real(out, r->row->time_us, 4);
    textout_real(out, (double)r->row->quantiles_us[Q_LOW], 4);
    textout_real(out, (double)r->row->quantiles_us[Q_HIGH], 4);
    textout_real(out, r->row->stream_us, 4);
    textout_real(out, r->row->t0_us, 3);
    textout_real(out, r->row->time_us / r->forecast_us, 3);
    textout_real(out, r->gain, 3);
    textout_text(out, r->row->reason);
    textout_row_end(out);
}

/* The plan's rows of one cache state, and how it compares. */
static void note_plan(struct textout *out, const struct plan *p, const struct result *plan, const struct result *best)
{
    const double us = plan->row->time_us;

    if (isnan(us))
        textout_note(out, "%s: the plan has no time: %s", plan->row->cache, plan->row->outcome);
    else if (!best)
        textout_note(out, "%s: %" PRId64 " blocks, measured %.4g us; no single configuration has a time", plan->row->cache, p->row.blocks, us);
    else
        textout_note(out, "%s: %" PRId64 " block%s, measured %.4g us: %.3gx the best single configuration (%s, %.4g us)", plan->row->cache, p->row.blocks,
                     p->row.blocks == 1 ? "" : "s", us, best->row->time_us / us, best->row->config, best->row->time_us);
    if (!isnan(us) && !isnan(plan->forecast_us))
        textout_note(out, "%s: forecast %.4g us, measured / forecast %.3g; forecast of the best single configuration %.4g us (%s)", plan->row->cache, plan->forecast_us,
                     us / plan->forecast_us, p->row.single_us, p->row.single);
}

static void print(const struct rank *k, const struct plan *p, int status)
{
    struct textout *out = textout_begin(json, header);
    struct runs runs = { 0 };
    struct result *v, *best = NULL;
    char why[ERRLEN];
    int64_t n;

    textout_note(out, "%s", k->device.facts.key);
    textout_note(out, "matrix %s: %" PRId64 " rows, %" PRId64 " columns, %" PRId64 " nonzeros; plan of model %s, profile %s, %s, %s, exec=%s", p->row.matrix,
                 p->row.rows, p->row.cols, p->row.nnz, p->row.model, p->row.profile, p->row.precision, p->row.cache, p->row.exec);
    for (int64_t i = 0; i < p->row.blocks; i++)
        textout_note(out, "block %" PRId64 ": rows %" PRId64 "..%" PRId64 ", %" PRId64 " nonzeros: %s", i + 1, p->block[i].first_row,
                     p->block[i].first_row + p->block[i].rows - 1, p->block[i].nnz, p->block[i].config);
    if (runs_load(k->options->output, &runs, why))
        die("%s", why);
    v = collect(k, &runs, p, source_of(&runs, p), &n);
    for (int64_t i = 0, end; i < n; i = end) {
        const struct result *plan = v[i].is_plan ? &v[i] : NULL;
        best = NULL;
        for (end = i; end < n && !strcmp(v[end].row->cache, v[i].row->cache); end++) {
            if (!v[end].is_plan && plan)
                v[end].gain = 100 * (1 - plan->row->time_us / v[end].row->time_us);
            if (!v[end].is_plan && !best && !isnan(v[end].row->time_us))
                best = &v[end];
            put_result(out, &v[end]);
        }
        if (plan)
            note_plan(out, p, plan, best);
    }
    textout_note(out, "%" PRId64 " ok, %" PRId64 " na, %" PRId64 " oom, %" PRId64 " crashed, %" PRId64 " wrong; %" PRId64 " of %" PRId64 " rows were there already",
                 k->totals.outcome[0], k->totals.outcome[1], k->totals.outcome[2], k->totals.outcome[3], k->totals.outcome[4], k->totals.there, k->totals.rows);
    if (status == EXIT_RESUME)
        textout_note(out, "stopped early: resume with the same command");
    textout_end(out);
    free(v);
    runs_free(&runs);
}

static void put_nothing(struct rank *k, const struct row_message *m) { (void)k, (void)m; }

int main(int argc, char **argv)
{
    struct run_options options = { .gpu = -1, .rounds_cap = 15, .time_cap_s = 0.2 };
    struct plan plan;
    struct rank k = { .options = &options, .check = check_device, .put_row = put_nothing, .arg = &plan };
    char **operand, why[ERRLEN];
    const bool kept = parse(&options, argc, argv, &operand);

    archive_set_command(argc, argv, options.anonymous);
    if (plan_load(operand[0], &plan, why))
        die("%s", why);
    check_profile(&plan, operand[0]);
    options.plan = operand[0];
    options_default(&options.precisions, (const char *const[]){ plan.row.precision, NULL });
    options_default(&options.caches, (const char *const[]){ plan.row.cache, NULL });
    run_options_finish(&options);
    if (!kept)
        options.output = temporary();
    rank_start(&k, &argc, &argv);
    rank_begin(&k, operand + 1, 1);
    const int status = rank_end(&k, rank_measure(&k, k.share.rank == 0));
    if (k.share.rank == 0 && access(options.output, F_OK) == 0 && status != EXIT_FAILED)
        print(&k, &plan, status);
    rank_free(&k);
    plan_free(&plan);
    free(operand);
    return status;
}
