/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010, private: dense calibration cells and the literal model, shared by fits and forecasts.
 * J. W. Choi, A. Singh, R. W. Vuduc, "Model-driven Autotuning of Sparse Matrix-Vector Multiply on GPUs", PPoPP 2010,
 * doi 10.1145/1693453.1693471, section 6. */
#ifndef SPMVCAST_MODELS_CHOI2010_H
#define SPMVCAST_MODELS_CHOI2010_H
#include "base/occupancy.h"
#include "formats/steps.h"
#include "models/model.h"

/* A dense benchmark matrix: `per_sm` thread blocks on each SM (choi2010's k), each of `steps` steps (N). */
struct choi_cell {
    int64_t per_sm;
    double steps, time_s, bytes; /* bytes: working set, choi_bytes */
};
struct choi_cells {
    int64_t n, unused; /* unused: rows that count but are not of such a matrix */
    struct choi_cell *cell;
    struct block_needs needs; /* of the kernel, as compiled */
};

/* Bytes of the layout, x and y. */
double choi_bytes(int64_t storage_bytes, const struct features *, enum precision);

/* The coefficients of one configuration, in s. */
struct choi2010 {
    int64_t sms, resident; /* M; T, thread blocks per SM by choi2010's rule */
    double first_s;        /* s1o: the first iteration with one thread block per SM and one step */
    double first_step_s;   /* gamma: each further step of the first iteration */
    double step_s;         /* gamma': a step of a further iteration */
    double block_step_s;   /* a(N) / N: a step of each further thread block on the same SM */
    double steps_high;     /* b: most steps of the cells */
    int64_t per_sm_high;   /* most thread blocks per SM of the cells */
};

/* Eqs. 1 to 7 and 13 to 21 for L thread blocks of N steps each. terms (may be NULL): the first iteration, those
 * between, the last; 0 if there is none. */
int64_t choi2010_iterations(const struct choi2010 *, int64_t thread_blocks);
double choi2010_time(const struct choi2010 *, int64_t thread_blocks, double steps, double terms[3]);

bool choi_serves(const struct config *); /* kernels of dense blocks */
/* Fits every configuration of a kernel of dense blocks by `one`, which adds coefficients and returns 0 or FAIL (why).
 * Returns 0, or FAIL if none could be fitted. */
int choi_fit_all(const struct runs *, const struct target *, struct coefs *, const char *model,
                 int (*one)(const struct choi_cells *, const struct target *, const char *config, struct coefs *,
                            char why[ERRLEN]),
                 char why[ERRLEN]);
/* Adds the kernel's needs; they are stored so that a forecast needs no GPU. */
void choi_needs_store(const struct choi_cells *, const char *model, const char *config, const struct target *,
                      struct coefs *);
/* Returns 0, or FAIL (why, with the programs that measure what is missing) if the profile cannot forecast a
 * configuration with this model: no thread blocks, no kernel of dense blocks, not fitted. text: its configuration. */
int choi_find(const struct profile *, const struct features *, const struct config *, const struct target *,
              const char *model, char text[CONFIG_LEN], char why[ERRLEN]);
/* Formats, for --explain, the fill of the blocks of a configuration and how many nonzeros it comes from: "fill of 2 x 2 blocks
 * 1.32, sampled from 524288 of 6940000 nonzeros". */
struct choi_fill {
    char text[160];
};
struct choi_fill choi_fill_words(const struct features *, const struct config *);
#endif
