/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels coo and coo-packed: threads have equal numbers of entries, regardless of rows. */
#include <omp.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/coo/coo_packed.h"
#include "formats/mapping.h"

enum { WINDOW = 32 }; /* slots that a thread unpacks at a time */

#define BOTH_PRECISIONS "formats/coo/coo_cpu.inc"
#include "formats/both_precisions.inc"

/* Returns NULL for full values, else `to`. */
static const struct values *packed_of(const struct storage *base, struct values *to)
{
    if (base->layout != &coo_packed_layout)
        return NULL;
    *to = values_of(&((const struct coo_packed_storage *)base)->packed, base->target.precision);
    return to;
}

void coo_spmv_host(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct coo_storage *s = (const struct coo_storage *)base;
    struct values values;

    BY_PRECISION(base->target.precision, segmented, s, packed_of(base, &values), x, y, mode);
}

static void coo_spmv_atomic(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct coo_storage *s = (const struct coo_storage *)base;
    struct values values;

    BY_PRECISION(base->target.precision, atomic, s, packed_of(base, &values), x, y, mode);
}

static bool is_segmented(const struct config *c) { return strcmp(config_word(c, "sum"), "segmented") == 0; }

static int coo_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = coo_grid(f->nnz, (int)config_int(c, "items"), (int)config_int(c, "block"));
    return 0;
}

static void coo_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    if (is_segmented(c))
        coo_spmv_host(s, x, y, mode);
    else
        coo_spmv_atomic(s, x, y, mode);
}

#define SUM "sum", "how the entries of a row are summed", PARAM_WORD, "atomic|segmented", "segmented", PARAM_LAUNCH
#define ITEMS(legal) "items", "entries per thread", PARAM_INT, legal, "4", PARAM_LAUNCH | PARAM_GPU_ONLY
#define BLOCK "block", "threads per block", PARAM_INT, "64|128|256|512", "256", PARAM_LAUNCH | PARAM_GPU_ONLY
static const struct param coo_params[] = { { SUM }, { ITEMS("1|2|4|8|16") }, { BLOCK }, { .name = NULL } };
static const struct param packed_params[] = { { SUM }, { ITEMS("2|4|8") }, { BLOCK }, { .name = NULL } };

static const char *const coo_sweep[] = { "sum=atomic,items=1", "sum=atomic,items=2", "sum=atomic,items=4",
                                         "sum=atomic,items=8", "sum=segmented",      NULL };
static const char *const coo_sweep_cpu[] = { "sum=atomic", "sum=segmented", NULL };

static void coo_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes;
    mapping_entries(f, g, (double)config_int_or(c, "items", 4), m);
    m->contended = m->most_pieces / 100;
}

const struct kernel coo_kernel = { .name = "coo",
                                   .about = "equal numbers of entries per thread",
                                   .layout = &coo_layout,
                                   .params = coo_params,
                                   .sweep = coo_sweep,
                                   .sweep_cpu = coo_sweep_cpu,
                                   .revision = 3,
                                   .work = WORK_ENTRIES,
                                   .deterministic = is_segmented,
                                   .grid = coo_kernel_grid,
                                   .mapping = coo_mapping,
                                   .spmv_cpu = coo_cpu };

static const char *const packed_sweep[] = { "sum=atomic,items=4", "sum=segmented", NULL };
static const char *const packed_sweep_cpu[] = { NULL }; /* it is slower than coo there */

const struct kernel coo_packed_kernel = { .name = "coo-packed",
                                          .about = "coo with values in fewer bits",
                                          .layout = &coo_packed_layout,
                                          .params = packed_params,
                                          .sweep = packed_sweep,
                                          .sweep_cpu = packed_sweep_cpu,
                                          .revision = 1,
                                          .work = WORK_OTHER, /* no benchmark cell can be packed */
                                          .deterministic = is_segmented,
                                          .grid = coo_kernel_grid,
                                          .mapping = coo_mapping,
                                          .spmv_cpu = coo_cpu };
