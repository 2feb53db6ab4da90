/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of csr-stream: the products of a run of entries go through shared memory, where they are summed by
 * row. */
#include "formats/csr/csr_stream.h"
#include <math.h>
#include <string.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/csr/csr.h"
#include "formats/mapping.h"

static bool by_rows(const struct config *c) { return strcmp(config_word(c, "share"), "rows") == 0; }

/* With share=entries and sum=atomic, the pieces of a row are added in any order. */
static bool is_ordered(const struct config *c)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->set[i].key, "sum") == 0)
            return by_rows(c) || strcmp(c->set[i].value, "ordered") == 0;
    return true;
}

static int stream_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = csr_stream_grid(f->rows, f->nnz, by_rows(c), (int)config_int(c, "block"), (int)config_int(c, "items"));
    return 0;
}

static void stream_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    if (by_rows(c))
        csr_spmv_rows(s, x, y, mode);
    else
        csr_spmv_equal(s, x, y, mode);
}

static const struct param stream_params[] = {
    { "share",
      "share of a thread block: neighbouring rows, or equal numbers of entries plus rows between stored break points",
      PARAM_WORD, "rows|entries", "entries", PARAM_LAUNCH },
    { "sum", "how the pieces of a row are summed: by atomic additions, or in a fixed order", PARAM_WORD,
      "atomic|ordered", "ordered", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "items", "entries that a thread loads at a time", PARAM_INT, "4|8", "4", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads per block", PARAM_INT, "128|256", "256", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const stream_sweep[] = { "items=8,block=256", "sum=atomic,items=8,block=256",
                                            "share=rows,items=4,block=128", NULL };
static const char *const stream_sweep_cpu[] = { "share=entries", NULL };

static void stream_mapping(const struct features *f, const struct config *c, const struct target *t,
                           const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes;
    const double items = (double)config_int_or(c, "items", 4), room = g->threads * items;
    m->slots = (double)g->blocks * room;
    m->most_pieces = m->own[1] = ceil((double)f->row_max / room);
    m->cuts = m->most_pieces > 1;
    if (by_rows(c)) {
        const int rows = csr_stream_rows(f->rows, f->nnz, g->threads, (int)items);
        int level = 0;
        while (level + 1 < HEAVIEST && 2 << level <= rows)
            level++;
        m->path = ceil((double)f->heaviest[level] / g->threads);
        m->block_rows = rows;
        m->own[0] = (double)f->heaviest[level];
    } else {
        m->path = items;
        m->block_rows = (double)f->rows / (double)g->blocks;
        m->own[0] = fmin((double)f->row_max, room);
    }
    m->contended = m->own[0] / 1e3;
}

const struct kernel csr_stream_kernel = {
    .name = "csr-stream",
    .about =
        "products go to shared memory and are summed there by row (CPU: equal numbers of rows or entries per thread)",
    .layout = &csr_layout,
    .params = stream_params,
    .sweep = stream_sweep,
    .sweep_cpu = stream_sweep_cpu,
    .revision = 2,
    .work = WORK_OTHER,
    .prepares = true,
    .deterministic = is_ordered,
    .grid = stream_grid,
    .mapping = stream_mapping,
    .spmv_cpu = stream_cpu
};
