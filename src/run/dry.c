/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-run --dry-run: the work, what of it is there already, and how long the rest may take. Nothing is measured or written. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/textout.h"
#include "run/done.h"
#include "run/run.h"

/* Without reading it, a matrix is known again by name and size only. */
static const char *source_id_of(const struct source *s, const struct runs *runs, char id[ID_LEN])
{
    struct recipe r;
    char why[ERRLEN];

    id[0] = 0;
    if (s->is_recipe) {
        if (!recipe_parse(s->facts.recipe, &r, why))
            recipe_id(&r, id);
        return id;
    }
    for (int64_t i = 0; i < runs->nmatrices; i++) {
        const struct matrix_row *m = &runs->matrices[i];
        if (!strcmp(m->matrix, s->name) && m->rows == s->rows && m->cols == s->cols)
            memcpy(id, m->source_id, ID_LEN);
    }
    return id;
}

/* Rows of an item that the archive has for this device, whatever their configuration resolved to. */
static int rows_there(const struct runs *runs, const char *source_id, const struct run_options *o, const char *precision, const char *device_key)
{
    int n = 0;

    for (int64_t i = 0; i < runs->nrows && *source_id; i++) {
        const struct run_row *r = &runs->rows[i];
        n += !strcmp(r->source_id, source_id) && !strcmp(r->precision, precision) && !strcmp(r->device_key, device_key)
             && !done_is_open(r) && strlist_has(&o->caches, r->cache) && strlist_has(&o->configs, r->asked);
    }
    return n;
}

void dry_run(const struct run_options *o, const struct workload *w, const struct runs *runs, const struct device_facts *facts, int ranks)
{
    struct textout *t = textout_begin(false, "matrix\trows\tcols\tnnz\tprecision\trole\tto_do\tthere\testimated_s");
    double *load_s = xcalloc((unsigned long)ranks, sizeof *load_s), total_s = 0;
    int *mine = xcalloc((unsigned long)w->nitems + 1, sizeof *mine);
    int64_t sum_rows = 0, sum_there = 0;

    textout_note(t, "dry run on %s: nothing is measured, nothing is written", facts->key);
    for (int i = 0; i < w->nitems; i++) {
        const struct item *item = &w->item[i];
        const struct source *s = &w->source[item->source];
        char id[ID_LEN];
        const int rows = work_configs(o, s) * o->caches.n;
        int there = rows_there(runs, source_id_of(s, runs, id), o, precision_name(item->precision), facts->key);
        there = there < rows ? there : rows;
        const double time_s = rows > 0 ? item->cost_s * (rows - there) / rows : 0;
        textout_text(t, s->name);
        textout_int(t, s->rows);
        textout_int(t, s->cols);
        textout_int(t, s->nnz);
        textout_text(t, precision_name(item->precision));
        textout_text(t, s->role);
        textout_int(t, rows - there);
        textout_int(t, there);
        textout_real(t, time_s, 3);
        textout_row_end(t);
        sum_rows += rows;
        sum_there += there;
        total_s += time_s;
    }
    work_share(w, ranks, 0, mine, load_s);
    textout_note(t, "%d items (a matrix in one precision), %d configurations, %d cache states: %" PRId64 " rows, %" PRId64 " of them there already",
                 w->nitems, o->configs.n, o->caches.n, sum_rows, sum_there);
    textout_note(t, "about %.0f s of work left in all", total_s);
    for (int r = 0; r < ranks; r++)
        textout_note(t, "rank %d: about %.0f s, were nothing there", r, load_s[r]);
    free(load_s);
    free(mine);
    textout_end(t);
}
