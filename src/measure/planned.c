/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans on a device (planned.h). */
#include "measure/planned.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "formats/build.h"

struct block { /* a block of the plan and its layout on the device */
    struct config config;
    struct csr_view view;
    int64_t y_offset;        /* bytes */
    struct storage *storage; /* in the memory of the device */
    struct launch launch;
    bool prepared;
};

struct planned {
    const struct plan *plan;
    bool parallel;
    int n;
    struct block *block;
    struct launch *part; /* [n] launches of the blocks, while prepared */
    int64_t *y_offset;   /* [n] */
};

int planned_check(const struct plan *plan, struct subject *s, char why[ERRLEN])
{
    char *id = s->matrix.matrix_id;

    if (subject_csr(s, why))
        return FAIL;
    if (!id[0]) /* recipes are expanded once for all plans */
        csr_matrix_id(&s->matrix.csr, id);
    if (strcmp(id, plan->row.matrix_id) == 0)
        return 0;
    return fail(why,
                "the plan is for matrix %s, %" PRId64 " x %" PRId64 " with %" PRId64
                " nonzeros (matrix_id %.12s...), not for %s, %" PRId64 " x %" PRId64 " with %" PRId64
                " nonzeros (matrix_id %.12s...); make a new plan with spmv-plan",
                plan->row.matrix, plan->row.rows, plan->row.cols, plan->row.nnz, plan->row.matrix_id, s->matrix.name,
                s->features.rows, s->features.cols, s->features.nnz, id);
}

void planned_free(struct planned *p)
{
    if (!p)
        return;
    free(p->block);
    free(p->part);
    free(p->y_offset);
    free(p);
}

/* ---- as a trial */
static struct planned *planned_new(const struct plan *plan, const struct subject *s, const struct target *t)
{
    struct planned *p = xcalloc(1, sizeof *p);
    char why[ERRLEN];

    p->plan = plan;
    p->parallel = strcmp(plan->row.exec, "parallel") == 0;
    p->n = (int)plan->row.blocks;
    p->block = xcalloc((unsigned long)p->n, sizeof *p->block);
    p->part = xcalloc((unsigned long)p->n, sizeof *p->part);
    p->y_offset = xcalloc((unsigned long)p->n, sizeof *p->y_offset);
    for (int i = 0; i < p->n; i++) {
        const struct block_row *row = &plan->block[i];
        if (config_parse(row->config, &p->block[i].config, why))
            bug("invalid configuration in a loaded plan: %s", row->config);
        p->block[i].view = csr_view_rows(&s->matrix.csr, row->first_row, row->first_row + row->rows);
        p->block[i].y_offset = row->first_row * precision_bytes(t->precision);
    }
    return p;
}

static void add_bytes(struct bytes *sum, const struct bytes *b)
{
    sum->traffic.values += b->traffic.values;
    sum->traffic.indices += b->traffic.indices;
    sum->traffic.pointers += b->traffic.pointers;
    sum->traffic.padding += b->traffic.padding;
    sum->exact &= b->exact;
    if (!isnan(b->count_s))
        sum->count_s = b->count_s + (isnan(sum->count_s) ? 0 : sum->count_s);
}

/* Sets `why` to the reason why a block cannot run here ("" if all can), and the bytes and the grid of the first
 * block. */
static void look(const struct bench *b, const struct subject *s, const struct target *t, struct trial *e,
                 char why[ERRLEN])
{
    struct planned *p = e->planned;
    char inner[ERRLEN];

    why[0] = 0;
    e->deterministic = true;
    e->bytes = (struct bytes){ .count_s = NAN, .exact = true };
    if (p->parallel && !b->device->backend->branches)
        fail(why, "this device does not support parallel blocks; make the plan with --exec serial");
    for (int i = 0; i < p->n && !why[0]; i++) {
        struct block *block = &p->block[i];
        const struct kernel *k = block->config.kernel;
        struct features f;
        struct config resolved;
        struct bytes bytes;
        struct grid grid;
        features_of_view(&block->view, &f);
        if (!b->device->backend->has_kernel(k))
            fail(why, "block %d: %s does not run on this device", i + 1, k->name);
        else if (config_resolve(&block->config, &f, t, &resolved, inner)
                 || k->layout->applicable(&f, &resolved, t, inner))
            fail(why, "block %d: %.400s", i + 1, inner);
        else if (bytes_estimate(&f, &resolved, t, &bytes) || kernel_grid(&f, &resolved, t, &grid))
            fail(why, "block %d: cannot determine the bytes or the launch grid of %s on this device", i + 1, k->name);
        else {
            block->config = resolved;
            e->deterministic &= kernel_deterministic(&resolved);
            bytes_count(&block->view, &f, &resolved, t, &bytes);
            add_bytes(&e->bytes, &bytes);
            if (i == 0)
                e->grid = grid;
        }
        features_free(&f);
    }
    /* x and y count once for all blocks */
    traffic_vectors(&s->features, t, &e->bytes.traffic);
}

