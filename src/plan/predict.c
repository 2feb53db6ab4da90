/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict: reads a matrix and a profile and prints the forecast time of each configuration, ranked, its speedup over
 * cusparse-csr and the cost of conversion. Needs no GPU. The formula is that of the model (-m). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "forecast/advice.h"
#include "forecast/outlook_table.h"
#include "forecast/terms_options.h"
#include "input/matrix.h"
#include "input/operands.h"
#include "library/library_ranking.h"
#include "plan/failures.h"
#include "plan/listing.h"
#include "plan/predict_output.h"
#include "plan/side_by_side.h"
#include "plan/summary.h"
#include "plan/tune.h"

static const char every_model[] = "all";
static const char *model_name = model_default, *measured, *prefer;
static struct strlist profiles, precisions, caches, launches, configs;
static int64_t top;
static struct terms_options by = TERMS_OPTIONS_INIT;
static bool all, explain, json, list, summary;
static struct tuning tuning = { .budget = 2000 };
enum { PROFILES = 16 };

static struct option option_model_or_all(void)
{
    static char choices[1024];
    struct option o = option_model(&model_name, choices);
    snprintf(choices, sizeof choices, "%s|%s", model_names(), every_model);
    o.about = "forecasting model; all: the forecasts of every model side by side";
    return o;
}

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        { .name = "profile",
          .type = OPTION_LIST,
          .value = &profiles,
          .arg = "NAME|FILE,...",
          .about =
              "profile of the device, by name (see --list) or file; default: this machine's GPU, else its CPU, else an archived GPU; several profiles give one ranking over their devices" },
        { .name = "prefer",
          .type = OPTION_STRING,
          .value = &prefer,
          .arg = "NAME|FILE",
          .about = "with several profiles: recommend a configuration for this one, and print what that choice costs" },
        option_model_or_all(),
        option_precisions(&precisions, "P,...", "precision of values, x and y; default f64"),
        option_caches(&caches, "C,...",
                      "warm: the same buffers in every product; cold: caches hold other data; default warm"),
        option_launches(
            &launches, "HOW,...",
            "graph: kernels are nodes of a CUDA graph; stream: launched back to back into a stream, warm only; default graph"),
        option_configs(
            &configs,
            "print only this configuration (repeatable); of several the best is recommended if neither the library nor a kernel on unchanged CSR is faster"),
        { .name = "top",
          .type = OPTION_INT,
          .value = &top,
          .arg = "N",
          .min = 0,
          .max = 1000,
          .about = "print the N fastest configurations; 0: the best of each kernel" },
        { .name = "all", .type = OPTION_FLAG, .value = &all, .about = "print every configuration" },
        option_products(&by),
        option_location(&by),
        option_risk(&by),
        { .name = "tune",
          .type = OPTION_INT,
          .value = &tuning.best,
          .arg = "K",
          .min = 0,
          .max = 100,
          .about =
              "time the K best configurations on this machine, which must have the profile's device, and print the one with the least total" },
        { .name = "tune-budget",
          .type = OPTION_INT,
          .value = &tuning.budget,
          .arg = "N",
          .min = 1,
          .max = 1e9,
          .needs = "tune",
          .about = "with --tune: about how many products to time per configuration (at least three rounds)" },
        { .name = "tune-output",
          .type = OPTION_STRING,
          .value = &tuning.output,
          .arg = "RUN.h5",
          .needs = "tune",
          .about = "with --tune: keep the measurements in this archive" },
        { .name = "measured",
          .type = OPTION_STRING,
          .value = &measured,
          .arg = "RUN.h5",
          .about = "print the measured times of this archive next to the forecasts" },
        { .name = "summary",
          .type = OPTION_FLAG,
          .value = &summary,
          .about =
              "a row per matrix, also of those in directories and lists, and the best single configuration for all" },
        { .name = "explain", .type = OPTION_FLAG, .value = &explain, .about = "print the terms of each forecast" },
        MATRIX_OPTIONS,
        option_columns(),
        option_json(&json, "print JSON instead of a table"),
        { .name = "list",
          .type = OPTION_FLAG,
          .value = &list,
          .about = "list the available profiles with device, date and range of matrices" },
        { .name = NULL },
    };
    char *columns = outlook_table_help(),
         *about = xasprintf(
             "Forecasts how long y = A x takes on a profiled device in each storage format, and recommends a\n"
             "configuration. Needs no GPU.\n"
             "\n"
             "The first lines are the recommendation, then one row per configuration, least total first:\n"
             "%s"
             "With several matrices each row names its matrix. A matrix that cannot be read is reported, and the\n"
             "others follow.",
             columns);
    free(columns);
    const struct program program = { .name = "spmv-predict",
                                     .operands = "MATRIX...",
                                     .about = about,
                                     .about_more = matrix_help,
                                     .example =
                                         "  spmv-predict --profile h200 stencil:points=7,n=100\n"
                                         "  spmv-predict --profile h200 --iterations 5000 a.mtx.gz\n"
                                         "  spmv-predict --profile h200,mine.h5 a.mtx.gz # which device is faster?\n"
                                         "  spmv-predict --tune 3 a.mtx.gz               # time the three best here\n"
                                         "  spmv-predict --summary matrices/              # a row per file\n"
                                         "  spmv-predict --json *.mtx | jq '.recommendations[] | .matrix, .config'",
                                     .min_operands = 0,
                                     .max_operands = -1,
                                     .options = options };

    const int n = options_parse(&program, argc, argv, operands);
    free(about);
    return n;
}

