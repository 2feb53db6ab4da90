/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses configurations against the kernel and layout tables. Error messages list what would be valid. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "formats/config.h"
#include "formats/config_keys.h"

enum { LIST_LEN = 640 };

void legal_each(const char *legal, void (*take)(const char *item, void *arg), void *arg)
{
    char item[sizeof((struct setting *)0)->value];

    while (*legal) {
        const size_t n = strcspn(legal, "|");
        if (n >= sizeof item)
            bug("a legal value is too long: %zu characters", n);
        memcpy(item, legal, n);
        item[n] = '\0';
        take(item, arg);
        legal += n + (legal[n] == '|');
    }
}

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

void config_append(struct config *c, const char *prefix, const char *key, const char *value)
{
    struct setting *s;

    if (c->n == CONFIG_KEYS)
        bug("%s has more than %d keys", c->kernel->name, CONFIG_KEYS);
    s = &c->set[c->n++];
    const int n = snprintf(s->key, sizeof s->key, "%s%s%s", prefix, *prefix ? "." : "", key);
    const int m = snprintf(s->value, sizeof s->value, "%s", value);
    if (n < 0 || m < 0 || (size_t)n >= sizeof s->key || (size_t)m >= sizeof s->value)
        bug("%s: key or value is too long: %s=%s", c->kernel->name, key, value);
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

/* True if the text has a key that has no effect on the CPU device, be it of the kernel or of a part. */
static bool names_launch_key(const struct config *c, const char *text)
{
    for (int i = 0; i < c->n; i++)
        if (config_param(c, c->set[i].key)->tags & PARAM_GPU_ONLY && config_item(text, c->set[i].key))
            return true;
    return false;
}

/* Rows of one configuration are adjacent in archives, so the last result is cached. */
void config_complete(char text[CONFIG_LEN])
{
    static _Thread_local char before[CONFIG_LEN], after[CONFIG_LEN];

    if (strcmp(text, before) != 0) {
        snprintf(before, sizeof before, "%s", text);
        snprintf(after, sizeof after, "%s", text);
        const struct config *c = strchr(text, ':') ? config_known(text, NULL) : NULL;
        if (c) {
            const bool launch = names_launch_key(c, text);
            struct config kept = *c;
            kept.n = 0;
            for (int i = 0; i < c->n; i++)
                if (launch || config_item(text, c->set[i].key) || config_param(c, c->set[i].key)->tags & PARAM_LAYOUT)
                    kept.set[kept.n++] = c->set[i];
            config_print(&kept, after);
        }
    }
    snprintf(text, CONFIG_LEN, "%s", after);
}

void configs_complete(void *config, int64_t n, size_t bytes)
{
    for (int64_t i = 0; i < n; i++)
        config_complete((char *)config + (size_t)i * bytes);
}
