/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves and prints configurations, and looks up their keys. */
#include <stdio.h>
#include <string.h>
#include "base/options.h"
#include "formats/config.h"
#include "formats/config_keys.h"
#include "formats/format.h"
#include "formats/parts.h"

const struct param *kernel_param(const struct kernel *k, int i)
{
    const struct param *p = k->layout->params;

    for (; p && p->name; p++)
        if (i-- == 0)
            return p;
    for (p = k->params; p && p->name; p++)
        if (i-- == 0)
            return p;
    return NULL;
}

static const struct param *param_find(const struct kernel *k, const char *name)
{
    const struct param *p;

    for (int i = 0; (p = kernel_param(k, i)) != NULL; i++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static const struct setting *setting_find(const struct config *c, const char *key)
{
    for (int i = 0; i < c->n; i++)
        if (c->set[i].key[0] == key[0] && c->set[i].key[1] == key[1] && strcmp(c->set[i].key, key) == 0)
            return &c->set[i];
    return NULL;
}

const struct param *config_param(const struct config *c, const char *key)
{
    const char *dot = strchr(key, '.');
    char part[sizeof c->set[0].key];
    const struct setting *s;
    const struct kernel *k;

    if (!dot)
        return param_find(c->kernel, key);
    if ((size_t)(dot - key) >= sizeof part)
        return NULL;
    memcpy(part, key, (size_t)(dot - key));
    part[dot - key] = '\0';
    s = setting_find(c, part);
    k = s ? kernel_find(s->value) : NULL;
    return k ? param_find(k, dot + 1) : NULL;
}

/* Resolves "auto" in each part from the features of that part. */
static int resolve_parts(struct config *c, const struct features *f, const struct target *t)
{
    const char *name;

    for (int p = 0; (name = parts_name(c->kernel->layout, p)) != NULL; p++) {
        struct config part;
        struct features pf;
        char key[2 * sizeof part.set[0].key];
        if (c->kernel->layout->part(f, c, p, &part, &pf) != 0)
            return FAIL;
        const struct kernel *k = part.kernel;
        const int rc = (k->layout->resolve && k->layout->resolve(&part, &pf, t) != 0)
                               || (k->resolve && k->resolve(&part, &pf, t) != 0)
                           ? FAIL
                           : 0;
        features_free(&pf);
        if (rc)
            return rc;
        for (int i = 0; i < part.n; i++) {
            snprintf(key, sizeof key, "%s.%s", name, part.set[i].key);
            config_set(c, key, part.set[i].value);
        }
    }
    return 0;
}

bool config_is_auto(const char *value)
{
    if (value[0] != 'a')
        return strcmp(value, "least") == 0;
    return strcmp(value, "auto") == 0 || strncmp(value, "auto*", 5) == 0 || strncmp(value, "auto/", 5) == 0;
}

static bool has_auto(const struct config *c)
{
    for (int i = 0; i < c->n; i++)
        if (config_is_auto(c->set[i].value))
            return true;
    return false;
}

static int keys_of(const struct config *c, const struct kernel *k)
{
    const struct param *p;
    int n = 0;

    for (int i = 0; (p = kernel_param(k, i)) != NULL; i++)
        n += 1 + (p->type == PARAM_KERNEL ? keys_of(c, kernel_find(config_word(c, p->name))) : 0);
    return n;
}

/* A configuration resolved for the CPU device lacks keys that the resolve functions look up: adds them back with
 * their defaults. */
static void restore_dropped(struct config *c)
{
    char text[CONFIG_LEN], why[ERRLEN];

    if (c->n == keys_of(c, c->kernel))
        return;
    config_print(c, text);
    if (config_parse(text, c, why) != 0)
        bug("cannot parse %s again: %s", text, why);
}

int config_resolve(const struct config *asked, const struct features *f, const struct target *t, struct config *out,
                   char why[ERRLEN])
{
    const struct kernel *k = asked->kernel;
    int n = 0;

    *out = *asked;
    if (has_auto(out)) { /* a configuration without "auto" is already resolved */
        restore_dropped(out);
        if (k->layout->resolve && k->layout->resolve(out, f, t) != 0)
            return fail(why, "%s: cannot choose layout parameters for this matrix; set them instead of auto", k->name);
        if (k->resolve && k->resolve(out, f, t) != 0)
            return fail(why, "%s: cannot choose launch parameters for this matrix; set them instead of auto", k->name);
    }
    if (has_auto(out) && parts_name(k->layout, 0) && resolve_parts(out, f, t) != 0)
        return fail(why, "%s: cannot choose parameters of the parts for this matrix; set them instead of auto",
                    k->name);
    for (int i = 0; i < out->n; i++)
        if (config_is_auto(out->set[i].value))
            bug("%s: no resolve function replaces %s=%s", k->name, out->set[i].key, out->set[i].value);
    if (kind_facts(t->device.kind)->blocks)
        return 0;
    for (int i = 0; i < out->n; i++)
        if (!(config_param(asked, out->set[i].key)->tags & PARAM_GPU_ONLY))
            out->set[n++] = out->set[i];
    memset(out->set + n, 0, (size_t)(out->n - n) * sizeof out->set[0]);
    out->n = n;
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

int64_t config_int(const struct config *c, const char *key)
{
    const struct setting *s = setting_find(c, key);
    int64_t value;

    if (!s)
        bug("%s has no key '%s'", c->kernel->name, key);
    if (parse_int(s->value, INT64_MIN, INT64_MAX, &value) != 0)
        bug("%s: %s=%s is not a number", c->kernel->name, key, s->value);
    return value;
}

int64_t config_int_or(const struct config *c, const char *key, int64_t otherwise)
{
    return setting_find(c, key) ? config_int(c, key) : otherwise;
}

const char *config_word_or(const struct config *c, const char *key, const char *otherwise)
{
    return setting_find(c, key) ? config_word(c, key) : otherwise;
}

const char *config_word(const struct config *c, const char *key)
{
    const struct setting *s = setting_find(c, key);

    if (!s)
        bug("%s has no key '%s'", c->kernel->name, key);
    return s->value;
}

bool config_set(struct config *c, const char *key, const char *value)
{
    const size_t n = strlen(value);

    for (int i = 0; i < c->n; i++)
        if (strcmp(c->set[i].key, key) == 0) {
            if (n >= sizeof c->set[i].value)
                bug("%s: %s=%s is too long", c->kernel->name, key, value);
            memcpy(c->set[i].value, value, n + 1);
            return true;
        }
    return false;
}

int config_part(const struct config *c, const char *part, struct config *out, char why[ERRLEN])
{
    const struct setting *s = setting_find(c, part);
    const size_t n = strlen(part);

    memset(out, 0, sizeof *out);
    if (!s || !(out->kernel = kernel_find(s->value)))
        return fail(why, "%s has no part '%s'", c->kernel->name, part);
    for (int i = 0; i < c->n; i++)
        if (strncmp(c->set[i].key, part, n) == 0 && c->set[i].key[n] == '.')
            config_append(out, "", c->set[i].key + n + 1, c->set[i].value);
    return 0;
}
