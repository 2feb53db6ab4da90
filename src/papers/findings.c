/* SPDX-License-Identifier: BSD-3-Clause */
/* Verdicts on claims. */
#include "papers/findings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "papers/measure_table.h"
#include "papers/statistic.h"
#include "table/textout.h"

enum { ENOUGH = 5 };
enum finding { HOLDS, FAILS, UNTESTED };
static const char *const finding_names[] = {
    [HOLDS] = "holds", [FAILS] = "does not hold", [UNTESTED] = "cannot be tested"
};

struct evidence {
    const char *source; /* NULL: a table without sources */
    struct estimate e;
    enum finding finding;
    const char *doubt; /* why it is undecided; NULL: it is decided */
};

/* ---- one source */

static bool is_ratio(const char *unit) { return strcmp(unit, "x") == 0; }

/* Sets whether the condition holds for the estimate of a source, or why that is undecided. */
static void decide(struct evidence *v, const struct statistic *s, const struct condition *holds)
{
    const struct estimate *e = &v->e;
    const double limit = condition_limit(holds, e->value);

    v->doubt = NULL;
    if (isnan(e->value))
        v->finding = UNTESTED;
    else if (!isnan(e->low) && !condition_decided(holds, e->low, e->high)) {
        v->finding = UNTESTED;
        v->doubt = "the interval contains the limit";
    } else if (is_ratio(s->unit) && !statistic_counts(s) && fabs(e->value / limit - 1) < REPEATABILITY) {
        v->finding = UNTESTED;
        v->doubt = "the difference from the limit is smaller than that of two runs";
    } else
        v->finding = condition_holds(holds, e->value) ? HOLDS : FAILS;
}

/* What the rows of a source are called, with a plural of the first word. */
static const char *noun_of(const char *source)
{
    static const struct {
        const char *source, *noun;
    } nouns[] = { { "real", "matrix of the collection" },
                  { "exact", "matrix from an exact generator" },
                  { "stand-in", "stand-in" },
                  { "other", "matrix outside the paper" } };

    for (unsigned long i = 0; source && i < sizeof nouns / sizeof nouns[0]; i++)
        if (strcmp(source, nouns[i].source) == 0)
            return nouns[i].noun;
    return "row";
}

/* Writes "1.21 (1.1 to 1.32) on 14 stand-ins". */
static void describe(const struct evidence *v, char *text, size_t bytes)
{
    const struct estimate *e = &v->e;
    size_t at = (size_t)snprintf(text, bytes, "%s", textout_digits(e->value, 3).text);

    if (!isnan(e->low) && at < bytes)
        at += (size_t)snprintf(text + at, bytes - at, " (%s to %s)", textout_digits(e->low, 3).text,
                               textout_digits(e->high, 3).text);
    if (at < bytes)
        snprintf(text + at, bytes - at, " on %s", counted(e->n, noun_of(v->source)).text);
}

/* ---- a claim */

/* "Up to": one row that reaches the limit shows it. */
static bool is_existence(const struct statistic *s, const struct condition *holds)
{
    return (statistic_is(s, "max") && (holds->relation == AT_LEAST || holds->relation == ABOVE))
           || (statistic_is(s, "min") && (holds->relation == AT_MOST || holds->relation == BELOW));
}

/* A claim about one matrix of the paper. */
static bool is_single(const struct statistic *s)
{
    for (int i = 0; i < s->nwhere; i++)
        if (strcmp(s->where[i].column, "matrix") == 0)
            return true;
    return false;
}

static int collect(const struct table *t, const struct statistic *s, const struct condition *holds,
                   const char *precision, struct evidence v[NSOURCES])
{
    int n = 0;

    for (int i = 0; i < NSOURCES; i++) {
        const bool sources = table_column(t, "source") >= 0;
        struct evidence one = { .source = sources ? source_name((enum source)i) : NULL };
        if (!sources && i > 0)
            break;
        one.e = statistic_of(s, t, one.source, precision);
        decide(&one, s, holds);
        if (sources && one.e.n < ENOUGH && !is_single(s) && one.finding != UNTESTED
            && !(is_existence(s, holds) && one.finding == HOLDS)) {
            one.finding = UNTESTED;
            one.doubt = "fewer than five matrices";
        }
        if (one.e.n > 0)
            v[n++] = one;
    }
    return n;
}

