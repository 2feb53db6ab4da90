/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-merge: merges run archives. Reads RUN.h5... and the logs of unfinished runs; writes ALL.h5.
 * One row per key (runs/rows.h) is kept: rows are added in the order of
 * measurement, regardless of the order of the archives, by the rule of a resumed run (runs_add_row). Archives are read
 * from oldest to newest, so the newest facts about a matrix or device win. */
#include "run/merge.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/output.h"
#include "run/refresh.h"
#include "run/store.h"
#include "runs/runlog.h"
#include "table/textout.h"
#include "table/tsv.h"

/* Tables that may be missing or lack columns in archives of older programs or of CPU runs. Plans are not checked,
 * since they come with their own rows. */
static const struct schema *const varying[MERGE_VARYING] = { &run_schema, &matrix_schema, &histogram_schema,
                                                             &geometry_schema, &branch_schema };

/* A row of an input, and its flag in `kept`. */
struct candidate {
    const struct run_row *row;
    bool *kept;
};

/* ---- reading */

/* Reads the date on which the archive was last written. */
static int read_date(struct archive *a, char date[32], char why[ERRLEN])
{
    struct provenance_row *rows;
    int64_t n;

    const int status = archive_get(a, &provenance_schema, (void **)&rows, &n, why);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        if (strcmp(rows[i].date, date) > 0)
            snprintf(date, sizeof rows[i].date, "%s", rows[i].date);
    free(rows);
    return 0;
}

/* Checks that the input is an intact run archive. Its rows and logs are read later. */
static int look_at(struct merge_input *in, char why[ERRLEN])
{
    struct archive *a;

    in->archive = access(in->path, F_OK) == 0 || !archive_has_logs(in->path);
    if (!in->archive) {
        TEXT_SET(in->date, "9"); /* sorts after every date: logs without an archive are the newest */
        return 0;
    }
    int status = archive_open(in->path, "run", &a, why);
    if (status)
        return status;
    status = read_date(a, in->date, why);
    for (int k = 0; k < MERGE_VARYING && !status; k++)
        status = archive_lacks(a, varying[k], in->lacks[k], sizeof in->lacks[k], why);
    archive_close(a);
    return status ? status : hash_file(in->path, in->sha256, why);
}

/* Prints which tables and columns an archive lacks that another has, since the merged table holds rows of both. */
static void tell_lacks(const struct merge *m)
{
    for (int k = 0; k < MERGE_VARYING; k++)
        for (int i = 0; i < m->ninputs; i++) {
            const struct merge_input *in = &m->input[i];
            bool others = false;
            for (int j = 0; j < m->ninputs; j++)
                others |= m->input[j].archive && strcmp(m->input[j].lacks[k], in->lacks[k]) != 0;
            if (in->archive && in->lacks[k][0] && others)
                note(
                    "%s lacks %s, which another archive has (possible reasons: an older program wrote it, or its run did not measure this)",
                    in->path, in->lacks[k]);
        }
}

static int by_age(const void *a, const void *b)
{
    const struct merge_input *x = *(const struct merge_input *const *)a, *y = *(const struct merge_input *const *)b;
    int d = strcmp(x->date, y->date);

    d = d ? d : strcmp(x->sha256, y->sha256);
    return d ? d : strcmp(x->path, y->path);
}

/* Reads the rows of each input into in->rows, and all other tables into m->runs. */
static int read_all(struct merge *m, struct merge_input **oldest, char why[ERRLEN])
{
    for (int i = 0; i < m->ninputs; i++) {
        struct merge_input *in = oldest[i];
        const int status = store_look(in->path, &m->runs, &in->of_logs, why);
        if (status)
            return status;
        if (!in->archive && !in->of_logs)
            return fail(why, "%s does not exist, and its logs hold no rows; the run has not measured anything yet",
                        in->path);
        in->rows = m->runs.rows;
        in->nrows = m->runs.nrows;
        in->kept = xcalloc((unsigned long)in->nrows + 1, sizeof *in->kept);
        in->left = xcalloc((unsigned long)in->nrows + 1, sizeof *in->left);
        m->runs.rows = NULL;
        m->runs.nrows = 0;
    }
    return 0;
}

