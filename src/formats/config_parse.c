/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses configurations against the kernel and layout tables, and prints them. Error messages list what would be valid. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "formats/config.h"
#include "formats/config_keys.h"

enum { LIST_LEN = 640 };

static void list_add(char list[LIST_LEN], const char *item)
{
    const size_t n = strlen(list);
    const int m = snprintf(list + n, LIST_LEN - n, "%s%s", n ? "|" : "", item);

    if (m < 0 || (size_t)m >= LIST_LEN - n)
        bug("the list of names is too long at '%s'", item);
}

static void kernels_list(char list[LIST_LEN])
{
    const struct kernel *k;

    list[0] = '\0';
    for (int i = 0; (k = kernel_at(i)) != NULL; i++)
        list_add(list, k->name);
}

struct match {
    const struct param *param;
    const char *text;
    char *canonical;
    size_t bytes;
    bool found;
};

/* Words compare as text, integers as numbers, so "016" is 16 and the canonical form is unique. In "auto*2..64" the
 * number follows a word. */
static void match_item(const char *item, void *arg)
{
    struct match *m = arg;
    const char *dots = strstr(item, "..");
    const size_t word = dots ? strcspn(item, "0123456789") : 0;
    int64_t low, high, value;

    if (m->found)
        return;
    if (!dots && strcmp(item, m->text) == 0) {
        snprintf(m->canonical, m->bytes, "%s", item);
        m->found = true;
        return;
    }
    if (m->param->type != PARAM_INT || item[word] < '0' || item[word] > '9' || strncmp(m->text, item, word) != 0)
        return;
    low = strtoll(item + word, NULL, 10);
    high = dots ? strtoll(dots + 2, NULL, 10) : low;
    if (parse_int(m->text + word, low, high, &value) != 0)
        return;
    snprintf(m->canonical, m->bytes, "%.*s%" PRId64, (int)word, item, value);
    m->found = true;
}

/* Writes the canonical form of the value `text` to canonical. FAIL: why lists the legal values. */
static int value_check(const struct kernel *k, const struct param *p, const char *key, const char *text,
                       char *canonical, size_t bytes, char why[ERRLEN])
{
    struct match m = { p, text, canonical, bytes, false };

    legal_each(p->legal, match_item, &m);
    if (m.found)
        return 0;
    return fail(why, "%s: invalid %s=%s; expected %s", k->name, key, text, p->legal);
}

struct pairs {
    int n;
    struct setting pair[CONFIG_KEYS];
    bool used[CONFIG_KEYS];
};

/* Writes to value what the user gave for the key, in canonical form, or the default. FAIL: the value is not legal. */
static int value_for(const struct config *c, const struct param *p, const char *key, struct pairs *given,
                     char value[32], char why[ERRLEN])
{
    for (int i = 0; i < given->n; i++)
        if (strcmp(given->pair[i].key, key) == 0) {
            given->used[i] = true;
            return value_check(c->kernel, p, key, given->pair[i].value, value, sizeof given->pair[i].value, why);
        }
    snprintf(value, sizeof given->pair[0].value, "%s", p->initial);
    return 0;
}

/* Adds the settings of kernel k in canonical order; a part's keys follow its name. */
static int settings_fill(struct config *c, const struct kernel *k, const char *prefix, struct pairs *given,
                         char why[ERRLEN])
{
    const struct param *p;
    char key[2 * sizeof given->pair[0].key], value[sizeof given->pair[0].value];
    int rc;

    for (int i = 0; (p = kernel_param(k, i)) != NULL; i++) {
        snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", p->name);
        if ((rc = value_for(c, p, key, given, value, why)) != 0)
            return rc;
        config_append(c, prefix, p->name, value);
        if (p->type == PARAM_KERNEL && (rc = settings_fill(c, kernel_find(value), p->name, given, why)) != 0)
            return rc;
    }
    return 0;
}

static int unknown_key(const struct config *c, const char *key, char why[ERRLEN])
{
    char list[LIST_LEN] = "";
    const char *near;

    for (int i = 0; i < c->n; i++)
        list_add(list, c->set[i].key);
    if (!*list)
        return fail(why, "%s: unknown key '%s'; this kernel has no keys", c->kernel->name, key);
    near = nearest_word(key, list);
    return fail(why, "%s: unknown key '%s'%s%s%s; known keys: %s", c->kernel->name, key, near ? " (did you mean '" : "",
                near ? near : "", near ? "'?)" : "", list);
}

/* Copies a word. One that is too long for any key or value is cut and marked with "..."; the tables then reject it. */
static void word_copy(char *to, size_t bytes, const char *from, size_t n)
{
    const bool whole = n < bytes;

    if (!whole)
        n = bytes - sizeof "...";
    memcpy(to, from, n);
    snprintf(to + n, bytes - n, "%s", whole ? "" : "...");
}

