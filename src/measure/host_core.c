/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the processor that launches (host_core.h). */
#include "measure/host_core.h"
#include <math.h>
#include "base/clock.h"

enum { TRIED = 16, LAUNCHES = 100, TIMES = 3 };
static const double again_s = 5;

bool host_core_enter(const struct host_core *c, cpu_set_t *before)
{
    cpu_set_t one;

    CPU_ZERO(before);
    if (!c->chosen || c->cpu < 0 || sched_getaffinity(0, sizeof *before, before) != 0)
        return false;
    CPU_ZERO(&one);
    CPU_SET((size_t)c->cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    return true;
}

void host_core_leave(const cpu_set_t *before)
{
    if (CPU_COUNT(before) > 0)
        (void)sched_setaffinity(0, sizeof *before, before);
}

/* Lists the processors that may be chosen; returns their number, at most TRIED, evenly among all. */
static int candidates(const struct host_core *c, const cpu_set_t *may, int cpu[TRIED])
{
    const int stride = c->stride > 1 ? c->stride : 1, all = CPU_COUNT(may),
              mine = (all - c->first % stride + stride - 1) / stride, n = mine < TRIED ? mine : TRIED;
    int number = 0, taken = 0;

    for (int i = 0; i < CPU_SETSIZE && taken < n; i++) {
        if (!CPU_ISSET((size_t)i, may))
            continue;
        if (number == c->first % stride + taken * mine / n * stride)
            cpu[taken++] = i;
        number++;
    }
    return taken;
}

static int plain_least(struct device *d, const struct launch *l, double *least_s, char why[ERRLEN])
{
    double taken_s;

    *least_s = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        if (d->backend->stream_time(d, l, LAUNCHES, &taken_s, why))
            return FAIL;
        *least_s = fmin(*least_s, taken_s);
    }
    return 0;
}

int host_core_choose(struct host_core *c, struct device *d, char why[ERRLEN])
{
    cpu_set_t may, before;
    int cpu[TRIED], status = 0;
    double best_s = INFINITY, taken_s;

    if (c->chosen && now_s() - c->chosen_s < again_s)
        return 0;
    c->cpu = -1;
    c->chosen = true;
    c->chosen_s = now_s();
    if (sched_getaffinity(0, sizeof may, &may) != 0)
        return 0;
    const int n = candidates(c, &may, cpu);
    int best = -1;
    if (n < 2)
        return 0;
    if (!c->empty.prepared)
        status = d->backend->empty(d, (struct grid){ 1, d->geometry.warp }, &c->empty, why);
    for (int i = 0; i < n && !status; i++) {
        c->cpu = cpu[i];
        (void)host_core_enter(c, &before);
        status = plain_least(d, &c->empty, &taken_s, why);
        host_core_leave(&before);
        if (!status && taken_s < best_s) {
            best_s = taken_s;
            best = cpu[i];
        }
    }
    c->cpu = best;
    return status;
}
