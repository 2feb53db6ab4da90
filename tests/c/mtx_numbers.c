/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the number parser of the Matrix Market reader with strtod, bit for bit, on 300000 texts of many forms. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "input/mtx_parse.h"

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double random_bits(void)
{
    uint64_t bits = next();
    double v;
    memcpy(&v, &bits, sizeof v);
    return isfinite(v) ? v : 0.1;
}

/* Writes a number in Fortran's form and in C's form, for strtod; bare: its exponent has three digits and no letter. */
static void fortran(char *text, char *as_strtod, size_t bytes, bool bare)
{
    const uint64_t whole = next() % 10, fraction = next() >> (next() % 64);
    const int exponent = bare ? 100 + (int)(next() % 200) : (int)(next() % 330);
    const char sign = next() % 2 ? '+' : '-';
    snprintf(as_strtod, bytes, "%" PRIu64 ".%" PRIu64 "e%c%d\n", whole, fraction, sign, exponent);
    snprintf(text, bytes, "%" PRIu64 ".%" PRIu64 "%.*s%c%d\n", whole, fraction, bare ? 0 : 1, &"DdQq"[next() % 4], sign,
             exponent);
}

/* Returns true unless two integers, with other characters around them at times, are taken for others. */
static bool two_integers(void)
{
    static const char between[] = "    \t,1", after[] = " \n\t.x0";
    char text[64];
    const uint64_t i = next() % 3000000000u >> (next() % 32), j = next() % 3000000000u >> (next() % 32);
    snprintf(text, sizeof text, "%" PRIu64 "%c%" PRIu64 "%c%" PRIu64, i, between[next() % 7], j, after[next() % 6],
             next());
    int64_t first = 0, second = 0, slow_first, slow_second = 0;
    const char *end = mtx_two_integers(text, &first, &second), *p = mtx_integer(text, &slow_first),
               *q = p && *p == ' ' ? mtx_integer(p + 1, &slow_second) : NULL;
    return !end || (end == q && first == slow_first && second == slow_second);
}

int main(void)
{
    enum { SHAPES = 10 };
    int64_t wrong = 0;
    for (int64_t n = 0; n < 300000; n++) {
        char text[400], as_strtod[400] = "";
        double v = (double)(int64_t)next() / (double)(1 + (next() >> (next() % 64))), got = 0;
        switch (n % SHAPES) {
        case 0: snprintf(text, sizeof text, "%.16e\n", random_bits()); break;
        case 1: snprintf(text, sizeof text, "%.*g\n", 1 + (int)(next() % 19), v); break;
        case 2: snprintf(text, sizeof text, "%+.*f \n", (int)(next() % 12), v * 1e-12); break;
        case 3:
            snprintf(text, sizeof text, "%" PRIu64 "E%d\n", next() >> (next() % 64), (int)(next() % 80) - 40);
            break;
        case 4: snprintf(text, sizeof text, ".%05" PRIu64 "e+%d\n", next() % 100000, (int)(next() % 30)); break;
        case 5: snprintf(text, sizeof text, "-%" PRId64 ".\n", (int64_t)(next() >> 20)); break;
        case 6: snprintf(text, sizeof text, "%" PRIu64 "\n", next() >> 10 | 1 | UINT64_C(1) << 53); break; /* halfway */
        case 9:
            snprintf(text, sizeof text, "%s.%0*" PRIu64 "\n", n % 4 ? "0" : "", 1 + (int)(next() % 40),
                     next() >> (next() % 64));
            break;
        default: fortran(text, as_strtod, sizeof text, n % SHAPES == 7); break;
        }
        const char *end = mtx_real(text, &got);
        double expected = strtod(as_strtod[0] ? as_strtod : text, NULL);
        if (!end || !mtx_ends_token(*end) || memcmp(&got, &expected, sizeof got) != 0) {
            if (wrong++ < 5)
                printf("%s: %a, expected %a\n", text, got, expected);
        }
    }
    for (int n = 0; n < 300000; n++)
        wrong += !two_integers();
    printf("%" PRId64 " wrong\n", wrong);
    return wrong ? EXIT_FAILED : EXIT_OK;
}
