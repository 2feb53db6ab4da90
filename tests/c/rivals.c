/* SPDX-License-Identifier: BSD-3-Clause */
/* The simple rival models, costs of conversion and profiles, all on synthetic runs. "rivals PART [FILE]" prints "ok
 * PART, N checks". */
#include "models.h"

/* Adds a cell that takes exactly 1 us + bytes / rate. */
static void add_at_rate(struct runs *runs, const struct target *t, int64_t rows, int64_t p, double rate)
{
    struct features f = features_constant(rows, p);
    struct config c = config_for("csr-scalar", &f, t);
    struct traffic traffic = { 0 };
    c.kernel->layout->traffic(&f, &c, t, &traffic);
    add_row(runs, "benchmark", "", &f, "csr-scalar", t, 1e-6 + (double)traffic_least(&traffic) / rate);
    features_free(&f);
}

static double rate_of(const struct profile *p, const struct target *t, int64_t rows, int64_t length,
                      enum status *status)
{
    struct features f = features_constant(rows, length);
    struct config c = config_for("csr-scalar", &f, t);
    struct traffic traffic = { 0 };
    struct forecast forecast = forecast_of(p, "bandwidth", &f, "csr-scalar", t);
    c.kernel->layout->traffic(&f, &c, t, &traffic);
    *status = forecast.status;
    features_free(&f);
    return (double)traffic_least(&traffic) / (forecast.time_s - 1e-6);
}

