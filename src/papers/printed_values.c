/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a paper prints, beside ours. */
#include "papers/printed_values.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "papers/findings.h"
#include "papers/measure_table.h"
#include "papers/statistic.h"
#include "table/textout.h"

/* Has one of the columns that name things this text, n characters long? */
static bool is_named(const struct table *t, long row, const char *text, size_t n)
{
    static const char *const names[] = { "matrix", "format", "model", "config", "kernel", "preconditioner" };

    for (unsigned long k = 0; k < sizeof names / sizeof names[0]; k++) {
        const char *cell = table_column(t, names[k]) >= 0 ? table_text(t, row, names[k]) : "";
        if (strlen(cell) == n && strncmp(cell, text, n) == 0)
            return true;
    }
    return false;
}

/* Is the row about the item, "NAME" or "NAME, NAME" (a matrix and a format)? */
static bool is_about(const struct table *t, long row, const char *item)
{
    const char *comma = strstr(item, ", ");

    if (is_named(t, row, item, strlen(item)))
        return true;
    return comma && is_named(t, row, item, (size_t)(comma - item)) && is_about(t, row, comma + 2);
}

/* Are two cells of a column shown alike? */
static bool same_cell(const struct table *t, long row, long other, const char *column)
{
    const int i = table_column(t, column);
    char *a = table_shown(t, row, i), *b = table_shown(t, other, i);
    const bool same = strcmp(a, b) == 0;

    free(a);
    free(b);
    return same;
}

/* Returns the row of the table about the item, in the precision if both have one; -1: none, or several that differ in the quantity. */
static long row_about(const struct table *t, const char *item, const char *precision, const char *quantity)
{
    long found = -1;

    for (long row = 0; row < t->nrows; row++) {
        if (*precision && table_column(t, "precision") >= 0 && !table_is(t, row, "precision", precision))
            continue;
        if (!is_about(t, row, item))
            continue;
        if (found >= 0 && !same_cell(t, row, found, quantity))
            return -1;
        found = found < 0 ? row : found;
    }
    return found;
}

/* Sets the value of a statistic over the paper's matrices: "mean(error_percent) where model=guo2014". */
static void put_statistic(const struct study *s, long figure, const struct table *t, const char *precision,
                          const char *text, struct table *printed, long row)
{
    const char *measure = table_text(&s->paper->figures, figure, "measure");
    struct statistic statistic;
    struct units u;
    char why[ERRLEN];

    if (statistic_parse(text, paper_measure_find(measure)->columns, &statistic, why) != 0)
        bug("%s", why);
    statistic_units(&statistic, t, precision, SET_PAPER, &u);
    if (u.n > 0) {
        char *over = sources_text(&u);
        table_set(printed, row, "ours", textout_digits(statistic_value(&statistic, &u, NULL, u.n), 4).text);
        table_set(printed, row, "source", over);
        free(over);
    }
    units_free(&u);
}

/* Sets the value of the one row that is about the item. */
static void put_cell(const struct table *t, const char *item, const char *precision, const char *quantity,
                     struct table *printed, long row)
{
    const int column = table_column(t, quantity);
    const long at = column < 0 ? -1 : row_about(t, item, precision, quantity);

    if (at < 0)
        return;
    char *ours = table_shown(t, at, column);
    table_set(printed, row, "ours", strcmp(ours, "-") == 0 ? "" : ours);
    free(ours);
    if (table_column(t, "source") >= 0)
        table_set(printed, row, "source", table_text(t, at, "source"));
}

static const struct column printed_columns[] = {
    TEXT_COLUMN("item", "matrix, format, model or configuration, or words such as average"),
    TEXT_COLUMN("quantity", "column of the figure's table, or a statistic of one over the paper's matrices"),
    TEXT_COLUMN("device", "device of the paper"),
    TEXT_COLUMN("precision", "f32 or f64; empty: any"),
    TEXT_COLUMN("printed", "value that the paper prints"),
    TEXT_COLUMN("ours", "value of the same quantity here"),
    TEXT_COLUMN("source", "source of our matrix; of a mean, median or extreme: how many of each source"),
    TEXT_COLUMN("place", "place in the paper"),
    TEXT_COLUMN("note", "remark on the printed value"),
    COLUMNS_END,
};

void printed_values(const struct study *s, long figure, const struct table *t, struct table *printed)
{
    const struct table *values = &s->paper->values;
    const char *id = table_text(&s->paper->figures, figure, "id");

    table_begin(printed, printed_columns);
    for (long i = 0; i < values->nrows; i++) {
        if (!table_is(values, i, "figure", id))
            continue;
        const char *item = table_text(values, i, "item"), *quantity = table_text(values, i, "quantity"),
                   *precision = table_text(values, i, "precision");
        const long row = table_add(printed);
        table_set(printed, row, "item", item);
        table_set(printed, row, "quantity", quantity);
        table_set(printed, row, "device", table_text(values, i, "device"));
        table_set(printed, row, "precision", precision);
        table_set(printed, row, "printed", table_text(values, i, "value"));
        table_set(printed, row, "place", table_text(values, i, "place"));
        table_set(printed, row, "note", table_text(values, i, "note"));
        if (printed_is_statistic(quantity))
            put_statistic(s, figure, t, precision, quantity, printed, row);
        else
            put_cell(t, item, precision, quantity, printed, row);
    }
}

bool printed_is_statistic(const char *quantity) { return strchr(quantity, '(') != NULL; }

bool printed_here(const struct table *printed, long row)
{
    return !table_is(printed, row, "printed", "not in the text") && !table_is(printed, row, "printed", "");
}

bool printed_any(const struct table *printed)
{
    for (long i = 0; i < printed->nrows; i++)
        if (printed_here(printed, i))
            return true;
    return false;
}

static const struct column pairs_columns[] = {
    TEXT_COLUMN("item", "matrix, format, model or configuration, or words such as average"),
    TEXT_COLUMN("series", "device of the paper and precision"),
    REAL_COLUMN("printed", "", "value that the paper prints"),
    REAL_COLUMN("ours", "", "value of the same quantity here"),
    COLUMNS_END,
};

/* Is it the column, or a statistic of it? */
static bool is_of(const char *quantity, const char *column)
{
    const char *open = strchr(quantity, '(');
    const size_t n = strlen(column);

    return open ? strncmp(open + 1, column, n) == 0 && open[1 + n] == ')' : strcmp(quantity, column) == 0;
}

void printed_pairs(const struct table *printed, const char *column, struct table *pairs)
{
    table_begin(pairs, pairs_columns);
    for (long i = 0; i < printed->nrows; i++) {
        double theirs, ours;
        if (!is_of(table_text(printed, i, "quantity"), column)
            || parse_real(table_text(printed, i, "printed"), -INFINITY, INFINITY, &theirs) != 0
            || parse_real(table_text(printed, i, "ours"), -INFINITY, INFINITY, &ours) != 0)
            continue;
        const long row = table_add(pairs);
        const char *device = table_text(printed, i, "device"), *precision = table_text(printed, i, "precision");
        const bool named = *device || *precision;
        char *series =
            named ? xasprintf("%s%s%s", device, *device && *precision ? ", " : "", precision) : xstrdup("of no device");
        table_set(pairs, row, "item", table_text(printed, i, "item"));
        table_set(pairs, row, "series", series);
        table_set_real(pairs, row, "printed", theirs, 6);
        table_set_real(pairs, row, "ours", ours, 6);
        free(series);
    }
}
