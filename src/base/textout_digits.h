/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text, as tables and notes show them. */
#ifndef SPMVCAST_BASE_TEXTOUT_DIGITS_H
#define SPMVCAST_BASE_TEXTOUT_DIGITS_H

/* Formats a number as tables print it, for use in notes: textout_digits(us, 4).text as an argument. NaN is "-". */
struct digits {
    char text[40];
};
struct digits textout_digits(double value, int significant);
#endif
