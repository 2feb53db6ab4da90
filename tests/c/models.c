/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the model guo2014 with values computed by hand. "models PART" prints "ok PART, N checks" or fails with the
 * check. */
#include "models.h"
#include "parts.h"

static double product(double i, double p) { return (2.0 * p + 10.0) * (3.0 * i + 4.0); }
static double broken(double i, double p) { return (p <= 1024.0 ? 2.0 * p + 10.0 : 3.0 * p - 1014.0) * (3.0 * i + 4.0); }
static double bump(double i, double p) { return product(i, p) * (p == 1024.0 ? 1.5 : 1.0); }
static double bilinear(double i, double p) { return 1.0 + 2.0 * i + 3.0 * p + 4.0 * i * p; }
static double strips_line(double i, double p)
{
    (void)i;
    return 5.0 + 3.0 * p;
}
static double falling(double i, double p) { return 100.0 + p - 9.0 * i; }

static double time_us(const struct profile *p, const char *config, const struct target *t, int64_t rows, int64_t length)
{
    struct features f = features_constant(rows, length);
    struct forecast forecast = forecast_of(p, "guo2014", &f, config, t);
    features_free(&f);
    return forecast.status == FORECAST_REFUSED ? NAN : forecast.time_s * 1e6;
}

static void test_csr(void)
{
    struct target t = target_of("c2050", F32);
    static const struct {
        const char *config;
        int64_t strip;
    } of[] = { { "csr-vector:lanes=32", 672 },
               { "csr-vector:lanes=16", 1344 },
               { "csr-vector:lanes=8,rows=2", 5376 },
               { "csr-block:block=128", 168 } };
    for (size_t k = 0; k < sizeof of / sizeof of[0]; k++) {
        struct runs runs = { 0 };
        struct profile p;
        add_grid(&runs, of[k].config, &t, of[k].strip, product);
        fit_profile(&runs, "guo2014", &t, &p);
        CHECK(near(time_us(&p, of[k].config, &t, 126 * of[k].strip, 28), 25212.0));
        CHECK(near(time_us(&p, of[k].config, &t, 125 * of[k].strip + 1, 28), 25212.0));
        CHECK(near(time_us(&p, of[k].config, &t, 1, 28), product(1, 28)));
        profile_free(&p);
        runs_free(&runs);
    }
}

/* On the CPU, configurations lack the keys that have no effect there, and a thread block has one thread. */
static void test_cpu(void)
{
    struct target t = {
        .device = { .name = "a CPU", .kind = DEVICE_CPU, .warp = 1, .sms = 8, .warps_sm = 32, .threads_sm = 1024 },
        .precision = F64,
        .cache = WARM
    };
    static const struct {
        const char *config;
        int64_t strip;
    } of[] = { { "csr-block", 8192 }, { "csr-vector:lanes=8", 1024 } };
    for (size_t k = 0; k < sizeof of / sizeof of[0]; k++) {
        struct runs runs = { 0 };
        struct profile p;
        add_grid(&runs, of[k].config, &t, of[k].strip, product);
        fit_profile(&runs, "guo2014", &t, &p);
        CHECK(near(time_us(&p, of[k].config, &t, 126 * of[k].strip, 28), 25212.0));
        CHECK(near(time_us(&p, of[k].config, &t, of[k].strip + 1, 1024), product(2, 1024)));
        profile_free(&p);
        runs_free(&runs);
    }
}

