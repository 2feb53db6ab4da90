/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts the features of a source to a row of table matrices, and back; ranks of matrices. */
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "runs/rows.h"

#define MATRIX(member, type, unit, about) COLUMN_OF(struct matrix_row, member, type, unit, about)
#define MATRIX_TEXT(member, about) COLUMN_TEXT_OF(struct matrix_row, member, about)
static const struct column matrix_columns[] = {
    MATRIX_TEXT(source_id, "matrix_id; for a recipe: recipe_id"),
    MATRIX_TEXT(pattern_id, "SHA-256 of the pattern; for a recipe: recipe_id"),
    MATRIX_TEXT(matrix, "Group/Name; for a recipe: the recipe"),
    MATRIX_TEXT(group, "collection that the matrix belongs to"),
    MATRIX_TEXT(recipe, "canonical recipe; empty for a matrix file"),
    MATRIX_TEXT(role, "benchmark or matrix"),
    MATRIX_TEXT(recipe_role, "purpose of a recipe: grid, path, gather, spread, literal, train, user"),
    MATRIX_TEXT(kernels, "configurations to measure on a recipe, joined by +; empty: all"),
    MATRIX_TEXT(place, "placement of the columns of a recipe: band or random"),
    MATRIX(strips_i, COLUMN_F64, "", "I of a grid cell: rows / rows per strip"),
    MATRIX(per_row_p, COLUMN_I64, "", "P of a grid cell: entries per row"),
#define FEATURE_INT(name, unit, about, shown) MATRIX(name, COLUMN_I64, unit, about),
#define FEATURE_REAL(name, unit, about, shown) MATRIX(name, COLUMN_F64, unit, about),
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
#define PRECISION(number, name, bytes, digits, unit, least)                                                  \
    { "sectors_" #name,                                                                                      \
      "",                                                                                                    \
      "distinct 32-byte sectors of x per group of 1, 32, 1024 and all rows, summed over the groups; " #name, \
      COLUMN_I64,                                                                                            \
      offsetof(struct matrix_row, sectors[number]),                                                          \
      NSECTORS,                                                                                              \
      NULL },
#include "base/precisions.def"
#undef PRECISION
    MATRIX(sectors_exact, COLUMN_I64, "", "1: all sectors are counted; 0: estimated from a sample"),
    COLUMN_ARRAY_OF(struct matrix_row, heaviest, COLUMN_I64, HEAVIEST, "",
                    "maximum number of nonzeros in an aligned group of 1, 2, 4, ... 1024 rows"),
    MATRIX(summed, COLUMN_I64, "", "entries of the file that were added to an earlier one of the same row and column"),
    MATRIX(both_triangles, COLUMN_I64, "", "entries that a symmetric file has in both triangles"),
};
const struct schema matrix_schema = SCHEMA_OF(struct matrix_row, "matrices", matrix_columns);

void matrix_row_from_features(struct matrix_row *m, const struct features *f)
{
#define FEATURE_INT(name, unit, about, shown) m->name = f->name;
#define FEATURE_REAL(name, unit, about, shown) m->name = f->name;
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
    memcpy(m->sectors, f->sectors, sizeof m->sectors);
    m->sectors_exact = f->sectors_exact;
    memcpy(m->heaviest, f->heaviest, sizeof m->heaviest);
}

void matrix_row_to_features(const struct matrix_row *m, struct features *f)
{
    memset(f, 0, sizeof *f);
#define FEATURE_INT(name, unit, about, shown) \
    f->name = m->name == INT64_MIN ? 0 : m->name; /* an older archive lacks it */
#define FEATURE_REAL(name, unit, about, shown) f->name = m->name;
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
    memcpy(f->sectors, m->sectors, sizeof m->sectors);
    f->sectors_exact = m->sectors_exact == 1;
    memcpy(f->heaviest, m->heaviest, sizeof m->heaviest);
}

int64_t *runs_rank_matrices(const struct runs *r, bool by_name)
{
    const unsigned long room = (unsigned long)r->nmatrices + 1;
    const char **text = xmalloc(sizeof *text * room);
    int64_t *rank = xmalloc(sizeof *rank * room), *name = xcalloc(room, sizeof *name);

    for (int64_t i = 0; i < r->nmatrices; i++)
        text[i] = r->matrices[i].source_id;
    const int64_t sources = texts_rank(text, r->nmatrices, rank, NULL);
    for (int64_t i = 0; i < r->nmatrices; i++)
        text[i] = r->matrices[i].matrix;
    if (by_name)
        texts_rank(text, r->nmatrices, name, NULL);
    for (int64_t i = 0; i < r->nmatrices; i++)
        rank[i] += name[i] * sources;
    free(text);
    free(name);
    return rank;
}
