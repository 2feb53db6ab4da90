/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of words, strict number parsing, and suggestions for mistyped words. */
#include "base/strings.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"

int text_compare(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

void strlist_add(struct strlist *list, const char *item)
{
    list->v = xrealloc(list->v, ((unsigned long)list->n + 1) * sizeof *list->v);
    list->v[list->n++] = xstrdup(item);
}

void strlist_free(struct strlist *list)
{
    for (int i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct strlist){ 0 };
}

bool strlist_has(const struct strlist *list, const char *item)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->v[i], item) == 0)
            return true;
    return false;
}

void strlist_add_once(struct strlist *l, const char *item)
{
    if (!strlist_has(l, item))
        strlist_add(l, item);
}

void strlist_add_count(struct strlist *l, int64_t n, const char *what)
{
    char *item = n ? xasprintf("%" PRId64 " %s", n, what) : NULL;
    if (item)
        strlist_add(l, item);
    free(item);
}

char *strlist_join(const struct strlist *l, const char *separator)
{
    char *text = xstrdup("");
    for (int i = 0; i < l->n; i++) {
        char *longer = xasprintf("%s%s%s", text, i ? separator : "", l->v[i]);
        free(text);
        text = longer;
    }
    return text;
}

bool strlist_wants(const struct strlist *l, const char *item) { return l->n == 0 || strlist_has(l, item); }

void words_add(char *text, size_t bytes, const char *item)
{
    const size_t used = strlen(text), room = bytes - used;
    const int n = snprintf(text + used, room, "%s%s", used ? "|" : "", item);

    if (n < 0 || (size_t)n >= room)
        bug("words_add: no room for '%s' after '%s'", item, text);
}

bool words_have(const char *words, const char *item)
{
    const size_t length = strlen(item);

    for (const char *at = words; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == length && memcmp(at, item, length) == 0)
            return true;
    return false;
}

struct counted counted(int64_t n, const char *one)
{
    struct counted c;
    const size_t length = strcspn(one, " ");
    const bool x = length > 1 && memcmp(one + length - 2, "ix", 2) == 0; /* matrix, matrices */

    snprintf(c.text, sizeof c.text, "%" PRId64 " %.*s%s%s", n, (int)(length - (x && n != 1)), one,
             n == 1 ? ""
             : x    ? "ces"
                    : "s",
             one + length);
    return c;
}

static const char decimal[] = "0123456789";

/* Parses "", "e3" or "E+03"; clamps exponents far beyond any integer. */
static int parse_exponent(const char *text, int64_t *exponent)
{
    enum { FAR = 1000000 };
    char *end;

    if (!*text)
        return 0;
    if ((*text != 'e' && *text != 'E') || !text[1 + strspn(text + 1, "+-")]
        || text[1 + strspn(text + 1, "+-0123456789")])
        return -1;
    const long n = strtol(text + 1, &end, 10);
    *exponent = n > FAR ? FAR : n < -FAR ? -FAR : n;
    return *end ? -1 : 0;
}

static int push_digit(int64_t *value, int digit)
{
    return __builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, digit, value) ? -1 : 0;
}

/* Parses up to 18 digits and nothing else, as most numbers are. */
static bool parse_digits(const char *text, int64_t *value)
{
    int n = 0;
    *value = 0;
    for (; n < 18 && text[n] >= '0' && text[n] <= '9'; n++)
        *value = 10 * *value + (text[n] - '0');
    return n > 0 && text[n] == '\0';
}

/* Parses all that parse_int takes. */
static int parse_whole(const char *text, int64_t *out)
{
    const bool minus = *text == '-';
    const char *digits = text + (minus || *text == '+'), *end = digits + strspn(digits, decimal);
    const char *fraction = *end == '.' ? end + 1 : end;
    const size_t whole = (size_t)(end - digits), after = strspn(fraction, decimal);
    int64_t exponent = 0, value = 0;

    if (whole + after == 0 || parse_exponent(fraction + after, &exponent))
        return -1;
    /* Digits up to the decimal point, shifted by the exponent, form the value; the others must be 0. */
    for (size_t i = 0; i < whole + after; i++) {
        const int digit = (i < whole ? digits[i] : fraction[i - whole]) - '0';
        const bool counts = (int64_t)i < (int64_t)whole + exponent;
        if ((!counts && digit) || (counts && push_digit(&value, minus ? -digit : digit)))
            return -1;
    }
    for (int64_t i = (int64_t)(whole + after); value && i < (int64_t)whole + exponent; i++)
        if (push_digit(&value, 0))
            return -1;
    *out = value;
    return 0;
}

int parse_int(const char *text, int64_t min, int64_t max, int64_t *out)
{
    int64_t value;

    if ((!parse_digits(text, &value) && parse_whole(text, &value) != 0) || value < min || value > max)
        return -1;
    *out = value;
    return 0;
}

int parse_real(const char *text, double min, double max, double *out)
{
    char *end;

    /* strtod also accepts leading spaces, hexadecimal and nan(...); reject those. */
    if (!*text || strpbrk(text, " \t\n\r\v\fxXpP()"))
        return -1;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= min && value <= max))
        return -1;
    *out = value;
    return 0;
}

enum { WORD = 40 };

/* Returns the number of edits (insert, delete, replace, swap of neighbours) between a and b, each at most WORD long. */
static int edits(const char *a, size_t m, const char *b, size_t n)
{
    int row[WORD + 1][WORD + 1];

    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            if (!i || !j) {
                row[i][j] = (int)(i + j);
                continue;
            }
            int best = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (row[i - 1][j] + 1 < best)
                best = row[i - 1][j] + 1;
            if (row[i][j - 1] + 1 < best)
                best = row[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && row[i - 2][j - 2] + 1 < best)
                best = row[i - 2][j - 2] + 1;
            row[i][j] = best;
        }
    return row[m][n];
}

const char *nearest_word(const char *text, const char *list)
{
    static _Thread_local char word[WORD + 1];
    size_t length = strlen(text), n;
    int least = 1000;

    word[0] = 0;
    for (const char *c = list; *c; c += n, c += *c == '|') {
        n = strcspn(c, "|");
        if (!n || n > WORD || length > WORD)
            continue;
        int d = edits(text, length, c, n);
        /* A prefix counts as near: "--prec" means "--precision". */
        if (length >= 3 && n > length && memcmp(c, text, length) == 0)
            d = 1;
        if (d < least && d <= 1 + (int)(n < length ? n : length) / 3) {
            least = d;
            snprintf(word, sizeof word, "%.*s", (int)n, c);
        }
    }
    return word[0] ? word : NULL;
}
