/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes fitted to times from its own formula (regimes.h) with q = 2 and known costs and paths. "regimes PART"
 * prints "ok PART, N checks" or fails with the check. */
#include "models/guo2014/regimes.h"
#include "models.h"
#include "parts.h"

static const char model[] = "guo2014-regimes", warp_a_row[] = "csr-vector:lanes=32,rows=1,block=128";
static const double t0_s = 1e-6;    /* as in add_row */
enum { SMS = 132, BLOCK_ROWS = 4 }; /* csr-vector has 128 threads per block, 32 per row */

/* ---- a synthetic device ---- */
/* At full load the cost of a row is linear in its length, and its path is a power of it, so interpolation between knots
 * is exact. Sizes are such that load, path, gathers and the heaviest block each matter for some matrix below, and that the cells
 * of each regime determine both load and path. */
static double row_s(enum regime r, double p) { return (r == REGIME_RESIDENT ? 1.0 : 4.0) * (600e-12 + 90e-12 * p); }
static double path_s(enum regime r, double p) { return (r == REGIME_RESIDENT ? 1.0 : 300.0) * 2e-6 * sqrt(p); }
static double sector_s(enum regime r) { return r == REGIME_RESIDENT ? 60e-12 : 270e-12; }

/* Returns the load of the busiest SM relative to the mean. That SM has the most whole blocks, or the heaviest block,
 * which is the last one since lengths ascend. */
static double busiest(const struct features *f)
{
    const double blocks = ceil((double)f->rows / BLOCK_ROWS), heaviest = (double)f->heaviest[2];
    return fmax(ceil(blocks / SMS) * SMS / blocks, SMS * heaviest / (double)f->nnz);
}

/* Returns the sectors of x that a band of these rows touches. */
static double band_of(const struct features *f)
{
    double band = 0.0;
    for (int i = 0; i < f->lengths[0].n; i++)
        band += (double)f->lengths[0].count[i]
                * regimes_band_sectors((double)f->lengths[0].value[i], (double)f->cols / (double)f->rows,
                                       (double)f->cols, F64);
    return band;
}

static double formula(enum regime r, const struct features *f)
{
    double s = 0.0, l = path_s(r, (double)f->row_max);
    for (int i = 0; i < f->lengths[0].n; i++)
        s += (double)f->lengths[0].count[i] * row_s(r, (double)f->lengths[0].value[i]);
    s = s * busiest(f) + fmax((double)f->sectors[F64][SECTORS_32] - band_of(f), 0.0) * sector_s(r);
    return t0_s + sqrt(s * s + l * l);
}

/* Returns the features of rows sorted by length that touch as many sectors of x as a band, plus `sectors`. */
static struct features rows_of(const int64_t *length, const int64_t *count, int n, double sectors)
{
    struct features f = features_with(length, count, n);
    int64_t at = 0, sum = 0;
    for (int k = 0; k < n; k++)
        for (int64_t c = 0; c < count[k]; c++, at++) {
            sum = at % BLOCK_ROWS == 0 ? length[k] : sum + length[k];
            f.heaviest[2] = sum > f.heaviest[2] ? sum : f.heaviest[2];
        }
    const double band = band_of(&f);
    for (int s = 0; s < NSECTORS; s++)
        f.sectors[F64][s] = (int64_t)(band + sectors);
    return f;
}

static struct features constant(int64_t rows, int64_t p) { return rows_of(&p, &rows, 1, 0.0); }

static int64_t bytes_of(const struct features *f) { return footprint_bytes(f->rows, f->cols, f->nnz, F64); }

/* Returns how many rows of length p fill `share` of the L2, rounded up to whole rounds of all SMs. */
static int64_t rows_filling(const struct target *t, double share, int64_t p)
{
    const double rows = share * (double)t->device.l2_bytes / (double)(12 * p + 20);
    return (int64_t)ceil(rows / (SMS * BLOCK_ROWS)) * SMS * BLOCK_ROWS;
}

static const int64_t lengths[] = { 4, 16, 64, 256, 1024 };
enum { NLENGTHS = sizeof lengths / sizeof lengths[0] };
/* shares of the L2; none between 2/3 and 2 */
static const double shares[] = { 0.0005, 0.004, 0.03, 0.2, 0.5, 2.5, 5.0, 12.0 };
enum { NSHARES = sizeof shares / sizeof shares[0] };

