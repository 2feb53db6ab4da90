/* SPDX-License-Identifier: BSD-3-Clause */
/* Verdicts on claims. */
#include "verify/papers/findings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/textout.h"
#include "verify/papers/measure_table.h"
#include "verify/papers/statistic.h"

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

static bool is_ratio(const char *column) { return strstr(column, "ratio") || strncmp(column, "speedup", 7) == 0; }

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
    } else if (is_ratio(s->column) && !statistic_counts(s) && fabs(e->value / limit - 1) < REPEATABILITY) {
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

static int collect(const struct sheet *t, const struct statistic *s, const struct condition *holds,
                   const char *precision, struct evidence v[NSOURCES])
{
    int n = 0;

    for (int i = 0; i < NSOURCES; i++) {
        const bool sources = sheet_column(t, "source") >= 0;
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
                         struct sheet *out)
{
    for (int i = 0; i < n; i++) {
        const long row = sheet_add(out);
        sheet_set(out, row, "claim", claim);
        sheet_set(out, row, "source", v[i].source ? v[i].source : "-");
        sheet_set_int(out, row, "rows", v[i].e.n);
        sheet_set_real(out, row, "measured", v[i].e.value, 4);
        sheet_set_real(out, row, "low", v[i].e.low, 4);
        sheet_set_real(out, row, "high", v[i].e.high, 4);
        sheet_set(out, row, "verdict", finding_names[v[i].finding]);
        sheet_set(out, row, "decides", &v[i] == by ? "yes" : "no");
    }
}

static void put_claim(const struct sheet *claims, long i, const struct evidence *by, const char *unit,
                      const char *reason, struct sheet *out)
{
    static const char *const copied[] = { "id", "place", "claim", "device", "precision", "printed", "figure" };
    const long row = sheet_add(out);

    for (unsigned long k = 0; k < sizeof copied / sizeof copied[0]; k++)
        sheet_set(out, row, copied[k], sheet_text(claims, i, copied[k]));
    sheet_set(out, row, "criterion", sheet_text(claims, i, "holds"));
    sheet_set(out, row, "statistic", sheet_text(claims, i, "statistic"));
    sheet_set(out, row, "verdict", finding_names[by ? by->finding : UNTESTED]);
    sheet_set(out, row, "reason", reason);
    if (!by)
        return;
    sheet_set_real(out, row, "measured", by->e.value, 4);
    sheet_set_real(out, row, "low", by->e.low, 4);
    sheet_set_real(out, row, "high", by->e.high, 4);
    sheet_set(out, row, "unit", unit);
    sheet_set_int(out, row, "rows", by->e.n);
    sheet_set(out, row, "source", by->source ? by->source : "-");
}

/* Returns why a table has no value (malloc'd). */
static char *reason_of_absence(const struct sheet *t, const char *statistic)
{
    const char *where = strstr(statistic, " where ");

    if (t->nrows == 0)
        return xstrdup(t->notes.n > 0 ? t->notes.v[0] : "not measured: the figure's table has no row");
    const char *matrix = where ? strstr(where, "matrix=") : NULL;
    if (matrix && strncmp(matrix, where + strlen(" where "), 7) == 0)
        return xasprintf("no file, generator or stand-in of matrix %.*s (none of %s of the figure's table has %s)",
                         (int)strcspn(matrix + 7, ","), matrix + 7, counted(t->nrows, "row").text,
                         where + strlen(" where "));
    return where ? xasprintf("none of %s of the figure's table has %s", counted(t->nrows, "row").text,
                             where + strlen(" where "))
                 : xstrdup("no row of the figure's table has a value");
}

static void test_claim(const struct study *s, long i, const struct sheet *table, struct sheet *claims,
                       struct sheet *evidence)
{
    const struct sheet *c = &s->paper->claims;
    const char *figure = sheet_text(c, i, "figure"), *criterion = sheet_text(c, i, "holds");
    struct statistic statistic;
    struct condition holds;
    struct evidence v[NSOURCES];
    char why[ERRLEN], *reason;

    if (!*figure) {
        put_claim(c, i, NULL, "", sheet_text(c, i, "note"), claims);
        return;
    }
    const long f = paper_figure(s->paper, figure);
    if (statistic_parse(sheet_text(c, i, "statistic"),
                        paper_measure_find(sheet_text(&s->paper->figures, f, "measure"))->header, &statistic, why)
            != 0
        || condition_parse(criterion, &holds, why) != 0)
        bug("%s", why); /* paper_read checks them */
    const int n = collect(&table[f], &statistic, &holds, sheet_text(c, i, "precision"), v);
    const struct evidence *by = deciding(v, n, is_existence(&statistic, &holds));
    reason = by ? reason_of(v, n, by, criterion) : reason_of_absence(&table[f], sheet_text(c, i, "statistic"));
    put_claim(c, i, by, statistic_unit(&statistic), reason, claims);
    put_evidence(v, n, sheet_text(c, i, "id"), by, evidence);
    free(reason);
}

void findings_of(const struct study *s, const struct sheet *table, struct sheet *claims, struct sheet *evidence)
{
    sheet_begin(
        claims,
        "id\tplace\tclaim\tdevice\tprecision\tprinted\tmeasured\tlow\thigh\tunit\trows\tsource\tcriterion\tverdict\t"
        "reason\tfigure\tstatistic");
    sheet_begin(evidence, "claim\tsource\trows\tmeasured\tlow\thigh\tverdict\tdecides");
    for (long i = 0; i < s->paper->claims.nrows; i++)
        test_claim(s, i, table, claims, evidence);
}

/* ---- printed values */

/* Has one of the columns that name things this text, n characters long? */
static bool is_named(const struct sheet *t, long row, const char *text, size_t n)
{
    static const char *const names[] = { "matrix", "format", "model", "config", "kernel" };

    for (unsigned long k = 0; k < sizeof names / sizeof names[0]; k++) {
        const char *cell = sheet_column(t, names[k]) >= 0 ? sheet_text(t, row, names[k]) : "";
        if (strlen(cell) == n && strncmp(cell, text, n) == 0)
            return true;
    }
    return false;
}

/* Is the row about the item, "NAME" or "NAME, NAME" (a matrix and a format)? */
static bool is_about(const struct sheet *t, long row, const char *item)
{
    const char *comma = strstr(item, ", ");

    if (is_named(t, row, item, strlen(item)))
        return true;
    return comma && is_named(t, row, item, (size_t)(comma - item)) && is_about(t, row, comma + 2);
}

/* Returns the row of the table about the item, in the precision if both have one; -1: none, or several that differ in the quantity. */
static long row_about(const struct sheet *t, const char *item, const char *precision, const char *quantity)
{
    long found = -1;

    for (long row = 0; row < t->nrows; row++) {
        if (*precision && sheet_column(t, "precision") >= 0 && strcmp(sheet_text(t, row, "precision"), precision) != 0)
            continue;
        if (!is_about(t, row, item))
            continue;
        if (found >= 0 && strcmp(sheet_text(t, row, quantity), sheet_text(t, found, quantity)) != 0)
            return -1;
        found = found < 0 ? row : found;
    }
    return found;
}

/* Sets the value of a statistic that the paper prints over all its matrices: "mean of 30 matrices", "average", "most". Of the first
 * source of the paper's own matrices with five, else of other matrices; of a table without sources, of all rows. */
static void put_statistic(const struct sheet *t, const char *item, const char *precision, const char *quantity,
                          struct sheet *printed, long row)
{
    static const struct {
        const char *word, *function;
    } words[] = { { "mean", "mean" },   { "average", "mean" }, { "median", "median" }, { "most", "max" },
                  { "maximum", "max" }, { "max", "max" },      { "least", "min" },     { "minimum", "min" } };
    const size_t n = strcspn(item, " ,");
    char text[96], header[64], why[ERRLEN];
    struct statistic s;

    for (unsigned long i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) != n || strncmp(item, words[i].word, n) != 0)
            continue;
        const char *function =
            strcmp(words[i].function, "mean") == 0 && is_ratio(quantity) ? "geomean" : words[i].function;
        snprintf(text, sizeof text, "%s(%s)", function, quantity);
        snprintf(header, sizeof header, "%s", quantity);
        if (statistic_parse(text, header, &s, why) != 0)
            return;
        for (int source = 0; source < NSOURCES; source++) {
            const bool sources = sheet_column(t, "source") >= 0;
            const char *name = sources ? source_name((enum source)source) : NULL;
            const struct estimate e = statistic_of(&s, t, name, precision);
            if (e.n == 0 || (sources && e.n < ENOUGH))
                continue;
            sheet_set_real(printed, row, "ours", e.value, 4);
            char *over = name ? xasprintf("%s, %ld", name, e.n) : xasprintf("%s", counted(e.n, "row").text);
            sheet_set(printed, row, "source", over);
            free(over);
            return;
        }
    }
}

