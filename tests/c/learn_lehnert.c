/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines and neighbours of lehnert2016 on synthetic runs. "learn_lehnert PART" prints "ok PART, N checks". */
#include "lehnert.h"
#include "models/lehnert2016/least_squares.h"
#include "parts.h"

/* ---- features */
static void test_traits(void)
{
    struct target t = target_of("h200", F64);
    const int64_t length[] = { 2, 10 }, count[] = { 900, 100 };
    struct features f = features_with(length, count, 2); /* 1000 rows, 2800 nonzeros, mean 2.8, sd 2.4, longest 10 */
    struct config c;
    double x[NTRAITS];
    static const struct {
        const char *config;
        int n, neighbours;
        enum trait trait[TRAITS_MAX];
    } expected[] = {
        { "coo", 2, 4, { TRAIT_NNZ, TRAIT_ROWS } },
        { "csr-vector", 5, 4, { TRAIT_ROWS, TRAIT_NNZ, TRAIT_MEAN, TRAIT_SD, TRAIT_MAX } },
        { "ell", 4, 4, { TRAIT_ROWS, TRAIT_MAX, TRAIT_PADDED, TRAIT_NNZ } },
        { "sell", 4, 2, { TRAIT_ROWS, TRAIT_NNZ, TRAIT_PADDED, TRAIT_SD } },
        { "bro", 3, 4, { TRAIT_ROWS, TRAIT_COMPRESSED, TRAIT_PADDED } },
        { "hyb", 6, 4, { TRAIT_ROWS, TRAIT_NNZ, TRAIT_MEAN, TRAIT_SD, TRAIT_MAX, TRAIT_BYTES } },
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        c = config_for(expected[i].config, &f, &t);
        const struct trait_set *s = traits_for(c.kernel);
        CHECK(s->n == expected[i].n && s->neighbours == expected[i].neighbours);
        CHECK(memcmp(s->trait, expected[i].trait, (size_t)s->n * sizeof s->trait[0]) == 0);
        CHECK(s->paper == (i < 5) && s->trees == (i >= 3));
    }
    c = config_for("ell", &f, &t);
    CHECK(traits_of(&f, &c, &t, x) == 0);
    CHECK(x[TRAIT_ROWS] == 1000 && x[TRAIT_NNZ] == 2800 && near(x[TRAIT_MEAN], 2.8) && near(x[TRAIT_SD], 2.4));
    CHECK(x[TRAIT_MAX] == 10);
    CHECK(x[TRAIT_PADDED] == 1024 * 10);     /* rows rounded up to whole warps */
    CHECK(x[TRAIT_COMPRESSED] == 10240 * 4); /* columns of 32 bits */
    CHECK(x[TRAIT_BYTES] == 10240 * (8 + 4));
    t.precision = F32;
    CHECK(traits_of(&f, &c, &t, x) == 0 && x[TRAIT_PADDED] == 10240 && x[TRAIT_BYTES] == 10240 * (4 + 4));
    features_free(&f);
}

/* ---- least squares */
static void test_squares(void)
{
    enum { N = 12, M = 3 };
    double x[N * M], y[N], b[M + 1];
    for (int i = 0; i < N; i++) {
        x[i * M] = sin(i);
        x[i * M + 1] = sqrt(i);
        x[i * M + 2] = cos(3 * i);
        y[i] = 4 - 2 * x[i * M] + 0.5 * x[i * M + 1] + 3 * x[i * M + 2];
    }
    least_squares(x, y, N, M, b);
    CHECK(exact(b[0], 4) && exact(b[1], -2) && exact(b[2], 0.5) && exact(b[3], 3));
    /* a column that the others determine gets 0, and the rest fit as without it */
    for (int i = 0; i < N; i++)
        x[i * M + 2] = 2 * x[i * M] - x[i * M + 1] + 7;
    for (int i = 0; i < N; i++)
        y[i] = 1 + x[i * M] - x[i * M + 1];
    least_squares(x, y, N, M, b);
    CHECK(exact(b[0], 1) && exact(b[1], 1) && exact(b[2], -1) && b[3] == 0);
    /* residuals are orthogonal to every column: 1, 2, 4 over 0, 1, 2 is 5/6 + 3/2 x */
    const double points[] = { 0, 1, 2 }, values[] = { 1, 2, 4 };
    least_squares(points, values, 3, 1, b);
    CHECK(exact(b[0], 5.0 / 6) && exact(b[1], 1.5));
}

