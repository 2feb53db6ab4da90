/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010 on times from its own formula, written out again here. "choi2010 PART" prints "ok PART, N checks" or dies
 * with the check. */
#include "models/choi2010/choi2010.h"
#include "models.h"
#include "parts.h"
#include "recipes/recipe.h"

enum { THREE = 3, BLOCKS_HIGH = 40 };
static const char model[] = "choi2010", config[] = "bellpack:r=3,c=3,chunk=64,lanes=1",
                  pairs[] = "bellpack:r=1,c=2,chunk=32,lanes=1", shared[] = "bellpack:r=3,c=3,chunk=64,lanes=4",
                  rows_of_blocks[] = "bcsr:r=2,c=2,pack=1,align=1,lanes=16";

static bool same(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* ---- the formula ---- */
struct truth {
    double s1o, gamma, gamma_next, a;
};
static const struct truth truth = { 5e-6, 0.3e-6, 0.5e-6, 0.07e-6 };

static double formula(const struct truth *v, double resident, double sms, double blocks, double steps)
{
    const double iterations = ceil(blocks / (resident * sms)), s1 = v->s1o + v->gamma * (steps - 1), a = v->a * steps;
    if (iterations == 1)
        return s1 + a * (ceil(blocks / sms) - 1);
    return s1 + a * (resident - 1) + (iterations - 2) * (v->gamma_next * steps + a * (resident - 1))
           + v->gamma_next * steps + a * floor(fmod(blocks - 1, resident * sms) / sms);
}

/* A matrix without zeros, as spmv-gen's dense. */
static struct features dense(int64_t rows, int64_t cols)
{
    struct features f = features_constant(rows, cols);
    f.cols = cols;
    return f;
}

/* Adds a cell of k thread blocks per SM, with the kernel's registers. */
static void add_dense(struct runs *runs, const char *text, const struct target *t, int64_t rows, int64_t cols,
                      int threads, int registers, double time_s)
{
    struct features f = dense(rows, cols);
    add_row(runs, "benchmark", "", &f, text, t, time_s);
    struct run_row *r = &runs->rows[runs->nrows - 1];
    r->threads = threads;
    r->registers = registers;
    r->shared_bytes = 0;
    features_free(&f);
}

/* The calibration of `config` on a device where `resident` thread blocks of 64 threads fit on an SM. */
static void add_calibration(struct runs *runs, const struct target *t, int registers, int64_t resident)
{
    const int64_t per_sm[] = { 1, resident, resident + 1 }, sms = t->device.sms, chunk_rows = 64 * THREE;
    add_dense(runs, config, t, sms * chunk_rows, THREE, 64, registers,
              formula(&truth, (double)resident, (double)sms, (double)sms, 1));
    for (int i = 0; i < 3; i++)
        add_dense(runs, config, t, per_sm[i] * sms * chunk_rows, BLOCKS_HIGH * THREE, 64, registers,
                  formula(&truth, (double)resident, (double)sms, (double)(per_sm[i] * sms), BLOCKS_HIGH));
}

/* ---- the reference's vectors ---- */
static void test_iterations(void)
{
    static const struct {
        int64_t blocks, resident, sms, iterations, last;
    } v[] = { { 500, 8, 30, 3, 0 }, { 600, 8, 30, 3, 3 },    { 721, 8, 30, 4, 0 },
              { 480, 8, 30, 2, 7 }, { 4225, 32, 132, 2, 0 }, { 240, 8, 30, 1, -1 } };
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        const struct choi2010 m = { .sms = v[i].sms, .resident = v[i].resident, .block_step_s = 1.0 };
        double terms[3];
        CHECK(choi2010_iterations(&m, v[i].blocks) == v[i].iterations);
        choi2010_time(&m, v[i].blocks, 1.0, terms);
        CHECK(v[i].last < 0 ? terms[2] == 0.0 : terms[2] == (double)v[i].last);
        CHECK(terms[1] == (v[i].iterations > 2 ? (double)((v[i].iterations - 2) * (v[i].resident - 1)) : 0.0));
        CHECK(terms[0] == (double)(v[i].resident - 1));
    }
}

