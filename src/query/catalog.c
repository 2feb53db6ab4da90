/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all tables, their columns in SQL, and which of them the archives have. */
#include "query/catalog.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "models/forecasts.h"
#include "profile/coefs.h"
#include "profile/families.h"
#include "profile/learned.h"
#include "profile/times.h"
#include "profile/trained.h"
#include "query/contest_tables.h"
#include "recipes/recipe.h"
#include "runs/planfile.h"
#include "runs/rows.h"

/* In the order of docs/archive.md; tables of profiles follow. */
static const struct {
    const struct schema *schema;
    const char *kinds;
} first[] = {
    { &run_schema, "run" },
    { &matrix_schema, "run or profile" },
    { &histogram_schema, "run" },
    { &geometry_schema, "run or profile" },
    { &branch_schema, "run" },
    { &file_schema, "run" },
    { &plan_schema, "run or plan" },
    { &block_schema, "run or plan" },
    { &single_schema, "plan" },
    { &recipe_schema, "recipes" },
    { &case_schema, "forecasts" },
    { &case_forecast_schema, "forecasts" },
    { &case_cost_schema, "forecasts" },
    { &coef_schema, "profile" },
    { &family_schema, "profile" },
    { &provenance_schema, "any" },
    { &input_schema, "any" },
};
enum { NFIRST = sizeof first / sizeof first[0] };

static void add_column(struct sql_table *t, const char *name, const struct column *of, int element)
{
    struct sql_column *c = &t->column[t->ncolumns++];

    *c = (struct sql_column){ .of = of, .element = element };
    if (of && !column_is_text(of) && of->width > 1)
        snprintf(c->name, sizeof c->name, "%s_%d", name, element);
    else
        snprintf(c->name, sizeof c->name, "%s", name);
}

static void add_table(struct catalog *k, const struct schema *schema, const char *kinds)
{
    struct sql_table *t = &k->table[k->ntables++];
    int n = ARCHIVE_COLUMNS;

    *t = (struct sql_table){ .name = schema->name, .schema = schema, .kinds = kinds };
    for (int i = 0; i < schema->ncolumns; i++)
        n += column_is_text(&schema->columns[i]) ? 1 : schema->columns[i].width;
    t->column = xcalloc((unsigned long)n, sizeof *t->column);
    add_column(t, "archive", NULL, COLUMN_ARCHIVE);
    add_column(t, "archive_row", NULL, COLUMN_ARCHIVE_ROW);
    for (int i = 0; i < schema->ncolumns; i++) {
        const struct column *c = &schema->columns[i];
        for (int e = 0; e < (column_is_text(c) ? 1 : c->width); e++)
            add_column(t, c->name, c, e);
    }
}

static void add_computed(struct catalog *k, const struct contest_table_kind *kind)
{
    struct sql_table *t = &k->table[k->ntables++];
    const struct column *columns = *kind->columns;
    unsigned long n = 0;

    *t = (struct sql_table){ .name = kind->name, .kinds = "run", .there = true };
    while (columns[n].name)
        n++;
    t->column = xcalloc(n, sizeof *t->column);
    for (unsigned long i = 0; i < n; i++)
        add_column(t, columns[i].name, &columns[i], 0);
}

static void list_tables(struct catalog *k)
{
    k->table = xcalloc(NFIRST + TIMES_TABLES + LEARNED_TABLES + TRAINED_TABLES + CONTEST_TABLES, sizeof *k->table);
    for (int i = 0; i < NFIRST; i++)
        add_table(k, first[i].schema, first[i].kinds);
    for (int i = 0; i < TIMES_TABLES; i++)
        add_table(k, times_schemas[i], "profile");
    for (int i = 0; i < LEARNED_TABLES; i++)
        add_table(k, learned_schemas[i], "profile");
    for (int i = 0; i < TRAINED_TABLES; i++)
        add_table(k, trained_schemas[i], "profile");
    for (int i = 0; i < CONTEST_TABLES; i++)
        add_computed(k, &contest_table_kinds[i]);
}

/* Marks the tables of an archive. Tables of newer versions, which are not in the list, are left out. */
static void find_tables(struct catalog *k, struct archive *a)
{
    char name[64], why[ERRLEN];
    int64_t rows;
    int status;

    for (int i = 0; (status = archive_table(a, i, name, &rows, why)) == 0; i++) {
        struct sql_table *t = catalog_table(k, name);
        if (t)
            t->there = true;
    }
    if (status != FAIL) /* FAIL: past the last table */
        die_code(archive_exit(status), "%s", why);
}

void catalog_open(struct catalog *k, int n, char **path)
{
    char why[ERRLEN];

    *k = (struct catalog){ .narchives = n, .path = path };
    list_tables(k);
    for (int i = 0; i < k->ntables && n == 0; i++)
        k->table[i].there = true;
    k->archive = xcalloc((unsigned long)n + 1, sizeof(struct archive *));
    for (int i = 0; i < n; i++) {
        const int status = archive_open(path[i], NULL, &k->archive[i], why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
        find_tables(k, k->archive[i]);
    }
}

void catalog_close(struct catalog *k)
{
    for (int i = 0; i < k->narchives; i++)
        archive_close(k->archive[i]);
    for (int i = 0; i < k->ntables; i++)
        free(k->table[i].column);
    free(k->archive);
    free(k->table);
}

struct sql_table *catalog_table(const struct catalog *k, const char *name)
{
    for (int i = 0; i < k->ntables; i++)
        if (strcasecmp(k->table[i].name, name) == 0)
            return &k->table[i];
    return NULL;
}

struct sql_column *sql_column_find(const struct sql_table *t, const char *name)
{
    for (int i = 0; i < t->ncolumns; i++)
        if (strcasecmp(t->column[i].name, name) == 0)
            return &t->column[i];
    return NULL;
}

const char *sql_type(const struct sql_column *c)
{
    static const char *const types[] = { [COLUMN_I64] = "INTEGER",
                                         [COLUMN_F64] = "REAL",
                                         [COLUMN_F32] = "REAL",
                                         [COLUMN_TEXT] = "TEXT",
                                         [COLUMN_WORD] = "TEXT" };
    return c->of ? types[c->of->type] : c->element == COLUMN_ARCHIVE ? "TEXT" : "INTEGER";
}

const char *sql_column_unit(const struct sql_column *c) { return c->of ? c->of->unit : ""; }

const char *sql_column_about(const struct sql_column *c)
{
    return c->of                          ? c->of->about
           : c->element == COLUMN_ARCHIVE ? "archive of the row, as given on the command line"
                                          : "number of the row in that table of its archive, from 0";
}
