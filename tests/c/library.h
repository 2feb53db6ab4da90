/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests of libspmvcast, which see its header alone: small generated matrices, and everything that the library says of a ranking
 * as text. */
#ifndef SPMVCAST_TESTS_LIBRARY_H
#define SPMVCAST_TESTS_LIBRARY_H
#include <inttypes.h>
#include <spmvcast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the test unless `status` is SPMVCAST_OK. */
static inline void must(const spmvcast_context *c, spmvcast_status status, const char *what)
{
    if (status == SPMVCAST_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, spmvcast_status_text(status), spmvcast_message(c));
    exit(1);
}

static inline spmvcast_context *context_of(size_t memory_limit)
{
    spmvcast_context_options o = SPMVCAST_CONTEXT_OPTIONS_INIT;
    spmvcast_context *c;
    o.memory_limit = memory_limit;
    must(NULL, spmvcast_context_create(&o, &c), "context");
    return c;
}

static inline spmvcast_profile *profile_of(const char *path)
{
    spmvcast_context *c = context_of(0);
    spmvcast_profile *p;
    must(c, spmvcast_profile_open(c, path, &p), path);
    spmvcast_context_free(c);
    return p;
}

/* ---- matrices ---- */
struct made {
    const char *name;
    int64_t rows, cols;
    int32_t *narrow; /* row pointers in both widths */
    int64_t *wide;
    int32_t *col;
};
enum { MADE_STENCIL, MADE_BANDED, MADE_RANDOM, MADE_POWER, MADE_DENSE_ROWS, MADE_EMPTY, NMADE };

static inline uint32_t made_draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Marks the columns of row i. */
static inline void made_row(int kind, int64_t i, int64_t cols, uint64_t *state, unsigned char *mark)
{
    enum { SIDE = 40 };
    int64_t length = 0;
    switch (kind) {
    case MADE_STENCIL:
        for (int64_t d = -SIDE; d <= SIDE; d += SIDE)
            if (i + d >= 0 && i + d < cols)
                mark[i + d] = 1;
        mark[i % SIDE > 0 ? i - 1 : i] = mark[i % SIDE < SIDE - 1 ? i + 1 : i] = 1;
        return;
    case MADE_BANDED:
        for (int64_t j = i > 6 ? i - 6 : 0; j <= i + 6 && j < cols; j++)
            mark[j] = 1;
        return;
    case MADE_RANDOM: length = 8; break;
    case MADE_POWER: length = 900 / (i + 1) + 1; break;
    case MADE_DENSE_ROWS: length = i % 700 == 3 ? 1200 : 1; break;
    default: return;
    }
    while (length-- > 0)
        mark[made_draw(state) % (uint32_t)cols] = 1;
}

/* Makes a matrix with base 0. size 1: small; larger ones have `size` times the rows. */
static inline struct made made_matrix(int kind, int64_t size)
{
    static const char *const name[] = { "stencil", "banded", "random", "power", "dense-rows", "empty" };
    static const int64_t rows[] = { 1600, 1500, 1700, 1600, 1400, 100 };
    struct made a = { .name = name[kind], .rows = rows[kind] * size };
    a.cols = kind == MADE_RANDOM ? a.rows - 300 : a.rows;
    a.narrow = calloc((size_t)a.rows + 1, sizeof *a.narrow);
    a.wide = calloc((size_t)a.rows + 1, sizeof *a.wide);
    unsigned char *mark = calloc((size_t)a.cols, 1);
    uint64_t state = (uint64_t)kind + 1;
    int64_t n = 0, room = 0;
    for (int64_t i = 0; i < a.rows && a.narrow && a.wide && mark; i++) {
        made_row(kind, i, a.cols, &state, mark);
        if (n + a.cols > room)
            a.col = realloc(a.col, (size_t)(room = 2 * room + a.cols) * sizeof *a.col);
        for (int64_t j = 0; j < a.cols && a.col; j++)
            if (mark[j])
                a.col[n++] = (int32_t)j;
        memset(mark, 0, (size_t)a.cols);
        a.wide[i + 1] = n;
        a.narrow[i + 1] = (int32_t)n;
    }
    free(mark);
    return a;
}

static inline void made_free(struct made *a)
{
    free(a->narrow);
    free(a->wide);
    free(a->col);
}

static inline spmvcast_csr made_csr(const struct made *a)
{
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    csr.rows = a->rows;
    csr.cols = a->cols;
    csr.row_ptr = a->narrow;
    csr.col = a->col;
    csr.name = a->name;
    return csr;
}

