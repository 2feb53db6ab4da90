/* SPDX-License-Identifier: BSD-3-Clause */
/* Verdicts on claims. */
#include "papers/findings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "papers/measure_table.h"
#include "papers/verdict.h"
#include "table/textout.h"

/* ---- numbers as text */

char *sources_text(const struct units *u)
{
    struct strlist parts = { 0 };

    for (int i = 0; i < NSOURCES; i++) {
        long n = 0;
        for (long k = 0; k < u->n; k++)
            n += strcmp(u->unit[k].source, source_name((enum source)i)) == 0;
        if (n > 0) {
            char *part = xasprintf("%ld %s", n, source_name((enum source)i));
            strlist_add(&parts, part);
            free(part);
        }
    }
    char *text = parts.n > 0 ? strlist_join(&parts, ", ") : xstrdup(counted(u->n, "row").text);
    strlist_free(&parts);
    return text;
}

/* Returns "1.21 (1.1 to 1.32)" (malloc'd). */
static char *value_text(const struct finding *f)
{
    return isnan(f->low) ? xstrdup(textout_digits(f->value, 3).text)
                         : xasprintf("%s (%s to %s)", textout_digits(f->value, 3).text, textout_digits(f->low, 3).text,
                                     textout_digits(f->high, 3).text);
}

/* ---- a statistic over a set of matrices */

/* Gives units of one family the same number. Rows without a matrix keep their own. */
static void set_families(const struct study *s, struct units *u)
{
    const char **family = xmalloc(sizeof *family * ((unsigned long)u->n + 1));
    int64_t *rank = xmalloc(sizeof *rank * ((unsigned long)u->n + 1));

    for (long i = 0; i < u->n; i++)
        family[i] = study_family(s, u->unit[i].matrix);
    texts_rank(family, u->n, rank, NULL);
    for (long i = 0; i < u->n; i++)
        if (*u->unit[i].matrix)
            u->unit[i].family = rank[i];
    free(family);
    free(rank);
}

struct trial {                 /* a claim's rule on one statistic and set */
    const struct table *table; /* of the figure */
    struct statistic statistic;
    struct finding finding;
    char *sources;
};

static void try_set(struct trial *t, const struct study *s, const struct table *tables, const char *figure,
                    const char *statistic, const struct rule *rule, const char *precision, enum unit_set set)
{
    const long f = paper_figure(s->paper, figure);
    struct units units;
    char why[ERRLEN];

    *t = (struct trial){ .table = &tables[f] };
    if (statistic_parse(statistic, paper_measure_find(table_text(&s->paper->figures, f, "measure"))->columns,
                        &t->statistic, why)
        != 0)
        bug("%s", why); /* paper_check checks it */
    statistic_units(&t->statistic, t->table, precision, set, &units);
    set_families(s, &units);
    verdict_make(rule, &t->statistic, &units, &t->finding);
    t->sources = sources_text(&units);
    units_free(&units);
}

static void put_evidence(const struct trial *t, const char *claim, const char *set, const char *what,
                         struct table *evidence)
{
    const struct finding *f = &t->finding;
    const long row = table_add(evidence);

    table_set(evidence, row, "claim", claim);
    table_set(evidence, row, "set", set);
    table_set(evidence, row, "what", what);
    table_set(evidence, row, "sources", t->sources);
    table_set_int(evidence, row, "matrices", f->matrices);
    table_set_int(evidence, row, "families", f->families);
    table_set_real(evidence, row, "measured", f->value, 4);
    table_set_real(evidence, row, "low", f->low, 4);
    table_set_real(evidence, row, "high", f->high, 4);
    table_set(evidence, row, "direction", verdict_name(f->direction));
    table_set(evidence, row, "size", verdict_name(f->size));
    table_set(evidence, row, "decides", strcmp(set, "paper") == 0 ? "yes" : "no");
}

/* ---- causes */

static bool is_otherwise(const struct finding *f)
{
    return f->direction == DOES_NOT_HOLD || f->size == SMALLER || f->size == LARGER;
}

/* Is the claim as printed after a change? An error (a claim in percent that compares nothing) that was larger here need only be no longer
 * larger: forecasts that err less than printed are no contradiction. */
static bool explains(const struct finding *before, const struct trial *after, const struct rule *rule)
{
    const struct finding *f = &after->finding;

    if (!rule->sized || before->size == AS_PRINTED || before->size == UNDECIDED)
        return f->direction == HOLDS;
    if (before->size == LARGER && !rule->compares && strcmp(statistic_unit(&after->statistic), "%") == 0)
        return f->high <= rule->high;
    return f->size == AS_PRINTED;
}

