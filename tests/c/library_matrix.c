/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix handles on the CPU device: products, choices, updates, threads and corners.
 *     library_matrix kernels NAME... | arrays | choices PROFILE | found NAME | updates | transposed | corners |
 *     threads PROFILE
 * PROFILE has learned forecasts of this machine's CPU. */
#include <pthread.h>
#include "library_products.h"

static spmvcast_matrix *create(const struct arrays *v, const spmvcast_matrix_options *o, const char *what)
{
    spmvcast_matrix *m;
    must(context, spmvcast_matrix_create(context, device, &v->csr, o, &m), what);
    return m;
}

/* ---- products ---- */
/* The arrays are freed before the products unless they are referred to. Returns 0 if the format cannot hold the matrix. */
static int check_kernel(const struct problem *q, const char *kernel, spmvcast_precision p, int form)
{
    struct arrays v = arrays_of(q, p, form);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix *m = (spmvcast_matrix *)&o;
    o.precision = p;
    o.config = kernel;
    o.copy = form / 2 % 2;
    const spmvcast_status status = spmvcast_matrix_create(context, device, &v.csr, &o, &m);
    if (status == SPMVCAST_INVALID_ARGUMENT) {
        arrays_free(&v);
        expect(!m && strncmp(spmvcast_message(context), kernel, strlen(kernel)) == 0, kernel, "message");
        return 0;
    }
    must(context, status, kernel);
    const spmvcast_matrix_info info = info_of(m);
    expect(strcmp(info.kernel, kernel) == 0 && strncmp(info.config, kernel, strlen(kernel)) == 0, kernel, "kernel");
    expect(info.choice == SPMVCAST_BY_NAME && isnan(info.time_s) && isnan(info.trial_s), kernel, "choice");
    expect(info.rows == q->a.rows && info.cols == q->a.cols && info.nnz == q->nnz, kernel, "sizes");
    expect(isnan(info.update_s) && info.convert_s >= 0 && info.examine_s > 0, kernel, "times");
    expect(info.extra_bytes >= 0, kernel, "memory");
    const int csr = strncmp(kernel, "csr", 3) == 0 && strcmp(kernel, "csr-packed") != 0;
    expect(info.refers == (!o.copy && csr && (q->nnz > 0 || form % 4 == 0)), kernel, "CSR refers to the arrays");
    if (!info.refers)
        arrays_free(&v);
    check_products(q, m, p, info.config);
    spmvcast_matrix_free(m);
    if (info.refers)
        arrays_free(&v);
    return 1;
}

static void kernels(void)
{
    for (int k = 0; arguments[k]; k++) {
        int held = 0;
        for (int kind = 0; kind < NMADE; kind++) {
            struct problem q = problem_make(kind);
            for (int p = 0; p < 2; p++)
                held += check_kernel(&q, arguments[k], (spmvcast_precision)p, (k + 3 * kind + 5 * p) % NFORMS);
            problem_free(&q);
        }
        expect(held >= 4, arguments[k], "holds two of the matrices");
    }
}

static void arrays(void)
{
    static const char *const configs[] = { "csr-vector", "jad", NULL };
    for (int kind = 0; kind < NMADE; kind++) {
        struct problem q = problem_make(kind);
        for (int form = 0; form < 2 * NFORMS; form++)
            for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
                const spmvcast_precision p = (spmvcast_precision)(form / NFORMS);
                struct arrays v = arrays_of(&q, p, form % NFORMS);
                spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
                o.precision = p;
                o.config = configs[i];
                o.copy = 1;
                spmvcast_matrix *m = create(&v, &o, q.a.name);
                arrays_free(&v);
                check_product(&q, m, p, 1, 0, configs[i] ? configs[i] : "by rule");
                spmvcast_matrix_free(m);
            }
        problem_free(&q);
    }
}

/* ---- choices ---- */
static spmvcast_matrix_info choice_of(const struct arrays *v, const spmvcast_matrix_options *o, char config[500])
{
    spmvcast_matrix *m = create(v, o, "choice");
    spmvcast_matrix_info info = info_of(m);
    snprintf(config, 500, "%s", info.config);
    info.config = config;
    spmvcast_matrix_free(m);
    return info;
}

