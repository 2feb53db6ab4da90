/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever a user names as a matrix: which reader takes it, and the facts that no reader knows (ids, group, names). */
#include "common/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/archive.h"
#include "common/h5.h"
#include "recipes/recipe.h"

void matrix_text(char *to, size_t bytes, const char *text)
{
    size_t n = strnlen(text, bytes - 1);
    memcpy(to, text, n);
    to[n] = 0;
}

static const char *file_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void matrix_base_name(const char *path, char *name, size_t bytes)
{
    static const char *const endings[] = { ".gz", ".xz", ".mtx", ".h5", ".hdf5", ".bsp" };   /* outermost first */
    matrix_text(name, bytes, file_part(path));
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t n = strlen(name), e = strlen(endings[k]);
        if (n > e && strcasecmp(name + n - e, endings[k]) == 0)
            name[n - e] = 0;
    }
}

/* ---- what the name stands for ------------------------------------------------------------------------------------ */
enum source_kind { SOURCE_RECIPE, SOURCE_BINSPARSE, SOURCE_ARCHIVE, SOURCE_TEXT };

static enum source_kind kind_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return recipe_looks_like(path) ? SOURCE_RECIPE : SOURCE_TEXT;
    h5_quiet();
    if (!S_ISREG(st.st_mode) || H5Fis_hdf5(path) <= 0)
        return SOURCE_TEXT;
    return binsparse_is(path) ? SOURCE_BINSPARSE : SOURCE_ARCHIVE;
}

bool matrix_is_archive(const char *path)
{
    return kind_of(path) == SOURCE_ARCHIVE;
}

/* The one recipe of a recipes archive; any other HDF5 file is refused with what it is. */
static int archived_recipe(const char *path, char text[RECIPE_LEN], char why[ERRLEN])
{
    struct only_recipe { char recipe[RECIPE_LEN]; };
    static const struct column columns[] = { COLUMN_TEXT_OF(struct only_recipe, recipe, "the recipe") };
    static const struct schema schema = SCHEMA_OF(struct only_recipe, "recipes", columns);
    struct archive *a = NULL;
    void *rows = NULL;
    int64_t n = 0;
    char inner[ERRLEN];
    int status = archive_open(path, NULL, &a, inner);
    if (status)
        return fail(why, "%s: an HDF5 file without attribute 'binsparse', expected a Binsparse matrix (%s)", path, inner);
    if (strcmp(archive_kind(a), "recipes") != 0) {
        status = fail(why, "%s is a %s archive, expected a matrix (spmv-info shows what is in it)", path, archive_kind(a));
        goto out;
    }
    if ((status = archive_get(a, &schema, &rows, &n, why)))
        goto out;
    if (n != 1) {
        status = fail(why, "%s holds %" PRId64 " recipes, expected one where a matrix is asked for; give the recipe itself", path, n);
        goto out;
    }
    matrix_text(text, RECIPE_LEN, ((struct only_recipe *)rows)->recipe);
out:
    free(rows);
    archive_close(a);
    return status;
}

static int recipe_of(const char *path, enum source_kind kind, struct recipe *r, char why[ERRLEN])
{
    char text[RECIPE_LEN];
    if (kind == SOURCE_RECIPE)
        return recipe_parse(path, r, why);
    return archived_recipe(path, text, why) ? FAIL : recipe_parse(text, r, why);
}

static int read_recipe(const char *path, enum source_kind kind, struct matrix *m, char why[ERRLEN])
{
    struct recipe r;
    if (recipe_of(path, kind, &r, why))
        return FAIL;
    recipe_print(&r, m->recipe);
    matrix_text(m->name, sizeof m->name, m->recipe);
    matrix_text(m->source, sizeof m->source, m->recipe);
    matrix_text(m->field, sizeof m->field, "real");
    return recipe_csr(&r, &m->csr, why);
}

/* ---- the contract ------------------------------------------------------------------------------------------------ */
static void fill_facts(const char *path, struct matrix *m)
{
    const char *slash = strchr(m->name, '/');
    if (!m->group[0] && !m->recipe[0] && slash)
        snprintf(m->group, sizeof m->group, "%.*s", (int)(slash - m->name), m->name);
    if (!m->source[0])
        matrix_text(m->source, sizeof m->source, file_part(path));
#pragma omp parallel sections
    {
#pragma omp section
        csr_matrix_id(&m->csr, m->matrix_id);
#pragma omp section
        csr_pattern_id(&m->csr, m->pattern_id);
    }
}

int matrix_read(const char *path, struct matrix *m, char why[ERRLEN])
{
    memset(m, 0, sizeof *m);
    enum source_kind kind = kind_of(path);
    int status = kind == SOURCE_TEXT ? mtx_read(path, m, why)
               : kind == SOURCE_BINSPARSE ? binsparse_read(path, m, why)
               : read_recipe(path, kind, m, why);
    if (status)
        matrix_free(m);
    else
        fill_facts(path, m);
    return status;
}

int matrix_peek(const char *path, struct matrix_header *h, char why[ERRLEN])
{
    memset(h, 0, sizeof *h);
    enum source_kind kind = kind_of(path);
    if (kind == SOURCE_TEXT)
        return mtx_peek(path, h, why);
    if (kind == SOURCE_BINSPARSE)
        return binsparse_peek(path, h, why);
    struct recipe r;
    char text[RECIPE_LEN];
    if (recipe_of(path, kind, &r, why))
        return FAIL;
    *h = (struct matrix_header){ r.rows, r.cols, recipe_nnz(&r), false, "" };
    recipe_print(&r, text);
    matrix_text(h->name, sizeof h->name, text);
    return 0;
}

void matrix_free(struct matrix *m)
{
    csr_free(&m->csr);
    memset(m, 0, sizeof *m);
}
