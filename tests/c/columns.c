/* SPDX-License-Identifier: BSD-3-Clause */
/* "columns TABLE" prints the columns of an archive table, from its schema, as a Markdown table; "columns --list" prints
 * the names of all tables. scripts/docs.sh puts them into docs/archive.md. */
#include <stdio.h>
#include <string.h>
#include "archive/archive.h"
#include "models/forecasts.h"
#include "profile/coefs.h"
#include "profile/families.h"
#include "profile/learned.h"
#include "profile/times.h"
#include "profile/trained.h"
#include "recipes/recipe.h"
#include "runs/planfile.h"
#include "runs/rows.h"

static const struct schema *const schemas[] = {
    &recipe_schema,        &run_schema,       &matrix_schema,     &histogram_schema, &geometry_schema, &coef_schema,
    &family_schema,        &branch_schema,    &plan_schema,       &block_schema,     &single_schema,   &case_schema,
    &case_forecast_schema, &case_cost_schema, &provenance_schema, &input_schema,     &file_schema,
};
enum {
    NSCHEMAS = sizeof schemas / sizeof schemas[0],
    LEARNED_FIRST = NSCHEMAS + TIMES_TABLES,
    TRAINED_FIRST = LEARNED_FIRST + LEARNED_TABLES,
    TABLES = TRAINED_FIRST + TRAINED_TABLES
};

static const struct schema *table_at(int i)
{
    if (i < NSCHEMAS)
        return schemas[i];
    if (i < LEARNED_FIRST)
        return times_schemas[i - NSCHEMAS];
    return i < TRAINED_FIRST ? learned_schemas[i - LEARNED_FIRST] : trained_schemas[i - TRAINED_FIRST];
}

/* Prints a cell; '|', which would end it, is escaped. */
static void print_cell(const char *text)
{
    for (; *text; text++)
        if (*text == '|')
            fputs("&#124;", stdout);
        else
            putchar(*text);
}

static void print_column(const struct column *c)
{
    static const char *const types[] = { [COLUMN_I64] = "int64",
                                         [COLUMN_F64] = "float64",
                                         [COLUMN_F32] = "float32",
                                         [COLUMN_TEXT] = "text",
                                         [COLUMN_WORD] = "text" };
    printf("| `%s` | %s", c->name, types[c->type]);
    if (!column_is_text(c) && c->width > 1)
        printf("[%d]", c->width);
    printf(" | %s%s| ", c->unit, *c->unit ? " " : "");
    print_cell(c->about);
    puts(" |");
}

int main(int argc, char **argv)
{
    error_program("columns");
    if (argc != 2)
        die("usage: columns TABLE|--list");
    for (int i = 0; i < TABLES; i++) {
        const struct schema *table = table_at(i);
        if (strcmp(argv[1], "--list") == 0) {
            puts(table->name);
        } else if (strcmp(argv[1], table->name) == 0) {
            puts("| column | type | unit | description |\n|---|---|---|---|");
            for (int k = 0; k < table->ncolumns; k++)
                print_column(&table->columns[k]);
            return 0;
        }
    }
    if (strcmp(argv[1], "--list") != 0)
        die("unknown table %s", argv[1]);
    return 0;
}
