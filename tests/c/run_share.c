/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributes 0 to 60 items of various costs over 1 to 9 ranks, of all of which everything or nothing seems to be left: every item is on one
 * rank, and no load exceeds another by more than the cheapest item of the larger one. Processors are shared by ranks that may run on all of them,
 * not by those that are bound or told how many threads to start. Prints "ok, N shares". */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/threads.h"
#include "run/work.h"

enum { ITEMS = 60, RANKS = 9 };

static uint64_t state = 12345;
static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 16777216.0;
}

static void check(const struct workload *w, int ranks)
{
    int mine[ITEMS + 1], times[ITEMS] = { 0 };
    double load[RANKS], cheapest[RANKS];

    for (int r = 0; r < ranks; r++) {
        const int n = work_share(w, ranks, r, mine);
        load[r] = cheapest[r] = 0;
        for (int k = 0; k < n; k++) {
            const double cost_s = w->item[mine[k]].cost_s;
            times[mine[k]]++;
            load[r] += cost_s;
            cheapest[r] = k == 0 || cost_s < cheapest[r] ? cost_s : cheapest[r];
            if (k > 0 && mine[k] <= mine[k - 1])
                die("%d items, %d ranks: the items of rank %d are not in order", w->nitems, ranks, r);
        }
    }
    for (int r = 0; r < ranks; r++)
        for (int other = 0; other < ranks; other++)
            if (load[r] - cheapest[r] > load[other] + 1e-9)
                die("%d items, %d ranks: rank %d has %g s, rank %d only %g s", w->nitems, ranks, r, load[r], other,
                    load[other]);
    for (int i = 0; i < w->nitems; i++)
        if (times[i] != 1)
            die("%d items, %d ranks: item %d is done %d times", w->nitems, ranks, i, times[i]);
}

static void threads_are(int expected, const char *when)
{
    if (omp_get_max_threads() != expected)
        die("%s: %d threads, expected %d", when, omp_get_max_threads(), expected);
}

/* part[i] of processes that may run on the processors first[i] .. first[i] + n[i] - 1 */
static void check_parts(int processes, const int *first, const int *n, const int *part)
{
    cpu_set_t may[4];

    for (int i = 0; i < processes; i++) {
        CPU_ZERO(&may[i]);
        for (int cpu = first[i]; cpu < first[i] + n[i]; cpu++)
            CPU_SET((size_t)cpu, &may[i]);
    }
    for (int i = 0; i < processes; i++)
        if (threads_part(may, processes, i) != part[i])
            die("%d processes: %d has a part of %d processors, expected %d", processes, i,
                threads_part(may, processes, i), part[i]);
}

static void check_threads(void)
{
    check_parts(1, (int[]){ 0 }, (int[]){ 64 }, (int[]){ 64 });
    check_parts(4, (int[]){ 0, 0, 0, 0 }, (int[]){ 64, 64, 64, 64 }, (int[]){ 16, 16, 16, 16 });
    check_parts(3, (int[]){ 100, 100, 100 }, (int[]){ 64, 64, 64 },
                (int[]){ 21, 21, 21 });                                     /* a job's part of a larger node */
    check_parts(2, (int[]){ 0, 32 }, (int[]){ 32, 32 }, (int[]){ 32, 32 }); /* bound */
    check_parts(3, (int[]){ 0, 0, 2 }, (int[]){ 2, 4, 2 }, (int[]){ 1, 2, 1 });
    check_parts(4, (int[]){ 0, 0, 0, 0 }, (int[]){ 2, 2, 2, 2 },
                (int[]){ 1, 1, 1, 1 }); /* more processes than processors */
    omp_set_num_threads(8);
    setenv("OMP_NUM_THREADS", "8", 1);
    threads_keep_to(2);
    threads_are(8, "with OMP_NUM_THREADS");
    unsetenv("OMP_NUM_THREADS");
    threads_keep_to(9);
    threads_are(8, "a larger part");
    threads_keep_to(2);
    threads_are(2, "a smaller part");
}

int main(void)
{
    struct item items[ITEMS];
    int shares = 0;

    error_program("run_share");
    check_threads();
    for (int n = 0; n <= ITEMS; n++)
        for (int ranks = 1; ranks <= RANKS; ranks++, shares++) {
            const struct workload w = { .nitems = n, .item = items };
            for (int i = 0; i < n; i++)
                items[i] = (struct item){ .source = i / 2,
                                          .precision = i % 2 ? F64 : F32,
                                          .cost_s = n % 3 ? draw() * draw() * 10 : 1.0 };
            check(&w, ranks);
            for (int i = 0; i < n; i++)
                items[i].left_s = items[i].cost_s;
            check(&w, ranks);
        }
    printf("ok, %d shares\n", shares);
    return 0;
}
