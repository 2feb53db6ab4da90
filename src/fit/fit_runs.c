/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmv-fit takes from the run archives besides times: their device, versions, targets and matrices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fit/fit.h"
#include "models/cells.h"

/* Reads driver and library versions of the last run on the device that recorded them. */
static void read_provenance(const char *path, const char *device_key, struct profile *p)
{
    struct archive *a;
    struct provenance_row *rows = NULL;
    int64_t n = 0;
    char why[ERRLEN];
    int status = archive_open(path, "run", &a, why);
    if (status == 0)
        status = archive_get(a, &provenance_schema, (void **)&rows, &n, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    for (int64_t i = 0; i < n; i++) {
        if (strcmp(rows[i].device_key, device_key) != 0)
            continue;
        if (*rows[i].driver)
            TEXT_SET(p->driver, rows[i].driver);
        if (*rows[i].cusparse)
            TEXT_SET(p->cusparse, rows[i].cusparse);
    }
    free(rows);
    archive_close(a);
}

/* Adds a value of a row to the distinct ones of all rows. */
static void add_once(struct strlist *list, const char *value)
{
    if (*value)
        strlist_add_once(list, value);
}

/* Rows of two drivers or builds make a profile of both, which says so. */
static void describe_software(const struct runs *runs, struct profile *p)
{
    struct strlist drivers = { 0 }, builds = { 0 };

    for (int64_t i = 0; i < runs->nrows; i++)
        if (row_outcome(&runs->rows[i]) == OUTCOME_OK) {
            add_once(&drivers, runs->rows[i].driver);
            add_once(&builds, runs->rows[i].build);
        }
    if (runs->other_builds > 0)
        note("skipped %s measured again with another driver or build", counted(runs->other_builds, "row").text);
    char *driver = strlist_join(&drivers, " and "), *build = strlist_join(&builds, " and ");
    if (drivers.n > 0)
        TEXT_SET(p->driver, driver);
    if (drivers.n > 1)
        warn("the rows were measured with drivers %s; `spmv-profile --again` measures all with the driver of now",
             driver);
    if (builds.n > 1)
        warn("the rows were measured with builds %s; `spmv-profile --again` measures all with the build of now", build);
    free(driver);
    free(build);
    strlist_free(&drivers);
    strlist_free(&builds);
}

void fit_load_runs(char **paths, int n, const char *device, bool older, struct runs *runs, struct profile *p)
{
    char why[ERRLEN];
    for (int i = 0; i < n; i++) {
        const int status = runs_load(paths[i], runs, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
        runs_leave_parts(runs);
    }
    if (runs->nrows == 0)
        die("%s: no measured rows; run spmv-run first", paths[0]);
    runs_one_device(runs, device);
    for (int i = 0; i < n; i++)
        read_provenance(paths[i], runs->rows[0].device_key, p);
    const int64_t left_out = runs_newest(runs, older ? NEWEST_OF_EACH : NEWEST_OF_ALL);
    if (left_out > 0)
        note("skipped %s: also measured with a newer revision of the kernel", counted(left_out, "row").text);
    describe_software(runs, p);
    runs_index(runs);
}

void fit_describe(struct profile *p, const struct runs *runs)
{
    const char *date = "";
    for (int64_t i = 0; i < runs->nrows; i++) {
        if (strcmp(runs->rows[i].measured, date) > 0)
            date = runs->rows[i].measured;
        if (*runs->rows[i].host_cpu)
            TEXT_SET(p->host_cpu, runs->rows[i].host_cpu);
    }
    snprintf(p->date, sizeof p->date, "%.10s", date);
    TEXT_SET(p->device_key, runs->rows[0].device_key);
    if (!runs_geometry(runs, p->device_key, &p->device))
        die("the run archives have no geometry of device \"%s\"; measure again with spmv-run, which stores it",
            p->device_key);
    device_plain_name(p->device.name, '-', p->name, sizeof p->name);
}

void fit_targets(const struct runs *runs, const struct geometry *device, struct targets *targets)
{
    targets->n = 0;
    struct target t = { .device = *device };
    for (int key = 0; key < TARGET_KEYS; key++) {
        bool found = false;
        for (int64_t i = 0; target_of_key(key, &t) && i < runs->nrows && !found; i++)
            found = row_counts(&runs->rows[i], &t, "benchmark") || row_counts(&runs->rows[i], &t, "matrix");
        if (found)
            targets->target[targets->n++] = t;
    }
    if (targets->n > 0)
        return;
    int64_t noisy = 0;
    for (int64_t i = 0; i < runs->nrows; i++)
        noisy += row_outcome(&runs->rows[i]) == OUTCOME_NOISY;
    if (noisy > 0)
        die("nothing to fit: no row is ok, %s noisy; repeat spmv-run when the machine is idle, or accept noisy rows "
            "with --again noisy --accept-noise",
            counted(noisy, noisy == 1 ? "row is" : "row are").text);
    die("nothing to fit: none of %s has outcome ok; column reason of the run archives tells why",
        counted(runs->nrows, "row").text);
}

static int by_source(const void *a, const void *b)
{
    return strcmp(((const struct matrix_row *)a)->source_id, ((const struct matrix_row *)b)->source_id);
}

void fit_keep_matrices(const struct runs *runs, struct profile *p)
{
    bool *keep = xcalloc((unsigned long)runs->nmatrices + 1, sizeof *keep);
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct matrix_row *facts;
        const struct run_row *r = &runs->rows[i];
        if (strcmp(r->outcome, "ok") == 0 && runs_features(runs, r->source_id, &facts) && run_row_is_example(r, facts))
            keep[facts - runs->matrices] = true;
    }
    p->measured.matrices = xcalloc((unsigned long)runs->nmatrices + 1, sizeof *p->measured.matrices);
    for (int64_t i = 0; i < runs->nmatrices; i++)
        if (keep[i])
            p->measured.matrices[p->measured.nmatrices++] = runs->matrices[i];
    if (p->measured.nmatrices)
        qsort(p->measured.matrices, (size_t)p->measured.nmatrices, sizeof *p->measured.matrices, by_source);
    free(keep);
}
