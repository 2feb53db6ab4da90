/* SPDX-License-Identifier: BSD-3-Clause */
/* The same matrix in other arrays, matrices without rows or entries, and callers with other versions of the structures:
 *     library_same PROFILE.h5 */
#include "library.h"

static int failed;
#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition))                                                       \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition), failed = 1; \
    } while (0)

/* Base 0 and 1, 32 and 64 bits: the same pattern and rankings. */
static void same_in_all_arrays(const spmvcast_profile *profile)
{
    for (int kind = 0; kind < NMADE; kind++) {
        struct made a = made_matrix(kind, 1);
        char *first = NULL, id[65] = "";
        for (int way = 0; way < 4; way++) {
            const int base = way / 2;
            spmvcast_context *c = context_of(0);
            spmvcast_csr csr = made_csr(&a);
            spmvcast_pattern *pattern;
            spmvcast_pattern_info info = SPMVCAST_PATTERN_INFO_INIT;
            for (int64_t i = 0; way == 2 && i <= a.rows; i++)
                a.narrow[i]++, a.wide[i]++;
            for (int64_t k = 0; way == 2 && k < a.wide[a.rows] - 1; k++)
                a.col[k]++;
            csr.base = base;
            csr.row_ptr_bits = way % 2 ? 64 : 32;
            csr.row_ptr = way % 2 ? (const void *)a.wide : a.narrow;
            must(c, spmvcast_pattern_describe(c, &csr, &pattern), a.name);
            must(c, spmvcast_pattern_get_info(pattern, &info), a.name);
            char *text = ranking_text(profile, pattern, 200);
            CHECK(info.rows == a.rows && info.cols == a.cols && info.nnz == a.wide[a.rows] - base);
            CHECK(strlen(info.pattern_id) == 64);
            if (way == 0)
                snprintf(id, sizeof id, "%s", info.pattern_id);
            CHECK(strcmp(info.pattern_id, id) == 0);
            CHECK(!first || strcmp(text, first) == 0);
            printf("%s\t%d\t%d\t%s\t%s\n", a.name, base, csr.row_ptr_bits, info.pattern_id, info.name);
            free(first);
            first = text;
            spmvcast_pattern_free(pattern);
            spmvcast_context_free(c);
        }
        free(first);
        made_free(&a);
    }
}

/* No rows, no columns, no entries: valid, but nothing is recommended. */
static void nothing_to_multiply(const spmvcast_profile *profile)
{
    static const int32_t zero[4];
    static const int64_t ones[] = { 1, 1, 1 };
    const spmvcast_csr cases[] = {
        { sizeof(spmvcast_csr), 0, 0, zero, NULL, 32, 0, NULL, NULL, NULL, 0, 0 },
        { sizeof(spmvcast_csr), 0, 7, zero, NULL, 32, 0, NULL, NULL, NULL, 0, 0 },
        { sizeof(spmvcast_csr), 3, 0, zero, zero, 32, 0, NULL, NULL, NULL, 0, 0 },
        { sizeof(spmvcast_csr), 3, 5, zero, NULL, 32, 0, NULL, NULL, NULL, 0, 0 },
        { sizeof(spmvcast_csr), 2, 5, ones, NULL, 64, 1, NULL, NULL, NULL, 0, 0 },
        { sizeof(spmvcast_csr), 0, INT32_MAX, ones, NULL, 64, 1, NULL, NULL, NULL, 0, 0 },
    };
    spmvcast_context *c = context_of(0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmvcast_pattern *pattern;
        spmvcast_pattern_info info = SPMVCAST_PATTERN_INFO_INIT;
        spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
        spmvcast_ranking *r;
        spmvcast_advice advice = SPMVCAST_ADVICE_INIT;
        advice.row = advice.library_row = advice.stay_row = 0;
        o.products = i % 2 ? 200 : SPMVCAST_UNLIMITED;
        must(c, spmvcast_pattern_describe(c, &cases[i], &pattern), "empty");
        must(c, spmvcast_pattern_get_info(pattern, &info), "empty");
        CHECK(!info.name && info.rows == cases[i].rows && info.cols == cases[i].cols && info.nnz == 0);
        CHECK(info.row_min == 0 && info.row_max == 0 && info.row_mean == 0 && info.row_sd == 0);
        must(c, spmvcast_rank(c, profile, pattern, &o, &r), "empty");
        CHECK(spmvcast_ranking_advice(r, &advice) == SPMVCAST_NO_ENTRY);
        CHECK(advice.row == SPMVCAST_NO_ROW && advice.alike == 0);
        CHECK(advice.text && strstr(advice.text, "no ") && strlen(advice.text) > 20);
        for (size_t k = 0; k < spmvcast_ranking_count(r); k++) {
            spmvcast_row row = SPMVCAST_ROW_INIT;
            must(c, spmvcast_ranking_row(r, k, &row), "row");
            CHECK(row.place == 0 && row.reason);
            CHECK(row.status == SPMVCAST_ROW_REFUSED || row.status == SPMVCAST_ROW_INAPPLICABLE);
        }
        spmvcast_ranking_free(r);
        spmvcast_pattern_free(pattern);
    }
    spmvcast_context_free(c);
}

/* A caller with a later version of a structure: more members, which are zero. What it passes is read, and what it gets back
 * ends where this version ends. */
#define LATER(type)             \
    struct later_##type {       \
        spmvcast_##type now;    \
        unsigned char more[24]; \
    }
LATER(context_options);
LATER(csr);
LATER(rank_options);
LATER(profile_info);
LATER(pattern_info);
LATER(row);
LATER(advice);

