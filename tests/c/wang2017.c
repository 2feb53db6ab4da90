/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares wang2017 and guo2014-mean with numbers computed by hand. "wang2017 PART" prints "ok PART, N checks" or fails
 * with the check. */
#include "models/wang2017/wang2017.h"
#include "models.h"
#include "parts.h"

static const char *const group = "csr-vector:lanes=16,rows=1,block=128";
enum { GROUP_STRIP = 192, THREAD_STRIP = 3072 }; /* of the GTX 540M */

static double product(double i, double p) { return (2.0 * p + 10.0) * (3.0 * i + 4.0); }
static double broken(double i, double p) { return (p <= 1024.0 ? 2.0 * p + 10.0 : 3.0 * p - 1014.0) * (3.0 * i + 4.0); }
static double bilinear(double i, double p) { return 1.0 + 2.0 * i + 3.0 * p + 4.0 * i * p; }
static double falling(double i, double p) { return 100.0 + p - 9.0 * i; }

/* Adds a benchmark row of a recipe; its features are those of constant rows, of which wang2017 uses none. */
static void add_recipe(struct runs *runs, const char *recipe, int64_t rows, int64_t p, const char *config,
                       const struct target *t, double time_us)
{
    struct features f = features_constant(rows, p);
    add_row(runs, "benchmark", recipe, &f, config, t, time_us * 1e-6);
    struct matrix_row *m = &runs->matrices[runs->nmatrices - 1];
    TEXT_SET(m->recipe, recipe);
    TEXT_SET(m->place, "random");
    features_free(&f);
}

/* Adds the grid of a distribution with at most `most` strips; returns its cells. */
static int add_cells(struct runs *runs, enum wang_kind kind, const char *config, const struct target *t, int64_t strip,
                     int most, cell_time *time)
{
    struct features none = features_constant(1, 1);
    struct config c = config_for(config, &none, t);
    const struct wang_kernel *k = wang_kernel_of(&c);
    char recipe[RECIPE_LEN];
    int n = 0;
    for (const int *i = wang_strips(k); *i && *i <= most; i++)
        for (const int *p = wang_lengths(k); *p; p++)
            if (wang_recipe(kind, *i * strip, *p, recipe)) {
                add_recipe(runs, recipe, *i * strip, *p, config, t, time((double)*i, (double)*p));
                n++;
            }
    features_free(&none);
    return n;
}

static double time_us(const struct profile *p, const char *model, const char *config, const struct target *t,
                      int64_t rows, int64_t length)
{
    struct features f = features_constant(rows, length);
    struct forecast forecast = forecast_of(p, model, &f, config, t);
    features_free(&f);
    return forecast.status == FORECAST_REFUSED ? NAN : forecast.time_s * 1e6;
}

static double coef(const struct profile *p, const char *model, const char *config, const struct target *t,
                   const char *key, int64_t index)
{
    return coefs_value(&p->coefs, model, config, t, key, index);
}

