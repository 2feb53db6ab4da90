/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics and conditions on small tables (papers/statistic.h). Values are computed by hand. */
#include "papers/statistic.h"
#include <math.h>
#include "parts.h"

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix"),
    TEXT_COLUMN("source", "real or stand-in"),
    TEXT_COLUMN("precision", "f32 or f64"),
    REAL_COLUMN("ratio", "x", "made-up value"),
    TEXT_COLUMN("winner", "name of the winner; -: none"),
    COLUMNS_END,
};
static long checks;

static void check(bool good, const char *what, double found)
{
    checks++;
    if (!good)
        die("%s: found %.17g", what, found);
}

static void add(struct table *t, const char *matrix, const char *source, const char *precision, double ratio,
                const char *winner)
{
    const long row = table_add(t);

    table_set(t, row, "matrix", matrix);
    table_set(t, row, "source", source);
    table_set(t, row, "precision", precision);
    table_set_real(t, row, "ratio", ratio, 6);
    table_set(t, row, "winner", winner);
}

/* a: 1 and 3; b: 8; c (a stand-in): 64; d: no value; o (another matrix): 100 */
static void fill(struct table *t)
{
    table_begin(t, columns);
    add(t, "a", "real", "f32", 1, "b");
    add(t, "b", "real", "f32", 8, "b");
    add(t, "a", "real", "f64", 3, "a");
    add(t, "c", "stand-in", "f32", 64, "a");
    add(t, "d", "real", "f32", NAN, "");
    add(t, "o", "other", "f32", 100, "a");
}

static void statistics(void)
{
    static const struct {
        const char *text, *precision;
        enum unit_set set;
        long n;
        double value;
    } cases[] = {
        { "mean(ratio)", "", SET_PAPER, 3, 74.0 / 3 }, /* a: median of 1 and 3 */
        { "mean(ratio)", "f32", SET_PAPER, 3, 73.0 / 3 },
        { "mean(ratio)", "f64", SET_PAPER, 1, 3 },
        { "mean(ratio)", "", SET_OTHER, 1, 100 },
        { "mean(ratio)", "f64", SET_OTHER, 0, NAN },
        { "geomean(ratio)", "f32", SET_PAPER, 3, 8 },
        { "median(ratio)", "", SET_PAPER, 3, 8 },
        { "p90(ratio)", "", SET_PAPER, 3, 52.8 },
        { "min(ratio)", "", SET_PAPER, 3, 2 },
        { "max(ratio)", "", SET_PAPER, 3, 64 },
        { "max(ratio) where precision=f64", "", SET_PAPER, 1, 3 },
        { "mean(ratio) where matrix=a,precision=f32", "", SET_PAPER, 1, 1 },
        { "share(ratio>=3)", "", SET_PAPER, 3, 200.0 / 3 },
        { "share(ratio<8)", "f32", SET_PAPER, 3, 100.0 / 3 },
        { "share(winner=b)", "", SET_PAPER, 3, 50 }, /* half of a, all of b, none of c */
        { "count(ratio>1)", "", SET_PAPER, 3, 3 },
        { "mean(ratio) where precision=f64 / mean(ratio) where precision=f32", "", SET_PAPER, 1, 3 },
        { "mean(ratio) / max(ratio)", "", SET_PAPER, 3, 74.0 / 3 / 64 },
    };
    struct table t = { 0 };
    char why[ERRLEN];

    fill(&t);
    for (unsigned long i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct statistic s;
        struct units u;
        if (statistic_parse(cases[i].text, columns, &s, why) != 0)
            die("%s", why);
        statistic_units(&s, &t, cases[i].precision, cases[i].set, &u);
        const double value = statistic_value(&s, &u, NULL, u.n);
        check(u.n == cases[i].n, cases[i].text, (double)u.n);
        check(isnan(cases[i].value) ? isnan(value) : fabs(value - cases[i].value) < 1e-9, cases[i].text, value);
        units_free(&u);
    }
    table_free(&t);
}

static void conditions(void)
{
    static const struct {
        const char *text;
        double value;
        bool holds;
    } cases[] = {
        { ">= 1.3", 1.3, true }, { ">= 1.3", 1.29, false }, { "<= 5", 5, true }, { "<= 5", 5.1, false },
        { "> 1", 1, false },     { "> -1", 0, true },       { "< 1", 1, false }, { "< 1", 0.9, true },
        { "= 2", 2, true },      { "=2", 4, false },
    };
    static const char *const wrong[] = { "", ">", "1", ">= x", "=> 1", "1 .. 2", ">= 1 2" };
    struct condition c;
    char why[ERRLEN];

    for (unsigned long i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (condition_parse(cases[i].text, &c, why) != 0)
            die("%s", why);
        check(condition_holds(&c, cases[i].value) == cases[i].holds, cases[i].text, cases[i].value);
    }
    for (unsigned long i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check(condition_parse(wrong[i], &c, why) == FAIL, wrong[i], c.value);
}

static const struct part parts[] = { { "statistics", statistics }, { "conditions", conditions } };

int main(int argc, char **argv)
{
    return parts_main("statistic", parts, sizeof parts / sizeof parts[0], argc, argv, &checks);
}
