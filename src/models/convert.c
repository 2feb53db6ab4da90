/* SPDX-License-Identifier: BSD-3-Clause */
/* What a layout costs before its first multiplication: the host's build from CSR, and the copy to the device, by the median
 * measured rates (s per nonzero; stored bytes per s) of the layout, or, for the copy, of all layouts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/stats.h"
#include "formats/format.h"
#include "models/cells.h"

static const char name[] = "convert", build_key[] = "convert_s_per_nnz", upload_key[] = "upload_bytes_per_s";

static void general_layout(const struct config *config, const struct features *f, const struct target *t, char text[CONFIG_LEN])
{
    struct config general;
    char why[ERRLEN];
    config_general(config, f, t, text);
    if (config_parse(text, &general, why) != 0)
        bug("%s", why);
    config_layout_key(&general, text);
}

struct rates { char layout[CONFIG_LEN]; int64_t n_build, n_upload; double *build, *upload; };

static void add_fit(struct coefs *c, const char *layout, const struct target *t, struct rates *r)
{
    if (r->n_build)
        coefs_add(c, name, layout, t, build_key, 0, stats_median(r->build, r->n_build), "s", NAN, NAN);
    if (r->n_upload)
        coefs_add(c, name, layout, t, upload_key, 0, stats_median(r->upload, r->n_upload), "B/s", NAN, NAN);
}

static void sample(struct rates *r, const struct run_row *row, int64_t nnz, int64_t room)
{
    if (!r->build) {
        r->build = xmalloc((unsigned long)room * sizeof *r->build);
        r->upload = xmalloc((unsigned long)room * sizeof *r->upload);
    }
    if (row->convert_us > 0.0)
        r->build[r->n_build++] = row->convert_us * 1e-6 / (double)nnz;
    if (row->upload_us > 0.0 && row->storage_bytes > 0)
        r->upload[r->n_upload++] = (double)row->storage_bytes / (row->upload_us * 1e-6);
}

/* Rows of matrices; where none was measured, of benchmark cells built on the host. Rates of a layout's rows that differ in
 * launch keys only repeat one build: the median does not mind. */
static int64_t collect(const struct runs *runs, const struct target *t, const char *role, struct rates **layouts)
{
    int64_t n = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *row = &runs->rows[i];
        const struct matrix_row *facts;
        struct config parsed, config;
        char why[ERRLEN], layout[CONFIG_LEN];
        if (!row_counts(row, t, role))
            continue;
        const struct features *f = runs_features(runs, row->source_id, &facts);
        if (!f || f->nnz == 0 || config_parse(row->config, &parsed, why) != 0 || config_resolve(&parsed, f, t, &config, why) != 0)
            continue;
        general_layout(&config, f, t, layout);
        int64_t k = 0;
        while (k < n && strcmp((*layouts)[k].layout, layout) != 0)
            k++;
        if (k == n) {
            *layouts = xrealloc(*layouts, (unsigned long)++n * sizeof **layouts);
            memset(&(*layouts)[k], 0, sizeof **layouts);
            TEXT_SET((*layouts)[k].layout, layout);
        }
        sample(&(*layouts)[k], row, f->nnz, runs->nrows);
    }
    return n;
}

void convert_fit(const struct runs *runs, const struct target *t, struct coefs *c)
{
    struct rates *layouts = NULL, all = { .n_upload = 0 };
    int64_t n = collect(runs, t, "matrix", &layouts);
    if (n == 0)
        n = collect(runs, t, "benchmark", &layouts);
    for (int64_t k = 0; k < n; k++) {
        struct rates *r = &layouts[k];
        all.build = xrealloc(all.build, (unsigned long)(all.n_build + r->n_build + 1) * sizeof *all.build);
        all.upload = xrealloc(all.upload, (unsigned long)(all.n_upload + r->n_upload + 1) * sizeof *all.upload);
        memcpy(all.build + all.n_build, r->build, (size_t)r->n_build * sizeof *all.build);
        memcpy(all.upload + all.n_upload, r->upload, (size_t)r->n_upload * sizeof *all.upload);
        all.n_build += r->n_build;
        all.n_upload += r->n_upload;
        add_fit(c, r->layout, t, r);
        free(r->build);
        free(r->upload);
    }
    add_fit(c, "*", t, &all);
    free(all.build);
    free(all.upload);
    free(layouts);
}

void profile_convert(const struct profile *p, const struct features *f, const struct config *config, const struct target *t, double *convert_s, double *upload_s)
{
    char layout[CONFIG_LEN];
    struct traffic traffic = { 0 };
    general_layout(config, f, t, layout);
    *convert_s = coefs_value(&p->coefs, name, layout, t, build_key, 0) * (double)f->nnz;
    double rate = coefs_value(&p->coefs, name, layout, t, upload_key, 0);
    if (isnan(rate))
        rate = coefs_value(&p->coefs, name, "*", t, upload_key, 0);
    *upload_s = config->kernel->layout->traffic(f, config, t, &traffic) == 0 ? (double)traffic_storage(&traffic) / rate : NAN;
}
