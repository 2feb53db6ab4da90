/* SPDX-License-Identifier: BSD-3-Clause */
/* What a ranking means in words. */
#ifndef SPMVCAST_FORECAST_ADVICE_H
#define SPMVCAST_FORECAST_ADVICE_H
#include "forecast/outlook.h"

/* The row with the least time in all for `iterations` multiplications, conversion included; 0: not counted, the
 * fastest.
 * NULL: nothing is ranked. */
const struct outlook_row *advice_pick(const struct outlook *, int64_t iterations);

/* "f64, warm: use hyb:..., 1.40x cusparse-csr, pays after 63 SpMVs" (malloc'd). */
char *advice_text(const struct outlook *, int64_t iterations);
#endif
