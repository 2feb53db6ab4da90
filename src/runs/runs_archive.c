/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a run archive; loads and stores runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "runs/rows.h"

static const struct column histogram_columns[] = {
    COLUMN_TEXT_OF(struct histogram_row, source_id, "source_id in table matrices"),
    COLUMN_OF(struct histogram_row, log2_group, COLUMN_I64, "", "k: the histogram is of aligned groups of 2^k rows"),
    COLUMN_OF(struct histogram_row, value, COLUMN_I64, "", "entries of the longest row of a group"),
    COLUMN_OF(struct histogram_row, count, COLUMN_I64, "", "number of such groups"),
};
const struct schema histogram_schema = SCHEMA_OF(struct histogram_row, "histogram", histogram_columns);

/* ---- histograms ---- */

static int damaged(char why[ERRLEN], const char *path, const char *table, int64_t row, const char *what)
{
    fail(why, "%s is damaged: table %s, row %" PRId64 " %s", path, table, row, what);
    return ARCHIVE_DAMAGED;
}

/* Copies histogram rows, which are grouped by source and ascend in each group, to the features of their source.
 * ARCHIVE_DAMAGED: they are out of order or belong to no matrix. */
static int attach_histograms(struct runs *r, const struct histogram_row *h, int64_t n, const char *path,
                             char why[ERRLEN])
{
    for (int64_t i = 0, end; i < n; i = end) {
        double squares = 0; /* formats sum them as integers */
        struct features *f = (struct features *)(uintptr_t)runs_features(r, h[i].source_id, NULL);
        for (end = i; end < n && h[end].log2_group == h[i].log2_group && strcmp(h[end].source_id, h[i].source_id) == 0;
             end++) {
            squares += (double)h[end].value * (double)h[end].value * (double)h[end].count;
            if (squares > 0x1p62)
                return damaged(why, path, "histogram", end, "has more entries than any matrix");
            if (h[end].count <= 0 || h[end].value < 0 || (end > i && h[end].value <= h[end - 1].value))
                return damaged(why, path, "histogram", end, "is out of order");
        }
        if (!f || h[i].log2_group < 0 || h[i].log2_group >= GROUPS || f->lengths[h[i].log2_group].n
            || end - i > INT32_MAX)
            return damaged(why, path, "histogram", i, "belongs to no matrix");
        struct histogram *to = &f->lengths[h[i].log2_group];
        to->n = (int)(end - i);
        to->value = xmalloc((unsigned long)to->n * sizeof *to->value);
        to->count = xmalloc((unsigned long)to->n * sizeof *to->count);
        for (int k = 0; k < to->n; k++) {
            to->value[k] = h[i + k].value;
            to->count[k] = h[i + k].count;
        }
    }
    return 0;
}

/* ---- loading ---- */

/* Counts of a matrix are multiplied by the bytes of its elements. */
static int check_counts(const struct matrix_row *m, int64_t n, const char *path, char why[ERRLEN])
{
    static const int64_t most = INT64_C(1) << 53;

    for (int64_t i = 0; i < n; i++)
        for (const struct column *c = matrix_schema.columns; c < matrix_schema.columns + matrix_schema.ncolumns; c++) {
            const int64_t *v = (const void *)((const char *)&m[i] + c->offset);
            for (int k = 0; c->type == COLUMN_I64 && k < c->width; k++)
                if (v[k] != INT64_MIN && (v[k] > most || v[k] < -most))
                    return damaged(why, path, "matrices", i, "has a count beyond that of any matrix");
        }
    return 0;
}

static int load_matrices(struct archive *a, struct runs *fresh, char why[ERRLEN])
{
    void *rows;
    int64_t n;

    int status = archive_get(a, &matrix_schema, &rows, &n, why);

    if (status)
        return status;
    fresh->matrices = rows;
    fresh->nmatrices = n;
    fresh->features = xcalloc((unsigned long)n, sizeof *fresh->features);
    for (int64_t i = 0; i < n; i++)
        matrix_row_to_features(&fresh->matrices[i], &fresh->features[i]);
    status = check_counts(fresh->matrices, n, archive_path(a), why);
    if (status)
        return status;
    runs_index(fresh);
    status = archive_get(a, &histogram_schema, &rows, &n, why);
    if (status)
        return status;
    status = attach_histograms(fresh, rows, n, archive_path(a), why);
    free(rows);
    return status;
}

