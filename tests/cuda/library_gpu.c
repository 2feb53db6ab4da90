/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles on a GPU, through the public header and the CUDA runtime alone: library_gpu PART prints "ok PART, N checks" or what is wrong. */
#include "cuda.h"
#include <math.h>
#include <pthread.h>
#include <stdint.h>

enum { ROWS = 3000, LONG_ROW = 777 };
static int checks;

static void expect(int truth, const char *what)
{
    checks++;
    if (truth)
        return;
    fprintf(stderr, "not true: %s\n", what);
    exit(1);
}

/* ---- a matrix with short rows, empty rows and one long row ---- */
struct made {
    int64_t rows, cols, nnz;
    int64_t *row_ptr;
    int32_t *col;
    double *val, *x;
};

/* longer: so many rows of 100 entries besides, at equal distances. */
static struct made make_rows(int64_t rows, int64_t longer)
{
    struct made a = { rows, rows + 5, 0, NULL, NULL, NULL, NULL };
    const size_t most = (size_t)(8 * rows + a.cols + 100 * longer + 1);
    a.row_ptr = calloc((size_t)rows + 1, sizeof *a.row_ptr);
    a.col = malloc(most * sizeof *a.col);
    a.val = malloc(most * sizeof *a.val);
    a.x = malloc((size_t)a.cols * sizeof *a.x);
    for (int64_t i = 0; i < rows; i++) {
        const int is_longer = longer > 0 && i % (rows / longer) == 0 && i / (rows / longer) < longer;
        const int64_t n = i == LONG_ROW ? a.cols : is_longer ? 100 : i % 7, step = i == LONG_ROW ? 1 : 1 + i % 50;
        for (int64_t k = 0, j = i == LONG_ROW ? 0 : i / 2; k < n && j < a.cols; k++, j += step) {
            a.col[a.nnz] = (int32_t)j;
            a.val[a.nnz++] = (double)((i * 31 + j * 17) % 64 - 20) / 8;
        }
        a.row_ptr[i + 1] = a.nnz;
    }
    for (int64_t j = 0; j < a.cols; j++)
        a.x[j] = (double)(j % 16 + 1) / 4;
    return a;
}

static struct made make(int64_t rows) { return make_rows(rows, 0); }

static void unmake(struct made *a)
{
    free(a->row_ptr);
    free(a->col);
    free(a->val);
    free(a->x);
}