/* Returns the evidence that decides (findings.h). Sources are in the order of enum source, so `other` is last. */
static const struct evidence *deciding(const struct evidence *v, int n, bool existence)
{
    const struct evidence *own = NULL, *most = NULL;

    for (int i = 0; existence && i < n; i++)
        if (v[i].finding == HOLDS)
            return &v[i];
    for (int i = 0; i < n; i++) {
        const bool other = v[i].source && strcmp(v[i].source, source_name(SOURCE_OTHER)) == 0;
        if (v[i].finding != UNTESTED && !(other && own))
            return &v[i];
        if (!other && v[i].e.n >= ENOUGH && !own)
            own = &v[i];
        most = !most || v[i].e.n > most->e.n ? &v[i] : most;
    }
    return own ? own : most;
}

/* Returns the reason: the deciding evidence, its doubt, and the other sources (malloc'd). */
static char *reason_of(const struct evidence *v, int n, const struct evidence *by, const char *holds)
{
    char text[160];

    describe(by, text, sizeof text);
    char *reason =
        xasprintf("%s; limit: %s%s%s", text, holds, by->doubt ? "; undecided: " : "", by->doubt ? by->doubt : "");
    for (int i = 0; i < n; i++)
        if (&v[i] != by) {
            describe(&v[i], text, sizeof text);
            char *longer = xasprintf("%s; %s%s", reason, text,
                                     v[i].doubt                    ? " (undecided)"
                                     : v[i].finding == by->finding ? ""
                                     : by->finding != UNTESTED     ? " (the opposite)"
                                     : v[i].finding == HOLDS       ? " (holds)"
                                                                   : " (does not hold)");
            free(reason);
            reason = longer;
        }
    return reason;
}

static void put_evidence(const struct evidence *v, int n, const char *claim, const struct evidence *by,
                         struct table *out)
{
    for (int i = 0; i < n; i++) {
        const long row = table_add(out);
        table_set(out, row, "claim", claim);
        table_set(out, row, "source", v[i].source ? v[i].source : "");
        table_set_int(out, row, "rows", v[i].e.n);
        table_set_real(out, row, "measured", v[i].e.value, 4);
        table_set_real(out, row, "low", v[i].e.low, 4);
        table_set_real(out, row, "high", v[i].e.high, 4);
        table_set(out, row, "verdict", finding_names[v[i].finding]);
        table_set(out, row, "decides", &v[i] == by ? "yes" : "no");
    }
}

static void put_claim(const struct table *claims, long i, const struct evidence *by, const char *unit,
                      const char *reason, struct table *out)
{
    static const char *const copied[] = { "id", "place", "claim", "device", "precision", "printed", "figure" };
    const long row = table_add(out);

    for (unsigned long k = 0; k < sizeof copied / sizeof copied[0]; k++)
        table_set(out, row, copied[k], table_text(claims, i, copied[k]));
    table_set(out, row, "criterion", table_text(claims, i, "holds"));
    table_set(out, row, "statistic", table_text(claims, i, "statistic"));
    table_set(out, row, "verdict", finding_names[by ? by->finding : UNTESTED]);
    table_set(out, row, "reason", reason);
    if (!by)
        return;
    table_set_real(out, row, "measured", by->e.value, 4);
    table_set_real(out, row, "low", by->e.low, 4);
    table_set_real(out, row, "high", by->e.high, 4);
    table_set(out, row, "unit", unit);
    table_set_int(out, row, "rows", by->e.n);
    table_set(out, row, "source", by->source ? by->source : "");
}

/* Returns why a table has no value (malloc'd). */
static char *reason_of_absence(const struct table *t, const char *statistic)
{
    const char *where = strstr(statistic, " where ");

    if (t->nrows == 0)
        return xstrdup(t->nnotes > 0 ? t->note[0].text : "not measured: the figure's table has no row");
    const char *matrix = where ? strstr(where, "matrix=") : NULL;
    if (matrix && strncmp(matrix, where + strlen(" where "), 7) == 0)
        return xasprintf("no file, generator or stand-in of matrix %.*s (none of %s of the figure's table has %s)",
                         (int)strcspn(matrix + 7, ","), matrix + 7, counted(t->nrows, "row").text,
                         where + strlen(" where "));
    return where ? xasprintf("none of %s of the figure's table has %s", counted(t->nrows, "row").text,
                             where + strlen(" where "))
                 : xstrdup("no row of the figure's table has a value");
}

