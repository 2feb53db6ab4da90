/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions on configuration texts and lists of patterns that do not need the tables of kernels. */
#include <stdio.h>
#include <string.h>
#include "formats/config.h"

size_t config_kernel_length(const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);

    return colon ? (size_t)(colon - text) : length;
}

const char *config_next_item(const char *text, size_t length, const char *at, size_t *n)
{
    const char *end = text + length, *before = at ? at + *n : text + config_kernel_length(text, length);

    if (before == end)
        return NULL;
    at = before + 1;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    *n = (size_t)((comma ? comma : end) - at);
    return at;
}

bool config_has_item(const char *text, const char *item, size_t n)
{
    const size_t length = strlen(text);
    size_t m = 0;

    for (const char *at = NULL; (at = config_next_item(text, length, at, &m)) != NULL;)
        if (m == n && memcmp(at, item, n) == 0)
            return true;
    return false;
}

const char *config_item(const char *text, const char *key)
{
    const size_t length = strlen(text), k = strlen(key);
    size_t n = 0;

    for (const char *at = NULL; (at = config_next_item(text, length, at, &n)) != NULL;)
        if (n > k && memcmp(at, key, k) == 0 && at[k] == '=')
            return at;
    return NULL;
}

void config_without(const char *text, const char *key, char out[CONFIG_LEN])
{
    const char *item = config_item(text, key);

    snprintf(out, CONFIG_LEN, "%.*s%s", item ? (int)(item - text) : CONFIG_LEN, text,
             item ? item + strcspn(item, ",") : "");
}

/* ---- lists */

/* Returns what follows the first pattern of a list, which is n characters long; "" at the end. */
static const char *next_pattern(const char *list, size_t n) { return list[n] == '+' ? list + n + 1 : list + n; }

static bool matches(const char *pattern, size_t n, const char *text)
{
    const size_t kernel = config_kernel_length(pattern, n);
    size_t m = 0;

    if (config_kernel_length(text, strlen(text)) != kernel || memcmp(pattern, text, kernel) != 0)
        return false;
    for (const char *at = NULL; (at = config_next_item(pattern, n, at, &m)) != NULL;)
        if (!config_has_item(text, at, m))
            return false;
    return true;
}

bool config_listed(const char *list, const char *text)
{
    size_t n;

    if (!*list)
        return true;
    for (const char *at = list; *at; at = next_pattern(at, n)) {
        n = strcspn(at, "+");
        if (n > 0 && matches(at, n, text))
            return true;
    }
    return false;
}

static bool has_pattern(const char *list, const char *pattern, size_t n)
{
    size_t m;

    for (const char *at = list; *at; at = next_pattern(at, m)) {
        m = strcspn(at, "+");
        if (m == n && memcmp(at, pattern, n) == 0)
            return true;
    }
    return false;
}

bool config_list_add(char *list, size_t bytes, const char *more, bool bare)
{
    size_t n;

    for (const char *item = more; *item; item = next_pattern(item, n)) {
        n = strcspn(item, "+");
        const size_t kernel = config_kernel_length(item, n), m = bare ? kernel : n, used = strlen(list);
        if (has_pattern(list, item, m) || has_pattern(list, item, kernel))
            continue;
        if (used + (used > 0) + m >= bytes)
            return false;
        snprintf(list + used, bytes - used, "%s%.*s", used ? "+" : "", (int)m, item);
    }
    return true;
}
