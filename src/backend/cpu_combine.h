/* SPDX-License-Identifier: BSD-3-Clause */
/* backend.combine of the CPU device. */
#ifndef SPMVCAST_BACKEND_CPU_COMBINE_H
#define SPMVCAST_BACKEND_CPU_COMBINE_H
#include "backend/backend.h"
int cpu_combine(struct device *, enum precision, int64_t n, double alpha, const void *t, double beta, void *y,
                struct stream *);
#endif
