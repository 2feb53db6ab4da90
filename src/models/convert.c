/* SPDX-License-Identifier: BSD-3-Clause */
/* What a layout costs before its first multiplication: the host's build from CSR, and the copy to the device. Each is a
 * start and a rate by the bytes stored, T = start + bytes / rate, fitted to a layout's measured times by least squares
 * of relative errors: small matrices tell the start (allocations, threads, a driver's call), large ones the rate. The
 * copy of a layout that was never measured is that of all layouts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "formats/format.h"
#include "models/cells.h"

static const char name[] = "convert", build_start_key[] = "convert_start_s", build_rate_key[] = "convert_bytes_per_s",
                  upload_start_key[] = "upload_start_s", upload_rate_key[] = "upload_bytes_per_s";
static const char old_build_key[] = "convert_s_per_nnz"; /* profiles of the rates alone: starts are 0 */

static void general_layout(const struct config *config, const struct features *f, const struct target *t,
                           char text[CONFIG_LEN])
{
    struct config general;
    char why[ERRLEN];
    config_general(config, f, t, text);
    if (config_parse(text, &general, why) != 0)
        bug("%s", why);
    config_layout_key(&general, text);
}

struct times {
    int64_t n;
    double *bytes, *time_s;
};
struct layout_times {
    char layout[CONFIG_LEN];
    struct times build, upload;
};

static void times_add(struct times *v, const double *bytes, const double *time_s, int64_t n)
{
    if (n == 0)
        return;
    v->bytes = xrealloc(v->bytes, (unsigned long)(v->n + n) * sizeof *v->bytes);
    v->time_s = xrealloc(v->time_s, (unsigned long)(v->n + n) * sizeof *v->time_s);
    memcpy(v->bytes + v->n, bytes, (size_t)n * sizeof *bytes);
    memcpy(v->time_s + v->n, time_s, (size_t)n * sizeof *time_s);
    v->n += n;
}

static void times_free(struct times *v)
{
    free(v->bytes);
    free(v->time_s);
}

/* Of one size alone, or where the line has no start or no slope that could be one: the median rate, from no start. */
static void fit_line(const struct times *v, double *start_s, double *bytes_per_s)
{
    double *w = xmalloc((unsigned long)v->n * sizeof *w), slope;

    for (int64_t i = 0; i < v->n; i++)
        w[i] = 1.0 / (v->time_s[i] * v->time_s[i]);
    if (stats_line(v->bytes, v->time_s, w, v->n, start_s, &slope) == 0 && *start_s >= 0.0 && slope > 0.0)
        *bytes_per_s = 1.0 / slope;
    else {
        for (int64_t i = 0; i < v->n; i++)
            w[i] = v->bytes[i] / v->time_s[i];
        *start_s = 0.0;
        *bytes_per_s = stats_median(w, v->n);
    }
    free(w);
}

static void add_fit(struct coefs *c, const char *layout, const struct target *t, const struct times *v,
                    const char *start_key, const char *rate_key)
{
    double start_s, bytes_per_s;

    if (v->n == 0)
        return;
    fit_line(v, &start_s, &bytes_per_s);
    coefs_add(c, name, layout, t, start_key, 0, start_s, "s", NAN, NAN);
    coefs_add(c, name, layout, t, rate_key, 0, bytes_per_s, "B/s", NAN, NAN);
}

static void sample(struct layout_times *l, const struct run_row *row)
{
    const double bytes = (double)row->storage_bytes, build_s = row->convert_us * 1e-6, upload_s = row->upload_us * 1e-6;

    if (row->storage_bytes <= 0)
        return;
    times_add(&l->build, &bytes, &build_s, row->convert_us > 0.0);
    times_add(&l->upload, &bytes, &upload_s, row->upload_us > 0.0);
}

/* Rows of matrices; where none was measured, of benchmark cells built on the host. Rows of a layout that differ in
 * launch keys only repeat one build, those of every matrix alike. */
static int64_t collect(const struct runs *runs, const struct target *t, const char *role, struct layout_times **layouts)
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
        if (!f || f->nnz == 0 || config_parse(row->config, &parsed, why) != 0
            || config_resolve(&parsed, f, t, &config, why) != 0)
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
        sample(&(*layouts)[k], row);
    }
    return n;
}

void convert_fit(const struct runs *runs, const struct target *t, struct coefs *c)
{
    struct layout_times *layouts = NULL;
    struct times all = { .n = 0 };
    int64_t n = collect(runs, t, "matrix", &layouts);

    if (n == 0)
        n = collect(runs, t, "benchmark", &layouts);
    for (int64_t k = 0; k < n; k++) {
        struct layout_times *l = &layouts[k];
        times_add(&all, l->upload.bytes, l->upload.time_s, l->upload.n);
        add_fit(c, l->layout, t, &l->build, build_start_key, build_rate_key);
        add_fit(c, l->layout, t, &l->upload, upload_start_key, upload_rate_key);
        times_free(&l->build);
        times_free(&l->upload);
    }
    add_fit(c, "*", t, &all, upload_start_key, upload_rate_key);
    times_free(&all);
    free(layouts);
}

/* NaN: that layout's were never measured. */
static double line_time(const struct profile *p, const char *layout, const struct target *t, const char *start_key,
                        const char *rate_key, double bytes)
{
    const double start_s = coefs_value(&p->coefs, name, layout, t, start_key, 0);

    return (isnan(start_s) ? 0.0 : start_s) + bytes / coefs_value(&p->coefs, name, layout, t, rate_key, 0);
}

void profile_convert(const struct profile *p, const struct features *f, const struct config *config,
                     const struct target *asked, double *convert_s, double *upload_s)
{
    const struct target graph = target_in_graph(asked), *t = &graph;
    char layout[CONFIG_LEN];
    struct traffic traffic = { 0 };

    general_layout(config, f, t, layout);
    const double bytes =
        config->kernel->layout->traffic(f, config, t, &traffic) == 0 ? (double)traffic_storage(&traffic) : NAN;
    *convert_s = line_time(p, layout, t, build_start_key, build_rate_key, bytes);
    if (isnan(*convert_s))
        *convert_s = coefs_value(&p->coefs, name, layout, t, old_build_key, 0) * (double)f->nnz;
    *upload_s = line_time(p, layout, t, upload_start_key, upload_rate_key, bytes);
    if (isnan(*upload_s))
        *upload_s = line_time(p, "*", t, upload_start_key, upload_rate_key, bytes);
}