/* Is a row of causes.tsv of this claim, with one of these factors? */
static bool is_row(const struct table *causes, long i, const char *claim, const char *factors)
{
    return table_is(causes, i, "claim", claim) && words_have(factors, table_text(causes, i, "factor"));
}

static void try_row(struct trial *t, const struct study *s, const struct table *tables, long i, const struct rule *rule,
                    const char *precision, struct table *evidence)
{
    const struct table *c = &s->paper->causes;

    try_set(t, s, tables, table_text(c, i, "figure"), table_text(c, i, "statistic"), rule, precision,
            table_is(c, i, "set", "other") ? SET_OTHER : SET_PAPER);
    put_evidence(t, table_text(c, i, "claim"), table_text(c, i, "factor"), table_text(c, i, "what"), evidence);
}

/* Tries the changes that causes.tsv names for a claim. Returns the first change of one factor that explains it, else the first of several
 * (malloc'd). */
static char *cause_of(const struct study *s, const struct table *tables, const char *claim, const struct rule *rule,
                      const struct finding *before, const char *precision, struct table *evidence)
{
    const struct table *c = &s->paper->causes;
    char *cause[2] = { NULL, NULL }; /* of one factor, of several */
    long tried = 0;

    for (long i = 0; i < c->nrows; i++) {
        if (!is_row(c, i, claim, CAUSES "|" SEVERAL))
            continue;
        char **place = &cause[is_row(c, i, claim, SEVERAL)];
        struct trial t;
        try_row(&t, s, tables, i, rule, precision, evidence);
        tried++;
        if (!*place && explains(before, &t, rule)) {
            char *value = value_text(&t.finding);
            *place =
                xasprintf("%s: %s: %s on %s", table_text(c, i, "factor"), table_text(c, i, "what"), value, t.sources);
            free(value);
        }
        free(t.sources);
    }
    if (cause[0])
        free(cause[1]);
    return cause[0]    ? cause[0]
           : cause[1]  ? cause[1]
           : tried > 0 ? xasprintf("not found; tried: %s (evidence)", counted(tried, "change").text)
                       : xstrdup("not found; no change was tried");
}

/* ---- readings and premises */

/* Leaves to doubt what another reading of the paper decides otherwise. */
static void weaken(struct finding *f, const struct finding *reading)
{
    if (f->direction != reading->direction)
        f->direction = UNDECIDED;
    if (f->size != reading->size)
        f->size = UNDECIDED;
    f->headline = f->direction != VERDICT_NONE ? f->direction : f->size;
    f->needed = f->headline == UNDECIDED ? (double)NAN : f->needed;
}

/* Applies the readings and premises of causes.tsv to a claim with a value. Returns why they leave it undecided or untested (malloc'd); NULL:
 * they do not. */
static char *qualify(const struct study *s, const struct table *tables, const char *claim, const struct rule *rule,
                     const char *precision, struct finding *f, struct table *evidence)
{
    const struct table *c = &s->paper->causes;
    char *doubt = NULL;

    for (int k = 0; k < 2; k++)
        for (long row = 0; row < c->nrows && f->headline != UNTESTED; row++) {
            const bool premise = k == 0;
            if (!is_row(c, row, claim, premise ? PREMISE : READING))
                continue;
            const enum claim_verdict before = f->headline;
            const char *what = table_text(c, row, "what");
            struct trial t;
            try_row(&t, s, tables, row, rule, precision, evidence);
            const bool measured = t.finding.headline != UNTESTED;
            if (!premise)
                weaken(f, &t.finding);
            else if (!measured)
                f->headline = UNTESTED;
            if (!doubt && f->headline != before) {
                char *value = measured ? value_text(&t.finding) : xstrdup("not measured");
                doubt = f->headline == UNTESTED ? xasprintf("%s: there is none", what)
                                                : xasprintf("another reading, %s: %s", what, value);
                free(value);
            }
            free(t.sources);
        }
    return doubt;
}

/* ---- a claim */

/* Returns why a table has no value (malloc'd). */
static char *reason_of_absence(const struct table *t, const char *statistic)
{
    const char *where = strstr(statistic, " where "), *slash = strstr(statistic, " / ");

    if (t->nrows == 0)
        return xstrdup(t->nnotes > 0 ? t->note[0].text : "not measured: the figure's table has no row");
    if (!where || slash)
        return xstrdup("no matrix of the paper has a value in the figure's table");
    where += strlen(" where ");
    if (strncmp(where, "matrix=", 7) == 0)
        return xasprintf("no file, generator or stand-in of matrix %.*s", (int)strcspn(where + 7, ","), where + 7);
    return xstrdup("no matrix of the paper has such a value in the figure's table");
}

