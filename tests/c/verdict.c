/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule for verdicts (papers/verdict.h) on tables that a test makes. */
#include "papers/verdict.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "parts.h"
#include "table/tsv.h"

static long checks;

static void check(bool good, const char *what, double found)
{
    checks++;
    if (!good)
        die("%s: found %.17g", what, found);
}

/* ---- rules */

static void rules(void)
{
    static const struct {
        const char *direction, *size, *margin;
        double low, high;
    } good[] = {
        { "> 1", "", "", 0, 0 },           { "", "2", "1.25", 1.6, 2.5 },
        { "< 1", "1|4", "2", 0.5, 8 },     { "> 50", "90", "10 points", 80, 100 },
        { "", "0", "10 points", -10, 10 }, { "", "1.3..1.8", "", 1.3, 1.8 },
    };
    static const char *const bad[][3] = {
        { "", "", "" },
        { ">= 1", "", "" },
        { "1", "", "" },
        { "", "2", "" },
        { "", "2", "0.5" },
        { "", "0", "1.5" },
        { "", "2", "1 point" },
        { "", "a", "1.25" },
        { "", "1..2", "1.25" },
        { "> 1", "", "2" },
        { "", "1|", "2" },
        { "", "2", "x points" },
        { "", "2", "1 points more" },
    };
    struct rule r;
    char why[ERRLEN];

    for (unsigned long i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (rule_parse(good[i].direction, good[i].size, good[i].margin, &r, why) != 0)
            die("%s", why);
        check(r.compares == (*good[i].direction != 0) && r.sized == (*good[i].size != 0), good[i].size, (double)i);
        check(!r.sized || (fabs(r.low - good[i].low) < 1e-12 && fabs(r.high - good[i].high) < 1e-12), good[i].size,
              r.low);
    }
    for (unsigned long i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check(rule_parse(bad[i][0], bad[i][1], bad[i][2], &r, why) == FAIL, bad[i][1], (double)i);
}

/* ---- verdicts on units with known values */

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix"),
    REAL_COLUMN("ratio", "x", "made-up value"),
    REAL_COLUMN("error_percent", "%", "made-up value"),
    REAL_COLUMN("saved_percent", UNIT_SAVED, "made-up value"),
    INT_COLUMN("blocks", "", "made-up number"),
    REAL_COLUMN("share_percent", UNIT_BEST, "made-up value"),
    COLUMNS_END,
};

static void judge_values(const char *statistic, const char *direction, const char *size, const char *margin,
                         const double *v, long n, long families, struct finding *f)
{
    struct statistic s;
    struct rule r;
    struct units u = { .n = n, .unit = xcalloc((unsigned long)n + 1, sizeof *u.unit) };
    char why[ERRLEN];

    if (statistic_parse(statistic, columns, &s, why) != 0 || rule_parse(direction, size, margin, &r, why) != 0)
        die("%s", why);
    for (long i = 0; i < n; i++)
        u.unit[i] = (struct unit){
            .matrix = "m", .source = "real", .value = { v[i], v[i] }, .over = { NAN, NAN }, .family = i % families
        };
    verdict_make(&r, &s, &u, f);
    units_free(&u);
}

