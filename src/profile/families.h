/* SPDX-License-Identifier: BSD-3-Clause */
/* Families: groups of matrices so alike that forecasting one from another does not test a model. Two matrices are in
 * one family if one of these rules joins them, directly or through other matrices:
 *   name      equal group and equal name up to its first digit (bcsstk17 and bcsstk29)
 *   pattern   equal pattern_id
 *   derived   one is made from the other (families.def)
 *   recipe    a recipe of the other's pattern (families.def; `like`: equal rows, nonzeros and longest row), or the same
 *             recipe with another seed
 *   features  logarithms of rows, columns, mean row length, max / mean, x sectors / nonzero and 1 + sd / mean, and the
 *             share of empty rows all differ by less than FAMILY_BOUND; does not join two recipes
 * A family is named by the alphabetically first "Group/stem" of its matrices, or, if it holds only recipes, by the first
 * "recipe:TEXT" (without seed; "recipe:KIND" for kinds in families.def), whatever the order of the matrices. */
#ifndef SPMVCAST_PROFILE_FAMILIES_H
#define SPMVCAST_PROFILE_FAMILIES_H
#include "runs/rows.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { FAMILY_LEN = RECIPE_LEN + 8 };
#define FAMILY_BOUND 0.05

/* A row of a profile's table "families": one per source that the profile was fitted to. */
struct family_row {
    char source_id[ID_LEN], matrix[128], family[FAMILY_LEN];
    int64_t sealed; /* 1: excluded from all model selection, as the SHA-256 of the name is 0 modulo 4 */
    char why[16];   /* first rule above that joins it to another source; "": none */
};
extern const struct schema family_schema;

struct families {
    int64_t n;
    struct family_row *row; /* by source_id */
    /* private to families.c: first[i] is the first row of the family of row i; member holds what the rules compare */
    int64_t *first, nmembers;
    struct family_member *member;
};

/* Finds the families of all matrices of runs; free with families_free. */
void families_find(const struct runs *, struct families *);
/* Reads the table of an archive and the facts of its measured matrices. Computes the families if the archive has no
 * such table. Returns what archive_get returns; FAIL: a matrix is not in the table. */
int families_load(struct archive *, const struct runs *measured, struct families *, char why[ERRLEN]);
void families_free(struct families *);
const struct family_row *families_row(const struct families *, const char *source_id); /* NULL: not found */

/* Describes a matrix that may or may not be a source of the families. Unknown fields are ""; unknown features are
 * NULL. */
struct family_query {
    const char *matrix, *group, *recipe, *pattern_id;
    const struct features *features;
};
/* Sets each member[i]: whether row i belongs to a family that the rules join to the query. */
void families_of_query(const struct families *, const struct family_query *, bool *member);

#ifdef __cplusplus
}
#endif
#endif
