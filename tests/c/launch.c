/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of launches in a stream, fitted to stream_us: the longer launch becomes part of the launch term. "launch PART"
 * prints "ok PART, N checks" or fails with the check. */
#include "models.h"
#include "models/cells.h"
#include "models/costs.h"
#include "parts.h"

static const char config[] = "csr-vector:lanes=32,rows=1,block=128";
static const double more_us = 1.25;

static struct target in_stream(const struct target *t)
{
    struct target stream = *t;
    stream.launch = STREAM;
    return stream;
}

/* Sets stream_us in warm rows only, as programs measure it; a launch in a stream takes more_us longer. */
static void add_streams(struct runs *runs)
{
    for (int64_t i = 0; i < runs->nrows; i++) {
        struct run_row *r = &runs->rows[i];
        if (r->cache == WARM)
            r->stream_us = r->time_us + more_us;
    }
}

/* Adds cells of constant row length with the given role, from one round of the SMs to beyond the L2. */
static void add_cells(struct runs *runs, const char *role, const struct target *t)
{
    static const int64_t lengths[] = { 4, 16, 64 };
    for (int k = 0; k < 3; k++)
        for (int64_t rows = 528; rows <= 528 << 14; rows *= 4) {
            struct features f = features_constant(rows, lengths[k]);
            const double bytes = (double)footprint_bytes(f.rows, f.cols, f.nnz, t->precision);
            add_row(runs, role, "", &f, config, t, 1e-6 + hypot(3e-6, bytes / 3e12));
            features_free(&f);
        }
}

/* Fits the model to graph times and to stream times, into one profile. */
static void fit_both(struct runs *runs, const char *model, const struct target *t, struct profile *p)
{
    const struct target stream = in_stream(t);
    char why[ERRLEN];
    fit_profile(runs, model, t, p);
    if (model_find(model)->fit(runs, &stream, &p->coefs, why) != 0)
        die("%s: %s", model, why);
    coefs_sort(&p->coefs);
}

static void test_rows(void)
{
    struct target t = target_of("h200", F64), stream = in_stream(&t), cold = t;
    const struct run_row r = {
        .time_us = 3.0, .stream_us = 4.0, .outcome = "ok", .role = "matrix", .precision = F64, .cache = WARM
    };
    struct run_row disturbed = r;
    disturbed.stream_us = NAN;
    cold.cache = COLD;
    CHECK(row_time_us(&r, &t) == 3.0 && row_time_us(&r, &stream) == 4.0);
    CHECK(row_counts(&r, &t, "matrix") && row_counts(&r, &stream, "matrix") && !row_counts(&r, &cold, "matrix"));
    CHECK(row_counts(&disturbed, &t, "matrix") && !row_counts(&disturbed, &stream, "matrix"));
    CHECK(launch_is_timed(GRAPH, COLD) && launch_is_timed(STREAM, WARM) && !launch_is_timed(STREAM, COLD));
    CHECK(strcmp(target_words(&stream).text, "f64, warm, stream") == 0
          && strcmp(target_words(&cold).text, "f64, cold") == 0);
    CHECK(launch_parse("graph") == GRAPH && launch_parse("stream") == STREAM && launch_parse("streams") < 0);
}

/* A longer time in a stream counts as launch only for small grids; for large ones it has other causes. */
static void test_more(void)
{
    struct target t = target_of("h200", F64), stream = in_stream(&t);
    struct runs runs = { 0 };
    add_cells(&runs, "benchmark", &t);
    add_streams(&runs);
    for (int64_t i = 0; i < runs.nrows; i++)
        if (runs.rows[i].time_us > 10.0) {
            runs.rows[i].t0_us = 5.0;
            runs.rows[i].stream_us += 40.0;
        }
    runs.rows[0].stream_us -= 300.0; /* the difference is now negative, so this row does not count */
    CHECK(launch_more_us(&runs, &t, NULL) == 0.0);
    CHECK(within(launch_more_us(&runs, &stream, NULL), more_us, 1e-9)
          && within(launch_more_us(&runs, &stream, config), more_us, 1e-9));
    CHECK(launch_more_us(&runs, &stream, "csr-scalar:block=256") == 0.0);
    for (int64_t i = 0; i < runs.nrows; i++)
        runs.rows[i].stream_us = 0.5 * runs.rows[i].time_us;
    CHECK(launch_more_us(&runs, &stream, NULL) == 0.0); /* a stream never counts as faster than a graph */
    runs_free(&runs);
}

