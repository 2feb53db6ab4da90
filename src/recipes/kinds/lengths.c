/* SPDX-License-Identifier: BSD-3-Clause */
/* Row lengths with the sum, standard deviation and maximum of another matrix (lengths.h). One row has the maximum and, if it is
 * given, one the minimum. If K of HYB is given, the rows are two parts with a sum each: as many rows as the rule asks for, of K
 * or more entries (one of exactly K, so that K is no greater), and the others, of K or fewer.
 * The rows of a part take at most 60 lengths v with weights p(v) ~ gap(v) (v + mean)^-g exp(-a t - b t^2), t = (v - mean) / sd,
 * where a and b follow from the mean and the deviation and g is the largest of 1, 1.5 .. 4 with b >= 0. This is nearly
 * normal for small deviations and a truncated power law for large ones. Counts are rounded from the outside in; the
 * remaining rows get one length in the middle. Uses only + - * / and sqrt, so that all machines agree. */
#include "recipes/kinds/lengths.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "recipes/kind.h"

enum { VALUES_MAX = 60, SPLIT = 28, SPLIT_OF_TWO = 12, TURNS = 60, TRIES = 12 };

/* Lengths of a part of the rows (divide): `rows` rows of sum `sum`, each in min .. max, and the number of rows of
 * each length. */
struct fit {
    int64_t rows, sum, min, max;
    int split;       /* lengths are chosen in two ways, at most so many in each */
    double mean, sd; /* sd: the requested standard deviation */
    int n;
    int64_t value[VALUES_MAX];
    double t[VALUES_MAX], base[VALUES_MAX], share[VALUES_MAX]; /* share: p */
    int64_t count[VALUES_MAX + 2];                             /* the last two: the remaining rows, of lengths made[] */
    int64_t made[2];
};

/* Returns exp(x) for x <= 0, to about 12 digits. */
static double falling(double x)
{
    if (x < -300)
        return 0;
    double y = x / 4096, v = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4)));
    for (int k = 0; k < 12; k++)
        v *= v;
    return v;
}

static void add_value(struct fit *f, int64_t v)
{
    int at = f->n;
    if (v < f->min || v > f->max || f->n == VALUES_MAX)
        return;
    while (at > 0 && f->value[at - 1] >= v)
        at--;
    if (at < f->n && f->value[at] == v)
        return;
    memmove(f->value + at + 1, f->value + at, (size_t)(f->n - at) * sizeof f->value[0]);
    f->value[at] = v;
    f->n++;
}

/* Chooses equally spaced lengths within four deviations of the mean, and lengths in equal ratios from 1 to the longest. */
static void choose_values(struct fit *f)
{
    double low = f->mean - 4 * f->sd, high = f->mean + 4 * f->sd, ratio = 1.02;
    f->n = 0;
    if (low < (double)f->min)
        low = (double)f->min;
    if (high > (double)f->max)
        high = (double)f->max;
    add_value(f, f->min);
    add_value(f, f->max);
    add_value(f, (int64_t)f->mean);
    for (int k = 0; k < f->split; k++)
        add_value(f, (int64_t)(low + (high - low) * k / (f->split - 1) + 0.5));
    for (int steps = f->split + 1; steps > f->split; ratio *= 1.02) {
        steps = 0;
        for (double v = 1; v<(double)f->max; v = v * ratio> v + 1 ? v * ratio : v + 1)
            steps++;
        if (steps > f->split)
            continue;
        for (double v = 1; v<(double)f->max; v = v * ratio> v + 1 ? v * ratio : v + 1)
            add_value(f, (int64_t)v);
    }
}