static void verdicts(void)
{
    static const double high[] = { 1.5, 1.6, 1.7, 1.5, 1.6, 1.7 }, wide[] = { 0.5, 2, 0.4, 3, 1, 1.2 },
                        low[] = { 0.5, .6, .7, .5, .6, .7 }, much[] = { 70 }, none[] = { -4 }, near[] = { 99 },
                        right[] = { 5 };
    static const struct {
        const char *statistic, *direction, *size, *margin;
        const double *v;
        long n, families;
        enum claim_verdict d, s, headline;
    } cases[] = {
        { "geomean(ratio)", "> 1", "1.6", "1.25", high, 6, 6, HOLDS, AS_PRINTED, HOLDS },
        { "geomean(ratio)", "> 1", "3", "1.25", high, 6, 6, HOLDS, SMALLER, HOLDS },
        { "geomean(ratio)", "> 1", "", "", low, 6, 6, DOES_NOT_HOLD, VERDICT_NONE, DOES_NOT_HOLD },
        { "geomean(ratio)", "> 1", "1.1", "1.25", wide, 6, 6, UNDECIDED, UNDECIDED, UNDECIDED },
        { "geomean(ratio)", "< 1", "", "", low, 6, 6, HOLDS, VERDICT_NONE, HOLDS },
        { "mean(ratio)", "", "0.6", "1.25", high, 6, 6, VERDICT_NONE, LARGER, LARGER },
        { "mean(ratio)", "", "1|2", "1.25", high, 6, 6, VERDICT_NONE, AS_PRINTED, AS_PRINTED },
        { "mean(ratio)", "> 1", "", "", high, 6, 4, UNDECIDED, VERDICT_NONE, UNDECIDED }, /* four families */
        { "mean(ratio)", "> 1", "", "", high, 0, 1, UNTESTED, VERDICT_NONE, UNTESTED },
        { "max(ratio)", "", "1.7", "1.25", high, 6, 2, VERDICT_NONE, AS_PRINTED, AS_PRINTED },
        { "max(ratio)", "> 1.65", "", "", high, 6, 2, UNDECIDED, VERDICT_NONE, UNDECIDED }, /* 1.7 / 1.057 < 1.65 */
        { "max(ratio)", "> 1.6", "", "", high, 6, 2, HOLDS, VERDICT_NONE, HOLDS },
        { "mean(ratio) where matrix=m", "> 1", "", "", high, 1, 1, HOLDS, VERDICT_NONE, HOLDS },
        { "max(error_percent)", "", "4", "1.5", high, 6, 6, VERDICT_NONE, UNDECIDED,
          UNDECIDED }, /* 1.7 +- 5.8 points */
        { "mean(saved_percent) where matrix=m", "> 68", "60", "10 points", much, 1, 1, HOLDS, UNDECIDED,
          HOLDS }, /* 68.3 to 71.7: of 30 % that are left */
        { "mean(saved_percent) where matrix=m", "> 0", "11", "10 points", none, 1, 1, UNDECIDED, UNDECIDED,
          UNDECIDED }, /* -9.9 to 1.9 */
        { "mean(saved_percent) where matrix=m", "> 0", "14", "10 points", none, 1, 1, UNDECIDED, SMALLER, UNDECIDED },
        { "max(blocks)", "", "1.7", "1.0", high, 6, 6, VERDICT_NONE, AS_PRINTED,
          AS_PRINTED }, /* whole numbers are exact */
        { "share(ratio>=1.6)", "> 50", "66", "10 points", high, 6, 6, UNDECIDED, UNDECIDED, UNDECIDED },
        { "share(ratio>=1)", "> 50", "93", "10 points", high, 6, 6, HOLDS, UNDECIDED,
          HOLDS }, /* six of six: 54.1 to 100 */
        { "share(ratio>=1)", "> 50", "", "", high, 6, 5, UNDECIDED, VERDICT_NONE,
          UNDECIDED },                                                                /* five of five: 47.8 to 100 */
        { "share(ratio>=1)", "< 50", "", "", low, 6, 6, HOLDS, VERDICT_NONE, HOLDS }, /* none of six: 0 to 45.9 */
        { "max(share_percent)", "> 93", "", "", near, 1, 1, HOLDS, VERDICT_NONE, HOLDS }, /* 93.7 to 100 */
        { "max(share_percent)", "< 101", "", "", near, 1, 1, HOLDS, VERDICT_NONE, HOLDS },
        { "mean(error_percent) where matrix=m / mean(error_percent) where matrix=m", "> 0.9", "", "", right, 1, 1,
          UNDECIDED, VERDICT_NONE, UNDECIDED }, /* 0 to 11 over 0 to 11 */
    };

    for (unsigned long i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct finding f;
        judge_values(cases[i].statistic, cases[i].direction, cases[i].size, cases[i].margin, cases[i].v, cases[i].n,
                     cases[i].families, &f);
        check(f.direction == cases[i].d, cases[i].statistic, (double)i + f.direction / 100.0);
        check(f.size == cases[i].s, cases[i].statistic, (double)i + f.size / 100.0);
        check(f.headline == cases[i].headline, cases[i].statistic, (double)i + f.headline / 100.0);
        check((f.doubt != NULL) == (f.headline == UNDECIDED), cases[i].statistic, (double)i);
        check(f.families == (cases[i].n < cases[i].families ? cases[i].n : cases[i].families), "families",
              (double)f.families);
    }
}

