/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the tables of a paper before anything is computed. */
#include "papers/paper_check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "page/chart.h"
#include "papers/measure_table.h"
#include "papers/printed_values.h"
#include "papers/statistic.h"
#include "papers/study.h"
#include "papers/verdict.h"
#include "recipes/recipe.h"

#define PRECISIONS "f32|f64"

/* ---- checks: each returns 0 or FAIL with file and line */

static int at_line(const struct table *s, long row, char why[ERRLEN], const char *what)
{
    return fail(why, "%s:%ld: %s", s->name, s->line[row], what);
}

static int check_numbers(const struct table *s, const char *const *columns, char why[ERRLEN])
{
    for (long row = 0; row < s->nrows; row++)
        for (int i = 0; columns[i]; i++) {
            const char *text = table_text(s, row, columns[i]);
            if (*text && strcmp(text, "not in the text") != 0 && isnan(tsv_real(s, row, columns[i])))
                return fail(why,
                            "%s:%ld: column %s: \"%s\" is no number (expected a number, \"-\" or \"not in the text\")",
                            s->name, s->line[row], columns[i], text);
        }
    return 0;
}

static int check_recipes(const struct table *s, char why[ERRLEN])
{
    static const char *const columns[] = { "generator", "stand_in" };
    char reason[ERRLEN];
    struct recipe r;

    for (long row = 0; row < s->nrows; row++)
        for (int i = 0; i < 2; i++) {
            const char *text = table_text(s, row, columns[i]);
            if (i == 1 && stand_in_is_matrix(text))
                continue;
            if (*text && recipe_parse(text, &r, reason) != 0)
                return fail(why, "%s:%ld: column %s: %s", s->name, s->line[row], columns[i], reason);
        }
    return 0;
}

static int check_figure(const struct paper *p, long row, char why[ERRLEN])
{
    const struct table *s = &p->figures;
    const char *id = table_text(s, row, "id"), *chart = table_text(s, row, "chart"),
               *name = table_text(s, row, "measure");
    const struct paper_measure *m = paper_measure_find(name);
    char reason[ERRLEN];

    if (!*id || strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(id))
        return fail(why, "%s:%ld: id \"%s\": expected lower-case letters, digits and '-'", s->name, s->line[row], id);
    if (words_have("claims|evidence|matrices|index", id))
        return fail(why, "%s:%ld: id \"%s\" is the name of another file of the page; choose another", s->name,
                    s->line[row], id);
    if (paper_figure(p, id) != row)
        return fail(why, "%s:%ld: two figures have the id \"%s\"", s->name, s->line[row], id);
    if (!m)
        return fail(why, "%s:%ld: unknown measure \"%s\" (spmv-reproduce --list measures)", s->name, s->line[row],
                    name);
    if (paper_measure_check(m, table_text(s, row, "parameters"), reason) != 0
        || paper_measure_check_matrices(&p->matrices, table_text(s, row, "parameters"), reason) != 0)
        return at_line(s, row, why, reason);
    if (*chart && plot_check(chart, m->columns, reason) != 0)
        return at_line(s, row, why, reason);
    return 0;
}

/* Is there such a figure, and can the statistic be computed from its table? column: that holds the statistic. */
static int check_statistic(const struct paper *p, const struct table *s, long row, const char *column, char why[ERRLEN])
{
    const char *figure = table_text(s, row, "figure");
    const long f = paper_figure(p, figure);
    struct statistic statistic;
    char reason[ERRLEN];

    if (f < 0)
        return fail(why, "%s:%ld: figures.tsv has no figure \"%s\"", s->name, s->line[row], figure);
    const struct paper_measure *m = paper_measure_find(table_text(&p->figures, f, "measure"));
    return statistic_parse(table_text(s, row, column), m->columns, &statistic, reason) == 0
               ? 0
               : at_line(s, row, why, reason);
}

static int check_claim(const struct paper *p, long row, char why[ERRLEN])
{
    const struct table *s = &p->claims;
    const char *precision = table_text(s, row, "precision");
    struct rule rule;
    char reason[ERRLEN];

    if (!*table_text(s, row, "figure"))
        return *table_text(s, row, "note")
                   ? 0
                   : at_line(s, row, why, "a claim without a figure needs the reason in column note");
    if (*precision && !words_have(PRECISIONS, precision))
        return fail(why, "%s:%ld: precision \"%s\": expected %s or -", s->name, s->line[row], precision, PRECISIONS);
    if (check_statistic(p, s, row, "statistic", why) != 0)
        return FAIL;
    return rule_parse(table_text(s, row, "direction"), table_text(s, row, "size"), table_text(s, row, "margin"), &rule,
                      reason)
                   == 0
               ? 0
               : at_line(s, row, why, reason);
}

