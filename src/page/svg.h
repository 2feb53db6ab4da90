/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to room page: text of SVG and HTML, which is the same for the same input on every machine. */
#ifndef SPMVCAST_PAGE_SVG_H
#define SPMVCAST_PAGE_SVG_H
#include <stddef.h>
#include <stdio.h>

/* Text that grows in memory. */
struct sink {
    FILE *file; /* to write to */
    char *text;
    size_t bytes;
};
void sink_open(struct sink *);
char *sink_close(struct sink *); /* the text (malloc'd) */

/* Escapes & < > " '; control characters are shown as base/utf8.h does. */
void put_escaped(FILE *, const char *text);
/* A coordinate with at most one decimal: "12", "-3.5". */
void put_coordinate(FILE *, double value);
/* Prints fmt, in which each @ is replaced by the next coordinate. */
void put_coordinates(FILE *, const char *fmt, const double *value);
#define PUT_AT(file, fmt, ...) put_coordinates(file, fmt, (const double[]){ __VA_ARGS__ })

/* Upper bound of the width of a text in a sans-serif font of this size. */
double text_units(const char *text, double size);
/* Returns the text (malloc'd), shortened with an ellipsis if it is wider than `units`. */
char *text_cut(const char *text, double units, double size);
/* Breaks a text at blanks into at most `most` lines of at most `units`; the last is shortened. Returns their number; the caller frees
 * each line. */
int text_lines(const char *text, double units, double size, int most, char **line);

/* Prints a number briefly: 0.25, 1000, 2e5. */
void brief_number(double value, int significant, char *text, size_t bytes);

/* Styles. */
void put_chart_style(FILE *); /* of charts, light and dark */
void put_page_style(FILE *);  /* of pages, without that of charts */
enum { NCOLOURS = 10 };
#endif
