/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-check: checks that archives and Binsparse matrices are undamaged, of a known schema, and readable. Prints a row per
 * file; the exit status is that of the worst file. With --quality, checks how trustworthy the rows of runs are. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "archive/h5.h"
#include "base/common_options.h"
#include "base/isolate.h"
#include "input/matrix.h"
#include "runs/rows.h"
#include "table/textout.h"
#include "verify/contents.h"
#include "verify/quality.h"

enum verdict { WHOLE, UNREADABLE, NEWER, DAMAGED };
static const struct {
    const char *name;
    int exit;
} verdicts[] = {
    [WHOLE] = { "ok", EXIT_OK },
    [UNREADABLE] = { "unreadable", EXIT_FAILED },
    [NEWER] = { "newer", EXIT_FAILED },
    [DAMAGED] = { "damaged", EXIT_WRONG },
};

struct finding {
    const char *path;
    char kind[32];
    int schema;
    int64_t tables, rows;
    enum verdict verdict;
    char why[ERRLEN];
};

/* Counts tables and rows, and reads the tables that every kind has. archive_open has verified the checksums. */
static int check_tables(struct archive *a, struct finding *f)
{
    char name[64];
    int64_t rows;
    void *row;
    int status;

    for (; (status = archive_table(a, (int)f->tables, name, &rows, f->why)) == 0; f->tables++)
        f->rows += rows;
    if (status != FAIL)
        return status;
    for (int k = 0; k < 2; k++) {
        status = archive_get(a, k ? &input_schema : &provenance_schema, &row, &rows, f->why);
        if (status)
            return status;
        free(row);
    }
    return 0;
}

static int check_archive(struct archive *a, struct finding *f)
{
    int status = check_tables(a, f);

    return status ? status : contents_load(f->kind, f->path, f->why);
}

static void check_matrix(struct finding *f)
{
    struct matrix m;

    TEXT_SET(f->kind, "matrix");
    const int status = matrix_read(f->path, &m, f->why);
    if (status) {
        f->verdict = status == ARCHIVE_DAMAGED ? DAMAGED : UNREADABLE;
        return;
    }
    f->rows = m.csr.rows;
    f->why[0] = 0;
    matrix_free(&m);
}

static void check(void *finding)
{
    struct finding *f = finding;
    struct archive *a;
    int status = archive_open(f->path, NULL, &a, f->why);

    if (status == ARCHIVE_FOREIGN && !matrix_is_archive(f->path)) {
        check_matrix(f);
        return;
    }
    if (status == 0) {
        TEXT_SET(f->kind, archive_kind(a));
        f->schema = archive_schema(a);
        status = check_archive(a, f);
        archive_close(a);
    }
    f->verdict = status == 0                 ? WHOLE
                 : status == ARCHIVE_DAMAGED ? DAMAGED
                 : status == ARCHIVE_NEWER   ? NEWER
                                             : UNREADABLE;
}

/* Checks a file in a child process: a file that crashes HDF5 must not stop the check of the others. */
static void check_apart(const char *path, struct finding *f)
{
    char end[ERRLEN];
    const struct isolate_limits limits = { .wall_seconds =
                                               2 * h5_seconds(path) }; /* judged there once more, then read */

    memset(f, 0, sizeof *f);
    f->path = path;
    f->schema = -1;
    const int status = isolate(check, f, sizeof *f, &limits, end);
    if (status == ISOLATE_CRASHED) {
        f->verdict = DAMAGED;
        fail(f->why, "%s is damaged: the reader crashed (%.100s)", path, end);
    } else if (status) {
        f->verdict = UNREADABLE;
        fail(f->why, "cannot check %s: %.200s", path, end);
    } else if (strcmp(f->kind, "run") == 0)
        archive_note_logs(path); /* the child has no stderr */
}

static void print(struct table *out, const char *path, const struct finding *f)
{
    table_put_text(out, "file", path);
    table_put_text(out, "kind", f->kind);
    if (f->schema >= 0)
        table_put_int(out, "schema", f->schema);
    else
        table_put_none(out, "schema");
    table_put_int(out, "tables", f->tables);
    table_put_int(out, "rows", f->rows);
    table_put_text(out, "status", verdicts[f->verdict].name);
    table_put_text(out, "reason", f->why);
    table_row_end(out);
    if (textout_on_terminal(out) && f->why[0]) /* the columns shown on a terminal omit it */
        table_note(out, "%s", f->why);
}

static const struct column columns[] = {
    TEXT_COLUMN("file", "path as given"),
    TEXT_COLUMN("kind", "kind of archive: run, profile, plan, recipes, forecasts; or matrix"),
    INT_COLUMN("schema", "", "schema version of the archive"),
    INT_COLUMN("tables", "", "tables in the archive"),
    INT_COLUMN("rows", "", "rows of all tables together; of a matrix: its rows"),
    TEXT_COLUMN("status", "ok, unreadable, newer (a later schema) or damaged"),
    TEXT_COLUMN("reason", "what is wrong with the file; of runs also which matrix files they skipped"),
    COLUMNS_END,
};

/* Prints the checks of the rows of each run; returns the exit status, that of the worst file. */
static int check_quality(struct table *out, char *const *paths, int n)
{
    int worst = EXIT_OK;

    for (int i = 0; i < n; i++) {
        struct runs runs = { .every_build = true };
        char why[ERRLEN];
        const int status = runs_load(paths[i], &runs, why);
        if (status)
            complain("%s", why);
        const int found = status ? archive_exit(status) : quality_rows(out, paths[i], &runs) ? EXIT_OK : EXIT_WRONG;
        worst = found > worst ? found : worst; /* EXIT_WRONG is the greatest */
        runs_free(&runs);
    }
    return worst;
}

int main(int argc, char **argv)
{
    bool json = false, quality = false;
    const struct option options[] = {
        { .name = "quality",
          .type = OPTION_FLAG,
          .value = &quality,
          .about =
              "of archives of kind run, check how trustworthy their rows are instead: noise, throttling, drift, rows "
              "that contradict each other; exits with 3 if a check fails" },
        option_max_memory(),
        option_real_part(&matrix_real_part),
        option_columns(),
        option_json(&json, "print JSON"),
        { .name = NULL }
    };
    const struct program program = {
        .name = "spmv-check",
        .operands = "ARCHIVE...",
        .about =
            "Checks that archives and Binsparse matrices have a known schema and correct checksums, and that the programs can\n"
            "read them.\n"
            "Exits with 3 if a file is damaged, 1 if one is missing, unreadable, of a newer schema or another format,\n"
            "0 if all are ok.",
        .example = "  spmv-check results/h200/*.h5\n"
                   "  spmv-check --quality results/h200/held-out.h5",
        .min_operands = 1,
        .max_operands = -1,
        .options = options
    };
    char **paths;
    struct finding f;
    enum verdict worst = WHOLE;

    int n = options_parse(&program, argc, argv, &paths);
    struct table *out = textout_begin(json, quality ? quality_columns : columns);
    if (quality) {
        textout_view(out, "check rows bad bad_percent limit_percent status about");
        const int status = check_quality(out, paths, n);
        textout_end(out);
        free(paths);
        return status;
    }
    textout_view(out, "file kind schema tables rows status");
    for (int i = 0; i < n; i++) {
        check_apart(paths[i], &f);
        print(out, paths[i], &f);
        if (f.verdict > worst)
            worst = f.verdict;
    }
    textout_end(out);
    free(paths);
    return verdicts[worst].exit;
}
