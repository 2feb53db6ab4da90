/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory exhaustion of libspmvcast at every size:
 *     library_memory PROFILE.h5 [open|describe|rank]
 * Each call is repeated with the limit that the last one asked for, from 1 byte on, until it succeeds. Every failure must be
 * SPMVCAST_OUT_OF_MEMORY with a message and no object, and leak neither memory nor file descriptors; the last result must be that
 * of a call without a limit. Prints the number of failures of each call. */
#include <dirent.h>
#include <malloc.h>
#include "library.h"

enum { LEAK = 4096 }; /* bytes by which the caches of HDF5 and the C library may differ; calls fail dozens of times */

struct call {
    const char *name;
    const spmvcast_profile *profile;
    const spmvcast_pattern *pattern;
    const char *path;
    const spmvcast_csr *csr;
    spmvcast_status (*make)(struct call *, spmvcast_context *);
    void (*print)(FILE *, const struct call *);
    void (*free)(struct call *);
    void *made;
};

static spmvcast_status make_profile(struct call *k, spmvcast_context *c)
{
    spmvcast_profile *p = (spmvcast_profile *)k;
    const spmvcast_status status = spmvcast_profile_open(c, k->path, &p);
    k->made = p;
    return status;
}
static void free_profile(struct call *k) { spmvcast_profile_free(k->made); }
/* What a profile says of itself, and how it ranks. */
static void text_of_profile(FILE *f, const struct call *k)
{
    char *text = ranking_text(k->made, k->pattern, 10);
    print_profile(f, k->made);
    fputs(text, f);
    free(text);
}

static spmvcast_status make_pattern(struct call *k, spmvcast_context *c)
{
    spmvcast_pattern *p = (spmvcast_pattern *)k;
    const spmvcast_status status = spmvcast_pattern_describe(c, k->csr, &p);
    k->made = p;
    return status;
}
static void free_pattern(struct call *k) { spmvcast_pattern_free(k->made); }
static void text_of_pattern(FILE *f, const struct call *k)
{
    char *text = ranking_text(k->profile, k->made, 10);
    print_pattern(f, k->made);
    fputs(text, f);
    free(text);
}

static spmvcast_status make_ranking(struct call *k, spmvcast_context *c)
{
    static const char *const configs[] = { "ell", "sell:sigma=32", "csr-vector:lanes=4", "cusparse-csr" };
    spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
    spmvcast_ranking *r = (spmvcast_ranking *)k;
    o.products = 200;
    if (strcmp(k->name, "rank four") == 0) {
        o.configs = configs;
        o.nconfigs = sizeof configs / sizeof configs[0];
    }
    const spmvcast_status status = spmvcast_rank(c, k->profile, k->pattern, &o, &r);
    k->made = r;
    return status;
}
static void free_ranking(struct call *k) { spmvcast_ranking_free(k->made); }
static void text_of_ranking(FILE *f, const struct call *k) { print_ranking(f, k->made, 1); }

static char *text_of(const struct call *k)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    k->print(f, k);
    if (fclose(f) != 0)
        exit(1);
    return text;
}

static int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    return d ? closedir(d), n : -1;
}

static size_t allocated(void) { return mallinfo2().uordblks; }

static int failed;
static void complain(const struct call *k, size_t limit, const char *what, const char *text)
{
    fprintf(stderr, "%s with a limit of %zu bytes: %s: %s\n", k->name, limit, what, text);
    failed = 1;
}

/* Calls with limits from 1 byte on; returns the number of failures. */
static int exhaust(struct call *k)
{
    int n = 0;
    for (size_t limit = 1;; n++) {
        spmvcast_context *c = context_of(limit);
        const spmvcast_status status = k->make(k, c);
        const size_t used = spmvcast_memory_used(c);
        if (status == SPMVCAST_OK) {
            if (used > limit)
                complain(k, limit, "more memory used than allowed", "");
            spmvcast_context_free(c);
            return n;
        }
        if (status != SPMVCAST_OUT_OF_MEMORY)
            complain(k, limit, spmvcast_status_text(status), spmvcast_message(c));
        if (!strstr(spmvcast_message(c), "out of memory") || !strstr(spmvcast_message(c), "memory_limit"))
            complain(k, limit, "the message does not tell", spmvcast_message(c));
        if (k->made)
            complain(k, limit, "an object was returned", "");
        if (used <= limit)
            complain(k, limit, "no larger limit was asked for", spmvcast_message(c));
        spmvcast_context_free(c);
        if (failed)
            exit(1);
        limit = used;
    }
}

static void test(struct call *k)
{
    spmvcast_context *c = context_of(0);
    must(c, k->make(k, c), k->name);
    spmvcast_context_free(c);
    char *expected = text_of(k);
    k->free(k);
    for (int i = 0; i < 2; i++) { /* fills the caches of HDF5 and the C library */
        exhaust(k);
        k->free(k);
    }
    const int files = open_files();
    const size_t before = allocated();
    const int n = exhaust(k);
    if (open_files() != files)
        complain(k, 0, "files stay open", "");
    char *text = text_of(k);
    if (strcmp(text, expected) != 0)
        complain(k, 0, "the result differs from that without a limit", "");
    free(text);
    k->free(k);
    const size_t after = allocated();
    if (after > before + LEAK)
        fprintf(stderr, "%s: %zu bytes leaked in %d calls\n", k->name, after - before, n), failed = 1;
    free(expected);
    printf("%s\t%d\n", k->name, n);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct made small = made_matrix(MADE_POWER, 1);
    for (int64_t i = 0; i <= small.rows; i++)
        small.narrow[i]++;
    for (int64_t k = 0; k < small.wide[small.rows]; k++)
        small.col[k]++;
    spmvcast_csr csr = made_csr(&small);
    csr.base = 1;
    spmvcast_context *c = context_of(0);
    spmvcast_profile *profile = profile_of(argv[1]);
    spmvcast_pattern *pattern;
    must(c, spmvcast_pattern_describe(c, &csr, &pattern), "describe");
    struct call calls[] = {
        { "open", NULL, pattern, argv[1], NULL, make_profile, text_of_profile, free_profile, NULL },
        { "describe", profile, NULL, NULL, &csr, make_pattern, text_of_pattern, free_pattern, NULL },
        { "rank", profile, pattern, NULL, NULL, make_ranking, text_of_ranking, free_ranking, NULL },
        { "rank four", profile, pattern, NULL, NULL, make_ranking, text_of_ranking, free_ranking, NULL },
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (argc < 3 || strcmp(argv[2], calls[i].name) == 0)
            test(&calls[i]);
    spmvcast_pattern_free(pattern);
    spmvcast_profile_free(profile);
    spmvcast_context_free(c);
    made_free(&small);
    return failed;
}
