/* SPDX-License-Identifier: BSD-3-Clause */
/* Zero is the default: every structure is used as its macro sets it, and cleared but for its size; the answers are the same.
 *     library_zero PROFILE.h5 */
#include "library_products.h"

static int zeroed;
static FILE *answers;
static const spmvcast_profile *profile;

static void clear(void *structure, size_t size)
{
    memset(structure, 0, size);
    memcpy(structure, &size, sizeof size);
}
/* Declares a structure as its macro sets it, or cleared. */
#define NEW(type, name, init) \
    type name = init;         \
    if (zeroed)               \
    clear(&name, sizeof name)

static void say(const spmvcast_context *c, spmvcast_status status)
{
    fprintf(answers, "%d %s\n", (int)status, spmvcast_message(c));
}

/* ---- structures that are read ---- */
static void context_options(void)
{
    NEW(spmvcast_context_options, o, SPMVCAST_CONTEXT_OPTIONS_INIT);
    struct made a = made_matrix(MADE_RANDOM, 1);
    spmvcast_csr csr = made_csr(&a);
    spmvcast_context *c;
    spmvcast_pattern *p;
    must(NULL, spmvcast_context_create(&o, &c), "context");
    must(c, spmvcast_pattern_describe(c, &csr, &p), "without a limit");
    fprintf(answers, "%d\n", spmvcast_memory_used(c) > 100);
    spmvcast_pattern_free(p);
    spmvcast_context_free(c);
    made_free(&a);
}

static void product(const spmvcast_csr *csr, const spmvcast_matrix_options *o, const struct problem *q)
{
    spmvcast_matrix *m;
    must(context, spmvcast_matrix_create(context, device, csr, o, &m), "matrix");
    const spmvcast_matrix_info info = info_of(m);
    size_t trials = 0;
    for (spmvcast_trial t = SPMVCAST_TRIAL_INIT; spmvcast_matrix_get_trial(m, trials, &t) == SPMVCAST_OK; trials++)
        ;
    fprintf(answers, "%s %d %" PRId64 " %" PRId64 " %d %d %zu\n", info.config, (int)info.choice, info.nnz,
            info.extra_bytes, info.deterministic, info.refers, trials);
    check_products(q, m, SPMVCAST_F64, "defaults");
    spmvcast_matrix_free(m);
}

static void csr(void)
{
    struct problem q = problem_make(MADE_POWER);
    NEW(spmvcast_csr, a, SPMVCAST_CSR_INIT);
    spmvcast_pattern *p;
    a.rows = q.a.rows;
    a.cols = q.a.cols;
    a.row_ptr = q.a.narrow;
    a.col = q.a.col;
    a.val = q.val;
    must(context, spmvcast_pattern_describe(context, &a, &p), "pattern");
    print_pattern(answers, p);
    spmvcast_pattern_free(p);
    product(&a, NULL, &q);
    problem_free(&q);
}

static void rank_options(void)
{
    NEW(spmvcast_rank_options, o, SPMVCAST_RANK_OPTIONS_INIT);
    struct made a = made_matrix(MADE_RANDOM, 1);
    spmvcast_pattern *p = made_pattern(&a);
    spmvcast_ranking *r;
    must(context, spmvcast_rank(context, profile, p, &o, &r), "rank");
    print_ranking(answers, r, 1);
    spmvcast_ranking_free(r);
    o.risk = SPMVCAST_NO_RISK;
    o.products = SPMVCAST_UNLIMITED;
    must(context, spmvcast_rank(context, profile, p, &o, &r), "rank");
    NEW(spmvcast_row, row, SPMVCAST_ROW_INIT);
    must(NULL, spmvcast_ranking_row(r, 0, &row), "row");
    fprintf(answers, "%.17g, in all %.17g\n", row.time_s, row.total_s);
    spmvcast_ranking_free(r);
    spmvcast_pattern_free(p);
    made_free(&a);
}

static void print_plan(spmvcast_plan *p)
{
    NEW(spmvcast_plan_info, info, SPMVCAST_PLAN_INFO_INIT);
    NEW(spmvcast_block, b, SPMVCAST_BLOCK_INIT);
    must(NULL, spmvcast_plan_get_info(p, &info), "plan");
    fprintf(answers, "%s %.17g %.17g\n", info.text, info.time_s, info.single_s);
    for (size_t i = 0; spmvcast_plan_get_block(p, i, &b) == SPMVCAST_OK; i++)
        fprintf(answers, "%" PRId64 " %" PRId64 " %" PRId64 " %s\n", b.first_row, b.rows, b.nnz, b.config);
    spmvcast_plan_free(p);
}

