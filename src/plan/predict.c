/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict: reads a matrix and a profile, prints how long each configuration is forecast to take, ranked, beside
 * cusparse-csr and what converting costs. No GPU is needed. Formula: the chosen model's (see --help of -m). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "forecast/advice.h"
#include "forecast/question.h"
#include "plan/listing.h"
#include "recipes/recipe.h"
#include "runs/rows.h"

static const char *profile, *model_name = model_default, *measured;
static struct strlist precisions, caches, configs;
static int64_t top, iterations;
static bool all, explain, json, list;

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_profile(
            &profile, "NAME|FILE",
            "the device: a profile's name (see --list) or file; default: this machine's GPU, else its CPU, else an archived GPU"),
        option_model(&model_name, model_names()),
        option_precisions(&precisions, "P,...", "of values, x and y; default f64"),
        option_caches(&caches, "C,...", "warm: the same buffers again and again; cold: out of memory; default both"),
        option_configs(&configs, "only this configuration (repeatable)"),
        { .name = "top",
          .type = OPTION_INT,
          .value = &top,
          .arg = "N",
          .min = 0,
          .max = 1000,
          .about = "the N fastest configurations instead of the best of each kernel (0: the latter)" },
        { .name = "all", .type = OPTION_FLAG, .value = &all, .about = "every configuration" },
        { .name = "iterations",
          .type = OPTION_INT,
          .value = &iterations,
          .arg = "N",
          .min = 0,
          .max = 1e15,
          .about = "recommend for N multiplications, conversion counted (0: not counted)" },
        { .name = "measured",
          .type = OPTION_STRING,
          .value = &measured,
          .arg = "RUN.h5",
          .about = "show the measured times of this matrix beside the forecasts" },
        { .name = "explain", .type = OPTION_FLAG, .value = &explain, .about = "what each forecast is made of" },
        option_json(&json, "JSON instead of a table"),
        { .name = "list",
          .type = OPTION_FLAG,
          .value = &list,
          .about = "the profiles there are, with device, date and range" },
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-predict",
        .operands = "MATRIX",
        .about =
            "Forecasts how long y = A x takes on a profiled device, in each storage format.\n"
            "convert_us: making the format from CSR on the host and copying it to the device, by the profile's measured rates;\n"
            "a matrix that is on the device in CSR has nothing to convert for the kernels that use CSR.\n"
            "breakeven_spmv: multiplications after which that is earned back against the best cusparse-csr.\n"
            "storage_mb in 10^6 bytes; bandwidth_gbs: least bytes moved / time.",
        .about_more = matrix_help,
        .example = "spmv-predict --profile h200 -p f64 --iterations 200 matrix.mtx.xz",
        .min_operands = 0,
        .max_operands = 1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- measured times of the same matrix */

/* A recipe's rows are those of its matrix_id where it was measured out of a file, of its recipe_id elsewhere. */
struct measurements {
    struct runs runs;
    bool given;
    char matrix_id[ID_LEN], recipe_id[ID_LEN];
};

static bool is_of_matrix(const struct measurements *m, const struct run_row *r)
{
    return strcmp(r->source_id, m->matrix_id) == 0 || (m->recipe_id[0] && strcmp(r->source_id, m->recipe_id) == 0);
}

