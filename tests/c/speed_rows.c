/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a run archive with given rows, also of kernels that this build does not know:
 *     speed_rows RUN.h5 [DEVICE_KEY] < ROWS
 * DEVICE_KEY: default "Told GPU, 14 SMs". One row per line, separated by spaces: MATRIX (a file or a recipe) NAME CONFIG PRECISION
 * CACHE TIME_US CONVERT_US CONVERT_DEVICE_US [PREPARE_US [MEASURED [FIRST_SAMPLE]]] ("nan": missing). The least_bytes of a row are
 * those of CSR; for NAME@2 twice as many. NAME "-": the matrix keeps its recipe and name. CONFIG@head, CONFIG@tail: the time of this
 * part alone, as is CACHE "warm:head". TIME_US "na": a row without a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "input/matrix.h"
#include "runs/rows.h"

static const char *device_key = "Told GPU, 14 SMs";

static const struct features *add_matrix(struct runs *runs, const char *path, const char *name, struct matrix_row *m)
{
    struct matrix a;
    struct features f;
    char why[ERRLEN];

    for (int64_t i = 0; i < runs->nmatrices; i++)
        if (strcmp(runs->matrices[i].matrix, name) == 0) {
            *m = runs->matrices[i];
            return &runs->features[i];
        }
    if (matrix_read(path, &a, why) != 0)
        die("%s", why);
    for (int64_t i = 0; i < runs->nmatrices; i++)
        if (*name == '-' && strcmp(runs->matrices[i].recipe, a.recipe) == 0) {
            *m = runs->matrices[i];
            matrix_free(&a);
            return &runs->features[i];
        }
    features_of(&a.csr, &f);
    *m = (struct matrix_row){ .strips_i = NAN };
    matrix_row_from_features(m, &f);
    TEXT_SET(m->source_id, a.matrix_id);
    TEXT_SET(m->pattern_id, a.pattern_id);
    TEXT_SET(m->matrix, *name == '-' ? a.name : name);
    TEXT_SET(m->recipe, *name == '-' ? a.recipe : "");
    TEXT_SET(m->role, "matrix");
    runs_add_matrix(runs, m, &f);
    features_free(&f);
    matrix_free(&a);
    return &runs->features[runs->nmatrices - 1];
}

static void add_row(struct runs *runs, const struct geometry *g, const struct matrix_row *m, const struct features *f,
                    const char *config, const char *precision, const char *cache, const double us[4],
                    const char *measured, const char *first, int64_t times)
{
    struct run_row r;
    char whole[CONFIG_LEN];
    const size_t n = strcspn(config, "@");

    row_blank(&run_schema, &r);
    TEXT_SET(r.part, config[n] ? config + n + 1 : "");
    snprintf(whole, sizeof whole, "%.*s", (int)n, config);
    TEXT_SET(r.role, "matrix");
    TEXT_SET(r.source_id, m->source_id);
    TEXT_SET(r.matrix, m->matrix);
    TEXT_SET(r.config, whole);
    TEXT_SET(r.asked, whole);
    snprintf(r.kernel, sizeof r.kernel, "%.*s", (int)strcspn(whole, ":"), whole);
    r.revision = 1;
    char state_name[WORD_BYTES];
    r.precision = word_number(&precision_words, precision);
    const size_t state = strcspn(cache, ":");
    snprintf(state_name, sizeof state_name, "%.*s", (int)state, cache);
    r.cache = word_number(&cache_words, state_name);
    if (cache[state])
        TEXT_SET(r.part, cache + state + 1);
    TEXT_SET(r.device_key, device_key);
    TEXT_SET(r.outcome, isnan(us[0]) ? "na" : "ok");
    TEXT_SET(r.measured, measured);
    TEXT_SET(r.first_sample, first);
    TEXT_SET(r.last_sample, *first ? measured : "");
    r.time_us = us[0];
    r.convert_us = us[1];
    r.convert_device_us = us[2];
    r.prepare_us = us[3];
    r.footprint_bytes = footprint_bytes(f->rows, f->cols, f->nnz, (enum precision)precision_parse(precision));
    r.least_bytes = times * r.footprint_bytes;
    TEXT_SET(r.footprint, footprint_name(footprint_class(g, r.footprint_bytes)));
    runs_add_row(runs, &r);
}

int main(int argc, char **argv)
{
    char line[1024], path[200], name[128], config[CONFIG_LEN], precision[8], cache[16], time[24], measured[32],
        first[32], why[ERRLEN];
    double us[4];
    struct runs runs = { 0 };
    struct archive *a;
    struct geometry g = *geometry_find("C2050");

    error_program("speed_rows");
    if (argc != 2 && argc != 3)
        die("usage: speed_rows RUN.h5 [DEVICE_KEY] < ROWS");
    device_key = argc == 3 ? argv[2] : device_key;
    g.l2_bytes = 1 << 20;
    archive_set_command(argc, argv, true);
    archive_set_device(device_key, "GPU-0", "1.0", "1.0", "1.0", "Told CPU");
    runs_add_device(&runs, device_key, &g);
    while (fgets(line, sizeof line, stdin)) {
        us[3] = NAN;
        measured[0] = first[0] = 0;
        const int n = sscanf(line, "%199s %127s %319s %7s %15s %23s %lf %lf %lf %31s %31s", path, name, config,
                             precision, cache, time, &us[1], &us[2], &us[3], measured, first);
        us[0] = strcmp(time, "na") == 0 ? NAN : strtod(time, NULL);
        if (n < 8)
            die("a row of %d cells, expected 8 to 11: %s", n, line);
        struct matrix_row m;
        char *at = strchr(name, '@');
        const int64_t times = at ? strtol(at + 1, NULL, 10) : 1;
        if (at)
            *at = 0;
        const struct features *f = add_matrix(&runs, path, name, &m);
        add_row(&runs, &g, &m, f, config, precision, cache, us, measured, first, times);
    }
    if (archive_create(argv[1], "run", &a, why) != 0 || runs_store(a, &runs, why) != 0 || archive_commit(a, why) != 0)
        die("%s", why);
    runs_free(&runs);
    return 0;
}
