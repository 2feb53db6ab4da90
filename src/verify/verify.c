/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-verify: reads a profile and run archives, prints how far each model's forecasts are from the measured times, and
 * what it costs to follow its ranking. Measurements that profiles are fitted on (role benchmark) are left out unless
 * asked for. */
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "models/profiles.h"
#include "verify/verify_tables.h"

static const char *profile, *by = "config", *role = "matrix", *table = "all";
static struct strlist models, precisions, caches;
static bool json;

static struct option options[] = {
    { .name = "profile",
      .type = OPTION_STRING,
      .value = &profile,
      .arg = "NAME|FILE",
      .about =
          "whose forecasts: a profile's name (spmv-predict --list) or file; default: this machine's GPU, else an archived one" },
    { .letter = 'm',
      .name = "model",
      .type = OPTION_LIST,
      .value = &models,
      .arg = "MODEL,...",
      .about = "only these models; default all" },
    { .name = "by",
      .type = OPTION_CHOICE,
      .value = &by,
      .arg = "WHAT",
      .about = "what the error table's rows are grouped by" },
    { .name = "table",
      .type = OPTION_CHOICE,
      .value = &table,
      .arg = "TABLE",
      .choices = "errors|ranking|all|plans",
      .about = "which table; all: the first two; plans: those carried out by spmv-execute, each by its own forecast" },
    { .letter = 'p',
      .name = "precision",
      .type = OPTION_LIST,
      .value = &precisions,
      .arg = "P,...",
      .choices = "f32|f64",
      .about = "only these; default both" },
    { .name = "cache",
      .type = OPTION_LIST,
      .value = &caches,
      .arg = "C,...",
      .choices = "warm|cold",
      .about = "only these; default both" },
    { .name = "role",
      .type = OPTION_CHOICE,
      .value = &role,
      .arg = "ROLE",
      .choices = "matrix|benchmark",
      .about = "benchmark: what profiles are fitted on" },
    { .name = "json", .type = OPTION_FLAG, .value = &json, .about = "JSON instead of tables: one object a table" },
    { .name = NULL }
};

static const struct program program = {
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

int main(int argc, char **argv)
{
    char **operand, why[ERRLEN], line[256];
    struct profile p;
    struct profile_file file;
    struct cases c;
    options[1].choices = model_names();
    options[2].choices = grouping_names();
    int n = options_parse(&program, argc, argv, &operand);
    archive_set_command(argc, argv, true);
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
