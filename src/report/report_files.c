/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix files that the runs skipped, and why (report_parts.h). */
#include <stdlib.h>
#include "report/report_parts.h"

static const struct column columns[] = {
    TEXT_COLUMN("file", "name of the file"),
    TEXT_COLUMN("reason", "why it was skipped"),
    COLUMNS_END,
};

void report_files_answer(struct report *r)
{
    char *text = runs_skipped_text(&r->runs);

    if (text)
        page_text(r->page, "%s.", text);
    free(text);
}

void report_files(struct report *r)
{
    struct table t = { 0 };

    table_begin(&t, columns);
    for (int64_t i = 0; i < r->runs.nfiles; i++)
        if (r->runs.files[i].reason[0]) {
            const long row = table_add(&t);
            table_set(&t, row, "file", r->runs.files[i].file);
            table_set(&t, row, "reason", r->runs.files[i].reason);
        }
    if (t.nrows > 0) {
        page_section(r->page, "skipped", "Files that were skipped");
        page_table(r->page, &t, "file reason", "Matrix files that could not be read, and are in no figure", false);
    }
    table_free(&t);
}
