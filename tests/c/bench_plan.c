/* SPDX-License-Identifier: BSD-3-Clause */
/* Times the dynamic program of plans: the full and the pruned version on 500 strips, the pruned one also on 2000 and 20
 * 000. Prints TSV: strips regions program asked time_ms blocks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/error.h"
#include "forecast/dp.h"
#include "instance.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void bench(int strips, int regions, const char *name,
                  void (*program)(int, const struct dp_cost *, struct dp_partition *))
{
    struct instance in;
    instance_make(&in, strips, 8, regions, (uint64_t)strips);
    struct dp_cost cost = { instance_time, &in, NULL };
    struct dp_partition plan;
    double start = now_s();
    program(strips, &cost, &plan);
    printf("%d\t%d\t%s\t%" PRId64 "\t%.1f\t%d\n", strips, regions, name, plan.asked, (now_s() - start) * 1e3, plan.n);
    dp_free(&plan);
    instance_free(&in);
}

int main(void)
{
    error_program("bench_plan");
    printf("strips\tregions\tprogram\tasked\ttime_ms\tblocks\n");
    bench(500, 4, "full", dp_full);
    bench(500, 4, "pruned", dp_pruned);
    static const int regions[] = { 1, 4, 20, 100 };
    for (int r = 0; r < 4; r++)
        bench(2000, regions[r], "pruned", dp_pruned);
    for (int r = 0; r < 4; r++)
        bench(20000, regions[r], "pruned", dp_pruned);
    return 0;
}