/* Converts doubles to a precision, in place of a new array. */
static void *reals(const double *from, int64_t n, spmvcast_precision p)
{
    void *to = malloc((size_t)n * 8 + 8);
    for (int64_t i = 0; i < n; i++)
        if (p == SPMVCAST_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    return to;
}

/* The arrays of a matrix as the library takes them. */
struct arrays {
    spmvcast_csr csr;
    void *row_ptr, *col, *val;
    int on_gpu;
};

static void *place(void *host, size_t bytes, int on)
{
    if (!on)
        return host;
    void *gpu = on_gpu(host, bytes);
    free(host);
    return gpu;
}

static struct arrays arrays_of(const struct made *a, spmvcast_precision p, int bits, int base, int on)
{
    struct arrays v = { SPMVCAST_CSR_INIT, NULL, NULL, NULL, on };
    int32_t *col = malloc((size_t)a->nnz * 4 + 4);
    void *row_ptr = malloc((size_t)(a->rows + 1) * 8);
    for (int64_t i = 0; i <= a->rows; i++)
        if (bits == 32)
            ((int32_t *)row_ptr)[i] = (int32_t)(a->row_ptr[i] + base);
        else
            ((int64_t *)row_ptr)[i] = a->row_ptr[i] + base;
    for (int64_t k = 0; k < a->nnz; k++)
        col[k] = a->col[k] + base;
    v.csr.rows = a->rows;
    v.csr.cols = a->cols;
    v.csr.row_ptr_bits = bits;
    v.csr.base = base;
    v.csr.nnz = bits == 32 ? a->nnz : 0; /* both ways to say it */
    v.csr.row_ptr = v.row_ptr = place(row_ptr, (size_t)(a->rows + 1) * (size_t)(bits / 8), on);
    v.csr.col = v.col = place(col, (size_t)a->nnz * 4, on);
    v.csr.val = v.val = place(reals(a->val, a->nnz, p), (size_t)a->nnz * (p == SPMVCAST_F32 ? 4 : 8), on);
    return v;
}

static void free_arrays(struct arrays *v)
{
    void *all[] = { v->row_ptr, v->col, v->val };
    for (int i = 0; i < 3; i++)
        if (v->on_gpu)
            CUDA(cudaFree(all[i]));
        else
            free(all[i]);
}

/* ---- products ---- */
struct vectors {
    void *x, *y;
    cudaStream_t stream;
};

static struct vectors vectors_of(const struct made *a, spmvcast_precision p)
{
    void *x = reals(a->x, a->cols, p);
    struct vectors v = { on_gpu(x, (size_t)a->cols * (p == SPMVCAST_F32 ? 4 : 8)), on_gpu(NULL, (size_t)a->rows * 8), NULL };
    free(x);
    CUDA(cudaStreamCreateWithFlags(&v.stream, cudaStreamNonBlocking));
    return v;
}

static void free_vectors(struct vectors *v)
{
    CUDA(cudaFree(v->x));
    CUDA(cudaFree(v->y));
    CUDA(cudaStreamDestroy(v->stream));
}

/* Values and sums are exact in both precisions, so results must be equal. Before: y = 3 everywhere, or NaN if beta is 0. */
static void set_y(const struct made *a, const struct vectors *v, spmvcast_precision p, double value)
{
    double *y = malloc((size_t)a->rows * 8 + 8);
    for (int64_t i = 0; i < a->rows; i++)
        y[i] = value;
    void *narrow = reals(y, a->rows, p);
    CUDA(cudaMemcpyAsync(v->y, narrow, (size_t)a->rows * (p == SPMVCAST_F32 ? 4 : 8), cudaMemcpyHostToDevice, v->stream));
    CUDA(cudaStreamSynchronize(v->stream));
    free(narrow);
    free(y);
}

static void check_y(const struct made *a, const struct vectors *v, spmvcast_precision p, double alpha, double beta, const char *what)
{
    void *y = malloc((size_t)a->rows * 8 + 8);
    CUDA(cudaStreamSynchronize(v->stream));
    CUDA(cudaMemcpy(y, v->y, (size_t)a->rows * (p == SPMVCAST_F32 ? 4 : 8), cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            sum += a->val[k] * a->x[a->col[k]];
        const double expected = alpha * sum + (beta < 0 || beta > 0 ? beta * 3 : 0),
                     got = p == SPMVCAST_F32 ? (double)((float *)y)[i] : ((double *)y)[i];
        if (!(fabs(got - expected) <= 1e-5 * (1 + fabs(expected)))) {
            fprintf(stderr, "%s, %s, alpha %g, beta %g: y[%lld] is %.17g, expected %.17g\n", what, p == SPMVCAST_F32 ? "f32" : "f64", alpha,
                    beta, (long long)i, got, expected);
            exit(1);
        }
    }
    checks++;
    free(y);
}

static spmvcast_status (*multiply_by)(spmvcast_matrix *, double, const void *, double, void *, void *) = spmvcast_multiply;

static void multiply(spmvcast_matrix *m, const struct vectors *v, double alpha, double beta)
{
    if (multiply_by(m, alpha, v->x, beta, v->y, v->stream) == SPMVCAST_OK)
        return;
    fprintf(stderr, "spmvcast_multiply: %s\n", spmvcast_matrix_message(m));
    exit(1);
}

static void check_products(const struct made *a, spmvcast_matrix *m, spmvcast_precision p, const char *what)
{
    static const double factors[][2] = { { 1, 0 }, { 1, 1 }, { 2, 0 }, { 1, -2 }, { -0.5, 4 }, { 0, 0 }, { 0, 2 } };
    struct vectors v = vectors_of(a, p);
    for (int i = 0; i < 7; i++) {
        set_y(a, &v, p, factors[i][1] < 0 || factors[i][1] > 0 ? 3 : NAN);
        multiply(m, &v, factors[i][0], factors[i][1]);
        check_y(a, &v, p, factors[i][0], factors[i][1], what);
    }
    free_vectors(&v);
}

/* Products in a graph, replayed after y has changed. */
static void check_graph(const struct made *a, spmvcast_matrix *m, spmvcast_precision p, const char *what)
{
    struct vectors v = vectors_of(a, p);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(v.stream, cudaStreamCaptureModeGlobal));
    multiply(m, &v, -2, 3); /* needs memory, which it takes while capturing */
    CUDA(cudaStreamEndCapture(v.stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int r = 0; r < 3; r++) {
        set_y(a, &v, p, 3);
        CUDA(cudaGraphLaunch(exec, v.stream));
        check_y(a, &v, p, -2, 3, what);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    free_vectors(&v);
}

/* ---- parts ---- */
static spmvcast_context *context;
static spmvcast_device *device;

static spmvcast_matrix *create(const struct arrays *v, const spmvcast_matrix_options *o, const char *what)
{
    spmvcast_matrix *m;
    must(context, spmvcast_matrix_create(context, device, &v->csr, o, &m), what);
    return m;
}

/* Arrays of every kind, chosen by forecast, rule and name. */
static void products(void)
{
    static const char *const configs[] = { NULL, "csr-vector:lanes=8", "csr-split:lanes=4,cut=64", "csr-stream:sum=atomic", "csr-merge",
                                           "coo:sum=atomic", "ell:limit=10000", "sell", "jad", "bcsr:r=2,c=2", "hyb", "brc", "bro", "esb:parts=2", "cusparse-csr" };
    struct made a = make(ROWS);
    for (int p = 0; p < 2; p++)
        for (int form = 0; form < 8; form++) {
            struct arrays v = arrays_of(&a, (spmvcast_precision)p, form & 1 ? 64 : 32, form >> 1 & 1, form >> 2);
            for (unsigned i = 0; i < sizeof configs / sizeof *configs; i++) {
                spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
                spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
                spmvcast_matrix *m;
                o.precision = (spmvcast_precision)p;
                o.config = configs[i];
                o.copy = (int)i % 2;
                o.products = configs[i] || form % 3 == 0 ? SPMVCAST_UNLIMITED : form % 3 * 1000;
                const spmvcast_status status = spmvcast_matrix_create(context, device, &v.csr, &o, &m);
                if (status == SPMVCAST_INVALID_ARGUMENT && configs[i] && strstr(spmvcast_message(context), "limit"))
                    continue; /* too much padding for this format */
                must(context, status, configs[i] ? configs[i] : "chosen");
                must(NULL, spmvcast_matrix_get_info(m, &info), "info");
                expect(info.rows == a.rows && info.nnz == a.nnz && info.cols == a.cols, "sizes");
                expect((info.choice == SPMVCAST_BY_NAME) == (configs[i] != NULL), "choice");
                expect(info.extra_bytes > 0 || info.refers == (v.on_gpu && !o.copy), "refers");
                check_products(&a, m, (spmvcast_precision)p, info.config);
                spmvcast_matrix_free(m);
            }
            free_arrays(&v);
        }
    unmake(&a);
}

static void graphs(void)
{
    struct made a = make(ROWS);
    struct arrays v = arrays_of(&a, SPMVCAST_F64, 32, 0, 1);
    static const char *const configs[] = { "csr-split:lanes=4,cut=64", "csr-stream:sum=atomic", "hyb", "cusparse-csr", "coo" };
    for (int i = 0; i < 5; i++) {
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        o.config = configs[i];
        spmvcast_matrix *m = create(&v, &o, configs[i]);
        check_graph(&a, m, SPMVCAST_F64, configs[i]);
        spmvcast_matrix_free(m);
    }
    free_arrays(&v);
    unmake(&a);
}

static void updates(void)
{
    static const char *const configs[] = { "csr-split:lanes=4,cut=64", "sell", "coo", "hyb", "bcsr:r=2,c=2" };
    for (int form = 0; form < 4; form++)
        for (int i = 0; i < 5; i++) {
            struct made a = make(ROWS);
            struct arrays v = arrays_of(&a, SPMVCAST_F32, 32, form & 1, form >> 1);
            spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
            spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
            o.precision = SPMVCAST_F32;
            o.config = configs[i];
            spmvcast_matrix *fixed = create(&v, &o, "without updates");
            expect(spmvcast_update_values(context, fixed, v.val) == SPMVCAST_INVALID_ARGUMENT, "update without the option");
            spmvcast_matrix_free(fixed);
            o.updates = 1;
            spmvcast_matrix *m = create(&v, &o, configs[i]);
            for (int64_t k = 0; k < a.nnz; k++)
                a.val[k] = -2 * a.val[k] + 1;
            void *narrow = reals(a.val, a.nnz, SPMVCAST_F32);
            must(context, spmvcast_update_values(context, m, narrow), "values on the host");
            check_products(&a, m, SPMVCAST_F32, configs[i]);
            for (int64_t k = 0; k < a.nnz; k++)
                a.val[k] = a.val[k] / 2;
            free(narrow);
            narrow = reals(a.val, a.nnz, SPMVCAST_F32);
            void *there = on_gpu(narrow, (size_t)a.nnz * 4);
            must(context, spmvcast_update_values(context, m, there), "values on the GPU");
            check_products(&a, m, SPMVCAST_F32, configs[i]);
            if (v.on_gpu) { /* the same array, with other values */
                CUDA(cudaMemcpy(v.val, narrow, (size_t)a.nnz * 4, cudaMemcpyHostToDevice));
                must(context, spmvcast_update_values(context, m, v.val), "values in place");
                check_products(&a, m, SPMVCAST_F32, configs[i]);
            }
            must(NULL, spmvcast_matrix_get_info(m, &info), "info");
            expect(info.update_s >= 0, "time of the update");
            spmvcast_matrix_free(m);
            CUDA(cudaFree(there));
            free(narrow);
            free_arrays(&v);
            unmake(&a);
        }
}

/* The transposed matrix, with the vector of the multiplications by it. */
static struct made transposed_of(const struct made *a)
{
    struct made t = { a->cols, a->rows, a->nnz, calloc((size_t)a->cols + 2, 8), malloc((size_t)a->nnz * 4 + 4), malloc((size_t)a->nnz * 8 + 8),
                      malloc((size_t)a->rows * 8 + 8) };
    int64_t *next = t.row_ptr + 1;
    for (int64_t k = 0; k < a->nnz; k++)
        next[a->col[k] + 1]++;
    for (int64_t j = 0; j < a->cols; j++)
        next[j + 1] += next[j];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            const int64_t at = next[a->col[k]]++;
            t.col[at] = (int32_t)i;
            t.val[at] = a->val[k];
        }
    for (int64_t i = 0; i < a->rows; i++)
        t.x[i] = (double)(i % 16 + 1) / 4;
    return t;
}

static void check_transposed(const struct made *a, spmvcast_matrix *m, spmvcast_precision p, const char *what)
{
    struct made t = transposed_of(a);
    multiply_by = spmvcast_multiply_transposed;
    check_products(&t, m, p, what);
    multiply_by = spmvcast_multiply;
    unmake(&t);
}

static void transposed(void)
{
    static const char *const configs[] = { "csr-merge", "sell" };
    for (int form = 0; form < 8; form++) {
        struct made a = make(ROWS);
        const spmvcast_precision p = (spmvcast_precision)(form & 1);
        struct arrays v = arrays_of(&a, p, form & 2 ? 64 : 32, form & 1, form >> 2);
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
        o.precision = p;
        o.config = configs[form / 2 % 2];
        o.transpose = 1;
        o.updates = form / 2 & 1;
        spmvcast_matrix *m = create(&v, &o, o.config);
        struct vectors w = vectors_of(&a, p);
        CUDA(cudaStreamBeginCapture(w.stream, cudaStreamCaptureModeRelaxed));
        expect(spmvcast_multiply_transposed(m, 1, w.x, 0, w.y, w.stream) == SPMVCAST_INVALID_ARGUMENT
                   && strstr(spmvcast_matrix_message(m), "capture"), "the first one is not captured");
        cudaGraph_t graph;
        CUDA(cudaStreamEndCapture(w.stream, &graph));
        CUDA(cudaGraphDestroy(graph));
        free_vectors(&w);
        check_transposed(&a, m, p, o.config);
        must(NULL, spmvcast_matrix_get_info(m, &info), "info");
        expect(info.transposed_config && info.transpose_s > 0 && info.transpose_bytes > 0, "what it took");
        if (o.updates) {
            for (int64_t k = 0; k < a.nnz; k++)
                a.val[k] = -2 * a.val[k] + 1;
            void *narrow = reals(a.val, a.nnz, p), *there = on_gpu(narrow, (size_t)a.nnz * (p == SPMVCAST_F32 ? 4 : 8));
            must(context, spmvcast_update_values(context, m, form >> 2 ? there : narrow), "new values");
            check_products(&a, m, p, o.config);
            check_transposed(&a, m, p, "new values");
            spmvcast_matrix_free(m);
            CUDA(cudaFree(there));
            free(narrow);
        } else {
            spmvcast_matrix_free(m);
        }
        free_arrays(&v);
        unmake(&a);
    }
}

/* Blocks of rows in other formats, of a matrix on the host or the GPU: multiplied, captured in a graph, and remade from new values. */
static spmvcast_plan *plan_of(const struct made *a, int parallel)
{
    static const char *const configs[] = { "sell", "csr-vector:lanes=8", "bcsr:r=2,c=2", "csr-merge", "hyb", "coo:sum=atomic" };
    const int64_t ends[] = { 1, 7, 700, 800, 2000, a->rows };
    spmvcast_block block[6];
    spmvcast_plan *plan;
    for (int i = 0; i < 6; i++) {
        block[i] = (spmvcast_block)SPMVCAST_BLOCK_INIT;
        block[i].first_row = i ? ends[i - 1] : 0;
        block[i].rows = ends[i] - block[i].first_row;
        block[i].config = configs[i];
    }
    must(context, spmvcast_plan_create(context, block, 6, parallel, &plan), "plan");
    return plan;
}

static void check_plan(spmvcast_precision p, int parallel, int base, int on)
{
    static const char *const names[] = { "plan, serial", "plan, parallel" };
    struct made a = make(ROWS);
    struct arrays v = arrays_of(&a, p, on ? 32 : 64, base, on);
    spmvcast_plan *plan = plan_of(&a, parallel);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
    o.precision = p;
    o.updates = 1;
    o.plan = plan;
    spmvcast_matrix *m = create(&v, &o, names[parallel]);
    spmvcast_plan_free(plan);
    must(NULL, spmvcast_matrix_get_info(m, &info), "info");
    expect(info.choice == SPMVCAST_BY_PLAN && info.nnz == a.nnz && info.extra_bytes > 0, names[parallel]);
    check_products(&a, m, p, names[parallel]);
    check_graph(&a, m, p, names[parallel]);
    for (int64_t k = 0; k < a.nnz; k++)
        a.val[k] = -2 * a.val[k] + 1;
    void *narrow = reals(a.val, a.nnz, p), *there = on_gpu(narrow, (size_t)a.nnz * (p == SPMVCAST_F32 ? 4 : 8));
    must(context, spmvcast_update_values(context, m, on ? there : narrow), "new values of a plan");
    check_products(&a, m, p, names[parallel]);
    check_graph(&a, m, p, names[parallel]);
    spmvcast_matrix_free(m);
    CUDA(cudaFree(there));
    free(narrow);
    free_arrays(&v);
    unmake(&a);
}

static void plans(void)
{
    for (int p = 0; p < 2; p++)
        for (int form = 0; form < 8; form++)
            check_plan((spmvcast_precision)p, form & 1, form >> 1 & 1, form >> 2);
}

/* Options that restrict the choice, a choice that is saved, trials. */
static void options(void)
{
    struct made a = make(60000);
    struct arrays v = arrays_of(&a, SPMVCAST_F64, 32, 0, 1);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT, again = SPMVCAST_MATRIX_INFO_INIT;
    for (int64_t n = 0; n <= 100000; n = n ? 10 * n : 1) {
        o.products = n ? n : SPMVCAST_UNLIMITED;
        o.deterministic = 1;
        spmvcast_matrix *m = create(&v, &o, "deterministic");
        must(NULL, spmvcast_matrix_get_info(m, &info), "info");
        expect(info.deterministic, "deterministic");
        spmvcast_matrix_free(m);
        o.memory_limit = SPMVCAST_CSR_ONLY;
        m = create(&v, &o, "no memory");
        must(NULL, spmvcast_matrix_get_info(m, &info), "info");
        expect(info.extra_bytes == 0, "no memory");
        o.memory_limit = 0;
        spmvcast_matrix_free(m);
    }
    o.deterministic = 0;
    o.products = SPMVCAST_UNLIMITED;
    spmvcast_matrix *m = create(&v, &o, "chosen");
    must(NULL, spmvcast_matrix_get_info(m, &info), "info");
    expect(info.choice == SPMVCAST_BY_FORECAST && info.time_s > 0 && info.low_s <= info.time_s && info.time_s <= info.high_s, "forecast");
    o.config = info.config;
    spmvcast_matrix *same = create(&v, &o, "saved");
    must(NULL, spmvcast_matrix_get_info(same, &again), "info");
    expect(strcmp(info.config, again.config) == 0 && again.choice == SPMVCAST_BY_NAME, "a saved choice");
    expect(fabs(again.time_s - info.time_s) < 0.01 * info.time_s, "its forecast");
    spmvcast_matrix_free(same);
    spmvcast_matrix_free(m);
    o.config = NULL;
    o.trial_products = 3000;
    m = create(&v, &o, "trial");
    must(NULL, spmvcast_matrix_get_info(m, &info), "info");
    expect(info.choice == SPMVCAST_BY_TRIAL ? info.trial_s > 0 && info.try_s > 0 : info.choice == SPMVCAST_BY_FORECAST, "trial");
    check_products(&a, m, SPMVCAST_F64, "trial");
    spmvcast_matrix_free(m);
    free_arrays(&v);
    unmake(&a);
}

/* Trials in the caller's products: results, with products enqueued ahead of the times and without; captured in between; new values. */
static void check_trials(int on, int wait)
{
    struct made a = make(60000);
    struct arrays v = arrays_of(&a, SPMVCAST_F64, 32, 0, on);
    struct vectors w = vectors_of(&a, SPMVCAST_F64);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
    spmvcast_trial trial = SPMVCAST_TRIAL_INIT;
    cudaGraph_t graph;
    cudaGraphExec_t exec[6];
    int n = 0;
    o.products = SPMVCAST_UNLIMITED;
    o.trial_products = 40;
    o.trial_when = SPMVCAST_TRIAL_IN_PRODUCTS;
    o.updates = 1;
    spmvcast_matrix *m = create(&v, &o, "trials");
    must(NULL, spmvcast_matrix_get_info(m, &info), "info");
    const int began = info.trying;
    expect(!began || (strncmp(info.config, "csr", 3) == 0 && info.extra_bytes == 0 && !info.deterministic), "CSR serves first");
    for (int i = 0; i < 3000 && (i < 60 || info.trying); i++) {
        if (n < 6 && i % 10 == 5) { /* the graphs stay valid until the update */
            CUDA(cudaStreamBeginCapture(w.stream, cudaStreamCaptureModeGlobal));
            multiply(m, &w, 1, 0);
            CUDA(cudaStreamEndCapture(w.stream, &graph));
            CUDA(cudaGraphInstantiate(&exec[n++], graph, 0));
            CUDA(cudaGraphDestroy(graph));
        }
        set_y(&a, &w, SPMVCAST_F64, 3);
        for (int k = 0; k < (wait ? 1 : 5); k++)
            multiply(m, &w, 1, 0);
        multiply(m, &w, -2, wait ? 1 : 0);
        check_y(&a, &w, SPMVCAST_F64, wait ? -1 : -2, 0, "in a trial");
        must(NULL, spmvcast_matrix_get_info(m, &info), "info");
    }
    expect(!info.trying, "the trials are over");
    for (size_t i = 0; spmvcast_matrix_get_trial(m, i, &trial) == SPMVCAST_OK; i++)
        expect((trial.products > 0) != (trial.reason != NULL) && (trial.products == 0 || trial.time_s >= info.trial_s), "times of candidates");
    expect(!began || (info.choice == SPMVCAST_BY_TRIAL && info.trial_s > 0), "by trial");
    for (int i = 0; i < n; i++) {
        set_y(&a, &w, SPMVCAST_F64, NAN);
        CUDA(cudaGraphLaunch(exec[i], w.stream));
        check_y(&a, &w, SPMVCAST_F64, 1, 0, "a graph of a trial");
        CUDA(cudaGraphExecDestroy(exec[i]));
    }
    for (int64_t k = 0; k < a.nnz; k++)
        a.val[k] = -2 * a.val[k] + 1;
    must(context, spmvcast_update_values(context, m, a.val), "values after trials");
    check_products(&a, m, SPMVCAST_F64, "after trials");
    spmvcast_matrix_free(m);
    /* new values while trials go on; an end before they are over */
    m = create(&v, &o, "trials");
    for (int i = 0; i < 30; i++) {
        multiply(m, &w, 1, 0);
        if (i % 4 < 3)
            continue;
        CUDA(cudaStreamSynchronize(w.stream));
        a.val[i] += 1;
        must(context, spmvcast_update_values(context, m, a.val), "values in trials");
        multiply(m, &w, 1, 0);
        check_y(&a, &w, SPMVCAST_F64, 1, 0, "new values in trials");
    }
    CUDA(cudaStreamSynchronize(w.stream));
    spmvcast_matrix_free(m);
    free_vectors(&w);
    free_arrays(&v);
    unmake(&a);
}

/* Another stream is captured by this thread while trials convert and free. */
static void check_other_capture(void)
{
    struct made a = make(60000);
    struct arrays v = arrays_of(&a, SPMVCAST_F64, 32, 0, 1);
    struct vectors w = vectors_of(&a, SPMVCAST_F64), other = vectors_of(&a, SPMVCAST_F64);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    cudaGraph_t graph;
    o.products = SPMVCAST_UNLIMITED;
    o.trial_products = 40;
    o.trial_when = SPMVCAST_TRIAL_IN_PRODUCTS;
    spmvcast_matrix *m = create(&v, &o, "trials");
    CUDA(cudaStreamBeginCapture(other.stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 300; i++)
        multiply(m, &w, 1, 0);
    CUDA(cudaStreamEndCapture(other.stream, &graph));
    CUDA(cudaGraphDestroy(graph));
    check_y(&a, &w, SPMVCAST_F64, 1, 0, "beside another capture");
    spmvcast_matrix_free(m);
    free_vectors(&w);
    free_vectors(&other);
    free_arrays(&v);
    unmake(&a);
}

static void trials(void)
{
    for (int form = 0; form < 4; form++)
        check_trials(form & 1, form >> 1);
    check_other_capture();
}

static void refuse(const struct arrays *v, const spmvcast_matrix_options *o, spmvcast_status expected, const char *text)
{
    spmvcast_matrix *m;
    const spmvcast_status status = spmvcast_matrix_create(context, device, &v->csr, o, &m);
    if (status != expected || m != NULL || !strstr(spmvcast_message(context), text)) {
        fprintf(stderr, "expected %s, %s; got %s: %s\n", spmvcast_status_text(expected), text, spmvcast_status_text(status),
                spmvcast_message(context));
        exit(1);
    }
    checks++;
}

static void refusals(void)
{
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    struct made a = make(ROWS);
    struct arrays v = arrays_of(&a, SPMVCAST_F64, 32, 1, 1);
    o.config = "sel";
    refuse(&v, &o, SPMVCAST_INVALID_ARGUMENT, "sel");
    o.config = "dia";
    refuse(&v, &o, SPMVCAST_INVALID_ARGUMENT, "dia");
    o.config = "coo:sum=atomic";
    o.deterministic = 1;
    refuse(&v, &o, SPMVCAST_INVALID_ARGUMENT, "not deterministic");
    o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    o.config = "sell";
    o.memory_limit = 100;
    refuse(&v, &o, SPMVCAST_OUT_OF_MEMORY, "memory_limit");
    free_arrays(&v);
    /* invalid matrices: rows and columns are counted from the base */
    o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    const int64_t k = a.row_ptr[20] - 1;
    const int32_t kept = a.col[k];
    a.col[k] = a.col[k - 1];
    v = arrays_of(&a, SPMVCAST_F64, 32, 1, 1);
    o.products = 100000; /* a forecast is worth the examination, which sees it */
    refuse(&v, &o, SPMVCAST_INVALID_MATRIX, "row 20 (counted from 1)");
    o.products = 1;
    o.check_columns = 1;
    refuse(&v, &o, SPMVCAST_INVALID_MATRIX, "row 20 (counted from 1)");
    free_arrays(&v);
    a.col[k] = kept;
    a.row_ptr[30] = a.row_ptr[31] + 1;
    v = arrays_of(&a, SPMVCAST_F64, 64, 0, 1);
    o.check_columns = 0;
    refuse(&v, &o, SPMVCAST_INVALID_MATRIX, "row");
    free_arrays(&v);
    unmake(&a);
}

/* Threads with matrices of their own on one device. */
static void *thread(void *unused)
{
    spmvcast_context *mine;
    struct made a = make(ROWS);
    struct arrays v = arrays_of(&a, SPMVCAST_F64, 32, 0, 1);
    (void)unused;
    must(NULL, spmvcast_context_create(NULL, &mine), "context");
    for (int i = 0; i < 5; i++) {
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        spmvcast_matrix *m;
        struct vectors vectors = vectors_of(&a, SPMVCAST_F64);
        o.products = i % 2 ? 5 : 100000;
        must(mine, spmvcast_matrix_create(mine, device, &v.csr, &o, &m), "thread");
        set_y(&a, &vectors, SPMVCAST_F64, NAN);
        multiply(m, &vectors, 1, 0);
        check_y(&a, &vectors, SPMVCAST_F64, 1, 0, "thread");
        spmvcast_matrix_free(m);
        free_vectors(&vectors);
    }
    free_arrays(&v);
    unmake(&a);
    spmvcast_context_free(mine);
    return NULL;
}

static void threads(void)
{
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&all[i], NULL, thread, NULL) != 0)
            exit(1);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

/* Lists of pieces of long rows are each matrix's own, also one that is longer than what is kept ready for the next. */
static void pieces(void)
{
    enum { SMALL, LARGE, AGAIN, NLISTS };
    struct made a[NLISTS] = { [SMALL] = make(100000), [LARGE] = make_rows(400000, 30000), [AGAIN] = make(90000) };
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
    struct arrays v[NLISTS];
    spmvcast_matrix *m[NLISTS];
    o.products = 1; /* by rule */
    for (int i = 0; i < NLISTS; i++) {
        v[i] = arrays_of(&a[i], SPMVCAST_F64, 32, 0, 1);
        m[i] = create(&v[i], &o, "pieces");
        must(NULL, spmvcast_matrix_get_info(m[i], &info), "pieces");
        expect(strcmp(info.kernel, "csr-split") == 0, "pieces of long rows");
    }
    for (int i = 0; i < NLISTS; i++)
        check_products(&a[i], m[i], SPMVCAST_F64, "pieces");
    for (int i = 0; i < NLISTS; i++) {
        spmvcast_matrix_free(m[i]);
        free_arrays(&v[i]);
        unmake(&a[i]);
    }
}

/* Matrices without rows or entries; the device is freed before its matrix. */
static void corners(void)
{
    int32_t zeros[4] = { 0, 0, 0, 0 };
    struct arrays v = { SPMVCAST_CSR_INIT, NULL, NULL, NULL, 1 };
    spmvcast_device *other;
    spmvcast_device_options d = SPMVCAST_DEVICE_OPTIONS_INIT;
    spmvcast_device_info info = SPMVCAST_DEVICE_INFO_INIT;
    spmvcast_matrix *m;
    v.csr.cols = 4;
    v.csr.row_ptr = v.row_ptr = on_gpu(zeros, sizeof zeros);
    m = create(&v, NULL, "no rows");
    must(NULL, spmvcast_multiply(m, 1, v.row_ptr, 0, v.row_ptr, NULL), "no rows");
    spmvcast_matrix_free(m);
    v.csr.rows = 3;
    struct made a = { 3, 4, 0, calloc(4, 8), calloc(1, 4), calloc(1, 8), calloc(4, 8) };
    m = create(&v, NULL, "no entries");
    check_products(&a, m, SPMVCAST_F64, "no entries");
    spmvcast_matrix_free(m);
    d.profile = "";
    must(context, spmvcast_device_open(context, &d, &other), "device");
    must(NULL, spmvcast_device_get_info(other, &info), "device");
    expect(info.profile == NULL && info.reason && *info.reason, "no profile");
    struct made b = make(100000);
    struct arrays w = arrays_of(&b, SPMVCAST_F64, 32, 0, 1);
    spmvcast_matrix_options zero = { 0 };
    spmvcast_matrix_info by_rule = SPMVCAST_MATRIX_INFO_INIT;
    zero.size = sizeof zero;
    w.csr.row_ptr_bits = 0;
    w.csr.nnz = 0;
    must(context, spmvcast_matrix_create(context, other, &w.csr, &zero, &m), "by rule");
    must(NULL, spmvcast_matrix_get_info(m, &by_rule), "by rule");
    expect(by_rule.choice == SPMVCAST_BY_RULE && strcmp(by_rule.config, "csr-split:lanes=4,cut=64,deal=block,block=128") == 0,
           "pieces of a long row beside many short rows");
    spmvcast_device_free(other);
    check_products(&b, m, SPMVCAST_F64, "by rule");
    spmvcast_matrix_free(m);
    free_arrays(&w);
    d.index = 1000;
    expect(spmvcast_device_open(context, &d, &other) == SPMVCAST_NO_DEVICE, "GPU 1000");
    unmake(&b);
    unmake(&a);
    CUDA(cudaFree(v.row_ptr));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        int forecasts; /* needs a profile of this GPU */
    } parts[] = { { "products", products, 0 }, { "graphs", graphs, 0 },   { "updates", updates, 0 }, { "plans", plans, 0 }, { "transposed", transposed, 0 },
                  { "options", options, 1 },   { "trials", trials, 1 }, { "refusals", refusals, 1 }, { "threads", threads, 0 }, { "pieces", pieces, 0 },
                  { "corners", corners, 0 } };
    spmvcast_device_info info = SPMVCAST_DEVICE_INFO_INIT;
    must(NULL, spmvcast_context_create(NULL, &context), "context");
    must(context, spmvcast_device_open(context, NULL, &device), "device");
    must(NULL, spmvcast_device_get_info(device, &info), "device");
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc == 2 && strcmp(argv[1], parts[i].name) == 0) {
            if (parts[i].forecasts && !info.profile) {
                printf("skipped: no forecasts on this GPU: %s\n", info.reason);
                return 0;
            }
            parts[i].run();
            printf("ok %s, %d checks\n", parts[i].name, checks);
            spmvcast_device_free(device);
            spmvcast_context_free(context);
            return 0;
        }
    fprintf(stderr, "usage: library_gpu products|graphs|updates|plans|transposed|options|trials|refusals|threads|pieces|corners\n");
    return 2;
}
