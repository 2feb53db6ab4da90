/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of running blocks side by side: fork_s and branch_s, fitted by weighted least squares (relative errors) to the
 * times of 2, 4, ... empty kernels as branches of a graph, minus the time of a single one. */
#include <math.h>
#include <string.h>
#include "base/stats.h"
#include "models/model.h"

enum { POINTS = 16 };
static const char name[] = "exec", any[] = "*";

void exec_fit(const struct runs *runs, const struct target *t, struct coefs *coefs)
{
    double x[POINTS], y[POINTS], weight[POINTS], one_s = NAN, fork_s, branch_s;
    int n = 0;

    for (int64_t i = 0; i < runs->nbranches; i++)
        if (runs->branches[i].branches == 1)
            one_s = runs->branches[i].time_us * 1e-6;
    for (int64_t i = 0; i < runs->nbranches && n < POINTS; i++) {
        const struct branch_row *b = &runs->branches[i];
        const double more_s = b->time_us * 1e-6 - one_s;
        if (b->branches < 2 || !(more_s > 0))
            continue;
        x[n] = (double)(b->branches - 1);
        y[n] = more_s;
        weight[n++] = 1 / (more_s * more_s);
    }
    if (stats_line(x, y, weight, n, &fork_s, &branch_s) != 0)
        return;
    coefs_add(coefs, name, any, t, "fork_s", 0, fmax(fork_s, 0.0), "s", NAN, NAN);
    coefs_add(coefs, name, any, t, "branch_s", 0, fmax(branch_s, 0.0), "s", NAN, NAN);
}

bool profile_branching(const struct profile *p, const struct target *t, struct branching *b)
{
    const struct target graph = target_in_graph(t);
    b->fork_s = coefs_value(&p->coefs, name, any, &graph, "fork_s", 0);
    b->branch_s = coefs_value(&p->coefs, name, any, &graph, "branch_s", 0);
    return !isnan(b->fork_s) && !isnan(b->branch_s);
}

double exec_parallel(const struct branching *b, const double *time_s, const double *launch_s, int n)
{
    double longest = 0, sum = 0, launch = 0;

    for (int i = 0; i < n; i++) {
        longest = fmax(longest, time_s[i]);
        launch = fmax(launch, launch_s[i]);
        sum += time_s[i] - launch_s[i];
    }
    return n == 1 ? time_s[0] : fmax(longest, launch + sum) + b->fork_s + b->branch_s * (n - 1);
}
