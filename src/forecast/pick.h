/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which one configuration is recommended of several (outlook_pick, chooser_ask). */
#ifndef SPMVCAST_FORECAST_PICK_H
#define SPMVCAST_FORECAST_PICK_H
#include <stdbool.h>
#include <stdint.h>

struct pick_row {
    double time_s, high_s, setup_s; /* high_s, setup_s: NaN if unknown */
    bool one_part;                  /* a composite with all nonzeros in one part: no better than that part alone */
};
/* Forecasts within this factor count as equal, because two runs of the same work differ by more. */
extern const double pick_tie;
/* Returns the total of N products and the set-up, or the time of one if N is 0. */
double pick_value(const struct pick_row *, int64_t products);
/* Returns pick_value with the time multiplied by (high / time)^risk; INFINITY: unknown. */
double pick_weighed(const struct pick_row *, int64_t products, double risk);
/* Returns the index of the row with the lowest weighed value, on a tie the first; rows with one_part only if there are
 * no others. Without N, among the rows within pick_tie of that value, it is the one with the lowest set-up. -1: no
 * rows. */
int pick_best(const struct pick_row *, int n, int64_t products, double risk);
/* Returns time x (high / time)^risk, or time if high is NaN; in the unit of `time`. */
double pick_time_weighed(double time, double high, double risk);
#endif
