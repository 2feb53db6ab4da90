/* SPDX-License-Identifier: BSD-3-Clause */
/* A run's archive together with its logs. */
#include "run/store.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/files.h"
#include "base/hash.h"
#include "runs/log_rows.h"
#include "runs/runlog.h"

/* Records being added. In a log, the histogram rows of a source precede its matrix row and are pending until then. A
 * truncated log may end between them. */
struct collect {
    struct done *done;
    struct runs *runs;
    int64_t records; /* records that change the archive */
    int64_t rows;    /* of the logs; one measured again counts once */
    int64_t npending;
    struct histogram_row *pending;
};

static void add_pending(struct collect *c, const struct histogram_row *h)
{
    const struct histogram_row *last = c->npending ? &c->pending[c->npending - 1] : NULL;

    /* The histogram rows of a source are in ascending order. A row of another source or out of order starts a new
     * attempt after a truncated log. */
    if (last
        && (strcmp(last->source_id, h->source_id) != 0 || h->log2_group < last->log2_group
            || (h->log2_group == last->log2_group && h->value <= last->value)))
        c->npending = 0;
    if (!(c->npending & (c->npending - 1)))
        c->pending = xrealloc(c->pending, (unsigned long)(c->npending ? 2 * c->npending : 1) * sizeof *c->pending);
    c->pending[c->npending++] = *h;
}

static void histogram_fill(struct histogram *to, const struct histogram_row *rows, int64_t n, int group)
{
    to->value = xcalloc((unsigned long)n + 1, sizeof *to->value);
    to->count = xcalloc((unsigned long)n + 1, sizeof *to->count);
    for (int64_t i = 0; i < n; i++)
        if (rows[i].log2_group == group) {
            to->value[to->n] = rows[i].value;
            to->count[to->n++] = rows[i].count;
        }
}

static void close_source(struct collect *c, const struct matrix_row *m)
{
    struct features f;

    if (c->npending && strcmp(c->pending[0].source_id, m->source_id) != 0)
        c->npending = 0;
    matrix_row_to_features(m, &f);
    for (int g = 0; g < GROUPS; g++)
        histogram_fill(&f.lengths[g], c->pending, c->npending, g);
    runs_add_matrix(c->runs, m, &f);
    features_free(&f);
    done_add_source(c->done, m->source_id);
    c->npending = 0;
}

static void take_device(struct collect *c, const struct device_row *d)
{
    const struct runs one = { .ndevices = 1, .devices = (struct device_row *)d };
    struct geometry g;

    if (runs_geometry(&one, d->device_key, &g))
        runs_add_device(c->runs, d->device_key, &g);
}

static void take_row(struct collect *c, const struct run_row *r)
{
    const bool again = done_tries(c->done, r) > 0;

    done_add(c->done, r);
    if (strcmp(r->outcome, "started") != 0 && strcmp(r->outcome, "stopped") != 0) {
        runs_add_row(c->runs, r);
        c->records++;
        c->rows += !again;
    }
}

/* Marks the device's branch costs as measured, under an id that no source has. */
static void branch_done(struct collect *c, const struct branch_row *b)
{
    char source[ID_LEN];

    runs_branch_source(b->device_key, source);
    done_add_source(c->done, source);
}

static void take_branch(struct collect *c, const struct branch_row *b)
{
    runs_add_branch(c->runs, b);
    branch_done(c, b);
    c->records++;
}

static int take_record(const char *table, const char *json, void *arg)
{
    struct collect *c = arg;
    union {
        struct run_row run;
        struct matrix_row matrix;
        struct histogram_row histogram;
        struct device_row device;
        struct plan_row plan;
        struct block_row block;
        struct branch_row branch;
        struct file_row file;
        struct round_row round;
    } row;
    const struct schema *const schemas[] = { &run_schema,      &matrix_schema, &histogram_schema,
                                             &geometry_schema, &plan_schema,   &block_schema,
                                             &branch_schema,   &round_schema,  &file_schema };
    char why[ERRLEN];
    size_t k = 0;

    while (k < sizeof schemas / sizeof schemas[0] && strcmp(schemas[k]->name, table) != 0)
        k++;
    if (k == sizeof schemas / sizeof schemas[0])
        return 0; /* a note of --again, or a table of a newer version */
    if (row_from_json(schemas[k], json, &row, why)) {
        warn("skipped a record in the run's logs: %s", why);
        return 0;
    }
    if (schemas[k] == &run_schema) {
        run_row_loaded(&row.run);
        take_row(c, &row.run);
    } else if (schemas[k] == &matrix_schema)
        close_source(c, &row.matrix);
    else if (schemas[k] == &histogram_schema)
        add_pending(c, &row.histogram);
    else if (schemas[k] == &geometry_schema)
        take_device(c, &row.device);
    else if (schemas[k] == &plan_schema)
        runs_add_plan(c->runs, &row.plan);
    else if (schemas[k] == &block_schema)
        runs_add_block(c->runs, &row.block);
    else if (schemas[k] == &file_schema)
        c->records += runs_add_file(c->runs, &row.file);
    else if (schemas[k] == &round_schema)
        done_add_round(c->done, &row.round);
    else
        take_branch(c, &row.branch);
    return 0;
}

