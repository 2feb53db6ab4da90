/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the matrices of cases and times their features (effort_features.h). */
#include "verify/effort_features.h"
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "base/stats.h"
#include "base/strings.h"
#include "input/matrix.h"
#include "matrix/block_fill.h"
#include "recipes/recipe.h"

enum { NONZEROS = 75000000, REPEATS = 3, NAMES = 4 };

/* ---- a matrix ---------------------------------------------------------------------------------------------------- */
static void take_features(const struct csr *m)
{
    struct features f;
    features_of(m, &f);
    features_free(&f);
}

static void take_fill(const struct csr *m)
{
    struct block_fill f;
    block_fill_of(m, &f);
}

/* Returns the median of REPEATS times, after one that is not counted. */
static double clocked(void (*take)(const struct csr *), const struct csr *m)
{
    double time_s[REPEATS];
    take(m);
    for (int i = 0; i < REPEATS; i++) {
        const double start_s = now_s();
        take(m);
        time_s[i] = now_s() - start_s;
    }
    return stats_median(time_s, REPEATS);
}

static int generate(const struct matrix_row *facts, struct csr *m)
{
    struct recipe r;
    char why[ERRLEN];
    int status = recipe_parse(facts->recipe, &r, why);
    if (status == 0)
        status = recipe_csr(&r, m, why);
    if (status != 0)
        warn("features of %s not timed: %s", facts->recipe, why);
    return status;
}

/* Returns FAIL if there is no such file, or if it does not hold the matrix. */
static int read_file(const char *path, const struct matrix_row *facts, struct csr *csr)
{
    struct matrix m;
    struct stat st;
    char why[ERRLEN];
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return FAIL;
    if (matrix_read_real_part(path, &m, why) != 0) {
        warn("file of matrix %s ignored: %s", facts->matrix, why);
        return FAIL;
    }
    if (strcmp(m.matrix_id, facts->source_id) != 0) {
        warn("%s is not the measured matrix %s: its matrix_id is %.16s..., that in the archive %.16s...", path,
             facts->matrix, m.matrix_id, facts->source_id);
        matrix_free(&m);
        return FAIL;
    }
    *csr = m.csr;
    m.csr = (struct csr){ 0 };
    matrix_free(&m);
    return 0;
}

static int find_file(const char *folder, const struct matrix_row *facts, struct csr *m)
{
    const char *slash = strrchr(facts->matrix, '/'), *names[] = { facts->matrix, slash ? slash + 1 : NULL };
    char ending[64];
    for (int i = 0; i < 2 && names[i]; i++)
        for (int e = 0; matrix_ending(e, ending, sizeof ending); e++) {
            char *path = xasprintf("%s/%s%s", folder, names[i], ending);
            const int status = read_file(path, facts, m);
            free(path);
            if (status == 0)
                return 0;
        }
    return FAIL;
}

/* Returns whether the matrix was found and timed. */
static bool time_matrix(const struct matrix_row *facts, const char *collection, struct feature_times *t)
{
    struct csr m = { 0 };
    if (facts->recipe[0] ? generate(facts, &m) != 0 : !collection || find_file(collection, facts, &m) != 0)
        return false;
    t->features_s = clocked(take_features, &m);
    t->fill_s = clocked(take_fill, &m);
    csr_free(&m);
    return true;
}

/* ---- all matrices ------------------------------------------------------------------------------------------------ */
static int smaller_first(const void *a, const void *b)
{
    const struct matrix_row *x = *(const struct matrix_row *const *)a, *y = *(const struct matrix_row *const *)b;
    if (x->nnz != y->nnz)
        return x->nnz < y->nnz ? -1 : 1;
    return strcmp(x->source_id, y->source_id);
}

/* Lists the matrices that have a case. Returns their number. */
static int64_t matrices_of(const struct cases *c, const struct matrix_row **list)
{
    bool *listed = xcalloc((unsigned long)c->runs.nmatrices + 1, sizeof *listed);
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++) {
        bool *seen = &listed[c->one[i].facts - c->runs.matrices];
        if (!*seen)
            list[n++] = c->one[i].facts;
        *seen = true;
    }
    free(listed);
    qsort(list, (size_t)n, sizeof *list, smaller_first);
    return n;
}

void effort_features_time(struct effort_features *e, const struct cases *c, const char *collection)
{
    const struct matrix_row **list = xmalloc((unsigned long)(c->runs.nmatrices + 1) * sizeof *list);
    int64_t nonzeros = 0;
    DIR *folder = collection ? opendir(collection) : NULL;
    if (collection && !folder)
        die("--collection %s:", collection);
    if (folder)
        closedir(folder);
    *e = (struct effort_features){ .collection = collection };
    e->of = xmalloc((unsigned long)(c->runs.nmatrices + 1) * sizeof *e->of);
    for (int64_t i = 0; i < c->runs.nmatrices; i++)
        e->of[i] = (struct feature_times){ NAN, NAN };
    e->wanted = matrices_of(c, list);
    for (int64_t i = 0; i < e->wanted; i++) {
        const struct matrix_row *facts = list[i];
        if (nonzeros + facts->nnz > NONZEROS) {
            e->limit = e->large.n ? e->limit : facts->nnz;
            strlist_add(&e->large, facts->matrix);
        } else if (time_matrix(facts, collection, &e->of[facts - c->runs.matrices])) {
            nonzeros += facts->nnz;
            e->timed++;
        } else {
            strlist_add(&e->absent, facts->matrix);
        }
    }
    free(list);
}

const struct feature_times *effort_features_of(const struct effort_features *e, const struct cases *c,
                                               const struct matrix_row *facts)
{
    return &e->of[facts - c->runs.matrices];
}

/* Returns "A, B, C, D and 5 more". The caller frees it. */
static char *some_of(const struct strlist *l)
{
    const struct strlist first = { l->n < NAMES ? l->n : NAMES, l->v };
    char *names = strlist_join(&first, ", ");
    if (l->n <= NAMES)
        return names;
    char *text = xasprintf("%s and %d more", names, l->n - NAMES);
    free(names);
    return text;
}

void effort_features_note(const struct effort_features *e, struct table *out)
{
    char *absent = some_of(&e->absent), *large = some_of(&e->large), *missing = NULL, *beyond = NULL;
    const bool one = e->absent.n == 1;
    if (e->absent.n && e->collection)
        missing = xasprintf("; %d %s in --collection: %s", e->absent.n,
                            one ? "is neither a recipe nor" : "are neither recipes nor", absent);
    else if (e->absent.n)
        missing = xasprintf("; %d %s (--collection FOLDER finds their files): %s", e->absent.n,
                            one ? "is not a recipe" : "are not recipes", absent);
    if (e->large.n)
        beyond = xasprintf("; %d of at least %s left out (limit: %d in total): %s", e->large.n,
                           counted(e->limit, "nonzero").text, NONZEROS, large);
    table_note(out, "features: timed on %" PRId64 " of %s%s%s", e->timed, counted(e->wanted, "matrix").text,
               missing ? missing : "", beyond ? beyond : "");
    free(absent);
    free(large);
    free(missing);
    free(beyond);
}

void effort_features_free(struct effort_features *e)
{
    free(e->of);
    strlist_free(&e->absent);
    strlist_free(&e->large);
}
