/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a column of a table, and conditions on them: "geomean(ratio) where precision=f32", ">= 1.3". */
#ifndef SPMVCAST_PAPERS_STATISTIC_H
#define SPMVCAST_PAPERS_STATISTIC_H
#include "table/table.h"

enum relation { AT_LEAST, AT_MOST, ABOVE, BELOW, EQUAL, WITHIN };
/* ">= 1.3", "<= 1", "> 1", "< 1", "= 1", "1.3 .. 1.8" */
struct condition {
    enum relation relation;
    double value, high; /* high: of WITHIN */
    char text[32];      /* of EQUAL with a word, which only share and count take; "": a number */
};
int condition_parse(const char *text, struct condition *, char why[ERRLEN]);
bool condition_holds(const struct condition *, double value);
/* Does the condition hold for all values of [low, high], or for none of them? */
bool condition_decided(const struct condition *, double low, double high);
/* Returns the limit nearest to the value. */
double condition_limit(const struct condition *, double value);

/* FUNCTION(COLUMN [CONDITION]) [where COLUMN=VALUE,...] */
struct statistic {
    int function;               /* of statistic.c */
    char column[48], unit[32];  /* unit: of the column */
    struct condition condition; /* of share and count */
    int nwhere;
    struct {
        char column[48], value[96];
    } where[4];
};
/* columns: of the table, ending with COLUMNS_END. FAIL: why. */
int statistic_parse(const char *text, const struct column *columns, struct statistic *, char why[ERRLEN]);

/* Is the value a number or share of rows, not one of the column's values or their mean? */
bool statistic_counts(const struct statistic *);

bool statistic_is(const struct statistic *, const char *function);
/* Returns the unit of its value: that of the column ("x": a ratio of times), "%" of a share, "" of a count. */
const char *statistic_unit(const struct statistic *);

struct estimate {
    long n; /* matrices (rows of a table without matrices) with a value */
    double value, low,
        high; /* 95 % bootstrap interval; NaN: no value, no interval (medians, extremes, fewer than 3 matrices) */
};
/* Means and shares give each matrix the weight 1, however many rows it has. Of the rows whose
 * column `source` has this text; NULL: of all rows. precision: only rows of it; "": any. */
struct estimate statistic_of(const struct statistic *, const struct table *, const char *source, const char *precision);
#endif