int runs_load(const char *path, struct runs *r, char why[ERRLEN])
{
    struct runs fresh = { 0 };
    struct archive *a;
    void *rows;
    int status = archive_open(path, "run", &a, why);

    if (status)
        return status;
    status = load_matrices(a, &fresh, why);
    if (!status)
        status = archive_get(a, &run_schema, &rows, &fresh.nrows, why);
    if (!status) {
        fresh.rows = rows;
        status = runs_load_devices(r, a, why);
    }
    if (!status)
        status = runs_load_files(r, a, why);
    if (!status)
        status = runs_load_plans(r, a, why);
    archive_close(a);
    for (int64_t i = 0; i < fresh.nmatrices && !status; i++)
        runs_add_matrix(r, &fresh.matrices[i], &fresh.features[i]);
    for (int64_t i = 0; i < fresh.nrows && !status; i++) {
        config_complete(fresh.rows[i].config);
        run_row_loaded(&fresh.rows[i]);
        runs_keep_repeat(r, &fresh.rows[i]);
        runs_add_row(r, &fresh.rows[i]);
    }
    runs_free(&fresh);
    return status;
}

/* ---- storing ---- */

static int by_name_and_key(const void *a, const void *b)
{
    const struct run_row *x = *(const struct run_row *const *)a, *y = *(const struct run_row *const *)b;
    int d = strcmp(x->matrix, y->matrix);

    return d ? d : run_row_compare_key(x, y);
}

static int by_name_and_source(const void *a, const void *b)
{
    const struct matrix_row *x = *(const struct matrix_row *const *)a, *y = *(const struct matrix_row *const *)b;
    int d = strcmp(x->matrix, y->matrix);

    return d ? d : strcmp(x->source_id, y->source_id);
}

/* Writes n rows of a table, sorted by `order`. */
static int put_sorted(struct archive *a, const struct schema *schema, const char *rows, int64_t n,
                      int (*order)(const void *, const void *), char why[ERRLEN])
{
    const char **place = xcalloc((unsigned long)n, sizeof *place);
    char *sorted = xcalloc((unsigned long)n, schema->row_bytes);

    for (int64_t i = 0; i < n; i++)
        place[i] = rows + (size_t)i * schema->row_bytes;
    qsort(place, (size_t)n, sizeof *place, order);
    for (int64_t i = 0; i < n; i++)
        memcpy(sorted + (size_t)i * schema->row_bytes, place[i], schema->row_bytes);
    int status = archive_put(a, schema, sorted, n, why);
    free(place);
    free(sorted);
    return status;
}

static int put_histograms(struct archive *a, const struct runs *r, char why[ERRLEN])
{
    int64_t n = 0;
    struct histogram_row *rows;

    for (int64_t i = 0; i < r->nmatrices; i++)
        for (int k = 0; k < GROUPS; k++)
            n += r->features[i].lengths[k].n;
    rows = xcalloc((unsigned long)n, sizeof *rows);
    n = 0;
    for (int64_t i = 0; i < r->nmatrices; i++)
        for (int k = 0; k < GROUPS; k++) {
            const struct histogram *h = &r->features[i].lengths[k];
            for (int j = 0; j < h->n; j++, n++) {
                TEXT_SET(rows[n].source_id, r->matrices[i].source_id);
                rows[n].log2_group = k;
                rows[n].value = h->value[j];
                rows[n].count = h->count[j];
            }
        }
    int status = archive_put(a, &histogram_schema, rows, n, why);
    free(rows);
    return status;
}

int runs_store(struct archive *a, const struct runs *r, char why[ERRLEN])
{
    if (put_sorted(a, &run_schema, (const char *)r->rows, r->nrows, by_name_and_key, why)
        || put_sorted(a, &matrix_schema, (const char *)r->matrices, r->nmatrices, by_name_and_source, why)
        || put_histograms(a, r, why))
        return FAIL;
    return runs_store_devices(a, r, why) || runs_store_files(a, r, why) ? FAIL : runs_store_plans(a, r, why);
}
