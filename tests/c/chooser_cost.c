/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of choosers for make bench, over the matrices of a run archive, both precisions and 0 to 100000 products:
 *     chooser_cost PROFILE RUNS
 * Prints lines of name, time in s and target in s. The time of each question is the shortest of some rounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/error.h"
#include "base/stats.h"
#include "forecast/chooser.h"
#include "forecast/outlook.h"

enum { ROUNDS = 7, NCOUNTS = 5 };
static const int64_t counts[NCOUNTS] = { 0, 10, 100, 1000, 100000 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double open_s(const struct profile *p, const struct target *t, struct chooser **c)
{
    char why[ERRLEN];
    const double start = now_s();
    if (chooser_open(p, t, NULL, c, why) != 0)
        die("%s", why);
    return now_s() - start;
}

static void time_target(const struct profile *p, const struct runs *r, const struct target *t, double *seconds,
                        double *opening)
{
    struct chooser *c;
    *opening = fmax(*opening, open_s(p, t, &c));
    for (int round = 0; round < ROUNDS; round++)
        for (int64_t i = 0; i < r->nmatrices; i++)
            for (int k = 0; k < NCOUNTS; k++) {
                const struct chooser_terms terms = { counts[k], ON_GPU, OUTLOOK_RISK, false, -1 };
                struct chosen row;
                const double start = now_s();
                chooser_ask(c, &r->features[i], &terms, &row, 1);
                double *least = &seconds[i * NCOUNTS + k];
                *least = round == 0 ? now_s() - start : fmin(*least, now_s() - start);
            }
    chooser_free(c);
}

int main(int argc, char **argv)
{
    struct profile p;
    struct runs r = { 0 };
    char why[ERRLEN];
    error_program("chooser_cost");
    if (argc != 3)
        die("usage: chooser_cost PROFILE RUNS");
    if (profile_load(argv[1], &p, why) != 0 || runs_load(argv[2], &r, why) != 0)
        die("%s", why);
    const int64_t each = r.nmatrices * NCOUNTS;
    double *seconds = xcalloc((unsigned long)(NPRECISIONS * each) + 1, sizeof *seconds), opening = 0;
    for (int precision = 0; precision < NPRECISIONS; precision++) {
        const struct target t = { p.device, (enum precision)precision, WARM, GRAPH };
        time_target(&p, &r, &t, seconds + precision * each, &opening);
    }
    const double median = stats_median(seconds, NPRECISIONS * each); /* sorts */
    printf("chooser_open\t%.6f\t-\n", opening);
    printf("chooser_ask_median\t%.6f\t0.0001\n", median);
    printf("chooser_ask_longest\t%.6f\t0.0003\n", seconds[NPRECISIONS * each - 1]);
    free(seconds);
    runs_free(&r);
    profile_free(&p);
    return 0;
}
