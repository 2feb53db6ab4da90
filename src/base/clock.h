/* SPDX-License-Identifier: BSD-3-Clause */
/* Monotonic time in seconds (only differences are meaningful), and dates. */
#ifndef SPMVCAST_BASE_CLOCK_H
#define SPMVCAST_BASE_CLOCK_H
#include <math.h>
#include <string.h>
#include <time.h>

static inline double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the current date in seconds since 1970. */
static inline double date_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Formats a date (seconds since 1970) as archives store it, in UTC and ISO 8601: "2026-01-31T23:59:59Z"; "" if the date
 * is invalid. */
static inline void utc_text(double date, char text[32])
{
    const time_t whole = (time_t)date;
    struct tm utc;

    if (!gmtime_r(&whole, &utc) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc))
        text[0] = 0;
}

static inline void utc_now(char text[32]) { utc_text((double)time(NULL), text); }

/* Parses the output of utc_text. Returns seconds since 1970, NaN if the text is invalid. */
static inline double utc_s(const char *text)
{
    struct tm utc;

    memset(&utc, 0, sizeof utc);
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);

    return end && !*end ? (double)timegm(&utc) : NAN;
}
#endif
