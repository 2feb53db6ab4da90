/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks ranks of texts (base/ranks.h) and contests (runs/contests.h) on small examples, and contests of many drawn entries against
 * a search of all entries. */
#include "runs/contests.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/ranks.h"
#include "base/target.h"

static long checks;

static void check(bool good, const char *what)
{
    checks++;
    if (!good)
        die("%s", what);
}

static void check_ranks(void)
{
    const char *const text[] = { "csr", "", "ell", "csr", "coo", "" };
    const int64_t expected[] = { 2, 0, 3, 2, 1, 0 };
    const char **distinct;
    int64_t rank[6];

    check(texts_rank(text, 6, rank, &distinct) == 4, "number of different texts");
    check(memcmp(rank, expected, sizeof rank) == 0, "ranks sort like their texts");
    check(distinct[0] == text[1] && distinct[1] == text[4] && distinct[2] == text[0], "texts by rank");
    free(distinct);
    check(texts_rank(text, 0, rank, NULL) == 0, "no text");
}

static void check_targets(void)
{
    int64_t last = -1;

    for (int precision = -1; precision < NPRECISIONS; precision++)
        for (int cache = -1; cache < NCACHES; cache++)
            for (int launch = -1; launch < NLAUNCHES; launch++) {
                check(target_key(precision, cache, launch) > last, "targets sort by precision, cache state, launch");
                last = target_key(precision, cache, launch);
            }
}

/* Matrix 7 comes before 8. Target 1: csr was timed with revisions 1 and 3, hyb as a whole and its tail. Matrix 8, target 1: only a
 * part was timed. */
static const struct contest_entry small[] = {
    { 10, 7, 2, "ell", "", 1, 6 }, { 11, 7, 1, "csr", "", 1, 1 },     { 12, 7, 1, "hyb", "tail", 1, 2 },
    { 13, 7, 1, "hyb", "", 1, 9 }, { 14, 7, 1, "csr", "", 3, 5 },     { 15, 8, 1, "hyb", "head", 1, 1 },
    { 16, 8, 2, "csr", "", 1, 4 }, { 17, 7, 1, "hyb", "tail", 2, 3 }, { 18, 7, 1, "bro", "", 1, 5 },
};
enum { SMALL = sizeof small / sizeof small[0] };

static void check_order(enum contest_order order, int64_t n, const int64_t *expected)
{
    struct contest_table t;

    contest_table_make(&t, small, SMALL, order);
    check(t.nentries == n, "older revisions, and parts without a whole, are left out");
    for (int64_t i = 0; i < n; i++)
        check(t.entry[i].index == expected[i], "order of entries");
    check(t.nolder == 2 && t.older[0] == 11 && t.older[1] == 12, "older revisions are told in order");
    check(t.n == 3 && t.one[0].first == 0 && t.one[0].end == 4 && t.one[2].end == n, "contests");
    check(t.one[0].best == 0 && t.entry[0].index == 18 && t.one[0].best_time == 5,
          "best: the first of equal times, no part, no older revision");
    check(t.one[0].target_end == 1 && t.one[1].target_end == 3 && t.one[2].target_end == 3, "contests of one target");
    contest_table_free(&t);
}

static void check_small(void)
{
    const int64_t expected[] = { 18, 14, 13, 17, 10, 16 };
    const struct contest_entry missing[] = { { 0, 1, 1, "a", "", INT64_MIN, NAN },
                                             { 1, 1, 1, "b", "", INT64_MIN, NAN } };
    struct contest_table t;

    check_order(BY_TARGET, 6, expected);
    check_order(BY_MATRIX, 6, expected);
    contest_table_make(&t, missing, 2, BY_TARGET);
    check(t.n == 1 && t.nentries == 2 && t.one[0].best == -1 && isinf(t.one[0].best_time), "no time");
    contest_table_free(&t);
    contest_table_make(&t, missing, 0, BY_TARGET);
    check(t.n == 0 && t.nentries == 0, "no entry");
    contest_table_free(&t);
    check(contest_near(10, 5) && !contest_near(10.1, 5) && !contest_near(NAN, 5), "near: at most twice the best time");
}

/* ---- drawn entries */
enum { DRAWN = 4000 };

static uint64_t next(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static bool same_contest(const struct contest_entry *x, const struct contest_entry *y)
{
    return x->matrix == y->matrix && x->target == y->target;
}

static bool has_newer(const struct contest_entry *all, const struct contest_entry *e)
{
    bool newer = false;

    for (int i = 0; i < DRAWN; i++)
        newer = newer
                || (same_contest(&all[i], e) && strcmp(all[i].config, e->config) == 0 && all[i].revision > e->revision);
    return newer;
}

static void check_drawn(enum contest_order order)
{
    static const char *const config[] = { "csr", "csr-vector:lanes=4", "ell", "sell:c=32", "bro", "coo" };
    static struct contest_entry all[DRAWN];
    struct contest_table t;
    uint64_t state = 3;
    int64_t newest = 0;

    for (int i = 0; i < DRAWN; i++)
        all[i] = (struct contest_entry){ .index = i,
                                         .matrix = (int64_t)next(&state, 40),
                                         .target = (int64_t)next(&state, 5),
                                         .config = config[next(&state, 6)],
                                         .part = "",
                                         .revision = (int64_t)next(&state, 4),
                                         .time = 1 + (double)next(&state, 1000) };
    contest_table_make(&t, all, DRAWN, order);
    for (int i = 0; i < DRAWN; i++)
        newest += !has_newer(all, &all[i]);
    check(t.nentries == newest && t.nentries + t.nolder == DRAWN, "entries with the newest revision are kept");
    for (int64_t k = 0; k < t.n; k++) {
        const struct contest_span *one = &t.one[k];
        double best = INFINITY;
        for (int i = 0; i < DRAWN; i++)
            if (same_contest(&all[i], &t.entry[one->first]) && !has_newer(all, &all[i]))
                best = fmin(best, all[i].time);
        check(one->best_time == best && t.entry[one->best].time == best, "best time");
        for (int64_t i = one->first; i < one->end; i++)
            check(same_contest(&t.entry[i], &t.entry[one->first]), "entries of one contest");
        check(one->end == (k + 1 < t.n ? t.one[k + 1].first : t.nentries), "contests without gaps");
        check(k + 1 == t.n || !same_contest(&t.entry[one->first], &t.entry[one->end]), "each contest once");
    }
    contest_table_free(&t);
}

int main(void)
{
    check_ranks();
    check_targets();
    check_small();
    check_drawn(BY_TARGET);
    check_drawn(BY_MATRIX);
    printf("%ld checks\n", checks);
    return 0;
}
