/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010-waves on times from its own formula, written out again here. "choi2010_waves PART" prints "ok PART, N
 * checks" or dies with the check. */
#include "models/choi2010/choi2010_waves.h"
#include "models.h"
#include "parts.h"

enum { THREE = 3, CHUNK = 64, FULL = 16, REGISTERS = 58 /* 17 thread blocks by choi2010's rule */ };
static const char model[] = "choi2010-waves", config[] = "bellpack:r=3,c=3,chunk=64,lanes=1",
                  pairs[] = "bellpack:r=1,c=2,chunk=32,lanes=1";

static bool same(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* ---- a device: g at its floor up to 4 thread blocks per SM in the L2, up to 1 from memory ---- */
static const double launch_s = 3e-6, block_s = 2e-10;
static const struct {
    double gamma, a0, a1;
} truth[2] = { { 90e-9, 50e-9, 9e-9 }, { 300e-9, 220e-9, 60e-9 } };

static double g(int regime, double k)
{
    const double full = k > FULL ? FULL : k, line = truth[regime].a0 + truth[regime].a1 * (full < 1 ? 1 : full);
    return (line > truth[regime].gamma ? line : truth[regime].gamma) * (k > FULL ? k / FULL : 1);
}

static double weight_of(const struct target *t, double bytes)
{
    const double l2 = (double)t->device.l2_bytes;
    if (t->cache == COLD)
        return 1;
    return bytes < l2 / 1.5 ? 0 : bytes > 2 * l2 ? 1 : log(bytes * 1.5 / l2) / log(3);
}

static double bytes_of(const char *text, const struct features *f, const struct target *t)
{
    const struct config c = config_for(text, f, t);
    struct traffic own = { 0 };
    c.kernel->layout->traffic(f, &c, t, &own);
    return (double)(traffic_storage(&own) + (f->rows + f->cols) * precision_bytes(t->precision));
}

static double uniform(const struct target *t, double bytes, double k, double steps)
{
    const double w = weight_of(t, bytes);
    return launch_s + block_s * k * t->device.sms + steps * ((1 - w) * g(0, k) + w * g(1, k));
}

static struct features dense(int64_t rows, int64_t cols)
{
    struct features f = features_constant(rows, cols);
    f.cols = cols;
    return f;
}

static void add_cell(struct runs *runs, const char *text, const struct target *t, const struct features *f,
                     double time_s)
{
    add_row(runs, "benchmark", "", f, text, t, time_s);
    struct run_row *r = &runs->rows[runs->nrows - 1];
    r->threads = CHUNK;
    r->registers = REGISTERS;
    r->shared_bytes = 0;
}

/* 1, 2, 4, ... thread blocks per SM; N = 1, 2, 8 and 40 steps: from less than 1 MiB to more than 1 GiB. */
static void add_cells(struct runs *runs, const struct target *t)
{
    static const int64_t per_sm[] = { 1, 2, 4, 8, 12, 16, 17, 40 }, steps[] = { 1, 2, 8, 40 };
    for (size_t i = 0; i < sizeof per_sm / sizeof per_sm[0]; i++)
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
            struct features f = dense(per_sm[i] * t->device.sms * CHUNK * THREE, steps[k] * THREE);
            add_cell(runs, config, t, &f, uniform(t, bytes_of(config, &f, t), (double)per_sm[i], (double)steps[k]));
            features_free(&f);
        }
}

static void check_forecasts(const struct profile *p, const struct target *t)
{
    static const int64_t blocks[] = { 132, 1320, 2112, 2640, 5280 }, steps[] = { 1, 3, 16, 40 };
    int regimes[3] = { 0 };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
            struct features f = dense(blocks[i] * CHUNK * THREE, steps[k] * THREE);
            const double bytes = bytes_of(config, &f, t), w = weight_of(t, bytes);
            const struct forecast got = forecast_of(p, model, &f, config, t);
            double sum = 0;
            for (int n = 0; n < got.nterms; n++)
                sum += got.terms[n].time_s;
            CHECK(got.status == FORECAST_OK && same(sum, got.time_s));
            CHECK(same(got.time_s, uniform(t, bytes, (double)blocks[i] / t->device.sms, (double)steps[k])));
            regimes[w <= 0 ? 0 : w < 1 ? 1 : 2]++;
            features_free(&f);
        }
    CHECK(regimes[2] > 0 && (t->cache == COLD || (regimes[0] > 0 && regimes[1] > 0)));
}

