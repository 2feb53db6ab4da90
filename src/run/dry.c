/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-run --dry-run: prints the work, how much of it is already measured, and the estimated time of the rest. Measures
 * and writes nothing. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "measure/done.h"
#include "measure/trials.h"
#include "run/left_out.h"
#include "run/message.h"
#include "run/remeasure.h"
#include "run/run_options.h"
#include "run/work.h"
#include "table/textout.h"

static const int64_t SMALL_NNZ = 1 << 21; /* recipes with at most this many nonzeros are generated for their features */

struct counts {
    int64_t items, rows, there, skipped;
    int unknown;
    double time_s;
};

/* A row without driver and build counts for all, as in measure/done.h. */
static bool is_of_build(const struct run_row *r, const struct device_facts *facts)
{
    return (!r->driver[0] && !r->build[0])
           || (strcmp(r->driver, facts->driver) == 0 && strcmp(r->build, facts->build) == 0);
}

/* Returns the number of the item's finished rows in the archive for this device. */
static int rows_there(const struct runs *runs, const struct source *s, const char *source_id,
                      const struct run_options *o, enum precision precision, const struct device_facts *facts)
{
    int n = 0;

    for (int64_t i = 0; i < runs->nrows && *source_id; i++) {
        const struct run_row *r = &runs->rows[i];
        n += strcmp(r->source_id, source_id) == 0 && r->precision == precision && strcmp(r->device_key, facts->key) == 0
             && is_of_build(r, facts) && work_has_row(o, s, r);
    }
    return n;
}

/* Returns the number of rows that the sweep skips because they move too many bytes; -1: unknown until the source is
 * read. */
static int rows_skipped(const struct run_options *o, const struct source *s, const struct features *known,
                        const struct target *t)
{
    struct features made;
    struct recipe r;
    char why[ERRLEN];

    if (!o->skips || (*s->facts.kernels && !s->all))
        return 0;
    if (known)
        return o->caches.n * trials_skipped(o, s, known, t);
    if (!s->is_recipe || s->nnz > SMALL_NNZ || recipe_parse(s->facts.recipe, &r, why))
        return -1;
    recipe_features(&r, &made);
    const int n = o->caches.n * trials_skipped(o, s, &made, t);
    features_free(&made);
    return n;
}

/* time_s: [nitems], of the rows that are left to measure. */
static void put_shares(struct table *t, const struct workload *w, const double *time_s, int ranks)
{
    int *mine = xcalloc((unsigned long)w->nitems + 1, sizeof *mine);

    for (int r = 0; r < ranks; r++) {
        const int n = work_share(w, ranks, r, mine);
        double sum_s = 0;
        for (int i = 0; i < n; i++)
            sum_s += time_s[mine[i]];
        table_note(t, "rank %d: about %s s of it", r, textout_digits(sum_s, 2).text);
    }
    free(mine);
}

static void put_notes(struct table *t, const struct run_options *o, const struct workload *w, const struct counts *n)
{
    files_put_left_out(t, w);
    run_like_put(t, o);
    files_put_unreadable(t, w);
    table_note(t, "%s (one matrix in one precision each), %s, %s: %s, %" PRId64 " already measured",
               counted(n->items, "item").text, counted(o->configs.n, "configuration").text,
               counted(o->caches.n, "state of the cache").text, counted(n->rows, "row").text, n->there);
    if (o->skips)
        table_note(
            t,
            "%s skipped (na): they move more than %d times the fewest bytes of the sweep; unknown until the matrix is read: %s",
            counted(n->skipped, "row").text, MOVES_LIMIT, counted(n->unknown, "item").text);
    table_note(t, "about %s s of work left in total, on an idle machine%s", textout_digits(n->time_s, 2).text,
               run_kind(o) == DEVICE_CPU ? "; where other processes use its processors, ten times as long or more"
                                         : "");
}

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "Group/Name if known, else the name of the file; for a recipe: the recipe"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("cols", "", "columns of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix; by the header of a file: of a symmetric one twice the entries"),
    TEXT_COLUMN("precision", "precision of values, x and y: f32 or f64"),
    TEXT_COLUMN("role", "role stored with each row: benchmark or matrix"),
    INT_COLUMN("to_do", "", "rows not yet measured, including those that the sweep skips"),
    INT_COLUMN("there", "", "rows already in the archive"),
    INT_COLUMN("skipped", "",
               "rows that the sweep skips, as they move too many bytes; -: unknown until the matrix is read"),
    REAL_COLUMN("estimated_s", "s", "estimated time of the rows that are left to measure"),
    COLUMNS_END,
};

void dry_run(const struct run_options *o, const struct workload *w, struct runs *runs, const struct hello *device,
             int ranks)
{
    const struct device_facts *facts = &device->facts;
    struct target target = { .device = device->geometry };
    struct table *t = textout_begin(false, columns);
    struct counts sum = { 0 };
    double *time_s = xcalloc((unsigned long)w->nitems + 1, sizeof *time_s);

    runs_index(runs);
    table_note(t, "dry run on %s: nothing is measured, nothing is written%s%s", facts->key, o->items ? " but " : "",
               o->items ? o->items : "");
    table_note(t, "driver %s, build %s%s%s", facts->driver[0] ? facts->driver : "none", facts->build,
               facts->cusparse[0] ? ", cuSPARSE " : "", facts->cusparse);
    for (int i = 0; i < w->nitems; i++) {
        const struct item *item = &w->item[i];
        const struct source *s = &w->source[item->source];
        char id[ID_LEN];
        if (s->skipped) /* named in a note */
            continue;
        const int rows = work_configs(o, s) * o->caches.n;
        int there = rows_there(runs, s, work_source_id(s, runs, id), o, item->precision, facts);
        there = there < rows ? there : rows;
        target.precision = item->precision;
        const int skipped = rows_skipped(o, s, runs_features(runs, id, NULL), &target);
        const int timed = rows - there - (skipped > 0 && skipped <= rows - there ? skipped : 0);
        time_s[i] = rows > 0 ? work_cost_s(o, s, item->precision, &device->geometry) * timed / rows : 0;
        table_put_text(t, "matrix", s->name);
        table_put_int(t, "rows", s->rows);
        table_put_int(t, "cols", s->cols);
        table_put_int(t, "nnz", s->nnz);
        table_put_text(t, "precision", precision_name(item->precision));
        table_put_text(t, "role", s->role);
        table_put_int(t, "to_do", rows - there);
        table_put_int(t, "there", there);
        if (skipped < 0)
            table_put_none(t, "skipped");
        else
            table_put_int(t, "skipped", skipped);
        table_put_real(t, "estimated_s", time_s[i], 3);
        table_row_end(t);
        sum.items++;
        sum.rows += rows;
        sum.there += there;
        sum.skipped += skipped > 0 ? skipped : 0;
        sum.unknown += skipped < 0;
        sum.time_s += time_s[i];
    }
    put_notes(t, o, w, &sum);
    put_shares(t, w, time_s, ranks);
    free(time_s);
    textout_end(t);
}
