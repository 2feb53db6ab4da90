/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: strips, configurations for blocks, the search, and the decision (planning.h). */
#include "forecast/planning.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "formats/format.h"

enum {
    PAPER_STRIPS =
        1489, /* guo2014's largest number of strips (Webbase): strips of S_CSR rows up to it, of S_ELL rows above */
    OWN_STRIPS = 2000,  /* maximum number of strips for other models */
    OWN_ROWS = 256,     /* their rows per strip are a multiple of this */
    GUIDE_STRIPS = 64,  /* maximum number of strips if forecasts of blocks are expensive and only guide the search */
    GUIDE_ROWS = 1024,  /* rows per longer strip are then a multiple of this, so that feature groups are not cut */
    FULL_STRIPS = 6000, /* maximum number of strips if every pair must be forecast: more take minutes */
    GUIDE_MOST = 512    /* the same if forecasts of blocks are expensive: 50 s for R-MAT with 107 configurations */
};

static const char *reasons(void)
{
    return error_in_program() ? "spmv-predict --all prints the reasons" : "spmvcast_row.reason has the reasons";
}

/* ---- strips and choices */

/* FAIL: too many strips for the model. */
static int choose_strip_rows(const struct planning_terms *t, const struct geometry *g, int64_t rows,
                             int64_t *strip_rows, char why[ERRLEN])
{
    const struct model *m = t->model;
    int64_t n = t->strip_rows;
    if (n == 0 && m->literal) {
        n = geometry_strip(g, CUDA_WARP);
        if ((rows + n - 1) / n > PAPER_STRIPS)
            n = geometry_strip(g, 1);
        n = (n + PLANNING_STRIP_UNIT - 1) / PLANNING_STRIP_UNIT * PLANNING_STRIP_UNIT;
    } else if (n == 0 && m->blocks_guide) {
        n = (rows + GUIDE_STRIPS - 1) / GUIDE_STRIPS;
        const int64_t unit = n < GUIDE_ROWS ? OWN_ROWS : GUIDE_ROWS;
        n = (n + unit - 1) / unit * unit;
    } else if (n == 0) {
        n = (rows + OWN_STRIPS - 1) / OWN_STRIPS;
        n = n < OWN_ROWS ? OWN_ROWS : (n + OWN_ROWS - 1) / OWN_ROWS * OWN_ROWS;
    }
    const int64_t strips = (rows + n - 1) / n, most = m->blocks_guide  ? GUIDE_MOST
                                                      : m->block_floor ? INT32_MAX / 2
                                                                       : FULL_STRIPS;
    if (strips > most)
        return fail(why, "%s of %s are too many for model %s (at most %" PRId64 ")%s", counted(strips, "strip").text,
                    counted(n, "row").text, m->name, most,
                    error_in_program() ? "; give larger strips with --strip-rows" : "");
    *strip_rows = n;
    return 0;
}

static bool kernel_is_ranked(const struct outlook *o, const struct kernel *k)
{
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (o->row[i].config.kernel == k)
            return true;
    return false;
}

/* Chooses the configurations for blocks: the best of each kernel, or all with `all`, `configs` or a model that only guides the search; also
 * those of kernels without a forecast for the whole matrix, which may have one for a block. Leaves out library kernels. */
static int choose_configs(struct planned *a, const struct planning_terms *t, char why[ERRLEN])
{
    const struct outlook *o = a->outlook;
    struct blocks *b = a->blocks;
    const bool any = t->all || t->configs->n > 0 || b->model->blocks_guide;
    char reason[ERRLEN];
    TEXT_SET(a->left_out_why, "no configuration is applicable to this matrix");
    for (int i = 0; i < o->n; i++) {
        const struct outlook_row *r = &o->row[i];
        const struct kernel *k = r->config.kernel;
        bool wanted = any ? r->shown : r->best_of_kernel || !kernel_is_ranked(o, k);
        if (wanted && !k->library
            && blocks_add(b, &a->question->profile, a->sketch, &r->config, &o->target, reason) != 0
            && a->left_out++ == 0)
            TEXT_SET(a->left_out_why, reason);
    }
    return b->n > 0 ? 0 : fail(why, "cannot plan: %.400s (%s)", a->left_out_why, reasons());
}

