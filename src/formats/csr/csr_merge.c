/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of csr-merge, a kernel of layout csr, and its code for the CPU device. */
#include "formats/csr/csr_merge.h"
#include <omp.h>
#include <stdio.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"

#define BOTH_PRECISIONS "formats/csr/csr_merge_cpu.inc"
#include "formats/both_precisions.inc"

static void merge_cpu(const struct storage *base, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    const struct csr_storage *s = (const struct csr_storage *)base;

    (void)c;
    BY_PRECISION(base->target.precision, merge, s, x, y, mode);
}

/* More items per thread pay off once there are enough tiles to fill the GPU several times. */
static int merge_resolve(struct config *c, const struct features *f, const struct target *t)
{
    static const struct {
        int64_t path;
        int items;
    } steps[] = { { 300000, 4 }, { 900000, 7 }, { 4000000, 10 }, { INT64_MAX, 14 } };
    char items[12];
    int i = 0;

    (void)t;
    if (strcmp(config_word(c, "items"), "auto") != 0)
        return 0;
    while (f->rows + f->nnz > steps[i].path)
        i++;
    snprintf(items, sizeof items, "%d", steps[i].items);
    return config_set(c, "items", items) ? 0 : FAIL;
}

static int merge_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = csr_merge_grid(f->rows, f->nnz, (int)config_int(c, "items"), (int)config_int(c, "block"));
    return 0;
}

static const struct param merge_params[] = {
    { "items", "entries plus row ends per thread; auto: more for large matrices", PARAM_INT, "4|7|10|14|auto", "auto",
      PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "search", "tile boundaries: stored during preparation, or searched by each thread block on its own", PARAM_WORD,
      "stored|own", "stored", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads per block", PARAM_INT, "128|256", "128", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const merge_sweep[] = { "items=7", "items=auto,search=own", NULL };

static void merge_mapping(const struct features *f, const struct config *c, const struct target *t,
                          const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes;
    const double items = (double)config_int_or(c, "items", 7), path = (double)f->rows + (double)f->nnz;
    m->path = items;
    m->slots = (double)g->blocks * g->threads * items;
    m->block_rows = (double)f->rows / (double)g->blocks;
    m->most_pieces = m->own[0] = (double)f->row_max / (items * g->threads);
    m->cuts = m->most_pieces > 1;
    m->own[1] = path > 0 ? (double)f->rows / path : 0;
}

const struct kernel csr_merge_kernel = { .name = "csr-merge",
                                         .about = "equal numbers of entries plus rows per thread (merge path)",
                                         .layout = &csr_layout,
                                         .params = merge_params,
                                         .sweep = merge_sweep,
                                         .revision = 2,
                                         .work = WORK_OTHER,
                                         .prepares = true,
                                         .grid = merge_grid,
                                         .mapping = merge_mapping,
                                         .resolve = merge_resolve,
                                         .spmv_cpu = merge_cpu };
