/* SPDX-License-Identifier: BSD-3-Clause */
/* A run archive in memory: rows by key, matrices by source. */
#include "runs/rows.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "formats/format.h"

static const struct column run_columns[] = {
#define RUN_TEXT(name, bytes, about) COLUMN_TEXT_OF(struct run_row, name, about),
#define RUN_WORD(name, words, bytes, about) COLUMN_WORD_OF(struct run_row, name, words, bytes, about),
#define RUN_INT(name, unit, about) COLUMN_OF(struct run_row, name, COLUMN_I64, unit, about),
#define RUN_REAL(name, unit, about) COLUMN_OF(struct run_row, name, COLUMN_F64, unit, about),
#define RUN_FLOATS(name, n, unit, about) COLUMN_ARRAY_OF(struct run_row, name, COLUMN_F32, n, unit, about),
#include "runs/run_row.def"
#undef RUN_TEXT
#undef RUN_WORD
#undef RUN_INT
#undef RUN_REAL
#undef RUN_FLOATS
};
const struct schema run_schema = SCHEMA_OF(struct run_row, "rows", run_columns);

/* ---- hash tables of slots (row + 1; 0: free), at most half full ---- */

struct slots {
    uint64_t size;
    int64_t used, *slot;
};

/* rows_seen, matrices_seen: the arrays that were indexed. row_room, matrix_room: their capacities; an array
 * allocated elsewhere counts as full. */
struct runs_index {
    struct slots rows, matrices;
    const void *rows_seen, *matrices_seen;
    int64_t row_room, matrix_room;
};

static uint64_t hash_source(const char *id) { return hash_text(0, id); }

static uint64_t hash_row(const struct runs *r, const struct run_row *row)
{
    uint64_t h = hash_text(hash_text(hash_source(row->source_id), row->config), row->part);

    h = hash_text(h, row->device_key) ^ (r->any_revision ? 0 : (uint64_t)row->revision)
        ^ (uint64_t)target_key(row->precision, row->cache, GRAPH) << 32;
    return h * UINT64_C(0x9E3779B97F4A7C15);
}

static void slots_reset(struct slots *p, int64_t n)
{
    free(p->slot);
    for (p->size = 64; p->size < 2 * (uint64_t)(n + 1); p->size *= 2)
        ;
    p->slot = xcalloc(p->size, sizeof *p->slot);
    p->used = 0;
}

static uint64_t slot_of(const struct slots *p, uint64_t hash) { return (hash ^ hash >> 32) & (p->size - 1); }

bool run_row_is_example(const struct run_row *r, const struct matrix_row *m)
{
    return strcmp(r->role, "matrix") == 0
           || (strcmp(r->role, "benchmark") == 0 && strcmp(m->recipe_role, ROLE_TRAIN) == 0);
}

/* Compares the keys without revision, driver and build. */
static int compare_place(const struct run_row *a, const struct run_row *b)
{
    int d = strcmp(a->source_id, b->source_id);

    d = d ? d : strcmp(a->config, b->config);
    d = d ? d : word_compare(&precision_words, a->precision, b->precision);
    d = d ? d : word_compare(&cache_words, a->cache, b->cache);
    d = d ? d : strcmp(a->part, b->part);
    return d ? d : strcmp(a->device_key, b->device_key);
}

static int compare_revision(const struct run_row *a, const struct run_row *b)
{
    return (a->revision > b->revision) - (a->revision < b->revision);
}

static int compare_software(const struct run_row *a, const struct run_row *b)
{
    const int d = strcmp(a->driver, b->driver);

    return d ? d : strcmp(a->build, b->build);
}

int run_row_compare_key(const struct run_row *a, const struct run_row *b)
{
    int d = compare_place(a, b);

    d = d ? d : compare_revision(a, b);
    return d ? d : compare_software(a, b);
}

static bool same_key(const struct runs *r, const struct run_row *a, const struct run_row *b)
{
    return compare_place(a, b) == 0 && (r->any_revision || compare_revision(a, b) == 0)
           && (!r->every_build || compare_software(a, b) == 0);
}