int planned_add(struct bench *b, const struct plan *plan, struct subject *s, const struct target *t,
                struct item_done *count, struct trial **entries, int n, finish_row *finish)
{
    struct target row_target = *t;
    struct trial e = { .asked = "" };
    char why[ERRLEN];
    int64_t revision = 0;

    e.planned = planned_new(plan, s, t);
    plan_config(&plan->row, e.text);
    memcpy(e.key, e.text, sizeof e.key);
    look(b, s, t, &e, why);
    for (int i = 0; i < e.planned->n; i++)
        revision += kernel_revision(&e.planned->block[i].config);
    for (int c = 0; c < NCACHES; c++) {
        row_target.cache = (enum cache)c;
        row_begin(b, s, &row_target, "plan", "plan", revision, e.text, e.asked, &e.row[c]);
    }
    /* Report the plan even if its rows are na, since they refer to it. */
    b->report_plan(b->arg, plan);
    if (!trial_take(b, s, &e, why, count, finish)) {
        planned_free(e.planned);
        return n;
    }
    *entries = xrealloc(*entries, (unsigned long)(n + 1) * sizeof **entries);
    (*entries)[n] = e;
    return n + 1;
}

/* ---- on the device */
static int run_serial(void *plan, const void *x, void *y, enum y_mode mode, struct stream *s)
{
    const struct planned *p = plan;

    for (int i = 0; i < p->n; i++)
        if (p->part[i].run(p->part[i].prepared, x, (char *)y + p->y_offset[i], mode, s))
            return FAIL;
    return 0;
}

struct costs {
    double convert_s, upload_s, prepare_s;
    int64_t bytes;
};

/* Builds, uploads and prepares one block. */
static int prepare_block(struct stage *s, struct block *b, struct costs *costs, char why[ERRLEN])
{
    struct device *d = s->bench->device;
    const struct layout *layout = b->config.kernel->layout;
    const double begun_s = now_s();
    struct storage *built;
    int status = layout->build(&b->view, &b->config, &s->target, &built, why);

    if (status)
        return status;
    const double built_s = now_s();
    status = d->backend->upload(d, built, &b->storage, why);
    costs->convert_s += built_s - begun_s;
    costs->upload_s += now_s() - built_s;
    storage_free(built);
    if (status)
        return status;
    double prepare_s;
    costs->bytes += b->storage->bytes;
    status = stage_ready(s, b->storage, &b->config, &b->launch, &prepare_s, why);
    b->prepared = !status;
    costs->prepare_s += prepare_s;
    return status;
}

int planned_prepare(struct stage *s, struct trial *e, char why[ERRLEN])
{
    struct planned *p = e->planned;
    struct device *d = s->bench->device;
    struct costs costs = { 0 };
    int status = 0;

    for (int i = 0; i < p->n && !status; i++) {
        char inner[ERRLEN];
        status = prepare_block(s, &p->block[i], &costs, inner);
        if (status)
            fail(why, "block %d: %.450s", i + 1, inner);
        p->part[i] = p->block[i].launch;
        p->y_offset[i] = p->block[i].y_offset;
    }
    if (!status && p->parallel)
        status = d->backend->branches(d, p->part, p->y_offset, p->n, &e->launch, why);
    else if (!status)
        e->launch = (struct launch){ .run = run_serial, .prepared = p };
    if (status) {
        if (!d->lost)
            planned_release(s, e);
        return status;
    }
    for (int c = 0; c < NCACHES; c++) {
        e->row[c].storage_bytes = costs.bytes;
        e->row[c].bytes_exact &= costs.bytes == traffic_storage(&e->bytes.traffic);
        e->row[c].convert_us = 1e6 * costs.convert_s;
        e->row[c].prepare_us = 1e6 * costs.prepare_s;
        e->row[c].upload_us = kind_facts(s->target.device.kind)->own_memory ? 1e6 * costs.upload_s : (double)NAN;
    }
    return 0;
}

void planned_release(struct stage *s, struct trial *e)
{
    struct planned *p = e->planned;
    struct device *d = s->bench->device;

    if (p->parallel && e->launch.prepared)
        d->backend->branches_free(d, &e->launch);
    e->launch = (struct launch){ 0 };
    for (int i = 0; i < p->n; i++) {
        struct block *b = &p->block[i];
        if (b->prepared)
            d->backend->unprepare(&b->config, &b->launch);
        storage_free(b->storage);
        b->prepared = false;
        b->storage = NULL;
    }
}
