/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs before the first product: fits to synthetic times, forecasts, and total costs. */
#include <math.h>
#include <string.h>
#include "fit/costs_fit.h"
#include "models.h"

/* Time of the synthetic host or link for this many bytes. */
static double line_us(double start_us, double us_per_byte, double bytes) { return start_us + us_per_byte * bytes; }

/* Returns the larger of the relative errors of the forecast build and upload times. */
static double convert_error(const struct profile *p, const struct features *f, const char *config,
                            const struct target *t, double build_us, double upload_us)
{
    const struct config c = config_for(config, f, t);
    double cost_s[NCOSTS];
    profile_costs(p, f, &c, t, cost_s);
    return fmax(fabs(1e6 * cost_s[COST_BUILD] / build_us - 1.0), fabs(1e6 * cost_s[COST_UPLOAD] / upload_us - 1.0));
}

static double stored(const struct features *f, const char *config, const struct target *t)
{
    const struct config c = config_for(config, f, t);
    struct traffic traffic = { 0 };
    c.kernel->layout->traffic(f, &c, t, &traffic);
    return (double)traffic_storage(&traffic);
}

static struct run_row *convert_row(struct runs *runs, const struct features *f, const char *config,
                                   const struct target *t, double start_us, double us_per_byte)
{
    add_row(runs, "matrix", "", f, config, t, 1e-6);
    struct run_row *r = &runs->rows[runs->nrows - 1];
    r->convert_us = line_us(start_us, us_per_byte, stored(f, config, t));
    r->upload_us = line_us(30.0, 1e-4, stored(f, config, t));
    r->convert_device_us = r->prepare_us = NAN;
    return r;
}

static void fit_costs(struct runs *runs, const struct target *t, const bool *use, struct profile *p)
{
    struct cost_data data;
    runs_index(runs);
    cost_data_make(runs, &t->device, &data);
    costs_fit(&data, use, &p->coefs);
    cost_data_free(&data);
    coefs_sort(&p->coefs);
    p->device = t->device;
}

static void test_convert(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p = { .name = "synthetic" };
    double cost_s[NCOSTS];
    for (int64_t k = 1; k <= 64; k *= 2) {
        struct features f = features_constant(500 * k * k, k);
        convert_row(&runs, &f, "hyb", &t, 20.0, 5e-4);
        convert_row(&runs, &f, "csr-vector:lanes=8", &t, 10.0, 1e-4);
        features_free(&f);
    }
    fit_costs(&runs, &t, NULL, &p);
    for (int64_t rows = 1000; rows <= 1000000; rows *= 1000) {
        struct features f = features_constant(rows, 9); /* this K was not measured, but it follows from the rule */
        const double hyb = stored(&f, "hyb", &t), csr = stored(&f, "csr-scalar", &t);
        CHECK(convert_error(&p, &f, "hyb", &t, line_us(20.0, 5e-4, hyb), line_us(30.0, 1e-4, hyb)) < 1e-4);
        /* csr-scalar has the same layout as csr-vector */
        CHECK(convert_error(&p, &f, "csr-scalar", &t, line_us(10.0, 1e-4, csr), line_us(30.0, 1e-4, csr)) < 1e-4);
        /* a format that was never measured has no build time, but it is copied at the common rate */
        const struct config c = config_for("ell", &f, &t);
        profile_costs(&p, &f, &c, &t, cost_s);
        CHECK(isnan(cost_s[COST_BUILD]) && isnan(cost_s[COST_DEVICE_BUILD]) && isnan(cost_s[COST_PREPARE]));
        CHECK(within(cost_s[COST_UPLOAD], 30e-6 + 1e-10 * stored(&f, "ell", &t), 1e-4));
        features_free(&f);
    }
    profile_free(&p);
    runs_free(&runs);
}

/* Preparing csr-split takes a second pass if there are long rows to cut; a time measured with one `cut` does not apply
 * to another. */
static void test_prepare(void)
{
    static const char split[] = "csr-split:lanes=8,cut=128,deal=warp";
    struct target t = target_of("h200", F32);
    struct runs runs = { 0 };
    struct profile p = { .name = "synthetic" }, without = { .name = "without" };
    double cost_s[NCOSTS];
    for (int64_t k = 0; k < 6; k++)
        for (int64_t length = 20; length <= 420; length += 40) {
            struct features f = features_constant(1000 << k, length);
            struct run_row *r = convert_row(&runs, &f, split, &t, 10.0, 1e-4);
            r->prepare_us = length > 128 ? 45.0 : 25.0;
            r->convert_device_us = 5.0 + 1e-3 * (double)f.rows + 0.5 * (double)length;
            features_free(&f);
        }
    fit_costs(&runs, &t, NULL, &p);
    for (int64_t length = 100; length <= 300; length += 200) {
        struct features f = features_constant(5000, length);
        const struct config c = config_for(split, &f, &t), other = config_for("csr-split:lanes=4,cut=64", &f, &t);
        profile_costs(&p, &f, &c, &t, cost_s);
        CHECK(within(cost_s[COST_PREPARE], (length > 128 ? 45.0 : 25.0) * 1e-6, 1e-3));
        CHECK(within(cost_s[COST_DEVICE_BUILD], (5.0 + 5.0 + 0.5 * (double)length) * 1e-6, 1e-3));
        profile_costs(&p, &f, &other, &t, cost_s);
        CHECK(isnan(cost_s[COST_PREPARE]) && !isnan(cost_s[COST_DEVICE_BUILD]));
        features_free(&f);
    }
    CHECK(profile_has_preparations(&p) && !profile_has_preparations(&without));
    /* the cost of cutting is not fitted without matrices that have long rows */
    bool *use = xcalloc((unsigned long)runs.nmatrices, sizeof *use);
    for (int64_t m = 0; m < runs.nmatrices; m++)
        use[m] = runs.matrices[m].row_max < 128;
    fit_costs(&runs, &t, use, &without);
    struct features f = features_constant(5000, 200);
    const struct config c = config_for(split, &f, &t);
    profile_costs(&without, &f, &c, &t, cost_s);
    CHECK(within(cost_s[COST_PREPARE], 25e-6, 1e-3));
    features_free(&f);
    free(use);
    profile_free(&p);
    profile_free(&without);
    runs_free(&runs);
}

