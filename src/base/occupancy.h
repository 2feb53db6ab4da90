/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread blocks that an SM holds at once: used by the model choi2010-waves to come. */
#ifndef SPMVCAST_BASE_OCCUPANCY_H
#define SPMVCAST_BASE_OCCUPANCY_H
#include "base/target.h"
#ifdef __cplusplus
extern "C" {
#endif

/* What a block asks for. shared_bytes: static and dynamic, without what the driver keeps. */
struct block_needs {
    int threads, registers;
    int64_t shared_bytes;
}; /* registers: of a thread */

/* Blocks an SM holds as each resource has it, and their least. */
struct occupancy {
    int64_t blocks, by_blocks, by_warps, by_registers, by_shared;
    double warps; /* resident, of the most possible */
};

/* The hardware's rule (compute capability 8.0 to 9.0), the CUDA runtime's
 * cudaOccupancyMaxActiveBlocksPerMultiprocessor: registers are given to warps in 256s from four parts of the SM, shared
 * memory in 128-byte pieces with 1 KiB of the driver's a block; carve_out: bytes of shared memory in force, of which
 * there is 0 = all of the SM's (the default preference). A block that cannot run: 0. */
void occupancy_hardware(const struct geometry *, const struct block_needs *, int64_t carve_out, struct occupancy *);

/* choi2010 section 5.2 as printed: W_TB = K / 32, T = min(T_SM, W_SM / W_TB, R_SM / R_TB, S_SM / S_TB), all floors,
 * R_TB = K registers; what a block does not ask for does not limit it. */
void occupancy_choi2010(const struct geometry *, const struct block_needs *, struct occupancy *);
#ifdef __cplusplus
}
#endif
#endif