/* Sets t and the factors of the weights that do not depend on a and b. power: 2 g. */
static void weigh_values(struct fit *f, int power)
{
    for (int k = 0; k < f->n; k++) {
        double gap = (double)(f->value[k + 1 < f->n ? k + 1 : k] - f->value[k > 0 ? k - 1 : 0])
                     / (k > 0 && k + 1 < f->n ? 2 : 1),
               v = 1 + (double)f->value[k] / f->mean;
        f->t[k] = ((double)f->value[k] - f->mean) / f->sd;
        f->base[k] = gap > 0 ? gap : 1;
        for (int g = 0; g < power / 2; g++)
            f->base[k] /= v;
        if (power % 2 == 1)
            f->base[k] /= sqrt(v);
    }
}

/* Sets the shares for (a, b), and the moments of t of order 0 (always 1) to 2 under these shares. */
static void share_out(struct fit *f, double a, double b, double moment[3])
{
    double top = -INFINITY, sum = 0;
    for (int k = 0; k < f->n; k++) {
        f->share[k] = -f->t[k] * (a + b * f->t[k]);
        if (f->share[k] > top)
            top = f->share[k];
    }
    for (int k = 0; k < f->n; k++)
        sum += f->share[k] = f->base[k] * falling(f->share[k] - top);
    moment[0] = 1, moment[1] = moment[2] = 0;
    for (int k = 0; k < f->n; k++) {
        f->share[k] /= sum;
        moment[1] += f->share[k] * f->t[k];
        moment[2] += f->share[k] * f->t[k] * f->t[k];
    }
}

/* Returns the a for which, with this b, the mean of t is 0, by Newton steps inside a bracket (else bisection). The mean
 * decreases with a. */
static double solve_mean(struct fit *f, double b, double a, double moment[3])
{
    double reach = f->t[f->n - 1] > -f->t[0] ? f->t[f->n - 1] : -f->t[0], low = -(2 * (b < 0 ? -b : b) * reach + 100),
           high = -low;
    for (int turn = 0; turn < TURNS; turn++) {
        if (!(a > low && a < high))
            a = (low + high) / 2;
        share_out(f, a, b, moment);
        if (moment[1] > -1e-12 && moment[1] < 1e-12)
            break;
        if (moment[1] > 0)
            low = a;
        else
            high = a;
        double variance = moment[2] - moment[1] * moment[1];
        a = variance > 0 ? a + moment[1] / variance : low - 1;
    }
    return a;
}

/* Returns the b for which the deviation of t is 1, by bisection. The deviation decreases with b. */
static double solve(struct fit *f, int power)
{
    double low = -64, high = 64, a = 0, b = 0, moment[3];
    weigh_values(f, power);
    for (int turn = 0; turn < TURNS; turn++) {
        a = solve_mean(f, b, a, moment);
        if (moment[2] > 1)
            low = b;
        else
            high = b;
        if (moment[2] > 1 - 1e-9 && moment[2] < 1 + 1e-9)
            break;
        b = (low + high) / 2;
    }
    return b;
}

/* Returns the index of the most frequent length or, if `middle`, of the length nearest to the mean. */
static int filler(const struct fit *f, bool middle)
{
    int at = 0;
    for (int k = 1; k < f->n; k++)
        if (middle ? fabs(f->t[k]) < fabs(f->t[at]) : f->share[k] > f->share[at])
            at = k;
    return at;
}

/* Rounds shares to whole rows, lengths far from the mean first, carrying the error of distance^order x rows on each
 * side. The remaining rows, in place of those of length number `common`, make up the sum. Returns false if that is impossible. */
