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
    struct cell *cells;
}; /* one of both; neither: the header */

struct textout {
    bool json, terminal, headed, closed; /* closed: the reader of the pipe has gone */
    int ncolumns, filled;
    char **columns;
    const char *prefix; /* of the names of values, up to the row's end */
    int *width;
    bool *number;       /* columns of numbers only are right-aligned */
    struct cell *cells; /* the row begun */
    struct line *lines; /* not printed yet (terminal, JSON) */
    long nlines;
    char *out;
    size_t used, room;
    struct cJSON *lists, *object; /* JSON: arrays beside the rows; the object begun */
    bool within;                  /* an object is begun (JSON or not) */
};

/* All 17 digits where 15 are not enough; "null" where JSON has no number. */
struct digits textout_json_number(double value);
void textout_cells_free(struct textout *, struct cell *);
/* The whole of it on one line (malloc'd); forgets the lines kept. */
char *textout_to_json(struct textout *);
#endif
