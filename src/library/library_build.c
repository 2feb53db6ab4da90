/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators of matrix handles, and what the info says of them (library_matrix_inside.h). */
#include <inttypes.h>
#include <math.h>
#include "library/library_matrix_inside.h"

/* CSR itself takes nothing more. */
int64_t build_extra_bytes(const struct operator* o)
{
    return o->n == 1 && o->block[0].config.kernel->layout == kernel_baseline()->layout ? 0 : o->bytes;
}

double build_setup_s(const struct operator* o)
{
    return conversion_costs_total(&o->costs) + (isnan(o->costs.prepare_s) ? 0 : o->costs.prepare_s);
}

bool build_deterministic(const struct operator* o)
{
    bool all = true;
    for (int i = 0; i < o->n; i++)
        all = all && kernel_deterministic(&o->block[i].config);
    return all;
}

spmvcast_status build_blocks(spmvcast_context *c, const spmvcast_matrix *m, struct handle *h,
                             const struct handle_blocks *blocks, const char *text, int64_t limit)
{
    struct csr_view view;
    const struct matrix_source from = source_of(m, &view);
    const spmvcast_status status = handle_make(c, h, m->device->device, &m->target, m->info.rows, blocks, &from);
    if (status != SPMVCAST_OK || limit < 0 || build_extra_bytes(&h->operator) <= limit)
        return status;
    const int64_t bytes = build_extra_bytes(&h->operator);
    handle_free(h);
    return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "%.200s takes %" PRId64 " bytes, more than memory_limit, %" PRId64,
                          text, bytes, limit);
}

spmvcast_status build_chosen(spmvcast_context *c, const spmvcast_matrix *m, struct handle *h, const struct chosen *x,
                             int64_t limit)
{
    const struct operator_block whole = { .rows = m->info.rows, .config = x->config, .resolved = true };
    const struct handle_blocks blocks = { .n = 1, .at = &whole };
    return build_blocks(c, m, h, &blocks, x->text, limit);
}

void build_describe(spmvcast_matrix *m, const struct chosen *c, char text[CONFIG_LEN])
{
    const struct config *config = &m->handle.operator.block[0].config;
    config_print(config, text);
    m->info.config = text;
    m->info.time_s = c->time_s;
    m->info.low_s = c->low_s;
    m->info.high_s = c->high_s;
    m->info.kernel = config->kernel->name;
    if (m->info.choice == SPMVCAST_BY_FORECAST && isnan(c->time_s)) /* the rule's, since the others did not hold it */
        m->info.choice = SPMVCAST_BY_RULE;
}

void build_note(spmvcast_matrix *m, bool read)
{
    const struct operator* o = & m->handle.operator;
    const bool callers =
        !m->host.row_ptr && (!m->owned[0] || (m->info.nnz > 0 && !(m->owned[1] && m->owned[2]))); /* some array is */
    m->info.convert_s = conversion_costs_total(&o->costs);
    m->info.prepare_s = o->costs.prepare_s;
    m->info.deterministic = build_deterministic(o) && !m->info.trying;
    m->info.extra_bytes = build_extra_bytes(o);
    m->info.refers = callers && (o->refers || read);
}

void build_drop(spmvcast_matrix *m, bool read)
{
    const bool to_transpose = m->transpose && !m->transposed;
    if (!m->updates && !to_transpose && !m->handle.operator.refers && !read)
        source_drop(m);
}
