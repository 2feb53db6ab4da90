/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers out of text that ends in a newline, fast: the inner loop of the Matrix Market reader. */
#ifndef SPMVCAST_INPUT_MTX_PARSE_H
#define SPMVCAST_INPUT_MTX_PARSE_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

static inline bool mtx_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static inline bool mtx_ends_token(char c) { return c == '\n' || mtx_blank(c); }
static inline const char *mtx_skip_blank(const char *p)
{
    while (mtx_blank(*p))
        p++;
    return p;
}
static inline bool mtx_digit(char c) { return (unsigned char)(c - '0') <= 9; }

/* An integer >= 0 of at most 18 digits, a whole token; NULL: it is none. */
static inline const char *mtx_integer(const char *p, int64_t *out)
{
    const char *first = p;
    int64_t v = 0;
    while (mtx_digit(*p) && p - first < 18)
        v = 10 * v + (*p++ - '0');
    *out = v;
    return p > first && mtx_ends_token(*p) ? p : NULL;
}

/* A number that a strict reader accepts: decimal, or nan, inf, infinity with a sign. Anything strtod takes beyond that
 * (hexadecimal, "nan(...)") is none. NULL: it is none. */
static inline const char *mtx_real_slow(const char *p, double *out)
{
    const char *q = p + (*p == '+' || *p == '-');
    bool word = strncasecmp(q, "nan", 3) == 0 || strncasecmp(q, "inf", 3) == 0;
    if (!word && (!(mtx_digit(*q) || *q == '.') || ((q[0] == '0') && (q[1] == 'x' || q[1] == 'X'))))
        return NULL;
    char *end;
    *out = strtod(p, &end);
    return end > p && mtx_ends_token(*end) ? end : NULL;
}

/* Digits below 2^53 times or over an exact power of ten (up to 10^22) is one rounding, hence correct; else strtod. */
static inline const char *mtx_real(const char *p, double *out)
{
    static const double power[23] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *q = p + (*p == '+' || *p == '-'), *first = q;
    uint64_t digits = 0;
    int exponent = 0, point = 0;
    for (; mtx_digit(*q); q++)
        digits = 10 * digits + (uint64_t)(*q - '0');
    if (*q == '.') {
        const char *fraction = ++q;
        for (; mtx_digit(*q); q++)
            digits = 10 * digits + (uint64_t)(*q - '0');
        exponent = -(int)(q - fraction);
        point = 1;
    }
    if (q - first - point == 0 || q - first - point > 18) /* none, or more than 64 bits may hold */
        return mtx_real_slow(p, out);
    if (*q == 'e' || *q == 'E') {
        bool minus = q[1] == '-';
        q += 1 + (q[1] == '-' || q[1] == '+');
        int e = 0, n = 0;
        for (; mtx_digit(*q) && n < 4; q++, n++)
            e = 10 * e + (*q - '0');
        if (n == 0)
            return mtx_real_slow(p, out);
        exponent += minus ? -e : e;
    }
    if (!mtx_ends_token(*q) || digits >= UINT64_C(1) << 53 || exponent > 22 || exponent < -22)
        return mtx_real_slow(p, out);
    double v = (double)digits;
    v = exponent < 0 ? v / power[-exponent] : v * power[exponent];
    *out = *p == '-' ? -v : v;
    return q;
}
#endif
