/* SPDX-License-Identifier: BSD-3-Clause */
/* Host-side declarations shared by the CUDA sources: the device and its stream, checked calls, memory, facts.
 *
 * All work of a device goes through one non-blocking stream, so copies, launches and timings need no further ordering.
 * Functions that return int return 0, FAIL or OOM and fill why. After a sticky error (an illegal address, a failed
 * launch) device->lost is true: the context is destroyed and the process must end. */
#ifndef SPMVCAST_DEVICE_CUDA_CUH
#define SPMVCAST_DEVICE_CUDA_CUH
#include <cuda_runtime.h>
#include "device/device.h"

struct stream {
    cudaStream_t cuda;
};

struct nvml; /* cuda_facts.cu */

struct cuda_device {
    struct device base;
    struct stream stream;
    void *scratch; /* [scratch_bytes], see cuda_scratch */
    int64_t scratch_bytes;
    void *spare[2]; /* [spare_bytes], see cuda_spare; NULL: not allocated */
    int64_t spare_bytes;
    uint64_t spare_turn;
    void *note;                /* [CUDA_NOTE] pinned host memory for results of kernels; allocated by the first use */
    unsigned long long *tally; /* [CUDA_TALLY], see cuda_tally; allocated by the first use */
    struct nvml *nvml;         /* NULL: NVML not available */
};

static inline struct cuda_device *cuda_of(struct device *d) { return (struct cuda_device *)d; }
static inline cudaStream_t cuda_stream(struct device *d) { return cuda_of(d)->stream.cuda; }

int cuda_count(char why[ERRLEN]); /* number of visible devices; if 0, why says why */
/* Fills in a zeroed structure: geometry, facts, stream, memory. To be closed also after a failure. */
int cuda_open(struct cuda_device *, int index, char why[ERRLEN]);
void cuda_close(struct cuda_device *);
int cuda_use(struct device *, char why[ERRLEN]); /* makes this the calling thread's current device */
bool cuda_holds(struct device *, const void *p); /* is this address in the device's memory? */

/* Returns 0, or FAIL / OOM with file, line and call in why; marks the device lost after a sticky error. */
int cuda_check(struct device *, cudaError_t, const char *call, const char *file, int line, char why[ERRLEN]);
#define CUDA_CHECK(device, call, why) cuda_check((device), (call), #call, __FILE__, __LINE__, (why))
/* Checks for errors of a kernel launch; errors during execution appear at the next wait. */
#define CUDA_LAUNCHED(device, why) cuda_check((device), cudaGetLastError(), "kernel launch", __FILE__, __LINE__, (why))
int cuda_wait(struct device *, const char *file, int line, char why[ERRLEN]);
#define CUDA_WAIT(device, why) cuda_wait((device), __FILE__, __LINE__, (why))
/* Waits until a kernel, as its last act, has set *done (pinned memory) from 0: 2 us sooner than CUDA_WAIT, which takes over after a while. */
int cuda_wait_note(struct device *, const volatile unsigned long long *done, const char *file, int line,
                   char why[ERRLEN]);
#define CUDA_WAIT_NOTE(device, done, why) cuda_wait_note((device), (done), __FILE__, __LINE__, (why))

/* Allocates device memory, 256-byte aligned; 0 bytes also give a valid pointer. Returns OOM if there is not enough;
 * `why` then states the bytes requested and those free. */
int cuda_alloc(struct device *, int64_t bytes, void **p, char why[ERRLEN]);
void cuda_release(struct device *, void *p); /* p may be NULL */
int cuda_put(struct device *, void *to, const void *from, int64_t bytes, char why[ERRLEN]);
int cuda_get(struct device *, void *to, const void *from, int64_t bytes, char why[ERRLEN]);
/* Allocates device memory and copies `bytes` from the host to it. */
int cuda_upload(struct device *, void **p, const void *from, int64_t bytes, char why[ERRLEN]);
/* Gets device memory that the next call may overwrite, for use by work of this device's stream. */
int cuda_scratch(struct device *, int64_t bytes, void **p, char why[ERRLEN]);
/* Gets device memory that keeps what the work of this device's stream writes to it until the next call; *turn names that state.
 * cuda_spare_take: makes the memory the caller's (cuda_release); NULL: it is in another state. cuda_spare_more: allocates what takes its
 * place then, if there is memory, so that this can be done while the device works. */
