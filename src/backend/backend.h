/* SPDX-License-Identifier: BSD-3-Clause */
/* One interface with a back-end per kind of device: cuda (cuda_backend.cu, or cuda_none.c in builds without CUDA) and cpu
 * (cpu.c, OpenMP). Runs, timing loops and checks use the same code on both. A CPU result is never labelled as a GPU
 * result. Functions that return int, except count, return 0, FAIL or OOM and fill why. Since a lost device ends the
 * process, runs measure in a child process. */
#ifndef SPMVCAST_BACKEND_BACKEND_H
#define SPMVCAST_BACKEND_BACKEND_H
#include "device/device.h"
#include "formats/storage.h"
#include "recipes/recipe.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A launch to be timed: run enqueues it once. */
struct launch {
    int (*run)(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
    void *prepared;
    const void *x;
    void *y;
};
/* A place in a stream. Zeroed: none. */
struct mark {
    double time_s; /* on a CPU */
    void *event;   /* on a GPU; owned */
};
struct sequence; /* chained launches, ready to start (on a GPU a CUDA graph that was launched once) */

struct backend {
    enum device_kind kind;          /* kind of its devices */
    int (*count)(char why[ERRLEN]); /* number of visible devices; if 0, why says why */
    int (*open)(int index, struct device **, char why[ERRLEN]);
    void (*close)(struct device *);

    /* y = alpha t + beta y for n elements, in one pass; beta 0: y is not read; t NULL: y = beta y; t may be y. Enqueued like a
     * launch: on a GPU, a struct stream is one cudaStream_t. */
    int (*combine)(struct device *, enum precision, int64_t n, double alpha, const void *t, double beta, void *y,
                   struct stream *);

    bool (*has_kernel)(const struct kernel *);
    /* Kernels of the vendor's library are prepared from this file of it from now on ("system": the one that the loader finds); gives
     * its version, e.g. "12.9.4". Those prepared before keep theirs. NULL: the device has no such library. */
    int (*vendor)(struct device *, const char *file, char version[32], char why[ERRLEN]);
    /* Gives a storage of the host in the memory of the device: a copy, or if that is host memory, the storage itself, kept. Either is
     * to be freed with storage_free, and so is what `build` gives. */
    int (*upload)(struct device *, struct storage *, struct storage **, char why[ERRLEN]);
    /* Generates the CSR of a recipe on the device, each row independently; free with csr_release. expand and csr_release
     * are NULL if device memory is host memory: the host's result is used directly. */
    int (*expand)(struct device *, const struct recipe *, enum precision, struct device_csr *, char why[ERRLEN]);
    void (*csr_release)(struct device *, struct device_csr *);
    /* use, holds and examine are NULL if device memory is host memory. use: makes this the calling thread's current device. holds: is
     * this address in the device's memory? */
    int (*use)(struct device *, char why[ERRLEN]);
    bool (*holds)(struct device *, const void *p);
    /* Gives 32-bit offsets and base 0: refers to arrays that have them and are in device memory, unless copies are asked for, and copies
     * the others into owned[0..2]
     * (row_ptr, col, val; NULL: not copied), to be released by the caller. Copies to the device are complete when it returns, work on
     * the device is enqueued. row_max is left 0. */
    int (*csr_take)(struct device *, const struct csr_arrays *, struct device_csr *, void *owned[3], char why[ERRLEN]);
    /* Computes the features that forecasts use, reading the matrix once, and sets csr->row_max. Unlike
     * features_of_view: lengths from 128 on, but not row_min, row_max and row_sd, are rounded by up to 1.6 %, and
     * SECTORS_32, SECTORS_1024 and the fill of blocks are estimated from about 2^17 entries if there are more (sectors_exact).
     * Without EXAMINE_COLUMNS, only rows, cols, nnz, row_mean and row_max are computed, and csr->listed; without EXAMINE_BLOCKS, the fill is 0,
     * unknown. *valid false: csr_view_check refuses the matrix (its row pointers, or with EXAMINE_COLUMNS its columns),
     * and the features are zeroed. */
    int (*examine)(struct device *, struct device_csr *, unsigned what, struct features *, bool *valid,
                   char why[ERRLEN]);
    /* Computes a naive reference directly from the recipe, in double: y_i, bound_i = sum_j |a_ij x_j| and the length
     * of each row. */
    int (*recipe_reference)(struct device *, const struct recipe *, enum precision, double *y, double *bound,
                            int32_t *length, char why[ERRLEN]);
    bool (*builds)(const struct layout *); /* returns whether `build` supports it: on a CPU, CSR alone */
    int (*build)(struct device *, const struct layout *, const struct device_csr *, const struct config *,
                 const struct features *,
                 /* FAIL, with why "... on the host only", if the layout has no device build */
                 struct storage **, char why[ERRLEN]);
    bool (*refers)(const struct layout *); /* may what `build` makes refer to the arrays of the csr? */