/* Fits to stream times give the same curves and rates as fits to graph times, with a longer launch. */
static void test_fits(void)
{
    static const char *const names[] = { "guo2014-regimes", "bandwidth" };
    struct target t = target_of("h200", F64), stream = in_stream(&t);
    for (int m = 0; m < 2; m++) {
        struct runs runs = { 0 };
        struct profile p;
        char why[ERRLEN];
        add_cells(&runs, "benchmark", &t);
        CHECK(model_find(names[m])->fit(&runs, &stream, &p.coefs, why) == FAIL); /* no stream times */
        add_streams(&runs);
        fit_both(&runs, names[m], &t, &p);
        CHECK(profile_has_launch(&p, STREAM, why) == 0);
        for (int64_t rows = 1000; rows < 1000000; rows *= 3) {
            struct features f = features_constant(rows, 16);
            const double graph_s = forecast_of(&p, names[m], &f, config, &t).time_s,
                         stream_s = forecast_of(&p, names[m], &f, config, &stream).time_s;
            CHECK(graph_s > 0.0 && within(stream_s - graph_s, more_us * 1e-6, 1e-6));
            features_free(&f);
        }
        stream.cache = COLD;
        struct features f = features_constant(1000, 16);
        const struct forecast none = forecast_of(&p, names[m], &f, config, &stream);
        CHECK(none.status == FORECAST_REFUSED && strstr(none.why, "f64, cold, stream"));
        stream.cache = WARM;
        features_free(&f);
        profile_free(&p);
        runs_free(&runs);
    }
}

static void test_nearest(void)
{
    struct target t = target_of("h200", F64), stream = in_stream(&t);
    struct runs runs = { 0 };
    struct profile p;
    char why[ERRLEN];
    struct features f = features_constant(1000, 8), like = features_constant(1100, 8);
    add_row(&runs, "matrix", "someone", &f, config, &t, 10e-6);
    add_streams(&runs);
    fit_both(&runs, "nearest", &t, &p);
    take_matrices(&runs, &p);
    CHECK(profile_has_launch(&p, STREAM, why) == 0);
    CHECK(near(forecast_of(&p, "nearest", &like, config, &t).time_s, 10e-6 * 1.1));
    CHECK(near(forecast_of(&p, "nearest", &like, config, &stream).time_s, 11.25e-6 * 1.1));
    features_free(&f);
    features_free(&like);
    profile_free(&p);
    runs_free(&runs);
}

/* Costs of conversion and branching are fitted once for both; coefficients of graphs and streams stay separate and
 * sorted. */
static void test_coefs(void)
{
    struct target t = target_of("h200", F64), stream = in_stream(&t);
    struct runs runs = { 0 };
    struct profile p = { .device = t.device };
    struct branching b;
    double graph_s[NCOSTS], stream_s[NCOSTS];
    int64_t n;
    char why[ERRLEN];
    const struct config ell = config_for("ell", &(struct features){ .rows = 1 }, &t);
    for (int64_t rows = 1000; rows <= 8000; rows *= 2) {
        struct features f = features_constant(rows, 8);
        add_row(&runs, "matrix", "", &f, "ell", &t, 1e-5);
        features_free(&f);
    }
    runs_index(&runs);
    coefs_add(&p.coefs, cost_model, "ell", &t, "build.start", 0, 2e-6, "s", NAN, NAN);
    coefs_add(&p.coefs, cost_model, "*", &t, "upload.byte", 0, 1e-10, "s/B", NAN, NAN);
    coefs_add(&p.coefs, "exec", "*", &t, "fork_s", 0, 2e-6, "s", NAN, NAN);
    coefs_add(&p.coefs, "exec", "*", &t, "branch_s", 0, 1e-6, "s", NAN, NAN);
    coefs_sort(&p.coefs);
    CHECK(profile_has_launch(&p, GRAPH, why) == 0);
    CHECK(profile_has_launch(&p, STREAM, why) == FAIL && strstr(why, "--launch stream") && strstr(why, "spmv-fit"));
    struct features f = features_constant(3000, 8);
    profile_costs(&p, &f, &ell, &t, graph_s);
    profile_costs(&p, &f, &ell, &stream, stream_s);
    CHECK(graph_s[COST_BUILD] == 2e-6 && stream_s[COST_BUILD] == 2e-6 && graph_s[COST_UPLOAD] > 0.0
          && graph_s[COST_UPLOAD] == stream_s[COST_UPLOAD]);
    features_free(&f);
    CHECK(profile_branching(&p, &stream, &b) && b.fork_s == 2e-6 && b.branch_s == 1e-6);
    coefs_add(&p.coefs, "x", "*", &stream, "a", 0, 2.0, "s", NAN, NAN);
    coefs_add(&p.coefs, "x", "*", &t, "b", 0, 1.0, "s", NAN, NAN);
    coefs_sort(&p.coefs);
    CHECK(coefs_value(&p.coefs, "x", "*", &t, "b", 0) == 1.0 && isnan(coefs_value(&p.coefs, "x", "*", &t, "a", 0)));
    CHECK(coefs_value(&p.coefs, "x", "*", &stream, "a", 0) == 2.0 && coefs_find(&p.coefs, "x", "*", &stream, NULL, &n)
          && n == 1);
    profile_free(&p);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "rows", test_rows },
                                         { "more", test_more },
                                         { "fits", test_fits },
                                         { "nearest", test_nearest },
                                         { "coefs", test_coefs } };
    return parts_main("launch", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
