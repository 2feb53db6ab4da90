/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal numbers that mtx_parse.h leaves: by one product with a power of ten, as in Lemire's Number parsing at a gigabyte per second (2021),
 * but with powers of 64 bits, or by strtod. */
#include "input/mtx_parse.h"

#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

__extension__ typedef unsigned __int128 wide;

/* 10^q, -LEAST <= q <= MOST, is in [high, high + 1] * 2^exponent; high has its top bit set. */
enum { LEAST = 342, MOST = 308 };
static struct power {
    uint64_t high;
    int exponent;
} powers[LEAST + MOST + 1];

/* With 128 bits, of which the loss of a few in each step leaves more than 100. */
static void fill_powers(void)
{
    for (int up = 0; up <= 1; up++) {
        wide m = (wide)1 << 127;
        int exponent = -127;
        for (int q = 0; q <= (up ? MOST : LEAST); q++) {
            powers[LEAST + (up ? q : -q)] = (struct power){ (uint64_t)(m >> 64), exponent + 64 };
            m = up ? (m >> 4) * 10 : m / 10;
            for (exponent += up ? 4 : 0; !(m >> 127); exponent--)
                m <<= 1;
        }
    }
}

bool mtx_scaled(uint64_t digits, int exponent, double *out)
{
    enum { CUT = 11, HALF = 1 << (CUT - 1), DOUBT = 4 }; /* of the 64 bits of the product, its error */
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (digits == 0 || exponent < -LEAST || exponent > MOST)
        return false;
    pthread_once(&once, fill_powers);
    const struct power *p = &powers[LEAST + exponent];
    const int up = __builtin_clzll(digits);
    const wide product = (wide)(digits << up) * p->high;
    const int low = !(product >> 127);
    const uint64_t m = (uint64_t)(product >> (64 - low)), rest = m & ((1 << CUT) - 1);
    const int biased = p->exponent - up + 64 - low + 63 + 1023; /* of m as a number in [1, 2) */
    if ((rest >= HALF - DOUBT && rest <= HALF + DOUBT) || biased < 1 || biased > 2045)
        return false;
    /* The leading bit of the significand adds 1 to the exponent, as does a carry. */
    const uint64_t bits = ((uint64_t)(biased - 1) << 52) + (m >> CUT) + (rest > HALF);
    memcpy(out, &bits, sizeof bits);
    return true;
}

/* Returns true for Fortran exponents: "1.5D+03", quadruple precision "1.5Q+03", and "1.5+103", "1.5-103", where three
 * digits leave no room for the letter. */
static bool mtx_fortran_exponent(const char *q, const char *end, bool point)
{
    const bool letter = *q == 'd' || *q == 'D' || *q == 'q' || *q == 'Q';
    const char *sign = q + letter, *digits = sign + (*sign == '+' || *sign == '-');
    const char *p = digits;
    while (mtx_digit(*p))
        p++;
    return p == end && (letter ? p > digits : digits > q && p - digits == 3 && point);
}

/* Returns the value of [p, end) after inserting an e before the exponent, or replacing its letter, for strtod. */
static double mtx_fortran_value(const char *p, const char *exponent, const char *end)
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

const char *mtx_real_slow(const char *p, double *out)
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