static void test_fit(void)
{
    for (int p = 0; p < NPRECISIONS; p++)
        for (int cache = 0; cache < NCACHES; cache++) {
            struct target t = target_of("h200", (enum precision)p);
            struct runs runs = { 0 };
            struct profile profile;
            t.cache = (enum cache)cache;
            add_cells(&runs, &t);
            fit_profile(&runs, model, &t, &profile);
            const struct coefs *c = &profile.coefs;
            CHECK(coefs_value(c, model, config, &t, "T", 0) == FULL);
            CHECK(coefs_value(c, model, config, &t, "registers", 0) == REGISTERS);
            check_given_back(&profile, &runs, model, &t, 1e-9, 0);
            CHECK(within(coefs_value(c, model, config, &t, "o", 0), launch_s, 1e-7));
            CHECK(within(coefs_value(c, model, config, &t, "delta", 0), block_s, 1e-7));
            CHECK(within(coefs_value(c, model, config, &t, "a1_streaming", 0), truth[1].a1, 1e-7));
            CHECK(cache == COLD
                  || within(coefs_value(c, model, config, &t, "gamma_resident", 0), truth[0].gamma, 1e-7));
            check_forecasts(&profile, &t);
            profile_free(&profile);
            runs_free(&runs);
        }
}

/* Times below what the steps alone would give: no coefficient becomes negative, and the others make up for it. */
static void test_nonnegative(void)
{
    const struct target t = target_of("h200", F32);
    struct runs runs = { 0 };
    struct profile p;
    add_cells(&runs, &t);
    for (int64_t i = 0; i < runs.nrows; i++)
        runs.rows[i].time_us -= 3.08; /* o was 3 us, the shortest time 3.09 us */
    fit_profile(&runs, model, &t, &p);
    int64_t n;
    const struct coef_row *all = coefs_find(&p.coefs, model, config, &t, NULL, &n);
    for (int64_t i = 0; i < n; i++)
        CHECK(all[i].value >= 0);
    CHECK(coefs_value(&p.coefs, model, config, &t, "o", 0) == 0);
    CHECK(coefs_value(&p.coefs, model, config, &t, "fit_error_max", 0)
          < 0.6); /* 2.1 if the others stayed as they were */
    profile_free(&p);
    runs_free(&runs);
}

/* Uneven thread blocks: each step costs g of those that are not done. */
static void test_uneven(void)
{
    struct waves w = { .launch_s = launch_s, .block_s = block_s, .sms = 132, .resident = FULL };
    double steps[] = { 2, 5, 20 }, count[] = { 1320, 3000, 99 };
    const struct steps s = { .thread_blocks = 4419, .n = 3, .steps = steps, .count = count, .work = steps };
    struct wave_terms terms;
    struct target cold = target_of("h200", F64);
    cold.cache = COLD;
    CHECK(waves_weight(&cold, 1.0) == 1);
    for (int r = 0; r < 2; r++)
        w.step[r] = (struct wave_step){ truth[r].gamma, truth[r].a0, truth[r].a1 };
    for (int r = 0; r < 2; r++) {
        const double want = 2 * g(r, 4419. / 132) + 3 * g(r, 3099. / 132) + 15 * g(r, 99. / 132);
        CHECK(same(waves_time(&w, &s, r, 1e6, 0, &terms), launch_s + block_s * 4419 + want));
        CHECK(same(terms.steps_s, want) && terms.gathers_s == 0);
    }
    CHECK(same(waves_step(&w, 0, 3, 1), 90e-9) && same(waves_step(&w, 0, 16, 1), 194e-9)); /* floor; a0 + 16 a1 */
    CHECK(same(waves_step(&w, 0, 0.5, 1), 90e-9) && same(waves_step(&w, 0, 24, 1), 291e-9));
    w.step[0].floor_s = 0; /* an SM works on whole thread blocks */
    CHECK(same(waves_step(&w, 0, 0.5, 1), truth[0].a0 + truth[0].a1));
    /* Gathers: 1e9 sectors/s at 64 KiB of x, 1e8 at 1 MiB; in between and beyond. */
    w.gather.n = 2;
    w.gather.log2_bytes[0] = 16;
    w.gather.log2_bytes[1] = 20;
    w.gather.rate[0] = 1e9;
    w.gather.rate[1] = 1e8;
    CHECK(same(waves_gather(&w, 1 << 10), 1e9) && same(waves_gather(&w, 1 << 18), 1e9 / sqrt(10)));
    CHECK(same(waves_gather(&w, 1 << 25), 1e8));
    CHECK(same(waves_time(&w, &s, 1, 1 << 20, 1e6, &terms), launch_s + block_s * 4419 + 1e-2));
    CHECK(same(terms.gathers_s + terms.steps_s, 1e-2));
}

