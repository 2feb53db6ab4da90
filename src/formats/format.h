/* SPDX-License-Identifier: BSD-3-Clause */
/* Two tables: what is stored (layout) and how it is multiplied (kernel). Each row describes itself; help, sweeps,
 * tests, models and spmv-run read the tables. Other code names a format only to compare with it. See
 * docs/adding-a-format.md. */
#ifndef SPMVCAST_FORMATS_FORMAT_H
#define SPMVCAST_FORMATS_FORMAT_H
#include "base/target.h"
#include "device/device.h"
#include "formats/config.h"
#include "matrix/csr_matrix.h"
#include "matrix/device_csr.h"
#include "matrix/features.h"
#ifdef __cplusplus
extern "C" {
#endif

enum y_mode { Y_SET, Y_ADD }; /* y = A x, y += A x */

/* Bytes that one product moves, by kind. x_least counts each touched sector of x once. padding: bytes of values and
 * indices that stand for no entry (also counted in values and indices). unsure: bytes among all of these that memory or
 * cache does not certainly deliver: padding that kernels skip, what an estimate may have counted too much, and y when it
 * is added to, which stays near. skipped: of these, the padding in values and indices. */
struct traffic {
    int64_t values, indices, pointers, x_least, y;
    int64_t padding, unsure, skipped;
    int64_t flops;
};
static inline int64_t traffic_storage(const struct traffic *t) { return t->values + t->indices + t->pointers; }
/* Returns the bytes moved if nothing that is stored is skipped, and a lower bound of the bytes moved. */
static inline int64_t traffic_stored(const struct traffic *t) { return traffic_storage(t) + t->x_least + t->y; }
static inline int64_t traffic_least(const struct traffic *t) { return traffic_stored(t) - t->unsure; }

struct layout;
struct mapping;
struct steps;
struct array;
#define BORROWED_ALL (~0u)
/* Every layout's struct begins with this. Values are in target.precision. The same struct serves the host and devices: its pointers
 * are memory of `device`. Freed with storage_free (formats/storage.h). */
struct storage {
    const struct layout *layout;
    struct device *device; /* NULL: host memory */
    struct target target;
    int64_t rows, cols, nnz, bytes;
    int64_t beside; /* bytes of other parts or blocks that the same product reads */
    int references;
    unsigned borrowed; /* bit i: array i of the list belongs to another, which outlives the storage */
};

struct layout {
    const char *name, *about;
    const struct param *params; /* tagged PARAM_LAYOUT; the array ends with .name = NULL */
    /* 0: applicable; FAIL: `why` states the numbers ("padding 41x, limit 10x"). Uses features only, because spmv-predict and
     * spmv-plan call it without a matrix. Call kernel_applicable instead. */
    int (*applicable)(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
    /* Exact if the features determine it; otherwise an estimate whose least bytes are a lower bound, and `count` is not NULL. */
    int (*traffic)(const struct features *, const struct config *, const struct target *, struct traffic *);
    /* Exact: counts in the matrix, on all cores, without building the layout. NULL: traffic is exact. */
    int (*count)(const struct csr_view *, const struct features *, const struct config *, const struct target *,
                 struct traffic *);
    /* Replaces "auto"; NULL: nothing to resolve. */
    int (*resolve)(struct config *, const struct features *, const struct target *);
    size_t storage_bytes; /* sizeof its struct */
    /* Lists its arrays, and returns their number: what is allocated, copied to devices and back, counted in `bytes`, and freed. */
    int (*arrays)(struct storage *, struct array *);
    /* Runs on all cores (OpenMP). FAIL or OOM with why: nothing is left allocated. */
    int (*build)(const struct csr_view *, const struct config *, const struct target *, struct storage **out,
                 char why[ERRLEN]);
    /* x and y in the storage's precision */
    void (*spmv_host)(const struct storage *, const void *x, void *y, enum y_mode);
    /* Composites: gives the configuration and the features of part p of a resolved configuration. The lengths are
     * exact, and the sectors of x are divided in proportion to nonzeros. Release the features with features_free.
     * FAIL past the last part. NULL: not a composite. */
    int (*part)(const struct features *, const struct config *, int p, struct config *, struct features *);
    /* Fill is recognised by its value 0 (bcsr, bellpack, dia). Explicit zeros may be taken for fill, so an Inf in x is
     * not always propagated through them. */
    bool fills;
};

/* How work maps to threads: what models need to know about a kernel. */
enum work {
    WORK_UNSTATED,   /* not set: kernel_at and kernel_find reject such a kernel */
    WORK_ROW_GROUP,  /* several threads share a CSR row (csr-vector, csr-block) */
    WORK_ROW_THREAD, /* one thread per CSR row: a warp waits for its longest row (csr-scalar) */
    WORK_PADDED,     /* one thread per row, and rows are padded to the longest (ell) */
    WORK_ENTRIES,    /* equal numbers of entries per thread (coo) */
    WORK_PARTS,      /* a composite: the sum of its parts (hyb) */
    WORK_LIBRARY,    /* the library decides (cusparse-csr) */
    /* None of the above: models based on rows or entries refuse it, and no benchmark cell is designed for it. */
    WORK_OTHER
};

struct kernel {
    const char *name, *about;
    const struct layout *layout;
    const struct param *params; /* tagged PARAM_LAUNCH; the array ends with .name = NULL */
    /* Settings that the default sweep times, without the kernel's name ("lanes=4,rows=2"; "" means all defaults); the
     * array ends with NULL. NULL: defaults only; an empty array: only named configurations are timed. sweep_cpu is the
     * same for the CPU device; NULL: those of `sweep` that differ in keys with an effect there. */
    const char *const *sweep, *const *sweep_cpu;
    /* Limits of the kernel beyond those of its layout, by the same rules; NULL: none. Call kernel_applicable instead. */
    int (*applicable)(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
    int revision; /* raised whenever its speed may change; part of the resume key */
    /* Has this configuration one revision more, since the speed of some has changed alone? NULL: none has. */
    bool (*revised)(const struct config *);
    /* Name of the vendor library ("cusparse") whose kernel this is; it is timed next to ours on the kinds of device
     * that have the library, and its name begins with the library's. NULL: one of our kernels. */
    const char *library;
    /* Conversions are compared with this kernel, and always choosing it is a rival of the models. True for exactly one
     * kernel. */
    bool baseline;
    /* Bytes on the device that its preparation holds besides the layout, such as a library's copy of the matrix; NULL: few. Call
     * kernel_prepared_bytes instead. */
    int64_t (*prepared_bytes)(const struct features *, const struct config *, const struct target *);
    bool (*copies)(
        const struct config *); /* does its preparation copy the matrix? NULL: never. Call kernel_copies instead. */
    bool prepares;              /* builds data on the device before its first launch; library kernels always do */
    enum work work;             /* required for every kernel */
    int (*threads_per_row)(const struct config *); /* NULL: 1 */
    bool (*deterministic)(const struct config *);  /* the same bits from every launch; NULL: yes */
    /* Grid of the main launch on a device with thread blocks, with which the empty kernel t0 is timed. Called by kernel_grid only. */
    int (*grid)(const struct features *, const struct config *, const struct target *, struct grid *);
    /* How the kernel maps work to threads (formats/mapping.h); m is zeroed by the caller. Required for every kernel. */
    void (*mapping)(const struct features *, const struct config *, const struct target *, const struct traffic *,
                    const struct grid *, struct mapping *m);
    /* Thread blocks of dense blocks (formats/steps.h); call kernel_steps instead. NULL: not a kernel of dense blocks. */
    int (*steps)(const struct features *, const struct config *, struct steps *);
    /* Replaces "auto" in LAUNCH parameters; may be NULL. */
    int (*resolve)(struct config *, const struct features *, const struct target *);
    /* NULL: layout->spmv_host */
    void (*spmv_cpu)(const struct storage *, const struct config *, const void *x, void *y, enum y_mode);
};

const struct layout *layout_at(int i); /* NULL past the end; in the order of layouts.def */
const struct layout *layout_find(const char *name);
/* In the order of kernels.def. bug() if a kernel does not state its work or mapping. */
const struct kernel *kernel_at(int i);
const struct kernel *kernel_find(const char *name);
const struct kernel *kernel_baseline(void); /* cusparse-csr */
/* True for our kernels on every kind of device, and for a library's kernels where the library exists. */
bool kernel_runs_on(const struct kernel *, enum device_kind);
/* Returns 0 if both the layout and the kernel of a resolved configuration are applicable; otherwise FAIL with why, which may be NULL. */
int kernel_applicable(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
int kernel_revision(const struct config *); /* the kernel's revision plus those of the parts */
bool kernel_deterministic(const struct config *);
int kernel_threads_per_row(const struct config *);
int64_t kernel_prepared_bytes(const struct features *, const struct config *, const struct target *);
bool kernel_copies(const struct config *);
/* Grid of the main launch of a resolved configuration; on devices without thread blocks, a block of one thread for each
 * thread of the device. FAIL: the grid is unknown. */
int kernel_grid(const struct features *, const struct config *, const struct target *, struct grid *);

/* Composites: y = sum over parts. Part p of the layout's storage holds its own storage and configuration. */
enum { PARTS_MAX = 4 };
/* Name of part p of a layout ("head"); NULL past the last and for layouts that are not composites. */
const char *parts_name(const struct layout *, int p);
/* storage NULL: the part is empty and launches nothing */
struct part_storage {
    struct config config;
    struct storage *storage;
    struct device_csr csr; /* built on a device: the part's own matrix, if the storage refers to it */
};
struct parts {
    struct storage base;
    int n;
    struct part_storage part[PARTS_MAX];
};

/* ---- device side, the same for the CUDA and the CPU back-end */
/* Defined in X.cu: struct layout_cuda csr_layout_cuda etc. Functions return 0, FAIL or OOM; after a failure nothing is
 * left allocated. */
struct layout_cuda {
    const char *name;
    /* Builds from CSR on the device (recipes; conversion on the GPU), equal to the host's result bit for bit; NULL:
     * host build only. If `refers` is set, the layout may refer to the arrays of the csr, which must outlive it. */
    int (*build)(struct device *, const struct device_csr *, const struct config *, const struct features *,
                 struct storage **out, char why[ERRLEN]);
    bool refers;
};
struct kernel_cuda {
    const char *name;
    /* Creates scratch memory and library handles; *prepared is passed to launch. */
    int (*prepare)(struct device *, const struct storage *, const struct config *, void **prepared, char why[ERRLEN]);
    /* Neither synchronises nor allocates, so it can be captured in a graph. Zeroing for atomics is part of the launch,
     * so that it is timed. */
    int (*launch)(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
    int (*attributes)(void *prepared, struct kernel_attributes *);
    /* Composites: from now on launch and attributes apply to part p only (p < 0: to all parts), each part in the
     * y_mode that it has in the whole. FAIL: p launches nothing. NULL: not a composite. */
    int (*part)(void *prepared, int p);
    void (*release)(void *prepared);
    bool waits; /* prepare returns when its work on the device is done; else the caller waits */
};
/* NULL: not found, or this is a build without CUDA (which links backend/cuda_none.c instead). */
const struct layout_cuda *layout_cuda_find(const char *name);
const struct kernel_cuda *kernel_cuda_find(const char *name);
#ifdef __cplusplus
}
#endif
#endif
