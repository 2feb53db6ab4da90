/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix handles on the CPU device: what is refused, and memory that runs out.
 *     library_matrix_refuses refuses OTHER | memory PROFILE | updates | transposed
 * OTHER: a profile of another CPU; PROFILE has learned forecasts of this machine's. */
#include <malloc.h>
#include <omp.h>
#include "library_products.h"

static void refused(spmvcast_status status, const void *made, const char *what, spmvcast_status expected,
                    const char *text)
{
    checks++;
    if (status == expected && !made && strstr(spmvcast_message(context), text)
        && !strstr(spmvcast_message(context), "--"))
        return;
    fprintf(stderr, "%s: expected %s, '%s'; got %s: %s\n", what, spmvcast_status_text(expected), text,
            spmvcast_status_text(status), spmvcast_message(context));
    exit(1);
}

static void refuse(const struct arrays *v, const spmvcast_matrix_options *o, const char *what, spmvcast_status expected,
                   const char *text)
{
    spmvcast_matrix *m = (spmvcast_matrix *)&checks;
    const spmvcast_status status = spmvcast_matrix_create(context, device, v ? &v->csr : NULL, o, &m);
    refused(status, m, what, expected, text);
}

/* ---- options ---- */
static void refuse_options(void)
{
    struct problem q = problem_make(MADE_DENSE_ROWS);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_matrix_options o;
#define CASE(member, value, status, text)                      \
    o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT; \
    o.member = value;                                          \
    refuse(&v, &o, #member " = " #value, status, text)
    CASE(size, 0, SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_MATRIX_OPTIONS_INIT");
    CASE(size, sizeof o - 8, SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_MATRIX_OPTIONS_INIT");
    CASE(precision, (spmvcast_precision)2, SPMVCAST_INVALID_ARGUMENT, "precision");
    CASE(launch, (spmvcast_launch)-1, SPMVCAST_INVALID_ARGUMENT, "launch");
    CASE(products, -2, SPMVCAST_INVALID_ARGUMENT, "products");
    CASE(trial_products, -1, SPMVCAST_INVALID_ARGUMENT, "trial_products");
    CASE(config, "csr-vectro", SPMVCAST_INVALID_ARGUMENT, "csr-vector");
    CASE(config, "csr-vector:lanes=5", SPMVCAST_INVALID_ARGUMENT, "lanes");
    CASE(config, "", SPMVCAST_INVALID_ARGUMENT, "kernel");
    CASE(config, "cusparse-csr", SPMVCAST_INVALID_ARGUMENT, "does not have this kernel");
    CASE(config, "dia:limit=2", SPMVCAST_INVALID_ARGUMENT, "dia: ");
    CASE(config, "ell", SPMVCAST_INVALID_ARGUMENT, "ell: padding");
    o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    o.config = "coo:sum=atomic";
    o.deterministic = 1;
    refuse(&v, &o, "atomic sums", SPMVCAST_INVALID_ARGUMENT, "not deterministic");
    o.deterministic = 0;
    o.config = "jad";
    o.memory_limit = 100;
    refuse(&v, &o, "little memory", SPMVCAST_OUT_OF_MEMORY, "memory_limit, 100");
    o.memory_limit = SPMVCAST_CSR_ONLY;
    refuse(&v, &o, "no memory", SPMVCAST_OUT_OF_MEMORY, "memory_limit, 0");
#undef CASE
    arrays_free(&v);
    problem_free(&q);
}

/* ---- matrices ---- */
static void refuse_matrices(void)
{
    for (int form = 0; form < NFORMS; form++) {
        const int base = form & FORM_BASE;
        struct problem q = problem_make(MADE_BANDED);
        struct arrays v = arrays_of(&q, SPMVCAST_F64, form);
        const struct arrays good = v;
        char text[100];
        const int64_t k = q.a.wide[20];
#define CASE(member, value, status, text) \
    v = good;                             \
    v.csr.member = value;                 \
    refuse(&v, NULL, #member " = " #value, status, text)
        CASE(size, 0, SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_CSR_INIT");
        CASE(row_ptr, NULL, SPMVCAST_INVALID_ARGUMENT, "row_ptr is NULL");
        CASE(col, NULL, SPMVCAST_INVALID_ARGUMENT, "col is NULL");
        CASE(val, NULL, SPMVCAST_INVALID_ARGUMENT, "val is NULL");
        CASE(base, 2, SPMVCAST_INVALID_ARGUMENT, "base is 2");
        CASE(row_ptr_bits, 8, SPMVCAST_INVALID_ARGUMENT, "row_ptr_bits is 8");
        CASE(rows, -1, SPMVCAST_INVALID_MATRIX, "-1 rows");
        CASE(cols, INT64_C(1) << 31, SPMVCAST_INVALID_MATRIX, "2147483648 columns");
        CASE(base, 1 - base, SPMVCAST_INVALID_MATRIX, base ? "; base is 0" : "; base is 1");
        CASE(nnz, q.nnz + 1, SPMVCAST_INVALID_MATRIX, "expected the number of entries");
        CASE(nnz, 1, SPMVCAST_INVALID_MATRIX, "row pointers end at");
        CASE(nnz, -1, SPMVCAST_INVALID_MATRIX, "expected the number of entries, -1");
        CASE(cols, 30, SPMVCAST_INVALID_MATRIX, "column index");
#undef CASE
        const int32_t kept = v.col[k + 1];
        v.col[k + 1] = v.col[k];
        snprintf(text, sizeof text, "row %d (counted from %d)", 20 + base, base);
        v = good;
        refuse(&v, NULL, "repeated column", SPMVCAST_INVALID_MATRIX, text);
        v.col[k + 1] = base - 1;
        refuse(&v, NULL, "column below the base", SPMVCAST_INVALID_MATRIX, "column index");
        v.col[k + 1] = kept;
        if (form & FORM_WIDE)
            ((int64_t *)v.row_ptr)[31] = ((int64_t *)v.row_ptr)[30] - 1;
        else
            ((int32_t *)v.row_ptr)[31] = ((int32_t *)v.row_ptr)[30] - 1;
        snprintf(text, sizeof text, "row %d (counted from %d)", 30 + base, base);
        refuse(&v, NULL, "decreasing row pointers", SPMVCAST_INVALID_MATRIX, text);
        arrays_free(&v);
        problem_free(&q);
    }
}

/* ---- devices, and NULL ---- */
static void refuse_device(const spmvcast_device_options *o, const char *what, spmvcast_status expected,
                          const char *text)
{
    spmvcast_device *d = (spmvcast_device *)&checks;
    const spmvcast_status status = spmvcast_device_open(context, o, &d);
    refused(status, d, what, expected, text);
}

static void refuse_devices(const char *other)
{
    spmvcast_device_options o = SPMVCAST_DEVICE_OPTIONS_INIT;
    refuse_device(NULL, "a GPU by default", SPMVCAST_NO_DEVICE, "");
    expect(*spmvcast_message(context) != 0, "no GPU", "message");
    refuse_device(
        &o, "a GPU", SPMVCAST_NO_DEVICE,
        "this library is built without CUDA and has no GPUs; with nvcc (CUDA_HOME), make builds libspmvcast_cuda");
    o.kind = SPMVCAST_CPU;
    o.index = 1;
    refuse_device(&o, "CPU 1", SPMVCAST_NO_DEVICE, "device 1");
    o.index = 0;
    o.profile = other;
    refuse_device(&o, "profile of another device", SPMVCAST_NO_PROFILE, "is of another device");
    o.profile = "none/none.h5";
    refuse_device(&o, "no such profile", SPMVCAST_NO_PROFILE, "none/none.h5");
    o.profile = "";
    o.kind = (spmvcast_device_kind)2;
    refuse_device(&o, "another kind", SPMVCAST_INVALID_ARGUMENT, "kind is 2");
    o.kind = SPMVCAST_CPU;
    o.size = 8;
    refuse_device(&o, "size", SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_DEVICE_OPTIONS_INIT");
}

static void refuse_null(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_matrix *m = (spmvcast_matrix *)&checks;
    spmvcast_device *d = (spmvcast_device *)&checks;
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
    spmvcast_device_info about = SPMVCAST_DEVICE_INFO_INIT;
    refuse(NULL, NULL, "no csr", SPMVCAST_INVALID_ARGUMENT, "no spmvcast_csr");
    const spmvcast_status status = spmvcast_matrix_create(context, NULL, &v.csr, NULL, &m);
    refused(status, m, "no device", SPMVCAST_INVALID_ARGUMENT, "no spmvcast_device");
    refused(spmvcast_matrix_create(context, device, &v.csr, NULL, NULL), NULL, "no place", SPMVCAST_INVALID_ARGUMENT,
            "no place");
    refused(spmvcast_device_open(context, NULL, NULL), NULL, "no place", SPMVCAST_INVALID_ARGUMENT, "no place");
#define STATUS(call) expect(call == SPMVCAST_INVALID_ARGUMENT, #call, "SPMVCAST_INVALID_ARGUMENT")
    m = (spmvcast_matrix *)&checks;
    STATUS(spmvcast_matrix_create(NULL, device, &v.csr, NULL, &m));
    STATUS(spmvcast_device_open(NULL, NULL, &d));
    expect(!m && !d, "no context", "no object");
    STATUS(spmvcast_multiply(NULL, 1, q.x, 0, q.x, NULL));
    STATUS(spmvcast_update_values(NULL, NULL, q.x));
    STATUS(spmvcast_matrix_get_info(NULL, &info));
    STATUS(spmvcast_device_get_info(NULL, &about));
    STATUS(spmvcast_device_get_info(device, NULL));
    must(context, spmvcast_matrix_create(context, device, &v.csr, NULL, &m), "create");
    STATUS(spmvcast_matrix_get_info(m, NULL));
    STATUS(spmvcast_multiply(m, 1, NULL, 0, q.x, NULL));
    expect(strstr(spmvcast_matrix_message(m), "x is NULL") != NULL, "x", "message");
    STATUS(spmvcast_multiply(m, 1, q.x, 0, NULL, NULL));
    expect(strstr(spmvcast_matrix_message(m), "y is NULL") != NULL, "y", "message");
    double *both = calloc((size_t)(q.a.rows + q.a.cols), sizeof *both); /* overlap by one element at least */
    for (int64_t by = 1 - q.a.rows; by < q.a.cols; by += by < 0 ? -by : q.a.cols - 1) {
        STATUS(spmvcast_multiply(m, 1, both + (by < 0 ? -by : 0), 0, both + (by < 0 ? 0 : by), NULL));
        expect(strstr(spmvcast_matrix_message(m), "x and y overlap") != NULL, "x and y", "message");
    }
    must(NULL, spmvcast_multiply(m, 1, both, 0, both + q.a.cols, NULL), "side by side");
    free(both);
    info.size = about.size = 8;
    STATUS(spmvcast_matrix_get_info(m, &info));
    STATUS(spmvcast_device_get_info(device, &about));
#undef STATUS
    check_products(&q, m, SPMVCAST_F64, "after refusals");
    expect(spmvcast_matrix_message(m)[0] == 0, "message", "is empty after a product");
    spmvcast_matrix_free(m);
    arrays_free(&v);
    problem_free(&q);
}

static void refuses(void)
{
    refuse_options();
    refuse_matrices();
    refuse_devices(arguments[0]);
    refuse_null();
}

/* ---- memory ---- */
/* Run with GLIBC_TUNABLES=glibc.malloc.tcache_count=0: the C library counts what its caches hold for reuse as allocated. */
enum { LEAK = 4096 };
static size_t allocated(void) { return mallinfo2().uordblks; }

/* Creates with limits from 1 byte on. Returns the number of failures. */
static int exhaust(const struct problem *q, const spmvcast_matrix_options *o, const char *what)
{
    struct arrays v = arrays_of(q, o->precision, FORM_BASE | FORM_NNZ);
    int n = 0;
    for (size_t limit = 1;; n++) {
        spmvcast_context *c = context_of(limit);
        spmvcast_matrix *m = (spmvcast_matrix *)&checks;
        const spmvcast_status status = spmvcast_matrix_create(c, device, &v.csr, o, &m);
        const size_t used = spmvcast_memory_used(c);
        if (status == SPMVCAST_OK) {
            const spmvcast_choice choice = info_of(m).choice; /* the rule's, if the forecast's does not fit */
            expect(used <= limit && used > 0, what, "used no more than allowed");
            expect((choice == SPMVCAST_BY_NAME) == (o->config != NULL), what, "choice");
            check_product(q, m, o->precision, 1, 0, what);
            spmvcast_matrix_free(m);
            spmvcast_context_free(c);
            if (choice == SPMVCAST_BY_RULE) {
                limit += limit / 8 + 8;
                continue;
            }
            arrays_free(&v);
            return n;
        }
        expect(status == SPMVCAST_OUT_OF_MEMORY && !m && used > limit, what, "out of memory");
        expect(strstr(spmvcast_message(c), "out of memory") && strstr(spmvcast_message(c), "memory_limit"), what,
               "message");
        spmvcast_context_free(c);
        limit = used < limit + limit / 8 + 8 ? used : limit + limit / 8 + 8;
    }
}

static void exhaust_again(const struct problem *q, const char *config, int updates)
{
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    const char *what = config ? config : "chosen";
    size_t before = 0;
    int n = 0;
    o.config = config;
    o.products = SPMVCAST_UNLIMITED;
    o.updates = updates;
    for (int round = 0; round < 3; round++) {
        if (round == 2)
            before = allocated();
        device = (spmvcast_device_free(device), device_of(context, arguments[0]));
        n = exhaust(q, &o, what);
        device = (spmvcast_device_free(device), NULL);
    }
    const size_t after = allocated();
    expect(after <= before + LEAK, what, "nothing leaks");
    expect(n >= 40, what, "many limits were too low");
}

/* The limit is on all parts of a call together: the copied arrays, those of the conversion and the converted matrix. */
static void check_total(const struct problem *q)
{
    struct arrays v = arrays_of(q, SPMVCAST_F64, 0);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix *m;
    device = device_of(context, "");
    o.config = "jad";
    o.copy = 1;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "jad");
    const spmvcast_matrix_info info = info_of(m);
    expect(spmvcast_memory_used(context) > (size_t)(info.extra_bytes + 24 * q->nnz), "jad",
           "memory of both is counted");
    spmvcast_matrix_free(m);
    device = (spmvcast_device_free(device), NULL);
    arrays_free(&v);
}

/* On a CPU columns are checked anyway: asking for it takes no features, which need memory and time. */
static void check_asked(const struct problem *q)
{
    struct arrays v = arrays_of(q, SPMVCAST_F64, 0);
    size_t used[2];
    device = device_of(context, "");
    for (int asked = 0; asked < 2; asked++) {
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        spmvcast_matrix *m;
        o.check_columns = asked;
        must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "check_columns");
        used[asked] = spmvcast_memory_used(context);
        spmvcast_matrix_free(m);
    }
    expect(used[0] == used[1], "check_columns", "on a CPU it needs nothing more");
    device = (spmvcast_device_free(device), NULL);
    arrays_free(&v);
}

static void memory(void)
{
    static const char *const configs[] = { "csr-vector", "sell:sigma=64", "hyb", "bcsr", "jad", NULL };
    struct problem q = problem_make(MADE_BANDED);
    struct problem little = { .a = q.a, .nnz = q.a.wide[3], .val = q.val, .x = q.x }; /* less than the forecasts need */
    little.a.rows = 3;
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++)
        exhaust_again(&q, configs[i], i % 2);
    exhaust_again(&little, NULL, 0);
    check_total(&q);
    check_asked(&q);
    problem_free(&q);
}

/* An update that is refused changes nothing. */
static void refused_update(void)
{
    struct problem q = problem_make(MADE_BANDED);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix *m;
    o.updates = 1;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "create");
    const int before = omp_get_max_threads();
    omp_set_num_threads(1025);
    expect(spmvcast_update_values(context, m, q.val) == SPMVCAST_INVALID_ARGUMENT, "update", "too many threads");
    omp_set_num_threads(before);
    check_product(&q, m, SPMVCAST_F64, 1, 0, "after a refused update");
    spmvcast_matrix_free(m);
    arrays_free(&v);
    problem_free(&q);
}

/* An update that runs out of memory: the matrix says so, and can be freed. */
static void updates(void)
{
    static const char *const configs[] = { "csr-vector", "sell:sigma=64", "hyb", "bcsr" };
    struct problem q = problem_make(MADE_BANDED);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    refused_update();
    for (size_t i = 0; i < 4 * 100; i++) {
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        spmvcast_matrix *m;
        const char *what = o.config = configs[i / 100];
        o.updates = 1;
        must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), what);
        must(context, spmvcast_update_values(context, m, q.val), what);
        const size_t needed = spmvcast_memory_used(context);
        spmvcast_context *c = context_of(1 + (needed - 2) * (i % 100) / 100);
        expect(spmvcast_update_values(c, m, v.val) == SPMVCAST_OUT_OF_MEMORY, what, "out of memory");
        expect(spmvcast_multiply(m, 1, q.x, 0, v.val, NULL) != SPMVCAST_OK, what, "no product after a failed update");
        expect(strstr(spmvcast_matrix_message(m), "not ready") != NULL, what, "message");
        spmvcast_matrix_free(m);
        spmvcast_context_free(c);
    }
    arrays_free(&v);
    problem_free(&q);
}

