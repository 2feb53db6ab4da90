/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of libspmvcast, and matrices made by them on the CPU device.
 *     library_plan products | refuses PLAN.h5 | write FILE.mtx | same PROFILE PLAN.h5
 * PLAN.h5: made by spmv-plan with model guo2014 of PROFILE for the matrix that `write` writes, for f32. */
#include <stddef.h>
#include "library_products.h"

/* The matrix that is written: long rows, then short ones, so that splitting pays. Columns: 7 apart, then neighbours. */
static struct made halves(void)
{
    enum { ROWS = 20160, LONG = 2016, WIDE = 60, NARROW = 3, NNZ = LONG * WIDE + (ROWS - LONG) * NARROW };
    struct made a = { .name = "halves", .rows = ROWS, .cols = ROWS };
    a.narrow = calloc(ROWS + 1, sizeof *a.narrow);
    a.wide = calloc(ROWS + 1, sizeof *a.wide);
    a.col = calloc(NNZ, sizeof *a.col);
    for (int32_t i = 0, n = 0; i < ROWS; i++) {
        const int32_t length = i < LONG ? WIDE : NARROW, step = i < LONG ? 7 : 1, first = i % (ROWS - length * step);
        for (int32_t e = 0; e < length; e++)
            a.col[n++] = first + e * step;
        a.wide[i + 1] = a.narrow[i + 1] = n;
    }
    return a;
}

static spmvcast_plan *plan_of(const int64_t *rows, const char *const *configs, size_t n)
{
    spmvcast_block block[8];
    spmvcast_plan *plan;
    int64_t first = 0;
    for (size_t i = 0; i < n; i++) {
        block[i] = (spmvcast_block)SPMVCAST_BLOCK_INIT;
        block[i].first_row = first;
        block[i].rows = rows[i];
        block[i].config = configs[i];
        first += rows[i];
    }
    must(context, spmvcast_plan_create(context, block, n, 0, &plan), "plan");
    return plan;
}

/* ---- products ---- */
/* Blocks of other sizes in other formats, one with a value to be resolved for it, multiply as the whole matrix does; also new values. */
static void check_plan(int kind, spmvcast_precision p, int form)
{
    static const char *const configs[] = { "hyb", "csr-vector", "sell:sigma=64", "coo" };
    struct problem q = problem_make(kind);
    const int64_t rows[] = { 1, q.a.rows / 3, 5, q.a.rows - q.a.rows / 3 - 6 };
    spmvcast_plan *plan = plan_of(rows, configs, 4);
    struct arrays v = arrays_of(&q, p, form);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix *m;
    o.precision = p;
    o.updates = 1;
    o.plan = plan;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), q.a.name);
    spmvcast_plan_free(plan);
    const spmvcast_matrix_info info = info_of(m);
    expect(info.choice == SPMVCAST_BY_PLAN && strcmp(info.kernel, "plan") == 0, q.a.name, "choice");
    expect(strcmp(info.config, "plan:exec=serial,blocks=4") == 0, info.config, "text");
    expect(info.extra_bytes > 0 && !info.refers && isnan(info.time_s), q.a.name, "numbers");
    check_products(&q, m, p, "plan");
    for (int round = 1; round < 3; round++) {
        problem_values(&q, round);
        void *val = numbers(q.val, q.nnz, p);
        must(context, spmvcast_update_values(context, m, val), "update");
        free(val);
        check_product(&q, m, p, 2, -1, "plan, after an update");
    }
    spmvcast_matrix_free(m);
    arrays_free(&v);
    problem_free(&q);
}

static void products(void)
{
    for (int kind = 0; kind < NMADE; kind++)
        for (int p = 0; p < 2; p++)
            check_plan(kind, (spmvcast_precision)p, (kind + 5 * p) % NFORMS);
}

/* ---- what is refused ---- */
static void refused(spmvcast_status status, spmvcast_status expected, const char *words)
{
    expect(status == expected, words, spmvcast_status_text(status));
    expect(strstr(spmvcast_message(context), words) != NULL, spmvcast_message(context), words);
    expect(!strstr(spmvcast_message(context), "--"), spmvcast_message(context), "no option of a program");
}