static void test_bandwidth(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    enum status status;
    const double near_one = 1e-9;
    CHECK(t.device.l2_bytes == 62914560);
    add_at_rate(&runs, &t, 10000, 16, 9e12);  /* 2 us: less than four t0, so it is not used */
    add_at_rate(&runs, &t, 150000, 16, 4e12); /* 32 MB: resident */
    add_at_rate(&runs, &t, 150001, 16, 3e12);
    add_at_rate(&runs, &t, 10000000, 16, 3e12); /* 2 GB: streaming */
    add_at_rate(&runs, &t, 10000001, 16, 2e12);
    fit_profile(&runs, "bandwidth", &t, &p);
    CHECK(fabs(rate_of(&p, &t, 120000, 8, &status) / 4e12 - 1.0) < near_one && status == FORECAST_OK);
    CHECK(fabs(rate_of(&p, &t, 20000000, 8, &status) / 3e12 - 1.0) < near_one && status == FORECAST_OK);
    /* Halfway between 2/3 and 2 times the L2, in the logarithm of bytes, the rate is the geometric mean. */
    const double middle = sqrt(2.0 / 3.0 * 2.0) * 62914560.0;
    const int64_t rows = (int64_t)(middle / (8.0 * 12.0 + 4.0 + 16.0));
    CHECK(fabs(rate_of(&p, &t, rows, 8, &status) / sqrt(12e24) - 1.0) < 1e-4 && status == FORECAST_OK);
    profile_free(&p);
    runs_free(&runs);

    /* If only one regime was measured, the other is extrapolated; cold caches count as streaming. */
    add_at_rate(&runs, &t, 150000, 16, 4e12);
    fit_profile(&runs, "bandwidth", &t, &p);
    CHECK(fabs(rate_of(&p, &t, 20000000, 8, &status) / 4e12 - 1.0) < near_one && status == FORECAST_EXTRAPOLATED);
    struct target cold = t;
    cold.cache = COLD;
    struct features f = features_constant(150000, 16);
    CHECK(forecast_of(&p, "bandwidth", &f, "csr-scalar", &cold).status == FORECAST_REFUSED);
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static struct forecast of_constant(const struct profile *p, int64_t rows, int64_t length, const char *config,
                                   const struct target *t)
{
    struct features f = features_constant(rows, length);
    const struct forecast h = forecast_of(p, "nearest", &f, config, t);
    features_free(&f);
    return h;
}

static double near_us(const struct profile *p, int64_t rows, const struct target *t)
{
    return 1e6 * of_constant(p, rows, 8, "csr-scalar", t).time_s;
}

static void add_measured(struct runs *runs, const char *matrix, int64_t rows, int64_t length, double time_us,
                         const struct target *t)
{
    struct features f = features_constant(rows, length);
    add_row(runs, "matrix", matrix, &f, "csr-scalar", t, time_us * 1e-6);
    add_row(runs, "matrix", matrix, &f, "hyb", t, 2e-6 * time_us);
    features_free(&f);
}

static void test_nearest(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    add_measured(&runs, "mesh17", 1000, 8, 10.0, &t);
    add_measured(&runs, "mesh29", 1200, 8, 20.0, &t);
    add_measured(&runs, "circuit1", 2000, 8, 40.0, &t);
    add_measured(&runs, "graph", 900000, 3, 900.0, &t);
    fit_profile(&runs, "nearest", &t, &p);
    take_matrices(&runs, &p);

    /* a query that is in no family: mesh29 is nearest */
    CHECK(near(near_us(&p, 1130, &t), 20.0 * 1130.0 / 1200.0));
    CHECK(of_constant(&p, 1130, 8, "csr-scalar", &t).status == FORECAST_OK);
    TEXT_SET(p.query.matrix, "Other/mesh2");
    TEXT_SET(p.query.group, "Other");
    /* a matrix with such a name in another group is not related */
    CHECK(near(near_us(&p, 1130, &t), 20.0 * 1130.0 / 1200.0));
    TEXT_SET(p.query.group, "");
    TEXT_SET(p.query.matrix, "mesh2");
    /* the family of the query is left out */
    CHECK(near(near_us(&p, 1130, &t), 40.0 * 1130.0 / 2000.0));
    TEXT_SET(p.query.matrix, "someone");
    for (int64_t i = 0; i < p.measured.nmatrices; i++)
        if (strcmp(p.measured.matrices[i].matrix, "circuit1") == 0)
            TEXT_SET(p.query.pattern_id, p.measured.matrices[i].pattern_id);
    /* a matrix with the same pattern is left out, too */
    CHECK(near(near_us(&p, 1700, &t), 20.0 * 1700.0 / 1200.0));
    memset(&p.query, 0, sizeof p.query);
    /* so is a matrix with nearly equal features, together with the other matrix of its family */
    TEXT_SET(p.query.matrix, "someone");
    CHECK(near(near_us(&p, 1240, &t), 40.0 * 1240.0 / 2000.0));

    /* Without a query, a measured matrix is found by its features. `k` of HYB from the rule counts as the same
     * configuration, other values do not. */
    memset(&p.query, 0, sizeof p.query);
    CHECK(near(near_us(&p, 1000, &t), 40.0 / 2.0));
    CHECK(near(of_constant(&p, 1000, 8, "hyb", &t).time_s, 80e-6 / 2.0));
    CHECK(of_constant(&p, 1000, 8, "hyb:k=3", &t).status == FORECAST_REFUSED);
    CHECK(of_constant(&p, 1000, 8, "ell", &t).status == FORECAST_REFUSED);
    profile_free(&p);
    runs_free(&runs);
}

/* Forecasts are refused beyond twice the measured range and are never below the limit of the device; only the time
 * above the launch is scaled. */
static void test_bounds(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    struct traffic traffic = { 0 };
    add_measured(&runs, "a", 1000, 8, 11.0, &t);
    add_measured(&runs, "b", 16000, 8, 21.0, &t);
    fit_profile(&runs, "nearest", &t, &p);
    take_matrices(&runs, &p);

    /* without a fitted bandwidth the launch is unknown */
    CHECK(near(near_us(&p, 1500, &t), 11.0 * 1.5));
    CHECK(of_constant(&p, 1500, 8, "csr-scalar", &t).status == FORECAST_OK);
    struct forecast h = of_constant(&p, 31000, 8, "csr-scalar", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && fabs(h.distance - log(31.0 / 16.0)) < 1e-9);
    CHECK(of_constant(&p, 32000, 8, "csr-scalar", &t).status == FORECAST_EXTRAPOLATED);
    CHECK(of_constant(&p, 500, 8, "csr-scalar", &t).status == FORECAST_EXTRAPOLATED);
    h = of_constant(&p, 33000, 8, "csr-scalar", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "33000 is outside the fitted range 1000..16000")
          && strstr(h.why, "factor of 2"));
    h = of_constant(&p, 490, 8, "csr-scalar", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "490 is outside the fitted range 1000..16000"));
    /* ranges apply to each axis separately: only the mean row length 8 was measured */
    h = of_constant(&p, 5000, 3, "csr-scalar", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "mean row length 3 is outside the fitted range 8..8"));
    CHECK(of_constant(&p, 5000, 5, "csr-scalar", &t).status == FORECAST_EXTRAPOLATED);
    /* ranges also apply to values below 1 */
    struct features f = features_constant(5000, 8);
    f.sectors[F64][SECTORS_32] = f.nnz / 4;
    h = forecast_of(&p, "nearest", &f, "csr-scalar", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "x sectors / nonzero 0.25 is outside the fitted range 1..1"));
    f.sectors[F64][SECTORS_32] = f.nnz * 3 / 5;
    h = forecast_of(&p, "nearest", &f, "csr-scalar", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && fabs(h.distance - log(5.0 / 3.0)) < 1e-9);
    features_free(&f);

    /* a launch takes 4 us, and the bandwidth is so high that bytes take no time */
    coefs_add(&p.coefs, "bandwidth", "*", &t, "t0", 0, 4e-6, "s", NAN, NAN);
    coefs_add(&p.coefs, "bandwidth", "*", &t, "bandwidth_resident", 0, 1e18, "B/s", NAN, NAN);
    coefs_sort(&p.coefs);
    CHECK(within(near_us(&p, 1500, &t), 4.0 + 7.0 * 1.5, 1e-6));
    CHECK(within(near_us(&p, 600, &t), 4.0 + 7.0 * 0.6, 1e-6));
    h = of_constant(&p, 600, 8, "csr-scalar", &t);
    double sum = 0.0;
    for (int i = 0; i < h.nterms; i++)
        sum += h.terms[i].time_s;
    CHECK(h.nterms >= 2 && near(sum, h.time_s) && near(h.terms[0].time_s, 4e-6));

    /* a measured time below the launch counts as 0 above it; on a slow device the bytes still take their time */
    for (int64_t i = 0; i < p.coefs.n; i++)
        if (strcmp(p.coefs.row[i].key, "t0") == 0)
            p.coefs.row[i].value = 30e-6;
        else if (strcmp(p.coefs.row[i].key, "bandwidth_resident") == 0)
            p.coefs.row[i].value = 1e9;
    f = features_constant(1500, 8);
    const struct config c = config_for("csr-scalar", &f, &t);
    c.kernel->layout->traffic(&f, &c, &t, &traffic);
    h = forecast_of(&p, "nearest", &f, "csr-scalar", &t);
    CHECK(near(h.time_s, 30e-6 + (double)traffic_least(&traffic) / 1e9)
          && near(h.time_s, forecast_of(&p, "bandwidth", &f, "csr-scalar", &t).time_s));
    sum = 0.0;
    for (int i = 0; i < h.nterms; i++)
        sum += h.terms[i].time_s;
    CHECK(near(sum, h.time_s));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static void test_cusparse(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    struct features f = features_constant(5000, 8);
    add_row(&runs, "matrix", "other", &f, "cusparse-csr", &t, 7e-6);
    add_row(&runs, "matrix", "other", &f, "csr-scalar", &t, 7e-6); /* refused although it was measured */
    fit_profile(&runs, "nearest", &t, &p);
    take_matrices(&runs, &p);
    features_free(&f);
    f = features_constant(2500, 8);
    CHECK(near(forecast_of(&p, "cusparse", &f, "cusparse-csr", &t).time_s, 3.5e-6));
    CHECK(forecast_of(&p, "nearest", &f, "csr-scalar", &t).status != FORECAST_REFUSED);
    CHECK(forecast_of(&p, "cusparse", &f, "csr-scalar", &t).status == FORECAST_REFUSED);
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static double flat(double i, double p) { return 3.0 + i * p; }
static double flat_f32(double i, double p) { return 2.0 * flat(i, p); } /* distinguished from f64 */

static void store(const char *path, struct runs *runs)
{
    struct archive *a;
    char why[ERRLEN];
    archive_set_device(runs->devices[0].device_key, "GPU-0", "570.1", "12.8", "12.5", "a CPU");
    if (archive_create(path, "run", &a, why) != 0 || runs_store(a, runs, why) != 0 || archive_commit(a, why) != 0)
        die("%s", why);
    runs_free(runs);
    checks++;
}

/* Writes a run archive for spmv-fit: two precisions, guo2014's grid of two configurations (one in f64 only), three matrices. */
static void write_h200(const char *path)
{
    struct runs runs = { 0 };
    for (int precision = 0; precision < NPRECISIONS; precision++) {
        struct target t = target_of("h200", (enum precision)precision);
        if (precision == F64)
            add_grid(&runs, "csr-vector:lanes=32", &t, geometry_strip(&t.device, 32), flat);
        add_grid(&runs, "ell", &t, geometry_strip(&t.device, 1), precision == F32 ? flat_f32 : flat);
        for (int64_t k = 1; k <= 3; k++) {
            struct features f = features_constant(1000 * k, 5 * k);
            add_row(&runs, "matrix", "", &f, "ell", &t, 5e-6);
            add_row(&runs, "matrix", "", &f, "coo", &t, 5e-6);
            TEXT_SET(runs.rows[runs.nrows - 1].outcome, "na");
            TEXT_SET(runs.rows[runs.nrows - 1].reason, "not today");
            features_free(&f);
        }
        runs_add_device(&runs, t.device.name, &t.device);
    }
    store(path, &runs);
}

/* One time of a matrix on an H200, without costs and benchmark cells. */
static void write_bare(const char *path)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct features f = features_constant(1000, 5);
    add_row(&runs, "matrix", "", &f, "ell", &t, 5e-6);
    runs.rows[0].convert_us = runs.rows[0].upload_us = runs.rows[0].convert_device_us = runs.rows[0].prepare_us = NAN;
    runs_add_device(&runs, t.device.name, &t.device);
    features_free(&f);
    store(path, &runs);
}

