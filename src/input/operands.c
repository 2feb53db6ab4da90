/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories and lists of matrices (operands.h). The type of a file is determined by its first bytes (matrix_guess), not by its name. */
#include "input/operands.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/files.h"
#include "base/strings.h"
#include "input/folders.h"
#include "input/matrix.h"
#include "recipes/recipe.h"

enum { LINE = 1024 };

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
    return fail(
        why,
        "%s%s: %s (a text file that does not begin with %s is read as a list of matrices with one per line, relative to the current directory)",
        m->places, more, strerror(m->error), matrix_begins(begins, sizeof begins));
}

/* A damaged matrix in text is no list: its reader says what is wrong. */
static bool is_list(const char *path)
{
    struct stat facts;
    return !matrix_file_name(files_name(path)) && matrix_read_again(path) && stat(path, &facts) == 0
           && !S_ISDIR(facts.st_mode) && matrix_guess(path) == MATRIX_TEXT;
}

bool operands_are_listed(const char *path)
{
    FILE *f = fopen(path, "re");
    char line[LINE] = "";
    struct stat facts;
    while (f && (!line[0] || line[0] == '#') && fgets(line, sizeof line, f))
        line[strcspn(line, "\r\n")] = 0;
    if (f)
        fclose(f);
    return line[0] && (stat(line, &facts) == 0 || recipe_looks_like(line));
}

/* Lists could include each other, so none may be in a list. Where errors are told one by one, the reader refuses it. */
static int take_listed(struct operands *o, const char *path, char why[ERRLEN])
{
    char begins[100];
    return !o->each && is_list(path) && operands_are_listed(path)
               ? fail(why, "%s: a text file that does not begin with %s is a list; lists cannot be nested", path,
                      matrix_begins(begins, sizeof begins))
               : o->take(o->with, path, why);
}

static int walk_list(struct operands *o, const char *path, char why[ERRLEN])
{
    FILE *f = fopen(path, "re");
    char line[LINE], inner[ERRLEN];
    struct missing missing = { 0 };
    int status = 0, lines = 0;
    bool absent = false;

    if (!f)
        return fail(why, "cannot open %s:", path);
    files_read(path);
    for (int number = 1; !status && fgets(line, sizeof line, f); number++) {
        const size_t n = strcspn(line, "\r\n");
        if (n == sizeof line - 1)
            status = fail(why, "%s:%d: the line is longer than the path of a matrix may be (%zu characters)", path,
                          number, n);
        line[n] = 0;
        if (status || !n || line[0] == '#')
            continue;
        lines++;
        struct stat facts = { 0 }; /* stays zero for recipes and FILE:INSIDE */
        const bool none = matrix_read_again(line) && stat(line, &facts) && !recipe_looks_like(line)
                          && !line[matrix_file_length(line)];
        absent |= none && line[0] != '/';
        if (none && !o->each)
            add_missing(&missing, path, number, line);
        else if (!o->each && S_ISDIR(facts.st_mode))
            status = fail(why, "%s:%d: '%.64s' is a directory, expected a file", path, number, line);
        else if (take_listed(o, line, inner) != 0)
            status = fail(why, "%s:%d: %s", path, number, inner);
    }
    if (ferror(f) && !status)
        status = fail(why, "cannot read %s:", path);
    if (!status && lines == 0)
        status = fail(why, "%s: the list names no matrices", path);
    fclose(f);
    if (absent && o->each)
        note("%s: paths that do not begin with / are relative to the current directory", path);
    return status || !missing.n ? status : fail_missing(&missing, why);
}

int operands_walk(struct operands *o, const char *operand, char why[ERRLEN])
{
    struct stat facts;
    if (matrix_read_again(operand) && stat(operand, &facts) == 0 && S_ISDIR(facts.st_mode))
        return folder_walk(operand, &(struct taking){ o->take, o->with }, &o->left_out, why);
    return is_list(operand) ? walk_list(o, operand, why) : o->take(o->with, operand, why);
}

static int take_path(void *paths, const char *path, char why[ERRLEN])
{
    (void)why;
    strlist_add(paths, path);
    return 0;
}

int operands_paths(const char *operand, struct strlist *paths)
{
    struct operands o = { .take = take_path, .with = paths, .each = true };
    char why[ERRLEN];
    const int status = operands_walk(&o, operand, why);
    if (status != 0)
        complain("%s", why);
    if (o.left_out > 0)
        note("%s: files skipped: %d (%s)", operand, o.left_out, folder_left_out);
    return status;
}
