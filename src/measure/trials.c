/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of an item: configurations resolved for the matrix and the device, without those that a recipe excludes
 * and those that exist already. */
#include "measure/trials.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/parts.h"
#include "measure/kept.h"

static bool is_kept(const struct run_options *o, const struct source *s, const char *asked, const char *config)
{
    return kept_has(&o->kept, s->name, asked) || kept_has(&o->kept, s->name, config);
}

bool trials_take(const struct run_options *o, const struct source *s, const char *asked, const char *config)
{
    return s->all || config_listed(s->facts.kernels, config) || is_kept(o, s, asked, config);
}

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

void row_begin(const struct bench *b, const struct subject *s, const struct target *t, const char *role,
               const char *kernel, int64_t revision, const char *text, const char *asked, struct run_row *r)
{
    const struct device_facts *facts = &b->device->facts;

    run_row_blank(r);
    TEXT_SET(r->role, role);
    TEXT_SET(r->source_id, s->source_id);
    TEXT_SET(r->matrix, s->matrix.name);
    TEXT_SET(r->config, text);
    TEXT_SET(r->asked, asked);
    TEXT_SET(r->kernel, kernel);
    r->precision = t->precision;
    r->cache = t->cache;
    TEXT_SET(r->device_key, facts->key);
    TEXT_SET(r->host_cpu, facts->host_cpu);
    TEXT_SET(r->driver, facts->driver);
    TEXT_SET(r->build, facts->build);
    r->revision = revision;
    r->footprint_bytes = footprint_bytes(s->features.rows, s->features.cols, s->features.nnz, t->precision);
    TEXT_SET(r->footprint, footprint_name(footprint_class(&t->device, r->footprint_bytes)));
}

/* Sets `why` to the reason why the configuration cannot be timed here ("" if it can), and the bytes and the grid of
 * the trial. */
static void look(const struct backend *backend, const struct features *f, const struct target *t, struct trial *e,
                 char why[ERRLEN])
{
    const struct kernel *k = e->config.kernel;

    why[0] = 0;
    if (!kernel_runs_on(k, t->device.kind))
        fail(why, "%s, a CUDA library kernel, does not run on %s", k->name, kind_facts(t->device.kind)->about);
    else if (!backend->has_kernel(k))
        fail(why, "%s does not run on this device", k->name);
    else if (kernel_applicable(f, &e->config, t, why))
        return;
    else if (bytes_estimate(f, &e->config, t, &e->bytes) || kernel_grid(f, &e->config, t, &e->grid))
        fail(why, "cannot determine the bytes or the launch grid of %s on this device", k->name);
    else
        why[0] = 0;
}

/* Sets the columns of bytes in the rows of a trial. */
static void trial_bytes(struct trial *e)
{
    for (int c = 0; c < NCACHES; c++) {
        e->row[c].least_bytes = traffic_least(&e->bytes.traffic);
        e->row[c].bytes_exact = e->bytes.exact;
        e->row[c].count_us = 1e6 * e->bytes.count_s;
    }
}

bool trial_take(struct bench *b, const struct subject *s, struct trial *e, const char *reason, struct item_done *count,
                finish_row *finish)
{
    bool left = false;

    trial_bytes(e);
    for (int c = 0; c < NCACHES; c++) {
        if (!strlist_has(&b->options->caches, cache_name(c)))
            continue;
        const enum done_state state = done_state(b->done, &e->row[c], e->code == ROW_SKIPPED);
        count->rows++;
        count->there += state == DONE_BEFORE;
        count->noisy += state == DONE_BEFORE && done_gave_up(b->done, &e->row[c]);
        if (state >= DONE_YES)
            continue;
        if (*reason) {
            TEXT_SET(e->row[c].code, row_code_name(e->code));
            finish(b, s, &e->row[c], "na", reason);
        } else if (state == DONE_CRASHED)
            finish(b, s, &e->row[c], "crashed", b->crash_reason);
        else
            left = e->want[c] = true;
        e->alone |= e->want[c] && state == DONE_STARTED;
    }
    return left;
}

