/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds benchmark cells in run archives by properties of the matrix (rows, row length, columns, placement). */
#include "models/cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "base/stats.h"
#include "formats/format.h"

double row_time_us(const struct run_row *r, const struct target *t)
{
    return t->launch == GRAPH ? r->time_us : t->launch == STREAM ? r->stream_us : NAN;
}

void row_costs_us(const struct run_row *r, double us[NCOSTS])
{
    us[COST_BUILD] = r->convert_us;
    us[COST_UPLOAD] = r->upload_us;
    us[COST_DEVICE_BUILD] = r->convert_device_us;
    us[COST_PREPARE] = r->prepare_us;
}

bool row_counts(const struct run_row *r, const struct target *t, const char *role)
{
    return strcmp(r->outcome, "ok") == 0 && strcmp(r->role, role) == 0 && row_time_us(r, t) > 0.0
           && r->precision == t->precision && r->cache == t->cache;
}

double launch_more_us(const struct runs *runs, const struct target *t, const char *config)
{
    if (t->launch == GRAPH)
        return 0.0;
    double *more = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *more), least = INFINITY;
    int64_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < runs->nrows; i++) {
            const struct run_row *r = &runs->rows[i];
            if (!row_counts(r, t, "benchmark") || (config && strcmp(r->config, config) != 0))
                continue;
            if (pass == 0)
                least = fmin(least, r->t0_us);
            else if (r->t0_us <= 2 * least)
                more[n++] = r->stream_us - r->time_us;
        }
    const double median = n ? stats_median(more, n) : 0.0;
    free(more);
    return fmax(median, 0.0);
}

void cells_configs(const struct runs *runs, const struct target *t, const char *role, struct strlist *list)
{
    for (int64_t i = 0; i < runs->nrows; i++)
        if (row_counts(&runs->rows[i], t, role) && !strlist_has(list, runs->rows[i].config))
            strlist_add(list, runs->rows[i].config);
}

static int compare(const void *pa, const void *pb)
{
    const struct cell *a = pa, *b = pb;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    if (a->rows != b->rows)
        return a->rows < b->rows ? -1 : 1;
    return (a->time_s > b->time_s) - (a->time_s < b->time_s);
}

/* Keeps one of each group of equal cells (one matrix with two seeds, or in two revisions): the one with the median
 * time. Cells must be sorted. */
static void merge_equal(struct cells *c)
{
    int64_t kept = 0;
    for (int64_t i = 0, end; i < c->n; i = end) {
        for (end = i + 1; end < c->n && c->cell[end].p == c->cell[i].p && c->cell[end].rows == c->cell[i].rows; end++)
            ;
        c->cell[kept++] = c->cell[i + (end - i - 1) / 2];
    }
    c->n = kept;
}

void cells_sort(struct cells *c)
{
    if (c->n)
        qsort(c->cell, (size_t)c->n, sizeof *c->cell, compare);
    merge_equal(c);
}

void cells_find(const struct runs *runs, const struct target *t, const char *config, struct cells *c, int64_t *other)
{
    memset(c, 0, sizeof *c);
    *other = 0;
    c->cell = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *c->cell);
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct matrix_row *m;
        if (!row_counts(r, t, "benchmark") || strcmp(r->config, config) != 0)
            continue;
        const struct features *f = runs_features(runs, r->source_id, &m);
        int64_t p = f ? f->row_max : 0;
        if (p < 1 || f->row_min != p || f->cols != (f->rows > 2 * p ? f->rows : 2 * p)
            || strcmp(m->place, "band") != 0) {
            ++*other;
            continue;
        }
        c->cell[c->n++] = (struct cell){ f->rows, p, row_time_us(r, t) * 1e-6, r->t0_us * 1e-6 };
    }
    cells_sort(c);
}

void cells_free(struct cells *c)
{
    free(c->cell);
    memset(c, 0, sizeof *c);
}

int64_t cells_strip(const struct config *resolved, const struct geometry *g)
{
    int64_t rows = 1;
    for (int i = 0; i < resolved->n; i++)
        if (resolved->kernel->work == WORK_ROW_GROUP && strcmp(resolved->set[i].key, "rows") == 0)
            rows = config_int(resolved, "rows");
    return geometry_strip(g, kernel_threads_per_row(resolved)) * rows;
}