static void test_break(void)
{
    struct target t = target_of("c2050", F32);
    struct runs runs = { 0 };
    struct profile p;
    const char *config = "csr-vector:lanes=32";
    add_grid(&runs, config, &t, 672, broken);
    fit_profile(&runs, "guo2014", &t, &p);
    CHECK(near(time_us(&p, config, &t, 7 * 672, 1000), 2010.0 * 25.0));
    CHECK(near(time_us(&p, config, &t, 7 * 672, 1024), 2058.0 * 25.0));
    CHECK(near(time_us(&p, config, &t, 7 * 672, 1500), 3486.0 * 25.0));
    /* The lines E over P are fitted at I = 5; the lines E' over I at P = 4 below the break and at P = 1024 above it; T2
     * is the time where both meet. */
    struct features f = features_constant(672, 4);
    struct config c = config_for(config, &f, &t);
    char text[CONFIG_LEN];
    config_print(&c, text);
    CHECK(near(coefs_value(&p.coefs, "guo2014", text, &t, "T2_below", 0), 18.0 * 19.0 * 1e-6));
    CHECK(near(coefs_value(&p.coefs, "guo2014", text, &t, "T2_above", 0), 2058.0 * 19.0 * 1e-6));
    CHECK(near(coefs_value(&p.coefs, "guo2014", text, &t, "E_below", 1), 2.0 * 19.0 * 1e-6));
    CHECK(near(coefs_value(&p.coefs, "guo2014", text, &t, "E'_below", 1), 3.0 * 18.0 * 1e-6));
    CHECK(near(coefs_value(&p.coefs, "guo2014", text, &t, "E'_above", 1), 3.0 * 2058.0 * 1e-6));
    CHECK(coefs_value(&p.coefs, "guo2014", text, &t, "cells", 0) == 60.0);
    check_given_back(&p, &runs, "guo2014", &t, 1e-10, 0);
    CHECK(isnan(coefs_value(&p.coefs, "guo2014", text, &t, "no such key", 0)));
    profile_free(&p);
    runs_free(&runs);

    /* Cells with P = 1024 belong to both lines; the forecast of a matrix with P = 1024 uses the lower one. */
    add_grid(&runs, config, &t, 672, bump);
    fit_profile(&runs, "guo2014", &t, &p);
    const double e[2] = { coefs_value(&p.coefs, "guo2014", text, &t, "E_below", 0),
                          coefs_value(&p.coefs, "guo2014", text, &t, "E_below", 1) };
    CHECK(near(time_us(&p, config, &t, 5 * 672, 1024) * 1e-6, e[0] + 1024.0 * e[1]));
    CHECK(!near(time_us(&p, config, &t, 5 * 672, 1024), 1.5 * product(5, 1024)));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static void test_ell(void)
{
    struct target t = target_of("c2050", F32);
    static const char *const configs[] = { "ell", "csr-scalar" };
    for (int k = 0; k < 2; k++) {
        struct runs runs = { 0 };
        struct profile p;
        add_grid(&runs, configs[k], &t, 21504, bilinear);
        fit_profile(&runs, "guo2014", &t, &p);
        CHECK(near(time_us(&p, configs[k], &t, 5 * 21504, 7), 172.0));
        /* P is the longest row, not the most frequent length. */
        const int64_t length[] = { 2, 7 }, count[] = { 5 * 21504 - 1, 1 };
        struct features f = features_with(length, count, 2);
        CHECK(near(forecast_of(&p, "guo2014", &f, configs[k], &t).time_s, 172e-6));
        features_free(&f);
        profile_free(&p);
        runs_free(&runs);
    }
}

static void test_coo_hyb(void)
{
    struct target t = target_of("c2050", F32);
    struct runs runs = { 0 };
    struct profile p;
    add_coo_grid(&runs, "coo:sum=segmented", &t, 21504, strips_line);
    add_grid(&runs, "ell", &t, 21504, bilinear);
    fit_profile(&runs, "guo2014", &t, &p);
    CHECK(near(time_us(&p, "coo:sum=segmented", &t, 21504, 64), 5.0 + 3.0 * 64.0));
    CHECK(near(time_us(&p, "coo:sum=segmented", &t, 21505, 64), 5.0 + 3.0 * 65.0));

    const char *hyb = "hyb:head=ell,tail=coo,tail.sum=segmented";
    const int64_t length[] = { 10, 50 }, count[] = { 9000, 1000 };
    struct features f = features_with(length, count, 2);
    CHECK(f.hyb_k == 10);
    struct forecast h = forecast_of(&p, "guo2014", &f, hyb, &t);
    CHECK(near(h.time_s, (bilinear(1, 10) + strips_line(1, 2)) * 1e-6)); /* the 40000 entries are two strips */
    CHECK(h.nterms == 2 && near(h.terms[0].time_s + h.terms[1].time_s, h.time_s));
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "tail")); /* the line of COO starts at 10 strips */
    h = forecast_of(&p, "guo2014", &f, "hyb:k=0,head=ell,tail=coo,tail.sum=segmented", &t);
    CHECK(near(h.time_s, strips_line(1, 7) * 1e-6) && h.nterms == 1); /* without a head, no intercept of ELL is added */
    h = forecast_of(&p, "guo2014", &f, "hyb:k=50,head=ell,tail=coo,tail.sum=segmented", &t);
    CHECK(near(h.time_s, bilinear(1, 50) * 1e-6) && h.status == FORECAST_OK); /* no tail */
    h = forecast_of(&p, "guo2014", &f, "hyb:head=ell,tail=csr-vector", &t);
    CHECK(h.status == FORECAST_REFUSED && strncmp(h.why, "tail:", 5) == 0);
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static void test_status(void)
{
    struct target t = target_of("c2050", F32);
    struct runs runs = { 0 };
    struct profile p;
    const char *config = "csr-vector:lanes=32";
    add_grid(&runs, config, &t, 672, product);
    add_grid(&runs, "ell", &t, 21504, falling);
    fit_profile(&runs, "guo2014", &t, &p);
    struct {
        int64_t rows, length;
        double distance;
    } at[] = { { 672, 4, 0.0 },      { 6720, 1024, 0.0 },     { 6720, 2048, 0.0 },    { 67200, 4, log(10.0) },
               { 672, 1, log(4.0) }, { 672, 4096, log(2.0) }, { 13440, 1, log(4.0) }, { 672, 0, log(8.0) } };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        const int64_t length[] = { at[i].length, 5000 }, count[] = { at[i].rows - 1, 1 };
        struct features f = features_with(length, count, 2);
        struct forecast one = forecast_of(&p, "guo2014", &f, config, &t);
        CHECK(one.status == (at[i].distance > 0.0 ? FORECAST_EXTRAPOLATED : FORECAST_OK));
        CHECK(fabs(one.distance - at[i].distance) < 1e-12);
        CHECK((*one.why != 0) == (at[i].distance > 0.0));
        CHECK(isnan(one.low_s) && isnan(one.high_s));
        features_free(&f);
    }
    /* Refused: a time that is not positive, a configuration that was not fitted, a library kernel, an empty matrix. */
    struct features f = features_constant(21504 * 12, 4), empty = features_constant(100, 0);
    struct forecast h = forecast_of(&p, "guo2014", &f, "ell", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "fitted line gives -") && isnan(h.time_s));
    h = forecast_of(&p, "guo2014", &f, "csr-vector:lanes=4", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "lanes=4") && strstr(h.why, "synthetic"));
    h = forecast_of(&p, "guo2014", &f, "cusparse-csr", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "cusparse-csr"));
    h = forecast_of(&p, "guo2014", &empty, config, &t);
    CHECK(h.status == FORECAST_REFUSED);
    struct target cold = t;
    cold.cache = COLD;
    h = forecast_of(&p, "guo2014", &f, config, &cold);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "cold"));
    features_free(&f);
    features_free(&empty);
    profile_free(&p);
    runs_free(&runs);
}

