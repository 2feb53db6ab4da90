/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-verify: compares forecasts with measured times. Reads run archives and a profile, or archives of forecasts, which
 * need no profile. Rows of role benchmark, to which profiles are fitted, count only with --role benchmark. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "forecast/outlook.h"
#include "profile/profiles.h"
#include "verify/compare.h"
#include "verify/scores.h"
#include "verify/verify_tables.h"

static const char *profile, *by, *role, *table, *set, *matrix_on, *collection, *device; /* NULL: not given */
static double risk = NAN;                                                               /* NaN: not given */
static struct strlist models, precisions, caches, launches, unchanged;
static bool json, compares;

static const char *by_about(void)
{
    static char about[512];

    snprintf(
        about, sizeof about,
        "group rows by WHAT. Table errors: %s (default config); tables scores, advice and coverage: %s (default model; coverage: launch). For "
        "run archives without --table, prints the tables \"errors\" and \"ranking\"",
        grouping_names(), score_grouping_names());
    return about;
}

static const char *model_about(void)
{
    static char about[512];

    snprintf(about, sizeof about,
             "only these models (%s; for archives of forecasts: those archived); default all, but in table summary the "
             "default model and the rivals",
             model_names());
    return about;
}

static const char table_about[] =
    "table to print. For run archives: summary (default), errors, ranking, all (errors and ranking), plans (default for "
    "archives with executed plans), scores, advice, coverage, costs, effort. For archives of forecasts: scores (default), "
    "advice, coverage, costs. --risk and --matrix-on alone: advice";