/* ---- calibration and forecast ---- */
static void forecast_cases(const struct profile *p, const struct target *t, double resident)
{
    static const int64_t counts[] = { 1, 29, 132, 133, 800, 2112, 2113, 4224, 4225, 6340, 20000 };
    static const int64_t widths[] = { 1, 2, 17, 40, 55 };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
            struct features f = dense(counts[i] * 64 * THREE, widths[k] * THREE);
            struct forecast got = forecast_of(p, model, &f, config, t);
            const double want = formula(&truth, resident, t->device.sms, (double)counts[i], (double)widths[k]);
            const bool outside = widths[k] > BLOCKS_HIGH || (double)counts[i] > (resident + 1) * t->device.sms;
            CHECK(got.status == (outside ? FORECAST_EXTRAPOLATED : FORECAST_OK));
            CHECK(same(got.time_s, want) && got.nterms == 3);
            CHECK(same(got.terms[0].time_s + got.terms[1].time_s + got.terms[2].time_s, want));
            features_free(&f);
        }
}

/* 64 threads: 64 registers each allow 16 thread blocks on an H200; on a C1060 32 registers allow 8. */
static void test_calibration(void)
{
    static const struct {
        const char *device;
        int registers;
        int64_t resident;
    } v[] = { { "h200", 64, 16 }, { "h200", 40, 25 }, { "c1060", 32, 8 },
              { "c870", 10, 8 },  { "c870", 64, 2 },  { "c870", 128, 1 } };
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        const struct target t = target_of(v[i].device, F32);
        struct runs runs = { 0 };
        struct profile p;
        add_calibration(&runs, &t, v[i].registers, v[i].resident);
        /* not a cell: one thread block more than a multiple of the SMs */
        add_dense(&runs, config, &t, (t.device.sms + 1) * 64 * THREE, THREE, 64, v[i].registers, 1.0);
        fit_profile(&runs, model, &t, &p);
        const double a = coefs_value(&p.coefs, model, config, &t, "a", 0);
        CHECK(coefs_value(&p.coefs, model, config, &t, "T", 0) == (double)v[i].resident);
        CHECK(coefs_value(&p.coefs, model, config, &t, "registers", 0) == v[i].registers);
        CHECK(same(coefs_value(&p.coefs, model, config, &t, "s1o", 0), truth.s1o));
        CHECK(same(coefs_value(&p.coefs, model, config, &t, "gamma", 0), truth.gamma));
        CHECK(v[i].resident == 1 ? a == 0.0 : same(a, truth.a));
        if (v[i].resident > 1) {
            /* eq. 16 divides the first thread block of the next iteration by b */
            CHECK(same(coefs_value(&p.coefs, model, config, &t, "gamma'", 0), truth.gamma_next));
            forecast_cases(&p, &t, (double)v[i].resident);
        }
        check_given_back(&p, &runs, model, &t, 1e-9, 1);
        CHECK(coefs_value(&p.coefs, model, config, &t, "cells", 0) == (v[i].resident == 1 ? 3 : 4));
        CHECK(coefs_value(&p.coefs, model, config, &t, "cells_unused", 0) == 1);
        profile_free(&p);
        runs_free(&runs);
    }
}

/* ---- steps of real matrices ---- */
static struct steps steps_for(const char *text, const struct features *f, const struct target *t)
{
    const struct config c = config_for(text, f, t);
    struct steps s;
    CHECK(kernel_steps(f, &c, &s) == 0);
    double count = 0;
    for (int i = 0; i < s.n; i++)
        count += s.count[i];
    CHECK(same(count, (double)s.thread_blocks));
    return s;
}

