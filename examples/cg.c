/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves A x = b by conjugate gradients on the CPU, A being the five-point stencil on a grid of n x n. Before, it asks which format
 * a solver on the profiled GPU should use, if it is expected to take about as many iterations as this one. This program has no GPU
 * code: it multiplies with plain CSR.
 *     cg [PROFILE [N]] */
#include <math.h>
#include <spmvcast.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int32_t rows, *row_ptr, *col;
    double *val;
};

static int make_stencil(struct matrix *a, int32_t n)
{
    static const int dx[] = { 0, -1, 0, 1, 0 }, dy[] = { -1, 0, 0, 0, 1 };
    const size_t rows = (size_t)n * (size_t)n;
    int32_t k = 0;
    a->rows = n * n;
    a->row_ptr = calloc(rows + 1, sizeof *a->row_ptr);
    a->col = malloc(5 * rows * sizeof *a->col);
    a->val = malloc(5 * rows * sizeof *a->val);
    if (!a->row_ptr || !a->col || !a->val)
        return -1;
    for (int32_t i = 0; i < a->rows; i++) {
        for (int d = 0; d < 5; d++) {
            const int32_t x = i % n + dx[d], y = i / n + dy[d];
            if (x < 0 || x >= n || y < 0 || y >= n)
                continue;
            a->col[k] = y * n + x;
            a->val[k++] = d == 2 ? 4 : -1;
        }
        a->row_ptr[i + 1] = k;
    }
    return 0;
}

/* Prints the advice and what it means for so many products. Returns 0 if there is an answer. */
static int ask(const struct matrix *a, const char *name, int64_t products)
{
    spmvcast_context *c;
    spmvcast_profile *profile = NULL;
    spmvcast_pattern *pattern = NULL;
    spmvcast_ranking *ranking = NULL;
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    spmvcast_rank_options options = SPMVCAST_RANK_OPTIONS_INIT;
    spmvcast_advice advice = SPMVCAST_ADVICE_INIT;
    spmvcast_row row = SPMVCAST_ROW_INIT, stay = SPMVCAST_ROW_INIT;
    spmvcast_profile_info about = SPMVCAST_PROFILE_INFO_INIT;
    if (spmvcast_context_create(NULL, &c) != SPMVCAST_OK)
        return -1;
    csr.rows = csr.cols = a->rows;
    csr.row_ptr = a->row_ptr;
    csr.col = a->col;
    options.products = products;
    spmvcast_status s = spmvcast_profile_open(c, name, &profile);
    s = s ? s : spmvcast_profile_get_info(profile, &about);
    s = s ? s : spmvcast_pattern_describe(c, &csr, &pattern);
    s = s ? s : spmvcast_rank(c, profile, pattern, &options, &ranking);
    if (s != SPMVCAST_OK)
        fprintf(stderr, "cg: %s\n", spmvcast_message(c));
    else if (spmvcast_ranking_advice(ranking, &advice) != SPMVCAST_OK)
        printf("on %s: %s\n", about.device, advice.text);
    else if (spmvcast_ranking_row(ranking, advice.row, &row) == SPMVCAST_OK) {
        printf("on %s, for %lld products: %s, %.1f us in all\n", about.device, (long long)products, row.config,
               row.total_s * 1e6);
        if (row.convert_s == 0)
            printf("it multiplies with CSR as it is: nothing to convert\n");
        else if (spmvcast_ranking_row(ranking, advice.free_row, &stay) == SPMVCAST_OK)
            printf("converting takes %.1f us and pays off after %.0f products against %s, %.1f us in all\n",
                   row.convert_s * 1e6, row.breakeven_free, stay.config, stay.total_s * 1e6);
    }
    spmvcast_ranking_free(ranking);
    spmvcast_pattern_free(pattern);
    spmvcast_profile_free(profile);
    spmvcast_context_free(c);
    return s == SPMVCAST_OK ? 0 : -1;
}

static void multiply(const struct matrix *a, const double *x, double *y)
{
    for (int32_t i = 0; i < a->rows; i++) {
        y[i] = 0;
        for (int32_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            y[i] += a->val[k] * x[a->col[k]];
    }
}

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Solves A x = b from x = 0 until the residual has shrunk by 1e-8; work: [3 rows]. Returns the number of products. */
static int solve(const struct matrix *a, const double *b, double *x, double *work, int most)
{
    const int32_t n = a->rows;
    double *r = work, *p = work + n, *q = work + 2 * (size_t)n, old = dot(n, b, b);
    const double enough = 1e-16 * old;
    int products = 0;
    for (int32_t i = 0; i < n; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
    }
    while (old > enough && products < most) {
        multiply(a, p, q);
        products++;
        const double alpha = old / dot(n, p, q);
        for (int32_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double now = dot(n, r, r);
        for (int32_t i = 0; i < n; i++)
            p[i] = r[i] + now / old * p[i];
        old = now;
    }
    return products;
}

int main(int argc, char **argv)
{
    const int32_t n = argc > 2 ? (int32_t)strtol(argv[2], NULL, 10) : 200;
    struct matrix a = { 0 };
    if (n < 1 || n > 10000) {
        fprintf(stderr, "cg: N must be 1 to 10000\n");
        return 2;
    }
    const size_t rows = (size_t)n * (size_t)n;
    double *b = malloc(rows * sizeof *b), *x = malloc(rows * sizeof *x), *work = malloc(3 * rows * sizeof *work);
    int status = 1;
    if (make_stencil(&a, n) != 0 || !b || !x || !work) {
        fprintf(stderr, "cg: out of memory\n");
    } else if (ask(&a, argc > 1 ? argv[1] : "h200", 3 * n) == 0) { /* about 3 n iterations, from experience */
        for (size_t i = 0; i < rows; i++)
            b[i] = 1;
        const int products = solve(&a, b, x, work, 100 * n);
        multiply(&a, x, work);
        double error = 0;
        for (size_t i = 0; i < rows; i++)
            error = fmax(error, fabs(work[i] - b[i]));
        printf("solved on this CPU with CSR: %d products, largest residual %.1e\n", products, error);
        status = error > 1e-4;
    }
    free(a.row_ptr);
    free(a.col);
    free(a.val);
    free(b);
    free(x);
    free(work);
    return status;
}
