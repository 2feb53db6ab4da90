/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice as text: one line per target, and a comparison of several devices. */
#ifndef SPMVCAST_FORECAST_ADVICE_H
#define SPMVCAST_FORECAST_ADVICE_H
#include "forecast/outlook.h"

/* Returns outlook_pick if it is worth recommending, else NULL: a single named configuration is compared with nothing,
 * and the best of several named ones may be slower than the library. */
const struct outlook_row *advice_recommended(const struct outlook *);

/* Returns how many other rows shown are within the uncertainty of `pick`: each value is inside the other's interval. */
int advice_alike(const struct outlook *, const struct outlook_row *pick);

/* Returns "f64, warm: use hyb:...; 2.40 us (2.20 to 2.70), 1.90x as fast as cusparse-csr:...; no conversion, preparation
 * takes 38.0 us; pays off after 17 SpMVs ...", or why nothing is recommended (malloc'd). */
char *advice_text(const struct outlook *);

/* Returns the index of the device whose pick has the least value; preferred >= 0: that device, if it has a pick; -1:
 * none has. Takes one outlook per device, all ranked under the same terms. */
int advice_device(const struct outlook *, int n, int preferred);
/* Returns "f64, warm: fastest device a100: CONFIG: 3.10 us (...); h200 takes 1.61x as long" (malloc'd); name[n]. */
char *advice_devices_text(const struct outlook *, const char *const *name, int n, int preferred);
#endif
