/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of tables and notes as text; apart from the tables, so that libspmvcast can print them. */
#include "base/textout_digits.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct digits textout_digits(double value, int significant)
{
    struct digits d;

    if (!isfinite(value) || value == 0) {
        snprintf(d.text, sizeof d.text, "%s", value == 0 ? "0" : isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
        return d;
    }
    /* The exponent after rounding: 9.996 to three digits is 10.0. */
    snprintf(d.text, sizeof d.text, "%.*e", significant - 1, value);
    const char *e = strchr(d.text, 'e');
    const int exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;
    if (exponent >= -3 && exponent < 7)
        snprintf(d.text, sizeof d.text, "%.*f", significant - 1 > exponent ? significant - 1 - exponent : 0, value);
    return d;
}

struct time_unit time_unit_of(double seconds)
{
    return seconds >= 0.9995      ? (struct time_unit){ 1, "s" }
           : seconds >= 0.9995e-3 ? (struct time_unit){ 1e3, "ms" }
                                  : (struct time_unit){ 1e6, "us" };
}

struct digits textout_time(double seconds, int significant)
{
    const struct time_unit unit = time_unit_of(seconds);
    const struct digits number = textout_digits(seconds * unit.per_s, significant);
    struct digits d;
    snprintf(d.text, sizeof d.text, "%.30s %s", number.text, unit.name);
    return d;
}

struct digits textout_bytes(double bytes)
{
    const bool small = bytes < 0.9995e9;
    const double value = bytes * (small ? 1e-6 : 1e-9);
    struct digits d;

    snprintf(d.text, sizeof d.text, value < 999.5 ? "%.3g %s" : "%.0f %s", value, small ? "MB" : "GB");
    return d;
}