void findings_printed(const struct study *s, long figure, const struct sheet *t, struct sheet *printed)
{
    const struct sheet *values = &s->paper->values;
    const char *id = sheet_text(&s->paper->figures, figure, "id");

    sheet_begin(printed, "item\tquantity\tdevice\tprecision\tprinted\tours\tsource\tplace\tnote");
    for (long i = 0; i < values->nrows; i++) {
        if (strcmp(sheet_text(values, i, "figure"), id) != 0)
            continue;
        const char *item = sheet_text(values, i, "item"), *quantity = sheet_text(values, i, "quantity");
        const long row = sheet_add(printed);
        const long at =
            sheet_column(t, quantity) < 0 ? -1 : row_about(t, item, sheet_text(values, i, "precision"), quantity);
        sheet_set(printed, row, "item", item);
        sheet_set(printed, row, "quantity", quantity);
        sheet_set(printed, row, "device", sheet_text(values, i, "device"));
        sheet_set(printed, row, "precision", sheet_text(values, i, "precision"));
        sheet_set(printed, row, "printed", sheet_text(values, i, "value"));
        sheet_set(printed, row, "place", sheet_text(values, i, "place"));
        sheet_set(printed, row, "note", sheet_text(values, i, "note"));
        if (at >= 0)
            sheet_set(printed, row, "ours", sheet_text(t, at, quantity));
        else if (sheet_column(t, quantity) >= 0 && sheet_column(t, "model") < 0 && sheet_column(t, "format") < 0)
            put_statistic(t, item, sheet_text(values, i, "precision"), quantity, printed, row);
        if (at >= 0 && sheet_column(t, "source") >= 0)
            sheet_set(printed, row, "source", sheet_text(t, at, "source"));
    }
}