/* The cost of a composite depends on its parts: a tail in CSR without a head is not built on the device, and the long
 * rows of a tail are cut. */
static void test_parts(void)
{
    const struct target t = target_of("h200", F64);
    struct features f = features_constant(5000, 200);
    const struct config tail = config_for("hyb:k=0,tail=csr-split", &f, &t),
                        head = config_for("hyb:k=200,tail=csr-split", &f, &t),
                        both = config_for("hyb:k=50,tail=csr-split", &f, &t);
    double term[NCOST_TERMS], whole[NCOST_TERMS];
    CHECK(cost_terms(COST_DEVICE_BUILD, &f, &tail, &t, term) == 0 && term[COST_TERM_byte] == 0
          && term[COST_TERM_start] == 1);
    CHECK(cost_terms(COST_BUILD, &f, &tail, &t, term) == 0 && term[COST_TERM_byte] > 0 && term[COST_TERM_parts] == 0);
    CHECK(cost_terms(COST_PREPARE, &f, &tail, &t, term) == 0 && term[COST_TERM_cut] == 1 && term[COST_TERM_piece] > 0);
    CHECK(cost_terms(COST_PREPARE, &f, &head, &t, term) == 0 && term[COST_TERM_cut] == 0 && term[COST_TERM_parts] == 0);
    CHECK(cost_terms(COST_DEVICE_BUILD, &f, &head, &t, term) == 0 && term[COST_TERM_byte] > 0);
    CHECK(cost_terms(COST_DEVICE_BUILD, &f, &both, &t, whole) == 0 && whole[COST_TERM_parts] == 1
          && whole[COST_TERM_parts_byte] == whole[COST_TERM_byte] && whole[COST_TERM_cut] == 1);
    features_free(&f);
}

static void test_place(void)
{
    const double both[NCOSTS] = { 40e-6, 60e-6, 30e-6, 5e-6 }, host[NCOSTS] = { 40e-6, 60e-6, NAN, 5e-6 };
    CHECK(costs_convert(both, false, ON_GPU, 50e-6, true) == 30e-6);
    CHECK(within(costs_convert(host, false, ON_GPU, 50e-6, true), 100e-6, 1e-12));
    CHECK(within(costs_convert(both, false, ON_HOST, 50e-6, true), 80e-6,
                 1e-12)); /* built there from CSR, which is copied */
    CHECK(within(costs_convert(both, false, ON_HOST, 90e-6, true), 100e-6, 1e-12)); /* built on the host, then copied */
    CHECK(costs_convert(both, true, ON_GPU, 50e-6, true) == 0
          && costs_convert(both, true, ON_HOST, 50e-6, true) == 50e-6);
    CHECK(within(costs_convert(host, false, ON_HOST, 50e-6, false), 40e-6, 1e-12)); /* nothing is copied */
    CHECK(costs_convert(both, true, ON_HOST, 50e-6, false) == 0);
}

/* Times of a single size give only a rate; older profiles have only rates, those of builds per nonzero. */
static void test_convert_rates(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile one = { .name = "synthetic" }, old = { .name = "old", .device = t.device };
    struct features f = features_constant(20000, 8), g = features_constant(10000, 8);
    const double bytes = stored(&f, "coo", &t), half = stored(&g, "coo", &t);
    convert_row(&runs, &f, "coo", &t, 20.0, 5e-4);
    fit_costs(&runs, &t, NULL, &one);
    CHECK(convert_error(&one, &g, "coo", &t, line_us(20.0, 5e-4, bytes) * half / bytes,
                        line_us(30.0, 1e-4, bytes) * half / bytes)
          < 1e-4);
    coefs_add(&old.coefs, "convert", "coo", &t, "convert_s_per_nnz", 0, 2e-9, "s", NAN, NAN);
    coefs_add(&old.coefs, "convert", "coo", &t, "upload_bytes_per_s", 0, 1e10, "B/s", NAN, NAN);
    coefs_sort(&old.coefs);
    CHECK(convert_error(&old, &g, "coo", &t, 2e-3 * 80000.0, half / 1e4) < 1e-9);
    features_free(&f);
    features_free(&g);
    profile_free(&one);
    profile_free(&old);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)(void);
    } tests[] = { { "convert", test_convert },
                  { "convert-rates", test_convert_rates },
                  { "prepare", test_prepare },
                  { "parts", test_parts },
                  { "place", test_place } };
    error_program("learn_costs");
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
            tests[i].run();
            printf("ok %s, %ld checks\n", tests[i].name, checks);
            return 0;
        }
    die("learn_costs convert|convert-rates|prepare|parts|place");
}