/* ---- linear, linear-log */
static const char *const configs[] = { "coo", "csr-vector:lanes=4", "ell", "sell", "bro", "hyb" };
enum { NCONFIGS = sizeof configs / sizeof configs[0] };
/* b0 and the coefficients of up to six traits, in us or in log s */
static const double line_us[] = { 30, 2, 3, 0.5, -0.25, 1.5, 0.75 },
                    line_log[] = { -14, 0.3, 0.4, 0.1, -0.2, 0.05, 0.02 };

static double on_line(const double *b, const struct features *f, const char *config, const struct target *t)
{
    const struct config c = config_for(config, f, t);
    const struct trait_set *s = traits_for(c.kernel);
    double x[NTRAITS], sum = b[0];
    CHECK(traits_of(f, &c, t, x) == 0);
    for (int k = 0; k < s->n; k++)
        sum += b[1 + k] * log(1 + x[s->trait[k]]);
    return sum;
}

static void test_linear(bool logs)
{
    const char *model = logs ? "linear-log" : "linear";
    struct target t = target_of("h200", F32);
    struct runs runs = { 0 };
    struct profile p;
    for (int c = 0; c < NCONFIGS; c++)
        for (int i = 0; i < MATRICES; i++) {
            struct features f = varied(i);
            add_row(&runs, "matrix", name_of(i), &f, configs[c], &t,
                    logs ? exp(on_line(line_log, &f, configs[c], &t)) : 1e-6 * on_line(line_us, &f, configs[c], &t));
            features_free(&f);
        }
    for (int i = 0; i < 11; i++) { /* one too few for five features */
        struct features f = varied(i);
        add_row(&runs, "matrix", name_of(i), &f, "csr-scalar", &t, 1e-5);
        features_free(&f);
    }
    train_profile(&runs, model, &t, &p, reasons);
    for (int c = 0; c < NCONFIGS; c++) {
        const int64_t length[] = { 3, 20 }, count[] = { 5000, 1300 };
        struct features f = features_with(length, count, 2);
        const struct forecast h = forecast_of(&p, model, &f, configs[c], &t);
        const double us =
            logs ? 1e6 * exp(on_line(line_log, &f, configs[c], &t)) : on_line(line_us, &f, configs[c], &t);
        CHECK(h.status == FORECAST_OK && exact(1e6 * h.time_s, us));
        double sum = 0;
        for (int k = 0; k < h.nterms; k++)
            sum += h.terms[k].time_s;
        CHECK(logs ? strstr(h.note, "log T = -14") != NULL : near(sum, h.time_s) && h.nterms > 2);
        CHECK(!h.in_training);
        features_free(&f);
    }
    /* beyond the range: extrapolated up to a factor of 2, then refused; every trait alone */
    const int64_t largest = p.trained->nfits; /* of COO: nonzeros, rows */
    const struct trained_fit *fit = NULL;
    for (int64_t i = 0; i < largest; i++)
        if (strncmp(p.trained->fit[i].config, "coo", 3) == 0)
            fit = &p.trained->fit[i];
    CHECK(fit && fit->matrices == MATRICES && fit->families == MATRICES && fit->error_max < 1e-9);
    const int64_t most = (int64_t)fit->high[1];
    struct features f = features_constant(most + most / 2, 4);
    struct forecast h = forecast_of(&p, model, &f, "coo", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && fabs(h.distance - log(1.5)) < 1e-3 && strstr(h.why, "rows"));
    features_free(&f);
    f = features_constant(2 * most, 4);
    CHECK(forecast_of(&p, model, &f, "coo", &t).status == FORECAST_EXTRAPOLATED);
    features_free(&f);
    f = features_constant(2 * most + 64, 4);
    h = forecast_of(&p, model, &f, "coo", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "factor of 2"));
    features_free(&f);
    /* refused: too few matrices, another target, an empty matrix, no table at all */
    f = features_constant(20000, 9);
    h = forecast_of(&p, model, &f, "csr-scalar", &t);
    CHECK(h.status == FORECAST_REFUSED
          && strstr(h.why, "fewer than 12 matrices; time more with spmv-run -c 'csr-scalar"));
    struct target cold = t;
    cold.cache = COLD;
    h = forecast_of(&p, model, &f, "coo", &cold);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "has no fit of") && strstr(h.why, "spmv-fit -m"));
    struct trained *kept = p.trained;
    p.trained = NULL;
    CHECK(forecast_of(&p, model, &f, "coo", &t).status == FORECAST_REFUSED);
    p.trained = kept;
    features_free(&f);
    f = features_constant(20000, 0);
    h = forecast_of(&p, model, &f, "coo", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "no entries"));
    features_free(&f);
    /* a matrix of the profile is in training */
    TEXT_SET(p.query.pattern_id, p.measured.matrices[0].pattern_id);
    f = features_constant(8000, 6);
    h = forecast_of(&p, model, &f, "coo", &t);
    CHECK(h.in_training && h.status == FORECAST_OK && strstr(h.why, "in training"));
    features_free(&f);
    /* a line that falls below 0 is refused; its exponential is not */
    for (int64_t i = 0; i < p.trained->nfits; i++)
        p.trained->fit[i].weight[0] = -40;
    memset(&p.query, 0, sizeof p.query);
    f = features_constant(8000, 6);
    h = forecast_of(&p, model, &f, "coo", &t);
    CHECK(logs ? h.status == FORECAST_OK && h.time_s > 0
               : h.status == FORECAST_REFUSED && strstr(h.why, "not positive") != NULL);
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}
static void test_line(void) { test_linear(false); }
static void test_line_log(void) { test_linear(true); }

