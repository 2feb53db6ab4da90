/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-verify: reads a profile and run archives, prints how far each model's forecasts are from the measured times, and
 * what it costs to follow its ranking. Measurements that profiles are fitted on (role benchmark) are left out unless
 * asked for. Or reads archives of forecasts, which need no profile, and prints their scores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "forecast/outlook.h"
#include "models/profiles.h"
#include "verify/scores.h"
#include "verify/verify_tables.h"

static const char *profile, *by, *role = "matrix", *table = "all", *set, *place = "gpu";
static double risk;
static struct strlist models, precisions, caches, launches;
static bool json;

static const char *by_about(void)
{
    static char about[512];

    snprintf(about, sizeof about,
             "what rows are grouped by: of run archives those of the error table (%s; default config), of archives of "
             "forecasts all (%s; default model)",
             grouping_names(), score_grouping_names());
    return about;
}

static const char *model_about(void)
{
    static char about[512];

    snprintf(about, sizeof about, "only these models; default all (%s; of archives of forecasts: those they hold)",
             model_names());
    return about;
}

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_profile(
            &profile, "NAME|FILE",
            "whose forecasts: a profile's name (spmv-predict --list) or file; default: this machine's GPU, else its CPU, else an archived GPU"),
        option_models(&models, NULL, model_about()),
        { .name = "by", .type = OPTION_STRING, .value = &by, .arg = "WHAT", .about = by_about() },
        { .name = "table",
          .type = OPTION_CHOICE,
          .value = &table,
          .arg = "TABLE",
          .choices = "errors|ranking|all|plans|scores|advice|costs",
          .about =
              "which table. Of run archives: errors, ranking, all (these two, the default), plans (those carried out by spmv-execute, each by its own forecast); of these and of archives of forecasts: scores (the default of the latter), advice, costs" },
        { .name = "matrix-on",
          .type = OPTION_CHOICE,
          .value = &place,
          .arg = "WHERE",
          .choices = matrix_places,
          .about =
              "table advice: where the CSR arrays are: gpu (the host has them, too) or host (to be copied first)" },
        { .name = "risk",
          .type = OPTION_REAL,
          .value = &risk,
          .arg = "R",
          .min = 0,
          .max = 100,
          .about = "table advice: how much it weighs the upper end of the interval, as spmv-predict's --risk" },
        option_precisions(&precisions, "P,...", "only these; default both"),
        option_caches(&caches, "C,...", "only these; default both"),
        option_launches(
            &launches, "HOW,...",
            "times in a CUDA graph, or of launches back to back into a stream (warm only); default of run archives graph, of archives of forecasts both"),
        { .name = "set",
          .type = OPTION_CHOICE,
          .value = &set,
          .arg = "SET",
          .choices = score_sets,
          .about =
              "of archives of forecasts: families that take part in cross-validation (the default), those that are sealed, or both, in rows of their own" },
        option_role(&role, "matrix|benchmark", "benchmark: what profiles are fitted on"),
        option_json(&json, "JSON instead of tables: one object a table"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-verify",
        .operands = "RUN.h5...|FORECASTS.h5...",
        .about =
            "Compares forecasts with measurements: errors of each model by configuration (or kernel, size, ...), and the\n"
            "times that its ranking would have led to, beside plain rivals (bytes / bandwidth, nearest measured matrix,\n"
            "always cusparse-csr).\n"
            "Of archives of forecasts (made by cross-validation, with the measured times beside) it prints the table scores:\n"
            "errors, what following the least forecast costs, coverage and width of intervals. Every matrix weighs one.\n"
            "--table advice: what the advice costs in all for N multiplications, conversion and preparation counted, beside\n"
            "the best possible and always cusparse-csr; --table costs: how well those costs are forecast.",
        .example = "spmv-verify --profile h200 --by kernel results/h200/matrices*.h5\n"
                   "spmv-verify --by class results/h200/forecasts.h5\n"
                   "spmv-verify --table advice --launch graph results/h200/forecasts.h5",
        .min_operands = 1,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- one kind of archives ---- */

static bool is_forecasts(const char *path)
{
    struct archive *a;
    char why[ERRLEN];
    const int status = archive_open(path, NULL, &a, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    const bool is = strcmp(archive_kind(a), "forecasts") == 0;
    archive_close(a);
    return is;
}

/* Are the operands archives of forecasts? Of two kinds there is no table. */
static bool all_forecasts(char *const *operand, int n)
{
    const bool first = is_forecasts(operand[0]);

    for (int i = 1; i < n; i++)
        if (is_forecasts(operand[i]) != first)
            usage_die("%s is an archive of forecasts, %s is not: give archives of one kind", operand[first ? 0 : i],
                      operand[first ? i : 0]);
    return first;
}

static bool of_forecasts(const char *name)
{
    return strcmp(name, "scores") == 0 || strcmp(name, "advice") == 0 || strcmp(name, "costs") == 0;
}

static void print_scores(const struct scores *s)
{
    if (strcmp(table, "advice") == 0)
        advice_print(s, &(struct advice_choice){ matrix_place_find(place), risk });
    else if (strcmp(table, "costs") == 0)
        costs_print(s);
    else
        scores_print(s);
}

static void verify_forecasts(char *const *operand, int n)
{
    if (!by)
        by = "model";
    options_word("by", by, score_grouping_names());
    const bool other_table = strcmp(table, "all") != 0 && !of_forecasts(table),
               other_role = strcmp(role, "matrix") != 0;
    if (profile || other_table || other_role)
        usage_die("option --%s is for run archives; %s is an archive of forecasts",
                  profile       ? "profile"
                  : other_table ? "table"
                                : "role",
                  operand[0]);
    const struct score_choice choice = {
        &models, &precisions, &caches, &launches, set ? set : "crossvalidated", score_grouping_find(by), json
    };
    for (int i = 0; i < n; i++) {
        struct scores s;
        scores_read(&s, operand[i], &choice);
        print_scores(&s);
        scores_free(&s);
    }
}

/* ---- forecasts of a profile ---- */

/* As archives of forecasts are: each matrix a family of its own. */
static void score_runs(const struct cases *c, const struct profile *p, const char *name)
{
    const struct score_choice choice = { &models,   &precisions, &caches,
                                         &launches, "all",       score_grouping_find(by ? by : "model"),
                                         json };
    struct forecasts f;
    struct scores s;
    cases_as_forecasts(c, p, &f);
    scores_make(&s, name, &f, &choice);
    print_scores(&s);
    scores_free(&s);
}

static void verify_runs(char *const *operand, int n)
{
    struct profile p;
    struct profile_file file;
    struct cases c;
    char why[ERRLEN], line[256];
    const int status = profiles_open(profile, &p, &file, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    for (int i = 0; i < launches.n; i++)
        if (profile_has_launch(&p, (enum launching)launch_parse(launches.v[i]), why) != 0)
            die("%s", why);
    cases_read(&c, operand, n, &p, role, &precisions, &caches, &launches);
    cases_forecast(&c, &p, &models);
    profiles_describe(&file, line);
    if (of_forecasts(table))
        score_runs(&c, &p, n > 1 ? "the archives" : operand[0]);
    else if (strcmp(table, "ranking") != 0)
        errors_print(&c, grouping_find(by ? by : "config"), line, json);
    if (strcmp(table, "errors") != 0 && !of_forecasts(table))
        ranking_print(&c, line, json);
    cases_free(&c);
    profile_free(&p);
}

int main(int argc, char **argv)
{
    char **operand;
    risk = outlook_risk;
    const int n = parse(argc, argv, &operand);
    const bool plans = strcmp(table, "plans") == 0;

    if (plans && (profile || models.n))
        usage_die("--table plans compares each plan with its own forecast: %s says nothing there",
                  profile ? "--profile" : "--model");
    if (all_forecasts(operand, n))
        verify_forecasts(operand, n);
    else {
        if (set)
            usage_die("option --set is for archives of forecasts; %s is none", operand[0]);
        if (plans && strlist_has(&launches, launch_name(STREAM)))
            usage_die("--launch stream: plans are timed in a graph only");
        launch_check_caches(&launches, &caches);
        options_default(&launches, (const char *const[]){ launch_name(GRAPH), NULL });
        options_word("by",
                     by                    ? by
                     : of_forecasts(table) ? "model"
                                           : "config",
                     of_forecasts(table) ? score_grouping_names() : grouping_names());
        for (int i = 0; i < models.n; i++)
            options_word("model", models.v[i], model_names());
        if (plans)
            plans_print(operand, n, &precisions, &caches, json);
        else
            verify_runs(operand, n);
    }
    strlist_free(&models);
    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&launches);
    free(operand);
    return EXIT_OK;
}