static bool round_shares(struct fit *f, int order, int common)
{
    double owed[2] = { 0, 0 };
    int low = 0, high = f->n - 1;
    int64_t rows = f->rows, sum = f->sum;
    while (low < common || high > common) {
        bool upper = low == common || (high > common && f->t[high] > -f->t[low]);
        int k = upper ? high-- : low++;
        double weight = order == 2 ? f->t[k] * f->t[k] : f->t[k] < 0 ? -f->t[k] : f->t[k];
        owed[upper] += f->share[k] * (double)f->rows * weight;
        f->count[k] = weight > 1e-6 && owed[upper] > 0 ? (int64_t)(owed[upper] / weight + 0.5) : 0;
        if (f->count[k] > rows)
            f->count[k] = rows;
        owed[upper] -= (double)f->count[k] * weight;
        rows -= f->count[k];
        sum -= f->count[k] * f->value[k];
    }
    f->count[common] = 0;
    if (rows == 0) {
        f->count[f->n] = f->count[f->n + 1] = 0;
        return sum == 0;
    }
    if (sum < f->min * rows || sum > f->max * rows)
        return false;
    f->made[0] = sum / rows;
    f->made[1] = sum / rows + 1;
    f->count[f->n + 1] = sum % rows;
    f->count[f->n] = rows - sum % rows;
    return true;
}

/* Returns the variance of the rounded lengths. */
static double variance_made(const struct fit *f)
{
    double sum = 0;
    for (int k = 0; k < f->n + 2; k++) {
        double off = (double)(k < f->n ? f->value[k] : f->made[k - f->n]) - f->mean;
        sum += (double)f->count[k] * off * off;
    }
    return sum / (double)f->rows;
}

/* The fallback: makes all lengths as equal as possible. */
static void level_out(struct fit *f)
{
    f->n = 0;
    f->made[0] = f->sum / f->rows;
    f->made[1] = f->made[0] + 1;
    f->count[1] = f->sum % f->rows;
    f->count[0] = f->rows - f->count[1];
}

/* Keeps the best of several tries; each corrects the requested variance by the error of the last one. */
static void make_lengths(struct fit *f)
{
    const double wanted = f->sd * f->sd;
    struct fit try = *f;
    double best, missed, lacked, asked = wanted;
    level_out(f);
    best = fabs(variance_made(f) - wanted);
    for (int turn = 0; turn < TRIES && asked > 1e-9; turn++) {
        int power = 8;
        lacked = wanted;
        try.sd = sqrt(asked);
        choose_values(&try);
        while (solve(&try, power) < 0 && power > 2)
            power--;
        for (int way = 0; way < 4; way++) {
            if (!round_shares(&try, 1 + way % 2, filler(&try, way > 1)))
                continue;
            missed = wanted - variance_made(&try);
            if (fabs(missed) < fabs(lacked))
                lacked = missed;
            if (fabs(missed) >= best)
                continue;
            best = fabs(missed);
            *f = try;
        }
        asked = asked + lacked > asked / 2 ? asked + lacked : asked / 2;
    }
}

static void add_level(struct recipe *r, int *n, int64_t rows, int64_t length)
{
    if (rows == 0)
        return;
    r->level[*n].end = rows + (*n > 0 ? r->level[*n - 1].end : 0);
    r->level[(*n)++].length = length;
}

static bool shortest_alone(const struct recipe *r) { return r->min > 0 && r->min < r->max; }

static void fill_levels(struct recipe *r, const struct fit *part, int parts)
{
    int n = 0;
    for (const struct fit *f = part; f < part + parts; f++)
        for (int k = 0; k < f->n + 2; k++)
            add_level(r, &n, f->count[k], k < f->n ? f->value[k] : f->made[k - f->n]);
    add_level(r, &n, shortest_alone(r), r->min);
    add_level(r, &n, r->k > 0, r->k);
    for (; n < RECIPE_LEVELS; n++) {
        r->level[n].end = r->rows;
        r->level[n].length = r->max;
    }
}

/* Sets rows, sums and limits of the parts: one, or two if k is given, up to k and from k on. Rows of lengths max, min and k, one of
 * each, are in no part. Returns the number of parts. */
