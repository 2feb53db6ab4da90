/* SPDX-License-Identifier: BSD-3-Clause */
/* A self-contained HTML page: sections with text, tables and charts, light and dark, printable, from 400 px up, without scripts.
 * All text is escaped. In text, `words` become code. */
#ifndef SPMVCAST_PAGE_PAGE_H
#define SPMVCAST_PAGE_PAGE_H
#include <stdbool.h>
#include "base/error.h"
#include "page/chart.h"
#include "table/table.h"

struct page;
/* subtitle: one sentence below the title; NULL: none. */
struct page *page_begin(const char *title, const char *subtitle);
/* Starts a section; sections are listed at the top of the page. id: letters, digits and '-', unique. */
void page_section(struct page *, const char *id, const char *heading);
void page_heading(struct page *, const char *heading); /* within a section */
void page_text(struct page *, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A line of emphasis that answers the reader's question, in a box. */
void page_answer(struct page *, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A name with its value; consecutive ones form one list. */
void page_fact(struct page *, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A table with its notes below. columns: names separated by blanks (NULL: all); a column may be renamed:
 * "time_us=time (us)" shows "time (us)", with '~' for a blank in the name. folded: closed until the reader opens it.
 * Cells of a column "verdict" are badges. */
void page_table(struct page *, const struct table *, const char *columns, const char *caption, bool folded);
/* A figure: the SVG (which the page takes), its caption, and the table behind it (NULL: none), folded. */
void page_figure(struct page *, char *svg, const char *caption, const struct table *behind, const char *columns);
/* Figures between the two calls are laid side by side where the page is wide enough. */
void page_figures_begin(struct page *);
void page_figures_end(struct page *);
/* Writes the page atomically and frees it; also frees it on failure. FAIL: why. */
int page_write(struct page *, const char *path, char why[ERRLEN]);
/* Returns a new id for a figure: "f1", "f2", ... (valid until the page is freed). */
const char *page_id(struct page *);
#endif
