/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "files" of run archives: the matrix files of the runs, with the reason of those that were skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runs/rows.h"

static const struct column columns[] = {
    COLUMN_TEXT_OF(struct file_row, file, "base name of the file; in trees as of ssget (MM, RB, mat): Group/Name"),
    COLUMN_TEXT_OF(struct file_row, source_id, "matrix_id; empty: the file was skipped"),
    COLUMN_TEXT_OF(struct file_row, reason, "why the file was skipped; empty: it was read"),
    COLUMN_TEXT_OF(struct file_row, seen, "when it was read or skipped, UTC, ISO 8601"),
};
const struct schema file_schema = SCHEMA_OF(struct file_row, "files", columns);

static int by_file(const void *a, const void *b)
{
    return strcmp(((const struct file_row *)a)->file, ((const struct file_row *)b)->file);
}

/* Later ones win; of two of one date, one that was read. */
static bool replaces(const struct file_row *old, const struct file_row *new)
{
    int d = strcmp(new->seen, old->seen);
    d = d ? d : !new->reason[0] - !old->reason[0];
    d = d ? d : strcmp(new->source_id, old->source_id);
    return (d ? d : strcmp(new->reason, old->reason)) > 0;
}

bool runs_add_file(struct runs *r, const struct file_row *row)
{
    int64_t i = 0;
    while (i < r->nfiles && by_file(&r->files[i], row) != 0)
        i++;
    if (i == r->nfiles) {
        r->files = xrealloc(r->files, (size_t)++r->nfiles * sizeof *r->files);
        r->files[i] = *row;
        return true;
    }
    struct file_row *old = &r->files[i];
    const bool same = strcmp(old->source_id, row->source_id) == 0 && strcmp(old->reason, row->reason) == 0,
               newer = replaces(old, row);
    if (newer)
        *old = *row;
    return newer && !same;
}

int runs_load_files(struct runs *r, struct archive *a, char why[ERRLEN])
{
    struct file_row *rows = NULL;
    int64_t n = 0;
    const int status = archive_get_any(a, &file_schema, (void **)&rows, &n, why);
    for (int64_t i = 0; i < n && !status; i++)
        (void)runs_add_file(r, &rows[i]);
    free(rows);
    return status;
}

int runs_store_files(struct archive *a, const struct runs *r, char why[ERRLEN])
{
    if (r->nfiles == 0)
        return 0;
    qsort(r->files, (size_t)r->nfiles, sizeof *r->files, by_file);
    return archive_put(a, &file_schema, r->files, r->nfiles, why);
}

char *files_skipped_text(const struct strlist *skipped, int64_t files)
{
    enum { NAMED = 8 };
    const struct strlist named = { skipped->n < NAMED ? skipped->n : NAMED, skipped->v };
    char *names = strlist_join(&named, ", "), more[32] = "";
    if (skipped->n > NAMED)
        snprintf(more, sizeof more, " and %d more", skipped->n - NAMED);
    char *text = xasprintf("%d of %s %s skipped: %s%s", skipped->n, counted(files, "file").text,
                           skipped->n == 1 ? "was" : "were", names, more);
    free(names);
    return text;
}

char *runs_skipped_text(const struct runs *r)
{
    struct strlist skipped = { 0 };
    for (int64_t i = 0; i < r->nfiles; i++)
        if (r->files[i].reason[0])
            strlist_add(&skipped, r->files[i].file);
    char *text = skipped.n > 0 ? files_skipped_text(&skipped, r->nfiles) : NULL;
    strlist_free(&skipped);
    return text;
}
