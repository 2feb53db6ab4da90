/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010-waves, private: choi2010's iterations of thread blocks without the assumption that all thread blocks take the
 * same number of steps, shared by fit and forecast.
 *
 *   t = o + delta L + max( sum over steps j of g(K_j / M, u_j), X / G )
 *   g(k, u) = max(gamma, a0 + a1 u k) for k <= T;  (k / T) g(T, u) beyond;  no SM has less than one thread block
 *
 * L thread blocks on M SMs, K_j of them with j steps or more; of their threads, the share u_j is not idle; T thread blocks fit on an SM by the hardware's rule
 * (occupancy_hardware). g: time of a step of k thread blocks on each SM, with one set of gamma, a0 and a1 for layouts
 * that stay in the L2 (up to 2/3 of it with x and y) and one for those that stream from memory (above twice the L2),
 * where a step never takes less than in the L2; between them t is interpolated in log bytes. Cold: always from memory. X: sectors of x that the warps touch, G: sectors
 * gathered per second, which depends on the bytes of x. If all thread blocks take N full steps, L is a multiple of M, and g
 * has one set without gamma, this is choi2010 with gamma' = gamma, for L <= T M or a multiple of it. */
#ifndef SPMVCAST_MODELS_CHOI2010_WAVES_H
#define SPMVCAST_MODELS_CHOI2010_WAVES_H
#include "models/choi2010/choi2010.h"

enum { WAVE_RESIDENT, WAVE_STREAMING, NWAVES };
enum { GATHERS = 64 }; /* knots: log2 of bytes of x */

/* g, in s */
struct wave_step {
    double floor_s, base_s, block_s; /* gamma, a0, a1 */
};
struct waves {
    double launch_s, block_s; /* o, delta */
    struct wave_step step[NWAVES];
    int64_t sms, resident; /* M, T */
    struct {
        int n;
        double log2_bytes[GATHERS], rate[GATHERS]; /* G in 1/s, ascending bytes; n = 0: unknown */
    } gather;
    double steps_high, per_sm_high, bytes_low, bytes_high; /* of the cells */
};
struct wave_terms {
    double launch_s, blocks_s, steps_s, gathers_s; /* gathers_s: what X / G takes beyond the steps */
};

double waves_step(const struct waves *, int regime, double per_sm, double busy); /* g(k, u) */
/* Returns the weight of WAVE_STREAMING for a working set of so many bytes. */
double waves_weight(const struct target *, double bytes);
/* sectors: X; 0: none, or G unknown. Returns the sum of the terms. */
double waves_time(const struct waves *, const struct steps *, double weight, double x_bytes, double sectors,
                  struct wave_terms *);
/* Sectors of x touched by warps of `warp_rows` rows, interpolated between those of groups of 1, 32 and 1024 rows. */
double waves_sectors(const struct features *, enum precision, double warp_rows);
double waves_gather(const struct waves *, double x_bytes); /* G */

/* Least squares of relative errors. Sets all but the gathers and returns 0, or FAIL (why): too few cells. */
int waves_fit(const struct choi_cells *, const struct target *, const char *config, struct waves *, char why[ERRLEN]);
/* |forecast / measured - 1| of a cell. */
double waves_error(const struct waves *, const struct target *, const struct choi_cell *);
#endif
