/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of device. Each property is a field of the kind's row in device_kind.c. Code compares with a kind only where
 * that kind and no other is meant, and never uses a kind as a boolean. */
#ifndef SPMVCAST_BASE_DEVICE_KIND_H
#define SPMVCAST_BASE_DEVICE_KIND_H
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

enum device_kind { DEVICE_CUDA, DEVICE_CPU, NDEVICE_KINDS, DEVICE_DEFAULT = DEVICE_CUDA /* if none is named */ };

/* Threads per warp of every CUDA device so far; also the threads that share a row in the tuned CSR of the papers. */
enum { CUDA_WARP = 32 };

struct kind_facts {
    const char *name;    /* "cuda", "cpu"; also the name of its back-end */
    const char *about;   /* in messages: "the CPU device" */
    const char *library; /* vendor library whose kernels run on it (struct kernel.library); NULL: none */
    int warp;            /* threads per warp */
    bool blocks;         /* a launch is a grid of thread blocks, and keys tagged PARAM_GPU_ONLY apply */
    bool own_memory;     /* uploads copy, which takes time; the host memory may be freed afterwards */
    bool branches;       /* independent launches may run concurrently */
    bool one_process;    /* only one process at a time may measure on a device */
    bool launched;       /* the host issues launches, and takes time for each, while kernels run elsewhere */
};

const char *kind_names(void);                          /* "cuda|cpu" for option tables, in table order */
bool kind_find(const char *name, enum device_kind *);  /* false: unknown name */
const struct kind_facts *kind_facts(enum device_kind); /* never NULL; calls bug() for an invalid kind */
#ifdef __cplusplus
}
#endif
#endif
