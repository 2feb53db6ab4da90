/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes, private: the fitted curves of one configuration, shared by fit, forecast and planner.
 *
 *   T = t0 + (S^q + L^q)^(1/q)
 *   S = w ( mean over { rows, groups } of  sum over lengths p of  n_p c(p) ) + X gamma(bytes of x)    work at full load
 *   L = l(longest row)                                                              one wave alone: the critical path
 *
 * c(p): cost of a row of p entries at full load; l(p): time of a few such rows alone. Both come from benchmark cells of
 *   constant length (guo2014's idea: time against P at fixed I, against I at fixed P; here I -> infinity and I -> 0,
 *   joined by q).
 * groups: rows that share a warp, which all wait for the longest.
 * w: load of the busiest SM over the mean load. It is the greater of ceil(B / SMs) SMs / B for a grid of B blocks, as an
 *   SM runs whole blocks, and SMs times the entries of the heaviest block over nnz. If entries are distributed evenly
 *   (coo, libraries), w is 1 and the path is that of a row of mean length.
 * X: sectors of x beyond those of a band; gamma: time of one of them.
 * c, l, gamma and q have one set per regime of the working set: resident up to 2/3 of the L2, streaming from twice the
 * L2; between them T is interpolated in log bytes. Cold has one set. */
#ifndef SPMVCAST_MODELS_REGIMES_H
#define SPMVCAST_MODELS_REGIMES_H
#include "formats/format.h"
#include "models/model.h"

enum { KNOTS = 256 };
struct curve {
    int n;
    double at[KNOTS], value[KNOTS]; /* at: ascending */
};

enum regime { REGIME_RESIDENT, REGIME_STREAMING, NREGIMES };
struct regime_fit {
    double q;
    struct curve row, path, gather; /* c in s over p; l in s over p; gamma in s over log2 bytes of x */
    struct curve path_floor;        /* derived from path: nowhere above it, never decreasing with length */
};

struct regimes {
    struct config config;
    struct target target; /* with the profile's device */
    double t0_s;          /* shortest time of an empty kernel, plus launch_more_us */
    int log2_group;       /* log2 of the number of rows that share a warp */
    struct regime_fit regime[NREGIMES];
    double rows_low, rows_high, bytes_high; /* range of the fitted cells */
};

/* The parts of T that are additive over blocks of rows; the planner keeps them as prefix sums. */
struct regimes_sum {
    double row_s[NREGIMES];
    double extra_sectors;
};

/* Linear between knots; proportional to p beyond the last knot; before the first one, the first segment extended, but
 * at least 0. */
double curve_row(const struct curve *, double p);
/* Linear in logarithms between knots; proportional to p beyond the last knot; constant before the first; 0 without
 * knots. */
double curve_path(const struct curve *, double p);
double curve_gather(const struct curve *, double log2_bytes); /* linear between knots, constant outside */
void curve_add(struct curve *, double at, double value);      /* at: greater than that of the last knot */

/* Returns the sectors of x per row that 32 rows of p entries in a `band` placement touch together. */
double regimes_band_sectors(double p, double cols_per_row, double cols, enum precision);
/* Adds the terms of a matrix or strip to the sum. cols_per_row: of the whole matrix, because the band moves equally
 * fast in a strip. */
void regimes_add(const struct regimes *, const struct features *, double cols_per_row, struct regimes_sum *);
/* Returns w (see above) for the grid of this matrix; 1 for libraries and the CPU device. */
double regimes_busiest(const struct regimes *, const struct features *);
/* Returns the critical path in s: that of the longest row, or of a row of mean length if entries are distributed
 * evenly; if a whole thread block works on a row, at least that of the heaviest block. regimes_path_floor returns a
 * lower bound that never decreases when a block grows. */
double regimes_path(const struct regimes *, enum regime, const struct features *);
double regimes_path_floor(const struct regimes *, enum regime, const struct features *);
/* Returns T of one regime without t0. path: from regimes_path or regimes_path_floor. */
double regimes_join(const struct regimes *, enum regime, const struct regimes_sum *, double busiest, double path,
                    double x_bytes);
/* Returns the weight of REGIME_STREAMING for a working set of `bytes`; 0 if cold, where both regimes have the same
 * set. */
double regimes_weight(const struct regimes *, int64_t bytes);
double regimes_mix(double weight, double resident_s, double streaming_s);

void regimes_store(const struct regimes *, const char *config, struct coefs *);
int regimes_load(const struct profile *, const struct config *, const struct target *, struct regimes *,
                 char why[ERRLEN]);
int regimes_fit_config(const struct runs *, const struct target *, const char *config, struct regimes *, double *errors,
                       int64_t *used, int64_t *unused, char why[ERRLEN]);

struct block_cost *regimes_blocks_open(const struct profile *, const struct sketch *, const struct config *,
                                       const struct target *, char why[ERRLEN]);
double regimes_block_time(struct block_cost *, int first, int last);
double regimes_block_floor(struct block_cost *, int first, int last);
double regimes_block_launch(struct block_cost *);
void regimes_blocks_close(struct block_cost *);
extern const char regimes_name[];
#endif