/* Moves trials that ended a process or a run before to the end, since they may do so again. Otherwise keeps the
 * order. */
static void alone_last(struct trial *v, int n)
{
    struct trial *sorted = xcalloc((unsigned long)n + 1, sizeof *sorted);
    int k = 0;

    for (int alone = 0; alone < 2; alone++)
        for (int i = 0; i < n; i++)
            if (v[i].alone == (alone == 1))
                sorted[k++] = v[i];
    memcpy(v, sorted, (size_t)n * sizeof *v);
    free(sorted);
}

static bool take(struct bench *b, const struct subject *s, const struct target *t, struct trial *e, const char *reason,
                 struct item_done *count, finish_row *finish)
{
    const struct kernel *k = e->config.kernel;
    struct target row_target = *t;

    e->deterministic = kernel_deterministic(&e->config);
    for (int c = 0; c < NCACHES; c++) {
        row_target.cache = (enum cache)c;
        row_begin(b, s, &row_target, s->source->role, k->name,
                  k->library ? b->library[e->library] : kernel_revision(&e->config), e->text, e->asked, &e->row[c]);
        if (e->part)
            TEXT_SET(e->row[c].part, parts_name(k->layout, e->part - 1));
    }
    return trial_take(b, s, e, reason, count, finish);
}

/* Resolves a parsed configuration and looks whether it can be timed; with a reason in `reason` if not. */
static void resolve(const struct backend *backend, const struct config *config, const struct features *f,
                    const struct target *t, struct trial *e)
{
    if (config_resolve(config, f, t, &e->config, e->reason)) {
        e->config = *config;
        if (!e->reason[0])
            fail(e->reason, "the keys of the configuration cannot be resolved for this matrix and device");
    }
    config_print(&e->config, e->text);
    config_layout_key(&e->config, e->key);
    if (!e->reason[0])
        look(backend, f, t, e, e->reason);
}

/* Resolves n parsed configurations and keeps those that the source is meant for, each once and those of a library once for each version;
 * returns their number. A trial that cannot be timed has the reason in `reason`. Uses features only. */
static int candidates(const struct run_options *o, const struct backend *backend, const struct config *config, int n,
                      const struct source *source, const struct features *f, const struct target *t, struct trial **out)
{
    const int versions = run_versions(o);
    struct trial *v = xcalloc((unsigned long)n * (unsigned)versions + 1, sizeof *v);
    int found = 0;

    for (int i = 0; i < n; i++) {
        struct trial *e = &v[found];
        bool again = false;
        *e = (struct trial){ .asked = o->configs.v[i], .bytes = { .count_s = NAN } };
        resolve(backend, &config[i], f, t, e);
        for (int j = 0; j < found && !again; j++)
            again = strcmp(v[j].text, e->text) == 0;
        if (again || !trials_take(o, source, e->asked, e->text))
            continue;
        found++;
        for (int k = 1; k < versions && e->config.kernel->library; k++) {
            v[found] = *e;
            v[found++].library = k;
        }
    }
    *out = v;
    return found;
}

/* Sets `reason` of configurations that a sweep skips because they move too many bytes.
 * Uses estimates only, so the result does not depend on which rows are measured. Configurations named by a recipe
 * are always kept. */
