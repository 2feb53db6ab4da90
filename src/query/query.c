/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-query: answers a SELECT over the tables of archives, by SQLite in memory. Reads archives of any kind, writes nothing. */
#include "query/query.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/common_options.h"
#include "query/schema_table.h"

static const char *file;
static bool schema;
static double within_h;
static struct strlist any;
static int64_t digits = 6;
static struct query query = { .name = "statement",
                              .choice = { .role = "matrix", .precisions = &any, .caches = &any },
                              .time_limit_s = 60,
                              .memory_mb = 2000 };

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        { .letter = 'f',
          .name = "file",
          .type = OPTION_STRING,
          .value = &file,
          .arg = "FILE",
          .about = "read the statement from this file; -: from standard input; all operands are archives" },
        { .name = "schema",
          .type = OPTION_FLAG,
          .value = &schema,
          .about = "print tables, columns, types, units and meanings, of these archives or of all kinds" },
        { .name = "digits",
          .type = OPTION_INT,
          .value = &digits,
          .arg = "N",
          .min = 1,
          .max = 17,
          .about = "significant digits of reals; JSON has all" },
        option_role(&query.choice.role, "matrix|benchmark", "contests and summary: rows of this role"),
        option_min_nnz(&query.choice.min_nnz, "contests and summary: only matrices with at least N nonzeros"),
        option_max_row(&query.choice.max_row,
                       "contests and summary: only matrices without rows longer than N nonzeros (0: no limit)"),
        option_device(&query.choice.device, "contests and summary: with archives of several devices, this one"),
        option_within(&within_h,
                      "contests and summary: only rows measured within HOURS of cuSPARSE's fastest (0: no limit)"),
        { .name = "time-limit",
          .type = OPTION_REAL,
          .value = &query.time_limit_s,
          .arg = "SECONDS",
          .min = 0,
          .max = 1e6,
          .about = "stop the statement after this time (0: no limit)" },
        { .name = "memory-limit",
          .type = OPTION_INT,
          .value = &query.memory_mb,
          .arg = "MB",
          .min = 0,
          .max = 1e9,
          .about = "memory of SQLite, which holds what is read (0: no limit)" },
        option_columns(),
        option_json(&query.json, "print JSON"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-query",
        .operands = "SQL ARCHIVE...",
        .about =
            "Answers one SELECT over the tables of archives of any kind, by SQLite in memory; archives are only read. Tables have their\n"
            "names in the archives (rows, matrices, forecasts ...; --schema lists them), rows of several archives are together, told\n"
            "apart by column archive. Run archives also give contests and summary, as spmv-speed compares and averages them.\n"
            "Besides SQLite's functions: geomean(x), quantile(x, q), median(x), matches(kernel, config, asked,\n"
            "selection).",
        .example = "  spmv-query \"SELECT kernel, count(*) FROM rows GROUP BY kernel\" RUN.h5\n"
                   "  spmv-query -f question.sql results/h200/*.h5",
        .min_operands = 0,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

static const char standard_input[] = "stdin"; /* in messages */

static char *read_file(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *in = path == standard_input ? stdin : fopen(path, "r");
    char *text = xmalloc(MOST + 1);

    if (!in)
        die("cannot open %s:", path);
    const size_t n = fread(text, 1, MOST + 1, in);
    if (ferror(in))
        die("cannot read %s:", path);
    if (n > MOST || memchr(text, 0, n))
        die_code(EXIT_USAGE, "%s: %s", path,
                 n > MOST ? "longer than a MiB, which no statement is" : "binary, not a statement");
    text[n] = 0;
    if (in != stdin)
        fclose(in);
    return text;
}

int main(int argc, char **argv)
{
    char **operand;
    const int n = parse(argc, argv, &operand), narchives = schema || file ? n : n - 1;
    char *text = NULL;

    if (schema && file)
        usage_die("--schema and -f are mutually exclusive");
    if (schema) {
        catalog_open(&query.catalog, n, operand);
        schema_print(&query.catalog, query.json);
    } else {
        if (n == 0 && !file)
            usage_die("missing SQL, a SELECT");
        if (!file && access(operand[0], F_OK) == 0)
            usage_die("missing SQL before '%s', which is a file", operand[0]);
        if (narchives == 0)
            usage_die("missing ARCHIVE");
        query_check();
        if (file) {
            query.name = strcmp(file, "-") == 0 ? standard_input : file;
            text = read_file(query.name);
        }
        query.sql = text ? text : operand[0];
        query.digits = (int)digits;
        query.choice.within_s = 3600 * within_h;
        catalog_open(&query.catalog, narchives, operand + n - narchives);
        query_run(&query);
    }
    catalog_close(&query.catalog);
    free(text);
    free(operand);
    return EXIT_OK;
}