static void plan_options(void)
{
    NEW(spmvcast_plan_options, o, SPMVCAST_PLAN_OPTIONS_INIT);
    struct made a = made_matrix(MADE_DENSE_ROWS, 1);
    const spmvcast_csr from = made_csr(&a);
    spmvcast_plan *p;
    must(context, spmvcast_plan_make(context, profile, &from, &o, &p), "plan");
    print_plan(p);
    made_free(&a);
}

static void block(void)
{
    NEW(spmvcast_block, b, SPMVCAST_BLOCK_INIT);
    spmvcast_plan *p;
    b.rows = 7;
    b.config = "sell";
    must(context, spmvcast_plan_create(context, &b, 1, 0, &p), "plan");
    print_plan(p);
}

static void device_options(void)
{
    NEW(spmvcast_device_options, o, SPMVCAST_DEVICE_OPTIONS_INIT);
    NEW(spmvcast_device_info, info, SPMVCAST_DEVICE_INFO_INIT);
    spmvcast_device *d;
    say(context, spmvcast_device_open(context, &o, &d)); /* a GPU */
    spmvcast_device_free(d);
    o.kind = SPMVCAST_CPU;
    must(context, spmvcast_device_open(context, &o, &d), "the CPU");
    must(NULL, spmvcast_device_get_info(d, &info), "info");
    fprintf(answers, "%s %s %s\n", info.key, info.profile ? info.profile : "-", info.reason ? info.reason : "-");
    spmvcast_device_free(d);
}

static void matrix_options(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    NEW(spmvcast_matrix_options, o, SPMVCAST_MATRIX_OPTIONS_INIT);
    product(&v.csr, &o, &q);
    o.config = "jad"; /* takes memory */
    product(&v.csr, &o, &q);
    o.config = NULL;
    o.trial_products = SPMVCAST_PRODUCTS; /* worth it with more products only */
    product(&v.csr, &o, &q);
    o.products = SPMVCAST_UNLIMITED;
    spmvcast_matrix *m;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "trials");
    expect(info_of(m).choice == SPMVCAST_BY_TRIAL, "unlimited products", "are worth a trial");
    NEW(spmvcast_trial, t, SPMVCAST_TRIAL_INIT);
    NEW(spmvcast_matrix_info, info, SPMVCAST_MATRIX_INFO_INIT);
    must(NULL, spmvcast_matrix_get_info(m, &info), "info");
    must(NULL, spmvcast_matrix_get_trial(m, 0, &t), "trial");
    fprintf(answers, "%s %" PRId64 "\n", t.config, info.rows);
    spmvcast_matrix_free(m);
    arrays_free(&v);
    problem_free(&q);
}

/* ---- structures that are written only ---- */
static void infos(void)
{
    NEW(spmvcast_profile_info, about, SPMVCAST_PROFILE_INFO_INIT);
    NEW(spmvcast_pattern_info, size, SPMVCAST_PATTERN_INFO_INIT);
    NEW(spmvcast_advice, advice, SPMVCAST_ADVICE_INIT);
    struct made a = made_matrix(MADE_RANDOM, 1);
    spmvcast_pattern *p = made_pattern(&a);
    spmvcast_ranking *r;
    must(NULL, spmvcast_profile_get_info(profile, &about), "profile");
    must(NULL, spmvcast_pattern_get_info(p, &size), "pattern");
    must(context, spmvcast_rank(context, profile, p, NULL, &r), "rank");
    must(NULL, spmvcast_ranking_advice(r, &advice), "advice");
    fprintf(answers, "%s %s %zu %s\n", about.path, size.pattern_id, advice.row, advice.text);
    spmvcast_ranking_free(r);
    spmvcast_pattern_free(p);
    made_free(&a);
}

int main(int argc, char **argv)
{
    static const struct handle_part parts[] = {
        { "context_options", context_options }, { "csr", csr },     { "rank_options", rank_options },
        { "plan_options", plan_options },       { "block", block }, { "device_options", device_options },
        { "matrix_options", matrix_options },   { "infos", infos },
    };
    int failed = 0;
    if (argc != 2)
        return 2;
    context = context_of(0);
    device = device_of(context, "");
    profile = profile_of(argv[1]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *text[2];
        size_t bytes;
        for (zeroed = 0; zeroed < 2; zeroed++) {
            answers = open_memstream(&text[zeroed], &bytes);
            parts[i].run();
            if (fclose(answers) != 0)
                return 1;
        }
        if (strcmp(text[0], text[1]) != 0)
            fprintf(stderr, "%s: the macro: %sall zero: %s\n", parts[i].name, text[0], text[1]), failed = 1;
        free(text[0]);
        free(text[1]);
    }
    spmvcast_profile_free((spmvcast_profile *)profile);
    spmvcast_device_free(device);
    spmvcast_context_free(context);
    return failed;
}
