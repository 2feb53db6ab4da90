/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a configuration and their values. */
#include "formats/config_keys.h"
#include <stdio.h>
#include <string.h>
#include "base/strings.h"

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

const struct param *kernel_param_find(const struct kernel *k, const char *name)
{
    const struct param *p;

    for (int i = 0; (p = kernel_param(k, i)) != NULL; i++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

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

static const struct setting *setting_find(const struct config *c, const char *key)
{
    for (int i = 0; i < c->n; i++)
        if (c->set[i].key[0] == key[0] && c->set[i].key[1] == key[1] && strcmp(c->set[i].key, key) == 0)
            return &c->set[i];
    return NULL;
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

bool config_is_auto(const char *value)
{
    if (value[0] != 'a')
        return strcmp(value, "least") == 0;
    return strcmp(value, "auto") == 0 || strncmp(value, "auto*", 5) == 0 || strncmp(value, "auto/", 5) == 0;
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
