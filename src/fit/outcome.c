/* SPDX-License-Identifier: BSD-3-Clause */
/* Which models a fit gave the profile, and why it lacks the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fit/fit.h"

static bool trained_has(const struct trained *t, const char *model)
{
    for (int64_t i = 0; t && i < t->nfits; i++)
        if (strcmp(t->fit[i].model, model) == 0)
            return true;
    return false;
}

static bool is_default(const struct model *m) { return strcmp(m->name, model_default) == 0; }
/* Does the model consist of those that it needs? */
static bool is_composed(const struct model *m) { return !m->fit && !m->train && !is_default(m); }

/* Does the profile have the model's fit? A model without one of its own is there if all that it needs are. */
static bool fit_done(const struct profile *p, const struct model *m)
{
    const struct model *other;
    if (!is_composed(m))
        return is_default(m) ? p->learned != NULL : m->fit ? fit_has(p, m->name) : trained_has(p->trained, m->name);
    for (int i = 0; (other = model_at(i)); i++)
        if (model_needs(m, other->name) && !fit_done(p, other))
            return false;
    return true;
}

/* Writes why a model was not fitted. */
static void fit_reason(const struct profile *p, const struct model *m, const struct fit_reasons *r, char why[ERRLEN])
{
    const struct model *other;
    snprintf(why, ERRLEN, "not measured"); /* if no target could be tried */
    for (int i = 0; (other = model_at(i)); i++) {
        const char *reason = is_default(other) ? r->learned
                             : other->fit      ? r->fit[i * TARGET_KEYS].text
                                               : r->trained[i].text;
        if (other == m && !is_composed(m) && *reason)
            snprintf(why, ERRLEN, "%s", reason);
    }
    for (int i = 0; is_composed(m) && (other = model_at(i)); i++)
        if (model_needs(m, other->name) && !fit_done(p, other)) {
            char inner[ERRLEN];
            fit_reason(p, other, r, inner);
            snprintf(why, ERRLEN, "it needs %s: %.400s", other->name, inner);
            return;
        }
}

void fit_check_any(const struct profile *p, const struct strlist *wanted, int nrequested, const struct fit_reasons *r,
                   int64_t nrows)
{
    const struct strlist requested = { .n = nrequested, .v = wanted->v };
    const struct model *m, *first = NULL;
    char why[ERRLEN];
    for (int i = 0; (m = model_at(i)); i++) {
        if (!fit_wants(&requested, m->name))
            continue;
        if (fit_done(p, m))
            return;
        first = first ? first : m;
    }
    fit_reason(p, first, r, why);
    if (nrequested == 1 && strcmp(requested.v[0], first->name) == 0)
        die("cannot fit %s to %s: %s", first->name, counted(nrows, "row").text, why);
    die("cannot fit any requested model to %s, e.g. %s: %s", counted(nrows, "row").text, first->name, why);
}

static void check_models(const char *path, const struct profile *old, const struct profile *p,
                         const struct strlist *wanted, const struct fit_reasons *r)
{
    struct strlist lost = { 0 };
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++)
        if (!is_composed(m) && fit_done(old, m) && !fit_done(p, m) && (r || !fit_wants(wanted, m->name)))
            strlist_add(&lost, m->name);
    if (lost.n == 0)
        return;
    char *names = strlist_join(&lost, ","), why[ERRLEN];
    if (!r)
        die("cannot write %s: it would lose %s; add them to -m, keep them with --add %s, use another name for -o, or remove "
            "the file",
            path, names, path);
    fit_reason(p, model_find(lost.v[0]), r, why);
    die("cannot write %s: it would lose %s, which could not be fitted (%s: %s); use another name for -o, or remove the file",
        path, names, lost.v[0], why);
}

void fit_check_output(const char *path, const struct profile *p, const struct strlist *wanted,
                      const struct fit_reasons *r)
{
    struct profile old;
    char why[ERRLEN];
    if (access(path, F_OK) != 0 || profile_load(path, &old, why) != 0)
        return;
    if (strcmp(old.device_key, p->device_key) != 0)
        die("cannot write %s: it is the profile of another device, '%s', and the rows are of '%s'; use another name for "
            "-o, or remove the file",
            path, old.device_key, p->device_key);
    if (strcmp(p->scope, profile_quick) == 0 && strcmp(old.scope, profile_quick) != 0)
        die("cannot write %s: it is a full profile, and --quick marks this one as a trial; use another name for -o, or "
            "remove the file",
            path);
    if (profile_load_trained(&old, why) == 0)
        check_models(path, &old, p, wanted, r);
    profile_free(&old);
}

void fit_composed_efforts(struct profile *p, const struct strlist *wanted)
{
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++)
        if (is_composed(m) && !m->trained && fit_wants(wanted, m->name) && fit_done(p, m))
            effort_add_parts(p->trained, m);
}

void fit_print_composed(struct table *out, const struct profile *p, const struct strlist *wanted,
                        const struct fit_reasons *r)
{
    const struct model *m;
    char why[ERRLEN];
    for (int i = 0; (m = model_at(i)); i++)
        if (is_composed(m) && strlist_has(wanted, m->name) && !fit_done(p, m)) {
            fit_reason(p, m, r, why);
            table_note(out, "%s not fitted: %s", m->name, why);
        }
}