/* ---- k nearest neighbours */
static void add_constant(struct runs *runs, const char *name, int64_t rows, int64_t p, const char *config,
                         double time_us, const struct target *t)
{
    struct features f = features_constant(rows, p);
    add_row(runs, "matrix", name, &f, config, t, 1e-6 * time_us);
    features_free(&f);
}

/* Weights of a kernel, as if found by the search. */
static void set_weights(struct profile *p, const char *kernel, double first, double second)
{
    for (int64_t i = 0; i < p->trained->nfits; i++)
        if (strcmp(p->trained->fit[i].config, kernel) == 0) {
            p->trained->fit[i].weight[1] = first;
            p->trained->fit[i].weight[2] = second;
            for (int k = 3; k <= TRAITS_MAX; k++)
                p->trained->fit[i].weight[k] = 1;
        }
}

static void add_five(struct runs *runs, const char *config, const struct target *t)
{
    static const int64_t rows[] = { 1024, 2048, 3072, 5120, 11264 }; /* 1, 2, 3, 5, 11 units: 0, .1, .2, .4, 1 scaled */
    static const double us[] = { 7, 10, 20, 50, 90 };
    static const char *const names[] = { "one", "two", "three", "four", "five" };
    for (int i = 0; i < 5; i++)
        add_constant(runs, names[i], rows[i], 10, config, us[i], t);
}

static struct forecast ask_constant(const struct profile *p, const char *model, int64_t rows, const char *config,
                                    const struct target *t)
{
    struct features f = features_constant(rows, 10);
    const struct forecast h = forecast_of(p, model, &f, config, t);
    features_free(&f);
    return h;
}