/* Only cells of the grid are fitted, not those with other placements, lengths, strips, roles or outcomes. */
static void test_cells(void)
{
    struct target t = target_of("c2050", F32);
    struct runs runs = { 0 };
    struct profile p;
    const char *config = "csr-vector:lanes=32";
    char why[ERRLEN], text[CONFIG_LEN];
    add_grid(&runs, config, &t, 672, product);
    struct {
        int64_t rows, length, cols;
    } off[] = { { 672 * 3 + 1, 4, 0 }, { 672 * 11, 4, 0 }, { 672 * 3, 8, 0 }, { 672 * 3, 4, 99999 } };
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        struct features f = features_constant(off[i].rows, off[i].length);
        if (off[i].cols)
            f.cols = off[i].cols;
        add_row(&runs, "benchmark", "", &f, config, &t, 1.0);
        features_free(&f);
    }
    struct features f = features_constant(672, 4);
    add_row(&runs, "matrix", "someone's", &f, config, &t, 1e-9);
    add_row(&runs, "benchmark", "wrong", &f, config, &t, 1e-9);
    TEXT_SET(runs.rows[runs.nrows - 1].outcome, "wrong");
    add_row(&runs, "benchmark", "random", &f, config, &t, 1e-9);
    TEXT_SET(runs.matrices[runs.nmatrices - 1].place, "random");
    fit_profile(&runs, "guo2014", &t, &p);
    CHECK(near(time_us(&p, config, &t, 126 * 672, 28), 25212.0));
    struct config c = config_for(config, &f, &t);
    config_print(&c, text);
    CHECK(coefs_value(&p.coefs, "guo2014", text, &t, "cells_unused", 0) == 5.0);
    profile_free(&p);
    runs_free(&runs);

    add_row(&runs, "benchmark", "", &f, config, &t, 1.0);
    runs_index(&runs);
    struct coefs none = { 0 };
    CHECK(model_find("guo2014")->fit(&runs, &t, &none, why) == FAIL && strstr(why, "measure them with spmv-profile"));
    CHECK(none.n == 0);
    features_free(&f);
    runs_free(&runs);
}

