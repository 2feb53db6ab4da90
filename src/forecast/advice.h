/* SPDX-License-Identifier: BSD-3-Clause */
/* What a ranking means in words. */
#ifndef SPMVCAST_FORECAST_ADVICE_H
#define SPMVCAST_FORECAST_ADVICE_H
#include "forecast/outlook.h"

/* The row with the least time in all for `iterations` multiplications, conversion included; 0: not counted, the
 * fastest.
 * NULL: nothing is ranked. */
const struct outlook_row *advice_pick(const struct outlook *, int64_t iterations);

/* The same where it is worth recommending, else NULL: one configuration alone is compared with nothing, and of several
 * named ones the best may be slower than cusparse-csr. */
const struct outlook_row *advice_recommended(const struct outlook *, int64_t iterations);

/* "f64, warm: use hyb:..., 1.40x cusparse-csr, pays after 63 SpMVs", or what stands in its way (malloc'd). */
char *advice_text(const struct outlook *, int64_t iterations);
#endif