/* The forecast is that of spmvcast_rank, and about the best of it. */
static void same_as_ranked(const spmvcast_profile *profile, const struct problem *q,
                           const spmvcast_matrix_options *mine, const spmvcast_matrix_info *info)
{
    spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
    spmvcast_pattern *pattern = made_pattern(&q->a);
    spmvcast_ranking *r;
    spmvcast_advice advice = SPMVCAST_ADVICE_INIT;
    o.precision = mine->precision;
    o.launch = mine->launch;
    o.products = mine->products;
    must(context, spmvcast_rank(context, profile, pattern, &o, &r), "rank");
    must(context, spmvcast_ranking_advice(r, &advice), "advice");
    spmvcast_row best = SPMVCAST_ROW_INIT, row = SPMVCAST_ROW_INIT;
    must(NULL, spmvcast_ranking_row(r, advice.row, &best), "row");
    expect(strcmp(best.config, info->config) == 0, info->config, "is what spmvcast_rank recommends");
    for (size_t i = 0; i < spmvcast_ranking_count(r); i++) {
        must(NULL, spmvcast_ranking_row(r, i, &row), "row");
        if (strcmp(row.config, info->config) == 0)
            expect(fabs(row.time_s - info->time_s) <= 1e-3 * row.time_s, info->config,
                   "has the forecast of the ranking");
    }
    spmvcast_ranking_free(r);
    spmvcast_pattern_free(pattern);
}

/* Counts the matrices for which trials took place, and for which only deterministic kernels are slower. */
static int tried, changing;

static void check_forecast(const spmvcast_profile *profile, const struct problem *q, spmvcast_matrix_options o)
{
    struct arrays v = arrays_of(q, o.precision, 0);
    char config[500], other[500];
    o.products = 1;
    spmvcast_matrix_info info = choice_of(&v, &o, config);
    expect(info.choice == SPMVCAST_BY_RULE && strcmp(info.kernel, "csr-merge") == 0, q->a.name,
           "few products: by rule");
    expect(isnan(info.time_s), q->a.name, "no forecast is made for few products");
    o.products = SPMVCAST_UNLIMITED;
    info = choice_of(&v, &o, config);
    expect(info.choice == SPMVCAST_BY_FORECAST && isnan(info.trial_s), q->a.name, "by forecast");
    expect(info.time_s > 0 && info.low_s <= info.time_s && info.time_s <= info.high_s, q->a.name, "interval");
    same_as_ranked(profile, q, &o, &info);
    changing += !info.deterministic;
    o.config = config; /* a saved choice */
    const spmvcast_matrix_info saved = choice_of(&v, &o, other);
    expect(saved.choice == SPMVCAST_BY_NAME && strcmp(config, other) == 0, config, "a saved choice");
    expect(fabs(saved.time_s - info.time_s) <= 1e-3 * info.time_s, config, "its forecast");
    o.config = NULL;
    spmvcast_plan_options planning = SPMVCAST_PLAN_OPTIONS_INIT;
    spmvcast_plan_info planned = SPMVCAST_PLAN_INFO_INIT;
    spmvcast_plan *plan;
    planning.precision = o.precision;
    must(context, spmvcast_plan_make(context, profile, &v.csr, &planning, &plan), "plan");
    must(NULL, spmvcast_plan_get_info(plan, &planned), "info");
    o.plan = plan;
    info = choice_of(&v, &o, other);
    expect(fabs(info.time_s - planned.time_s) <= 1e-9 * info.time_s, other, "has the forecast of its plan");
    spmvcast_plan_free(plan);
    o.plan = NULL;
    o.deterministic = 1;
    info = choice_of(&v, &o, config);
    expect(info.deterministic && info.choice == SPMVCAST_BY_FORECAST, config, "deterministic");
    o.deterministic = 0;
    o.memory_limit = SPMVCAST_CSR_ONLY;
    info = choice_of(&v, &o, config);
    expect(info.extra_bytes == 0 && strncmp(config, "csr", 3) == 0, config, "no extra memory");
    o.memory_limit = 0;
    o.trial_products = 200;
    spmvcast_matrix *m = create(&v, &o, "trial");
    info = info_of(m);
    expect(info.choice == SPMVCAST_BY_TRIAL ? info.trial_s > 0 && info.try_s > 0 : isnan(info.trial_s), q->a.name,
           "trial");
    tried += info.choice == SPMVCAST_BY_TRIAL;
    check_products(q, m, o.precision, info.config);
    spmvcast_matrix_free(m);
    arrays_free(&v);
}

static void choices(void)
{
    spmvcast_profile *profile = profile_of(arguments[0]);
    spmvcast_device *plain = device;
    device = device_of(context, arguments[0]);
    for (int kind = 0; kind < MADE_EMPTY; kind++) {
        struct problem q = problem_make(kind);
        for (int i = 0; i < 3; i++) {
            spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
            o.precision = i == 1 ? SPMVCAST_F32 : SPMVCAST_F64;
            o.launch = i == 2 ? SPMVCAST_STREAM : SPMVCAST_GRAPH;
            check_forecast(profile, &q, o);
        }
        problem_free(&q);
    }
    expect(tried > 0, "trials", "the forecasts of some matrix overlap");
    expect(changing > 0 && changing < 3 * MADE_EMPTY, "deterministic", "makes a difference for some matrix");
    spmvcast_device_free(device);
    spmvcast_profile_free(profile);
    device = plain;
}

