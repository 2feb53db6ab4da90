/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic program of guo2014 (Fig. 11), as printed (dp_full) and with exact pruning (dp_pruned). */
#include "forecast/dp.h"
#include <math.h>
#include <stdlib.h>
#include "base/error.h"

struct state {
    const struct dp_cost *cost;
    double *time;  /* T[j]: lowest time of strips 0..j */
    double *least; /* [k]: minimum of T[k], T[k + 1], ... so far: lower bound of T for cuts after k or later */
    int *cut;      /* [j]: last strip of the block before that of strip j; -1: none */
    int64_t asked;
    int j, best_cut;
    double best;  /* lowest time found so far for j */
    double known; /* a time of strips 0..j that some cut reaches: cuts with a greater lower bound are skipped */
};

static double ask(struct state *s, int first)
{
    s->asked++;
    return s->cost->time(s->cost->self, first, s->j);
}

static double ask_floor(struct state *s, int first)
{
    s->asked++;
    return s->cost->floor(s->cost->self, first, s->j);
}

/* Stores T[j] and updates `least` of the earlier strips. */
static void settle(struct state *s)
{
    s->time[s->j] = s->best;
    s->cut[s->j] = s->best_cut;
    s->least[s->j] = s->best;
    for (int k = s->j - 1; k >= 0 && s->least[k] > s->best; k--)
        s->least[k] = s->best;
}

static void begin(struct state *s, int strips, const struct dp_cost *cost)
{
    *s = (struct state){ .cost = cost };
    s->time = xmalloc(sizeof *s->time * (unsigned long)strips);
    s->least = xmalloc(sizeof *s->least * (unsigned long)strips);
    s->cut = xmalloc(sizeof *s->cut * (unsigned long)strips);
}

static void finish(struct state *s, int strips, struct dp_partition *plan)
{
    *plan = (struct dp_partition){ .time_s = s->time[strips - 1], .asked = s->asked };
    for (int j = strips - 1; j >= 0; j = s->cut[j])
        plan->n++;
    plan->last = xmalloc(sizeof *plan->last * (unsigned long)plan->n);
    int b = plan->n;
    for (int j = strips - 1; j >= 0; j = s->cut[j])
        plan->last[--b] = j;
    free(s->time);
    free(s->least);
    free(s->cut);
}

void dp_full(int strips, const struct dp_cost *cost, struct dp_partition *plan)
{
    struct state s;
    begin(&s, strips, cost);
    for (s.j = 0; s.j < strips; s.j++) {
        s.best = ask(&s, 0);
        s.best_cut = -1;
        for (int k = 0; k < s.j; k++) {
            double t = s.time[k] + ask(&s, k + 1);
            if (t < s.best) {
                s.best = t;
                s.best_cut = k;
            }
        }
        settle(&s);
    }
    finish(&s, strips, plan);
}

/* Examines the cuts after strips a..b. For each such k, floor(b + 1, j) <= E[k + 1, j] and least[a] <= T[k], so their
 * sum is a lower bound. after_b: floor(b + 1, j), passed down so that each halving evaluates the floor of only one
 * block. */
static void look(struct state *s, int a, int b, double after_b)
{
    double bound = s->least[a] + after_b;
    if (bound >= s->best || bound > s->known)
        return;
    if (a == b) {
        double t = s->time[a] + (s->cost->floor == s->cost->time ? after_b : ask(s, a + 1));
        if (t < s->best) {
            s->best = t;
            s->best_cut = a;
        }
        return;
    }
    int m = a + (b - a) / 2;
    look(s, a, m, ask_floor(s, m + 1));
    look(s, m + 1, b, after_b);
}

void dp_pruned(int strips, const struct dp_cost *cost, struct dp_partition *plan)
{
    struct dp_cost floored = *cost;
    struct state s;
    if (!floored.floor)
        floored.floor = floored.time;
    begin(&s, strips, &floored);
    for (s.j = 0; s.j < strips; s.j++) {
        s.best = ask(&s, 0);
        s.best_cut = -1;
        s.known = s.best;
        if (s.j > 0) {
            int before = s.cut[s.j - 1]; /* the best cut is usually near the previous one */
            double last_alone = ask(&s, s.j);
            s.known = fmin(s.known, s.time[s.j - 1] + last_alone);
            if (before >= 0)
                s.known = fmin(s.known, s.time[before] + ask(&s, before + 1));
            look(&s, 0, s.j - 1, floored.floor == floored.time ? last_alone : ask_floor(&s, s.j));
        }
        settle(&s);
    }
    finish(&s, strips, plan);
}

void dp_free(struct dp_partition *plan)
{
    free(plan->last);
    *plan = (struct dp_partition){ 0 };
}
