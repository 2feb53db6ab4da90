/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of grids. */
#include "gen/grid.h"

const struct grid_model grid_models[] = {
    { "guo2014",
      "the grid of the paper: I = 1..10 strips, P = 4, 16, 64, ... entries per row; each kernel has its own strip",
      (int64_t)1 << 31, F32, grid_guo2014, grid_guo2014_note, NULL },
    { "guo2014-regimes",
      "one grid of (rows, P) for all kernels, with matrices smaller and larger than the cache; also long rows, gathers and uneven rows",
      (int64_t)1 << 30, F64, grid_regimes, NULL, NULL },
    { "physics-gp", "a table of training matrices of all kinds, with 1e3 to 3e7 nonzeros, for every kernel and device",
      (int64_t)1 << 30, F64, grid_training, NULL, NULL },
    { "wang2017-constant",
      "square matrices with P entries in every row at random columns, for half a warp or one thread per row: the "
      "baseline of the paper",
      (int64_t)1 << 30, F32, grid_wang2017_constant, NULL, NULL },
    { "wang2017-normal",
      "the same with normally drawn row lengths of mean P and the deviation of a binomial distribution",
      (int64_t)1 << 30, F32, grid_wang2017_normal, NULL, NULL },
    { "wang2017-uniform", "the same with uniform row lengths of that mean and deviation", (int64_t)1 << 30, F32,
      grid_wang2017_uniform, NULL, NULL },
    { "wang2017-binomial", "the same with binomial row lengths, as if each entry were drawn by itself",
      (int64_t)1 << 30, F32, grid_wang2017_binomial, NULL, NULL },
    { "wang2017-regimes",
      "one grid of (rows, P) for all kernels, square: constant rows in a band and at random columns, and drawn ones",
      (int64_t)1 << 30, F64, grid_wang2017_regimes, NULL, NULL },
    { "choi2010",
      "dense matrices for kernels of dense blocks: N steps of 1, 2, T, T + 1 thread blocks per SM; blocks in random columns",
      (int64_t)1 << 29, F64, grid_choi2010, grid_choi2010_note, NULL },
    { "ashari2014",
      "cells of ashari2014-slots, for kernel brc: few warps with growing pieces, long rows, sizes around the cache",
      (int64_t)1 << 30, F64, grid_ashari2014, NULL,
      "its cells measure the time per step of a thread that holds a row piece, which only a GPU has" },
    { .name = NULL },
};