/* Returns the slot of the row with that key, or the free slot for it. */
static int64_t *find_row(const struct runs *r, const struct run_row *key)
{
    const struct slots *p = &r->index->rows;
    uint64_t i = slot_of(p, hash_row(r, key));

    while (p->slot[i] && !same_key(r, &r->rows[p->slot[i] - 1], key))
        i = (i + 1) & (p->size - 1);
    return &p->slot[i];
}

static int64_t *find_matrix(const struct runs *r, const char *source_id)
{
    const struct slots *p = &r->index->matrices;
    uint64_t i = slot_of(p, hash_source(source_id));

    while (p->slot[i] && strcmp(r->matrices[p->slot[i] - 1].source_id, source_id) != 0)
        i = (i + 1) & (p->size - 1);
    return &p->slot[i];
}

static void index_rows(struct runs *r)
{
    slots_reset(&r->index->rows, 2 * r->nrows);
    for (int64_t k = 0; k < r->nrows; k++)
        *find_row(r, &r->rows[k]) = k + 1;
    r->index->rows.used = r->nrows;
}

static void index_matrices(struct runs *r)
{
    slots_reset(&r->index->matrices, 2 * r->nmatrices);
    for (int64_t k = 0; k < r->nmatrices; k++)
        *find_matrix(r, r->matrices[k].source_id) = k + 1;
    r->index->matrices.used = r->nmatrices;
}

void runs_index(struct runs *r)
{
    if (!r->index)
        r->index = xcalloc(1, sizeof *r->index);
    if (r->index->rows_seen != r->rows || r->index->rows.used != r->nrows || !r->index->rows.size) {
        r->index->rows_seen = r->rows;
        r->index->row_room = r->nrows;
        index_rows(r);
    }
    if (r->index->matrices_seen != r->matrices || r->index->matrices.used != r->nmatrices || !r->index->matrices.size) {
        r->index->matrices_seen = r->matrices;
        r->index->matrix_room = r->nmatrices;
        index_matrices(r);
    }
}

/* ---- single rows ---- */

void run_row_blank(struct run_row *r)
{
    row_blank(&run_schema, r);
    for (int i = 0; i < run_schema.ncolumns; i++)
        if (run_schema.columns[i].type == COLUMN_I64)
            memset((char *)r + run_schema.columns[i].offset, 0, (size_t)run_schema.columns[i].width * sizeof(int64_t));
}

static const char *const outcomes[NOUTCOMES] = {
    [OUTCOME_OK] = "ok",   [OUTCOME_NOISY] = "noisy",     [OUTCOME_NA] = "na",
    [OUTCOME_OOM] = "oom", [OUTCOME_CRASHED] = "crashed", [OUTCOME_WRONG] = "wrong",
};
const char *row_outcome_name(enum row_outcome o) { return outcomes[o]; }

enum row_outcome row_outcome_find(const char *name)
{
    enum row_outcome o = 0;

    while (o < NOUTCOMES && strcmp(outcomes[o], name) != 0)
        o++;
    return o;
}

enum row_outcome row_outcome(const struct run_row *r) { return row_outcome_find(r->outcome); }

static const char *const codes[NROWCODES] = { [ROW_PLAIN] = "", [ROW_SKIPPED] = "skipped" };
const char *row_code_name(enum row_code c) { return codes[c]; }

bool run_row_skipped(const struct run_row *r)
{
    return strcmp(r->code, codes[ROW_SKIPPED]) == 0 && strcmp(r->outcome, "na") == 0;
}

const char run_row_skip_advice[] = ": --sweep exhaustive or -c times it";

void run_row_loaded(struct run_row *r)
{
    const size_t n = strlen(r->reason), m = strlen(run_row_skip_advice);

    if (!r->code[0] && strcmp(r->outcome, "na") == 0 && n >= m && strcmp(r->reason + n - m, run_row_skip_advice) == 0)
        TEXT_SET(r->code, codes[ROW_SKIPPED]);
}

void run_row_set_failure_domain(struct run_row *r, const char *domain) { TEXT_SET(r->reason, domain); }
const char *run_row_failure_domain(const struct run_row *r) { return r->reason; }