static enum regime regime_of(const struct target *t, const struct features *f)
{
    return t->cache == WARM && footprint_class(&t->device, bytes_of(f)) == STREAMING ? REGIME_STREAMING
                                                                                     : REGIME_RESIDENT;
}

static void add_gathers(struct runs *runs, const struct target *t, double share)
{
    for (int k = 0; k < 2; k++) {
        const int64_t p = k ? 64 : 16, rows = rows_filling(t, share, p);
        const double sectors = 0.8 * (double)(rows * p);
        char name[32];
        struct features f = rows_of(&p, &rows, 1, sectors);
        snprintf(name, sizeof name, "random %g %d", share, k);
        add_row(runs, "benchmark", name, &f, warp_a_row, t, formula(regime_of(t, &f), &f));
        TEXT_SET(runs->matrices[runs->nmatrices - 1].place, "random");
        features_free(&f);
    }
}

static void device(struct target *t, enum cache cache, struct profile *p)
{
    struct runs runs = { 0 };
    *t = target_of("h200", F64);
    t->cache = cache;
    for (int k = 0; k < NLENGTHS; k++)
        for (int s = 0; s < NSHARES; s++) {
            struct features f = constant(rows_filling(t, shares[s], lengths[k]), lengths[k]);
            add_row(&runs, "benchmark", "", &f, warp_a_row, t, formula(regime_of(t, &f), &f));
            features_free(&f);
        }
    add_gathers(&runs, t, 0.4);
    add_gathers(&runs, t, 6.0);
    fit_profile(&runs, model, t, p);
    check_given_back(p, &runs, model, t, 1e-9, 0);
    runs_free(&runs);
}

/* Counts the cells of the band grid. At the smallest shares several are one round of the SMs, hence the same cell. */
static double band_cells(const struct target *t)
{
    double n = 0.0;
    for (int k = 0; k < NLENGTHS; k++)
        for (int s = 0; s < NSHARES; s++)
            n += s == 0 || rows_filling(t, shares[s], lengths[k]) != rows_filling(t, shares[s - 1], lengths[k]);
    return n;
}

static struct forecast forecast(const struct profile *p, const struct features *f, const struct target *t)
{
    return forecast_of(p, model, f, warp_a_row, t);
}

/* ---- forecasts ---- */
static void test_grid(void)
{
    struct target t;
    struct profile p;
    device(&t, WARM, &p);
    CHECK(t.device.sms == SMS && near(regimes_band_sectors(16.0, 1.0, 1e6, F64), 0.5)); /* = (2 x 16 + 32) / 4 / 32 */
    for (int k = 0; k < NLENGTHS; k++)
        for (int s = 0; s < NSHARES; s++) {
            struct features f = constant(rows_filling(&t, shares[s], lengths[k]), lengths[k]);
            struct forecast one = forecast(&p, &f, &t);
            CHECK(strstr(one.note, "S = rows + gathers, L = longest path, q = 2") && !strstr(one.note, "streaming"));
            CHECK(one.status == FORECAST_OK && one.distance == 0.0
                  && within(one.time_s, formula(regime_of(&t, &f), &f), 1e-9));
            features_free(&f);
        }
    CHECK(coefs_value(&p.coefs, model, warp_a_row, &t, "resident.q", 0) == 2.0);
    CHECK(coefs_value(&p.coefs, model, warp_a_row, &t, "cells", 0) == band_cells(&t));
    profile_free(&p);
}

/* Mixed lengths, at knots and between them, with a last block so heavy that it delays its SM, and with incomplete
 * rounds of the SMs. */
static void test_mixed(void)
{
    static const struct {
        int64_t length[3], count[3];
    } of[] = {
        { { 4, 16, 64 }, { 90000, 40001, 3000 } },       { { 10, 100, 700 }, { 9000, 500, 132 } },
        { { 4, 32, 1000 }, { 2000001, 900000, 20000 } }, { { 4, 5, 1000 }, { 3000, 77, 4 } },
        { { 16, 64, 256 }, { 1000000, 300, 700000 } },   { { 1000, 1001, 1024 }, { 300, 200, 32 } }
    }; /* the last matrix has 133 blocks, so one SM has two */
    struct target t;
    struct profile p;
    int regimes[NREGIMES] = { 0 }, heavy = 0;
    device(&t, WARM, &p);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        for (int k = 0; k < 2; k++) {
            const double sectors = k ? 3e6 : 0.0;
            struct features f = rows_of(of[i].length, of[i].count, 3, sectors);
            enum regime r = regime_of(&t, &f);
            CHECK(within(forecast(&p, &f, &t).time_s, formula(r, &f), 1e-9));
            CHECK(!within(forecast(&p, &f, &t).time_s, formula(1 - r, &f), 0.5));
            regimes[r]++;
            heavy += busiest(&f) > 1.5;
            /* Features from an older archive lack the heaviest groups; then only whole blocks count. */
            const double known = forecast(&p, &f, &t).time_s;
            for (int g = 0; g < HEAVIEST; g++)
                f.heaviest[g] = INT64_MIN;
            CHECK(within(forecast(&p, &f, &t).time_s, formula(r, &f), 1e-9) && forecast(&p, &f, &t).time_s <= known);
            features_free(&f);
        }
    CHECK(regimes[REGIME_RESIDENT] > 0 && regimes[REGIME_STREAMING] > 0 && heavy > 0);
    profile_free(&p);
}