static void test_group(void)
{
    struct target t = target_of("gtx540m", F32);
    const char *name = wang_name(WANG_NORMAL);
    struct runs runs = { 0 };
    struct profile p;
    CHECK(add_cells(&runs, WANG_NORMAL, group, &t, GROUP_STRIP, 50, broken)
          == 187); /* of 18 x 13: the others are wider */
    fit_profile(&runs, name, &t, &p);
    CHECK(near(time_us(&p, name, group, &t, 50 * GROUP_STRIP, 28), broken(50, 28)));
    CHECK(near(time_us(&p, name, group, &t, 49 * GROUP_STRIP + 1, 28), broken(50, 28))); /* I is rounded up */
    CHECK(near(time_us(&p, name, group, &t, 7 * GROUP_STRIP, 1024), broken(7, 1024)));
    CHECK(near(time_us(&p, name, group, &t, 7 * GROUP_STRIP, 1025), broken(7, 1025)));
    CHECK(near(time_us(&p, name, group, &t, 7 * GROUP_STRIP, 3000), broken(7, 3000)));
    /* T is drawn at I = 40, E at P = 64 and 2048, t0 is the time where they meet. */
    CHECK(near(coef(&p, name, group, &t, "T2_below", 0), broken(40, 64) * 1e-6));
    CHECK(near(coef(&p, name, group, &t, "T2_above", 0), broken(40, 2048) * 1e-6));
    CHECK(near(coef(&p, name, group, &t, "E_below", 1), 2.0 * 124.0 * 1e-6));
    CHECK(near(coef(&p, name, group, &t, "E'_above", 1), 3.0 * (3.0 * 2048.0 - 1014.0) * 1e-6));
    CHECK(coef(&p, name, group, &t, "meet_below", 0) == 40.0 && coef(&p, name, group, &t, "meet_below", 1) == 64.0);
    CHECK(coef(&p, name, group, &t, "meet_above", 0) == 40.0 && coef(&p, name, group, &t, "meet_above", 1) == 2048.0);
    CHECK(coef(&p, name, group, &t, "cells", 0) == 187.0 && coef(&p, name, group, &t, "cells_unused", 0) == 0.0);
    check_given_back(&p, &runs, name, &t, 1e-10, 0);
    /* P is the mode, not the mean or the longest row. */
    const int64_t length[] = { 28, 2000 }, count[] = { 3 * GROUP_STRIP - 1, 1 };
    struct features f = features_with(length, count, 2);
    struct forecast h = forecast_of(&p, name, &f, group, &t);
    CHECK(near(h.time_s, broken(3, 28) * 1e-6) && h.status == FORECAST_OK);
    CHECK(strcmp(h.note, "E(P) / T2 x E'(I), P = 28 (mode of the row lengths), I = 3 strips of 192 rows") == 0);
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static void test_thread(void)
{
    struct target t = target_of("gtx540m", F64);
    static const char *const configs[] = { "csr-scalar:block=256", "ell:lanes=1,block=256", "jad:lanes=1,block=256" };
    for (int k = 0; k < 3; k++) {
        const char *name = wang_name(WANG_UNIFORM);
        struct runs runs = { 0 };
        struct profile p;
        CHECK(add_cells(&runs, WANG_UNIFORM, configs[k], &t, THREAD_STRIP, 50, bilinear) == 90);
        fit_profile(&runs, name, &t, &p);
        CHECK(near(time_us(&p, name, configs[k], &t, 5 * THREAD_STRIP, 7), 172.0));
        CHECK(coef(&p, name, configs[k], &t, "x1", 0) == 32.0);
        CHECK(near(coef(&p, name, configs[k], &t, "e", 1), (2.0 + 4.0 * 32.0) * 1e-6)); /* E(I) is drawn at P = 32 */
        /* P is the longest row. */
        const int64_t length[] = { 4, 7 }, count[] = { 5 * THREAD_STRIP - 1, 1 };
        struct features f = features_with(length, count, 2);
        struct forecast h = forecast_of(&p, name, &f, configs[k], &t);
        CHECK(near(h.time_s, 172e-6));
        CHECK(strcmp(h.note, "P = 7 (longest row), I = 5 strips of 3072 rows") == 0);
        features_free(&f);
        profile_free(&p);
        runs_free(&runs);
    }
}

static double twice(double i, double p) { return 2.0 * product(i, p); }
static double thrice(double i, double p) { return 3.0 * product(i, p); }
static double fourfold(double i, double p) { return 4.0 * product(i, p); }

/* Each model is fitted to the cells of its distribution only; other matrices are unused. */
static void test_kinds(void)
{
    struct target t = target_of("gtx540m", F32);
    struct runs runs = { 0 };
    static cell_time *const times[NWANG] = { product, twice, thrice, fourfold };
    static const char *const others[] = {
        "normal:rows=1920,cols=1920,p=64,sd=32,place=random,seed=1",
        "normal:rows=1920,cols=1920,p=64,sd=7.8671875,place=band,seed=1",
        "constant:rows=1920,cols=4000,p=64,place=random,seed=1",
        "binomial:rows=2112,cols=2112,p=64,place=random,seed=1",
        "uniform:rows=1920,cols=1920,p=63,place=random,seed=1",
        "",
    };
    for (int k = 0; k < NWANG; k++)
        add_cells(&runs, (enum wang_kind)k, group, &t, GROUP_STRIP, 50, times[k]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        add_recipe(&runs, others[i], 1920 + 192 * (int64_t)i, 64, group, &t, 1e6);
    for (int k = 0; k < NWANG; k++) {
        const char *name = wang_name((enum wang_kind)k);
        struct profile p;
        fit_profile(&runs, name, &t, &p);
        CHECK(near(time_us(&p, name, group, &t, 9 * GROUP_STRIP, 100), (k + 1) * product(9, 100)));
        CHECK(coef(&p, name, group, &t, "cells", 0) == 187.0);
        CHECK(coef(&p, name, group, &t, "cells_unused", 0) == 3.0 * 187.0 + 6.0);
        profile_free(&p);
    }
    runs_free(&runs);
    /* The deviation of a binomial distribution, in 256ths; any seed. */
    char text[RECIPE_LEN];
    int64_t rows, p;
    CHECK(wang_recipe(WANG_NORMAL, 1920, 64, text) && strstr(text, ",sd=7.8671875,")); /* sqrt(64 (1 - 1/30)) */
    CHECK(wang_recipe(WANG_UNIFORM, 1920, 64, text) && strstr(text, ",half=13.625,")); /* sqrt(3) times that */
    CHECK(!wang_recipe(WANG_UNIFORM, 64, 64, text) && wang_recipe(WANG_BINOMIAL, 65, 64, text));
    CHECK(wang_recipe_is(WANG_BINOMIAL, "binomial:rows=1920,cols=1920,p=8,place=random,seed=7", &rows, &p)
          && rows == 1920 && p == 8);
}

/* A device without the cells of I = 40: the lines are drawn where there are most, and --explain says so. */
static void test_anchors(void)
{
    struct target t = target_of("gtx540m", F32);
    const char *name = wang_name(WANG_BINOMIAL), *scalar = "csr-scalar:block=256";
    struct runs runs = { 0 };
    struct profile p;
    char recipe[RECIPE_LEN];
    add_cells(&runs, WANG_BINOMIAL, group, &t, GROUP_STRIP, 20, product);
    for (int i = 1; i <= 3; i++)
        for (int64_t length = 4; length <= 16; length *= 2) {
            wang_recipe(WANG_BINOMIAL, i * THREAD_STRIP, length, recipe);
            add_recipe(&runs, recipe, i * THREAD_STRIP, length, scalar, &t, bilinear(i, (double)length));
        }
    fit_profile(&runs, name, &t, &p);
    CHECK(near(time_us(&p, name, group, &t, 7 * GROUP_STRIP, 300), product(7, 300)));
    CHECK(coef(&p, name, group, &t, "meet_below", 0) == 6.0); /* the fewest strips with all P up to 1024 */
    struct features f = features_constant(7 * GROUP_STRIP, 300);
    struct forecast h = forecast_of(&p, name, &f, group, &t);
    CHECK(strstr(h.note, "I = 6 and P = 64") && strstr(h.note, "40 and 64"));
    h = forecast_of(&p, name, &f, scalar, &t);
    CHECK(near(h.time_s, bilinear(1, 300) * 1e-6) && strstr(h.note, "P = 4, in the paper at 32"));
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "longest row") && near(h.distance, log(300.0 / 16.0)));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static void test_status(void)
{
    struct target t = target_of("gtx540m", F32), cold = t;
    const char *name = wang_name(WANG_NORMAL), *jad = "jad:lanes=1,block=256";
    struct runs runs = { 0 };
    struct profile p;
    char why[ERRLEN];
    add_cells(&runs, WANG_NORMAL, group, &t, GROUP_STRIP, 50, product);
    add_cells(&runs, WANG_NORMAL, jad, &t, THREAD_STRIP, 50, falling);
    fit_profile(&runs, name, &t, &p);
    struct features f = features_constant(100 * GROUP_STRIP, 2), many = features_constant(13 * THREAD_STRIP, 4),
                    empty = features_constant(100, 0);
    struct forecast h = forecast_of(&p, name, &f, group, &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && near(h.distance, log(2.0)));
    static const char *const never[] = { "csr-vector:lanes=8", "csr-vector:lanes=16,rows=2",
                                         "ell:lanes=4",        "jad:lanes=2",
                                         "csr-block",          "hyb",
                                         "cusparse-csr" };
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        h = forecast_of(&p, name, &f, never[i], &t);
        CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "is not supported by model wang2017-normal")
              && isnan(h.time_s));
    }
    h = forecast_of(&p, name, &f, "ell", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "ell:lanes=1") && strstr(h.why, "spmv-profile -m all"));
    cold.cache = COLD;
    h = forecast_of(&p, name, &f, group, &cold);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "cold"));
    h = forecast_of(&p, "wang2017-uniform", &f, group, &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "spmv-profile -m all"));
    h = forecast_of(&p, name, &many, jad, &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "not a positive time"));
    h = forecast_of(&p, name, &empty, group, &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "no entries"));
    /* Too few cells, and none. */
    struct coefs none = { 0 };
    struct runs few = { 0 };
    add_cells(&few, WANG_NORMAL, group, &t, GROUP_STRIP, 1, product);
    runs_index(&few);
    CHECK(model_find(name)->fit(&few, &t, &none, why) == FAIL && none.n == 0);
    CHECK(strstr(why, "too few cells of the wang2017-normal grid: 6 measured") && strstr(why, "spmv-profile -m all"));
    CHECK(model_find("wang2017-constant")->fit(&few, &t, &none, why) == FAIL && strstr(why, ": 0 measured"));
    CHECK(model_find(name)->fit(&few, &cold, &none, why) == FAIL && strstr(why, "no measured rows of its kernels"));
    features_free(&f);
    features_free(&many);
    features_free(&empty);
    profile_free(&p);
    runs_free(&runs);
    runs_free(&few);
}

