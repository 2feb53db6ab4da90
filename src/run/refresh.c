/* SPDX-License-Identifier: BSD-3-Clause */
/* Recomputes features and leaves out times (refresh.h). Matrices are identified by source_id, never by name. */
#include "run/refresh.h"
#include <dirent.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "input/matrix.h"
#include "recipes/recipe.h"

static void replace(struct runs *runs, int64_t i, struct features *f)
{
    struct matrix_row row = runs->matrices[i];
    matrix_row_from_features(&row, f);
    runs_add_matrix(runs, &row, f);
    features_free(f);
}

static int refresh_recipes(struct runs *runs, bool *done, struct refreshed *n, char why[ERRLEN])
{
    for (int64_t i = 0; i < runs->nmatrices; i++) {
        struct recipe r;
        struct features f;
        if (!*runs->matrices[i].recipe)
            continue;
        if (recipe_parse(runs->matrices[i].recipe, &r, why) != 0)
            return FAIL;
        recipe_features(&r, &f);
        replace(runs, i, &f);
        done[i] = true;
        n->recipes++;
    }
    return 0;
}

static int refresh_file(struct runs *runs, const char *path, bool *done, struct refreshed *n, char why[ERRLEN])
{
    struct matrix m;
    const int status = matrix_read(path, &m, why);
    if (status != 0)
        return status;
    int64_t i = 0;
    while (i < runs->nmatrices && strcmp(runs->matrices[i].source_id, m.matrix_id) != 0)
        i++;
    if (i < runs->nmatrices && !done[i]) {
        struct features f;
        matrix_features(&m, &f);
        replace(runs, i, &f);
        done[i] = true;
        n->files++;
    }
    matrix_free(&m);
    return 0;
}

static int refresh_folder(struct runs *runs, const char *folder, bool *done, struct refreshed *n, char why[ERRLEN])
{
    struct dirent **entry;
    int status = 0;
    const int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = xasprintf("%s/%s", folder, entry[i]->d_name);
        if (status == 0 && matrix_file_name(path))
            status = refresh_file(runs, path, done, n, why);
        free(path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    return status;
}

int refresh_features(struct runs *runs, const struct strlist *paths, struct refreshed *n, char why[ERRLEN])
{
    bool *done = xcalloc((unsigned long)runs->nmatrices + 1, sizeof *done);
    *n = (struct refreshed){ 0 };
    int status = refresh_recipes(runs, done, n, why);
    for (int i = 0; i < paths->n && status == 0; i++) {
        struct stat facts;
        const bool folder = stat(paths->v[i], &facts) == 0 && S_ISDIR(facts.st_mode);
        status =
            folder ? refresh_folder(runs, paths->v[i], done, n, why) : refresh_file(runs, paths->v[i], done, n, why);
    }
    for (int64_t i = 0; i < runs->nmatrices; i++)
        n->left += !done[i];
    free(done);
    return status;
}

/* The columns of REFRESH_WITHOUT, each with the one computed from it, or itself. */
static const struct disturbed {
    const char *name;
    size_t at, derived; /* offsets in struct run_row */
} disturbed[] = {
    { "stream_us", offsetof(struct run_row, stream_us), offsetof(struct run_row, stream_us) },
    { "convert_us", offsetof(struct run_row, convert_us), offsetof(struct run_row, convert_spmvs) },
    { "upload_us", offsetof(struct run_row, upload_us), offsetof(struct run_row, upload_us) },
    { "convert_device_us", offsetof(struct run_row, convert_device_us),
      offsetof(struct run_row, convert_device_spmvs) },
    { "prepare_us", offsetof(struct run_row, prepare_us), offsetof(struct run_row, prepare_spmvs) },
};

void refresh_without(struct runs *runs, const struct strlist *columns)
{
    for (int i = 0; i < (int)(sizeof disturbed / sizeof disturbed[0]); i++) {
        if (!strlist_has(columns, disturbed[i].name))
            continue;
        for (int64_t r = 0; r < runs->nrows; r++) {
            char *row = (char *)&runs->rows[r];
            *(double *)(row + disturbed[i].at) = *(double *)(row + disturbed[i].derived) = (double)NAN;
        }
    }
}
