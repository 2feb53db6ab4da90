/* SPDX-License-Identifier: BSD-3-Clause */
/* What a caller of libspmvcast_cuda gains over cuSPARSE's generic API: library_bench f32|f64 MATRIX... prints a row per matrix and number of
 * products N, with the times of set-up and product of both. make bench-gpu runs it; scripts/library-table.sh sums up its rows.
 *
 * The matrix is in GPU memory in CSR, as both libraries want it. cuSPARSE: cusparseSpMV with its default algorithm and both of its CSR
 * algorithms, each with and without cusparseSpMV_preprocess; set-up is descriptors, cusparseSpMV_bufferSize, cudaMalloc and
 * preprocessing. Ours: spmvcast_matrix_create, with the profile opened before, as cuSPARSE's handle is. Both set-ups are wall times until
 * the work is done, medians of SETUPS in turn, each right after an untimed one of the same kind, so that none pays for the caches that
 * another left. A product in a CUDA graph: (t(LONG) - t(SHORT)) / (LONG - SHORT) for graphs of so many
 * products, caches warm; in a stream: the same for plain launches. Medians of ROUNDS in turn. Totals are set-up plus N products; those of
 * cuSPARSE are the least of its variants for this N. N = 0: the product alone, chosen for very many. */
#include "cuda.h"
#define DISABLE_CUSPARSE_DEPRECATED /* warnings about declarations that are not used */
#include <cusparse.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/target.h"
#include "base/version.h"
#include "input/matrix.h"
#include "matrix/csr_matrix.h"

enum { SETUPS = 9, ROUNDS = 5, SHORT = 20, LONG = 120, NS = 5, VARIANTS = 6 };
static const int64_t products[NS] = { 0, 10, 100, 1000, 100000 };

#define SPARSE(call)                                                                                       \
    do {                                                                                                   \
        const cusparseStatus_t s_ = (call);                                                                \
        if (s_ != CUSPARSE_STATUS_SUCCESS) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cusparseGetErrorString(s_));     \
            exit(1);                                                                                       \
        }                                                                                                  \
    } while (0)

/* ---- the problem ---- */
struct problem {
    const char *name;
    int64_t rows, cols, nnz;
    spmvcast_precision precision;
    size_t value_bytes;
    void *row_ptr, *col, *val, *x, *y; /* on the GPU */
    cudaStream_t stream;
    double *reference; /* [rows] y */
    double *magnitude; /* [rows] sum |a x| */
};

static void *reals(const double *from, int64_t n, spmvcast_precision p)
{
    float *narrow = malloc((size_t)n * sizeof *narrow + 1);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    void *to = p == SPMVCAST_F32 ? on_gpu(narrow, (size_t)n * 4) : on_gpu(from, (size_t)n * 8);
    free(narrow);
    return to;
}

static void make_problem(struct problem *q, const struct csr *a, spmvcast_precision p)
{
    int32_t *narrow = malloc((size_t)(a->rows + 1) * sizeof *narrow);
    double *x = malloc((size_t)a->cols * sizeof *x + 1);
    q->rows = a->rows;
    q->cols = a->cols;
    q->nnz = a->nnz;
    q->precision = p;
    q->value_bytes = p == SPMVCAST_F32 ? 4 : 8;
    for (int64_t i = 0; i <= a->rows; i++)
        narrow[i] = (int32_t)a->row_ptr[i];
    for (int64_t j = 0; j < a->cols; j++)
        x[j] = csr_x(j);
    q->row_ptr = on_gpu(narrow, (size_t)(a->rows + 1) * 4);
    q->col = on_gpu(a->col, (size_t)a->nnz * 4);
    q->val = reals(a->val, a->nnz, p);
    q->x = reals(x, a->cols, p);
    q->y = on_gpu(NULL, (size_t)a->rows * q->value_bytes);
    q->magnitude = malloc((size_t)a->rows * sizeof(double) + 1);
    q->reference = malloc((size_t)a->rows * sizeof(double) + 1);
    csr_spmv_reference(a, x, q->reference);
    for (int64_t i = 0; i < a->rows; i++) {
        q->magnitude[i] = 0;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            q->magnitude[i] += fabs(a->val[k] * x[a->col[k]]);
    }
    free(narrow);
    free(x);
    CUDA(cudaStreamCreateWithFlags(&q->stream, cudaStreamNonBlocking));
}