/* ---- the profile of a device: found NAME; "": none is found. unlearned PROFILE ---- */
static void found(void)
{
    spmvcast_device *d = device_of(context, NULL);
    spmvcast_device_info info = SPMVCAST_DEVICE_INFO_INIT;
    must(NULL, spmvcast_device_get_info(d, &info), "info");
    expect(info.name && *info.name && info.key && strstr(info.key, info.name), "device", "name and key");
    if (*arguments[0]) {
        expect(info.profile && strcmp(info.profile, arguments[0]) == 0 && !info.reason, arguments[0], "profile");
    } else {
        expect(!info.profile && strstr(info.reason, "no profile of this device") && strstr(info.reason, info.key)
                   && strstr(info.reason, "; spmv-profile makes one; searched "), /* cut at the end alone */
               "none", "reason");
        expect(!*spmvcast_message(context), "none", "no message after success");
    }
    spmvcast_device_free(d);
}

/* Without forecasts: csr-merge, dia and ell are timed where they hold the matrix and the products are worth it. */
static void check_blind_trials(void)
{
    static const int kinds[] = { MADE_STENCIL, MADE_BANDED, MADE_DENSE_ROWS };
    char config[500];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct problem q = problem_make(kinds[i]);
        struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        o.trial_products = o.products = 60;
        spmvcast_matrix_info info = choice_of(&v, &o, config);
        expect(info.choice == SPMVCAST_BY_RULE && strcmp(config, "csr-merge") == 0, config, "not worth a trial");
        o.products = 61;
        spmvcast_matrix *m = create(&v, &o, "blind trial");
        info = info_of(m);
        if (kinds[i] == MADE_DENSE_ROWS)
            expect(info.choice == SPMVCAST_BY_RULE && isnan(info.trial_s), info.config,
                   "nothing else holds the matrix");
        else
            expect(info.choice == SPMVCAST_BY_TRIAL && info.trial_s > 0 && info.try_s > 0 && isnan(info.time_s),
                   info.config, "blind trial");
        check_products(&q, m, o.precision, info.config);
        spmvcast_matrix_free(m);
        arrays_free(&v);
        problem_free(&q);
    }
}

static void unlearned(void)
{
    struct problem q = problem_make(MADE_BANDED);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    char config[500];
    device = (spmvcast_device_free(device), device_of(context, arguments[0]));
    const spmvcast_matrix_info info = choice_of(&v, NULL, config);
    expect(info.choice == SPMVCAST_BY_RULE && isnan(info.time_s), config, "by rule without learned forecasts");
    expect(!*spmvcast_message(context), config, "no message after success");
    arrays_free(&v);
    problem_free(&q);
    check_blind_trials();
}

/* ---- updates ---- */
static void check_update(const char *config, spmvcast_precision p, int form, int copy)
{
    struct problem q = problem_make(MADE_BANDED);
    struct arrays v = arrays_of(&q, p, form);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    o.precision = p;
    o.config = config;
    spmvcast_matrix *m = create(&v, &o, config);
    expect(spmvcast_update_values(context, m, v.val) == SPMVCAST_INVALID_ARGUMENT, config, "refused without updates");
    expect(strstr(spmvcast_message(context), "updates") != NULL, config, "message");
    check_product(&q, m, p, 1, 0, config);
    spmvcast_matrix_free(m);
    o.updates = 1;
    o.copy = copy;
    m = create(&v, &o, config);
    const spmvcast_matrix_info before = info_of(m);
    for (int round = 1; round < 4; round++) {
        problem_values(&q, round);
        void *val = numbers(q.val, q.nnz, p);
        if (round == 3 && before.refers) /* in place, without a call */
            memcpy(v.val, val, (size_t)q.nnz * (p == SPMVCAST_F32 ? 4 : 8));
        else
            must(context, spmvcast_update_values(context, m, val), config);
        if (copy) {
            arrays_free(&v);
            v = (struct arrays){ .val = val };
            memset(val, -1, (size_t)q.nnz * 4);
        } else if (round < 3 || !before.refers) {
            free(v.val);
            v.val = val;
        } else {
            free(val);
        }
        check_products(&q, m, p, config);
    }
    const spmvcast_matrix_info after = info_of(m);
    expect(after.update_s > 0 && isnan(before.update_s), config, "time of the update");
    expect(after.config == before.config && after.extra_bytes == before.extra_bytes, config, "the same choice");
    expect(spmvcast_update_values(context, m, NULL) == SPMVCAST_INVALID_ARGUMENT, config, "no values");
    expect(spmvcast_update_values(context, NULL, &q) == SPMVCAST_INVALID_ARGUMENT, config, "no matrix");
    check_product(&q, m, p, 1, 0, "after a refused update");
    spmvcast_matrix_free(m);
    arrays_free(&v);
    problem_free(&q);
}

