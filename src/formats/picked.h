/* SPDX-License-Identifier: BSD-3-Clause */
/* PICKED_AT_RUN_TIME before a function of the CPU device: a portable build holds it several times, for several levels of
 * the instruction set, and the program takes the one for the processor it runs on when it starts. The Makefile defines
 * SPMVCAST_CLONES where the compiler and the C library can do that and the build is not for one processor anyway.
 * All of them give the same bits: sums are never reordered, and products are rounded before they are added
 * (-ffp-contract=off). What runs in threads is called by the loop over them: clang makes clones of no loop of OpenMP. */
#ifndef SPMVCAST_FORMATS_PICKED_H
#define SPMVCAST_FORMATS_PICKED_H
#ifdef SPMVCAST_CLONES
#define PICKED_AT_RUN_TIME __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define PICKED_AT_RUN_TIME
#endif
#endif
