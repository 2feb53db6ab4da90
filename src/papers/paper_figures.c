/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of a paper's page: charts, tables, and printed values beside ours. */
#include "papers/paper_figures.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "papers/printed_values.h"

enum { ROWS_SHOWN = 80 }; /* of a table on a page; the files have all */

enum { ENOUGH_BARS = 4, ENOUGH_PAIRS = 4, WIDE = 30 };

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
    const bool sourced = table_column(t, "source") >= 0, bars = sourced && strncmp(words, "bars ", 5) == 0,
               lines = sourced && strncmp(words, "lines ", 6) == 0 && strstr(words, " by=matrix");
    struct table own = { 0 }, rest = { 0 };
    char *svg = NULL, *longer = xasprintf("%s: other matrices", title);

    why[0] = 0;
    if (bars || lines) {
        select_rows(t, true, &own);
        select_rows(t, false, &rest);
    }
    const bool chosen = own.nrows >= ENOUGH_BARS || (own.nrows > 0 && rest.nrows == 0),
               split = chosen && rest.nrows > 0;
    if (*words && t->nrows > 0 && !(others && (!split || (strstr(words, " by=") && !strstr(words, " by=precision")))))
        svg = plot_svg(!chosen  ? t
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

/* Returns a note as a sentence (malloc'd): a first word of small letters alone, which is no name of a model, begins with a capital. */
static char *sentence(const char *note)
{
    char *text = xstrdup(note);
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz");

    if (n > 0 && (text[n] == ' ' || text[n] == ':' || text[n] == ','))
        text[0] = (char)toupper((unsigned char)text[0]);
    return text;
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
    char *note = sentence(table_text(f, i, "note"));
    char *caption = xasprintf("%s%s%s%s", note, *note ? ". " : "",
                              strncmp(table_text(f, i, "chart"), "bars ", 5) == 0 ? "*: stand-in. " : "",
                              table_text(f, i, "place"));
    page_figure(page, svg, caption, shown, NULL);
    free(caption);
    free(note);
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

/* Chooses axes for pairs: of logarithms where positive values differ by more than a factor of WIDE. */
static const char *pairs_words(const struct table *pairs)
{
    double low = INFINITY, high = -INFINITY;

    for (long row = 0; row < pairs->nrows; row++) {
        const double a = table_real(pairs, row, "printed"), b = table_real(pairs, row, "ours");
        low = fmin(low, fmin(a, b));
        high = fmax(high, fmax(a, b));
    }
    return low > 0 && high > WIDE * low ? PRINTED_CHART " log=xy" : PRINTED_CHART;
}

/* Are there enough different points for a chart? */
static bool enough_points(const struct table *pairs)
{
    long n = 0;

    for (long row = 0; row < pairs->nrows && n < ENOUGH_PAIRS; row++) {
        bool seen = false;
        for (long k = 0; k < row && !seen; k++)
            seen = table_real(pairs, k, "printed") == table_real(pairs, row, "printed")
                   && table_real(pairs, k, "ours") == table_real(pairs, row, "ours");
        n += !seen;
    }
    return n >= ENOUGH_PAIRS;
}

/* Returns the chart of a quantity, printed and here (malloc'd); NULL: too few points. A ratio says what it is in the title of its figure. */
static char *pairs_chart(const struct reproduction *r, long i, const char *quantity, const struct table *pairs,
                         struct page *page)
{
    const struct table *t = &r->table[i];
    const char *what = strcmp(quantity, "ratio") == 0 ? table_text(&r->study->paper->figures, i, "title") : quantity;
    const int column = table_column(t, quantity);
    const char *unit = column < 0 ? "" : t->column[column].unit;
    char why[ERRLEN], *title = xasprintf("%s: printed, and here", what), *svg = NULL;
    char *x = xasprintf(*unit ? "printed (%s)" : "printed", unit), *y = xasprintf(*unit ? "here (%s)" : "here", unit);

    if (enough_points(pairs))
        svg = plot_svg(pairs, pairs_words(pairs), title, x, y, page_id(page), false, why);
    free(title);
    free(x);
    free(y);
    return svg;
}

/* Copies the rows in which the paper prints something. */
static void select_printed(const struct table *printed, struct table *out)
{
    table_begin_like(out, printed);
    for (long row = 0; row < printed->nrows; row++)
        if (printed_here(printed, row))
            table_copy_row(out, printed, row);
}

/* Adds a chart of our values against the printed ones for each quantity that has enough of both, and the table. */
static void put_printed(const struct reproduction *r, long i, struct page *page)
{
    const struct table *printed = &r->printed[i];
    struct table shown = { 0 };

    if (!printed_any(printed))
        return;
    select_printed(printed, &shown);
    for (int k = 0; k < r->table[i].ncolumns; k++) {
        const char *quantity = r->table[i].column[k].name;
        struct table pairs = { 0 };
        printed_pairs(printed, quantity, &pairs);
        char *svg = pairs_chart(r, i, quantity, &pairs, page);
        if (svg) {
            page_figures_begin(page);
            page_figure(page, svg, "A point on the line: as printed.", &pairs, NULL);
            page_figures_end(page);
        }
        table_free(&pairs);
    }
    page_table(page, &shown, "item quantity device precision printed ours source place note", "As printed, and here",
               shown.nrows > 8);
    table_free(&shown);
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
        char *note = sentence(table_text(f, i, "note"));
        if (*note)
            page_text(page, "%s.", note);
        free(note);
    }
    put_printed(r, i, page);
    table_free(&shown);
}
