/* SPDX-License-Identifier: BSD-3-Clause */
/* When conversion pays off, from measured times: after how many products a configuration of ours, with its conversion and preparation,
 * has taken less time in total than every configuration of cuSPARSE's CSR with its preparation. The matrix is in CSR on the device (and
 * the host). */
#ifndef SPMVCAST_REPORT_REPORT_PAYOFF_H
#define SPMVCAST_REPORT_REPORT_PAYOFF_H
#include "report/report_parts.h"
#include "speed/speed.h"

struct payoff {
    double
        fastest; /* products after which the configuration with the fastest product pays off; NaN: never, or its costs are unknown */
    double earliest;             /* the fewest of any configuration */
    const struct run_row *first; /* the configuration that pays off first; NULL: none */
};
/* Adds the figure and its sentence, for the precision and cache state of the report. */
void payoff_figure(struct report *, const struct contests *);
#endif