static void skip(const struct run_options *o, const struct source *source, struct trial *v, int n)
{
    const struct trial *least = NULL;

    for (int i = 0; i < n; i++)
        if (!v[i].reason[0] && (!least || traffic_stored(&v[i].bytes.traffic) < traffic_stored(&least->bytes.traffic)))
            least = &v[i];
    /* a matrix without rows and columns moves nothing in some layouts, and no time worth skipping in any */
    for (int i = 0; i < n && o->skips && least && traffic_stored(&least->bytes.traffic) > 0; i++) {
        const int64_t bytes = traffic_stored(&v[i].bytes.traffic),
                      limit = MOVES_LIMIT * traffic_stored(&least->bytes.traffic);
        if (v[i].reason[0] || bytes <= limit || is_kept(o, source, v[i].asked, v[i].text)
            || (*source->facts.kernels && config_listed(source->facts.kernels, v[i].text)))
            continue;
        fail(v[i].reason, "moves %.3gx as many bytes as %.100s, which moves the fewest; limit %dx%s",
             MOVES_LIMIT * (double)bytes / (double)limit, least->text, MOVES_LIMIT, run_row_skip_advice);
        v[i].code = ROW_SKIPPED;
    }
}

/* Counts the bytes of a trial, or copies them from one of the n trials before it that has the same layout. */
static void count_bytes(const struct subject *s, const struct target *t, const struct trial *done, int n,
                        struct trial *e)
{
    const struct trial *same = NULL;

    for (int i = 0; i < n && !same; i++)
        same = strcmp(done[i].key, e->key) != 0 || done[i].part ? NULL : &done[i];
    if (same)
        e->bytes = same->bytes;
    else if (s->has_csr) {
        const struct csr_view view = csr_view_all(&s->matrix.csr);
        bytes_count(&view, &s->features, &e->config, t, &e->bytes);
    }
    trial_bytes(e);
}

/* Inserts the parts of each composite behind it. Returns the new number of trials. */
static int add_parts(const struct features *f, const struct target *t, struct trial **entries, int n)
{
    struct trial *v = xcalloc((unsigned long)n * (1 + PARTS_MAX) + 1, sizeof *v);
    int k = 0;

    for (int i = 0; i < n; i++) {
        const struct trial *whole = &(*entries)[i];
        const struct layout *layout = whole->config.kernel->layout;
        v[k++] = *whole;
        for (int p = 0; parts_name(layout, p); p++) {
            struct trial *e = &v[k++];
            struct config config;
            struct features pf;
            *e = *whole;
            e->part = p + 1;
            if (e->reason[0] || parts_look(f, &whole->config, p, &config, &pf, e->reason))
                continue;
            if (bytes_estimate(&pf, &config, t, &e->bytes) || kernel_grid(&pf, &config, t, &e->grid))
                fail(e->reason, "cannot determine the bytes or the launch grid of %s on this device",
                     config.kernel->name);
            features_free(&pf);
        }
    }
    free(*entries);
    *entries = v;
    return k;
}

int trials_make(struct bench *b, const struct subject *s, const struct target *t, struct item_done *count,
                struct trial **out, finish_row *finish)
{
    struct trial *v;
    int n = candidates(b->options, b->device->backend, b->config, b->nconfigs, s->source, &s->features, t, &v),
        left = 0;

    skip(b->options, s->source, v, n);
    if (b->options->parts)
        n = add_parts(&s->features, t, &v, n);
    for (int i = 0; i < n; i++)
        if (take(b, s, t, &v[i], v[i].reason, count, finish)) {
            if (!v[i].part)
                count_bytes(s, t, v, left, &v[i]);
            v[left++] = v[i];
        }
    alone_last(v, left);
    *out = v;
    return left;
}

int trials_skipped(const struct run_options *o, const struct source *source, const struct features *f,
                   const struct target *t)
{
    struct config *config = xcalloc((unsigned long)o->configs.n + 1, sizeof *config);
    struct trial *v;
    char why[ERRLEN];

    for (int i = 0; i < o->configs.n; i++) {
        const struct config *c = config_known(o->configs.v[i], why);
        if (!c)
            bug("parsed configuration: %s", why);
        config[i] = *c;
    }
    int n = candidates(o, backend_for(t->device.kind), config, o->configs.n, source, f, t, &v);
    int skipped = 0;
    skip(o, source, v, n);
    for (int i = 0; i < n; i++)
        skipped += v[i].code == ROW_SKIPPED;
    free(v);
    free(config);
    return skipped;
}