static int pair_parse(const char *kernel, const char *text, size_t n, struct pairs *out, char why[ERRLEN])
{
    struct setting *s = &out->pair[out->n];
    const char *equals = memchr(text, '=', n);
    const size_t key = equals ? (size_t)(equals - text) : 0, value = equals ? n - key - 1 : 0;

    if (key == 0)
        return fail(why, "%s: expected key=value, found '%.*s'", kernel, (int)(n > 60 ? 60 : n), text);
    if (out->n == CONFIG_KEYS)
        return fail(why, "%s: too many keys (limit %d)", kernel, CONFIG_KEYS);
    word_copy(s->key, sizeof s->key, text, key);
    word_copy(s->value, sizeof s->value, equals + 1, value);
    for (int i = 0; i < out->n; i++)
        if (strcmp(out->pair[i].key, s->key) == 0)
            return fail(why, "%s: duplicate key '%s'", kernel, s->key);
    out->n++;
    return 0;
}

static int unknown_kernel(const char *name, char why[ERRLEN])
{
    char list[LIST_LEN];
    const char *near;

    if (strchr(name, ','))
        return fail(why, "unknown kernel '%s'; several configurations %s", name,
                    error_in_program() ? "take an option -c each" : "are several strings");
    kernels_list(list);
    /* of the kernels of CSR, the fastest on most matrices of results/h200/matrices.h5 */
    near = strcmp(name, "csr") == 0 ? "csr-split" : nearest_word(name, list);
    return fail(why, "unknown kernel '%s'%s%s%s; %s%.400s", name, near ? " (did you mean '" : "", near ? near : "",
                near ? "'?)" : "",
                error_in_program() ? "`spmv-run --list` lists the kernels" : "known: ", error_in_program() ? "" : list);
}

int config_parse(const char *text, struct config *out, char why[ERRLEN])
{
    struct pairs given = { 0 };
    char name[64];
    const size_t whole = strlen(text), length = config_kernel_length(text, whole);
    size_t n = 0;
    int rc;

    memset(out, 0, sizeof *out);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    if (!(out->kernel = kernel_find(name)))
        return unknown_kernel(name, why);
    if (text[length] == ':' && !text[length + 1])
        return fail(why, "%s: expected key=value after ':' in '%s'", name, text);
    for (const char *item = NULL; (item = config_next_item(text, whole, item, &n)) != NULL;)
        if ((rc = pair_parse(name, item, n, &given, why)) != 0)
            return rc;
    if ((rc = settings_fill(out, out->kernel, "", &given, why)) != 0)
        return rc;
    for (int i = 0; i < given.n; i++)
        if (!given.used[i])
            return unknown_key(out, given.pair[i].key, why);
    return 0;
}

/* Writes `more` at `at`, a place in the text. Returns its end. */
static char *text_add(char text[CONFIG_LEN], char *at, const char *more)
{
    char *end = memccpy(at, more, 0, (size_t)(text + CONFIG_LEN - at));
    if (!end)
        bug("configuration exceeds %d characters: %.*s", CONFIG_LEN - 1, CONFIG_LEN - 1, text);
    return end - 1;
}

static char *text_add_setting(char text[CONFIG_LEN], char *at, const char *separator, const char *key,
                              const char *value)
{
    return text_add(text, text_add(text, text_add(text, text_add(text, at, separator), key), "="), value);
}

void config_print(const struct config *c, char text[CONFIG_LEN])
{
    char *at = text_add(text, text, c->kernel->name);
    for (int i = 0; i < c->n; i++)
        at = text_add_setting(text, at, i ? "," : ":", c->set[i].key, c->set[i].value);
}

/* Copies the text without its item of n bytes at `at`. */
static void drop_item(const char *text, const char *at, size_t n, char out[CONFIG_LEN])
{
    const bool last = at[n] == 0;
    snprintf(out, CONFIG_LEN, "%.*s%s", (int)(at - text) - (last ? 1 : 0), text, at + n + (last ? 0 : 1));
}

/* Returns item i (0-based) of the text and its length in *n. NULL: there are fewer items. */
static const char *item_at(const char *text, int i, size_t *n)
{
    const size_t length = strlen(text);
    const char *at = config_next_item(text, length, NULL, n);
    for (; at && i > 0; i--)
        at = config_next_item(text, length, at, n);
    return at;
}

char *config_brief(const char *text)
{
    char brief[CONFIG_LEN], without[CONFIG_LEN], printed[CONFIG_LEN], why[ERRLEN];
    struct config c;
    size_t n = 0;

    snprintf(brief, sizeof brief, "%s", text);
    int items = 0;
    while (item_at(brief, items, &n))
        items++;
    for (int i = items - 1; i >= 0; i--) { /* from the last, so the index of earlier items stays valid */
        const char *at = item_at(brief, i, &n);
        drop_item(brief, at, n, without);
        if (config_parse(without, &c, why) != 0)
            continue;
        config_print(&c, printed);
        if (strcmp(printed, text) == 0)
            memcpy(brief, without, sizeof brief);
    }
    return xstrdup(brief);
}

void config_layout_key(const struct config *c, char text[CONFIG_LEN])
{
    const char *separator = ":";
    char *at = text_add(text, text, c->kernel->layout->name);

    for (int i = 0; i < c->n; i++) {
        const struct param *p = config_param(c, c->set[i].key);
        if (!(p->tags & PARAM_LAYOUT))
            continue;
        at = text_add_setting(text, at, separator, c->set[i].key,
                              p->type == PARAM_KERNEL ? kernel_find(c->set[i].value)->layout->name : c->set[i].value);
        separator = ",";
    }
}
