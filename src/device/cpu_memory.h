/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the CPU device, which is host memory. */
#ifndef SPMVCAST_DEVICE_CPU_MEMORY_H
#define SPMVCAST_DEVICE_CPU_MEMORY_H
#include "device/device.h"
extern const struct device_memory cpu_memory;
#endif
