/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows an item consists of: configurations resolved for the matrix and the device, those that a recipe is not meant for
 * and those that are there already left out. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/entries.h"

/* "KERNEL[:key=value,...]" against a configuration: kernel equal, and each key that is listed. */
static bool matches(const char *pattern, size_t length, const char *config)
{
    char listed[CONFIG_LEN];
    const size_t kernel = strcspn(pattern, ":+");

    if (strncmp(pattern, config, kernel) || (config[kernel] && config[kernel] != ':'))
        return false;
    for (size_t at = kernel + 1; at < length; at += strcspn(pattern + at, ",+") + 1) {
        /* A setting stands between ':' or ',' and ',' or the end. */
        const int n = snprintf(listed, sizeof listed, "%.*s", (int)strcspn(pattern + at, ",+"), pattern + at);
        bool found = false;
        for (const char *s = config + kernel; *s && !found; s += 1 + strcspn(s + 1, ","))
            found = !strncmp(s + 1, listed, (size_t)n) && (!s[1 + n] || s[1 + n] == ',');
        if (!found)
            return false;
    }
    return true;
}

bool recipe_wants(const char *patterns, const char *config)
{
    if (!*patterns)
        return true;
    for (const char *p = patterns; *p; p += strspn(p, "+")) {
        const size_t n = strcspn(p, "+");
        if (matches(p, n, config))
            return true;
        p += n;
    }
    return false;
}

/* "12.5.8" -> 12005008: what a library's kernel is depends on it. */
int64_t library_revision(const char *version)
{
    int64_t v = 0;

    while (*version) {
        char *end;
        while (*version && !isdigit((unsigned char)*version))
            version++;
        if (!*version)
            break;
        v = v * 1000 + strtoll(version, &end, 10);
        version = end;
    }
    return v;
}

void row_begin(const struct bench *b, const struct subject *s, const struct target *t, const char *role, const char *kernel, int64_t revision,
               const char *text, const char *asked, struct run_row *r)
{
    const struct device_facts *facts = &b->device->facts;

    memset(r, 0, sizeof *r);
    r->time_us = r->stream_us = r->t0_us = r->round_spread = r->clock_mhz = r->occupancy = NAN;
    r->convert_us = r->upload_us = r->convert_device_us = NAN;
    for (int i = 0; i < QUANTILES; i++)
        r->quantiles_us[i] = NAN;
    TEXT_SET(r->role, role);
    TEXT_SET(r->source_id, s->source_id);
    TEXT_SET(r->matrix, s->matrix.name);
    TEXT_SET(r->config, text);
    TEXT_SET(r->asked, asked);
    TEXT_SET(r->kernel, kernel);
    TEXT_SET(r->precision, precision_name(t->precision));
    TEXT_SET(r->cache, cache_name(t->cache));
    TEXT_SET(r->device_key, facts->key);
    TEXT_SET(r->host_cpu, facts->host_cpu);
    r->revision = revision;
    r->footprint_bytes = footprint_bytes(s->features.rows, s->features.cols, s->features.nnz, t->precision);
    TEXT_SET(r->footprint, footprint_name(footprint_class(&t->device, r->footprint_bytes)));
}

/* Why the configuration has nothing to time here; "" where it has. Fills what is known without building. */
static void look(const struct bench *b, const struct subject *s, const struct target *t, struct entry *e, char why[ERRLEN])
{
    const struct kernel *k = e->config.kernel;

    why[0] = 0;
    if (!b->device->backend->has_kernel(k))
        fail(why, "%s does not run on %s", k->name, k->yardstick && t->device.cpu ? "the CPU device: it is a CUDA library's" : "this device");
    else if (k->layout->applicable(&s->features, &e->config, t, why))
        return;
    else if (k->layout->traffic(&s->features, &e->config, t, &e->traffic) || k->grid(&s->features, &e->config, t, &e->grid))
        fail(why, "%s says nothing about its size here", k->name);
    else
        why[0] = 0;
}

bool entry_take(struct bench *b, const struct subject *s, struct entry *e, const char *reason, struct item_done *count, finish_row *finish)
{
    bool left = false;

    for (int c = 0; c < NCACHES; c++) {
        if (!strlist_has(&b->options->caches, cache_name((enum cache)c)))
            continue;
        e->row[c].least_bytes = traffic_least(&e->traffic);
        const enum done_state state = done_state(b->done, &e->row[c]);
        count->rows++;
        count->there += state == DONE_BEFORE;
        if (state >= DONE_YES)
            continue;
        if (*reason)
            finish(b, s, &e->row[c], "na", reason);
        else if (state == DONE_CRASHED)
            finish(b, s, &e->row[c], "crashed", b->crash_reason);
        else
            left = e->want[c] = true;
        e->alone |= e->want[c] && state == DONE_STARTED;
    }
    return left;
}

/* What ended a process or a run once may do so again: the others come first. Their order stays. */
static void alone_last(struct entry *v, int n)
{
    struct entry *sorted = xcalloc((unsigned long)n + 1, sizeof *sorted);
    int k = 0;

    for (int alone = 0; alone < 2; alone++)
        for (int i = 0; i < n; i++)
            if (v[i].alone == (alone == 1))
                sorted[k++] = v[i];
    memcpy(v, sorted, (size_t)n * sizeof *v);
    free(sorted);
}

static bool take(struct bench *b, const struct subject *s, const struct target *t, struct entry *e, const char *reason, struct item_done *count, finish_row *finish)
{
    const struct kernel *k = e->config.kernel;
    struct target row_target = *t;

    e->deterministic = kernel_deterministic(&e->config);
    for (int c = 0; c < NCACHES; c++) {
        row_target.cache = (enum cache)c;
        row_begin(b, s, &row_target, s->source->role, k->name, k->yardstick ? library_revision(b->device->facts.cusparse) : kernel_revision(&e->config),
                  e->text, e->asked, &e->row[c]);
    }
    return entry_take(b, s, e, reason, count, finish);
}

int entries_make(struct bench *b, const struct subject *s, const struct target *t, struct item_done *count, struct entry **out, finish_row *finish)
{
    struct entry *v = xcalloc((unsigned long)(b->nconfigs > 0 ? b->nconfigs : 1), sizeof *v);
    char (*seen)[CONFIG_LEN] = xcalloc((unsigned long)(b->nconfigs > 0 ? b->nconfigs : 1), sizeof *seen);
    char why[ERRLEN], reason[ERRLEN];
    int n = 0, nseen = 0;

    for (int i = 0; i < b->nconfigs; i++) {
        struct entry e = { .asked = b->options->configs.v[i] };
        bool again = false;
        reason[0] = 0;
        if (config_resolve(&b->config[i], &s->features, t, &e.config, reason)) {
            e.config = b->config[i];
            if (!reason[0])
                fail(reason, "cannot be resolved here");
        }
        config_print(&e.config, e.text);
        config_layout_key(&e.config, e.key);
        for (int j = 0; j < nseen && !again; j++)
            again = !strcmp(seen[j], e.text);
        if (again || !recipe_wants(s->source->facts.kernels, e.text))
            continue;
        memcpy(seen[nseen++], e.text, CONFIG_LEN);
        if (!reason[0]) {
            look(b, s, t, &e, why);
            memcpy(reason, why, sizeof reason);
        }
        if (take(b, s, t, &e, reason, count, finish))
            v[n++] = e;
    }
    free(seen);
    alone_last(v, n);
    *out = v;
    return n;
}
