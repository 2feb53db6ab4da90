/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014: forecasts of a configuration, or of a composite as the sum of its parts (struct guo_view). */
#include <stdio.h>
#include <string.h>
#include "formats/format.h"
#include "models/cells.h"
#include "models/guo2014/guo2014.h"

static const char name[] = "guo2014";

int guo_load(const struct profile *p, const struct config *config, const struct target *t, const char *model,
             struct guo2014 *g, char why[ERRLEN])
{
    char text[CONFIG_LEN];
    int64_t n;
    config_print(config, text);
    memset(g, 0, sizeof *g);
    g->work = config->kernel->work;
    if (g->work == WORK_LIBRARY)
        return fail(why, "kernel %s is not supported by model %s: the library chooses how rows map to threads",
                    config->kernel->name, model);
    if (g->work == WORK_OTHER)
        return fail(
            why,
            "kernel %s is not supported by model %s: it has lines for a group of threads or a thread per row of "
            "csr, for ell and for coo",
            config->kernel->name, model);
    if (!coefs_find(&p->coefs, name, text, t, NULL, &n))
        return fail(why,
                    "profile %s has no %s coefficients for %s, %s; measure them: spmv-gen %s -o cells.h5, then "
                    "spmv-run -c %s -o runs.h5 cells.h5, then spmv-fit -m %s runs.h5 -o profile.h5",
                    p->name, name, text, target_words(t).text, name, text, name);
    g->strip = cells_strip(config, &p->device);
    guo_read(p, name, text, t, g);
    return 0;
}

int guo_open(const struct profile *p, const struct config *config, const struct target *t, const struct features *m,
             struct guo_view *v, char why[ERRLEN])
{
    struct config resolved;
    memset(v, 0, sizeof *v);
    v->config = *config; /* a composite keeps k=auto: each block has its own K */
    v->target = *t;
    if (config_resolve(config, m, t, &resolved, why) != 0)
        return FAIL;
    if (config->kernel->work != WORK_PARTS)
        return guo_load(p, &resolved, t, name, &v->own, why);
    for (int i = 0; i < PARTS_MAX && parts_name(config->kernel->layout, i); i++) {
        struct config part;
        if (config_part(config, parts_name(config->kernel->layout, i), &part, why) != 0
            || config_resolve(&part, m, t, &resolved, why) != 0)
            return FAIL;
        v->have[i] = guo_load(p, &resolved, t, name, &v->part[i], v->lacks[i]) == 0;
    }
    return 0;
}

/* Adds the forecast of part i. Returns false if it refuses the part, and thus the composite. */
static bool add_part(const struct guo_view *v, int i, const struct features *part, const struct config *config,
                     struct forecast *f)
{
    const char *part_name = parts_name(v->config.kernel->layout, i);
    struct forecast one;
    char why[ERRLEN];
    if (part->nnz == 0)
        return true;
    if (!v->have[i]) {
        forecast_refuse(f, "%s: %s", part_name, v->lacks[i]);
        return false;
    }
    if (v->applicable_parts && kernel_applicable(part, config, &v->target, why) != 0) {
        forecast_refuse(f, "%s: %s", part_name, why);
        return false;
    }
    guo_time(&v->part[i], part, &one);
    if (one.status == FORECAST_REFUSED) {
        forecast_refuse(f, "%s: %s", part_name, one.why);
        return false;
    }
    if (one.status == FORECAST_EXTRAPOLATED && (f->status == FORECAST_OK || one.distance > f->distance)) {
        f->status = one.status;
        f->distance = one.distance;
        fail(f->why, "%s: %s", part_name, one.why);
    }
    f->time_s += one.time_s;
    forecast_add_term(f, part_name, one.time_s);
    if (v->explain) {
        const size_t used = strlen(f->note);
        snprintf(f->note + used, sizeof f->note - used, "%s%s: ", used ? "; " : "", part_name);
        guo_explain(&v->part[i], part, f);
    }
    return true;
}

static void whole_of_parts(const struct guo_view *v, const struct features *m, struct forecast *f)
{
    const struct layout *layout = v->config.kernel->layout;
    struct config config = v->config, part_config;
    struct features part;
    if (layout->resolve)
        layout->resolve(&config, m, &v->target);
    forecast_begin(f);
    for (int i = 0; i < PARTS_MAX && layout->part(m, &config, i, &part_config, &part) == 0; i++) {
        bool going = add_part(v, i, &part, &part_config, f);
        features_free(&part);
        if (!going)
            return;
    }
}

void guo_forecast(const struct guo_view *v, const struct features *m, struct forecast *f)
{
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    if (v->config.kernel->work == WORK_PARTS)
        whole_of_parts(v, m, f);
    else
        guo_time(&v->own, m, f);
}