static const struct column wins_columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix"),
    REAL_COLUMN("measured_us", "us", "made-up time"),
    REAL_COLUMN("a_forecast_us", "us", "made-up time"),
    REAL_COLUMN("b_forecast_us", "us", "made-up time"),
    REAL_COLUMN("a_error_percent", "%", "|a_forecast_us / measured_us - 1|"),
    REAL_COLUMN("b_error_percent", "%", "|b_forecast_us / measured_us - 1|"),
    COLUMNS_END,
};

/* Errors of two forecasts of matrix m, and by the other sides of it of matrix n. */
static void judge_errors(const char *statistic, const char *direction, double measured, double a, double b,
                         struct finding *f)
{
    struct statistic s;
    struct rule r;
    struct units u;
    struct table t = { 0 };
    char why[ERRLEN];

    if (statistic_parse(statistic, wins_columns, &s, why) != 0 || rule_parse(direction, "", "", &r, why) != 0)
        die("%s", why);
    table_begin(&t, wins_columns);
    for (int i = 0; i < 2; i++) {
        const long row = table_add(&t);
        table_set(&t, row, "matrix", i == 0 ? "m" : "n");
        table_set_real(&t, row, "measured_us", measured, 9);
        table_set_real(&t, row, "a_forecast_us", i == 0 ? a : b, 9);
        table_set_real(&t, row, "b_forecast_us", i == 0 ? b : a, 9);
        table_set_real(&t, row, "a_error_percent", 100 * fabs((i == 0 ? a : b) / measured - 1), 9);
        table_set_real(&t, row, "b_error_percent", 100 * fabs((i == 0 ? b : a) / measured - 1), 9);
    }
    statistic_units(&s, &t, "", SET_PAPER, &u);
    verdict_make(&r, &s, &u, f);
    units_free(&u);
    table_free(&t);
}

/* forecast / measured time changes by a factor of 1.057 either way, on each side of a quotient by itself. */
static void errors(void)
{
    const char *one = "median(a_error_percent) where matrix=m", *worst = "max(a_error_percent)",
               *quotient = "median(a_error_percent) where matrix=m / median(b_error_percent) where matrix=m";
    const struct {
        const char *statistic, *direction;
        double measured, a, b, low, high;
        enum claim_verdict verdict;
    } cases[] = {
        { one, "> 40", 2, 3, 3, 100 * (1.5 / 1.057 - 1), 100 * (1.5 * 1.057 - 1), HOLDS },
        { one, "> 47", 2, 1, 1, 100 * (1 - .5 * 1.057), 100 * (1 - .5 / 1.057), HOLDS },
        { one, "> 1", 2, 2.04, 1, 0, 100 * (1.02 * 1.057 - 1), UNDECIDED },
        { worst, "> 65", 1, .4, 1.59, 100 * (1 - .4 * 1.057), 100 * (1.59 * 1.057 - 1), UNDECIDED }, /* 60 and 59 % */
        { quotient, "< 1", 3.257, .4097, .4337, (1 - .4097 * 1.057 / 3.257) / (1 - .4337 / 1.057 / 3.257),
          (1 - .4097 / 1.057 / 3.257) / (1 - .4337 * 1.057 / 3.257), UNDECIDED },
        { quotient, "< 1", 2, 3, 4, (1.5 / 1.057 - 1) / (2 * 1.057 - 1), (1.5 * 1.057 - 1) / (2 / 1.057 - 1), HOLDS },
        { quotient, "< 1", 1, 1.01, 2, 0, (1.01 * 1.057 - 1) / (2 / 1.057 - 1), HOLDS },
        { quotient, "< 1", 1, 1.5, .97, (1.5 / 1.057 - 1) / (1 - .97 / 1.057), INFINITY, DOES_NOT_HOLD },
    };

    for (unsigned long i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct finding f;
        judge_errors(cases[i].statistic, cases[i].direction, cases[i].measured, cases[i].a, cases[i].b, &f);
        check(fabs(f.low - cases[i].low) < 1e-6, "low", (double)i + f.low);
        check(!(f.high < cases[i].high - 1e-6 || f.high > cases[i].high + 1e-6), "high", f.high);
        check(f.headline == cases[i].verdict, cases[i].direction, (double)i + f.headline / 100.0);
    }
}

