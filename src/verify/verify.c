/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-verify: reads a profile and run archives, prints how far each model's forecasts are from the measured times, and
 * what it costs to follow its ranking. Measurements that profiles are fitted on (role benchmark) are left out unless
 * asked for. */
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "models/profiles.h"
#include "verify/verify_tables.h"

static const char *profile, *by = "config", *role = "matrix", *table = "all";
static struct strlist models, precisions, caches;
static bool json;

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_profile(
            &profile, "NAME|FILE",
            "whose forecasts: a profile's name (spmv-predict --list) or file; default: this machine's GPU, else its CPU, else an archived GPU"),
        option_models(&models, model_names(), "only these models; default all"),
        { .name = "by",
          .type = OPTION_CHOICE,
          .value = &by,
          .arg = "WHAT",
          .choices = grouping_names(),
          .about = "what the error table's rows are grouped by" },
        { .name = "table",
          .type = OPTION_CHOICE,
          .value = &table,
          .arg = "TABLE",
          .choices = "errors|ranking|all|plans",
          .about =
              "which table; all: the first two; plans: those carried out by spmv-execute, each by its own forecast" },
        option_precisions(&precisions, "P,...", "only these; default both"),
        option_caches(&caches, "C,...", "only these; default both"),
        option_role(&role, "matrix|benchmark", "benchmark: what profiles are fitted on"),
        option_json(&json, "JSON instead of tables: one object a table"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-verify",
        .operands = "RUN.h5...",
        .about =
            "Compares forecasts with measurements: errors of each model by configuration (or kernel, size, ...), and the\n"
            "times that its ranking would have led to, beside plain rivals (bytes / bandwidth, nearest measured matrix,\n"
            "always cusparse-csr).",
        .example = "spmv-verify --profile h200 --by kernel results/h200/matrices*.h5",
        .min_operands = 1,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

int main(int argc, char **argv)
{
    char **operand, why[ERRLEN], line[256];
    struct profile p;
    struct profile_file file;
    struct cases c;
    const int n = parse(argc, argv, &operand);
    if (strcmp(table, "plans") == 0) {
        if (profile || models.n)
            usage_die("--table plans compares each plan with its own forecast: %s says nothing there",
                      profile ? "--profile" : "--model");
        plans_print(operand, n, &precisions, &caches, json);
        goto out;
    }
    const int status = profiles_open(profile, &p, &file, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    cases_read(&c, operand, n, &p, role, &precisions, &caches);
    cases_forecast(&c, &p, &models);
    profiles_describe(&file, line);
    if (strcmp(table, "ranking") != 0)
        errors_print(&c, grouping_find(by), line, json);
    if (strcmp(table, "errors") != 0)
        ranking_print(&c, line, json);
    cases_free(&c);
    profile_free(&p);
out:
    strlist_free(&models);
    strlist_free(&precisions);
    strlist_free(&caches);
    free(operand);
    return EXIT_OK;
}
