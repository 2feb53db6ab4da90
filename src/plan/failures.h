/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices without a forecast, and why; in JSON they are objects `errors`. */
#ifndef SPMVCAST_PLAN_FAILURES_H
#define SPMVCAST_PLAN_FAILURES_H
#include "base/strings.h"
#include "table/textout.h"

struct failures {
    struct strlist path, why;
    int worst; /* exit status */
};

/* Complains and adds a file. status: as of the function that failed. */
void failures_add(struct failures *, const char *path, int status, const char *why);
void failures_put(struct table *, const struct failures *);
void failures_free(struct failures *);
#endif
