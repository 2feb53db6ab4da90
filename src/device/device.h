/* SPDX-License-Identifier: BSD-3-Clause */
/* A device: its geometry, its facts and its memory. What runs kernels on it is its back-end (backend/backend.h), which opens and closes it.
 * Functions that return int return 0, FAIL or OOM and fill why. */
#ifndef SPMVCAST_DEVICE_DEVICE_H
#define SPMVCAST_DEVICE_DEVICE_H
#include "base/error.h"
#include "base/target.h"
#ifdef __cplusplus
extern "C" {
#endif

struct device_facts {
    char key[160]; /* name, SMs, memory, L2, ECC, MIG, power cap; a profile is valid for one key */
    char uuid[64], driver[32], cuda[16], cusparse[32], host_cpu[96];
    char build[32];       /* of the kernels: CUDA toolkit, or compiler and processors */
    double clock_max_mhz; /* 0: unknown */
    int others;           /* number of other processes on the device when it was opened; 0: none, or unknown */
};

struct device;
struct device_memory {
    int (*alloc)(struct device *, int64_t bytes, void **p, char why[ERRLEN]); /* 256-byte aligned; OOM */
    void (*release)(struct device *, void *p);                                /* p may be NULL */
    int (*put)(struct device *, void *to, const void *from, int64_t bytes, char why[ERRLEN]);
    int (*get)(struct device *, void *to, const void *from, int64_t bytes, char why[ERRLEN]);
    int (*fill)(struct device *, void *p, int byte, int64_t bytes, char why[ERRLEN]);
    int (*left)(struct device *, int64_t *free_bytes);
};

/* After a sticky CUDA error (e.g. an illegal address) `lost` is true and the process must end. */
struct device {
    const struct backend *backend;
    const struct device_memory *memory;
    struct geometry geometry;
    struct device_facts facts;
    int index;
    bool lost;
    const void *vendor; /* the vendor's library whose kernels are prepared (backend.vendor); NULL: the loader's */
    /* Seconds, summed over threads, for which other processes took processors away during the last timing (sequence_time,
     * stream_time, cold_time); 0 if unknown. */
    double disturbed_s;
};

struct stream; /* in which work is enqueued: on a GPU, one cudaStream_t */

/* A launch's thread blocks. */
struct grid {
    int64_t blocks;
    int threads;
};

/* Returns a grid of at least `threads` threads. It has at least one block, so an empty matrix is launched like any
 * other. */
static inline struct grid grid_of(int64_t threads, int block)
{
    struct grid g;
    g.blocks = threads > 0 ? (threads + block - 1) / block : 1;
    g.threads = block;
    return g;
}

struct kernel_attributes {
    int registers;
    int64_t shared_bytes, local_bytes;
    int blocks_per_sm;
    double occupancy;
};
#ifdef __cplusplus
}
#endif
#endif
