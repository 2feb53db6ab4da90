/* SPDX-License-Identifier: BSD-3-Clause */
/* Features computed on the GPU (device.h: examine), compared with those of the host: gpu_examine [MATRIX...] prints "ok, N matrices" or
 * what differs. With matrices, it also prints how long both took. */
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "gpu.h"
#include "input/matrix.h"

static int bad;

static void differ(const char *name, const char *what, double got, double expected)
{
    printf("%s: %s is %.17g, expected %.17g\n", name, what, got, expected);
    bad++;
}

static void same(const char *name, const char *what, int64_t got, int64_t expected)
{
    if (got != expected)
        differ(name, what, (double)got, (double)expected);
}

static void near(const char *name, const char *what, double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance * fabs(expected)))
        differ(name, what, got, expected);
}

/* Mean of a histogram's lengths, and their number. */
static double mean_of(const struct histogram *h, int64_t *n)
{
    double sum = 0;
    *n = 0;
    for (int i = 0; i < h->n; i++) {
        sum += (double)h->count[i] * (double)h->value[i];
        *n += h->count[i];
    }
    return *n > 0 ? sum / (double)*n : 0;
}

static void compare(const char *name, const struct features *g, const struct features *h, bool blocks)
{
    static const char *const scales[NSECTORS] = { "sectors, row", "sectors, 32 rows", "sectors, 1024 rows",
                                                  "sectors, all" };
    same(name, "rows", g->rows, h->rows);
    same(name, "cols", g->cols, h->cols);
    same(name, "nnz", g->nnz, h->nnz);
    same(name, "row_min", g->row_min, h->row_min);
    same(name, "row_max", g->row_max, h->row_max);
    same(name, "row_empty", g->row_empty, h->row_empty);
    same(name, "bandwidth", g->bandwidth, h->bandwidth);
    same(name, "diagonals", g->diagonals, h->diagonals);
    near(name, "row_mean", g->row_mean, h->row_mean, 0);
    near(name, "row_sd", g->row_sd, h->row_sd, 1e-12);
    near(name, "spread", g->spread, h->spread, 1e-12);
    if (h->row_max < 128)
        same(name, "row_mode", g->row_mode, h->row_mode);
    near(name, "hyb_k", (double)g->hyb_k, (double)h->hyb_k, h->hyb_k < 128 ? 0 : 0.02);
    for (int k = 0; k < HEAVIEST; k++)
        same(name, "heaviest", g->heaviest[k], h->heaviest[k]);
    for (int k = 0; k < GROUPS; k++) {
        int64_t n[2];
        const double mean[2] = { mean_of(&g->lengths[k], &n[0]), mean_of(&h->lengths[k], &n[1]) };
        same(name, "groups of rows", n[0], n[1]);
        near(name, "mean of longest rows", mean[0], mean[1], h->row_max < 128 ? 0 : 0.016);
    }
    for (int p = 0; p < NPRECISIONS; p++)
        for (int s = 0; s < NSECTORS; s++)
            near(name, scales[s], (double)g->sectors[p][s], (double)h->sectors[p][s],
                 g->sectors_exact || s == SECTORS_ROW || s == SECTORS_ALL ? 0 : 0.05);
    for (int i = 0; blocks && i < BLOCK_FILLS; i++)
        near(name, "fill of blocks", features_fill_of(g, i), features_fill_of(h, i), 0.05);
}

static struct device_csr on_device(struct device *d, const struct csr *a, int bits, int base, enum precision p,
                                   void *owned[3])
{
    struct device_csr csr;
    char why[ERRLEN];
    void *row_ptr = malloc((size_t)(a->rows + 1) * 8), *val = malloc((size_t)a->nnz * 8 + 1);
    int32_t *col = malloc((size_t)a->nnz * sizeof *col + 1);
    for (int64_t i = 0; i <= a->rows; i++)
        if (bits == 64)
            ((int64_t *)row_ptr)[i] = a->row_ptr[i] + base;
        else
            ((int32_t *)row_ptr)[i] = (int32_t)(a->row_ptr[i] + base);
    for (int64_t k = 0; k < a->nnz; k++) {
        col[k] = a->col[k] + base;
        if (p == F64)
            ((double *)val)[k] = a->val[k];
        else
            ((float *)val)[k] = (float)a->val[k];
    }
    const struct csr_arrays arrays = { a->rows, a->cols, a->nnz, row_ptr, col, val, bits, base, p, false };
    must(backend_cuda.csr_take(d, &arrays, &csr, owned, why), "csr_take", why);
    free(row_ptr);
    free(col);
    free(val);
    return csr;
}

