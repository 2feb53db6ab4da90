/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans as trials (plan_trial.h). */
#include "measure/plan_trial.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/build.h"

int plan_trial_check(const struct plan *plan, struct subject *s, char why[ERRLEN])
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

/* Sets up the blocks, whose configurations are not resolved yet. */
static void begin(struct bench *b, const struct plan *plan, const struct subject *s, const struct target *t,
                  struct operator* o)
{
    operator_begin(o, b->device, t, s->features.rows, (int)plan->row.blocks);
    o->parallel = strcmp(plan->row.exec, "parallel") == 0;
    for (int i = 0; i < o->n; i++) {
        const struct block_row *row = &plan->block[i];
        o->block[i].first_row = row->first_row;
        o->block[i].rows = row->rows;
        const struct config *known = config_known(row->config, NULL);
        if (!known)
            bug("invalid configuration in a loaded plan: %s", row->config);
        o->block[i].config = *known;
    }
}

static void add_bytes(struct bytes *sum, const struct bytes *b)
{
    sum->traffic.values += b->traffic.values;
    sum->traffic.indices += b->traffic.indices;
    sum->traffic.pointers += b->traffic.pointers;
    sum->traffic.padding += b->traffic.padding;
    sum->traffic.unsure += b->traffic.unsure;
    sum->traffic.skipped += b->traffic.skipped;
    sum->exact &= b->exact;
    if (!isnan(b->count_s))
        sum->count_s = b->count_s + (isnan(sum->count_s) ? 0 : sum->count_s);
}

/* Resolves the configuration of block i. Sets `why` to the reason why it cannot run here; else adds its bytes, and *grid is that of its
 * launch. */
static void look_at(struct bench *b, const struct subject *s, const struct target *t, struct trial *e, int i,
                    struct grid *grid, char why[ERRLEN])
{
    struct operator_block *block = &e->operator.block[i];
    const struct kernel *k = block->config.kernel;
    const struct csr_view view = csr_view_rows(&s->matrix.csr, block->first_row, block->first_row + block->rows);
    struct features f;
    struct config resolved;
    struct bytes bytes;
    char inner[ERRLEN];

    features_of_view(&view, &f);
    features_copy_values(&f, &s->features);
    if (!b->device->backend->has_kernel(k))
        fail(why, "block %d: %s does not run on this device", i + 1, k->name);
    else if (config_resolve(&block->config, &f, t, &resolved, inner) || kernel_applicable(&f, &resolved, t, inner))
        fail(why, "block %d: %.400s", i + 1, inner);
    else if (bytes_estimate(&f, &resolved, t, &bytes) || kernel_grid(&f, &resolved, t, grid))
        fail(why, "block %d: cannot determine the bytes or the launch grid of %s on this device", i + 1, k->name);
    else {
        block->config = resolved;
        block->resolved = true;
        e->deterministic &= kernel_deterministic(&resolved);
        bytes_count(&view, &f, &resolved, t, &bytes);
        add_bytes(&e->bytes, &bytes);
    }
    features_free(&f);
}

/* Sets `why` to the reason why a block cannot run here ("" if all can), and the bytes and the grid of the first
 * block. */
static void look(struct bench *b, const struct subject *s, const struct target *t, struct trial *e, char why[ERRLEN])
{
    struct grid grid;

    why[0] = 0;
    e->deterministic = true;
    e->bytes = (struct bytes){ .count_s = NAN, .exact = true };
    if (e->operator.parallel && !b->device->backend->branches)
        fail(why, "this device does not support parallel blocks; make the plan with --exec serial");
    for (int i = 0; i < e->operator.n && !why[0]; i++) {
        look_at(b, s, t, e, i, &grid, why);
        if (i == 0)
            e->grid = grid;
    }
    /* x and y count once for all blocks */
    traffic_vectors(&s->features, t, &e->bytes.traffic);
}

int plan_trial_add(struct bench *b, const struct plan *plan, struct subject *s, const struct target *t,
                   struct item_done *count, struct trial **entries, int n, finish_row *finish)
{
    struct target row_target = *t;
    struct trial e = { .asked = "", .plan = true };
    char why[ERRLEN];
    int64_t revision = 0;

    begin(b, plan, s, t, &e.operator);
    plan_config(&plan->row, e.text);
    memcpy(e.key, e.text, sizeof e.key);
    look(b, s, t, &e, why);
    for (int i = 0; i < e.operator.n; i++)
        revision += kernel_revision(&e.operator.block[i].config);
    for (int c = 0; c < NCACHES; c++) {
        row_target.cache = (enum cache)c;
        row_begin(b, s, &row_target, "plan", "plan", revision, e.text, e.asked, &e.row[c]);
    }
    /* Report the plan even if its rows are na, since they refer to it. */
    b->report_plan(b->arg, plan);
    if (!trial_take(b, s, &e, why, count, finish)) {
        operator_free(&e.operator);
        return n;
    }
    *entries = xrealloc(*entries, (unsigned long)(n + 1) * sizeof **entries);
    (*entries)[n] = e;
    return n + 1;
}
