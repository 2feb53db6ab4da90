/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of a recipe (recipe.h). Up to 2^22 nonzeros they are computed from the whole pattern. Beyond, row lengths
 * are still exact, and features that depend on columns come from samples (recipe_sample.h). */
#include <stdlib.h>
#include <string.h>
#include "matrix/length_tally.h"
#include "recipes/recipe_csr.h"
#include "recipes/recipe_rows.h"
#include "recipes/recipe_sample.h"

enum { GROUP_ROWS = 32, COUNTED = 1 << 16, EXACT_NNZ = 1 << 22 };

/* Results of one pass over all row lengths: histograms of the longest rows of groups of 1, 2, .. 32 rows, in which lengths
 * from `counted` on are listed; the heaviest groups; the longest row. */
struct walk {
    struct length_tally lengths[GROUPS];
    int64_t heaviest[HEAVIEST], longest, longest_length; /* the first of the longest rows */
};

static void walk_open(struct walk *w, int64_t counted)
{
    memset(w, 0, sizeof *w);
    for (int k = 0; k < GROUPS; k++)
        w->lengths[k] = length_tally_open(counted, 0);
}

static void walk_close(struct walk *w)
{
    for (int k = 0; k < GROUPS; k++)
        length_tally_close(&w->lengths[k]);
}

static void walk_merge(struct walk *into, const struct walk *from)
{
    for (int k = 0; k < GROUPS; k++)
        length_tally_merge(&into->lengths[k], &from->lengths[k]);
    if (from->longest_length > into->longest_length
        || (from->longest_length == into->longest_length && from->longest < into->longest)) {
        into->longest = from->longest;
        into->longest_length = from->longest_length;
    }
    for (int k = 0; k < HEAVIEST; k++)
        into->heaviest[k] = recipe_max(into->heaviest[k], from->heaviest[k]);
}

/* Incomplete groups of 2^k rows: entries and longest row of their complete halves. */
struct open_groups {
    int64_t sum[HEAVIEST + 1], top[HEAVIEST + 1];
};

/* Adds the complete group k to the results and to the group of twice as many rows. */
static void group_done(struct walk *w, struct open_groups *g, int k)
{
    if (k < GROUPS)
        length_tally_add(&w->lengths[k], g->top[k]);
    w->heaviest[k] = recipe_max(w->heaviest[k], g->sum[k]);
    g->sum[k + 1] += g->sum[k];
    g->top[k + 1] = recipe_max(g->top[k + 1], g->top[k]);
    g->sum[k] = g->top[k] = 0;
}

/* Adds rows first .. end - 1, at most SAMPLE_ROWS = 2^(HEAVIEST - 1); first is a multiple of that. Returns their
 * entries. */
static int64_t walk_rows(struct walk *w, const struct recipe *r, int64_t first, int64_t end)
{
    struct open_groups g = { { 0 }, { 0 } };
    for (int64_t i = first; i < end; i++) {
        int64_t length = recipe_row_length(r, i), done = i + 1 - first;
        if (length > w->longest_length)
            w->longest = i, w->longest_length = length;
        g.sum[0] = g.top[0] = length;
        group_done(w, &g, 0);
        for (int k = 1; k < HEAVIEST && (done & ((1 << k) - 1)) == 0; k++)
            group_done(w, &g, k);
    }
    for (int k = 1; k < HEAVIEST; k++) /* incomplete groups at the end of the matrix */
        if (((end - first) & ((1 << k) - 1)) != 0)
            group_done(w, &g, k);
    return g.sum[HEAVIEST];
}

/* Sets the features of row lengths if all rows have the same length. */
static void lengths_constant(const struct recipe *r, struct features *f)
{
    for (int k = 0; k < GROUPS; k++) {
        struct histogram *h = &f->lengths[k];
        h->n = 1;
        h->value = xmalloc(sizeof *h->value);
        h->count = xmalloc(sizeof *h->count);
        h->value[0] = recipe_longest(r);
        h->count[0] = (r->rows + (1 << k) - 1) >> k;
    }
    for (int k = 0; k < HEAVIEST; k++)
        f->heaviest[k] = recipe_longest(r) * recipe_min((int64_t)1 << k, r->rows);
}

