/* SPDX-License-Identifier: BSD-3-Clause */
/* Fast parsing of numbers in text that ends with a newline, with at least MTX_BEYOND readable bytes after it: the inner loop of the Matrix
 * Market reader. */
#ifndef SPMVCAST_INPUT_MTX_PARSE_H
#define SPMVCAST_INPUT_MTX_PARSE_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif
#include "base/error.h"

enum { MTX_BEYOND = 15 };

static inline bool mtx_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static inline bool mtx_ends_token(char c) { return c == '\n' || mtx_blank(c); }
static inline const char *mtx_skip_blank(const char *p)
{
    while (mtx_blank(*p))
        p++;
    return p;
}
static inline bool mtx_digit(char c) { return (unsigned char)(c - '0') <= 9; }

/* Appends the digits at p to *v, modulo 2^64, eight at a time (Lemire 2021, section 4: sums of neighbouring digits, pairs and fours).
 * Returns the position after them. Reads up to seven bytes after the first that is no digit. */
static inline const char *mtx_digits(const char *p, uint64_t *v)
{
    static const uint32_t power[9] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    for (unsigned n = 8; n == 8; p += n) {
        uint64_t t;
        memcpy(&t, p, sizeof t);
        t ^= UINT64_C(0x3030303030303030);
        const uint64_t others = (t | (t + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
        n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
        t = n ? t << (64 - 8 * n) : 0;
        t = 10 * t + (t >> 8);
        t = ((t & UINT64_C(0xFF000000FF)) * UINT64_C(0xF424000000064)
             + (t >> 16 & UINT64_C(0xFF000000FF)) * UINT64_C(0x271000000001))
            >> 32;
        *v = *v * power[n] + (uint32_t)t;
    }
    return p;
}

/* Parses a whole token as an integer >= 0 of at most 18 digits. Returns its end; NULL if it is no such integer. */
static inline const char *mtx_integer(const char *p, int64_t *out)
{
    uint64_t v = 0;
    const char *q = mtx_digits(p, &v);
    *out = (int64_t)v;
    return q > p && q - p <= 18 && mtx_ends_token(*q) ? q : NULL;
}

/* Parses two integers of 1 to 8 digits with one space between them and white space after them, all in 16 characters, at once.
 * Returns the position after them; NULL: something else is there, or this is no x86-64. */
static inline const char *mtx_two_integers(const char *p, int64_t *first, int64_t *second)
{
#ifdef __x86_64__
    const __m128i zero = _mm_set1_epi8('0'), from_zero = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), zero);
    const unsigned digits =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(9)), from_zero));
    const unsigned n = (unsigned)__builtin_ctz(~digits), end = (unsigned)__builtin_ctz(~digits & (~digits - 1));
    if (n - 1 >= 8 || end - n - 2 >= 8 || end >= 16 || p[n] != ' ' || !mtx_ends_token(p[end]))
        return NULL;
    uint64_t low, high;
    memcpy(&low, p, sizeof low);
    memcpy(&high, p + n + 1, sizeof high);
    low <<= 64 - 8 * n; /* leading zeros */
    high <<= 64 - 8 * (end - n - 1);
    __m128i t = _mm_subs_epu8(_mm_set_epi64x((int64_t)high, (int64_t)low), zero);
    t = _mm_srli_epi16(_mm_mullo_epi16(t, _mm_set1_epi16(10 << 8 | 1)), 8); /* ten times a digit and the next one */
    t = _mm_madd_epi16(t, _mm_set1_epi32(1 << 16 | 100));
    t = _mm_madd_epi16(_mm_packs_epi32(t, t), _mm_set1_epi32(1 << 16 | 10000));
    const uint64_t both = (uint64_t)_mm_cvtsi128_si64(t);
    *first = (uint32_t)both;
    *second = (int64_t)(both >> 32);
    return p + end;
#else
    (void)p, (void)first, (void)second;
    return NULL;
#endif
}

/* Parses a decimal number, also with a Fortran exponent, or nan, inf, infinity, all with an optional sign. Rejects other
 * input of strtod (hexadecimal, "nan(...)"). Returns the end of the number; NULL if it is none. */
const char *mtx_real_slow(const char *p, double *out);
/* Computes digits * 10^exponent, rounded as strtod does. Returns false if that takes more than one product of 64 bits. */
bool mtx_scaled(uint64_t digits, int exponent, double *out);

/* Returns true for hexadecimal numbers: 0x10, 0x1.8p3, -0X1P-4. For messages. */
static inline bool mtx_hexadecimal(const char *p)
{
    p += *p == '+' || *p == '-';
    return p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
}

/* Does what mtx_real_slow does, but faster: digits below 2^53 times or over an exact power of ten (up to 10^22) are rounded
 * only once, hence correctly; others of up to 64 bits go to mtx_scaled. */
static inline const char *mtx_real(const char *p, double *out)
{
    static const double power[23] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *first = p + (*p == '+' || *p == '-');
    uint64_t digits = 0;
    const bool one = mtx_digit(first[0]) && first[1] == '.'; /* as most have it */
    const char *q = one ? first + 1 : mtx_digits(first, &digits);
    digits = one ? (uint64_t)(first[0] - '0') : digits;
    int exponent = 0, point = 0;
    if (*q == '.') {
        const char *fraction = q + 1;
        q = mtx_digits(fraction, &digits);
        exponent = -(int)(q - fraction);
        point = 1;
    }
    const char *leading = first; /* zeros */
    while (q - leading - point > 19 && (*leading == '0' || *leading == '.'))
        point -= *leading++ == '.';
    if (q - leading - point == 0 || q - leading - point > 19) /* none, or possibly more than 64 bits */
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
    double v = (double)digits;
    if (!mtx_ends_token(*q))
        return mtx_real_slow(p, out);
    if (digits < UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22)
        v = exponent < 0 ? v / power[-exponent] : v * power[exponent];
    else if (!mtx_scaled(digits, exponent, &v))
        return mtx_real_slow(p, out);
    *out = *p == '-' ? -v : v;
    return q;
}
#endif
