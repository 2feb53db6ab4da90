/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which one configuration is recommended (pick.h). */
#include "forecast/pick.h"
#include <math.h>
#include <stddef.h>

const double pick_tie = 1.01;
/* Quantiles of the normal distribution: a gain is sure if its 90 % interval is above 1, and likely with a probability of 9/10. */
static const double sure_quantile = 1.6449, likely_quantile = 1.2816;
/* The next four were chosen on cross-validated families of an H200 (docs/method.md, Advice), so that 90 % intervals of gains and break-evens
 * hold about 90 %.
 * Deviation of the difference of two times / that of independent ones: errors of configurations on the same matrix are correlated. */
static const double correlated = 0.8;
/* Deviations of the log of measured / forecast set-up: of conversion, since the one recommended tends to be forecast too short, and of
 * preparation alone. */
static const double convert_deviation = 0.5, prepare_deviation = 0.11;
/* Quantile of the low end of a break-even's interval that ends at never: nominally 4/5, but a recommended gain tends to be forecast too high. */
static const double never_quantile = 0.8416;

/* Returns time x (high / time)^risk, or time if high is NaN; in the unit of `time`. */
static double time_weighed(double time, double high, double risk)
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
    const double value = value_of(time_weighed(r->time_s, r->high_s, risk), r->setup_s, products);
    return isnan(value) ? INFINITY : value;
}

/* ---- differences ---- */
/* Deviation in s of the time of one product, and of the set-up. */
static double time_deviation(const struct pick_row *r)
{
    return r->time_s * log(r->high_s / r->low_s) / (2 * sure_quantile);
}

static double setup_log_deviation(const struct pick_row *r)
{
    return r->converts ? convert_deviation : prepare_deviation;
}

static double setup_deviation(const struct pick_row *r) { return r->setup_s * setup_log_deviation(r); }

struct pick_ends pick_interval(const struct pick_row *r, int64_t products)
{
    const double n = (double)products, value = pick_value(r, products),
                 by = exp(sure_quantile * setup_log_deviation(r));
    if (products == 0)
        return (struct pick_ends){ r->low_s, r->high_s };
    return (struct pick_ends){ value - hypot(n * (r->time_s - r->low_s), r->setup_s * (1 - 1 / by)),
                               value + hypot(n * (r->high_s - r->time_s), r->setup_s * (by - 1)) };
}

/* Deviation of the log of the ratio of two pick_values. */
static double ratio_deviation(const struct pick_row *a, const struct pick_row *b, int64_t products)
{
    const double n = products > 0 ? (double)products : 1, va = pick_value(a, products), vb = pick_value(b, products),
                 times = correlated * n * hypot(time_deviation(a) / va, time_deviation(b) / vb);
    return products > 0 ? hypot(times, hypot(setup_deviation(a) / va, setup_deviation(b) / vb)) : times;
}

struct pick_gain pick_gain(const struct pick_row *a, const struct pick_row *b, int64_t products)
{
    const double ratio = pick_value(b, products) / pick_value(a, products),
                 width = sure_quantile * ratio_deviation(a, b, products);
    return (struct pick_gain){ ratio, ratio * exp(-width), ratio * exp(width) };
}

/* Is `a` faster than `b` by more than so many deviations? Without intervals: is it faster? True if a set-up is unknown. */
static bool beats(const struct pick_row *a, const struct pick_row *b, int64_t products, double quantile)
{
    const double gain = log(pick_value(b, products) / pick_value(a, products)),
                 deviation = ratio_deviation(a, b, products);
    return isnan(gain) || gain > (isnan(deviation) ? 0 : quantile * deviation);
}

/* Sets the numbers of products n at which |n gain - more| is so many deviations of it, roots of a square equation, with its discriminant,
 * which is negative only where no end needs it. */
static void breakeven_ends(const struct pick_row *a, const struct pick_row *b, double quantile,
                           struct pick_breakeven *n)
{
    const double gain = b->time_s - a->time_s, more = a->setup_s - b->setup_s,
                 gain_width = quantile * correlated * hypot(time_deviation(a), time_deviation(b)),
                 more_width = quantile * hypot(setup_deviation(a), setup_deviation(b)),
                 square = gain * gain - gain_width * gain_width, rest = more * more - more_width * more_width,
                 reach = gain * more + sqrt(fmax(gain * gain * more * more - square * rest, 0));
    n->low = more <= more_width ? 0 : reach > 0 ? floor(rest / reach) : INFINITY;
    n->high = gain > gain_width ? ceil(fmax(reach / square, 0)) : INFINITY;
}

struct pick_breakeven pick_breakeven(const struct pick_row *a, const struct pick_row *b)
{
    const double gain = b->time_s - a->time_s, more = a->setup_s - b->setup_s;
    struct pick_breakeven n = { NAN, NAN, NAN };
    if (isnan(gain) || isnan(more))
        return n;
    if (gain < 0 || (gain <= 0 && more >= 0))
        n.products = INFINITY;
    else
        n.products = more <= 0 ? 0 : ceil(more / gain * (1 - 1e-12)); /* tolerates rounding */
    if (isnan(time_deviation(a)) || isnan(time_deviation(b)))
        return n;
    breakeven_ends(a, b, sure_quantile, &n);
    if (isinf(n.high)) {
        breakeven_ends(a, b, never_quantile, &n);
        n.high = INFINITY;
    }
    return n;
}

/* ---- the rule ---- */
enum rows { ANY, SURE, STAY };

static bool counts(const struct pick_row *r, enum rows which, bool alone)
{
    return (alone || !r->one_part) && (which == ANY || (which == SURE ? !r->unsure : pick_stays(r)));
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
    return !pick_stays(low) && stay && !beats(low, stay, products, likely_quantile) ? PICK_STAY : reason;
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
    if (reason == PICK_STAY
        && pick_value(&r[stay], products) <= pick_value(&r[passed], products)) /* lower only if weighed */
        return (struct pick){ stay, PICK_LOWEST, stay };
    return (struct pick){ reason == PICK_STAY ? stay : reason == PICK_SURE ? sure : low, reason, passed };
}
