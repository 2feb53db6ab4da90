/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread blocks that are resident on an SM at once, by the rule of the hardware (used by model physics) and by choi2010. */
#ifndef SPMVCAST_BASE_OCCUPANCY_H
#define SPMVCAST_BASE_OCCUPANCY_H
#include "base/target.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Resources that a block requires. shared_bytes: static and dynamic shared memory, without the driver's share. */
struct block_needs {
    int threads, registers; /* registers: per thread */
    int64_t shared_bytes;
};

/* Blocks per SM that each resource allows, and their minimum in `blocks`. */
struct occupancy {
    int64_t blocks, by_blocks, by_warps, by_registers, by_shared;
    double warps; /* resident warps, as a fraction of the maximum */
};

/* The rule of the hardware (compute capability 7.0 to 12.0), as in the CUDA runtime's
 * cudaOccupancyMaxActiveBlocksPerMultiprocessor: registers are allocated per warp in units of 256 from four
 * sub-partitions of the SM, shared memory in units of 128 bytes plus 1 KiB per block for the driver (compute capability
 * 7: 256 bytes and nothing for the driver). carve_out: bytes of shared memory in effect; 0: all of the SM's (the default
 * preference). Yields 0 for a block that cannot run. */
void occupancy_hardware(const struct geometry *, const struct block_needs *, int64_t carve_out, struct occupancy *);

/* Returns the bytes of shared memory that one block can have: all of the SM's but the driver's share. */
int64_t occupancy_shared_block(const struct geometry *);

/* choi2010 section 5.2 as printed: W_TB = K / 32, T = min(T_SM, W_SM / W_TB, R_SM / R_TB, S_SM / S_TB), all rounded
 * down, R_TB = K registers. A resource that a block does not use does not limit it. */
void occupancy_choi2010(const struct geometry *, const struct block_needs *, struct occupancy *);
#ifdef __cplusplus
}
#endif
#endif