static void test_claim(const struct study *s, long i, const struct table *table, struct table *claims,
                       struct table *evidence)
{
    const struct table *c = &s->paper->claims;
    const char *figure = table_text(c, i, "figure"), *criterion = table_text(c, i, "holds");
    struct statistic statistic;
    struct condition holds;
    struct evidence v[NSOURCES];
    char why[ERRLEN], *reason;

    if (!*figure) {
        put_claim(c, i, NULL, "", table_text(c, i, "note"), claims);
        return;
    }
    const long f = paper_figure(s->paper, figure);
    if (statistic_parse(table_text(c, i, "statistic"),
                        paper_measure_find(table_text(&s->paper->figures, f, "measure"))->columns, &statistic, why)
            != 0
        || condition_parse(criterion, &holds, why) != 0)
        bug("%s", why); /* paper_read checks them */
    const int n = collect(&table[f], &statistic, &holds, table_text(c, i, "precision"), v);
    const struct evidence *by = deciding(v, n, is_existence(&statistic, &holds));
    reason = by ? reason_of(v, n, by, criterion) : reason_of_absence(&table[f], table_text(c, i, "statistic"));
    put_claim(c, i, by, statistic_unit(&statistic), reason, claims);
    put_evidence(v, n, table_text(c, i, "id"), by, evidence);
    free(reason);
}

static const struct column claims_columns[] = {
    TEXT_COLUMN("id", "name of the claim"),
    TEXT_COLUMN("place", "place in the paper"),
    TEXT_COLUMN("claim", "the claim in words"),
    TEXT_COLUMN("device", "device that the paper's number is for"),
    TEXT_COLUMN("precision", "precision that the claim names; empty: any"),
    TEXT_COLUMN("printed", "the paper's value as printed, with its unit"),
    REAL_COLUMN("measured", "", "the same quantity here, from the source that decides; its unit is in column unit"),
    REAL_COLUMN("low", "", "lower end of its 95 % interval (bootstrap over matrices)"),
    REAL_COLUMN("high", "", "upper end of its 95 % interval (bootstrap over matrices)"),
    TEXT_COLUMN("unit", "unit of measured, low and high"),
    INT_COLUMN("rows", "", "matrices that decide; of a table without matrices: rows"),
    TEXT_COLUMN("source", "source of the matrices that decide: real, exact, stand-in, other"),
    TEXT_COLUMN("criterion", "condition on the measured value for the claim to hold"),
    TEXT_COLUMN("verdict", "holds, does not hold, or cannot be tested"),
    TEXT_COLUMN("reason", "numbers of the deciding source, its doubt, and the other sources"),
    TEXT_COLUMN("figure", "figure whose table tests the claim"),
    TEXT_COLUMN("statistic", "statistic of the figure's table that is compared"),
    COLUMNS_END,
};

static const struct column evidence_columns[] = {
    TEXT_COLUMN("claim", "name of the claim"),
    TEXT_COLUMN("source", "source of the matrices: real, exact, stand-in, other; empty: a table without matrices"),
    INT_COLUMN("rows", "", "matrices of the source with a value; of a table without matrices: rows"),
    REAL_COLUMN("measured", "", "the claim's statistic over this source; its unit is in claims"),
    REAL_COLUMN("low", "", "lower end of its 95 % interval (bootstrap over matrices)"),
    REAL_COLUMN("high", "", "upper end of its 95 % interval (bootstrap over matrices)"),
    TEXT_COLUMN("verdict", "holds, does not hold, or cannot be tested, by this source alone"),
    TEXT_COLUMN("decides", "yes if this source decides the claim, else no"),
    COLUMNS_END,
};

void findings_of(const struct study *s, const struct table *table, struct table *claims, struct table *evidence)
{
    table_begin(claims, claims_columns);
    table_begin(evidence, evidence_columns);
    for (long i = 0; i < s->paper->claims.nrows; i++)
        test_claim(s, i, table, claims, evidence);
}

/* ---- printed values */

