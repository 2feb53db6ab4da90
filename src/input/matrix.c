/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever a user names as a matrix: which reader takes it, and the facts that no reader knows (ids, group, names). */
#include "input/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/h5.h"
#include "recipes/recipe.h"

void matrix_text(char *to, size_t bytes, const char *text)
{
    size_t n = strnlen(text, bytes - 1);
    memcpy(to, text, n);
    to[n] = 0;
}

/* Without folders; of FILE:INSIDE those of FILE. */
static const char *file_part(const char *path)
{
    const char *slash = memrchr(path, '/', matrix_file_length(path));
    return slash ? slash + 1 : path;
}

size_t matrix_file_length(const char *path)
{
    struct stat st;
    size_t whole = strlen(path);
    if (stat(path, &st) == 0 || recipe_looks_like(path))
        return whole;
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        char *file = strndup(path, (size_t)(colon - path));
        bool there = file && stat(file, &st) == 0 && !S_ISDIR(st.st_mode);
        free(file);
        if (there)
            return (size_t)(colon - path);
    }
    return whole;
}

void matrix_base_name(const char *path, char *name, size_t bytes)
{
    /* outermost first */
    static const char *const endings[] = {
        ".gz", ".xz", ".zst", ".tgz", ".txz", ".tar", ".mtx", ".h5", ".hdf5", ".bsp"
    };
    size_t n_file = matrix_file_length(path);
    if (path[n_file] && path[n_file + 1])
        path += n_file + 1;
    const char *slash = strrchr(path, '/');
    matrix_text(name, bytes, slash ? slash + 1 : path);
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

bool matrix_is_archive(const char *path) { return kind_of(path) == SOURCE_ARCHIVE; }

/* The one recipe of a recipes archive; any other HDF5 file is refused with what it is. */
static int archived_recipe(const char *path, char text[RECIPE_LEN], char why[ERRLEN])
{
    struct only_recipe {
        char recipe[RECIPE_LEN];
    };
    static const struct column columns[] = { COLUMN_TEXT_OF(struct only_recipe, recipe, "the recipe") };
    static const struct schema schema = SCHEMA_OF(struct only_recipe, "recipes", columns);
    struct archive *a = NULL;
    void *rows = NULL;
    int64_t n = 0;
    char inner[ERRLEN];
    int status = archive_open(path, NULL, &a, inner);
    if (status)
        return fail(why, "%s: an HDF5 file without attribute 'binsparse', expected a Binsparse matrix (%s)", path,
                    inner);
    if (strcmp(archive_kind(a), "recipes") != 0) {
        status =
            fail(why, "%s is a %s archive, expected a matrix (spmv-info shows what is in it)", path, archive_kind(a));
        goto out;
    }
    if ((status = archive_get(a, &schema, &rows, &n, why)))
        goto out;
    if (n != 1) {
        status =
            fail(why, "%s holds %" PRId64 " recipes, expected one where a matrix is asked for; give the recipe itself",
                 path, n);
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
    const int status = archived_recipe(path, text, why);
    return status ? status : recipe_parse(text, r, why);
}

static int read_recipe(const char *path, enum source_kind kind, struct matrix *m, char why[ERRLEN])
{
    struct recipe r;
    const int status = recipe_of(path, kind, &r, why);
    if (status)
        return status;
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

/* Splits a name and says what it stands for. */
static int operand_of(const char *path, bool real_part, struct matrix_operand *operand, enum source_kind *kind,
                      char why[ERRLEN])
{
    size_t n = matrix_file_length(path);
    *operand = (struct matrix_operand){ .inside = path[n] ? path + n + 1 : "", .real_part = real_part };
    if (n >= sizeof operand->file)
        return fail(why, "%.64s...: the path has %zu characters, at most %zu are taken", path, n,
                    sizeof operand->file - 1);
    memcpy(operand->file, path, n);
    if (path[n] && !operand->inside[0])
        return fail(
            why,
            "%s: nothing after the ':'; expected FILE or FILE:INSIDE (a group of an HDF5 file, a member of a tar archive)",
            path);
    *kind = kind_of(operand->file);
    if (*kind == SOURCE_ARCHIVE && operand->inside[0])
        *kind = SOURCE_BINSPARSE; /* its reader names the groups that there are */
    return 0;
}

static int read_operand(const char *path, bool real_part, struct matrix *m, char why[ERRLEN])
{
    struct matrix_operand operand;
    enum source_kind kind;
    memset(m, 0, sizeof *m);
    if (operand_of(path, real_part, &operand, &kind, why))
        return FAIL;
    int status = kind == SOURCE_TEXT        ? mtx_read(&operand, m, why)
                 : kind == SOURCE_BINSPARSE ? binsparse_read(&operand, m, why)
                                            : read_recipe(path, kind, m, why);
    if (status)
        matrix_free(m);
    else
        fill_facts(path, m);
    return status;
}

int matrix_read(const char *path, struct matrix *m, char why[ERRLEN]) { return read_operand(path, false, m, why); }

int matrix_read_real_part(const char *path, struct matrix *m, char why[ERRLEN])
{
    return read_operand(path, true, m, why);
}

int matrix_peek(const char *path, struct matrix_header *h, char why[ERRLEN])
{
    struct matrix_operand operand;
    enum source_kind kind;
    memset(h, 0, sizeof *h);
    if (operand_of(path, false, &operand, &kind, why))
        return FAIL;
    if (kind == SOURCE_TEXT)
        return mtx_peek(&operand, h, why);
    if (kind == SOURCE_BINSPARSE)
        return binsparse_peek(&operand, h, why);
    struct recipe r;
    char text[RECIPE_LEN];
    const int status = recipe_of(path, kind, &r, why);
    if (status)
        return status;
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