static void updates(void)
{
    static const char *const configs[] = {
        "csr-vector", "csr-merge", "sell", "hyb", "bcsr", "coo", "dia", "esb:parts=2"
    };
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++)
        for (int p = 0; p < 2; p++)
            check_update(configs[i], (spmvcast_precision)p, (int)i % NFORMS, ((int)i + p) % 2);
}

/* ---- transposed products ---- */
static struct problem transposed_of(const struct problem *q)
{
    struct made a = { .name = "transposed", .rows = q->a.cols, .cols = q->a.rows };
    a.narrow = calloc((size_t)a.rows + 1, sizeof *a.narrow);
    a.wide = calloc((size_t)a.rows + 2, sizeof *a.wide);
    a.col = malloc((size_t)(q->nnz + 1) * sizeof *a.col);
    for (int64_t k = 0; k < q->nnz; k++)
        a.wide[q->a.col[k] + 1]++;
    for (int64_t j = 0; j < a.rows; j++)
        a.wide[j + 1] += a.wide[j];
    struct problem t = problem_of(a);
    int64_t *next = malloc((size_t)(a.rows + 1) * sizeof *next);
    memcpy(next, a.wide, (size_t)(a.rows + 1) * sizeof *next);
    for (int64_t i = 0; i < q->a.rows; i++)
        for (int64_t k = q->a.wide[i]; k < q->a.wide[i + 1]; k++) {
            a.col[next[q->a.col[k]]] = (int32_t)i;
            t.val[next[q->a.col[k]]++] = q->val[k];
        }
    free(next);
    return t;
}

static void check_transposed(const struct problem *q, spmvcast_matrix *m, spmvcast_precision p, const char *what)
{
    struct problem t = transposed_of(q);
    check_product(q, m, p, 1, 0, what);
    multiply_by = spmvcast_multiply_transposed;
    check_products(&t, m, p, what);
    multiply_by = spmvcast_multiply;
    problem_free(&t);
}

static void check_transpose(struct problem *q, const char *config, spmvcast_precision p, int form)
{
    struct arrays v = arrays_of(q, p, form);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    o.precision = p;
    o.config = config;
    spmvcast_matrix *m = create(&v, &o, config);
    expect(spmvcast_multiply_transposed(m, 1, q->x, 0, v.val, NULL) == SPMVCAST_INVALID_ARGUMENT
               && strstr(spmvcast_matrix_message(m), "spmvcast_matrix_options.transpose"),
           config, "needs an option");
    spmvcast_matrix_free(m);
    o.transpose = 1;
    o.updates = form & 1;
    o.copy = form / 2 & 1;
    m = create(&v, &o, config);
    const spmvcast_matrix_info before = info_of(m);
    const int64_t least = q->nnz * (p == SPMVCAST_F32 ? 8 : 12);
    expect(!before.transposed_config && before.transpose_s > 0 && before.transpose_bytes > least, config, "estimates");
    check_transposed(q, m, p, config);
    const spmvcast_matrix_info after = info_of(m);
    expect(after.transposed_config && after.transpose_s > 0 && after.transpose_bytes > least, config, "what it took");
    void *val = numbers((problem_values(q, 1), q->val), q->nnz, p);
    if (o.updates) {
        must(context, spmvcast_update_values(context, m, val), config);
        check_transposed(q, m, p, "after an update");
    }
    expect(spmvcast_multiply_transposed(m, 1, NULL, 0, val, NULL) == SPMVCAST_INVALID_ARGUMENT
               && strstr(spmvcast_matrix_message(m), "x is NULL"),
           config, "x is NULL");
    spmvcast_matrix_free(m);
    arrays_free(&v);
    free(val);
}

static void transposed(void)
{
    static const char *const configs[] = { "csr-merge", "coo", "sell:sigma=64" };
    for (int kind = 0; kind < NMADE; kind++)
        for (int form = 0; form < NFORMS; form++) {
            struct problem q = problem_make(kind);
            check_transpose(&q, configs[form % 3], (spmvcast_precision)((form + kind) % 2), form);
            problem_free(&q);
        }
}

