/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --list: the available profiles. */
#ifndef SPMVCAST_PLAN_LISTING_H
#define SPMVCAST_PLAN_LISTING_H
#include <stdbool.h>
void listing_print(bool json);
#endif
