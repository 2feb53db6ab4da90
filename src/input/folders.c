/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks a directory of matrix files and its subdirectories (folders.h). */
#include "input/folders.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/strings.h"
#include "input/matrix.h"

/* In the order of preference. */
static const char *const trees[] = { "MM", "RB", "mat" };
enum { NTREES = sizeof trees / sizeof trees[0] };

static int tree_of(const char *name, size_t n)
{
    int k = 0;
    while (k < NTREES && (strlen(trees[k]) != n || strncmp(trees[k], name, n) != 0))
        k++;
    return k;
}

/* Returns the last component of the first n bytes of a path, and sets *n to its length. */
static const char *last_of(const char *path, size_t *n)
{
    while (*n > 1 && path[*n - 1] == '/')
        --*n;
    const char *slash = memrchr(path, '/', *n);
    if (slash)
        *n -= (size_t)(slash + 1 - path);
    return slash ? slash + 1 : path;
}

void matrix_label(const char *path, char *label, size_t bytes)
{
    size_t n = matrix_file_length(path);
    const char *name = last_of(path, &n), *group = path;
    if (name > path) {
        n = (size_t)(name - 1 - path);
        group = last_of(path, &n);
    }
    if (group > path) {
        n = (size_t)(group - 1 - path);
        const char *tree = last_of(path, &n);
        name = tree_of(tree, n) < NTREES ? group : name;
    }
    matrix_text(label, bytes, name);
}

const char folder_left_out[] =
    "runs, profiles, plans, dense arrays, what goes with a matrix, names without the ending of "
    "a matrix file; name a file to read it";

/* ---- one directory ----------------------------------------------------------------------------------------------- */
/* The directories that are being walked, from the inmost outwards. */
struct within {
    const struct within *outer;
    dev_t device;
    ino_t inode;
    const char *group; /* of a tree: DIR/Group, with DIR/MM; else NULL */
};

struct walk {
    const struct taking *to;
    int *left_out;
    struct strlist taken; /* DIR/Group/Name of the matrices in trees */
    int found;
};

static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int visible(const struct dirent *e) { return e->d_name[0] != '.' || matrix_file_name(e->d_name); }

/* Files that SuiteSparse packs with a matrix: of a directory NAME all NAME_*, elsewhere those with these endings. */
static bool goes_with(const char *folder, const char *stem, const struct strlist *stems)
{
    static const char *const endings[] = { "_b", "_x", "_coord" };
    size_t n = strlen(folder), m = strlen(stem);
    char matrix[256];
    const char *own = last_of(folder, &n);
    snprintf(matrix, sizeof matrix, "%.*s", (int)n, own);
    if (strncmp(stem, matrix, n) == 0 && stem[n] == '_' && strlist_has(stems, matrix))
        return true;
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        const size_t e = strlen(endings[k]);
        snprintf(matrix, sizeof matrix, "%.*s", (int)(m > e ? m - e : 0), stem);
        if (m > e && strcmp(stem + m - e, endings[k]) == 0 && strlist_has(stems, matrix))
            return true;
    }
    return false;
}

static bool taken_from_another(struct walk *w, const struct within *in, const char *stem)
{
    if (!in->group)
        return false;
    char *key = xasprintf("%s/%s", in->group, stem);
    const bool there = strlist_has(&w->taken, key);
    if (!there)
        strlist_add(&w->taken, key);
    free(key);
    return there;
}

static int take_file(struct walk *w, const struct within *in, const char *folder, const char *file,
                     const struct strlist *stems, char why[ERRLEN])
{
    struct stat facts;
    char stem[256];
    matrix_base_name(file, stem, sizeof stem);
    if ((stat(file, &facts) == 0 && !S_ISREG(facts.st_mode)) || goes_with(folder, stem, stems)
        || matrix_left_out(file)) {
        ++*w->left_out;
        return 0;
    }
    w->found++;
    return taken_from_another(w, in, stem) ? 0 : w->to->take(w->to->with, file, why);
}

static bool is_folder(const char *path, struct stat *facts)
{
    return stat(path, facts) == 0 && S_ISDIR(facts->st_mode);
}

static int walk_folder(struct walk *, const char *path, const struct within *outer, const char *group,
                       char why[ERRLEN]);

/* Walks a subdirectory unless a link leads back to one that is being walked. */
static int walk_inner(struct walk *w, const char *folder, const struct within *in, const char *name, char why[ERRLEN])
{
    struct stat facts;
    size_t n = strlen(folder);
    char *path = xasprintf("%s/%s", folder, name), *group = NULL;
    int status = 0;
    bool again = !is_folder(path, &facts);
    *w->left_out += again;
    for (const struct within *i = in; i; i = i->outer)
        again |= !again && i->device == facts.st_dev && i->inode == facts.st_ino;
    const char *own = last_of(folder, &n);
    if (in->group)
        group = xstrdup(in->group);
    else if (tree_of(own, n) < NTREES)
        group = xasprintf("%.*s%s", (int)(own - folder), folder, name);
    if (!again && access(path, R_OK | X_OK) != 0)
        status = w->to->take(w->to->with, path, why); /* whose reader says why it cannot be read */
    else if (!again)
        status = walk_folder(w, path, in, group, why);
    free(group);
    free(path);
    return status;
}

static int walk_folder(struct walk *w, const char *path, const struct within *outer, const char *group,
                       char why[ERRLEN])
{
    struct dirent **v;
    struct stat facts;
    struct strlist stems = { 0 };
    const int n = scandir(path, &v, visible, by_bytes);
    int status = 0;
    if (n < 0 || !is_folder(path, &facts))
        return fail(why, "cannot open %s:", path);
    const struct within in = { outer, facts.st_dev, facts.st_ino, group };
    char **file = xcalloc((size_t)n + 1, sizeof *file);
    for (int i = 0; i < n; i++) {
        char *inner = xasprintf("%s/%s", path, v[i]->d_name), stem[256];
        if (matrix_file_name(v[i]->d_name) && !is_folder(inner, &facts)) {
            matrix_base_name(inner, stem, sizeof stem);
            strlist_add(&stems, stem);
            file[i] = inner;
        } else
            free(inner);
    }
    for (int i = 0; i < n && !status; i++)
        if (file[i])
            status = take_file(w, &in, path, file[i], &stems, why);
    for (int k = 0; k <= NTREES; k++)
        for (int i = 0; i < n && !status; i++)
            if (!file[i] && v[i]->d_name[0] != '.' && tree_of(v[i]->d_name, strlen(v[i]->d_name)) == k)
                status = walk_inner(w, path, &in, v[i]->d_name, why);
    for (int i = 0; i < n; i++) {
        free(file[i]);
        free(v[i]);
    }
    free(file);
    free(v);
    strlist_free(&stems);
    return status;
}

int folder_walk(const char *path, const struct taking *to, int *left_out, char why[ERRLEN])
{
    struct walk w = { .to = to, .left_out = left_out };
    char endings[200], *folder = xstrdup(path);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--)
        folder[n - 1] = 0;
    const int status = walk_folder(&w, folder, NULL, NULL, why);
    free(folder);
    strlist_free(&w.taken);
    return status || w.found > 0 ? status
                                 : fail(why, "%s: no matrix files found (names ending in %s)", path,
                                        matrix_endings(endings, sizeof endings));
}
