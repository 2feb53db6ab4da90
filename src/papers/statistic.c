/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics over the rows of a table. */
#include "papers/statistic.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "base/samples.h"

/* ---- conditions */

static const char *const relations[] = {
    [AT_LEAST] = ">=", [AT_MOST] = "<=", [ABOVE] = ">", [BELOW] = "<", [EQUAL] = "="
};

int condition_parse(const char *text, struct condition *c, char why[ERRLEN])
{
    const char *dots = strstr(text, "..");

    *c = (struct condition){ .relation = WITHIN };
    if (dots) {
        char *low = xasprintf("%.*s", (int)(dots - text), text);
        low[strcspn(low, " ")] = 0;
        const int status = parse_real(low, -INFINITY, INFINITY, &c->value);
        free(low);
        if (status == 0 && parse_real(dots + 2 + strspn(dots + 2, " "), c->value, INFINITY, &c->high) == 0)
            return 0;
    }
    for (int i = 0; !dots && i < WITHIN; i++) {
        const size_t n = strlen(relations[i]);
        c->relation = (enum relation)i;
        if (strncmp(text, relations[i], n) == 0
            && parse_real(text + n + strspn(text + n, " "), -INFINITY, INFINITY, &c->value) == 0)
            return 0;
    }
    return fail(why, "condition \"%s\": expected \">= N\", \"<= N\", \"> N\", \"< N\", \"= N\" or \"N .. M\"", text);
}

bool condition_holds(const struct condition *c, double v)
{
    switch (c->relation) {
    case AT_LEAST: return v >= c->value;
    case AT_MOST: return v <= c->value;
    case ABOVE: return v > c->value;
    case BELOW: return v < c->value;
    case EQUAL: return v == c->value;
    case WITHIN: break;
    }
    return v >= c->value && v <= c->high;
}

bool condition_decided(const struct condition *c, double low, double high)
{
    const double least = c->value, most = c->relation == WITHIN ? c->high : c->value;
    const bool two_sided = c->relation == WITHIN || c->relation == EQUAL;

    return condition_holds(c, low) == condition_holds(c, high)
           && (!two_sided || condition_holds(c, low) || high < least || low > most);
}

double condition_limit(const struct condition *c, double v)
{
    return c->relation == WITHIN && fabs(v - c->high) < fabs(v - c->value) ? c->high : c->value;
}

/* ---- functions of values */

/* condition: 1 if it holds, else 0 is the value. log: the mean of logarithms. interval: a mean, over matrices. scale: of the result.
 * quantile: of all values; NaN: none. */
static const struct {
    const char *name;
    bool condition, log, interval;
    double scale, quantile;
} functions[] = {
    { "mean", false, false, true, 1, NAN },    { "geomean", false, true, true, 1, NAN },
    { "median", false, false, false, 1, 0.5 }, { "p90", false, false, false, 1, 0.9 },
    { "min", false, false, false, 1, 0 },      { "max", false, false, false, 1, 1 },
    { "share", true, false, true, 100, NAN },  { "count", true, false, false, 1, NAN },
};
enum { NFUNCTIONS = sizeof functions / sizeof functions[0] };

bool statistic_counts(const struct statistic *s) { return functions[s->function].condition; }

/* ---- parsing */

static const struct column *column_named(const struct column *c, const char *name)
{
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    return c->name ? c : NULL;
}

/* Parses "COLUMN=VALUE,...". */
static int parse_where(char *text, const struct column *columns, struct statistic *s, char why[ERRLEN])
{
    for (char *rest = text, *item; (item = strsep(&rest, ","));) {
        char *equals = strchr(item, '=');
        if (!equals || s->nwhere == 4)
            return fail(why, "\"where %s\": expected at most 4 times COLUMN=VALUE", item);
        *equals = 0;
        if (!column_named(columns, item))
            return fail(why, "\"where %s=\": the figure's table has no such column", item);
        snprintf(s->where[s->nwhere].column, sizeof s->where[0].column, "%s", item);
        snprintf(s->where[s->nwhere++].value, sizeof s->where[0].value, "%s", equals + 1);
    }
    return 0;
}

/* Parses "COLUMN" or "COLUMN>=1". */
static int parse_inside(const char *inside, const struct column *columns, struct statistic *s, char why[ERRLEN])
{
    const size_t n = strcspn(inside, "<>=");

    snprintf(s->column, sizeof s->column, "%.*s", (int)n, inside);
    const struct column *c = column_named(columns, s->column);
    if (!c)
        return fail(why, "statistic: the figure's table has no column \"%s\"", s->column);
    snprintf(s->unit, sizeof s->unit, "%s", c->unit);
    if (functions[s->function].condition && inside[n] == '=' && inside[n + 1]
        && parse_real(inside + n + 1, -INFINITY, INFINITY, &s->condition.value) != 0) {
        s->condition.relation = EQUAL;
        snprintf(s->condition.text, sizeof s->condition.text, "%s", inside + n + 1);
        return 0;
    }
    if (c->type == COLUMN_TEXT)
        return fail(why, "%s(%s): the column holds words, which only share and count compare: share(%s=WORD)",
                    functions[s->function].name, inside, s->column);
    if (functions[s->function].condition)
        return condition_parse(inside + n, &s->condition, why);
    return inside[n] ? fail(why, "%s(%s): only share and count take a condition", functions[s->function].name, inside)
                     : 0;
}