/* Marks the rows that --leave-out names. */
static int leave_out(struct merge *m, char why[ERRLEN])
{
    struct table t = { 0 };
    int status = tsv_read_typed(&t, m->left, merge_left_columns, why);

    for (long i = 0; i < t.nrows && status == 0; i++) {
        const char *path = table_text(&t, i, "archive");
        const double row = table_real(&t, i, "archive_row");
        struct merge_input *in = NULL;
        for (int k = 0; k < m->ninputs && !in; k++)
            in = strcmp(path, m->input[k].path) == 0 ? &m->input[k] : NULL;
        if (!in)
            status = fail(why, "%s: row %ld: %s is none of the archives to merge", m->left, i + 1, path);
        else if (!(row >= 0 && row < (double)in->nrows))
            status = fail(why, "%s: row %ld: %s has rows 0 to %" PRId64 ", not %.15g", m->left, i + 1, path,
                          in->nrows - 1, row);
        else
            in->left[(int64_t)row] = true;
    }
    if (status == 0)
        note("left out by --leave-out: %s", counted(t.nrows, "row").text);
    table_free(&t);
    return status;
}

/* ---- one row per key */

static int by_text(const struct run_row *a, const struct run_row *b)
{
    char *x = row_to_json(&run_schema, a), *y = row_to_json(&run_schema, b);
    const int d = strcmp(x, y);

    free(x);
    free(y);
    return d;
}

static bool is_ok(const struct run_row *r) { return row_outcome(r) == OUTCOME_OK; }

/* By key, then by time of measurement, then ok last; rows that still compare equal are equal in every column. */
static int by_key_and_time(const void *a, const void *b)
{
    const struct run_row *x = ((const struct candidate *)a)->row, *y = ((const struct candidate *)b)->row;
    int d = run_row_compare_key(x, y);

    d = d ? d : strcmp(x->measured, y->measured);
    d = d ? d : is_ok(x) - is_ok(y);
    return d ? d : by_text(x, y);
}

/* Adds n rows of one key; runs_add_row decides which one remains. */
static void choose(struct merge *m, const struct candidate *candidate, int64_t n)
{
    const int64_t at = m->runs.nrows;
    bool conflict = false;

    for (int64_t i = 0; i < n; i++) {
        runs_add_row(&m->runs, candidate[i].row);
        for (int64_t k = 0; k < i && !conflict; k++)
            conflict = is_ok(candidate[i].row) && is_ok(candidate[k].row)
                       && (candidate[i].row->time_us > candidate[k].row->time_us
                           || candidate[i].row->time_us < candidate[k].row->time_us);
    }
    for (int64_t i = 0; i < n; i++) {
        *candidate[i].kept = n == 1 || !by_text(candidate[i].row, &m->runs.rows[at]);
        m->alike += i && !by_text(candidate[i].row, candidate[i - 1].row);
    }
    m->conflicts += conflict;
}

static void choose_device(struct merge *m)
{
    struct strlist keys = { 0 };

    for (int i = 0; i < m->ninputs; i++)
        run_rows_devices(m->input[i].rows, m->input[i].nrows, &keys);
    m->device_key = xasprintf("%s", runs_choose_device(&keys, m->device, "archives"));
    for (int i = 0; i < keys.n; i++)
        if (strcmp(keys.v[i], m->device_key) != 0)
            note("skipped the rows of '%s'", keys.v[i]);
    strlist_free(&keys);
}

/* Rejects --device with an output that is an input, if it has rows of other devices, which would be lost. */
static int check_chosen(const char *output, const struct merge *m, char why[ERRLEN])
{
    for (int i = 0; i < m->ninputs; i++)
        for (int64_t k = 0; k < m->input[i].nrows && files_named_same(output, m->input[i].path); k++)
            if (strcmp(m->input[i].rows[k].device_key, m->device_key) != 0)
                return fail(why, "cannot write %s: its rows of '%s' would be lost; use another name", output,
                            m->input[i].rows[k].device_key);
    return 0;
}

