/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the archives of a paper and finds its matrices in them. */
#include "papers/study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/files.h"
#include "formats/format.h"

static const char *const source_names[NSOURCES] = { "real", "exact", "stand-in", "other" };

const char *source_name(enum source s) { return source_names[s]; }

/* ---- archives */

static void read_archive(struct study *s, const char *name)
{
    char *path = xasprintf("%s/%s.h5", s->directory, name), why[ERRLEN];

    if (access(path, F_OK) != 0)
        strlist_add(&s->absent, name);
    else if (strncmp(name, "forecasts", 9) == 0)
        strlist_add(&s->forecasts, path);
    else {
        const int status = runs_load(path, &s->runs, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
    }
    free(path);
}

/* Besides the archives that the paper names: what spmv-profile leaves (benchmark matrices of all models), and what make reproduce
 * measures. */
static void read_archives(struct study *s)
{
    static const char *const always[] = { "runs", "papers" };
    char *names = xstrdup(paper_about(s->paper, "archives")), *rest = names, *name;
    struct strlist read = { 0 };

    while ((name = strsep(&rest, " ")))
        if (*name) {
            read_archive(s, name);
            strlist_add(&read, name);
        }
    free(names);
    for (int i = 0; i < 2; i++) {
        char *path = xasprintf("%s/%s.h5", s->directory, always[i]);
        if (!strlist_has(&read, always[i]) && access(path, F_OK) == 0)
            read_archive(s, always[i]);
        free(path);
    }
    strlist_free(&read);
    for (int64_t i = 0; i < s->runs.nrows; i++)
        if (strcmp(s->runs.rows[i].device_key, s->profile->device_key) != 0)
            die("%s: a row was measured on '%s', but the profile is for '%s'; keep archives of two devices in two directories",
                s->directory, s->runs.rows[i].device_key, s->profile->device_key);
}

char *archives_of(const struct profile *p)
{
    char *folder = xstrdup(strchr(p->path, '/') ? p->path : "./");

    files_cut_name(folder);
    return folder;
}

/* ---- matrices */

/* Writes the canonical text of a recipe, "" for none. */
static void canonical(const char *text, char out[RECIPE_LEN])
{
    struct recipe r;
    char why[ERRLEN];

    out[0] = 0;
    if (*text && recipe_parse(text, &r, why) == 0)
        recipe_print(&r, out);
}

bool stand_in_is_matrix(const char *stand_in) { return strchr(stand_in, '/') && !strchr(stand_in, ':'); }

bool size_is_printed(int64_t rows, double printed)
{
    return isnan(printed) || fabs((double)rows / printed - 1) <= 0.02;
}

struct wanted {       /* of a matrix of the paper */
    char file[128];   /* GROUP/NAME */
    const char *name; /* in the collection; "": not known */
    double rows;      /* printed; NaN: not printed */
    char generator[RECIPE_LEN], stand_in[RECIPE_LEN];
    const char *other; /* the matrix that stand_in names; "": none */
};

static struct wanted *wanted_of(const struct paper *p)
{
    struct wanted *w = xcalloc((unsigned long)p->matrices.nrows + 1, sizeof *w);

    for (long i = 0; i < p->matrices.nrows; i++) {
        const char *group = table_text(&p->matrices, i, "group"),
                   *name = table_text(&p->matrices, i, "collection_name");
        if (*group && *name)
            snprintf(w[i].file, sizeof w[i].file, "%s/%s", group, name);
        w[i].name = name;
        w[i].rows = tsv_real(&p->matrices, i, "rows");
        canonical(table_text(&p->matrices, i, "generator"), w[i].generator);
        const char *stand_in = table_text(&p->matrices, i, "stand_in");
        w[i].other = stand_in_is_matrix(stand_in) ? stand_in : "";
        canonical(*w[i].other ? "" : stand_in, w[i].stand_in);
    }
    return w;
}

/* A file that does not state its group is called NAME alone. */
static bool is_file(const struct matrix_row *m, const struct wanted *w)
{
    return strcmp(m->matrix, w->file) == 0
           || (*w->name && strcmp(m->matrix, w->name) == 0 && size_is_printed(m->rows, w->rows));
}

static struct subject subject_of(const struct matrix_row *m, const struct wanted *w, long n)
{
    for (long i = 0; i < n; i++) {
        if (!m->recipe[0] && is_file(m, &w[i]))
            return (struct subject){ SOURCE_REAL, i };
        if (m->recipe[0] && strcmp(m->recipe, w[i].generator) == 0)
            return (struct subject){ SOURCE_EXACT, i };
        if (strcmp(m->recipe[0] ? m->recipe : m->matrix, m->recipe[0] ? w[i].stand_in : w[i].other) == 0)
            return (struct subject){ SOURCE_STAND_IN, i };
    }
    return (struct subject){ SOURCE_OTHER, -1 };
}

static void find_matrices(struct study *s)
{
    struct wanted *w = wanted_of(s->paper);

    s->subject = xcalloc((unsigned long)s->runs.nmatrices + 1, sizeof *s->subject);
    for (int64_t i = 0; i < s->runs.nmatrices; i++)
        s->subject[i] = subject_of(&s->runs.matrices[i], w, s->paper->matrices.nrows);
    free(w);
    for (int64_t i = 0; i < s->runs.nmatrices; i++)
        s->left_out += study_subject(s, s->runs.matrices[i].source_id) == NULL;
}

/* Finds the families of the paper's matrices and of the real others; recipes of benchmarks are left out. */
static void find_families(struct study *s)
{
    struct runs subjects = { 0 };
    const unsigned long room = (unsigned long)s->runs.nmatrices + 1;

    subjects.matrices = xmalloc(sizeof *subjects.matrices * room);
    subjects.features = xmalloc(sizeof *subjects.features * room);
    for (int64_t i = 0; i < s->runs.nmatrices; i++)
        if (s->subject[i].row >= 0 || !s->runs.matrices[i].recipe[0]) {
            subjects.matrices[subjects.nmatrices] = s->runs.matrices[i];
            subjects.features[subjects.nmatrices++] = s->runs.features[i];
        }
    families_find(&subjects, &s->families);
    free(subjects.matrices);
    free(subjects.features);
}

const char *study_family(const struct study *s, const char *label)
{
    for (int64_t i = 0; i < s->runs.nmatrices; i++) {
        const struct matrix_row *m = &s->runs.matrices[i];
        const struct subject *one = &s->subject[i];
        if ((one->row < 0 && m->recipe[0]) || strcmp(study_label(s, one, m->matrix), label) != 0
            || study_subject(s, m->source_id) != one)
            continue;
        const struct family_row *row = families_row(&s->families, m->source_id);
        return row ? row->family : label;
    }
    return label;
}

void study_open(struct study *s, const struct paper *p, const char *directory, struct profile *profile)
{
    *s = (struct study){ .paper = p, .profile = profile, .sets = xcalloc(1, sizeof *s->sets) };
    if (snprintf(s->directory, sizeof s->directory, "%s", directory) >= (int)sizeof s->directory)
        die("%.60s...: the path is longer than %d characters", directory, (int)sizeof s->directory - 1);
    read_archives(s);
    runs_index(&s->runs);
    find_matrices(s);
    find_families(s);
}

void study_close(struct study *s)
{
    for (int i = 0; s->sets && i < s->sets->n; i++) {
        struct contest_set *set = s->sets->set[i];
        contests_free(&set->contests);
        strlist_free(&set->precisions);
        strlist_free(&set->caches);
        free(set);
    }
    free(s->sets);
    families_free(&s->families);
    runs_free(&s->runs);
    strlist_free(&s->forecasts);
    strlist_free(&s->absent);
    free(s->subject);
}

const struct matrix_row *study_matrix(const struct study *s, long row, enum source *source)
{
    const struct matrix_row *best = NULL;

    for (int64_t i = 0; i < s->runs.nmatrices; i++)
        if (s->subject[i].row == row && (!best || s->subject[i].source < *source)) {
            best = &s->runs.matrices[i];
            *source = s->subject[i].source;
        }
    return best;
}

const struct subject *study_subject(const struct study *s, const char *source_id)
{
    const struct matrix_row *facts;
    enum source best = SOURCE_OTHER;

    if (!runs_features(&s->runs, source_id, &facts))
        return NULL;
    const struct subject *one = &s->subject[facts - s->runs.matrices];
    if (one->row >= 0 && study_matrix(s, one->row, &best) && best < one->source)
        return NULL;
    return one;
}

const char *study_label(const struct study *s, const struct subject *one, const char *matrix)
{
    return one->row < 0 ? matrix : table_text(&s->paper->matrices, one->row, "name");
}

/* ---- forecasts */

struct target study_target(const struct study *s, const struct run_row *row)
{
    return target_on(&s->profile->device, row->precision, row->cache, GRAPH);
}

void study_forecast(const struct study *s, const struct model *m, const struct run_row *row, struct forecast *f)
{
    const struct matrix_row *facts;
    const struct features *features = runs_features(&s->runs, row->source_id, &facts);
    const struct target t = study_target(s, row);
    struct config config;
    char why[ERRLEN];

    forecast_begin(f);
    if (!features || config_resolve_text(row->config, features, &t, &config, why) != 0) {
        forecast_refuse(f, "unknown matrix or configuration");
        return;
    }
    profile_ask_about(s->profile, facts->matrix, facts->group, facts->recipe, facts->pattern_id);
    model_forecast(m, s->profile, features, &config, &t, f);
    if (f->in_training && f->status != FORECAST_REFUSED)
        forecast_refuse(f, "matrix in training");
}
