/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids of benchmark matrices. Each model that is fitted to generated matrices has a row here, which lists its cells
 * as recipes. */
#ifndef SPMVCAST_GEN_GRID_H
#define SPMVCAST_GEN_GRID_H
#include <stdbool.h>
#include "base/target.h"
#include "formats/format.h"
#include "recipes/recipe.h"
#include "table/textout.h"

/* The device of a grid and the limits of its cells. */
struct grid_spec {
    struct geometry device;
    int64_t max_bytes; /* maximum size of the CSR arrays of a cell, in `precision` */
    enum precision precision;
    bool quick; /* only a few small cells, for a trial run */
};

enum drop { DROP_NNZ, DROP_BYTES, DROP_SQUARE, NDROPS }; /* why a cell is dropped */

struct grid_cells {
    struct grid_spec spec;
    int64_t n, room;
    struct recipe_row *row; /* owned */
    int64_t *nnz;           /* [n] */
    int64_t dropped[NDROPS];
};

struct grid_model {
    const char *name, *about;
    int64_t max_bytes;        /* default of max_bytes */
    enum precision precision; /* precision in which max_bytes counts */
    void (*make)(struct grid_cells *);
    /* Prints a note below the summary of the grid. NULL: no note. */
    void (*note)(const struct grid_cells *, struct table *);
    /* Why a device without thread blocks (the CPU) has no grid of this model; NULL: it has one. */
    const char *blocks_only;
};
extern const struct grid_model grid_models[]; /* ends with .name NULL */
void grid_guo2014(struct grid_cells *);
void grid_guo2014_note(const struct grid_cells *, struct table *);
void grid_regimes(struct grid_cells *);
void grid_training(struct grid_cells *);
void grid_wang2017_constant(struct grid_cells *);
void grid_wang2017_normal(struct grid_cells *);
void grid_wang2017_uniform(struct grid_cells *);
void grid_wang2017_binomial(struct grid_cells *);
void grid_wang2017_regimes(struct grid_cells *);
void grid_choi2010(struct grid_cells *);
void grid_choi2010_note(const struct grid_cells *, struct table *);
void grid_ashari2014(struct grid_cells *);

/* Adds a cell. strip 0: strips_i is NaN; p 0: rows have no constant length. If the grid has a cell with this recipe,
 * adds `kernels` to its list instead. Cells beyond 2^31-1 nonzeros or max_bytes are counted as dropped. Returns
 * false if dropped. */
bool grid_add(struct grid_cells *, const char *recipe, const char *role, const char *kernels, int64_t strip, int64_t p);
/* The same for a matrix of max(rows, 2p) columns whose rows have p entries each. */
bool grid_add_constant(struct grid_cells *, int64_t rows, int64_t p, const char *placement, const char *role,
                       const char *kernels, int64_t strip);
const char *grid_drop_name(enum drop);
void grid_free(struct grid_cells *);
#endif
