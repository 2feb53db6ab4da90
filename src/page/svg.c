/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of SVG and HTML. */
#include "page/svg.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/printable.h"

void sink_open(struct sink *s)
{
    s->file = open_memstream(&s->text, &s->bytes);
    if (!s->file)
        die("cannot allocate text:");
}

char *sink_close(struct sink *s)
{
    if (fclose(s->file) != 0)
        die("cannot allocate text:");
    s->file = NULL;
    return s->text;
}

void put_escaped(FILE *out, const char *text)
{
    char *shown = printable(text);

    for (const char *p = shown; *p; p++)
        switch (*p) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fputc(*p, out);
        }
    free(shown);
}

void put_coordinate(FILE *out, double value)
{
    const long tenths = lround(10 * (isfinite(value) ? fmin(fmax(value, -1e6), 1e6) : 0)), size = labs(tenths);

    fprintf(out, "%s%ld", tenths < 0 ? "-" : "", size / 10);
    if (size % 10)
        fprintf(out, ".%ld", size % 10);
}

void put_coordinates(FILE *out, const char *fmt, const double *value)
{
    for (; *fmt; fmt++)
        if (*fmt == '@')
            put_coordinate(out, *value++);
        else
            fputc(*fmt, out);
}

/* ---- widths ---- */

/* Width of a character in em: those of DejaVu Sans, wider than most fonts, rounded up. */
static double em(unsigned char c)
{
    if (c < 0x20 || c == 0x7f)
        return 4 * 0.64; /* shown as an escape */
    if (strchr("ijl'|.,:;I!", c))
        return 0.35;
    if (strchr("ftr()[]/ -", c))
        return 0.42;
    if (strchr("mwMW@%", c))
        return 1;
    if (c >= 'A' && c <= 'Z')
        return 0.74;
    return 0.64;
}

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; } /* within a character of UTF-8 */

static double char_units(const char *p, double size)
{
    return continues(*p) ? 0 : (unsigned char)*p >= 0xe0 ? size : em((unsigned char)*p) * size;
}

double text_units(const char *text, double size)
{
    double units = 0;

    for (const char *p = text; *p; p++)
        units += char_units(p, size);
    return units;
}

char *text_cut(const char *text, double units, double size)
{
    double used = 0;
    size_t fits = 0;

    if (text_units(text, size) <= units)
        return xstrdup(text);
    for (size_t i = 0; text[i]; i++) {
        used += char_units(text + i, size);
        if (used > units - size)
            break;
        if (!continues(text[i + 1]))
            fits = i + 1;
    }
    return xasprintf("%.*s\u2026", (int)fits, text);
}

/* Bytes of the longest beginning of `text` that ends at a blank and fits; all of the first word if that does not. */
static size_t line_bytes(const char *text, double units, double size)
{
    size_t best = 0;
    double used = 0;

    for (size_t i = 0;; i++) {
        if (!text[i] || text[i] == ' ') {
            if (used > units && best > 0)
                return best;
            best = i;
            if (!text[i] || used > units)
                return best;
        }
        used += char_units(text + i, size);
    }
}

int text_lines(const char *text, double units, double size, int most, char **line)
{
    int n = 0;

    while (*text && n < most) {
        const size_t bytes = n + 1 < most ? line_bytes(text, units, size) : strlen(text);
        char *part = xasprintf("%.*s", (int)bytes, text);
        line[n++] = text_cut(part, units, size);
        free(part);
        text += bytes;
        while (*text == ' ')
            text++;
    }
    return n;
}

/* ---- numbers ---- */

/* Removes zeros behind a decimal point, within `bytes` bytes from the start of a mantissa. */
static size_t without_zeros(const char *text, size_t bytes)
{
    if (!memchr(text, '.', bytes))
        return bytes;
    while (text[bytes - 1] == '0')
        bytes--;
    return text[bytes - 1] == '.' ? bytes - 1 : bytes;
}

void brief_number(double value, int significant, char *text, size_t bytes)
{
    char digits[40];

    if (value == 0 || !isfinite(value)) {
        snprintf(text, bytes, "%s", value == 0 ? "0" : isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
        return;
    }
    snprintf(digits, sizeof digits, "%.*e", significant - 1, value);
    const size_t mantissa = strcspn(digits, "e");
    const int exponent = (int)strtol(digits + mantissa + 1, NULL, 10);
    if (exponent >= 5 || exponent < -3)
        snprintf(text, bytes, "%.*se%d", (int)without_zeros(digits, mantissa), digits, exponent);
    else {
        const int decimals = significant - 1 - exponent;
        snprintf(digits, sizeof digits, "%.*f", decimals > 0 ? decimals : 0, value);
        snprintf(text, bytes, "%.*s", (int)without_zeros(digits, strlen(digits)), digits);
    }
}