static void refuse_blocks(void)
{
    spmvcast_block b[2] = { SPMVCAST_BLOCK_INIT, SPMVCAST_BLOCK_INIT };
    spmvcast_plan *plan = (spmvcast_plan *)b;
    b[0].rows = b[1].rows = b[1].first_row = 10;
    b[0].config = b[1].config = "csr-vector";
    must(context, spmvcast_plan_create(context, b, 2, 0, &plan), "valid");
    spmvcast_plan_free(plan);
    b[1].first_row = 11;
    refused(spmvcast_plan_create(context, b, 2, 0, &plan), SPMVCAST_INVALID_ARGUMENT, "block 1: 10 rows from row 11");
    expect(!plan, "a plan with a gap", "is NULL");
    b[1].first_row = 10;
    b[1].rows = 0;
    refused(spmvcast_plan_create(context, b, 2, 0, &plan), SPMVCAST_INVALID_ARGUMENT, "block 1: 0 rows");
    b[1].rows = INT64_MAX;
    refused(spmvcast_plan_create(context, b, 2, 0, &plan), SPMVCAST_INVALID_ARGUMENT, "block 1: 9223372036854775807");
    b[1].rows = 10;
    b[1].config = "csr-vektor";
    refused(spmvcast_plan_create(context, b, 2, 0, &plan), SPMVCAST_INVALID_ARGUMENT, "block 1: unknown kernel");
    b[1].config = NULL;
    refused(spmvcast_plan_create(context, b, 2, 0, &plan), SPMVCAST_INVALID_ARGUMENT, "block 1: config is NULL");
    refused(spmvcast_plan_create(context, b, 0, 0, &plan), SPMVCAST_INVALID_ARGUMENT, "no blocks");
    refused(spmvcast_plan_create(context, b, 2, 0, NULL), SPMVCAST_INVALID_ARGUMENT, "no place for the plan");
    b[0].size = 0;
    refused(spmvcast_plan_create(context, b, 2, 0, &plan), SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_BLOCK_INIT");
    spmvcast_plan_free(NULL);
}

static void refuse_plans(const char *file)
{
    static const int64_t rows[] = { 40, 60 };
    static const char *const configs[] = { "csr-vector", "ell" };
    static const char *const library[] = { "csr-vector", "cusparse-csr" };
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    const int64_t fitting[] = { 40, q.a.rows - 40 };
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_plan *plan, *other;
    spmvcast_matrix *m = (spmvcast_matrix *)&o;
    o.plan = plan = plan_of(rows, configs, 2);
    refused(spmvcast_matrix_create(context, device, &v.csr, &o, &m), SPMVCAST_INVALID_ARGUMENT,
            "the plan has 100 rows");
    expect(!m, "a matrix of another size", "is NULL");
    o.config = "ell";
    refused(spmvcast_matrix_create(context, device, &v.csr, &o, &m), SPMVCAST_INVALID_ARGUMENT, "mutually exclusive");
    o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_plan_free(plan);
    o.plan = plan = plan_of(fitting, library, 2);
    refused(spmvcast_matrix_create(context, device, &v.csr, &o, &m), SPMVCAST_INVALID_ARGUMENT,
            "block 2: cusparse-csr");
    spmvcast_plan_free(plan);
    o.plan = plan = plan_of(fitting, configs, 2);
    o.memory_limit = 100;
    refused(spmvcast_matrix_create(context, device, &v.csr, &o, &m), SPMVCAST_OUT_OF_MEMORY, "more than memory_limit");
    spmvcast_plan_free(plan);
    for (int64_t more = 0; more < 2; more++) { /* entries of all blocks are known */
        spmvcast_block b[2] = { SPMVCAST_BLOCK_INIT, SPMVCAST_BLOCK_INIT };
        b[0].rows = b[1].first_row = 40;
        b[1].rows = q.a.rows - 40;
        b[0].config = b[1].config = "csr-vector";
        b[0].nnz = 30;
        b[1].nnz = q.nnz - 30 + more;
        must(context, spmvcast_plan_create(context, b, 2, 0, &plan), "plan");
        o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
        o.plan = plan;
        if (more)
            refused(spmvcast_matrix_create(context, device, &v.csr, &o, &m), SPMVCAST_INVALID_ARGUMENT,
                    " entries, the matrix has ");
        else
            must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "the matrix of the plan");
        spmvcast_matrix_free(m);
        spmvcast_plan_free(plan);
    }
    refused(spmvcast_plan_open(context, "absent.h5", &other), SPMVCAST_INVALID_ARGUMENT, "absent.h5");
    expect(!other, "a plan that does not exist", "is NULL");
    must(context, spmvcast_plan_open(context, file, &other), file);
    o = (spmvcast_matrix_options)SPMVCAST_MATRIX_OPTIONS_INIT;
    o.plan = other;
    refused(spmvcast_matrix_create(context, device, &v.csr, &o, &m), SPMVCAST_INVALID_ARGUMENT, "made for f32");
    o.precision = SPMVCAST_F32;
    refused(spmvcast_matrix_create(context, device, &v.csr, &o, &m), SPMVCAST_INVALID_ARGUMENT, "the plan is for");
    spmvcast_plan_free(other);
    arrays_free(&v);
    problem_free(&q);
}

static void refuses(void)
{
    refuse_blocks();
    refuse_plans(arguments[0]);
}

/* ---- made, and read ---- */
static void write(void)
{
    struct made a = halves();
    FILE *f = fopen(arguments[0], "w");
    if (!f)
        exit(1);
    fprintf(f, "%%%%MatrixMarket matrix coordinate pattern general\n%" PRId64 " %" PRId64 " %" PRId64 "\n", a.rows,
            a.cols, a.wide[a.rows]);
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t k = a.wide[i]; k < a.wide[i + 1]; k++)
            fprintf(f, "%" PRId64 " %d\n", i + 1, a.col[k] + 1);
    fclose(f);
    made_free(&a);
    checks++;
}

