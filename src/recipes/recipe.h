/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices from (kind, parameters, seed). Any row can be generated independently, by the same inline C on host and
 * device (recipe_rows.h), from a counter-based generator (Philox of Random123) with integer arithmetic only. A recipe
 * is a canonical string, e.g. "constant:rows=8448,cols=16896,p=16,place=band,seed=1", which is accepted wherever a
 * matrix is. recipe_id = SHA-256 of that string. */
#ifndef SPMVCAST_RECIPES_RECIPE_H
#define SPMVCAST_RECIPES_RECIPE_H
#include "matrix/csr_matrix.h"
#include "matrix/features.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { RECIPE_LEN = 200, RECIPE_KERNELS = 512, RECIPE_PARAMS = 14, RECIPE_LEVELS = 64 };

enum recipe_kind {
#define RECIPE_KIND(NAME, name) RECIPE_##NAME,
#include "recipes/kinds.def"
#undef RECIPE_KIND
    NRECIPES
};
enum recipe_value_kind {
#define RECIPE_VALUES(NAME, name, distinct, narrow) VALUES_##NAME,
#include "recipes/recipe_values.def"
#undef RECIPE_VALUES
    NRECIPE_VALUES
};
/* Placement of drawn columns, one from each stratum of the row: strata divide a window of 2p columns centred at i cols/rows
 * (band) or the whole width (random). `window` below: columns in the window; RECIPE_WINDOW_ALL; RECIPE_WINDOW_OWN: by each
 * row's own length. */
enum { RECIPE_WINDOW_ALL = 0, RECIPE_WINDOW_OWN = -1 };

/* Plain data, passed by value to CUDA kernels. Members that a kind does not use are 0. */
struct recipe {
    int32_t kind;                /* enum recipe_kind */
    int32_t symmetric, shuffled; /* symmetric values; shuffled rows or nodes */
    int32_t values;              /* enum recipe_value_kind */
    int64_t rows, cols;
    /* p: (mean) row length; q: that of the other rows; spread: half-width (uniform) or sd (normal, like, blocks) in 1/256ths */
    int64_t p, q, spread;
    int64_t window;
    int64_t n, m, points; /* grid points per side, along the second axis; neighbours. banded: n is the bandwidth */
    int64_t d;            /* unknowns per node */
    int64_t fill, run;    /* blocks: in 1/256ths; n: complete groups, m: the larger ones */
    int64_t zero_from;    /* random, full: a_ii = 0 from this row on */
    /* like, blocks: nonzeros and longest row; lp: number of long rows in count; binomial: groups with a trial more, longest
     * row (m: groups of trials, n: trials of a group, points: counts failures) */
    int64_t count, max;
    int64_t min, k, tail; /* like, blocks: shortest row, K of HYB, nonzeros of its tail; 0: not given */
    int64_t axis[4];      /* lattice: sites along x, y, z, t */
    int64_t corner[3];    /* rmat: a, b, c in 1/256ths; n is the scale */
    uint64_t odds[2];     /* rmat: probability of the left side, in 2^-32, for row bits 0 and 1 */
    uint64_t seed;
    struct {
        int32_t bits;
        uint32_t key[4];
    } shuffle; /* a bijection of 0..n-1 within `bits` bits (shuffle.h) */
    /* like, blocks: rows ranked below `end`, but not below the previous one, have that length; rmat: level[k].length is the mean
     * length, in 2^-20, of rows with k ones in their number */
    struct {
        int64_t end, length;
    } level[RECIPE_LEVELS]; /* like: rows ranked below end have that length; rmat: mean
                                                             * lengths by the ones in a row's number, in 2^-20; binomial: cumulative probabilities (binomial.h) */
};

/* FAIL: unknown kind or key (`why` has the known ones and the nearest), missing or invalid value, size beyond the
 * limits. */
int recipe_parse(const char *text, struct recipe *, char why[ERRLEN]);
/* Returns true for "KIND" or "KIND:..." with a known kind, and for any "WORD:KEY=..." unless a file WORD exists. */
bool recipe_looks_like(const char *text);
void recipe_print(const struct recipe *, char text[RECIPE_LEN]); /* canonical; parsing and printing round-trip */
void recipe_id(const struct recipe *, char id[ID_LEN]);
int64_t recipe_nnz(const struct recipe *);                   /* exact; counted in parallel if there is no formula */
bool recipe_nnz_within(const struct recipe *, int64_t most); /* whether recipe_nnz is at most that; counts no further */
int recipe_csr(const struct recipe *, struct csr *, char why[ERRLEN]); /* on the host, all cores */
/* Row lengths are exact; x sectors are exact up to 2^22 nonzeros, else estimated from sampled groups of rows (sectors_exact
 * is false). */
void recipe_features(const struct recipe *, struct features *);
/* Sets values_*, bounds that values= guarantees; 0 for random values, which stand for none. The row lengths must be set. */
void recipe_values(const struct recipe *, struct features *);

/* The kinds with their parameters, for spmv-gen --list. */
struct recipe_param {
    const char *name, *about, *legal, *initial;
};
struct recipe_about {
    const char *name, *about, *example;
    struct recipe_param params[RECIPE_PARAMS + 1];
};
const struct recipe_about *recipe_about(int kind);
/* Returns "band", "random", or "" if columns are not drawn. */
const char *recipe_placement(const struct recipe *);

/* recipe_row.role of a training matrix: every configuration is measured on it. */
#define ROLE_TRAIN "train"
/* A recipes file: rows of the table "recipes" in an archive of kind "recipes" (spmv-gen writes, spmv-run reads). */
struct recipe_row {
    char recipe[RECIPE_LEN], recipe_id[ID_LEN];
    char role[24];                /* purpose: grid | path (few long rows) | gather | spread | literal | train | user */
    char kernels[RECIPE_KERNELS]; /* configurations to measure (a list of formats/config.h); "" = all */
    double strips_i;              /* I = rows / rows per strip; NaN if not a grid cell */
    int64_t per_row_p;            /* P, entries per row; 0 if not a grid cell */
    char place[16];               /* band | random | "" */
};
struct schema;
extern const struct schema recipe_schema; /* struct recipe_row as a table (table.h) */
/* Reads a recipes archive; rows are malloc'd, NULL after a failure. Returns as archive_open and archive_get. */
int recipes_read(const char *path, struct recipe_row **rows, int64_t *n, char why[ERRLEN]);
#ifdef __cplusplus
}
#endif
#endif
