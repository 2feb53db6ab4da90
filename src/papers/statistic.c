/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics over the matrices of a table. */
#include "papers/statistic.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "base/stats.h"

/* ---- conditions */

static const char *const relations[] = {
    [AT_LEAST] = ">=", [AT_MOST] = "<=", [ABOVE] = ">", [BELOW] = "<", [EQUAL] = "="
};

int condition_parse(const char *text, struct condition *c, char why[ERRLEN])
{
    *c = (struct condition){ .relation = AT_LEAST };
    for (unsigned long i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        const size_t n = strlen(relations[i]);
        c->relation = (enum relation)i;
        if (strncmp(text, relations[i], n) == 0
            && parse_real(text + n + strspn(text + n, " "), -INFINITY, INFINITY, &c->value) == 0)
            return 0;
    }
    return fail(why, "condition \"%s\": expected \">= N\", \"<= N\", \"> N\", \"< N\" or \"= N\"", text);
}

bool condition_holds(const struct condition *c, double v)
{
    switch (c->relation) {
    case AT_LEAST: return v >= c->value;
    case AT_MOST: return v <= c->value;
    case ABOVE: return v > c->value;
    case BELOW: return v < c->value;
    case EQUAL: break;
    }
    return v == c->value;
}

/* ---- functions of values */

/* condition: 1 if it holds, else 0 is the value. log: the mean of logarithms. sum: not divided by the number. scale: of the result.
 * quantile: of all values; NaN: a mean. */
static const struct {
    const char *name;
    bool condition, log, sum;
    double scale, quantile;
} functions[] = {
    { "mean", false, false, false, 1, NAN },   { "geomean", false, true, false, 1, NAN },
    { "median", false, false, false, 1, .5 },  { "p90", false, false, false, 1, .9 },
    { "min", false, false, false, 1, 0 },      { "max", false, false, false, 1, 1 },
    { "share", true, false, false, 100, NAN }, { "count", true, false, true, 1, NAN },
};
enum { NFUNCTIONS = sizeof functions / sizeof functions[0] };

/* ---- parsing */

static const struct column *column_named(const struct column *c, const char *name)
{
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    return c->name ? c : NULL;
}

/* Parses "COLUMN=VALUE,...". */
static int parse_where(char *text, const struct column *columns, struct statistic_side *s, char why[ERRLEN])
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

/* Sets the forecast of an error: column "a_forecast_us" beside "measured_us" for "a_error_percent". */
static void set_forecast(const struct column *columns, struct statistic_side *s)
{
    const char *error = strstr(s->column, "error_percent");

    if (!error || strcmp(error, "error_percent") != 0 || !column_named(columns, "measured_us"))
        return;
    snprintf(s->forecast, sizeof s->forecast, "%.*sforecast_us", (int)(error - s->column), s->column);
    if (!column_named(columns, s->forecast))
        s->forecast[0] = 0;
}

