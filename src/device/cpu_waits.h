/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor time that this process lost: the time its OpenMP threads waited on run queues, and the time a hypervisor
 * took from the processors they may use (Linux). */
#ifndef SPMVCAST_DEVICE_CPU_WAITS_H
#define SPMVCAST_DEVICE_CPU_WAITS_H
#include <stdint.h>

struct cpu_waits;
struct cpu_waits *cpu_waits_open(void); /* of the threads of a parallel region, which OpenMP reuses */
void cpu_waits_close(struct cpu_waits *);
/* Returns the seconds that the threads were runnable but not running since their start, summed over threads; 0: unknown. */
double cpu_waits_s(const struct cpu_waits *);
/* Returns the ticks (1/100 s) that a hypervisor took from all processors this process may use; 0: unknown. */
int64_t cpu_stolen_ticks(void);
#endif