/* Returns "; on 82 other matrices: 11.0 (9.54 to 13.5)", or "" (malloc'd). */
static char *elsewhere_of(const struct trial *other)
{
    if (other->finding.matrices == 0)
        return xstrdup("");
    char *value = value_text(&other->finding), *text = xasprintf("; on %s matrices: %s", other->sources, value);

    free(value);
    return text;
}

/* Returns why a claim has no value, what its note says is needed, and the other matrices (malloc'd). */
static char *absence_of(const struct trial *own, const struct trial *other, const char *statistic, const char *note)
{
    char *why = reason_of_absence(own->table, statistic), *elsewhere = elsewhere_of(other);
    char *reason = xasprintf("%s%s%s%s", why, *note ? "; " : "", note, elsewhere);

    free(why);
    free(elsewhere);
    return reason;
}

/* Returns the reason: the value and what it is over, why it is undecided, what would decide, and the other matrices (malloc'd). */
static char *reason_of(const struct trial *own, const struct trial *other, const char *reading)
{
    const struct finding *f = &own->finding;
    const bool named = strstr(own->sources, "row") == NULL;
    char *value = value_text(f), *families = named ? xasprintf(" (families: %ld)", f->families) : xstrdup("");
    const char *why = reading ? reading : f->doubt;
    char *doubt = why ? xasprintf("; undecided: %s", why) : xstrdup("");
    char *more = isfinite(f->needed) && f->needed < 1e6 ? xasprintf("; about %.0f families would decide", f->needed)
                                                        : xstrdup("");
    char *elsewhere = elsewhere_of(other);
    char *reason = xasprintf("%s on %s%s%s%s%s", value, own->sources, families, doubt, more, elsewhere);
    free(value);
    free(families);
    free(doubt);
    free(more);
    free(elsewhere);
    return reason;
}

static long put_claim(const struct table *claims, long i, enum claim_verdict verdict, const char *reason,
                      struct table *out)
{
    static const char *const copied[] = { "id",    "place",  "claim",     "device",    "precision", "printed",
                                          "rival", "figure", "statistic", "direction", "size",      "margin" };
    const long row = table_add(out);

    for (unsigned long k = 0; k < sizeof copied / sizeof copied[0]; k++)
        table_set(out, row, copied[k], table_text(claims, i, copied[k]));
    table_set(out, row, "verdict", verdict_name(verdict));
    table_set(out, row, "reason", reason);
    return row;
}

static void put_finding(const struct trial *t, const char *cause, struct table *out, long row)
{
    const struct finding *f = &t->finding;

    table_set_real(out, row, "measured", f->value, 4);
    table_set_real(out, row, "low", f->low, 4);
    table_set_real(out, row, "high", f->high, 4);
    table_set(out, row, "unit", statistic_unit(&t->statistic));
    table_set_int(out, row, "matrices", f->matrices);
    table_set_int(out, row, "families", f->families);
    table_set(out, row, "sources", t->sources);
    table_set(out, row, "direction_verdict", verdict_name(f->direction));
    table_set(out, row, "size_verdict", verdict_name(f->size));
    table_set_real(out, row, "needed", f->needed < 1e6 ? f->needed : (double)NAN, 6);
    table_set_real(out, row, "flip", f->headline == UNDECIDED ? (double)NAN : f->flip, 3);
    table_set(out, row, "cause", cause);
}

static void test_claim(const struct study *s, long i, const struct table *tables, struct table *claims,
                       struct table *evidence)
{
    const struct table *c = &s->paper->claims;
    const char *figure = table_text(c, i, "figure"), *statistic = table_text(c, i, "statistic"),
               *precision = table_text(c, i, "precision"), *id = table_text(c, i, "id"),
               *note = table_text(c, i, "note");
    struct trial own, other;
    struct rule rule;
    char why[ERRLEN], *cause = NULL;

    if (!*figure) {
        put_claim(c, i, UNTESTED, note, claims);
        return;
    }
    if (rule_parse(table_text(c, i, "direction"), table_text(c, i, "size"), table_text(c, i, "margin"), &rule, why)
        != 0)
        bug("%s", why); /* paper_check checks it */
    try_set(&own, s, tables, figure, statistic, &rule, precision, SET_PAPER);
    try_set(&other, s, tables, figure, statistic, &rule, precision, SET_OTHER);
    const bool absent = own.finding.headline == UNTESTED;
    if (!absent)
        put_evidence(&own, id, "paper", "matrices of the paper", evidence);
    if (other.finding.matrices > 0)
        put_evidence(&other, id, "other", "matrices outside the paper", evidence);
    char *doubt = absent ? NULL : qualify(s, tables, id, &rule, precision, &own.finding, evidence);
    char *reason = absent                             ? absence_of(&own, &other, statistic, note)
                   : own.finding.headline == UNTESTED ? xasprintf("%s%s%s", doubt, *note ? "; " : "", note)
                                                      : reason_of(&own, &other, doubt);
    const long row = put_claim(c, i, own.finding.headline, reason, claims);
    if (is_otherwise(&own.finding))
        cause = cause_of(s, tables, id, &rule, &own.finding, precision, evidence);
    if (own.finding.headline != UNTESTED)
        put_finding(&own, cause ? cause : "", claims, row);
    free(cause);
    free(doubt);
    free(reason);
    free(own.sources);
    free(other.sources);
}