int statistic_parse(const char *text, const struct column *columns, struct statistic *s, char why[ERRLEN])
{
    char *copy = xstrdup(text), *open = strchr(copy, '('), *close = strchr(copy, ')'),
         *where = strstr(copy, ") where ");
    int status = 0;

    *s = (struct statistic){ .function = -1 };
    if (!open || !close || close < open || (close[1] && where != close))
        status = fail(why, "statistic \"%s\": expected FUNCTION(COLUMN) [where COLUMN=VALUE,...]", text);
    if (status == 0) {
        *open = *close = 0;
        for (int i = 0; i < NFUNCTIONS; i++)
            if (strcmp(copy, functions[i].name) == 0)
                s->function = i;
        if (s->function < 0)
            status = fail(
                why,
                "statistic \"%s\": unknown function \"%s\"; known: mean, geomean, median, p90, min, max, share, count",
                text, copy);
    }
    if (status == 0)
        status = parse_inside(open + 1, columns, s, why);
    if (status == 0 && where)
        status = parse_where(where + strlen(") where "), columns, s, why);
    free(copy);
    return status;
}

bool statistic_is(const struct statistic *s, const char *function)
{
    return strcmp(functions[s->function].name, function) == 0;
}

const char *statistic_unit(const struct statistic *s)
{
    return !functions[s->function].condition ? s->unit : statistic_is(s, "share") ? "%" : "";
}

/* ---- evaluation */

static bool counts(const struct statistic *s, const struct table *t, long row, const char *source,
                   const char *precision)
{
    if (source && !table_is(t, row, "source", source))
        return false;
    if (*precision && table_column(t, "precision") >= 0 && !table_is(t, row, "precision", precision))
        return false;
    for (int i = 0; i < s->nwhere; i++)
        if (!table_is(t, row, s->where[i].column, s->where[i].value))
            return false;
    return true;
}

/* Returns the value of a row; NaN: it has none. A word that is compared: 1 if it is equal, else 0. */
static double value_at(const struct statistic *s, const struct table *t, long row)
{
    if (!s->condition.text[0])
        return table_real(t, row, s->column);
    return table_is(t, row, s->column, "") ? NAN : table_is(t, row, s->column, s->condition.text);
}

/* Collects the values of rows. Each row of a table without matrices is a unit of its own. */
static void collect(struct sample *to, const struct statistic *s, const struct table *t, const char *source,
                    const char *precision)
{
    const bool condition = functions[s->function].condition && !s->condition.text[0];
    const unsigned long room = (unsigned long)t->nrows + 1;
    const char **matrix = xmalloc(sizeof *matrix * room);
    int64_t *rank = xmalloc(sizeof *rank * room);

    for (long row = 0; row < t->nrows; row++)
        matrix[row] = table_column(t, "matrix") >= 0 ? table_text(t, row, "matrix") : "";
    const int64_t matrices = texts_rank(matrix, t->nrows, rank, NULL);
    for (long row = 0; row < t->nrows; row++) {
        const double x = value_at(s, t, row);
        if (isnan(x) || !counts(s, t, row, source, precision) || (functions[s->function].log && !(x > 0)))
            continue;
        sample_add(to,
                   condition                    ? condition_holds(&s->condition, x)
                   : functions[s->function].log ? log(x)
                                                : x,
                   *matrix[row] ? rank[row] : matrices + row, 0);
    }
    free(matrix);
    free(rank);
}

struct estimate statistic_of(const struct statistic *s, const struct table *t, const char *source,
                             const char *precision)
{
    const double scale = functions[s->function].scale;
    struct sample values = { 0 };
    struct estimate e = { 0, NAN, NAN, NAN };

    collect(&values, s, t, source, precision);
    e.n = sample_units(&values, UNIT_MATRIX);
    if (functions[s->function].interval) {
        sample_join(&values, UNIT_MATRIX);
        if (e.n > 2)
            sample_interval(&values, UNIT_MATRIX, &e.low, &e.high);
        e.value = scale * sample_mean(&values);
    } else if (functions[s->function].condition) {
        e.value = scale * sample_mean(&values) * (double)values.n;
    } else {
        sample_sort(&values);
        e.value = scale * sample_quantile(&values, functions[s->function].quantile);
    }
    e.low *= scale;
    e.high *= scale;
    if (functions[s->function].log) {
        e.value = exp(e.value);
        e.low = exp(e.low);
        e.high = exp(e.high);
    }
    sample_free(&values);
    return e;
}
