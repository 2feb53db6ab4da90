/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of include/spmvcast.h. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_PLAN_H
#define SPMVCAST_LIBRARY_LIBRARY_PLAN_H
#include "library/library.h"

struct plan_part {
    int64_t first_row, rows, nnz;
    struct config config; /* as asked or resolved */
    char text[CONFIG_LEN];
    double time_s, low_s, high_s;
};

struct spmvcast_plan {
    struct arena arena;
    char text[CONFIG_LEN];
    bool parallel, any_precision;
    enum precision precision; /* unless any */
    char device_key[160];     /* of the profile that made it; "": none did */
    int64_t rows, cols, nnz;
    double time_s, low_s, high_s, single_s;
    size_t n;
    struct plan_part *part; /* [n] */
};

/* FAIL with why: the plan is not for a matrix of these sizes and this precision. */
int plan_check(const struct spmvcast_plan *, int64_t rows, int64_t cols, int64_t nnz, enum precision, char why[ERRLEN]);
#endif
