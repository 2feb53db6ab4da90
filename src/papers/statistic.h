/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a column of a table over matrices: "geomean(ratio) where precision=f32", and ratios of two of them. */
#ifndef SPMVCAST_PAPERS_STATISTIC_H
#define SPMVCAST_PAPERS_STATISTIC_H
#include "table/table.h"

enum relation { AT_LEAST, AT_MOST, ABOVE, BELOW, EQUAL };
/* ">= 1.3", "<= 1", "> 1", "< 1", "= 1" */
struct condition {
    enum relation relation;
    double value;
    char text[32]; /* of EQUAL with a word, which only share and count take; "": a number */
};
int condition_parse(const char *text, struct condition *, char why[ERRLEN]);
bool condition_holds(const struct condition *, double value);

/* FUNCTION(COLUMN [CONDITION]) [where COLUMN=VALUE,...], or two of them: "mean(a) where c=x / mean(b) where c=y". */
struct statistic {
    int nsides;
    struct statistic_side {
        int function;              /* of statistic.c */
        char column[48], unit[32]; /* unit: of the column */
        char forecast[48];         /* column of an error's forecast, beside column measured_us; "": not such an error */
        bool whole;                /* the column holds integers */
        struct condition condition; /* of share and count */
        int nwhere;
        struct {
            char column[48], value[96];
        } where[4];
    } side[2];
};
/* columns: of the table, ending with COLUMNS_END. FAIL: why. */
int statistic_parse(const char *text, const struct column *columns, struct statistic *, char why[ERRLEN]);

/* Is it the function of one column, "max"? A ratio of two is none. */
bool statistic_is(const struct statistic *, const char *function);
/* Is it about one matrix ("where matrix=...")? */
bool statistic_is_single(const struct statistic *);
/* The unit of columns that say how much less time one of two measured times is: 100 (1 - a / b). */
#define UNIT_SAVED "% less time"
/* The unit of columns that say how much of the greatest speed is reached: 100 (best time / time), so 100 at most. */
#define UNIT_BEST "% of the best"
/* Returns the unit of its value: that of the column ("x": a ratio of times), "x" of a ratio, "%" of a share, "" of a count. */
const char *statistic_unit(const struct statistic *);

/* The values that a statistic is made of: for each matrix the median over its rows (words that are compared: the share of rows that are
 * equal); of a table without column matrix, a value for each row. Of a ratio: matrices with a value for both sides. */
struct units {
    long n;
    struct unit {
        const char *matrix, *source; /* text of the table; "": no such column */
        double value[2];
        double over[2]; /* of an error: the median of forecast / measured time; NaN: not in the table */
        int64_t family; /* small number; each has its own until the caller sets it */
    } * unit;
};
enum unit_set { SET_PAPER, SET_OTHER }; /* matrices of the paper; those whose column source says "other" */
/* precision: only rows of it; "": any. Free with units_free. The table must outlive the units. */
void statistic_units(const struct statistic *, const struct table *, const char *precision, enum unit_set,
                     struct units *);
struct units units_copy(const struct units *); /* free with units_free */
void units_free(struct units *);
/* Returns the statistic over n units, of which `picked` holds the numbers (NULL: the first n); NaN: no value. */
double statistic_value(const struct statistic *, const struct units *, const int64_t *picked, long n);
/* Returns one side of it over all units. side: 0, or 1 of a ratio. */
double statistic_side(const struct statistic *, const struct units *, int side);
#endif
