/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact reads and conversions of numbers. */
#include "input/binary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 14 };

static int from_input(void *in, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    return input_read(in, to, bytes, got, why);
}

void binary_open(struct input *in, double fold, struct binary *b)
{
    const double size = input_holds(in, 1);
    *b = (struct binary){ .source = from_input, .from = in, .holds = size > 0 ? size * fold : INFINITY };
    input_label(in, b->path, sizeof b->path);
}

int binary_some(struct binary *b, void *to, int64_t n, int64_t *got, char why[ERRLEN])
{
    int64_t more = 1;
    int status = 0;
    for (*got = 0; !status && *got < n && more > 0; *got += more)
        status = b->source(b->from, (char *)to + *got, n - *got, &more, why);
    b->at += *got;
    return status;
}

static int cut_short(const struct binary *b, const char *what, char why[ERRLEN])
{
    return fail(why, "%s is cut short: it ends after %" PRId64 " bytes, in %s; get the file again", b->path, b->at,
                what);
}

int binary_read(struct binary *b, void *to, int64_t n, const char *what, char why[ERRLEN])
{
    int64_t got;
    const int status = binary_some(b, to, n, &got, why);
    return status || got == n ? status : cut_short(b, what, why);
}

int binary_skip(struct binary *b, int64_t n, const char *what, char why[ERRLEN])
{
    char piece[PIECE];
    int status = 0;
    for (int64_t left = n; !status && left > 0; left -= PIECE)
        status = binary_read(b, piece, left < PIECE ? left : PIECE, what, why);
    return status;
}

int binary_drain(struct binary *b, char why[ERRLEN])
{
    char piece[PIECE];
    int64_t got = PIECE;
    int status = 0;
    while (!status && got == PIECE)
        status = binary_some(b, piece, PIECE, &got, why);
    return status;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */
static uint64_t load(const unsigned char *at, int bytes, bool swapped)
{
    uint64_t v = 0;
    for (int k = 0; k < bytes; k++)
        v |= (uint64_t)at[swapped ? bytes - 1 - k : k] << (8 * k);
    return v;
}

static int64_t integer_of(struct number t, uint64_t v)
{
    const int unused = 64 - 8 * t.bytes;
    if (t.kind == NUMBER_SIGNED)
        return (int64_t)(v << unused) >> unused;
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static double real_of(struct number t, uint64_t v)
{
    const uint32_t low = (uint32_t)v;
    float f;
    double d;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &v, sizeof d);
    return t.bytes == 4 ? (double)f : d;
}

static void convert(struct binary *b, struct number t, const unsigned char *raw, int n, enum binary_as as, void *to,
                    int64_t at)
{
    for (int k = 0; k < n; k++, raw += t.bytes * (t.pair ? 2 : 1)) {
        const uint64_t v = load(raw, t.bytes, t.swapped);
        const int64_t i = integer_of(t, v);
        if (as == AS_DOUBLE) {
            const double d = t.kind == NUMBER_REAL                        ? real_of(t, v)
                             : t.kind == NUMBER_UNSIGNED && v > INT64_MAX ? (double)v
                                                                          : (double)i;
            b->rounded += t.kind != NUMBER_REAL && fabs(d) >= 0x1p53;
            ((double *)to)[at + k] = d;
        } else if (as == AS_INT32)
            ((int32_t *)to)[at + k] = i > INT32_MAX ? INT32_MAX : i < INT32_MIN ? INT32_MIN : (int32_t)i;
        else
            ((int64_t *)to)[at + k] = i;
    }
}

int binary_numbers(struct binary *b, struct number t, int64_t n, enum binary_as as, void *to, const char *what,
                   char why[ERRLEN])
{
    unsigned char raw[PIECE];
    const int size = t.bytes * (t.pair ? 2 : 1), most = PIECE / size;
    int status = 0;
    for (int64_t k = 0; !status && k < n; k += most) {
        const int some = n - k < most ? (int)(n - k) : most;
        status = binary_read(b, raw, (int64_t)some * size, what, why);
        if (!status)
            convert(b, t, raw, some, as, to, k);
    }
    return status;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */
int binary_hold(const struct binary *b, int64_t n, double least, const char *what, char why[ERRLEN])
{
    return (double)n * least <= b->holds
               ? 0
               : fail(why, "%s: %" PRId64 " %s declared, more than the file can hold", b->path, n, what);
}

int binary_complex(const char *path, bool real_part, char why[ERRLEN])
{
    return real_part ? 0 : fail(why, "%s: complex values are not supported; --real-part keeps the real parts", path);
}
