/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to this room: how a table is printed. */
#ifndef SPMVCAST_TABLE_TEXTOUT_INSIDE_H
#define SPMVCAST_TABLE_TEXTOUT_INSIDE_H
#include "table/table.h"
#include "table/table_inside.h"

struct textout {
    bool json, terminal, headed, closed; /* closed: the reader of the pipe exited */
    int head_note; /* textout_head on a terminal: the header stands before this note; -1: not called */
    int *reserved; /* textout_reserve, or 0 */
    const char *mark_column, *mark_text; /* textout_mark; NULL: none */
    int *width;                          /* width of the widest cell of each column, of all rows so far */
    char *(**shorter)(const char *);     /* textout_shorter, or NULL */
    int *shown, nshown;                  /* the columns that are printed, in this order */
    bool asked;                          /* chosen by --columns */
    int dropped;                         /* columns left out at the end because the terminal is too narrow */
    int terminal_width, *fit;            /* width of the terminal; width of each printed column on it */
    bool split, short_cells;             /* headers over two lines; cells shortened by `shorter` */
    char *out;
    size_t used, room;
    struct cJSON *lists, *object; /* JSON: arrays in addition to the rows; the current object */
    bool null_texts;              /* textout_null_texts */
    bool within;                  /* inside textout_object .. textout_object_end */
};

/* textout_fit.c: the columns that are printed, and their widths on a terminal. */
/* Sets `shown` from --columns; usage_die for an unknown column. */
void textout_choose(struct table *);
/* Sets `fit` so that lines fit the terminal: splits headers over two lines, then shortens cells, then drops columns.
 * May be called again for more rows; the columns do not change after the header is printed. */
void textout_fit(struct table *);
/* Return the line of a row (several lines if the last column is wrapped), and the header line or lines (malloc'd). */
char *textout_fitted_line(const struct table *, long row);
char *textout_fitted_head(const struct table *);
/* Returns the note on dropped columns (malloc'd). */
char *textout_dropped(const struct table *);

/* textout_json.c: returns the whole table on one line (malloc'd). */
char *textout_to_json(struct table *);
#endif
