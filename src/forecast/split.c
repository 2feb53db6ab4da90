/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the blocks of a plan and their forecasts (split.h). */
#include "forecast/split.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"

/* ---- one block */

static void block_begin(const struct split_terms *t, int first, int last, struct split_block *b)
{
    const struct sketch *s = t->sketch;
    const int64_t row = (int64_t)first * s->strip_rows, end = (int64_t)(last + 1) * s->strip_rows;
    *b = (struct split_block){ .first = first, .last = last, .time_s = INFINITY, .low_s = NAN, .high_s = NAN };
    features_of_rows(t->csr, row, end < t->csr->rows ? end : t->csr->rows, &b->features);
    features_copy_values(&b->features, &s->whole);
}

/* Sets the costs of a block that uses r. The copy of its rows of CSR is in proportion to its entries. */
static void take_costs(const struct split_terms *t, const struct outlook_row *r, struct split_block *b)
{
    const struct outlook *o = t->whole;
    const double share = (double)b->features.nnz / (double)t->sketch->whole.nnz;
    b->convert_s = costs_convert(r->cost_s, r->csr, o->terms.location, share * o->csr_upload_s, o->own_memory);
    b->prepare_s = o->preparations ? r->cost_s[COST_PREPARE] : 0;
}

/* Sets the configuration and time that the dynamic program used. */
static void block_by_costs(const struct split_terms *t, struct split_block *b)
{
    char why[ERRLEN];
    int choice;
    if (isinf(blocks_min(t->blocks, b->first, b->last, &choice)))
        return;
    const struct choice *c = &t->blocks->choice[choice];
    b->time_s = blocks_time(t->blocks, choice, b->first, b->last);
    if (config_resolve(&c->config, &b->features, &t->whole->target, &b->config, why) != 0)
        bug("%s has a time for strips %d..%d but cannot be resolved: %s", c->text, b->first, b->last, why);
    struct outlook_row row = { .config = b->config };
    outlook_forecast(t->profile, t->blocks->model, &b->features, &t->whole->target, &row);
    b->status = row.status;
    take_costs(t, &row, b);
}

/* Sets the configuration that is recommended for the rows of the block, and its forecast. Library kernels are skipped. */
static void block_by_forecast(const struct split_terms *t, struct split_block *b)
{
    char why[ERRLEN];
    struct outlook o;
    if (b->features.nnz == 0
        || outlook_make(t->profile, t->blocks->model, &b->features, &t->whole->target, t->asked, &o, why) != 0)
        return;
    outlook_rank(&o, &t->whole->terms);
    const struct outlook_row *r = outlook_choice_ours(&o).row;
    if (r) {
        b->config = r->config;
        b->status = r->status;
        b->time_s = r->forecast.time_s;
        b->low_s = r->forecast.low_s;
        b->high_s = r->forecast.high_s;
        take_costs(t, r, b);
    }
    outlook_free(&o);
}

static void block_make(const struct split_terms *t, int first, int last, struct split_block *b)
{
    block_begin(t, first, last, b);
    (t->blocks->model->blocks_guide ? block_by_forecast : block_by_costs)(t, b);
}

/* ---- the whole plan */

enum end { TIME, LOW, HIGH };

static double end_of(const struct split_block *b, enum end e)
{
    return e == TIME ? b->time_s : e == LOW ? b->low_s : b->high_s;
}

/* Returns the launch part of a block's time. It is the same for all configurations of a model that only guides the
 * search. */
static double launch_of(const struct split_terms *t, const struct split_block *b)
{
    int choice = 0;
    if (!t->blocks->model->blocks_guide)
        blocks_min(t->blocks, b->first, b->last, &choice);
    return blocks_launch(t->blocks, choice);
}

static double together(const struct split_terms *t, const struct split *s, enum end e)
{
    double *time_s = xcalloc((unsigned long)s->n, sizeof *time_s),
           *launch_s = xcalloc((unsigned long)s->n, sizeof *launch_s), sum = 0;
    for (int i = 0; i < s->n; i++) {
        sum += time_s[i] = end_of(&s->block[i], e);
        if (t->blocks->branching)
            launch_s[i] = launch_of(t, &s->block[i]);
    }
    if (t->blocks->branching && isfinite(sum))
        sum = exec_parallel(t->blocks->branching, time_s, launch_s, s->n);
    free(time_s);
    free(launch_s);
    return sum;
}

static void add_up(const struct split_terms *t, struct split *s)
{
    s->time_s = together(t, s, TIME);
    s->low_s = together(t, s, LOW);
    s->high_s = together(t, s, HIGH);
    s->setup_s = 0;
    for (int i = 0; i < s->n; i++)
        s->setup_s += s->block[i].convert_s + s->block[i].prepare_s;
}

