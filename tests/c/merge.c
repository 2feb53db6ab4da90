/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes run archives with given rows, and prints archives as text, for the tests of spmv-merge.
 *   merge write RUN.h5 MATRIX/CONFIG/DEVICE/OUTCOME/TIME_US/MEASURED[/DRIVER[/REVISION]]...   MATRIX: m1, m2, ... (mN: a stencil of size N)
 *   merge rebuild RUN.h5 BUILD OUT.h5                                     the same rows, measured with another build
 *   merge dump RUN.h5 TABLE                                               prints the rows as JSON, one per line */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recipes/recipe.h"
#include "runs/rows.h"

static void add_matrix(struct runs *runs, const char *name)
{
    char text[RECIPE_LEN], why[ERRLEN];
    struct recipe recipe;
    struct features f;
    struct matrix_row m = { .strips_i = NAN };

    snprintf(text, sizeof text, "stencil:points=5,n=%.8s", name + 1);
    if (recipe_parse(text, &recipe, why))
        die("%s", why);
    recipe_features(&recipe, &f);
    matrix_row_from_features(&m, &f);
    TEXT_SET(m.source_id, name);
    TEXT_SET(m.matrix, name);
    TEXT_SET(m.role, "matrix");
    runs_add_matrix(runs, &m, &f);
    features_free(&f);
}

static void add_row(struct runs *runs, const char *word)
{
    struct run_row r;
    struct geometry g = *geometry_find("C2050");
    double time_us;

    row_blank(&run_schema, &r);
    r.revision = 1;
    if (sscanf(word, "%127[^/]/%159[^/]/%63[^/]/%11[^/]/%lf/%31[^/]/%31[^/]/%" SCNd64, r.matrix, r.config, r.device_key,
               r.outcome, &time_us, r.measured, r.driver, &r.revision)
        < 6)
        die("%s: expected MATRIX/CONFIG/DEVICE/OUTCOME/TIME_US/MEASURED[/DRIVER[/REVISION]]", word);
    TEXT_SET(r.role, "matrix");
    snprintf(r.kernel, sizeof r.kernel, "%.*s", (int)strcspn(r.config, ":"), r.config);
    TEXT_SET(r.source_id, r.matrix);
    r.precision = F64;
    r.cache = WARM;
    if (strcmp(r.outcome, "ok") == 0)
        r.time_us = time_us;
    add_matrix(runs, r.matrix);
    TEXT_SET(g.name, r.device_key);
    runs_add_device(runs, r.device_key, &g);
    runs_add_row(runs, &r);
}

static int store(const char *path, struct runs *runs)
{
    struct archive *a;
    char why[ERRLEN];

    if (archive_create(path, "run", &a, why) || runs_store(a, runs, why) || archive_commit(a, why))
        die("%s", why);
    runs_free(runs);
    return 0;
}

static int write_archive(int argc, char **argv)
{
    struct runs runs = { .every_build = true };

    archive_set_command(argc, argv, true);
    for (int i = 3; i < argc; i++)
        add_row(&runs, argv[i]);
    return store(argv[2], &runs);
}

static int rebuild(int argc, char **argv)
{
    struct runs runs = { .every_build = true };
    char why[ERRLEN];

    archive_set_command(argc, argv, true);
    if (runs_load(argv[2], &runs, why))
        die("%s", why);
    for (int64_t i = 0; i < runs.nrows; i++)
        TEXT_SET(runs.rows[i].build, argv[3]);
    return store(argv[4], &runs);
}

static int dump(const char *path, const char *table)
{
    const struct schema *const schemas[] = { &run_schema,  &matrix_schema, &histogram_schema,  &geometry_schema,
                                             &plan_schema, &block_schema,  &provenance_schema, &input_schema };
    struct archive *a;
    char why[ERRLEN];
    void *rows;
    int64_t n;

    if (archive_open(path, "run", &a, why))
        die("%s", why);
    for (size_t k = 0; k < sizeof schemas / sizeof schemas[0]; k++) {
        if (strcmp(schemas[k]->name, table) != 0)
            continue;
        if (archive_get_any(a, schemas[k], &rows, &n, why))
            die("%s", why);
        for (int64_t i = 0; i < n; i++) {
            char *json = row_to_json(schemas[k], (const char *)rows + (size_t)i * schemas[k]->row_bytes);
            puts(json);
            free(json);
        }
        free(rows);
    }
    archive_close(a);
    return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
    error_program("merge");
    if (argc >= 3 && strcmp(argv[1], "write") == 0)
        return write_archive(argc, argv);
    if (argc == 5 && strcmp(argv[1], "rebuild") == 0)
        return rebuild(argc, argv);
    if (argc == 4 && strcmp(argv[1], "dump") == 0)
        return dump(argv[2], argv[3]);
    die("merge write|rebuild|dump ...");
}