static void test_knn(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    add_five(&runs, "coo", &t);
    add_five(&runs, "sell", &t);
    add_constant(&runs, "lonely", 1024, 10, "csr-scalar", 5, &t);
    train_profile(&runs, "knn,knn-log", &t, &p, reasons);
    set_weights(&p, "coo", 1, 1);
    set_weights(&p, "sell", 1, 1);

    /* 2.5 units: distances 0.15, 0.05, 0.05, 0.25 (each times root 2), so shares of 20/3, 20, 20, 4 */
    struct forecast h = ask_constant(&p, "knn", 2560, "coo", &t);
    CHECK(h.status == FORECAST_OK);
    CHECK(exact(1e6 * h.time_s, (20.0 / 3 * 7 + 20 * 10 + 20 * 20 + 4 * 50) / (20.0 / 3 + 44)));
    CHECK(h.nterms == 4
          && near(h.terms[0].time_s + h.terms[1].time_s + h.terms[2].time_s + h.terms[3].time_s, h.time_s));
    CHECK(strstr(h.note, "two at 0.0707") && strstr(h.note, "four at 0.354"));
    /* SELL: two neighbours */
    h = ask_constant(&p, "knn", 2560, "sell", &t);
    CHECK(h.status == FORECAST_OK && h.nterms == 2 && exact(1e6 * h.time_s, 15));
    /* logarithms: 2.5 units are nearer to 3 than to 2 */
    double sum = 0, shares = 0;
    static const double us[] = { 7, 10, 20, 50 };
    for (int i = 0; i < 4; i++) {
        const double rows = (double)((const int[]){ 1024, 2048, 3072, 5120 })[i], scale_rows = log(11265.0 / 1025.0),
                     scale_nnz = log(112641.0 / 10241.0),
                     d = hypot(log((rows + 1) / 2561) / scale_rows, log((10 * rows + 1) / 25601) / scale_nnz);
        sum += us[i] / d;
        shares += 1 / d;
    }
    h = ask_constant(&p, "knn-log", 2560, "coo", &t);
    CHECK(h.status == FORECAST_OK && exact(1e6 * h.time_s, sum / shares));
    /* at distance 0 only that neighbour counts: as many rows and nonzeros as "two", but of two lengths */
    const int64_t length[] = { 2, 18 }, count[] = { 1024, 1024 };
    struct features f = features_with(length, count, 2);
    h = forecast_of(&p, "knn", &f, "coo", &t);
    CHECK(h.status == FORECAST_OK && exact(1e6 * h.time_s, 10));
    features_free(&f);
    /* a weight of 0 removes a feature: of 4 rows of length 640, only the nonzeros count; but rows are out of range */
    set_weights(&p, "coo", 0, 1);
    f = features_constant(2560, 12); /* 2560 rows, 30720 nonzeros, as "three" */
    h = forecast_of(&p, "knn", &f, "coo", &t);
    CHECK(exact(1e6 * h.time_s, (20.0 / 3 * 7 + 20 * 10 + 20 * 20 + 4 * 50) / (20.0 / 3 + 44)));
    set_weights(&p, "coo", 1, 0); /* the traits of COO: nonzeros, rows */
    CHECK(exact(1e6 * forecast_of(&p, "knn", &f, "coo", &t).time_s, 20));
    features_free(&f);
    set_weights(&p, "coo", 1, 1);
    /* the query's family is left out: without "two", four remain */
    TEXT_SET(p.query.matrix, "two7");
    h = ask_constant(&p, "knn", 2560, "coo", &t);
    CHECK(exact(1e6 * h.time_s, (20.0 / 3 * 7 + 20 * 20 + 4 * 50 + 90 / 0.85) / (20.0 / 3 + 24 + 1 / 0.85)));
    memset(&p.query, 0, sizeof p.query);
    /* so is a matrix that the fold does not train on */
    struct profile fold = p;
    bool keep[8] = { false };
    for (int64_t i = 0; i < p.measured.nmatrices; i++)
        keep[i] = strcmp(p.measured.matrices[i].matrix, "two") != 0;
    times_restrict(&fold, &p, keep);
    h = ask_constant(&fold, "knn", 2560, "coo", &t);
    CHECK(exact(1e6 * h.time_s, (20.0 / 3 * 7 + 20 * 20 + 4 * 50 + 90 / 0.85) / (20.0 / 3 + 24 + 1 / 0.85)));
    CHECK(fold.times.n == p.times.n - 2 && ask_constant(&fold, "knn", 2560, "sell", &t).time_s > 15e-6);
    times_free(&fold);
    /* a measured matrix is not its own neighbour */
    h = ask_constant(&p, "knn", 2048, "coo", &t);
    CHECK(h.status == FORECAST_OK && !strstr(h.note, "two"));
    /* range, too few matrices, other targets, another profile */
    CHECK(ask_constant(&p, "knn", 20000, "coo", &t).status == FORECAST_EXTRAPOLATED);
    h = ask_constant(&p, "knn", 23000, "coo", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "factor of 2"));
    h = ask_constant(&p, "knn", 2560, "csr-scalar", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "no weights of knn for kernel csr-scalar"));
    h = ask_constant(&p, "knn", 2560, "coo:items=8", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "measured on 0 matrices of other families, 4 needed"));
    struct target cold = t;
    cold.cache = COLD;
    h = ask_constant(&p, "knn", 2560, "coo", &cold);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "f64, cold"));
    profile_free(&p);
    runs_free(&runs);
}