static int count_refused(spmvcast_matrix *m, const double *x, double *y)
{
    int n = 0;
    for (int transposed = 0; transposed < 2; transposed++)
        n += (transposed ? spmvcast_multiply_transposed : spmvcast_multiply)(m, 1, x, 0, y, NULL) != SPMVCAST_OK
             && strstr(spmvcast_matrix_message(m), "not ready");
    return n;
}

/* Wherever an update runs out of memory, also in the transposed matrix, neither product has values of which the other has none. */
static void transposed_updates(void)
{
    static const char *const configs[] = { "csr-vector", "sell:sigma=64" };
    struct problem q = problem_make(MADE_BANDED);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    double *y = calloc((size_t)q.a.rows, sizeof *y), *val = numbers(q.val, q.nnz, SPMVCAST_F64);
    for (size_t i = 0; i < 2 * 100; i++) {
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        spmvcast_matrix *m;
        const char *what = o.config = configs[i / 100];
        o.updates = o.transpose = 1;
        must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), what);
        for (int made = 0; made < 2; made++) {
            must(context, spmvcast_update_values(context, m, val), what);
            const size_t needed = spmvcast_memory_used(context);
            expect(!made || needed > (size_t)q.nnz * sizeof *val, what, "the transposed values count");
            spmvcast_context *c = context_of(1 + (needed - 2) * (i % 100) / 100);
            expect(spmvcast_update_values(c, m, v.val) == SPMVCAST_OUT_OF_MEMORY, what, "out of memory");
            expect(count_refused(m, q.x, y) == 2, what, "neither product after a failed update");
            must(context, spmvcast_update_values(context, m, v.val), what);
            check_product(&q, m, SPMVCAST_F64, 1, 0, what);
            expect(spmvcast_multiply_transposed(m, 1, q.x, 0, y, NULL) == SPMVCAST_OK, what, "both after the next");
            spmvcast_context_free(c);
        }
        spmvcast_matrix_free(m);
    }
    free(y);
    free(val);
    arrays_free(&v);
    problem_free(&q);
}

int main(int argc, char **argv)
{
    static const struct handle_part parts[] = {
        { "refuses", refuses }, { "memory", memory }, { "updates", updates }, { "transposed", transposed_updates }
    };
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
