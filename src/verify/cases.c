/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases: measured rows of one role, and their forecasts. Every skipped row is counted, with its reason. */
#include "verify/cases.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "models/cells.h"
#include "runs/contests.h"
#include "runs/rows.h"

static const char other_device[] = "other device";

static void skip(struct cases *c, const char *outcome, const struct run_row *row, const char *example)
{
    struct skipped *s = NULL;
    for (int i = 0; i < c->nskipped && !s; i++)
        if (strcmp(c->skipped[i].outcome, outcome) == 0 && strcmp(c->skipped[i].kernel, row->kernel) == 0)
            s = &c->skipped[i];
    if (!s) {
        c->skipped = xrealloc(c->skipped, sizeof *c->skipped * (unsigned long)(c->nskipped + 1));
        s = &c->skipped[c->nskipped++];
        *s = (struct skipped){ 0 };
        snprintf(s->outcome, sizeof s->outcome, "%s", outcome);
        snprintf(s->kernel, sizeof s->kernel, "%s", row->kernel);
        snprintf(s->example, sizeof s->example, "%.159s", example);
    }
    s->n++;
}

/* Returns the device that was asked for and that the rows are of, if it is another than the profile's, but of its kind. */
static const char *another_device(const struct runs *r, const char *asked, const struct profile *p)
{
    struct geometry g;
    const char *key = asked && r->nrows > 0 ? r->rows[0].device_key : p->device_key;
    return strcmp(key, p->device_key) != 0 && runs_geometry(r, key, &g) && g.kind == p->device.kind ? key : NULL;
}

/* Returns whether a row is ok, of the device, and of a matrix with known features; if not, counts it as skipped. */
static bool is_usable(struct cases *c, const struct run_row *row, const struct profile *p)
{
    const bool ok = strcmp(row->outcome, "ok") == 0;
    const struct matrix_row *facts;

    if (strcmp(row->device_key, c->rows_of ? c->rows_of : p->device_key) != 0)
        skip(c, other_device, row, row->device_key);
    else if (!ok)
        skip(c, row->outcome, row, row->reason);
    else if (!runs_features(&c->runs, row->source_id, &facts))
        skip(c, "no features", row, row->matrix);
    else
        return true;
    return false;
}

/* Fills a case from a usable row and a launch. Returns false if the row has no such time or its configuration is unknown, and counts
 * it as skipped, unless its cache state is never timed with this launch. */
static bool make_case(struct cases *c, const struct run_row *row, const struct profile *p, enum launching launch,
                      struct one_case *one)
{
    char why[ERRLEN];
    *one = (struct one_case){ .row = row, .target = target_on(&p->device, row->precision, row->cache, launch) };
    if (!launch_is_timed(launch, one->target.cache))
        return false;
    one->features = runs_features(&c->runs, row->source_id, &one->facts);
    one->measured_s = row_time_us(row, &one->target) * 1e-6;
    if (!(one->measured_s > 0)) {
        skip(c, launch == STREAM ? "no stream time" : "no time", row, row->matrix);
        return false;
    }
    /* parsing adds default keys; resolving drops those that the device lacks */
    if (config_resolve_text(row->config, one->features, &one->target, &one->config, why) != 0) {
        skip(c, "unknown", row, why);
        return false;
    }
    config_general(&one->config, one->features, &one->target, one->general);
    return true;
}

/* Sorts the cases by contest, drops older revisions, and sets what a case knows of its contest. */
static void arrange(struct cases *c)
{
    int64_t *matrix = runs_rank_matrices(&c->runs, false);
    struct contest_entry *entry = xmalloc(sizeof *entry * (unsigned long)(c->n + 1));
    struct one_case *unsorted = c->one;
    struct contest_table t;

    for (int64_t i = 0; i < c->n; i++) {
        const struct one_case *one = &unsorted[i];
        entry[i] =
            (struct contest_entry){ .index = i,
                                    .matrix = matrix[one->facts - c->runs.matrices],
                                    .target = target_key(one->target.precision, one->target.cache, one->target.launch),
                                    .config = one->row->config,
                                    .part = "",
                                    .revision = one->row->revision,
                                    .time = one->measured_s };
    }
    contest_table_make(&t, entry, c->n, BY_TARGET);
    for (int64_t i = 0; i < t.nolder; i++)
        skip(c, "older", unsorted[t.older[i]].row, "a newer revision of the kernel was measured");
    c->one = xmalloc(sizeof *c->one * (unsigned long)(t.nentries + 1));
    c->n = t.nentries;
    for (int64_t k = 0; k < t.n; k++)
        for (int64_t i = t.one[k].first; i < t.one[k].end; i++) {
            struct one_case *one = &c->one[i];
            *one = unsorted[t.entry[i].index];
            one->group = t.one[k].first;
            one->group_end = t.one[k].end;
            one->target_end = t.one[t.one[k].target_end - 1].end;
            one->near = contest_near(one->measured_s, t.one[k].best_time);
        }
    contest_table_free(&t);
    free(entry);
    free(matrix);
    free(unsorted);
}