static void merge_rows(struct merge *m)
{
    int64_t n = 0;

    for (int i = 0; i < m->ninputs; i++)
        n += m->input[i].nrows;
    struct candidate *candidate = xcalloc((unsigned long)n + 1, sizeof *candidate);
    n = 0;
    for (int i = 0; i < m->ninputs; i++)
        for (int64_t k = 0; k < m->input[i].nrows; k++)
            if (!m->input[i].left[k] && (!m->device_key || strcmp(m->input[i].rows[k].device_key, m->device_key) == 0))
                candidate[n++] = (struct candidate){ &m->input[i].rows[k], &m->input[i].kept[k] };
    if (n)
        qsort(candidate, (size_t)n, sizeof *candidate, by_key_and_time);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !run_row_compare_key(candidate[end].row, candidate[i].row); end++)
            ;
        choose(m, candidate + i, end - i);
    }
    free(candidate);
    if (m->device_key)
        (void)runs_keep_device(&m->runs, m->device_key);
}

/* ---- writing */

static int inherit(struct archive *a, const struct merge_input *in, char why[ERRLEN])
{
    struct archive *from;

    if (!in->archive)
        return 0;
    int status = archive_open(in->path, "run", &from, why);
    if (status)
        return status;
    status = archive_inherit(a, from, why);
    archive_close(from);
    return status ? status : archive_add_input(a, in->path, in->sha256, "run", why);
}

static int write_archive(const char *output, const struct merge *m, struct merge_input **oldest, char why[ERRLEN])
{
    struct archive *a;
    int status;

    if (archive_create(output, "run", &a, why))
        return FAIL;
    status = runs_store(a, &m->runs, why);
    for (int i = 0; i < m->ninputs && !status; i++)
        status = inherit(a, oldest[i], why);
    if (status) {
        archive_abandon(a);
        return status;
    }
    return archive_commit(a, why);
}

/* Drops the rows of which another has a newer revision. */
static void keep_newest(struct merge *m)
{
    note("left out for a newer revision of the kernel: %s", counted(runs_newest(&m->runs, NEWEST_OF_OURS), "row").text);
    for (int i = 0; i < m->ninputs; i++)
        for (int64_t k = 0; k < m->input[i].nrows; k++)
            m->input[i].kept[k] = m->input[i].kept[k] && runs_find(&m->runs, &m->input[i].rows[k]);
}

/* Rejects an existing output, whose rows or, with options that drop some, times would be lost, unless it is one of the inputs. */
static int check_output(const char *output, const struct merge *m, char why[ERRLEN])
{
    struct stat facts;
    struct archive *a;

    if (stat(output, &facts) || !S_ISREG(facts.st_mode))
        return 0; /* archive_create reports other errors, also of other kinds of files */
    for (int i = 0; i < m->ninputs; i++)
        if (files_named_same(output, m->input[i].path))
            return m->without.n > 0 || m->left || m->newest
                       ? fail(why, "cannot write %s: with --%s its times would be lost; use another name", output,
                              m->without.n > 0 ? "without"
                              : m->left        ? "leave-out"
                                               : "newest")
                       : 0;
    if (archive_open(output, "run", &a, why))
        return 0;
    archive_close(a);
    return fail(why, "%s already exists, and its rows would be lost; add it to the archives to merge, or remove it",
                output);
}

static int refresh(struct merge *m, char why[ERRLEN])
{
    struct refreshed n;
    if (m->features.n == 0)
        return 0;
    const int status = refresh_features(&m->runs, &m->features, &n, why);
    if (status == 0)
        note("features recomputed: %s, %s; unchanged: %s", counted(n.recipes, "recipe").text,
             counted(n.files, "file").text, counted(n.left, "matrix").text);
    return status;
}