static int all_are(const unsigned char more[24], int value)
{
    for (int i = 0; i < 24; i++)
        if (more[i] != value)
            return 0;
    return 1;
}

static void later_callers(const spmvcast_profile *profile)
{
    struct later_context_options limits = { SPMVCAST_CONTEXT_OPTIONS_INIT, { 0 } };
    struct later_csr csr = { SPMVCAST_CSR_INIT, { 0 } };
    struct later_rank_options o = { SPMVCAST_RANK_OPTIONS_INIT, { 0 } };
    struct later_profile_info about = { SPMVCAST_PROFILE_INFO_INIT, { 0 } };
    struct later_pattern_info info = { SPMVCAST_PATTERN_INFO_INIT, { 0 } };
    struct later_row row = { SPMVCAST_ROW_INIT, { 0 } };
    struct later_advice advice = { SPMVCAST_ADVICE_INIT, { 0 } };
    spmvcast_context *c;
    spmvcast_pattern *pattern;
    spmvcast_ranking *r;
    struct made a = made_matrix(MADE_STENCIL, 1);
    memset(about.more, 7, 24);
    memset(info.more, 7, 24);
    memset(row.more, 7, 24);
    memset(advice.more, 7, 24);
    limits.now.size = sizeof limits;
    limits.now.memory_limit = 1;
    must(NULL, spmvcast_context_create(&limits.now, &c), "create");
    csr.now = made_csr(&a);
    csr.now.size = sizeof csr;
    CHECK(spmvcast_pattern_describe(c, &csr.now, &pattern) == SPMVCAST_OUT_OF_MEMORY);
    spmvcast_context_free(c);
    c = context_of(0);
    must(c, spmvcast_pattern_describe(c, &csr.now, &pattern), "describe");
    o.now.size = sizeof o;
    o.now.precision = SPMVCAST_F32;
    o.now.products = 200;
    must(c, spmvcast_rank(c, profile, pattern, &o.now, &r), "rank");
    about.now.size = sizeof about;
    info.now.size = sizeof info;
    row.now.size = sizeof row;
    advice.now.size = sizeof advice;
    must(c, spmvcast_profile_get_info(profile, &about.now), "profile");
    must(c, spmvcast_pattern_get_info(pattern, &info.now), "pattern");
    must(c, spmvcast_ranking_row(r, 0, &row.now), "row");
    must(c, spmvcast_ranking_advice(r, &advice.now), "advice");
    CHECK(about.now.size == sizeof about && info.now.size == sizeof info && row.now.size == sizeof row
          && advice.now.size == sizeof advice);
    CHECK(strcmp(info.now.name, "stencil") == 0 && row.now.place == 1 && row.now.total_s > 0);
    CHECK(strncmp(advice.now.text, "f32, warm", 9) == 0);
    CHECK(all_are(about.more, 7) && all_are(info.more, 7) && all_are(row.more, 7) && all_are(advice.more, 7));
    spmvcast_ranking_free(r);
    spmvcast_pattern_free(pattern);
    spmvcast_context_free(c);
    made_free(&a);
}

/* Objects may be freed in any order, and arrays and names after the call. */
static void lifetimes(const char *path)
{
    spmvcast_profile *profile = profile_of(path);
    spmvcast_context *c = context_of(0);
    struct made a = made_matrix(MADE_RANDOM, 1);
    char name[] = "temporary", group[] = "temporary";
    spmvcast_csr csr = made_csr(&a);
    spmvcast_pattern *pattern;
    spmvcast_ranking *r;
    spmvcast_advice before = SPMVCAST_ADVICE_INIT, after = SPMVCAST_ADVICE_INIT;
    csr.name = name;
    csr.group = group;
    must(c, spmvcast_pattern_describe(c, &csr, &pattern), "describe");
    made_free(&a);
    memset(name, 'x', sizeof name - 1);
    memset(group, 'x', sizeof group - 1);
    must(c, spmvcast_rank(c, profile, pattern, NULL, &r), "rank");
    must(c, spmvcast_ranking_advice(r, &before), "advice");
    spmvcast_pattern_info info = SPMVCAST_PATTERN_INFO_INIT;
    must(c, spmvcast_pattern_get_info(pattern, &info), "info");
    CHECK(strcmp(info.name, "temporary") == 0);
    spmvcast_profile_free(profile);
    spmvcast_pattern_free(pattern);
    spmvcast_context_free(c);
    must(NULL, spmvcast_ranking_advice(r, &after), "advice");
    CHECK(before.row == after.row && before.text == after.text && strlen(after.text) > 20);
    FILE *null = fopen("/dev/null", "w");
    print_ranking(null, r, 1);
    CHECK(fclose(null) == 0);
    spmvcast_ranking_free(r);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    char version[32];
    spmvcast_profile *profile = profile_of(argv[1]);
    snprintf(version, sizeof version, "%d.%d.%d", SPMVCAST_VERSION_MAJOR, SPMVCAST_VERSION_MINOR,
             SPMVCAST_VERSION_PATCH);
    CHECK(strcmp(spmvcast_version(), version) == 0);
    for (int i = 0; i <= SPMVCAST_DEVICE_ERROR; i++)
        CHECK(strcmp(spmvcast_status_text((spmvcast_status)i), "unknown status") != 0);
    CHECK(strcmp(spmvcast_status_text((spmvcast_status)(SPMVCAST_DEVICE_ERROR + 1)), "unknown status") == 0);
    CHECK(strcmp(spmvcast_status_text((spmvcast_status)-1), "unknown status") == 0);
    same_in_all_arrays(profile);
    nothing_to_multiply(profile);
    later_callers(profile);
    spmvcast_profile_free(profile);
    lifetimes(argv[1]);
    return failed;
}
