/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sources of learn.h share. */
#ifndef SPMVCAST_FIT_LEARN_INSIDE_H
#define SPMVCAST_FIT_LEARN_INSIDE_H
#include "fit/learn.h"

bool learn_is_real(const struct learn_data *, int matrix); /* not made from a recipe */
void learn_terms_of(int variant, bool use[NTERMS]);

/* The contest of a case: matrix, precision, target. */
static inline int64_t learn_contest(const struct learn_data *d, const struct learn_case *c)
{
    return ((int64_t)c->matrix * NPRECISIONS + precision_parse(d->config[c->config].precision)) * LEARNED_TARGETS
           + c->target;
}
static inline const struct learned_bound *learn_bound(const struct learn_data *d, const struct learned *l,
                                                      const struct learn_case *c)
{
    const struct target t = { .precision = (enum precision)precision_parse(d->config[c->config].precision),
                              .cache = c->target == 1 ? COLD : WARM,
                              .launch = c->target == 2 ? STREAM : GRAPH };
    return learned_bound_of(l, &t);
}
#endif
