/* SPDX-License-Identifier: BSD-3-Clause */
/* PICKED_AT_RUN_TIME marks a function that a portable build compiles several times, for several
 * instruction set levels; at startup the program selects the version for its processor. The Makefile defines
 * SPMVCAST_CLONES if the compiler and the C library support this and the build does not target one processor.
 * All versions give the same bits: sums are never reordered, and products are rounded before they are added
 * (-ffp-contract=off). The marked function is called from inside the OpenMP loop, because clang does not clone
 * functions that contain OpenMP loops. */
#ifndef SPMVCAST_BASE_PICKED_H
#define SPMVCAST_BASE_PICKED_H
#ifdef SPMVCAST_CLONES
#define PICKED_AT_RUN_TIME __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define PICKED_AT_RUN_TIME
#endif
#endif
