/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimated bytes of a layout become exact only if the layout counts them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "measure/bytes.h"

static long checks, counted;
#define CHECK(what)                              \
    do {                                         \
        checks++;                                \
        if (!(what))                             \
            die("line %d: %s", __LINE__, #what); \
    } while (0)

static int estimate(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    (void)c, (void)t;
    *out = (struct traffic){ .values = 100 * f->nnz, .x_least = 8, .y = 8 };
    return 0;
}

static int count(const struct csr_view *m, const struct features *f, const struct config *c, const struct target *t,
                 struct traffic *out)
{
    estimate(f, c, t, out);
    out->values = 64 * csr_view_nnz(m);
    counted++;
    return 0;
}

static int count_fails(const struct csr_view *m, const struct features *f, const struct config *c,
                       const struct target *t, struct traffic *out)
{
    (void)m, (void)f, (void)c, (void)t;
    out->values = -1;
    return FAIL;
}

static struct bytes bytes_of(int (*how)(const struct csr_view *, const struct features *, const struct config *,
                                        const struct target *, struct traffic *))
{
    const struct layout layout = { .name = "blocks", .traffic = estimate, .count = how };
    const struct kernel kernel = { .name = "blocks", .layout = &layout };
    const struct config config = { .kernel = &kernel };
    int64_t offsets[] = { 0, 1, 3 };
    int32_t col[] = { 0, 0, 1 };
    double val[] = { 1, 2, 3 };
    const struct csr csr = { .rows = 2, .cols = 2, .nnz = 3, .row_ptr = offsets, .col = col, .val = val };
    const struct csr_view view = csr_view_all(&csr);
    const struct target t = { .precision = F64 };
    struct features f;
    struct bytes b;

    features_of(&csr, &f);
    CHECK(bytes_estimate(&f, &config, &t, &b) == 0 && b.traffic.values == 300 && isnan(b.count_s) && b.exact == !how);
    bytes_count(&view, &f, &config, &t, &b);
    features_free(&f);
    return b;
}

int main(void)
{
    error_program("run_bytes");
    struct bytes b = bytes_of(NULL);
    CHECK(b.exact && b.traffic.values == 300 && isnan(b.count_s) && counted == 0);
    b = bytes_of(count);
    CHECK(b.exact && b.traffic.values == 192 && b.count_s >= 0 && counted == 1);
    b = bytes_of(count_fails);
    CHECK(!b.exact && b.traffic.values == 300 && isnan(b.count_s));
    printf("ok, %ld checks\n", checks);
    return 0;
}