static void test_steps(void)
{
    const struct target t = target_of("h200", F64);
    /* Every entry is alone in its block: chunks of 32 rows are as wide as their longest row, 10, 10 and 4. */
    const int64_t length[] = { 4, 10 }, count[] = { 32, 64 };
    struct features f = features_with(length, count, 2);
    struct steps s = steps_for(pairs, &f, &t);
    CHECK(s.thread_blocks == 3 && s.n == 2 && s.warp_rows == 32);
    CHECK(same(s.steps[0], 4) && s.count[0] == 1 && same(s.steps[1], 10) && s.count[1] == 2);
    CHECK(same(steps_mean(&s), 8));
    steps_free(&s);
    features_free(&f);
    /* One row more than a chunk of long rows: the second chunk is as wide as its first row. */
    const int64_t more[] = { 63, 33 };
    f = features_with(length, more, 2);
    s = steps_for(pairs, &f, &t);
    CHECK(s.n == 2 && s.count[0] == 1 && s.count[1] == 2);
    steps_free(&s);
    features_free(&f);
    /* A chunk of 128 block rows with 8 threads each is two thread blocks of 512 threads. */
    const int64_t many[] = { 128, 300 };
    f = features_with(length, many, 2);
    s = steps_for("bellpack:r=1,c=2,chunk=128,lanes=8", &f, &t);
    CHECK(s.thread_blocks == 8 && s.n == 2 && s.count[1] == 6 && s.steps[0] == 1 && s.steps[1] == 2);
    steps_free(&s);
    features_free(&f);
    /* Dense: exact, also where c does not divide the columns, and with several threads per block row. */
    f = dense(64 * THREE * 10, 31);
    s = steps_for(config, &f, &t);
    CHECK(s.thread_blocks == 10 && s.n == 1 && s.steps[0] == 11 && s.warp_rows == 96);
    steps_free(&s);
    s = steps_for(shared, &f, &t);
    CHECK(s.thread_blocks == 10 && s.n == 1 && s.steps[0] == 3);
    steps_free(&s);
    s = steps_for("bellpack:r=3,c=3,chunk=64,lanes=2", &f, &t);
    CHECK(s.n == 1 && s.steps[0] == 6);
    steps_free(&s);
    /* bcsr: 128 threads, 16 per block row of 2 rows */
    s = steps_for(rows_of_blocks, &f, &t);
    CHECK(s.thread_blocks == 120 && s.n == 1 && s.steps[0] == 1 && s.warp_rows == 4);
    steps_free(&s);
    features_free(&f);
    f = dense(16, 65);
    s = steps_for(rows_of_blocks, &f, &t);
    CHECK(s.thread_blocks == 1 && s.steps[0] == 3);
    steps_free(&s);
    features_free(&f);
}

/* The number of blocks of squares follows from features alone; a matrix of few entries is counted as a whole. */
static void test_fill(void)
{
    static const int sides[] = { 2, 3, 4, 5, 6, 7, 8 };
    const struct target t = target_of("h200", F64);
    char why[ERRLEN], text[CONFIG_LEN];
    struct recipe recipe;
    struct features f;
    struct csr m;
    if (recipe_parse("fem:n=9,d=3", &recipe, why) != 0 || recipe_csr(&recipe, &m, why) != 0)
        die("%s", why);
    const struct csr_view view = csr_view_all(&m);
    features_of(&m, &f);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        struct traffic guess = { 0 }, exact = { 0 };
        snprintf(text, sizeof text, "bcsr:r=%d,c=%d,pack=0,interleave=0", sides[i], sides[i]);
        const struct config c = config_for(text, &f, &t);
        CHECK(c.kernel->layout->traffic(&f, &c, &t, &guess) == 0);
        CHECK(c.kernel->layout->count(&view, &f, &c, &t, &exact) == 0);
        CHECK(within((double)guess.indices, (double)exact.indices, 0.005));
    }
    features_free(&f);
    csr_free(&m);
}

