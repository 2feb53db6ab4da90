/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts arbitrary bytes to displayable UTF-8 (utf8.h). */
#include "base/utf8.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 8 }; /* the longest escape, "\\u202e", and its NUL */

/* Decodes the character at s, of which `room` bytes are readable. Returns its length, or 0 if it is not UTF-8. */
static size_t decode(const char *s, size_t room, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char first = (unsigned char)*s;
    const size_t n = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;

    *code = n == 1 ? first : n ? first & (0x7FU >> n) : 0;
    if (n > room)
        return 0;
    for (size_t i = 1; i < n; i++) {
        const unsigned char c = (unsigned char)s[i];
        if ((c & 0xC0) != 0x80) /* also at the end of the text */
            return 0;
        *code = *code << 6 | (c & 0x3F);
    }
    const bool surrogate = *code >= 0xD800 && *code < 0xE000;
    return n && first < 0xF8 && *code >= least[n] && *code <= 0x10FFFF && !surrogate ? n : 0;
}

/* Returns true for characters that control a terminal, break a line or reverse the direction of text. */
static bool acts(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F
           || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

static void escape(uint32_t c, enum utf8_for what, char piece[PIECE])
{
    static const char named[] = "\t\n\r\033", letter[] = "tnre";
    const char *at = c && c < 0x20 ? strchr(named, (int)c) : NULL;

    if (what == UTF8_JSON || c >= 0x80)
        snprintf(piece, PIECE, "\\u%04x", (unsigned)c & 0xFFFF);
    else if (at)
        snprintf(piece, PIECE, "\\%c", letter[at - named]);
    else
        snprintf(piece, PIECE, "\\x%02x", (unsigned)c);
}

/* Converts the next character of *text for output and advances *text past it. Returns the length of piece. */
static size_t next_piece(const char **text, enum utf8_for what, char piece[PIECE])
{
    uint32_t code;
    const size_t n = decode(*text, SIZE_MAX, &code);

    if (n == 0)
        snprintf(piece, PIECE, what == UTF8_JSON ? "\\\\x%02x" : "\\x%02x", (unsigned)(unsigned char)**text);
    else if (what != UTF8_STORED && acts(code))
        escape(code, what, piece);
    else {
        memcpy(piece, *text, n);
        piece[n] = 0;
    }
    *text += n ? n : 1;
    return strlen(piece);
}

size_t utf8_put(char *to, size_t bytes, const char *text, enum utf8_for what)
{
    char piece[PIECE];
    size_t used = 0, all = 0;
    bool fits = true;

    while (*text) {
        const size_t n = next_piece(&text, what, piece);
        fits = fits && used + n < bytes;
        if (fits) {
            memcpy(to + used, piece, n);
            used += n;
        }
        all += n;
    }
    if (bytes)
        to[used] = 0;
    return all;
}

void utf8_mend(char *text, size_t bytes)
{
    uint32_t code;

    for (size_t i = 0, n; i < bytes && text[i]; i += n ? n : 1) {
        n = decode(text + i, bytes - i, &code);
        if (n == 0)
            text[i] = '?';
    }
}

void utf8_trim(char *text)
{
    uint32_t code;
    size_t length = strlen(text), back = 0;

    while (back < length && back < 3 && ((unsigned char)text[length - 1 - back] & 0xC0) == 0x80)
        back++;
    if (back == length || ((unsigned char)text[length - 1 - back] & 0xC0) != 0xC0)
        return; /* not UTF-8, or only ASCII */
    if (decode(text + length - 1 - back, SIZE_MAX, &code) == 0)
        text[length - 1 - back] = 0;
}
