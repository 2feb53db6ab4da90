/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to recipes/: host-side description of a kind, apart from its rows; defined in kinds/NAME.c as
 * recipe_kind_NAME. */
#ifndef SPMVCAST_RECIPES_KIND_H
#define SPMVCAST_RECIPES_KIND_H
#include <stddef.h>
#include "recipes/recipe.h"

struct recipe_kind_facts {
    struct recipe_about about;
    /* sets defaults and checks combinations of keys */
    int (*finish)(struct recipe *, char why[ERRLEN]);
    int64_t (*nnz)(const struct recipe *);     /* NULL: sum of the row lengths */
    int64_t (*longest)(const struct recipe *); /* upper bound for the entries in a row */
    bool constant;                             /* all rows have the same length */
    /* writes all columns of a row, faster than one by one; may be NULL */
    void (*row)(const struct recipe *, int64_t i, int64_t length, int32_t *col);
    /* Source of the features of large recipes (recipe_features.c). windowed: rows are similar and their entries lie
     * in a window; samples are equally spaced. Otherwise groups of rows are drawn in proportion to their entries, and
     * touched returns the number of distinct sectors of `width` columns that at least one row touches (NULL: all). */
    bool windowed;
    double (*touched)(const struct recipe *, const struct features *, int64_t width);
};

#define RECIPE_KIND(NAME, name) extern const struct recipe_kind_facts recipe_kind_##name;
#include "recipes/kinds.def"
#undef RECIPE_KIND

const struct recipe_kind_facts *recipe_facts(int kind);

/* ---- shared by several kinds (kinds/drawn.c) */
enum { RECIPE_LIMIT = 2147483647 }; /* rows, columns: column indices are int32 */
#define COUNT_LEGAL "1..2147483647"
/* initial: the default value, a description of how it follows from other keys (finish sets it), or NULL (the key is
 * mandatory). Canonical strings have the keys in the order of params. */
#define PARAM_ROWS                        \
    {                                     \
        "rows", "rows", COUNT_LEGAL, NULL \
    }
#define PARAM_COLS                                      \
    {                                                   \
        "cols", "columns", COUNT_LEGAL, "max(rows, 2p)" \
    }
#define PARAM_MEAN                                               \
    {                                                            \
        "p", "mean number of entries per row", COUNT_LEGAL, NULL \
    }
/* the row lengths of like and blocks */
#define PARAM_LENGTHS                                                                                    \
    { "nnz", "nonzeros (exact)", COUNT_LEGAL, NULL },                                                    \
        { "sd", "standard deviation of the row lengths (as near as whole rows allow)",                   \
          "0..2147483647, in steps of 1/256", NULL },                                                    \
        { "max", "length of the longest row (exact)", COUNT_LEGAL, NULL },                               \
        { "min", "length of the shortest row (exact)", COUNT_LEGAL, "1 if possible" },                   \
        { "k", "entries per row in the head of hyb:k=auto (exact; with tail)", COUNT_LEGAL, "none" },    \
    {                                                                                                    \
        "tail", "entries in its tail: beyond place k of their rows (exact; with k)", COUNT_LEGAL, "none" \
    }
#define PARAM_PLACE                                                                                                     \
    {                                                                                                                   \
        "place",                                                                                                        \
            "columns: one drawn from each stratum of a window (2p wide, centred at i cols/rows) or of the whole width", \
            "band|random", "band"                                                                                       \
    }
#define PARAM_PLACE_OWN_ABOUT \
    "columns: one drawn from each stratum of a window (twice the row's length wide, at least 2p) or of the whole width"
#define PARAM_PLACE_OWN                                       \
    {                                                         \
        "place", PARAM_PLACE_OWN_ABOUT, "band|random", "band" \
    }
/* the last keys of all kinds */
#define PARAM_SEED                                                                                                 \
    { "seed", "seed of the generator", "0..18446744073709551615", "1" },                                           \
    {                                                                                                              \
        "values",                                                                                                  \
            "random: hashes, exact in f32; ones; sign: 1 or -1; laplacian: -1, the row's length on the diagonal; " \
            "transition: 1 / the row's length; weights: 1 to 100; material: 200 coefficients, one for 64 rows; "   \
            "full: random with 53 bits",                                                                           \
            "random|ones|sign|laplacian|transition|weights|material|full", "random"                                \
    }

static inline int64_t recipe_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t recipe_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* `finish` of constant, uniform and normal: sets cols, spread and window */
int recipe_finish_drawn(struct recipe *, char why[ERRLEN]);
/* `row` of kinds whose columns are drawn from strata; makes four columns per draw */
void recipe_strata_row(const struct recipe *, int64_t i, int64_t length, int32_t *col);

struct recipe_strata {
    int64_t rows, length;
}; /* `rows` rows of that length */
/* Returns the expected number of distinct sectors of `width` columns, out of `span` columns, that at least one of the rows in
 * the n strata touches. */
double recipe_touched(const struct recipe *, const struct recipe_strata *, int n, int64_t span, int64_t width);
/* The same for rows of the lengths in f->lengths and all columns: `touched` of several kinds. */
double recipe_touched_lengths(const struct recipe *, const struct features *, int64_t width);
double recipe_power(double base, int64_t n); /* base^n by squaring */
#endif