/* Has one of the columns that name things this text, n characters long? */
static bool is_named(const struct table *t, long row, const char *text, size_t n)
{
    static const char *const names[] = { "matrix", "format", "model", "config", "kernel" };

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

/* Sets the value of a statistic that the paper prints over all its matrices: "mean of 30 matrices", "average", "most". Of the first
 * source of the paper's own matrices with five, else of other matrices; of a table without sources, of all rows. */
static void put_statistic(const struct table *t, const char *item, const char *precision, const char *quantity,
                          struct table *printed, long row)
{
    static const struct {
        const char *word, *function;
    } words[] = { { "mean", "mean" },   { "average", "mean" }, { "median", "median" }, { "most", "max" },
                  { "maximum", "max" }, { "max", "max" },      { "least", "min" },     { "minimum", "min" } };
    const size_t n = strcspn(item, " ,");
    const struct column *column = &t->column[table_column(t, quantity)];
    const struct column columns[] = { *column, COLUMNS_END };
    char text[96], why[ERRLEN];
    struct statistic s;

    for (unsigned long i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) != n || strncmp(item, words[i].word, n) != 0)
            continue;
        const char *function =
            strcmp(words[i].function, "mean") == 0 && is_ratio(column->unit) ? "geomean" : words[i].function;
        snprintf(text, sizeof text, "%s(%s)", function, quantity);
        if (statistic_parse(text, columns, &s, why) != 0)
            return;
        for (int source = 0; source < NSOURCES; source++) {
            const bool sources = table_column(t, "source") >= 0;
            const char *name = sources ? source_name((enum source)source) : NULL;
            const struct estimate e = statistic_of(&s, t, name, precision);
            if (e.n == 0 || (sources && e.n < ENOUGH))
                continue;
            table_set(printed, row, "ours", textout_digits(e.value, 4).text);
            char *over = name ? xasprintf("%s, %ld", name, e.n) : xasprintf("%s", counted(e.n, "row").text);
            table_set(printed, row, "source", over);
            free(over);
            return;
        }
    }
}

static const struct column printed_columns[] = {
    TEXT_COLUMN("item", "matrix, format, model or configuration, or words such as average"),
    TEXT_COLUMN("quantity", "column of the figure's table"),
    TEXT_COLUMN("device", "device of the paper"),
    TEXT_COLUMN("precision", "f32 or f64; empty: any"),
    TEXT_COLUMN("printed", "value that the paper prints"),
    TEXT_COLUMN("ours", "value of the same quantity here"),
    TEXT_COLUMN("source", "source of our matrix; of a mean, median or extreme: source and number, or rows"),
    TEXT_COLUMN("place", "place in the paper"),
    TEXT_COLUMN("note", "remark on the printed value"),
    COLUMNS_END,
};

void findings_printed(const struct study *s, long figure, const struct table *t, struct table *printed)
{
    const struct table *values = &s->paper->values;
    const char *id = table_text(&s->paper->figures, figure, "id");

    table_begin(printed, printed_columns);
    for (long i = 0; i < values->nrows; i++) {
        if (!table_is(values, i, "figure", id))
            continue;
        const char *item = table_text(values, i, "item"), *quantity = table_text(values, i, "quantity");
        const long row = table_add(printed);
        const long at =
            table_column(t, quantity) < 0 ? -1 : row_about(t, item, table_text(values, i, "precision"), quantity);
        table_set(printed, row, "item", item);
        table_set(printed, row, "quantity", quantity);
        table_set(printed, row, "device", table_text(values, i, "device"));
        table_set(printed, row, "precision", table_text(values, i, "precision"));
        table_set(printed, row, "printed", table_text(values, i, "value"));
        table_set(printed, row, "place", table_text(values, i, "place"));
        table_set(printed, row, "note", table_text(values, i, "note"));
        if (at >= 0) {
            char *ours = table_shown(t, at, table_column(t, quantity));
            table_set(printed, row, "ours", strcmp(ours, "-") == 0 ? "" : ours);
            free(ours);
        } else if (table_column(t, quantity) >= 0 && table_column(t, "model") < 0 && table_column(t, "format") < 0)
            put_statistic(t, item, table_text(values, i, "precision"), quantity, printed, row);
        if (at >= 0 && table_column(t, "source") >= 0)
            table_set(printed, row, "source", table_text(t, at, "source"));
    }
}