/* Between 2/3 and twice the L2, forecasts interpolate between the regimes in the logarithm of bytes. */
static void test_mixture(void)
{
    struct target t;
    struct profile p;
    device(&t, WARM, &p);
    double before = 0.0;
    for (double share = 0.7; share < 1.99; share += 0.1) {
        struct features f = constant(rows_filling(&t, share, 16), 16);
        const double low = formula(REGIME_RESIDENT, &f), high = formula(REGIME_STREAMING, &f),
                     l2 = (double)t.device.l2_bytes;
        const double w = log((double)bytes_of(&f) / (l2 * 2.0 / 3.0)) / log(3.0), found = forecast(&p, &f, &t).time_s;
        CHECK(found > low && found < high && found > before);
        char way[32];
        snprintf(way, sizeof way, "%.0f %% of the way", 100.0 * w);
        CHECK(strstr(forecast(&p, &f, &t).note, way));
        CHECK(within(found, exp((1.0 - w) * log(low) + w * log(high)), 1e-9));
        before = found;
        features_free(&f);
    }
    profile_free(&p);
}

static void test_cold(void)
{
    struct target t;
    struct profile p;
    int64_t n;
    device(&t, COLD, &p);
    CHECK(coefs_find(&p.coefs, model, warp_a_row, &t, "streaming.row", &n) == NULL && n == 0);
    CHECK(coefs_value(&p.coefs, model, warp_a_row, &t, "cells", 0) == band_cells(&t));
    for (double share = 0.001; share < 12.0; share *= 1.7) {
        struct features f = constant(rows_filling(&t, share, 64), 64);
        CHECK(within(forecast(&p, &f, &t).time_s, formula(REGIME_RESIDENT, &f), 1e-9));
        features_free(&f);
    }
    profile_free(&p);
}

static void test_status(void)
{
    struct target t;
    struct profile p;
    device(&t, WARM, &p);
    const int64_t most = rows_filling(&t, 12.0, 4), least = SMS * BLOCK_ROWS;
    const struct {
        int64_t rows, p;
        double distance;
        const char *why;
    } at[] = { { 52800, 16, 0.0, "" },
               { 52800, 2048, log(2.0), "longest row" },
               { 52800, 2, log(2.0), "longest row" },
               { 2 * most, 4, log(2.0), "rows" },
               { least / 4, 64, log(4.0), "rows" },
               { most, 64, NAN, "working set" } };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        struct features f = constant(at[i].rows, at[i].p);
        struct forecast one = forecast(&p, &f, &t);
        CHECK(one.status == (at[i].distance == 0.0 ? FORECAST_OK : FORECAST_EXTRAPOLATED)
              && strstr(one.why, at[i].why));
        CHECK(isnan(at[i].distance) ? one.distance > log(5.0) : within(one.distance + 1.0, at[i].distance + 1.0, 1e-3));
        CHECK(one.time_s > 0.0 && isfinite(one.time_s));
        features_free(&f);
    }
    struct features empty = constant(1000, 0), some = constant(1000, 16);
    struct forecast refused = forecast(&p, &empty, &t);
    CHECK(refused.status == FORECAST_REFUSED && strstr(refused.why, "no entries"));
    refused = forecast_of(&p, model, &some, "ell", &t);
    CHECK(refused.status == FORECAST_REFUSED && strstr(refused.why, "ell"));
    features_free(&empty);
    features_free(&some);
    profile_free(&p);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "grid", test_grid },
                                         { "mixed", test_mixed },
                                         { "mixture", test_mixture },
                                         { "cold", test_cold },
                                         { "status", test_status } };
    return parts_main("regimes", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
