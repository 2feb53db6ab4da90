/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the host's processor and memory (Linux). */
#ifndef SPMVCAST_DEVICE_CPU_FACTS_H
#define SPMVCAST_DEVICE_CPU_FACTS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* "model name" of /proc/cpuinfo, or the machine type of uname */
void cpu_model(char *name, size_t bytes);
/* total last-level cache of the processors this process may use; 32 MiB if unknown */
int64_t cpu_cache_bytes(void);
int64_t cpu_memory_bytes(void);
int64_t cpu_memory_free(void); /* MemAvailable, or what the control group leaves, if less */
double cpu_clock_mhz(void);    /* 0: unknown */
/* compiler and processors of this build, e.g. "gcc 12.2, native" */
void cpu_build(char *build, size_t bytes);
int cpu_threads(void); /* threads of the CPU device in this process: OMP_NUM_THREADS, else its processors */
#ifdef __cplusplus
}
#endif
#endif