/* ---- the search */

/* Is there a gain beyond the uncertainty, or any, if that suffices? */
static bool is_gain(const struct planned *a, const struct pick_gain *gain)
{
    return a->always || isnan(gain->low) ? gain->ratio > 1 : gain->low > 1;
}

/* Takes the blocks of the dynamic program, or keeps the matrix whole. */
static void decide(struct planned *a, const struct planning_terms *t, const struct dp_partition *plan)
{
    const struct question *q = a->question;
    struct split *split = a->split;
    const struct split_terms terms = { &q->profile, &q->matrix.csr, a->sketch, a->outlook, t->configs, a->blocks };
    split_make(&terms, plan, split);
    const struct pick_row whole = outlook_pick_row(a->single), pick = outlook_pick_row(a->pick);
    a->blocks_found = split->n;
    a->found = split_pick_row(split);
    a->gain = pick_gain(&a->found, &whole, a->outlook->terms.products);
    a->gain_pick = pick_gain(&a->found, &pick, a->outlook->terms.products);
    if (split->n == 1 || !(is_gain(a, &a->gain_pick) || is_gain(a, &a->gain)))
        split_keep_whole(split, a->sketch, a->single);
}

/* The search may wrongly find no split, because its forecasts only guide it. Takes the best cut into two blocks instead, if there is one
 * (strips without entries have none), for decide() to compare. */
static void try_best_cut(struct blocks *b, int strips, struct dp_partition *plan)
{
    struct dp_partition cut;
    blocks_best_cut(b, strips, &cut);
    if (isinf(cut.time_s)) {
        dp_free(&cut);
        return;
    }
    dp_free(plan);
    *plan = cut;
}

static int search(struct planned *a, const struct planning_terms *t, char why[ERRLEN])
{
    const int strips = a->sketch->n;
    struct dp_partition plan;
    if (choose_configs(a, t, why) != 0)
        return FAIL;
    blocks_solve(a->blocks, strips, &plan);
    if (plan.n == 1 && t->model->blocks_guide && strips > 1)
        try_best_cut(a->blocks, strips, &plan);
    const bool found = !isinf(plan.time_s);
    if (found)
        decide(a, t, &plan);
    dp_free(&plan);
    return found ? 0
                 : fail(why, "model %s has no forecast that covers all %s (%s)", t->model->name,
                        counted(strips, "strip").text, reasons());
}

int planning_make(const struct question *q, const struct outlook *o, const struct planning_terms *t, struct planned *a,
                  char why[ERRLEN])
{
    int64_t strip_rows = 0;
    *a = (struct planned){ .question = q, .outlook = o, .pick = outlook_pick(o), .always = t->always };
    a->single = a->pick && !a->pick->config.kernel->library ? a->pick : outlook_choice_ours(o).row;
    if (!a->single && a->pick)
        return fail(why, "cannot plan: only library kernels have a forecast%s, and plans do not use these",
                    o->named > 0 ? " of those named" : "");
    if (!a->single)
        return fail(why, "cannot plan: no configuration has a forecast for this matrix (%s)", reasons());
    if (choose_strip_rows(t, &q->profile.device, q->features.rows, &strip_rows, why) != 0)
        return FAIL;
    a->sketch = xcalloc(1, sizeof *a->sketch);
    a->blocks = xcalloc(1, sizeof *a->blocks);
    a->split = xcalloc(1, sizeof *a->split);
    sketch_of(&q->matrix.csr, strip_rows, a->sketch);
    sketch_copy_values(a->sketch, &q->features);
    blocks_open(a->blocks, t->model, t->branching);
    const int status = search(a, t, why);
    if (status != 0)
        planning_free(a);
    return status;
}

bool planning_library_ahead(const struct planned *a)
{
    return a->pick->config.kernel->library && (a->split->n == 1 || !is_gain(a, &a->gain_pick));
}

void planning_free(struct planned *a)
{
    if (a->split)
        split_free(a->split);
    if (a->blocks)
        blocks_close(a->blocks);
    if (a->sketch)
        sketch_free(a->sketch);
    free(a->split);
    free(a->blocks);
    free(a->sketch);
    *a = (struct planned){ 0 };
}