/* ---- one matrix ---- */
struct answer {
    const struct model *model; /* NULL: every model */
    spmvcast_context *library;
    struct question question[PROFILES];
    int nprofiles;
    struct archived_times times;
    struct showing showing;
    struct view view;
};

/* Returns the outlook of each profile for one target [nprofiles]; owned by the caller. */
static struct outlook *make_outlooks(const struct answer *a, const struct target *target)
{
    spmvcast_rank_options options = SPMVCAST_RANK_OPTIONS_INIT;
    spmvcast_ranking *ranking;
    struct outlook *o = xcalloc((unsigned long)a->nprofiles, sizeof *o);
    options.precision = target->precision == F32 ? SPMVCAST_F32 : SPMVCAST_F64;
    options.cache = (spmvcast_cache)target->cache;
    options.launch = (spmvcast_launch)target->launch;
    options.place = (spmvcast_place)matrix_location_find(by.location);
    options.products = by.products > 0 ? by.products : SPMVCAST_UNLIMITED;
    options.risk = by.risk > 0 ? by.risk : SPMVCAST_NO_RISK;
    options.model =
        model_name == model_default ? NULL : a->model->name; /* NULL: what an older profile has, if need be */
    options.configs = (const char *const *)configs.v;
    options.nconfigs = (size_t)configs.n;
    for (int i = 0; i < a->nprofiles; i++) {
        if (ranking_of_question(a->library, &a->question[i], &options, &ranking) != SPMVCAST_OK)
            die("%s", spmvcast_message(a->library));
        o[i] = ranking_take_outlook(ranking);
        spmvcast_ranking_free(ranking);
    }
    if (a->nprofiles > 1)
        outlook_merge(o, a->nprofiles);
    return o;
}

/* The model that answers in place of the default, which the profile lacks; NULL: it has it, or another was asked for. */
static const struct model *model_instead(const struct question *q)
{
    return q->profile.learned || model_name != model_default ? NULL : model_of_profile(&q->profile, false);
}

static void note_profiles(const struct answer *a, struct table *out)
{
    for (int i = 0; i < a->nprofiles; i++) {
        const struct question *q = &a->question[i];
        question_note_profile(q, out);
        question_note_model(out, model_instead(q));
        if (!profile_has_preparations(&q->profile))
            table_note(out, "the profile has no preparation times; they count as 0 (spmv-fit on its runs adds them)");
        if (q->profile.host_cpu[0])
            table_note(out, "conversion times are for a host with %s", q->profile.host_cpu);
    }
}

