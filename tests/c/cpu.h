/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the CPU drivers of all layouts and kernels: compares the product with each configuration with
 * csr_spmv_reference, and the bytes forecast, counted, stated and allocated with one another. On a mismatch it fails
 * with the matrix, configuration and row. */
#ifndef SPMVCAST_TESTS_CPU_H
#define SPMVCAST_TESTS_CPU_H
#include "arrays.h"
#include "formats/values.h"
#include "layout_cases.h"
#include "products.h"

static long checks;

/* Hashes of every y with reproducible bits, and of the arrays of every layout */
#define FNV 14695981039346656037u
static uint64_t digest = FNV, arrays_digest[] = { FNV, FNV, FNV, FNV }; /* by extent */

static inline void hash_words(uint64_t *h, const void *p, int64_t bytes)
{
    const unsigned char *at = p;
    uint64_t word, sum = *h;

    for (; bytes >= 8; at += 8, bytes -= 8) {
        memcpy(&word, at, 8);
        sum = (sum ^ word ^ sum >> 29) * 1099511628211u;
    }
    word = 0;
    memcpy(&word, at, (size_t)bytes);
    *h = (sum ^ word) * 1099511628211u;
}

/* ---- configurations ---- */
/* Which configurations: the default sweep of GPUs and the cases ON_CPU; also the exhaustive sweep of the CPU; each
 * VARIANT; the VARIANTs for matrices of any size, and on few rows the default. */
enum { FEW_ROWS = 300 };
enum extent { EXTENT_DEFAULT, EXTENT_EXHAUSTIVE, EXTENT_VARIANTS, EXTENT_MAX };

/* Many configurations are the same without the keys that have no effect on the CPU; each distinct one runs once. */
enum { DISTINCT = 4000 };
struct distinct {
    int n;
    char text[DISTINCT][CONFIG_LEN];
};

/* Of the SAMPLED cases only every so many-th is tested, on each matrix another one. */
static unsigned case_every = 1, case_met;

static inline bool first_met(struct distinct *d, const char *text)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->text[i], text) == 0)
            return false;
    if (d->n == DISTINCT)
        bug("more than %d configurations", DISTINCT);
    snprintf(d->text[d->n], CONFIG_LEN, "%s", text);
    d->n++;
    return true;
}

static inline bool config_first_met(struct distinct *d, const struct config *c)
{
    char text[CONFIG_LEN];

    config_print(c, text);
    return first_met(d, text);
}

static inline void multiply(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    if (c->kernel->spmv_cpu)
        c->kernel->spmv_cpu(s, c, x, y, mode);
    else
        s->layout->spmv_host(s, x, y, mode);
}

/* ---- results ---- */
struct problem {
    const char *name;
    const struct csr_view *a;
    const struct features *f;
    const struct product *product;
    enum precision p;
    struct distinct *met, *layouts; /* the configurations that ran, and their layouts */
    const struct layout_case *of;   /* NULL: a sweep */
    enum extent extent;
    long built;
};

/* Multiplies with y set, then added to, twice each. */
static inline void run_twice(const struct problem *q, const struct storage *s, const struct config *c, const char *text)
{
    const int64_t bytes = q->a->rows * precision_bytes(q->p);
    void *x = x_start(q->product, q->p), *y = reals(q->p, q->a->rows), *again = reals(q->p, q->a->rows);

    for (enum y_mode mode = Y_SET; mode <= Y_ADD; mode++) {
        y_start(q->product, q->p, y, mode);
        multiply(s, c, x, y, mode);
        product_compare(q->product, q->name, text, q->p, y, mode);
        y_start(q->product, q->p, again, mode);
        multiply(s, c, x, again, mode);
        if (kernel_deterministic(c)) {
            if (memcmp(y, again, (size_t)bytes) != 0)
                die("%s, %s: two runs differ", q->name, text);
            hash_words(&digest, y, bytes);
        }
        checks++;
    }
    reals_free(q->p, q->a->cols, x);
    reals_free(q->p, q->a->rows, y);
    reals_free(q->p, q->a->rows, again);
}

