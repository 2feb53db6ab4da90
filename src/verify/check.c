/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-check: is this file whole, of a schema this program reads, and does every table have its checksum?
 * Reads archives and Binsparse matrices, writes one line a file; the exit status is the worst of them. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "base/textout.h"
#include "input/matrix.h"

/* What an archive of a kind cannot do without: a table that is gone has no checksum to fail. */
enum { TABLES = 4 };
static const struct {
    const char *kind, *tables[TABLES];
} kinds[] = {
    { "run", { "rows", "matrices", "histogram", "provenance" } },
    { "profile", { "coefficients", "geometry", "provenance" } },
    { "recipes", { "recipes", "provenance" } },
    { "plan", { "provenance" } },
};

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
    char kind[32];
    int schema;
    int64_t tables, rows;
    enum verdict verdict;
    char why[ERRLEN];
};

static int check_tables(struct archive *a, struct finding *f)
{
    char name[64];
    int64_t rows;

    if (archive_verify(a, f->why))
        return FAIL;
    for (; archive_table(a, (int)f->tables, name, &rows) == 0; f->tables++)
        f->rows += rows;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int t = 0; t < TABLES && strcmp(kinds[k].kind, f->kind) == 0 && kinds[k].tables[t]; t++)
            if (!archive_has(a, kinds[k].tables[t]))
                return fail(f->why, "%s is damaged: table %s is missing", archive_path(a), kinds[k].tables[t]);
    return 0;
}

static void check_matrix(const char *path, struct finding *f)
{
    struct matrix m;

    TEXT_SET(f->kind, "matrix");
    if (matrix_read(path, &m, f->why)) {
        f->verdict = DAMAGED;
        return;
    }
    f->rows = m.csr.rows;
    f->why[0] = 0;
    matrix_free(&m);
}

static void check(const char *path, struct finding *f)
{
    struct archive *a;

    memset(f, 0, sizeof *f);
    f->schema = -1;
    int status = archive_open(path, NULL, &a, f->why);

    if (status == ARCHIVE_FOREIGN && !matrix_is_archive(path)) {
        check_matrix(path, f);
        return;
    }
    if (status) {
        f->verdict = status == ARCHIVE_DAMAGED ? DAMAGED : status == ARCHIVE_NEWER ? NEWER : UNREADABLE;
        return;
    }
    TEXT_SET(f->kind, archive_kind(a));
    f->schema = archive_schema(a);
    f->verdict = check_tables(a, f) ? DAMAGED : WHOLE;
    archive_close(a);
}

static void print(struct textout *out, const char *path, const struct finding *f)
{
    textout_text(out, "file", path);
    textout_text(out, "kind", f->kind);
    if (f->schema >= 0)
        textout_int(out, "schema", f->schema);
    else
        textout_text(out, "schema", "");
    textout_int(out, "tables", f->tables);
    textout_int(out, "rows", f->rows);
    textout_text(out, "status", verdicts[f->verdict].name);
    textout_text(out, "reason", f->why);
    textout_row_end(out);
}

int main(int argc, char **argv)
{
    bool json = false;
    const struct option options[] = { option_json(&json, "print JSON"), { .name = NULL } };
    const struct program program = {
        .name = "spmv-check",
        .operands = "ARCHIVE...",
        .about = "Tells whether archives and Binsparse matrices are whole, of a schema this program reads, with the\n"
                 "checksums they were written with. Exits 3 when one is damaged, 1 when one is missing, unreadable,\n"
                 "newer or not ours, 0 when all are whole.",
        .example = "  spmv-check results/h200/*.h5",
        .min_operands = 1,
        .max_operands = -1,
        .options = options
    };
    char **paths;
    struct finding f;
    enum verdict worst = WHOLE;

    int n = options_parse(&program, argc, argv, &paths);
    struct textout *out = textout_begin(json, "file\tkind\tschema\ttables\trows\tstatus\treason");
    for (int i = 0; i < n; i++) {
        check(paths[i], &f);
        print(out, paths[i], &f);
        if (f.verdict > worst)
            worst = f.verdict;
    }
    textout_end(out);
    free(paths);
    return verdicts[worst].exit;
}