/* ---- adding ---- */

/* Returns whether `old` remains because a sweep left `new` out, while `old` was measured. */
static bool outlives(const struct run_row *old, const struct run_row *new)
{
    return run_row_skipped(new) && strcmp(old->outcome, "na") != 0;
}

static bool replaces(const struct run_row *old, const struct run_row *new)
{
    const enum row_outcome o = row_outcome(new);

    if (compare_revision(old, new) != 0)
        return compare_revision(old, new) < 0;
    if (row_outcome(old) == OUTCOME_OK && (o == NOUTCOMES || o == OUTCOME_CRASHED || o == OUTCOME_NOISY))
        return false;
    if (compare_software(old, new) == 0 || (o == OUTCOME_OK && row_outcome(old) != OUTCOME_OK))
        return true;
    return strcmp(new->measured, old->measured) > 0;
}

void runs_keep_repeat(struct runs *r, const struct run_row *row)
{
    runs_index(r);
    const int64_t slot = *find_row(r, row);
    const struct run_row *old = slot ? &r->rows[slot - 1] : NULL;

    if (!old || row_outcome(old) != OUTCOME_OK || row_outcome(row) != OUTCOME_OK || compare_software(old, row) != 0
        || strcmp(old->measured, row->measured) == 0)
        return;
    if ((r->nrepeats & (r->nrepeats - 1)) == 0)
        r->repeats = xrealloc(r->repeats, (unsigned long)(r->nrepeats ? 2 * r->nrepeats : 1) * sizeof *r->repeats);
    r->repeats[r->nrepeats++] = *old;
}

void runs_add_row(struct runs *r, const struct run_row *row)
{
    runs_index(r);
    int64_t *slot = find_row(r, row);

    if (*slot) {
        r->other_builds += compare_software(&r->rows[*slot - 1], row) != 0;
        if (!outlives(&r->rows[*slot - 1], row) && replaces(&r->rows[*slot - 1], row))
            r->rows[*slot - 1] = *row;
        return;
    }
    if (r->nrows == r->index->row_room) {
        r->index->row_room = 2 * r->nrows + 16;
        r->rows = xrealloc(r->rows, (unsigned long)r->index->row_room * sizeof *r->rows);
        r->index->rows_seen = r->rows;
    }
    r->rows[r->nrows++] = *row;
    *slot = r->nrows;
    r->index->rows.used++;
    if (2 * (uint64_t)r->nrows > r->index->rows.size)
        index_rows(r);
}

const struct run_row *runs_find(struct runs *r, const struct run_row *key)
{
    runs_index(r);
    const int64_t slot = *find_row(r, key);
    return slot ? &r->rows[slot - 1] : NULL;
}

void runs_leave_parts(struct runs *r)
{
    int64_t n = 0;

    for (int64_t i = 0; i < r->nrows; i++)
        if (!r->rows[i].part[0])
            r->rows[n++] = r->rows[i];
    r->nrows = n;
    runs_index(r);
}

void runs_add_matrix(struct runs *r, const struct matrix_row *row, const struct features *f)
{
    runs_index(r);
    int64_t *slot = find_matrix(r, row->source_id), k = *slot - 1;
    struct features copy;

    features_copy(f, &copy);
    if (k >= 0)
        features_free(&r->features[k]);
    else {
        if (r->nmatrices == r->index->matrix_room) {
            r->index->matrix_room = 2 * r->nmatrices + 16;
            r->matrices = xrealloc(r->matrices, (unsigned long)r->index->matrix_room * sizeof *r->matrices);
            r->features = xrealloc(r->features, (unsigned long)r->index->matrix_room * sizeof *r->features);
            r->index->matrices_seen = r->matrices;
        }
        k = r->nmatrices++;
        *slot = r->nmatrices;
        r->index->matrices.used++;
    }
    r->matrices[k] = *row;
    r->features[k] = copy;
    if (2 * (uint64_t)r->nmatrices > r->index->matrices.size)
        index_matrices(r);
}

