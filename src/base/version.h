/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPMVCAST_BASE_VERSION_H
#define SPMVCAST_BASE_VERSION_H
#define SPMVCAST_VERSION "0.1.0"
/* The commit it was built from, "-dirty" behind it where files were changed since; "" outside git. Programs have it
 * (version.c); in what links the library alone it is not there (NULL), so that a commit makes no test anew. */
extern const char spmvcast_git[] __attribute__((weak));
/* Which processors it was built for, as the CPU device's times depend on it: what -march= says ("native", "x86-64-v3"),
 * or "generic"; "-picked" behind it where functions are picked at run time (formats/picked.h). */
extern const char spmvcast_arch[] __attribute__((weak));
#endif
