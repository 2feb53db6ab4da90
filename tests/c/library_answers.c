/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library recommends for matrices: library_answers PROFILE N,N... FILE... prints a line per file, N, precision and cache state: file,
 * N, precision, cache, configuration, total and time in s, and the blocks of the plan if FILE ends in "+plan" (ROWS:CONFIG;...).
 * A file: rows, columns, entries and values, row pointers (int64), columns (int32), values (double; none for a pattern). */
#include "library.h"

static void read_all(FILE *f, void *to, size_t bytes)
{
    if (fread(to, 1, bytes, f) != bytes) {
        fprintf(stderr, "cut short\n");
        exit(1);
    }
}

static void print_plan(spmvcast_context *c, const spmvcast_profile *profile, const spmvcast_csr *a,
                       const spmvcast_plan_options *o)
{
    spmvcast_plan *plan;
    spmvcast_plan_info info = SPMVCAST_PLAN_INFO_INIT;
    must(c, spmvcast_plan_make(c, profile, a, o, &plan), "plan");
    must(c, spmvcast_plan_get_info(plan, &info), "plan");
    for (size_t i = 0; i < info.blocks; i++) {
        spmvcast_block b = SPMVCAST_BLOCK_INIT;
        must(c, spmvcast_plan_get_block(plan, i, &b), "block");
        printf("%" PRId64 ":%s;", b.rows, b.config);
    }
    spmvcast_plan_free(plan);
}

static void answer(spmvcast_context *c, const spmvcast_profile *profile, const spmvcast_csr *a, const char *file,
                   int64_t products, int plans)
{
    static const char *const precisions[] = { "f32", "f64" }, *const caches[] = { "warm", "cold" };
    spmvcast_pattern *pattern;
    must(c, spmvcast_pattern_describe(c, a, &pattern), file);
    for (int i = 0; i < 4; i++) {
        spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
        spmvcast_plan_options p = SPMVCAST_PLAN_OPTIONS_INIT;
        spmvcast_advice advice = SPMVCAST_ADVICE_INIT;
        spmvcast_row row = SPMVCAST_ROW_INIT;
        spmvcast_ranking *r;
        o.precision = p.precision = i / 2 ? SPMVCAST_F64 : SPMVCAST_F32;
        o.cache = p.cache = i % 2 ? SPMVCAST_COLD : SPMVCAST_WARM;
        if (products != SPMVCAST_PRODUCTS) /* the default */
            o.products = p.products = products > 0 ? products : SPMVCAST_UNLIMITED;
        must(c, spmvcast_rank(c, profile, pattern, &o, &r), file);
        must(c, spmvcast_ranking_advice(r, &advice), file);
        must(c, spmvcast_ranking_row(r, advice.row, &row), file);
        printf("%s\t%" PRId64 "\t%s\t%s\t%s\t%.17g\t%.17g\t", file, products, precisions[i / 2], caches[i % 2],
               row.config, row.total_s, row.time_s);
        if (plans)
            print_plan(c, profile, a, &p);
        printf("\n");
        spmvcast_ranking_free(r);
    }
    spmvcast_pattern_free(pattern);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    spmvcast_context *c = context_of(0);
    spmvcast_profile *profile = profile_of(argv[1]);
    for (int k = 3; k < argc; k++) {
        char *file = argv[k], *end = strstr(file, "+plan");
        const int plans = end != NULL;
        int64_t size[4];
        if (end)
            *end = '\0';
        FILE *f = fopen(file, "rb");
        if (!f)
            return 1;
        read_all(f, size, sizeof size);
        int64_t *row = malloc((size_t)(size[0] + 1) * sizeof *row);
        int32_t *col = malloc((size_t)(size[2] + 1) * sizeof *col);
        read_all(f, row, (size_t)(size[0] + 1) * sizeof *row);
        double *val = malloc((size_t)(size[3] + 1) * sizeof *val);
        read_all(f, col, (size_t)size[2] * sizeof *col);
        read_all(f, val, (size_t)size[3] * sizeof *val);
        fclose(f);
        spmvcast_csr a = SPMVCAST_CSR_INIT;
        a.rows = size[0];
        a.cols = size[1];
        a.row_ptr = row;
        a.row_ptr_bits = 64;
        a.col = col;
        a.val = val;
        a.val_bits = size[3] > 0 ? 64 : 0;
        for (char *n = argv[2]; *n; n += strcspn(n, ","), n += *n == ',')
            answer(c, profile, &a, file, strtoll(n, NULL, 10), plans);
        free(row);
        free(col);
        free(val);
    }
    spmvcast_profile_free(profile);
    spmvcast_context_free(c);
    return 0;
}
