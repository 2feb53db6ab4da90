/* SPDX-License-Identifier: BSD-3-Clause */
/* E(i, j) of the plan: the lowest forecast over all configurations (block_costs.h). */
#include "forecast/block_costs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void blocks_open(struct blocks *b, const struct model *m, const struct branching *branching)
{
    *b = (struct blocks){ .model = m, .branching = branching };
}

int blocks_add(struct blocks *b, const struct profile *p, const struct sketch *s, const struct config *c,
               const struct target *t, char why[ERRLEN])
{
    char text[CONFIG_LEN];
    /* Models with a floor get the resolved text: physics-gp looks up its general form itself, and guo2014-regimes uses
     * one k (HYB: that of the whole matrix) for all blocks. Other models resolve "auto" per block. */
    if (b->model->block_floor)
        config_print(c, text);
    else
        config_general(c, &s->whole, t, text);
    for (int i = 0; i < b->n; i++)
        if (strcmp(b->choice[i].text, text) == 0)
            return 0;
    if (b->n == CHOICES)
        return fail(why, "more than %d configurations in one plan; select fewer with -c", CHOICES);
    struct choice *choice = &b->choice[b->n];
    memcpy(choice->text, text, sizeof text);
    const struct config *known = config_known(text, why);
    if (!known)
        bug("cannot parse configuration %s: %s", text, why);
    choice->config = *known;
    choice->cost = b->model->blocks_open(p, s, &choice->config, t, why);
    if (!choice->cost)
        return FAIL;
    b->n++;
    return 0;
}

void blocks_close(struct blocks *b)
{
    for (int i = 0; i < b->n; i++)
        b->model->blocks_close(b->choice[i].cost);
    b->n = 0;
}

double blocks_launch(const struct blocks *b, int choice)
{
    return b->branching ? b->model->block_launch(b->choice[choice].cost) : 0.0;
}

double blocks_time(const struct blocks *b, int choice, int first, int last)
{
    return b->model->block_time(b->choice[choice].cost, first, last);
}

/* Returns the seconds to add to a block's time to get E. They are the same for all blocks, so a floor of the time plus
 * them is a floor of E. */
static double added(const struct blocks *b, int choice)
{
    return b->branching ? b->branching->branch_s - blocks_launch(b, choice) : 0.0;
}

double blocks_min(const struct blocks *b, int first, int last, int *choice)
{
    double best = INFINITY;
    *choice = -1;
    for (int i = 0; i < b->n; i++) {
        double t = blocks_time(b, i, first, last) + added(b, i);
        if (t < best) {
            best = t;
            *choice = i;
        }
    }
    return best;
}

static double least_time(void *self, int first, int last)
{
    int choice;
    return blocks_min(self, first, last, &choice);
}

static double least_floor(void *self, int first, int last)
{
    const struct blocks *b = self;
    double least = INFINITY;
    for (int i = 0; i < b->n; i++)
        least = fmin(least, b->model->block_floor(b->choice[i].cost, first, last) + added(b, i));
    return least;
}

struct dp_cost blocks_cost(struct blocks *b)
{
    return (struct dp_cost){ least_time, b, b->model->block_floor ? least_floor : NULL };
}

void blocks_solve(struct blocks *b, int strips, struct dp_partition *plan)
{
    struct dp_cost cost = blocks_cost(b);
    (b->model->block_floor ? dp_pruned : dp_full)(strips, &cost, plan);
}

void blocks_best_cut(struct blocks *b, int strips, struct dp_partition *plan)
{
    int choice;
    *plan = (struct dp_partition){ .n = 2, .last = xmalloc(2 * sizeof *plan->last), .time_s = INFINITY };
    plan->last[0] = 0;
    plan->last[1] = strips - 1;
    for (int k = 0; k + 1 < strips; k++) {
        const double time_s = blocks_min(b, 0, k, &choice) + blocks_min(b, k + 1, strips - 1, &choice);
        if (time_s < plan->time_s) {
            plan->time_s = time_s;
            plan->last[0] = k;
        }
    }
}