static void check(struct device *d, const char *name, const struct csr *a, bool tell)
{
    struct features host, device, rows;
    char why[ERRLEN];
    void *owned[3];
    bool valid;
    const double begun_s = now_s();
    features_of(a, &host);
    const double host_s = now_s() - begun_s;
    struct device_csr csr = on_device(d, a, a->rows % 2 ? 64 : 32, (int)(a->nnz % 2), F64, owned);
    double device_s[3];
    for (int i = 0; i < 3; i++) {
        const unsigned what[3] = { 0, EXAMINE_COLUMNS, EXAMINE_COLUMNS | EXAMINE_BLOCKS };
        for (int r = 0; r < (tell ? 5 : 1); r++) {
            const double s = now_s();
            must(backend_cuda.examine(d, &csr, what[i], i == 0 ? &rows : &device, &valid, why), "examine", why);
            device_s[i] = now_s() - s;
            if (!valid)
                die("%s: found to be invalid", name);
            if (i == 1 || r + 1 < (tell ? 5 : 1))
                features_free(i == 0 ? &rows : &device);
        }
    }
    compare(name, &device, &host, true);
    same(name, "row_max without columns", rows.row_max, host.row_max);
    same(name, "row_max of the csr", csr.row_max, host.row_max);
    if (tell)
        printf("%s\t%lld\t%.1f us: rows %.1f, columns %.1f, blocks %.1f\n", name, (long long)a->nnz, host_s * 1e6,
               device_s[0] * 1e6, device_s[1] * 1e6, device_s[2] * 1e6);
    for (int i = 0; i < 3; i++)
        d->memory->release(d, owned[i]);
    features_free(&host);
    features_free(&device);
    features_free(&rows);
}

static void check_recipe(struct device *d, const char *text)
{
    struct matrix m;
    char why[ERRLEN];
    must(matrix_read(text, &m, why), text, why);
    check(d, text, &m.csr, false);
    matrix_free(&m);
}

/* Each fault of a matrix is found. */
static void check_faults(struct device *d)
{
    static const char *const faults[] = { "first pointer",    "decreasing", "last pointer", "negative column",
                                          "column too large", "unsorted",   "repeated" };
    for (int i = 0; i < 7; i++) {
        struct matrix m;
        struct features f;
        char why[ERRLEN];
        void *owned[3];
        bool valid;
        must(matrix_read("stencil:points=5,n=100", &m, why), "stencil", why);
        struct csr *a = &m.csr;
        const int64_t k = a->row_ptr[5000] + 2;
        if (i == 0)
            a->row_ptr[0] = 1;
        else if (i == 1)
            a->row_ptr[5000] = a->row_ptr[5001] + 1;
        else if (i == 2)
            a->row_ptr[a->rows]--;
        else
            a->col[k] = i == 3 ? -1 : i == 4 ? (int32_t)a->cols : i == 5 ? a->col[k - 1] - 1 : a->col[k - 1];
        struct device_csr csr = on_device(d, a, 32, 0, F32, owned);
        must(backend_cuda.examine(d, &csr, EXAMINE_COLUMNS, &f, &valid, why), "examine", why);
        if (valid) {
            printf("%s was not found\n", faults[i]);
            bad++;
        }
        must(backend_cuda.examine(d, &csr, 0, &f, &valid, why), "examine", why);
        if (valid != (i > 2)) {
            printf("%s: wrong without columns\n", faults[i]);
            bad++;
        }
        features_free(&f);
        for (int o = 0; o < 3; o++)
            d->memory->release(d, owned[o]);
        matrix_free(&m);
    }
}

int main(int argc, char **argv)
{
    static const char *const recipes[] = { "dense:rows=30",
                                           "dense:rows=700",
                                           "stencil:points=5,n=30",
                                           "stencil:points=27,n=40",
                                           "banded:rows=3001,bandwidth=20",
                                           "uniform:rows=50000,p=16",
                                           "normal:rows=20011,p=64",
                                           "uniform:rows=1000,p=300" };
    struct device *d = gpu_open();
    int n = 0;
    for (int i = 1; i < argc; i++) {
        struct matrix m;
        char why[ERRLEN];
        must(matrix_read(argv[i], &m, why), argv[i], why);
        check(d, m.name, &m.csr, true);
        matrix_free(&m);
        n++;
    }
    if (argc == 1) {
        for (unsigned i = 0; i < sizeof recipes / sizeof *recipes; i++, n++)
            check_recipe(d, recipes[i]);
        check_faults(d);
    }
    d->backend->close(d);
    if (bad == 0)
        printf("ok, %d matrices\n", n);
    return bad > 0;
}
