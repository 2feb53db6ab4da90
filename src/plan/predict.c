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
#include "plan/beside.h"
#include "plan/listing.h"

static const char *profile, *model_name = model_default, *measured;
static struct strlist precisions, caches, launches, configs;
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
        option_launches(
            &launches, "HOW,...",
            "graph: as nodes of a CUDA graph; stream: back to back into a stream, warm only; default graph"),
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
        .operands = "MATRIX...",
        .about =
            "Forecasts how long y = A x takes on a profiled device, in each storage format.\n"
            "Of several matrices each row names its own; of one that cannot be read the reason is printed, and the others follow.\n"
            "convert_us: making the format from CSR on the host and copying it to the device, by the profile's measured rates;\n"
            "a matrix that is on the device in CSR has nothing to convert for the kernels that use CSR.\n"
            "breakeven_spmv: multiplications after which that is earned back against the best cusparse-csr.\n"
            "storage_mb in 10^6 bytes; bandwidth_gbs: least bytes moved / time. recommended: the row that the closing words name.",
        .about_more = matrix_help,
        .example = "spmv-predict --profile h200 -p f64 --iterations 200 matrix.mtx.xz\n"
                   "spmv-predict --profile h200 --json *.mtx | jq '.recommendations[] | .matrix, .config'",
        .min_operands = 0,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- the table */

/* What is recommended always is. */
static bool is_printed(const struct outlook *o, const struct outlook_row *r)
{
    if (!r->shown)
        return false;
    return all || configs.n > 0 || (top > 0 ? r->place >= 1 && r->place <= top : r->best_of_kernel)
           || r == advice_recommended(o, iterations);
}

static void print_count(struct textout *out, const char *column, double n)
{
    if (isnan(n))
        textout_none(out, column);
    else
        textout_int(out, column, (int64_t)fmin(n, 9e18));
}

static void print_row(struct textout *out, const struct question *q, const struct outlook *o,
                      const struct outlook_row *r, const struct beside *m)
{
    double time_s = r->place ? r->forecast.time_s : NAN;
    print_count(out, "place", r->place ? (double)r->place : NAN);
    textout_text(out, "config", r->text);
    textout_text(out, "precision", precision_name(o->target.precision));
    textout_text(out, "cache", cache_name(o->target.cache));
    textout_us(out, "time_us", time_s * 1e6, 4);
    textout_us(out, "low_us", r->forecast.low_s * 1e6, 4);
    textout_us(out, "high_us", r->forecast.high_s * 1e6, 4);
    textout_real(out, "speedup_vs_csr", o->csr ? o->csr->forecast.time_s / time_s : NAN, 3);
    textout_real(out, "bandwidth_gbs", r->least_bytes > 0 ? (double)r->least_bytes / time_s * 1e-9 : NAN, 4);
    textout_real(out, "storage_mb", r->least_bytes > 0 ? (double)r->storage_bytes * 1e-6 : NAN, 4);
    textout_us(out, "convert_us", r->status == OUTLOOK_NA ? NAN : r->convert_s * 1e6, 4);
    print_count(out, "breakeven_spmv", r->breakeven);
    textout_text(out, "model", r->model->name);
    textout_text(out, "status", outlook_status_name(r->status));
    textout_text(out, "reason", r->reason);
    if (m->path) {
        double us = beside_us(m, o, r);
        textout_us(out, "measured_us", us, 4);
        textout_real(out, "error_percent", us > 0 ? (time_s * 1e6 / us - 1) * 100 : NAN, 3);
    }
    textout_text(out, "matrix", q->matrix.name);
    textout_text(out, "recommended", r == advice_recommended(o, iterations) ? "yes" : "no");
    textout_text(out, "launch", launch_name(o->target.launch));
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
    textout_note(out, "%s, %s: %s us = %s", r->text, target_words(&o->target).text,
                 textout_digits(r->forecast.time_s * 1e6, 4).text,
                 text[0] ? text : "(one number: the model names no terms)");
    if (r->forecast.note[0])
        textout_note(out, "%s: %s", r->text, r->forecast.note);
}

/* What the closing words say, as fields. */
static void add_recommendation(struct textout *out, const struct question *q, const struct outlook *o,
                               const char *advice)
{
    const struct outlook_row *r = advice_recommended(o, iterations);
    textout_object(out, "recommendations");
    textout_field_text(out, "matrix", q->matrix.name);
    textout_field_text(out, "precision", precision_name(o->target.precision));
    textout_field_text(out, "cache", cache_name(o->target.cache));
    textout_field_text(out, "launch", launch_name(o->target.launch));
    textout_field_int(out, "iterations", iterations);
    textout_field_text(out, "config", r ? r->text : NULL);
    textout_field_real(out, "time_us", r ? r->forecast.time_s * 1e6 : NAN);
    textout_field_real(out, "speedup_vs_csr", r && o->csr ? o->csr->forecast.time_s / r->forecast.time_s : NAN);
    textout_field_real(out, "convert_us", r ? r->convert_s * 1e6 : NAN);
    textout_field_real(out, "breakeven_spmv", r ? r->breakeven : NAN);
    textout_field_text(out, "status", r ? outlook_status_name(r->status) : NULL);
    textout_field_text(out, "text", advice);
    textout_object_end(out);
}

