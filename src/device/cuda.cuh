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

struct nvml;       /* cuda_facts.cu */
struct cuda_empty; /* cuda_timing.cu */
/* SM cycles and wall time measured inside a kernel. */
struct cuda_sample {
    unsigned long long cycles, ns;
};

struct cuda_device {
    struct device base;
    struct stream stream;
    cudaEvent_t start, end;
    unsigned *gate;             /* pinned host memory that a waiting kernel polls */
    unsigned gate_turn;         /* value of *gate that opens the current gate */
    struct cuda_sample *sample; /* pinned host memory */
    void *flush;                /* [flush_bytes], allocated by the first cold_time */
    int64_t flush_bytes;
    void *scratch; /* [scratch_bytes], see cuda_scratch */
    int64_t scratch_bytes;
    void *note;                 /* [CUDA_NOTE] pinned host memory for results of kernels; allocated by the first use */
    unsigned long long *tally;  /* [CUDA_TALLY], see cuda_tally; allocated by the first use */
    unsigned *flush_sum;        /* target of a conditional store that keeps the reads of the flush */
    struct cuda_empty *empties; /* freed by close */
    struct nvml *nvml;          /* NULL: NVML not available */
    double throttle_asked_s;    /* time of the last NVML query, CLOCK_MONOTONIC */
    bool throttled;             /* result of that query */
};

static inline struct cuda_device *cuda_of(struct device *d) { return (struct cuda_device *)d; }
static inline cudaStream_t cuda_stream(struct device *d) { return cuda_of(d)->stream.cuda; }

/* Returns 0, or FAIL / OOM with file, line and call in why; marks the device lost after a sticky error. */
int cuda_check(struct device *, cudaError_t, const char *call, const char *file, int line, char why[ERRLEN]);
#define CUDA_CHECK(device, call, why) cuda_check((device), (call), #call, __FILE__, __LINE__, (why))
/* Checks for errors of a kernel launch; errors during execution appear at the next wait. */
#define CUDA_LAUNCHED(device, why) cuda_check((device), cudaGetLastError(), "kernel launch", __FILE__, __LINE__, (why))
int cuda_wait(struct device *, const char *file, int line, char why[ERRLEN]);
#define CUDA_WAIT(device, why) cuda_wait((device), __FILE__, __LINE__, (why))

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
/* Converts a grid, after checking it against the limits of CUDA: 2^31 - 1 blocks of 1024 threads. */
int cuda_grid(struct grid, dim3 *blocks, dim3 *threads, char why[ERRLEN]);

/* cuda_facts.cu: reads key, uuid, versions, and the maximum SM clock from NVML. */
int cuda_facts_open(struct cuda_device *, char why[ERRLEN]);
void cuda_facts_close(struct cuda_device *);
bool cuda_throttled(struct cuda_device *); /* queries NVML; false without NVML */
/* formats/cusparse/cusparse.cu; "" if the library is not found */
void cusparse_version(char text[32]);

/* cuda_timing.cu */
int cuda_timing_open(struct cuda_device *, char why[ERRLEN]);
void cuda_timing_close(struct cuda_device *);
int cuda_empty(struct device *, struct grid, struct launch *, char why[ERRLEN]);
int cuda_once(struct device *, const struct launch *, char why[ERRLEN]);
int cuda_sequence(struct device *, const struct launch *, int count, struct sequence **, char why[ERRLEN]);
int cuda_sequence_time(struct device *, struct sequence *, double *time_s, char why[ERRLEN]);
void cuda_sequence_free(struct device *, struct sequence *);
int cuda_stream_time(struct device *, const struct launch *, int count, double *time_s, char why[ERRLEN]);
int cuda_cold_time(struct device *, const struct launch *, double *time_s, char why[ERRLEN]);
int cuda_spin_up(struct device *, double *clock_mhz, char why[ERRLEN]);
int cuda_clock(struct device *, double *clock_mhz, bool *throttled, char why[ERRLEN]);

/* cuda_branches.cu */
int cuda_branches(struct device *, const struct launch *part, const int64_t *y_offset, int n, struct launch *,
                  char why[ERRLEN]);
void cuda_branches_free(struct device *, struct launch *);

/* device/cuda_combine.cu */
int cuda_combine(struct device *, enum precision, int64_t n, double alpha, const void *t, double beta, void *y,
                 struct stream *);

/* matrix/csr_take.cu, matrix/examine.cu */
int cuda_csr_take(struct device *, const struct csr_arrays *, struct device_csr *, void *owned[3], char why[ERRLEN]);
int cuda_examine(struct device *, struct device_csr *, unsigned what, struct features *, bool *valid, char why[ERRLEN]);

/* recipes/expand.cu */
int cuda_expand(struct device *, const struct recipe *, enum precision, struct device_csr *, char why[ERRLEN]);
void cuda_csr_release(struct device *, struct device_csr *);
/* y, bound, length: [rows], in host or device memory. */
int cuda_recipe_reference(struct device *, const struct recipe *, enum precision, double *y, double *bound,
                          int32_t *length, char why[ERRLEN]);
#endif
