/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns operands into sources: matrix files, recipes, recipes archives, and what directories and lists name of these. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/archive.h"
#include "input/operands.h"
#include "run/work.h"

static struct source *append(struct workload *w)
{
    w->source = xrealloc(w->source, (unsigned long)(w->nsources + 1) * sizeof *w->source);
    struct source *s = &w->source[w->nsources++];
    memset(s, 0, sizeof *s);
    return s;
}

static int path_set(struct source *s, const char *path, char why[ERRLEN])
{
    if (strlen(path) >= sizeof s->path)
        return fail(why, "%.64s...: the path is too long: %zu characters, maximum %zu", path, strlen(path),
                    sizeof s->path - 1);
    snprintf(s->path, sizeof s->path, "%s", path);
    return 0;
}

static int add_matrix(const char *path, const char *role, struct workload *w, char why[ERRLEN])
{
    struct matrix_header h;

    const int status = matrix_peek(path, &h, why);
    if (status)
        return status;
    struct source *s = append(w);
    TEXT_SET(s->role, role ? role : "matrix");
    TEXT_SET(s->name, h.name);
    s->rows = h.rows;
    s->cols = h.cols;
    s->nnz = h.symmetric ? 2 * h.nnz_stored : h.nnz_stored;
    s->facts.strips_i = NAN;
    return path_set(s, path, why);
}

/* The default role of a recipe is benchmark if it belongs to a model's grid, else matrix. */
static int add_recipe(const struct recipe_row *facts, const char *path, const char *role, struct workload *w,
                      char why[ERRLEN])
{
    const bool of_model = facts->role[0] && strcmp(facts->role, "user") != 0;
    struct recipe r;
    char inner[ERRLEN];

    if (recipe_parse(facts->recipe, &r, inner))
        return fail(why, "%s: %s", path, inner);
    struct source *s = append(w);
    TEXT_SET(s->role, role ? role : of_model ? "benchmark" : "matrix");
    s->is_recipe = true;
    s->facts = *facts;
    recipe_print(&r, s->facts.recipe);
    snprintf(s->name, sizeof s->name, "%.*s", (int)sizeof s->name - 1, s->facts.recipe);
    s->rows = r.rows;
    s->cols = r.cols;
    s->nnz = recipe_nnz(&r);
    return path_set(s, path, why);
}

static int add_recipe_text(const char *text, const char *role, struct workload *w, char why[ERRLEN])
{
    struct recipe_row facts = { .strips_i = NAN };
    struct recipe r;

    if (recipe_parse(text, &r, why))
        return FAIL;
    recipe_print(&r, facts.recipe);
    return add_recipe(&facts, facts.recipe, role, w, why);
}

static int add_archive(const char *path, const char *role, struct workload *w, char why[ERRLEN])
{
    struct recipe_row *rows;
    int64_t n;
    int status = recipes_read(path, &rows, &n, why);

    for (int64_t i = 0; i < n && !status; i++)
        status = add_recipe(&rows[i], path, role, w, why);
    free(rows);
    return status;
}

/* Adds an HDF5 file: one of our archives (of kind matrix or recipes), or a foreign file, which matrix_peek accepts
 * or rejects. */
static int add_hdf5(const char *path, const char *role, struct workload *w, char why[ERRLEN])
{
    struct archive *a;
    char inner[ERRLEN];

    if (archive_open(path, NULL, &a, inner))
        return add_matrix(path, role, w, why);
    char kind[32];
    snprintf(kind, sizeof kind, "%s", archive_kind(a));
    archive_close(a);
    if (strcmp(kind, "matrix") == 0)
        return add_matrix(path, role, w, why);
    if (strcmp(kind, "recipes") == 0)
        return add_archive(path, role, w, why);
    return fail(why, "%s: archive of kind '%s', expected a matrix or recipes", path, kind);
}

struct adding {
    const char *role;
    struct workload *w;
};

/* Adds one file or recipe. */
static int add_one(void *with, const char *operand, char why[ERRLEN])
{
    const struct adding *to = with;
    struct stat facts;

    if (!matrix_read_again(operand))
        return fail(why, "%s can be read only once, but a matrix is read several times; use a file",
                    operand[0] == '-' ? "standard input" : operand);
    if (stat(operand, &facts)) {
        if (recipe_looks_like(operand))
            return add_recipe_text(operand, to->role, to->w, why);
        if (operand[matrix_file_length(operand)])
            return add_matrix(operand, to->role, to->w, why); /* FILE:INSIDE */
        return fail(why, "cannot open %s:", operand);
    }
    return matrix_guess(operand) == MATRIX_ARCHIVE ? add_hdf5(operand, to->role, to->w, why)
                                                   : add_matrix(operand, to->role, to->w, why);
}

int sources_add(const char *operand, const char *role, struct workload *w, char why[ERRLEN])
{
    struct operands o = { .take = add_one, .with = &(struct adding){ role, w } };
    const int status = operands_walk(&o, operand, why);
    w->passed_over += o.left_out;
    return status;
}
