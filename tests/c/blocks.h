/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of bcsr and bellpack: a matrix with its features, vectors and reference product, and functions
 * that compare it with its stored blocks. */
#ifndef SPMVCAST_TESTS_BLOCKS_H
#define SPMVCAST_TESTS_BLOCKS_H
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "formats/bcsr/blocks.h"
#include "recipes/recipe.h"
#include "shapes.h"

static long checks;

struct subject {
    const char *name;
    struct csr a;
    struct csr_view view;
    struct features f;
    int *seen; /* how often each entry occurs in the storage */
    double *x, *ref;
};

static inline void subject_open(struct subject *s, const char *name)
{
    s->name = name;
    s->view = csr_view_all(&s->a);
    features_of(&s->a, &s->f);
    s->seen = xcalloc((unsigned long)s->a.nnz + 1, sizeof *s->seen);
    s->x = xcalloc((unsigned long)s->a.cols + 1, sizeof *s->x);
    s->ref = xcalloc((unsigned long)s->a.rows + 1, sizeof *s->ref);
    for (int64_t j = 0; j < s->a.cols; j++)
        s->x[j] = csr_x(j);
    csr_spmv_reference(&s->a, s->x, s->ref);
}

static inline void subject_recipe(struct subject *s, const char *recipe)
{
    struct recipe r;
    char why[ERRLEN];

    if (recipe_parse(recipe, &r, why) != 0 || recipe_csr(&r, &s->a, why) != 0)
        die("%s: %s", recipe, why);
    subject_open(s, recipe);
}

static inline void subject_close(struct subject *s)
{
    features_free(&s->f);
    csr_free(&s->a);
    free(s->seen);
    free(s->x);
    free(s->ref);
}

static inline struct target target_cpu(enum precision p)
{
    struct target t = { .precision = p };

    t.device = *geometry_find("h200");
    t.device.kind = DEVICE_CPU;
    return t;
}

/* Builds the storage of a configuration and checks that `count` gives its bytes. Returns the storage, for the caller to
 * free, and the resolved configuration in c. */
static inline struct storage *subject_build(const struct subject *s, const char *text, enum precision p,
                                            struct config *c)
{
    const struct target t = target_cpu(p);
    struct config asked;
    struct storage *built;
    struct traffic traffic;
    char why[ERRLEN];

    if (config_parse(text, &asked, why) != 0 || config_resolve(&asked, &s->f, &t, c, why) != 0)
        die("%s", why);
    if (c->kernel->layout->build(&s->view, c, &t, &built, why) != 0)
        die("%s, %s: %s", s->name, text, why);
    if (c->kernel->layout->count(&s->view, &s->f, c, &t, &traffic) != 0)
        die("%s, %s: no count", s->name, text);
    if (traffic_storage(&traffic) != built->bytes)
        die("%s, %s: %" PRId64 " bytes counted, %" PRId64 " built", s->name, text, traffic_storage(&traffic),
            built->bytes);
    if (traffic.values - traffic.padding != s->a.nnz * precision_bytes(p))
        die("%s, %s: wrong padding", s->name, text);
    memset(s->seen, 0, (size_t)s->a.nnz * sizeof *s->seen);
    return built;
}

/* Checks that v, stored at (i, j), is the entry there, which it marks in `seen`, or 0 if the matrix has none. */
static inline void subject_meet(const struct subject *s, const char *text, enum precision p, int64_t i, int64_t j,
                                double v)
{
    double expected = 0;

    if (i < s->a.rows) {
        int64_t k = s->a.row_ptr[i], end = s->a.row_ptr[i + 1];
        while (end - k > 1) {
            const int64_t middle = k + (end - k) / 2;
            if (s->a.col[middle] <= j)
                k = middle;
            else
                end = middle;
        }
        if (k < end && s->a.col[k] == j) {
            expected = p == F32 ? (double)(float)s->a.val[k] : s->a.val[k];
            s->seen[k]++;
        }
    }
    if (v < expected || v > expected)
        die("%s, %s: (%" PRId64 ", %" PRId64 ") is %.17g, not %.17g", s->name, text, i, j, v, expected);
}