static void read_measurements(struct measurements *m, const struct matrix *a, const struct profile *p,
                              struct textout *out)
{
    char why[ERRLEN];
    struct recipe recipe;
    *m = (struct measurements){ .given = measured != NULL };
    if (!m->given)
        return;
    TEXT_SET(m->matrix_id, a->matrix_id);
    if (a->recipe[0] && recipe_parse(a->recipe, &recipe, why) == 0)
        recipe_id(&recipe, m->recipe_id);
    const int status = runs_load(measured, &m->runs, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    runs_leave_parts(&m->runs);
    const struct run_row *first = NULL;
    for (int64_t i = 0; i < m->runs.nrows && !first; i++)
        if (is_of_matrix(m, &m->runs.rows[i]))
            first = &m->runs.rows[i];
    if (!first)
        die("%s has no measurement of %s (matrix_id %.12s...): spmv-run -o %s MATRIX makes them", measured, a->name,
            a->matrix_id, measured);
    if (strcmp(first->device_key, p->device_key) != 0)
        textout_note(out, "measured on another device than the profile's: %s", first->device_key);
}

static double measured_us(const struct measurements *m, const struct outlook *o, const struct outlook_row *r)
{
    for (int64_t i = 0; i < m->runs.nrows; i++) {
        const struct run_row *x = &m->runs.rows[i];
        if (is_of_matrix(m, x) && strcmp(x->config, r->text) == 0 && strcmp(x->outcome, "ok") == 0
            && strcmp(x->precision, precision_name(o->target.precision)) == 0
            && strcmp(x->cache, cache_name(o->target.cache)) == 0)
            return x->time_us;
    }
    return NAN;
}

/* ---- the table */

static bool is_printed(const struct outlook_row *r)
{
    if (!r->shown)
        return false;
    return all || configs.n > 0 || (top > 0 ? r->place >= 1 && r->place <= top : r->best_of_kernel);
}

static void print_count(struct textout *out, const char *column, double n)
{
    if (isnan(n))
        textout_none(out, column);
    else
        textout_int(out, column, (int64_t)fmin(n, 9e18));
}

static void print_row(struct textout *out, const struct outlook *o, const struct outlook_row *r,
                      const struct measurements *m)
{
    double time_s = r->place ? r->forecast.time_s : NAN;
    print_count(out, "place", r->place ? (double)r->place : NAN);
    textout_text(out, "config", r->text);
    textout_text(out, "precision", precision_name(o->target.precision));
    textout_text(out, "cache", cache_name(o->target.cache));
    textout_real(out, "time_us", time_s * 1e6, 4);
    textout_real(out, "low_us", r->forecast.low_s * 1e6, 4);
    textout_real(out, "high_us", r->forecast.high_s * 1e6, 4);
    textout_real(out, "speedup_vs_csr", o->csr ? o->csr->forecast.time_s / time_s : NAN, 3);
    textout_real(out, "bandwidth_gbs", r->least_bytes > 0 ? (double)r->least_bytes / time_s * 1e-9 : NAN, 4);
    textout_real(out, "storage_mb", r->least_bytes > 0 ? (double)r->storage_bytes * 1e-6 : NAN, 4);
    textout_real(out, "convert_us", r->status == OUTLOOK_NA ? NAN : r->convert_s * 1e6, 4);
    print_count(out, "breakeven_spmv", r->breakeven);
    textout_text(out, "model", r->model->name);
    textout_text(out, "status", outlook_status_name(r->status));
    textout_text(out, "reason", r->reason);
    if (m->given) {
        double us = measured_us(m, o, r);
        textout_real(out, "measured_us", us, 4);
        textout_real(out, "error_percent", (time_s * 1e6 / us - 1) * 100, 3);
    }
    textout_row_end(out);
}

static void print_terms(struct textout *out, const struct outlook *o, const struct outlook_row *r)
{
    if (!r->place)
        return;
    char text[512] = "";
    for (int i = 0; i < r->forecast.nterms; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %s us", i ? " + " : "", r->forecast.terms[i].name,
                 textout_digits(r->forecast.terms[i].time_s * 1e6, 4).text);
    }
    textout_note(out, "%s, %s, %s: %s us = %s", r->text, precision_name(o->target.precision),
                 cache_name(o->target.cache), textout_digits(r->forecast.time_s * 1e6, 4).text,
                 text[0] ? text : "(one number: the model names no terms)");
}