/* The CPU device: its configurations lack the keys that have no effect there, and its strips are its own. */
static void test_cpu(void)
{
    struct target t = {
        .device = { .name = "a CPU", .kind = DEVICE_CPU, .warp = 1, .sms = 8, .warps_sm = 32, .threads_sm = 1024 },
        .precision = F64,
        .cache = WARM
    };
    const char *name = wang_name(WANG_CONSTANT);
    struct runs runs = { 0 };
    struct profile p;
    add_cells(&runs, WANG_CONSTANT, "csr-vector:lanes=16", &t, 512, 50, product);
    add_cells(&runs, WANG_CONSTANT, "jad", &t, 8192, 50, bilinear);
    fit_profile(&runs, name, &t, &p);
    CHECK(near(time_us(&p, name, "csr-vector:lanes=16", &t, 126 * 512, 28), product(126, 28)));
    CHECK(near(time_us(&p, name, "jad", &t, 5 * 8192, 7), 172.0));
    profile_free(&p);
    runs_free(&runs);
}

/* guo2014's lines at the mean row length, for rows of a group, padded rows and entries. */
static void test_mean(void)
{
    struct target t = target_of("c2050", F32);
    struct runs runs = { 0 };
    struct profile p;
    add_grid(&runs, "csr-vector:lanes=32", &t, 672, product);
    add_grid(&runs, "ell", &t, 21504, bilinear);
    add_coo_grid(&runs, "coo:sum=segmented", &t, 21504, product);
    fit_profile(&runs, "guo2014", &t, &p);
    /* mean (4 * 672 + 60 * 672) / 1344 = 32, mode 4, longest 60; then mean 31.96, which rounds to 32 */
    for (int64_t more = 0; more < 60; more += 59) {
        const int64_t length[] = { 4, 60 }, count[] = { 672 + more / 59, 672 };
        struct features f = features_with(length, count, 2);
        const double strips = more ? 3.0 : 2.0;
        struct forecast h = forecast_of(&p, "guo2014-mean", &f, "csr-vector:lanes=32", &t);
        CHECK(near(h.time_s, product(strips, 32) * 1e-6) && h.status == FORECAST_OK);
        CHECK(near(forecast_of(&p, "guo2014", &f, "csr-vector:lanes=32", &t).time_s, product(strips, 4) * 1e-6));
        CHECK(near(forecast_of(&p, "guo2014-mean", &f, "ell", &t).time_s, bilinear(1, 32) * 1e-6));
        CHECK(near(forecast_of(&p, "guo2014", &f, "ell", &t).time_s, bilinear(1, 60) * 1e-6));
        CHECK(near(forecast_of(&p, "guo2014-mean", &f, "coo:sum=segmented", &t).time_s,
                   forecast_of(&p, "guo2014", &f, "coo:sum=segmented", &t).time_s));
        h = forecast_of(&p, "guo2014-mean", &f, "coo:sum=segmented", &t);
        CHECK(h.nterms == 2 && near(h.terms[0].time_s + h.terms[1].time_s, h.time_s));
        CHECK(strstr(h.note, more ? "3 strips of 21504 entries" : "2 strips of 21504 entries"));
        h = forecast_of(&p, "guo2014", &f, "hyb:k=4,head=ell,tail=coo,tail.sum=segmented", &t);
        CHECK(strcmp(h.note, "head: P = 4 (longest row), I = 1 strip of 21504 rows; tail: 2 strips of 21504 entries")
              == 0);
        h = forecast_of(&p, "guo2014-mean", &f, "sell", &t);
        CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "kernel sell is not supported by model guo2014-mean: "));
        h = forecast_of(&p, "guo2014-mean", &f, "hyb", &t);
        CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "hyb"));
        h = forecast_of(&p, "guo2014-mean", &f, "csr-block", &t);
        CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "spmv-run -c csr-block"));
        features_free(&f);
    }
    struct features f = features_constant(672, 4096), empty = features_constant(672, 0);
    struct forecast h = forecast_of(&p, "guo2014-mean", &f, "csr-vector:lanes=32", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "mean of the row lengths") && near(h.distance, log(2.0)));
    CHECK(forecast_of(&p, "guo2014-mean", &empty, "ell", &t).status == FORECAST_REFUSED);
    CHECK(!model_find("guo2014-mean")->fit);
    features_free(&f);
    features_free(&empty);
    profile_free(&p);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "group", test_group },   { "thread", test_thread },
                                         { "kinds", test_kinds },   { "anchors", test_anchors },
                                         { "status", test_status }, { "cpu", test_cpu },
                                         { "mean", test_mean } };
    return parts_main("wang2017", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
