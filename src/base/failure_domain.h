/* SPDX-License-Identifier: BSD-3-Clause */
/* The failure domain of a process, what can end with everything in it: the machine since it was started, the container,
 * the control group (a batch step has its own), and how many processes the machine had to end for want of memory. Where
 * a run that was killed and a later one have the same failure domain, somebody ended the run and nothing else. */
#ifndef SPMVCAST_BASE_FAILURE_DOMAIN_H
#define SPMVCAST_BASE_FAILURE_DOMAIN_H
/* 16 hexadecimal digits, the same for all processes of a domain, as it was at the first call; "" where the system does
 * not tell. */
const char *failure_domain(void);
#endif