/* Values 1.5 on one half of the families and 2 / 3 on the other: the mean of logarithms is 0, so no number of families decides; with 2 and
 * 2 / 3 it is log(4/3) / 2 with a known spread. Where eight leave it undecided, more than eight are needed. */
static void enough(void)
{
    static const double even[] = { 1.5, 2.0 / 3, 1.5, 2.0 / 3, 1.5, 2.0 / 3, 1.5, 2.0 / 3 },
                        odd[] = { 2, 2.0 / 3, 2, 2.0 / 3, 2, 2.0 / 3, 2, 2.0 / 3 },
                        skewed[] = { 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 0.6 };
    struct finding f;

    judge_values("geomean(ratio)", "> 1", "", "", even, 8, 8, &f);
    check(f.headline == UNDECIDED && !(f.needed < 1e6), "needed for a mean at the limit", f.needed);
    judge_values("geomean(ratio)", "> 1", "", "", odd, 8, 8, &f);
    /* deviation log(3) / 2 = 0.549 of each, 0.194 of the mean: half-width 0.38 beside a distance of 0.144 */
    check(f.headline == UNDECIDED && f.needed > 40 && f.needed < 70, "needed", f.needed);
    check(f.flip > 0.1 && f.flip < 0.4, "share of draws below 1", f.flip);
    judge_values("mean(ratio)", "> 1", "", "", skewed, 8, 8, &f); /* 1.125 (0.975 to 1.2) */
    check(f.headline == UNDECIDED && f.needed > 8 && f.needed < 20, "more than did not decide", f.needed);
}

/* ---- claims from a file: claim, matrix, family, value, printed. Prints claim, direction and size verdict; used by tests/verdicts.py */

static const struct column claims_columns[] = {
    TEXT_COLUMN("claim", "claim"),
    TEXT_COLUMN("matrix", "matrix"),
    TEXT_COLUMN("family", "family"),
    REAL_COLUMN("ratio", "x", "value"),
    TEXT_COLUMN("printed", "size"),
    TEXT_COLUMN("margin", "margin"),
    COLUMNS_END,
};

static void judge_claim(const struct table *t, long from, long end)
{
    struct statistic s;
    struct rule r;
    struct finding f;
    struct units u = { .n = end - from, .unit = xcalloc((unsigned long)(end - from), sizeof *u.unit) };
    const char **family = xmalloc(sizeof *family * (unsigned long)u.n);
    int64_t *rank = xmalloc(sizeof *rank * (unsigned long)u.n);
    char why[ERRLEN];

    for (long i = 0; i < u.n; i++)
        family[i] = table_text(t, from + i, "family");
    texts_rank(family, u.n, rank, NULL);
    for (long i = 0; i < u.n; i++)
        u.unit[i] = (struct unit){ .matrix = table_text(t, from + i, "matrix"),
                                   .source = "real",
                                   .value = { table_real(t, from + i, "ratio") },
                                   .family = rank[i] };
    if (statistic_parse("geomean(ratio)", claims_columns, &s, why) != 0
        || rule_parse("> 1", table_text(t, from, "printed"), table_text(t, from, "margin"), &r, why) != 0)
        die("%s", why);
    verdict_make(&r, &s, &u, &f);
    printf("%s\t%s\t%s\n", table_text(t, from, "claim"), verdict_name(f.direction), verdict_name(f.size));
    units_free(&u);
    free(family);
    free(rank);
}

static void file(void)
{
    struct table t;
    char why[ERRLEN];

    if (tsv_read_typed(&t, getenv("CLAIMS") ? getenv("CLAIMS") : "claims.tsv", claims_columns, why) != 0)
        die("%s", why);
    for (long from = 0, end; from < t.nrows; from = end) {
        for (end = from; end < t.nrows && table_is(&t, end, "claim", table_text(&t, from, "claim"));)
            end++;
        judge_claim(&t, from, end);
        checks++;
    }
    table_free(&t);
}

static const struct part parts[] = {
    { "rules", rules }, { "verdicts", verdicts }, { "errors", errors }, { "enough", enough }, { "file", file }
};

int main(int argc, char **argv)
{
    return parts_main("verdict", parts, sizeof parts / sizeof parts[0], argc, argv, &checks);
}