/* of: "", of several matrices the name of this one. */
static void print_footer(struct textout *out, const struct question *q, const struct outlook *o, const char *of)
{
    int count[OUTLOOK_NA + 1] = { 0 }, shown = 0, printed = 0;
    for (int i = 0; i < o->n; i++) {
        count[o->row[i].status] += o->row[i].shown;
        shown += o->row[i].shown;
        printed += is_printed(o, &o->row[i]);
    }
    const struct target_words target = target_words(&o->target);
    textout_note(out, "%s%s: %s, %d printed%s; %d ok, %d extrapolated, %d refused, %d not applicable", of, target.text,
                 counted(shown, "configuration").text, printed, printed < shown ? " (--all: all)" : "",
                 count[OUTLOOK_OK], count[OUTLOOK_EXTRAPOLATED], count[OUTLOOK_REFUSED], count[OUTLOOK_NA]);
    char kernels[512];
    const int elsewhere = o->named ? 0 : outlook_elsewhere(&q->profile, &q->features, o, kernels, sizeof kernels);
    if (elsewhere > 0)
        textout_note(out, "%s%s: left out: %s that profile %s has for another cache state only: %s", of, target.text,
                     counted(elsewhere, "configuration").text, q->file.name, kernels);
    char *advice = advice_text(o, iterations);
    textout_note(out, "%s%s", of, advice);
    add_recommendation(out, q, o, advice);
    free(advice);
}

static void print_outlook(struct textout *out, const struct question *q, const struct outlook *o,
                          const struct beside *m)
{
    beside_warn(m, q, o);
    for (int i = 0; i < o->n; i++)
        if (is_printed(o, &o->row[i]))
            print_row(out, q, o, &o->row[i], m);
}

static const char header[] =
    "place\tconfig\tprecision\tcache\ttime_us\tlow_us\thigh_us\tspeedup_vs_csr\tbandwidth_gbs\tstorage_mb\t"
    "convert_us\tbreakeven_spmv\tmodel\tstatus\treason";
static const char header_measured[] = "\tmeasured_us\terror_percent";
static const char header_end[] = "\tmatrix\trecommended\tlaunch";

/* The matrix that is open; several: its closing words name it. */
static void predict_matrix(struct textout *out, const struct question *q, const struct model *model,
                           const struct beside *m, bool several)
{
    char why[ERRLEN];
    struct outlook o[NPRECISIONS * NCACHES * NLAUNCHES];
    char *of = several ? xasprintf("%s, ", q->matrix.name) : xstrdup("");
    int n = 0;
    question_note_matrix(q, out);
    for (int i = 0; i < precisions.n; i++)
        for (int j = 0; j < caches.n; j++)
            for (int k = 0; k < launches.n; k++) {
                const struct target t = question_target(q, precisions.v[i], caches.v[j], launches.v[k]);
                if (!launch_is_timed(t.launch, t.cache))
                    continue;
                if (outlook_make(&q->profile, model, &q->features, &t, &configs, &o[n], why) != 0)
                    die("%s", why);
                print_outlook(out, q, &o[n++], m);
            }
    for (int i = 0; i < n; i++) {
        for (int r = 0; explain && r < o[i].n; r++)
            if (is_printed(&o[i], &o[i].row[r]))
                print_terms(out, &o[i], &o[i].row[r]);
        print_footer(out, q, &o[i], of);
        outlook_free(&o[i]);
    }
    free(of);
}

static int failed(int status, const char *why, int worst)
{
    const int code = archive_exit(status);
    complain("%s", why);
    return code > worst ? code : worst;
}

/* Of several matrices those that can be read are forecast; the worst exit code of the others is returned. */
static int predict(char **path, int npaths, const struct model *model)
{
    char why[ERRLEN];
    struct question q;
    struct matrix_header seen;
    struct beside m;
    int worst = EXIT_OK, n = 0, done = 0;
    /* A matrix that is not there is said before a long-winded search for profiles. */
    for (int i = 0; i < npaths; i++) {
        const int status = matrix_read_again(path[i]) ? matrix_peek(path[i], &seen, why) : 0;
        if (status == 0)
            path[n++] = path[i];
        else
            worst = failed(status, why, worst);
    }
    if (n == 0)
        return worst;
    const int status = question_profile(&q, profile, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    char *columns = xasprintf("%s%s%s", header, measured ? header_measured : "", header_end);
    struct textout *out = textout_begin(json, columns);
    question_note_profile(&q, out);
    if (!q.profile.learned && model_name == model_default) { /* an older profile, or one of too few matrices */
        model = model_find(model_planning);
        textout_note(out, "the profile has no %s: forecasts of %s (spmv-fit on its runs, or spmv-profile, adds it)",
                     model_default, model->name);
    }
    if (q.profile.host_cpu[0])
        textout_note(out, "conversion and upload: rates measured on a host with %s", q.profile.host_cpu);
    beside_open(&m, measured);
    for (int i = 0; i < n; i++) {
        int bad = question_matrix(&q, path[i], why);
        if (bad != 0) {
            worst = failed(bad, why, worst);
            continue;
        }
        bad = beside_matrix(&m, &q, why);
        if (bad == 0)
            predict_matrix(out, &q, model, &m, npaths > 1);
        else
            worst = failed(bad, why, worst);
        done += bad == 0;
        question_leave_matrix(&q);
    }
    if (done > 0)
        textout_end(out);
    else
        textout_free(out);
    free(columns);
    beside_close(&m);
    question_close(&q);
    return worst;
}

/* Precisions, cache states or ways of launching named twice would be printed twice. */
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
    drop_repeats(&launches);
    launch_check_caches(&launches, &caches);
    options_default(&precisions, (const char *const[]){ "f64", NULL });
    options_default(&caches, (const char *const[]){ "warm", "cold", NULL });
    options_default(&launches, (const char *const[]){ "graph", NULL });
    if (!model && !list)
        bug("no model %s", model_name);
    int status = EXIT_OK;
    if (list)
        listing_print(json);
    else
        status = predict(operand, n, model);
    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&launches);
    strlist_free(&configs);
    free(operand);
    return status;
}
