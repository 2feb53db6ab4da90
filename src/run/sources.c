/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns operands into sources: matrix files, recipes, recipes archives, directories of matrix files, lists of files
 * and recipes. The type of a file is determined by its first bytes (matrix_guess), not by its name. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/archive.h"
#include "run/work.h"

enum { LINE = 1024 };

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

static int add_operand(const char *operand, const char *role, bool listed, struct workload *w, char why[ERRLEN]);

/* Lines of a list that name missing files. They are reported together, as many as fit in `places`. */
struct missing {
    int n, more, error;
    char places[300];
};

static void add_missing(struct missing *m, const char *path, int number, const char *line)
{
    char place[200];
    const size_t used = strlen(m->places);

    if (!m->n++)
        m->error = errno;
    snprintf(place, sizeof place, "%s%.100s:%d: '%.64s'", used ? ", " : "", path, number, line);
    if (used + strlen(place) < sizeof m->places)
        snprintf(m->places + used, sizeof m->places - used, "%s", place);
    else
        m->more++;
}

static int fail_missing(const struct missing *m, char why[ERRLEN])
{
    char more[32] = "", begins[100];

    if (m->more)
        snprintf(more, sizeof more, " and %d more", m->more);
    return fail(why,
                "%s%s: %s (a text file that does not begin with %s is read as a list of matrices with one per line)",
                m->places, more, strerror(m->error), matrix_begins(begins, sizeof begins));
}

/* Adds one operand per line; skips empty lines and lines that begin with '#'. Paths are relative to the current
 * directory. */
static int add_list(const char *path, const char *role, struct workload *w, char why[ERRLEN])
{
    FILE *f = fopen(path, "re");
    char line[LINE], inner[ERRLEN];
    struct missing missing = { 0 };
    int status = 0;

    if (!f)
        return fail(why, "cannot open %s:", path);
    for (int number = 1; !status && fgets(line, sizeof line, f); number++) {
        const size_t n = strcspn(line, "\r\n");
        if (n == sizeof line - 1)
            status = fail(why, "%s:%d: the line is longer than the path of a matrix may be (%zu characters)", path,
                          number, n);
        line[n] = 0;
        if (status || !n || line[0] == '#')
            continue;
        struct stat facts = { 0 }; /* stays zero for recipes and FILE:INSIDE */
        if (matrix_read_again(line) && stat(line, &facts) && !recipe_looks_like(line)
            && !line[matrix_file_length(line)])
            add_missing(&missing, path, number, line);
        else if (S_ISDIR(facts.st_mode))
            status = fail(why, "%s:%d: '%.64s' is a directory, expected a file", path, number, line);
        else if (add_operand(line, role, true, w, inner))
            status = fail(why, "%s:%d: %s", path, number, inner);
    }
    if (ferror(f) && !status)
        status = fail(why, "cannot read %s:", path);
    fclose(f);
    return status || !missing.n ? status : fail_missing(&missing, why);
}

static int is_matrix_name(const struct dirent *e) { return matrix_file_name(e->d_name); }

static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int add_folder(const char *path, const char *role, struct workload *w, char why[ERRLEN])
{
    struct dirent **v;
    const int n = scandir(path, &v, is_matrix_name, by_bytes);
    int status = 0, left_out = 0;

    if (n < 0)
        return fail(why, "cannot open %s:", path);
    for (int i = 0; i < n; i++) {
        char *file = xasprintf("%s/%s", path, v[i]->d_name);
        const bool other = !status && matrix_left_out(file);
        if (!status && !other)
            status = add_operand(file, role, false, w, why);
        left_out += other;
        free(file);
        free(v[i]);
    }
    free(v);
    w->passed_over += left_out;
    char endings[200];
    return n > left_out ? status
                        : fail(why, "%s: no matrix files found (names ending in %s)", path,
                               matrix_endings(endings, sizeof endings));
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

/* listed: the operand is a line of a list and must not be a list itself (lists could include each other). */
static int add_operand(const char *operand, const char *role, bool listed, struct workload *w, char why[ERRLEN])
{
    struct stat facts;
    char begins[100];

    if (!matrix_read_again(operand))
        return fail(why, "%s can be read only once, but a matrix is read several times; use a file",
                    operand[0] == '-' ? "standard input" : operand);
    if (stat(operand, &facts)) {
        if (recipe_looks_like(operand))
            return add_recipe_text(operand, role, w, why);
        if (operand[matrix_file_length(operand)])
            return add_matrix(operand, role, w, why); /* FILE:INSIDE */
        return fail(why, "cannot open %s:", operand);
    }
    if (S_ISDIR(facts.st_mode))
        return add_folder(operand, role, w, why);
    switch (matrix_guess(operand)) {
    case MATRIX_ARCHIVE: return add_hdf5(operand, role, w, why);
    case MATRIX_TEXT: break;
    case MATRIX_FILE:
    case MATRIX_UNKNOWN: return add_matrix(operand, role, w, why);
    }
    if (listed)
        return fail(why, "%s: a text file that does not begin with %s is a list; lists cannot be nested", operand,
                    matrix_begins(begins, sizeof begins));
    return add_list(operand, role, w, why);
}

int sources_add(const char *operand, const char *role, struct workload *w, char why[ERRLEN])
{
    return add_operand(operand, role, false, w, why);
}