int cuda_spare(struct device *, int64_t bytes, void **p, uint64_t *turn, char why[ERRLEN]);
void *cuda_spare_take(struct device *, uint64_t turn);
void cuda_spare_more(struct device *);
/* Gets `sum`, CUDA_TALLY zeroed elements in device memory, and `note`, CUDA_NOTE bytes of pinned host memory that kernels can write. A
 * kernel that uses the sum zeroes it again. */
enum { CUDA_TALLY = 8 };
int cuda_tally(struct device *, unsigned long long **sum, void **note, char why[ERRLEN]);
/* Copies at most CUDA_NOTE bytes to pinned host memory, which the next call overwrites; returns when they are there. */
enum { CUDA_NOTE = 1 << 16 };
int cuda_note(struct device *, const void *from, int64_t bytes, const void **note, char why[ERRLEN]);
template <typename T> int cuda_alloc_n(struct device *d, int64_t n, T **p, char why[ERRLEN])
{
    return cuda_alloc(d, n * static_cast<int64_t>(sizeof(T)), reinterpret_cast<void **>(p), why);
}

/* cuda_primitives.cu: replaces value[0 .. n] by the exclusive prefix sums of value[0 .. n - 1]. */
int cuda_scan(struct device *, int32_t *value, int64_t n, char why[ERRLEN]);
int cuda_scan(struct device *, int64_t *value, int64_t n, char why[ERRLEN]);
/* Sorts n pairs (stable) by the lowest `bits` bits of the key, ascending. */
int cuda_sort(struct device *, const uint64_t *key, uint64_t *sorted_key, const int32_t *value, int32_t *sorted,
              int64_t n, int bits, char why[ERRLEN]);

/* cuda_support.cu */
/* Sets y[0 .. n) to 0 with a kernel, before kernels that add to y atomically. */
cudaError_t cuda_zero(void *y, int64_t n, enum precision, cudaStream_t);
/* Launches a kernel after the previous one in the stream. early: it may start before that one ends, and must call
 * wait_for_previous() (device/cuda_kernels.cuh) before it accesses data that the previous one reads or writes.
 * cuda_starts_early() returns whether `function` supports this. */
cudaError_t cuda_launch_next(const void *function, dim3 blocks, dim3 threads, void **parameters, bool early,
                             cudaStream_t);
bool cuda_starts_early(const void *function);
/* Returns the address of a kernel as an untyped pointer. */
template <typename F> static inline const void *address(F *function)
{
    return reinterpret_cast<const void *>(function);
}
/* Reads registers, memory and occupancy of a kernel with `shared` bytes of dynamic shared memory per block. Returns 0 or
 * FAIL. */
int cuda_attributes(const void *function, int threads, struct kernel_attributes *, size_t shared = 0);
/* Lets a kernel be launched with `bytes` of dynamic shared memory per block, more than the 48 KiB that each may have. FAIL if they exceed
 * what a block of this device can have; `why` states both. */
int cuda_shared(struct device *, const void *function, int64_t bytes, char why[ERRLEN]);
/* Converts a grid, after checking it against the limits of CUDA: 2^31 - 1 blocks of 1024 threads. */
int cuda_grid(struct grid, dim3 *blocks, dim3 *threads, char why[ERRLEN]);

/* cuda_facts.cu: reads key, uuid, versions except that of cuSPARSE, and the maximum SM clock from NVML. */
int cuda_facts_open(struct cuda_device *, char why[ERRLEN]);
void cuda_facts_close(struct cuda_device *);
bool cuda_throttled(struct cuda_device *); /* queries NVML; false without NVML */
#endif
