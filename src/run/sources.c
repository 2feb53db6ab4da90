/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns operands into sources: matrix files, recipes, archives of recipes or of a run, and what directories and lists name of these. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/archive.h"
#include "formats/config.h"
#include "input/folders.h"
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

int sources_find(const struct workload *w, const char *what)
{
    int i = w->nsources - 1;

    while (i >= 0 && strcmp(w->source[i].is_recipe ? w->source[i].facts.recipe : w->source[i].path, what) != 0)
        i--;
    return i;
}

struct adding {
    const struct run_options *options;
    struct workload *w;
    bool item;  /* of --items */
    bool found; /* in a directory, so that it may be a link to a file that is missing */
};

static void set_role(struct source *s, const struct adding *to, const char *role)
{
    TEXT_SET(s->role, to->options->role ? to->options->role : role);
}

/* Returns false if --group leaves out a matrix, by its name Group/Name. */
static bool group_wanted(const struct adding *to, const char *name)
{
    const char *slash = strchr(name, '/');
    char group[256];

    snprintf(group, sizeof group, "%.*s", slash ? (int)(slash - name) : 0, name);
    return to->item || strlist_wants(&to->options->groups, group);
}

static bool nnz_wanted(const struct adding *to, int64_t nnz)
{
    const struct run_options *o = to->options;

    return to->item || (nnz >= o->min_nnz && (o->max_nnz == 0 || nnz <= o->max_nnz));
}

/* Returns the file among the sources that holds the same matrix: the same path, or the same Group/Name and size. */
static const struct source *twin_of(const struct workload *w, const struct source *s)
{
    for (int i = 0; i < w->nsources; i++) {
        const struct source *t = &w->source[i];
        if (!t->is_recipe
            && (strcmp(t->path, s->path) == 0
                || (t->nnz == s->nnz && t->rows == s->rows && t->cols == s->cols && !t->skipped && !s->skipped
                    && strchr(s->name, '/') && strcmp(t->name, s->name) == 0)))
            return t;
    }
    return NULL;
}

static void add_twin(struct workload *w, const char *path, const char *of)
{
    char a[256], b[256];

    matrix_label(path, a, sizeof a);
    matrix_label(of, b, sizeof b);
    char *text = xasprintf("%s = %s", a, b);
    strlist_add(&w->twins, text);
    free(text);
}

/* Fills a source from the header of its file; of a file that cannot be read, from its path. */
static int look_at(const char *path, const struct adding *to, struct source *s, char why[ERRLEN])
{
    struct matrix_header h = { 0 };
    const int status = matrix_peek(path, &h, why);

    if (status && !to->options->skip_files)
        return status;
    if (status) {
        matrix_label(path, s->name, sizeof s->name);
        s->skipped = true;
    } else {
        TEXT_SET(s->name, h.name);
        s->rows = h.rows;
        s->cols = h.cols;
        s->nnz = h.symmetric ? 2 * h.nnz_stored : h.nnz_stored;
    }
    set_role(s, to, "matrix");
    s->facts.strips_i = NAN;
    if (s->skipped && to->w->nskipped == 0) {
        to->w->status = status;
        memcpy(to->w->why, why, ERRLEN);
    }
    return path_set(s, path, why);
}

static int add_matrix(const char *path, const struct adding *to, char why[ERRLEN])
{
    struct source s = { 0 };
    char label[sizeof s.name];
    const int status = look_at(path, to, &s, why);
    const struct source *twin = status ? NULL : twin_of(to->w, &s);

    if (status)
        return status;
    matrix_label(path, label, sizeof label);
    if (!group_wanted(to, strchr(s.name, '/') ? s.name : label) || (!s.skipped && !nnz_wanted(to, s.nnz)))
        strlist_add(&to->w->unwanted, s.name);
    else if (twin)
        add_twin(to->w, path, twin->path);
    else {
        *append(to->w) = s;
        to->w->nskipped += s.skipped;
    }
    return 0;
}

/* Adds the configurations that another operand names for the recipe of a source. Rows of an archive are told apart by the recipe, not by the
 * role, which is that of the first operand. */
static int join(struct source *s, const struct source *other, char why[ERRLEN])
{
    s->all |= other->all;
    if (config_list_add(s->facts.kernels, sizeof s->facts.kernels, other->facts.kernels, false))
        return 0;
    return fail(why,
                "%s and %s name more configurations of %s than fit (%zu characters); measure one after the other, "
                "with the same -o",
                s->path, other->path, s->facts.recipe, sizeof s->facts.kernels - 1);
}

static const char *default_role(const struct recipe_row *facts)
{
    const bool of_model = facts->role[0] && strcmp(facts->role, "user") != 0;

    return of_model ? "benchmark" : "matrix";
}