static void free_problem(struct problem *q)
{
    CUDA(cudaFree(q->row_ptr));
    CUDA(cudaFree(q->col));
    CUDA(cudaFree(q->val));
    CUDA(cudaFree(q->x));
    CUDA(cudaFree(q->y));
    CUDA(cudaStreamDestroy(q->stream));
    free(q->reference);
    free(q->magnitude);
}

/* A wrong result is never timed. */
static void check_y(const struct problem *q, const char *what)
{
    char *y = malloc((size_t)q->rows * q->value_bytes + 1);
    CUDA(cudaMemcpy(y, q->y, (size_t)q->rows * q->value_bytes, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < q->rows; i++) {
        const double got = q->precision == SPMVCAST_F32 ? (double)((float *)(void *)y)[i] : ((double *)(void *)y)[i];
        const double most = (q->precision == SPMVCAST_F32 ? 1e-4 : 1e-12) * q->magnitude[i] + 1e-300;
        if (!(fabs(got - q->reference[i]) <= most)) {
            fprintf(stderr, "%s: %s: y[%" PRId64 "] is %g, expected %g\n", q->name, what, i, got, q->reference[i]);
            exit(1);
        }
    }
    free(y);
}

/* ---- one multiplier: either library ---- */
struct multiplier {
    const struct problem *q;
    void (*run)(const struct multiplier *);
    /* cuSPARSE */
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    cusparseSpMVAlg_t alg;
    int pre;
    void *buffer;
    /* ours */
    spmvcast_matrix *matrix;
};

static void run_sparse(const struct multiplier *m)
{
    static const double one = 1, zero = 0;
    static const float one_f = 1, zero_f = 0;
    const int wide = m->q->precision == SPMVCAST_F64;
    SPARSE(cusparseSpMV(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, wide ? (const void *)&one : &one_f, m->a, m->x,
                        wide ? (const void *)&zero : &zero_f, m->y, wide ? CUDA_R_64F : CUDA_R_32F, m->alg, m->buffer));
}

static void run_ours(const struct multiplier *m)
{
    if (spmvcast_multiply(m->matrix, 1, m->q->x, 0, m->q->y, m->q->stream) != SPMVCAST_OK) {
        fprintf(stderr, "spmvcast_multiply: %s\n", spmvcast_matrix_message(m->matrix));
        exit(1);
    }
}

/* Returns the set-up time in s. */
static double open_sparse(struct multiplier *m)
{
    static const double one = 1, zero = 0;
    static const float one_f = 1, zero_f = 0;
    const struct problem *q = m->q;
    const int wide = q->precision == SPMVCAST_F64;
    const cudaDataType type = wide ? CUDA_R_64F : CUDA_R_32F;
    const void *alpha = wide ? (const void *)&one : &one_f, *beta = wide ? (const void *)&zero : &zero_f;
    size_t bytes = 0;
    CUDA(cudaDeviceSynchronize());
    const double begun = now_s();
    SPARSE(cusparseCreateCsr(&m->a, q->rows, q->cols, q->nnz, q->row_ptr, q->col, q->val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, type));
    SPARSE(cusparseCreateDnVec(&m->x, q->cols, q->x, type));
    SPARSE(cusparseCreateDnVec(&m->y, q->rows, q->y, type));
    SPARSE(cusparseSpMV_bufferSize(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, m->a, m->x, beta, m->y, type, m->alg, &bytes));
    CUDA(cudaMalloc(&m->buffer, bytes + 1));
    if (m->pre)
        SPARSE(cusparseSpMV_preprocess(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, m->a, m->x, beta, m->y, type, m->alg, m->buffer));
    CUDA(cudaStreamSynchronize(q->stream));
    const double time_s = now_s() - begun;
    m->run = run_sparse;
    return time_s;
}

static void close_sparse(struct multiplier *m)
{
    SPARSE(cusparseDestroySpMat(m->a));
    SPARSE(cusparseDestroyDnVec(m->x));
    SPARSE(cusparseDestroyDnVec(m->y));
    CUDA(cudaFree(m->buffer));
}

static double open_ours(struct multiplier *m, spmvcast_context *c, spmvcast_device *d, int64_t n)
{
    const struct problem *q = m->q;
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    csr.rows = q->rows;
    csr.cols = q->cols;
    csr.nnz = q->nnz;
    csr.row_ptr = q->row_ptr;
    csr.col = q->col;
    csr.val = q->val;
    o.precision = q->precision;
    o.products = n > 0 ? n : SPMVCAST_UNLIMITED;
    CUDA(cudaDeviceSynchronize());
    const double begun = now_s();
    must(c, spmvcast_matrix_create(c, d, &csr, &o, &m->matrix), q->name);
    CUDA(cudaStreamSynchronize(q->stream));
    const double time_s = now_s() - begun;
    m->run = run_ours;
    return time_s;
}

/* ---- timing ---- */
static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

struct timed {
    struct multiplier *m;
    cudaGraphExec_t graph[2];
    double sample_graph[ROUNDS], sample_stream[ROUNDS], graph_s, stream_s;
};

static cudaGraphExec_t graph_of(const struct multiplier *m, int count)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(m->q->stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < count; i++)
        m->run(m);
    CUDA(cudaStreamEndCapture(m->q->stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphLaunch(exec, m->q->stream));          /* not uploaded: src/backend/cuda_timing.cu */
    return exec;
}

static double elapsed_s(cudaEvent_t from, cudaEvent_t to)
{
    float ms;
    CUDA(cudaEventSynchronize(to));
    CUDA(cudaEventElapsedTime(&ms, from, to));
    return (double)ms * 1e-3;
}

static void time_round(struct timed *t, int round, cudaEvent_t from, cudaEvent_t to)
{
    const struct multiplier *m = t->m;
    const cudaStream_t s = m->q->stream;
    double graph_s[2], stream_s[2];
    const int count[2] = { SHORT, LONG };
    for (int k = 0; k < 2; k++) {
        CUDA(cudaEventRecord(from, s));
        CUDA(cudaGraphLaunch(t->graph[k], s));
        CUDA(cudaEventRecord(to, s));
        graph_s[k] = elapsed_s(from, to);
    }
    for (int k = 0; k < 2; k++) {
        CUDA(cudaEventRecord(from, s));
        for (int i = 0; i < count[k]; i++)
            m->run(m);
        CUDA(cudaEventRecord(to, s));
        stream_s[k] = elapsed_s(from, to);
    }
    t->sample_graph[round] = (graph_s[1] - graph_s[0]) / (LONG - SHORT);
    t->sample_stream[round] = (stream_s[1] - stream_s[0]) / (LONG - SHORT);
}

/* Times n multipliers in turn. */
static void time_all(struct timed *t, int n)
{
    cudaEvent_t from, to;
    CUDA(cudaEventCreate(&from));
    CUDA(cudaEventCreate(&to));
    for (int i = 0; i < n; i++) {
        CUDA(cudaMemsetAsync(t[i].m->q->y, 0xff, (size_t)t[i].m->q->rows * t[i].m->q->value_bytes, t[i].m->q->stream));
        t[i].m->run(t[i].m);
        CUDA(cudaStreamSynchronize(t[i].m->q->stream));
        check_y(t[i].m->q, t[i].m->matrix ? "spmvcast" : "cuSPARSE");
        t[i].graph[0] = graph_of(t[i].m, SHORT);
        t[i].graph[1] = graph_of(t[i].m, LONG);
    }
    for (int r = -1; r < ROUNDS; r++) /* the first is not counted */
        for (int i = 0; i < n; i++)
            time_round(&t[i], r < 0 ? 0 : r, from, to);
    for (int i = 0; i < n; i++) {
        t[i].graph_s = median(t[i].sample_graph, ROUNDS);
        t[i].stream_s = median(t[i].sample_stream, ROUNDS);
        CUDA(cudaGraphExecDestroy(t[i].graph[0]));
        CUDA(cudaGraphExecDestroy(t[i].graph[1]));
    }
    CUDA(cudaEventDestroy(from));
    CUDA(cudaEventDestroy(to));
}

/* ---- rows ---- */
static const char *const choices[] = { "forecast", "rule", "name", "trial" };
static const struct {
    const char *name;
    cusparseSpMVAlg_t alg;
    int pre;
} variants[VARIANTS] = { { "default", CUSPARSE_SPMV_ALG_DEFAULT, 0 }, { "default+pre", CUSPARSE_SPMV_ALG_DEFAULT, 1 },
                         { "alg1", CUSPARSE_SPMV_CSR_ALG1, 0 },       { "alg1+pre", CUSPARSE_SPMV_CSR_ALG1, 1 },
                         { "alg2", CUSPARSE_SPMV_CSR_ALG2, 0 },       { "alg2+pre", CUSPARSE_SPMV_CSR_ALG2, 1 } };

static double total(double setup_s, double product_s, int64_t n) { return n ? setup_s + (double)n * product_s : product_s; }

/* Returns the variant of the least total. */
static int least(const double *setup_s, const struct timed *t, int64_t n, int stream)
{
    int best = 0;
    for (int v = 1; v < VARIANTS; v++)
        if (total(setup_s[v], stream ? t[v].stream_s : t[v].graph_s, n)
            < total(setup_s[best], stream ? t[best].stream_s : t[best].graph_s, n))
            best = v;
    return best;
}

static const char *footprint_of(const struct problem *q)
{
    struct cudaDeviceProp prop;
    struct geometry g = { 0 };
    CUDA(cudaGetDeviceProperties(&prop, 0));
    g.l2_bytes = prop.l2CacheSize;
    return footprint_name(footprint_class(&g, footprint_bytes(q->rows, q->cols, q->nnz, q->precision == SPMVCAST_F32 ? F32 : F64)));
}

static void print_row(const struct problem *q, int64_t n, const struct timed *mine, double mine_setup_s, const struct timed *rival,
                      const double *rival_setup_s)
{
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
    must(NULL, spmvcast_matrix_get_info(mine->m->matrix, &info), "info");
    const int by_graph = least(rival_setup_s, rival, n, 0), by_stream = least(rival_setup_s, rival, n, 1);
    const double graph = total(rival_setup_s[by_graph], rival[by_graph].graph_s, n) / total(mine_setup_s, mine->graph_s, n),
                 stream = total(rival_setup_s[by_stream], rival[by_stream].stream_s, n) / total(mine_setup_s, mine->stream_s, n);
    printf("%s\t%" PRId64 "\t%" PRId64 "\t%s\t%s\t%" PRId64 "\t%s\t%s", q->name, q->rows, q->nnz,
           q->precision == SPMVCAST_F32 ? "f32" : "f64", footprint_of(q), n, info.config, choices[info.choice]);
    printf("\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", info.examine_s * 1e6, info.choose_s * 1e6, info.convert_s * 1e6, info.prepare_s * 1e6,
           mine_setup_s * 1e6);
    printf("\t%.3f\t%.3f\t%.3f", info.time_s * 1e6, mine->graph_s * 1e6, mine->stream_s * 1e6);
    printf("\t%s\t%.2f\t%.3f\t%s\t%.2f\t%.3f\t%.3f\t%.3f\n", variants[by_graph].name, rival_setup_s[by_graph] * 1e6,
           rival[by_graph].graph_s * 1e6, variants[by_stream].name, rival_setup_s[by_stream] * 1e6, rival[by_stream].stream_s * 1e6, graph,
           stream);
    fflush(stdout);
}

static void bench(struct problem *q, spmvcast_context *c, spmvcast_device *d, cusparseHandle_t handle)
{
    struct multiplier rival[VARIANTS], mine[NS];
    struct timed t[VARIANTS + NS];
    double setup[VARIANTS + NS][SETUPS], setup_s[VARIANTS + NS];
    memset(rival, 0, sizeof rival);
    memset(mine, 0, sizeof mine);
    memset(t, 0, sizeof t);
    SPARSE(cusparseSetStream(handle, q->stream));
    for (int r = 0; r < SETUPS; r++) {
        for (int v = 0; v < VARIANTS; v++) {
            rival[v] = (struct multiplier){ .q = q, .handle = handle, .alg = variants[v].alg, .pre = variants[v].pre };
            (void)open_sparse(&rival[v]);
            close_sparse(&rival[v]);
            setup[v][r] = open_sparse(&rival[v]);
            if (r < SETUPS - 1)
                close_sparse(&rival[v]);
        }
        for (int i = 0; i < NS; i++) {
            mine[i] = (struct multiplier){ .q = q };
            (void)open_ours(&mine[i], c, d, products[i]);
            spmvcast_matrix_free(mine[i].matrix);
            setup[VARIANTS + i][r] = open_ours(&mine[i], c, d, products[i]);
            if (r < SETUPS - 1)
                spmvcast_matrix_free(mine[i].matrix);
        }
    }
    for (int v = 0; v < VARIANTS + NS; v++) {
        setup_s[v] = median(setup[v], SETUPS);
        t[v].m = v < VARIANTS ? &rival[v] : &mine[v - VARIANTS];
    }
    time_all(t, VARIANTS + NS);
    for (int i = 0; i < NS; i++)
        print_row(q, products[i], &t[VARIANTS + i], setup_s[VARIANTS + i], t, setup_s);
    for (int v = 0; v < VARIANTS; v++)
        close_sparse(&rival[v]);
    for (int i = 0; i < NS; i++)
        spmvcast_matrix_free(mine[i].matrix);
}

/* Where and when, as comments. */
static void print_provenance(cusparseHandle_t handle, const spmvcast_device_info *info)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    int version, driver;
    SPARSE(cusparseGetVersion(handle, &version));
    CUDA(cudaDriverGetVersion(&driver));
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    printf("# date %s\n# commit %s\n# device %s\n# cuSPARSE %d, driver for CUDA %d\n# profile %s\n# caches warm; times in us\n", date,
           spmvcast_git, info->key, version, driver, info->profile ? info->profile : info->reason);
    printf("matrix\trows\tnnz\tprecision\tfootprint\tN\tconfig\tchoice\texamine_us\tchoose_us\tconvert_us\tprepare_us\tsetup_us\t"
           "forecast_us\tgraph_us\tstream_us\trival_graph\trival_graph_setup_us\trival_graph_us\trival_stream\trival_stream_setup_us\t"
           "rival_stream_us\tgain_graph\tgain_stream\n");
}

