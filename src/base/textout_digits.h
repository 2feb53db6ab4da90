/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text, as tables and notes show them. */
#ifndef SPMVCAST_BASE_TEXTOUT_DIGITS_H
#define SPMVCAST_BASE_TEXTOUT_DIGITS_H

/* Formats a number as tables print it, for use in notes: textout_digits(us, 4).text as an argument. NaN is "-". */
struct digits {
    char text[40];
};
struct digits textout_digits(double value, int significant);
/* The unit in which a time in s has at least one digit before the point: us, ms or s; per_s: units a second. */
struct time_unit {
    double per_s;
    const char *name;
};
struct time_unit time_unit_of(double seconds);
/* Formats a time with its unit: "15.6 us", "3.82 ms". */
struct digits textout_time(double seconds, int significant);
/* An amount of memory with three digits: "68 MB", "25.4 GB" (10^9 bytes). */
struct digits textout_bytes(double bytes);
#endif