/* A matrix of two lengths: the time of its mean number of steps. */
static void test_uneven(void)
{
    const struct target t = target_of("h200", F64);
    const int64_t length[] = { 4, 10 }, count[] = { 132 * 32, 2 * 132 * 32 }, sms = t.device.sms;
    struct runs runs = { 0 };
    struct profile p;
    /* 32 threads of 64 registers: 32 thread blocks per SM */
    for (int64_t k = 1; k <= 33; k += k == 1 ? 31 : 1)
        add_dense(&runs, pairs, &t, k * sms * 32, 40, 32, 64, formula(&truth, 32, (double)sms, (double)(k * sms), 20));
    add_dense(&runs, pairs, &t, sms * 32, 2, 32, 64, formula(&truth, 32, (double)sms, (double)sms, 1));
    fit_profile(&runs, model, &t, &p);
    struct features f = features_with(length, count, 2);
    CHECK(same(forecast_of(&p, model, &f, pairs, &t).time_s, formula(&truth, 32, (double)sms, 3.0 * (double)sms, 8)));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

/* ---- refusals ---- */
static bool refused(const struct forecast *f, const char *why)
{
    if (f->status != FORECAST_REFUSED || !strstr(f->why, why))
        die("'%s', expected '%s'", f->why, why);
    return isnan(f->time_s);
}

static void test_refusals(void)
{
    struct target t = target_of("h200", F32);
    struct runs runs = { 0 };
    struct profile p;
    struct features f = dense(64 * THREE, 3), none = { .rows = 10, .cols = 10 };
    struct forecast got;
    struct coefs coefs = { 0 };
    char why[ERRLEN];
    add_calibration(&runs, &t, 64, 16);
    fit_profile(&runs, model, &t, &p);
    got = forecast_of(&p, model, &f, "csr-vector", &t);
    CHECK(refused(&got, "kernel csr-vector: not supported by model choi2010"));
    got = forecast_of(&p, model, &f, pairs, &t);
    CHECK(refused(&got, "spmv-run -c bellpack:r=1,c=2,chunk=32,lanes=1 -o runs.h5 cells.h5"));
    got = forecast_of(&p, model, &none, config, &t);
    CHECK(refused(&got, "the matrix has no entries"));
    t.precision = F64;
    got = forecast_of(&p, model, &f, config, &t);
    CHECK(refused(&got, "no choi2010 coefficients for bellpack:r=3,c=3,chunk=64,lanes=1, f64"));
    t.precision = F32;
    p.device.kind = DEVICE_CPU;
    got = forecast_of(&p, model, &f, config, &t);
    CHECK(refused(&got, "the CPU device has none"));
    profile_free(&p);
    /* Fits: without the cells of T + 1; without registers; none at all; on a CPU. */
    for (int64_t i = 0; i < runs.nrows; i++)
        if (runs.rows[i].time_us > 0 && strstr(runs.rows[i].matrix, "430848x")) /* 17 x 132 x 64 x 3 rows */
            TEXT_SET(runs.rows[i].outcome, "noisy");
    CHECK(model_find(model)->fit(&runs, &t, &coefs, why) == FAIL && strstr(why, "1, 16 and 17 thread blocks per SM"));
    for (int64_t i = 0; i < runs.nrows; i++)
        runs.rows[i].registers = INT64_MIN;
    CHECK(model_find(model)->fit(&runs, &t, &coefs, why) == FAIL && strstr(why, "lack the registers"));
    t.device.kind = DEVICE_CPU;
    CHECK(model_find(model)->fit(&runs, &t, &coefs, why) == FAIL && strstr(why, "the CPU device has none"));
    t.device.kind = DEVICE_CUDA;
    runs_free(&runs);
    add_row(&runs, "benchmark", "", &f, "csr-vector", &t, 1e-6);
    runs_index(&runs);
    CHECK(model_find(model)->fit(&runs, &t, &coefs, why) == FAIL && strstr(why, "spmv-gen choi2010"));
    CHECK(coefs.n == 0);
    features_free(&f);
    runs_free(&runs);
}

/* ---- the rival selector ---- */
static void test_footprint(void)
{
    const struct target t = target_of("h200", F64);
    static const char *const texts[] = { "csr-vector", "coo", "bellpack:r=3,c=3", "ell", "hyb:k=4" };
    struct runs runs = { 0 };
    struct profile p;
    struct features cell = features_constant(1 << 16, 32), f = features_constant(3000, 9);
    const double rate = 3e12;
    struct config c = config_for("csr-scalar", &cell, &t);
    struct traffic bytes = { 0 };
    c.kernel->layout->traffic(&cell, &c, &t, &bytes);
    add_row(&runs, "benchmark", "", &cell, "csr-scalar", &t, 1e-6 + (double)traffic_least(&bytes) / rate);
    fit_profile(&runs, "bandwidth", &t, &p);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct traffic own = { 0 };
        c = config_for(texts[i], &f, &t);
        c.kernel->layout->traffic(&f, &c, &t, &own);
        const struct forecast got = forecast_of(&p, "footprint", &f, texts[i], &t);
        CHECK(got.status == FORECAST_OK && same(got.time_s, (double)traffic_storage(&own) / rate));
        char note[64];
        snprintf(note, sizeof note, "%" PRId64 " bytes of storage / 3000 GB/s", traffic_storage(&own));
        CHECK(strstr(got.note, note) == got.note);
    }
    coefs_free(&p.coefs);
    const struct forecast got = forecast_of(&p, "footprint", &f, "coo", &t);
    CHECK(refused(&got,
                  "no measured bandwidth for f64, warm; fit it with this model: spmv-fit -m footprint RUN.h5... -o "
                  "PROFILE.h5"));
    profile_free(&p);
    features_free(&cell);
    features_free(&f);
    runs_free(&runs);
}