/* Writes the targets asked for on the device of question[0], and returns their number. */
static int find_targets(const struct answer *a, struct target target[TARGET_KEYS])
{
    int n = 0;
    for (int i = 0; i < precisions.n; i++)
        for (int j = 0; j < caches.n; j++)
            for (int k = 0; k < launches.n; k++)
                if (launch_is_timed(launch_parse(launches.v[k]), cache_parse(caches.v[j])))
                    target[n++] = question_target(&a->question[0], precisions.v[i], caches.v[j], launches.v[k]);
    return n;
}

/* Prints the forecasts of every model for the matrix that is open in question[0]. */
static void predict_side_by_side(struct table *out, struct answer *a, bool first)
{
    const struct question *q = &a->question[0];
    struct target target[TARGET_KEYS];
    const int ntargets = find_targets(a, target);
    const struct outlook_terms terms = terms_of_options(&by);
    struct side_by_side s[TARGET_KEYS];
    for (int i = 0; i < ntargets; i++) {
        s[i] = (struct side_by_side){ .showing = &a->showing, .question = q, .times = &a->times };
        side_by_side_make(&s[i], &target[i], &configs, &terms);
        side_by_side_answer(out, &s[i]);
    }
    if (first)
        note_profiles(a, out);
    bool measured_for = false;
    for (int i = 0; i < ntargets; i++)
        measured_for |= side_by_side_in_training(&s[i]);
    question_note_matrix(q, measured_for ? "this profile" : "", out);
    for (int i = 0; i < ntargets; i++)
        side_by_side_rows(out, &s[i], explain);
    for (int i = 0; i < ntargets; i++) {
        side_by_side_footer(out, &s[i]);
        side_by_side_free(&s[i]);
    }
}

/* Prints the forecasts for the matrix that is open in question[0]; `first` adds notes on the profiles after the advice. */
static void predict_matrix(struct table *out, struct answer *a, const char *path, bool first)
{
    struct predict_output p[TARGET_KEYS];
    struct target target[TARGET_KEYS];
    const int n = find_targets(a, target);
    for (int i = 1; i < a->nprofiles; i++)
        question_share_matrix(&a->question[i], &a->question[0]);
    for (int i = 0; i < n; i++)
        p[i] = (struct predict_output){ &a->showing,  a->question, make_outlooks(a, &target[i]),
                                        a->nprofiles, &a->times,   NULL };
    if (tuning.best > 0)
        tune_measure(&tuning, path, &a->question[0], p, n, &a->times);
    for (int i = 0; i < n; i++) {
        if (tuning.best > 0)
            p[i].tuned = tune_print(out, &tuning, &p[i]);
        predict_output_advice(out, &p[i]);
        if (tuning.best == 0 && a->showing.measured)
            tune_print(out, &tuning, &p[i]);
    }
    if (first)
        note_profiles(a, out);
    predict_output_matrix(out, p, n);
    predict_output_view(out, &a->view, p, n);
    for (int i = 0; i < n; i++)
        predict_output_rows(out, &p[i]);
    for (int i = 0; i < n; i++) {
        if (explain)
            predict_output_terms(out, &p[i]);
        predict_output_footer(out, &p[i]);
        for (int k = 0; k < p[i].n; k++)
            outlook_free(&p[i].outlook[k]);
        free(p[i].outlook);
    }
}

/* ---- all matrices ---- */
static bool is_profile(const struct question *q, const char *asked)
{
    return strcmp(q->file.name, asked) == 0 || strcmp(q->file.path, asked) == 0;
}

