/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a process runs, as far as it can end with everything in it: the machine since it was started, the container, the control
 * group (a batch step has its own), and how many processes the machine had to end for want of memory. A run that was killed and
 * a later one at the same place: nothing but the run itself was ended, by somebody. */
#ifndef SPMVCAST_PLACE_H
#define SPMVCAST_PLACE_H
/* 16 hexadecimal digits, the same for all processes of a place, as it was at the first call; "" where the system does not tell. */
const char *place_now(void);
#endif
