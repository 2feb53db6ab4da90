/* SPDX-License-Identifier: BSD-3-Clause */
/* What the CPU device's kernels were built for (SPMVCAST_ARCH comes from the Makefile). */
#include "base/version.h"

const char spmvcast_arch[] = SPMVCAST_ARCH;
