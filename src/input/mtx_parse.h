/* SPDX-License-Identifier: BSD-3-Clause */
/* Fast parsing of numbers in text that ends with a newline: the inner loop of the Matrix Market reader. */
#ifndef SPMVCAST_INPUT_MTX_PARSE_H
#define SPMVCAST_INPUT_MTX_PARSE_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/error.h"

static inline bool mtx_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static inline bool mtx_ends_token(char c) { return c == '\n' || mtx_blank(c); }
static inline const char *mtx_skip_blank(const char *p)
{
    while (mtx_blank(*p))
        p++;
    return p;
}
static inline bool mtx_digit(char c) { return (unsigned char)(c - '0') <= 9; }

/* Parses a whole token as an integer >= 0 of at most 18 digits. Returns its end; NULL if it is no such integer. */
static inline const char *mtx_integer(const char *p, int64_t *out)
{
    const char *first = p;
    int64_t v = 0;
    while (mtx_digit(*p) && p - first < 18)
        v = 10 * v + (*p++ - '0');
    *out = v;
    return p > first && mtx_ends_token(*p) ? p : NULL;
}

/* Returns true for Fortran exponents: "1.5D+03", quadruple precision "1.5Q+03", and "1.5+103", "1.5-103", where three
 * digits leave no room for the letter. */
static inline bool mtx_fortran_exponent(const char *q, const char *end, bool point)
{
    const bool letter = *q == 'd' || *q == 'D' || *q == 'q' || *q == 'Q';
    const char *sign = q + letter, *digits = sign + (*sign == '+' || *sign == '-');
    const char *p = digits;
    while (mtx_digit(*p))
        p++;
    return p == end && (letter ? p > digits : digits > q && p - digits == 3 && point);
}

/* Returns the value of [p, end) after inserting an e before the exponent, or replacing its letter, for strtod. */
static inline double mtx_fortran_value(const char *p, const char *exponent, const char *end)
{
    char small[64], *copy = end - p + 2 <= (ptrdiff_t)sizeof small ? small : (char *)xmalloc((size_t)(end - p) + 2);
    const size_t n = (size_t)(exponent - p);
    const bool letter = *exponent != '+' && *exponent != '-';
    memcpy(copy, p, n);
    copy[n] = 'e';
    memcpy(copy + n + 1, exponent + letter, (size_t)(end - exponent) - letter);
    copy[n + 1 + (size_t)(end - exponent) - letter] = 0;
    const double v = strtod(copy, NULL);
    if (copy != small)
        free(copy);
    return v;
}

/* Parses a decimal number, also with a Fortran exponent, or nan, inf, infinity, all with an optional sign. Rejects other
 * input of strtod (hexadecimal, "nan(...)"). Returns the end of the number; NULL if it is none. */
static inline const char *mtx_real_slow(const char *p, double *out)
{
    const char *q = p + (*p == '+' || *p == '-'), *first = q;
    bool word = strncasecmp(q, "nan", 3) == 0 || strncasecmp(q, "inf", 3) == 0, point = false;
    char *end;
    if (!word) {
        for (; mtx_digit(*q) || (*q == '.' && !point); q++)
            point |= *q == '.';
        if (q - first - point == 0)
            return NULL;
        if (!mtx_ends_token(*q) && *q != 'e' && *q != 'E') {
            const char *token = q;
            while (!mtx_ends_token(*token))
                token++;
            if (!mtx_fortran_exponent(q, token, point))
                return NULL;
            *out = mtx_fortran_value(p, q, token);
            return token;
        }
    }
    *out = strtod(p, &end);
    return end > p && mtx_ends_token(*end) ? end : NULL;
}

/* Returns true for hexadecimal numbers: 0x10, 0x1.8p3, -0X1P-4. For messages. */
static inline bool mtx_hexadecimal(const char *p)
{
    p += *p == '+' || *p == '-';
    return p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
}

/* Does what mtx_real_slow does, but faster: digits below 2^53 times or over an exact power of ten (up to 10^22) are rounded
 * only once, hence correctly. Other numbers go to strtod. */
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
    if (q - first - point == 0 || q - first - point > 18) /* none, or possibly more than 64 bits */
        return mtx_real_slow(p, out);
    const char letter = (char)(*q | 0x20);
    if (letter == 'e' || letter == 'd' || letter == 'q') {
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
