/* SPDX-License-Identifier: BSD-3-Clause */
/* The failure domain of a process: everything that can end together with it. It is identified by the boot, the container,
 * the control group (one per batch step) and the number of processes that the OOM killer has killed. If a killed run and a
 * later run share their failure domain, nothing but the run itself was killed. */
#ifndef SPMVCAST_BASE_FAILURE_DOMAIN_H
#define SPMVCAST_BASE_FAILURE_DOMAIN_H
/* Returns the domain at the time of the first call as 16 hexadecimal digits, the same for all its processes; "" if the
 * system does not identify it. */
const char *failure_domain(void);
#endif