/* A run archive for the programs: the calibration of one configuration, which no sweep has, and cells of another. */
static void write_runs(const char *path)
{
    const struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct archive *a;
    char why[ERRLEN];
    struct features cell = features_constant(1 << 20, 32);
    add_calibration(&runs, &t, 64, 16);
    for (int64_t i = 1; i <= 10; i++)
        for (int64_t length = 4; length <= 4096; length *= 4) {
            struct features f = features_constant(i * 8448, length);
            add_row(&runs, "benchmark", "", &f, "csr-vector:lanes=32", &t, 1e-7 * (double)(i * length));
            features_free(&f);
        }
    add_row(&runs, "benchmark", "", &cell, "csr-vector:lanes=32", &t, 2e-4);
    struct device_row d = { .sms = t.device.sms,
                            .warps_sm = t.device.warps_sm,
                            .threads_sm = t.device.threads_sm,
                            .threads_block = t.device.threads_block,
                            .blocks_sm = t.device.blocks_sm,
                            .regs_sm = t.device.regs_sm,
                            .shared_sm = t.device.shared_sm,
                            .memory_bytes = t.device.memory_bytes,
                            .l2_bytes = t.device.l2_bytes };
    TEXT_SET(d.device_key, t.device.name);
    TEXT_SET(d.name, t.device.name);
    runs.ndevices = 1;
    runs.devices = xcalloc(1, sizeof d);
    *runs.devices = d;
    if (archive_create(path, "run", &a, why) != 0 || runs_store(a, &runs, why) != 0 || archive_commit(a, why) != 0)
        die("%s", why);
    features_free(&cell);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "iterations", test_iterations }, { "calibration", test_calibration },
                                         { "steps", test_steps },           { "fill", test_fill },
                                         { "uneven", test_uneven },         { "refusals", test_refusals },
                                         { "footprint", test_footprint } };
    archive_set_command(argc, argv, true);
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        write_runs(argv[2]);
        return EXIT_OK;
    }
    return parts_main("choi2010", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
