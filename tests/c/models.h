/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic runs for the tests of models: cells with times from a formula. */
#ifndef SPMVCAST_TESTS_MODELS_H
#define SPMVCAST_TESTS_MODELS_H
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "formats/format.h"
#include "models/cells.h"
#include "models/model.h"
#include "profile/times.h"

static long checks;
#define CHECK(what)                              \
    do {                                         \
        checks++;                                \
        if (!(what))                             \
            die("line %d: %s", __LINE__, #what); \
    } while (0)
static inline bool near(double a, double b) { return fabs(a - b) <= 1e-11 * fabs(b); }
static inline bool within(double a, double b, double tolerance) { return fabs(a / b - 1.0) <= tolerance; }

static inline struct target target_of(const char *device, enum precision precision)
{
    struct target t = { .device = *geometry_find(device), .precision = precision, .cache = WARM };
    return t;
}

/* Returns the features of a matrix with count[i] rows of length[i], e.g. {10, 50}, {9000, 1000}; the caller frees them
 * with features_free. */
static inline struct features features_with(const int64_t *length, const int64_t *count, int n)
{
    struct features f = { .rows = 0 };
    f.lengths[0] =
        (struct histogram){ n, xcalloc((unsigned long)n, sizeof(int64_t)), xcalloc((unsigned long)n, sizeof(int64_t)) };
    for (int i = 0; i < n; i++) {
        f.lengths[0].value[i] = length[i];
        f.lengths[0].count[i] = count[i];
        f.rows += count[i];
        f.nnz += length[i] * count[i];
    }
    f.cols = f.rows > 2 * length[n - 1] ? f.rows : 2 * length[n - 1];
    for (int p = 0; p < NPRECISIONS; p++)
        for (int s = 0; s < NSECTORS; s++)
            f.sectors[p][s] = f.nnz;
    features_derive(&f);
    return f;
}
static inline struct features features_constant(int64_t rows, int64_t p) { return features_with(&p, &rows, 1); }

static inline struct config config_for(const char *text, const struct features *f, const struct target *t)
{
    struct config asked, c;
    char why[ERRLEN];
    if (config_parse(text, &asked, why) != 0 || config_resolve(&asked, f, t, &c, why) != 0)
        die("%s", why);
    return c;
}

/* Adds a matrix and a row measured on it; an empty matrix name means one made from its size. */
static inline void add_row(struct runs *runs, const char *role, const char *matrix, const struct features *f,
                           const char *config, const struct target *t, double time_s)
{
    struct matrix_row m = { .strips_i = NAN };
    struct run_row r = { .time_us = time_s * 1e6, .stream_us = NAN };
    struct config c = config_for(config, f, t);
    struct traffic traffic = { 0 };
    char name[64];
    snprintf(name, sizeof name, "%" PRId64 "x%" PRId64 "x%" PRId64, f->rows, f->cols, f->nnz);
    matrix_row_from_features(&m, f);
    TEXT_SET(m.matrix, *matrix ? matrix : name);
    hash_string(m.matrix, m.source_id);
    hash_string(name, m.pattern_id);
    TEXT_SET(m.role, role);
    TEXT_SET(m.place, strcmp(role, "benchmark") == 0 ? "band" : "");
    TEXT_SET(r.role, role);
    TEXT_SET(r.source_id, m.source_id);
    TEXT_SET(r.matrix, m.matrix);
    TEXT_SET(r.kernel, c.kernel->name);
    TEXT_SET(r.asked, config);
    config_print(&c, r.config);
    r.precision = t->precision;
    r.cache = t->cache;
    TEXT_SET(r.device_key, t->device.name);
    TEXT_SET(r.outcome, "ok");
    TEXT_SET(r.measured, "2026-01-02T03:04:05Z");
    c.kernel->layout->traffic(f, &c, t, &traffic);
    r.least_bytes = traffic_least(&traffic);
    r.storage_bytes = traffic_storage(&traffic);
    r.footprint_bytes = footprint_bytes(f->rows, f->cols, f->nnz, t->precision);
    r.t0_us = 1.0;
    r.convert_us = 2e-3 * (double)f->nnz;
    r.upload_us = (double)r.storage_bytes / 1e4;
    runs_add_matrix(runs, &m, f);
    runs_add_row(runs, &r);
}

typedef double cell_time(double strips, double p); /* in us */

/* Adds the cells of guo2014's grid for one configuration, with times from time(). */
static inline void add_grid(struct runs *runs, const char *config, const struct target *t, int64_t strip,
                            cell_time *time)
{
    static const int64_t lengths[] = { 4, 16, 64, 256, 1024, 2048 };
    for (int64_t i = 1; i <= 10; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
            struct features f = features_constant(i * strip, lengths[k]);
            add_row(runs, "benchmark", "", &f, config, t, time((double)i, (double)lengths[k]) * 1e-6);
            features_free(&f);
        }
}

static inline void add_coo_grid(struct runs *runs, const char *config, const struct target *t, int64_t strip,
                                cell_time *time)
{
    for (int64_t p = 10; p <= 100; p += 10) {
        struct features f = features_constant(strip, p);
        add_row(runs, "benchmark", "", &f, config, t, time(1.0, (double)p) * 1e-6);
        features_free(&f);
    }
}

/* Takes the matrices, families and times of the runs into the profile, as spmv-fit does. */
static inline void take_matrices(const struct runs *runs, struct profile *p)
{
    p->measured.matrices = xcalloc((unsigned long)runs->nmatrices + 1, sizeof *p->measured.matrices);
    for (int64_t i = 0; i < runs->nmatrices; i++) { /* sorted by source_id */
        int64_t k = p->measured.nmatrices++;
        for (; k > 0 && strcmp(p->measured.matrices[k - 1].source_id, runs->matrices[i].source_id) > 0; k--)
            p->measured.matrices[k] = p->measured.matrices[k - 1];
        p->measured.matrices[k] = runs->matrices[i];
    }
    families_find(&p->measured, &p->families);
    times_pack(p);
}

static inline void fit_profile(struct runs *runs, const char *model, const struct target *t, struct profile *p)
{
    char why[ERRLEN];
    memset(p, 0, sizeof *p);
    TEXT_SET(p->name, "synthetic");
    TEXT_SET(p->device_key, t->device.name);
    p->device = t->device;
    runs_index(runs);
    if (model_find(model)->fit(runs, t, &p->coefs, why) != 0)
        die("%s: %s", model, why);
    coefs_sort(&p->coefs);
}

static inline struct forecast forecast_of(const struct profile *p, const char *model, const struct features *f,
                                          const char *config, const struct target *t)
{
    struct forecast forecast;
    struct config c = config_for(config, f, t);
    model_find(model)->predict(p, f, &c, t, &forecast);
    return forecast;
}

/* Checks that a model fitted to the benchmark rows of these runs gives their times back within the tolerance, but for
 * `others` rows, which are no cells of its own, and that the errors of its fits are as small. */
static inline void check_given_back(const struct profile *p, const struct runs *runs, const char *model,
                                    const struct target *t, double tolerance, int64_t others)
{
    int64_t given = 0, fits = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct matrix_row *facts;
        if (!row_counts(r, t, "benchmark"))
            continue;
        const struct features *f = runs_features(runs, r->source_id, &facts);
        const struct forecast got = forecast_of(p, model, f, r->config, t);
        const double time_s = 1e-6 * row_time_us(r, t);
        checks++;
        if (got.status != FORECAST_REFUSED && within(got.time_s, time_s, tolerance))
            given++;
        else if (--others < 0)
            die("%s: %s of %s takes %.17g s, forecast %.17g s (%s)", model, r->config, r->matrix, time_s, got.time_s,
                got.why);
    }
    for (int64_t i = 0; i < p->coefs.n; i++)
        if (strcmp(p->coefs.row[i].model, model) == 0 && strcmp(p->coefs.row[i].key, "fit_error_max") == 0) {
            CHECK(p->coefs.row[i].value < tolerance);
            fits++;
        }
    CHECK(given > 0 && others == 0 && fits > 0);
}
#endif