/* Compares the bytes forecast from features with those counted in the matrix. */
static inline void check_forecast(const struct problem *q, const struct storage *s, const struct traffic *forecast,
                                  const struct traffic *counted, const char *text)
{
    const double off = !s->layout->count ? 1 : q->of ? q->of->off : 0;

    struct traffic expected = *forecast;

    expected.unsure = counted->unsure; /* more of an estimate is unsure */
    if (off == 1 && memcmp(&expected, counted, sizeof *counted) != 0)
        die("%s, %s: %" PRId64 " bytes forecast, %" PRId64 " counted", q->name, text, traffic_storage(forecast),
            traffic_storage(counted));
    if (off > 1
        && ((double)forecast->values > off * (double)counted->values
            || (double)counted->values > off * (double)forecast->values))
        die("%s, %s: %" PRId64 " bytes of values forecast, %" PRId64 " counted", q->name, text, forecast->values,
            counted->values);
    if (forecast->flops != 2 * q->f->nnz || counted->flops != 2 * q->f->nnz)
        die("%s, %s: wrong flops", q->name, text);
    if (forecast->padding < 0 || counted->padding < 0)
        die("%s, %s: negative padding", q->name, text);
}

/* Bytes of arrays that hold nothing of the matrix. */
static inline int64_t working_bytes(const struct storage *s)
{
    struct array a[ARRAYS_MAX];
    int64_t bytes = 0;

    for (int i = 0, n = storage_list(s, a); i < n; i++)
        bytes += a[i].scratch && *(void **)a[i].at ? a[i].count * a[i].element_bytes : 0;
    for (int p = 0; s->layout->part && p < ((const struct parts *)s)->n; p++)
        if (((const struct parts *)s)->part[p].storage)
            bytes += working_bytes(((const struct parts *)s)->part[p].storage);
    return bytes;
}

/* The bytes of the layout: those counted, stated and allocated are equal. */
static inline void check_facts(const struct problem *q, const struct storage *s, const struct config *c,
                               const struct target *t, const char *text)
{
    struct traffic forecast, counted;

    if (s->layout != c->kernel->layout || s->rows != q->a->rows || s->cols != q->a->cols || s->nnz != q->f->nnz)
        die("%s, %s: the storage has another size than the matrix", q->name, text);
    if (s->layout->traffic(q->f, c, t, &forecast) != 0)
        die("%s, %s: no traffic", q->name, text);
    counted = forecast;
    if (s->layout->count && s->layout->count(q->a, q->f, c, t, &counted) != 0)
        die("%s, %s: no count", q->name, text);
    if (traffic_storage(&counted) != s->bytes)
        die("%s, %s: %" PRId64 " bytes %s, %" PRId64 " built", q->name, text, traffic_storage(&counted),
            s->layout->count ? "counted" : "forecast", s->bytes);
    if (arrays_bytes() != s->bytes + working_bytes(s))
        die("%s, %s: %" PRId64 " bytes stated, %" PRId64 " allocated", q->name, text, s->bytes,
            arrays_bytes() - working_bytes(s));
    check_forecast(q, s, &forecast, &counted, text);
    if (forecast.unsure < 0 || counted.unsure < 0 || traffic_least(&forecast) > traffic_least(&counted))
        die("%s, %s: least bytes estimated %" PRId64 ", counted %" PRId64, q->name, text, traffic_least(&forecast),
            traffic_least(&counted));
    const enum values_as as = values_as(c);
    const int64_t entries = q->f->nnz * values_bits(as, q->p) / 8,
                  table = s->layout->fills ? values_entries(as, true, q->f, q->p) * precision_bytes(q->p) : 0;
    if (s->layout->fills ? counted.values - table - counted.padding != entries
                         : counted.values + counted.indices - counted.padding < entries)
        die("%s, %s: padding counts entries", q->name, text);
}

/* Hashes the arrays of a layout that was not met before and checks its product on the host. */
static inline void check_layout(const struct problem *q, const struct storage *s, const struct config *c,
                                const char *text)
{
    char key[CONFIG_LEN];

    config_layout_key(c, key);
    if (!first_met(q->layouts, key))
        return;
    for (int i = 0; i < arrays.n; i++)
        hash_words(&arrays_digest[q->extent], arrays.of[i].at, arrays.of[i].bytes);
    product_check(q->product, q->name, text, s);
    checks += 2;
}

/* Variants are also built if they have too much padding, unless that takes long. */
static inline bool is_small(const struct problem *q, const struct config *c, const struct target *t)
{
    const struct layout *l = c->kernel->layout;
    struct traffic bytes;

    return q->of && q->of->use & VARIANT
           && (l->count ? l->count(q->a, q->f, c, t, &bytes) : l->traffic(q->f, c, t, &bytes)) == 0
           && traffic_storage(&bytes) < 32 << 20;
}

