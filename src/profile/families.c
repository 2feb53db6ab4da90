/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules that join matrices, their transitive closure, and the names of families. */
#include "profile/families.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

enum rule { NAME, PATTERN, DERIVED, RECIPE, FEATURES, NRULES };
static const char *const rule_names[NRULES + 1] = { "name", "pattern", "derived", "recipe", "features", "" };

static const struct column columns[] = {
    COLUMN_TEXT_OF(struct family_row, source_id, "source_id in table matrices"),
    COLUMN_TEXT_OF(struct family_row, matrix, "Group/Name or the recipe"),
    COLUMN_TEXT_OF(
        struct family_row, family,
        "family, named after the alphabetically first Group/stem of its matrices, or after its first recipe"),
    COLUMN_OF(struct family_row, sealed, COLUMN_I64, "",
              "1: the family is sealed, excluded from all model selection; 0: it is not"),
    COLUMN_TEXT_OF(
        struct family_row, why,
        "first rule that joins it to another matrix: name, pattern, derived, recipe or features; empty: none"),
};
const struct schema family_schema = SCHEMA_OF(struct family_row, "families", columns);

/* The axes of rule `features`: logarithms of rows, mean row length, max / mean, columns, x sectors (of groups of 1, 32
 * and 1024 rows) / nonzero and 1 + sd / mean; and the share of empty rows. */
enum { NAXES = 9 };

/* ---------------------------------------------------------------------------------------------------------------------
 * families.def */
static const struct {
    const char *side[2];
} lines[] = {
#define KIN(a, b) { { a, b } },
#include "profile/families.def"
#undef KIN
};
enum { NLINES = sizeof lines / sizeof lines[0] };

static const char recipe_mark[] = "recipe:";

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Whether `side` is the beginning of `whole`. In recipes it must end with a word: points=7 does not match points=75. */
static bool side_is_of(const char *side, const char *whole)
{
    if (!begins(whole, side))
        return false;
    const char next = whole[strlen(side)];
    return !begins(side, recipe_mark) || next == ':' || next == ',' || next == '\0';
}

static bool lines_meet(int a, int b)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (side_is_of(lines[a].side[i], lines[b].side[j]) || side_is_of(lines[b].side[j], lines[a].side[i]))
                return true;
    return false;
}

/* Returns the first line connected to `line`, directly or through others. *of_recipes: one of these lines names a
 * recipe. */