/* Checks that each entry was seen once, and that the storage gives the reference product. */
static inline void subject_done(const struct subject *s, const char *text, enum precision p,
                                const struct storage *built)
{
    void *x = reals(p, s->a.cols), *y = reals(p, s->a.rows);
    const double u = p == F32 ? 0x1p-24 : 0x1p-53;

    for (int64_t k = 0; k < s->a.nnz; k++)
        if (s->seen[k] != 1)
            die("%s, %s: entry %" PRId64 " is stored %d times", s->name, text, k, s->seen[k]);
    for (int64_t j = 0; j < s->a.cols; j++)
        real_set(p, x, j, s->x[j]);
    built->layout->spmv_host(built, x, y, Y_SET);
    for (int64_t i = 0; i < s->a.rows; i++) {
        double sum = 0;
        for (int64_t k = s->a.row_ptr[i]; k < s->a.row_ptr[i + 1]; k++)
            sum += fabs(s->a.val[k] * s->x[s->a.col[k]]);
        if (!(fabs(real_at(p, y, i) - s->ref[i]) <= (double)(s->a.row_ptr[i + 1] - s->a.row_ptr[i] + 8) * u * sum))
            die("%s, %s: row %" PRId64 " is %.17g, not %.17g", s->name, text, i, real_at(p, y, i), s->ref[i]);
    }
    reals_free(p, s->a.cols, x);
    reals_free(p, s->a.rows, y);
    checks++;
}

/* Calls take() with each edge case of at most 600 rows and with some matrices that have dense blocks. */
static inline void each_subject(void (*take)(struct subject *))
{
    static const char *const recipes[] = { "fem:n=5,d=3,seed=1", "fem:n=4,d=4,order=shuffled,seed=2",
                                           "lattice:x=3,y=3,z=3,t=3,seed=1", "rmat:scale=8,p=9,seed=5" };
    struct subject s;

    for (int i = 0; i < NSHAPES; i++) {
        if (shapes[i].rows > 600)
            continue;
        shape_make(&shapes[i], &s.a);
        subject_open(&s, shapes[i].name);
        take(&s);
        subject_close(&s);
    }
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        subject_recipe(&s, recipes[i]);
        take(&s);
        subject_close(&s);
    }
}

/* Checks that `applicable` rejects a configuration with these words and, unless `builds`, that building rejects it,
 * too. */
static inline void subject_refused(const struct subject *s, const char *text, bool builds, const char *words)
{
    const struct target t = target_cpu(F64);
    struct config asked, c;
    struct storage *built;
    char why[ERRLEN] = "applicable";

    if (config_parse(text, &asked, why) != 0 || config_resolve(&asked, &s->f, &t, &c, why) != 0)
        die("%s", why);
    if (c.kernel->layout->applicable(&s->f, &c, &t, why) == 0 || !strstr(why, words))
        die("%s: '%s' has no '%s'", text, why, words);
    if (!builds && (c.kernel->layout->build(&s->view, &c, &t, &built, why) != FAIL || !strstr(why, words)))
        die("%s: build: %s", text, why);
    checks++;
}

/* Checks that a configuration is rejected because of its fill, and that the fill in the message is its values /
 * entries. */
static inline void subject_fill_told(const struct subject *s, const char *text)
{
    const struct target t = target_cpu(F64);
    struct config asked, c;
    double fill, values, entries;
    char why[ERRLEN] = "applicable";

    if (config_parse(text, &asked, why) != 0 || config_resolve(&asked, &s->f, &t, &c, why) != 0)
        die("%s", why);
    if (c.kernel->layout->applicable(&s->f, &c, &t, why) == 0
        || sscanf(why, "fill about %lfx (%lf values for %lf entries", &fill, &values, &entries) != 3)
        die("%s: '%s'", text, why);
    if (!(fabs(values / entries - fill) < 0.01 * fill))
        die("%s: %.4g values for %.4g entries are not a fill of %.3g", text, values, entries, fill);
    checks++;
}
#endif