static int divide(const struct recipe *r, int64_t min, struct fit part[2])
{
    const int n = r->k > 0 ? 2 : 1;
    const int64_t over = n == 2 ? histogram_hyb_rows(r->rows) : 0;
    memset(part, 0, 2 * sizeof *part);
    part[0] = (struct fit){ .rows = r->rows - over, .sum = r->count - over * r->k - r->tail, .min = min };
    part[1] = (struct fit){ .rows = over - 1, .sum = (over - 1) * r->k + r->tail, .min = r->k };
    part[0].max = r->k;
    part[n - 1].max = r->max;
    part[n - 1].rows--;
    part[n - 1].sum -= r->max;
    part[0].rows -= shortest_alone(r);
    part[0].sum -= shortest_alone(r) ? r->min : 0;
    for (int i = 0; i < n; i++) {
        part[i].split = n == 1 ? SPLIT : SPLIT_OF_TWO;
        part[i].mean = part[i].rows > 0 ? (double)part[i].sum / (double)part[i].rows : 0;
    }
    return n;
}

/* Adds to `low` and `high` the least and the greatest sum of (length - mean)^2 over the rows of a part. */
static void add_squares(const struct fit *f, double mean, double *low, double *high)
{
    if (f->rows == 0)
        return;
    const int64_t each = f->sum / f->rows, over = f->sum % f->rows, above = f->sum - f->rows * f->min,
                  room = f->max - f->min, full = room > 0 ? above / room : 0, odd = room > 0 ? above % room : 0;
    const double e = (double)each - mean, m = (double)f->max - mean, l = (double)f->min - mean, o = l + (double)odd;
    *low += (double)(f->rows - over) * e * e + (double)over * (e + 1) * (e + 1);
    *high += m * m * (double)full + (double)(f->rows - full) * l * l + (full < f->rows ? o * o - l * l : 0);
}

/* Returns the sum of (length - mean)^2 over the rows that are in no part. */
static double squares_alone(const struct recipe *r, double mean)
{
    const double m = (double)r->max - mean, l = (double)r->min - mean, k = (double)r->k - mean;
    return m * m + (shortest_alone(r) ? l * l : 0) + (r->k > 0 ? k * k : 0);
}

/* Sets the range of standard deviations that row lengths with these parts can have. */
static void deviations(const struct recipe *r, const struct fit *part, int parts, double *low, double *high)
{
    const double mean = (double)r->count / (double)r->rows;
    *low = *high = squares_alone(r, mean);
    for (int i = 0; i < parts; i++)
        add_squares(&part[i], mean, low, high);
    *low = sqrt(*low / (double)r->rows);
    *high = sqrt(*high / (double)r->rows);
}

/* Checks min, k and tail. */
static int check_parts(const struct recipe *r, const struct fit part[2], char why[ERRLEN])
{
    const struct fit *f = &part[0], *g = &part[1];
    const double mean = (double)r->count / (double)r->rows;
    const int64_t rest = r->rows - 1, low = recipe_max(r->count - rest * r->max, 0),
                  high = rest > 0 ? (r->count - r->max) / rest : r->max;
    if (r->min > 0 && (r->min < low || r->min > high))
        return fail(why,
                    "min=%" PRId64 " is out of range (%" PRId64 "..%" PRId64
                    ") for row lengths of mean %g and maximum %" PRId64,
                    r->min, low, high, mean, r->max);
    if ((r->k > 0) != (r->tail > 0))
        return fail(why, "%s is missing; k and tail belong together", r->k > 0 ? "tail" : "k");
    if (r->k == 0)
        return 0;
    if (r->rows <= histogram_hyb_rows(r->rows))
        return fail(why, "rows=%" PRId64 " are too few for k and tail, which need more than 4096", r->rows);
    /* limits of tail: the lengths of both parts are within theirs */
    const int64_t min = r->tail + recipe_max(f->sum - f->rows * f->max, g->rows * g->min - g->sum),
                  max = r->tail + recipe_min(f->sum - f->rows * f->min, g->rows * g->max - g->sum);
    if (min > max || r->k < r->min)
        return fail(why, "k=%" PRId64 " is impossible for row lengths of mean %g and maximum %" PRId64, r->k, mean,
                    r->max);
    if (r->tail < min || r->tail > max)
        return fail(why, "tail=%" PRId64 " is out of range (%" PRId64 "..%" PRId64 ") for k=%" PRId64, r->tail, min,
                    max, r->k);
    return 0;
}

