/* SPDX-License-Identifier: BSD-3-Clause */
/* A table as textout.c and textout_json.c share it. */
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
    struct cell *cells; /* either a note or cells; neither: the header */
    bool clauses;       /* of a note: textout_answer */
};

struct textout {
    bool json, terminal, headed, closed; /* closed: the reader of the pipe has gone */
    int ncolumns, filled;
    char **columns;
    const char *prefix;              /* of the names of values, up to the row's end */
    int *reserved;                   /* textout_reserve, or 0 */
    int *width;                      /* of the widest cell of each column */
    bool *number;                    /* columns of numbers only are right-aligned */
    char *(**shorter)(const char *); /* textout_shorter, or NULL */
    int *shown, nshown;              /* the columns that are printed, in this order */
    bool asked;                      /* ... as --columns asked for them */
    int dropped;                     /* columns left out at the end because the terminal is too narrow */
    int terminal_width, *fit;        /* of the terminal; of each shown column on it */
    bool split, short_cells;         /* headers over two lines; cells through `shorter` */
    struct cell *cells;              /* the row begun */
    struct line *lines;              /* not printed yet (terminal, JSON) */
    long nlines;
    char *out;
    size_t used, room;
    struct cJSON *lists, *object; /* JSON: arrays beside the rows; the object begun */
    bool within;                  /* an object is begun (JSON or not) */
};

/* textout_fit.c: the columns that are printed, and their widths on a terminal. */
/* Sets `shown` by --columns; usage_die for an unknown column. */
void textout_choose(struct textout *);
/* Sets `fit`, so that lines fit the terminal: headers over two lines, then shorter cells, then fewer columns. Called again when
 * more rows were kept; what the header line shows stays. */
void textout_fit(struct textout *);
/* Both malloc'd: the line of a row, or several if text of the last column is wrapped, and the header line or lines. */
char *textout_fitted_line(const struct textout *, const struct cell *cells);
char *textout_fitted_head(const struct textout *);
/* The note on columns that the terminal was too narrow for (malloc'd). */
char *textout_dropped(const struct textout *);

/* All 17 digits where 15 are not enough; "null" where JSON has no number. */
struct digits textout_json_number(double value);
void textout_cells_free(struct textout *, struct cell *);
/* The whole of it on one line (malloc'd); forgets the lines kept. */
char *textout_to_json(struct textout *);
#endif
