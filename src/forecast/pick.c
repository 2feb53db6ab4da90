/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which one configuration is recommended (pick.h). */
#include "forecast/pick.h"
#include <math.h>

const double pick_tie = 1.01;

double pick_time_weighed(double time, double high, double risk)
{
    const double up = high / time;
    return time * (isnan(up) ? 1 : pow(up, risk));
}

static double value_of(double time_s, double setup_s, int64_t products)
{
    return products > 0 ? setup_s + (double)products * time_s : time_s;
}

double pick_value(const struct pick_row *r, int64_t products) { return value_of(r->time_s, r->setup_s, products); }

double pick_weighed(const struct pick_row *r, int64_t products, double risk)
{
    const double value = value_of(pick_time_weighed(r->time_s, r->high_s, risk), r->setup_s, products);
    return isnan(value) ? INFINITY : value;
}

static int lowest(const struct pick_row *r, int n, int64_t products, double risk, bool alone)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        if (!alone && r[i].one_part)
            continue;
        const double value = pick_weighed(&r[i], products, risk);
        if (best < 0 || value < least) {
            best = i;
            least = value;
        }
    }
    return best;
}

int pick_best(const struct pick_row *r, int n, int64_t products, double risk)
{
    int best = lowest(r, n, products, risk, false);
    if (best < 0)
        best = lowest(r, n, products, risk, true);
    if (best < 0 || products > 0)
        return best;
    const double most = pick_tie * pick_weighed(&r[best], products, risk);
    for (int i = 0; i < n; i++)
        if (!r[i].one_part && pick_weighed(&r[i], products, risk) <= most
            && (r[i].setup_s < r[best].setup_s || (isnan(r[best].setup_s) && !isnan(r[i].setup_s))))
            best = i;
    return best;
}
