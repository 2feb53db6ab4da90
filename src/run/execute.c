/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-execute: reads plans (spmv-plan -o) and their matrix, executes the plans on the device that they were made
 * for, and checks y. Times them in the same run as single configurations of the unsplit matrix, and prints forecasts
 * next to measured times. gain_percent = 100 (1 - T / T(best single configuration)). With -o the rows are kept
 * (docs/archive.md); rows that are already measured are skipped. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/hash.h"
#include "base/output.h"
#include "base/temporary.h"
#include "input/matrix.h"
#include "profile/profiles.h"
#include "run/rank.h"
#include "run/run_options.h"
#include "table/textout.h"

static const struct column columns[] = {
    TEXT_COLUMN("part", "plan, or single (one configuration for the whole matrix)"),
    TEXT_COLUMN("config", "configuration with all keys resolved; of a plan: exec, number of blocks and plan_id"),
    TEXT_COLUMN("cache",
                "warm (the same buffers in every run) or cold (caches filled with other data before each run)"),
    TEXT_COLUMN("outcome", "ok, noisy, wrong, na, oom or crashed"),
    REAL_COLUMN("forecast_us", "us", "forecast time of one product, from the plan"),
    REAL_COLUMN("time_us", "us", "measured time of one product (median)"),
    REAL_COLUMN("low_us", "us", "5 % quantile of the measured time"),
    REAL_COLUMN("high_us", "us", "95 % quantile of the measured time"),
    REAL_COLUMN("stream_us", "us", "time per launch of plain back-to-back launches"),
    REAL_COLUMN("t0_us", "us", "time of an empty kernel with the same grid, measured in the same way"),
    REAL_COLUMN("measured_over_forecast", "", "measured time / forecast time"),
    REAL_COLUMN("gain_percent", "%", "100 (1 - T / T(best single configuration measured))"),
    TEXT_COLUMN("reason", "why there is no time, or what is wrong with the time"),
    COLUMNS_END,
};
enum { Q_LOW = 1, Q_HIGH = 7 };

static const char *profile;
static bool json;

