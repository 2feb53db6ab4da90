/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a collection, matrices of a paper, and work that is left. */
#include "papers/collection.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "formats/config.h"
#include "input/matrix.h"
#include "papers/measure_table.h"
#include "speed/pairing.h"

/* ---- files */

/* Returns directory/stem with the first ending that exists (malloc'd); NULL: none. */
static char *with_ending(const char *directory, const char *stem)
{
    char ending[32];

    for (int i = 0; matrix_ending(i, ending, sizeof ending); i++) {
        char *path = xasprintf("%s/%s%s", directory, stem, ending);
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

/* Looks for a matrix below `directory`: GROUP/NAME, GROUP/NAME/NAME, NAME/NAME and NAME with the endings of the readers (.mtx.gz,
 * .tar.gz, ...). Returns 0 and its path (malloc'd); FAIL: there is none (why names what was looked for), or its size is not the
 * printed one (why). rows: as printed; NaN: not printed. */
static int collection_find(const char *directory, const char *group, const char *name, double rows, char **path,
                           char why[ERRLEN])
{
    char *stems[] = { xasprintf("%s/%s", group, name), xasprintf("%s/%s/%s", group, name, name),
                      xasprintf("%s/%s", name, name), xstrdup(name) };
    struct matrix_header h;
    int status = 0;

    *path = NULL;
    for (int i = 0; i < 4; i++) {
        *path = *path ? *path : with_ending(directory, stems[i]);
        free(stems[i]);
    }
    if (!*path)
        return fail(why, "no file %s/%s.* or %s.* in %s", group, name, name, directory);
    status = matrix_peek(*path, &h, why);
    if (status == 0 && !size_is_printed(h.rows, rows))
        status = fail(why, "%s has %s, but the paper prints %.0f: not used", *path, counted(h.rows, "row").text, rows);
    if (status != 0) {
        free(*path);
        *path = NULL;
    }
    return status == 0 ? 0 : FAIL;
}

void collection_absent(const struct study *s, const char *directory, struct strlist *files)
{
    const struct table *m = &s->paper->matrices;

    for (long i = 0; i < m->nrows; i++) {
        const char *group = table_text(m, i, "group"), *name = table_text(m, i, "collection_name");
        enum source source = SOURCE_OTHER;
        char *path = NULL, why[ERRLEN];
        const bool measured = study_matrix(s, i, &source) && source == SOURCE_REAL;
        if (measured || !*name
            || (*directory && collection_find(directory, group, name, tsv_real(m, i, "rows"), &path, why) == 0)) {
            free(path);
            continue;
        }
        char *file = xasprintf("%s/%s", group, name);
        strlist_add_once(files, file);
        free(file);
    }
}

/* ---- what stands for each matrix */

/* Returns the file of the matrix GROUP/NAME that stands in for another (malloc'd); NULL: none (why). */
static char *named_operand(const char *directory, const char *stand_in, char why[ERRLEN])
{
    char *group = xasprintf("%.*s", (int)strcspn(stand_in, "/"), stand_in), *path = NULL;

    if (!*directory)
        fail(why, "no collection given for its stand-in %s", stand_in);
    else
        collection_find(directory, group, strchr(stand_in, '/') + 1, NAN, &path, why);
    free(group);
    return path;
}

/* Returns the best operand that can be measured (malloc'd) and its source; NULL: none (why). */
static char *operand_of(const struct study *s, long i, const char *directory, enum source *source, char why[ERRLEN])
{
    const struct table *m = &s->paper->matrices;
    const char *group = table_text(m, i, "group"), *name = table_text(m, i, "collection_name"),
               *generator = table_text(m, i, "generator"), *stand_in = table_text(m, i, "stand_in");
    char *path = NULL;

    why[0] = 0;
    if (*directory && *name && collection_find(directory, group, name, tsv_real(m, i, "rows"), &path, why) == 0) {
        *source = SOURCE_REAL;
        return path;
    }
    if (!*why && *name)
        fail(why, "no collection given");
    if (!*name)
        fail(why, "the collection's name of the matrix is not known");
    *source = *generator ? SOURCE_EXACT : SOURCE_STAND_IN;
    if (!*generator && stand_in_is_matrix(stand_in))
        return named_operand(directory, stand_in, why);
    return *generator ? xstrdup(generator) : *stand_in ? xstrdup(stand_in) : NULL;
}

static void put_matrix(const struct study *s, long i, const char *directory, struct table *out)
{
    const struct table *m = &s->paper->matrices;
    const long row = table_add(out);
    enum source archived = SOURCE_OTHER, source;
    const struct matrix_row *used = study_matrix(s, i, &archived);
    const char *note = table_text(m, i, "note");
    char why[ERRLEN], *operand = operand_of(s, i, directory, &source, why), *name = NULL, *reason = NULL;

    if (*table_text(m, i, "collection_name"))
        name = xasprintf("%s/%s", table_text(m, i, "group"), table_text(m, i, "collection_name"));
    table_set(out, row, "matrix", table_text(m, i, "name"));
    table_set(out, row, "collection", name ? name : "");
    table_set(out, row, "source", used ? source_name(archived) : "missing");
    table_set(out, row, "printed_rows", table_text(m, i, "rows"));
    table_set(out, row, "printed_nnz", table_text(m, i, "nnz"));
    if (used) {
        table_set(out, row, "used", used->recipe[0] ? used->recipe : used->matrix);
        table_set_int(out, row, "rows", used->rows);
        table_set_int(out, row, "nnz", used->nnz);
    }
    const bool told = *why && (*directory || !operand);
    if (operand && (!used || source < archived))
        reason =
            xasprintf("%s%snot measured: the archives have no row of %s", told ? why : "", told ? "; " : "", operand);
    else if (!used)
        reason = xasprintf("%s; %s", why, *note ? note : "no generator");
    else if (archived != SOURCE_REAL)
        reason = xasprintf("%s%s%s", why, *note ? "; " : "", note);
    table_set(out, row, "reason", reason ? reason : "");
    free(reason);
    free(name);
    free(operand);
}

static const struct column matrices_columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix in the paper"),
    TEXT_COLUMN("collection", "GROUP/NAME in the SuiteSparse collection, if known"),
    TEXT_COLUMN("source", "what stands for it: real, exact (generator), stand-in, or missing"),
    TEXT_COLUMN("used", "matrix of the archives, or recipe, that was measured"),
    INT_COLUMN("rows", "", "rows of the matrix used"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix used"),
    TEXT_COLUMN("printed_rows", "rows as printed in the paper"),
    TEXT_COLUMN("printed_nnz", "nonzeros as printed in the paper"),
    TEXT_COLUMN("reason", "why no better source is used, or why the matrix is missing"),
    COLUMNS_END,
};

void collection_matrices(const struct study *s, const char *directory, struct table *out)
{
    table_begin(out, matrices_columns);
    for (long i = 0; i < s->paper->matrices.nrows; i++)
        put_matrix(s, i, directory, out);
}

/* ---- what is left to measure */

/* Is the text, parsed and with all defaults, this configuration? */
static bool is_config(const char *text, const char *config)
{
    const struct config *c = config_known(text, NULL);
    char full[CONFIG_LEN];

    if (!c)
        return strcmp(text, config) == 0;
    config_print(c, full);
    return strcmp(full, config) == 0;
}

/* Has the matrix a row, of any outcome, of this configuration (part: of a part of it), as requested or as resolved
 * for the matrix? */
static bool has_config(const struct study *s, const char *source_id, const char *text, const char *precision,
                       const char *cache, bool part)
{
    const struct features *f = runs_features(&s->runs, source_id, NULL);
    const struct target t = target_on(&s->profile->device, precision_parse(precision), cache_parse(cache), GRAPH);
    const struct config *c = config_known(text, NULL);
    struct config of_matrix;
    char asked[CONFIG_LEN], resolved[CONFIG_LEN] = "";

    if (!c)
        return false;
    config_print(c, asked);
    if (f && config_resolve(c, f, &t, &of_matrix, NULL) == 0)
        config_print(&of_matrix, resolved);
    for (int64_t i = 0; i < s->runs.nrows; i++) {
        const struct run_row *r = &s->runs.rows[i];
        if (strcmp(r->source_id, source_id) == 0 && strcmp(r->role, "matrix") == 0 && r->precision == t.precision
            && r->cache == t.cache && part == (r->part[0] != 0)
            && (strcmp(r->config, resolved) == 0 || is_config(r->asked, asked)))
            return true;
    }
    return false;
}

/* Returns the word after an option ("-p" of "-p f32 --cache warm"), malloc'd; otherwise: a copy of `none`. */
static char *option_word(const char *options, const char *option, const char *none)
{
    char *copy = xstrdup(options), *rest = copy, *word, *found = NULL;
    bool next = false;

    while (!found && (word = strsep(&rest, " "))) {
        if (next)
            found = xstrdup(word);
        next = strcmp(word, option) == 0;
    }
    free(copy);
    return found ? found : xstrdup(none);
}

/* Has every configuration "-c CONFIG" of the options a row in this precision and cache state? With --sweep NAME: those of the sweep. */
static bool is_measured_in(const struct study *s, const char *source_id, const char *options, const char *precision,
                           const char *cache)
{
    const bool parts = strstr(options, "--parts") != NULL;
    char *copy = xstrdup(options), *rest = copy, *word, last[16] = "";
    bool all = true;

    while (all && (word = strsep(&rest, " "))) {
        if (strcmp(last, "-c") == 0)
            all = has_config(s, source_id, word, precision, cache, parts);
        const char *const *sweep = strcmp(last, "--sweep") == 0 ? config_sweep(word, s->profile->device.kind) : NULL;
        for (; sweep && *sweep && all; sweep++)
            all = has_config(s, source_id, *sweep, precision, cache, parts);
        snprintf(last, sizeof last, "%s", word);
    }
    free(copy);
    return all;
}

/* The same in every precision of "-p" and cache state of "--cache". */
static bool is_measured(const struct study *s, const char *source_id, const char *options)
{
    char *precisions = option_word(options, "-p", "f32,f64"), *caches = option_word(options, "--cache", "warm,cold");
    bool all = true;

    for (char *p, *rest = precisions; (p = strsep(&rest, ","));) {
        char *copy = xstrdup(caches);
        for (char *c, *more = copy; (c = strsep(&more, ","));)
            all = all && is_measured_in(s, source_id, options, p, c);
        free(copy);
    }
    free(precisions);
    free(caches);
    return all;
}

/* Has the matrix an executed plan of the model that the options "-m MODEL" name? */
static bool has_plan(const struct study *s, const char *source_id, const char *options)
{
    for (int64_t i = 0; i < s->runs.nrows; i++) {
        const struct run_row *r = &s->runs.rows[i];
        if (strcmp(r->role, "plan") != 0 || strcmp(r->source_id, source_id) != 0)
            continue;
        const struct plan_row *p = runs_plan_of(&s->runs, r);
        char *model = xasprintf("-m %s ", p ? p->model : "");
        const bool found = strncmp(options, model, strlen(model)) == 0;
        free(model);
        if (found)
            return true;
    }
    return false;
}

/* Is the matrix in the list "a,b"? "all": every one. */
static bool is_listed(const char *list, const char *name)
{
    char *copy = xstrdup(list), *rest = copy, *item;
    bool found = strcmp(list, "all") == 0;

    while ((item = strsep(&rest, ",")))
        found = found || strcmp(item, name) == 0;
    free(copy);
    return found;
}

const struct column collection_todo_columns[] = {
    TEXT_COLUMN("paper", "paper"),
    TEXT_COLUMN("sweep", "sweep of the paper that is not complete for the matrix"),
    TEXT_COLUMN("command", "run (spmv-run) or plan (spmv-plan, then spmv-execute)"),
    TEXT_COLUMN("options", "options of the command"),
    TEXT_COLUMN("matrix", "name of the matrix in the paper"),
    TEXT_COLUMN("source", "what would be measured: real, exact or stand-in"),
    TEXT_COLUMN("operand", "matrix file or recipe to measure"),
    COLUMNS_END,
};

static void put_todo(const struct study *s, long sweep, long i, const char *directory, struct table *out)
{
    const struct table *w = &s->paper->sweeps, *m = &s->paper->matrices;
    const char *command = table_text(w, sweep, "command"), *options = table_text(w, sweep, "options");
    enum source archived = SOURCE_OTHER, source;
    const struct matrix_row *used = study_matrix(s, i, &archived);
    char why[ERRLEN], *operand = operand_of(s, i, directory, &source, why);

    const bool better = used && archived < source, same = used && archived == source; /* than or as the operand */
    const bool done = better
                      || (same
                          && (strcmp(command, "plan") == 0 ? has_plan(s, used->source_id, options)
                                                           : is_measured(s, used->source_id, options)));
    if (operand && !done) {
        const long row = table_add(out);
        table_set(out, row, "paper", s->paper->name);
        table_set(out, row, "sweep", table_text(w, sweep, "sweep"));
        table_set(out, row, "command", command);
        table_set(out, row, "options", options);
        table_set(out, row, "matrix", table_text(m, i, "name"));
        table_set(out, row, "source", source_name(source));
        table_set(out, row, "operand", operand);
    }
    free(operand);
}

void collection_todo(const struct study *s, const char *directory, struct table *out)
{
    const struct table *w = &s->paper->sweeps, *m = &s->paper->matrices;

    if (out->ncolumns == 0)
        table_begin(out, collection_todo_columns);
    for (long sweep = 0; sweep < w->nrows; sweep++)
        for (long i = 0; i < m->nrows; i++)
            if (is_listed(table_text(w, sweep, "matrices"), table_text(m, i, "name")))
                put_todo(s, sweep, i, directory, out);
}
