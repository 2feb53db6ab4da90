/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which one configuration is recommended (pick.h). */
#include "forecast/pick.h"
#include <math.h>
#include <stddef.h>

const double pick_tie = 1.01;
/* Quantiles of the normal distribution: a gain is sure if its 90 % interval is above 1, and likely with a probability of 4/5. */
static const double sure_quantile = 1.6449, likely_quantile = 0.8416;
/* Deviations of the log of measured / forecast set-up: of conversion, and of preparation alone. Cross-validated costs on an H200 are
 * off by 0.58 and 0.18 at most in 90 %. */
static const double convert_deviation = 0.35, prepare_deviation = 0.11;

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

/* ---- differences ---- */
/* Deviation in s of the time of one product, and of the set-up. */
static double time_deviation(const struct pick_row *r)
{
    return r->time_s * log(r->high_s / r->low_s) / (2 * sure_quantile);
}

static double setup_deviation(const struct pick_row *r)
{
    return r->setup_s * (r->converts ? convert_deviation : prepare_deviation);
}

/* Deviation of the log of pick_value. */
static double relative_deviation(const struct pick_row *r, int64_t products)
{
    if (products == 0)
        return time_deviation(r) / r->time_s;
    return hypot((double)products * time_deviation(r), setup_deviation(r)) / pick_value(r, products);
}

struct pick_gain pick_gain(const struct pick_row *a, const struct pick_row *b, int64_t products)
{
    const double ratio = pick_value(b, products) / pick_value(a, products),
                 width = sure_quantile * hypot(relative_deviation(a, products), relative_deviation(b, products));
    return (struct pick_gain){ ratio, ratio * exp(-width), ratio * exp(width) };
}

/* Is `a` faster than `b` by more than so many deviations? Without intervals: is it faster? True if a set-up is unknown. */
static bool beats(const struct pick_row *a, const struct pick_row *b, int64_t products, double quantile)
{
    const double gain = log(pick_value(b, products) / pick_value(a, products)),
                 deviation = hypot(relative_deviation(a, products), relative_deviation(b, products));
    return isnan(gain) || gain > (isnan(deviation) ? 0 : quantile * deviation);
}

/* The ends of the interval are where |n gain - more| is that many deviations of it: roots of a square equation. */
struct pick_breakeven pick_breakeven(const struct pick_row *a, const struct pick_row *b)
{
    const double gain = b->time_s - a->time_s, more = a->setup_s - b->setup_s,
                 gain_width = sure_quantile * hypot(time_deviation(a), time_deviation(b)),
                 more_width = sure_quantile * hypot(setup_deviation(a), setup_deviation(b));
    struct pick_breakeven n = { NAN, NAN, NAN };
    if (isnan(gain) || isnan(more))
        return n;
    if (gain < 0 || (gain <= 0 && more >= 0))
        n.products = INFINITY;
    else
        n.products = more <= 0 ? 0 : ceil(more / gain * (1 - 1e-12)); /* tolerates rounding */
    if (isnan(gain_width))
        return n;
    /* With the discriminant of the equation, which is negative only where no end needs it. */
    const double square = gain * gain - gain_width * gain_width, rest = more * more - more_width * more_width,
                 reach = gain * more + sqrt(fmax(gain * gain * more * more - square * rest, 0));
    n.low = more <= more_width ? 0 : reach > 0 ? floor(rest / reach) : INFINITY;
    n.high = gain > gain_width ? ceil(fmax(reach / square, 0)) : INFINITY;
    return n;
}

/* ---- the rule ---- */
enum rows { ANY, SURE, STAY };

static bool counts(const struct pick_row *r, enum rows which, bool alone)
{
    return (alone || !r->one_part) && (which == ANY || (which == SURE ? !r->unsure : !r->converts));
}

static int lowest(const struct pick_row *r, int n, int64_t products, double risk, enum rows which, bool alone)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        const double value = counts(&r[i], which, alone) ? pick_weighed(&r[i], products, risk) : NAN;
        if (!isnan(value) && (best < 0 || value < least)) {
            best = i;
            least = value;
        }
    }
    for (int i = 0; i < n && products == 0; i++)
        if (counts(&r[i], which, alone) && pick_weighed(&r[i], products, risk) <= pick_tie * least
            && (r[i].setup_s < r[best].setup_s || (isnan(r[best].setup_s) && !isnan(r[i].setup_s))))
            best = i;
    return best;
}

/* Is `low` unsure, and does not surely beat the best sure row? */
static bool is_unsure_gain(const struct pick_row *low, const struct pick_row *sure, int64_t products)
{
    return low->unsure && sure && !beats(low, sure, products, sure_quantile);
}

enum pick_reason pick_between(const struct pick_row *low, const struct pick_row *sure, const struct pick_row *stay,
                              int64_t products)
{
    enum pick_reason reason = PICK_LOWEST;
    if (is_unsure_gain(low, sure, products)) {
        reason = PICK_SURE;
        low = sure;
    }
    return low->converts && stay && !beats(low, stay, products, likely_quantile) ? PICK_STAY : reason;
}

int pick_lowest(const struct pick_row *r, int n, int64_t products, double risk)
{
    const int several = lowest(r, n, products, risk, ANY, false);
    return several < 0 ? lowest(r, n, products, risk, ANY, true) : several;
}

struct pick pick_of(const struct pick_row *r, int n, int64_t products, double risk)
{
    const int low = pick_lowest(r, n, products, risk);
    if (low < 0 || r[low].one_part)
        return (struct pick){ low, PICK_LOWEST, low };
    const int sure = lowest(r, n, products, risk, SURE, false), stay = lowest(r, n, products, risk, STAY, false);
    const struct pick_row *sure_row = sure < 0 ? NULL : &r[sure];
    const enum pick_reason reason = pick_between(&r[low], sure_row, stay < 0 ? NULL : &r[stay], products);
    const int passed = reason == PICK_STAY && is_unsure_gain(&r[low], sure_row, products) ? sure : low;
    return (struct pick){ reason == PICK_STAY ? stay : reason == PICK_SURE ? sure : low, reason, passed };
}
