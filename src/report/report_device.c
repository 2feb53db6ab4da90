/* SPDX-License-Identifier: BSD-3-Clause */
/* Section "device": facts and provenance, bandwidth by working set, launch cost (report_parts.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/report_parts.h"
#include "speed/speed.h"
#include "table/textout.h"

enum { LOG2_MIN = 14, LOG2_MAX = 32, SETS = LOG2_MAX - LOG2_MIN + 1, STEPS = 60 };

static void write_facts(struct report *r)
{
    const struct target t = report_target(r, F64, WARM, GRAPH);
    const struct geometry *g = &t.device;
    struct table steps = { 0 };

    page_fact(r->page, "device", "%s", r->device_key[0] ? r->device_key : r->name);
    if (g->sms > 0) {
        page_fact(r->page, g->kind == DEVICE_CPU ? "threads" : "multiprocessors", "%d", g->sms);
        page_fact(r->page, "last-level cache", "%s MiB", textout_digits((double)g->l2_bytes / (1 << 20), 4).text);
        page_fact(r->page, "memory", "%s GiB", textout_digits((double)g->memory_bytes / (1 << 30), 4).text);
    }
    if (r->has_profile) {
        const struct profile *p = &r->q.profile;
        page_fact(r->page, "profile", "%s, made %.10s", p->name, p->date);
        page_fact(r->page, "driver", "%s", p->driver);
        page_fact(r->page, "cuSPARSE", "%s", p->cusparse[0] ? p->cusparse : "none");
        page_fact(r->page, "host", "%s", p->host_cpu[0] ? p->host_cpu : "unknown");
    }
    report_part(&steps, &r->steps, STEPS, "`spmv-info ARCHIVE`", (const char *)NULL);
    page_table(r->page, &steps, NULL, "Where the numbers come from: programs, versions and dates of every archive",
               true);
    table_free(&steps);
}

/* ---- by working set ---- */

struct curve {
    char *name, *bytes_column, *us_column;
    struct target target;
    struct points bandwidth, time, launch;
};
enum { CURVES = NPRECISIONS * NCACHES };

static int make_curves(const struct report *r, struct curve curve[CURVES])
{
    int n = 0;

    for (int precision = NPRECISIONS - 1; precision >= 0; precision--)
        for (int cache = 0; cache < NCACHES; cache++) {
            const struct target t = report_target(r, (enum precision)precision, (enum cache)cache, GRAPH);
            const char *p = precision_name(t.precision), *c = cache_name(t.cache);
            if (isnan(profile_launch(&r->q.profile, &t)))
                continue;
            curve[n++] = (struct curve){ .name = xasprintf("%s, %s", p, c),
                                         .bytes_column = xasprintf("%s_%s_gbs", p, c),
                                         .us_column = xasprintf("%s_%s_us", p, c),
                                         .target = t };
        }
    return n;
}

/* The highest rate and the shortest time of the rows with a working set of 2^k to 2^(k+1) bytes; NaN: there is none. Padding does not
 * count, since kernels may skip it. */
static void measured_at(const struct report *r, const struct target *t, int k, double *gbs, double *us)
{
    *gbs = *us = NAN;
    for (int64_t i = 0; i < r->runs.nrows; i++) {
        const struct run_row *row = &r->runs.rows[i];
        if (strcmp(row->outcome, "ok") != 0 || !(row->time_us > 0) || row->part[0] || row->least_bytes <= 0
            || row->footprint_bytes >> k != 1 || row->precision != t->precision || row->cache != t->cache)
            continue;
        *gbs = fmax(*gbs, row_useful_bytes(row) / row->time_us / 1e3); /* fmax, fmin: of NaN and x, x */
        *us = fmin(*us, row->time_us);
    }
}

/* The same by the coefficients of the profile. */
static void forecast_at(const struct report *r, const struct target *t, int k, double *gbs, double *us)
{
    const double rate = profile_bandwidth(&r->q.profile, t, INT64_C(1) << k);

    *gbs = rate / 1e9;
    *us = 1e6 * (profile_launch(&r->q.profile, t) + ldexp(1, k) / rate);
}