static int parse(int argc, char **argv, char ***operands)
{
    char risk_about[160];

    snprintf(
        risk_about, sizeof risk_about,
        "tables advice and coverage: weight of the interval's upper end in the pick, as in spmv-predict --risk; default %g",
        OUTLOOK_RISK);
    const struct option options[] = {
        option_profile(
            &profile, "NAME|FILE",
            "profile to verify, by name (spmv-predict --list) or file; default: this machine's GPU, else its "
            "CPU, else an archived GPU"),
        option_models(&models, NULL, model_about()),
        { .name = "by", .type = OPTION_STRING, .value = &by, .arg = "WHAT", .about = by_about() },
        { .name = "table",
          .type = OPTION_CHOICE,
          .value = &table,
          .arg = "TABLE",
          .choices = "summary|errors|ranking|all|plans|scores|advice|coverage|costs|effort",
          .about = table_about },
        { .name = "matrix-on",
          .type = OPTION_CHOICE,
          .value = &matrix_on,
          .arg = "WHERE",
          .choices = matrix_locations,
          .about =
              "table advice: where the CSR arrays are, on the host and the GPU (gpu, default) or only on the host (host)" },
        { .name = "collection",
          .type = OPTION_STRING,
          .value = &collection,
          .arg = "FOLDER",
          .about =
              "table effort: folder with the matrices of the archives, as GROUP/NAME or NAME with an extension of a "
              "matrix file, for the time to take their features; recipes need none" },
        { .name = "risk", .type = OPTION_REAL, .value = &risk, .arg = "R", .min = 0, .max = 100, .about = risk_about },
        option_precisions(&precisions, "P,...", "only these precisions; default both"),
        option_caches(&caches, "C,...", "only these cache states; default both"),
        option_launches(
            &launches, "HOW,...",
            "only these launches: graph (in a CUDA graph), stream (back to back, warm only); default graph, for archives of "
            "forecasts both"),
        { .name = "set",
          .type = OPTION_CHOICE,
          .value = &set,
          .arg = "SET",
          .choices = score_sets,
          .about =
              "archives of forecasts: cross-validated families (default), sealed families, or both in separate rows" },
        option_device(&device, "with run archives of several devices: only rows of this one; it may be "
                               "another than the profile's: what its forecasts are worth there"),
        option_role(
            &role, "matrix|benchmark",
            "compare rows of this role (default matrix, with --compare both); those of role benchmark are measured to fit "
            "profiles"),
        { .name = "compare",
          .type = OPTION_FLAG,
          .value = &compares,
          .about =
              "with two run archives, an old and a new one of the same work: which kernels take another time, beyond noise; "
              "exits with 3 if any does, or a row that was ok is wrong or crashed" },
        { .name = "noise",
          .type = OPTION_LIST,
          .value = &unchanged,
          .arg = "A.h5,B.h5",
          .needs = "compare",
          .about = "with --compare: two runs between which nothing was changed, for how much sessions differ" },
        option_columns(),
        option_json(&json, "print JSON, one object per table"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-verify",
        .operands = "RUN.h5...|FORECASTS.h5...|--compare OLD.h5 NEW.h5",
        .about =
            "Compares forecasts with measured times: errors of each model, and the times its picks lead to, next to\n"
            "plain rivals (bytes / bandwidth, nearest measured matrix, always cusparse-csr).\n"
            "Run archives are compared with forecasts of a profile. Archives of forecasts (spmv-fit --crossvalidate)\n"
            "hold forecasts of models that were fitted without the matrix, and the measured times.\n"
            "--table advice prints the total cost of N products with the advised configuration, including\n"
            "conversion and preparation; --table coverage prints how often measured times are inside the forecast\n"
            "intervals; --table costs prints the errors of forecast conversion and preparation times,\n"
            "--table effort the time to fit each model, to forecast, to rank and to take the features of a matrix, in\n"
            "products.\n"
            "--compare tells what moved between two runs of the same work, e.g. after an update of the driver.",
        .example = "  spmv-verify --profile h200 results/h200/held-out.h5\n"
                   "  spmv-verify --profile h200 --by kernel results/h200/held-out.h5\n"
                   "  spmv-verify --by class results/h200/forecasts.h5\n"
                   "  spmv-verify --table advice --launch graph results/h200/forecasts.h5\n"
                   "  spmv-verify --compare results/h200/matrices.h5 results/h200/repeat.h5",
        .min_operands = 1,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- kinds of archives ---- */

struct seen {
    bool forecasts; /* it is an archive of forecasts, else of runs */
    bool plans;     /* it holds executed plans */
};

static struct seen look(const char *path)
{
    struct seen seen = { 0 };
    struct archive *a;
    char why[ERRLEN], name[64];
    int64_t rows;
    int status = archive_open(path, NULL, &a, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    seen.forecasts = strcmp(archive_kind(a), "forecasts") == 0;
    for (int i = 0; (status = archive_table(a, i, name, &rows, why)) == 0; i++)
        seen.plans = seen.plans || (strcmp(name, "plan") == 0 && rows > 0);
    archive_close(a);
    if (status != FAIL)
        die_code(archive_exit(status), "%s", why);
    return seen;
}

/* Looks at every operand; operands of both kinds are a usage error. */
static struct seen look_at_all(char *const *operand, int n)
{
    struct seen seen = look(operand[0]);

    for (int i = 1; i < n; i++) {
        const struct seen next = look(operand[i]);
        if (next.forecasts != seen.forecasts)
            usage_die("%s is an archive of forecasts, but %s is not; pass archives of one kind",
                      operand[seen.forecasts ? 0 : i], operand[seen.forecasts ? i : 0]);
        seen.plans = seen.plans || next.plans;
    }
    return seen;
}

/* ---- tables ---- */

static bool is_table(const char *name) { return strcmp(table, name) == 0; }
/* Is it a table of archives of forecasts? Run archives are converted for these (cases_as_forecasts). */
static bool of_forecasts(void)
{
    return is_table("scores") || is_table("advice") || is_table("coverage") || is_table("costs");
}
/* What a table of archives of forecasts is grouped by without --by. */
static const char *usual_grouping(void) { return is_table("coverage") ? "launch" : "model"; }

/* Without --table, chooses the table that the given options concern, else the archives' default. Returns the closing note; NULL: none. */
static const char *choose_table(const struct seen *seen)
{
    const bool advice = matrix_on || !isnan(risk);

    if (table)
        return NULL;
    if (advice)
        table = "advice";
    else if (seen->forecasts)
        table = "scores";
    else if (by)
        table = "all";
    else if (seen->plans && !profile && !models.n && !strlist_has(&launches, launch_name(STREAM))
             && strcmp(role, "matrix") == 0)
        table = "plans";
    else
        table = "summary";
    if (advice || by)
        return NULL;
    return seen->forecasts ? "more tables: --table scores (--by kernel, class, ...), advice, coverage, costs"
           : is_table("plans")
               ? "more tables: --table summary, errors, ranking, scores, advice, coverage, costs"
               : "more tables: --table errors (--by kernel, size, ...), ranking, all, scores, advice, coverage, costs";
}

/* runs: the cases if these are of run archives, else NULL. */
static void print_scores(const struct scores *s, const struct cases *runs)
{
    struct table *out = textout_open(json);
    const struct advice_choice how = { matrix_location_find(matrix_on ? matrix_on : "gpu"),
                                       isnan(risk) ? OUTLOOK_RISK : risk };

    if (is_table("advice"))
        advice_table(s, &how, out);
    else if (is_table("coverage"))
        coverage_table(s, &how, out);
    else if (is_table("costs"))
        costs_table(s, out);
    else
        scores_table(s, out);
    if (runs && cases_in_training(runs) && !is_table("costs"))
        cases_note_models(runs, out);
    textout_end(out);
}

static void verify_forecasts(char *const *operand, int n, const char *more)
{
    if (!by)
        by = usual_grouping();
    options_word("by", by, score_grouping_names());
    if (!of_forecasts())
        usage_die("--table %s requires run archives; %s is an archive of forecasts", table, operand[0]);
    if (profile || device || strcmp(role, "matrix") != 0)
        usage_die("--%s requires run archives; %s is an archive of forecasts",
                  profile  ? "profile"
                  : device ? "device"
                           : "role",
                  operand[0]);
    const struct score_choice choice = {
        &models, &precisions, &caches, &launches, set ? set : "crossvalidated", score_grouping_find(by), more, json
    };
    for (int i = 0; i < n; i++) {
        struct scores s;
        scores_read(&s, operand[i], &choice);
        print_scores(&s, NULL);
        scores_free(&s);
    }
}

/* ---- forecasts of a profile ---- */

/* Scores run archives like archived forecasts. */
static void score_runs(const struct cases *c, const struct profile *p, const char *name, const char *described,
                       const char *more)
{
    const struct score_choice choice = { &models,   &precisions, &caches,
                                         &launches, "all",       score_grouping_find(by ? by : usual_grouping()),
                                         more,      json };
    struct forecasts f;
    struct scores s;
    cases_as_forecasts(c, p, &f);
    scores_make(&s, name, &f, &choice);
    if (is_table("summary"))
        summary_print(&s, c, described);
    else
        print_scores(&s, c);
    scores_free(&s);
}

/* The summary compares what spmv-predict uses by default with the rivals. */
static void default_models(const struct profile *p)
{
    const struct model *usual = model_of_profile(p, false);

    for (int i = 0; model_at(i); i++)
        if (model_at(i)->rival || model_at(i) == usual)
            strlist_add(&models, model_at(i)->name);
}

static void verify_runs(char *const *operand, int n, const char *more)
{
    struct profile p;
    struct profile_file file;
    struct cases c;
    char why[ERRLEN], line[448], *label;
    const int status = profiles_open(profile, &p, &file, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    for (int i = 0; i < launches.n; i++)
        if (profile_has_launch(&p, (enum launching)launch_parse(launches.v[i]), why) != 0)
            die("%s", why);
    if (is_table("summary") && models.n == 0)
        default_models(&p);
    cases_read(&c, operand, n, device, &p, role, &precisions, &caches, &launches);
    cases_forecast(&c, &p, &models);
    profiles_describe(&file, line);
    label = xstrdup(n > 1 ? "the archives" : operand[0]);
    if (c.rows_of) {
        char *rows = label;
        label = xasprintf("%s, of %s, by forecasts for %s", rows, c.rows_of, p.device.name);
        free(rows);
        snprintf(line + strlen(line), sizeof line - strlen(line), "; times of another device: %s", c.rows_of);
    }
    if (of_forecasts() || is_table("summary"))
        score_runs(&c, &p, label, line, more);
    if (is_table("errors") || is_table("all"))
        errors_print(&c, grouping_find(by ? by : "config"), line, json);
    if (is_table("ranking") || is_table("all"))
        ranking_print(&c, line, json);
    if (is_table("effort")) {
        if (profile_load_trained(&p, why) != 0)
            die("%s", why);
        effort_print(&c, &p, line, collection, json);
    }
    free(label);
    cases_free(&c);
    profile_free(&p);
}

/* ---- two runs ---- */

static int compare_runs(char *const *operand, int n)
{
    const struct compare_choice choice = { role, device, &precisions, &caches, &launches };
    const char *other = profile        ? "profile"
                        : models.n     ? "model"
                        : by           ? "by"
                        : table        ? "table"
                        : set          ? "set"
                        : matrix_on    ? "matrix-on"
                        : collection   ? "collection"
                        : !isnan(risk) ? "risk"
                                       : NULL;
    struct compare c, same;

    if (n != 2)
        usage_die("--compare requires two archives, OLD.h5 and NEW.h5");
    if (other)
        usage_die("--compare and --%s are mutually exclusive", other);
    if (unchanged.n > 0 && unchanged.n != 2)
        usage_die("--noise requires two archives, A.h5,B.h5");
    compare_read(&c, operand[0], operand[1], &choice);
    if (unchanged.n > 0) {
        compare_read(&same, unchanged.v[0], unchanged.v[1], &choice);
        compare_noise(&c, &same);
        compare_free(&same);
    }
    const bool moved = compare_judge(&c);
    struct table *out = textout_begin(json, compare_columns);
    compare_table(&c, unchanged.n > 0, out);
    textout_end(out);
    compare_free(&c);
    return moved ? EXIT_WRONG : EXIT_OK;
}

static int verify(char *const *operand, int n)
{
    if (!role)
        role = "matrix";
    if (table && is_table("plans") && (profile || models.n))
        usage_die("--table plans and --%s are mutually exclusive: each plan has its own forecast",
                  profile ? "profile" : "model");
    if (collection && (!table || !is_table("effort")))
        usage_die("--collection requires --table effort");
    if (matrix_on && table && !is_table("advice"))
        usage_die("--matrix-on requires --table advice");
    if (!isnan(risk) && table && !is_table("advice") && !is_table("coverage"))
        usage_die("--risk requires --table advice or coverage");
    const struct seen seen = look_at_all(operand, n);
    const char *more = choose_table(&seen);
    if (seen.forecasts)
        verify_forecasts(operand, n, more);
    else {
        if (set)
            usage_die("--set requires an archive of forecasts; %s is a run archive", operand[0]);
        if (is_table("plans") && strlist_has(&launches, launch_name(STREAM)))
            usage_die("--launch stream is not supported by --table plans: plans are timed in a graph");
        launch_check_caches(&launches, &caches);
        options_default(&launches, (const char *const[]){ launch_name(GRAPH), NULL });
        if (by)
            options_word("by", by, of_forecasts() ? score_grouping_names() : grouping_names());
        for (int i = 0; i < models.n; i++)
            options_word("model", models.v[i], model_names());
        if (is_table("plans"))
            plans_print(operand, n, device, &precisions, &caches, more, json);
        else
            verify_runs(operand, n, more);
    }
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    char **operand;
    const int n = parse(argc, argv, &operand);

    const int status = compares ? compare_runs(operand, n) : verify(operand, n);
    strlist_free(&models);
    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&launches);
    strlist_free(&unchanged);
    free(operand);
    return status;
}
