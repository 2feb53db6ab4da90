/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts entries once, by numbers, and divides them into contests. */
#include "runs/contests.h"
#include <math.h>
#include <stdlib.h>
#include "base/error.h"
#include "base/ranks.h"

/* The numbers that entries are sorted by: those before CONFIG identify the contest, those before REVISION what was timed; REVISION is
 * inverted, so that the newest comes first, and PLACE is that in the call. */
enum { MAJOR, MINOR, CONFIG, PART, REVISION, PLACE, NKEYS };
struct key {
    int64_t v[NKEYS];
};

/* Returns the first of `n` numbers that differ; n: none. */
static int difference(const struct key *x, const struct key *y, int n)
{
    int i = 0;

    while (i < n && x->v[i] == y->v[i])
        i++;
    return i;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    const int i = difference(x, y, NKEYS);

    return i == NKEYS ? 0 : x->v[i] < y->v[i] ? -1 : 1;
}

static struct key *sort_keys(const struct contest_entry *entry, int64_t n, enum contest_order order)
{
    struct key *key = xmalloc(sizeof *key * (unsigned long)(n + 1));
    const char **text = xmalloc(sizeof *text * (unsigned long)(n + 1));
    int64_t *config = xmalloc(sizeof *config * (unsigned long)(n + 1)),
            *part = xmalloc(sizeof *part * (unsigned long)(n + 1));

    for (int64_t i = 0; i < n; i++)
        text[i] = entry[i].config;
    texts_rank(text, n, config, NULL);
    for (int64_t i = 0; i < n; i++)
        text[i] = entry[i].part;
    texts_rank(text, n, part, NULL);
    for (int64_t i = 0; i < n; i++) {
        const struct contest_entry *e = &entry[i];
        key[i] = (struct key){ { order == BY_TARGET ? e->target : e->matrix, order == BY_TARGET ? e->matrix : e->target,
                                 config[i], part[i], ~e->revision, i } };
    }
    qsort(key, (size_t)n, sizeof *key, compare_keys);
    free(text);
    free(config);
    free(part);
    return key;
}

/* Adds the contest of n entries, given by their sorted keys, unless all are of parts. */
static void add_contest(struct contest_table *t, const struct contest_entry *entry, const struct key *key, int64_t n)
{
    struct contest_span span = { .first = t->nentries, .best = -1, .best_time = INFINITY };
    bool whole = false;

    for (int64_t i = 0; i < n && !whole; i++)
        whole = !entry[key[i].v[PLACE]].part[0];
    for (int64_t i = 0, newest = 0; i < n && whole; i++) {
        const struct contest_entry *e = &entry[key[i].v[PLACE]];
        newest = difference(&key[newest], &key[i], REVISION) < REVISION ? i : newest;
        if (key[i].v[REVISION] != key[newest].v[REVISION]) {
            t->older[t->nolder++] = e->index;
            continue;
        }
        if (!e->part[0] && (span.best < 0 ? !isnan(e->time) : e->time < span.best_time)) {
            span.best = t->nentries;
            span.best_time = e->time;
        }
        t->entry[t->nentries++] = *e;
    }
    span.end = t->nentries;
    if (whole)
        t->one[t->n++] = span;
}

void contest_table_make(struct contest_table *t, const struct contest_entry *entry, int64_t n, enum contest_order order)
{
    const unsigned long room = (unsigned long)n + 1;
    struct key *key = sort_keys(entry, n, order);

    *t = (struct contest_table){ .entry = xmalloc(sizeof *t->entry * room),
                                 .older = xmalloc(sizeof *t->older * room),
                                 .one = xmalloc(sizeof *t->one * room) };
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && difference(&key[first], &key[end], CONFIG) == CONFIG; end++)
            ;
        add_contest(t, entry, key + first, end - first);
    }
    for (int64_t k = t->n - 1; k >= 0; k--)
        t->one[k].target_end = k + 1 < t->n && t->entry[t->one[k + 1].first].target == t->entry[t->one[k].first].target
                                   ? t->one[k + 1].target_end
                                   : k + 1;
    free(key);
}

void contest_table_free(struct contest_table *t)
{
    free(t->entry);
    free(t->older);
    free(t->one);
    *t = (struct contest_table){ 0 };
}