static int merge(const char *output, struct merge *m, char why[ERRLEN])
{
    struct merge_input **oldest = xcalloc((unsigned long)m->ninputs, sizeof *oldest);
    int status = check_output(output, m, why);

    for (int i = 0; i < m->ninputs && !status; i++) {
        oldest[i] = &m->input[i];
        status = look_at(oldest[i], why);
    }
    if (!status) {
        qsort(oldest, (size_t)m->ninputs, sizeof *oldest, by_age);
        status = read_all(m, oldest, why);
        if (!status && m->left)
            status = leave_out(m, why);
    }
    if (!status) {
        tell_lacks(m);
        if (m->device) {
            choose_device(m);
            status = check_chosen(output, m, why);
        }
    }
    if (!status) {
        merge_rows(m);
        if (m->newest)
            keep_newest(m);
        refresh_without(&m->runs, &m->without);
        status = refresh(m, why);
    }
    if (!status)
        status = write_archive(output, m, oldest, why);
    free(oldest);
    return status;
}

static void merge_free(struct merge *m)
{
    for (int i = 0; i < m->ninputs; i++) {
        free(m->input[i].rows);
        free(m->input[i].kept);
        free(m->input[i].left);
    }
    free(m->input);
    free(m->device_key);
    runs_free(&m->runs);
    strlist_free(&m->features);
    strlist_free(&m->without);
}

static const char *output;

static void release(void) { runlock_release(output); }

int main(int argc, char **argv)
{
    bool json = false, anonymous = false;
    struct merge m = { 0 };
    const struct option options[] = {
        { .name = "features",
          .type = OPTION_LIST,
          .unsplit = true,
          .value = &m.features,
          .arg = "FILE|DIR",
          .about = "recompute the features of all recipes and of these matrices, for archives that predate a feature "
                   "(repeatable)" },
        option_device(&m.device, "write only the rows of this device"),
        { .name = "without",
          .type = OPTION_LIST,
          .value = &m.without,
          .arg = "COLUMN,...",
          .choices = REFRESH_WITHOUT,
          .about = "write these times as unknown, if other work on the host disturbed them" },
        { .name = "leave-out",
          .type = OPTION_STRING,
          .value = &m.left,
          .arg = "FILE",
          .about = "leave out these rows: archive and archive_row of table rows, as spmv-query prints them" },
        { .name = "newest",
          .type = OPTION_FLAG,
          .value = &m.newest,
          .about = "of rows of several revisions of a kernel, keep those of the newest" },
        option_output(&output, "ALL.h5", "archive to write; may be one of the inputs"),
        option_columns(),
        option_json(&json, "JSON instead of a table"),
        option_anonymous(&anonymous, "omit the host name from the archive"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-merge",
        .operands = "-o ALL.h5 RUN.h5...",
        .about =
            "Merges run archives into one, in any order. Of rows with the same key (matrix, configuration, precision, cache, device,\n"
            "revision, driver, build) the latest one is kept; a crash never replaces a time. Rows of different devices stay separate.\n"
            "Rows in the logs of an unfinished run are included.\n\n"
            "Some of the columns:\n"
            "  kept      rows written to ALL.h5\n"
            "  replaced  rows dropped for another row with the same key",
        .example = "  spmv-merge -o all.h5 task1.h5 task2.h5\n"
                   "  spmv-merge -o all.h5 all.h5 task3.h5   add to all.h5\n"
                   "  spmv-query -f coo.sql a.h5 > coo.tsv\n"
                   "  spmv-merge --leave-out coo.tsv -o b.h5 a.h5\n"
                   "  # coo.sql: SELECT archive, archive_row FROM rows WHERE kernel = 'coo'\n",
        .min_operands = 0,
        .max_operands = -1,
        .options = options
    };
    char **paths, why[ERRLEN];

    m.ninputs = options_parse(&program, argc, argv, &paths);
    if (!m.ninputs)
        usage_die("missing operand RUN.h5");
    if (!output)
        usage_die("missing -o ALL.h5");
    archive_set_command(argc, argv, anonymous);
    archive_reads_logs();
    output_signals();
    m.input = xcalloc((unsigned long)m.ninputs, sizeof *m.input);
    for (int i = 0; i < m.ninputs; i++)
        m.input[i].path = paths[i];
    if (runlock_take(output, why))
        die("%s", why);
    atexit(release); /* also where it ends with an error */
    const int status = merge(output, &m, why);
    if (status)
        die_code(archive_exit(status), "%s", why);
    merge_print(&m, output, json);
    merge_free(&m);
    free(paths);
    return EXIT_OK;
}
