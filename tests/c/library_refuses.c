/* SPDX-License-Identifier: BSD-3-Clause */
/* What libspmvcast refuses, with which status and message:
 *     library_refuses PROFILE.h5 DAMAGED.h5 OLD.h5 OTHER.h5 WARM.h5
 * DAMAGED is a copy of the profile with one byte changed, OLD a profile without digest, OTHER an archive of another kind, WARM
 * a profile of f64 and warm caches alone. After each refusal the same context must still serve a valid call. Nothing may be printed: the driver prints its own lines at the end, only if
 * a case failed. */
#include <math.h>
#include <omp.h>
#include "library.h"

static char said[1 << 16];
static size_t length;
static int failed, cases;
static spmvcast_context *c;
static spmvcast_profile *profile;
static spmvcast_pattern *pattern;

static void report(const char *name, const char *what, const char *text)
{
    failed = 1;
    length += (size_t)snprintf(said + length, sizeof said - length, "%s: %s: %s\n", name, what, text);
    length = length < sizeof said ? length : sizeof said - 1;
}

/* Checks a status and a message, and that the context then serves a valid call. */
static void expect(const char *name, spmvcast_status status, spmvcast_status expected, const char *text,
                   const void *object)
{
    spmvcast_ranking *r;
    cases++;
    if (status != expected)
        report(name, "status", spmvcast_status_text(status));
    if (text && !strstr(spmvcast_message(c), text))
        report(name, "message", spmvcast_message(c));
    if (strchr(spmvcast_message(c), '\n') || strstr(spmvcast_message(c), "--"))
        report(name, "more than one line, or an option", spmvcast_message(c));
    if (object)
        report(name, "an object was returned", "");
    if (spmvcast_rank(c, profile, pattern, NULL, &r) != SPMVCAST_OK)
        report(name, "the next call failed", spmvcast_message(c));
    else if (spmvcast_message(c)[0])
        report(name, "a message after success", spmvcast_message(c));
    spmvcast_ranking_free(r);
}

/* ---- matrices ---- */
static void refuse_csr(const char *name, const spmvcast_csr *csr, spmvcast_status expected, const char *text)
{
    spmvcast_pattern *p = (spmvcast_pattern *)said;
    const spmvcast_status status = spmvcast_pattern_describe(c, csr, &p);
    expect(name, status, expected, text, p);
}

/* A matrix of three rows and four columns with five entries, and what is wrong with it. */
struct csr_case {
    const char *name;
    int32_t row_ptr[4], col[5];
    const char *text;
};
static const struct csr_case csr_cases[] = {
    { "unsorted", { 0, 2, 3, 5 }, { 0, 1, 2, 3, 1 }, "row 2 (counted from 0): column 1 follows column 3" },
    { "repeated", { 0, 2, 3, 5 }, { 1, 1, 2, 0, 3 }, "row 0 (counted from 0): column 1 follows column 1" },
    { "too large", { 0, 2, 3, 5 }, { 0, 1, 4, 0, 3 }, "entry 2 (counted from 0): column index 4, expected 0 to 3" },
    { "negative", { 0, 2, 3, 5 }, { -1, 1, 2, 0, 3 }, "entry 0 (counted from 0): column index -1" },
    { "decreasing", { 0, 3, 2, 5 }, { 0, 1, 2, 0, 3 }, "row 1 (counted from 0): row pointers decrease from 3 to 2" },
    { "far row", { 0, 2000000000, 2, 5 }, { 0, 1, 2, 0, 3 }, "row pointers decrease from 2000000000 to 2" },
    { "negative end", { 0, 2, 3, -5 }, { 0, 1, 2, 0, 3 }, "row pointers decrease from 3 to -5" },
    { "starts at 1", { 1, 2, 3, 5 }, { 0, 1, 2, 0, 3 }, "row pointers start at 1, expected 0; base is 0" },
    { "least pointer", { INT32_MIN, 2, 3, 5 }, { 0, 1, 2, 0, 3 }, "row pointers start at -2147483648, expected 0" },
};