static const struct column claims_columns[] = {
    TEXT_COLUMN("id", "name of the claim"),
    TEXT_COLUMN("place", "place in the paper"),
    TEXT_COLUMN("claim", "the claim in words"),
    TEXT_COLUMN("device", "device that the paper's number is for"),
    TEXT_COLUMN("precision", "precision that the claim names; empty: any"),
    TEXT_COLUMN("printed", "the paper's value as printed, with its unit"),
    TEXT_COLUMN("rival", "what the paper compares with"),
    REAL_COLUMN("measured", "", "the same quantity here, over the paper's matrices; its unit is in column unit"),
    REAL_COLUMN("low", "", "lower end of its 95 % interval (2000 draws of families; of one value: 90 % of repeats)"),
    REAL_COLUMN("high", "", "upper end of that interval"),
    TEXT_COLUMN("unit", "unit of measured, low and high"),
    INT_COLUMN("matrices", "", "matrices of the paper with a value; of a table without matrices: rows"),
    INT_COLUMN("families", "", "families of these matrices"),
    TEXT_COLUMN("sources", "how many of them are real, exact, stand-ins"),
    TEXT_COLUMN("direction", "comparison that the claim makes; empty: none"),
    TEXT_COLUMN("size",
                "printed size in the unit of the statistic; A|B: of two devices; A..B: a printed spread; empty: none"),
    TEXT_COLUMN("margin", "factor or points within which a size is as printed"),
    TEXT_COLUMN("verdict",
                "of the direction if there is one, else of the size: holds, does not hold, as printed, smaller here, "
                "larger here, undecided, cannot be tested"),
    TEXT_COLUMN("direction_verdict", "holds, does not hold or undecided"),
    TEXT_COLUMN("size_verdict", "as printed, smaller here, larger here or undecided"),
    TEXT_COLUMN("cause", "the one change after which a claim that comes out otherwise is as printed; or not found"),
    REAL_COLUMN("needed", "", "families of the same spread that would decide an undecided claim, about"),
    REAL_COLUMN("flip", "", "share of the draws of families that alone would give another verdict"),
    TEXT_COLUMN("reason", "numbers, what they are over, why it is undecided, and the matrices outside the paper"),
    TEXT_COLUMN("figure", "figure whose table tests the claim"),
    TEXT_COLUMN("statistic", "statistic of the figure's table that is compared"),
    COLUMNS_END,
};

static const struct column evidence_columns[] = {
    TEXT_COLUMN("claim", "name of the claim"),
    TEXT_COLUMN(
        "set",
        "paper; other; the factor that was changed: regime, device, matrices, kernel, model, or several; reading; premise"),
    TEXT_COLUMN("what", "the matrices, or the change in words"),
    TEXT_COLUMN("sources", "how many matrices of each source; of a table without matrices: rows"),
    INT_COLUMN("matrices", "", "matrices with a value"),
    INT_COLUMN("families", "", "families of these matrices"),
    REAL_COLUMN("measured", "", "the claim's statistic over this set; its unit is in claims"),
    REAL_COLUMN("low", "", "lower end of its 95 % interval"),
    REAL_COLUMN("high", "", "upper end of its 95 % interval"),
    TEXT_COLUMN("direction", "verdict on the direction, by this set alone"),
    TEXT_COLUMN("size", "verdict on the size, by this set alone"),
    TEXT_COLUMN("decides", "yes for the matrices of the paper, else no"),
    COLUMNS_END,
};

void findings_of(const struct study *s, const struct table *table, struct table *claims, struct table *evidence)
{
    table_begin(claims, claims_columns);
    table_begin(evidence, evidence_columns);
    for (long i = 0; i < s->paper->claims.nrows; i++)
        test_claim(s, i, table, claims, evidence);
}

double findings_flips(const struct table *claims)
{
    double sum = 0;

    for (long i = 0; i < claims->nrows; i++) {
        const double flip = table_real(claims, i, "flip");
        sum += isnan(flip) ? 0 : flip;
    }
    return sum;
}