/* Checks that a profile written by spmv-fit forecasts what its coefficients give. */
static void read_profile(const char *path)
{
    struct profile p;
    char why[ERRLEN];
    if (profile_load(path, &p, why) != 0)
        die("%s", why);
    struct target t = { .device = p.device, .precision = F64, .cache = WARM };
    const struct geometry *g = geometry_find("h200");
    CHECK(p.device.sms == g->sms && p.device.l2_bytes == g->l2_bytes && p.device.threads_sm == g->threads_sm
          && p.device.kind == DEVICE_CUDA);
    CHECK(p.measured.nmatrices == 3 && p.measured.matrices[0].nnz > 0);
    CHECK(strcmp(p.date, "2026-01-02") == 0 && strcmp(p.driver, "570.1") == 0
          && strcmp(p.device_key, p.device.name) == 0);
    struct features f = features_constant(8448 * 7, 28);
    /* the matrix is one strip of 270336 rows */
    CHECK(fabs(forecast_of(&p, "guo2014", &f, "ell", &t).time_s / 31e-6 - 1.0) < 1e-9);
    t.precision = F32;
    CHECK(fabs(forecast_of(&p, "guo2014", &f, "ell", &t).time_s / 62e-6 - 1.0) < 1e-9);
    t.precision = F64;
    CHECK(forecast_of(&p, "guo2014", &f, "csr-vector:lanes=32", &t).status == FORECAST_OK);
    CHECK(of_constant(&p, 1500, 8, "ell", &t).time_s > 0.0);
    CHECK(of_constant(&p, 1500, 8, "coo", &t).status == FORECAST_REFUSED);
    features_free(&f);
    profile_free(&p);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        void (*with)(const char *path);
    } tests[] = { { "bandwidth", test_bandwidth, NULL },   { "nearest", test_nearest, NULL },
                  { "nearest-bounds", test_bounds, NULL }, { "cusparse", test_cusparse, NULL },
                  { "write-h200", NULL, write_h200 },      { "write-bare", NULL, write_bare },
                  { "profile", NULL, read_profile } };
    error_program("rivals");
    archive_set_command(argc, argv, true);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (argc < 2 || strcmp(argv[1], tests[i].name) != 0 || argc != (tests[i].with ? 3 : 2))
            continue;
        if (tests[i].with)
            tests[i].with(argv[2]);
        else
            tests[i].run();
        printf("ok %s, %ld checks\n", tests[i].name, checks);
        return checks > 0 ? EXIT_OK : EXIT_FAILED;
    }
    die("rivals bandwidth|nearest|nearest-bounds|cusparse, or write-h200|write-bare|profile FILE");
}
