/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of device, and what code asks of them: a fact is a field of the kind's row, in device_kind.c. Code compares
 * with a kind only where it means that kind and no other, and never reads a kind as a boolean. */
#ifndef SPMVCAST_BASE_DEVICE_KIND_H
#define SPMVCAST_BASE_DEVICE_KIND_H
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

enum device_kind { DEVICE_CUDA, DEVICE_CPU, NDEVICE_KINDS, DEVICE_DEFAULT = DEVICE_CUDA /* where none is named */ };

/* Threads of a warp of every CUDA device so far; also those that share a row of the papers' tuned CSR. */
enum { CUDA_WARP = 32 };

struct kind_facts {
    const char *name;    /* "cuda", "cpu": that of its back-end, too */
    const char *about;   /* in messages: "the CPU device" */
    const char *library; /* the vendor's library whose kernels run there (struct kernel.library); NULL: none */
    int warp;            /* threads of a warp */
    bool blocks;         /* a launch is a grid of thread blocks, and keys tagged PARAM_GPU_ONLY have an effect */
    bool own_memory;     /* an upload is a copy that takes time, after which the host's storage may be freed */
    bool branches;       /* launches that do not depend on each other may run side by side */
    bool one_process;    /* two processes that measure must not share one device */
};

const char *kind_names(void);                          /* "cuda|cpu", for an option's choices; the order of the table */
bool kind_find(const char *name, enum device_kind *);  /* false: no such kind */
const struct kind_facts *kind_facts(enum device_kind); /* never NULL; bug() for what is no kind */
#ifdef __cplusplus
}
#endif
#endif
