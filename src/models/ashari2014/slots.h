/* SPDX-License-Identifier: BSD-3-Clause */
/* ashari2014-slots, private: terms and coefficients shared by fit, forecast and choice. The idea of ashari2014
 * (section 3), the width of a piece from a balance of work, on a device with too few pieces to fill its slots.
 *
 *   T = o + max(lambda steps + [cut] + round rounds, bytes / B + extra sectors / G)
 *
 * steps: entries of the pieces that the slowest warp handles one after another, each piece as wide as its block and
 *   rounded up to whole batches of loads (BRC_BATCH_F32 and so on);
 * cut, round: if the longest row is cut, the hand-over of a piece, and the rounds of additions of pieces of cut rows that
 *   the slowest warp makes one after another;
 * bytes: traffic_least of the layout; extra sectors: sectors of x that the warps touch beyond the first touch of each;
 * B, G: one each for working sets resident in the cache and streaming, interpolated in log bytes; cold: streaming only.
 * Coefficients are stored per family of configurations, those that differ only in b2, sigma and rep. */
#ifndef SPMVCAST_MODELS_ASHARI2014_SLOTS_H
#define SPMVCAST_MODELS_ASHARI2014_SLOTS_H
#include "formats/brc/brc.h"
#include "models/model.h"

enum { SLOTS_RESIDENT, SLOTS_STREAMING, SLOTS_REGIMES };
extern const char slots_name[];

struct slots {
    struct target target; /* the profile's device */
    double o_s, step_s, cut_s, round_s;
    double byte_s[SLOTS_REGIMES], sector_s[SLOTS_REGIMES]; /* byte_s NaN: regime not measured */
    double steps_low, steps_high, pieces_high, bytes_high; /* of the fit; pieces: of the longest row */
};

/* Quantities of one product that follow from features. */
struct slots_load {
    struct brc_sizes sizes;
    double steps, rounds, bytes, sectors;
    int64_t pieces_longest; /* of the longest row; 1: not cut */
    int64_t warps;          /* with a piece in each lane, one per 32 pieces */
    int64_t footprint;      /* CSR bytes, x and y (footprint_bytes) */
};
/* config: brc, resolved. FAIL: its bytes do not follow from features (why). */
int slots_load_of(const struct features *, const struct config *, const struct target *, struct slots_load *,
                  char why[ERRLEN]);

/* Time of the critical path and of the traffic, without o. */
double slots_path_s(const struct slots *, const struct slots_load *);
double slots_traffic_s(const struct slots *, const struct slots_load *);
/* Returns the regime of a working set, -1 between the two. */
int slots_regime(const struct target *, int64_t footprint);

/* "brc:b1=32,b2=auto,sigma=all,...": the configuration whose coefficients apply. */
void slots_family(const struct config *, char text[CONFIG_LEN]);
/* FAIL: the profile lacks the family (why says how to measure it). */
int slots_find(const struct profile *, const struct config *, const struct target *, struct slots *, char why[ERRLEN]);
int slots_fit(const struct runs *, const struct target *, struct coefs *, char why[ERRLEN]);

/* The rule: reference section 6. b2 = min(round(mean + sd), longest, max(8, floor((o + t_bw) / (2 lambda)))), lowered
 * to no less than 8 until there are 0.35 x SMs x threads per SM pieces; rep = clamp(floor(blocks / resident warps), 1,
 * 4) if sd > mean, else 1. t_bw: time of the traffic with b2 of the paper. */
struct slots_choice {
    int64_t b2, rep;
};
struct slots_choice slots_choose(const struct slots *, const struct features *, const struct config *);
#endif
