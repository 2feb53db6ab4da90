/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPMVCAST_BASE_VERSION_H
#define SPMVCAST_BASE_VERSION_H
#define SPMVCAST_VERSION "0.1.0"
/* The commit of the build, with "-dirty" if files had been changed; "" outside git. Defined for programs only
 * (version.c): tests, which link only the library, see its address as NULL and are not rebuilt by a commit. */
extern const char spmvcast_git[] __attribute__((weak));
/* The processors of the build, because the CPU device's times depend on them: the value of -march= ("native",
 * "x86-64-v3") or "generic", with "-picked" appended if functions are selected at run time (base/picked.h). */
extern const char spmvcast_arch[];
#endif
