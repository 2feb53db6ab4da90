/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves A x = b by conjugate gradients, A being the five-point stencil on a grid of n x n. The matrix is created for the number of
 * products that the solver expects, so that libspmvcast chooses the format, converts and multiplies.
 *     cg [PROFILE [N]]
 * PROFILE: a name or file; -: the one measured on this device, if there is one; none: the rule by row lengths.
 * On the CPU with libspmvcast; on a GPU if built with -DUSE_CUDA, libspmvcast_cuda, cuBLAS and the CUDA runtime (make cg_cuda). */
#include <math.h>
#include <spmvcast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- vectors, in the memory of the device ---- */
#ifdef USE_CUDA
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
static const spmvcast_device_kind kind = SPMVCAST_GPU;
static cublasHandle_t blas;

static double *vector_new(size_t n)
{
    void *v = NULL;
    if (!blas && cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS)
        return NULL;
    return cudaMalloc(&v, n * sizeof(double)) == cudaSuccess ? v : NULL;
}
static void vector_free(double *v) { cudaFree(v); }
static void vector_put(int32_t n, double *to, const double *from)
{
    cudaMemcpy(to, from, (size_t)n * 8, cudaMemcpyHostToDevice);
}
static void vector_get(int32_t n, double *to, const double *from)
{
    cudaMemcpy(to, from, (size_t)n * 8, cudaMemcpyDeviceToHost);
}
static double dot(int32_t n, const double *x, const double *y)
{
    double sum = NAN;
    cublasDdot(blas, n, x, 1, y, 1, &sum);
    return sum;
}
static void axpy(int32_t n, double alpha, const double *x, double *y) { cublasDaxpy(blas, n, &alpha, x, 1, y, 1); }
static void scale(int32_t n, double alpha, double *x) { cublasDscal(blas, n, &alpha, x, 1); }
#else
static const spmvcast_device_kind kind = SPMVCAST_CPU;

static double *vector_new(size_t n) { return malloc(n * sizeof(double)); }
static void vector_free(double *v) { free(v); }
static void vector_put(int32_t n, double *to, const double *from) { memcpy(to, from, (size_t)n * sizeof *to); }
static void vector_get(int32_t n, double *to, const double *from) { memcpy(to, from, (size_t)n * sizeof *to); }
static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
static void axpy(int32_t n, double alpha, const double *x, double *y)
{
    for (int32_t i = 0; i < n; i++)
        y[i] += alpha * x[i];
}
static void scale(int32_t n, double alpha, double *x)
{
    for (int32_t i = 0; i < n; i++)
        x[i] *= alpha;
}
#endif

/* ---- matrix ---- */
struct stencil {
    int32_t rows, *row_ptr, *col;
    double *val;
};

static int make_stencil(struct stencil *a, int32_t n)
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

static void free_stencil(struct stencil *a)
{
    free(a->row_ptr);
    free(a->col);
    free(a->val);
}

/* Asks for the format and converts. The arrays must outlive the matrix, which may refer to them. Returns NULL with a message on
 * stderr. */
static spmvcast_matrix *convert(const struct stencil *a, const char *profile, int64_t products)
{
    spmvcast_context *c;
    spmvcast_device *device = NULL;
    spmvcast_matrix *matrix = NULL;
    spmvcast_device_options where = SPMVCAST_DEVICE_OPTIONS_INIT;
    spmvcast_matrix_options how = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    if (spmvcast_context_create(NULL, &c) != SPMVCAST_OK)
        return NULL;
    where.kind = kind;
    where.profile = strcmp(profile, "-") == 0 ? NULL : strcmp(profile, "none") == 0 ? "" : profile;
    how.products = products;
    csr.rows = csr.cols = a->rows;
    csr.row_ptr = a->row_ptr;
    csr.col = a->col;
    csr.val = a->val;
    csr.nnz = a->row_ptr[a->rows];
    spmvcast_status s = spmvcast_device_open(c, &where, &device);
    s = s ? s : spmvcast_matrix_create(c, device, &csr, &how, &matrix);
    if (s != SPMVCAST_OK)
        fprintf(stderr, "cg: %s\n", spmvcast_message(c));
    spmvcast_device_free(device); /* lives as long as its matrices */
    spmvcast_context_free(c);
    return matrix;
}