static void open_profiles(struct answer *a)
{
    char why[ERRLEN];
    a->nprofiles = profiles.n > 0 ? profiles.n : 1;
    a->showing.preferred = -1;
    for (int i = 0; i < a->nprofiles; i++) {
        struct question *q = &a->question[i];
        int status = question_profile(q, profiles.n > 0 ? profiles.v[i] : NULL, why);
        if (status == 0 && (!a->model || a->model->trained))
            status = profile_load_trained(&q->profile, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
        for (int k = 0; k < i; k++)
            if (strcmp(a->question[k].file.path, q->file.path) == 0)
                usage_die("--profile %s is given twice", profiles.v[i]);
        if (prefer && is_profile(q, prefer))
            a->showing.preferred = i;
    }
    if (prefer && a->showing.preferred < 0)
        usage_die("--prefer %s is not one of the profiles given by --profile", prefer);
}

/* Prints the failures alone, in JSON: there is no forecast. */
static void print_failures(const struct failures *f, const struct showing *showing, const struct model *model)
{
    if (!json)
        return;
    struct column *columns = model ? predict_output_columns(showing) : side_by_side_columns(showing);
    struct table *out = textout_begin(json, columns);
    failures_put(out, f);
    textout_end(out);
    free(columns);
}

/* Forecasts each matrix that can be read, with every model if `model` is NULL; returns the worst exit status of the others. */
static int predict(char **path, int npaths, const struct model *model)
{
    char why[ERRLEN];
    struct matrix_header seen;
    struct failures failures = { .worst = EXIT_OK };
    int n = 0, done = 0;
    /* Report a missing matrix before searching for profiles, which prints notes. */
    for (int i = 0; i < npaths; i++) {
        const int status = matrix_read_again(path[i]) ? matrix_peek(path[i], &seen, why) : 0;
        if (status == 0)
            path[n++] = path[i];
        else
            failures_add(&failures, path[i], status, why);
    }
    const struct showing showing = { .all = all,
                                     .named = configs.n > 0,
                                     .top = top,
                                     .tuned = tuning.best,
                                     .measured = measured || tuning.best > 0,
                                     .several = npaths > 1 };
    if (n == 0) {
        print_failures(&failures, &showing, model);
        failures_free(&failures);
        return failures.worst;
    }
    struct answer *a = xcalloc(1, sizeof *a);
    a->model = model;
    a->showing = showing;
    if (spmvcast_context_create(NULL, &a->library) != SPMVCAST_OK)
        die("out of memory");
    open_profiles(a);
    if (tuning.best > 0)
        tune_check(&tuning, &a->question[0], path, n);
    struct column *columns = model ? predict_output_columns(&a->showing) : side_by_side_columns(&a->showing);
    struct table *out = textout_begin(json, columns);
    textout_shorter(out, "config", config_brief);
    if (model)
        textout_mark(out, "recommended", "yes");
    if (!model)
        side_by_side_view(out, &a->showing);
    a->showing.screen = textout_on_terminal(out);
    archived_times_open(&a->times, measured);
    for (int i = 0; i < n; i++) {
        int bad = question_matrix(&a->question[0], path[i], why);
        if (bad != 0) {
            failures_add(&failures, path[i], bad, why);
            continue;
        }
        bad = tuning.best > 0 ? 0 : archived_times_matrix(&a->times, &a->question[0], why);
        if (bad != 0)
            failures_add(&failures, path[i], bad, why);
        else if (model)
            predict_matrix(out, a, path[i], done == 0);
        else
            predict_side_by_side(out, a, done == 0);
        done += bad == 0;
        question_leave_matrix(&a->question[0]);
    }
    failures_put(out, &failures);
    if (done > 0 || json)
        textout_end(out);
    else
        textout_free(out);
    free(columns);
    archived_times_close(&a->times);
    for (int i = 0; i < a->nprofiles; i++)
        question_close(&a->question[i]);
    spmvcast_context_free(a->library);
    free(a);
    failures_free(&failures);
    return failures.worst;
}

/* Removes repeated items, which would be printed twice. */
static void drop_repeats(struct strlist *items)
{
    struct strlist once = { 0 };
    for (int i = 0; i < items->n; i++)
        strlist_add_once(&once, items->v[i]);
    strlist_free(items);
    *items = once;
}

/* ---- --summary ---- */
/* Prints a row per matrix; returns the worst exit status of those that cannot be read. */
static int summarize(char **operand, int n, const struct model *model)
{
    char why[ERRLEN];
    int worst = EXIT_OK;
    struct strlist paths = { 0 };
    struct answer *a = xcalloc(1, sizeof *a);
    a->model = model;
    if (spmvcast_context_create(NULL, &a->library) != SPMVCAST_OK)
        die("out of memory");
    for (int i = 0; i < n; i++)
        worst = operands_paths(operand[i], &paths) != 0 ? EXIT_FAILED : worst;
    open_profiles(a);
    struct summary *s = summary_begin(json);
    struct question *q = &a->question[0];
    for (int i = 0; i < paths.n; i++) {
        struct target target[TARGET_KEYS];
        const int bad = question_matrix(q, paths.v[i], why);
        if (bad != 0) {
            summary_add_error(s, paths.v[i], why);
            worst = archive_exit(bad) > worst ? archive_exit(bad) : worst;
            continue;
        }
        const int ntargets = find_targets(a, target);
        for (int k = 0; k < ntargets; k++) {
            struct outlook *o = make_outlooks(a, &target[k]);
            summary_add(s, paths.v[i], q, o);
            outlook_free(o);
            free(o);
        }
        question_leave_matrix(q);
    }
    summary_end(s, q, model_instead(q));
    question_close(q);
    spmvcast_context_free(a->library);
    strlist_free(&paths);
    free(a);
    return worst;
}

int main(int argc, char **argv)
{
    char **operand;
    const int n = parse(argc, argv, &operand);
    const struct model *model = model_find(model_name);
    archive_set_command(argc, argv, true); /* of --imports */
    if (list && (n > 0 || profiles.n > 0))
        usage_die("--list takes neither a matrix nor --profile");
    if (!list && n == 0)
        usage_die("missing MATRIX: a Matrix Market file, a Binsparse file or a recipe");
    if ((top > 0) + all + (configs.n > 0) > 1)
        usage_die("--top, --all and -c are mutually exclusive");
    if (profiles.n > PROFILES)
        usage_die("--profile takes at most %s", counted(PROFILES, "profile").text);
    if (prefer && profiles.n < 2)
        usage_die("--prefer requires several profiles (--profile A,B)");
    if ((measured || tuning.best > 0) && profiles.n > 1)
        usage_die("%s requires a single profile", measured ? "--measured" : "--tune");
    if (measured && tuning.best > 0)
        usage_die("--measured and --tune are mutually exclusive");
    if (!model && (tuning.best > 0 || profiles.n > 1))
        usage_die(tuning.best > 0 ? "-m all and --tune are mutually exclusive" : "-m all requires a single profile");
    if (summary && (!model || profiles.n > 1 || measured || tuning.best > 0 || all || top > 0 || explain))
        usage_die("--summary does not go with --tune, --measured, --all, --top, --explain, several profiles or -m all");
    outlook_check_configs(&configs);
    drop_repeats(&precisions);
    drop_repeats(&caches);
    drop_repeats(&launches);
    launch_check_caches(&launches, &caches);
    options_default(&precisions, (const char *const[]){ "f64", NULL });
    options_default(&caches, (const char *const[]){ "warm", NULL });
    options_default(&launches, (const char *const[]){ "graph", NULL });
    int status = EXIT_OK;
    if (list)
        listing_print(json);
    else if (summary)
        status = summarize(operand, n, model);
    else
        status = predict(operand, n, model);
    strlist_free(&profiles);
    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&launches);
    strlist_free(&configs);
    free(operand);
    return status;
}
