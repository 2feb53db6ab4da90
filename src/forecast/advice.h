/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice as text: one line per target, and a comparison of several devices. */
#ifndef SPMVCAST_FORECAST_ADVICE_H
#define SPMVCAST_FORECAST_ADVICE_H
#include "forecast/outlook.h"

/* Return "518 us (480 to 560) for 200 products, 2.40 us each", or "2.40 us (2.20 to 2.70) per product, set-up not counted" if they are
 * unlimited; and "1.90x (1.70 to 2.10)" (both malloc'd). */
char *advice_time(const struct pick_row *, int64_t products);
char *advice_ratio(const struct pick_gain *);
/* Of outlook_pick: returns "use" or "stay with"; and "no gain beyond the uncertainty: ...", why the row with the lowest weighed value is
 * not the pick, or "" if it is (malloc'd). */
const char *advice_verb(const struct outlook *);
char *advice_reason(const struct outlook *);

/* Returns the library's best or the best that leaves CSR as it is, if -c leaves it out and it is faster than the best of those named; else
 * NULL. */
const struct outlook_row *advice_ahead(const struct outlook *);
/* Returns outlook_pick, or NULL if there is nothing to recommend: only one configuration was named, or advice_ahead. */
const struct outlook_row *advice_recommended(const struct outlook *);

/* Is no other row shown forecast to be faster under the terms? Composites that equal one of their parts do not count. */
bool advice_none_faster(const struct outlook *, const struct outlook_row *pick);
/* What such a row is forecast to do: "be faster", or "take less in total" for N products. */
const char *advice_ahead_words(const struct outlook *);

/* Returns the number of other rows shown that are within the uncertainty of `pick` (outlook_alike). Composites that
 * equal one of their parts are not counted. */
int advice_alike(const struct outlook *, const struct outlook_row *pick);

/* Does --tune `most` time the row? Those of the lowest values of all shown, without composites that equal one of their parts unless -c names
 * configurations; and the pick. */
bool advice_tried(const struct outlook *, const struct outlook_row *, int64_t most);

/* Returns "f64, warm: use hyb:...; 2.40 us (2.20 to 2.70), 1.90x as fast as cusparse-csr:...; no conversion, preparation
 * takes 38.0 us; pays off after 17 products ...", or why nothing is recommended (malloc'd). all: all rows are
 * printed, so the reader need not be told how to see their reasons; timed: the best were timed, so he need not be told how to, either. */
char *advice_text(const struct outlook *, bool all, bool timed);

/* Returns the index of the device to use: `preferred` if that is >= 0 and the device has a pick, else the device whose
 * pick has the lowest value; -1: no device has a pick. Takes n outlooks, one per device, all ranked under the same
 * terms. */
int advice_device(const struct outlook *, int n, int preferred);
/* Returns "f64, warm: fastest device mine: CONFIG: 3.10 us (...); h200 takes 1.61x as long" (malloc'd). name: the n
 * devices. */
char *advice_devices_text(const struct outlook *, const char *const *name, int n, int preferred);
#endif