/* Computes lengths and heaviest groups, and the entries of each SAMPLE_ROWS rows in `entries`. Returns the
 * number of the longest row. */
static int64_t lengths_of(const struct recipe *r, struct features *f, int64_t *entries)
{
    struct walk sum;
    int64_t counted = recipe_min(recipe_longest(r) + 1, COUNTED);
    walk_open(&sum, counted);
#pragma omp parallel
    {
        struct walk mine;
        walk_open(&mine, counted);
#pragma omp for
        for (int64_t first = 0; first < r->rows; first += SAMPLE_ROWS)
            entries[first / SAMPLE_ROWS] = walk_rows(&mine, r, first, recipe_min(first + SAMPLE_ROWS, r->rows));
#pragma omp critical(recipe_lengths)
        walk_merge(&sum, &mine);
        walk_close(&mine);
    }
    for (int k = 0; k < GROUPS; k++)
        length_tally_histogram(&sum.lengths[k], &f->lengths[k]);
    memcpy(f->heaviest, sum.heaviest, sizeof f->heaviest);
    walk_close(&sum);
    return sum.longest;
}

/* Computes the features from the whole pattern, without values. */
static void exact_features(const struct recipe *r, int64_t nnz, struct features *f)
{
    struct csr m = { r->rows, r->cols, nnz, NULL, NULL, NULL };
    m.row_ptr = xcalloc((unsigned long)r->rows + 1, sizeof *m.row_ptr);
    m.col = xmalloc((unsigned long)(m.nnz + 1) * sizeof *m.col);
#pragma omp parallel for
    for (int64_t i = 0; i < r->rows; i++)
        m.row_ptr[i + 1] = recipe_row_length(r, i);
    for (int64_t i = 0; i < r->rows; i++)
        m.row_ptr[i + 1] += m.row_ptr[i];
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < r->rows; i++)
        recipe_row_columns(r, i, m.row_ptr[i + 1] - m.row_ptr[i], m.col + m.row_ptr[i]);
    features_of(&m, f);
    free(m.row_ptr);
    free(m.col);
}

static void pattern_features(const struct recipe *r, struct features *f)
{
    const struct recipe_kind_facts *kind = recipe_facts(r->kind);
    int64_t *entries = NULL, longest = 0;
    memset(f, 0, sizeof *f);
    f->rows = r->rows;
    f->cols = r->cols;
    if (kind->nnz && kind->nnz(r) <= EXACT_NNZ) {
        exact_features(r, kind->nnz(r), f);
        return;
    }
    if (kind->constant) {
        lengths_constant(r, f);
    } else {
        entries = xcalloc((unsigned long)(r->rows / SAMPLE_ROWS + 1), sizeof *entries);
        longest = lengths_of(r, f, entries);
    }
    for (int i = 0; i < f->lengths[0].n; i++)
        f->nnz += f->lengths[0].value[i] * f->lengths[0].count[i];
    if (f->nnz <= EXACT_NNZ) {
        int64_t nnz = f->nnz;
        features_free(f);
        exact_features(r, nnz, f);
    } else {
        features_derive(f);
        if (kind->windowed)
            recipe_features_windowed(r, f);
        else
            recipe_features_drawn(r, entries, longest, f);
    }
    free(entries);
}

void recipe_values(const struct recipe *r, struct features *f)
{
    static const struct {
        int64_t distinct;
        bool narrow;
    } kinds[NRECIPE_VALUES] = {
#define RECIPE_VALUES(NAME, name, distinct, narrow) { distinct, narrow },
#include "recipes/recipe_values.def"
#undef RECIPE_VALUES
    };
    int64_t distinct = kinds[r->values].distinct;
    if (distinct < 0)
        distinct = r->values == VALUES_LAPLACIAN ? f->row_max + 1 : f->lengths[0].n - (f->row_empty > 0);
    f->values_f64 = f->values_f32 = recipe_min(distinct, VALUES_MOST + 1);
    f->values_narrow = kinds[r->values].narrow
                       && (r->values != VALUES_LAPLACIAN || f->row_max <= 1 << 24); /* the integers that f32 has */
}

void recipe_features(const struct recipe *r, struct features *f)
{
    pattern_features(r, f);
    recipe_values(r, f);
}