/* Fills the curves, and the table of both figures. */
static void fill_curves(const struct report *r, struct curve *curve, int n, struct table *s)
{
    static const char
        measured_note[] =
            "gbs: bytes (padding not counted) / time, the highest of all configurations measured on matrices of that "
            "working set up to twice as many bytes; us: the shortest time; -: no such matrix",
        forecast_note[] =
            "gbs: the bandwidth that rival `bandwidth` uses, the highest rate of any benchmark without the time of "
            "an empty kernel; it counts padding that kernels skip, so it can exceed that of the memory; us: time of "
            "an empty kernel + bytes / bandwidth";
    const bool measured = report_has_rows(r, "matrix");

    table_add_column(s, &(struct column)INT_COLUMN("working_set_bytes", "B", "size of CSR, x and y: a power of two"));
    for (int i = 0; i < n; i++) {
        table_add_column(s, &(struct column)REAL_COLUMN(curve[i].bytes_column, "GB/s", "bytes / time, the highest"));
        table_add_column(s, &(struct column)REAL_COLUMN(curve[i].us_column, "us", "the shortest time"));
    }
    for (int k = LOG2_MIN; k <= LOG2_MAX; k++) {
        const int64_t bytes = INT64_C(1) << k;
        const long row = table_add(s);
        table_set_int(s, row, "working_set_bytes", bytes);
        for (int i = 0; i < n; i++) {
            struct curve *c = &curve[i];
            double gbs, us;
            (measured ? measured_at : forecast_at)(r, &c->target, k, &gbs, &us);
            points_add(&c->bandwidth, (double)bytes, gbs, NULL);
            points_add(&c->time, (double)bytes, us, NULL);
            table_set_real(s, row, c->bytes_column, gbs, 4);
            table_set_real(s, row, c->us_column, us, 4);
        }
    }
    table_note(s, "%s", measured ? measured_note : forecast_note);
}

static void draw_curves(struct report *r, struct curve *curve, int n, const struct table *s)
{
    struct series bandwidth[CURVES], time[CURVES];

    for (int i = 0; i < n; i++) {
        bandwidth[i] = points_series(&curve[i].bandwidth, curve[i].name, MARK_LINE, i);
        time[i] = points_series(&curve[i].time, curve[i].name, MARK_LINE, i);
    }
    const struct axis x = { .label = "working set: CSR, x and y (bytes)", .log = true, .low = NAN, .high = NAN };
    const struct chart rate = {
        .title = "Bandwidth by working set",
        .about = "Memory bandwidth that SpMV kernels reach, against the bytes of matrix and vectors.",
        .x = x,
        .y = { .label = "bandwidth (GB/s)", .low = 0, .high = NAN },
        .nseries = n,
        .series = bandwidth,
        .level = NAN
    };
    const struct chart least = { .title = "Least time by working set",
                                 .about =
                                     "Launch cost and bytes over bandwidth: small matrices are bound by the launch.",
                                 .x = x,
                                 .y = { .label = "time (us)", .log = true, .low = NAN, .high = NAN },
                                 .nseries = n,
                                 .series = time,
                                 .level = NAN };
    page_figures_begin(r->page);
    report_figure(r, &rate,
                  report_has_rows(r, "matrix") ? "Highest rate of any configuration; 1 GB is 10^9 bytes."
                                               : "Highest rate of any benchmark, padding included; 1 GB is 10^9 bytes.",
                  s, NULL);
    report_figure(
        r, &least,
        report_has_rows(r, "matrix")
            ? "The shortest time of any configuration, launched in a CUDA graph. Where the curve is flat, the launch costs more than the bytes."
            : "Time of an empty kernel in a CUDA graph, plus bytes / bandwidth. Where the curve is flat, the launch costs more than the bytes.",
        s, NULL);
    page_figures_end(r->page);
}

static const struct column launch_columns[] = {
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("launch", "graph (nodes of a CUDA graph) or stream (plain back-to-back launches)"),
    REAL_COLUMN("empty_kernel_us", "us", "time of an empty kernel"),
    COLUMNS_END,
};

static void write_launches(struct report *r)
{
    struct table s = { 0 };

    table_begin(&s, launch_columns);
    struct target t = report_target(r, F32, WARM, GRAPH);
    for (int key = 0; key < TARGET_KEYS; key++) {
        if (!target_of_key(key, &t) || isnan(profile_launch(&r->q.profile, &t)))
            continue;
        const long row = table_add(&s);
        table_set_target(&s, row, t.precision, t.cache, t.launch);
        table_set_real(&s, row, "empty_kernel_us", profile_launch(&r->q.profile, &t) * 1e6, 4);
    }
    page_table(r->page, &s, "precision cache launch empty_kernel_us=time~of~an~empty~kernel~(us)", "Launch cost",
               false);
    table_free(&s);
}

static void write_bandwidth(struct report *r)
{
    struct curve curve[CURVES];
    struct table s = { 0 };
    const int n = make_curves(r, curve);

    if (n == 0) {
        page_text(r->page, "The profile %s has no measured bandwidth.", r->q.profile.name);
        return;
    }
    page_text(
        r->page,
        "SpMV moves many bytes for few operations, so memory bounds its time: from the cache if matrix and vectors fit, else "
        "from the device's memory. For small matrices the launch of a kernel takes longer than its bytes.");
    fill_curves(r, curve, n, &s);
    draw_curves(r, curve, n, &s);
    write_launches(r);
    table_free(&s);
    for (int i = 0; i < n; i++) {
        points_free(&curve[i].bandwidth);
        points_free(&curve[i].time);
        free(curve[i].name);
        free(curve[i].bytes_column);
        free(curve[i].us_column);
    }
}

void report_device(struct report *r)
{
    page_section(r->page, "device", "The device");
    write_facts(r);
    if (r->has_profile)
        write_bandwidth(r);
    if (report_has_rows(r, "matrix"))
        report_roofline(r);
}