static void print_footer(struct textout *out, const struct outlook *o)
{
    int count[OUTLOOK_NA + 1] = { 0 }, shown = 0, printed = 0;
    for (int i = 0; i < o->n; i++) {
        count[o->row[i].status] += o->row[i].shown;
        shown += o->row[i].shown;
        printed += is_printed(&o->row[i]);
    }
    textout_note(out, "%s, %s: %d configurations, %d printed%s; %d ok, %d extrapolated, %d refused, %d not applicable",
                 precision_name(o->target.precision), cache_name(o->target.cache), shown, printed,
                 printed < shown ? " (--all: all)" : "", count[OUTLOOK_OK], count[OUTLOOK_EXTRAPOLATED],
                 count[OUTLOOK_REFUSED], count[OUTLOOK_NA]);
    char *advice = advice_text(o, iterations);
    textout_note(out, "%s", advice);
    free(advice);
}

static void print_outlook(struct textout *out, const struct outlook *o, const struct measurements *m)
{
    for (int i = 0; i < o->n; i++)
        if (is_printed(&o->row[i]))
            print_row(out, o, &o->row[i], m);
}

static const char header[] =
    "place\tconfig\tprecision\tcache\ttime_us\tlow_us\thigh_us\tspeedup_vs_csr\tbandwidth_gbs\tstorage_mb\t"
    "convert_us\tbreakeven_spmv\tmodel\tstatus\treason";
static const char header_measured[] = "\tmeasured_us\terror_percent";

static void predict(const char *path, const struct model *model)
{
    char why[ERRLEN];
    struct question q;
    struct measurements m;
    struct outlook o[NPRECISIONS * NCACHES];
    int n = 0;
    question_open(&q, profile, path);
    char *columns = xasprintf("%s%s", header, measured ? header_measured : "");
    struct textout *out = textout_begin(json, columns);
    question_note(&q, out);
    if (q.profile.host_cpu[0])
        textout_note(out, "conversion and upload: rates measured on a host with %s", q.profile.host_cpu);
    read_measurements(&m, &q.matrix, &q.profile, out);
    for (int i = 0; i < precisions.n; i++)
        for (int j = 0; j < caches.n; j++, n++) {
            struct target t = question_target(&q, precisions.v[i], caches.v[j]);
            if (outlook_make(&q.profile, model, &q.features, &t, &configs, &o[n], why) != 0)
                die("%s", why);
            print_outlook(out, &o[n], &m);
        }
    for (int i = 0; i < n; i++) {
        for (int r = 0; explain && r < o[i].n; r++)
            if (is_printed(&o[i].row[r]))
                print_terms(out, &o[i], &o[i].row[r]);
        print_footer(out, &o[i]);
        outlook_free(&o[i]);
    }
    textout_end(out);
    free(columns);
    if (m.given)
        runs_free(&m.runs);
    question_close(&q);
}

/* Precisions or cache states named twice would be printed twice. */
static void drop_repeats(struct strlist *items)
{
    struct strlist once = { 0 };
    for (int i = 0; i < items->n; i++)
        if (!strlist_has(&once, items->v[i]))
            strlist_add(&once, items->v[i]);
    strlist_free(items);
    *items = once;
}

int main(int argc, char **argv)
{
    char **operand;
    const int n = parse(argc, argv, &operand);
    const struct model *model = model_find(model_name);
    if (list && (n > 0 || profile))
        usage_die("--list takes no matrix and no --profile");
    if (!list && n == 0)
        usage_die("no matrix: name a Matrix Market file, a Binsparse file or a recipe");
    if ((top > 0) + all + (configs.n > 0) > 1)
        usage_die("--top, --all and -c exclude one another: each says which configurations to show");
    outlook_check_configs(&configs);
    drop_repeats(&precisions);
    drop_repeats(&caches);
    options_default(&precisions, (const char *const[]){ "f64", NULL });
    options_default(&caches, (const char *const[]){ "warm", "cold", NULL });
    if (!model && !list)
        bug("no model %s", model_name);
    if (list)
        listing_print(json);
    else
        predict(operand[0], model);
    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&configs);
    free(operand);
    return EXIT_OK;
}