static int least_line(int line, bool *of_recipes)
{
    bool met[NLINES] = { false }, more = true;
    int least = line;
    met[line] = true;
    *of_recipes = false;
    while (more) {
        more = false;
        for (int a = 0; a < NLINES; a++)
            for (int b = 0; met[a] && b < NLINES; b++)
                if (!met[b] && lines_meet(a, b))
                    met[b] = more = true;
    }
    for (int a = NLINES - 1; a >= 0; a--)
        if (met[a]) {
            least = a;
            *of_recipes = *of_recipes || begins(lines[a].side[0], recipe_mark) || begins(lines[a].side[1], recipe_mark);
        }
    return least;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * members */
struct family_member {
    int64_t row;
    bool recipe, like;
    char stem[FAMILY_LEN], pattern_id[ID_LEN];
    int kin; /* least_line of families.def; -1: on no line */
    bool kin_of_recipes;
    int64_t rows, nnz, row_max;
    bool known; /* the features are complete, so the axes can be compared */
    double axis[NAXES];
};

/* Writes "Group/Name", "Name" if no group is known, or "recipe:TEXT" without seed and values, its last key. */
static void whole_name(const struct family_query *q, char whole[FAMILY_LEN])
{
    if (!*q->recipe) {
        const bool add = *q->group && !strchr(q->matrix, '/');
        snprintf(whole, FAMILY_LEN, "%s%s%s", add ? q->group : "", add ? "/" : "", q->matrix);
        return;
    }
    const char *seed = strstr(q->recipe, ",seed="), *rest = seed ? strchr(seed + 1, ',') : NULL;
    const size_t before = seed ? (size_t)(seed - q->recipe) : strlen(q->recipe);
    snprintf(whole, FAMILY_LEN, "%s%.*s%s", recipe_mark, (int)before, q->recipe, rest ? rest : "");
    char *values = strstr(whole, ",values=");
    if (values)
        *values = '\0';
}

static void find_kin(struct family_member *m, const char *whole)
{
    m->kin = -1;
    for (int i = 0; i < NLINES && m->kin < 0; i++)
        for (int k = 0; k < 2 && m->kin < 0; k++)
            if (side_is_of(lines[i].side[k], whole)) {
                m->kin = least_line(i, &m->kin_of_recipes);
                if (m->recipe)
                    snprintf(m->stem, sizeof m->stem, "%s", lines[i].side[k]);
            }
}

/* Cuts a name at its first digit, unless it begins with one. */
static void cut_stem(char *whole)
{
    char *name = strrchr(whole, '/');
    name = name ? name + 1 : whole;
    char *end = name;
    while (*end && !isdigit((unsigned char)*end))
        end++;
    if (end > name)
        *end = '\0';
}

static double ratio(double a, double b) { return b > 0.0 ? a / b : 0.0; }

static double log_of(double v) { return log(fmax(v, 1e-9)); }

static void find_axes(struct family_member *m, const struct features *f)
{
    const double rows = (double)f->rows, nnz = (double)f->nnz;
    const int64_t *sectors = f->sectors[F64];
    const double axis[NAXES] = { log_of(rows),
                                 log_of(f->row_mean),
                                 log_of(ratio((double)f->row_max, f->row_mean)),
                                 log_of((double)f->cols),
                                 log_of(ratio((double)sectors[SECTORS_ROW], nnz)),
                                 log_of(ratio((double)sectors[SECTORS_32], nnz)),
                                 log_of(ratio((double)sectors[SECTORS_1024], nnz)),
                                 log(1.0 + ratio(f->row_sd, f->row_mean)),
                                 ratio((double)f->row_empty, rows) };
    m->rows = f->rows;
    m->nnz = f->nnz;
    m->row_max = f->row_max;
    /* columns missing in an older archive read as NaN or far below 0 */
    m->known = isfinite(f->row_mean) && isfinite(f->row_sd) && f->rows > 0 && f->cols > 0 && f->nnz >= 0
               && f->row_max >= 0 && f->row_empty >= 0 && sectors[SECTORS_ROW] >= 0 && sectors[SECTORS_32] >= 0
               && sectors[SECTORS_1024] >= 0;
    memcpy(m->axis, axis, sizeof m->axis);
}

static void describe(struct family_member *m, const struct family_query *q)
{
    memset(m, 0, sizeof *m);
    m->recipe = *q->recipe != '\0';
    m->like = begins(q->recipe, "like:") || begins(q->recipe, "blocks:");
    whole_name(q, m->stem);
    find_kin(m, m->stem);
    if (!m->recipe)
        cut_stem(m->stem);
    snprintf(m->pattern_id, sizeof m->pattern_id, "%s", m->recipe ? "" : q->pattern_id);
    if (q->features)
        find_axes(m, q->features);
}

static void describe_row(struct family_member *m, const struct matrix_row *row)
{
    struct features f = { 0 };
    matrix_row_to_features(row, &f);
    describe(m, &(struct family_query){ row->matrix, row->group, row->recipe, row->pattern_id, &f });
    if (!*m->stem)
        snprintf(m->stem, sizeof m->stem, "%s", row->source_id);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * rules */
static bool is_like(const struct family_member *recipe, const struct family_member *of)
{
    return recipe->like && !of->recipe && recipe->known && of->known && recipe->rows == of->rows
           && recipe->nnz == of->nnz && recipe->row_max == of->row_max;
}

static bool close_by(const struct family_member *a, const struct family_member *b)
{
    if (!a->known || !b->known || (a->recipe && b->recipe))
        return false;
    for (int i = 0; i < NAXES; i++)
        if (fabs(a->axis[i] - b->axis[i]) >= FAMILY_BOUND)
            return false;
    return true;
}

/* Returns the first rule that joins two members; NRULES: none. */
static enum rule rule_of(const struct family_member *a, const struct family_member *b)
{
    if (*a->stem && strcmp(a->stem, b->stem) == 0)
        return a->recipe ? RECIPE : NAME;
    if (*a->pattern_id && strcmp(a->pattern_id, b->pattern_id) == 0)
        return PATTERN;
    if (a->kin >= 0 && a->kin == b->kin)
        return a->kin_of_recipes ? RECIPE : DERIVED;
    if (is_like(a, b) || is_like(b, a))
        return RECIPE;
    return close_by(a, b) ? FEATURES : NRULES;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * closure and names */
static int64_t root(int64_t *parent, int64_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static bool is_less(const struct family_member *a, const struct family_member *b)
{
    return a->recipe != b->recipe ? b->recipe : strcmp(a->stem, b->stem) < 0;
}

static bool is_sealed(const char *family)
{
    char hex[65];
    hash_string(family, hex);
    return strchr("048c", hex[63]) != NULL;
}

static void join_all(struct families *f)
{
    const int64_t n = f->n;
    int64_t *parent = xcalloc((unsigned long)n + 1, sizeof *parent);
    enum rule *why = xcalloc((unsigned long)n + 1, sizeof *why);
    const struct family_member **least = xcalloc((unsigned long)n + 1, sizeof *least);
    for (int64_t i = 0; i < n; i++) {
        parent[i] = i;
        why[i] = NRULES;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++) {
            const enum rule rule = rule_of(&f->member[i], &f->member[k]);
            if (rule == NRULES)
                continue;
            parent[root(parent, i)] = root(parent, k);
            why[i] = rule < why[i] ? rule : why[i];
            why[k] = rule < why[k] ? rule : why[k];
        }
    for (int64_t i = 0; i < n; i++) {
        const struct family_member **of = &least[root(parent, i)];
        if (!*of || is_less(&f->member[i], *of))
            *of = &f->member[i];
    }
    for (int64_t i = 0; i < n; i++) {
        struct family_row *r = &f->row[i];
        TEXT_SET(r->family, least[root(parent, i)]->stem);
        TEXT_SET(r->why, rule_names[why[i]]);
        r->sealed = is_sealed(r->family);
    }
    free(parent);
    free(why);
    free(least);
}

struct named {
    const char *family;
    int64_t row;
};

static int compare_named(const void *pa, const void *pb)
{
    const struct named *a = pa, *b = pb;
    const int d = strcmp(a->family, b->family);
    return d ? d : (a->row > b->row) - (a->row < b->row);
}

static void find_first(struct families *f)
{
    struct named *by_name = xcalloc((unsigned long)f->n + 1, sizeof *by_name);
    f->first = xcalloc((unsigned long)f->n + 1, sizeof *f->first);
    for (int64_t i = 0; i < f->n; i++)
        by_name[i] = (struct named){ f->row[i].family, i };
    qsort(by_name, (size_t)f->n, sizeof *by_name, compare_named);
    for (int64_t i = 0, first = 0; i < f->n; i++) {
        if (strcmp(by_name[i].family, by_name[first].family) != 0)
            first = i;
        f->first[by_name[i].row] = by_name[first].row;
    }
    free(by_name);
}

static int by_source(const void *a, const void *b)
{
    return strcmp(((const struct family_row *)a)->source_id, ((const struct family_row *)b)->source_id);
}

const struct family_row *families_row(const struct families *f, const char *source_id)
{
    struct family_row key = { .sealed = 0 };
    snprintf(key.source_id, sizeof key.source_id, "%s", source_id);
    return f->n ? bsearch(&key, f->row, (size_t)f->n, sizeof key, by_source) : NULL;
}

/* Fills the members from the matrices of `runs`; f->row must be sorted. Returns the first matrix without a row, or
 * NULL. */
static const struct matrix_row *find_members(struct families *f, const struct runs *runs)
{
    f->member = xcalloc((unsigned long)runs->nmatrices + 1, sizeof *f->member);
    for (int64_t i = 0; i < runs->nmatrices; i++) {
        const struct matrix_row *m = &runs->matrices[i];
        const struct family_row *row = families_row(f, m->source_id);
        if (!row)
            return m;
        struct family_member *member = &f->member[f->nmembers++];
        describe_row(member, m);
        member->row = row - f->row;
    }
    return NULL;
}

static int by_row(const void *a, const void *b)
{
    const struct family_member *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

void families_find(const struct runs *runs, struct families *f)
{
    *f = (struct families){ .n = runs->nmatrices };
    f->row = xcalloc((unsigned long)f->n + 1, sizeof *f->row);
    for (int64_t i = 0; i < f->n; i++) {
        TEXT_SET(f->row[i].source_id, runs->matrices[i].source_id);
        TEXT_SET(f->row[i].matrix, runs->matrices[i].matrix);
    }
    qsort(f->row, (size_t)f->n, sizeof *f->row, by_source);
    find_members(f, runs);
    qsort(f->member, (size_t)f->nmembers, sizeof *f->member, by_row);
    join_all(f);
    find_first(f);
}

int families_load(struct archive *a, const struct runs *measured, struct families *f, char why[ERRLEN])
{
    *f = (struct families){ 0 };
    const int status = archive_get_any(a, &family_schema, (void **)&f->row, &f->n, why);
    if (status != 0)
        return status;
    if (!f->row) {
        families_find(measured, f);
        return 0;
    }
    qsort(f->row, (size_t)f->n, sizeof *f->row, by_source);
    find_first(f);
    const struct matrix_row *missing = find_members(f, measured);
    return missing ? fail(why, "%s: matrix %s is not in table families; fit the profile again with spmv-fit",
                          archive_path(a), missing->matrix)
                   : 0;
}

void families_free(struct families *f)
{
    free(f->row);
    free(f->first);
    free(f->member);
    *f = (struct families){ 0 };
}

/* ---------------------------------------------------------------------------------------------------------------------
 * queries */
void families_of_query(const struct families *f, const struct family_query *q, bool *member)
{
    struct family_member one;
    describe(&one, q);
    for (int64_t i = 0; i < f->n; i++)
        member[i] = false;
    for (int64_t i = 0; i < f->nmembers; i++)
        if (rule_of(&one, &f->member[i]) != NRULES)
            member[f->first[f->member[i].row]] = true;
    for (int64_t i = 0; i < f->n; i++)
        member[i] = member[f->first[i]];
}