/* For equal numbers of steps, whole iterations, and g without a floor, it is the paper's model. */
static void test_paper(void)
{
    const struct choi2010 paper = {
        .sms = 132, .resident = FULL, .first_s = 5e-6, .first_step_s = 0.3e-6, .step_s = 0.3e-6, .block_step_s = 0.07e-6
    };
    const struct waves w = { .sms = 132,
                             .resident = FULL,
                             .launch_s = paper.first_s - paper.first_step_s,
                             .step = { { 0, paper.first_step_s - paper.block_step_s, paper.block_step_s },
                                       { 0, paper.first_step_s - paper.block_step_s, paper.block_step_s } } };
    static const int64_t per_sm[] = { 1, 2, 7, 16, 32, 48, 160 };
    for (size_t i = 0; i < sizeof per_sm / sizeof per_sm[0]; i++)
        for (double n = 1; n < 100; n *= 3) {
            double count = (double)(per_sm[i] * 132);
            const struct steps s = {
                .thread_blocks = per_sm[i] * 132, .n = 1, .steps = &n, .count = &count, .work = &n
            };
            struct wave_terms terms;
            CHECK(same(waves_time(&w, &s, 0.5, 1, 0, &terms), choi2010_time(&paper, s.thread_blocks, n, NULL)));
        }
}

/* Rows of one entry per block in random columns give G; another matrix with the same x then takes X / G. */
static void test_gathers(void)
{
    const struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    const int64_t cols = 1 << 20, rows = 132 * 32 * 10;
    struct features f = features_constant(rows, 8);
    const double rate = 2e9;
    f.cols = cols;
    f.sectors[F64][SECTORS_ROW] = f.sectors[F64][SECTORS_32] = 8 * rows;
    for (int64_t k = 1; k <= 40; k += k < 4 ? 1 : 4)
        for (int64_t n = 1; n <= 16; n *= 4) {
            struct features d = dense(k * 132 * 32, 2 * n);
            add_cell(&runs, pairs, &t, &d, uniform(&t, bytes_of(pairs, &d, &t), (double)k, (double)n));
            runs.rows[runs.nrows - 1].threads = 32;
            runs.rows[runs.nrows - 1].registers = 128; /* 4 x (16384 / 4096) = 16 warps */
            features_free(&d);
        }
    add_cell(&runs, pairs, &t, &f, launch_s + block_s * (double)(rows / 32) + 8 * (double)rows / rate);
    TEXT_SET(runs.matrices[runs.nmatrices - 1].place, "random");
    struct features slower = features_constant(rows / 2, 8);
    slower.cols = cols;
    add_cell(&runs, pairs, &t, &slower, 1e-3);
    TEXT_SET(runs.matrices[runs.nmatrices - 1].place, "random");
    features_free(&slower);
    fit_profile(&runs, model, &t, &p);
    CHECK(coefs_value(&p.coefs, model, pairs, &t, "T", 0) == FULL);
    CHECK(same(coefs_value(&p.coefs, model, "*", &t, "gather", 23), rate));
    f.sectors[F64][SECTORS_ROW] = f.sectors[F64][SECTORS_32] = 80 * rows;
    const struct forecast got = forecast_of(&p, model, &f, pairs, &t);
    CHECK(same(got.time_s, launch_s + block_s * (double)(rows / 32) + 80 * (double)rows / rate));
    CHECK(got.terms[3].time_s > 0);
    f.cols *= 4;
    CHECK(forecast_of(&p, model, &f, pairs, &t).status == FORECAST_EXTRAPOLATED);
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static void test_refusals(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    struct coefs coefs = { 0 };
    char why[ERRLEN];
    struct features f = dense(132 * CHUNK * THREE, THREE), wide = dense(132 * CHUNK * THREE, 200 * THREE);
    add_cell(&runs, config, &t, &f, 5e-6);
    runs_index(&runs);
    CHECK(model_find(model)->fit(&runs, &t, &coefs, why) == FAIL
          && strstr(why, "1 cell of dense matrices measured, 4 are"));
    runs_free(&runs);
    add_cells(&runs, &t);
    fit_profile(&runs, model, &t, &p);
    struct forecast got = forecast_of(&p, model, &wide, config, &t);
    CHECK(got.status == FORECAST_EXTRAPOLATED && strstr(got.why, "steps per thread block 200"));
    got = forecast_of(&p, model, &f, pairs, &t);
    CHECK(got.status == FORECAST_REFUSED && strstr(got.why, "spmv-gen choi2010 -o cells.h5"));
    got = forecast_of(&p, model, &f, "coo", &t);
    CHECK(got.status == FORECAST_REFUSED && strstr(got.why, "kernel coo: not supported by model choi2010-waves"));
    features_free(&f);
    features_free(&wide);
    profile_free(&p);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "fit", test_fit },         { "nonnegative", test_nonnegative },
                                         { "uneven", test_uneven },   { "paper", test_paper },
                                         { "gathers", test_gathers }, { "refusals", test_refusals } };
    return parts_main("choi2010_waves", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
