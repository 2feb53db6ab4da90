/* SPDX-License-Identifier: BSD-3-Clause */
/* Families: matrices so alike that a forecast of one by another is no test of a model. Two are of one family where any of
 * these holds, or a chain of others joins them:
 *   name      equal group and equal name up to its first digit (bcsstk17 and bcsstk29)
 *   pattern   equal pattern_id
 *   derived   made from one another (families.def)
 *   recipe    a recipe of the other's pattern (families.def; like: equal rows, nonzeros and longest row), or one recipe with
 *             two seeds
 *   features  logarithms of rows, columns, mean row length, max / mean, x sectors / nonzero and 1 + sd / mean, and the share
 *             of empty rows, all differ by less than FAMILY_BOUND; not between two recipes
 * A family is called by the least "Group/stem" of its matrices, one of recipes alone by the least "recipe:TEXT" (without
 * seed; "recipe:KIND" of kinds in families.def), in whatever order they come. */
#ifndef SPMVCAST_MODELS_FAMILIES_H
#define SPMVCAST_MODELS_FAMILIES_H
#include "runs/rows.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { FAMILY_LEN = RECIPE_LEN + 8 };
#define FAMILY_BOUND 0.05

/* Table "families" of a profile: each source that it was fitted on. */
struct family_row {
    char source_id[ID_LEN], matrix[128], family[FAMILY_LEN];
    int64_t sealed; /* family_sealed */
    char why[16];   /* the first rule above that joins it to another source; "": it is alone */
};
extern const struct schema family_schema;

struct families {
    int64_t n;
    struct family_row *row; /* by source_id */
    /* of families.c: least row of the same family [n]; what the rules look at, of the rows whose facts are known */
    int64_t *first, nmembers;
    struct family_member *member;
};

/* Of all matrices of runs; families_free. */
void families_find(const struct runs *, struct families *);
/* Of an archive's table, with the facts of the matrices among its rows; found anew where the archive has no such table.
 * Returns what archive_get does; FAIL: a matrix is not in the table. */
int families_load(struct archive *, const struct runs *measured, struct families *, char why[ERRLEN]);
void families_free(struct families *);
const struct family_row *families_row(const struct families *, const char *source_id); /* NULL: not there */

/* A matrix that need not be among them. What is not known is "", or NULL for features. */
struct family_query {
    const char *matrix, *group, *recipe, *pattern_id;
    const struct features *features;
};
/* member[i]: row i is of a family that the rules join it to. */
void families_of_query(const struct families *, const struct family_query *, bool *member);
/* The least name of these families; "": none. */
const char *family_of_query(const struct families *, const struct family_query *);

/* Sealed families are kept from every choice of a model: SHA-256 of the name, as a number, is 0 modulo 4. */
bool family_sealed(const char *family);
#ifdef __cplusplus
}
#endif
#endif