/* Parses "COLUMN" or "COLUMN>=1". */
static int parse_inside(const char *inside, const struct column *columns, struct statistic_side *s, char why[ERRLEN])
{
    const size_t n = strcspn(inside, "<>=");

    snprintf(s->column, sizeof s->column, "%.*s", (int)n, inside);
    const struct column *c = column_named(columns, s->column);
    if (!c)
        return fail(why, "statistic: the figure's table has no column \"%s\"", s->column);
    snprintf(s->unit, sizeof s->unit, "%s", c->unit);
    s->whole = c->type == COLUMN_I64;
    set_forecast(columns, s);
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

static int parse_side(const char *text, const struct column *columns, struct statistic_side *s, char why[ERRLEN])
{
    char *copy = xstrdup(text), *open = strchr(copy, '('), *close = strchr(copy, ')'),
         *where = strstr(copy, ") where ");
    int status = 0;

    *s = (struct statistic_side){ .function = -1 };
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

int statistic_parse(const char *text, const struct column *columns, struct statistic *s, char why[ERRLEN])
{
    const char *slash = strstr(text, " / ");
    char *first = xasprintf("%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);

    *s = (struct statistic){ .nsides = slash ? 2 : 1 };
    int status = parse_side(first, columns, &s->side[0], why);
    if (status == 0 && slash)
        status = parse_side(slash + strlen(" / "), columns, &s->side[1], why);
    free(first);
    return status;
}

bool statistic_is(const struct statistic *s, const char *function)
{
    return s->nsides == 1 && strcmp(functions[s->side[0].function].name, function) == 0;
}

bool statistic_is_single(const struct statistic *s)
{
    for (int i = 0; i < s->side[0].nwhere; i++)
        if (strcmp(s->side[0].where[i].column, "matrix") == 0)
            return true;
    return false;
}

const char *statistic_unit(const struct statistic *s)
{
    if (s->nsides == 2)
        return "x";
    return !functions[s->side[0].function].condition ? s->side[0].unit : statistic_is(s, "share") ? "%" : "";
}

/* ---- values of matrices */

static bool counts(const struct statistic_side *s, const struct table *t, long row, const char *precision,
                   enum unit_set set)
{
    const bool other = table_column(t, "source") >= 0 && table_is(t, row, "source", "other");

    if (other != (set == SET_OTHER))
        return false;
    if (*precision && table_column(t, "precision") >= 0 && !table_is(t, row, "precision", precision))
        return false;
    for (int i = 0; i < s->nwhere; i++)
        if (!table_is(t, row, s->where[i].column, s->where[i].value))
            return false;
    return true;
}

/* Returns the value of a row; NaN: it has none. A word that is compared: 1 if it is equal, else 0. */
static double value_at(const struct statistic_side *s, const struct table *t, long row)
{
    if (!s->condition.text[0])
        return table_real(t, row, s->column);
    return table_is(t, row, s->column, "") ? NAN : table_is(t, row, s->column, s->condition.text);
}

static double over_at(const struct statistic_side *s, const struct table *t, long row)
{
    return s->forecast[0] ? table_real(t, row, s->forecast) / table_real(t, row, "measured_us") : (double)NAN;
}

/* Sets value[i] and over[i] to those of the i-th of n groups of rows. order: the rows, those of a group together; end[i]: of the group. */
static void set_values(const struct statistic_side *s, const struct table *t, const char *precision, enum unit_set set,
                       const long *order, const long *end, long n, struct unit *unit, int side)
{
    double *v = xmalloc(sizeof *v * ((unsigned long)t->nrows + 1)),
           *over = xmalloc(sizeof *over * ((unsigned long)t->nrows + 1));

    for (long i = 0, at = 0; i < n; i++) {
        int64_t k = 0;
        for (; at < end[i]; at++) {
            const double x = counts(s, t, order[at], precision, set) ? value_at(s, t, order[at]) : NAN;
            if (!isnan(x) && !(functions[s->function].log && !(x > 0))) {
                over[k] = over_at(s, t, order[at]);
                v[k++] = x;
            }
        }
        unit[i].value[side] = s->condition.text[0] ? stats_mean(v, k) : stats_median(v, k);
        unit[i].over[side] = s->forecast[0] ? stats_median(over, k) : (double)NAN;
    }
    free(v);
    free(over);
}

static void keep_known(struct units *u, int nsides)
{
    long n = 0;

    for (long i = 0; i < u->n; i++)
        if (!isnan(u->unit[i].value[0]) && (nsides == 1 || !isnan(u->unit[i].value[1]))) {
            u->unit[n] = u->unit[i];
            u->unit[n].family = n;
            n++;
        }
    u->n = n;
}

/* Sorts the rows of a table by the matrix; returns the number of groups. Rows without a matrix are groups of their own. */
static long group_rows(const struct table *t, long *order, long *end)
{
    const unsigned long room = (unsigned long)t->nrows + 1;
    const char **matrix = xmalloc(sizeof *matrix * room);
    int64_t *rank = xmalloc(sizeof *rank * room);
    long *first = xcalloc(room + 1, sizeof *first), n = 0;
    const bool named = table_column(t, "matrix") >= 0;

    for (long row = 0; row < t->nrows; row++)
        matrix[row] = named ? table_text(t, row, "matrix") : "";
    texts_rank(matrix, t->nrows, rank, NULL);
    for (long row = 0; row < t->nrows; row++)
        rank[row] = *matrix[row] ? rank[row] : row;
    for (long row = 0; row < t->nrows; row++)
        first[rank[row] + 1]++;
    for (long i = 0; i < t->nrows; i++) {
        first[i + 1] += first[i];
        if (first[i + 1] > first[i])
            end[n++] = first[i + 1];
    }
    for (long row = 0; row < t->nrows; row++)
        order[first[rank[row]]++] = row;
    free(matrix);
    free(rank);
    free(first);
    return n;
}

void statistic_units(const struct statistic *s, const struct table *t, const char *precision, enum unit_set set,
                     struct units *u)
{
    const unsigned long room = (unsigned long)t->nrows + 1;
    long *order = xmalloc(sizeof *order * room), *end = xmalloc(sizeof *end * room);

    u->n = group_rows(t, order, end);
    u->unit = xcalloc(room, sizeof *u->unit);
    for (long i = 0; i < u->n; i++) {
        const long row = order[end[i] - 1];
        u->unit[i].matrix = table_column(t, "matrix") >= 0 ? table_text(t, row, "matrix") : "";
        u->unit[i].source = table_column(t, "source") >= 0 ? table_text(t, row, "source") : "";
    }
    for (int i = 0; i < s->nsides; i++)
        set_values(&s->side[i], t, precision, set, order, end, u->n, u->unit, i);
    keep_known(u, s->nsides);
    free(order);
    free(end);
}

struct units units_copy(const struct units *u)
{
    struct units copy = { .n = u->n, .unit = xmalloc(sizeof *copy.unit * ((unsigned long)u->n + 1)) };

    memcpy(copy.unit, u->unit, sizeof *copy.unit * (unsigned long)u->n);
    return copy;
}

void units_free(struct units *u)
{
    free(u->unit);
    *u = (struct units){ 0 };
}

/* ---- the statistic */

static double side_value(const struct statistic_side *s, const struct units *u, int side, const int64_t *picked, long n)
{
    const double q = functions[s->function].quantile, scale = functions[s->function].scale;
    const bool condition = functions[s->function].condition && !s->condition.text[0],
               log_of = functions[s->function].log;
    double *v = xmalloc(sizeof *v * ((unsigned long)n + 1));

    for (long i = 0; i < n; i++) {
        const double x = u->unit[picked ? picked[i] : i].value[side];
        v[i] = condition ? condition_holds(&s->condition, x) : log_of ? log(x) : x;
    }
    if (!isnan(q))
        stats_sort(v, n);
    double value = isnan(q) ? stats_mean(v, n) : stats_quantile(v, n, q);
    free(v);
    if (functions[s->function].sum)
        value *= (double)n;
    return log_of ? exp(value) : scale * value;
}

double statistic_side(const struct statistic *s, const struct units *u, int side)
{
    return u->n == 0 ? NAN : side_value(&s->side[side], u, side, NULL, u->n);
}

double statistic_value(const struct statistic *s, const struct units *u, const int64_t *picked, long n)
{
    if (n == 0)
        return NAN;
    const double value = side_value(&s->side[0], u, 0, picked, n);
    return s->nsides == 1 ? value : value / side_value(&s->side[1], u, 1, picked, n);
}