/* ---- corners ---- */
static void check_sizes(int64_t rows, int64_t cols, const char *what)
{
    struct made a = { .name = what, .rows = rows, .cols = cols };
    a.narrow = calloc((size_t)rows + 1, sizeof *a.narrow);
    a.wide = calloc((size_t)rows + 1, sizeof *a.wide);
    struct problem q = problem_of(a);
    for (int form = 0; form < NFORMS; form++) {
        struct arrays v = arrays_of(&q, SPMVCAST_F64, form);
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        v.csr.col = NULL;
        v.csr.val = NULL;
        o.updates = 1;
        o.trial_products = 100;
        spmvcast_matrix *m = create(&v, &o, what);
        const spmvcast_matrix_info info = info_of(m);
        expect(info.nnz == 0 && info.choice == SPMVCAST_BY_RULE, what, "info");
        check_products(&q, m, SPMVCAST_F64, what);
        must(context, spmvcast_update_values(context, m, NULL), what);
        check_product(&q, m, SPMVCAST_F64, 1, 0, what);
        spmvcast_matrix_free(m);
        arrays_free(&v);
    }
    problem_free(&q);
}

/* A factor that is 0 in the matrix's precision is 0: x, or y, is not read. */
static void check_little_factors(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F32, 0);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    o.precision = SPMVCAST_F32;
    spmvcast_matrix *m = create(&v, &o, "little factors");
    float *y = calloc((size_t)q.a.rows, sizeof *y);
    y[0] = 3;
    expect(spmvcast_multiply(m, 1e-60, NULL, 2, y, NULL) == SPMVCAST_OK && fabsf(y[0] - 6) <= 0, "alpha",
           "rounded to 0");
    free(y);
    spmvcast_matrix_free(m);
    arrays_free(&v);
    problem_free(&q);
}

static void corners(void)
{
    check_little_factors();
    check_sizes(0, 0, "no rows or columns");
    check_sizes(0, 9, "no rows");
    check_sizes(9, 0, "no columns");
    check_sizes(40, 40, "no entries");
    struct problem q = problem_make(MADE_POWER);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_matrix *m = create(&v, NULL, "default options"), *same = create(&v, NULL, "default options");
    spmvcast_device_free(device);
    check_products(&q, m, SPMVCAST_F64, "after its device was freed");
    spmvcast_matrix_free(m);
    check_product(&q, same, SPMVCAST_F64, 1, 0, "after its device was freed");
    spmvcast_matrix_free(same);
    device = NULL;
    spmvcast_matrix_free(NULL);
    spmvcast_device_free(NULL);
    expect(spmvcast_matrix_message(NULL)[0] == 0, "NULL", "is empty");
    arrays_free(&v);
    problem_free(&q);
}

/* ---- threads ---- */
static void *thread(void *kind)
{
    spmvcast_context *c = context_of(0);
    struct problem q = problem_make(*(int *)kind);
    for (int i = 0; i < 6; i++) {
        const spmvcast_precision p = (spmvcast_precision)(i % 2);
        struct arrays v = arrays_of(&q, p, i);
        spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
        spmvcast_matrix *m;
        o.precision = p;
        o.products = i % 3 ? SPMVCAST_UNLIMITED : 1;
        o.updates = 1;
        must(c, spmvcast_matrix_create(c, device, &v.csr, &o, &m), "thread");
        check_product(&q, m, p, 1, 0, "thread");
        check_product(&q, m, p, 2, -1, "thread");
        must(c, spmvcast_update_values(c, m, v.val), "thread");
        o.config = "sel";
        spmvcast_matrix *none;
        if (spmvcast_matrix_create(c, device, &v.csr, &o, &none) != SPMVCAST_INVALID_ARGUMENT
            || !strstr(spmvcast_message(c), "'sel'"))
            exit(1);
        spmvcast_matrix_free(m);
        arrays_free(&v);
    }
    problem_free(&q);
    spmvcast_context_free(c);
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 4 };
    pthread_t all[THREADS];
    int kind[THREADS] = { MADE_STENCIL, MADE_POWER, MADE_RANDOM, MADE_STENCIL };
    device = (spmvcast_device_free(device), device_of(context, arguments[0]));
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&all[i], NULL, thread, &kind[i]) != 0)
            exit(1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    checks += THREADS;
}

int main(int argc, char **argv)
{
    static const struct handle_part parts[] = { { "kernels", kernels },      { "arrays", arrays },
                                                { "choices", choices },      { "found", found },
                                                { "unlearned", unlearned },  { "updates", updates },
                                                { "corners", corners },      { "threads", threads },
                                                { "transposed", transposed } };
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
