/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which one configuration is recommended (forecast/pick.h), on rows made by hand. */
#include "forecast/pick.h"
#include <math.h>
#include "parts.h"

enum { N = 200 };
static const double sure = 1.6449, never = 0.8416, together = 0.8; /* docs/method.md */
static long checks;
#define CHECK(what)                              \
    do {                                         \
        checks++;                                \
        if (!(what))                             \
            die("line %d: %s", __LINE__, #what); \
    } while (0)

static struct pick_row row(double time_s, double half, double setup_s, bool converts, bool unsure)
{
    return (
        struct pick_row){ time_s, time_s * exp(-half), time_s * exp(half), setup_s, false, converts, false, unsure };
}

static int near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* Half of the 90 % interval of n (tb - ta) - (sa - sb), from the text of docs/method.md, as if times were normal. */
static double width_at(const struct pick_row *a, const struct pick_row *b, double n)
{
    const double ta = log(a->high_s / a->low_s) / 2 * a->time_s, tb = log(b->high_s / b->low_s) / 2 * b->time_s,
                 sa = sure * a->setup_s * (a->converts ? 0.5 : 0.11),
                 sb = sure * b->setup_s * (b->converts ? 0.5 : 0.11);
    return sqrt(n * n * together * together * (ta * ta + tb * tb) + sa * sa + sb * sb);
}

static double lead_at(const struct pick_row *a, const struct pick_row *b, double n)
{
    return n * (b->time_s - a->time_s) - (a->setup_s - b->setup_s);
}

/* Finds the ends by trying every number of products. */
static void check_breakeven(const struct pick_row *a, const struct pick_row *b)
{
    enum { MOST = 20000 };
    double first = -1, low = -1, low_alone = -1, high = 0; /* low_alone: of a one-sided interval */
    const struct pick_breakeven found = pick_breakeven(a, b);
    for (int i = 0; i <= MOST; i++) {
        const double n = (double)i, lead = lead_at(a, b, n), width = width_at(a, b, n);
        if (lead >= -1e-15 && first < 0)
            first = n;
        if (lead >= -width && low < 0)
            low = n;
        if (lead >= -never / sure * width && low_alone < 0)
            low_alone = n;
        if (lead < width)
            high = n + 1;
    }
    CHECK(isinf(found.products) ? first < 0 : fabs(found.products - first) <= 0);
    if (high > MOST)
        low = low_alone;
    CHECK(isinf(found.low) ? low < 0 : fabs(found.low - low) <= 1);
    CHECK(isinf(found.high) ? high > MOST : fabs(found.high - high) <= 1);
}

static void test_differences(void)
{
    const struct pick_row csr = row(10e-6, 0.1, 20e-6, false, false), fast = row(5e-6, 0.1, 800e-6, true, false),
                          close = row(9.9e-6, 0.1, 300e-6, true, false), slow = row(15e-6, 0.05, 500e-6, true, false),
                          light = row(8e-6, 0.02, 0, false, false), cheap = row(15e-6, 0.05, 0, true, false);
    const struct pick_row *all[] = { &csr, &fast, &close, &slow, &light };
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            if (i != k && all[i]->setup_s >= all[k]->setup_s)
                check_breakeven(all[i], all[k]);
    CHECK(isinf(pick_breakeven(&slow, &csr).products) && isinf(pick_breakeven(&slow, &csr).low));
    CHECK(pick_breakeven(&light, &csr).products <= 0 && pick_breakeven(&light, &csr).high <= 0);
    CHECK(isinf(pick_breakeven(&cheap, &csr).products)); /* less set-up, but slower: it never catches up */
    CHECK(isinf(pick_breakeven(&close, &csr).high) && !isinf(pick_breakeven(&close, &csr).products));
    /* the total counts set-up, and its interval is that of the difference of the logs */
    const struct pick_gain gain = pick_gain(&fast, &csr, N);
    const double total = N * 5e-6 + 800e-6, other = N * 10e-6 + 20e-6,
                 a = hypot(together * N * 5e-6 * 0.1, sure * 0.5 * 800e-6) / total,
                 b = hypot(together * N * 10e-6 * 0.1, sure * 0.11 * 20e-6) / other;
    CHECK(near(gain.ratio, other / total) && near(gain.low, other / total * exp(-hypot(a, b)))
          && near(gain.high, other / total * exp(hypot(a, b))));
    const struct pick_gain unlimited = pick_gain(&fast, &csr, 0);
    CHECK(near(unlimited.ratio, 2) && near(unlimited.high, 2 * exp(together * sqrt(0.02))));
    const struct pick_row plain = { .time_s = 5e-6, .low_s = NAN, .high_s = NAN, .setup_s = 800e-6, .converts = true };
    CHECK(near(pick_gain(&plain, &csr, N).ratio, other / total) && isnan(pick_gain(&plain, &csr, N).low));
    CHECK(near(pick_breakeven(&plain, &csr).products, 156) && isnan(pick_breakeven(&plain, &csr).low));
}

static struct pick pick(const struct pick_row *r, int n, int64_t products) { return pick_of(r, n, products, 0); }

static void test_rule(void)
{
    /* 1.05 times as fast with half-widths of 0.1: a probability of 0.76; 1.1 times: 0.92 */
    struct pick_row r[3] = { row(10e-6, 0.1, 0, false, false), row(10e-6 / 1.05, 0.1, 0, true, false),
                             row(20e-6, 0.1, 0, true, false) };
    struct pick p = pick(r, 3, N);
    CHECK(p.best == 0 && p.reason == PICK_STAY && p.passed == 1);
    r[1] = row(10e-6 / 1.1, 0.1, 0, true, false);
    p = pick(r, 3, N);
    CHECK(p.best == 1 && p.reason == PICK_LOWEST && p.passed == 1);
    /* a set-up that takes the gain away */
    r[1].setup_s = 150e-6;
    CHECK(pick(r, 3, N).best == 0 && pick(r, 3, 100000).best == 1 && pick(r, 3, 0).best == 1);
    /* lower only if weighed: slower, but less uncertain */
    struct pick_row slower[2] = { row(10e-6, 0.4, 0, false, false), row(10.1e-6, 0.02, 0, true, false) };
    p = pick_of(slower, 2, N, 0.2);
    CHECK(p.best == 0 && p.reason == PICK_LOWEST && p.passed == 0);
    /* no need to be sure of what leaves CSR as it is */
    r[1] = row(10e-6 / 1.05, 0.1, 0, false, false);
    CHECK(pick(r, 3, N).best == 1 && pick(r, 3, N).reason == PICK_LOWEST);
    /* what copies CSR in its preparation is not what stays, and has to be as likely faster */
    r[1].copies = true;
    p = pick(r, 3, N);
    CHECK(p.best == 0 && p.reason == PICK_STAY && p.passed == 1);
    struct pick_row copy[3] = { r[0], row(10e-6 / 1.3, 0.1, 0, false, false), row(10e-6 / 1.35, 0.1, 0, true, false) };
    copy[1].copies = true;
    p = pick(copy, 3, N);
    CHECK(p.best == 2 && p.reason == PICK_LOWEST);
    /* what is extrapolated has to beat what is not by more than its interval */
    r[1] = row(10e-6 / 1.2, 0.15, 0, false, true);
    p = pick(r, 3, N);
    CHECK(p.best == 1 && p.reason == PICK_LOWEST);
    r[1] = row(10e-6 / 1.15, 0.15, 0, false, true);
    p = pick(r, 3, N);
    CHECK(p.best == 0 && p.reason == PICK_SURE && p.passed == 1);
    /* both: the sure one converts and is not likely faster than staying */
    struct pick_row both[3] = { row(10e-6, 0.1, 0, false, false), row(10e-6 / 1.05, 0.1, 0, true, false),
                                row(10e-6 / 1.15, 0.2, 0, true, true) };
    p = pick(both, 3, N);
    CHECK(p.best == 0 && p.reason == PICK_STAY && p.passed == 1);
    /* nothing is sure */
    both[0].unsure = both[1].unsure = true;
    CHECK(pick(both + 1, 2, N).best == 1);
    /* without limit, within 1 %: the least set-up */
    struct pick_row tie[3] = { row(10.09e-6, 0.1, 1e-6, false, false), row(10e-6, 0.1, 5e-6, false, false),
                               row(10.2e-6, 0.1, 0, false, false) };
    CHECK(pick(tie, 3, 0).best == 0 && pick(tie, 3, N).best == 1);
    tie[0].setup_s = NAN; /* unknown: last */
    CHECK(pick(tie, 3, 0).best == 1 && pick(tie, 3, N).best == 1);
    /* composites in one part only if there is nothing else */
    tie[1].one_part = true;
    CHECK(pick(tie, 3, 0).best == 0 && pick(tie + 1, 1, 0).best == 0);
    /* without intervals the lowest */
    for (int i = 0; i < 3; i++)
        r[i].low_s = r[i].high_s = NAN;
    r[1].converts = true;
    CHECK(pick(r, 3, N).best == 1);
    CHECK(pick(r, 0, N).best == -1);
    /* set-ups that were never timed: by time */
    r[0].setup_s = r[1].setup_s = NAN;
    CHECK(pick(r, 2, N).best == 0 || pick(r, 2, N).best == 1);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "differences", test_differences }, { "rule", test_rule } };
    return parts_main("pick", parts, 2, argc, argv, &checks);
}