static spmvcast_plan_info plan_info(const spmvcast_plan *p)
{
    spmvcast_plan_info info = SPMVCAST_PLAN_INFO_INIT;
    must(NULL, spmvcast_plan_get_info(p, &info), "info");
    return info;
}

static spmvcast_block block_of(const spmvcast_plan *p, size_t i)
{
    spmvcast_block b = SPMVCAST_BLOCK_INIT;
    must(NULL, spmvcast_plan_get_block(p, i, &b), "block");
    return b;
}

static int near(double a, double b) { return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a); }

/* The library's plan of the matrix is that of spmv-plan. */
static void compare(const spmvcast_plan *ours, const spmvcast_plan *file)
{
    const spmvcast_plan_info a = plan_info(ours), b = plan_info(file);
    spmvcast_block none = SPMVCAST_BLOCK_INIT;
    expect(a.blocks == b.blocks && a.blocks > 1, a.text, "blocks of spmv-plan");
    expect(a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && !a.parallel && !b.parallel, b.text, "sizes");
    expect(near(a.time_s, b.time_s) && near(a.low_s, b.low_s) && near(a.high_s, b.high_s), b.text, "forecast");
    expect(near(a.single_s, b.single_s) && strncmp(b.text, a.text, strlen(a.text)) == 0, b.text, "text");
    for (size_t i = 0; i < a.blocks; i++) {
        const spmvcast_block x = block_of(ours, i), y = block_of(file, i);
        expect(x.first_row == y.first_row && x.rows == y.rows && x.nnz == y.nnz, y.config, "rows");
        expect(strcmp(x.config, y.config) == 0 && near(x.time_s, y.time_s), y.config, "configuration");
    }
    expect(spmvcast_plan_get_block(ours, a.blocks, &none) == SPMVCAST_NO_ENTRY, "a block past the end", "no entry");
}

static void refuse_terms(const spmvcast_profile *profile, const spmvcast_csr *a)
{
    spmvcast_plan *plan;
    spmvcast_plan_options o;
#define CASE(member, value, text)                          \
    o = (spmvcast_plan_options)SPMVCAST_PLAN_OPTIONS_INIT; \
    o.member = value;                                      \
    refused(spmvcast_plan_make(context, profile, a, &o, &plan), SPMVCAST_INVALID_ARGUMENT, text)
    CASE(place, (spmvcast_place)2, "place");
    CASE(products, -2, "products must be at most 1e15");
    CASE(products, INT64_MAX, "products must be at most 1e15");
    CASE(risk, (double)NAN, "risk");
    CASE(risk, 101, "risk at most 100");
    CASE(size, sizeof o - 8, "SPMVCAST_PLAN_OPTIONS_INIT");
#undef CASE
}

static void same(void)
{
    static const char *const configs[] = { "ell", "csr-vector:lanes=32" }, *const wrong[] = { "ell", "el" };
    spmvcast_profile *profile = profile_of(arguments[0]);
    struct problem q = problem_of(halves());
    struct arrays v = arrays_of(&q, SPMVCAST_F32, FORM_BASE);
    spmvcast_plan_options o = SPMVCAST_PLAN_OPTIONS_INIT;
    spmvcast_matrix_options mo = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_plan *ours, *file;
    spmvcast_matrix *m;
    o.precision = mo.precision = SPMVCAST_F32;
    o.model = "guo2014";
    o.configs = configs;
    o.nconfigs = 2;
    must(context, spmvcast_plan_make(context, profile, &v.csr, &o, &ours), "make");
    must(context, spmvcast_plan_open(context, arguments[1], &file), arguments[1]);
    compare(ours, file);
    mo.plan = file;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &mo, &m), "matrix");
    expect(plan_info(file).time_s > 0 && isnan(info_of(m).time_s) && isnan(info_of(m).low_s), "the forecast",
           "is not of the plan's device");
    check_product(&q, m, SPMVCAST_F32, 1, 0, "plan");
    spmvcast_matrix_free(m);
    spmvcast_plan_free(ours);
    o.configs = wrong;
    refused(spmvcast_plan_make(context, profile, &v.csr, &o, &ours), SPMVCAST_INVALID_ARGUMENT, "configs[1]: ");
    o.configs = configs;
    o.model = "nearest";
    refused(spmvcast_plan_make(context, profile, &v.csr, &o, &ours), SPMVCAST_INVALID_ARGUMENT,
            "does not forecast blocks");
    refuse_terms(profile, &v.csr);
    spmvcast_plan_free(file);
    spmvcast_profile_free(profile);
    arrays_free(&v);
    problem_free(&q);
}

int main(int argc, char **argv)
{
    static const struct handle_part parts[] = {
        { "products", products }, { "refuses", refuses }, { "write", write }, { "same", same }
    };
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
