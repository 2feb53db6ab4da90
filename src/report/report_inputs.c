/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the archives of a report: kinds, devices, provenance (report_parts.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/files.h"
#include "report/report_parts.h"

/* ---- provenance ---- */

static const struct column steps_columns[] = {
    TEXT_COLUMN("archive", "file name of the archive or profile"),
    TEXT_COLUMN("program", "program that wrote to it"),
    TEXT_COLUMN("version", "version of the program"),
    TEXT_COLUMN("date", "day, UTC"),
    TEXT_COLUMN("driver", "version of the GPU driver"),
    TEXT_COLUMN("cuda", "version of CUDA"),
    TEXT_COLUMN("cusparse", "version of cuSPARSE"),
    TEXT_COLUMN("host_cpu", "processor of the host"),
    INT_COLUMN("steps", "", "consecutive steps of that program, version and day"),
    COLUMNS_END,
};

static bool same_step(const struct provenance_row *a, const struct provenance_row *b)
{
    return strcmp(a->program, b->program) == 0 && strcmp(a->version, b->version) == 0
           && strncmp(a->date, b->date, 10) == 0 && strcmp(a->driver, b->driver) == 0
           && strcmp(a->cusparse, b->cusparse) == 0;
}

/* Adds a row per day, program and version, since an archive may have hundreds of steps. */
static void add_steps(struct table *s, const char *path, const struct provenance_row *row, int64_t n)
{
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && same_step(&row[first], &row[end]); end++)
            ;
        const struct provenance_row *p = &row[first];
        const long i = table_add(s);
        char date[11];
        snprintf(date, sizeof date, "%.10s", p->date);
        table_set(s, i, "archive", files_name(path));
        table_set(s, i, "program", p->program);
        table_set(s, i, "version", p->version);
        table_set(s, i, "date", date);
        table_set(s, i, "driver", p->driver);
        table_set(s, i, "cuda", p->cuda);
        table_set(s, i, "cusparse", p->cusparse);
        table_set(s, i, "host_cpu", p->host_cpu);
        table_set_int(s, i, "steps", end - first);
    }
}

/* ---- kinds and devices ---- */

struct opened {
    const char *path;
    bool forecasts;
    struct strlist devices; /* device keys of its provenance */
};