static inline spmvcast_pattern *made_pattern(const struct made *a)
{
    const spmvcast_csr csr = made_csr(a);
    spmvcast_context *c = context_of(0);
    spmvcast_pattern *pattern;
    must(c, spmvcast_pattern_describe(c, &csr, &pattern), a->name);
    spmvcast_context_free(c);
    return pattern;
}

/* ---- what the library says ---- */
static inline void print_profile(FILE *f, const spmvcast_profile *p)
{
    spmvcast_profile_info i = SPMVCAST_PROFILE_INFO_INIT;
    must(NULL, spmvcast_profile_get_info(p, &i), "profile_info");
    fprintf(f, "%s\t%s\t%s\t%s\t%d\t%s\n", i.name, i.device, i.date, i.path, i.this_machine, i.default_model);
}

static inline void print_pattern(FILE *f, const spmvcast_pattern *p)
{
    spmvcast_pattern_info i = SPMVCAST_PATTERN_INFO_INIT;
    must(NULL, spmvcast_pattern_get_info(p, &i), "pattern_info");
    fprintf(f, "%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.17g\t%.17g\t%s\n",
            i.name ? i.name : "-", i.rows, i.cols, i.nnz, i.row_min, i.row_max, i.row_mean, i.row_sd, i.pattern_id);
}

static inline const char *row_status_name(spmvcast_row_status s)
{
    static const char *const name[] = { "ok", "extrapolated", "refused", "na" };
    return name[s];
}

/* A line for the advice, then one per row: its members, its parameters and its terms. */
static inline void print_ranking(FILE *f, const spmvcast_ranking *r, int parts)
{
    spmvcast_advice a = SPMVCAST_ADVICE_INIT;
    const spmvcast_status status = spmvcast_ranking_advice(r, &a);
    fprintf(f, "advice\t%s\t%zd\t%zd\t%zd\t%d\t%s\n", spmvcast_status_text(status), (ptrdiff_t)a.row,
            (ptrdiff_t)a.library_row, (ptrdiff_t)a.stay_row, a.alike, a.text);
    for (size_t i = 0; i < spmvcast_ranking_count(r); i++) {
        spmvcast_row x = SPMVCAST_ROW_INIT;
        const char *key, *value;
        double time_s;
        must(NULL, spmvcast_ranking_row(r, i, &x), "row");
        fprintf(f, "row");
#define NOT_PRINTED(line) line
#define RANKING_TEXT(name, about, value) fprintf(f, "\t" #name "=%s", x.name ? x.name : "");
#define RANKING_WHOLE(name, about, value) fprintf(f, "\t" #name "=%d", x.name);
#define RANKING_FLAG(name, about, value) RANKING_WHOLE(name, about, value)
#define RANKING_US(name, about, value) RANKING_COUNT(, name##_s, about, value)
#define RANKING_REAL(name, member, unit, digits, about, value) RANKING_COUNT(name, member, about, value)
#define RANKING_COUNT(name, member, about, value) fprintf(f, "\t" #member "=%.17g", x.member);
#define RANKING_NAME(name, names, type, about, value) fprintf(f, "\t" #name "=%s", row_status_name(x.name));
#include "../../src/forecast/ranking_row.def"
        fprintf(f, "\tleast_bytes=%" PRId64 "\tstorage_bytes=%" PRId64, x.least_bytes, x.storage_bytes);
        for (size_t k = 0; parts && spmvcast_ranking_parameter(r, i, k, &key, &value) == SPMVCAST_OK; k++)
            fprintf(f, "\t%s=%s", key, value);
        for (size_t k = 0; parts && spmvcast_ranking_term(r, i, k, &key, &time_s) == SPMVCAST_OK; k++)
            fprintf(f, "\t%s %.17g", key, time_s);
        fputc('\n', f);
    }
}

/* Returns the text of a ranking under each precision and, where the launch allows it, each cache state (malloc'd). */
static inline char *ranking_text(const spmvcast_profile *p, const spmvcast_pattern *pattern, int64_t products)
{
    spmvcast_context *c = context_of(0);
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    for (int i = 0; f && i < 4; i++) {
        spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
        spmvcast_ranking *r;
        o.precision = i % 2 ? SPMVCAST_F32 : SPMVCAST_F64;
        o.cache = i / 2 ? SPMVCAST_COLD : SPMVCAST_WARM;
        o.products = products;
        must(c, spmvcast_rank(c, p, pattern, &o, &r), "rank");
        print_ranking(f, r, 1);
        spmvcast_ranking_free(r);
    }
    if (!f || fclose(f) != 0)
        exit(1);
    spmvcast_context_free(c);
    return text;
}
#endif
