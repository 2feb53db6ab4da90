/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured times next to forecasts (archived_times.h). */
#include "plan/archived_times.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/strings.h"
#include "models/cells.h"
#include "recipes/recipe.h"

void archived_times_open(struct archived_times *m, const char *path)
{
    char why[ERRLEN];
    *m = (struct archived_times){ .path = path ? xstrdup(path) : NULL };
    if (!m->path)
        return;
    const int status = runs_load(m->path, &m->runs, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    runs_leave_parts(&m->runs);
}

static bool is_of_matrix(const struct archived_times *m, const struct run_row *r)
{
    return strcmp(r->source_id, m->matrix_id) == 0 || (m->recipe_id[0] && strcmp(r->source_id, m->recipe_id) == 0);
}

/* "two, arrow and 3 more": the matrices of the archive, benchmark matrices last. */
static void names_measured(const struct runs *runs, char *text, size_t bytes)
{
    enum { NAMED = 3 };
    struct strlist names = { 0 };
    size_t used = 0;
    for (int benchmark = 0; benchmark < 2; benchmark++)
        for (int64_t i = 0; i < runs->nrows; i++)
            if ((strcmp(runs->rows[i].role, "benchmark") == 0) == benchmark
                && !strlist_has(&names, runs->rows[i].matrix))
                strlist_add(&names, runs->rows[i].matrix);
    snprintf(text, bytes, "none");
    for (int i = 0; i < names.n && i < NAMED && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%.60s", i ? ", " : "", names.v[i]);
    if (names.n > NAMED && used < bytes)
        snprintf(text + used, bytes - used, " and %d more", names.n - NAMED);
    strlist_free(&names);
}

int archived_times_matrix(struct archived_times *m, const struct question *q, char why[ERRLEN])
{
    struct recipe recipe;
    const char *device = q->profile.device_key, *other = NULL;
    int64_t here = 0, elsewhere = 0;
    m->device_key = device;
    if (!m->path)
        return 0;
    TEXT_SET(m->matrix_id, q->matrix.matrix_id);
    m->recipe_id[0] = 0;
    if (q->matrix.recipe[0] && recipe_parse(q->matrix.recipe, &recipe, why) == 0)
        recipe_id(&recipe, m->recipe_id);
    for (int64_t i = 0; i < m->runs.nrows; i++) {
        const struct run_row *r = &m->runs.rows[i];
        if (!is_of_matrix(m, r))
            continue;
        const bool same = strcmp(r->device_key, device) == 0;
        here += same;
        elsewhere += !same;
        other = same || other ? other : r->device_key;
    }
    if (here == 0 && elsewhere == 0) {
        char names[256];
        names_measured(&m->runs, names, sizeof names);
        return fail(why, "%s has no measurement of %s (matrix_id %.12s...), only of %s; spmv-run -o %s MATRIX adds it",
                    m->path, q->matrix.name, q->matrix.matrix_id, names, m->path);
    }
    if (here == 0) {
        m->device_key = other;
        warn(
            "%s: %s was measured on '%s', but profile %s is for '%s': forecasts and measured times are for different devices",
            m->path, q->matrix.name, other, q->file.name, device);
    } else if (elsewhere > 0)
        warn("%s: %s of %s ignored: measured on '%s', not on the profile's '%s'", m->path,
             counted(elsewhere, "row").text, q->matrix.name, other, device);
    return 0;
}

/* ok: only a row with that outcome */
static const struct run_row *find(const struct archived_times *m, const struct outlook *o, const struct outlook_row *r,
                                  bool ok)
{
    for (int64_t i = 0; i < m->runs.nrows; i++) {
        const struct run_row *x = &m->runs.rows[i];
        if (is_of_matrix(m, x) && strcmp(x->device_key, m->device_key) == 0 && strcmp(x->config, r->text) == 0
            && (!ok || strcmp(x->outcome, "ok") == 0) && x->precision == o->target.precision
            && x->cache == o->target.cache)
            return x;
    }
    return NULL;
}

const char *archived_times_outcome(const struct archived_times *m, const struct outlook *o, const struct outlook_row *r)
{
    const struct run_row *x = find(m, o, r, false);
    return x ? x->outcome : "not measured";
}

double archived_times_us(const struct archived_times *m, const struct outlook *o, const struct outlook_row *r)
{
    const struct run_row *x = find(m, o, r, true);
    return x ? row_time_us(x, &o->target) : NAN;
}

const char *archived_times_date(const struct archived_times *m, const struct outlook *o, const struct outlook_row *r)
{
    const struct run_row *x = find(m, o, r, true);
    return x ? x->measured : "";
}

double archived_times_setup_us(const struct archived_times *m, const struct outlook *o, const struct outlook_row *r)
{
    const struct run_row *x = find(m, o, r, true);
    if (!x)
        return NAN;
    double us[NCOSTS];
    row_costs_us(x, us);
    const double convert = costs_convert(us, r->csr, o->terms.location, o->csr_upload_s * 1e6, o->own_memory);
    return convert + (o->preparations ? us[COST_PREPARE] : 0);
}

void archived_times_warn(const struct archived_times *m, const struct question *q, const struct outlook *o)
{
    for (int i = 0; i < o->n; i++)
        if (!m->path || m->temporary || (o->row[i].shown && !isnan(archived_times_us(m, o, &o->row[i]))))
            return;
    warn("%s has no measured time of %s in %s for any of these configurations", m->path, q->matrix.name,
         target_words(&o->target).text);
}

void archived_times_close(struct archived_times *m)
{
    if (m->path)
        runs_free(&m->runs);
    free(m->path);
}
