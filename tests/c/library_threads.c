/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads use libspmvcast at once:
 *     library_threads PROFILE.h5 [THREADS [ROUNDS]]
 * Each thread has a context of its own, describes and ranks its matrix under one common profile, opens the profile again, and makes
 * calls that fail. Its rankings must be those of one thread. Built with ThreadSanitizer by tests/library.bats and scripts/builds.sh. */
#include <pthread.h>
#include "library.h"

struct work {
    pthread_t thread;
    const char *path;
    const spmvcast_profile *profile;
    const spmvcast_pattern *common;
    const char *expected, *expected_common;
    struct made matrix;
    int rounds, failed;
};

static void check(struct work *w, int holds, const char *what)
{
    if (holds)
        return;
    w->failed = 1;
    fprintf(stderr, "%s: %s\n", w->matrix.name, what);
}

static int same_text(const spmvcast_profile *p, const spmvcast_pattern *pattern, const char *expected)
{
    char *text = ranking_text(p, pattern, 200);
    const int same = strcmp(text, expected) == 0;
    free(text);
    return same;
}

/* Calls that fail, whose messages must be those of this thread. */
static void fail_calls(struct work *w, spmvcast_context *c)
{
    spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
    spmvcast_profile *p;
    spmvcast_ranking *r;
    spmvcast_context *little = context_of(1000);
    o.model = w->matrix.name;
    check(w, spmvcast_rank(c, w->profile, w->common, &o, &r) == SPMVCAST_INVALID_ARGUMENT, "an unknown model");
    check(w, strstr(spmvcast_message(c), w->matrix.name) != NULL, "the message of another thread");
    check(w, spmvcast_profile_open(c, w->matrix.name, &p) == SPMVCAST_NO_PROFILE, "an unknown profile");
    check(w, spmvcast_profile_open(little, w->path, &p) == SPMVCAST_OUT_OF_MEMORY, "little memory to open");
    check(w, spmvcast_rank(little, w->profile, w->common, NULL, &r) == SPMVCAST_OUT_OF_MEMORY, "little memory to rank");
    spmvcast_context_free(little);
}

static void *run(void *work)
{
    struct work *w = work;
    spmvcast_context *c = context_of(0);
    for (int i = 0; i < w->rounds; i++) {
        spmvcast_pattern *pattern = made_pattern(&w->matrix);
        spmvcast_profile *own = profile_of(w->path);
        check(w, same_text(w->profile, pattern, w->expected), "another ranking than in one thread");
        check(w, same_text(own, pattern, w->expected), "another ranking under a profile of its own");
        check(w, same_text(w->profile, w->common, w->expected_common), "another ranking of the common pattern");
        fail_calls(w, c);
        spmvcast_profile_free(own);
        spmvcast_pattern_free(pattern);
    }
    spmvcast_context_free(c);
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 16 };
    struct work w[MOST] = { 0 };
    char *expected[NMADE];
    if (argc < 2)
        return 2;
    const int threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 2,
              rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
    spmvcast_profile *profile = profile_of(argv[1]);
    for (int k = 0; k < NMADE; k++) {
        struct made a = made_matrix(k, 1);
        spmvcast_pattern *pattern = made_pattern(&a);
        expected[k] = ranking_text(profile, pattern, 200);
        spmvcast_pattern_free(pattern);
        made_free(&a);
    }
    struct made a = made_matrix(MADE_POWER, 1);
    spmvcast_pattern *common = made_pattern(&a);
    int failed = 0, n = 0;
    for (; n < threads && n < MOST; n++) {
        w[n] = (struct work){ .path = argv[1], .profile = profile, .common = common, .rounds = rounds };
        w[n].matrix = made_matrix(n % NMADE, 1);
        w[n].expected = expected[n % NMADE];
        w[n].expected_common = expected[MADE_POWER];
    }
    for (int i = 0; i < n; i++)
        if (pthread_create(&w[i].thread, NULL, run, &w[i]) != 0)
            return 1;
    for (int i = 0; i < n; i++) {
        pthread_join(w[i].thread, NULL);
        failed |= w[i].failed;
        made_free(&w[i].matrix);
    }
    for (int k = 0; k < NMADE; k++)
        free(expected[k]);
    spmvcast_pattern_free(common);
    spmvcast_profile_free(profile);
    made_free(&a);
    return failed;
}