static inline void check_config(const char *text, void *arg)
{
    struct problem *q = arg;
    const struct target t = target_of(q->p, DEVICE_CPU), gpu = target_of(q->p, DEVICE_CUDA);
    struct config c, on_gpu;
    struct storage *s;
    struct grid g;
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    config_for(text, q->f, &gpu, &on_gpu);
    if (q->of && q->of->use & SAMPLED && case_met++ % case_every != 0)
        return;
    if (!config_first_met(q->met, &c) || (kernel_applicable(q->f, &c, &t, why) != 0 && !is_small(q, &c, &t)))
        return;
    if (kernel_grid(q->f, &on_gpu, &gpu, &g) != 0 || g.blocks < 1 || g.threads < 32)
        die("%s, %s: no grid", q->name, text);
    if (arrays.n > 0)
        die("%s: arrays are left from earlier layouts", q->name);
    const int rc = c.kernel->layout->build(q->a, &c, &t, &s, why);
    if (rc == FAIL && c.kernel->library && strstr(why, ", limit "))
        return; /* too much fill */
    if (rc != 0)
        die("%s, %s: %s", q->name, text, why);
    check_facts(q, s, &c, &t, text);
    check_layout(q, s, &c, text);
    if (!q->of || c.kernel->spmv_cpu)
        run_twice(q, s, &c, text);
    storage_free(s);
    q->built++;
}

static inline void each_config(enum extent extent, struct problem *q)
{
    if (extent < EXTENT_VARIANTS || (extent == EXTENT_MAX && q->a->rows <= FEW_ROWS)) {
        each_swept("default", DEVICE_CUDA, check_config, q);
        each_case(ON_CPU, check_config, q);
    }
    q->extent = extent;
    if (extent == EXTENT_EXHAUSTIVE)
        each_swept("exhaustive", DEVICE_CPU, check_config, q);
    for (size_t i = 0; extent >= EXTENT_VARIANTS && i < sizeof layout_cases / sizeof layout_cases[0]; i++)
        if (layout_cases[i].use & VARIANT
            && (!layout_cases[i].rows || (extent == EXTENT_VARIANTS && q->a->rows <= layout_cases[i].rows))) {
            q->of = &layout_cases[i];
            each_alternative(layout_cases[i].text, check_config, q);
        }
}

/* Tests a view in both precisions with every configuration of the extent. `same` is a CSR matrix with the same rows,
 * for the reference. */
static inline void check_view_exactly(const char *name, const struct csr_view *view, const struct csr *same,
                                      enum extent extent, bool exact)
{
    struct features f;
    struct product product;

    features_of_view(view, &f);
    features_set_values(&f, same->val + same->row_ptr[0], F64, f.nnz);
    product_of(view, same, exact, &product);
    for (enum precision p = F32; p <= F64; p++) {
        struct problem q = { name, view,           &f, &product, p, xmalloc(sizeof *q.met), xmalloc(sizeof *q.layouts),
                             NULL, EXTENT_DEFAULT, 0 };
        q.met->n = q.layouts->n = 0;
        each_config(extent, &q);
        free(q.met);
        free(q.layouts);
        if (q.built < 20)
            die("%s: only %ld configurations are applicable", name, q.built);
    }
    features_free(&f);
    product_free(&product);
}

static inline void check_view(const char *name, const struct csr_view *view, const struct csr *same, enum extent extent)
{
    check_view_exactly(name, view, same, extent, false);
}

/* Tests the rows first <= i < end of a matrix. exact: its values are integers. */
static inline void check_rows_exactly(const char *name, const struct csr *a, int64_t first, int64_t end,
                                      enum extent extent, bool exact)
{
    const struct csr_view view = csr_view_rows(a, first, end);
    const struct csr same = { end - first,        a->cols, a->row_ptr[end] - a->row_ptr[first],
                              a->row_ptr + first, a->col,  a->val };

    check_view_exactly(name, &view, &same, extent, exact);
}

static inline void check_rows(const char *name, const struct csr *a, int64_t first, int64_t end, enum extent extent)
{
    check_rows_exactly(name, a, first, end, extent, false);
}
#endif