/* Is there an archive to add rows to? An empty file is replaced. */
static bool has_archive(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? !S_ISREG(facts.st_mode) || facts.st_size > 0 : errno != ENOENT;
}

static int load(const char *path, struct collect *c, char why[ERRLEN])
{
    c->runs->every_build = true;
    if (has_archive(path)) {
        const int status = runs_load(path, c->runs, why);
        if (status)
            return status;
    }
    for (int64_t i = 0; i < c->runs->nrows; i++)
        done_add(c->done, &c->runs->rows[i]);
    for (int64_t i = 0; i < c->runs->nmatrices; i++)
        done_add_source(c->done, c->runs->matrices[i].source_id);
    for (int64_t i = 0; i < c->runs->nbranches; i++)
        branch_done(c, &c->runs->branches[i]);
    const int status = runlog_read(path, take_record, c, why);
    free(c->pending);
    return status;
}

int store_load(const char *path, struct done *done, struct runs *runs, char why[ERRLEN])
{
    struct collect c = { .done = done, .runs = runs };
    const int status = load(path, &c, why);

    done_forgive(done);
    return status;
}

int store_look(const char *path, struct runs *runs, int64_t *of_logs, char why[ERRLEN])
{
    struct collect c = { .done = done_new(), .runs = runs };

    runs->every_build = true;
    int status = has_archive(path) ? runs_load(path, runs, why) : 0;

    if (!status)
        status = runlog_look(path, take_record, &c, why);
    *of_logs = c.rows;
    free(c.pending);
    done_free(c.done);
    return status;
}

/* Adds the base name and SHA-256 of each input file that was not skipped to the archive; recipe operands have no file. */
static int put_inputs(struct archive *a, const struct workload *w, char why[ERRLEN])
{
    const char *before = "";

    for (int i = 0; i < w->nsources; i++) {
        const struct source *s = &w->source[i];
        char file[sizeof s->path], sha256[ID_LEN];
        snprintf(file, sizeof file, "%.*s", (int)matrix_file_length(s->path), s->path);
        const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
        if (s->skipped || strcmp(s->path, before) == 0 || access(file, F_OK))
            continue; /* skipped, the same recipes archive as before, or a recipe operand */
        before = s->path;
        if (hash_file(file, sha256, why)
            || archive_add_input(a, name, sha256, s->is_recipe ? "recipes" : "matrix", why))
            return FAIL;
    }
    return 0;
}

static int write_archive(const char *path, const struct runs *runs, const struct workload *w, char why[ERRLEN])
{
    struct archive *a = NULL, *old = NULL;
    int status = 0;

    if (archive_create(path, "run", &a, why))
        return FAIL;
    if (has_archive(path))
        status = archive_open(path, "run", &old, why);
    if (!status && old)
        status = archive_inherit(a, old, why);
    archive_close(old);
    if (!status)
        status = runs_store(a, runs, why);
    if (!status)
        status = put_inputs(a, w, why);
    if (!status)
        return archive_commit(a, why);
    archive_abandon(a);
    return status;
}

/* Selects the log records that the next run needs and the archive does not hold. */
struct keep {
    const struct done *done;
    bool all_done;
};

static bool keep_record(const char *table, const char *json, void *arg)
{
    const struct keep *k = arg;
    struct run_row row;
    struct round_row round;
    char id[ID_LEN], why[ERRLEN];

    if (strcmp(table, again_schema.name) == 0)
        return !k->all_done;
    if (strcmp(table, round_schema.name) == 0)
        return !row_from_json(&round_schema, json, &round, why) && done_is_kept(k->done, round.row);
    if (strcmp(table, run_schema.name) != 0 || row_from_json(&run_schema, json, &row, why))
        return false;
    run_row_id(&row, id);
    return row_outcome(&row) == NOUTCOMES && done_is_kept(k->done, id);
}

int store_merge(const char *path, const struct workload *w, bool all_done, char why[ERRLEN])
{
    struct runs runs = { 0 };
    struct collect c = { .done = done_new(), .runs = &runs };
    struct keep keep = { c.done, all_done };
    files_forget(path);
    int status = load(path, &c, why);

    if (!status && (c.records > 0 || !has_archive(path)))
        status = write_archive(path, &runs, w, why);
    if (!status)
        status = runlog_keep(path, all_done && !done_any_open(c.done) ? NULL : keep_record, &keep, why);
    runs_free(&runs);
    done_free(c.done);
    return status;
}