static bool read_problem(struct problem *q, struct matrix *m, const char *path, spmvcast_precision p)
{
    char why[ERRLEN];
    if (matrix_read(path, m, why) != 0) {
        printf("# skipped %s: %s\n", path, why);
        return false;
    }
    if (m->csr.nnz == 0 || m->csr.nnz > INT32_MAX) {
        printf("# skipped %s: %" PRId64 " entries\n", m->name, m->csr.nnz);
        matrix_free(m);
        return false;
    }
    *q = (struct problem){ .name = m->name };
    make_problem(q, &m->csr, p);
    return true;
}

int main(int argc, char **argv)
{
    spmvcast_context *c;
    spmvcast_device *d;
    spmvcast_device_info info = SPMVCAST_DEVICE_INFO_INIT;
    cusparseHandle_t handle;
    if (argc < 3 || (strcmp(argv[1], "f32") != 0 && strcmp(argv[1], "f64") != 0)) {
        fprintf(stderr, "usage: library_bench f32|f64 MATRIX...\n");
        return 2;
    }
    must(NULL, spmvcast_context_create(NULL, &c), "context");
    must(c, spmvcast_device_open(c, NULL, &d), "device");
    must(NULL, spmvcast_device_get_info(d, &info), "device");
    SPARSE(cusparseCreate(&handle));
    print_provenance(handle, &info);
    for (int i = 2; i < argc; i++) {
        struct matrix m;
        struct problem q;
        if (!read_problem(&q, &m, argv[i], strcmp(argv[1], "f32") == 0 ? SPMVCAST_F32 : SPMVCAST_F64))
            continue;
        bench(&q, c, d, handle);
        free_problem(&q);
        matrix_free(&m);
    }
    SPARSE(cusparseDestroy(handle));
    spmvcast_device_free(d);
    spmvcast_context_free(c);
    return 0;
}
