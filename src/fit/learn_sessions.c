/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions (learn.h): rows measured on a device in one launch state, without a break of more than BREAK_S. Launch states follow from
 * empty kernels, but the time they add to a product with several launches (coo, hyb, cuSPARSE) differs between sessions, by up
 * to 0.6 us on an H200. It is estimated from cases that two sessions measured: one offset per kernel and target. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/stats.h"
#include "fit/learn_inside.h"

enum { BREAK_S = 900, PAIRS_MIN = 8 };
static const double short_us = 12; /* longer times hardly constrain the offset */

static bool same_case(const struct learn_case *a, const struct learn_case *b)
{
    return a->config == b->config && a->target == b->target && a->matrix == b->matrix;
}

/* Numbers the sessions by time, two numbers each: faster and slower state. Returns a number greater than all of them. */
static int number_sessions(struct learn_data *d)
{
    double *date = xmalloc(((unsigned long)d->n + 1) * sizeof *date), last = -INFINITY;
    int64_t dates = 0;
    int sessions = 0;
    for (int64_t i = 0; i < d->n; i++) {
        const double s = utc_s(d->at[i].measured);
        if (!isnan(s))
            date[dates++] = s;
    }
    stats_sort(date, dates);
    for (int64_t i = 0; i < dates; i++) {
        if (date[i] > last + BREAK_S)
            date[sessions++] = date[i];
        last = date[i];
    }
    for (int64_t i = 0; i < d->n; i++) {
        const double s = utc_s(d->at[i].measured);
        int session = 0;
        while (session + 1 < sessions && date[session + 1] <= s)
            session++;
        d->at[i].session = 2 * session + (d->at[i].state_us > 0);
    }
    free(date);
    return 2 * sessions + 2;
}

/* Renumbers sessions that share cases with another, from 1; all others become 0. Returns the number of sessions, with 0. *reference: the
 * session with the most shared cases; 0: none. */
static int number_repeating(struct learn_data *d, int sessions, int *reference)
{
    int64_t *cases = xcalloc((unsigned long)sessions + 1, sizeof *cases), most = 0;
    int *number = xcalloc((unsigned long)sessions + 1, sizeof *number), n = 1;
    for (int64_t i = 0; i + 1 < d->n; i++)
        if (same_case(&d->at[i], &d->at[i + 1]) && d->at[i].session != d->at[i + 1].session) {
            cases[d->at[i].session]++;
            cases[d->at[i + 1].session]++;
        }
    *reference = 0;
    for (int s = 0; s < sessions; s++)
        if (cases[s] > 0) {
            number[s] = n++;
            if (cases[s] > most) {
                most = cases[s];
                *reference = number[s];
            }
        }
    for (int64_t i = 0; i < d->n; i++)
        d->at[i].session = number[d->at[i].session];
    free(cases);
    free(number);
    return n;
}

struct part { /* the cases of one kernel and target */
    struct learn_data *d;
    int64_t first, end;
    int target, sessions;
    double *v; /* [d->n] */
};

/* Stores the differences of short times, session a minus session b, in p->v. Returns the number of differences. */
static int64_t differences(const struct part *p, int a, int b)
{
    int64_t n = 0;
    for (int64_t i = p->first; i + 1 < p->end; i++) {
        const struct learn_case *x = &p->d->at[i], *y = x + 1;
        if (x->target != p->target || !same_case(x, y) || fmin(x->us, y->us) > short_us)
            continue;
        if (x->session == a && y->session == b)
            p->v[n++] = x->us - y->us;
        else if (y->session == a && x->session == b)
            p->v[n++] = y->us - x->us;
    }
    return n;
}

static void take_offsets_off(const struct part *p, int reference)
{
    for (int s = 0; s < p->sessions; s++) {
        const int64_t n = s == reference ? 0 : differences(p, s, reference);
        if (n < PAIRS_MIN)
            continue;
        const double us = stats_median(p->v, n);
        for (int64_t i = p->first; i < p->end; i++) {
            struct learn_case *c = &p->d->at[i];
            if (c->session == s && c->target == p->target && c->us > 2 * us) {
                c->us -= us;
                c->state_us += us;
            }
        }
    }
}

/* Sets noise_us2. The variance of a difference is the sum of the variances of both sessions. */
static void find_noise(const struct part *p)
{
    const int m = p->sessions;
    if (m > NNLS_MAX)
        return;
    double *ata = xcalloc((unsigned long)(m * m), sizeof *ata), *aty = xcalloc((unsigned long)m, sizeof *aty),
           *variance = xcalloc((unsigned long)m, sizeof *variance);
    for (int a = 0; a < m; a++) {
        for (int b = 0; b < a; b++) {
            const int64_t n = differences(p, a, b);
            if (n < PAIRS_MIN)
                continue;
            for (int64_t i = 0; i < n; i++)
                p->v[i] = fabs(p->v[i]);
            const double deviation = stats_median(p->v, n) / 0.6745, pairs = (double)n;
            ata[a * m + a] += pairs;
            ata[b * m + b] += pairs;
            ata[a * m + b] = ata[b * m + a] = pairs;
            aty[a] += pairs * deviation * deviation;
            aty[b] += pairs * deviation * deviation;
        }
        ata[a * m + a] += 1e-3;
    }
    nnls(m, ata, aty, variance);
    for (int64_t i = p->first; i < p->end; i++)
        if (p->d->at[i].target == p->target)
            p->d->at[i].noise_us2 = variance[p->d->at[i].session];
    free(ata);
    free(aty);
    free(variance);
}

void learn_take_sessions_off(struct learn_data *d)
{
    int reference;
    if (!kind_facts(d->device.kind)->blocks) /* not a GPU: no launches */
        return;
    const int sessions = number_repeating(d, number_sessions(d), &reference);
    if (reference == 0)
        return;
    struct part p = { .d = d, .sessions = sessions, .v = xmalloc(((unsigned long)d->n + 1) * sizeof *p.v) };
    for (p.first = 0; p.first < d->n; p.first = p.end) { /* sorted by configuration: cases of a kernel are adjacent */
        const char *kernel = d->config[d->at[p.first].config].kernel;
        for (p.end = p.first; p.end < d->n && strcmp(d->config[d->at[p.end].config].kernel, kernel) == 0; p.end++)
            ;
        for (p.target = 0; p.target < LEARNED_TARGETS; p.target++) {
            if (learned_target_at(p.target, F64).launch == STREAM)
                continue;
            take_offsets_off(&p, reference);
            find_noise(&p);
        }
    }
    free(p.v);
}