static void print_choice(const spmvcast_matrix *matrix, int64_t products)
{
    static const char *const by[] = { "forecast", "rule", "name", "trial" };
    spmvcast_matrix_info m = SPMVCAST_MATRIX_INFO_INIT;
    if (spmvcast_matrix_get_info(matrix, &m) != SPMVCAST_OK)
        return;
    printf("for %lld products: %s, chosen by %s in %.1f us, converted in %.1f us", (long long)products, m.config,
           by[m.choice], (m.examine_s + m.choose_s) * 1e6, (m.convert_s + m.prepare_s) * 1e6);
    if (m.time_s > 0)
        printf("; forecast %.1f us per product", m.time_s * 1e6);
    printf("\n");
}

/* ---- solver ---- */
/* Solves A x = b from x = 0 until the residual has shrunk by 1e-8. On entry r = p = b; q: work. Returns the number of products; -1: one
 * failed. */
static int solve(spmvcast_matrix *a, int32_t n, double *x, double *r, double *p, double *q, int most)
{
    double old = dot(n, r, r);
    const double enough = 1e-16 * old;
    int products = 0;
    while (old > enough && products < most) {
        if (spmvcast_multiply(a, 1, p, 0, q, NULL) != SPMVCAST_OK)
            return -1;
        products++;
        const double alpha = old / dot(n, p, q);
        axpy(n, alpha, p, x);
        axpy(n, -alpha, q, r);
        const double now = dot(n, r, r);
        scale(n, now / old, p);
        axpy(n, 1, r, p);
        old = now;
    }
    return products;
}

/* Solves for b = 1 and prints the largest residual of b - A x. Returns the exit status. */
static int run(spmvcast_matrix *a, int32_t n, double *host, double *const v[4], int most)
{
    double error = 0;
    for (int32_t i = 0; i < n; i++)
        host[i] = 0;
    vector_put(n, v[0], host);
    for (int32_t i = 0; i < n; i++)
        host[i] = 1;
    vector_put(n, v[1], host);
    vector_put(n, v[2], host);
    const int products = solve(a, n, v[0], v[1], v[2], v[3], most);
    vector_put(n, v[1], host);
    if (products < 0 || spmvcast_multiply(a, -1, v[0], 1, v[1], NULL) != SPMVCAST_OK) {
        fprintf(stderr, "cg: %s\n", spmvcast_matrix_message(a));
        return 1;
    }
    vector_get(n, host, v[1]);
    for (int32_t i = 0; i < n; i++)
        error = fmax(error, fabs(host[i]));
    printf("solved on the %s: %d products, largest residual %.1e\n", kind == SPMVCAST_CPU ? "CPU" : "GPU", products,
           error);
    return error > 1e-4;
}

int main(int argc, char **argv)
{
    const int32_t n = argc > 2 ? (int32_t)strtol(argv[2], NULL, 10) : 200;
    const int64_t products = 2 * (int64_t)n; /* from experience with this matrix */
    struct stencil a = { 0 };
    if (n < 1 || n > 10000) {
        fprintf(stderr, "cg: N must be 1 to 10000\n");
        return 2;
    }
    const size_t rows = (size_t)n * (size_t)n;
    double *host = malloc(rows * sizeof *host), *v[4];
    int status = 1, made = make_stencil(&a, n) == 0 && host;
    for (int i = 0; i < 4; i++)
        made = (v[i] = vector_new(rows)) != NULL && made;
    if (!made)
        fprintf(stderr, "cg: out of memory\n");
    spmvcast_matrix *matrix = made ? convert(&a, argc > 1 ? argv[1] : "-", products) : NULL;
    if (matrix) {
        print_choice(matrix, products);
        status = run(matrix, n * n, host, v, 100 * n);
    }
    spmvcast_matrix_free(matrix);
    free_stencil(&a);
    for (int i = 0; i < 4; i++)
        vector_free(v[i]);
    free(host);
    return status;
}