static int parse(struct run_options *o, int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_configs(&o->configs,
                       "also time this configuration on the unsplit matrix (repeatable; see spmv-run --list)"),
        run_option_sweep(o),
        option_caches(&o->caches, "LIST", "cache states to time; default: those of the plans"),
        option_profile(&profile, "NAME|FILE", "reject plans not made with the current version of this profile"),
        run_option_backend(o, "device to measure on; default: that of the plans"),
        run_option_gpu(o, "number of the GPU; default -1: the first"),
        run_option_rounds_cap(o),
        run_option_time_cap(o),
        run_option_again(o),
        run_option_accept_noise(o),
        MATRIX_OPTIONS,
        option_columns(),
        option_json(&json, "JSON instead of a table"),
        option_anonymous(&o->anonymous, "omit the host name from the archive"),
        option_output(&o->output, "RUN.h5", "archive that keeps the rows; if it exists, rows are added to it"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-execute",
        .operands = "PLAN.h5... MATRIX",
        .about =
            "Executes plans of one matrix and precision: builds their blocks, multiplies, checks y, and times them in the same run as\n"
            "single configurations.\n\n"
            "Some of the columns:\n"
            "  measured_over_forecast  measured time / forecast time\n"
            "  gain_percent            100 (1 - T / T(best single configuration measured))",
        .about_more = matrix_help_files,
        .example = "  spmv-plan --profile h200 -o plan.h5 a.mtx.gz\n"
                   "  spmv-execute -o executed.h5 plan.h5 a.mtx.gz\n",
        .min_operands = 2,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- checks of the plans */
struct plans {
    int n;
    struct plan *v;
    char *const *path;
};

static void read_plans(struct plans *p, char *const *path, int n)
{
    char why[ERRLEN];

    *p = (struct plans){ n, xcalloc((unsigned long)n, sizeof *p->v), path };
    for (int i = 0; i < n; i++) {
        const int status = plan_load(path[i], &p->v[i], why);
        if (status)
            die_code(archive_exit(status), "%s", why);
        if (p->v[i].row.precision != p->v[0].row.precision)
            usage_die("%s is a plan for %s, but %s is for %s; execute plans of one precision at a time", path[0],
                      precision_name(p->v[0].row.precision), path[i], precision_name(p->v[i].row.precision));
    }
}

static int check_device(const struct rank *k, char why[ERRLEN])
{
    const struct plans *p = k->arg;

    for (int i = 0; i < p->n; i++)
        if (strcmp(p->v[i].row.device_key, k->device.facts.key) != 0)
            return fail(
                why,
                "%s: the plan is for another device: its profile %s is of '%s', but this device is '%s'; make a plan with a profile of this device (see spmv-predict --list)",
                p->path[i], p->v[i].row.profile, p->v[i].row.device_key, k->device.facts.key);
    return 0;
}

static void check_profile(const struct plans *p)
{
    struct profile_file file;
    struct profile found;
    char why[ERRLEN], sha256[ID_LEN];

    if (!profile)
        return;
    int status = profiles_open(profile, &found, &file, why);
    if (!status)
        status = hash_file(file.path, sha256, why);
    if (status)
        die_code(archive_exit(status), "%s", why);
    for (int i = 0; i < p->n; i++)
        if (strcmp(sha256, p->v[i].row.profile_sha256) != 0)
            die("%s was made with another profile: %s with SHA-256 %.12s..., but %s has %.12s...; make a new plan with spmv-plan",
                p->path[i], p->v[i].row.profile, p->v[i].row.profile_sha256, file.path, sha256);
    profile_free(&found);
}

/* ---- output without -o: a temporary directory */
static char *folder;
static pid_t folder_owner; /* pid of the process that created `folder`; forked children must not remove it */

static void temporary_remove(void)
{
    if (getpid() == folder_owner)
        temporary_folder_remove(folder);
}

/* Returns the path of an archive in a temporary directory, which is removed at exit. Caller frees. */
static char *temporary(void)
{
    if (temporary_folder("spmv-execute", &folder) != 0)
        die("cannot create the temporary directory %s (use -o RUN.h5 to do without):", folder);
    folder_owner = getpid();
    output_guard(folder, true);
    if (atexit(temporary_remove))
        die("atexit failed");
    return xasprintf("%s/run.h5", folder);
}

/* ---- output */
/* A row to print. plan: NULL for a single configuration. */
struct result {
    const struct run_row *row;
    const struct plan *plan;
    double forecast_us, gain;
};

static int by_part_and_time(const void *a, const void *b)
{
    const struct result *x = a, *y = b;
    const double s = isnan(x->row->time_us) ? INFINITY : x->row->time_us,
                 t = isnan(y->row->time_us) ? INFINITY : y->row->time_us;
    int d = -word_compare(&cache_words, x->row->cache, y->row->cache); /* warm before cold */

    d = d ? d : (y->plan != NULL) - (x->plan != NULL);
    d = d ? d : (s > t) - (s < t);
    return d ? d : strcmp(x->row->config, y->row->config);
}

static const struct plan *plan_of(const struct plans *p, const struct run_row *r)
{
    char text[CONFIG_LEN];

    for (int i = 0; i < p->n; i++) {
        plan_config(&p->v[i].row, text);
        if (strcmp(text, r->config) == 0)
            return &p->v[i];
    }
    return NULL;
}

/* Returns the forecast of the plan or, if plan is NULL, that of the single configuration of row r, from a plan for
 * the cache state of r. NaN: no forecast. */
static double forecast_of(const struct plans *p, const struct plan *plan, const struct run_row *r)
{
    if (plan)
        return r->cache != plan->row.cache ? NAN : plan->row.time_us;
    for (int k = 0; k < p->n; k++)
        for (int64_t i = 0; i < p->v[k].nsingles && r->cache == p->v[k].row.cache; i++)
            if (strcmp(p->v[k].single[i].config, r->config) == 0)
                return p->v[k].single[i].time_us;
    return NAN;
}

/* Returns the source_id of the matrix, from a row of the plans; "": no such row. Plans only have the matrix_id,
 * which differs from the source_id of a recipe. */
static const char *source_of(const struct runs *runs, const struct plans *p)
{
    for (int64_t i = 0; i < runs->nrows; i++)
        if (plan_of(p, &runs->rows[i]))
            return runs->rows[i].source_id;
    return "";
}

/* Returns the *n rows of the plans and of the requested single configurations, sorted. */
static struct result *collect(const struct rank *k, const struct runs *runs, int64_t *n)
{
    const struct plans *p = k->arg;
    struct result *v = xcalloc((unsigned long)runs->nrows + 1, sizeof *v);
    const char *source_id = source_of(runs, p);

    *n = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct plan *plan = plan_of(p, r);
        if (strcmp(r->source_id, source_id) != 0 || r->precision != p->v[0].row.precision
            || strcmp(r->device_key, k->device.facts.key) != 0
            || !strlist_has(&k->options->caches, cache_name(r->cache))
            || (!plan && !strlist_has(&k->options->configs, r->asked)))
            continue;
        v[(*n)++] = (struct result){ r, plan, forecast_of(p, plan, r), NAN };
    }
    qsort(v, (size_t)*n, sizeof *v, by_part_and_time);
    return v;
}

static void put_result(struct table *out, const struct result *r)
{
    table_put_text(out, "part", r->plan ? "plan" : "single");
    table_put_text(out, "config", r->row->config);
    table_put_text(out, "cache", cache_name(r->row->cache));
    table_put_text(out, "outcome", r->row->outcome);
    table_put_us(out, "forecast_us", r->forecast_us, 4);
    table_put_us(out, "time_us", r->row->time_us, 4);
    table_put_us(out, "low_us", (double)r->row->quantiles_us[Q_LOW], 4);
    table_put_us(out, "high_us", (double)r->row->quantiles_us[Q_HIGH], 4);
    table_put_us(out, "stream_us", r->row->stream_us, 4);
    table_put_us(out, "t0_us", r->row->t0_us, 3);
    table_put_real(out, "measured_over_forecast", r->row->time_us / r->forecast_us, 3);
    table_put_real(out, "gain_percent", r->gain, 3);
    table_put_text(out, "reason", r->row->reason);
    table_row_end(out);
}

/* Prints notes that compare a plan in one cache state with the best single configuration. */
static void note_plan(struct table *out, const struct result *r, const struct result *best)
{
    const struct plan_row *p = &r->plan->row;
    const double us = r->row->time_us;

    if (isnan(us))
        table_note(out, "%s, exec=%s: the plan has no time (%s)", cache_name(r->row->cache), p->exec, r->row->outcome);
    else if (!best)
        table_note(out, "%s, exec=%s: %s, measured %s us; no single configuration has a time",
                   cache_name(r->row->cache), p->exec, counted(p->blocks, "block").text, textout_digits(us, 4).text);
    else if (p->blocks == 1 && strcmp(r->plan->block[0].config, best->row->config) == 0)
        table_note(out, "%s, exec=%s: 1 block, measured %s us: the plan is the best single configuration (%s, %s us)",
                   cache_name(r->row->cache), p->exec, textout_digits(us, 4).text, best->row->config,
                   textout_digits(best->row->time_us, 4).text);
    else
        table_note(out, "%s, exec=%s: %s, measured %s us: %.3gx as fast as the best single configuration (%s, %s us)",
                   cache_name(r->row->cache), p->exec, counted(p->blocks, "block").text, textout_digits(us, 4).text,
                   best->row->time_us / us, best->row->config, textout_digits(best->row->time_us, 4).text);
    if (!isnan(us) && !isnan(r->forecast_us))
        table_note(
            out,
            "%s, exec=%s: forecast %s us, measured / forecast %.3g; forecast of the best single configuration %s us (%s)",
            cache_name(r->row->cache), p->exec, textout_digits(r->forecast_us, 4).text, us / r->forecast_us,
            textout_digits(p->single_us, 4).text, p->single);
}

static void note_blocks(struct table *out, const struct plans *p)
{
    for (int k = 0; k < p->n; k++) {
        const struct plan_row *r = &p->v[k].row;
        char text[CONFIG_LEN];
        plan_config(r, text);
        table_note(out, "%s: matrix %s, %s, %s, %s; model %s, profile %s, %s, %s", text, r->matrix,
                   counted(r->rows, "row").text, counted(r->cols, "column").text, counted(r->nnz, "nonzero").text,
                   r->model, r->profile, precision_name(r->precision), cache_name(r->cache));
        for (int64_t i = 0; i < r->blocks; i++) {
            const struct block_row *b = &p->v[k].block[i];
            table_note(out, "block %" PRId64 ": rows %" PRId64 "..%" PRId64 ", %s: %s", i + 1, b->first_row,
                       b->first_row + b->rows - 1, counted(b->nnz, "nonzero").text, b->config);
        }
    }
}

/* Prints the rows of one cache state, v[i .. end), and returns end. */
static int64_t put_results(struct table *out, struct result *v, int64_t i, int64_t n)
{
    const struct result *best = NULL;
    int64_t end = i;

    for (; end < n && v[end].row->cache == v[i].row->cache; end++)
        if (!v[end].plan && !best && !isnan(v[end].row->time_us))
            best = &v[end];
    for (int64_t j = i; j < end; j++) {
        if (best)
            v[j].gain = 100 * (1 - v[j].row->time_us / best->row->time_us);
        put_result(out, &v[j]);
    }
    for (int64_t j = i; j < end && v[j].plan; j++)
        note_plan(out, &v[j], best);
    return end;
}

static void print(const struct rank *k, int status)
{
    struct table *out = textout_begin(json, columns);
    textout_view(out,
                 "part config cache outcome forecast_us time_us low_us high_us measured_over_forecast gain_percent");
    textout_shorter(out, "config", config_brief);
    struct runs runs = { 0 };
    char why[ERRLEN];
    int64_t n;

    table_note(out, "%s", k->device.facts.key);
    note_blocks(out, k->arg);
    const int loaded = runs_load(k->options->output, &runs, why);
    if (loaded)
        die_code(archive_exit(loaded), "%s", why);
    runs_leave_parts(&runs);
    struct result *v = collect(k, &runs, &n);
    for (int64_t i = 0; i < n;)
        i = put_results(out, v, i, n);
    rank_put_outcomes(k, out, status);
    textout_end(out);
    free(v);
    runs_free(&runs);
}

static void put_nothing(struct rank *k, const struct row_message *m) { (void)k, (void)m; }

int main(int argc, char **argv)
{
    struct run_options options = run_options_initial();
    struct plans plans;
    struct rank k = { .options = &options, .check = check_device, .put_row = put_nothing, .arg = &plans };
    char **operand;
    const int n = parse(&options, argc, argv, &operand);

    archive_set_command(argc, argv, options.anonymous);
    read_plans(&plans, operand, n - 1);
    check_profile(&plans);
    options_default(&options.precisions, (const char *const[]){ precision_name(plans.v[0].row.precision), NULL });
    const bool caches_given = options.caches.n > 0;
    for (int i = 0; i < plans.n; i++) {
        strlist_add(&options.plans, operand[i]);
        if (!caches_given && !strlist_has(&options.caches, cache_name(plans.v[i].row.cache)))
            strlist_add(&options.caches, cache_name(plans.v[i].row.cache));
    }
    if (!options.backend && strncmp(plans.v[0].row.device_key, "CPU ", 4) == 0) /* backend/cpu.c */
        options.backend = kind_facts(DEVICE_CPU)->name;
    run_options_finish(&options);
    char *in_tmp = options.output ? NULL : temporary();
    options.temporary = in_tmp != NULL;
    if (in_tmp)
        options.output = in_tmp;
    rank_start(&k, &argc, &argv);
    rank_begin(&k, operand + plans.n, 1);
    const int status = rank_end(&k, rank_measure(&k, k.share.rank == 0));
    int64_t measured = 0;
    for (int i = 0; i < NOUTCOMES; i++)
        measured += k.totals.outcome[i];
    if (k.share.rank == 0 && access(options.output, F_OK) == 0 && (status != EXIT_FAILED || measured > 0))
        print(&k, status);
    rank_free(&k);
    for (int i = 0; i < plans.n; i++)
        plan_free(&plans.v[i]);
    free(plans.v);
    free(operand);
    run_options_free(&options);
    free(in_tmp);
    return status;
}
