/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor time that others took from this process: what its OpenMP threads waited for on run queues, and what a
 * hypervisor took from the processors they may use. Linux tells both. */
#ifndef SPMVCAST_DEVICE_CPU_WAITS_H
#define SPMVCAST_DEVICE_CPU_WAITS_H
#include <stdint.h>

struct cpu_waits;
struct cpu_waits *cpu_waits_open(void); /* of the threads of a parallel region, which stay the same */
void cpu_waits_close(struct cpu_waits *);
/* Seconds that the threads were ready to run and did not, summed over threads, since they began; 0 where the system
 * does not tell. */
double cpu_waits_s(const struct cpu_waits *);
/* Ticks (1/100 s, of all processors that this process may use) that a hypervisor took; 0 where the system does not
 * tell. */
int64_t cpu_stolen_ticks(void);
#endif
