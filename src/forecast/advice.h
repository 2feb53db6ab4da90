/* SPDX-License-Identifier: BSD-3-Clause */
/* What a ranking means in words: one line for one target, and how several devices compare. */
#ifndef SPMVCAST_FORECAST_ADVICE_H
#define SPMVCAST_FORECAST_ADVICE_H
#include "forecast/outlook.h"

/* outlook_pick where it is worth recommending, else NULL: one configuration alone is compared with nothing, and of several
 * named ones the best may be slower than the library's. */
const struct outlook_row *advice_recommended(const struct outlook *);

/* How many other rows shown cannot be told apart from `pick`: neither forecast is outside the other's interval. */
int advice_alike(const struct outlook *, const struct outlook_row *pick);

/* "f64, warm: use hyb:...: 2.40 us (2.20 to 2.70), 1.90x cusparse-csr:...; nothing to convert, 38.0 us to prepare, pays after
 * 17 SpMVs ...", or why nothing is recommended (malloc'd). */
char *advice_text(const struct outlook *);

/* Several devices, one outlook each, ranked under the same terms. The one whose advice has the least value; preferred >= 0: that
 * one, if it recommends anything. -1: none recommends anything. */
int advice_device(const struct outlook *, int n, int preferred);
/* "f64, warm: on a100: CONFIG, 3.10 us (...); h200 takes 0.61x that" (malloc'd); name[n]. */
char *advice_devices_text(const struct outlook *, const char *const *name, int n, int preferred);
#endif