static void open_one(struct report *r, const char *path, struct opened *o)
{
    struct archive *a;
    struct provenance_row *row = NULL;
    int64_t n = 0;
    char why[ERRLEN];
    int status = archive_open(path, NULL, &a, why);

    *o = (struct opened){ .path = path };
    if (status != 0)
        die_code(archive_exit(status), "%s%s", why,
                 status == FAIL && !strstr(path, ".h5") ? "; give a matrix with --matrix" : "");
    o->forecasts = strcmp(archive_kind(a), "forecasts") == 0;
    if (!o->forecasts && strcmp(archive_kind(a), "run") != 0)
        die("%s is an archive of kind %s, but a report is made from run archives and archives of forecasts%s", path,
            archive_kind(a),
            strcmp(archive_kind(a), "profile") == 0  ? "; give a profile with --profile"
            : strcmp(archive_kind(a), "matrix") == 0 ? "; give a matrix with --matrix"
                                                     : "");
    status = archive_get_any(a, &provenance_schema, (void **)&row, &n, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    for (int64_t i = 0; i < n; i++)
        if (row[i].device_key[0])
            strlist_add_once(&o->devices, row[i].device_key);
    add_steps(&r->steps, path, row, n);
    free(row);
    archive_close(a);
}

static void leave_out(struct report *r, const char *path, const struct strlist *devices)
{
    char *list = strlist_join(devices, "; "),
         *text = xasprintf("%s, which is of another device: %s", files_name(path), list);

    strlist_add(&r->left_out, text);
    free(text);
    free(list);
}

/* Keeps the rows of the chosen device. */
static void keep_device(struct report *r)
{
    const int64_t others = runs_keep_device(&r->runs, r->device_key);

    if (others > 0) {
        char *text = xasprintf("%s of other devices", counted(others, "row").text);
        strlist_add(&r->left_out, text);
        free(text);
    }
}

/* ---- all ---- */

static void open_profile(struct report *r, struct strlist *found)
{
    char why[ERRLEN];
    struct archive *a;
    struct provenance_row *row = NULL;
    int64_t n = 0;
    int status = question_profile(&r->q, r->profile, why);

    if (status == 0)
        status = archive_open(r->q.file.path, "profile", &a, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    status = archive_get_any(a, &provenance_schema, (void **)&row, &n, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    add_steps(&r->steps, r->q.file.path, row, n);
    free(row);
    archive_close(a);
    r->has_profile = true;
    strlist_add_once(found, r->q.profile.device_key);
}

static void read_matrix(struct report *r)
{
    char why[ERRLEN];
    const int status = question_matrix(&r->q, r->matrix, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
}

static void add_forecasts(struct report *r, const struct opened *o)
{
    if (o->devices.n == 0 || strlist_has(&o->devices, r->device_key))
        strlist_add(&r->forecast_paths, o->path);
    else
        leave_out(r, o->path, &o->devices);
}

void report_inputs(struct report *r, char *const *operand, int n)
{
    struct opened *o = xcalloc((unsigned long)n + 1, sizeof *o);
    struct strlist found = { 0 };
    struct matrix_header seen;
    char why[ERRLEN];

    /* Report a missing matrix before reading archives. */
    if (r->matrix && matrix_read_again(r->matrix)) {
        const int status = matrix_peek(r->matrix, &seen, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
    }
    table_begin(&r->steps, steps_columns);
    for (int i = 0; i < n; i++)
        open_one(r, operand[i], &o[i]);
    for (int i = 0; i < n; i++) {
        const int status = o[i].forecasts ? 0 : runs_load(o[i].path, &r->runs, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
        for (int k = 0; o[i].forecasts && k < o[i].devices.n; k++)
            strlist_add_once(&found, o[i].devices.v[k]);
    }
    run_rows_devices(r->runs.rows, r->runs.nrows, &found);
    if (r->profile)
        open_profile(r, &found);
    TEXT_SET(r->device_key, runs_choose_device(&found, r->device, r->profile ? "archives and a profile" : "archives"));
    if (r->has_profile && strcmp(r->q.profile.device_key, r->device_key) != 0)
        die("--profile %s is for '%s', but --device %s selects '%s'", r->profile, r->q.profile.device_key, r->device,
            r->device_key);
    for (int i = 0; i < n; i++)
        if (o[i].forecasts)
            add_forecasts(r, &o[i]);
        else
            strlist_add(&r->run_paths, o[i].path);
    keep_device(r);
    const char *named = r->device_key[0] ? r->device_key : "an unknown device";
    snprintf(r->name, sizeof r->name, "%.*s", (int)strcspn(named, ","), named);
    if (r->matrix)
        read_matrix(r);
    for (int i = 0; i < n; i++)
        strlist_free(&o[i].devices);
    strlist_free(&found);
    free(o);
}

void report_inputs_free(struct report *r)
{
    if (r->matrix)
        question_leave_matrix(&r->q);
    if (r->has_profile)
        question_close(&r->q);
    runs_free(&r->runs);
    table_free(&r->steps);
    strlist_free(&r->run_paths);
    strlist_free(&r->forecast_paths);
    strlist_free(&r->left_out);
}

struct target report_target(const struct report *r, enum precision precision, enum cache cache, enum launching launch)
{
    struct target t = { .precision = precision, .cache = cache, .launch = launch };

    if (r->has_profile)
        t.device = r->q.profile.device;
    else
        runs_geometry(&r->runs, r->device_key, &t.device);
    return t;
}

bool report_has_rows(const struct report *r, const char *role)
{
    for (int64_t i = 0; i < r->runs.nrows; i++) {
        const struct run_row *row = &r->runs.rows[i];
        if (strcmp(row->role, role) == 0 && strcmp(row->outcome, "ok") == 0 && row->time_us > 0
            && runs_features(&r->runs, row->source_id, NULL))
            return true;
    }
    return false;
}