const struct features *runs_features(const struct runs *r, const char *source_id, const struct matrix_row **facts)
{
    int64_t k = -1;

    if (r->index && r->index->matrices_seen == r->matrices && r->index->matrices.used == r->nmatrices)
        k = *find_matrix(r, source_id) - 1;
    else
        for (int64_t i = 0; i < r->nmatrices && k < 0; i++)
            if (strcmp(r->matrices[i].source_id, source_id) == 0)
                k = i;
    if (facts)
        *facts = k < 0 ? NULL : &r->matrices[k];
    return k < 0 ? NULL : &r->features[k];
}

void runs_free(struct runs *r)
{
    for (int64_t i = 0; i < r->nmatrices; i++)
        features_free(&r->features[i]);
    if (r->index) {
        free(r->index->rows.slot);
        free(r->index->matrices.slot);
    }
    free(r->index);
    free(r->rows);
    free(r->repeats);
    free(r->matrices);
    free(r->features);
    free(r->devices);
    free(r->plans);
    free(r->blocks);
    free(r->branches);
    free(r->files);
    *r = (struct runs){ 0 };
}

struct revision {
    const struct run_row *row;
    int64_t index; /* in rows; from nrows on: in repeats */
    bool library;  /* of a library's kernel */
};

static int by_config(const void *x, const void *y)
{
    const struct run_row *a = ((const struct revision *)x)->row, *b = ((const struct revision *)y)->row;
    int d = strcmp(a->config, b->config);

    d = d ? d : strcmp(a->role, b->role);
    return d ? d : strcmp(a->device_key, b->device_key);
}

static bool of_library(const struct run_row *r)
{
    const struct kernel *k = kernel_find(r->kernel);

    return k && k->library;
}

static int by_each(const void *x, const void *y)
{
    const struct run_row *a = ((const struct revision *)x)->row, *b = ((const struct revision *)y)->row;
    int d = by_config(x, y);

    if (d || ((const struct revision *)x)->library)
        return d;
    d = strcmp(a->source_id, b->source_id);
    d = d ? d : strcmp(a->part, b->part);
    d = d ? d : (a->precision > b->precision) - (a->precision < b->precision);
    return d ? d : (a->cache > b->cache) - (a->cache < b->cache);
}

/* A crash, lack of memory or noise says nothing about a revision. */
static bool settles(const struct run_row *r)
{
    const enum row_outcome o = row_outcome(r);

    return o == OUTCOME_OK || o == OUTCOME_NA || o == OUTCOME_WRONG;
}

int64_t runs_newest(struct runs *r, enum newest of)
{
    const int64_t n = r->nrows + r->nrepeats;
    struct revision *v = xcalloc((unsigned long)n + 1, sizeof *v);
    bool *old = xcalloc((unsigned long)n + 1, sizeof *old);
    int (*const alike)(const void *, const void *) = of == NEWEST_OF_ALL ? by_config : by_each;
    int64_t rows = 0, repeats = 0;

    for (int64_t i = 0; i < n; i++) {
        const struct run_row *row = i < r->nrows ? &r->rows[i] : &r->repeats[i - r->nrows];
        v[i] = (struct revision){ row, i, of != NEWEST_OF_ALL && of_library(row) };
    }
    qsort(v, (size_t)n, sizeof *v, alike);
    for (int64_t first = 0, end; first < n; first = end) {
        int64_t newest = INT64_MIN;
        for (end = first; end < n && alike(&v[first], &v[end]) == 0; end++)
            if (v[end].row->revision > newest && settles(v[end].row))
                newest = v[end].row->revision;
        for (int64_t k = first; k < end; k++)
            old[v[k].index] = v[k].row->revision < newest && !(of == NEWEST_OF_OURS && v[k].library);
    }
    for (int64_t i = 0; i < r->nrows; i++)
        if (!old[i])
            r->rows[rows++] = r->rows[i];
    for (int64_t i = 0; i < r->nrepeats; i++)
        if (!old[r->nrows + i])
            r->repeats[repeats++] = r->repeats[i];
    const int64_t dropped = r->nrows - rows;
    r->nrows = rows;
    r->nrepeats = repeats;
    free(old);
    free(v);
    return dropped;
}