/* Times that depend on the rows alone: the search lowers the weight of the nonzeros, and matrices of one family do not
 * help each other. */
static void test_weights(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    for (int i = 0; i < 60; i++) {
        const int64_t rows = 1000 + 977 * ((i * 7) % 60), p_row = 2 + (i * 5) % 37;
        add_constant(&runs, name_of(i), rows, p_row, "coo", 2 + 1e-3 * (double)rows, &t);
    }
    train_profile(&runs, "knn", &t, &p, reasons);
    const struct trained_fit *fit = trained_find(p.trained, "knn", "coo", &t);
    CHECK(fit && fit->weight[1] < fit->weight[2] && isnan(fit->weight[3])); /* nonzeros, rows */
    CHECK(fit->error_median < 0.05);
    profile_free(&p);
    runs_free(&runs);

    /* two families whose members are alike: a forecast comes from the other family, which is 10 times slower */
    for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s%d", i < 10 ? "fast" : "slow", i);
        add_constant(&runs, name, 1000 + 130 * i, 8, "csr-scalar", i < 10 ? 10 : 100, &t);
    }
    for (int i = 0; i < 6; i++) /* more families, far away */
        add_constant(&runs, name_of(i), 400000 + 60000 * i, 8, "csr-scalar", 1000, &t);
    train_profile(&runs, "knn", &t, &p, reasons);
    fit = trained_find(p.trained, "knn", "csr-scalar", &t);
    CHECK(fit && fit->error_median > 0.8);
    profile_free(&p);
    runs_free(&runs);
}

/* ---- training sets */
static void test_use(void)
{
    struct target t = target_of("h200", F32);
    struct runs runs = { 0 };
    struct families families;
    struct examples e;
    char why[ERRLEN];
    enum { STRANGERS = 20 };
    for (int i = 0; i < MATRICES + STRANGERS; i++) {
        struct features f = varied(i);
        add_row(&runs, "matrix", name_of(i), &f, "ell", &t, i < MATRICES ? 4e-5 : 1.0);
        features_free(&f);
    }
    runs_index(&runs);
    families_find(&runs, &families);
    int *family = examples_families(&runs, &families);
    CHECK(examples_make(&runs, family, &t, &e, why) == 0 && e.nconfigs == 1 && e.n == MATRICES + STRANGERS);
    bool *use = xcalloc((unsigned long)runs.nmatrices, sizeof *use);
    for (int64_t m = 0; m < runs.nmatrices; m++)
        for (int i = 0; i < MATRICES && !use[m]; i++)
            use[m] = strcmp(runs.matrices[m].matrix, name_of(i)) == 0;
    for (int i = 0; model_at(i); i++) {
        const struct model *m = model_at(i);
        struct trained *some = xcalloc(1, sizeof *some), *all = xcalloc(1, sizeof *all);
        if (m->train && (boost_library || strcmp(m->name, "gbrt") != 0)) {
            CHECK(m->train(&e, use, some, why) == 0 && m->train(&e, NULL, all, why) == 0);
            CHECK(some->nfits == 1 && all->nfits == 1);
            CHECK(some->fit->matrices == MATRICES && some->fit->error_max < 1e-6);
            CHECK(all->fit->matrices == MATRICES + STRANGERS && all->fit->error_max > 0.01);
        }
        trained_free(some);
        trained_free(all);
    }
    free(use);
    free(family);
    examples_free(&e);
    families_free(&families);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "traits", test_traits }, { "squares", test_squares },
                                         { "linear", test_line },   { "linear-log", test_line_log },
                                         { "knn", test_knn },       { "weights", test_weights },
                                         { "use", test_use } };
    gbrt_use(boost_library);
    return parts_main("learn_lehnert", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
