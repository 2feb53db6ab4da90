/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which one configuration is recommended of several: the only one, for rankings (outlook_pick), handles (chooser_ask), plans
 * and scores (verify/advised.c). docs/method.md, Advice.
 *
 * The error of the log of each forecast time is taken as normal; the deviation is a 90 % interval's half-width / 1.645. That of the ratio
 * of two times is 0.8 of what it would be if they were independent. */
#ifndef SPMVCAST_FORECAST_PICK_H
#define SPMVCAST_FORECAST_PICK_H
#include <stdbool.h>
#include <stdint.h>

struct pick_row {
    double time_s, low_s, high_s; /* low_s, high_s: NaN if unknown */
    double setup_s;               /* NaN: never measured */
    bool one_part;                /* a composite with all nonzeros in one part: no better than that part alone */
    bool converts;                /* has a layout other than CSR */
    bool copies; /* has not, but its preparation copies the matrix: it does not leave CSR as it is, either */
    bool unsure; /* extrapolated, or measured on few families */
};
/* Does the row leave CSR as it is? */
static inline bool pick_stays(const struct pick_row *r) { return !r->converts && !r->copies; }
/* Number of products that programs and the library assume if none is given: SPMVCAST_PRODUCTS. docs/method.md has what other numbers cost. */
enum { PICK_PRODUCTS = 200 };
/* Forecasts within this factor count as equal, because two runs of the same work differ by more. */
extern const double pick_tie;

/* Returns the total of N products and the set-up, or the time of one if N is 0. */
double pick_value(const struct pick_row *, int64_t products);
/* Returns pick_value with the time multiplied by (high / time)^risk; INFINITY: unknown. */
double pick_weighed(const struct pick_row *, int64_t products, double risk);

/* The 90 % interval of pick_value: errors of time and set-up are independent. NaN: the row has no interval. */
struct pick_ends {
    double low, high;
};
struct pick_ends pick_interval(const struct pick_row *, int64_t products);

/* How many times as fast `a` is as `b`, set-up and N products counted, and the ends of its 90 % interval (NaN: a row has no interval). */
struct pick_gain {
    double ratio, low, high;
};
struct pick_gain pick_gain(const struct pick_row *a, const struct pick_row *b, int64_t products);
/* The number of products after which the total of `a` is at most that of `b`: 0: at once; INFINITY: never; NaN: unknown. low..high: the
 * numbers at which neither is surely ahead (90 %, of the difference: Fieller 1954; nearer if high is never); NaN: a row has no interval. */
struct pick_breakeven {
    double products, low, high;
};
struct pick_breakeven pick_breakeven(const struct pick_row *a, const struct pick_row *b);

enum pick_reason {
    PICK_LOWEST, /* it has the lowest weighed value; or it leaves CSR as it is, and its value is no higher than that of the lowest weighed */
    PICK_SURE,   /* one that is unsure has, but does not surely beat this one: the interval of its gain includes 1 */
    PICK_STAY /* one that does not leave CSR as it is has, but is faster than this one, which does, with a probability from 1/2 to 9/10 */
};
struct pick {
    int best; /* the recommended row; -1: no rows */
    enum pick_reason reason;
    /* The row that `best` replaces: the one with the lowest weighed value; of PICK_STAY the sure one, if that replaced it first. */
    int passed;
};
/* Picks of n rows, without one_part if there are others. The first of equal rows counts; without N, of the rows within pick_tie of the
 * lowest weighed value that with the least set-up. */
struct pick pick_of(const struct pick_row *, int n, int64_t products, double risk);
/* Returns the index of the row that `passed` would be; -1: no rows. */
int pick_lowest(const struct pick_row *, int n, int64_t products, double risk);
/* The second half of the rule, for the lowest of all rows, of those that are sure, and of those that leave CSR as it is (NULL: there is none). */
enum pick_reason pick_between(const struct pick_row *lowest, const struct pick_row *sure, const struct pick_row *stay,
                              int64_t products);
#endif
