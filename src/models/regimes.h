/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes inside: what is fitted of one configuration, shared by its fit, its forecast and its planner's
 * blocks.
 *
 *   T = t0 + (S^q + L^q)^(1/q)
 *   S = w ( mean over { rows, groups } of  sum over lengths p of  n_p c(p) ) + X gamma(bytes of x)        work at full
 *   load
 *   L = l(longest row)                                                              one wave alone: the critical path
 *
 * c(p), l(p): cost of a row of p entries at full load and the time of a few such rows, from benchmark cells of constant
 * length (guo2014's idea: time against P at fixed I, against I at fixed P; here I -> infinity and I -> 0, joined by q).
 * groups: the rows that share a warp wait for its longest. w: the load of the busiest SM over the mean: the greater of
 * whole blocks an SM, ceil(B / SMs) SMs / B of a grid of B blocks, and the heaviest block alone, SMs times its entries
 * over nnz.
 * Where entries are dealt out evenly (coo, libraries) w is 1 and the path is that of rows of mean length.
 * X: sectors of x beyond those of a band, gamma: time of one of them. c, l, gamma, q: one set for each regime of the
 * working set (resident up to 2/3 L2, streaming from 2 L2; between them T is interpolated in log bytes); cold has one
 * set. */
#ifndef SPMVCAST_MODELS_REGIMES_H
#define SPMVCAST_MODELS_REGIMES_H
#include "formats/format.h"
#include "models/model.h"

enum { KNOTS = 256 };
struct curve {
    int n;
    double at[KNOTS], value[KNOTS];
}; /* at: ascending */

enum regime { REGIME_RESIDENT, REGIME_STREAMING, NREGIMES };
struct regime_fit {
    double q;
    struct curve row, path, gather; /* s a row; s; s a sector over log2 bytes of x */
    struct curve path_floor;        /* derived: no more than path anywhere, and no less for a longer row */
};

struct regimes {
    struct config config;
    struct target target; /* the profile's device */
    double t0_s;          /* an empty kernel of the smallest grid (launch_more_us: in a stream) */
    int log2_group;       /* rows that share a warp */
    struct regime_fit regime[NREGIMES];
    double rows_low, rows_high, bytes_high; /* of the cells */
};

/* The parts of T that add up over blocks of rows; a planner keeps them as prefix sums. */
struct regimes_sum {
    double row_s[NREGIMES];
    double extra_sectors;
};

/* linear between knots; beyond the last in proportion, below the first the first line */
double curve_row(const struct curve *, double p);
/* linear in logarithms; beyond the last in proportion; 0: no knots */
double curve_path(const struct curve *, double p);
double curve_gather(const struct curve *, double log2_bytes); /* linear, level outside */
void curve_add(struct curve *, double at, double value);      /* at: beyond the last */

/* What the benchmark's band placement touches of x for a row of p entries, and 32 rows share: sectors a row. */
double regimes_band_sectors(double p, double cols_per_row, double cols, enum precision);
/* cols_per_row: of the whole matrix, also where the features are a strip's: its band moves on no faster. */
void regimes_add(const struct regimes *, const struct features *, double cols_per_row, struct regimes_sum *);
/* w above for the grid of this matrix; 1 where the library or the CPU decides. */
double regimes_busiest(const struct regimes *, const struct features *);
/* The critical path: of the longest row; of a row of mean length where entries are dealt out; where a whole thread
 * block works on a row, also of the heaviest block. */
double regimes_path(const struct regimes *, enum regime, const struct features *);
double regimes_path_floor(const struct regimes *, enum regime, const struct features *);
/* T of one regime, without t0; path: of the row that counts. */
double regimes_join(const struct regimes *, enum regime, const struct regimes_sum *, double busiest, double path,
                    double x_bytes);
/* Weight of REGIME_STREAMING for a working set; 0 where cold (its set stands in both places). */
double regimes_weight(const struct regimes *, int64_t bytes);
double regimes_mix(double weight, double resident_s, double streaming_s);

int regimes_load(const struct profile *, const struct config *, const struct target *, struct regimes *,
                 char why[ERRLEN]);
void regimes_store(const struct regimes *, const char *config, struct coefs *);
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