/* Warns if some rows are of another device. If all are, cases_read dies instead. */
static void warn_of_devices(const struct cases *c, const struct profile *p)
{
    const char *example = "";
    int64_t n = 0;
    for (int i = 0; i < c->nskipped; i++)
        if (strcmp(c->skipped[i].outcome, other_device) == 0) {
            n += c->skipped[i].n;
            example = c->skipped[i].example;
        }
    if (n > 0 && c->n > 0)
        warn("skipped %s of another device: measured on '%s', but profile %s is for '%s'", counted(n, "row").text,
             example, p->name, p->device_key);
}

void cases_read(struct cases *c, char *const *paths, int npaths, const char *device, const struct profile *p,
                const char *role, const struct strlist *precisions, const struct strlist *caches,
                const struct strlist *launches)
{
    char why[ERRLEN];
    *c = (struct cases){ 0 };
    for (int i = 0; i < npaths; i++) {
        const int status = runs_load(paths[i], &c->runs, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
    }
    if (device)
        runs_one_device(&c->runs, device);
    c->rows_of = another_device(&c->runs, device, p);
    runs_leave_parts(&c->runs);
    c->one = xmalloc(sizeof *c->one * (unsigned long)(c->runs.nrows + 1) * NLAUNCHES);
    for (int64_t i = 0; i < c->runs.nrows; i++) {
        const struct run_row *row = &c->runs.rows[i];
        if (!strlist_wants(precisions, precision_name(row->precision))
            || !strlist_wants(caches, cache_name(row->cache)))
            continue;
        if (strcmp(row->role, role) != 0)
            c->other_role++;
        else if (is_usable(c, row, p))
            for (int launch = 0; launch < NLAUNCHES; launch++)
                if (strlist_has(launches, launch_name(launch)))
                    c->n += make_case(c, row, p, (enum launching)launch, &c->one[c->n]);
    }
    warn_of_devices(c, p);
    int64_t skipped = 0;
    for (int i = 0; i < c->nskipped; i++)
        skipped += c->skipped[i].n;
    if (c->n == 0 && c->nskipped > 0)
        die("no usable row: skipped %s of role %s, e.g. %s: %s (the profile is for %s)", counted(skipped, "row").text,
            role, c->skipped[0].outcome, c->skipped[0].example, p->device_key);
    if (c->n == 0 && c->other_role > 0)
        die("no row of role %s in these archives, but %s of another role (see --role)", role,
            counted(c->other_role, "row").text);
    if (c->n == 0)
        die("no row of this precision and cache state in these archives (see -p, --cache)");
    arrange(c);
}

void cases_forecast(struct cases *c, struct profile *p, const struct strlist *models)
{
    char why[ERRLEN];
    for (int i = 0; model_at(i); i++)
        if (strlist_wants(models, model_at(i)->name)) {
            c->model = xrealloc(c->model, sizeof *c->model * (unsigned long)(c->nmodels + 1));
            c->model[c->nmodels++] = model_at(i);
            const int status = model_at(i)->trained ? profile_load_trained(p, why) : 0;
            if (status != 0)
                die_code(archive_exit(status), "%s", why);
        }
    c->verdict = xcalloc((unsigned long)c->nmodels * (unsigned long)c->n, sizeof *c->verdict);
    for (int m = 0; m < c->nmodels; m++)
        for (int64_t i = 0; i < c->n; i++) {
            const struct one_case *one = &c->one[i];
            struct verdict *v = &c->verdict[(int64_t)m * c->n + i];
            struct forecast f = { 0 };
            profile_ask_about(p, one->facts->matrix, one->facts->group, one->facts->recipe, one->facts->pattern_id);
            model_forecast(c->model[m], p, one->features, &one->config, &one->target, &f);
            const bool in_training = f.in_training && f.status != FORECAST_REFUSED;
            if (in_training)
                forecast_refuse(&f,
                                "matrix in training; verify with an archive of forecasts (spmv-fit --crossvalidate)");
            *v = (struct verdict){ .time_s = f.time_s,
                                   .low_s = f.low_s,
                                   .high_s = f.high_s,
                                   .distance = f.distance,
                                   .status = f.status,
                                   .in_training = in_training };
            if (snprintf(v->why, sizeof v->why, "%s", f.why) >= (int)sizeof v->why) {
                v->why[sizeof v->why - 4] = 0;
                char *end = strrchr(v->why, ' '); /* whole words, so that no number is cut */
                memcpy(end ? end : v->why + sizeof v->why - 4, "...", 4);
            }
        }
}

static bool any_trained(const struct cases *c, int64_t first, int64_t end)
{
    for (int m = 0; m < c->nmodels; m++)
        for (int64_t i = first; i < end; i++)
            if (cases_verdict(c, m, i)->in_training)
                return true;
    return false;
}

bool cases_in_training(const struct cases *c) { return any_trained(c, 0, c->n); }

int64_t cases_drop_trained(struct cases *c)
{
    int64_t kept = 0, all = c->n;
    struct one_case *one = xmalloc(sizeof *one * (unsigned long)(all + 1));

    for (int64_t first = 0, end; first < all; first = end) {
        end = c->one[first].group_end;
        if (!any_trained(c, first, end))
            for (int64_t i = first; i < end; i++)
                one[kept++] = c->one[i];
    }
    free(c->one);
    free(c->model);
    free(c->verdict);
    c->one = one;
    c->model = NULL;
    c->verdict = NULL;
    c->n = kept;
    c->nmodels = 0;
    arrange(c);
    return all - kept;
}

void cases_free(struct cases *c)
{
    runs_free(&c->runs);
    free(c->one);
    free(c->model);
    free(c->verdict);
    free(c->skipped);
    *c = (struct cases){ 0 };
}

struct target_columns cases_target_columns(const struct cases *c)
{
    struct target_columns columns;
    bool precision = false, cache = false, launch = false;

    for (int64_t i = 1; i < c->n; i++) {
        precision = precision || c->one[i].target.precision != c->one[0].target.precision;
        cache = cache || c->one[i].target.cache != c->one[0].target.cache;
        launch = launch || c->one[i].target.launch != c->one[0].target.launch;
    }
    snprintf(columns.text, sizeof columns.text, "%s%s%s", precision ? " precision" : "", cache ? " cache" : "",
             launch ? " launch" : "");
    return columns;
}

static void note_other_role(const struct cases *c, struct table *out)
{
    if (c->other_role > 0)
        table_note(out, "skipped %s of another role (see --role)", counted(c->other_role, "row").text);
}

void cases_note(const struct cases *c, struct table *out)
{
    for (int i = 0; i < c->nskipped; i++)
        table_note(out, "skipped %s, %s, %s, e.g. %s", counted(c->skipped[i].n, "row").text, c->skipped[i].outcome,
                   c->skipped[i].kernel, c->skipped[i].example);
    note_other_role(c, out);
}

void cases_note_skipped(const struct cases *c, struct table *out)
{
    for (int i = 0; i < c->nskipped; i++) {
        const char *outcome = c->skipped[i].outcome;
        bool first = true;
        int64_t n = 0;
        for (int k = 0; k < c->nskipped; k++)
            if (strcmp(c->skipped[k].outcome, outcome) == 0) {
                n += c->skipped[k].n;
                first = first && k >= i;
            }
        if (first)
            table_note(out, "skipped %s: %s", counted(n, "row").text, outcome);
    }
    note_other_role(c, out);
}

void cases_note_models(const struct cases *c, struct table *out)
{
    for (int m = 0; m < c->nmodels; m++) {
        int64_t count[3] = { 0 };
        const struct verdict *example[3] = { 0 };
        for (int64_t i = 0; i < c->n; i++) {
            const struct verdict *v = cases_verdict(c, m, i);
            if (count[v->status]++ == 0 || (v->in_training && !example[v->status]->in_training))
                example[v->status] = v;
        }
        table_note(out, "%s: %s, %" PRId64 " extrapolated%s%s, %" PRId64 " refused%s%s", c->model[m]->name,
                   counted(count[FORECAST_OK] + count[FORECAST_EXTRAPOLATED], "forecast").text,
                   count[FORECAST_EXTRAPOLATED], example[FORECAST_EXTRAPOLATED] ? ", e.g. " : "",
                   example[FORECAST_EXTRAPOLATED] ? example[FORECAST_EXTRAPOLATED]->why : "", count[FORECAST_REFUSED],
                   example[FORECAST_REFUSED] ? ", e.g. " : "",
                   example[FORECAST_REFUSED] ? example[FORECAST_REFUSED]->why : "");
    }
}
