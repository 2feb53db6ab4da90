/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to textout*.c: the state of a table. */
#ifndef SPMVCAST_BASE_TEXTOUT_INSIDE_H
#define SPMVCAST_BASE_TEXTOUT_INSIDE_H
#include <stdbool.h>
#include <stddef.h>

struct digits;

struct cell {
    char *text;
    bool number;
};
struct line {
    char *note;
    struct cell *cells; /* either a note or cells is set; neither: the header */
    bool clauses;       /* the note is from textout_answer */
};

struct textout {
    bool json, terminal, headed, closed; /* closed: the reader of the pipe exited */
    int ncolumns, filled;
    char **columns;
    const char *prefix;              /* textout_prefix */
    int *reserved;                   /* textout_reserve, or 0 */
    int *width;                      /* width of the widest cell of each column */
    bool *number;                    /* column has only numbers and is right-aligned */
    char *(**shorter)(const char *); /* textout_shorter, or NULL */
    int *shown, nshown;              /* the columns that are printed, in this order */
    bool asked;                      /* chosen by --columns */
    int dropped;                     /* columns left out at the end because the terminal is too narrow */
    int terminal_width, *fit;        /* width of the terminal; width of each printed column on it */
    bool split, short_cells;         /* headers over two lines; cells shortened by `shorter` */
    struct cell *cells;              /* the current row */
    struct line *lines;              /* buffered lines (terminal, JSON) */
    long nlines;
    char *out;
    size_t used, room;
    struct cJSON *lists, *object; /* JSON: arrays in addition to the rows; the current object */
    struct sheet *sheet;          /* textout_divert, or NULL */
    bool within;                  /* inside textout_object .. textout_object_end */
};

/* textout_fit.c: the columns that are printed, and their widths on a terminal. */
/* Sets `shown` from --columns; usage_die for an unknown column. */
void textout_choose(struct textout *);
/* Sets `fit` so that lines fit the terminal: splits headers over two lines, then shortens cells, then drops columns.
 * May be called again for more rows; the columns do not change after the header is printed. */
void textout_fit(struct textout *);
/* Return the line of a row (several lines if the last column is wrapped), and the header line or lines (malloc'd). */
char *textout_fitted_line(const struct textout *, const struct cell *cells);
char *textout_fitted_head(const struct textout *);
/* Returns the note on dropped columns (malloc'd). */
char *textout_dropped(const struct textout *);

/* Formats with 15 digits, or 17 if needed to restore the value; "null" if it is not finite. */
struct digits textout_json_number(double value);
void textout_cells_free(struct textout *, struct cell *);
/* Returns the whole table on one line (malloc'd) and empties the buffer. */
char *textout_to_json(struct textout *);
#endif