static int add_recipe(const struct recipe_row *facts, const char *role, const char *path, const struct adding *to,
                      char why[ERRLEN])
{
    struct recipe r;
    char inner[ERRLEN];

    if (recipe_parse(facts->recipe, &r, inner))
        return fail(why, "%s: %s", path, inner);
    struct source s = { .is_recipe = true, .facts = *facts, .all = !*facts->kernels };
    recipe_print(&r, s.facts.recipe);
    if (path_set(&s, path, why))
        return FAIL;
    const int known = sources_find(to->w, s.facts.recipe);
    if (known >= 0)
        return join(&to->w->source[known], &s, why);
    set_role(&s, to, role);
    snprintf(s.name, sizeof s.name, "%.*s", (int)sizeof s.name - 1, s.facts.recipe);
    s.rows = r.rows;
    s.cols = r.cols;
    s.nnz = recipe_nnz(&r);
    *append(to->w) = s;
    return 0;
}

static int add_recipe_text(const char *text, const struct adding *to, char why[ERRLEN])
{
    struct recipe_row facts = { .strips_i = NAN };
    struct recipe r;

    if (recipe_parse(text, &r, why))
        return FAIL;
    recipe_print(&r, facts.recipe);
    return add_recipe(&facts, default_role(&facts), facts.recipe, to, why);
}

static int add_archive(const char *path, const struct adding *to, char why[ERRLEN])
{
    struct recipe_row *rows;
    int64_t n;
    int status = recipes_read(path, &rows, &n, why);

    for (int64_t i = 0; i < n && !status; i++)
        status = add_recipe(&rows[i], default_role(&rows[i]), path, to, why);
    free(rows);
    return status;
}

/* Notes a matrix of a run archive that is a file. */
static void add_elsewhere(struct workload *w, const char *name, const char *path)
{
    w->elsewhere = xrealloc(w->elsewhere, (unsigned long)(w->nelsewhere + 1) * sizeof *w->elsewhere);
    w->elsewhere[w->nelsewhere++] = (struct elsewhere){ xstrdup(name), xstrdup(path) };
}

/* Adds the generated matrices of a run archive, with the roles that they have there. It does not hold its matrix files. */
static int add_run(const char *path, const struct adding *to, char why[ERRLEN])
{
    struct runs runs = { 0 };
    int status = runs_load(path, &runs, why);

    for (int64_t i = 0; i < runs.nmatrices && !status; i++) {
        const struct matrix_row *m = &runs.matrices[i];
        struct recipe_row facts = { .strips_i = m->strips_i, .per_row_p = m->per_row_p };
        if (!m->recipe[0]) {
            if (group_wanted(to, m->matrix) && nnz_wanted(to, m->nnz))
                add_elsewhere(to->w, m->matrix, path);
            continue;
        }
        TEXT_SET(facts.recipe, m->recipe);
        TEXT_SET(facts.role, m->recipe_role);
        TEXT_SET(facts.kernels, m->kernels);
        TEXT_SET(facts.place, m->place);
        status = add_recipe(&facts, m->role, path, to, why);
    }
    runs_free(&runs);
    return status;
}

/* Adds an HDF5 file: an archive of recipes or of a run, or what matrix_peek accepts or rejects. */
static int add_hdf5(const char *path, const struct adding *to, char why[ERRLEN])
{
    struct archive *a;
    char inner[ERRLEN];

    if (archive_open(path, NULL, &a, inner))
        return add_matrix(path, to, why);
    const bool recipes = strcmp(archive_kind(a), "recipes") == 0, run = strcmp(archive_kind(a), "run") == 0;
    archive_close(a);
    return recipes ? add_archive(path, to, why) : run ? add_run(path, to, why) : add_matrix(path, to, why);
}

/* Adds one file or recipe. */
static int add_one(void *with, const char *operand, char why[ERRLEN])
{
    const struct adding *to = with;
    struct stat facts;

    if (!matrix_read_again(operand))
        return fail(why, "%s can be read only once, but a matrix is read several times; use a file",
                    operand[0] == '-' ? "standard input" : operand);
    if (stat(operand, &facts)) {
        if (!to->found && recipe_looks_like(operand))
            return add_recipe_text(operand, to, why);
        if (to->found || to->item || operand[matrix_file_length(operand)])
            return add_matrix(operand, to, why); /* FILE:INSIDE */
        return fail(why, "cannot open %s:", operand);
    }
    return matrix_guess(operand) == MATRIX_ARCHIVE ? add_hdf5(operand, to, why) : add_matrix(operand, to, why);
}

int sources_add_item(const char *path, const struct run_options *o, struct workload *w, char why[ERRLEN])
{
    return add_one(&(struct adding){ .options = o, .w = w, .item = true }, path, why);
}

int sources_add(const char *operand, const struct run_options *options, struct workload *w, char why[ERRLEN])
{
    struct stat facts;
    struct adding to = { .options = options, .w = w };
    struct operands o = { .take = add_one, .with = &to };
    to.found = stat(operand, &facts) == 0 && S_ISDIR(facts.st_mode);
    const int status = operands_walk(&o, operand, why);
    w->passed_over += o.left_out;
    return status;
}
