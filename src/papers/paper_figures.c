/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of a paper's page: charts, tables, and printed values beside ours. */
#include "papers/paper_figures.h"
#include <stdlib.h>
#include <string.h>
#include "papers/printed_values.h"

enum { ROWS_SHOWN = 80 }; /* of a table on a page; the files have all */

enum { ENOUGH_BARS = 4, ENOUGH_PAIRS = 4 };

/* Copies the rows of the paper's own matrices, with a star after the names of stand-ins, or those of the others. */
static void select_rows(const struct table *t, bool own, struct table *out)
{
    table_begin_like(out, t);
    for (long row = 0; row < t->nrows; row++) {
        const char *source = table_text(t, row, "source");
        if ((strcmp(source, "other") != 0) != own)
            continue;
        table_copy_row(out, t, row);
        if (strcmp(source, "stand-in") != 0)
            continue;
        char *marked = xasprintf("%s *", table_text(t, row, "matrix"));
        table_set(out, out->nrows - 1, "matrix", marked);
        free(marked);
    }
}

char *paper_chart(const struct reproduction *r, long i, bool others, const char *id, bool alone, char why[ERRLEN])
{
    const struct table *f = &r->study->paper->figures, *t = &r->table[i];
    const char *words = table_text(f, i, "chart"), *title = table_text(f, i, "title");
    const bool bars = strncmp(words, "bars ", 5) == 0 && table_column(t, "source") >= 0;
    struct table own = { 0 }, rest = { 0 };
    char *svg = NULL, *longer = xasprintf("%s: other matrices", title);

    why[0] = 0;
    if (bars) {
        select_rows(t, true, &own);
        select_rows(t, false, &rest);
    }
    const bool split = bars && own.nrows >= ENOUGH_BARS && rest.nrows > 0;
    if (*words && t->nrows > 0 && !(others && (!split || (strstr(words, " by=") && !strstr(words, " by=precision")))))
        svg = plot_svg(!split   ? t
                       : others ? &rest
                                : &own,
                       words, others ? longer : title, table_text(f, i, "xlabel"), table_text(f, i, "ylabel"), id,
                       alone, why);
    table_free(&own);
    table_free(&rest);
    free(longer);
    return svg;
}

/* Copies the first rows of a table for the page: those of the paper's own matrices first. */
static void shorten(const struct table *t, struct table *out)
{
    long left = 0;

    table_begin_like(out, t);
    for (int other = 0; other < 2; other++)
        for (long row = 0; row < t->nrows; row++) {
            const bool is_other = table_column(t, "source") >= 0 && table_is(t, row, "source", "other");
            if (is_other != (other == 1))
                continue;
            if (out->nrows == ROWS_SHOWN)
                left++;
            else
                table_copy_row(out, t, row);
        }
    table_copy_notes(out, t);
    if (left > 0)
        table_note(out, "%s more in the .tsv file of this figure", counted(left, "row").text);
}

/* Adds the charts of a figure with its table behind the first; false: there is no chart. */
static bool put_charts(const struct reproduction *r, long i, const struct table *shown, struct page *page)
{
    const struct table *f = &r->study->paper->figures;
    char why[ERRLEN], *svg = paper_chart(r, i, false, page_id(page), false, why), *other;

    if (!svg) {
        if (*why)
            page_text(page, "No chart: %s.", why);
        return false;
    }
    page_figures_begin(page);
    char *caption = xasprintf("%s%s%s%s", table_text(f, i, "note"), *table_text(f, i, "note") ? ". " : "",
                              strncmp(table_text(f, i, "chart"), "bars ", 5) == 0 ? "*: stand-in. " : "",
                              table_text(f, i, "place"));
    page_figure(page, svg, caption, shown, NULL);
    free(caption);
    other = paper_chart(r, i, true, page_id(page), false, why);
    if (other) {
        struct table rest = { 0 }, few = { 0 };
        select_rows(&r->table[i], false, &rest);
        shorten(&rest, &few);
        page_figure(page, other, "Real matrices that the paper does not have.", &few, NULL);
        table_free(&rest);
        table_free(&few);
    }
    page_figures_end(page);
    return true;
}

/* Adds a chart of our values against the printed ones for each quantity that has enough of both, and the table. */
static void put_printed(const struct reproduction *r, long i, struct page *page)
{
    const struct table *printed = &r->printed[i];
    struct strlist quantities = { 0 };
    char why[ERRLEN];

    if (!printed_any(printed))
        return;
    for (long row = 0; row < printed->nrows; row++)
        strlist_add_once(&quantities, table_text(printed, row, "quantity"));
    for (int k = 0; k < quantities.n; k++) {
        struct table pairs = { 0 };
        printed_pairs(printed, quantities.v[k], &pairs);
        char *title = xasprintf("%s: printed, and here", quantities.v[k]);
        char *svg = pairs.nrows < ENOUGH_PAIRS
                        ? NULL
                        : plot_svg(&pairs, PRINTED_CHART, title, "printed", "here", page_id(page), false, why);
        if (svg) {
            page_figures_begin(page);
            page_figure(page, svg, "A point on the line: as printed.", &pairs, NULL);
            page_figures_end(page);
        }
        free(title);
        table_free(&pairs);
    }
    strlist_free(&quantities);
    page_table(page, printed, "item quantity device precision printed ours source place note", "As printed, and here",
               printed->nrows > 8);
}

void paper_figure_put(const struct reproduction *r, long i, struct page *page)
{
    const struct table *f = &r->study->paper->figures;
    struct table shown = { 0 };

    page_heading(page, table_text(f, i, "place"));
    shorten(&r->table[i], &shown);
    if (r->table[i].nrows == 0)
        page_text(page, "%s. No data: %s.", table_text(f, i, "title"),
                  r->table[i].nnotes > 0 ? r->table[i].note[0].text : "the archives have no such row");
    else if (!put_charts(r, i, &shown, page)) {
        page_table(page, &shown, NULL, table_text(f, i, "title"), shown.nrows > 30);
        if (*table_text(f, i, "note"))
            page_text(page, "%s.", table_text(f, i, "note"));
    }
    put_printed(r, i, page);
    table_free(&shown);
}
