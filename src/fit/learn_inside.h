/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the sources of learn.h. */
#ifndef SPMVCAST_FIT_LEARN_INSIDE_H
#define SPMVCAST_FIT_LEARN_INSIDE_H
#include <Random123/philox.h>
#include "fit/learn.h"

/* Returns the random number of a seed and counter, the same on every machine. */
static inline uint64_t learn_draw(uint64_t seed, uint64_t counter)
{
    const philox4x32_ctr_t c = { { (uint32_t)counter, (uint32_t)(counter >> 32), 0, 0 } };
    const philox4x32_key_t k = { { (uint32_t)seed, (uint32_t)(seed >> 32) } };
    const philox4x32_ctr_t r = philox4x32(c, k);
    return (uint64_t)r.v[0] << 32 | r.v[1];
}

/* src/fit/learn_data.c: was the matrix read from a file, not generated from a recipe? */
bool learn_is_real(const struct learn_data *, int matrix);
/* src/fit/learn_shared.c */
void learn_fit_scaling(const struct learn_data *, const bool *use, struct learned *);
void learn_fit_launch(const struct learn_data *, const bool *use, struct learned *);
void learn_fit_bounds(const struct learn_data *, const bool *use, struct learned *);
/* Sets the least coefficients of the terms: those of bytes at the greatest measured rate, least bytes / (T - t0); others 0. */
void learn_least_of(const struct learn_data *, const bool *use, const struct learned *, int precision, int target,
                    double least[NTERMS]);
/* src/fit/learn_fit.c: fits without intervals; `given` supplies hyper-parameters for the kernels that it contains; NULL: none. The caller
 * frees the result. */
struct learned *learn_fit_once(const struct learn_data *, const bool *use, const struct learned *given);
/* Sets use[k] for the terms that a variant of the model uses. */
void learn_terms_of(int variant, bool use[NTERMS]);
/* src/fit/learn_states.c: finds the time in us that the launch state adds to each measured time, from empty kernels of small grids;
 * stores both states in d. key: source and minute; us <= 0: no time. Arrays have length n. */
struct learn_empty {
    char key[96];
    double us, log2_blocks;
    struct grid grid;
};
void learn_find_states(struct learn_data *d, const struct learn_empty *, int64_t n, double *state_us);

/* src/fit/learn_sessions.c: estimates what sessions add to times, from cases that two of them measured, and subtracts it. The cases
 * must be sorted, with repeated measurements adjacent. */
void learn_take_sessions_off(struct learn_data *);

static inline struct target learn_target(const struct learn_data *d, const struct learn_case *c)
{
    struct target t = learned_target_at(c->target, (enum precision)d->config[c->config].precision);
    t.device = d->device;
    return t;
}
static inline const struct learned_bound *learn_bound(const struct learn_data *d, const struct learned *l,
                                                      const struct learn_case *c)
{
    const struct target t = learn_target(d, c);
    return learned_bound_of(l, &t);
}
/* Fills the input of a forecast. Terms and features already include occupancy. */
static inline void learn_expand(const struct learn_case *c, struct physics *p)
{
    *p = (struct physics){ .grid = c->grid, .least_bytes = c->least_bytes, .memory_share = c->memory_share };
    for (int k = 0; k < NTERMS; k++)
        p->term[k] = (double)c->term[k];
    for (int k = 0; k < NFEATURES; k++)
        p->feature[k] = (double)c->feature[k];
}
#endif
