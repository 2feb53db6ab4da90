/* SPDX-License-Identifier: BSD-3-Clause */
/* One interface, a back-end for each kind of device: cuda (cuda.cu; twin cuda_none.c in a build without CUDA) and cpu (cpu.c, OpenMP).
 * The run, its timing loop and its checks are the same code on both. A CPU result is never called a GPU result.
 * Functions return 0, FAIL or OOM and fill why; after a sticky CUDA error (an illegal address) `device_lost` is true
 * and the process must end: the run does each batch in a child process for that reason. */
#ifndef SPMVCAST_DEVICE_DEVICE_H
#define SPMVCAST_DEVICE_DEVICE_H
#include "base/error.h"
#include "base/target.h"
#include "formats/format.h"
#include "recipes/recipe.h"
#ifdef __cplusplus
extern "C" {
#endif

struct device_facts {
    char key[160]; /* name, SMs, memory, L2, ECC, MIG, power cap: what a profile is valid for */
    char uuid[64], driver[32], cuda[16], cusparse[32], host_cpu[96];
    double clock_max_mhz; /* 0: unknown */
    int others;           /* processes that use the device too, as it was opened; 0: none, or not told */
};

struct device {
    const struct backend *backend;
    struct geometry geometry;
    struct device_facts facts;
    int index;
    bool lost;
    /* Of the launches timed last (sequence_time, stream_time, cold_time): seconds that other processes took processors
     * away, summed over threads; 0 where a device does not tell. */
    double disturbed_s;
};

/* Something to be timed: run enqueues once. */
struct launch {
    int (*run)(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
    void *prepared;
    const void *x;
    void *y;
};
struct sequence; /* `count` launches, chained, ready to go (a CUDA graph, uploaded) */

struct backend {
    enum device_kind kind;          /* whose back-end it is: its name and facts are the kind's */
    int (*count)(char why[ERRLEN]); /* devices this process sees; 0: why says why none */
    int (*open)(int index, struct device **, char why[ERRLEN]);
    void (*close)(struct device *);
    int (*memory)(struct device *, int64_t *free_bytes);

    int (*alloc)(struct device *, int64_t bytes, void **p, char why[ERRLEN]); /* 256-byte aligned; OOM */
    void (*release)(struct device *, void *p);
    int (*put)(struct device *, void *to, const void *from, int64_t bytes, char why[ERRLEN]);
    int (*get)(struct device *, void *to, const void *from, int64_t bytes, char why[ERRLEN]);
    int (*fill)(struct device *, void *p, int byte, int64_t bytes, char why[ERRLEN]);

    bool (*has_kernel)(const struct kernel *);
    int (*upload)(struct device *, const struct storage *, struct device_layout **, char why[ERRLEN]);
    /* The recipe's CSR made on the device, any row alone; free by csr_release. expand, csr_release, build: NULL where
     * the device's memory is the host's, and what the host makes serves. */
    int (*expand)(struct device *, const struct recipe *, enum precision, struct device_csr *, char why[ERRLEN]);
    void (*csr_release)(struct device *, struct device_csr *);
    /* y_i for every row straight from the recipe, not from arrays, in double, and sum_j |a_ij x_j|: naive reference. */
    int (*recipe_reference)(struct device *, const struct recipe *, enum precision, double *y, double *bound,
                            int32_t *length, char why[ERRLEN]);
    bool (*builds)(const struct layout *); /* NULL: no layout at all */
    int (*build)(struct device *, const struct layout *, const struct device_csr *, const struct config *,
                 const struct features *,
                 /* FAIL with why "... on the host only" where a layout has none */
                 struct device_layout **, char why[ERRLEN]);
    void (*layout_release)(struct device *, const struct layout *, struct device_layout *);

    /* build and prepare return when the device has done its part: both are timed. */
    /* fills run, prepared */
    int (*prepare)(struct device *, const struct device_layout *, const struct config *, struct launch *,
                   char why[ERRLEN]);
    int (*attributes)(const struct config *, const struct launch *, struct kernel_attributes *);
    /* Of a composite: launches of part p alone from now on, p < 0: of all. FAIL: no such part, or it launches
     * nothing. */
    int (*part)(const struct config *, struct launch *, int p);
    void (*unprepare)(const struct config *, struct launch *);
    /* an empty kernel of that grid; what is prepared is freed by close */
    int (*empty)(struct device *, struct grid, struct launch *, char why[ERRLEN]);
    /* One launch of n that do not depend on each other: branches side by side between one beginning and one end. Part i
     * gets y + y_offset[i] bytes; parts are copied, their prepared kernels must outlive it. NULL: the device does one
     * thing after another. */
    int (*branches)(struct device *, const struct launch *part, const int64_t *y_offset, int n, struct launch *,
                    char why[ERRLEN]);
    void (*branches_free)(struct device *, struct launch *);

    /* launch, wait, report asynchronous errors */
    int (*once)(struct device *, const struct launch *, char why[ERRLEN]);
    int (*sequence)(struct device *, const struct launch *, int count, struct sequence **, char why[ERRLEN]);
    /* of the whole sequence */
    int (*sequence_time)(struct device *, struct sequence *, double *time_s, char why[ERRLEN]);
    void (*sequence_free)(struct device *, struct sequence *);
    /* plain back-to-back, per launch */
    int (*stream_time)(struct device *, const struct launch *, int count, double *time_s, char why[ERRLEN]);
    /* One launch after the caches were filled with other, clean lines (2 x L2 written, then read, outside the timed
     * part). */
    int (*cold_time)(struct device *, const struct launch *, double *time_s, char why[ERRLEN]);
    /* until the clock seen inside a kernel is at its ceiling */
    int (*spin_up)(struct device *, double *clock_mhz, char why[ERRLEN]);
    /* throttled: since the last look the device was held back, by power or heat; a CPU: by a hypervisor */
    int (*clock)(struct device *, double *clock_mhz, bool *throttled, char why[ERRLEN]);
};

extern const struct backend backend_cpu;
extern const struct backend backend_cuda;            /* without CUDA: count() is 0 and says so */
const struct backend *backend_for(enum device_kind); /* never NULL */
#ifdef __cplusplus
}
#endif
#endif
