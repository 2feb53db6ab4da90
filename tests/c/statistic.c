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

/* a: 1 and 3; b: 8; c (a stand-in): 64; d: no value */
static void fill(struct table *t)
{
    table_begin(t, columns);
    add(t, "a", "real", "f32", 1, "b");
    add(t, "a", "real", "f64", 3, "a");
    add(t, "b", "real", "f32", 8, "b");
    add(t, "c", "stand-in", "f32", 64, "a");
    add(t, "d", "real", "f32", NAN, "");
}

static void statistics(void)
{
    static const struct {
        const char *text, *source, *precision;
        long n;
        double value;
    } cases[] = {
        { "mean(ratio)", "real", "", 2, 5 }, /* (2 + 8) / 2 */
        { "mean(ratio)", "real", "f32", 2, 4.5 },
        { "mean(ratio)", NULL, "f32", 3, 73.0 / 3 },
        { "geomean(ratio)", NULL, "f32", 3, 8 },
        { "median(ratio)", "real", "", 2, 3 },
        { "min(ratio)", "real", "", 2, 1 },
        { "max(ratio)", "real", "", 2, 8 },
        { "max(ratio) where precision=f64", "real", "", 1, 3 },
        { "mean(ratio) where matrix=a,precision=f32", "real", "", 1, 1 },
        { "share(ratio>=3)", "real", "", 2, 75 }, /* half of a, all of b */
        { "share(ratio<8)", "real", "f32", 2, 50 },
        { "share(winner=b)", "real", "", 2, 75 },
        { "count(ratio>1)", "real", "", 2, 2 },
        { "count(winner=a)", "stand-in", "", 1, 1 },
        { "mean(ratio)", "exact", "", 0, NAN },
        { "min(ratio)", "exact", "", 0, NAN },
    };
    struct table t = { 0 };
    char why[ERRLEN];

    fill(&t);
    for (unsigned long i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct statistic s;
        if (statistic_parse(cases[i].text, columns, &s, why) != 0)
            die("%s", why);
        const struct estimate e = statistic_of(&s, &t, cases[i].source, cases[i].precision);
        check(e.n == cases[i].n, cases[i].text, (double)e.n);
        check(isnan(cases[i].value) ? isnan(e.value) : fabs(e.value - cases[i].value) < 1e-9, cases[i].text, e.value);
        const bool mean = strstr(cases[i].text, "mean") || strncmp(cases[i].text, "share", 5) == 0;
        check(isnan(e.low) == !(mean && e.n > 2), cases[i].text, e.low);
        check(isnan(e.low) || (e.low <= e.value && e.value <= e.high && e.low < e.high), cases[i].text, e.high);
    }
    table_free(&t);
}

static void conditions(void)
{
    static const struct {
        const char *text;
        double value, limit, low, high;
        bool holds, decided; /* decided: of [low, high] */
    } cases[] = {
        { ">= 1.3", 1.3, 1.3, 1.3, 2, true, true },
        { ">= 1.3", 1.29, 1.3, 1.2, 1.3, false, false },
        { "<= 5", 5, 5, 4, 5, true, true },
        { "<= 5", 5.1, 5, 5.05, 6, false, true },
        { "> 1", 1, 1, 0.5, 1, false, true },
        { "< 1", 1, 1, 1, 1.5, false, true },
        { "= 2", 2, 2, 2, 2, true, true },
        { "= 2", 2, 2, 1, 3, true, false },
        { "= 2", 4, 2, 3, 5, false, true },
        { "= 2", 4, 2, 1, 5, false, false },
        { "1.3 .. 1.8", 1.7, 1.8, 1.4, 1.8, true, true },
        { "1.3..1.8", 1.5, 1.3, 1, 2, true, false },
        { "1.3 .. 1.8", 2, 1.8, 1.9, 2.1, false, true },
        { "1.3 .. 1.8", 1, 1.3, 0.5, 1.5, false, false },
        { "-2 .. -1", -1.5, -2, -1.9, -1.1, true, true },
    };
    static const char *const wrong[] = { "", ">", "1", ">= x", "=> 1", "1 .. x", "2 .. 1", "x .. 2", ">= 1 2" };
    struct condition c;
    char why[ERRLEN];

    for (unsigned long i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (condition_parse(cases[i].text, &c, why) != 0)
            die("%s", why);
        check(condition_holds(&c, cases[i].value) == cases[i].holds, cases[i].text, cases[i].value);
        check(fabs(condition_limit(&c, cases[i].value) - cases[i].limit) < 1e-12, cases[i].text,
              condition_limit(&c, cases[i].value));
        check(condition_decided(&c, cases[i].low, cases[i].high) == cases[i].decided, cases[i].text, cases[i].low);
    }
    for (unsigned long i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check(condition_parse(wrong[i], &c, why) == FAIL, wrong[i], c.value);
}

static const struct part parts[] = { { "statistics", statistics }, { "conditions", conditions } };

int main(int argc, char **argv)
{
    return parts_main("statistic", parts, sizeof parts / sizeof parts[0], argc, argv, &checks);
}