/* ---- blocks ---- */
static uint64_t state = 12345;
static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static void random_matrix(struct csr *a, int64_t rows)
{
    char why[ERRLEN];
    int64_t nnz = 0, *length = xcalloc((unsigned long)rows, sizeof *length);
    for (int64_t i = 0; i < rows; i++)
        nnz += length[i] = (i / 3000) % 2 ? 3 + draw(3) : draw(20) ? draw(12) : draw(60);
    if (csr_alloc(a, rows, rows, nnz, why) != 0)
        die("%s", why);
    a->row_ptr[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        a->row_ptr[i + 1] = a->row_ptr[i] + length[i];
        for (int64_t k = 0; k < length[i]; k++) {
            a->col[a->row_ptr[i] + k] = (int32_t)((i + k) % (rows - 60) + 0);
            a->val[a->row_ptr[i] + k] = 1.0;
        }
    }
    free(length);
}

enum { STRIPS = 30 };
static struct features *of_block[STRIPS][STRIPS]; /* of the strips first..last as a matrix; NULL: not asked for yet */

static const struct features *block_features(const struct csr *a, const struct sketch *s, int first, int last)
{
    const int64_t end = (last + 1) * s->strip_rows;
    const struct csr_view view = csr_view_rows(a, first * s->strip_rows, end < a->rows ? end : a->rows);
    struct features **f = &of_block[first][last];
    if (!*f) {
        *f = xmalloc(sizeof **f);
        features_of_view(&view, *f);
    }
    return *f;
}

static void check_block(const struct model *m, struct block_cost *b, const struct features *f, const char *text,
                        const struct profile *p, const struct target *t, int first, int last)
{
    struct forecast forecast;
    char why[ERRLEN];
    struct config c = config_for(text, f, t);
    m->predict(p, f, &c, t, &forecast);
    double e = m->block_time(b, first, last);
    if (kernel_applicable(f, &c, t, why) != 0 || forecast.status == FORECAST_REFUSED)
        CHECK(isinf(e));
    else
        CHECK(e == forecast.time_s);
}

