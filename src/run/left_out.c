/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes on matrix files (files.h). */
#include "run/left_out.h"
#include <stdlib.h>
#include <string.h>
#include "input/folders.h"
#include "table/textout.h"

bool files_lack(const struct workload *w, const char *name)
{
    for (int s = 0; s < w->nsources; s++)
        if (strcmp(w->source[s].name, name) == 0)
            return false;
    return !strlist_has(&w->unwanted, name);
}

/* Names the matrix files of run archives that are not among the operands. */
static void put_elsewhere(struct table *t, const struct workload *w)
{
    struct strlist missing = { 0 };

    for (int i = 0; i < w->nelsewhere; i++)
        if (files_lack(w, w->elsewhere[i].matrix))
            strlist_add_once(&missing, w->elsewhere[i].matrix);
    table_note_list(t, "in a run archive, but its file is no operand", &missing);
    strlist_free(&missing);
}

void files_put_left_out(struct table *t, const struct workload *w)
{
    if (w->passed_over > 0)
        table_note(t, "files skipped in directories: %d (%s)", w->passed_over, folder_left_out);
    if (w->unwanted.n > 0)
        table_note(t, "left out by --min-nnz, --max-nnz or --group: %s", counted(w->unwanted.n, "file").text);
    table_note_list(t, "the same matrix, counted once", &w->twins);
    put_elsewhere(t, w);
}

void files_put_unreadable(struct table *t, const struct workload *w)
{
    struct strlist skipped = { 0 };
    struct matrix_header h;
    char why[ERRLEN], name[256];
    int64_t files = 0;

    for (int i = 0; i < w->nsources; i++) {
        const struct source *s = &w->source[i];
        files += !s->is_recipe;
        if (!s->skipped)
            continue;
        if (matrix_peek(s->path, &h, why))
            warn("%s", why);
        matrix_label(s->path, name, sizeof name);
        strlist_add(&skipped, name);
    }
    if (skipped.n > 0) {
        char *text = files_skipped_text(&skipped, files);
        table_note(t, "%s", text);
        free(text);
    }
    strlist_free(&skipped);
}

void files_put(struct table *t, const struct runs *r)
{
    struct strlist twins = { 0 };
    char *skipped = runs_skipped_text(r);

    for (int64_t i = 0; i < r->nfiles; i++) {
        int64_t k = 0;
        while (k < i && strcmp(r->files[k].source_id, r->files[i].source_id) != 0)
            k++;
        if (k == i || !r->files[i].source_id[0])
            continue;
        char *twin = xasprintf("%s = %s", r->files[i].file, r->files[k].file);
        strlist_add(&twins, twin);
        free(twin);
    }
    table_note_list(t, "the same matrix, counted once", &twins);
    if (skipped)
        table_note(t, "%s", skipped);
    strlist_free(&twins);
    free(skipped);
}