static void refuse_arrays(void)
{
    int64_t wide[4];
    for (size_t i = 0; i < sizeof csr_cases / sizeof csr_cases[0]; i++) {
        const struct csr_case *k = &csr_cases[i];
        spmvcast_csr csr = SPMVCAST_CSR_INIT;
        csr.rows = 3;
        csr.cols = 4;
        csr.row_ptr = k->row_ptr;
        csr.col = k->col;
        refuse_csr(k->name, &csr, SPMVCAST_INVALID_MATRIX, k->text);
        for (int j = 0; j < 4; j++)
            wide[j] = k->row_ptr[j];
        csr.row_ptr = wide;
        csr.row_ptr_bits = 64;
        refuse_csr(k->name, &csr, SPMVCAST_INVALID_MATRIX, k->text);
    }
}

static void refuse_members(void)
{
    static const int32_t row_ptr[] = { 0, 2, 3, 5 }, col[] = { 0, 1, 2, 0, 3 }, one[] = { 1, 2 };
    static const int64_t least[] = { INT64_MIN, 2 }, wide[] = { 0, 2, 3, 5 };
    spmvcast_csr good = SPMVCAST_CSR_INIT, csr;
    good.rows = 3;
    good.cols = 4;
    good.row_ptr = row_ptr;
    good.col = col;
#define CASE(member, value, status, text) \
    csr = good;                           \
    csr.member = value;                   \
    refuse_csr(#member " = " #value, &csr, status, text)
    CASE(rows, -1, SPMVCAST_INVALID_MATRIX, "-1 rows and 4 columns; both must be 0 to 2^31 - 1");
    CASE(cols, -7, SPMVCAST_INVALID_MATRIX, "3 rows and -7 columns");
    CASE(rows, INT64_C(1) << 31, SPMVCAST_INVALID_MATRIX, "2147483648 rows");
    CASE(cols, INT64_C(1) << 31, SPMVCAST_INVALID_MATRIX, "2147483648 columns");
    CASE(rows, INT64_MAX, SPMVCAST_INVALID_MATRIX, "2^31 - 1");
    CASE(cols, 0, SPMVCAST_INVALID_MATRIX, "column index 0, but the matrix has no columns");
    CASE(base, 1, SPMVCAST_INVALID_MATRIX, "row pointers start at 0, expected 1; base is 1");
    CASE(base, 2, SPMVCAST_INVALID_ARGUMENT, "base is 2, expected 0 or 1");
    CASE(row_ptr, wide, SPMVCAST_INVALID_MATRIX, "; row_ptr_bits is 32: is row_ptr int64_t?");
    CASE(row_ptr_bits, 16, SPMVCAST_INVALID_ARGUMENT, "row_ptr_bits is 16, expected 32 or 64");
    CASE(row_ptr, NULL, SPMVCAST_INVALID_ARGUMENT, "row_ptr is NULL");
    CASE(col, NULL, SPMVCAST_INVALID_ARGUMENT, "col is NULL");
    CASE(val_bits, 16, SPMVCAST_INVALID_ARGUMENT, "val_bits is 16, expected 0, 32 or 64");
    CASE(val_bits, 64, SPMVCAST_INVALID_ARGUMENT, "val is NULL, but val_bits is not 0");
    CASE(size, 0, SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_CSR_INIT");
    CASE(size, sizeof csr - 1, SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_CSR_INIT");
#undef CASE
    csr = good;
    csr.row_ptr_bits = 64;
    csr.rows = 1;
    refuse_csr("32 bits as 64", &csr, SPMVCAST_INVALID_MATRIX, "; row_ptr_bits is 64: is row_ptr int32_t?");
    csr = good;
    csr.base = 1;
    csr.rows = 1;
    csr.cols = 0;
    csr.row_ptr = one;
    csr.col = col + 1;
    refuse_csr("base 1 without columns", &csr, SPMVCAST_INVALID_MATRIX,
               "column index 1, but the matrix has no columns");
    csr.cols = 4;
    csr.col = col;
    refuse_csr("base 1, column 0", &csr, SPMVCAST_INVALID_MATRIX,
               "entry 1 (counted from 1): column index 0, expected 1 to 4");
    csr.row_ptr = least;
    csr.row_ptr_bits = 64;
    refuse_csr("base 1, least row pointer", &csr, SPMVCAST_INVALID_MATRIX, "expected 1");
    refuse_csr("no structure", NULL, SPMVCAST_INVALID_ARGUMENT, "spmvcast_pattern_describe: no spmvcast_csr");
    expect("no place", spmvcast_pattern_describe(c, &good, NULL), SPMVCAST_INVALID_ARGUMENT, "no place", NULL);
}

/* ---- profiles ---- */
static void refuse_profile(const char *name, const char *asked, spmvcast_status expected, const char *text)
{
    spmvcast_profile *p = (spmvcast_profile *)said;
    const spmvcast_status status = spmvcast_profile_open(c, asked, &p);
    expect(name, status, expected, text, p);
}

/* ---- options ---- */
static void refuse_rank(const char *name, const spmvcast_rank_options *o, spmvcast_status expected, const char *text)
{
    spmvcast_ranking *r = (spmvcast_ranking *)said;
    const spmvcast_status status = spmvcast_rank(c, profile, pattern, o, &r);
    expect(name, status, expected, text, r);
}

static void refuse_options(void)
{
    static const char *const unknown[] = { "ell", "elll" }, *const null[] = { NULL };
    static const char *const parameter[] = { "ell:lane=1" };
    spmvcast_rank_options o;
#define CASE(member, value, status, text)                  \
    o = (spmvcast_rank_options)SPMVCAST_RANK_OPTIONS_INIT; \
    o.member = value;                                      \
    refuse_rank(#member " = " #value, &o, status, text)
    CASE(precision, (spmvcast_precision)7, SPMVCAST_INVALID_ARGUMENT, "precision");
    CASE(precision, (spmvcast_precision)-1, SPMVCAST_INVALID_ARGUMENT, "precision");
    CASE(cache, (spmvcast_cache)2, SPMVCAST_INVALID_ARGUMENT, "cache");
    CASE(launch, (spmvcast_launch)2, SPMVCAST_INVALID_ARGUMENT, "launch");
    CASE(place, (spmvcast_place)2, SPMVCAST_INVALID_ARGUMENT, "place");
    CASE(products, -2, SPMVCAST_INVALID_ARGUMENT, "products must be at most 1e15");
    CASE(products, INT64_MAX, SPMVCAST_INVALID_ARGUMENT, "products must be at most 1e15");
    CASE(risk, (double)NAN, SPMVCAST_INVALID_ARGUMENT, "risk");
    CASE(risk, 101, SPMVCAST_INVALID_ARGUMENT, "risk at most 100");
    CASE(model, "guo2013", SPMVCAST_INVALID_ARGUMENT, "unknown model 'guo2013'; known: physics-gp");
    CASE(model, "", SPMVCAST_INVALID_ARGUMENT, "unknown model ''");
    CASE(nconfigs, 3, SPMVCAST_INVALID_ARGUMENT, "configs is NULL, but nconfigs is 3");
    CASE(size, 0, SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_RANK_OPTIONS_INIT");
    CASE(size, sizeof o - 8, SPMVCAST_INVALID_ARGUMENT, "SPMVCAST_RANK_OPTIONS_INIT");
#undef CASE
    o = (spmvcast_rank_options)SPMVCAST_RANK_OPTIONS_INIT;
    o.cache = SPMVCAST_COLD;
    o.launch = SPMVCAST_STREAM;
    refuse_rank("cold stream", &o, SPMVCAST_INVALID_ARGUMENT, "no forecasts of stream launches with cold caches");
    o = (spmvcast_rank_options)SPMVCAST_RANK_OPTIONS_INIT;
    o.configs = unknown;
    o.nconfigs = 2;
    refuse_rank("unknown configuration", &o, SPMVCAST_INVALID_ARGUMENT, "configs[1]: unknown kernel 'elll'");
    o.configs = null;
    o.nconfigs = 1;
    refuse_rank("no configuration", &o, SPMVCAST_INVALID_ARGUMENT, "configs[0]: NULL");
    o.configs = parameter;
    refuse_rank("unknown parameter", &o, SPMVCAST_INVALID_ARGUMENT, "configs[0]: ");
    spmvcast_ranking *r = (spmvcast_ranking *)said;
    spmvcast_status status;
    status = spmvcast_rank(c, NULL, pattern, NULL, &r);
    expect("no profile", status, SPMVCAST_INVALID_ARGUMENT, "spmvcast_rank: no profile", r);
    r = (spmvcast_ranking *)said;
    status = spmvcast_rank(c, profile, NULL, NULL, &r);
    expect("no pattern", status, SPMVCAST_INVALID_ARGUMENT, "spmvcast_rank: no pattern", r);
    expect("no place", spmvcast_rank(c, profile, pattern, NULL, NULL), SPMVCAST_INVALID_ARGUMENT,
           "spmvcast_rank: no place", NULL);
}

/* A profile without forecasts for f32 and cold caches. */
static void refuse_targets(const char *path)
{
    spmvcast_profile *warm = profile_of(path);
    spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
    spmvcast_ranking *r = (spmvcast_ranking *)said;
    o.precision = SPMVCAST_F32;
    spmvcast_status status = spmvcast_rank(c, warm, pattern, &o, &r);
    expect("f32", status, SPMVCAST_NO_FORECAST, "has no coefficients for f32, warm", r);
    o.precision = SPMVCAST_F64;
    o.cache = SPMVCAST_COLD;
    status = spmvcast_rank(c, warm, pattern, &o, &r);
    expect("cold", status, SPMVCAST_NO_FORECAST, "has no coefficients for f64, cold", r);
    o.cache = SPMVCAST_WARM;
    status = spmvcast_rank(c, warm, pattern, &o, &r);
    expect("warm", status, SPMVCAST_OK, "", NULL);
    spmvcast_ranking_free(r);
    spmvcast_profile_free(warm);
}

/* ---- results, and no context ---- */
/* As from OMP_NUM_THREADS: OpenMP would end the process. */
static void refuse_threads(const struct made *a)
{
    const spmvcast_csr csr = made_csr(a);
    spmvcast_pattern *p = pattern;
    omp_set_num_threads(100000);
    const spmvcast_status status = spmvcast_pattern_describe(c, &csr, &p);
    omp_set_num_threads(1);
    expect("threads", status, SPMVCAST_INVALID_ARGUMENT,
           "100000 OpenMP threads, expected at most 1024: set OMP_NUM_THREADS", p);
}

static void refuse_results(void)
{
    spmvcast_ranking *r;
    spmvcast_row row = SPMVCAST_ROW_INIT;
    spmvcast_advice advice = SPMVCAST_ADVICE_INIT;
    spmvcast_profile_info about = SPMVCAST_PROFILE_INFO_INIT;
    spmvcast_pattern_info size = SPMVCAST_PATTERN_INFO_INIT;
    spmvcast_context_options limits = SPMVCAST_CONTEXT_OPTIONS_INIT;
    spmvcast_context *other = c;
    spmvcast_profile *no_profile = profile;
    spmvcast_pattern *no_pattern = pattern;
    const char *key, *value;
    double time_s;
    must(c, spmvcast_rank(c, profile, pattern, NULL, &r), "rank");
    const size_t n = spmvcast_ranking_count(r);
#define STATUS(call, expected) expect(#call, call, expected, NULL, NULL)
    STATUS(spmvcast_ranking_row(r, n, &row), SPMVCAST_NO_ENTRY);
    STATUS(spmvcast_ranking_row(r, SPMVCAST_NO_ROW, &row), SPMVCAST_NO_ENTRY);
    STATUS(spmvcast_ranking_row(NULL, 0, &row), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_ranking_row(r, 0, NULL), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_ranking_parameter(r, 0, 1000, &key, &value), SPMVCAST_NO_ENTRY);
    STATUS(spmvcast_ranking_parameter(r, n, 0, &key, &value), SPMVCAST_NO_ENTRY);
    STATUS(spmvcast_ranking_parameter(r, 0, 0, NULL, &value), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_ranking_parameter(NULL, 0, 0, &key, &value), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_ranking_term(r, 0, 1000, &key, &time_s), SPMVCAST_NO_ENTRY);
    STATUS(spmvcast_ranking_term(r, 0, 0, &key, NULL), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_ranking_advice(NULL, &advice), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_ranking_advice(r, NULL), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_profile_get_info(NULL, &about), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_profile_get_info(profile, NULL), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_pattern_get_info(NULL, &size), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_pattern_get_info(pattern, NULL), SPMVCAST_INVALID_ARGUMENT);
    row.size = advice.size = about.size = size.size = limits.size = 8;
    STATUS(spmvcast_ranking_row(r, 0, &row), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_ranking_advice(r, &advice), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_profile_get_info(profile, &about), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_pattern_get_info(pattern, &size), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_context_create(&limits, &other), SPMVCAST_INVALID_ARGUMENT);
    if (other)
        report("context", "an object was returned", "");
    STATUS(spmvcast_context_create(NULL, NULL), SPMVCAST_INVALID_ARGUMENT);
    spmvcast_ranking_free(r);
    STATUS(spmvcast_rank(NULL, profile, pattern, NULL, &r), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_profile_open(NULL, "h200", &no_profile), SPMVCAST_INVALID_ARGUMENT);
    STATUS(spmvcast_pattern_describe(NULL, NULL, &no_pattern), SPMVCAST_INVALID_ARGUMENT);
    if (r || no_profile || no_pattern)
        report("no context", "an object was returned", "");
#undef STATUS
    spmvcast_ranking_free(NULL);
    spmvcast_pattern_free(NULL);
    spmvcast_profile_free(NULL);
    spmvcast_context_free(NULL);
    if (spmvcast_ranking_count(NULL) != 0 || spmvcast_message(NULL)[0] || spmvcast_warning(NULL)[0]
        || spmvcast_memory_used(NULL) != 0)
        report("NULL", "is not empty", "");
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    struct made a = made_matrix(MADE_STENCIL, 1);
    c = context_of(0);
    profile = profile_of(argv[1]);
    pattern = made_pattern(&a);
    refuse_arrays();
    refuse_members();
    refuse_profile("unknown name", "a100", SPMVCAST_NO_PROFILE, "unknown profile 'a100'; found ");
    refuse_profile("no file", "none/none.h5", SPMVCAST_NO_PROFILE, "none/none.h5: No such file or directory");
    refuse_profile("empty name", "", SPMVCAST_NO_PROFILE, "unknown profile ''");
    refuse_profile("damaged", argv[2], SPMVCAST_DAMAGED_FILE, "damaged");
    refuse_profile("without digest", argv[3], SPMVCAST_DAMAGED_FILE, "has no checksum");
    refuse_profile("another kind", argv[4], SPMVCAST_NO_PROFILE, "profile");
    refuse_profile("no archive", argv[0], SPMVCAST_NO_PROFILE, NULL);
    expect("no place", spmvcast_profile_open(c, argv[1], NULL), SPMVCAST_INVALID_ARGUMENT, "no place", NULL);
    refuse_options();
    refuse_targets(argv[5]);
    refuse_threads(&a);
    refuse_results();
    spmvcast_pattern_free(pattern);
    spmvcast_profile_free(profile);
    spmvcast_context_free(c);
    made_free(&a);
    fputs(said, stderr);
    return failed || cases < 80;
}