    /* build and prepare are timed: they return when the device has finished. prepare fills run and prepared. */
    int (*prepare)(struct device *, const struct storage *, const struct config *, struct launch *, char why[ERRLEN]);
    int (*attributes)(const struct config *, const struct launch *, struct kernel_attributes *);
    /* Restricts launches of a composite to part p; p < 0: all parts. FAIL: no such part, or it launches nothing. */
    int (*part)(const struct config *, struct launch *, int p);
    void (*unprepare)(const struct config *, struct launch *);
    /* Prepares a launch of an empty kernel with this grid; close frees `prepared`. */
    int (*empty)(struct device *, struct grid, struct launch *, char why[ERRLEN]);
    /* Combines n independent launches into one that runs them as concurrent branches. Part i gets y + y_offset[i]
     * bytes. The parts are copied; their prepared kernels must outlive the new launch. NULL: the device runs one
     * launch at a time. */
    int (*branches)(struct device *, const struct launch *part, const int64_t *y_offset, int n, struct launch *,
                    char why[ERRLEN]);
    void (*branches_free)(struct device *, struct launch *);

    /* Launches once, waits, and reports asynchronous errors. */
    int (*once)(struct device *, const struct launch *, char why[ERRLEN]);
    int (*sequence)(struct device *, const struct launch *, int count, struct sequence **, char why[ERRLEN]);
    /* Times the whole sequence. */
    int (*sequence_time)(struct device *, struct sequence *, double *time_s, char why[ERRLEN]);
    void (*sequence_free)(struct device *, struct sequence *);
    /* Times `count` plain back-to-back launches; *time_s: per launch. */
    int (*stream_time)(struct device *, const struct launch *, int count, double *time_s, char why[ERRLEN]);
    /* Marks in a caller's stream, to time its launches without waiting for them. mark: the place after all that was enqueued, which may
     * move one set before. reached: true if the stream has got to both, *time_s: seconds between them, NaN if unknown. unmark: frees
     * a mark, also one that was never set. */
    int (*mark)(struct device *, struct mark *, struct stream *);
    bool (*reached)(struct device *, const struct mark *from, const struct mark *to, double *time_s);
    void (*unmark)(struct device *, struct mark *);
    /* NULL if the device has no streams. capturing: is the stream capturing a graph? guard: exchanges whether calls of this thread that
     * would disturb captures of other streams are refused (0: they are allowed, as is right for calls on streams and memory of one's
     * own); returns what held before. */
    bool (*capturing)(struct stream *);
    int (*guard)(int);
    /* Enqueues work that fills the last cache with clean lines of other data (writes, then reads 2 x L2). OOM: no memory for these. NULL:
     * runs that follow take the same time without it, once their data is in the cache. */
    int (*crowd)(struct device *, char why[ERRLEN]);
    /* Times one launch after that. */
    int (*cold_time)(struct device *, const struct launch *, double *time_s, char why[ERRLEN]);
    /* Keeps the device busy until the clock, as measured inside a kernel, is near its maximum or no longer rises. */
    int (*spin_up)(struct device *, double *clock_mhz, char why[ERRLEN]);
    /* *throttled: since the last call, power or heat (on a CPU: a hypervisor) held the device back. */
    int (*clock)(struct device *, double *clock_mhz, bool *throttled, char why[ERRLEN]);
};

extern const struct backend backend_cpu;
extern const struct backend backend_cuda;            /* in builds without CUDA: count() returns 0 */
const struct backend *backend_for(enum device_kind); /* never NULL */
#ifdef __cplusplus
}
#endif
#endif
