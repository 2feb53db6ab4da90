/* SPDX-License-Identifier: BSD-3-Clause */
/* What Linux tells of the host's processor and memory. */
#ifndef SPMVCAST_DEVICE_CPU_FACTS_H
#define SPMVCAST_DEVICE_CPU_FACTS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* "model name" of /proc/cpuinfo; the machine's kind where there is none */
void cpu_model(char *name, size_t bytes);
/* last-level caches of the processors this process may use, together; 32 MiB where unknown */
int64_t cpu_cache_bytes(void);
int64_t cpu_memory_bytes(void);
int64_t cpu_memory_free(void); /* MemAvailable, less where a control group allows less */
double cpu_clock_mhz(void);    /* 0: unknown */
#ifdef __cplusplus
}
#endif
#endif
