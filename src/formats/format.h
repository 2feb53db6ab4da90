/* SPDX-License-Identifier: BSD-3-Clause */
/* Two tables: what is stored (layout) and how it is multiplied (kernel). A row states its own facts; help, sweeps,
 * tests, models and the run read the tables, and nobody else knows a format by name. See docs/adding-a-format.md. */
#ifndef SPMVCAST_FORMATS_FORMAT_H
#define SPMVCAST_FORMATS_FORMAT_H
#include "base/target.h"
#include "formats/config.h"
#include "matrix/csr_matrix.h"
#include "matrix/features.h"
#ifdef __cplusplus
extern "C" {
#endif

enum y_mode { Y_SET, Y_ADD }; /* y = A x, y += A x */

/* Bytes one multiplication moves at least, by what it is (x: each touched sector once, at least; x_most: once per
 * entry).
 * padding: bytes of values and indices that stand for no entry (they count in both). */
struct traffic {
    int64_t values, indices, pointers, x_least, x_most, y;
    int64_t padding;
    int64_t flops;
};
static inline int64_t traffic_least(const struct traffic *t)
{
    return t->values + t->indices + t->pointers + t->x_least + t->y;
}
static inline int64_t traffic_storage(const struct traffic *t) { return t->values + t->indices + t->pointers; }

struct grid {
    int64_t blocks;
    int threads;
}; /* of the main launch; the empty kernel t0 is timed with it */

/* Blocks are at least one, so that an empty matrix is a launch like any other. */
static inline struct grid grid_of(int64_t threads, int block)
{
    struct grid g;
    g.blocks = threads > 0 ? (threads + block - 1) / block : 1;
    g.threads = block;
    return g;
}

struct layout;
struct mapping;
/* Every layout's own struct begins with this. Arrays are 256-byte aligned, values in target.precision. */
struct storage {
    const struct layout *layout;
    struct target target;
    int64_t rows, cols, nnz, bytes;
};

struct layout {
    const char *name, *about;
    const struct param *params; /* LAYOUT parameters, ends with .name NULL */
    /* 0: yes; FAIL: why, with numbers ("padding 41x, limit 10x"). From features alone: predict and plan use it too. */
    int (*applicable)(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
    /* Exact where features tell; else an estimate, and `count` is there. */
    int (*traffic)(const struct features *, const struct config *, const struct target *, struct traffic *);
    /* Exact, from the matrix, without building: one parallel pass. NULL: traffic is exact. */
    int (*count)(const struct csr_view *, const struct features *, const struct config *, const struct target *,
                 struct traffic *);
    /* replaces "auto"; NULL: nothing to do */
    int (*resolve)(struct config *, const struct features *, const struct target *);
    /* On all cores (OpenMP). FAIL or OOM with why. *out owned by the caller: layout->free. */
    int (*build)(const struct csr_view *, const struct config *, const struct target *, struct storage **out,
                 char why[ERRLEN]);
    /* x, y in storage's precision */
    void (*spmv_host)(const struct storage *, const void *x, void *y, enum y_mode);
    void (*free)(struct storage *);
    /* Composites: configuration and features of part p of a resolved configuration (lengths exact, x sectors shared out
     * by nonzeros; features_free); FAIL past the last part. NULL: not a composite. */
    int (*part)(const struct features *, const struct config *, int p, struct config *, struct features *);
    /* Fill inside blocks is told from entries by its value 0 (bcsr, bellpack, dia): an explicit zero may count as fill,
     * so an Inf in x need not reach a row through it. */
    bool fills;
};

/* How the work maps to threads: what models need to know of a kernel. */
enum work {
    WORK_UNSTATED,   /* forgotten: kernel_at and kernel_find refuse such a kernel */
    WORK_ROW_GROUP,  /* `threads` > 1 threads share a row of CSR (csr-vector, csr-block) */
    WORK_ROW_THREAD, /* a thread a row of CSR: a warp waits for its longest (csr-scalar) */
    WORK_PADDED,     /* a thread a row, rows padded to the longest (ell) */
    WORK_ENTRIES,    /* equal numbers of entries a thread (coo) */
    WORK_PARTS,      /* a composite: the sum of its parts (hyb) */
    WORK_LIBRARY,    /* a library decides (cusparse-csr) */
    /* none of these: models that go by rows or entries refuse it, no benchmark cell is meant for it */
    WORK_OTHER
};

struct kernel {
    const char *name, *about;
    const struct layout *layout;
    const struct param *params; /* LAUNCH parameters */
    /* What the default sweep times: settings without the kernel's name ("lanes=4,rows=2"; "" = the defaults), ends with
     * NULL; NULL: the defaults alone. sweep_cpu: the same for the CPU device; NULL: `sweep`, each once without keys
     * that do nothing there. */
    const char *const *sweep, *const *sweep_cpu;
    int revision; /* raised when its speed may change: part of the resume key */
    /* "cusparse": a vendor library's kernel, timed beside ours, on the kinds of device that have the library; NULL:
     * ours. Its name begins with the library's. */
    const char *library;
    /* What converting is weighed against, and who always takes it is a rival: one row of the table. */
    bool baseline;
    bool
        prepares; /* makes something on the device before its first launch (lists, break points); libraries' always do */
    enum work work;                                /* to be stated by every kernel */
    int (*threads_per_row)(const struct config *); /* NULL: 1 */
    bool (*deterministic)(const struct config *);  /* same bits each launch; NULL: yes */
    /* Of the main launch, on a device that has thread blocks. Nobody calls it but kernel_grid. */
    int (*grid)(const struct features *, const struct config *, const struct target *, struct grid *);
    /* How it maps the work to threads (formats/mapping.h); m comes zeroed. To be stated by every kernel. */
    void (*mapping)(const struct features *, const struct config *, const struct target *, const struct traffic *,
                    const struct grid *, struct mapping *m);
    /* "auto" of LAUNCH parameters; NULL */
    int (*resolve)(struct config *, const struct features *, const struct target *);
    /* NULL: layout->spmv_host */
    void (*spmv_cpu)(const struct storage *, const struct config *, const void *x, void *y, enum y_mode);
};

const struct layout *layout_at(int i); /* NULL past the end; order of layouts.def */
const struct layout *layout_find(const char *name);
/* Order of kernels.def. bug() where a kernel does not state its work. */
const struct kernel *kernel_at(int i);
const struct kernel *kernel_find(const char *name);
const struct kernel *kernel_baseline(void); /* cusparse-csr */
/* Ours run on every kind of device, a library's where that library is. */
bool kernel_runs_on(const struct kernel *, enum device_kind);
int kernel_revision(const struct config *); /* own revision plus the parts' */
bool kernel_deterministic(const struct config *);
int kernel_threads_per_row(const struct config *);
/* The main launch of a resolved configuration; where there are no thread blocks, one of one thread for each of the
 * device's threads. What kernel->grid returns: FAIL, nothing is known. */
int kernel_grid(const struct features *, const struct config *, const struct target *, struct grid *);

/* Composites: y = sum over parts. Part p of the layout's storage holds its own sub-storage and configuration. */
enum { PARTS_MAX = 4 };
/* storage NULL: an empty part, nothing to launch */
struct part_storage {
    struct config config;
    struct storage *storage;
};
struct parts {
    struct storage base;
    int n;
    struct part_storage part[PARTS_MAX];
};

/* ------------------------------------------------------------ device side, the same for the CUDA and the CPU
 * back-end */
struct device;
struct stream;
/* each back-end's own struct begins with this */
struct device_layout {
    int64_t bytes;
    int64_t rows, cols, nnz;
    enum precision precision;
};

/* A CSR matrix on the device: 32-bit offsets. */
struct device_csr {
    int64_t rows, cols, nnz;
    int32_t *row_ptr;
    int32_t *col;
    void *val;
    enum precision precision;
    int64_t row_max;
};

struct kernel_attributes {
    int registers;
    int64_t shared_bytes, local_bytes;
    int blocks_per_sm;
    double occupancy;
};

/* X.cu: struct layout_cuda csr_layout_cuda etc. Return 0, FAIL or OOM (nothing left allocated). */
struct layout_cuda {
    const char *name;
    int (*upload)(struct device *, const struct storage *, struct device_layout **out, char why[ERRLEN]);
    /* From CSR on the device (recipes; conversion on the GPU), equal bit for bit to the host's; NULL: host path only.
     * May refer to the csr's arrays, which outlive it; `refers` then says so. */
    int (*build)(struct device *, const struct device_csr *, const struct config *, const struct features *,
                 struct device_layout **out, char why[ERRLEN]);
    void (*release)(struct device *, struct device_layout *);
    bool refers;
};
struct kernel_cuda {
    const char *name;
    /* Scratch and library handles are made here; *prepared is what launch gets. */
    int (*prepare)(struct device *, const struct device_layout *, const struct config *, void **prepared,
                   char why[ERRLEN]);
    /* No synchronisation, no allocation, capturable in a graph; zeroing for atomics happens inside, so it is timed. */
    int (*launch)(void *prepared, const void *x, void *y, enum y_mode, struct stream *);
    int (*attributes)(void *prepared, struct kernel_attributes *);
    /* Composites: from now on launch and attributes are those of part p alone (p < 0: of all), each in the y_mode it
     * has in the
     * whole. FAIL: p launches nothing. NULL: not a composite. */
    int (*part)(void *prepared, int p);
    void (*release)(void *prepared);
};
/* NULL: none, or a build without CUDA (link-time twin) */
const struct layout_cuda *layout_cuda_find(const char *name);
const struct kernel_cuda *kernel_cuda_find(const char *name);
#ifdef __cplusplus
}
#endif
#endif