static int check_cause(const struct paper *p, long row, char why[ERRLEN])
{
    const struct table *s = &p->causes;
    const char *claim = table_text(s, row, "claim"), *factor = table_text(s, row, "factor"),
               *set = table_text(s, row, "set");
    bool found = false;

    for (long i = 0; i < p->claims.nrows; i++)
        found = found || table_is(&p->claims, i, "id", claim);
    if (!found)
        return fail(why, "%s:%ld: claims.tsv has no claim \"%s\"", s->name, s->line[row], claim);
    if (!words_have(FACTORS, factor))
        return fail(why, "%s:%ld: factor \"%s\": expected %s", s->name, s->line[row], factor, FACTORS);
    if (!words_have("paper|other", set))
        return fail(why, "%s:%ld: set \"%s\": expected paper|other", s->name, s->line[row], set);
    if (!*table_text(s, row, "what"))
        return at_line(s, row, why, "column what is empty: it says in words what was changed");
    return check_statistic(p, s, row, "statistic", why);
}

static int check_values(const struct paper *p, char why[ERRLEN])
{
    for (long row = 0; row < p->values.nrows; row++) {
        const char *figure = table_text(&p->values, row, "figure");
        if (*figure && paper_figure(p, figure) < 0)
            return fail(why, "%s:%ld: figures.tsv has no figure \"%s\"", p->values.name, p->values.line[row], figure);
        if (*figure && printed_is_statistic(table_text(&p->values, row, "quantity"))
            && check_statistic(p, &p->values, row, "quantity", why) != 0)
            return FAIL;
    }
    return 0;
}

/* Does a row before this one have the same text in the column? */
static int check_once(const struct table *s, long row, const char *column, char why[ERRLEN])
{
    const char *text = table_text(s, row, column);

    if (!*text)
        return fail(why, "%s:%ld: column %s is empty", s->name, s->line[row], column);
    for (long i = 0; i < row; i++)
        if (table_is(s, i, column, text))
            return fail(why, "%s:%ld: %s \"%s\" is in line %ld, too", s->name, s->line[row], column, text, s->line[i]);
    return 0;
}

static bool has_matrix(const struct paper *p, const char *name)
{
    for (long i = 0; i < p->matrices.nrows; i++)
        if (table_is(&p->matrices, i, "name", name))
            return true;
    return false;
}

static int check_about(const struct paper *p, char why[ERRLEN])
{
    static const char *const needed[] = { "title", "archives" };
    const char *precision = paper_about(p, "precision");

    for (int i = 0; i < 2; i++)
        if (!*paper_about(p, needed[i]))
            return fail(why, "%s: missing key \"%s\"", p->about.name, needed[i]);
    if (*precision && !words_have(PRECISIONS, precision))
        return fail(why, "%s: precision \"%s\": expected %s", p->about.name, precision, PRECISIONS);
    return 0;
}

static int check_fill(const struct paper *p, char why[ERRLEN])
{
    for (long row = 0; row < p->fill.nrows; row++) {
        const char *name = table_text(&p->fill, row, "matrix");
        if (!has_matrix(p, name))
            return fail(why, "%s:%ld: matrices.tsv has no matrix \"%s\"", p->fill.name, p->fill.line[row], name);
    }
    return 0;
}

static int check_sweep(const struct paper *p, long row, char why[ERRLEN])
{
    const struct table *s = &p->sweeps;
    const char *command = table_text(s, row, "command");
    char *copy = xstrdup(table_text(s, row, "matrices")), *rest = copy, *name;
    int status = check_once(s, row, "sweep", why);

    if (status == 0 && !words_have("run|plan", command))
        status = fail(why, "%s:%ld: command \"%s\": expected run or plan", s->name, s->line[row], command);
    while (status == 0 && strcmp(copy, "all") != 0 && (name = strsep(&rest, ",")))
        if (!has_matrix(p, name))
            status = fail(why, "%s:%ld: matrices.tsv has no matrix \"%s\" (expected names separated by ',', or all)",
                          s->name, s->line[row], name);
    free(copy);
    return status;
}

int paper_check(const struct paper *p, char why[ERRLEN])
{
    static const char *const of_matrices[] = { "rows", "cols", "nnz", "mean", "sd", "max", NULL };
    static const char *const of_fill[] = { "r", "c", "fill", NULL };

    if (check_about(p, why) != 0)
        return FAIL;
    for (long row = 0; row < p->matrices.nrows; row++)
        if (check_once(&p->matrices, row, "name", why) != 0)
            return FAIL;
    if (check_numbers(&p->matrices, of_matrices, why) != 0 || check_numbers(&p->fill, of_fill, why) != 0
        || check_recipes(&p->matrices, why) != 0)
        return FAIL;
    for (long row = 0; row < p->figures.nrows; row++)
        if (check_figure(p, row, why) != 0)
            return FAIL;
    for (long row = 0; row < p->claims.nrows; row++)
        if (check_once(&p->claims, row, "id", why) != 0 || check_claim(p, row, why) != 0)
            return FAIL;
    for (long row = 0; row < p->causes.nrows; row++)
        if (check_cause(p, row, why) != 0)
            return FAIL;
    for (long row = 0; row < p->sweeps.nrows; row++)
        if (check_sweep(p, row, why) != 0)
            return FAIL;
    return check_fill(p, why) == 0 ? check_values(p, why) : FAIL;
}