static int check(const struct recipe *r, char why[ERRLEN])
{
    struct fit part[2];
    double low, high, mean = (double)r->count / (double)r->rows, sd = (double)r->spread / 256;
    if (r->max > r->cols)
        return fail(why, "max=%" PRId64 " exceeds cols=%" PRId64 "; increase cols", r->max, r->cols);
    if (r->max * r->rows < r->count)
        return fail(why, "max=%" PRId64 " is less than the mean nnz/rows = %g", r->max, mean);
    if (r->max > r->count)
        return fail(why, "max=%" PRId64 " exceeds nnz=%" PRId64, r->max, r->count);
    const int parts = divide(r, r->min, part);
    if (check_parts(r, part, why) != 0)
        return FAIL;
    deviations(r, part, parts, &low, &high);
    if (sd < low - 0.01 || sd > high + 0.01)
        return fail(why, "sd=%g is out of range (%.4g..%.4g) for row lengths of mean %g and maximum %" PRId64 "%s", sd,
                    low, high, mean, r->max, r->min > 0 || r->k > 0 ? " and the keys min, k and tail" : "");
    return 0;
}

/* Makes the lengths of the parts such that the sum of (length - mean)^2 over all rows is `squares`. Each of two parts takes the
 * same share of the range that it could have. */
static void make_parts(struct fit *part, int parts, double squares)
{
    double low[2] = { 0, 0 }, high[2] = { 0, 0 };
    for (int i = 0; i < parts; i++)
        add_squares(&part[i], part[i].mean, &low[i], &high[i]);
    const double range = high[0] + high[1] - low[0] - low[1],
                 share = range > 0 ? (squares - low[0] - low[1]) / range : 0;
    for (int i = 0; i < parts; i++) {
        struct fit *f = &part[i];
        const double mine = i + 1 < parts ? low[i] + share * (high[i] - low[i]) : squares;
        if (f->rows == 0)
            continue;
        f->sd = mine > 0 ? sqrt(mine / (double)f->rows) : 0;
        make_lengths(f);
        squares -= (double)f->rows * variance_made(f);
    }
}

int recipe_lengths_fit(struct recipe *r, char why[ERRLEN])
{
    if (check(r, why) != 0)
        return FAIL;
    struct fit part[2];
    double low, high, mean = (double)r->count / (double)r->rows, sd = (double)r->spread / 256;
    int parts = divide(r, recipe_max(r->min, 1), part);
    deviations(r, part, parts, &low, &high);
    if (r->min == 0 && (part[0].sum < part[0].rows || sd > high))
        parts = divide(r, 0, part); /* empty rows only if unavoidable */
    r->p = (r->count + r->rows - 1) / r->rows;
    double squares = (double)r->rows * sd * sd - squares_alone(r, mean);
    for (int i = 0; i < parts; i++)
        squares -= (double)part[i].rows * (part[i].mean - mean) * (part[i].mean - mean);
    make_parts(part, parts, squares);
    fill_levels(r, part, parts);
    return 0;
}

void recipe_lengths_sort(struct recipe *r)
{
    int64_t begin = 0, end = 0;
    for (int n = 0; n < RECIPE_LEVELS; n++) { /* ends to numbers of rows, in order of the lengths */
        int at = n;
        int64_t rows = r->level[n].end - begin, length = r->level[n].length;
        begin = r->level[n].end;
        for (; at > 0 && r->level[at - 1].length > length; at--)
            r->level[at] = r->level[at - 1];
        r->level[at].end = rows;
        r->level[at].length = length;
    }
    for (int n = 0; n < RECIPE_LEVELS; n++)
        r->level[n].end = end += r->level[n].end;
}
