/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices from (kind, parameters, seed): any row can be made alone, by the same inline C on host and device
 * (recipe_rows.h), from a counter-based generator (Random123's Philox) with integer arithmetic only.
 * A recipe is one canonical string, e.g. "constant:rows=8448,cols=16896,p=16,place=band,seed=1", usable wherever a matrix is.
 * recipe_id = SHA-256 of that string. */
#ifndef SPMVCAST_RECIPE_H
#define SPMVCAST_RECIPE_H
#include "common/csr.h"
#include "common/features.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { RECIPE_LEN = 200, RECIPE_PARAMS = 8 };

enum recipe_kind { RECIPE_CONSTANT, RECIPE_UNIFORM, RECIPE_NORMAL, RECIPE_DENSE, RECIPE_BANDED, RECIPE_STENCIL, NRECIPES };
enum placement { PLACE_BAND, PLACE_RANDOM };    /* columns: one draw from each of a row's strata of a window of 2P columns centred at
                                                 * i cols/rows (band), or of the whole width (random): sorted, distinct, O(1) */

/* Plain data: passed by value to CUDA kernels. */
struct recipe {
    int32_t kind;               /* enum recipe_kind */
    int64_t rows, cols;
    int64_t p, spread;          /* row length (mean); half-width (uniform) or sd (normal), in 1/256ths */
    int64_t window;             /* columns a row's entries spread over (0: all) */
    int64_t n, points;          /* stencil: points of the grid a side; 5, 7, 27. banded: half-width in n */
    uint64_t seed;
};

/* FAIL: unknown kind or key (the known ones and the nearest), a missing or illegal value, sizes beyond the limits. */
int  recipe_parse(const char *text, struct recipe *, char why[ERRLEN]);
bool recipe_looks_like(const char *text);                       /* "KIND:..." or "KIND" with a known kind */
void recipe_print(const struct recipe *, char text[RECIPE_LEN]);    /* canonical: parse and print round-trip */
void recipe_id(const struct recipe *, char id[ID_LEN]);
int64_t recipe_nnz(const struct recipe *);                      /* exact; parallel count where rows vary */
int  recipe_csr(const struct recipe *, struct csr *, char why[ERRLEN]);   /* on the host, all cores */
/* Exact from the recipe where rows are constant; x sectors exact up to 2^22 nonzeros, else from sampled groups of rows. */
void recipe_features(const struct recipe *, struct features *);

/* The kinds with their parameters, for spmv-gen --list. */
struct recipe_param { const char *name, *about, *legal, *initial; };
struct recipe_about { const char *name, *about, *example; struct recipe_param params[RECIPE_PARAMS + 1]; };
extern const struct recipe_about recipe_kinds[NRECIPES];

/* A recipes file: rows of the table "recipes" in an archive of kind "recipes" (spmv-gen writes, spmv-run reads). */
struct recipe_row {
    char recipe[RECIPE_LEN], recipe_id[ID_LEN];
    char role[24];              /* what it is for: grid | path (few long rows) | gather | literal | paper | user */
    char kernels[64];           /* names of kernels it is meant for, '+' between; "" = all */
    double strips_i;            /* I = rows / strip; NaN where it is no grid cell */
    int64_t per_row_p;          /* P; 0 where it is no grid cell */
    char place[16];             /* band | random | "" */
};
struct schema;
extern const struct schema recipe_schema;       /* struct recipe_row as a table (table.h) */
#ifdef __cplusplus
}
#endif
#endif
