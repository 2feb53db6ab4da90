/* SPDX-License-Identifier: BSD-3-Clause */
/* The failure domain of a process: everything that can end together with it. It covers the machine since boot, the
 * container, the control group (one per batch step), and the number of processes killed by the OOM killer. If a
 * killed run and a later one share a failure domain, only the run itself was killed. */
#ifndef SPMVCAST_BASE_FAILURE_DOMAIN_H
#define SPMVCAST_BASE_FAILURE_DOMAIN_H
/* Returns 16 hexadecimal digits, the same for all processes of a domain, as of the first call; "" if the system does
 * not provide them. */
const char *failure_domain(void);
#endif