/* Returns the total of the products and the set-up, or the time of one product if they are unlimited or the set-up is unknown. */
static double value_of(const struct split_terms *t, const struct split *s)
{
    const struct pick_row row = split_pick_row(s);
    return pick_value(&row, isnan(s->setup_s) ? 0 : t->whole->terms.products);
}

/* ---- joining neighbours */

static void block_copy(const struct split_block *from, struct split_block *to)
{
    *to = *from;
    features_copy(&from->features, &to->features);
}

static void split_copy(const struct split *from, struct split *to)
{
    *to = *from;
    to->block = xcalloc((unsigned long)from->n, sizeof *to->block);
    for (int i = 0; i < from->n; i++)
        block_copy(&from->block[i], &to->block[i]);
}

/* Copies s with `joint` in place of blocks i and i + 1. The copy shares the features of s and `joint`. */
static void join(const struct split *s, int i, const struct split_block *joint, struct split *out)
{
    *out = (struct split){ .n = s->n - 1, .block = xcalloc((unsigned long)s->n, sizeof *out->block) };
    memcpy(out->block, s->block, (size_t)i * sizeof *s->block);
    out->block[i] = *joint;
    memcpy(out->block + i + 1, s->block + i + 2, (size_t)(s->n - i - 2) * sizeof *s->block);
}

static double time_joined(const struct split_terms *t, const struct split *s, int i, const struct split_block *joint)
{
    struct split trial;
    join(s, i, joint, &trial);
    const double time_s = together(t, &trial, TIME);
    free(trial.block);
    return time_s;
}

/* Returns the i for which the plan with joint[i], blocks i and i + 1 of s as one, has the lowest time. */
static int best_joint(const struct split_terms *t, const struct split *s, const struct split_block *joint)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i + 1 < s->n; i++) {
        const double time_s = time_joined(t, s, i, &joint[i]);
        if (time_s < least) {
            least = time_s;
            best = i;
        }
    }
    return best;
}

/* Joins neighbours, one pair at a time, down to two blocks. Replaces *best if a partition found is faster. */
static void join_neighbours(const struct split_terms *t, struct split *best)
{
    struct split s;
    split_copy(best, &s);
    struct split_block *joint = xcalloc((unsigned long)s.n, sizeof *joint);
    for (int i = 0; s.n > 2 && i + 1 < s.n; i++)
        block_make(t, s.block[i].first, s.block[i + 1].last, &joint[i]);
    int njoint = s.n > 2 ? s.n - 1 : 0;
    while (s.n > 2) {
        const int i = best_joint(t, &s, joint);
        features_free(&s.block[i].features);
        features_free(&s.block[i + 1].features);
        s.block[i] = joint[i];
        memmove(s.block + i + 1, s.block + i + 2, (size_t)(s.n - i - 2) * sizeof *s.block);
        s.n--;
        memmove(joint + i, joint + i + 1, (size_t)(njoint - i - 1) * sizeof *joint);
        njoint--;
        for (int k = i > 0 ? i - 1 : 0; k <= i && k < njoint; k++) {
            features_free(&joint[k].features);
            block_make(t, s.block[k].first, s.block[k + 1].last, &joint[k]);
        }
        add_up(t, &s);
        if (value_of(t, &s) < value_of(t, best)) {
            split_free(best);
            split_copy(&s, best);
        }
    }
    for (int i = 0; i < njoint; i++)
        features_free(&joint[i].features);
    free(joint);
    split_free(&s);
}

void split_make(const struct split_terms *t, const struct dp_partition *plan, struct split *s)
{
    *s = (struct split){ .n = plan->n, .block = xcalloc((unsigned long)plan->n, sizeof *s->block) };
    for (int i = 0; i < plan->n; i++)
        block_make(t, i ? plan->last[i - 1] + 1 : 0, plan->last[i], &s->block[i]);
    add_up(t, s);
    if (t->blocks->model->blocks_guide)
        join_neighbours(t, s);
}

struct pick_row split_pick_row(const struct split *s)
{
    return (struct pick_row){ s->time_s, s->low_s, s->high_s, s->setup_s, .converts = true };
}

void split_keep_whole(struct split *s, const struct sketch *sketch, const struct outlook_row *r)
{
    const struct forecast *f = &r->forecast;
    split_free(s);
    *s = (struct split){ 1, xcalloc(1, sizeof *s->block), f->time_s, f->low_s, f->high_s, r->setup_s };
    s->block[0] = (struct split_block){ .last = sketch->n - 1,
                                        .config = r->config,
                                        .status = r->status,
                                        .time_s = f->time_s,
                                        .low_s = f->low_s,
                                        .high_s = f->high_s,
                                        .convert_s = r->convert_s,
                                        .prepare_s = r->prepare_s };
    features_copy(&sketch->whole, &s->block[0].features);
}

void split_free(struct split *s)
{
    for (int i = 0; i < s->n; i++)
        features_free(&s->block[i].features);
    free(s->block);
    *s = (struct split){ 0 };
}