static void test_blocks(void)
{
    static const char *const configs[] = { "csr-vector:lanes=32", "ell", "csr-scalar", "coo:sum=segmented",
                                           "hyb:head=ell,tail=coo,tail.sum=segmented" };
    struct target t = target_of("c2050", F32);
    struct runs runs = { 0 };
    struct profile p;
    struct csr a;
    struct sketch s;
    char why[ERRLEN];
    add_grid(&runs, configs[0], &t, 672, product);
    add_grid(&runs, configs[1], &t, 21504, bilinear);
    add_grid(&runs, configs[2], &t, 21504, bilinear);
    add_coo_grid(&runs, configs[3], &t, 21504, strips_line);
    fit_profile(&runs, "guo2014", &t, &p);
    random_matrix(&a, 20000);
    sketch_of(&a, 672, &s);
    const struct model *m = model_find("guo2014");
    CHECK(!m->block_floor && s.n == STRIPS);
    for (size_t k = 0; k < sizeof configs / sizeof configs[0]; k++) {
        struct config asked;
        if (config_parse(configs[k], &asked, why) != 0) /* k=auto stays, since each block resolves it for itself */
            die("%s", why);
        struct block_cost *b = m->blocks_open(&p, &s, &asked, &t, why);
        CHECK(b != NULL);
        for (int last = 0; last < s.n; last++)
            for (int first = last; first >= 0; first -= 1 + last / 8)
                check_block(m, b, block_features(&a, &s, first, last), configs[k], &p, &t, first, last);
        for (int i = 0; i < 60; i++) {
            int first = (int)draw(s.n), last = first + (int)draw(s.n - first);
            check_block(m, b, block_features(&a, &s, first, last), configs[k], &p, &t, first, last);
        }
        m->blocks_close(b);
    }
    struct features whole = s.whole;
    struct config library = config_for("cusparse-csr", &whole, &t);
    CHECK(m->blocks_open(&p, &s, &library, &t, why) == NULL && strstr(why, "cusparse-csr"));
    for (int i = 0; i < STRIPS * STRIPS; i++)
        if (of_block[i / STRIPS][i % STRIPS]) {
            features_free(of_block[i / STRIPS][i % STRIPS]);
            free(of_block[i / STRIPS][i % STRIPS]);
        }
    sketch_free(&s);
    csr_free(&a);
    profile_free(&p);
    runs_free(&runs);
}

/* Coefficients that give a time which is none: the model is refused. */
static void test_odd(void)
{
    static const double start_s[] = { NAN, -1.0, INFINITY, 1e-6 };
    struct target t = target_of("c2050", F32);
    struct features f = features_constant(6720, 9);
    struct config c = config_for("csr-scalar", &f, &t);
    CHECK(coefs_whole(NAN) == 0 && coefs_whole(INFINITY) == 0 && coefs_whole(-1e300) == 0 && coefs_whole(7.0) == 7);
    for (size_t i = 0; i < sizeof start_s / sizeof start_s[0]; i++) {
        struct profile p = { .device = t.device };
        struct forecast forecast;
        coefs_add(&p.coefs, "bandwidth", "*", &t, "bandwidth_resident", 0, 1e11, "", NAN, NAN);
        coefs_add(&p.coefs, "bandwidth", "*", &t, "bandwidth_streaming", 0, 1e11, "", NAN, NAN);
        coefs_add(&p.coefs, "bandwidth", "*", &t, "t0", 0, start_s[i], "s", NAN, NAN);
        model_forecast(model_find("bandwidth"), &p, &f, &c, &t, &forecast);
        CHECK((forecast.status == FORECAST_REFUSED) == (i < 3));
        CHECK(isnan(forecast.time_s) == (i < 3));
        profile_free(&p);
    }
    features_free(&f);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "csr", test_csr },         { "cpu", test_cpu },
                                         { "break", test_break },     { "ell", test_ell },
                                         { "coo_hyb", test_coo_hyb }, { "status", test_status },
                                         { "cells", test_cells },     { "blocks", test_blocks },
                                         { "odd", test_odd } };
    return parts_main("models", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
